//! Caches and what they were made from.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use onyx_runtime::graph::{CacheProblem, CacheState, Graph, GraphBuilder, GraphError, LoadOptions, Staleness};
use onyx_runtime::progress::UNWATCHED;
use tempfile::TempDir;

/// Graphs of the same size as text.
const EDGES: [[(u32, u32); 3]; 3] = [[(1, 2), (2, 3), (3, 1)], [(1, 2), (3, 2), (3, 1)], [(2, 1), (3, 2), (1, 1)]];

/// A graph file as it is, and how it is read.
struct State {
    folder: TempDir,
    name: &'static str,
    edges: usize,
    weighted: bool,
    matrix: bool,
    compressed: bool,
    undirected: bool,
    /// Before now.
    age: Duration,
}

impl State {
    fn new() -> Self {
        let age = Duration::from_secs(1000);
        let [weighted, matrix, compressed, undirected] = [false; 4];
        let folder = tempfile::tempdir().unwrap();
        let state = Self { folder, name: "graph", edges: 0, weighted, matrix, compressed, undirected, age };
        state.write();
        state
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn options(&self) -> LoadOptions {
        LoadOptions { undirected: self.undirected }
    }

    fn text(&self) -> String {
        let weight = if self.weighted { " 0.5" } else { "" };
        let lines = EDGES[self.edges].iter().map(|(one, other)| format!("{one} {other}{weight}\n"));
        let field = if self.weighted { "real" } else { "pattern" };
        let banner = format!("%%MatrixMarket matrix coordinate {field} symmetric\n3 3 3\n");
        (if self.matrix { banner } else { String::new() }) + &lines.collect::<String>()
    }

    fn write(&self) {
        let mut bytes = self.text().into_bytes();
        if self.compressed {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&bytes).unwrap();
            bytes = encoder.finish().unwrap();
        }
        fs::write(self.path(), bytes).unwrap();
        File::options()
            .write(true)
            .open(self.path())
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000) - self.age)
            .unwrap();
    }

    fn load(&self) -> CacheState {
        let (graph, state) = Graph::load_cached(self.path(), self.cache(), &self.options(), UNWATCHED).unwrap();
        assert_eq!(graph, Graph::load(self.path(), &self.options()).unwrap());
        state
    }

    fn damage(&self, change: impl Fn(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.cache()).unwrap();
        change(&mut bytes);
        fs::write(self.cache(), bytes).unwrap();
    }
}

