//! Every diagnostic of the macros. Each says what to write instead.

mod access;
mod body;
mod conflict;
mod fold;
mod function;
mod gradient;
mod operation;
mod reduction;
mod row;
mod structure;

pub use access::*;
pub use body::*;
pub use conflict::*;
pub use fold::*;
pub use function::*;
pub use gradient::*;
pub use operation::*;
pub use reduction::*;
pub use row::*;
pub use structure::*;
