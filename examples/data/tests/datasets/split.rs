//! Splits of vertices and folds of graphs.

use onyx_data::dataset::{DatasetError, Fold, Split, folds};

#[test]
fn a_split_has_as_many_of_each_class_and_each_vertex_once() {
    let labels: Vec<u32> = (0..200).map(|vertex| [0, 1, 1, 2][vertex % 4]).collect();
    let split = Split::of_classes(&labels, 20, 35, 7);
    let of = |part: &[u32], class: u32| part.iter().filter(|vertex| labels[**vertex as usize] == class).count();
    assert_eq!([0, 1, 2].map(|class| of(&split.train, class)), [20, 20, 20]);
    // Classes 0 and 2 have 50 members, of which 30 are left.
    assert_eq!([0, 1, 2].map(|class| of(&split.validation, class)), [30, 35, 30]);
    assert_eq!([0, 1, 2].map(|class| of(&split.test, class)), [0, 45, 0]);
    let mut all = [split.train.clone(), split.validation.clone(), split.test.clone()].concat();
    all.sort_unstable();
    assert_eq!(all, (0..200).collect::<Vec<_>>());
    assert_eq!(split, Split::of_classes(&labels, 20, 35, 7));
    assert_ne!(split, Split::of_classes(&labels, 20, 35, 8));
}

#[test]
fn folds_have_their_share_of_each_class() {
    let labels: Vec<u32> = (0..188).map(|graph| u32::from(graph % 3 == 0)).collect();
    let folds = folds(&labels, 10, 1).unwrap();
    let mut tested: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
    tested.sort_unstable();
    assert_eq!(tested, (0..188).collect::<Vec<_>>());
    for Fold { train, test } in &folds {
        let ones = test.iter().filter(|graph| labels[**graph] == 1).count();
        assert!(matches!(test.len(), 18 | 19) && matches!(ones, 6 | 7), "{ones} of {}", test.len());
        assert!(train.len() + test.len() == 188 && test.iter().all(|graph| !train.contains(graph)));
    }
    assert_ne!(folds, onyx_data::dataset::folds(&labels, 10, 2).unwrap());
}

#[test]
fn nothing_is_split_into_nothing() {
    assert!(Split::of_classes(&[], 1, 1, 0).test.is_empty());
    assert_eq!(folds(&[], 2, 0).unwrap(), vec![Fold { train: vec![], test: vec![] }; 2]);
}

#[test]
fn no_fold_is_refused() {
    assert!(matches!(folds(&[0, 1], 0, 0), Err(DatasetError::NoFold)));
}

#[test]
fn labels_may_be_any_numbers() {
    let labels = [u32::MAX, 7, u32::MAX, 7];
    let split = Split::of_classes(&labels, 1, 1, 0);
    assert_eq!((split.train.len(), split.validation.len(), split.test.len()), (2, 2, 0));
    assert!(folds(&labels, 2, 0).unwrap().iter().all(|fold| fold.test.len() == 2));
}
