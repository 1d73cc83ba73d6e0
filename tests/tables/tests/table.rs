//! Tables of the graph against serial code, on the CPU, in the emulator, and on a GPU where it is asked for.

use onyx_device::FoldOf;
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Data, Options, ResidentGraph, RunError, RunFold, Sequence, Session};
use onyx_tables::table::{Relations, bounded, tallied, translated};
use onyx_tables::world::{graph, graphs, numbers, options, random, sessions};

/// What the functions start from: small whole numbers, which floats add exactly.
struct Start {
    features: usize,
    rows: usize,
    x: Vec<f32>,
    kind: Vec<f32>,
    class: Vec<f32>,
    relation: Vec<f32>,
}

impl Start {
    fn new(graph: &Graph, features: usize, rows: usize) -> Self {
        let (vertices, mut random) = (graph.vertex_count(), random(rows as u64));
        let x = numbers(&mut random, vertices * features, 8);
        let kind = numbers(&mut random, graph.edge_count(), rows);
        let class = numbers(&mut random, vertices, rows);
        let relation = numbers(&mut random, rows * features, 5);
        Self { features, rows, x, kind, class, relation }
    }

    fn table(&self) -> Array2<f32> {
        Array2::from_shape_vec((self.rows, self.features), self.relation.clone()).unwrap()
    }

    fn data<F: FoldOf<Relations>>(
        &self,
        fold: F,
        session: &Session,
        graph: &ResidentGraph<'_>,
    ) -> Result<Data<Relations>, RunError> {
        let mut data = session.data(fold, graph, self.features)?;
        self.fill(&mut data)?;
        Ok(data)
    }

    /// Has data start from it.
    fn fill(&self, data: &mut Data<Relations>) -> Result<(), RunError> {
        data.view_mut(Relations::X)?.iter_mut().zip(&self.x).for_each(|(to, from)| *to = *from);
        data.write(Relations::KIND, &self.kind)?;
        data.write(Relations::CLASS, &self.class)?;
        data.write(Relations::RELATION, &self.table())?;
        [Relations::ADDED, Relations::LEAST, Relations::GREATEST]
            .into_iter()
            .try_for_each(|table| data.resize(table, self.rows))
    }

    fn relation(&self, row: f32, feature: usize) -> f32 {
        self.relation[row as usize * self.features + feature]
    }

    /// What [`translated`] leaves in `y`.
    fn translated(&self, graph: &Graph) -> Vec<f32> {
        let features = self.features;
        let own = |(vertex, class): (usize, &f32)| (vertex, *class);
        let mut y = vec![0.0; self.x.len()];
        for (vertex, class) in self.class.iter().enumerate().map(own) {
            (0..features).for_each(|feature| y[vertex * features + feature] = self.relation(class, feature));
        }
        for ((_, source, destination), kind) in graph.edges().zip(&self.kind) {
            for feature in 0..features {
                let x = self.x[source as usize * features + feature];
                y[destination as usize * features + feature] += x * self.relation(*kind, feature);
            }
        }
        y
    }

    /// What [`tallied`] leaves in its tables: the sums, the least and the greatest.
    fn tallied(&self, graph: &Graph) -> [Vec<f32>; 3] {
        let (features, length) = (self.features, self.rows * self.features);
        let [mut added, mut least, mut greatest] =
            [vec![0.0; length], vec![f32::INFINITY; length], vec![f32::NEG_INFINITY; length]];
        for ((_, source, _), kind) in graph.edges().zip(&self.kind) {
            for feature in 0..features {
                let (x, at) = (self.x[source as usize * features + feature], *kind as usize * features + feature);
                added[at] += x;
                least[at] = x.min(least[at]);
                if at >= features {
                    added[at - features] -= 2.0 * x;
                }
            }
        }
        for (at, x) in self.x.iter().enumerate() {
            let place = self.class[at / features] as usize * features + at % features;
            greatest[place] = x.max(greatest[place]);
        }
        [added, least, greatest]
    }
}

