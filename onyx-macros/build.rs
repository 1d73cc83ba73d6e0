//! Fingerprints the source of this crate, so that the host can tell kernels that another version of the macros lowered.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files);
    files.sort();
    let hash = files.iter().fold(FNV_OFFSET, |hash, file| hash_file(hash, file));
    println!("cargo::rustc-env=ONYX_MACROS_FINGERPRINT={hash:016x}");
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source folder is readable") {
        let path = entry.expect("a folder entry is readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn hash_file(hash: u64, file: &Path) -> u64 {
    let bytes = fs::read(file).expect("a source file is readable");
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME))
}
