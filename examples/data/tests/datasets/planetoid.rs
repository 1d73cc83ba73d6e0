//! The text form of Planetoid.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use onyx_data::dataset::{Dataset, DatasetError};
use onyx_data::planetoid;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::damage::damage;
use crate::data;

/// The files of a data set of six vertices: edge 0-1 is given twice and back, 2 has a loop, 5 no edge, 3 no features.
const FILES: [(&str, &str); 4] = [
    ("tiny.adjlist.txt", "# tiny\n0 1 1 2\n1 0\n2 0 2 3\n\n3 2 4\n4 3\n5\n"),
    ("tiny.features.txt", "# 6 nodes 4 features; lines\n0 0 3\n1 1:0.5\n2 2:-2e1 0\n4 3\n5\n"),
    ("tiny.labels.txt", "0\n1\n2\n0\n1\n1\n"),
    ("tiny.split.txt", "# train 0..1 ; val 2..2 ; test = ids below\n5\n3\n"),
];

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    files.iter().for_each(|(name, content)| fs::write(folder.path().join(name), content).unwrap());
    folder
}

/// The files, but for one, which has another content.
fn with(name: &str, content: &str) -> TempDir {
    let folder = folder(&FILES);
    fs::write(folder.path().join(format!("tiny.{name}.txt")), content).unwrap();
    folder
}

fn error(folder: &TempDir) -> String {
    let message = planetoid::read(folder.path()).unwrap_err().to_string();
    message.replace(&folder.path().display().to_string(), "DIR")
}

fn compress(path: &Path) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&fs::read(path).unwrap()).unwrap();
    fs::write(path.with_extension("txt.gz"), encoder.finish().unwrap()).unwrap();
    fs::remove_file(path).unwrap();
}

fn check_tiny(dataset: &Dataset) {
    let Dataset { graph, features, labels, classes, train, validation, test } = dataset;
    let rows: Vec<&[u32]> = (0..6).map(|vertex| graph.incoming().row(vertex)).collect();
    assert_eq!(rows, [&[1, 2][..], &[0], &[0, 3], &[2, 4], &[3], &[]]);
    assert!(graph.is_symmetric());
    let expected =
        [[1.0, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 0.0], [1.0, 0.0, -20.0, 0.0], [0.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0; 4]];
    assert_eq!(features, ndarray::arr2(&expected));
    assert_eq!((labels.as_slice(), *classes), (&[0, 1, 2, 0, 1, 1][..], 3));
    assert_eq!((train.as_slice(), validation.as_slice(), test.as_slice()), (&[0, 1][..], &[2][..], &[5, 3][..]));
}

#[test]
fn the_files_say_graph_features_labels_and_split() {
    let folder = folder(&FILES);
    check_tiny(&planetoid::read(folder.path()).unwrap());
    FILES.iter().for_each(|(name, _)| compress(&folder.path().join(name)));
    check_tiny(&planetoid::read(folder.path()).unwrap());
}

#[test]
fn features_without_a_comment_have_as_many_columns_as_are_named() {
    let folder = with("features", "0 0\n5 6\n");
    assert_eq!(planetoid::read(folder.path()).unwrap().features.dim(), (6, 7));
}

#[test]
fn a_file_that_says_nothing_is_refused() {
    for (file, what) in [("adjlist", "vertex"), ("features", "vertex"), ("labels", "label")] {
        for content in ["", "\n", "# 6 nodes 4 features\n\n"] {
            assert_eq!(error(&with(file, content)), format!("DIR/tiny.{file}.txt holds no {what}"), "{content:?}");
        }
    }
    let without_edges = with("adjlist", "0\n");
    assert_eq!(planetoid::read(without_edges.path()).unwrap().graph.edge_count(), 0);
}

#[test]
fn features_may_be_missing_where_nobody_asks_for_them() {
    let folder = folder(&FILES);
    fs::remove_file(folder.path().join("tiny.features.txt")).unwrap();
    let dataset = planetoid::read_without_features(folder.path()).unwrap();
    assert_eq!((dataset.features.dim(), dataset.graph.edge_count()), ((6, 0), 8));
    let message = error(&folder);
    assert!(
        message.starts_with("DIR has no file tiny.features.txt[.gz]: it has a vertex and its columns on each line, "),
        "{message}"
    );
}

