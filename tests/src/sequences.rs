//! Sequences of functions of both kinds in any order, each as a fold, unfolded, and with the edges of active sources alone.
//!
//! The sequences were drawn at random once; what a fold may not have in one stage was left out.

#[host]
use onyx_device::Fold;
use onyx_device::prelude::*;
#[host]
use onyx_runtime::graph::Graph;
#[host]
use onyx_runtime::{Options, Report, Store};

#[host]
use crate::check;

/// What the functions of a sequence work on.
#[graph_data]
pub struct Sequence<const K: usize> {
    /// How heavy an edge is.
    pub weight: EdgeScalar,
    /// What an edge has seen.
    pub stamp: EdgeFeatures<K>,
    /// What is mixed.
    pub value: VertexFeatures<K, Tracked>,
    /// What it is mixed with.
    pub seed: VertexFeatures<K>,
    /// What arrives.
    pub sum: VertexFeatures<K>,
    /// The weight of the edges that arrive.
    pub mass: VertexScalar,
    /// The shares of the value.
    pub kept: VertexFeatures<K>,
    /// Lighter edges and smaller values go no further.
    pub floor: Parameter,
}

/// Collects values.
#[edge_fn]
pub fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Sequence<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.value[e.src][f];
    true
}

/// Collects weights; light edges go no further.
#[edge_fn]
pub fn weigh<const K: usize>(e: Edge, d: &mut Sequence<K>) -> bool {
    d.mass[e.dst] += d.weight[e];
    d.weight[e] > d.floor
}

/// Keeps what the edge has seen.
#[edge_fn]
pub fn stamp<const K: usize>(f: Feature, e: Edge, d: &mut Sequence<K>) -> bool {
    d.stamp[e][f] = 0.5 * d.stamp[e][f] + d.value[e.src][f];
    true
}

/// Mixes what has arrived into the value; small ones go no further.
#[vertex_fn]
pub fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut Sequence<K>) -> bool {
    let value = (d.sum[v][f] + d.seed[v][f]) / (1.0 + d.mass[v]);
    d.value[v][f] = value;
    any(value > d.floor)
}

/// Shrinks the value and keeps its shares.
#[vertex_fn]
pub fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Sequence<K>) -> bool {
    d.value[v][f] *= 0.75;
    d.kept[v][f] = normalize(d.value[v][f] + 2.0);
    true
}

/// A sequence: what it is made of, whether its edges are those of active sources, and how it runs.
#[host]
pub struct Case {
    /// The functions, as they are written in `foldmap!`.
    pub functions: &'static str,
    /// Whether edge functions run along the edges of active sources alone.
    pub is_active: bool,
    /// Whether it may be pushed.
    pub pushes: bool,
    /// A store for it.
    pub store: fn(&Graph, usize) -> Store,
    /// Runs it.
    pub run: fn(&Graph, &mut Store, &Options) -> Report,
}

#[host]
macro_rules! case {
    ($name:ident, $is_active:literal, [$($functions:tt)*]) => {
        Case {
            functions: stringify!($($functions)*),
            is_active: $is_active,
            pushes: <$name as Fold>::PUSHES,
            store: |graph, features| Store::new($name, graph, features).expect("a compiled width"),
            run: |graph, store, options| check::run(graph, store, $name, options),
        }
    };
}

macro_rules! sequences {
    (both { $($folded:ident, $unfolded:ident: [$($both:tt)*];)* }
     folded { $($only:ident: [$($functions:tt)*];)* }
     active { $($active:ident: [$($sources:tt)*];)* }) => {
        $(foldmap! {
            /// Folded.
            pub $folded<const K: usize>(Sequence<K>) = [$($both)*]; features = [4]
        }
        foldmap! {
            /// A kernel for each function.
            pub $unfolded<const K: usize>(Sequence<K>) = unfolded [$($both)*]; features = [4]
        })*
        $(foldmap! {
            /// Edge functions that may stop others.
            pub $only<const K: usize>(Sequence<K>) = [$($functions)*]; features = [4]
        })*
        $(foldmap! {
            /// With the edges of active sources.
            pub $active<const K: usize>(Sequence<K>) = [$($sources)*]; features = [4]; edges = active
        })*

        /// Every sequence.
        #[host]
        pub static CASES: &[Case] = &[
            $(case!($folded, false, [$($both)*]), case!($unfolded, false, [$($both)*]),)*
            $(case!($only, false, [$($functions)*]),)*
            $(case!($active, true, [$($sources)*]),)*
        ];
    };
}

sequences! {
    both {
        folded_1, unfolded_1: [gather, weigh, absorb, keep];
        folded_2, unfolded_2: [keep, stamp, gather, absorb];
        folded_3, unfolded_3: [gather, absorb, weigh, absorb, keep];
        folded_4, unfolded_4: [absorb, gather, weigh];
        folded_5, unfolded_5: [stamp; gather, absorb; keep, weigh];
        folded_6, unfolded_6: [keep, gather, absorb, stamp, keep];
    }
    folded {
        stopped_1: [weigh, gather, stamp, absorb];
        stopped_2: [stamp, weigh, gather; keep, weigh, stamp];
    }
    active {
        active_1: [gather, absorb];
        active_2: [stamp; weigh, gather, absorb];
        active_3: [keep, gather, absorb, weigh, stamp];
        active_4: [weigh, gather, absorb; keep];
        active_5: [stamp; gather, absorb, keep];
    }
}
