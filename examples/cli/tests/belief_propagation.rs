//! The belief propagation binary, as a user runs it: models, pictures and bad input.

mod command;

use std::fs::{self, File};

use command::{BELIEF_PROPAGATION, Folder, golden, refused, report, rows, run, succeeds};
use onyx_cli::image::{Picture, png, scene};
use onyx_examples::markov::serial::{self, Question, Settings};
use onyx_examples::markov::{MarkovNetwork, generate};
use serde_json::Value;

/// Writes a picture to the folder.
fn written(folder: &Folder, name: &str, picture: &Picture) -> String {
    let path = folder.path(name);
    png::write(&mut File::create(&path).unwrap(), picture).unwrap();
    path
}

fn read(path: &str) -> Picture {
    png::read(path.as_ref(), |_, _, _| Ok(())).unwrap()
}

/// The scene with another number of channels.
fn small_scene(channels: usize) -> Picture {
    let scene = scene::draw(48, 36);
    let samples = scene.samples.chunks(3).flat_map(|color| match channels {
        1 => vec![color[0]],
        2 => vec![color[0], color[1]],
        3 => color.to_vec(),
        _ => [color, &[color[0]]].concat(),
    });
    Picture { samples: samples.collect(), channels, ..scene }
}

#[test]
fn without_arguments_a_scene_is_denoised() {
    let found = report(BELIEF_PROPAGATION, &["--iterations", "3"]);
    assert_eq!(found["network"]["variables"], 160 * 120 * 3);
    assert_eq!((&found["iterations"], &found["status"]), (&3.into(), &"iteration_limit".into()));
    let ratio = |key: &str| found["result"]["decibels"][key].as_f64().unwrap();
    assert!(ratio("noisy") < 21.0 && ratio("denoised") > 29.0, "{found}");
}

#[test]
fn schedules_are_explained() {
    let folder = Folder::new();
    let model = folder.file("model", MODEL);
    for more in [&[][..], &["--max-product"], &["--damping", "0.5"]] {
        for (backend, reason) in [("cpu", "rows: balanced, because"), ("emulator", "pull: ")] {
            let arguments = [&["--model", &model, "--backend", backend, "--explain", "--json"], more].concat();
            let output = run(BELIEF_PROPAGATION, &arguments);
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains(reason) && said.lines().all(|line| line.contains("because")), "{backend}: {said}");
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            let lines = found["explain"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
            assert_eq!(lines.collect::<Vec<_>>(), said.lines().collect::<Vec<_>>(), "{backend} {more:?}");
        }
    }
}

#[test]
fn damped_runs_that_are_ended_are_verified() {
    let folder = Folder::new();
    for table in ["4\n5 1 2 3\n", "4\n1 1 2 0\n"] {
        let ring = format!("MARKOV\n3\n2 2 2\n4\n1 0\n2 0 1\n2 1 2\n2 2 0\n2\n0 3\n{table}{table}{table}");
        let ring = folder.file("ring.uai", ring);
        for (more, iterations) in [&[][..], &["--log-damping"], &["--max-product"]].into_iter().zip(["1", "2", "3"]) {
            let arguments = ["--model", &ring, "--damping", "0.5", "--iterations", iterations];
            let found = report(BELIEF_PROPAGATION, &[&arguments[..], more].concat());
            assert_eq!((&found["reference"], &found["verified"]), (&"step".into(), &true.into()), "{table} {more:?}");
        }
    }
}

#[test]
fn states_that_contradict_each_other_are_said_to() {
    let folder = Folder::new();
    let unequal = "4\n0 1 1 0\n";
    let ring = format!("MARKOV\n3\n2 2 2\n3\n2 0 1\n2 1 2\n2 2 0\n{unequal}{unequal}{unequal}");
    let ring = folder.file("ring.uai", ring);
    let said = succeeds(BELIEF_PROPAGATION, &["--model", &ring, "--max-product"]);
    assert!(said.contains("the states found contradict each other"), "{said}");
}

