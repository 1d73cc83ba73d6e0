//! What the NVIDIA driver says about this machine, without needing one.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::fmt;

use libloading::Library;

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

/// What the driver's library is called.
const NAMES: [&str; 3] = ["libcuda.so.1", "libcuda.so", "nvcuda.dll"];
/// The numbers of two attributes in `cuda.h`.
const COMPUTE_CAPABILITY: [c_int; 2] = [75, 76];

/// Asks the driver.
pub fn probe() -> Driver {
    // SAFETY: it only tries to load the driver's library, whose initialisers are NVIDIA's own.
    let Some(library) = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok()) else {
        return Driver::Missing;
    };
    match gpus(&library) {
        Ok(gpus) => Driver::Present(gpus),
        Err(reason) => Driver::Broken(reason),
    }
}

fn gpus(library: &Library) -> Result<Vec<Gpu>, String> {
    let cuda = Cuda::of(library).map_err(|error| error.to_string())?;
    let mut count = 0;
    // SAFETY: nothing is handed to it.
    checked("cuInit", unsafe { (cuda.init)(0) })?;
    // SAFETY: `count` is there to be written to.
    checked("cuDeviceGetCount", unsafe { (cuda.count)(&raw mut count) })?;
    (0..count).map(|ordinal| cuda.gpu(ordinal)).collect()
}

/// The few functions of the driver that are asked, with the types that `cuda.h` gives them.
struct Cuda {
    init: unsafe extern "C" fn(c_uint) -> c_int,
    count: unsafe extern "C" fn(*mut c_int) -> c_int,
    device: unsafe extern "C" fn(*mut c_int, c_int) -> c_int,
    name: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int,
    attribute: unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int,
}

impl Cuda {
    fn of(library: &Library) -> Result<Self, libloading::Error> {
        // SAFETY: the types are those of `cuda.h`, and the library outlives what is found in it.
        unsafe {
            Ok(Self {
                init: *library.get("cuInit")?,
                count: *library.get("cuDeviceGetCount")?,
                device: *library.get("cuDeviceGet")?,
                name: *library.get("cuDeviceGetName")?,
                attribute: *library.get("cuDeviceGetAttribute")?,
            })
        }
    }

    fn gpu(&self, ordinal: c_int) -> Result<Gpu, String> {
        let mut device = 0;
        // SAFETY: `device` is there to be written to.
        checked("cuDeviceGet", unsafe { (self.device)(&raw mut device, ordinal) })?;
        let [major, minor] = COMPUTE_CAPABILITY.map(|which| self.attribute(which, device));
        Ok(Gpu { name: self.name(device)?, major: major?, minor: minor? })
    }

    fn attribute(&self, which: c_int, device: c_int) -> Result<i32, String> {
        let mut value = 0;
        // SAFETY: `value` is there to be written to, and the driver has handed out the device.
        checked("cuDeviceGetAttribute", unsafe { (self.attribute)(&raw mut value, which, device) })?;
        Ok(value)
    }

    fn name(&self, device: c_int) -> Result<String, String> {
        let mut bytes = [0_u8; 256];
        // SAFETY: the bytes are as many as the driver is told, and it ends what it writes with a zero.
        checked("cuDeviceGetName", unsafe { (self.name)(bytes.as_mut_ptr().cast(), bytes.len() as c_int, device) })?;
        let name = CStr::from_bytes_until_nul(&bytes).map_err(|error| error.to_string())?;
        Ok(name.to_string_lossy().into_owned())
    }
}

/// The driver's functions return 0 where all is well.
fn checked(function: &str, status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("{function} of the NVIDIA driver failed with CUDA error {status}")) }
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
