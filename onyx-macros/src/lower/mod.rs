//! From a checked function to the parts of its lowered form.

pub mod kept;
pub mod methods;
pub mod multiplied;
pub mod names;
pub mod plan;
pub mod product;
pub mod region;
pub mod rewrite;
pub mod shown;
pub mod switches;
pub mod total;
pub mod variable;

#[cfg(test)]
mod tests;
