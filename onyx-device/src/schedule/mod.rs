//! Schedules: how edges and vertices come to groups of lanes. One file each; no schedule knows an algorithm.
//!
//! | schedule | kernel | what one group does |
//! | --- | --- | --- |
//! | [`pull`] | `pull` | all functions of the fold for one neighbor group; the row's sums stay in registers |
//! | [`groups_per_block`] | `groups_per_block` | the same; those of one row in a block meet in shared memory |
//! | [`vertex_per_warp`] | `vertex_per_warp` | all functions for its share of one vertex's row; the warp joins the sums |
//! | [`vertex_per_block`] | `vertex_per_block` | the same; the block joins the sums of its warps |
//! | [`matrix_per_block`] | `matrix_per_block` | all functions for one vertex; the group is a whole block, with a row of a matrix in each lane |
//! | [`word_per_warp`] | `word_per_warp` | its share of the edges of 32 vertices; then the vertex functions of some of them |
//! | [`long_rows`] | `long_rows` | the edge functions for its share of a piece of a row that is too long for that |
//! | [`graph_per_block`] | `graph_per_block` | all stages of the fold, for its share of the vertices of some whole graphs |
//! | [`edge_flat`] | `edge_flat` | the edge functions for one edge; `clear` and `finish` take every row |
//! | [`cut_rows`] | `clear`, `finish` | what `pull` cannot do for rows that several groups share |
//! | [`finish_long`] | `finish_long` | the vertex functions of one row, on its share of the parts that very many groups have left; the block joins them |
//! | [`push`] | `push` | the change of every edge of one neighbor group of an active source |
//! | [`warp_word`] | `warp_word` | the changes of its share of the active edges of one word |
//! | [`recompute`] | `recompute` | all edges of one vertex whose product a push could not correct |
//! | [`vertex`] | `vertex` | the vertex functions for the active vertices of one word |
//! | [`every_vertex`] | `every_vertex` | the vertex functions for one vertex, in a stage without edge functions |
//! | [`gather_totals`] | `gather_totals` | the vertex functions for some vertices, in such a stage that adds to totals of the graph; the block joins what they add |
//! | [`activate`] | `activate` | nothing but the active words, from the marks |
//! | [`limit`] | `limit` | nothing but the end of a batch where too few or too many edges are active |
//! | [`look`] | `look` | nothing but a look for values that are not finite |
//! | [`pack`] | `pack` | nothing but copies of the rows of frequent sources, side by side |
//! | [`total`] | `total` | nothing but a total of the graph, from the contributions of its vertices |

pub mod activate;
pub mod cut_rows;
pub mod edge_flat;
pub mod every_vertex;
pub mod finish_long;
pub mod gather_totals;
pub mod graph_per_block;
pub mod groups_per_block;
pub mod incoming;
mod kernels;
pub mod limit;
pub mod long_rows;
pub mod look;
mod looking_ahead;
pub mod matrix_per_block;
pub mod multiplied;
mod numbered;
pub mod pack;
pub mod prefix_sum;
pub mod pull;
pub mod push;
pub mod recompute;
pub mod row_block;
mod scored;
pub mod total;
pub mod vertex;
pub mod vertex_per_block;
pub mod vertex_per_warp;
pub mod warp_word;
mod weighed;
pub mod word_per_warp;

use crate::access::EdgeAccess;
use crate::property::{GraphData, lane_bytes, matrices};
use crate::run::EdgeRun;

/// How many edges a group has under way at once: enough independent loads to cover the latency of memory.
pub const EDGES_IN_FLIGHT: usize = 4;

/// The bytes that a lane has for what one edge reads while several are under way; wide rows of matrices need more, and come one at a time.
const MOST_IN_FLIGHT: usize = 64;

/// Whether a value is so large that several of them are more than a lane's registers.
const fn is_large<T>() -> bool {
    size_of::<T>() > MOST_IN_FLIGHT
}

/// Whether the functions load so much of an edge that several edges are more than the registers of a lane with `V` of `L * V` features. A matrix of
/// the graph counts as well: its rows are there once, but each edge goes through all of them, with code of its own for each edge under way.
const fn has_large_edges<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> bool {
    let of_matrices = lane_bytes(D::PROPERTIES, E::ACCESS.reads_graph & matrices(D::PROPERTIES), L, V);
    of_matrices + edge_bytes::<D, E, L, V>() > MOST_IN_FLIGHT
}

/// The bytes that the functions load of an edge, its ends and the edge that runs the other way, each once however many functions read it.
const fn edge_bytes<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> usize {
    let EdgeAccess { reads_source, reads_destination, reads_edge, reads_reverse, .. } = E::ACCESS;
    let places = [reads_source, reads_destination, reads_edge & !D::SCRATCH, reads_reverse];
    let (mut bytes, mut place) = (0, 0);
    while place < places.len() {
        bytes += lane_bytes(D::PROPERTIES, places[place], L, V);
        place += 1;
    }
    bytes
}
