//! Damaged files: a part of what `cargo xtask fuzz` reads.

use std::fs;
use std::process::Command;

use serde_json::Value;

/// How many inputs.
const INPUTS: u64 = 20_000;

#[test]
fn readers_survive_damaged_files() {
    let folder = tempfile::tempdir().unwrap();
    let current = folder.path().join("current");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fuzz_readers"));
    let output = command.args(["--inputs", &INPUTS.to_string()]).arg("--current").arg(&current).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    let last = fs::read_to_string(&current).unwrap_or_default();
    let record: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{} at input {last} of seed 0: {error}", output.status));
    assert!(output.status.success(), "{record:#}");
    assert_eq!((&record["inputs"], &record["failures"]), (&INPUTS.into(), &0.into()));
    let readers = record["readers"].as_object().unwrap();
    assert_eq!(readers.len(), 14);
    for (reader, counts) in readers {
        let [accepted, refused] = ["accepted", "refused"].map(|field| counts[field].as_u64().unwrap());
        assert!(accepted > 50 && refused > 50, "{reader}: {counts}");
    }
}
