//! The thesis's own figures: table 7.2, four features, measured there on an NVIDIA Tesla P4.

use crate::algorithm::Name;
use crate::variant::{Mapping, Variant};

/// A graph of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kin {
    /// RC, RoadCentral: 14.1 M vertices, 16.9 M edges.
    RoadCentral,
    /// D24, DelaunayN24: 16.8 M vertices, 50.3 M edges.
    Delaunay,
    /// KN, KronG500L21: 2.1 M vertices, 91.0 M edges.
    Kronecker,
}

/// The thesis's graph that a generated one is like.
pub fn kin(graph: &str) -> Option<Kin> {
    match graph.split_once(':')?.0 {
        "kron" => Some(Kin::Kronecker),
        "mesh" => Some(Kin::Delaunay),
        "road" => Some(Kin::RoadCentral),
        _ => None,
    }
}

/// The milliseconds of NFA/NCD, and the speedups of FA/NCD, NFA/CD and FA/CD over it.
type Figures = (f64, [f64; 3]);

fn table(algorithm: Name) -> [Figures; 3] {
    match algorithm {
        Name::LabelPropagation => [(2440.3, [1.5, 3.2, 5.2]), (2660.3, [1.4, 2.2, 3.5]), (2783.8, [1.2, 4.2, 5.1])],
        Name::LeastSquares => [(260.1, [1.4, 1.5, 2.0]), (531.3, [1.7, 1.8, 2.5]), (4058.8, [1.5, 6.5, 9.0])],
        Name::BeliefPropagation => [(196.5, [1.4, 1.2, 1.8]), (572.1, [2.0, 1.4, 2.2]), (2051.5, [1.7, 2.7, 2.9])],
        Name::ManifoldRanking => [(2173.1, [2.0, 4.0, 4.9]), (1114.6, [1.2, 1.3, 1.6]), (3806.1, [2.3, 3.0, 6.6])],
        Name::MultimodalLearning => [(685.7, [1.6, 3.3, 4.4]), (878.2, [1.3, 2.3, 3.0]), (3609.4, [2.2, 3.5, 6.0])],
    }
}

/// The time of a variant, from that of NFA/NCD, and its speedup; nothing of what the thesis has not.
pub fn figures(algorithm: Name, kin: Kin, variant: Variant) -> Option<(f64, f64)> {
    let (baseline, [aware, driven, both]) = table(algorithm)[kin as usize];
    let speedup = match (variant.mapping, variant.is_change_driven) {
        (Mapping::ThreadPerEdge, false) => 1.0,
        (Mapping::FeatureAware, false) => aware,
        (Mapping::ThreadPerEdge, true) => driven,
        (Mapping::FeatureAware, true) => both,
        (Mapping::WarpPerVertex, _) => return None,
    };
    Some((baseline / speedup, speedup))
}

#[cfg(test)]
mod tests {
    use super::{Kin, figures, kin};
    use crate::algorithm::Name;
    use crate::variant::Variant;

    #[test]
    fn figures_are_those_of_the_graph() {
        assert_eq!(figures(Name::LeastSquares, Kin::Kronecker, Variant::ALL[5]), Some((4058.8 / 9.0, 9.0)));
        assert_eq!(figures(Name::LabelPropagation, Kin::RoadCentral, Variant::ALL[0]), Some((2440.3, 1.0)));
        assert_eq!(figures(Name::LabelPropagation, Kin::RoadCentral, Variant::ALL[1]), None);
        assert_eq!((kin("mesh:4x4"), kin("rmat:4"), kin("file")), (Some(Kin::Delaunay), None, None));
    }
}
