//! What keeps the values of programs so small that single floats hold them without rounding.

/// The most incoming edges of a vertex in the graphs that programs run on.
pub const MOST_INCOMING: usize = 100;
/// The most outgoing edges.
pub const MOST_OUTGOING: usize = 300;
/// The most edges, and the most vertices.
pub const MOST_EDGES: usize = 400;
/// The most features.
pub const MOST_FEATURES: usize = 16;
/// The most features of programs that have matrices.
pub const MOST_FEATURES_OF_MATRICES: usize = 4;
/// The most iterations.
pub const MOST_ITERATIONS: usize = 12;
/// What is stored lies below this, in multiples of [`GRAIN`].
pub const SMALL: f64 = 4.0;
/// The grain of what is stored.
pub const GRAIN: f64 = 0.125;
/// What may be multiplied many times.
pub const UNITS: [f64; 6] = [1.0, -1.0, 0.0, 2.0, 0.5, -0.5];
/// No value of a program has more steps of its grain than this: of the 24 bits of a float two are left for sums of changes.
pub const MOST_STEPS: f64 = (1 << 22) as f64;

/// What [`tame`] does with a number: cuts it to multiples of [`GRAIN`] below [`SMALL`].
///
/// The same expression stands in the programs, for single floats.
pub fn tame(value: f64) -> f64 {
    f64::from((value / GRAIN) as i32 % 32) * GRAIN
}

/// What `bound` does with a number in the programs: cuts it off at [`SMALL`].
pub fn bound(value: f64) -> f64 {
    value.clamp(-SMALL, SMALL)
}

/// How many floats a row of another width has, of which `matvec` makes features.
pub const COLUMNS: usize = 5;

/// The matrix that does so, of which nothing is drawn: what feature `feature` takes of float `column`.
pub fn lift(feature: usize, column: usize) -> f64 {
    UNITS[(3 * feature + column) % UNITS.len()]
}

/// How many rows a table has: a vertex or an edge names the one whose number is the remainder of its own.
pub const TABLE_ROWS: usize = 3;

/// The most vertices of the graphs that programs run on whose numbers they keep.
pub const MOST_VERTICES: usize = 128;
