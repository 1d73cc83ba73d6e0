//! Edge functions: reductions, and properties of an edge.

use std::ptr;

use onyx_device::access::CurrentVersion;
use onyx_device::cpu::Cpu;
use onyx_device::emulator;
use onyx_device::function::EdgeFunction;
use onyx_device::prelude::*;
use onyx_device::property::{GraphData, Storage};
use onyx_device::reduction::Accumulator;
use onyx_device::{Group, Machine, Reverse};

use super::plain;

const WIDTH: usize = 4;

#[graph_data]
pub struct Link<const K: usize> {
    x: VertexFeatures<K>,
    message: EdgeFeatures<K>,
    weight: EdgeScalar,
    total: VertexFeatures<K>,
    least: VertexScalar,
    mass: VertexScalar,
}

#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Aligned([f32; WIDTH]);

/// Two vertices and one edge. What the function returned comes last.
#[derive(Clone, Debug, PartialEq)]
struct State {
    x: [Aligned; 2],
    message: [Aligned; 1],
    weight: [f32; 1],
    total: [Aligned; 2],
    least: [f32; 2],
    mass: [f32; 2],
    returned: bool,
}

/// The edge from vertex 0 to vertex 1.
fn edge() -> Edge {
    // SAFETY: the type is a `u64` by its representation; no function here asks for the reverse edge.
    let rev = unsafe { std::mem::transmute::<u64, Reverse>(0) };
    Edge { id: 0, src: Vertex(0), dst: Vertex(1), rev }
}

fn rows<const N: usize>(salt: usize) -> [Aligned; N] {
    std::array::from_fn(|v| Aligned(std::array::from_fn(|f| ((v * 7 + f * 5 + salt) % 11) as f32 * 0.25 - 0.5)))
}

impl State {
    fn new() -> Self {
        let (total, least, mass) = ([Aligned([0.0; WIDTH]); 2], [f32::INFINITY; 2], [0.0; 2]);
        Self { x: rows(1), message: rows(4), weight: [0.75], total, least, mass, returned: false }
    }

    fn data(&mut self) -> Link<WIDTH> {
        let at = |current: *mut f32| Storage {
            current,
            previous: ptr::null_mut(),
            row: WIDTH,
            value: 0.0,
            rows: 0,
            heads: 1,
        };
        Link::bind(&[
            at(self.x.as_mut_ptr().cast()),
            at(self.message.as_mut_ptr().cast()),
            at(self.weight.as_mut_ptr()),
            at(self.total.as_mut_ptr().cast()),
            at(self.least.as_mut_ptr()),
            at(self.mass.as_mut_ptr()),
        ])
    }

    fn of_plain(features: usize, body: impl Fn(Feature, Edge, &mut plain::Link) -> bool + Sync) -> Self {
        let mut state = Self::new();
        let before = state.clone();
        let results = plain::together(features, |feature| {
            let at = feature.index() as usize;
            let mut link = plain::Link {
                x: plain::Both(before.x.map(|row| plain::Own(row.0[at]))),
                message: plain::Row(plain::Own(before.message[0].0[at])),
                weight: plain::Scalar(before.weight[0]),
                least: plain::Scalar(f32::INFINITY),
                ..Default::default()
            };
            let returned = body(feature, edge(), &mut link);
            (link, returned)
        });
        for (feature, (link, returned)) in results.iter().enumerate() {
            state.message[0].0[feature] = link.message.0.0;
            state.total[1].0[feature] = link.total.0.0;
            (state.weight[0], state.least[1], state.mass[1]) = (link.weight.0, link.least.0, link.mass.0);
            state.returned |= returned;
        }
        state
    }

    fn without_padding(mut self, features: usize) -> Self {
        for row in self.message.iter_mut().chain(&mut self.total) {
            row.0[features..].fill(0.0);
        }
        self
    }
}

fn run<M: Machine, F: EdgeFunction<Link<WIDTH>>, const L: usize, const V: usize>(
    machine: M,
    features: usize,
    data: &Link<WIDTH>,
) -> bool {
    let group = Group::<M, L, V>::of(machine, features as u32);
    // SAFETY: the edge and its ends exist, and no other group has them.
    unsafe {
        let loads = F::load::<M, CurrentVersion, L, V>(group, edge(), data);
        let mut sums = <F::Sums<V> as Accumulator<Link<WIDTH>, V>>::zero();
        let (returned, _) = F::compute(group, edge(), data, loads, (), &mut sums);
        sums.store(group, data, edge().dst);
        returned
    }
}