#[test]
fn the_joint_state_is_written_where_several_are_as_probable() {
    let folder = Folder::new();
    let chain = folder.file("chain.uai", "MARKOV\n3\n2 3 2\n2\n2 0 1\n2 1 2\n6\n0 1 0 1 0 0\n6\n0 1 1 0 0 0\n");
    let states = folder.path("states.tsv");
    let arguments = ["--model", &chain, "--max-product", "--assignment", &states];
    let found = report(BELIEF_PROPAGATION, &arguments);
    assert_eq!(found["result"]["log_score"], 0.0);
    let rows = rows(&states);
    let found: Vec<(&str, &str)> = rows.iter().map(|row| (row[0].as_str(), row[1].as_str())).collect();
    assert!(
        found == [("0", "0"), ("1", "1"), ("2", "0")] || found == [("0", "1"), ("1", "0"), ("2", "1")],
        "{found:?}"
    );
    let error = refused(BELIEF_PROPAGATION, &["--model", &chain, "--assignment", &states]);
    assert!(error.contains("--max-product"), "{error}");
}

#[test]
fn noise_goes_from_every_kind_of_picture() {
    for channels in 1..=4 {
        let folder = Folder::new();
        let clean = small_scene(channels);
        let image = written(&folder, "image.png", &clean);
        let [noisy, out] = ["noisy.png", "out.png"].map(|name| folder.path(name));
        let arguments = ["--image", &image, "--add-noise", "--noise", "20", "--states", "8", "--iterations", "10"];
        let found = report(BELIEF_PROPAGATION, &[&arguments[..], &["--noisy", &noisy, "--out", &out]].concat());
        let (noisy, out) = (read(&noisy), read(&out));
        let ratios = [noisy.peak_ratio(&clean), out.peak_ratio(&clean)];
        assert!(ratios[1] > ratios[0] + 3.0, "{channels}: {ratios:?}");
        for (ratio, key) in ratios.iter().zip(["noisy", "denoised"]) {
            assert!((ratio - found["result"]["decibels"][key].as_f64().unwrap()).abs() < 1e-9);
        }
        if channels != clean.colors() {
            assert!(out.plane(channels - 1).eq(clean.plane(channels - 1)), "opacity is no color");
        }
    }
}

#[test]
fn a_noisy_picture_is_taken_as_it_is() {
    let folder = Folder::new();
    let clean = small_scene(1);
    let image = written(&folder, "image.png", &scene::with_noise(&clean, 20.0, 3));
    let out = folder.path("out.png");
    let arguments = ["--image", &image, "--noise", "20", "--states", "16", "--max-product", "--iterations", "10"];
    let found = report(BELIEF_PROPAGATION, &[&arguments[..], &["--out", &out]].concat());
    assert!(found["result"]["decibels"].is_null() && found["result"]["log_score"].is_f64());
    let out = read(&out);
    assert!(out.peak_ratio(&clean) > read(&image).peak_ratio(&clean) + 3.0);
    assert!(out.samples.iter().all(|sample| sample % 17 == 0), "an assignment has the 16 levels alone");
}

#[test]
fn noise_depends_on_the_seed_alone() {
    let folder = Folder::new();
    let image = written(&folder, "image.png", &small_scene(3));
    let noisy = |name: &str, seed: &str| {
        let path = folder.path(name);
        let arguments = ["--image", &image, "--add-noise", "--iterations", "1", "--states", "2", "--seed", seed];
        succeeds(BELIEF_PROPAGATION, &[&arguments[..], &["--noisy", &path]].concat());
        fs::read(path).unwrap()
    };
    assert_eq!(noisy("a", "1"), noisy("b", "1"));
    assert_ne!(noisy("a", "1"), noisy("c", "2"));
}

#[test]
fn models_are_solved_and_compared() {
    let golden = golden("belief_propagation_small.json");
    for golden in golden["networks"].as_array().unwrap().iter().filter(|golden| golden["is_tree"] == true) {
        let folder = Folder::new();
        let [model, evidence] = ["model", "evidence"].map(|key| folder.file(key, golden[key].as_str().unwrap()));
        let marginals = golden["marginals"].as_array().unwrap();
        let line = |row: &Value| {
            let row = row.as_array().unwrap();
            row.iter().fold(row.len().to_string(), |line, share| format!("{line} {share}"))
        };
        let lines: Vec<String> = marginals.iter().map(line).collect();
        let marginals = folder.file("marginals", format!("MAR\n{} {}\n", lines.len(), lines.join(" ")));
        let output = folder.path("output");
        let inputs = ["--model", &model, "--evidence", &evidence];
        let arguments = [&inputs[..], &["--marginals", &marginals, "--output", &output]].concat();
        let found = report(BELIEF_PROPAGATION, &arguments);
        assert_eq!(found["status"], "converged");
        assert!(found["result"]["distance"]["greatest"].as_f64().unwrap() < 1e-6, "{found}");
        assert_eq!(rows(&output).len(), lines.len());
        let found = report(BELIEF_PROPAGATION, &[&inputs[..], &["--max-product"]].concat());
        let score = found["result"]["log_score"].as_f64().unwrap();
        assert!((score - golden["log_score"].as_f64().unwrap()).abs() < 1e-9);
        let text = succeeds(BELIEF_PROPAGATION, &[&inputs[..], &["--damping", "0.3", "--log-damping"]].concat());
        assert!(text.contains("converged after "), "{text}");
    }
}

