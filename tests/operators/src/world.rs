//! Where folds run, on what graphs, with what numbers.

use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{Backend, Bins, EmulatedOrder, Options, Schedule};

/// The sources of a hub, many more than a neighbor group has.
const SPOKES: u32 = 300;

/// The graphs that break schedules, and a random one, by name.
pub fn graphs() -> Vec<(&'static str, Graph)> {
    let graph = |vertices: usize, edges: Vec<(u32, u32)>| {
        GraphBuilder::new().vertices(vertices).edges(edges).build().expect("the edges lie among the vertices")
    };
    let hub = (1..=SPOKES).map(|spoke| (spoke, 0)).chain([(0, 0), (0, 1), (7, 1)]).collect();
    let random = |name: &str, seed| name.parse::<Generator>().expect("a generator").generate(seed).expect("a graph");
    vec![
        ("no vertex", graph(0, vec![])),
        ("one vertex", graph(1, vec![])),
        ("one loop", graph(1, vec![(0, 0)])),
        ("only isolated vertices", graph(70, vec![])),
        ("duplicates", graph(3, vec![(0, 1); 40])),
        ("hub", graph(SPOKES as usize + 1, hub)),
        ("uniform", random("uniform:60:700", 5)),
        ("R-MAT", random("rmat:6:6", 9)),
    ]
}

/// Every schedule of a pull on a backend of kernels, and deterministic runs; groups are small, so that even short rows are cut.
pub fn by_every_schedule(backend: Backend) -> Vec<Options> {
    let options = Options { backend, iterations: 1, group_size: Some(4), ..Options::default() };
    let schedules = [
        Schedule::NeighborGroup,
        Schedule::GroupsPerBlock,
        Schedule::VertexPerWarp,
        Schedule::VertexPerBlock,
        Schedule::WordPerWarp,
        Schedule::EdgeFlat,
        Schedule::Auto,
    ];
    let scheduled = schedules.map(|schedule| Options { schedule, ..options.clone() });
    let in_blocks = Options { schedule: Schedule::GroupsPerBlock, ..options.clone() };
    let in_bins = Options { bins: Bins::Count(3), ..options.clone() };
    let exact = [options, in_blocks].map(|options| Options { deterministic: true, ..options });
    scheduled.into_iter().chain([in_bins]).chain(exact).collect()
}

/// The CPU, and the emulator by every schedule and in another order; a GPU, too, where `cargo xtask test --gpu` asks for that.
pub fn places() -> Vec<Options> {
    let cpu = Options { backend: Backend::Cpu, iterations: 1, ..Options::default() };
    let mut places = by_every_schedule(Backend::Emulator);
    let reversed = Options { emulated_order: EmulatedOrder::Reversed, ..places[0].clone() };
    places.extend([cpu, reversed]);
    if std::env::var_os("ONYX_TEST_GPU").is_some() {
        places.extend(by_every_schedule(Backend::Cuda));
    }
    places
}

/// Numbers that only must not be regular.
#[derive(Clone, Debug)]
pub struct Numbers(pub u32);

impl Numbers {
    /// One in -1..1.
    pub fn draw(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 12) as f32 / (1 << 19) as f32 - 1.0
    }

    /// So many, as `of` makes them of one in -1..1.
    pub fn list(&mut self, length: usize, of: impl Fn(f32) -> f32) -> Vec<f32> {
        (0..length).map(|_| of(self.draw())).collect()
    }
}
