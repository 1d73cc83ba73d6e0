//! Runs lowered functions on the machine of a CPU thread and on the emulator, in every way to share four features out among lanes.

use std::ptr;

use onyx_device::access::CurrentVersion;
use onyx_device::cpu::Cpu;
use onyx_device::emulator::{self, EmulatorError};
use onyx_device::function::VertexFunction;
use onyx_device::prelude::*;
use onyx_device::property::{GraphData, Storage};
use onyx_device::run::VertexRun;
use onyx_device::{Group, Machine};

use super::plain;

/// The compiled width.
pub const WIDTH: usize = 4;
/// As many as there are groups in a warp of one feature a lane.
pub const VERTICES: usize = 5;
/// The value of the parameter.
pub const ALPHA: f32 = 0.75;

#[graph_data]
pub struct Data<const K: usize> {
    pub x: VertexFeatures<K>,
    pub y: VertexFeatures<K>,
    pub z: VertexFeatures<K>,
    pub p: VertexScalar,
    pub q: VertexScalar,
    pub alpha: Parameter,
}

#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Aligned([f32; WIDTH]);

/// The values of all vertices, and what each function returned.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    x: Vec<Aligned>,
    y: Vec<Aligned>,
    z: Vec<Aligned>,
    p: Vec<f32>,
    pub q: Vec<f32>,
    returned: Vec<bool>,
}

fn start(vertex: usize, feature: usize, salt: usize) -> f32 {
    ((vertex * 7 + feature * 5 + salt * 3) % 11) as f32 * 0.25 - 0.5
}

impl State {
    pub fn new() -> Self {
        let row = |salt| (0..VERTICES).map(|v| Aligned(std::array::from_fn(|f| start(v, f, salt)))).collect();
        let scalars = |salt| (0..VERTICES).map(|v| start(v, 0, salt)).collect();
        Self { x: row(1), y: row(2), z: row(3), p: scalars(4), q: scalars(5), returned: vec![false; VERTICES] }
    }

    fn data(&mut self) -> Data<WIDTH> {
        let at = |current: *mut f32| Storage { current, previous: current, row: WIDTH, value: 0.0, rows: 0, heads: 1 };
        let parameter = Storage {
            current: ptr::null_mut(),
            previous: ptr::null_mut(),
            row: WIDTH,
            value: ALPHA,
            rows: 0,
            heads: 1,
        };
        let rows = [&mut self.x, &mut self.y, &mut self.z].map(|rows| at(rows.as_mut_ptr().cast()));
        let scalars = [&mut self.p, &mut self.q].map(|scalars| at(scalars.as_mut_ptr()));
        Data::bind(&[rows[0], rows[1], rows[2], scalars[0], scalars[1], parameter])
    }

    /// What padding holds is nobody's business.
    fn without_padding(mut self, features: usize) -> Self {
        for row in self.x.iter_mut().chain(&mut self.y).chain(&mut self.z) {
            row.0[features..].fill(0.0);
        }
        self
    }

    /// Whether everything is the same but for rounding: lanes add in another order than a loop does.
    fn is_near(&self, other: &Self) -> bool {
        let rows = |state: &Self| {
            [&state.x, &state.y, &state.z].map(|rows| rows.iter().flat_map(|row| row.0).collect::<Vec<f32>>())
        };
        let scalars = |state: &Self| [state.p.clone(), state.q.clone()];
        let all = |state: &Self| -> Vec<f32> { rows(state).into_iter().chain(scalars(state)).flatten().collect() };
        let is_near = |(a, b): (f32, f32)| (a - b).abs() <= 1e-5 * a.abs().max(1.0);
        all(self).into_iter().zip(all(other)).all(is_near) && self.returned == other.returned
    }

