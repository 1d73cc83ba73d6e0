//! NVIDIA's products of matrices, which networks and alternating least squares need on a GPU: where the library is.

use std::path::{Path, PathBuf};

use libloading::Library;

use crate::metadata;

/// The names by which programs open it: its own first.
const NAMES: [&str; 3] = ["libcublas.so.12", "libcublas.so", "cublas64_12.dll"];
/// Where a wheel has it.
const IN_WHEEL: &str = "nvidia/cublas/lib";

/// What the loader finds by a name, or else what `doctor --install` unpacked.
pub fn find() -> Option<String> {
    // SAFETY: it only tries to load NVIDIA's library, whose initialisers are its own.
    let known = NAMES.into_iter().find(|name| unsafe { Library::new(*name) }.is_ok());
    known.map(str::to_string).or_else(|| unpacked(&install_folder()).map(|path| path.display().to_string()))
}

/// Where `doctor --install` unpacks the wheel: in this checkout, where every program that was compiled with it looks.
pub fn install_folder() -> PathBuf {
    metadata::checkout().join("target/onyx/cublas")
}

/// The library of an unpacked wheel.
pub fn unpacked(folder: &Path) -> Option<PathBuf> {
    Some(folder.join(IN_WHEEL).join(NAMES[0])).filter(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::{IN_WHEEL, unpacked};

    #[test]
    fn the_library_of_a_wheel_is_found() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(unpacked(folder.path()), None);
        let inside = folder.path().join(IN_WHEEL);
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::write(inside.join("libcublas.so.12"), "").unwrap();
        assert_eq!(unpacked(folder.path()), Some(inside.join("libcublas.so.12")));
    }
}
