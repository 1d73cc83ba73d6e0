//! Collections of small graphs, their batches, and the loader.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use onyx_data::dataset::{DatasetError, folds};
use onyx_data::small_graphs::{self, Batch, GraphCollection, Loader, gin, tu};
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;
use proptest::prelude::*;
use rayon::prelude::*;
use tempfile::TempDir;

use crate::damage::damage;
use crate::data;

/// A triangle of class 1, a vertex of class -1, a path of class 1 whose first edge is given once.
const GIN: &str = "3\n3 1\n7 2 1 2\n0 2 0 2\n7 2 0 1\n1 -1\n-2 0\n3 1\n0 1 1\n0 1 2\n7 1 1\n";

/// The same collection.
const TU: [(&str, &str); 4] = [
    ("tiny_A.txt", "1, 2\n2, 1\n1, 3\n3, 1\n2, 3\n3, 2\n5, 6\n6, 7\n7, 6\n"),
    ("tiny_graph_indicator.txt", "1\n1\n1\n2\n3\n3\n3\n"),
    ("tiny_graph_labels.txt", "1\n-1\n1\n"),
    ("tiny_node_labels.txt", "7\n0\n7\n-2\n0\n0\n7\n"),
];

fn parse(content: &str) -> Result<GraphCollection, DatasetError> {
    gin::parse(&Text::new("tiny.txt", content.as_bytes().to_vec(), UNWATCHED)?)
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    TU.iter().for_each(|(name, content)| fs::write(folder.path().join(name), content).unwrap());
    folder
}

fn compressed(path: &Path, content: &[u8]) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    fs::write(path, encoder.finish().unwrap()).unwrap();
}

fn undirected(vertices: usize, edges: &[(u32, u32)]) -> Graph {
    GraphBuilder::new().vertices(vertices).undirected(true).edges(edges.to_vec()).build().unwrap()
}

fn check_tiny(collection: &GraphCollection) {
    assert_eq!(collection.graph(), &undirected(7, &[(0, 1), (1, 2), (0, 2), (4, 5), (5, 6)]));
    assert_eq!((collection.len(), collection.offsets()), (3, &[0, 3, 4, 7][..]));
    assert_eq!((collection.tags(), collection.tag_names()), (&[2, 1, 2, 0, 1, 1, 2][..], &[-2, 0, 7][..]));
    assert_eq!((collection.labels(), collection.class_names()), (&[1, 0, 1][..], &[-1, 1][..]));
    assert_eq!((collection.classes(), collection.columns()), (2, 3));
}

#[test]
fn both_forms_say_the_same() {
    check_tiny(&parse(GIN).unwrap());
    let folder = folder();
    check_tiny(&tu::read(folder.path()).unwrap());
    check_tiny(&small_graphs::read(folder.path()).unwrap());
    let file = folder.path().join("tiny.txt.gz");
    compressed(&file, GIN.as_bytes());
    check_tiny(&small_graphs::read(&file).unwrap());
    for (name, content) in TU {
        fs::remove_file(folder.path().join(name)).unwrap();
        compressed(&folder.path().join(format!("{name}.gz")), content.as_bytes());
    }
    check_tiny(&tu::read(folder.path()).unwrap());
}

#[test]
fn degrees_are_tags_where_there_are_no_others() {
    let folder = folder();
    fs::remove_file(folder.path().join("tiny_node_labels.txt")).unwrap();
    let collection = tu::read(folder.path()).unwrap();
    assert_eq!((collection.tags(), collection.tag_names()), (&[2, 2, 2, 0, 1, 2, 1][..], &[0, 1, 2][..]));
}

