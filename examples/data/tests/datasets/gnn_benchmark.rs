//! NumPy archives of the GNN benchmark.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use onyx_data::dataset::{Dataset, DatasetError};
use onyx_data::{gnn_benchmark, planetoid};
use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;
use proptest::prelude::*;
use rawzip::{CompressionMethod, ZipArchiveWriter};

use crate::damage::damage;
use crate::data;

/// An array as NumPy writes it.
fn array(kind: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), bytes].concat()
}

fn bytes<const N: usize, T>(numbers: &[T], bytes: impl Fn(&T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(bytes).collect()
}

fn int32(numbers: &[i32]) -> Vec<u8> {
    array("<i4", &format!("({},)", numbers.len()), &bytes(numbers, |number| number.to_le_bytes()))
}

/// The arrays of four vertices: 0-1 in both directions, 1-2 once, a loop at 2; an array of names that nobody reads.
fn arrays() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("adj_data", array("<f8", "(4,)", &bytes(&[1.0_f64, 1.0, 1.0, 2.0], |number| number.to_le_bytes()))),
        ("adj_indices", int32(&[1, 0, 2, 2])),
        ("adj_indptr", int32(&[0, 1, 3, 4, 4])),
        ("adj_shape", array("<i8", "(2,)", &bytes(&[4_i64, 4], |number| number.to_le_bytes()))),
        ("attr_data", array(">f4", "(3,)", &bytes(&[0.5_f32, 2.0, -1.0], |number| number.to_be_bytes()))),
        ("attr_indices", array("<u2", "(3,)", &bytes(&[2_u16, 0, 1], |number| number.to_le_bytes()))),
        ("attr_indptr", int32(&[0, 1, 1, 3, 3])),
        ("attr_shape", array("<i8", "(2,)", &bytes(&[4_i64, 3], |number| number.to_le_bytes()))),
        ("labels", array("|i1", "(4,)", &[1, 0, 1, 0])),
        ("names", array("<U1", "(4,)", b"a\0\0\0b\0\0\0c\0\0\0d\0\0\0")),
    ]
}