/// Asserts the reason for which these arguments are refused.
fn refused_for(arguments: &[&str], reason: &str) {
    let error = refused(BELIEF_PROPAGATION, arguments);
    assert!(error.contains(reason), "{arguments:?}: {error}");
}

const MODEL: &str = "MARKOV\n2\n2 2\n2\n1 0\n2 0 1\n2 1 3\n4 1 0 0 1\n";

#[test]
fn models_that_cannot_be_solved() {
    let folder = Folder::new();
    let model = folder.file("model", MODEL);
    refused_for(&["--model", &folder.path("none")], "No such file");
    refused_for(&["--model", &folder.file("utf16", [0xff, 0xfe, 0x00])], "is in UTF-16");
    refused_for(&["--model", &folder.file("bytes", [0x4d, 0xfe, 0x00])], "is not a text file");
    refused_for(&["--model", &folder.file("gzip", [0x1f, 0x8b, 0x08, 0x00])], "truncated or corrupt");
    refused_for(
        &["--model", &folder.file("three", "MARKOV\n3\n2 2 2\n1\n3 0 1 2\n")],
        ":5: factor 0 joins 3 variables",
    );
    let evidence = folder.file("evidence", "2 0 1 1");
    refused_for(&["--model", &model, "--evidence", &evidence], ":1: the file says 2 observations");
    let evidence = folder.file("evidence", "2 0 1 1 0");
    refused_for(&["--model", &model, "--evidence", &evidence], "contradict each other");
    let marginals = folder.file("marginals", "MAR\n1 2 0.5 0.5");
    refused_for(&["--model", &model, "--marginals", &marginals], ":2: the file has marginals of 1 variables");
}

#[test]
fn pictures_that_cannot_be_read() {
    let folder = Folder::new();
    let out = folder.path("out.png");
    refused_for(&["--image", &folder.path("none.png"), "--out", &out], "No such file");
    let text = folder.file("text.png", "no picture");
    refused_for(&["--image", &text, "--out", &out], "as a PNG picture");
    let image = written(&folder, "image.png", &small_scene(3));
    let bytes = fs::read(&image).unwrap();
    let cut = folder.file("cut.png", &bytes[..bytes.len() / 2]);
    refused_for(&["--image", &cut, "--out", &out], "as a PNG picture");
    assert!(!fs::exists(&out).unwrap());
}

#[test]
fn pictures_too_large_for_memory_are_refused_by_their_header() {
    let folder = Folder::new();
    let path = folder.path("large.png");
    let encoder = ::png::Encoder::new(File::create(&path).unwrap(), 2_000_000, 2_000_000);
    drop(encoder.write_header().unwrap());
    let error = refused(BELIEF_PROPAGATION, &["--image", &path, "--states", "32"]);
    assert!(
        error.contains("2000000 x 2000000 pixels of 1 channels, for which 32 levels need 19232000000000000 bytes"),
        "{error}"
    );
}

