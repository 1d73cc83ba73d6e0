//! Where cuBLAS lies: where the loader finds it, or where `cargo xtask doctor --install`, a toolkit or a Python environment has put it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use cudarc::cublas::sys;
use libloading::Library;

/// The library, as NVIDIA's wheels name it. A loader takes one that is loaded already for every library of its own name, whichever folder it came from.
const NAME: &str = "libcublas.so.12";
/// Where a wheel has it.
const IN_WHEEL: &str = "nvidia/cublas/lib";
/// Where `cargo xtask doctor --install` unpacks the wheel.
const INSTALLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/onyx/cublas");

/// Whether cuBLAS is there; it stays loaded.
pub(super) fn load() -> bool {
    is_known() || folders().iter().any(|folder| load_from(folder))
}

/// Whether cudarc, which panics where it is not, finds the library by a name alone.
fn is_known() -> bool {
    // SAFETY: asks whether the library can be opened, which runs its constructors as every use of it does.
    unsafe { sys::is_culib_present() }
}

/// Loads the library of a folder for good, so that its name finds it from now on.
fn load_from(folder: &Path) -> bool {
    let path = folder.join(NAME);
    if !path.is_file() {
        return false;
    }
    // SAFETY: as above.
    match unsafe { Library::new(path) } {
        Ok(library) => {
            std::mem::forget(library);
            is_known()
        }
        Err(_) => false,
    }
}

fn folders() -> Vec<PathBuf> {
    let toolkits = [("CUDA_HOME", "lib64"), ("CUDA_PATH", "lib64"), ("CONDA_PREFIX", "lib")];
    let toolkits = toolkits.into_iter().filter_map(|(home, lib)| Some(Path::new(&env::var_os(home)?).join(lib)));
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os);
    let wheels = environments.flat_map(|home| packages(Path::new(&home))).chain(beside_program());
    toolkits.chain(wheels.chain([INSTALLED.into()]).map(|folder| folder.join(IN_WHEEL))).collect()
}

/// The folders of an environment's packages, one for each version of Python.
fn packages(environment: &Path) -> Vec<PathBuf> {
    let versions = fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    versions.map(|version| version.path().join("site-packages")).filter(|folder| folder.is_dir()).collect()
}

/// Where a program that was taken elsewhere has its wheel.
fn beside_program() -> Option<PathBuf> {
    Some(env::current_exe().ok()?.parent()?.join("cublas"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::{IN_WHEEL, NAME, is_known, load_from, packages};

    /// Compiles an empty library of that name into the folder.
    fn compile(folder: &Path) {
        let source = folder.join("empty.rs");
        std::fs::write(&source, "").unwrap();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--crate-type", "cdylib", "-C", &format!("link-arg=-Wl,-soname,{NAME}"), "-o"]);
        let made = rustc.arg(folder.join(NAME)).arg(&source).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }

    #[test]
    fn a_library_of_a_folder_is_known_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!load_from(folder.path()), "there is none");
        std::fs::write(folder.path().join(NAME), "no library").unwrap();
        assert!(!load_from(folder.path()), "what is no library is passed over");
        std::fs::remove_file(folder.path().join(NAME)).unwrap();
        compile(folder.path());
        assert!(load_from(folder.path()) && is_known());
    }

    #[test]
    fn environments_have_packages_for_each_python() {
        let environment = tempfile::tempdir().unwrap();
        assert!(packages(environment.path()).is_empty());
        let folder = environment.path().join("lib/python3.12/site-packages");
        std::fs::create_dir_all(folder.join(IN_WHEEL)).unwrap();
        std::fs::create_dir_all(environment.path().join("lib/pkgconfig")).unwrap();
        assert_eq!(packages(environment.path()), [folder]);
    }
}