#[test]
fn what_is_wrong_is_said_with_file_and_line() {
    let cases = [
        ("adjlist", "0 1\n1 6\n", "2: there is no vertex 6: they are numbered from 0 to 5"),
        ("adjlist", "0 1\n\nx 5\n", "3: \"x\" is not a vertex"),
        ("features", "0 0\n1 1:nan\n", "2: \"1:nan\" is not a column with a finite value"),
        ("features", "# 6 nodes 2 features\n1 2\n", "2: there is no column 2: they are numbered from 0 to 1"),
        ("features", "1 2\n1 3\n", "2: vertex 1 stands on an earlier line"),
        ("features", "1 2 0:3 2:4\n", "1: column 2 stands twice on this line"),
        ("labels", "0\n1\n2 2\n", "3: expected a label, and nothing else"),
        (
            "labels",
            "0\n1\n9\n",
            "3: the label 9 is not below 3, the number of labels: number the classes from 0 without gaps",
        ),
        (
            "split",
            "# train 0..1 ; val 2..2\n5\n1\n",
            "3: vertex 1 is to be tested with, but is among those that are learned from or validated with",
        ),
        ("split", "# train 0..1 ; val 2..2\n5\n5\n", "3: vertex 5 stands on an earlier line"),
        (
            "split",
            "5\n",
            "1: expected a first line \"# train A..B ; val C..D\" with vertices of the graph, the last of each included, and none in both",
        ),
        (
            "split",
            "# train 0..3 ; val 2..4\n5\n",
            "1: expected a first line \"# train A..B ; val C..D\" with vertices of the graph, the last of each included, and none in both",
        ),
    ];
    for (name, content, expected) in cases {
        assert_eq!(error(&with(name, content)), format!("DIR/tiny.{name}.txt:{expected}"), "{content:?}");
    }
    assert_eq!(error(&with("labels", "# none\n")), "DIR/tiny.labels.txt holds no label");
    let sizes = "DIR/tiny.features.txt is for 7 vertices, but DIR/tiny.labels.txt is for 6";
    assert_eq!(error(&with("features", "# 7 nodes 2 features\n1 1\n")), sizes);
}

#[test]
fn a_folder_holds_one_data_set() {
    let empty = TempDir::new().unwrap();
    assert!(error(&empty).starts_with("DIR has no file NAME.adjlist.txt[.gz]: "));
    let folder = folder(&FILES);
    fs::write(folder.path().join("more.adjlist.txt"), "0 1\n").unwrap();
    assert_eq!(error(&folder), "DIR holds several data sets, more and tiny: give each a folder of its own");
    let nowhere = planetoid::read(folder.path().join("nowhere"));
    assert!(matches!(nowhere, Err(DatasetError::Folder { .. })));
    for (name, _) in FILES {
        let folder = self::folder(&FILES);
        fs::remove_file(folder.path().join(name)).unwrap();
        assert!(matches!(planetoid::read(folder.path()), Err(DatasetError::Missing { .. })), "{name}");
    }
}

proptest! {
    #[test]
    fn damaged_files_are_read_or_refused(file in 0..4_usize, damages in prop::collection::vec(damage(), 1..5)) {
        let mut content = FILES[file].1.as_bytes().to_vec();
        damages.iter().for_each(|damage| damage.to(&mut content));
        // A longer number of columns asks for more than a test may have.
        prop_assume!(content.split(|byte| !byte.is_ascii_digit()).all(|digits| digits.len() < 8));
        let folder = folder(&FILES);
        fs::write(folder.path().join(FILES[file].0), content).unwrap();
        match planetoid::read(folder.path()) {
            Ok(Dataset { graph, features, labels, classes, train, validation, test }) => {
                prop_assert_eq!(features.nrows(), graph.vertex_count());
                prop_assert!(labels.len() == graph.vertex_count() && labels.iter().all(|label| (*label as usize) < classes));
                let mut all = [train, validation, test].concat();
                all.sort_unstable();
                prop_assert!(all.is_sorted_by(|one, next| one < next) && all.iter().all(|vertex| (*vertex as usize) < labels.len()));
            }
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_cora_and_pubmed_have_the_known_counts() {
    let cora = planetoid::read(data("cora")).unwrap();
    assert_eq!((cora.graph.vertex_count(), cora.graph.edge_count()), (2708, 2 * 5278));
    assert_eq!(cora.features.dim(), (2708, 1433));
    assert!(cora.features.iter().all(|value| [0.0, 1.0].contains(value)));
    assert_eq!(cora.features.sum(), 49_216.0);
    assert_eq!((cora.classes, cora.labels.len()), (7, 2708));
    assert_eq!((cora.train, cora.validation), ((0..140).collect(), (140..640).collect()));
    assert_eq!((cora.test.len(), cora.test[0]), (1000, 1708));

    let pubmed = planetoid::read_without_features(data("pubmed")).unwrap();
    assert_eq!((pubmed.graph.vertex_count(), pubmed.graph.edge_count()), (19_717, 2 * 44_324));
    assert_eq!((pubmed.classes, pubmed.train.len(), pubmed.validation.len(), pubmed.test.len()), (3, 60, 500, 1000));
    assert!(matches!(planetoid::read(data("pubmed")), Err(DatasetError::Missing { .. })));
}
