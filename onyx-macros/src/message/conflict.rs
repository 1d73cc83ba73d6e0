//! What is said of functions that do not go together in a fold.

use std::fmt::Display;

/// Two functions of a fold that add to one total of the graph.
pub fn shared_total(first: impl Display, second: impl Display, total: impl Display) -> String {
    format!(
        "both `{first}` and `{second}` add to the total `{total}`: let one function of the fold add to it, or use two totals"
    )
}

/// A total of the graph that is read in the stage that adds to it.
pub fn unfinished_total(reader: impl Display, adder: impl Display, total: impl Display) -> String {
    format!(
        "`{reader}` reads the total `{total}`, which is there after the stage of `{adder}`, which adds to it: put a `;` between them"
    )
}

/// A total of the graph in a fold whose edge functions do not run along all edges.
pub fn total_of_active(function: impl Display, total: impl Display) -> String {
    format!(
        "`{function}` adds to the total `{total}`, which is over all vertices and edges, and `edges = active` leaves some out: use two folds"
    )
}

/// A property named twice in a fold by functions that do not go together.
pub struct Conflict {
    /// What stands before the property's name.
    pub before: String,
    /// What stands after it.
    pub after: String,
}

impl Conflict {
    /// The message about `property`.
    pub fn about(&self, property: &str) -> String {
        [&self.before, property, &self.after].concat()
    }
}

/// An edge function that may stop the next one, in a fold that is not folded.
pub fn unfolded_progress(edge: impl Display, next: impl Display) -> String {
    format!(
        "`{edge}` may return false, which stops `{next}` on that edge: an unfolded fold keeps nothing about an edge between its \
         kernels, so end `{edge}` with `true`, or leave `unfolded` out"
    )
}

/// An edge function that may return false before one that reduces into the other end of its edge.
pub fn turning_progress(edge: impl Display, next: impl Display) -> String {
    format!(
        "`{edge}` may return false, which does not stop `{next}`: it reduces into the other end of its edge, and so begins a stage; write `;` before \
         `{next}`, or ask in it what `{edge}` asks"
    )
}

/// An edge function reads at the end where the vertex functions of its stage do not run, `end`, what one of them writes.
pub fn vertex_conflict(edge: impl Display, vertex: impl Display, end: &str) -> Conflict {
    Conflict {
        before: format!("`{edge}` reads `"),
        after: format!(
            "` at an edge's {end} while `{vertex}` writes it for another vertex of the same fold: declare the property \
             `Tracked`, so that neighbors see its previous value, or end the stage before `{vertex}` with a `;`"
        ),
    }
}

/// An edge function reads at another vertex what an edge function reduces.
pub fn reduction_conflict(reader: impl Display, reducer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads `"),
        after: format!(
            "`, into which `{reducer}` reduces in the same fold, so that its total is not complete: put a `;` between the two"
        ),
    }
}

/// Two edge functions reduce one property.
pub fn shared_reduction(first: impl Display, second: impl Display) -> Conflict {
    Conflict {
        before: format!("`{first}` and `{second}` both reduce into `"),
        after: "` in one fold: write one edge function that does both, or use two properties".to_string(),
    }
}

/// Two edge functions reduce one property in different ways.
pub fn mixed_reduction(first: impl Display, second: impl Display) -> Conflict {
    Conflict {
        before: format!("`{first}` and `{second}` reduce into `"),
        after: "` by different operators: use two properties".to_string(),
    }
}

/// A function reads at a vertex that it computes what its stage writes.
pub fn gather_conflict(reader: impl Display, writer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads `"),
        after: format!(
            "` at a vertex that it computes while `{writer}` writes it there in the same stage: put a `;` between the two, or declare the property \
             `Tracked`, so that its previous value is read"
        ),
    }
}

/// A function reads at a vertex that it computes what has no previous value, or is not complete.
pub fn gather_unfinished(reader: impl Display, writer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads `"),
        after: format!(
            "` at a vertex that it computes before `{writer}` is done with it everywhere: put a `;` between the two, or write another property"
        ),
    }
}

/// A function reads scratch that nothing before it has written.
pub fn scratch_unwritten(reader: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads the scratch property `"),
        after: format!(
            "`, which no function before it in the same run of this fold writes on every path, nor one of an earlier stage at every vertex: scratch lives \
             inside a fold, so write it before `{reader}`, or remove `Scratch` to keep the value between folds"
        ),
    }
}

/// A function reads scratch of another vertex or edge that nothing has left there.
pub fn scratch_at_end(reader: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads the scratch property `"),
        after: "` at another vertex or edge, where no function has left it: others read what vertex functions of an earlier stage write at every vertex, \
                at the ends of their edges alone, so write it there, or remove `Scratch`"
            .to_string(),
    }
}

/// An edge function reduces into scratch.
pub fn scratch_reduced(reducer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reducer}` reduces into the scratch property `"),
        after: "`, but the totals of long rows meet in memory: remove `Scratch`; a vertex function of the same fold takes the \
                total from registers all the same"
            .to_string(),
    }
}

/// An edge function reads at the reverse edge what another one writes.
pub fn reverse_conflict(reader: impl Display, writer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads `"),
        after: format!("` at `e.rev`, where `{writer}` may write it at the same time: put a `;` between the two"),
    }
}
