//! What can go wrong between a graph in memory and an answer.

mod cuda;

#[cfg(feature = "emulator")]
use onyx_device::emulator::EmulatorError;
use thiserror::Error;

pub use self::cuda::CudaError;
use crate::bins::Bins;
use crate::memory::OutOfMemory;
use crate::session::BorrowError;

/// Why a run did not take place, or did not end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// A feature count that no compiled width holds.
    #[error("`{fold}` has no kernel for {features} features: ask for 1 to {widest}")]
    Features {
        /// The fold.
        fold: &'static str,
        /// What was asked for.
        features: usize,
        /// The widest compiled width.
        widest: usize,
    },
    /// More features than the widest compiled width, in a fold that needs all of them at once.
    #[error(
        "`{fold}` has no kernel for {features} features, and cannot run them by tiles of {widest}, because {reason}: ask for 1 to {widest}, or \
         compile a wider one, such as by `features = [4, 640]`"
    )]
    TooWide {
        /// The fold.
        fold: &'static str,
        /// What was asked for.
        features: usize,
        /// The widest compiled width.
        widest: usize,
        /// What needs all features at once.
        reason: &'static str,
    },
    /// Several features for a structure without any.
    #[error(
        "`{fold}` has no features, and {features} are asked for: ask for 1, or declare what has them as `VertexFeatures<K>` or `EdgeFeatures<K>`"
    )]
    NoFeatures {
        /// The fold.
        fold: &'static str,
        /// What was asked for.
        features: usize,
    },
    /// Several heads for a structure without any.
    #[error(
        "`{fold}` has no heads, and {heads} are asked for: declare what each head has of its own as `VertexHeads` or `EdgeHeads`, or ask for one head"
    )]
    NoHeads {
        /// The fold.
        fold: &'static str,
        /// What was asked for.
        heads: usize,
    },
    /// Heads of a width that the fold is not compiled for, or none.
    #[error(
        "`{fold}` cannot have {heads} heads of {features} features: there is one head at least and 65535 at most, and each has as many features as the fold \
         is compiled for, {widths:?}; name another number, such as by `features = [8, 16]`"
    )]
    HeadWidth {
        /// The fold.
        fold: &'static str,
        /// How many heads were asked for.
        heads: usize,
        /// Of how many features.
        features: usize,
        /// What the fold is compiled for.
        widths: &'static [usize],
    },
    /// More or fewer widths than the data's structure has.
    #[error(
        "the data of `{fold}` have the widths {}, and {found:?} are given: make them by `session.data_of_widths(fold, &graph, &[..])`, a number for each in this \
         order", expected.join(", ")
    )]
    Widths {
        /// The fold.
        fold: &'static str,
        /// What was given.
        found: Vec<usize>,
        /// The names of the structure's widths, the number of features first.
        expected: &'static [&'static str],
    },
    /// Rows of no numbers, or of more than there may be.
    #[error(
        "the data of `{fold}` cannot have {width} = {found}: a row that is read whole has 1 number at least and {widest} at most"
    )]
    InputWidth {
        /// The fold.
        fold: &'static str,
        /// The width's name.
        width: &'static str,
        /// What was given.
        found: usize,
        /// The most that there may be.
        widest: usize,
    },
    /// The store was made for another graph.
    #[error(
        "the store has values for {} vertices and {} edges, and the graph has {} and {}: make it with Store::new for this graph",
        .found.0, .found.1, .expected.0, .expected.1
    )]
    StoreGraph {
        /// The vertices and edges that the store has values for.
        found: (usize, usize),
        /// Those of the graph.
        expected: (usize, usize),
    },
    /// The store was made for another structure.
    #[error(
        "`{fold}` works on {expected}, and the store has the properties of {found}: make it with Store::new for this fold"
    )]
    StoreData {
        /// The fold.
        fold: &'static str,
        /// The store's structure.
        found: &'static str,
        /// The fold's structure.
        expected: &'static str,
    },
    /// The store was made for a fold that is compiled for other widths.
    #[error(
        "the rows of the store are padded to {width} features, and `{fold}` is compiled for {widths:?}: make the store with Store::new for \
         this fold, or give both folds the same `features = [..]`"
    )]
    StoreWidth {
        /// The fold.
        fold: &'static str,
        /// What the store's rows are padded to.
        width: usize,
        /// What the fold is compiled for.
        widths: &'static [usize],
    },
    /// Data or a graph of another session.
    #[error("`{fold}`: the {what} is in another session: take it into this one, by `session.graph` or `session.data`")]
    OtherSession {
        /// What is elsewhere: the data, or the graph.
        what: &'static str,
        /// The fold.
        fold: &'static str,
    },
    /// A matrix of another session.
    #[error(
        "{doing}: the matrix is in another session: take it from data of this one, or from a tensor, `session.tensor(rows, columns)`"
    )]
    OtherMatrix {
        /// What was to be done with it.
        doing: &'static str,
    },
    /// Data that were made for another graph.
    #[error(
        "`{fold}`: the data were made for another graph of the session: make them with `session.data` for this one"
    )]
    OtherGraph {
        /// The fold.
        fold: &'static str,
    },
    /// Data of a graph for its reverse, in a fold that reaches values of edges: those are in another order there.
    #[error(
        "`{fold}` reaches `{property}`, and the data have its values in the order of the edges of the graph that they were made for, not of its \
         reverse: make data for the graph of this run by `session.data`, and write the values in the order of that one's edges, \
         where edge n is edge `outgoing().edge_id(n)` of the other"
    )]
    ReversedEdges {
        /// The fold.
        fold: &'static str,
        /// The property.
        property: &'static str,
    },
    /// Vertices that the data have not.
    #[error(
        "{begin}..{end} is no range of the {vertices} vertices that the data have: give a range within 0..{vertices} that does not end before it begins"
    )]
    Vertices {
        /// The first vertex.
        begin: u32,
        /// The one after the last vertex.
        end: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// Rows that a matrix has not.
    #[error(
        "{begin}..{end} is no range of the {rows} rows that the matrix has: give a range within 0..{rows} that does not end before it begins"
    )]
    MatrixRows {
        /// The first row.
        begin: usize,
        /// The one after the last row.
        end: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// A product that would write one of its factors.
    #[error("a product cannot write `{property}`, which it reads: have it write another property of that width")]
    OwnFactor {
        /// The property.
        property: &'static str,
    },
    /// Values of another shape than their property's.
    #[error(
        "`{property}` has the shape {expected:?}, and the values have {found:?}: give an array of the shape {expected:?}, or make the data, or the tensor, for \
         the size of the values"
    )]
    Shape {
        /// The property.
        property: &'static str,
        /// The shape of the values.
        found: Vec<usize>,
        /// The shape of the property.
        expected: Vec<usize>,
    },
    /// Values of another shape than that of their property, which has a width beside the number of features.
    #[error(
        "`{property}` has the shape {expected:?}, with {}, and the values have {found:?}: give an array of the shape {expected:?}, or make the data with other \
         widths, by `session.data_of_widths(fold, &graph, &[..])`",
        named(widths)
    )]
    WidthShape {
        /// The property.
        property: &'static str,
        /// The shape of the values.
        found: Vec<usize>,
        /// The shape of the property.
        expected: Vec<usize>,
        /// The widths of the data by their names, the number of features first.
        widths: Vec<(&'static str, usize)>,
    },
    /// A number that half precision does not hold.
    #[error(
        "`{property}` is of `{number}` values, and {value} at row {row}, feature {feature} is too great for one: scale the values, or declare the property \
         as `bf16` or `f32`, or as `saturating_f16` if the greatest number may stand for it"
    )]
    TooGreat {
        /// The property.
        property: &'static str,
        /// The vertex or edge.
        row: usize,
        /// The feature.
        feature: usize,
        /// The number.
        value: f32,
        /// The type of the property's values.
        number: &'static str,
    },
    /// Values that a failed run has left nothing of.
    #[error(
        "the values of `{property}` are gone: `{fold}` failed while it could write them, and nobody had read them before; write them again"
    )]
    Lost {
        /// The property.
        property: &'static str,
        /// The fold whose run failed.
        fold: &'static str,
    },
    /// A total that is in no memory.
    #[error(
        "`{property}` is a total that the fold's vertex functions have taken from registers: to keep it, store it in another property, \
         `d.kept[v][f] = d.{property}[v][f]`"
    )]
    Taken {
        /// The property.
        property: &'static str,
    },
    /// A run that was to end by a total that its fold does not add to.
    #[error(
        "`{fold}` does not add to `{total}`, so that no run of it ends by that: use a total of its own, `d.{total} += x`"
    )]
    Until {
        /// The fold.
        fold: &'static str,
        /// The total.
        total: &'static str,
    },
    /// A run that is to end by a total of another structure.
    #[error("`{fold}` is a fold of `{data}`, and no run of it ends by a total of `{of}`: use a total of `{data}`")]
    UntilOfOthers {
        /// The fold.
        fold: &'static str,
        /// Its structure.
        data: &'static str,
        /// The structure that the total is of.
        of: &'static str,
    },
    /// A deterministic run of a fold whose functions add to rows of a table.
    #[error(
        "`{fold}` adds to rows of `{table}` in whatever order its edges and vertices come, so that no run of it is deterministic: leave that \
         option out, or gather the rows by `min_with` or `max_with`, whose order does not matter"
    )]
    Unordered {
        /// The fold.
        fold: &'static str,
        /// The table.
        table: &'static str,
    },
    /// Groups of no neighbors.
    #[error("a neighbor group has at least one neighbor: give `group_size` a number of at least 1, or none")]
    GroupSize,
    /// More parts of cut rows than 32 bits number.
    #[error(
        "the rows of the graph are cut into more than {} parts, and a run numbers no more: give `group_size` a greater number, or take a smaller graph",
        u32::MAX
    )]
    Parts,
    /// No bins, or too many.
    #[error(
        "there are 1 to {} bins of sources: give `bins` a number of them, `Bins::Auto` or `Bins::None`",
        Bins::MOST
    )]
    Bins,
    /// A direction that the fold does not allow.
    #[error("`{fold}` cannot be pushed: {}; use pull", why_not_pushed(*.reason))]
    NotChangeDriven {
        /// The fold.
        fold: &'static str,
        /// What keeps it from being change-driven, where its edges are not those of active sources.
        reason: Option<&'static str>,
    },
    /// A vertex function of a fold that was asked for changes has kept one to itself.
    #[error(
        "`{fold}` was asked for changes by `edges = changed`, but at vertex {vertex} its functions returned false and stored a new \
         `{property}`, which they read again in the next iteration: return whether it has changed, or leave that option out"
    )]
    Unsaid {
        /// The fold.
        fold: &'static str,
        /// The original id of the vertex.
        vertex: u64,
        /// The property.
        property: &'static str,
    },
    /// A push where the options leave none.
    #[error("`{fold}` cannot be pushed: {option} allows no push; use pull, or leave that option out")]
    PushExcluded {
        /// The fold.
        fold: &'static str,
        /// The option.
        option: &'static str,
    },
    /// A first active set for a fold that always starts with all vertices.
    #[error(
        "`{fold}` starts with all vertices: its sums are over all edges; write `edges = active` in its foldmap!, or leave the start out"
    )]
    Start {
        /// The fold.
        fold: &'static str,
    },
    /// A first active set of another graph.
    #[error(
        "the start has {found} vertices, and the graph has {expected}: make it for this graph, such as by `ActiveSet::of(graph.vertex_count(), [..])`"
    )]
    StartSize {
        /// How many vertices the set has.
        found: usize,
        /// How many the graph has.
        expected: usize,
    },
    /// An edge that no edge runs back along, in a fold that reads at the reverse edge.
    #[error(
        "`{fold}` reads at `e.rev`, but no edge runs back along the edge from {origin} to {destination}: symmetrize the graph, such as by \
         `GraphBuilder::undirected`, or `--undirected` where it is read from a file"
    )]
    NoReverse {
        /// The fold.
        fold: &'static str,
        /// The original id of the edge's source.
        origin: u64,
        /// The original id of the edge's destination.
        destination: u64,
    },
    /// A function of the fold has panicked, or something that it calls.
    ///
    /// Where the fold ran in the emulator, the store keeps the values it had. The CPU works in the store itself: what the fold writes is
    /// then of the last iterations, some of one and some of another, and must be set before the next run.
    #[error("`{fold}`: its function `{function}` panicked at {place}: {message}")]
    Panic {
        /// The fold.
        fold: &'static str,
        /// The function marked `#[edge_fn]` or `#[vertex_fn]`.
        function: &'static str,
        /// What the panic says.
        message: String,
        /// The file, line and column of the panic.
        place: String,
    },
    /// A function of the fold has read at an index that is out of range: of several, one.
    ///
    /// Nothing was read there. What the fold writes is as after a panic.
    #[error(
        "`{fold}`: at {element}, its function `{function}` reaches `{property}` at index {index}, and there are {rows} {what}: compute an index below that, or reach \
         it under a condition{}", if *.rows == 0 && *.what == "rows" { "; write the table first, or `data.resize` it" } else { "" }
    )]
    OutOfRange {
        /// The fold.
        fold: &'static str,
        /// The function marked `#[edge_fn]` or `#[vertex_fn]`.
        function: &'static str,
        /// The property.
        property: &'static str,
        /// The index.
        index: u32,
        /// How many vertices or rows the property has.
        rows: usize,
        /// Which of the two.
        what: &'static str,
        /// The edge or the vertex that the function ran for, by its number.
        element: String,
    },
    /// Something that waits for the processor, while a recording only notes what is to be done.
    #[error(
        "{what} inside of a recording, which waits for nothing: do it before or after `Recording::run`, and run folds there by a `Sequence`"
    )]
    Recording {
        /// What waits, with its verb: "reading `heat` is".
        what: String,
    },
    /// A recording that the driver has refused, so that what folds were to write there was not written.
    #[error("what was recorded was not done: {reason}; mend that, and run the recording again")]
    Unrecorded {
        /// What the driver has said.
        reason: String,
    },
    /// Folds that ran while nobody waited for them have failed.
    #[error("{folds} ran in a sequence, and failed: {source}")]
    Queued {
        /// The folds.
        folds: String,
        /// What the driver said when somebody waited.
        source: Box<Self>,
    },
    /// Matrices that have no product, or one of another shape than what it is to be stored in.
    #[error(
        "a matrix of {} x {} times one of {} x {} is to be stored in one of {} x {}: the columns of the first must be as many as the rows of the \
         second, and the result has the rows of the first and the columns of the second",
        .left.0, .left.1, .right.0, .right.1, .into.0, .into.1
    )]
    Product {
        /// The rows and columns of the first factor.
        left: (usize, usize),
        /// Those of the second.
        right: (usize, usize),
        /// Those of what the product is to be stored in.
        into: (usize, usize),
    },
    /// A copy to a matrix of another shape.
    #[error("a matrix of {} x {} is to be copied to one of {} x {}: give it as many rows and columns", .from.0, .from.1, .into.0, .into.1)]
    Copy {
        /// The rows and columns of what is copied.
        from: (usize, usize),
        /// Those of what it is to be stored in.
        into: (usize, usize),
    },
    /// Values in the place of a property that lies otherwise in memory.
    #[error(
        "`{property}` has {} rows of {} floats, padded to {}, and `{place}`, in whose place it is to stand, {} of {}, padded to {}: both must be the same, else copy \
         the values by `Session::copy`; rows are padded to the widths that a fold is compiled for, `features = [..]`",
        found[0], found[1], found[2], expected[0], expected[1], expected[2]
    )]
    Lend {
        /// The property that is lent.
        property: &'static str,
        /// The one in whose place it is to stand.
        place: &'static str,
        /// Its rows, their floats, and how many floats they are padded to.
        found: [usize; 3],
        /// The same of the place.
        expected: [usize; 3],
    },
    /// Values in memory of another owner, or in the place of such.
    #[error(
        "`{property}` is in memory of another owner, and cannot be lent or stood in for: give it back before, by `Data::give_back`"
    )]
    LendBorrowed {
        /// The property.
        property: &'static str,
    },
    /// Memory that cannot be the array of a property.
    #[error("`{property}` cannot be kept in memory of another owner: {source}")]
    Borrow {
        /// The property.
        property: &'static str,
        /// Why not.
        source: BorrowError,
    },
    /// A property whose memory was given back to its owner, with the values.
    #[error(
        "the values of `{property}` were given back to the owner of their memory: write them, or borrow memory again"
    )]
    GivenBack {
        /// The property.
        property: &'static str,
    },
    /// A property whose values were discarded.
    #[error("the values of `{property}` were discarded: write them before they are read, or discard them later")]
    Discarded {
        /// The property.
        property: &'static str,
    },
    /// The program was built without the emulator.
    #[error(
        "`{fold}` cannot run in the emulator, which this program was built without: switch on the feature `emulator` of onyx-runtime, such as in \
         the [dev-dependencies] of your Cargo.toml for tests, or by `cargo run --features emulator` for the programs of Onyx"
    )]
    NoEmulator {
        /// The fold.
        fold: &'static str,
    },
    /// The emulator found a mistake: lanes that do not meet, a conflict, or memory that is not there.
    #[cfg(feature = "emulator")]
    #[error("kernel {kernel} in the emulator: {source}")]
    Emulator {
        /// The kernel.
        kernel: String,
        /// What the emulator found.
        source: EmulatorError,
    },
    /// There is no memory for the values, or for what a run needs besides.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The CUDA backend failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

/// Why no push is possible.
fn why_not_pushed(reason: Option<&'static str>) -> String {
    match reason {
        Some(reason) => format!("it is not change-driven, because {reason}"),
        None => "with `edges = active`, all stages but the last must be edge functions that reduce nothing, and the last one's edge functions \
                 must end in `true`"
            .to_owned(),
    }
}

/// Widths by their names: `K = 16 and J = 1433`.
fn named(widths: &[(&'static str, usize)]) -> String {
    widths.iter().map(|(name, width)| format!("{name} = {width}")).collect::<Vec<_>>().join(" and ")
}
