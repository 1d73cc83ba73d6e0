//! Rows of any width, as tiles of the widest compiled one: what stands in the way.

use crate::compile::function::FoldFunction;
use crate::compile::property::Properties;

/// What stands in the way of tiles, if anything does.
pub fn obstacle(properties: &Properties, members: &[FoldFunction], is_active: bool) -> Option<String> {
    of_data(properties).or_else(|| (0..members.len()).find_map(|index| of_function(members, index, is_active)))
}

fn of_data(properties: &Properties) -> Option<String> {
    if properties.have_heads() {
        return Some("its rows are heads, each of a compiled width".to_owned());
    }
    if let Some(matrix) = properties.0.iter().find(|property| property.element.is_matrix()) {
        return Some(format!("`{}` is a matrix, each row of which has all features", matrix.name));
    }
    let has_features = properties.0.iter().any(|property| property.element.has_features());
    (!has_features).then(|| "no property of its data has features".to_owned())
}

fn of_function(members: &[FoldFunction], index: usize, is_active: bool) -> Option<String> {
    let FoldFunction { name, beyond, .. } = &members[index];
    if let Some(operation) = &beyond.operation {
        return Some(format!(
            "`{name}` calls `{operation}`, which works across all features, while only an `any` that it returns as its last expression \
             does without them"
        ));
    }
    let next = stopped_next(members, index, is_active).filter(|_| beyond.differs)?;
    Some(format!(
        "`{name}` may return false for some features and true for others, and all decide together whether `{}` runs",
        next.name
    ))
}

/// The next function, if it depends on what this one returns. An edge function stops others of its run alone, and with `edges = active` the vertex
/// functions of its stage; a vertex function those of later stages, too.
fn stopped_next(members: &[FoldFunction], index: usize, is_active: bool) -> Option<&FoldFunction> {
    let next = members.get(index + 1)?;
    let is_stopped = if next.is_edge() { !next.is_first } else { is_active };
    (!members[index].is_edge() || is_stopped).then_some(next)
}
