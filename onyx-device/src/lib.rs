//! The language of Onyx on the host and on the device.
#![no_std]
