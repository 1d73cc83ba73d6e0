//! A crate outside of this checkout, as `cargo xtask new` writes it: it builds, runs, and gives PTX.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::assert::OutputAssertExt;
use assert_cmd::cargo::cargo_bin;
use tempfile::TempDir;

/// A new crate; it builds in a folder of its own, with the versions that this checkout has locked.
fn outside(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("diffusion");
    Command::new(cargo_bin!("xtask")).arg("new").arg(&path).assert().success();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::copy(checkout.join("Cargo.lock"), path.join("Cargo.lock")).unwrap();
    path
}

fn cargo(path: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(path).env_remove("CARGO_TARGET_DIR").env_remove("ONYX_PTX_DIR");
    command
}

#[test]
fn an_outside_crate_builds_and_runs() {
    let folder = TempDir::new().unwrap();
    let path = outside(&folder);
    let assert = cargo(&path, &["run", "--quiet"]).assert().success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(text.starts_with("converged after"), "{text}");
    let refused = cargo(&path, &["run", "--quiet", "--", "no-such-file"]).assert().failure().code(2);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("no-such-file"));
}

#[test]
#[ignore = "needs the device toolchain: cargo xtask doctor --install"]
fn device_ptx_of_an_outside_crate() {
    let folder = TempDir::new().unwrap();
    let path = outside(&folder);
    let build = || Command::new(cargo_bin!("xtask")).args(["build-ptx", "--check"]).current_dir(&path).assert();
    build().success();
    let manifest = || fs::read_to_string(path.join("target/onyx/diffusion.json")).unwrap();
    let before = manifest();
    assert!(before.contains("diffusion__diffuse__pull__k4"), "{before}");

    let source = path.join("src/lib.rs");
    let changed = fs::read_to_string(&source).unwrap().replace("1.0 - d.share", "2.0 - d.share");
    fs::write(&source, changed).unwrap();
    build().success();
    assert_ne!(before, manifest(), "the fingerprint follows the source");
}
