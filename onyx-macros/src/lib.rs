//! The attributes of Onyx.