fn on_emulator<F: EdgeFunction<Link<WIDTH>>, const L: usize, const V: usize>(
    features: usize,
) -> Result<State, emulator::EmulatorError> {
    let mut state = State::new();
    let (data, returned) = (state.data(), std::cell::Cell::new(false));
    emulator::launch(L as u64, &|lane| {
        if lane.thread() < L as u64 {
            let value = run::<_, F, L, V>(lane, features, &data);
            returned.set(value | returned.get());
        }
    })?;
    state.returned = returned.get();
    Ok(state)
}

#[track_caller]
fn check<F: EdgeFunction<Link<WIDTH>>>(body: impl Fn(Feature, Edge, &mut plain::Link) -> bool + Sync + Copy) {
    for features in [1, 3, WIDTH] {
        let expected = State::of_plain(features, body).without_padding(features);
        let mut state = State::new();
        let data = state.data();
        state.returned = run::<_, F, 1, WIDTH>(Cpu, features, &data);
        assert_eq!(state.without_padding(features), expected, "CPU, {features} features");
        for state in
            [on_emulator::<F, 1, 4>(features), on_emulator::<F, 2, 2>(features), on_emulator::<F, 4, 1>(features)]
        {
            assert_eq!(state.unwrap().without_padding(features), expected, "emulator, {features} features");
        }
    }
}

macro_rules! edge_programs {
    ($($name:ident($f:ident, $e:ident, $d:ident) { $($body:tt)* })*) => {
        $(
            mod $name {
                mod lowered {
                    use super::super::Link;
                    use onyx_device::prelude::*;

                    #[edge_fn]
                    #[allow(warnings, clippy::all)]
                    pub fn program<const K: usize>($f: Feature, $e: Edge, $d: &mut Link<K>) -> bool { $($body)* }
                }

                mod plain {
                    #[allow(unused_imports)]
                    use crate::evaluation::plain::*;
                    use onyx_device::{Edge, Feature};

                    #[allow(warnings, clippy::all)]
                    pub fn program($f: Feature, $e: Edge, $d: &mut Link) -> bool { $($body)* }
                }

                #[test]
                fn agrees_with_rust() {
                    super::check::<lowered::program>(plain::program);
                }
            }
        )*
    };
}

edge_programs! {
    reduced_operations(f, e, d) {
        d.total[e.dst][f] += d.x[e.src][f] * sum(d.x[e.dst][f]);
        d.total[e.dst][f] -= max(d.x[e.src][f]) / (1.0 + norm2(d.x[e.dst][f]));
        d.mass[e.dst] += sum(d.x[e.src][f]) * d.weight[e];
        d.mass[e.dst] -= 0.5;
        d.least[e.dst].min_with(min(d.x[e.src][f] + d.weight[e]));
        d.least[e.dst].min_with(9.0);
        any(d.x[e.src][f] > 0.5)
    }
    effects_in_reduced_operations(f, e, d) {
        let mut a = d.x[e.src][f];
        d.total[e.dst][f] += sum({ a += 1.0; a }) + a;
        d.mass[e.dst] += max({ a += 1.0; a });
        d.least[e.dst].min_with(sum({ a *= 2.0; a }));
        d.total[e.dst][f] += a;
        true
    }
    properties_of_the_edge(f, e, d) {
        d.message[e][f] = d.message[e][f] * 0.5 + sum(d.message[e][f]);
        d.weight[e] *= sum(d.message[e][f]) + d.weight[e];
        d.total[e.dst][f] += d.message[e][f] + dot(d.x[e.src][f], d.message[e][f]) * d.weight[e];
        d.message[e][f] > d.weight[e]
    }
    reductions_where_some_come(f, e, d) {
        if d.x[e.src][f] > 0.0 {
            d.total[e.dst][f] += d.x[e.src][f];
        }
        let total = sum(d.x[e.src][f]);
        if total > 0.25 {
            d.mass[e.dst] += total;
        }
        total > 1.0
    }
}

mod disagreement {
    use onyx_device::prelude::*;

    use super::Link;
    use crate::evaluation::agreement::count;

    #[edge_fn]
    pub fn weigh<const K: usize>(f: Feature, e: Edge, d: &mut Link<K>) -> bool {
        d.total[e.dst][f] += d.x[e.src][f];
        d.mass[e.dst] += count();
        true
    }

    #[test]
    fn is_reported_of_a_reduction() {
        for found in [super::on_emulator::<weigh, 1, 4>(3), super::on_emulator::<weigh, 4, 1>(3)] {
            let text = found.unwrap_err().to_string();
            assert!(text.contains("`weigh` gives `mass`, which has one value for all features,"), "{text}");
        }
        assert!(super::on_emulator::<weigh, 4, 1>(1).is_ok(), "padding is not compared");
    }
}
