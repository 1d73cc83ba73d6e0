//! A small graph and its arrays, as the runtime hands them to a launch.

use std::cell::Cell;
use std::mem::size_of_val;
use std::ptr;

use onyx_device::arguments::{Arguments, COUNTER_WORDS, CutParts, NeighborGroups, Units};
use onyx_device::emulator::Memory;
use onyx_device::property::{GraphData, Storage};
use onyx_device::schedule::long_rows;
use onyx_device::span::Span;

use crate::plant::GATHERING;
use crate::program::{Data, K, PROPERTIES};

/// Two words of vertices and six more.
pub const VERTICES: u64 = 70;
/// The vertex whose incoming row is cut.
pub const HUB: u32 = 3;
const HUB_EDGES: u32 = 40;
/// As many as a lane does not take.
const MANY: u32 = long_rows::LONG + 16;
/// The most edges in a neighbor group.
const GROUP: u64 = 8;

/// Double words before and after each array that belong to none, so that what is out of bounds is in no other one.
const GUARD: usize = 16;

/// Incoming edges, and the arrays of a launch. Arrays are of double words of 16 bytes, as rows are aligned.
pub struct World {
    pub memory: Memory,
    pub arguments: Arguments<Data>,
    /// Where the groups of cut rows store their totals if these are to be added in order.
    pub parts: CutParts,
    /// How many rows are cut.
    pub cut_count: u64,
    /// How many synchronizations each thread has been asked for: see [`NoSynchronization`](crate::careless::NoSynchronization).
    pub asked: Vec<Cell<u32>>,
    arrays: Vec<Vec<u128>>,
}

/// Where the edges of each vertex start, and their other ends.
struct Rows {
    offsets: Vec<u64>,
    neighbors: Vec<u32>,
}

impl Rows {
    /// Those of a world whose hub has so many edges.
    fn incoming(hub: u32) -> Self {
        let mut rows = Self { offsets: vec![0], neighbors: Vec::new() };
        for vertex in 0..VERTICES as u32 {
            let degree = if vertex == HUB { hub } else { 1 + vertex % 5 };
            rows.neighbors.extend((0..degree).map(|edge| (vertex * 7 + edge * 13 + 1) % VERTICES as u32));
            rows.offsets.push(rows.neighbors.len() as u64);
        }
        rows
    }

    /// The rows of the other direction, and the numbers of their edges.
    fn turned(&self) -> (Self, Vec<u32>) {
        let mut edges: Vec<(u32, u32, u32)> = Vec::new();
        for vertex in 0..VERTICES as usize {
            let row = self.offsets[vertex]..self.offsets[vertex + 1];
            edges.extend(row.map(|edge| (self.neighbors[edge as usize], vertex as u32, edge as u32)));
        }
        edges.sort_unstable();
        let before = |vertex: u64| edges.partition_point(|edge| u64::from(edge.0) < vertex) as u64;
        let offsets = (0..=VERTICES).map(before).collect();
        let (neighbors, numbers) = edges.iter().map(|(_, destination, number)| (*destination, *number)).unzip();
        (Self { offsets, neighbors }, numbers)
    }

    /// The vertex and the edges of each group of neighbors, and the vertices that have several groups.
    fn groups(&self) -> (Vec<u32>, Vec<u64>, Vec<u32>) {
        let (mut vertices, mut spans, mut cut) = (Vec::new(), Vec::new(), Vec::new());
        for vertex in 0..VERTICES as usize {
            let (begin, end) = (self.offsets[vertex], self.offsets[vertex + 1]);
            let count = (end - begin).div_ceil(GROUP).max(1);
            vertices.resize(vertices.len() + count as usize, vertex as u32);
            let begins = (0..count).map(|group| begin + group * GROUP);
            spans.extend(begins.map(|begin| Span::new(begin..end.min(begin + GROUP), count > 1).bits()));
            cut.extend((count > 1).then_some(vertex as u32));
        }
        (vertices, spans, cut)
    }
}

/// What is copied to arrays: plain numbers.
trait Number: Copy {}
impl Number for u8 {}
impl Number for u32 {}
impl Number for u64 {}
impl Number for f32 {}

