//! Pictures, and how belief propagation takes the noise out of them.

pub mod denoise;
pub mod error;
pub mod picture;
pub mod png;
pub mod scene;

pub use error::ImageError;
pub use picture::Picture;