#[test]
fn options_that_do_not_fit() {
    let folder = Folder::new();
    let model = folder.file("model", MODEL);
    for states in ["0", "1", "65", "257"] {
        refused_for(&["--states", states], "grey levels are not possible: ask for 2 to 64");
    }
    refused_for(&["--model", &model, "--features", "1"], "variable 0 has 2 states, but there is room for 1: ask for 2");
    refused_for(&["--model", &model, "--features", "0"], "no room for 0 states");
    refused_for(&["--model", &model, "--features", "65"], "no room for 65 states a variable: belief propagation takes");
    let wide = folder.file("wide", format!("MARKOV\n2\n2 65\n1\n1 1\n65 {}\n", "1 ".repeat(65)));
    refused_for(&["--model", &wide], "variable 1 has 65 states, but belief propagation takes variables of up to 64");
    for damping in ["-0.1", "1", "nan", "much"] {
        refused_for(&["--damping", damping], "at least 0 and less than 1");
    }
    for noise in ["0", "-1", "nan"] {
        refused_for(&["--noise", noise], "a finite number above 0");
    }
    refused_for(&["--model", &model, "--out", "x.png"], "cannot be used with");
    refused_for(&["--model", &model, "--image", "x.png"], "cannot be used with");
    refused_for(&["--evidence", "x"], "--model");
    refused_for(&["--marginals", "x"], "--model");
    refused_for(&["--add-noise"], "--image");
    for option in ["--out", "--noisy", "--output"] {
        refused_for(&[option, &folder.path("none/out.png")], "cannot write");
        refused_for(&[option, &folder.path("")], "not a regular file");
    }
    assert_eq!(folder.names(), ["model", "wide"]);
}

#[test]
fn the_widest_variables_are_solved_with_more_room_too() {
    let folder = Folder::new();
    let line = |count: usize, value: &dyn Fn(usize) -> f64| {
        let values: Vec<String> = (0..count).map(|entry| value(entry).to_string()).collect();
        format!("{count} {}\n", values.join(" "))
    };
    let pair = line(64 * 3, &|entry| 1.0 + (entry % 7) as f64);
    let unary = line(64, &|entry| 1.0 + (entry % 5) as f64);
    let model = folder.file("model", format!("MARKOV\n2\n64 3\n2\n1 0\n2 0 1\n{unary}{pair}"));
    for arguments in [&["--features", "64"][..], &[]] {
        let found = report(BELIEF_PROPAGATION, &[&["--model", &model], arguments].concat());
        assert_eq!((&found["verified"], &found["reference"]), (&true.into(), &"elimination".into()));
    }
    let narrow = folder.file("narrow", MODEL);
    for features in ["2", "3", "64"] {
        let found = report(BELIEF_PROPAGATION, &["--model", &narrow, "--features", features]);
        assert_eq!(found["verified"], true, "{features}");
    }
}

/// A hub whose neighbors all say the same, as a model.
fn star(hub: &[f64], leaves: usize, leaf: &[f64], table: &[f64]) -> String {
    let words = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let states = format!("{}{}", hub.len(), format!(" {}", leaf.len()).repeat(leaves));
    let mut text = format!("MARKOV\n{}\n{states}\n{}\n1 0\n", leaves + 1, 2 * leaves + 1);
    (1..=leaves).for_each(|variable| text += &format!("1 {variable}\n2 0 {variable}\n"));
    text += &format!("{} {}\n", hub.len(), words(hub));
    (0..leaves).for_each(|_| text += &format!("{} {}\n{} {}\n", leaf.len(), words(leaf), table.len(), words(table)));
    text
}

#[test]
fn many_neighbors_are_no_contradiction() {
    let folder = Folder::new();
    for leaves in [92, 93, 2000] {
        let model = folder.file("model", star(&[0.5, 0.5], leaves, &[0.5, 0.5], &[0.6, 0.4, 0.4, 0.6]));
        for question in [&[][..], &["--max-product"], &["--damping", "0.5"], &["--no-change-driven"]] {
            let found = report(BELIEF_PROPAGATION, &[&["--model", &model], question].concat());
            assert_eq!(
                (&found["status"], &found["verified"]),
                (&"converged".into(), &true.into()),
                "{leaves} {question:?}"
            );
        }
    }
}

#[test]
fn an_impossible_class_gets_no_share() {
    let (folder, table) = (Folder::new(), [1.0, 0.2, 0.2, 0.2, 1.0, 0.2, 0.2, 0.2, 1.0]);
    for leaves in [20, 24] {
        let model = folder.file("model", star(&[0.5, 0.5, 0.0], leaves, &[0.1, 0.1, 0.8], &table));
        let output = folder.path("output");
        let found = report(BELIEF_PROPAGATION, &["--model", &model, "--output", &output]);
        assert_eq!(found["verified"], true);
        assert_eq!(rows(&output)[0], ["0", "0.5", "0.5", "0.0"], "{leaves}");
    }
}

