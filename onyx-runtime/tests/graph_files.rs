//! Graph files, good and bad.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use flate2::Compression;
use flate2::write::GzEncoder;
use onyx_runtime::graph::{CacheProblem, Graph, GraphBuilder, GraphError, LineProblem, LoadOptions};
use onyx_runtime::progress::{Phase, UNWATCHED};
use onyx_runtime::text::Text;

fn load_bytes(bytes: &[u8]) -> Result<Graph, GraphError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Graph::load(file.path(), &LoadOptions::default())
}

fn load(text: &str) -> Graph {
    load_bytes(text.as_bytes()).unwrap()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[track_caller]
fn assert_line_error(text: &str, expected_line: u64, expected: LineProblem) {
    match load_bytes(text.as_bytes()).unwrap_err() {
        GraphError::Line { line, problem, .. } => assert_eq!((line, problem), (expected_line, expected), "{text:?}"),
        error => panic!("{text:?} gave {error}"),
    }
}

#[test]
fn lines_that_are_no_edges_are_quoted() {
    for text in
        ["1 2\n3\n", "1 2\na b\n", "1 2\n1 2 3 4\n", "1 2\n1 2 x\n", "1 2\n1.5 2\n", "1 2\n+1 2\n", "1 2\n-x 2\n"]
    {
        assert_line_error(text, 2, LineProblem::NotAnEdge);
    }
    assert_line_error("\u{0}\u{0}", 1, LineProblem::NotAnEdge);
    let error = load_bytes(b"# x\n1 2\n\n3 four\r\n").unwrap_err().to_string();
    assert!(error.ends_with(":4: expected two vertex ids and at most one weight, in \"3 four\""), "{error}");
}

#[test]
fn archives_are_to_be_unpacked_first() {
    let mut tar = vec![0; 1024];
    tar[..5].copy_from_slice(b"graph");
    tar[257..265].copy_from_slice(b"ustar\x0000");
    for (bytes, form) in [(compressed(&tar), "a tar archive"), (b"PK\x03\x04\x14\0\0\0".to_vec(), "a zip archive")] {
        let error = load_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains(&format!(" is {form}: unpack it first")), "{error}");
    }
}

#[test]
fn a_cache_is_no_text() {
    let error = load_bytes(b"onyx-csr and what follows").unwrap_err();
    assert!(matches!(error, GraphError::CacheForText { .. }), "{error}");
    assert!(error.to_string().contains("name the text that it was made from"), "{error}");
}

#[test]
fn long_lines_are_quoted_short() {
    let error = load_bytes("ä".repeat(100_000).as_bytes()).unwrap_err().to_string();
    assert!(error.ends_with(&format!("\"{}…\"", "ä".repeat(80))), "{error}");
    assert!(load_bytes(&[0xff; 1000]).unwrap_err().to_string().contains(":1: "));
}

#[test]
fn fields_between_commas_are_filled() {
    for line in ["0,,1", "0,1,", ",0,1", "0,1,,2", "0 , , 1"] {
        assert_line_error(&format!("0,1\n{line}\n"), 2, LineProblem::EmptyField);
    }
    assert_eq!(load("0,1\n1 ,2\n2, 0\n").edge_count(), 3);
}

#[test]
fn ids_out_of_range_are_refused() {
    assert_line_error("0 1\n0 -1\n", 2, LineProblem::NegativeId);
    assert_line_error("18446744073709551616 1\n", 1, LineProblem::IdTooLarge);
    assert_line_error("5000000000 1\n1 99999999999999999999\n", 2, LineProblem::IdTooLarge);
    assert_eq!(load("18446744073709551615 0\n").ids().original(1), u64::MAX);
    assert_eq!(load("00000000000000000000000000007 0\n").ids().original(1), 7);
}

