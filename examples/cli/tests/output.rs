//! What becomes of answers, by what they are worth.

use std::fs;
use std::io::{self, Write};
use std::time::Duration;

use onyx_cli::error::CliError;
use onyx_cli::output::Output;
use onyx_cli::verdict::Verdict;
use onyx_examples::verification::Verification;
use onyx_runtime::{Backend, Report, Status};

const WRONG: Verdict = Verdict::Wrong(Verification { difference: 1.0, allowed: 0.5 });

/// What is in a folder with an old file after an answer that is worth `verdict`.
fn after(verdict: Verdict) -> (Result<(), CliError>, Vec<(String, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "old").unwrap();
    let delivered = Output::create(&path).unwrap().deliver(verdict, |writer| writer.write_all(b"new"));
    let entries = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap());
    let content = |entry: &fs::DirEntry| fs::read_to_string(entry.path()).unwrap();
    let mut files: Vec<_> = entries.map(|entry| (entry.file_name().into_string().unwrap(), content(&entry))).collect();
    files.sort();
    (delivered, files)
}

fn files<const N: usize>(files: [(&str, &str); N]) -> Vec<(String, String)> {
    files.map(|(name, content)| (name.to_owned(), content.to_owned())).into()
}

#[test]
fn a_good_answer_replaces_the_old_file() {
    let (delivered, found) = after(Verdict::Good);
    assert!(delivered.is_ok());
    assert_eq!(found, files([("file", "new")]));
}

#[test]
fn any_other_answer_goes_beside_the_old_file() {
    for (verdict, name) in [(WRONG, "file.unverified"), (Verdict::Interrupted { iterations: 3 }, "file.interrupted")] {
        let (delivered, found) = after(verdict);
        assert!(delivered.is_ok());
        assert_eq!(found, files([("file", "old"), (name, "new")]));
    }
    let (delivered, found) = after(Verdict::Unverified);
    let error = delivered.unwrap_err();
    assert!(error.to_string().contains("file.unverified, and ") && error.exit_code() == 1, "{error}");
    assert_eq!(found, files([("file", "old"), ("file.unverified", "new")]));
}

#[test]
fn an_answer_without_numbers_goes_nowhere() {
    let (delivered, found) = after(Verdict::Diverged);
    assert!(delivered.is_ok());
    assert_eq!(found, files([("file", "old")]));
}

#[test]
fn an_answer_that_cannot_be_written_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "old").unwrap();
    for verdict in [Verdict::Good, Verdict::Unverified, WRONG] {
        let fails = |writer: &mut dyn Write| writer.write_all(b"new").and(Err(io::Error::other("full")));
        let delivered = Output::create(&path).unwrap().deliver(verdict, fails);
        assert_eq!(delivered.is_ok(), matches!(verdict, Verdict::Wrong(_)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_gets_good_answers_alone() {
    // This one is always full, so that it says whether anything was written.
    let error = |verdict| {
        let output = Output::create("/dev/full".as_ref()).unwrap();
        let delivered = output.deliver(verdict, |writer| writer.write_all(b"new"));
        delivered.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(error(Verdict::Good).starts_with("cannot write /dev/full: "));
    assert_eq!((error(WRONG), error(Verdict::Diverged)), (String::new(), String::new()));
    assert!(error(Verdict::Unverified).contains("it was not written to /dev/full"));
}

fn report(status: Status) -> Report {
    Report {
        backend: Backend::Cpu,
        device: String::new(),
        schedule: String::new(),
        explain: Vec::new(),
        fallback: None,
        diverged: None,
        turn: 0.0,
        iterations: Vec::new(),
        status,
        prepare: Duration::ZERO,
        run: Duration::ZERO,
    }
}

#[test]
fn only_what_is_finished_and_verified_is_good() {
    let [right, wrong] = [0.1, 0.9].map(|difference| Some(Verification { difference, allowed: 0.5 }));
    let good = |status, verification, no_verify| {
        matches!(Verdict::of(&report(status), verification, no_verify), Verdict::Good)
    };
    for status in [Status::Converged, Status::Settled, Status::IterationLimit] {
        assert!(good(status, right, false) && good(status, None, true));
        assert!(!good(status, wrong, false) && !good(status, None, false));
    }
    for status in [Status::Cancelled, Status::Diverged] {
        assert!(!good(status, right, false) && !good(status, None, false) && !good(status, None, true));
    }
}
