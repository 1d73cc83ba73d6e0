//! The fingerprint of the source that a fold is compiled from: kernels and host code of different sources do not go together.

use std::path::{Path, PathBuf};
use std::{env, fs};

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// The fingerprint of this crate and of the package that is being compiled.
pub fn of_package() -> u64 {
    let own = hash(FNV_OFFSET, env!("ONYX_MACROS_FINGERPRINT").as_bytes());
    env::var_os("CARGO_MANIFEST_DIR").map_or(own, |folder| of_folder(own, Path::new(&folder)))
}

/// Adds all source files of a package but its binaries, in the order of their paths.
fn of_folder(start: u64, package: &Path) -> u64 {
    let source = package.join("src");
    let mut files = Vec::new();
    if source.is_dir() {
        collect(&source, true, &mut files);
        files.retain(|file| *file != source.join("main.rs") && !file.starts_with(source.join("bin")));
    } else {
        collect(package, false, &mut files);
    }
    files.sort();
    files.iter().fold(start, |start, file| of_file(start, package, file))
}

fn collect(folder: &Path, descends: bool, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && descends {
            collect(&path, descends, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn of_file(start: u64, package: &Path, file: &Path) -> u64 {
    let name = file.strip_prefix(package).unwrap_or(file).to_string_lossy();
    let named = hash(start, name.as_bytes());
    fs::read(file).map_or(named, |bytes| hash(named, &bytes))
}

fn hash(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME))
}
