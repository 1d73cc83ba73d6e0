//! Zachary's karate club: the friendships of a club that split in two.
//!
//! W. W. Zachary, "An Information Flow Model for Conflict and Fission in Small Groups", 1977. Members are numbered from 1. Member 9 stood
//! closer to the officers but stayed with Mr. Hi, which is the side given here.

use onyx_runtime::graph::{Graph, GraphBuilder, GraphError, VertexIds};

/// The number of members.
pub const MEMBERS: u32 = 34;
/// The members' numbers by vertex.
pub const IDS: VertexIds = VertexIds::Dense { first: 1, count: MEMBERS as usize };
/// The teacher, Mr. Hi, and the administrator, John A.
pub const LEADERS: [u32; 2] = [1, 34];
/// The members who followed Mr. Hi after the split; the others stayed with the officers.
const WITH_MR_HI: [u32; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22];

/// The 78 friendships.
#[rustfmt::skip]
const FRIENDSHIPS: [(u32, u32); 78] = [
    (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7), (1, 8), (1, 9), (1, 11), (1, 12), (1, 13), (1, 14), (1, 18), (1,
    20), (1, 22), (1, 32), (2, 3), (2, 4), (2, 8), (2, 14), (2, 18), (2, 20), (2, 22), (2, 31), (3, 4), (3, 8), (3,
    9), (3, 10), (3, 14), (3, 28), (3, 29), (3, 33), (4, 8), (4, 13), (4, 14), (5, 7), (5, 11), (6, 7), (6, 11), (6,
    17), (7, 17), (9, 31), (9, 33), (9, 34), (10, 34), (14, 34), (15, 33), (15, 34), (16, 33), (16, 34), (19, 33),
    (19, 34), (20, 34), (21, 33), (21, 34), (23, 33), (23, 34), (24, 26), (24, 28), (24, 30), (24, 33), (24, 34), (25,
    26), (25, 28), (25, 32), (26, 32), (27, 30), (27, 34), (28, 34), (29, 32), (29, 34), (30, 33), (30, 34), (31, 33),
    (31, 34), (32, 33), (32, 34), (33, 34),
];

/// The club as an undirected graph; vertex `v` is member `v + 1`.
///
/// # Errors
/// None in practice: the friendships are well-formed.
pub fn graph() -> Result<Graph, GraphError> {
    let edges = FRIENDSHIPS.iter().map(|&(one, other)| (one - 1, other - 1)).collect();
    GraphBuilder::new().vertices(MEMBERS as usize).undirected(true).edges(edges).build()
}

/// The side that each member took, by vertex: 0 for Mr. Hi, 1 for the officers.
pub fn factions() -> Vec<(u32, usize)> {
    (0..MEMBERS).map(|vertex| (vertex, usize::from(!WITH_MR_HI.contains(&(vertex + 1))))).collect()
}

/// The two leaders, by vertex, each with their own side.
pub fn leaders() -> Vec<(u32, usize)> {
    factions().into_iter().filter(|(vertex, _)| LEADERS.contains(&(vertex + 1))).collect()
}
