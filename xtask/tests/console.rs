//! What commands do when nobody reads them.

use std::io;
use std::process::Command;

#[test]
fn a_reader_who_has_gone_ends_no_command() {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("doctor").stdout(writer).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked") && output.status.code() != Some(101), "{errors}");
}