impl World {
    /// All vertices are active, each value is its number's, and nothing has been summed up.
    pub fn new() -> Self {
        Self::with_hub(HUB_EDGES)
    }

    /// The same, whose hub has so many edges.
    fn with_hub(edges: u32) -> Self {
        let incoming = Rows::incoming(edges);
        let (outgoing, numbers) = incoming.turned();
        let (edges, asked) = (incoming.neighbors.len(), vec![Cell::new(0); 32 * VERTICES as usize]);
        let mut world = Self {
            memory: Memory::default(),
            arguments: nothing(),
            parts: CutParts::NONE,
            cut_count: 0,
            asked,
            arrays: Vec::new(),
        };
        world.add_properties(edges);
        world.add_edges(&incoming, &outgoing, &numbers);
        world.add_partials(&incoming);
        let active = [u32::MAX, u32::MAX, 0x3f];
        let degrees: Vec<u32> = outgoing.offsets.windows(2).map(|row| (row[1] - row[0]) as u32).collect();
        world.arguments.active = world.add("the active words", &active);
        world.arguments.marks = world.add("the marks", &vec![0_u8; VERTICES as usize]);
        world.arguments.counters = world.add("the counters", &vec![0_u64; COUNTER_WORDS]);
        world.arguments.before = world.add("the flag before the first iteration", &[1_u8]);
        world.arguments.out_degree = world.add("the outgoing degrees", &degrees);
        world
    }

    /// Groups of lanes take single edges, and every row is one that several groups share.
    pub fn take_edges(&mut self) {
        let incoming = Rows::incoming(HUB_EDGES);
        let rows = (0..VERTICES as usize).flat_map(|vertex| {
            std::iter::repeat_n(vertex as u32, (incoming.offsets[vertex + 1] - incoming.offsets[vertex]) as usize)
        });
        let (rows, cut): (Vec<u32>, Vec<u32>) = (rows.collect(), (0..VERTICES as u32).collect());
        self.arguments.incoming.count = rows.len() as u64;
        self.arguments.incoming.vertex = self.add("the rows of the edges", &rows);
        self.arguments.cut = self.add("all rows", &cut);
        self.cut_count = VERTICES;
    }

    /// The hub's row is longer than a lane takes, and warps take the piece that it is.
    pub fn take_long_row(&mut self) {
        *self = Self::with_hub(MANY);
        let offsets = Rows::incoming(MANY).offsets;
        let (begin, end) = (offsets[HUB as usize], offsets[HUB as usize + 1]);
        let piece = Span::new(begin..end.min(begin + u64::from(long_rows::PIECE)), true);
        self.arguments.incoming.count = 1;
        self.arguments.incoming.vertex = self.add("the vertex of the piece", &[HUB]);
        self.arguments.incoming.spans = self.add("the edges of the piece", &[piece.bits()]);
    }

    /// The last group has an edge more than there are.
    pub fn lengthen_last_group(&mut self) {
        let incoming = &self.arguments.incoming;
        // SAFETY: there is a group, and no launch.
        let span = unsafe { &mut *incoming.spans.cast_mut().add(incoming.count as usize - 1) };
        let (edges, is_cut) = (Span::of_bits(*span).edges(), Span::of_bits(*span).is_cut());
        *span = Span::new(edges.start..edges.end + 1, is_cut).bits();
    }

    /// Blocks take whole graphs, which begin at these vertices.
    pub fn take_graphs(&mut self, first: &[u32]) {
        self.arguments.blocks = self.add("the blocks of graphs", first);
    }

    /// Has a launch take all units of its kernel, and returns how many those are.
    pub fn take(&mut self, count: u64) -> u64 {
        self.arguments.units = Units::all(count);
        count
    }

    fn add<T: Number>(&mut self, name: &str, values: &[T]) -> *mut T {
        let mut array = vec![0_u128; size_of_val(values).div_ceil(16) + 2 * GUARD];
        let to = array[GUARD..].as_mut_ptr().cast::<T>();
        // SAFETY: the array is long enough, and numbers have no padding.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), to, values.len()) };
        self.memory.add(name, to.addr(), size_of_val(values));
        self.arrays.push(array);
        to
    }

