//! Mistakes that are planted in kernels, and what is said of them.

use std::mem::discriminant;

use onyx_device::emulator::{Blocks, EmulatedLane, EmulatorError, Launch, Mistake, Order};
use onyx_device::run::EdgeRun;
use onyx_device::schedule::{gather_totals, groups_per_block, row_block, word_per_warp};

use crate::program::{Data, L, Shout, Tell, V};
use crate::world::{VERTICES, World};

/// The orders that each mistake is planted in.
pub const ORDERS: [Order; 5] = [Order::Forward, Order::Reversed, Order::Random(1), Order::Random(2), Order::Random(3)];

/// The warps of a block that takes a row.
const ROW_WARPS: u32 = 3;
/// How many blocks gather totals of the graph.
pub const GATHERING: u64 = 2;
/// The warps of a block that takes neighbor groups.
const GROUPS_WARPS: u32 = 2;

/// A mistake in a kernel.
pub struct Plant {
    /// The mistake, in words.
    pub name: &'static str,
    /// How many threads are launched, for the arguments of a world.
    pub blocks: fn(&mut World) -> Blocks,
    /// Changes the world before the launch.
    pub prepare: fn(&mut World),
    pub kernel: fn(EmulatedLane, &World),
    /// What is said of it in forward order.
    pub says: &'static str,
}

/// The changes of a world that is left as it is.
pub fn as_it_is(_: &mut World) {}

/// Groups of lanes for each neighbor group of incoming edges.
pub fn incoming_groups(world: &mut World) -> Blocks {
    Blocks::of_threads(world.take(world.arguments.incoming.count) * L as u64)
}

/// Groups of lanes for each neighbor group of outgoing edges.
pub fn outgoing_groups(world: &mut World) -> Blocks {
    Blocks::of_threads(world.take(world.arguments.outgoing.count) * L as u64)
}

/// Groups of lanes for each cut row.
pub fn cut_rows(world: &mut World) -> Blocks {
    Blocks::of_threads(world.take(world.cut_count) * L as u64)
}

/// Groups of lanes for each vertex.
pub fn vertices(world: &mut World) -> Blocks {
    Blocks::of_threads(world.take(VERTICES) * L as u64)
}

/// A warp for each word of the active set.
pub fn words(world: &mut World) -> Blocks {
    Blocks::of_threads(world.take(VERTICES.div_ceil(32)) * 32)
}

/// A warp for each vertex.
pub fn warps(world: &mut World) -> Blocks {
    Blocks::of_threads(world.take(VERTICES) * 32)
}

/// A block for each vertex.
pub fn rows(world: &mut World) -> Blocks {
    rows_by::<Tell, L, V>(world)
}

/// [`rows`] for edge functions `E`, by groups of `L` lanes with `V` features each.
pub fn rows_by<E: EdgeRun<Data>, const L: usize, const V: usize>(world: &mut World) -> Blocks {
    let shared_floats = row_block::shared_floats::<Data, E, L, V>(ROW_WARPS);
    Blocks::of_tiles(world.take(VERTICES), 1, ROW_WARPS, shared_floats)
}

/// Blocks that gather what vertex functions add to totals of the graph.
pub fn gathering_blocks(world: &mut World) -> Blocks {
    gathering_by::<V>(world)
}

/// [`gathering_blocks`] by groups of lanes with `V` features each.
pub fn gathering_by<const V: usize>(world: &mut World) -> Blocks {
    world.take(VERTICES);
    Blocks::of_tiles(GATHERING, 1, ROW_WARPS, gather_totals::shared_floats::<Data, Shout, V>(ROW_WARPS))
}

/// A block for neighbor groups of incoming edges.
pub fn group_blocks(world: &mut World) -> Blocks {
    groups_by::<Tell, L, V>(world)
}

/// [`group_blocks`] for edge functions `E`, by groups of `L` lanes with `V` features each.
pub fn groups_by<E: EdgeRun<Data>, const L: usize, const V: usize>(world: &mut World) -> Blocks {
    let shared_floats = groups_per_block::shared_floats::<Data, E, L, V>(GROUPS_WARPS);
    let groups = u64::from(GROUPS_WARPS * 32) / L as u64;
    let count = world.take(world.arguments.incoming.count.div_ceil(groups));
    Blocks::of_tiles(count, 1, GROUPS_WARPS, shared_floats)
}

/// A warp for each word of the active set, with shared memory for what its groups of `L` lanes with `V` features each leave each other.
pub fn words_by<E: EdgeRun<Data>, const L: usize, const V: usize>(world: &mut World) -> Blocks {
    let shared_floats = word_per_warp::shared_floats::<Data, E, L, V>(1);
    Blocks::of_tiles(world.take(VERTICES.div_ceil(32)), 1, 1, shared_floats)
}

impl Plant {
    /// What the emulator finds in one order.
    fn found(&self, order: Order) -> Result<(), EmulatorError> {
        let mut world = World::new();
        (self.prepare)(&mut world);
        let blocks = (self.blocks)(&mut world);
        // SAFETY: the flag is one of the world's.
        let is_over = unsafe { *world.arguments.before == 0 };
        let launch = Launch { memory: Some(&world.memory), blocks, order, is_over, begins_early: false };
        launch.run(&|lane| (self.kernel)(lane, &world))
    }

    /// Forward, exactly what is expected is found; in every order, what is like it.
    fn check(&self) -> Result<(), String> {
        let find = |order| self.found(order).err().ok_or_else(|| format!("{}: not found in {order}", self.name));
        let forward = find(Order::Forward)?.mistake;
        if forward.to_string() != self.says {
            return Err(format!("{}: {forward}", self.name));
        }
        for order in ORDERS {
            let found = find(order)?;
            if found.order != order || !is_like(&found.mistake, &forward) {
                return Err(format!("{}: {found}", self.name));
            }
        }
        Ok(())
    }
}

/// Whether both are of one kind, or at one array: in another order other lanes come first, and a place that is read too early in one is
/// stored without a meeting in another.
fn is_like(found: &Mistake, expected: &Mistake) -> bool {
    let is_at_same = array(found).is_some() && array(found) == array(expected);
    is_at_same || discriminant(found) == discriminant(expected)
}

fn array(mistake: &Mistake) -> Option<&str> {
    match mistake {
        Mistake::Outside { place, .. }
        | Mistake::Misaligned { place, .. }
        | Mistake::Empty { place, .. }
        | Mistake::Late { place, .. }
        | Mistake::Conflict { place, .. } => Some(&place.array),
        _ => None,
    }
}

/// Checks all of the mistakes, and names those of which something else is said than expected.
pub fn check(plants: &[Plant]) {
    let wrong: Vec<String> = plants.iter().filter_map(|plant| plant.check().err()).collect();
    assert!(wrong.is_empty(), "{} of {} mistakes:\n{}", wrong.len(), plants.len(), wrong.join("\n"));
}
