//! Runs the binaries as a user does.
#![allow(dead_code, reason = "each test program uses a part")]

pub mod signal;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use tempfile::TempDir;

pub const ALS: &str = env!("CARGO_BIN_EXE_als");
pub const LABEL_PROPAGATION: &str = env!("CARGO_BIN_EXE_label_propagation");
pub const MULTI_MANIFOLD_RANKING: &str = env!("CARGO_BIN_EXE_multi_manifold_ranking");
pub const MULTIMODAL_LEARNING: &str = env!("CARGO_BIN_EXE_multimodal_learning");
pub const BELIEF_PROPAGATION: &str = env!("CARGO_BIN_EXE_belief_propagation");
pub const PAGERANK: &str = env!("CARGO_BIN_EXE_pagerank");
pub const BOTH: [&str; 2] = [LABEL_PROPAGATION, PAGERANK];
pub const ALL: [&str; 6] =
    [ALS, LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING, BELIEF_PROPAGATION, PAGERANK];

/// A text or picture as gzip compresses it.
pub fn compressed(content: &(impl AsRef<[u8]> + ?Sized)) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// A folder for the files of one test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Runs a binary in a pipe, on the CPU unless the arguments name a backend.
pub fn run(binary: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary);
    if !arguments.contains(&"--backend") {
        command.args(["--backend", "cpu"]);
    }
    command.args(arguments).output().unwrap()
}

/// What a run that ends well prints.
pub fn succeeds(binary: &str, arguments: &[&str]) -> String {
    let output = run(binary, arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.as_str()), (Some(0), ""), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The JSON objects that a run prints, one on each line.
pub fn reports(binary: &str, arguments: &[&str]) -> Vec<Value> {
    let text = succeeds(binary, &[arguments, &["--json"]].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The one JSON object that a run prints.
pub fn report(binary: &str, arguments: &[&str]) -> Value {
    let mut reports = reports(binary, arguments);
    assert_eq!(reports.len(), 1);
    reports.remove(0)
}

/// The one line in which a run is refused; it prints nothing else.
pub fn refused(binary: &str, arguments: &[&str]) -> String {
    let output = run(binary, arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert!(error.starts_with("error: ") && error.ends_with('\n') && error.lines().count() == 1, "{error}");
    error.trim_end().to_owned()
}

/// The columns of an output file, line by line.
pub fn rows(path: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// A file of the golden values.
pub fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A file of the real data.
pub fn data(name: &str) -> PathBuf {
    let folder = std::env::var_os("ONYX_DATA").expect("ONYX_DATA names the folder with the data");
    PathBuf::from(folder).join(name)
}
