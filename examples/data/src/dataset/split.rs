//! Which vertices or graphs are learned from, and which are tested with.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::DatasetError;

/// Vertices to learn from, to validate with and to test with; no vertex is in two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// To learn from.
    pub train: Vec<u32>,
    /// To say when to stop.
    pub validation: Vec<u32>,
    /// To say how well it was learned.
    pub test: Vec<u32>,
}

impl Split {
    /// Draws `train` vertices of each class to learn from and `validation` to validate with; all others are to test with. A class with fewer
    /// vertices gives those that it has, to learn from first. All three ascend.
    ///
    /// Shchur et al., "Pitfalls of Graph Neural Network Evaluation", 2018, take 20 and 30.
    pub fn of_classes(labels: &[u32], train: usize, validation: usize, seed: u64) -> Self {
        let mut split = Self { train: Vec::new(), validation: Vec::new(), test: Vec::new() };
        for members in shuffled_classes(labels, seed) {
            let (drawn, rest) = members.split_at(train.min(members.len()));
            let (validated, rest) = rest.split_at(validation.min(rest.len()));
            split.train.extend_from_slice(drawn);
            split.validation.extend_from_slice(validated);
            split.test.extend_from_slice(rest);
        }
        [&mut split.train, &mut split.validation, &mut split.test].into_iter().for_each(|part| part.sort_unstable());
        split
    }
}

/// What one round of cross-validation learns from and tests with; both ascend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// To learn from.
    pub train: Vec<usize>,
    /// To test with.
    pub test: Vec<usize>,
}

/// Cuts what has the `labels` into `count` folds, in each of which every class has its share, but for one member: stratified
/// cross-validation. Each member is tested with once, and the sizes of folds differ by one at most.
///
/// # Errors
/// [`DatasetError::NoFold`] if `count` is 0.
pub fn folds(labels: &[u32], count: usize, seed: u64) -> Result<Vec<Fold>, DatasetError> {
    if count == 0 {
        return Err(DatasetError::NoFold);
    }
    let mut fold_of = vec![0; labels.len()];
    // The members of all classes are dealt in one round, so that no fold gets what is left of every class.
    for (place, member) in shuffled_classes(labels, seed).into_iter().flatten().enumerate() {
        fold_of[member as usize] = place % count;
    }
    let fold = |fold: usize| {
        let (test, train) = (0..labels.len()).partition(|member| fold_of[*member] == fold);
        Fold { train, test }
    };
    Ok((0..count).map(fold).collect())
}

/// The members of each class that has some, in an order that the seed decides.
fn shuffled_classes(labels: &[u32], seed: u64) -> Vec<Vec<u32>> {
    // Not an array by label, which may be any number.
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    labels.iter().zip(0..).for_each(|(label, member)| members.entry(*label).or_default().push(member));
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    members.values_mut().for_each(|class| class.shuffle(&mut random));
    members.into_values().collect()
}
