//! The files that the programs write: what is replaced, what is kept, and what is refused.

mod command;

use std::fs;

use command::{ALL, BELIEF_PROPAGATION, Folder, LABEL_PROPAGATION, PAGERANK, refused, report, rows, run};

const EDGES: &str = "1 2\n2 3\n3 1\n3 4\n";
/// The options whose files are written.
const WRITTEN: [&str; 5] = ["--output", "--assignment", "--cache", "--noisy", "--out"];
/// What an option cannot be without.
const NEEDED: [(&str, &str); 5] = [
    ("--cache", "--graph"),
    ("--test", "--ratings"),
    ("--titles", "--ratings"),
    ("--evidence", "--model"),
    ("--marginals", "--model"),
];

/// The options of a program that name files, as its help has them.
fn file_options(binary: &str) -> Vec<String> {
    let help = String::from_utf8(run(binary, &["--help"]).stdout).unwrap();
    let lines = help.lines().map(str::trim).filter(|line| line.starts_with("--") && line.contains("FILE"));
    lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

/// What a run with `--one file --other file` is refused with, and with what these need besides.
fn refused_pair(binary: &str, one: &str, other: &str, [file, same]: [&str; 2], spare: &str) -> String {
    let mut arguments = vec![one, file, other, same];
    for (option, needed) in NEEDED {
        if arguments.contains(&option) && !arguments.contains(&needed) {
            arguments.extend([needed, spare]);
        }
    }
    if arguments.contains(&"--assignment") {
        arguments.push("--max-product");
    }
    refused(binary, &arguments)
}

#[test]
fn no_file_is_written_that_another_option_names() {
    let mut pairs = 0;
    for binary in ALL {
        let options = file_options(binary);
        assert!(options.iter().any(|option| option == "--output"), "{options:?}");
        for one in options.iter().filter(|option| WRITTEN.contains(&option.as_str())) {
            for other in options.iter().filter(|other| *other != one) {
                let folder = Folder::new();
                let (file, spare) = (folder.file("file", EDGES), folder.file("spare", EDGES));
                let error = refused_pair(binary, one, other, [&file, &file], &spare);
                let excluded = error.contains("cannot be used with");
                assert!(excluded || error.contains("names the same file"), "{binary} {one} {other}: {error}");
                assert_eq!(fs::read_to_string(&file).unwrap(), EDGES);
                assert_eq!(folder.names(), ["file", "spare"]);
                pairs += usize::from(!excluded);
            }
        }
    }
    assert!(pairs >= 30, "{pairs}");
}

#[cfg(unix)]
#[test]
fn a_file_is_the_same_by_any_name() {
    let folder = Folder::new();
    let (graph, link, hard) = (folder.file("graph", EDGES), folder.path("link"), folder.path("hard"));
    std::os::unix::fs::symlink("graph", &link).unwrap();
    fs::hard_link(&graph, &hard).unwrap();
    let dotted = folder.path("./graph");
    let parent = folder.path(&format!("../{}/graph", folder.path("").rsplit('/').nth(1).unwrap()));
    for name in [&graph, &link, &hard, &dotted, &parent] {
        for binary in [PAGERANK, LABEL_PROPAGATION] {
            for option in ["--output", "--cache"] {
                let error = refused(binary, &["--graph", &graph, option, name]);
                assert!(error.contains("names the same file"), "{error}");
            }
        }
    }
    let (new, again) = (folder.path("new"), folder.path("./new"));
    let error = refused(PAGERANK, &["--graph", &graph, "--output", &new, "--cache", &again]);
    assert!(error.contains("names the same file"), "{error}");
    assert_eq!(folder.names(), ["graph", "hard", "link"]);
}

#[test]
fn a_file_that_may_be_written_beside_the_output_is_no_input() {
    let folder = Folder::new();
    for name in ["ranks.interrupted", "ranks.unverified"] {
        let graph = folder.file(name, EDGES);
        let error = refused(PAGERANK, &["--graph", &graph, "--output", &folder.path("ranks")]);
        assert!(error.contains("names the same file"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_modes_are_kept() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let graph = folder.file("graph", EDGES);
    let elsewhere = Folder::new();
    for (option, name) in [("--output", "ranks"), ("--cache", "cache")] {
        let (link, file) = (folder.path(name), elsewhere.path(name));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let report = |extra: &[&str]| run(PAGERANK, &[&["--graph", &graph, option, &link], extra].concat());
        assert_eq!(report(&[]).status.code(), Some(0));
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let before = fs::read(&file).unwrap();
        assert_eq!(report(&["--undirected"]).status.code(), Some(0));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_ne!(fs::read(&file).unwrap(), before);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o640);
    }
    assert_eq!((folder.names().len(), elsewhere.names().len()), (3, 2));
}

#[test]
fn an_answer_that_ends_at_the_iteration_limit_is_finished() {
    let folder = Folder::new();
    let output = folder.file("output", "old");
    let report = report(PAGERANK, &["--iterations", "2", "--output", &output]);
    assert_eq!((&report["status"], &report["verified"]), (&"iteration_limit".into(), &true.into()));
    assert_eq!(rows(&output).len(), 34);
}

#[test]
fn a_hyphen_is_standard_output() {
    let folder = Folder::new();
    let file = folder.path("ranks");
    for name in ["-", "/dev/stdout"] {
        report(PAGERANK, &["--output", &file]);
        let output = run(PAGERANK, &["--output", name]);
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(output.stdout, fs::read(&file).unwrap());
        assert!(String::from_utf8(output.stderr).unwrap().contains("34 vertices"));
    }
    let error = refused(BELIEF_PROPAGATION, &["--out", "-", "--noisy", "-"]);
    assert!(error.contains("names the same file"), "{error}");
    assert_eq!(folder.names(), ["ranks"]);
}

#[cfg(unix)]
#[test]
fn a_device_is_written_as_it_is() {
    assert_eq!(report(PAGERANK, &["--output", "/dev/null"])["verified"], true);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_write_protected_is_refused() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let output = folder.file("output", "old");
    fs::set_permissions(&output, Permissions::from_mode(0o444)).unwrap();
    // Root may write it all the same.
    if fs::File::options().append(true).open(&output).is_err() {
        assert!(refused(PAGERANK, &["--output", &output]).contains("write-protected"));
    } else {
        report(PAGERANK, &["--output", &output]);
        assert_eq!(fs::metadata(&output).unwrap().permissions().mode() & 0o7777, 0o444);
    }
}

#[test]
fn a_cache_of_a_symmetric_matrix_is_read_and_not_written() {
    let folder = Folder::new();
    let graph = folder.file("graph.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
    let cache = folder.path("cache");
    for extra in [&[][..], &["--undirected"]] {
        let arguments = [&["--graph", &graph, "--cache", &cache], extra].concat();
        assert!(run(PAGERANK, &arguments).status.success());
        let written = fs::metadata(&cache).unwrap().modified().unwrap();
        assert_eq!(report(PAGERANK, &arguments)["graph"]["edges"], 4);
        assert_eq!(fs::metadata(&cache).unwrap().modified().unwrap(), written);
    }
}

#[test]
fn a_cache_of_another_graph_is_written_again() {
    let folder = Folder::new();
    let (one, other) = (folder.file("one", EDGES), folder.file("other", "1 2\n2 3\n3 2\n3 4\n"));
    let (cache, output) = (folder.path("cache"), folder.path("output"));
    for graph in [&one, &other] {
        for binary in [PAGERANK, LABEL_PROPAGATION] {
            let plain = run(binary, &["--graph", graph, "--output", &output]);
            let expected = (plain.status.code(), fs::read(&output).unwrap());
            let cached = run(binary, &["--graph", graph, "--cache", &cache, "--output", &output]);
            assert_eq!((cached.status.code(), fs::read(&output).unwrap()), expected);
        }
    }
    let note = run(PAGERANK, &["--graph", &one, "--cache", &cache]).stderr;
    let note = String::from_utf8(note).unwrap();
    assert!(note.starts_with("note: ") && note.contains("was written again: it was made from"), "{note}");
}

#[test]
fn every_help_says_what_is_written_and_how_it_ends() {
    for binary in ALL {
        let help = String::from_utf8(run(binary, &["--help"]).stdout).unwrap();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in [".interrupted", ".unverified", "is finished", "Exit status: 0", "129, 130 or 143"] {
            assert!(help.contains(words), "{binary}: {words}");
        }
    }
}