#[test]
fn weights_are_finite_and_everywhere_or_nowhere() {
    for weight in ["nan", "inf", "-inf", "1e60"] {
        assert_line_error(&format!("0 1 1\n0 1 {weight}\n"), 2, LineProblem::WeightNotFinite);
    }
    for weight in ["1e-60", "-0.001e-44"] {
        assert_line_error(&format!("0 1 1\n0 1 {weight}\n"), 2, LineProblem::WeightTooSmall);
    }
    assert_line_error("0 1\n# x\n1 2 0.5\n1 2\n", 3, LineProblem::UnexpectedWeight);
    assert_line_error("0 1 0.5\n# x\n1 2\n1 2\n", 3, LineProblem::MissingWeight);
    assert_eq!(load("1 0 -2.5e1").weights().unwrap(), [-25.0]);
    assert_eq!(load("1 0 -0.0e9\n1 0 1e-45").weights().unwrap(), [0.0, 1e-45]);
}

#[test]
fn the_first_bad_line_of_a_long_file_is_the_one_reported() {
    let line = |index: u64| format!("{} {}\n", index, index + 1);
    let good: String = (0..400_000).map(line).collect();
    let text = format!("{good}bad\n{good}worse\n");
    assert_line_error(&text, 400_001, LineProblem::NotAnEdge);
    assert_line_error(&format!("{good}1 2 3\n{good}"), 400_001, LineProblem::UnexpectedWeight);
    assert_line_error(&format!("{good}{}", good.replace('\n', " 1\n")), 400_001, LineProblem::UnexpectedWeight);
    assert_eq!(load(&good).vertex_count(), 400_001);
}

#[test]
fn files_without_edges_are_refused() {
    for text in ["", "\n\n", "# nothing\n", " "] {
        assert!(matches!(load_bytes(text.as_bytes()), Err(GraphError::Empty { .. })), "{text:?}");
    }
    assert!(matches!(load_bytes(&compressed(b"")), Err(GraphError::Empty { .. })));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let options = LoadOptions::default();
    let missing = folder.path().join("missing.txt");
    assert!(Graph::load(&missing, &options).unwrap_err().to_string().contains("missing.txt"));
    assert!(matches!(Graph::load(folder.path(), &options), Err(GraphError::Directory { .. })));
    assert!(matches!(Graph::open(folder.path()), Err(GraphError::Directory { .. })));
    assert!(matches!(Graph::open(&missing), Err(GraphError::Read { .. })));
    let graph = load("0 1");
    assert!(matches!(graph.save(missing.join("below")), Err(GraphError::Write { .. })));
    assert!(matches!(graph.save(folder.path()), Err(GraphError::Write { .. })));
}

#[test]
fn gzip_may_have_several_members() {
    let members = [compressed(b"0 1\n1 "), compressed(b"2\n")].concat();
    assert_eq!(load_bytes(&members).unwrap(), load("0 1\n1 2\n"));
}

#[test]
fn gzip_may_be_filled_up_with_zeros() {
    let members = [compressed(b"0 1\n1 "), compressed(b"2\n")].concat();
    for zeros in [1, 3, 512] {
        let filled = [&members[..], &vec![0; zeros]].concat();
        assert_eq!(load_bytes(&filled).unwrap(), load("0 1\n1 2\n"), "{zeros} zeros");
        let more = [&filled[..], &compressed(b"2 3\n")].concat();
        assert!(matches!(load_bytes(&more), Err(GraphError::Gzip { .. })), "what comes after {zeros} zeros is no text");
    }
}

#[test]
fn damaged_gzip_is_refused() {
    let text: String = (0..50_000).map(|index| format!("{index} {}\n", index * 7 % 1000)).collect();
    let whole = compressed(text.as_bytes());
    for length in [2, 5, 11, whole.len() / 2, whole.len() - 1] {
        assert!(matches!(load_bytes(&whole[..length]), Err(GraphError::Gzip { .. })), "{length} bytes");
    }
    for place in [whole.len() / 2, whole.len() - 6] {
        let mut corrupt = whole.clone();
        corrupt[place] ^= 0x55;
        assert!(matches!(load_bytes(&corrupt), Err(GraphError::Gzip { .. })), "byte {place}");
    }
    let trailing = [&whole[..], b"trailing"].concat();
    assert!(matches!(load_bytes(&trailing), Err(GraphError::Gzip { .. })));
}