    /// As plain Rust gives it.
    fn of_plain(features: usize, body: impl Fn(Feature, Vertex, &mut plain::Data) -> bool + Sync) -> Self {
        let mut state = Self::new();
        for vertex in 0..VERTICES {
            let before = state.clone();
            let results = plain::together(features, |feature| {
                let mut data = before.seen_by(vertex, feature.index() as usize);
                let returned = body(feature, Vertex(vertex as u32), &mut data);
                (data, returned)
            });
            state.take(vertex, &results);
        }
        state
    }

    fn seen_by(&self, vertex: usize, feature: usize) -> plain::Data {
        let row = |rows: &[Aligned]| plain::Row(plain::Own(rows[vertex].0[feature]));
        let (p, q) = (plain::Scalar(self.p[vertex]), plain::Scalar(self.q[vertex]));
        plain::Data { x: row(&self.x), y: row(&self.y), z: row(&self.z), p, q, alpha: ALPHA }
    }

    fn take(&mut self, vertex: usize, results: &[(plain::Data, bool)]) {
        for (feature, (data, _)) in results.iter().enumerate() {
            self.x[vertex].0[feature] = data.x.0.0;
            self.y[vertex].0[feature] = data.y.0.0;
            self.z[vertex].0[feature] = data.z.0.0;
            assert_eq!((data.p, data.q), (results[0].0.p, results[0].0.q), "a scalar differs between features");
        }
        (self.p[vertex], self.q[vertex]) = (results[0].0.p.0, results[0].0.q.0);
        self.returned[vertex] = results.iter().any(|(_, returned)| *returned);
    }
}

/// Runs one group's function at one vertex.
fn run<M: Machine, F: VertexFunction<Data<WIDTH>> + 'static, const L: usize, const V: usize>(
    machine: M,
    vertex: u32,
    features: usize,
    data: &Data<WIDTH>,
) -> bool {
    let group = Group::<M, L, V>::of(machine, features as u32);
    // SAFETY: the vertex exists, and no other group has it.
    unsafe { <(F, ()) as VertexRun<Data<WIDTH>>>::run::<M, CurrentVersion, (), L, V>(group, Vertex(vertex), data, ()) }
}

/// Runs a function by one thread.
pub fn on_cpu<F: VertexFunction<Data<WIDTH>> + 'static>(features: usize) -> State {
    let mut state = State::new();
    let data = state.data();
    for vertex in 0..VERTICES {
        state.returned[vertex] = run::<Cpu, F, 1, WIDTH>(Cpu, vertex as u32, features, &data);
    }
    state
}

/// Runs a function in groups of `L` lanes.
pub fn on_emulator<F: VertexFunction<Data<WIDTH>> + 'static, const L: usize, const V: usize>(
    features: usize,
) -> Result<State, EmulatorError> {
    let mut state = State::new();
    let (data, returned) = (state.data(), std::cell::RefCell::new(vec![false; VERTICES]));
    emulator::launch((VERTICES * L) as u64, &|lane| {
        let vertex = (lane.thread() / L as u64) as usize;
        if vertex < VERTICES {
            let value = run::<_, F, L, V>(lane, vertex as u32, features, &data);
            returned.borrow_mut()[vertex] |= value;
        }
    })?;
    state.returned = returned.into_inner();
    Ok(state)
}

/// Compares a function with its body as plain Rust, on every machine, with and without padding.
#[track_caller]
pub fn check<F: VertexFunction<Data<WIDTH>> + 'static>(
    body: impl Fn(Feature, Vertex, &mut plain::Data) -> bool + Sync + Copy,
) {
    for features in [1, 3, WIDTH] {
        let expected = State::of_plain(features, body).without_padding(features);
        let compare = |state: State, machine: &str| {
            let state = state.without_padding(features);
            assert!(state.is_near(&expected), "{machine}, {features} features: found {state:?}, expected {expected:?}");
        };
        compare(on_cpu::<F>(features), "CPU");
        compare(on_emulator::<F, 1, 4>(features).unwrap(), "one lane");
        compare(on_emulator::<F, 2, 2>(features).unwrap(), "two lanes");
        compare(on_emulator::<F, 4, 1>(features).unwrap(), "four lanes");
    }
}
