//! What takes long says how far it is.

/// What is being done to get a graph or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// A file is read, and decompressed if need be; counted in bytes of the file.
    Read,
    /// A text is parsed; counted in bytes of the text.
    Parse,
    /// Edges are drawn at random; counted in edges.
    Draw,
    /// Edges are sorted into rows; counted in edges, each as often as it is looked at.
    Build,
}

/// Hears, from several threads, how much of a phase is done, and how much there is. Where that is not known in advance, both are alike.
pub type Watch<'a> = &'a (dyn Fn(Phase, u64, u64) + Sync);

/// Hears nothing.
pub const UNWATCHED: Watch<'static> = &|_, _, _| ();
