//! Whose memory the contributions of edges to a total have in a sequence: that of a property which a later stage of the fold computes before anything reads it.

use onyx_device::FoldFacts;
use onyx_device::property::Element;
use onyx_device::stage::{self, GraphTotal, StageAccess};

use crate::backend::memory::Memory;
use crate::store::Store;
use crate::{total, totals};

/// The properties with contributions that have no arrays of their own, each with the one whose array it has meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Lenders(Vec<(usize, usize)>);

impl Lenders {
    /// Those of a fold of which all stages run one after the other on every vertex. Small arrays are not lent.
    pub(crate) fn of(fold: &'static FoldFacts, store: &Store, memory: &impl Memory) -> Self {
        let mut lenders = Self::default();
        for (number, stage) in fold.stages.iter().enumerate() {
            let is_large = |total: &&GraphTotal| memory.is_large(4 * store.length(total.contributions));
            let of_edges = stage.totals.iter().filter(|total| is_of_edges(fold, stage, total)).filter(is_large);
            let mut taken = 0_u64;
            for total in of_edges {
                let free = |index: &usize| taken >> index & 1 == 0 && lends(fold, store, number, *index);
                let has_room = |index: &usize| store.length(*index) >= store.length(total.contributions);
                if let Some(lender) = (0..fold.properties.len()).filter(free).find(has_room) {
                    taken |= 1 << lender;
                    lenders.0.push((total.contributions, lender));
                }
            }
        }
        lenders
    }

    /// The property whose array the one at `index` has: its own, if it is none of these.
    pub(crate) fn array_of(&self, index: usize) -> usize {
        self.0.iter().find(|(contributions, _)| *contributions == index).map_or(index, |(_, lender)| *lender)
    }
}

/// Whether every vertex has a contribution to the total that the stage's edges leave before anything reads it, and that nobody asks for after the stage.
fn is_of_edges(fold: &'static FoldFacts, stage: &StageAccess, of: &GraphTotal) -> bool {
    let is_table = fold.properties[of.total].element == Element::Table;
    !is_table && !stage.gathers(of) && (stage.edges.reduces & totals::overwritten(fold)) >> of.contributions & 1 == 1
}

/// Whether nothing of a property is needed until a stage after this one has computed it.
fn lends(fold: &'static FoldFacts, store: &Store, stage: usize, index: usize) -> bool {
    let property = &fold.properties[index];
    let is_reached = stage::reached(&fold.stages[..=stage]) >> index & 1 == 1;
    let is_computed = totals::overwritten(fold) >> index & 1 == 1 && !is_reached && !property.tracked;
    is_computed && !total::has_contributions(property) && store.bytes(index).len() == 4 * store.length(index)
}

#[cfg(test)]
mod tests {
    use onyx_device::Fold;
    use onyx_device::prelude::*;

    use super::*;
    use crate::backend::emulator::EmulatedMemory;
    use crate::graph::GraphBuilder;
    use crate::options::Options;
    use crate::session::{RunFold, Sequence, Session};

    #[graph_data]
    struct Ends<const K: usize> {
        value: VertexFeatures<K>,
        product: GraphFeatures<K>,
        mean: GraphScalar,
        sum: VertexFeatures<K>,
        count: VertexScalar,
        back: VertexFeatures<K>,
    }

    #[edge_fn]
    fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Ends<K>) -> bool {
        d.sum[e.dst][f] += d.value[e.src][f];
        d.product[f] += d.value[e.src][f] * d.value[e.dst][f];
        true
    }

    #[edge_fn]
    fn weigh<const K: usize>(f: Feature, e: Edge, d: &mut Ends<K>) -> bool {
        d.mean += sum(d.value[e.src][f]);
        d.count[e.dst] += 1.0;
        true
    }

    #[edge_fn]
    fn give_back<const K: usize>(f: Feature, e: Edge, d: &mut Ends<K>) -> bool {
        d.back[e.src][f] += d.sum[e.dst][f];
        true
    }

    #[edge_fn]
    fn gather_again<const K: usize>(f: Feature, e: Edge, d: &mut Ends<K>) -> bool {
        d.sum[e.dst][f] += d.back[e.src][f];
        d.product[f] += d.value[e.src][f] * d.value[e.dst][f];
        true
    }

    #[edge_fn]
    fn count_back<const K: usize>(e: Edge, d: &mut Ends<K>) -> bool {
        d.count[e.src] += 1.0;
        true
    }

    foldmap! { both<const K: usize>(Ends<K>) = [gather; give_back]; features = [4] }
    foldmap! { scalars<const K: usize>(Ends<K>) = [weigh, gather; give_back]; features = [4] }
    foldmap! { alone<const K: usize>(Ends<K>) = [give_back; gather]; features = [4] }
    foldmap! { needed<const K: usize>(Ends<K>) = [gather_again; give_back]; features = [4] }
    foldmap! { narrow<const K: usize>(Ends<K>) = [gather; count_back]; features = [4] }

    /// The edges of a hub, of a loop and of few other vertices, once and twice.
    fn graph() -> crate::graph::Graph {
        let hub = (1..40).map(|source| (source, 0));
        GraphBuilder::new().edges(hub.chain([(0, 3), (3, 3), (7, 9), (7, 9), (9, 7)]).collect()).build().unwrap()
    }

    fn lent<F: Fold>(fold: F) -> Vec<(&'static str, &'static str)> {
        let mut store = Store::new(fold, &graph(), 4).unwrap();
        store.make_contributions(F::FACTS, total::Contributions::BlocksOnce).unwrap();
        let name = |index: usize| store.properties()[index].name;
        let Lenders(lenders) = Lenders::of(F::FACTS, &store, &EmulatedMemory);
        lenders.into_iter().map(|(own, lender)| (name(own), name(lender))).collect()
    }

    #[test]
    fn what_a_later_stage_computes_lends_its_array() {
        assert_eq!(lent(both), [("__total_product", "back")]);
        // The array is that of one total; the other finds none.
        assert_eq!(lent(scalars).len(), 1, "{:?}", lent(scalars));
        assert!([lent(alone), lent(needed), lent(narrow)].iter().all(Vec::is_empty));
    }

    #[test]
    fn totals_of_edges_are_the_same_in_arrays_of_others() {
        let graph = graph();
        let found = [Session::cpu(), Session::emulator()].map(|session| {
            let resident = session.graph(&graph);
            let mut data = session.data(both, &resident, 4).unwrap();
            let mut values = data.view_mut(Ends::VALUE).unwrap();
            values.indexed_iter_mut().for_each(|((vertex, feature), value)| *value = (vertex + 2 * feature) as f32);
            let options = Options::new().group_size(4);
            let mut sequence = Sequence::new(&resident).then(both).with(&options);
            sequence.run(&mut data, 2).unwrap();
            let total = data.read(Ends::PRODUCT).unwrap().to_owned();
            both.on(&resident, &mut data).times(1, &options).unwrap();
            assert_eq!(total, data.read(Ends::PRODUCT).unwrap());
            (total, data.read(Ends::SUM).unwrap().to_owned(), data.read(Ends::BACK).unwrap().to_owned())
        });
        assert!(found[0].0.iter().all(|total| *total > 0.0));
        assert_eq!(found[0], found[1]);
    }
}