fn everywhere(check: impl Fn(&str, &Session, &Graph, usize, &Options)) {
    for session in sessions() {
        for (name, graph) in graphs() {
            for features in [1, 3, 4, 16, 37] {
                for options in options() {
                    let what = format!("{name}, {features} features, {options:?}");
                    check(&what, &session, &graph, features, &options);
                }
            }
        }
    }
}

fn all<'a>(values: impl IntoIterator<Item = &'a f32>) -> Vec<f32> {
    values.into_iter().copied().collect()
}

#[test]
fn rows_of_tables_agree() {
    everywhere(|what, session, graph, features, options| {
        for rows in [1, 7] {
            let (start, resident) = (Start::new(graph, features, rows), session.graph(graph));
            let mut data = start.data(translated, session, &resident).unwrap();
            translated.on(&resident, &mut data).times(1, options).unwrap();
            assert_eq!(all(data.read(Relations::Y).unwrap()), start.translated(graph), "{what}, {rows} rows");
        }
    });
}

/// Each iteration begins again; a run with nothing left to do leaves the tables.
#[test]
fn what_is_added_to_tables_agrees() {
    everywhere(|what, session, graph, features, options| {
        if options.deterministic {
            return;
        }
        let (start, resident) = (Start::new(graph, features, 6), session.graph(graph));
        let mut data = start.data(tallied, session, &resident).unwrap();
        let [added, least, greatest] = start.tallied(graph);
        for iterations in [1, 3] {
            tallied.on(&resident, &mut data).times(iterations, options).unwrap();
            assert_eq!(all(data.read(Relations::ADDED).unwrap()), added, "{what}");
            assert_eq!(all(data.read(Relations::LEAST).unwrap()), least, "{what}");
            assert_eq!(all(data.read(Relations::GREATEST).unwrap()), greatest, "{what}");
        }
        let y = all(data.read(Relations::Y).unwrap());
        for (at, found) in y.into_iter().enumerate() {
            let place = start.class[at / features] as usize * features + at % features;
            assert_eq!(found, added[place] + greatest[place], "{what}");
        }
    });
}

#[test]
fn tables_of_a_sequence_agree() {
    for session in sessions() {
        for (name, graph) in graphs() {
            let (start, resident) = (Start::new(&graph, 5, 3), session.graph(&graph));
            let mut data = start.data(tallied, &session, &resident).unwrap();
            let mut sequence = Sequence::new(&resident).then(tallied).then(translated);
            for _ in 0..3 {
                sequence.run(&mut data, 2).unwrap();
                assert_eq!(all(data.read(Relations::ADDED).unwrap()), start.tallied(&graph)[0], "{name}");
                assert_eq!(all(data.read(Relations::Y).unwrap()), start.translated(&graph), "{name}");
            }
        }
    }
}

/// A table may get another number of rows between runs, on every processor, and by tiles.
#[test]
fn a_table_has_as_many_rows_as_it_is_given() {
    for session in sessions() {
        for features in [3, 37] {
            let graph = graph(9, (0..8).map(|vertex| (vertex, vertex + 1)).collect());
            let resident = session.graph(&graph);
            let mut data = Start::new(&graph, features, 2).data(tallied, &session, &resident).unwrap();
            for rows in [5, 1, 1000, 3] {
                let start = Start::new(&graph, features, rows);
                start.fill(&mut data).unwrap();
                tallied.on(&resident, &mut data).once().unwrap();
                translated.on(&resident, &mut data).once().unwrap();
                assert_eq!(data.read(Relations::ADDED).unwrap().dim(), (rows, features));
                assert_eq!(all(data.read(Relations::ADDED).unwrap()), start.tallied(&graph)[0]);
                assert_eq!(all(data.read(Relations::Y).unwrap()), start.translated(&graph));
            }
        }
    }
}