#[test]
fn a_batch_is_its_graphs_side_by_side() {
    let collection = parse(GIN).unwrap();
    let batch = collection.batch(&[2, 0, 2]).unwrap();
    let edges = [(0, 1), (1, 2), (3, 4), (4, 5), (3, 5), (6, 7), (7, 8)];
    assert_eq!(batch.graph, undirected(9, &edges).with_members(vec![0, 3, 6, 9]).unwrap());
    assert_eq!((&batch.offsets[..], &batch.labels[..]), (&[0, 3, 6, 9][..], &[1, 1, 1][..]));
    assert_eq!(batch.graph_of_vertices().unwrap(), [0, 0, 0, 1, 1, 1, 2, 2, 2]);
    let tags = [1, 1, 2, 2, 1, 2, 1, 1, 2];
    for (row, tag) in batch.features.rows().into_iter().zip(tags) {
        assert!(row.iter().enumerate().all(|(column, value)| *value == f32::from(u8::from(column == tag))), "{row}");
    }
    let alone = collection.batch(&[1]).unwrap();
    assert_eq!((alone.graph.edge_count(), alone.labels, alone.offsets), (0, vec![0], vec![0, 1]));
    assert!(matches!(collection.batch(&[]), Err(DatasetError::NoGraph)));
    let message = collection.batch(&[0, 3]).unwrap_err().to_string();
    assert_eq!(message, "graph 3 is not one of the collection's 3 graphs, which are numbered from 0");
}

#[test]
fn what_is_wrong_with_a_text_is_said_with_its_line() {
    let cases = [
        ("# none\n", " holds no number of graphs"),
        ("1 1\n", ":1: expected the number of graphs, and nothing else"),
        ("x\n", ":1: \"x\" is not a number of graphs"),
        ("2\n1 0\n0 0\n", " ends after 1 graphs, and 2 were expected"),
        ("1\n2 0\n0 0\n", " ends after 1 vertices of its last graph, and 2 were expected"),
        ("1\n1 0\n0 0\n\n1 0\n", ":5: the file goes on after the 1 graphs that its first line declares"),
        ("1\n1\n", ":2: expected the number of vertices of a graph and its class"),
        ("1\n1 a\n", ":2: \"a\" is not a class, a whole number"),
        ("1\n1 0\n0\n", ":3: expected a tag, the number of neighbors, and each neighbor"),
        (
            "1\n2 0\n0 1 1\n0 2 0\n",
            ":4: 1 numbers follow, and 2 were expected: the tag, the number of neighbors, and each neighbor",
        ),
        ("1\n2 0\n0 1 2\n0 1 0\n", ":3: there is no vertex 2: they are numbered from 0 to 1"),
    ];
    for (content, expected) in cases {
        assert_eq!(parse(content).unwrap_err().to_string(), format!("tiny.txt{expected}"), "{content:?}");
    }
}

