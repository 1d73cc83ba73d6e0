//! Weights in files: safetensors, with the names and shapes that PyTorch Geometric gives them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ndarray::Array2;
use onyx_runtime::file;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};

use crate::error::{CheckpointError, GnnError};
use crate::network::Network;
use crate::weight::Weight;

/// Writes all weights of a network to a file, which is there whole or not at all.
///
/// # Errors
/// The weights are gone, or the file cannot be written.
pub fn save(network: &mut Network<'_>, path: &Path) -> Result<(), GnnError> {
    let content = content(network)?;
    file::replace(path, content).map_err(|source| failed(path, source))
}

/// What [`save`] writes.
///
/// # Errors
/// The weights are gone.
pub fn content(network: &mut Network<'_>) -> Result<Vec<u8>, GnnError> {
    let stored = network.weights().into_iter().map(stored).collect::<Result<Vec<_>, _>>()?;
    let views = stored
        .iter()
        .map(|(name, shape, bytes)| Ok((name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes)?)));
    let views = views.collect::<Result<Vec<_>, _>>().map_err(CheckpointError::Content)?;
    Ok(serialize(views, None).map_err(CheckpointError::Content)?)
}

/// Name, shape and bytes of a weight.
fn stored(weight: &mut Weight) -> Result<(String, Vec<usize>, Vec<u8>), GnnError> {
    let values = weight.read()?;
    let values = if weight.form().is_transposed() { values.reversed_axes() } else { values };
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Ok((weight.name().to_owned(), weight.file_shape(), bytes))
}

/// Reads all weights of a network from a file, or none. Layers are called `conv1` and so on in it, or `convs.0` and so on.
///
/// # Errors
/// [`CheckpointError`] if the file cannot be read, is no safetensors file, or has other weights than the network.
pub fn load(network: &mut Network<'_>, path: &Path) -> Result<(), GnnError> {
    let content = fs::read(path).map_err(|source| failed(path, source))?;
    let file =
        SafeTensors::deserialize(&content).map_err(|source| CheckpointError::Form { path: path.to_owned(), source })?;
    let mut found = BTreeMap::new();
    for weight in network.weights() {
        let values = read(&file, weight, path)?;
        found.insert(weight.name().to_owned(), values);
    }
    let listed: Vec<String> = found.keys().map(|name| listed(name)).collect();
    let is_known = |name: &str| found.contains_key(name) || listed.iter().any(|listed| listed == name);
    if let Some(name) = file.names().into_iter().find(|name| !is_known(name)) {
        return Err(CheckpointError::Unknown { path: path.to_owned(), name: name.to_owned() }.into());
    }
    for weight in network.weights() {
        let values = found.remove(weight.name()).unwrap_or_default();
        weight.write(values.view())?;
    }
    Ok(())
}

/// The name of a weight in a model that has its layers in a list, such as PyTorch Geometric's own: `convs.0.bias` for `conv1.bias`.
fn listed(name: &str) -> String {
    let parts = name.strip_prefix("conv").and_then(|rest| rest.split_once('.'));
    let layer = parts.and_then(|(number, part)| Some((number.parse::<usize>().ok()?.checked_sub(1)?, part)));
    layer.map_or_else(|| name.to_owned(), |(number, part)| format!("convs.{number}.{part}"))
}

/// The values that a file has for a weight.
fn read(file: &SafeTensors<'_>, weight: &mut Weight, path: &Path) -> Result<Array2<f32>, GnnError> {
    let (path, name, expected) = (path.to_owned(), weight.name().to_owned(), weight.file_shape());
    let Ok(tensor) = file.tensor(&name).or_else(|_| file.tensor(&listed(&name))) else {
        return Err(CheckpointError::Missing { path, name }.into());
    };
    if tensor.dtype() != Dtype::F32 {
        let found = format!("{:?}", tensor.dtype());
        return Err(CheckpointError::Type { path, name, found }.into());
    }
    if tensor.shape() != expected {
        return Err(CheckpointError::Shape { path, name, found: tensor.shape().to_vec(), expected }.into());
    }
    let floats = tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let (rows, columns) = weight.size();
    let shape = if weight.form().is_transposed() { (columns, rows) } else { (rows, columns) };
    let values = Array2::from_shape_vec(shape, floats).map_err(|source| failed(&path, source))?;
    if let Some(bad) = values.iter().find(|value| !value.is_finite()) {
        return Err(CheckpointError::Value { path, name, value: *bad }.into());
    }
    Ok(if weight.form().is_transposed() { values.reversed_axes() } else { values })
}

fn failed(path: &Path, source: impl std::error::Error + Send + Sync + 'static) -> GnnError {
    CheckpointError::File { path: path.to_owned(), source: Box::new(source) }.into()
}
