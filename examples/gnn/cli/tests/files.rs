//! The files that the programs write, and standard output: what is kept, and what is refused.

mod command;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use command::{CLASSIFICATION, PROGRAMS, refused, run, said};
use tempfile::TempDir;

/// A citation network of six vertices.
const CITATIONS: [(&str, &str); 4] = [
    ("tiny.adjlist.txt", "0 1 2\n1 2\n2 3\n3 4\n4 5\n5 0\n"),
    ("tiny.features.txt", "# 6 nodes 3 features\n0 0\n1 0 1\n2 1\n3 2\n4 2 1\n5 0 2\n"),
    ("tiny.labels.txt", "0\n0\n0\n1\n1\n1\n"),
    ("tiny.split.txt", "# train 0..1 ; val 2..3\n4\n5\n"),
];

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, content)| fs::write(folder.path().join(name), content).unwrap());
    folder
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn no_file_is_written_that_another_option_names() {
    let folder = folder(&[("file.npz", "old")]);
    let (file, new) = (path(folder.path(), "file.npz"), path(folder.path(), "new"));
    for written in ["--save", "--curve"] {
        for read in ["--data", "--load"] {
            let error = refused(PROGRAMS[0], &[read, &file, written, &file]);
            assert!(error.contains("names the same file"), "{error}");
        }
    }
    let error = refused(PROGRAMS[1], &["--save", &new, "--curve", &new]);
    assert!(error.contains("names the same file"), "{error}");
    let error = refused(CLASSIFICATION, &["--data", &file, "--curve", &file]);
    assert!(error.contains("names the same file"), "{error}");
    assert!(fs::read_to_string(&file).unwrap() == "old" && !Path::new(&new).exists());
}

#[test]
fn no_file_of_a_data_set_is_written() {
    let folder = folder(&CITATIONS);
    let data = folder.path().to_str().unwrap();
    for (name, content) in CITATIONS {
        let file = path(folder.path(), name);
        for (program, option) in [(PROGRAMS[0], "--save"), (PROGRAMS[3], "--curve"), (CLASSIFICATION, "--curve")] {
            let error = refused(program, &["--data", data, option, &file]);
            assert!(error.contains("lies in the folder that --data reads"), "{error}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), content);
    }
    // What is no text may lie there, and be replaced.
    let weights = path(folder.path(), "weights.safetensors");
    for _ in 0..2 {
        let output = run(PROGRAMS[0], &["--data", data, "--epochs", "2", "--save", &weights]);
        assert!(output.status.success() && Path::new(&weights).exists(), "{output:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_known_before_the_run() {
    let folder = folder(&[]);
    let nowhere = path(folder.path(), "none/file");
    for (program, option) in [(PROGRAMS[0], "--save"), (PROGRAMS[2], "--curve"), (CLASSIFICATION, "--curve")] {
        let error = refused(program, &[option, &nowhere]);
        assert!(error.starts_with(&format!("error: cannot write {nowhere}: ")), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_is_printed_where_a_file_cannot_be_written_any_more() {
    let folder = folder(&[]);
    let file = path(folder.path(), "file");
    for (program, option) in [(PROGRAMS[0], "--save"), (PROGRAMS[0], "--curve"), (CLASSIFICATION, "--curve")] {
        // Files stay empty, and the signal about it, 25, is ignored.
        let mut command = Command::new("sh");
        command.args(["-c", r#"trap "" 25; ulimit -f 0; exec "$0" "$@""#, program, "--backend", "cpu", "--json"]);
        let output = command.args(["--epochs", "1", option, &file]).output().unwrap();
        let (report, error) = said(&output);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(report.starts_with('{') && error.contains("cannot write "), "{report}{error}");
        assert!(!Path::new(&file).exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_printed_is_an_error() {
    for (program, extra) in [(PROGRAMS[0], None), (PROGRAMS[0], Some("--json")), (CLASSIFICATION, Some("--json"))] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(program);
        command.args(["--backend", "cpu", "--epochs", "1"]).args(extra).stdout(full);
        let output = command.output().unwrap();
        let (_, error) = said(&output);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.starts_with("error: cannot write to standard output: "), "{error}");
    }
}

#[test]
fn a_reader_who_has_left_is_no_failure() {
    let mut command = Command::new(PROGRAMS[0]);
    let mut child = command.args(["--backend", "cpu", "--epochs", "5"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_picture_on_standard_output_has_the_report_beside_it() {
    let output = run(PROGRAMS[0], &["--epochs", "3", "--curve", "-"]);
    let (picture, report) = said(&output);
    assert!(output.status.success() && picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"));
    assert!(report.contains("3 epochs in "), "{report}");
}

#[test]
fn a_data_set_without_features_names_the_file_that_is_missing() {
    let folder = folder(&CITATIONS);
    fs::remove_file(folder.path().join("tiny.features.txt")).unwrap();
    let error = refused(PROGRAMS[0], &["--data", folder.path().to_str().unwrap()]);
    assert!(error.contains("has no file tiny.features.txt[.gz]: ") && error.contains("add the file"), "{error}");
    assert!(!error.contains("read_without_features"), "{error}");
}

#[test]
fn features_that_are_too_great_are_not_blamed_on_the_learning_rate() {
    let folder = folder(&CITATIONS);
    // Their sum is 0, by which nothing is divided.
    let great: String = (0..6).map(|vertex| format!("{vertex} 0:3e38 1:-3e38\n")).collect();
    fs::write(folder.path().join("tiny.features.txt"), great).unwrap();
    let output = run(PROGRAMS[0], &["--data", folder.path().to_str().unwrap()]);
    let (_, error) = said(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains(" at step 1: ") && error.contains("too great") && !error.contains("rate"), "{error}");
}