#[test]
fn blank_evidence_observes_nothing() {
    let folder = Folder::new();
    let (model, blank) = (folder.file("model", MODEL), folder.file("evidence", " \n\n"));
    let found = report(BELIEF_PROPAGATION, &["--model", &model, "--evidence", &blank]);
    assert_eq!((&found["result"]["observed"], &found["verified"]), (&0.into(), &true.into()));
}

#[test]
fn damped_assignments_end_where_undamped_ones_do() {
    let folder = Folder::new();
    let values = [3.0, 1.0, 1.0, 2.0];
    let mut text = "MARKOV\n6\n2 2 2 2 2 2\n6\n1 0\n".to_owned();
    (1..6).for_each(|variable| text += &format!("2 {} {variable}\n", variable - 1));
    text += "2 0.45 0.55\n";
    (1..6).for_each(|_| text += &format!("4 {} {} {} {}\n", values[0], values[1], values[2], values[3]));
    let model = folder.file("model", text);
    let beliefs = |arguments: &[&str]| {
        let output = folder.path("output");
        let arguments = [&["--model", &model, "--max-product", "--output", &output], arguments].concat();
        let found = report(BELIEF_PROPAGATION, &arguments);
        assert_eq!((&found["status"], &found["verified"]), (&"converged".into(), &true.into()), "{arguments:?}");
        rows(&output).concat().iter().map(|word| word.parse().unwrap()).collect::<Vec<f64>>()
    };
    let exact = beliefs(&[]);
    for damping in ["0.5", "0.9", "0.99"] {
        let damped = beliefs(&["--damping", damping, "--tolerance", "1e-3", "--iterations", "5000"]);
        let distance = exact.iter().zip(&damped).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(distance < 5e-3, "{damping}: {distance}");
    }
}

/// A network as a model file.
fn model_text(network: &MarkovNetwork) -> String {
    let variables = 0..network.variable_count();
    let words =
        |logarithms: &[f64]| logarithms.iter().fold(String::new(), |text, value| format!("{text} {}", value.exp()));
    let states: Vec<String> = variables.clone().map(|variable| network.states(variable).to_string()).collect();
    let count = variables.len() + network.pairs().len();
    let mut text = format!("MARKOV\n{}\n{}\n{count}\n", variables.len(), states.join(" "));
    variables.clone().for_each(|variable| text += &format!("1 {variable}\n"));
    network.pairs().iter().for_each(|pair| text += &format!("2 {} {}\n", pair.first, pair.second));
    let tables = network.pairs().iter().map(|&pair| network.table(pair).logarithms());
    for logarithms in variables.map(|variable| network.log_unary(variable)).chain(tables) {
        text += &format!("{}{}\n", logarithms.len(), words(logarithms));
    }
    text
}

/// What the program believes of a network, and its report.
fn believed(network: &MarkovNetwork, arguments: &[&str]) -> (Vec<f64>, Value) {
    let folder = Folder::new();
    let (model, output) = (folder.file("model", model_text(network)), folder.path("output"));
    let found = report(BELIEF_PROPAGATION, &[&["--model", &model, "--output", &output], arguments].concat());
    let shares = rows(&output).into_iter().flat_map(|row| row[1..].to_vec());
    (shares.map(|share| share.parse().unwrap()).collect(), found)
}

#[test]
fn spin_glasses_are_verified_wherever_they_come_to_rest() {
    for seed in 0..4 {
        let network = generate::glass(8, 8, 1.5, seed).unwrap();
        let (shares, found) = believed(&network, &["--damping", "0.5", "--iterations", "300"]);
        assert_eq!((shares.len(), &found["verified"]), (128, &true.into()), "{seed}: {found}");
    }
}

#[test]
fn what_never_comes_to_rest_is_not_called_wrong() {
    let network = generate::glass(8, 8, 3.0, 0).unwrap();
    let settings = Settings { question: Question::Marginals, iterations: 300, ..Settings::default() };
    assert!(!serial::solve(&network, &settings).unwrap().converged);
    let folder = Folder::new();
    let model = folder.file("model", model_text(&network));
    let found = report(BELIEF_PROPAGATION, &["--model", &model, "--iterations", "60"]);
    assert_eq!((&found["status"], &found["verified"]), (&"iteration_limit".into(), &true.into()));
    assert_eq!(found["reference"], "step");
}
