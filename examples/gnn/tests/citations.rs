//! Citation networks: what the papers report.

use std::env;
use std::path::PathBuf;

use onyx_data::planetoid;
use onyx_gnn::dataset::normalize_rows;
use onyx_gnn::model::Model;
use onyx_gnn::network::Network;
use onyx_gnn::settings::Settings;
use onyx_runtime::Session;

/// The mean accuracy on the vertices to test with, in percent, over so many seeds.
fn accuracy(model: Model, seeds: u64, epochs: usize) -> f32 {
    let folder = env::var_os("ONYX_DATA").map(PathBuf::from).expect("ONYX_DATA names the folder of the data");
    let mut set = planetoid::read(folder.join("cora")).unwrap();
    normalize_rows(&mut set.features);
    let session = Session::cpu();
    let graph = session.graph(&set.graph);
    let right = (0..seeds).map(|seed| {
        let settings = Settings { seed, ..Settings::of(model) };
        let mut network = Network::new(model, &graph, &set, settings).unwrap();
        for _ in 0..epochs {
            network.step().unwrap();
        }
        let (_, accuracy) = network.evaluate().unwrap();
        println!("{model:?}, seed {seed}: {accuracy:?}");
        100.0 * accuracy.test.unwrap()
    });
    right.sum::<f32>() / seeds as f32
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_convolutions_learn_cora_as_their_paper_says() {
    let found = accuracy(Model::Gcn, 1, 100);
    assert!((found - 81.5).abs() <= 1.5, "{found} % instead of 81.5 %");
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_attention_learns_cora_as_its_paper_says() {
    let found = accuracy(Model::Gat, 1, 100);
    assert!((found - 83.0).abs() <= 2.0, "{found} % instead of 83.0 %");
}