#[test]
fn progress_ends_with_everything_done() {
    let text: String = (0..200_000).map(|index| format!("{index} {}\n", index % 1000)).collect();
    for bytes in [text.as_bytes(), &compressed(text.as_bytes())] {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let done = Mutex::new(BTreeMap::new());
        let watch = |phase: Phase, now: u64, total: u64| {
            assert!(now <= total);
            let mut done = done.lock().unwrap();
            let most = done.entry(format!("{phase:?}")).or_insert((0, total));
            *most = (most.0.max(now), total);
        };
        Graph::load_with_progress(file.path(), &LoadOptions::default(), &watch).unwrap();
        let done = done.into_inner().unwrap();
        let [size, length] = [bytes.len(), text.len()].map(|bytes| bytes as u64);
        assert_eq!((done["Read"], done["Parse"], done["Build"].0), ((size, size), (length, length), done["Build"].1));
    }
}

#[test]
fn what_a_terminal_would_obey_is_escaped() {
    let error = load_bytes(b"1 2\n3 \x1b[31mfour\x07 \xff\r\n").unwrap_err().to_string();
    assert!(
        error.ends_with(":2: expected two vertex ids and at most one weight, in \"3 \\x1b[31mfour\\x07 \\xff\""),
        "{error}"
    );
    let banner = b"%%MatrixMarket matrix \x1b[2Jarray real general\n2 2\n";
    assert!(load_bytes(banner).unwrap_err().to_string().contains("\"matrix \\x1b[2jarray\""));
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    assert_eq!(load_bytes(&marked("0 1\n1 2\n")).unwrap(), load("0 1\n1 2\n"));
    assert_eq!(load_bytes(&compressed(&marked("0 1\n"))).unwrap(), load("0 1\n"));
    let matrix = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";
    assert_eq!(load_bytes(&marked(matrix)).unwrap(), load(matrix));
    match load_bytes(&marked("0 1\nx\n")).unwrap_err() {
        GraphError::Line { line, quoted, .. } => assert_eq!((line, quoted.as_str()), (2, "x")),
        error => panic!("{error}"),
    }
    let error = load_bytes(b"\xff\xfe0\0 \x001\0").unwrap_err().to_string();
    assert!(error.ends_with("is in UTF-16: save it in UTF-8"), "{error}");
}

#[test]
fn the_sizes_of_a_matrix_are_no_edge() {
    for text in ["% a matrix without its first line\n5 5 2\n1 2\n2 5\n", "5 4 2\n1 2 0.5\n2 3 0.5\n", "34 34 78\n2 1\n"]
    {
        let line = 1 + u64::from(text.starts_with('%'));
        assert_line_error(text, line, LineProblem::SizesInList);
    }
    // Weighted edges, of which the first one's weight happens to be a whole number.
    for text in ["5 5 2\n1 6 1\n2 3 1\n", "5 5 3\n1 2 1\n2 3 1\n", "5 5 2\n0 1 1\n2 3 1\n", "1 2 0\n", "5 5 1\n"] {
        assert!(load(text).weights().is_some(), "{text}");
    }
    assert_line_error("5 5 0.5\n1 2\n", 2, LineProblem::MissingWeight);
    assert_line_error("5 5 2\n1 2 1\n1 2\n", 3, LineProblem::MissingWeight);
}

#[test]
fn undirected_edges_are_given_once_or_alike() {
    let undirected = |text: &str| {
        let text = Text::new("graph", text.as_bytes().to_vec(), UNWATCHED).unwrap();
        Graph::parse(&text, &LoadOptions { undirected: true }, UNWATCHED)
    };
    let once = undirected("7 9 0.5\n9 11 2\n").unwrap();
    assert_eq!(undirected("7 9 0.5\n11 9 2\n9 7 0.5\n9 11 2\n9 11 2\n").unwrap(), once);
    let error = undirected("9 7 0.5\n11 9 2\n7 9 0.25\n").unwrap_err().to_string();
    assert!(error.starts_with("the edge between 7 and 9 is given with the weights 0.5 and 0.25: "), "{error}");
    let matrix = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 3\n";
    assert!(matches!(load_bytes(matrix.as_bytes()), Err(GraphError::WeightsDiffer { one: 1, other: 2, .. })));
}

