//! Host arrays as the schedules want them: a small graph, rows padded and aligned, arguments that point into them.

use std::ptr;

use onyx_device::arguments::{Arguments, COUNTER_WORDS, NeighborGroups, Units};
use onyx_device::property::{GraphData, Storage};
use onyx_device::span::Span;

/// A small graph by incoming edges.
pub struct Graph {
    /// Where each vertex's incoming edges start.
    pub offsets: Vec<u64>,
    /// Their sources.
    pub sources: Vec<u32>,
}

impl Graph {
    /// Vertex `v` has `v % 7` incoming edges from pseudo-random sources; vertex 3 has 40.
    pub fn new(vertices: u32) -> Self {
        let mut graph = Self { offsets: vec![0], sources: Vec::new() };
        let mut state = 12345_u32;
        for vertex in 0..vertices {
            let degree = if vertex == 3 { 40 } else { vertex % 7 };
            for _ in 0..degree {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                graph.sources.push((state >> 8) % vertices);
            }
            graph.offsets.push(graph.sources.len() as u64);
        }
        graph
    }

    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The incoming edges of a vertex: numbers and sources.
    pub fn incoming(&self, vertex: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        (self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize)
            .map(|edge| (edge, self.sources[edge] as usize))
    }
}

/// Floats aligned to 16 bytes.
pub struct Floats {
    blocks: Vec<[f32; 4]>,
}

impl Floats {
    pub fn new(values: impl IntoIterator<Item = f32>) -> Self {
        let values: Vec<f32> = values.into_iter().collect();
        let blocks = values.chunks(4).map(|chunk| std::array::from_fn(|at| chunk.get(at).copied().unwrap_or(0.0)));
        Self { blocks: blocks.collect() }
    }

    /// Rows of `width` floats, of which `features` have values and the rest is rubbish that nothing may depend on.
    pub fn rows(rows: usize, width: usize, features: usize, value: impl Fn(usize, usize) -> f32) -> Self {
        let value = &value;
        Self::new((0..rows).flat_map(|row| (0..width).map(move |at| if at < features { value(row, at) } else { 1e30 })))
    }

    pub fn as_slice(&self) -> &[f32] {
        self.blocks.as_flattened()
    }

    pub fn storage(&mut self) -> Storage {
        let current = self.blocks.as_flattened_mut().as_mut_ptr();
        Storage { current, previous: current, row: 0, value: 0.0, rows: 0, heads: 1 }
    }
}

/// A tracked property.
pub fn tracked(current: &mut Floats, previous: &mut Floats) -> Storage {
    Storage { previous: previous.storage().current, ..current.storage() }
}

/// A parameter.
pub fn parameter(value: f32) -> Storage {
    Storage { current: ptr::null_mut(), previous: ptr::null_mut(), row: 0, value, rows: 0, heads: 1 }
}

/// What a launch needs beside the properties.
pub struct Launch {
    vertex: Vec<u32>,
    spans: Vec<u64>,
    sources: Vec<u32>,
    pub cut: Vec<u32>,
    active: Vec<u32>,
    pub marks: Vec<u8>,
    counters: Vec<u64>,
    out_degree: Vec<u32>,
}

impl Launch {
    /// Cuts the rows of a graph into groups of at most `size` edges; a vertex without edges has one group.
    pub fn new(graph: &Graph, size: u64) -> Self {
        let (mut vertex, mut spans, mut cut) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..graph.vertices() {
            let (start, end) = (graph.offsets[row], graph.offsets[row + 1]);
            let groups = (end - start).div_ceil(size).max(1);
            (0..groups).for_each(|group| {
                vertex.push(row as u32);
                let begin = start + group * size;
                spans.push(Span::new(begin..end.min(begin.saturating_add(size)), groups > 1).bits());
            });
            if groups > 1 {
                cut.push(row as u32);
            }
        }
        Self {
            vertex,
            spans,
            sources: graph.sources.clone(),
            cut,
            active: vec![u32::MAX; graph.vertices().div_ceil(32)],
            marks: vec![0; graph.vertices()],
            counters: vec![0; COUNTER_WORDS],
            out_degree: vec![0; graph.vertices()],
        }
    }