/// A change after which a cache is of no use, and its name.
type Change = (&'static str, fn(&mut State));

const CHANGES: [Change; 14] = [
    ("another file of the same size and time", |state| (state.name, state.edges) = ("other", 1)),
    ("another file that is older", |state| {
        (state.name, state.edges, state.age) = ("older", 2, state.age + Duration::from_secs(100))
    }),
    ("other content of the same size and time", |state| state.edges = (state.edges + 1) % 3),
    ("an older file in its place", |state| (state.edges, state.age) = ((state.edges + 2) % 3, state.age * 2)),
    ("a newer file in its place", |state| (state.edges, state.age) = ((state.edges + 1) % 3, state.age / 3)),
    ("the same content at another time", |state| state.age += Duration::from_nanos(1000)),
    ("the same content in another file", |state| state.name = "copy"),
    ("undirected", |state| state.undirected = true),
    ("weights", |state| state.weighted = true),
    ("another format", |state| state.matrix = true),
    ("compressed", |state| state.compressed = true),
    ("a damaged body", |state| state.damage(|bytes| *bytes.last_mut().unwrap() ^= 1)),
    ("a body that ends early", |state| state.damage(|bytes| bytes.truncate(bytes.len() - 1))),
    ("an older format of caches", |state| state.damage(|bytes| bytes[12..16].copy_from_slice(&1u32.to_ne_bytes()))),
];

fn apply(change: &Change, state: &mut State) {
    change.1(state);
    state.write();
}

fn assert_renewed(state: &State, what: &[&Change]) {
    let names: Vec<_> = what.iter().map(|change| change.0).collect();
    assert!(matches!(state.load(), CacheState::Renewed(_)), "{names:?}");
    assert_eq!(state.load(), CacheState::Opened, "{names:?}");
    assert!(fs::read_dir(state.folder.path()).unwrap().count() <= 4, "{names:?}");
}

#[test]
fn after_any_two_changes_the_cache_is_renewed() {
    let mut pairs = 0;
    for one in &CHANGES {
        for other in CHANGES.iter().filter(|other| other.0 != one.0) {
            let mut state = State::new();
            assert_eq!(state.load(), CacheState::Created);
            apply(one, &mut state);
            apply(other, &mut state);
            assert_renewed(&state, &[one, other]);
            pairs += 1;
        }
    }
    assert_eq!(pairs, 14 * 13);
}

#[test]
fn after_each_of_two_changes_the_cache_is_renewed() {
    for one in &CHANGES {
        for other in CHANGES.iter().filter(|other| other.0 != one.0) {
            let mut state = State::new();
            assert_eq!(state.load(), CacheState::Created);
            apply(one, &mut state);
            assert_renewed(&state, &[one]);
            apply(other, &mut state);
            assert_renewed(&state, &[one, other]);
        }
    }
}

#[test]
fn a_cache_says_why_it_is_of_no_use() {
    let reason = |index: usize| {
        let mut state = State::new();
        state.load();
        apply(&CHANGES[index], &mut state);
        let CacheState::Renewed(problem) = state.load() else { panic!("{}", CHANGES[index].0) };
        problem
    };
    assert!(matches!(reason(0), CacheProblem::Stale(Staleness::File { path }) if path.ends_with("graph")));
    assert_eq!(reason(2), CacheProblem::Stale(Staleness::Content));
    assert_eq!(reason(3), CacheProblem::Stale(Staleness::Time));
    assert_eq!(reason(7), CacheProblem::Stale(Staleness::Options));
    assert_eq!(reason(8), CacheProblem::Stale(Staleness::Size { found: 24, expected: 12 }));
    assert!(matches!(reason(11), CacheProblem::Checksum { part: "body", .. }));
    assert!(matches!(reason(12), CacheProblem::Length { .. }));
    assert_eq!(reason(13), CacheProblem::Version { found: 1, expected: 3 });
}

#[test]
fn a_saved_graph_stands_for_no_file() {
    let state = State::new();
    GraphBuilder::new().edges(vec![(0, 1)]).build().unwrap().save(state.cache()).unwrap();
    assert_eq!(state.load(), CacheState::Renewed(CacheProblem::Stale(Staleness::Unknown)));
    assert_eq!(state.load(), CacheState::Opened);
}

#[test]
fn what_is_no_cache_stays() {
    let state = State::new();
    for content in ["", "onyx", "1 2\n2 3\n", "onyx-cs"] {
        fs::write(state.cache(), content).unwrap();
        let error = Graph::load_cached(state.path(), state.cache(), &state.options(), UNWATCHED).unwrap_err();
        assert!(matches!(error, GraphError::Cache { problem: CacheProblem::Foreign, .. }), "{error}");
        assert_eq!(fs::read_to_string(state.cache()).unwrap(), content);
    }
}

#[cfg(unix)]
#[test]
fn the_same_file_by_another_name_is_the_same() {
    let mut state = State::new();
    state.load();
    std::os::unix::fs::symlink("graph", state.folder.path().join("link")).unwrap();
    state.name = "link";
    assert_eq!(state.load(), CacheState::Opened);
}

#[cfg(unix)]
#[test]
fn no_cache_is_kept_of_what_is_no_file() {
    let state = State::new();
    let error = Graph::load_cached("/dev/null", state.cache(), &state.options(), UNWATCHED).unwrap_err();
    assert!(matches!(error, GraphError::CacheOfStream { .. }), "{error}");
    assert!(!state.cache().exists());
}

#[test]
fn a_graph_stays_as_it_was_when_its_files_are_cut_short() {
    let state = State::new();
    let whole = Graph::load(state.path(), &state.options()).unwrap();
    state.load();
    let (read, _) = Graph::load_cached(state.path(), state.cache(), &state.options(), UNWATCHED).unwrap();
    for path in [state.path(), state.cache()] {
        File::options().write(true).open(path).unwrap().set_len(0).unwrap();
    }
    assert_eq!(read, whole);
}
