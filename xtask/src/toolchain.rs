//! Finding a Rust toolchain that can compile `core` and the folds for the GPU.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use semver::Version;

use crate::architecture::{self, ARCHITECTURES, Architecture};
use crate::error::{Error, Result, indented};
use crate::process;

/// The target triple of NVIDIA GPUs.
pub const TARGET: &str = "nvptx64-nvidia-cuda";

/// Where Debian's `rustc-web` puts its compiler, beside whatever rustup put first in PATH.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// One module with everything inlined and nothing checked at run time.
const PROFILE: [(&str, &str); 8] = [
    ("LTO", "fat"),
    ("CODEGEN_UNITS", "1"),
    ("PANIC", "abort"),
    ("OPT_LEVEL", "3"),
    ("DEBUG", "false"),
    ("DEBUG_ASSERTIONS", "false"),
    ("OVERFLOW_CHECKS", "false"),
    ("INCREMENTAL", "false"),
];

/// A compiler with its own source, and the cargo to drive it.
#[derive(Clone, Debug)]
pub struct DeviceToolchain {
    pub rustc: PathBuf,
    pub cargo: PathBuf,
    pub version: Version,
}

/// Why a compiler cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    rustc: PathBuf,
    reason: String,
}

impl fmt::Display for Unfit {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: {}", self.rustc.display(), self.reason)
    }
}

/// The first fit toolchain: a rustup nightly, another one of rustup, the one in PATH, Debian's.
pub fn find() -> Result<DeviceToolchain> {
    let mut unfit = Vec::new();
    for rustc in candidates() {
        match inspect(&rustc) {
            Ok(toolchain) => return Ok(toolchain),
            Err(reason) => unfit.push(Unfit { rustc, reason }),
        }
    }
    Err(Error::NoDeviceToolchain { reasons: indented(unfit) })
}

/// A cargo command that compiles one crate for the GPU, free of what the caller's environment says about compilers.
pub fn cargo(toolchain: &DeviceToolchain, folder: &Path) -> Command {
    let mut command = Command::new(&toolchain.cargo);
    command.current_dir(folder);
    for variable in ["RUSTUP_TOOLCHAIN", "RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        command.env_remove(variable);
    }
    // Empty, not absent: that also turns off a wrapper of a cargo configuration file.
    command.env("RUSTC_WRAPPER", "").env("RUSTC_WORKSPACE_WRAPPER", "");
    command.env("RUSTC", &toolchain.rustc).env("RUSTC_BOOTSTRAP", "1");
    // Whatever the profile of the user's crate says.
    for (setting, value) in PROFILE {
        command.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", architecture::encoded_rustflags());
    command
}

fn candidates() -> Vec<PathBuf> {
    let mut found = rustup_compilers();
    found.extend(which::which_all("rustc").into_iter().flatten().filter(|path| !is_rustup_shim(path)));
    found.push(PathBuf::from(DEBIAN_RUSTC));
    found.dedup();
    found.retain(|path| path.is_file());
    found
}

/// The compilers of rustup's toolchains, nightly ones first; none where there is no rustup.
fn rustup_compilers() -> Vec<PathBuf> {
    let listed = process::output(Command::new("rustup").args(["toolchain", "list"])).unwrap_or_default();
    let mut names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    names.sort_by_key(|name| !name.starts_with("nightly"));
    names.into_iter().filter_map(rustup_compiler).collect()
}

fn rustup_compiler(toolchain: &str) -> Option<PathBuf> {
    let path = process::output(Command::new("rustup").args(["which", "--toolchain", toolchain, "rustc"])).ok()?;
    Some(PathBuf::from(path.trim()))
}

fn is_rustup_shim(path: &Path) -> bool {
    path.with_file_name("rustup").is_file()
}

fn inspect(rustc: &Path) -> std::result::Result<DeviceToolchain, String> {
    let version = compiler_version(rustc)?;
    if !is_new_enough(&version) {
        return Err(format!("version {version} is older than {}", env!("CARGO_PKG_RUST_VERSION")));
    }
    let sysroot = PathBuf::from(ask(rustc, &["--print", "sysroot"])?);
    if !sysroot.join("lib/rustlib/src/rust/library/Cargo.lock").is_file() {
        return Err("has no rust-src, the source of `core`".to_string());
    }
    let newest = ARCHITECTURES.map(Architecture::name).into_iter().next_back().unwrap_or_default();
    if !ask(rustc, &["--print", "target-cpus", "--target", TARGET])?.contains(&newest) {
        return Err(format!("its LLVM does not know {newest} of {TARGET}"));
    }
    Ok(DeviceToolchain { rustc: rustc.to_path_buf(), cargo: cargo_for(rustc), version })
}

/// The cargo of a rustup toolchain; a distribution's may be far older than its rustc, so there it is the one running this.
fn cargo_for(rustc: &Path) -> PathBuf {
    let own = rustc.with_file_name("cargo");
    let is_rustup = rustc.components().any(|part| part.as_os_str() == "toolchains");
    if is_rustup && own.is_file() { own } else { process::cargo_path() }
}

fn ask(rustc: &Path, arguments: &[&str]) -> std::result::Result<String, String> {
    let mut command = Command::new(rustc);
    command.args(arguments).env_remove("RUSTUP_TOOLCHAIN").env("RUSTC_BOOTSTRAP", "1");
    process::output(&mut command).map(|text| text.trim().to_string()).map_err(|error| error.to_string())
}

/// The version of a compiler.
pub fn compiler_version(rustc: &Path) -> std::result::Result<Version, String> {
    let line = ask(rustc, &["--version"])?;
    parse_version(&line).ok_or_else(|| format!("cannot read its version `{line}`"))
}

/// Whether a compiler can build this workspace.
pub fn is_new_enough(version: &Version) -> bool {
    let least = parse_version(&format!("rustc {}.0", env!("CARGO_PKG_RUST_VERSION")));
    least.is_none_or(|least| (version.major, version.minor) >= (least.major, least.minor))
}

/// The version in `rustc 1.96.0 (hash date)`.
fn parse_version(line: &str) -> Option<Version> {
    line.split_whitespace().nth(1).and_then(|word| Version::parse(word).ok())
}

#[cfg(test)]
mod tests {
    use super::{is_new_enough, parse_version};

    #[test]
    fn versions_are_read_from_every_channel() {
        let version = |line| parse_version(line).map(|version| (version.major, version.minor));
        assert_eq!(version("rustc 1.96.0 (abc 2026-05-25) (built from a source tarball)"), Some((1, 96)));
        assert_eq!(version("rustc 1.97.0-nightly (abc 2026-05-25)"), Some((1, 97)));
        assert_eq!(version("error"), None);
    }

    #[test]
    fn old_compilers_are_refused_and_nightlies_of_the_least_version_are_not() {
        let fits = |line| is_new_enough(&parse_version(line).unwrap());
        assert!(!fits("rustc 1.63.0") && fits("rustc 1.90.0-nightly") && fits("rustc 2.0.0"));
    }
}
