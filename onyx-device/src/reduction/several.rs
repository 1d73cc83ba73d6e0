//! The totals of several properties: pairs of pairs, down to none.

use super::Accumulator;
use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::parts::{PartPlace, Parts};
use crate::registers::Registers;
use crate::stored::Register;
use crate::value::Value;

// SAFETY: there is nothing.
unsafe impl<D, const V: usize> Accumulator<D, V> for () {
    const LANE_FLOATS: usize = 0;
    const PARTS: Parts = Parts::NONE;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change_from(self, _before: Self) -> Self {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined_with(self, _other: Self) -> Self {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join<M: Machine>(self, _machine: M, _lane_mask: u32) -> Self {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _data: &D, _vertex: Vertex) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _data: &D, _vertex: Vertex) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_change<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _data: &D, _vertex: Vertex) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn needs_recompute<M: Machine, const L: usize>(self, _changes: Self, _group: Group<M, L, V>) -> bool {
        false
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const L: usize>(_group: Group<M, L, V>, _data: &D, _vertex: Vertex) -> Self {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_part<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _parts: &D, _row: u32) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_part<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _parts: &D, _place: PartPlace) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_part<M: Machine, const L: usize>(_group: Group<M, L, V>, _parts: &D, _row: u32) -> Self {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<M: Block, const L: usize>(self, _group: Group<M, L, V>, _at: u32) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize>(_group: Group<M, L, V>, _at: u32) -> Self {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, _property: u32) -> Option<[X; V]> {
        None
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, _property: u32) -> Option<X> {
        None
    }
}

// SAFETY: both do so.
unsafe impl<D, const V: usize, A: Accumulator<D, V>, B: Accumulator<D, V>> Accumulator<D, V> for (A, B) {
    const LANE_FLOATS: usize = A::LANE_FLOATS + B::LANE_FLOATS;
    const PARTS: Parts = A::PARTS.union(B::PARTS);
    const WEIGHS: usize = A::WEIGHS + B::WEIGHS;
    const PROPERTIES: u64 = A::PROPERTIES | B::PROPERTIES;
    const IN_TILES: bool = A::IN_TILES || B::IN_TILES;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {
        (A::zero(), B::zero())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begun(edges: u32) -> Self {
        (A::begun(edges), B::begun(edges))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn left_in(registers: &impl Registers<D, V>) -> Self {
        (A::left_in(registers), B::left_in(registers))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_left_in(self, registers: &impl Registers<D, V>) -> Self {
        (self.0.with_left_in(registers), self.1.with_left_in(registers))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle<M: Machine, const L: usize>(&mut self, group: Group<M, L, V>) {
        if const { A::IN_TILES } {
            self.0.settle(group);
        }
        if const { B::IN_TILES } {
            self.1.settle(group);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn score(&self) -> (f32, bool) {
        if A::WEIGHS > 0 { self.0.score() } else { self.1.score() }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weigh<const N: usize>(&mut self, scores: [f32; N]) -> [f32; N] {
        if A::WEIGHS > 0 { self.0.weigh(scores) } else { self.1.weigh(scores) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_finite(&self) -> bool {
        if A::WEIGHS > 0 { self.0.is_finite() } else { self.1.is_finite() }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_weights(&mut self, together: &Self) {
        self.0.take_weights(&together.0);
        self.1.take_weights(&together.1);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle_weights(&mut self) {
        self.0.settle_weights();
        self.1.settle_weights();
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change_from(self, before: Self) -> Self {
        (self.0.change_from(before.0), self.1.change_from(before.1))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined_with(self, other: Self) -> Self {
        (self.0.combined_with(other.0), self.1.combined_with(other.1))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        (self.0.join(machine, lane_mask), self.1.join(machine, lane_mask))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe {
            self.0.store(group, data, vertex);
            self.1.store(group, data, vertex);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn stream<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe {
            self.0.stream(group, data, vertex);
            self.1.stream(group, data, vertex);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe {
            self.0.add(group, data, vertex);
            self.1.add(group, data, vertex);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_change<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe {
            self.0.add_change(group, data, vertex);
            self.1.add_change(group, data, vertex);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn needs_recompute<M: Machine, const L: usize>(self, changes: Self, group: Group<M, L, V>) -> bool {
        self.0.needs_recompute(changes.0, group) | self.1.needs_recompute(changes.1, group)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const L: usize>(group: Group<M, L, V>, data: &D, vertex: Vertex) -> Self {
        // SAFETY: the caller's.
        unsafe { (A::load(group, data, vertex), B::load(group, data, vertex)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, row: u32) {
        // SAFETY: the caller's.
        unsafe {
            self.0.store_part(group, parts, row);
            self.1.store_part(group, parts, row);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, place: PartPlace) {
        // SAFETY: the caller's.
        unsafe {
            self.0.add_part(group, parts, place);
            self.1.add_part(group, parts, place);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_added<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { (A::load_added(group, parts, row), B::load_added(group, parts, row)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { (A::load_part(group, parts, row), B::load_part(group, parts, row)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32) {
        // SAFETY: the caller's.
        unsafe {
            self.0.store_shared(group, at);
            self.1.store_shared(group, at + (A::LANE_FLOATS * L) as u32);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { (A::load_shared(group, at), B::load_shared(group, at + (A::LANE_FLOATS * L) as u32)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn leave_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32, is_joined: bool) {
        // SAFETY: the caller's.
        unsafe {
            self.0.leave_shared(group, at, is_joined);
            self.1.leave_shared(group, at + of_warp(A::LANE_FLOATS), is_joined);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn take_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32, is_joined: bool) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let first = self.0.take_shared(group, at, is_joined);
            (first, self.1.take_shared(group, at + of_warp(A::LANE_FLOATS), is_joined))
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_joined<M: Machine, const L: usize>(
        self,
        group: Group<M, L, V>,
        data: &D,
        vertex: Vertex,
        is_joined: bool,
    ) {
        // SAFETY: the caller's.
        unsafe {
            self.0.store_joined(group, data, vertex, is_joined);
            self.1.store_joined(group, data, vertex, is_joined);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]> {
        match self.0.row(property) {
            None => self.1.row(property),
            found => found,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, property: u32) -> Option<X> {
        match self.0.scalar(property) {
            None => self.1.scalar(property),
            found => found,
        }
    }
}

/// The floats of a warp, of whose lanes each has so many.
const fn of_warp(lane_floats: usize) -> u32 {
    lane_floats as u32 * 32
}