#[test]
fn neighbors_beyond_all_vertices_are_refused() {
    let error = parse("2\n3 0\n0 0\n0 0\n0 0\n4294967294 0\n0 1 4294967293\n").unwrap_err();
    let expected = "4294967297 vertices are too many: a graph has at most 4294967295; take a part of it";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn what_is_wrong_with_a_folder_is_said_with_file_and_line() {
    let cases = [
        ("A", "1, 2\n\n1, 8\n", "tiny_A.txt:3: there is no vertex 8: they are numbered from 1 to 7"),
        ("A", "0, 1\n", "tiny_A.txt:1: there is no vertex 0: they are numbered from 1 to 7"),
        ("A", "1, 2, 3\n", "tiny_A.txt:1: expected two vertices"),
        ("A", "", "tiny_A.txt holds no edge"),
        ("A", "# nothing\n\n", "tiny_A.txt holds no edge"),
        ("A", "1, 4\n", "tiny_A.txt:1: the edge from 1 to 4 leads from graph 1 to graph 2"),
        (
            "graph_indicator",
            "1\n3\n",
            "tiny_graph_indicator.txt:2: graph 3 follows graph 1: the vertices have to be in the order of their graphs, without a graph left out",
        ),
        (
            "graph_indicator",
            "1\n2\n1\n",
            "tiny_graph_indicator.txt:3: graph 1 follows graph 2: the vertices have to be in the order of their graphs, without a graph left out",
        ),
        (
            "graph_indicator",
            "0\n",
            "tiny_graph_indicator.txt:1: graph 0 follows graph 0: the vertices have to be in the order of their graphs, without a graph left out",
        ),
        ("graph_indicator", "", "tiny_graph_indicator.txt holds no vertex"),
        ("graph_labels", "1\n1\n", "tiny_graph_labels.txt is for 2 graphs, but DIR/tiny_graph_indicator.txt is for 3"),
        ("graph_labels", "1\n1.5\n1\n", "tiny_graph_labels.txt:2: \"1.5\" is not a class, a whole number"),
        ("node_labels", "1\n1\n", "tiny_node_labels.txt is for 2 vertices, but DIR/tiny_graph_indicator.txt is for 7"),
    ];
    for (name, content, expected) in cases {
        let folder = folder();
        fs::write(folder.path().join(format!("tiny_{name}.txt")), content).unwrap();
        let message = tu::read(folder.path()).unwrap_err().to_string();
        assert_eq!(message.replace(&folder.path().display().to_string(), "DIR"), format!("DIR/{expected}"));
    }
    let folder = folder();
    fs::remove_file(folder.path().join("tiny_graph_labels.txt")).unwrap();
    assert!(matches!(tu::read(folder.path()), Err(DatasetError::Missing { .. })));
}

fn loader(size: usize) -> Loader {
    // 24 paths of 1 to 24 vertices, each of a class of its own.
    let graph = |vertices: usize| {
        let neighbors = |vertex: usize| {
            let neighbors: Vec<usize> =
                vertex.checked_sub(1).into_iter().chain((vertex + 1 < vertices).then_some(vertex + 1)).collect();
            format!(
                "0 {}{}\n",
                neighbors.len(),
                neighbors.iter().map(|vertex| format!(" {vertex}")).collect::<String>()
            )
        };
        format!("{vertices} {vertices}\n{}", (0..vertices).map(neighbors).collect::<String>())
    };
    let collection = parse(&format!("24\n{}", (1..=24).map(graph).collect::<String>())).unwrap();
    Loader::new(Arc::new(collection), (0..24).collect(), size).unwrap()
}

fn batches(loader: &Loader, epoch: u64) -> Vec<Batch> {
    loader.epoch(epoch).unwrap().collect::<Result<_, _>>().unwrap()
}

fn labels(batches: &[Batch]) -> Vec<u32> {
    batches.iter().flat_map(|batch| batch.labels.clone()).collect()
}

#[test]
fn a_loader_gives_every_graph_once_an_epoch() {
    let loader = loader(7);
    let plain = batches(&loader, 0);
    assert_eq!(plain.iter().map(|batch| batch.labels.len()).collect::<Vec<_>>(), [7, 7, 7, 3]);
    assert_eq!((labels(&plain), loader.batch_count()), ((0..24).collect(), 4));
    // Class c is of the path of c + 1 vertices.
    assert_eq!(plain[1].graph.edge_count(), (7..14).map(|label| 2 * label).sum::<usize>());
    assert_eq!(loader.epoch(0).unwrap().size_hint(), (4, Some(4)));
}

#[test]
fn a_seed_and_an_epoch_decide_the_order() {
    let shuffled = loader(7).shuffled(3);
    let first = batches(&shuffled, 0);
    assert_eq!(first, batches(&shuffled, 0));
    let (first, second, other) =
        (labels(&first), labels(&batches(&shuffled, 1)), labels(&batches(&loader(7).shuffled(4), 0)));
    for order in [&first, &second, &other] {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..24).collect::<Vec<_>>());
    }
    assert!(first != second && first != other && second != other && !first.is_sorted());
}

#[test]
fn a_loader_that_is_left_early_stops() {
    let loader = loader(1);
    let mut batches = loader.epoch(0).unwrap();
    assert_eq!(batches.next().unwrap().unwrap().labels, [0]);
    drop(batches);
    assert_eq!(self::batches(&loader, 0).len(), 24);
}

