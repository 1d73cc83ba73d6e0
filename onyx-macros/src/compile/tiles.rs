//! Any number of features, one tile of the widest compiled width after the other: what stands in the way.

use crate::compile::function::FoldFunction;
use crate::compile::property::Properties;

/// What stands in the way of tiles, if anything does.
pub fn obstacle(properties: &Properties, members: &[FoldFunction], is_active: bool) -> Option<String> {
    of_data(properties)
        .or_else(|| is_active.then(|| "with `edges = active` all features decide together which edges run".to_owned()))
        .or_else(|| (0..members.len()).find_map(|index| of_function(members, index)))
}

fn of_data(properties: &Properties) -> Option<String> {
    if let Some(matrix) = properties.0.iter().find(|property| property.element.is_matrix()) {
        return Some(format!("`{}` is a matrix, each row of which has all features", matrix.name));
    }
    let has_features = properties.0.iter().any(|property| property.element.has_features());
    (!has_features).then(|| "no property of its data has features".to_owned())
}

fn of_function(members: &[FoldFunction], index: usize) -> Option<String> {
    let FoldFunction { name, beyond, .. } = &members[index];
    if let Some(operation) = &beyond.operation {
        return Some(format!(
            "`{name}` calls `{operation}`, which works across all features, while only an `any` that it returns as its last expression \
             does without them"
        ));
    }
    if beyond.number {
        return Some(format!("`{name}` uses the number of its feature"));
    }
    if beyond.width {
        return Some(format!("`{name}` uses the number of features"));
    }
    let next = stopped_next(members, index).filter(|_| beyond.differs)?;
    Some(format!(
        "`{name}` may return false for some features and true for others, and all decide together whether `{}` runs",
        next.name
    ))
}

/// The next function, if it depends on what this one returns. An edge function stops others of its run alone, a vertex function those of later
/// stages, too.
fn stopped_next(members: &[FoldFunction], index: usize) -> Option<&FoldFunction> {
    let next = members.get(index + 1)?;
    (!members[index].is_edge() || next.is_edge() && !next.is_first).then_some(next)
}