const GENERAL: &str = "%%MatrixMarket matrix coordinate real general\n% x\n\n";

#[test]
fn matrices_keep_isolated_vertices_and_their_numbers() {
    let graph = load(&format!("{GENERAL}5 5 2\n1 3 0.5\n% y\n 3  3  2e0 \n"));
    assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 0, 2), (1, 2, 2)]);
    assert_eq!((graph.vertex_count(), graph.weights().unwrap()), (5, &[0.5, 2.0][..]));
    assert_eq!((graph.ids().original(0), graph.ids().lookup(5)), (1, Some(4)));
    let graph = load("%%matrixmarket MATRIX Coordinate Pattern Symmetric\n3 3 2\n2 1\n3 3\n");
    assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 1, 0), (1, 0, 1), (2, 2, 2)]);
    assert!(graph.is_symmetric() && graph.weights().is_none());
    assert_eq!(load("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 -3\n").weights().unwrap(), [-3.0]);
    assert_eq!(load("%%MatrixMarket matrix coordinate pattern general\n4 4 0\n").vertex_count(), 4);
}

#[test]
fn matrix_entries_are_checked() {
    let index = LineProblem::IndexOutOfRange { vertices: 2 };
    assert_line_error(&format!("{GENERAL}2 2 1\n0 1 1\n"), 5, index.clone());
    assert_line_error(&format!("{GENERAL}2 2 1\n1 3 1\n"), 5, index);
    assert_line_error(&format!("{GENERAL}2 2 1\n-1 1 1\n"), 5, LineProblem::NegativeId);
    assert_line_error(&format!("{GENERAL}2 2 1\n1 1\n"), 5, LineProblem::MissingValue);
    assert_line_error(&format!("{GENERAL}2 2 1\n1 1 nan\n"), 5, LineProblem::WeightNotFinite);
    assert_line_error(&format!("{GENERAL}2 2\n1 1 1\n"), 4, LineProblem::SizeLine);
    let integer = GENERAL.replace("real", "integer");
    for value in ["1.5", "16777217.5", "1e-50"] {
        assert_line_error(&format!("{integer}2 2 2\n1 2 -3e0\n1 1 {value}\n"), 6, LineProblem::NotWhole(value.into()));
    }
    assert_line_error(&format!("{integer}2 2 1\n1 1\n"), 5, LineProblem::MissingValue);
    let pattern = GENERAL.replace("real", "pattern");
    assert_line_error(&format!("{pattern}2 2 2\n1 1\n1 1 1\n"), 6, LineProblem::UnexpectedValue);
    for (entries, found) in [("1 2 1\n", 1), ("1 2 1\n1 2 1\n1 2 1\n", 3), ("", 0)] {
        let error = load_bytes(format!("{GENERAL}2 2 2\n{entries}").as_bytes()).unwrap_err();
        assert!(matches!(error, GraphError::EntryCount { declared: 2, found: count, .. } if count == found), "{error}");
    }
}

