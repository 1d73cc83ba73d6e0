//! An order in which each variable comes after one of its neighbors.

use super::network::MarkovNetwork;

/// The variables of a network from its roots outwards, in breadth.
#[derive(Clone, Debug)]
pub struct Order {
    /// Every variable once.
    pub variables: Vec<usize>,
    /// The neighbor that each variable was reached from; none of a root, of which each part of the network has one.
    pub parents: Vec<Option<usize>>,
    /// Whether there is no way around: the network is a tree, or several.
    pub is_forest: bool,
}

impl Order {
    /// The order of a network.
    pub fn of(network: &MarkovNetwork) -> Self {
        let neighbors = neighbors(network);
        let count = neighbors.len();
        let (mut variables, mut parents, mut is_reached) =
            (Vec::with_capacity(count), vec![None; count], vec![false; count]);
        for root in 0..count {
            if std::mem::replace(&mut is_reached[root], true) {
                continue;
            }
            let mut next = variables.len();
            variables.push(root);
            while let Some(&variable) = variables.get(next) {
                next += 1;
                for &neighbor in neighbors[variable].iter().filter(|neighbor| !is_reached[**neighbor]) {
                    parents[neighbor] = Some(variable);
                    variables.push(neighbor);
                }
                neighbors[variable].iter().for_each(|&neighbor| is_reached[neighbor] = true);
            }
        }
        let joined = parents.iter().flatten().count();
        Self { variables, parents, is_forest: joined == network.pairs().len() }
    }
}

/// The variables that each depends on.
fn neighbors(network: &MarkovNetwork) -> Vec<Vec<usize>> {
    let mut neighbors = vec![Vec::new(); network.variable_count()];
    for pair in network.pairs() {
        neighbors[pair.first as usize].push(pair.second as usize);
        neighbors[pair.second as usize].push(pair.first as usize);
    }
    neighbors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markov::generate;

    #[test]
    fn parents_come_first() {
        for network in [generate::tree(40, 1..=3, 5).unwrap(), generate::potts(5, 4, 2, 1.0, 0).unwrap()] {
            let order = Order::of(&network);
            let place = |variable: usize| order.variables.iter().position(|&other| other == variable).unwrap();
            assert_eq!(order.variables.len(), network.variable_count());
            for (variable, parent) in order.parents.iter().enumerate() {
                assert!(parent.is_none_or(|parent| place(parent) < place(variable)));
            }
        }
    }

    #[test]
    fn forests_have_no_loop() {
        let mut network = MarkovNetwork::new(&[2; 5]).unwrap();
        assert!(Order::of(&network).is_forest);
        for (one, other) in [(0, 1), (1, 2), (3, 4)] {
            network.multiply_pair(one, other, &[1.0; 4]).unwrap();
        }
        let order = Order::of(&network);
        assert!(order.is_forest && order.parents == [None, Some(0), Some(1), None, Some(3)]);
        network.multiply_pair(0, 2, &[1.0; 4]).unwrap();
        assert!(!Order::of(&network).is_forest);
    }
}
