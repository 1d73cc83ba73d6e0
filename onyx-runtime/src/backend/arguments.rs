//! The arguments of kernels, before anybody knows the type of the data, and as a GPU gets them.

use std::mem::MaybeUninit;

use onyx_device::arguments::Arguments;
use onyx_device::gather::Reach;
use onyx_device::property::{GraphData, Storage};

use crate::backend::launchable::Launchable;

/// The arguments of a kernel for data of any type.
#[derive(Clone, Debug)]
pub(crate) struct Unbound {
    /// Where the properties lie.
    pub(crate) data: Vec<Storage>,
    /// The same, but with what a push adds to.
    pub(crate) pending: Vec<Storage>,
    /// The same, but with the partial sums of cut rows.
    pub(crate) partials: Vec<Storage>,
    /// What functions know of the graph.
    pub(crate) reach: Reach,
    /// Everything else, which is the same for all data.
    pub(crate) rest: Arguments<()>,
    /// That their arrays are long enough.
    pub(crate) launchable: Launchable,
}

impl Unbound {
    /// The arguments for data of the type `D`.
    pub(crate) fn bind<D: GraphData>(&self) -> Arguments<D> {
        let data = D::bind(&self.data).reaching(self.reach);
        self.rest.with(data, D::bind(&self.pending), D::bind(&self.partials))
    }
}

/// The bytes of the one argument of a kernel, aligned to 8.
pub(crate) struct ArgumentBytes(Box<[MaybeUninit<u64>]>);

impl ArgumentBytes {
    /// Those of a value.
    pub(crate) fn of<A: Copy + 'static>(value: A) -> Self {
        const { assert!(align_of::<A>() <= align_of::<u64>(), "arguments are aligned to 8 bytes at most") };
        let mut words = Box::<[u64]>::new_uninit_slice(size_of::<A>().div_ceil(size_of::<u64>()));
        // SAFETY: there are as many words as the value needs, aligned as it needs, and any byte may stay as it is.
        unsafe { words.as_mut_ptr().cast::<A>().write(value) };
        Self(words)
    }

    /// Where they begin.
    pub(crate) fn address(&self) -> *const MaybeUninit<u64> {
        self.0.as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use onyx_device::arguments::{CutParts, EdgeNumbers, HubPieces, NeighborGroups, PassedRows, Units};
    use onyx_device::prelude::*;

    use super::*;

    #[graph_data]
    #[derive(Debug)]
    struct Place<const K: usize> {
        rate: Parameter,
        value: VertexFeatures<K>,
        number: VertexScalar,
    }

    fn unbound() -> Unbound {
        let storage = |number: usize| {
            let current = ptr::without_provenance_mut(1 << (number + 8));
            Storage { current, previous: ptr::null_mut(), row: 12, value: 0.5, rows: 0, heads: 1 }
        };
        let storages = |first: usize| (first..first + 3).map(storage).collect();
        let rest = Arguments {
            data: (),
            pending: (),
            partials: (),
            incoming: NeighborGroups::NONE,
            outgoing: NeighborGroups::NONE,
            hubs: HubPieces::NONE,
            reverse: EdgeNumbers::NONE,
            cut: ptr::null(),
            parts: CutParts::NONE,
            blocks: ptr::null(),
            passed: PassedRows::NONE,
            units: Units { first: 3, end: 5 },
            active: ptr::null_mut(),
            marks: ptr::null_mut(),
            counters: ptr::null_mut(),
            before: ptr::null(),
            out_degree: ptr::null(),
            vertex_count: 7,
            features: 11,
            tiles: 2,
            first_tile: 1,
            keep_sums: 13,
            leave_cleared: 17,
        };
        let reach = Reach { vertices: 7, noted: ptr::null_mut() };
        let launchable = Launchable::check([]);
        Unbound { data: storages(0), pending: storages(3), partials: storages(6), reach, rest, launchable }
    }

    #[test]
    fn bytes_are_those_of_the_value_at_every_width() {
        let (narrow, wide) = (unbound().bind::<Place<1>>(), unbound().bind::<Place<64>>());
        assert_eq!(format!("{narrow:?}"), format!("{wide:?}"));
        let bytes = ArgumentBytes::of(wide);
        assert!(bytes.address().addr().is_multiple_of(8));
        // SAFETY: they are those of such a value.
        let found = unsafe { bytes.address().cast::<Arguments<Place<1>>>().read() };
        assert_eq!(format!("{found:?}"), format!("{narrow:?}"));
        let flags = (found.keep_sums, found.leave_cleared);
        assert_eq!((found.units, flags), (Units { first: 3, end: 5 }, (13, 17)));
    }
}
