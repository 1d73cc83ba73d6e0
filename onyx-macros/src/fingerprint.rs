//! The fingerprint of what a fold is compiled from: kernels and host code of different sources do not go together.
//!
//! It is that of the code that the macros make of the fold, its structure and its functions, so that neither a comment nor another fold changes it. A function
//! that names helpers of its package has that package's source in it as well.

use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::check::helper;
use crate::expand::function::Lowered;

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// The fingerprint of a fold of these functions, and of all that is made of it.
pub fn of(functions: &[Lowered], code: &[TokenStream]) -> u64 {
    let own = code.iter().fold(FNV_OFFSET, |start, tokens| of_tokens(start, tokens.clone()));
    let has_helpers = functions.iter().any(|lowered| helper::has_any(&lowered.function));
    if has_helpers { of_package(own) } else { own }
}

/// Adds tokens, but not how they are set, which is not the same for every compiler.
fn of_tokens(start: u64, tokens: TokenStream) -> u64 {
    tokens.into_iter().fold(start, |start, tree| match tree {
        TokenTree::Group(group) => {
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Brace => ("{", "}"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::None => ("", ""),
            };
            hash(of_tokens(hash(start, open.as_bytes()), group.stream()), close.as_bytes())
        }
        tree => hash(hash(start, tree.to_string().as_bytes()), b" "),
    })
}

/// Adds the source of the package that is being compiled.
fn of_package(start: u64) -> u64 {
    env::var_os("CARGO_MANIFEST_DIR").map_or(start, |folder| of_folder(start, Path::new(&folder)))
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