    fn add_floats(&mut self, name: &str, count: usize) -> *mut f32 {
        let values: Vec<f32> = (0..count).map(|index| (index % 11) as f32 * 0.25).collect();
        self.add(name, &values)
    }

    fn add_properties(&mut self, edges: usize) {
        let vertices = VERTICES as usize;
        let blocks = GATHERING as usize;
        let of_graph = [1, K, blocks, blocks * K];
        let lengths =
            [edges, edges * K, vertices * K, vertices, vertices * K, vertices, vertices].into_iter().chain(of_graph);
        let (mut storages, mut pending) = (Vec::new(), Vec::new());
        for ((name, is_tracked), length) in PROPERTIES.into_iter().zip(lengths) {
            let current = self.add_floats(name, length);
            let previous = if is_tracked { self.add_floats(&format!("{name} (tracked)"), length) } else { current };
            let storage = Storage { current, previous, row: K, value: 0.0, rows: 0, heads: 1 };
            let is_total = matches!(name, "total" | "mass");
            let changes = if is_total { self.add(&format!("{name} (pending)"), &vec![0.0; length]) } else { current };
            storages.push(storage);
            pending.push(Storage { current: changes, ..storage });
        }
        self.arguments.data = Data::bind(&storages);
        self.arguments.pending = Data::bind(&pending);
        self.arguments.partials = Data::bind(&storages);
    }

    fn add_edges(&mut self, incoming: &Rows, outgoing: &Rows, numbers: &[u32]) {
        let ids: *mut u32 = self.add("the outgoing edge numbers", numbers);
        let (_, _, cut) = incoming.groups();
        self.arguments.incoming = self.groups("incoming", incoming);
        self.arguments.outgoing = self.groups("outgoing", outgoing);
        (self.arguments.outgoing.edge_ids, self.arguments.outgoing.edge_id_bytes) = (ids.cast(), 4);
        self.arguments.cut = self.add("the cut incoming rows", &cut);
        self.cut_count = cut.len() as u64;
    }

    fn groups(&mut self, side: &str, rows: &Rows) -> NeighborGroups {
        let (vertices, spans, _) = rows.groups();
        NeighborGroups {
            vertex: self.add(&format!("the vertices of the {side} groups"), &vertices),
            spans: self.add(&format!("the edges of the {side} groups"), &spans),
            count: vertices.len() as u64,
            neighbors: self.add(&format!("the {side} neighbors"), &rows.neighbors),
            edge_ids: ptr::null(),
            offsets: self.add(&format!("the {side} offsets"), &rows.offsets).cast(),
            edge_id_bytes: 0,
            offset_bytes: 8,
        }
    }

    /// Room for the totals of each group of the cut row.
    fn add_partials(&mut self, incoming: &Rows) {
        let (vertices, _, _) = incoming.groups();
        let mut rows = vec![0_u32; vertices.len()];
        let parts = (0..).zip(rows.iter_mut().zip(&vertices).filter(|(_, vertex)| **vertex == HUB));
        let count = parts.map(|(part, (row, _))| *row = part).count();
        let storage = |current| Storage { current, previous: current, row: K, value: 0.0, rows: 0, heads: 1 };
        let (total, mass) = (self.add_floats("total (partial)", count * K), self.add_floats("mass (partial)", count));
        let none = storage(ptr::null_mut());
        let mut partials = [none; PROPERTIES.len()];
        (partials[4], partials[5]) = (storage(total), storage(mass));
        self.arguments.partials = Data::bind(&partials);
        self.parts.row = self.add("the rows of the partial totals", &rows);
        self.parts.begin = self.add("the beginnings of the partial totals", &[0, count as u32]);
    }
}

/// Arguments without arrays.
fn nothing() -> Arguments<Data> {
    let none = Storage { current: ptr::null_mut(), previous: ptr::null_mut(), row: K, value: 0.0, rows: 0, heads: 1 };
    let data = Data::bind(&[none; PROPERTIES.len()]);
    Arguments { vertex_count: VERTICES, features: K as u32, ..Arguments::of(data) }
}
