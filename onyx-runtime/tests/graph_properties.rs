//! Properties of graphs of any edges.

use std::collections::BTreeMap;
use std::fmt::Write;

use onyx_runtime::graph::{Graph, GraphBuilder, GroupSize, LoadOptions, NeighborGroups, OneWay};
use proptest::prelude::*;

type Edge = (u32, u32);

fn edge_lists() -> impl Strategy<Value = Vec<Edge>> {
    prop_oneof![
        prop::collection::vec((0u32..12, 0u32..12), 0..80),
        prop::collection::vec((0u32..3000, 0u32..3000), 0..300)
    ]
}

/// Where the edges of a group begin and end.
fn edges_of(groups: &NeighborGroups, group: usize) -> (usize, usize) {
    let edges = groups.span(group).edges();
    (edges.start as usize, edges.end as usize)
}

/// The groups of each cut row have its partials in the order of their edges.
fn parts_are_in_order(groups: &NeighborGroups) -> Result<(), TestCaseError> {
    let (row, begin) = groups.parts().unwrap();
    for (index, vertex) in groups.cut.iter().enumerate() {
        let mut of_row: Vec<usize> = (0..groups.len()).filter(|group| groups.vertex[*group] == *vertex).collect();
        of_row.sort_by_key(|group| edges_of(groups, *group));
        let found: Vec<u32> = of_row.into_iter().map(|group| row[group]).collect();
        prop_assert_eq!(found, (begin[index]..begin[index + 1]).collect::<Vec<_>>());
    }
    prop_assert_eq!(begin.len(), groups.cut.len() + 1);
    Ok(())
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn weights_of(edges: &[Edge]) -> Vec<f32> {
    (0..edges.len()).map(|index| index as f32).collect()
}

/// The edges in edge-id order, with the place each had in `edges`.
fn expected(edges: &[Edge]) -> Vec<(u32, u32, f32)> {
    let mut sorted: Vec<_> =
        edges.iter().zip(weights_of(edges)).map(|(edge, weight)| (edge.0, edge.1, weight)).collect();
    sorted.sort_by_key(|edge| (edge.1, edge.0));
    sorted
}

fn assert_consistent(graph: &Graph) {
    let (incoming, outgoing) = (graph.incoming(), graph.outgoing());
    assert_eq!(incoming.offsets().get(graph.vertex_count()), graph.edge_count());
    assert_eq!(outgoing.offsets().get(graph.vertex_count()), graph.edge_count());
    let mut from_outgoing = Vec::new();
    for source in 0..graph.vertex_count() {
        let row = outgoing.offsets().row(source);
        from_outgoing.extend(row.map(|at| (outgoing.edge_id(at), source as u32, outgoing.neighbors()[at])));
    }
    from_outgoing.sort_unstable();
    assert_eq!(graph.edges().collect::<Vec<_>>(), from_outgoing);
}

proptest! {
    #[test]
    fn directed_edges_are_kept_in_order(edges in edge_lists()) {
        let builder = GraphBuilder::new().vertices(3000).edges(edges.clone()).weights(weights_of(&edges));
        let graph = builder.clone().build().unwrap();
        assert_consistent(&graph);
        let weights = graph.weights().unwrap();
        let found: Vec<_> = graph.edges().map(|(id, source, destination)| (source, destination, weights[id])).collect();
        prop_assert_eq!(found, expected(&edges));
        prop_assert_eq!(in_pool(1, || builder.clone().build().unwrap()), in_pool(5, || builder.build().unwrap()));
    }

    #[test]
    fn undirected_edges_lead_both_ways_once(edges in edge_lists()) {
        let builder = GraphBuilder::new().undirected(true).edges(edges.clone());
        // The same weight in both directions.
        let weight = |&(source, destination): &(u32, u32)| (source.min(destination) * 7 + source.max(destination)) as f32;
        let graph = builder.clone().weights(edges.iter().map(weight).collect()).build().unwrap();
        assert_consistent(&graph);
        let mut first = BTreeMap::new();
        for (source, destination) in edges.iter().copied() {
            for edge in [(destination, source), (source, destination)] {
                first.insert(edge, weight(&edge));
            }
        }
        let weights = graph.weights().unwrap();
        let found: Vec<_> = graph.edges().map(|(id, source, destination)| ((destination, source), weights[id])).collect();
        prop_assert_eq!(found, first.into_iter().collect::<Vec<_>>());
        let unweighted = builder.build().unwrap();
        prop_assert_eq!(unweighted.incoming(), graph.incoming());
    }

    #[test]
    fn the_reverse_of_the_reverse_is_the_edge(edges in edge_lists(), undirected: bool, both: bool) {
        let back = edges.iter().filter(|_| both).map(|&(source, destination)| (destination, source));
        let edges: Vec<_> = edges.iter().copied().chain(back).collect();
        let graph = GraphBuilder::new().vertices(3000).undirected(undirected).edges(edges).build().unwrap();
        let all: Vec<_> = graph.edges().map(|(_, source, destination)| (source, destination)).collect();
        let count = |edge| all.iter().filter(|other| **other == edge).count();
        match graph.reverse_edges() {
            Ok(reverse) => for (id, &(source, destination)) in all.iter().enumerate() {
                let back = reverse.get(id);
                prop_assert_eq!(all[back], (destination, source));
                prop_assert_eq!(reverse.get(back), id);
                prop_assert!(source != destination || back == id);
                let rank = |id: usize| all[..id].iter().rev().take_while(|edge| **edge == all[id]).count();
                prop_assert_eq!(rank(back), rank(id));
            },
            Err(OneWay { source, destination }) => {
                let is_one_way = |edge: &(u32, u32)| count(*edge) > count((edge.1, edge.0));
                prop_assert_eq!(all.iter().find(|edge| is_one_way(edge)), Some(&(source, destination)));
                prop_assert!(!undirected && !both);
            }
        }
    }

    #[test]
    fn neighbor_groups_cover_each_edge_once(edges in edge_lists(), group_size in 1usize..9) {
        let graph = GraphBuilder::new().vertices(3000).edges(edges).build().unwrap();
        let groups = NeighborGroups::of(graph.incoming(), GroupSize::new(group_size)).unwrap();
        prop_assert_eq!(&groups, &in_pool(1, || NeighborGroups::of(graph.incoming(), GroupSize::new(group_size))).unwrap());
        let mut counts = vec![0; 3000];
        for (group, &vertex) in groups.vertex.iter().enumerate() {
            let (begin, end) = edges_of(&groups, group);
            prop_assert_eq!(begin, if group == 0 { 0 } else { edges_of(&groups, group - 1).1 });
            let row = graph.incoming().offsets().row(vertex as usize);
            prop_assert!(row.start <= begin && begin <= end && end <= row.end && end - begin <= group_size);
            counts[vertex as usize] += 1;
        }
        for vertex in 0..3000 {
            prop_assert_eq!(counts[vertex as usize], graph.in_degree(vertex).div_ceil(group_size).max(1));
        }
        let cut: Vec<u32> = (0..3000).filter(|&vertex| counts[vertex as usize] > 1).collect();
        prop_assert_eq!(&groups.cut, &cut);
        prop_assert_eq!(edges_of(&groups, groups.len() - 1).1, graph.edge_count());
    }

    #[test]
    fn bins_follow_each_other_and_have_each_edge_once(
        edges in edge_lists(),
        vertices in 1usize..40,
        size in 1usize..9,
        side_by_side in prop::option::of(1usize..9),
        bin in prop_oneof![1usize..20, Just(700), Just(9000)],
    ) {
        let least = edges.iter().map(|edge| edge.0.max(edge.1) as usize + 1).max().unwrap_or_default();
        let graph = GraphBuilder::new().vertices(vertices.max(least)).edges(edges).build().unwrap();
        let (incoming, size) = (graph.incoming(), GroupSize::new(size).in_bins(bin));
        let size = side_by_side.map_or(size, |parts| size.growing(parts));
        let groups = NeighborGroups::of(incoming, size).unwrap();
        prop_assert_eq!(&groups, &in_pool(1, || NeighborGroups::of(incoming, size)).unwrap());
        let (mut seen, mut counts) = (vec![false; incoming.edge_count()], vec![0; graph.vertex_count()]);
        let mut before = (0, 0, 0);
        for (group, &vertex) in groups.vertex.iter().enumerate() {
            let (begin, end) = edges_of(&groups, group);
            let row = incoming.offsets().row(vertex as usize);
            prop_assert!(row.start <= begin && end <= row.end && (begin < end || row.is_empty()));
            let bins: Vec<usize> = incoming.neighbors()[begin..end].iter().map(|source| *source as usize / bin).collect();
            prop_assert!(bins.windows(2).all(|pair| pair[0] == pair[1]));
            let place = (bins.first().copied().unwrap_or_default(), vertex, begin);
            prop_assert!(group == 0 || before < place);
            before = place;
            seen[begin..end].iter_mut().for_each(|seen| assert!(!std::mem::replace(seen, true)));
            counts[vertex as usize] += 1;
        }
        prop_assert!(seen.into_iter().all(|seen| seen) && counts.iter().all(|count| *count > 0));
        let cut: Vec<u32> = (0..).zip(&counts).filter(|(_, count)| **count > 1).map(|(vertex, _)| vertex).collect();
        prop_assert_eq!(&groups.cut, &cut);
        prop_assert!((0..groups.len()).all(|group| groups.span(group).is_cut() == cut.contains(&groups.vertex[group])));
        prop_assert_eq!(NeighborGroups::count(incoming, size), groups.len());
        let parts: usize = cut.iter().map(|row| counts[*row as usize]).sum();
        prop_assert_eq!(NeighborGroups::count_cut(incoming, size), (cut.len(), parts));
        parts_are_in_order(&groups)?;
    }

    #[test]
    fn a_saved_graph_opens_the_same(edges in edge_lists(), undirected: bool, weighted: bool, factor in 1u64..1 << 50) {
        let folder = tempfile::tempdir().unwrap();
        // An undirected edge has one weight.
        let weights = if undirected { vec![1.0; edges.len()] } else { weights_of(&edges) };
        let mut builder = GraphBuilder::new().vertices(3000).undirected(undirected).edges(edges.clone());
        if weighted {
            builder = builder.weights(weights);
        }
        let mut graphs = vec![builder.build().unwrap()];
        if !edges.is_empty() {
            let edges: Vec<_> = edges.iter().map(|edge| (u64::from(edge.0) * factor, u64::from(edge.1))).collect();
            graphs.push(load(&text(&edges, " ", weighted && !undirected), undirected));
        }
        for graph in graphs {
            let path = folder.path().join("graph");
            graph.save(&path).unwrap();
            let opened = Graph::open(&path).unwrap();
            prop_assert_eq!(&opened, &graph);
            prop_assert!(opened.ids().len() == graph.ids().len() && opened.is_symmetric() == undirected);
        }
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), usize::from(true));
    }

    #[test]
    fn text_reads_as_a_serial_parser_reads_it(
        edges in prop::collection::vec((0u64..40, 0u64..40), 1..100),
        factor in prop_oneof![Just(1u64), Just(1000), Just(1 << 40), Just(u64::MAX / 40)],
        separator in prop::sample::select(vec![" ", "\t", ",", " \t ", ", "]),
        weighted: bool,
    ) {
        let edges: Vec<_> = edges.into_iter().map(|edge| (edge.0 * factor, edge.1 * factor)).collect();
        let graph = load(&text(&edges, separator, weighted), false);
        assert_consistent(&graph);
        let mut serial: Vec<_> = edges.iter().enumerate().map(|(index, edge)| (edge.0, edge.1, index as f32)).collect();
        serial.sort_by_key(|edge| (edge.1, edge.0));
        let original = |vertex| graph.ids().original(vertex);
        let weight = |id: usize| graph.weights().map_or(serial[id].2, |weights| weights[id]);
        let found: Vec<_> = graph.edges().map(|(id, from, to)| (original(from), original(to), weight(id))).collect();
        prop_assert_eq!(found, serial);
        prop_assert_eq!(graph.weights().is_some(), weighted);
        for vertex in 0..graph.vertex_count() as u32 {
            prop_assert_eq!(graph.ids().lookup(original(vertex)), Some(vertex));
            prop_assert!(graph.in_degree(vertex) + graph.out_degree(vertex) > 0);
        }
    }
}

fn text(edges: &[(u64, u64)], separator: &str, weighted: bool) -> String {
    let mut text = String::from("# a comment\n\n");
    for (index, (source, destination)) in edges.iter().enumerate() {
        write!(text, "{source}{separator}{destination}").unwrap();
        if weighted {
            write!(text, "{separator}{index}").unwrap();
        }
        text += ["\n", "\r\n", " \n", "\n% another\n"][index % 4];
    }
    text.truncate(text.trim_end_matches('\n').len());
    text
}

fn load(text: &str, undirected: bool) -> Graph {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    Graph::load(file.path(), &LoadOptions { undirected }).unwrap()
}