    pub fn arguments<D: GraphData>(&mut self, storages: &[Storage], features: usize) -> Arguments<D> {
        let groups = NeighborGroups {
            vertex: self.vertex.as_ptr(),
            spans: self.spans.as_ptr(),
            count: self.vertex.len() as u64,
            neighbors: self.sources.as_ptr(),
            ..NeighborGroups::NONE
        };
        let rows: Vec<Storage> = storages.iter().map(|storage| Storage { row: D::WIDTH, ..*storage }).collect();
        Arguments {
            incoming: groups,
            outgoing: groups,
            cut: self.cut.as_ptr(),
            active: self.active.as_mut_ptr(),
            marks: self.marks.as_mut_ptr(),
            counters: self.counters.as_mut_ptr(),
            before: &1,
            out_degree: self.out_degree.as_ptr(),
            vertex_count: self.marks.len() as u64,
            features: features as u32,
            ..Arguments::of(D::bind(&rows))
        }
    }
}

/// Which machine a fold runs on.
#[derive(Clone, Copy, Debug)]
pub enum On {
    Cpu,
    Emulator,
}

/// Runs a fold once over all vertices by pull.
pub fn pull<D, E, W, const L: usize, const V: usize, const K: usize>(on: On, launch: &Launch, arguments: &Arguments<D>)
where
    D: GraphData,
    E: onyx_device::run::EdgeRun<D>,
    W: onyx_device::run::VertexRun<D>,
{
    match on {
        On::Cpu => pull_on_cpu::<D, E, W, K>(arguments),
        On::Emulator => pull_on_emulator::<D, E, W, L, V>(launch, arguments),
    }
}

fn pull_on_cpu<D, E, W, const K: usize>(arguments: &Arguments<D>)
where
    D: GraphData,
    E: onyx_device::run::EdgeRun<D>,
    W: onyx_device::run::VertexRun<D>,
{
    use onyx_device::cpu::Cpu;
    use onyx_device::launch::{self, Owned};
    use onyx_device::schedule::pull::Pull;
    // SAFETY: the arrays are those of the graph; one thread runs.
    let worker = unsafe { launch::Launch::<_, D, E, W, Pull>::new(Cpu, arguments) }.worker::<1, K>();
    for part in 0..arguments.incoming.count {
        // SAFETY: the arrays are those of the graph; one thread runs.
        unsafe {
            let part = arguments.incoming.part(Cpu, part);
            assert!(!part.is_cut, "a CPU thread has whole rows");
            let (sums, reached) = worker.gather::<1>(part.vertex, part.begin, part.end);
            worker.finish(Owned::claim(part.vertex), sums, reached);
        }
    }
}

fn pull_on_emulator<D, E, W, const L: usize, const V: usize>(launch: &Launch, arguments: &Arguments<D>)
where
    D: GraphData,
    E: onyx_device::run::EdgeRun<D>,
    W: onyx_device::run::VertexRun<D>,
{
    use onyx_device::emulator;
    use onyx_device::schedule::{cut_rows, pull};
    let taking = |count: usize| Arguments { units: Units::all(count as u64), ..*arguments };
    let (cut, groups) = (&taking(launch.cut.len()), &taking(launch.vertex.len()));
    let threads = |arguments: &Arguments<D>| arguments.units.count() * L as u64;
    // SAFETY: the arrays are those of the graph; lanes run one after the other.
    unsafe {
        use onyx_device::Launch as Of;
        let clear = |lane| cut_rows::clear::<_, D, E, L, V>(Of::new(lane, cut));
        emulator::launch(threads(cut), &clear).unwrap();
        let pull = |lane| pull::run::<_, D, E, W, L, V>(Of::new(lane, groups));
        emulator::launch(threads(groups), &pull).unwrap();
        if !W::IS_EMPTY {
            let finish = |lane| cut_rows::finish::<_, D, E, W, L, V>(Of::new(lane, cut));
            emulator::launch(threads(cut), &finish).unwrap();
        }
    }
}

/// Compares two arrays, relative to the size of their values.
#[track_caller]
pub fn assert_close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() < 1e-5 * expected.abs().max(1.0),
            "at {at}: found {found}, expected {expected}"
        );
    }
}