/// The same where a sequence was ready for other rows.
#[test]
fn a_sequence_has_as_many_rows_as_it_is_given() {
    for session in sessions() {
        let graph = graph(9, (0..8).map(|vertex| (vertex, vertex + 1)).collect());
        let resident = session.graph(&graph);
        let mut data = Start::new(&graph, 3, 2).data(tallied, &session, &resident).unwrap();
        let mut sequence = Sequence::new(&resident).then(tallied).then(translated);
        for rows in [2, 1000, 3, 40_000] {
            let start = Start::new(&graph, 3, rows);
            start.fill(&mut data).unwrap();
            sequence.run(&mut data, 2).unwrap();
            let [added, least, greatest] = start.tallied(&graph);
            assert_eq!(all(data.read(Relations::ADDED).unwrap()), added, "{session:?}, {rows} rows");
            assert_eq!(all(data.read(Relations::LEAST).unwrap()), least, "{session:?}, {rows} rows");
            assert_eq!(all(data.read(Relations::GREATEST).unwrap()), greatest, "{session:?}, {rows} rows");
            assert_eq!(all(data.read(Relations::Y).unwrap()), start.translated(&graph), "{session:?}, {rows} rows");
        }
    }
}

#[test]
fn a_row_that_is_not_there_ends_the_run() {
    for session in sessions() {
        let graph = graph(4, vec![(0, 1), (1, 2), (2, 3)]);
        let (start, resident) = (Start::new(&graph, 3, 4), session.graph(&graph));
        let mut data = start.data(translated, &session, &resident).unwrap();
        data.write(Relations::KIND, &[0.0, 3.0, 4.0]).unwrap();
        let error = translated.on(&resident, &mut data).once().unwrap_err();
        let expected = "at edge number 2, its function `translate` reaches `relation` at index 4, and there are 4 rows";
        assert!(error.to_string().contains(expected), "{error}");
        data.write(Relations::Y, &Array2::zeros((4, 3))).unwrap();
        let error = tallied.on(&resident, &mut data).once().unwrap_err();
        assert!(matches!(error, RunError::OutOfRange { property: "added" | "least", index: 4, .. }), "{error}");
    }
}

/// What a failed run has added is not in the next one.
#[test]
fn a_failed_run_leaves_nothing_in_a_table() {
    for session in sessions() {
        let graph = graph(4, vec![(0, 1), (1, 2), (2, 3)]);
        let (start, resident) = (Start::new(&graph, 3, 4), session.graph(&graph));
        let mut data = start.data(tallied, &session, &resident).unwrap();
        data.write(Relations::KIND, &[0.0, 3.0, 4.0]).unwrap();
        tallied.on(&resident, &mut data).once().unwrap_err();
        data.write(Relations::KIND, &start.kind).unwrap();
        data.write(Relations::Y, &Array2::zeros((4, 3))).unwrap();
        for table in [Relations::ADDED, Relations::LEAST, Relations::GREATEST] {
            data.resize(table, 4).unwrap();
        }
        tallied.on(&resident, &mut data).once().unwrap();
        assert_eq!(all(data.read(Relations::ADDED).unwrap()), start.tallied(&graph)[0]);
    }
}

/// Without a row nothing is read, and the error says how to give it some.
#[test]
fn a_table_begins_without_rows() {
    for session in sessions() {
        let graph = graph(2, vec![(0, 1)]);
        let resident = session.graph(&graph);
        let mut data = session.data(translated, &resident, 4).unwrap();
        assert_eq!(data.read(Relations::RELATION).unwrap().dim(), (0, 4));
        let error = translated.on(&resident, &mut data).once().unwrap_err();
        assert!(error.to_string().contains("there are 0 rows") && error.to_string().contains("resize"), "{error}");
        let error = data.write(Relations::RELATION, &Array2::zeros((2, 3))).unwrap_err();
        assert!(matches!(error, RunError::Shape { property: "relation", .. }), "{error}");
    }
}

#[test]
fn sums_into_tables_have_no_order() {
    let deterministic = Options { deterministic: true, ..Options::new() };
    for session in sessions() {
        let graph = graph(3, vec![(0, 1), (2, 1)]);
        let (start, resident) = (Start::new(&graph, 4, 2), session.graph(&graph));
        let mut data = start.data(tallied, &session, &resident).unwrap();
        let error = tallied.on(&resident, &mut data).times(1, &deterministic).unwrap_err();
        assert!(matches!(error, RunError::Unordered { table: "added", .. }), "{error}");
        bounded.on(&resident, &mut data).times(1, &deterministic).unwrap();
        assert_eq!(all(data.read(Relations::GREATEST).unwrap()), start.tallied(&graph)[2]);
    }
}