#[test]
fn batches_are_made_while_all_threads_of_the_pool_wait_for_them() {
    let (sender, receiver) = mpsc::channel();
    rayon::spawn_broadcast(move |_| {
        let work = |batch: Batch| Ok::<u32, DatasetError>(batch.labels.par_iter().map(|label| label + 1).sum());
        let sums = loader(7).epoch_of(0, work).unwrap();
        sender.send(sums.collect::<Result<Vec<_>, _>>().unwrap()).unwrap();
    });
    for _ in 0..rayon::current_num_threads() {
        assert_eq!(receiver.recv_timeout(Duration::from_secs(60)).unwrap().iter().sum::<u32>(), 300);
    }
}

#[test]
fn a_loader_takes_graphs_that_are_there() {
    let collection = Arc::new(parse(GIN).unwrap());
    assert!(matches!(Loader::new(Arc::clone(&collection), vec![], 1), Err(DatasetError::NoGraph)));
    let nowhere = Loader::new(Arc::clone(&collection), vec![0, 3], 1);
    assert!(matches!(nowhere, Err(DatasetError::NotAGraph { graph: 3, graphs: 3 })));
    let some = Loader::new(collection, vec![2, 1], 0).unwrap();
    assert_eq!(labels(&batches(&some, 9)), [1, 0]);
}

proptest! {
    #[test]
    fn damaged_texts_are_read_or_refused(damages in prop::collection::vec(damage(), 1..5)) {
        let mut content = GIN.as_bytes().to_vec();
        damages.iter().for_each(|damage| damage.to(&mut content));
        match gin::parse(&Text::new("tiny.txt", content, UNWATCHED).unwrap()) {
            Ok(collection) => check(&collection)?,
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }

    #[test]
    fn damaged_folders_are_read_or_refused(file in 0..4_usize, damages in prop::collection::vec(damage(), 1..5)) {
        let folder = folder();
        let mut content = TU[file].1.as_bytes().to_vec();
        damages.iter().for_each(|damage| damage.to(&mut content));
        fs::write(folder.path().join(TU[file].0), content).unwrap();
        match tu::read(folder.path()) {
            Ok(collection) => check(&collection)?,
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }
}

/// What is read can be learned on.
fn check(collection: &GraphCollection) -> Result<(), TestCaseError> {
    prop_assert_eq!(collection.labels().len(), collection.len());
    prop_assert_eq!(collection.tags().len(), collection.graph().vertex_count());
    if !collection.is_empty() {
        let all: Vec<usize> = (0..collection.len()).collect();
        let batch = collection.batch(&all).unwrap();
        let graph = collection.graph().clone().with_members(batch.offsets.clone()).unwrap();
        prop_assert_eq!(&batch.graph, &graph);
        prop_assert_eq!(batch.features.sum(), collection.graph().vertex_count() as f32);
    }
    Ok(())
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_collections_have_the_known_counts() {
    let collections = [
        ("graphs/MUTAG.txt", 188, 3_371, 7_442, 2, 7),
        ("graphs/NCI1.txt.gz", 4_110, 122_747, 265_506, 2, 37),
        ("graphs/ENZYMES", 600, 19_580, 74_564, 6, 3),
        ("graphs/PROTEINS_full", 1_113, 43_471, 162_088, 2, 3),
    ];
    for (name, graphs, vertices, edges, classes, columns) in collections {
        let collection = small_graphs::read(data(name)).unwrap();
        let graph = collection.graph();
        assert_eq!((collection.len(), graph.vertex_count(), graph.edge_count()), (graphs, vertices, edges), "{name}");
        assert_eq!((collection.classes(), collection.columns()), (classes, columns), "{name}");
        let mut tested = 0;
        for fold in folds(collection.labels(), 10, 0).unwrap() {
            let batch = collection.batch(&fold.test).unwrap();
            assert_eq!(batch.features.dim(), (batch.graph.vertex_count(), columns));
            tested += batch.labels.len();
        }
        assert_eq!(tested, graphs);
    }
}
