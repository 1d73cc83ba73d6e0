//! `cargo xtask new`: what it writes, and where it refuses to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::assert::OutputAssertExt;
use assert_cmd::cargo::cargo_bin;
use tempfile::TempDir;

fn new(path: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::new(cargo_bin!("xtask"));
    command.arg("new").arg(path).args(arguments).assert()
}

fn refused(path: &Path, arguments: &[&str], reason: &str) {
    let assert = new(path, arguments).failure().code(2);
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(message.contains(reason), "{message}");
}

#[test]
fn a_crate_is_written_that_cargo_can_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("my-ranks");
    new(&path, &[]).success();
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"]).arg(path.join("Cargo.toml"));
    let assert = command.assert().success();
    let metadata: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(metadata["packages"][0]["name"], "my-ranks");
    assert_eq!(metadata["workspace_root"].as_str().map(Path::new), path.canonicalize().ok().as_deref());
}

#[test]
fn the_alias_of_the_new_crate_points_at_this_checkout() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ranks");
    new(&path, &["--name", "other"]).success();
    let config = fs::read_to_string(path.join(".cargo/config.toml")).unwrap();
    assert!(config.contains("\"--manifest-path\"") && config.contains("\"xtask\""), "{config}");
    assert!(fs::read_to_string(path.join("Cargo.toml")).unwrap().contains("name = \"other\""));
}

#[test]
fn an_empty_folder_is_filled() {
    let folder = TempDir::new().unwrap();
    new(folder.path(), &["--name", "ranks"]).success();
    assert!(folder.path().join("src/lib.rs").is_file());
}

#[test]
fn a_folder_with_files_is_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("thesis.txt"), "mine").unwrap();
    refused(folder.path(), &["--name", "ranks"], "not empty");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("ranks");
    fs::write(&file, "mine").unwrap();
    refused(&file, &[], "not empty");
}

#[test]
fn a_folder_inside_the_checkout_is_refused() {
    let inside = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/../new-crate");
    refused(&inside, &[], "inside the Onyx checkout");
    assert!(!inside.exists());
}

#[test]
fn a_bad_name_is_refused_before_anything_is_written() {
    let folder = TempDir::new().unwrap();
    refused(&folder.path().join("2gcn"), &[], "begin with a letter");
    refused(&folder.path().join("gcn"), &["--name", "match"], "keyword");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_missing_path_is_a_usage_error() {
    Command::new(cargo_bin!("xtask")).arg("new").assert().failure().code(2);
}

/// A new crate with the versions of this checkout's dependencies, so that what is built of them is used again.
fn crate_in(folder: &TempDir, name: &str) -> PathBuf {
    let path = folder.path().join(name);
    new(&path, &[]).success();
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    fs::copy(lock, path.join("Cargo.lock")).unwrap();
    path
}

/// The target folder that this test was built in, for new crates to share.
fn target() -> PathBuf {
    cargo_bin!("xtask").ancestors().nth(2).unwrap().to_path_buf()
}

/// What a program writes that runs inside of a crate.
fn output(program: impl AsRef<std::ffi::OsStr>, folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments).env("CARGO_TARGET_DIR", target());
    let assert = command.assert().success();
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}

fn cargo_run(folder: &Path, binary: &str, arguments: &[&str]) -> String {
    let run = ["run", "--offline", "--quiet", "--bin", binary, "--"];
    output(env!("CARGO"), folder, &[&run[..], arguments].concat())
}

#[test]
fn a_new_crate_builds_and_runs() {
    let folder = TempDir::new().unwrap();
    let path = crate_in(&folder, "onyx-new-run");
    let text = cargo_run(&path, "onyx-new-run", &[]);
    assert!(text.contains("converged after") && text.contains("vertex 1023: heat"), "{text}");
    assert!(
        heat_at_the_source(&path, "9") > heat_at_the_source(&path, "1") + 0.01,
        "the weights of the file do not count"
    );
}

#[test]
fn a_new_crate_tests_its_fold_in_the_emulator_which_its_program_does_without() {
    let folder = TempDir::new().unwrap();
    let path = crate_in(&folder, "onyx-new-test");
    let text = output(env!("CARGO"), &path, &["test", "--offline", "--quiet", "--test", "spread"]);
    assert!(text.contains("2 passed"), "{text}");
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(&path).env("CARGO_TARGET_DIR", target());
    let edges = path.join("edges.txt");
    fs::write(&edges, "0 1\n").unwrap();
    let assert = command.args(["run", "--offline", "--quiet", "--"]).arg(edges).arg("emulator").assert().code(2);
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(message.contains("switch on the feature `emulator` of onyx-runtime"), "{message}");
}

/// The heat that comes back to vertex 0, which is fed with it, of vertex 1, for which vertex 0 has a weight and vertex 2 has 1.
fn heat_at_the_source(path: &Path, weight: &str) -> f32 {
    let file = path.join("weighted.txt");
    fs::write(&file, format!("0 1 {weight}\n2 1 1\n")).unwrap();
    let text = cargo_run(path, "onyx-new-run", &[file.to_str().unwrap(), "cpu"]);
    let heats = text.lines().find_map(|line| line.strip_prefix("vertex 0: heat ["));
    let first = heats.and_then(|heats| heats.split(',').next()).unwrap_or_else(|| panic!("{text}"));
    first.trim().parse().unwrap()
}

#[test]
#[ignore = "needs the device toolchain and ptxas: cargo xtask doctor --install"]
fn ptx_of_a_new_crate_builds_and_goes_stale() {
    let folder = TempDir::new().unwrap();
    let path = crate_in(&folder, "onyx-new-ptx");
    output(cargo_bin!("xtask"), &path, &["build-ptx", "--check"]);
    let text = output(cargo_bin!("xtask"), &path, &["explain", "diffuse"]);
    assert!(
        text.contains("1. flow, edge function: reads at the source heat; reads at the edge weight; reduces inflow"),
        "{text}"
    );
    // A binary is no part of the fingerprint.
    let program = "fn main() { print!(\"{:016x}\", <onyx_new_ptx::diffuse as onyx_device::Fold>::FINGERPRINT) }";
    fs::create_dir(path.join("src/bin")).unwrap();
    fs::write(path.join("src/bin/fingerprint.rs"), program).unwrap();
    let built = manifest_fingerprint("onyx-new-ptx");
    assert_eq!(cargo_run(&path, "fingerprint", &[]), built);
    let library = fs::read_to_string(path.join("src/lib.rs")).unwrap();
    fs::write(path.join("src/lib.rs"), format!("{library}\n// edited\n")).unwrap();
    assert_eq!(cargo_run(&path, "fingerprint", &[]), built, "a comment changes no kernel");
    assert!(library.contains("1.0 - d.share"), "the template is another");
    fs::write(path.join("src/lib.rs"), library.replace("1.0 - d.share", "2.0 - d.share")).unwrap();
    assert_ne!(cargo_run(&path, "fingerprint", &[]), built, "an edited fold must not run its old kernels");
}

fn manifest_fingerprint(package: &str) -> String {
    let text = fs::read_to_string(target().join(format!("onyx/{package}.json"))).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    manifest["kernels"][0]["fingerprint"].as_str().unwrap().to_string()
}
