//! Every program of the batch agrees with the interpreter: a test for each.

include!(concat!(env!("OUT_DIR"), "/tests.rs"));
