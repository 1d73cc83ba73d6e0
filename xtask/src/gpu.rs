//! What the NVIDIA driver says about this machine, without needing one.

use std::fmt;

use cudarc::driver::DriverError;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_attribute};

use crate::architecture::ARCHITECTURES;

/// The driver and what it drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    Missing,
    Broken(String),
    Present(Vec<Gpu>),
}

/// One GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    pub name: String,
    pub major: i32,
    pub minor: i32,
}

impl Gpu {
    /// Whether there is PTX that it can run.
    pub fn is_supported(&self) -> bool {
        let capability = u32::try_from(self.major * 10 + self.minor).unwrap_or(0);
        ARCHITECTURES.iter().any(|architecture| capability >= architecture.compute_capability)
    }
}

impl fmt::Display for Gpu {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} (compute capability {}.{})", self.name, self.major, self.minor)
    }
}

/// Asks the driver.
pub fn probe() -> Driver {
    // SAFETY: it only tries to load the driver's library, whose initialisers are NVIDIA's own.
    if !unsafe { sys::is_culib_present() } {
        return Driver::Missing;
    }
    match gpus() {
        Ok(gpus) => Driver::Present(gpus),
        Err(error) => Driver::Broken(error.to_string()),
    }
}

fn gpus() -> Result<Vec<Gpu>, DriverError> {
    result::init()?;
    (0..result::device::get_count()?).map(gpu).collect()
}

fn gpu(ordinal: i32) -> Result<Gpu, DriverError> {
    let device = result::device::get(ordinal)?;
    // SAFETY: the device was just handed out by the driver.
    let attribute = |which| unsafe { result::device::get_attribute(device, which) };
    Ok(Gpu {
        name: result::device::get_name(device)?,
        major: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        minor: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Gpu, probe};

    #[test]
    fn probing_never_panics() {
        let _ = probe();
    }

    #[test]
    fn gpus_before_ampere_are_not_supported() {
        let gpu = |major, minor| Gpu { name: String::new(), major, minor };
        assert!(!gpu(7, 5).is_supported() && gpu(8, 0).is_supported() && gpu(12, 1).is_supported());
    }
}
