//! What is learned from where nothing is given: the sides of Zachary's karate club, from those of its two leaders.

use ndarray::Array2;
use onyx_cli::karate;

use crate::dataset::Dataset;
use crate::error::GnnError;

/// The club: each member is known by a feature of their own, the two leaders' sides are learned from, and the other members' are found.
///
/// # Errors
/// None in practice: the friendships are well-formed.
pub fn dataset() -> Result<Dataset, GnnError> {
    let graph = karate::graph()?;
    let leaders: Vec<u32> = karate::leaders().iter().map(|(vertex, _)| *vertex).collect();
    let others = (0..karate::MEMBERS).filter(|vertex| !leaders.contains(vertex)).collect();
    Ok(Dataset {
        features: Array2::eye(graph.vertex_count()),
        graph,
        labels: karate::factions().iter().map(|(_, side)| *side as u32).collect(),
        classes: 2,
        train: leaders,
        validation: Vec::new(),
        test: others,
    })
}
