//! Data of more features than the widest compiled width, in the processor's memory: tile by tile.

use crate::backend::memory::Memory;
use crate::backend::residency::Residency;
use crate::error::RunError;
use crate::store::Store;
use crate::tile::Tile;

/// The tiles of a store, none before the first run. Sets of properties are bits, by position.
pub(super) struct Tiles<A> {
    tiles: Vec<Tile<A>>,
    /// The properties of which the tiles have the current values.
    current: u64,
    /// Those of which the whole store has older ones.
    ahead: u64,
}

impl<A> Default for Tiles<A> {
    fn default() -> Self {
        Self { tiles: Vec::new(), current: 0, ahead: 0 }
    }
}

impl<A> Tiles<A> {
    /// The tiles with the current values of all properties, cut from the whole where they have older ones.
    pub(super) fn ready(&mut self, store: &Store) -> Result<&mut [Tile<A>], RunError> {
        if self.tiles.is_empty() {
            let tile = |store| Tile { store, residency: Residency::default() };
            self.tiles = store.split()?.into_iter().map(tile).collect();
            self.current = u64::MAX;
        }
        let stale = !self.current;
        for (number, Tile { store: tile, residency }) in self.tiles.iter_mut().enumerate() {
            store.cut_again(stale, tile, number * store.tile_width())?;
            indices(stale, store).for_each(|index| residency.wrote(index));
        }
        self.current = u64::MAX;
        Ok(&mut self.tiles)
    }

    /// Notes that a run has left these properties current in the tiles alone.
    pub(super) fn ran(&mut self, written: u64) {
        self.ahead |= written;
    }

    /// Notes that a run that could write these properties has failed: if it had begun in any tile, no tile has anything of them.
    pub(super) fn failed(&mut self, written: u64) {
        if self.tiles.iter().any(|tile| tile.residency.is_changing()) {
            self.tiles.iter_mut().for_each(|Tile { residency, .. }| {
                residency.begin();
                residency.failed(written);
            });
            self.ahead &= !written;
        }
    }

    /// Notes that the whole store has the current values of the property at `index`.
    pub(super) fn wrote(&mut self, index: usize) {
        (self.current, self.ahead) = (self.current & !(1 << index), self.ahead & !(1 << index));
        self.tiles.iter_mut().for_each(|tile| tile.residency.wrote(index));
    }

    /// Whether the whole store has older values of any of these properties.
    pub(super) fn is_ahead(&self, properties: u64) -> bool {
        self.ahead & properties != 0
    }

    /// The properties whose values are gone with a failed run.
    pub(super) fn lost(&self) -> u64 {
        self.tiles.iter().fold(0, |lost, tile| lost | tile.residency.lost())
    }

    /// Copies to the whole store what the tiles alone have, of `properties`: each in whole, or not at all.
    pub(super) fn fetch<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        store: &mut Store,
        properties: u64,
    ) -> Result<(), RunError> {
        for index in indices(self.ahead & properties, store) {
            let bit = 1 << index;
            for Tile { store: tile, residency } in &mut self.tiles {
                residency.fetch(memory, tile, bit)?;
            }
            store.join(bit, &self.tiles.iter().map(|tile| &tile.store).collect::<Vec<_>>());
            self.ahead &= !bit;
        }
        Ok(())
    }
}

fn indices(properties: u64, store: &Store) -> impl Iterator<Item = usize> + use<> {
    (0..store.properties().len()).filter(move |index| properties >> index & 1 == 1)
}
