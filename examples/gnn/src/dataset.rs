//! What a network learns from, and checks of it.

use ndarray::{Array2, Axis};
pub use onyx_data::dataset::Dataset;

use crate::error::GnnError;

/// Refuses what a network cannot learn from.
///
/// # Errors
/// [`GnnError`] says what is wrong, and where it is first.
pub fn check(data: &Dataset) -> Result<(), GnnError> {
    let vertices = data.graph.vertex_count();
    check_count("features", data.features.nrows(), vertices)?;
    check_count("labels", data.labels.len(), vertices)?;
    check_features(&data.features)?;
    check_classes(data)
}

/// Refuses labels that are no class, and parts with vertices that have no label.
///
/// # Errors
/// [`GnnError::Label`], [`GnnError::NoVertex`] or [`GnnError::NothingToLearn`].
pub(crate) fn check_classes(data: &Dataset) -> Result<(), GnnError> {
    let vertices = data.labels.len();
    let mut labels = data.labels.iter().enumerate();
    if let Some((vertex, &label)) = labels.find(|(_, label)| **label as usize >= data.classes) {
        return Err(GnnError::Label { vertex, label, classes: data.classes });
    }
    let parts = [("learn from", &data.train), ("validate with", &data.validation), ("test with", &data.test)];
    for (use_of, part) in parts {
        if let Some(&vertex) = part.iter().find(|vertex| **vertex as usize >= vertices) {
            return Err(GnnError::NoVertex { vertex, use_of, vertices });
        }
    }
    if data.train.is_empty() { Err(GnnError::NothingToLearn) } else { Ok(()) }
}

fn check_count(what: &'static str, found: usize, vertices: usize) -> Result<(), GnnError> {
    if found == vertices { Ok(()) } else { Err(GnnError::Vertices { what, found, vertices }) }
}

/// Refuses rows without features, and features that are no numbers.
///
/// # Errors
/// [`GnnError::NoFeatures`], or [`GnnError::Feature`] with the first one.
pub fn check_features(features: &Array2<f32>) -> Result<(), GnnError> {
    if features.ncols() == 0 {
        return Err(GnnError::NoFeatures);
    }
    let bad = features.indexed_iter().find(|(_, value)| !value.is_finite());
    bad.map_or(Ok(()), |((vertex, column), &value)| Err(GnnError::Feature { vertex, column, value }))
}

/// Divides each row by its sum, where that is finite and not 0: a feature that is no number stays the only one of its row.
pub fn normalize_rows(features: &mut Array2<f32>) {
    for mut row in features.axis_iter_mut(Axis(0)) {
        let sum = row.sum();
        if sum.is_finite() && sum != 0.0 {
            row /= sum;
        }
    }
}