fn archive(arrays: &[(&'static str, Vec<u8>)], is_compressed: bool) -> Vec<u8> {
    let mut content = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut content);
    for (name, array) in arrays {
        let method = if is_compressed { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
        let (mut entry, config) = archive.new_file(format!("{name}.npy")).compression_method(method).start().unwrap();
        let descriptor = if is_compressed {
            let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
            writer.write_all(array).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            descriptor
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(array).unwrap();
            writer.finish().unwrap().1
        };
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    content
}

fn parse(content: Vec<u8>) -> Result<Dataset, DatasetError> {
    gnn_benchmark::parse(&Text::new("tiny.npz", content, UNWATCHED)?, 0)
}

/// The archive with another array.
fn with(name: &'static str, array: Vec<u8>) -> Vec<(&'static str, Vec<u8>)> {
    arrays().into_iter().map(|(other, old)| if other == name { (name, array.clone()) } else { (other, old) }).collect()
}

#[test]
fn an_archive_says_graph_features_and_labels() {
    for is_compressed in [false, true] {
        let dataset = parse(archive(&arrays(), is_compressed)).unwrap();
        let rows: Vec<&[u32]> = (0..4).map(|vertex| dataset.graph.incoming().row(vertex)).collect();
        assert_eq!(rows, [&[1][..], &[0, 2], &[1], &[]]);
        assert_eq!(dataset.features, ndarray::arr2(&[[0.0, 0.0, 0.5], [0.0; 3], [2.0, -1.0, 0.0], [0.0; 3]]));
        assert_eq!((dataset.labels, dataset.classes), (vec![1, 0, 1, 0], 2));
        // There are fewer of each class than are drawn to learn from.
        assert_eq!((dataset.train, dataset.validation, dataset.test), (vec![0, 1, 2, 3], vec![], vec![]));
    }
}

#[test]
fn what_is_wrong_is_said_with_the_array() {
    let long = |numbers: &[i64]| array("<i8", "(2,)", &bytes(numbers, |number| number.to_le_bytes()));
    let cases = [
        (
            "labels",
            array("<f4", "(1,)", &1.5_f32.to_le_bytes()),
            "labels has something else than a whole number of 0 and more at place 0",
        ),
        (
            "labels",
            array("|i1", "(2,)", &[1, 255]),
            "labels has something else than a whole number of 0 and more at place 1",
        ),
        (
            "labels",
            array("|i1", "(4,)", &[1, 0, 9, 0]),
            "labels has the label 9 for vertex 2, which is not below 4, the number of labels: number the classes from 0 without gaps",
        ),
        ("labels", array("|i1", "(3,)", &[1, 0]), "labels has 2 bytes of numbers, and not 3 times 1"),
        ("labels", array("|i1", "(2,2)", &[1, 0, 1, 0]), "labels is not of one dimension"),
        (
            "labels",
            array("|O", "(4,)", &[1, 0, 1, 0]),
            "labels has elements of type \"|O\": integers, truth values and floats of 4 or 8 bytes can be read",
        ),
        ("labels", b"PK".to_vec(), "labels does not begin as a NumPy array does"),
        ("adj_shape", long(&[5, 5]), "adj_shape is [5, 5], and not the 4 of the labels and a number of columns"),
        ("adj_shape", long(&[4, 3]), "adj_shape is of 4 rows and 3 columns, and has to be square"),
        ("adj_indices", int32(&[1, 0, 4, 2]), "adj_indices has the column 4 at place 2 of a matrix of 4"),
        ("adj_indices", int32(&[1, 0, 2]), "adj_data has 4 values, and there are 3 columns of entries"),
        ("adj_indptr", int32(&[0, 3, 1, 4, 4]), "adj_indptr does not rise from 0 to 4 in 4 steps, one a row"),
        ("adj_indptr", int32(&[0, 1, 3, 4]), "adj_indptr does not rise from 0 to 4 in 4 steps, one a row"),
        (
            "attr_data",
            array("<f4", "(3,)", &bytes(&[0.5, 2.0, f32::NAN], |number| number.to_le_bytes())),
            "attr_data has NaN at place 2, which is no finite 32-bit float",
        ),
    ];
    for (name, array, expected) in cases {
        let message = parse(archive(&with(name, array), true)).unwrap_err().to_string();
        assert_eq!(message, format!("tiny.npz: the array {expected}"));
    }
    let message = parse(archive(&arrays()[..8], false)).unwrap_err().to_string();
    assert_eq!(message, "tiny.npz: the array labels is missing");
    let message = parse(b"no archive".to_vec()).unwrap_err().to_string();
    assert!(message.starts_with("tiny.npz is no npz archive of arrays: "), "{message}");
}

#[test]
fn a_changed_number_is_found_by_its_checksum() {
    let mut content = archive(&arrays(), false);
    let place = content.windows(4).position(|bytes| bytes == [1, 0, 1, 0]).unwrap();
    content[place] = 0;
    let message = parse(content).unwrap_err().to_string();
    assert!(message.starts_with("tiny.npz: the array labels is damaged: "), "{message}");
}

proptest! {
    #[test]
    fn damaged_archives_are_read_or_refused(is_compressed: bool, damages in prop::collection::vec(damage(), 1..5)) {
        let mut content = archive(&arrays(), is_compressed);
        damages.iter().for_each(|damage| damage.to(&mut content));
        if let Err(error) = parse(content) {
            prop_assert!(!error.to_string().contains('\n'));
        }
    }

    #[test]
    fn damaged_arrays_are_read_or_refused(which in 0..9_usize, damages in prop::collection::vec(damage(), 1..5)) {
        // With more columns a matrix asks for more than a test may have.
        prop_assume!(arrays()[which].0 != "attr_shape");
        let mut arrays = arrays();
        damages.iter().for_each(|damage| damage.to(&mut arrays[which].1));
        if let Ok(dataset) = parse(archive(&arrays, false)) {
            prop_assert!(dataset.features.iter().all(|value| value.is_finite()));
            prop_assert_eq!(dataset.features.nrows(), dataset.labels.len());
        }
    }
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_cora_is_the_same_graph_in_either_form() {
    let benchmark = gnn_benchmark::read(data("cora/cora_gnn_benchmark.npz"), 1).unwrap();
    let planetoid = planetoid::read(data("cora")).unwrap();
    let degrees = |dataset: &Dataset| {
        let mut degrees: Vec<_> = (0..2708).map(|vertex| dataset.graph.in_degree(vertex)).collect();
        degrees.sort_unstable();
        degrees
    };
    assert_eq!(degrees(&benchmark), degrees(&planetoid));
    assert_eq!(benchmark.features.dim(), (2708, 1433));
    assert_eq!(benchmark.features.sum(), 49_216.0);
    assert_eq!((benchmark.train.len(), benchmark.validation.len(), benchmark.test.len()), (140, 210, 2358));
    let sizes = |dataset: &Dataset| {
        let mut sizes = [0; 7];
        dataset.labels.iter().for_each(|label| sizes[*label as usize] += 1);
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(sizes(&benchmark), sizes(&planetoid));
}
