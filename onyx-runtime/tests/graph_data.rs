//! Real graph files, from the folder that `ONYX_DATA` names.

use std::path::PathBuf;

use onyx_runtime::graph::{Graph, LoadOptions};

fn load(file: &str, undirected: bool) -> Graph {
    let folder = std::env::var_os("ONYX_DATA").expect("ONYX_DATA names the folder with the data");
    Graph::load(PathBuf::from(folder).join(file), &LoadOptions { undirected }).unwrap()
}

fn loops(graph: &Graph) -> usize {
    graph.edges().filter(|edge| edge.1 == edge.2).count()
}

#[test]
#[ignore = "needs ONYX_DATA, the folder with the graph files"]
fn snap_files_have_the_known_counts() {
    let files = [
        ("wiki-Vote", 7_115, 103_689),
        ("facebook_combined", 4_039, 88_234),
        ("ca-GrQc", 5_242, 28_980),
        ("email-Enron", 36_692, 367_662),
        ("p2p-Gnutella05", 8_846, 31_839),
        ("as-caida20071105", 26_475, 53_381),
        ("email-Eu-core", 1_005, 25_571),
        ("soc-Slashdot0902", 82_168, 948_464),
        ("ego-Twitter", 81_306, 1_342_310),
        ("cnr-2000", 325_557, 3_216_152),
    ];
    for (name, vertices, edges) in files {
        let graph = load(&format!("snap/{name}.txt.gz"), false);
        assert_eq!((graph.vertex_count(), graph.edge_count()), (vertices, edges), "{name}");
        assert_eq!(graph.weights().is_some(), name == "email-Eu-core");
    }
}

#[test]
#[ignore = "needs ONYX_DATA, the folder with the graph files"]
fn snap_files_have_the_known_loops() {
    let files = [
        ("ca-GrQc", 12),
        ("email-Eu-core", 642),
        ("soc-Slashdot0902", 78_303),
        ("ego-Twitter", 14),
        ("cnr-2000", 87_442),
    ];
    for (name, count) in files {
        assert_eq!(loops(&load(&format!("snap/{name}.txt.gz"), false)), count, "{name}");
    }
}

#[test]
#[ignore = "needs ONYX_DATA, the folder with the graph files"]
fn undirected_files_count_each_edge_twice() {
    let files = [
        ("facebook_combined", 2 * 88_234),
        ("ca-GrQc", 28_980),
        ("email-Enron", 367_662),
        ("ego-Twitter", 2 * 1_342_310 - 14),
    ];
    for (name, edges) in files {
        assert_eq!(load(&format!("snap/{name}.txt.gz"), true).edge_count(), edges, "{name}");
    }
}

#[test]
#[ignore = "needs ONYX_DATA, the folder with the graph files"]
fn matrices_have_the_known_counts() {
    let files = [
        ("ldbc-directed-example.mtx", 10, 17, true),
        ("karate.mtx", 34, 2 * 78, false),
        ("chesapeake.mtx", 39, 2 * 170, false),
        ("west0067.mtx", 67, 294, true),
        ("jagmesh7.mtx", 1_138, 2 * 3_156 + 1_138, false),
        ("delaunay_n13.mtx", 8_192, 2 * 24_547, false),
        ("delaunay_n16.mtx.gz", 65_536, 2 * 196_575, false),
        ("luxembourg_osm.mtx.gz", 114_599, 2 * 119_666, false),
        ("p2p-Gnutella31.mtx.gz", 62_586, 147_892, true),
    ];
    for (name, vertices, edges, weighted) in files {
        let graph = load(&format!("mtx/{name}"), false);
        assert_eq!((graph.vertex_count(), graph.edge_count()), (vertices, edges), "{name}");
        assert_eq!(graph.weights().is_some(), weighted, "{name}");
    }
}
