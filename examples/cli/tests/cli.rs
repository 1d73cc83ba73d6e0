//! What the binaries print and write when all is well.

mod command;

use std::fs;
use std::process::{Command, Stdio};

use command::{
    BELIEF_PROPAGATION, BOTH, Folder, LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING, PAGERANK,
    refused, report, reports, rows, run, succeeds,
};
use serde_json::Value;

const TRIANGLE_AND_TAIL: &str = "# source target\n700 20\n20 5\n5 700\n5 90\n";

#[test]
fn without_arguments_the_karate_club_is_solved() {
    let text = succeeds(LABEL_PROPAGATION, &[]);
    for line in
        ["34 vertices, 156 edges", "active vertices after each iteration: 27 34", "accuracy 0.9688", "verified: "]
    {
        assert!(text.contains(line), "{line} in {text}");
    }
    let text = succeeds(PAGERANK, &[]);
    for line in ["converged after", "          34  0.1009", "verified: "] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn of_a_long_run_the_first_and_last_iterations_are_told() {
    let told = |iterations: &str| {
        let text = succeeds(PAGERANK, &["--damping", "0.99", "--iterations", iterations]);
        let line = text.lines().find(|line| line.starts_with("active vertices after")).unwrap().to_owned();
        line.split_once(": ").unwrap().1.to_owned()
    };
    assert_eq!(told("28").split(' ').count(), 28);
    let long = told("200");
    assert!(long.contains(" more, which --json has ... ") && long.split(' ').count() == 28 + 7, "{long}");
}

#[test]
fn a_bare_command_line_succeeds_on_any_machine() {
    for binary in BOTH {
        let output = Command::new(binary).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{error}");
        assert!(error.is_empty() || error.starts_with("note: running on the CPU: ") && error.lines().count() == 1);
    }
}

#[test]
fn json_reports_have_the_promised_fields() {
    let report = report(LABEL_PROPAGATION, &[]);
    assert_eq!(report["algorithm"], "label_propagation");
    assert_eq!((&report["graph"]["vertices"], &report["graph"]["edges"]), (&34.into(), &156.into()));
    assert_eq!((&report["backend"], &report["status"]), (&"cpu".into(), &"converged".into()));
    assert_eq!(report["active"].as_array().unwrap().len() as u64, report["iterations"].as_u64().unwrap());
    assert!(report["schedule"].is_string() && report["verified"].as_bool().unwrap());
    for part in ["load", "prepare", "run"] {
        assert!(report["seconds"][part].as_f64().unwrap() >= 0.0);
    }
    assert_eq!(report["result"]["accuracy"], 31.0 / 32.0);
    assert_eq!(report["result"]["seeds_from"], "leaders");
}

#[test]
fn every_repeated_run_is_timed() {
    for binary in BOTH {
        let report = report(binary, &["--repeat", "3"]);
        let runs = report["seconds"]["runs"].as_array().unwrap();
        assert!(runs.len() == 3 && runs.last() == Some(&report["seconds"]["run"]), "{report}");
    }
}

#[test]
fn schedules_are_forced_and_explained() {
    for schedule in ["neighbor_group", "vertex_per_warp", "vertex_per_block", "word_per_warp", "edge_flat", "warp_word"]
    {
        let report = report(LABEL_PROPAGATION, &["--backend", "emulator", "--schedule", schedule]);
        let reasons = report["explain"].as_array().unwrap();
        let forced = reasons.iter().filter(|reason| reason.as_str().unwrap().ends_with("because it was asked for"));
        assert!(forced.clone().count() > 0 && report["verified"].as_bool().unwrap(), "{report}");
        assert!(forced.clone().all(|reason| reason.as_str().unwrap().contains(schedule)), "{reasons:?}");
    }
    let blocks = ["--backend", "emulator", "--schedule", "groups_per_block", "--features"];
    let explained = |features| report(LABEL_PROPAGATION, &[&blocks[..], &[features]].concat())["explain"].to_string();
    assert!(explained("16").contains("pull: groups_per_block, because it was asked for"));
    assert!(explained("2").contains("pull: neighbor_group, because blocks of groups are for rows of four lanes"));
    let output = Command::new(PAGERANK).args(["--backend", "emulator", "--explain"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.lines().count() == 3 && error.lines().all(|line| line.contains("because")), "{error}");
}

#[test]
fn verification_can_be_left_out() {
    assert!(report(PAGERANK, &["--no-verify"])["verified"].is_null());
    assert!(succeeds(PAGERANK, &["--no-verify"]).contains("not verified"));
}

#[test]
fn every_backend_and_direction_verifies() {
    for binary in BOTH {
        for backend in ["cpu", "emulator"] {
            for direction in ["auto", "pull", "push"] {
                let report = report(binary, &["--backend", backend, "--direction", direction]);
                assert_eq!(report["verified"], true, "{binary} {backend} {direction}");
                assert_eq!(report["status"], "converged");
            }
        }
    }
}

#[test]
fn the_loop_is_run_as_asked_for() {
    for binary in BOTH {
        for backend in ["cpu", "emulator"] {
            for options in [&["--deterministic"][..], &["--no-change-driven"], &["--read-every", "3", "--refresh", "2"]]
            {
                let report = report(binary, &[&["--backend", backend], options].concat());
                assert_eq!(
                    (&report["verified"], &report["status"]),
                    (&true.into(), &"converged".into()),
                    "{options:?}"
                );
                let is_deterministic = report["schedule"].as_str().unwrap().contains("deterministic");
                assert_eq!(is_deterministic, options == ["--deterministic"]);
            }
        }
    }
}

#[test]
fn coarse_tolerances_and_few_iterations_verify_too() {
    for binary in BOTH {
        for direction in ["pull", "push"] {
            assert_eq!(report(binary, &["--direction", direction, "--tolerance", "1e-2"])["verified"], true);
            let short = report(binary, &["--direction", direction, "--iterations", "3"]);
            assert_eq!((&short["verified"], &short["status"]), (&true.into(), &"iteration_limit".into()));
        }
    }
}

#[test]
fn a_list_of_generators_runs_each_in_turn() {
    for binary in BOTH {
        let reports = reports(binary, &["--generate", "rmat:8,grid:20x10,uniform:50:90"]);
        let vertices: Vec<_> = reports.iter().map(|report| report["graph"]["vertices"].as_u64().unwrap()).collect();
        assert_eq!(vertices, [256, 200, 50]);
        assert!(reports.iter().all(|report| report["verified"] == true));
    }
}

#[test]
fn drawn_seeds_are_the_same_every_time_and_said_to_be_drawn() {
    let folder = Folder::new();
    let results = ["one", "two"].map(|name| {
        let path = folder.path(name);
        let report = report(LABEL_PROPAGATION, &["--generate", "rmat:8", "--features", "6", "--output", &path]);
        assert_eq!((&report["result"]["seeds_from"], &report["result"]["classes"]), (&"drawn".into(), &6.into()));
        fs::read(path).unwrap()
    });
    assert_eq!(results[0], results[1]);
    assert!(
        succeeds(LABEL_PROPAGATION, &["--generate", "grid:9x9"]).contains("drawn at random, as no labels were given")
    );
}

#[test]
fn output_has_the_ids_of_the_file_in_ascending_order() {
    let folder = Folder::new();
    let (graph, output) = (folder.file("graph.txt", TRIANGLE_AND_TAIL), folder.path("ranks.tsv"));
    let report = report(PAGERANK, &["--graph", &graph, "--output", &output, "--top", "2"]);
    let rows = rows(&output);
    assert_eq!(rows.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["5", "20", "90", "700"]);
    assert!((rows.iter().map(|row| row[1].parse::<f64>().unwrap()).sum::<f64>() - 1.0).abs() < 1e-6);
    let top = report["result"]["top"].as_array().unwrap();
    assert_eq!(top.iter().map(|entry| entry["id"].as_u64().unwrap()).collect::<Vec<_>>(), [5, 20]);
    assert_eq!(folder.names(), ["graph.txt", "ranks.tsv"]);
}

#[test]
fn labels_are_named_by_the_ids_of_the_file() {
    let folder = Folder::new();
    let graph = folder.file("graph.txt", TRIANGLE_AND_TAIL);
    let labels = folder.file("labels.txt", "90 1\n# a comment\n\n700 0\n");
    let known = folder.file("known.txt", "90 1\n5 0\n20 0\n");
    let output = folder.path("labels.tsv");
    let arguments = [
        "--graph",
        &graph,
        "--undirected",
        "--labels",
        &labels,
        "--known",
        &known,
        "--features",
        "3",
        "--output",
        &output,
    ];
    let report = report(LABEL_PROPAGATION, &arguments);
    assert_eq!((&report["result"]["seeds"], &report["result"]["scored"]), (&2.into(), &2.into()));
    assert_eq!(report["result"]["accuracy"], 1.0);
    let rows = rows(&output);
    assert!(rows.iter().all(|row| row.len() == 4));
    assert_eq!(rows[2][0], "90");
    assert!(rows[2][2].parse::<f32>().unwrap() > rows[2][1].parse::<f32>().unwrap());
}

#[test]
fn a_share_of_the_labels_can_be_kept_as_seeds() {
    let folder = Folder::new();
    let labels = folder.file("labels.txt", "0\n".repeat(17) + &"1\n".repeat(17));
    let report = report(LABEL_PROPAGATION, &["--labels", &labels, "--known", "0.25"]);
    assert_eq!((&report["result"]["seeds"], &report["result"]["scored"]), (&9.into(), &25.into()));
}

#[test]
fn a_cache_is_written_read_and_renewed() {
    let folder = Folder::new();
    let (graph, cache) = (folder.file("graph.txt", TRIANGLE_AND_TAIL), folder.path("graph.onyx"));
    let edges = |extra: &[&str]| {
        let output = run(PAGERANK, &[&["--graph", &graph, "--cache", &cache, "--json"], extra].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (report["graph"]["edges"].as_u64().unwrap(), String::from_utf8(output.stderr).unwrap().lines().count())
    };
    assert_eq!(edges(&[]), (4, 0));
    let written = fs::metadata(&cache).unwrap().modified().unwrap();
    assert_eq!(edges(&[]), (4, 0));
    assert_eq!(fs::metadata(&cache).unwrap().modified().unwrap(), written);
    assert_eq!(edges(&["--undirected"]), (8, 1));
    folder.file("graph.txt", "1 2\n");
    assert_eq!(edges(&["--undirected"]), (2, 1));
    fs::write(&cache, &fs::read(&cache).unwrap()[..100]).unwrap();
    assert_eq!(edges(&[]), (1, 1));
    assert_eq!(folder.names(), ["graph.onyx", "graph.txt"]);
}

#[test]
fn a_cache_keeps_the_greatest_ids_there_are() {
    let folder = Folder::new();
    let graph = folder.file("graph.txt", "18446744073709551615 18446744073709551614\n");
    for _ in 0..2 {
        let report = report(PAGERANK, &["--graph", &graph, "--cache", &folder.path("graph.onyx"), "--top", "1"]);
        assert_eq!(report["result"]["top"][0]["id"], u64::MAX - 1);
    }
}

#[test]
fn a_reader_who_leaves_is_no_failure() {
    for binary in BOTH {
        for arguments in [&["--backend", "cpu", "--generate", "grid:4x4,grid:5x5"][..], &["--help"]] {
            let mut child =
                Command::new(binary).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            drop(child.stdout.take());
            let output = child.wait_with_output().unwrap();
            assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
        }
    }
}

#[test]
fn help_says_how_many_features_there_may_be() {
    let said = [
        (LABEL_PROPAGATION, "1 to 640 ["),
        (MULTI_MANIFOLD_RANKING, "1 to 128 ["),
        (MULTIMODAL_LEARNING, "1 to 32 ["),
        (PAGERANK, ": 1, since"),
        (BELIEF_PROPAGATION, "1 to 64 ["),
    ];
    for (binary, range) in said {
        let text = succeeds(binary, &["--help"]);
        let help = text.split("--features <NUMBER>").nth(1).unwrap().trim_start().lines().next().unwrap();
        assert!(help.contains(range), "{binary}: {help}");
    }
    for (binary, features) in [(MULTIMODAL_LEARNING, "33"), (PAGERANK, "2"), (BELIEF_PROPAGATION, "65")] {
        assert!(refused(binary, &["--features", features]).contains(features));
    }
}

#[test]
fn help_ends_with_examples() {
    for binary in BOTH {
        let output = run(binary, &["--help"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains("Examples:") && text.contains("Exit status:"));
    }
}