#[test]
fn matrices_that_are_no_graphs_are_refused() {
    let headers = [
        ("matrix array real general\n2 2", "only matrix coordinate"),
        ("matrix coordinate complex general\n2 2 1", "only pattern, real and integer"),
        ("matrix coordinate real skew-symmetric\n2 2 1", "only general and symmetric"),
        ("matrix coordinate complex hermitian\n2 2 1", "only pattern, real and integer"),
        ("matrix coordinate real hermitian\n2 2 1", "only general and symmetric"),
        ("vector coordinate real general\n2 2 1", "only matrix coordinate"),
        ("matrix coordinate real\n2 2 1", "not 5"),
        ("matrix coordinate real general\n2 3 1", "2 x 3"),
    ];
    for (header, reason) in headers {
        let error = load_bytes(format!("%%MatrixMarket {header}\n1 1 1\n").as_bytes()).unwrap_err().to_string();
        assert!(error.contains(reason), "{header}: {error}");
    }
    let error = load_bytes(b"%%MatrixMarket matrix coordinate real general\n% x\n").unwrap_err();
    assert!(error.to_string().contains("ends before"), "{error}");
    let error = load_bytes(b"%%MatrixMarket matrix coordinate real general\n4294967296 4294967296 0\n").unwrap_err();
    assert!(matches!(error, GraphError::TooManyVertices { .. }), "{error}");
}

fn saved(folder: &Path) -> Vec<u8> {
    let builder = GraphBuilder::new().vertices(5).edges(vec![(0, 1), (1, 2), (0, 2), (4, 0)]);
    let graph = builder.weights(vec![1.0, 2.0, 3.0, 4.0]).build().unwrap();
    graph.save(folder.join("graph")).unwrap();
    std::fs::read(folder.join("graph")).unwrap()
}

fn open_bytes(bytes: &[u8]) -> Result<Graph, CacheProblem> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Graph::open(file.path()).map_err(|error| match error {
        GraphError::Cache { problem, .. } => problem,
        error => panic!("{error}"),
    })
}

#[test]
fn a_saved_graph_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = saved(folder.path());
    assert_eq!(open_bytes(&bytes).unwrap().weights().unwrap(), [4.0, 1.0, 3.0, 2.0]);
}

#[test]
fn a_saved_batch_is_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let edges = vec![(0, 1), (2, 4)];
    let graph = GraphBuilder::new().vertices(6).edges(edges).undirected(true).build().unwrap();
    for offsets in [vec![0, 2, 2, 5, 6], vec![0, 6]] {
        let batch = graph.clone().with_members(offsets.clone()).unwrap();
        batch.save(folder.path().join("batch")).unwrap();
        let opened = Graph::open(folder.path().join("batch")).unwrap();
        assert_eq!((opened.members(), &opened), (Some(&offsets[..]), &batch));
    }
    graph.save(folder.path().join("batch")).unwrap();
    assert_eq!(Graph::open(folder.path().join("batch")).unwrap().members(), None);
}

#[test]
fn damaged_caches_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = saved(folder.path());
    for length in 0..bytes.len() {
        let problem = open_bytes(&bytes[..length]).unwrap_err();
        let expected = if length < 8 {
            matches!(problem, CacheProblem::Foreign)
        } else {
            matches!(problem, CacheProblem::Length { .. })
        };
        assert!(expected, "{length} bytes: {problem}");
    }
    assert!(matches!(open_bytes(&[&bytes[..], &[0]].concat()), Err(CacheProblem::Length { .. })));
    assert_eq!(open_bytes(b"0 1\n1 2\n").unwrap_err(), CacheProblem::Foreign);
}

#[test]
fn foreign_caches_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = saved(folder.path());
    let changed = |place: usize, value: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[place..place + value.len()].copy_from_slice(value);
        open_bytes(&bytes).unwrap_err()
    };
    assert_eq!(changed(8, &[bytes[11], bytes[10], bytes[9], bytes[8]]), CacheProblem::ByteOrder);
    assert_eq!(changed(12, &77u32.to_ne_bytes()), CacheProblem::Version { found: 77, expected: 3 });
    assert!(matches!(changed(16, &6u64.to_ne_bytes()), CacheProblem::Checksum { part: "header", .. }));
}

#[test]
fn a_cache_with_any_bit_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = saved(folder.path());
    for place in 0..bytes.len() {
        for bit in [1, 0x80] {
            let mut changed = bytes.clone();
            changed[place] ^= bit;
            assert!(open_bytes(&changed).is_err(), "byte {place}");
        }
    }
}
