//! Weights in safetensors files.

use std::fs;

use onyx_gnn::checkpoint::{load, save};
use onyx_gnn::dataset::Dataset;
use onyx_gnn::karate;
use onyx_gnn::model::Model;
use onyx_gnn::network::Network;
use onyx_gnn::settings::Settings;
use onyx_runtime::Session;

const MODELS: [Model; 5] = [Model::Gcn, Model::Gin, Model::Sage, Model::Gat, Model::Gatv2];

/// A network with weights of a seed.
fn with<T>(model: Model, set: &Dataset, settings: Settings, act: impl FnOnce(&mut Network<'_>) -> T) -> T {
    let session = Session::cpu();
    let graph = session.graph(&set.graph);
    act(&mut Network::new(model, &graph, set, settings).unwrap())
}

#[test]
fn what_is_saved_is_loaded() {
    let (set, folder) = (karate::dataset().unwrap(), tempfile::tempdir().unwrap());
    for model in MODELS {
        let path = folder.path().join("weights.safetensors");
        let settings = Settings::of(model);
        let expected = with(model, &set, settings, |network| {
            network.step().unwrap();
            save(network, &path).unwrap();
            network.forward(false).unwrap();
            network.output().unwrap()
        });
        with(model, &set, Settings { seed: 9, ..settings }, |network| {
            network.forward(false).unwrap();
            assert_ne!(network.output().unwrap(), expected, "{model:?}");
            load(network, &path).unwrap();
            network.forward(false).unwrap();
            assert_eq!(network.output().unwrap(), expected, "{model:?}");
        });
    }
}

#[test]
fn names_and_sizes_are_those_of_pytorch_geometric() {
    let (set, folder) = (karate::dataset().unwrap(), tempfile::tempdir().unwrap());
    let expected: [&[(&str, &[usize])]; 5] = [
        &[("conv1.bias", &[16]), ("conv1.lin.weight", &[16, 34]), ("conv2.bias", &[2]), ("conv2.lin.weight", &[2, 16])],
        &[
            ("conv1.eps", &[1]),
            ("conv1.nn.0.bias", &[16]),
            ("conv1.nn.0.weight", &[16, 34]),
            ("conv1.nn.2.bias", &[16]),
            ("conv1.nn.2.weight", &[16, 16]),
            ("conv2.eps", &[1]),
            ("conv2.nn.0.bias", &[16]),
            ("conv2.nn.0.weight", &[16, 16]),
            ("conv2.nn.2.bias", &[2]),
            ("conv2.nn.2.weight", &[2, 16]),
        ],
        &[
            ("conv1.lin_l.bias", &[16]),
            ("conv1.lin_l.weight", &[16, 34]),
            ("conv1.lin_r.weight", &[16, 34]),
            ("conv2.lin_l.bias", &[2]),
            ("conv2.lin_l.weight", &[2, 16]),
            ("conv2.lin_r.weight", &[2, 16]),
        ],
        &[
            ("conv1.att_dst", &[1, 8, 8]),
            ("conv1.att_src", &[1, 8, 8]),
            ("conv1.bias", &[64]),
            ("conv1.lin.weight", &[64, 34]),
            ("conv2.att_dst", &[1, 1, 2]),
            ("conv2.att_src", &[1, 1, 2]),
            ("conv2.bias", &[2]),
            ("conv2.lin.weight", &[2, 64]),
        ],
        &[
            ("conv1.att", &[1, 8, 8]),
            ("conv1.bias", &[64]),
            ("conv1.lin_l.bias", &[64]),
            ("conv1.lin_l.weight", &[64, 34]),
            ("conv1.lin_r.bias", &[64]),
            ("conv1.lin_r.weight", &[64, 34]),
            ("conv2.att", &[1, 1, 2]),
            ("conv2.bias", &[2]),
            ("conv2.lin_l.bias", &[2]),
            ("conv2.lin_l.weight", &[2, 64]),
            ("conv2.lin_r.bias", &[2]),
            ("conv2.lin_r.weight", &[2, 64]),
        ],
    ];
    for (model, expected) in MODELS.into_iter().zip(expected) {
        let path = folder.path().join(model.name());
        with(model, &set, Settings::of(model), |network| save(network, &path).unwrap());
        let content = fs::read(&path).unwrap();
        let file = safetensors::SafeTensors::deserialize(&content).unwrap();
        let mut found: Vec<(String, Vec<usize>)> =
            file.tensors().into_iter().map(|(name, tensor)| (name, tensor.shape().to_vec())).collect();
        found.sort();
        let expected: Vec<(String, Vec<usize>)> =
            expected.iter().map(|(name, shape)| ((*name).to_owned(), shape.to_vec())).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn layers_of_a_list_are_loaded() {
    let (set, folder) = (karate::dataset().unwrap(), tempfile::tempdir().unwrap());
    let (path, settings) = (folder.path().join("weights"), Settings { layers: 3, ..Settings::of(Model::Gcn) });
    let expected = with(Model::Gcn, &set, settings, |network| {
        save(network, &path).unwrap();
        network.weights()[4].read().unwrap()
    });
    let content = fs::read(&path).unwrap();
    let file = safetensors::SafeTensors::deserialize(&content).unwrap();
    let renamed = file.tensors().into_iter().map(|(name, tensor)| {
        let (layer, part) = name.strip_prefix("conv").unwrap().split_once('.').unwrap();
        (format!("convs.{}.{part}", layer.parse::<usize>().unwrap() - 1), tensor)
    });
    fs::write(&path, safetensors::serialize(renamed, None).unwrap()).unwrap();
    with(Model::Gcn, &set, Settings { seed: 7, ..settings }, |network| {
        load(network, &path).unwrap();
        assert_eq!(network.weights()[4].read().unwrap(), expected);
    });
    let said = with(Model::Gcn, &set, Settings { layers: 2, ..settings }, |network| load(network, &path));
    let said = said.unwrap_err().to_string();
    assert!(said.contains("is [16, 16], and the network's is [2, 16]") || said.contains("no `convs.2"), "{said}");
}

#[test]
fn other_files_are_refused_and_change_nothing() {
    let (set, folder) = (karate::dataset().unwrap(), tempfile::tempdir().unwrap());
    let path = |name: &str| folder.path().join(name);
    let settings = Settings::of(Model::Gcn);
    with(Model::Gcn, &set, Settings { hidden: 8, ..settings }, |network| save(network, &path("narrow")).unwrap());
    with(Model::Sage, &set, settings, |network| save(network, &path("sage")).unwrap());
    with(Model::Gcn, &set, settings, |network| {
        network.weights()[0].write(ndarray::Array2::from_elem((34, 16), f32::NAN).view()).unwrap();
        save(network, &path("nan")).unwrap();
    });
    fs::write(path("corrupt"), b"\x08\0\0\0\0\0\0\0{\"a\":1}").unwrap();
    let expected = [
        ("narrow", "`conv1.lin.weight` is [8, 34], and the network's is [16, 34]"),
        ("sage", "it has no `conv1.lin.weight`"),
        ("nan", "`conv1.lin.weight` has a weight of NaN"),
        ("corrupt", "is no safetensors file, or a damaged one"),
        ("missing", "missing"),
    ];
    with(Model::Gcn, &set, settings, |network| {
        let before = network.weights()[0].read().unwrap();
        for (name, expected) in expected {
            let said = load(network, &path(name)).unwrap_err().to_string();
            assert!(said.contains(expected) && said.contains(name), "{name}: {said}");
        }
        assert_eq!(network.weights()[0].read().unwrap(), before);
    });
}
