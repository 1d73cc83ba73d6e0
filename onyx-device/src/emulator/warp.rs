//! A warp of emulated lanes: who can go on, who waits, what they wait for, and what they get.

use std::cell::RefCell;
use std::ptr;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};

use super::lane::{EmulatedLane, Rendezvous, Request, current, enter};
use super::turns::Turns;
use super::{Mistake, Operation, WARP, check};

/// Without optimization a schedule's inlined functions share no room, so that wide rows take much.
const STACK_BYTES: usize = 1024 * 1024;

thread_local! {
    /// Stacks of lanes that have returned, for the next warp.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

pub(super) type Body<'a> = &'a dyn Fn(EmulatedLane);

/// A warp of the running block. Each of its lanes is ready, waits for others of the warp, waits at the block's barrier, or has returned.
pub(super) struct Warp {
    /// In the launch.
    number: u64,
    /// The number of the first lane in its block.
    first: usize,
    lanes: Vec<Lane>,
    /// The lanes that can go on, one bit each.
    ready: u32,
    /// The lanes that wait for others of the warp.
    waiting: u32,
    returned: u32,
}

struct Lane {
    coroutine: Option<Coroutine<u32, Request, (), DefaultStack>>,
    /// Where the lane's coroutine stops; set when it first runs.
    rendezvous: *const Rendezvous,
    /// What it waits for.
    request: Request,
    /// What it gets when it goes on.
    answer: u32,
}

impl Lane {
    /// A lane that has not begun.
    fn new(lane: EmulatedLane, body: Body<'static>) -> Self {
        let stack = STACKS
            .with_borrow_mut(Vec::pop)
            .unwrap_or_else(|| DefaultStack::new(STACK_BYTES).expect("memory for the stack of an emulated lane"));
        let coroutine = Coroutine::with_stack(stack, move |rendezvous: &Rendezvous, _| {
            enter(rendezvous);
            body(lane);
        });
        Self { coroutine: Some(coroutine), rendezvous: ptr::null(), request: Request::BARRIER, answer: 0 }
    }

    /// Lets the lane run until it waits, for what it returns, or comes to the kernel's end. A mistake stops it, and the block.
    fn resume(&mut self) -> Result<Option<Request>, Mistake> {
        let coroutine = self.coroutine.as_mut().expect("a lane that is ready has not returned");
        enter(self.rendezvous);
        let left = Left;
        let request = match coroutine.resume(self.answer) {
            CoroutineResult::Yield(request) => Some(request),
            CoroutineResult::Return(()) => None,
        };
        let rendezvous = current();
        drop(left);
        if let Some(mistake) = check::take_mistake() {
            return Err(mistake);
        }
        match request {
            Some(request) => (self.rendezvous, self.request) = (rendezvous, request),
            None => self.end(),
        }
        Ok(request)
    }

    fn end(&mut self) {
        let stack = self.coroutine.take().map(Coroutine::into_stack);
        STACKS.with_borrow_mut(|stacks| stacks.extend(stack));
    }
}

/// No lane runs once this is dropped, also where one has panicked: a copy of a lane that somebody kept then finds nobody to meet.
struct Left;

impl Drop for Left {
    fn drop(&mut self) {
        enter(ptr::null());
    }
}

/// The lanes of a set, one bit each.
fn lanes_of(members: u32) -> impl Iterator<Item = usize> + Clone {
    (0..WARP as usize).filter(move |lane| members >> lane & 1 == 1)
}

impl Warp {
    /// Warp number `number` of the launch, whose lanes have not begun. The first is number `first` in its block.
    pub(super) fn new(
        number: u64,
        first: usize,
        lanes: impl Iterator<Item = EmulatedLane>,
        body: Body<'static>,
    ) -> Self {
        let lanes = lanes.map(|lane| Lane::new(lane, body)).collect();
        Self { number, first, lanes, ready: u32::MAX, waiting: 0, returned: 0 }
    }

    /// The warp's number in the launch.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether any lane can go on.
    pub(super) fn is_ready(&self) -> bool {
        self.ready != 0
    }

    /// The lanes that have come to the kernel's end, one bit each.
    pub(super) fn returned(&self) -> u32 {
        self.returned
    }

    /// Whether all lanes have come to the kernel's end.
    pub(super) fn has_returned(&self) -> bool {
        self.returned == u32::MAX
    }

    /// Lets the lanes that wait at the block's barrier go on.
    pub(super) fn pass(&mut self) {
        self.ready = !self.returned;
    }

    /// Lets one lane go on. If it is the last that others wait for, all of them can go on.
    pub(super) fn step(&mut self, turns: &mut Turns) -> Result<(), Mistake> {
        let lane = turns.pick(self.ready);
        self.ready &= !(1 << lane);
        match self.lanes[lane].resume()? {
            None => self.returned |= 1 << lane,
            Some(Request { operation: Operation::Barrier, .. }) => {}
            Some(request) => {
                self.check_request(lane as u32, request)?;
                self.waiting |= 1 << lane;
                if request.members & !self.waiting == 0 && self.waiting_with(request) == request.members {
                    self.complete(request);
                }
            }
        }
        Ok(())
    }

    fn check_request(&self, lane: u32, request: Request) -> Result<(), Mistake> {
        let (warp, Request { operation, members, lane_mask, .. }) = (self.number, request);
        let is_member = |lane: u32| lane < WARP && members >> lane & 1 == 1;
        if !is_member(lane) {
            return Err(Mistake::Outsider { warp, lane, operation, members });
        }
        let from = match operation {
            Operation::Shuffle => lane ^ lane_mask,
            Operation::ShuffleFrom => lane_mask,
            _ => lane,
        };
        if is_member(from) { Ok(()) } else { Err(Mistake::Unheard { warp, lane, from, members }) }
    }

    /// The lanes that wait at the same operation as the one with this request, with the same members.
    fn waiting_with(&self, request: Request) -> u32 {
        let is_same = |lane: &usize| self.lanes[*lane].request.meets(request);
        lanes_of(self.waiting).filter(is_same).fold(0, |bits, lane| bits | 1 << lane)
    }

    /// Answers the operation at which all members wait.
    fn complete(&mut self, Request { operation, members, .. }: Request) {
        let value = |lanes: &[Lane], lane: usize| lanes[lane].request.value;
        let votes = lanes_of(members).fold(0, |bits, lane| bits | value(&self.lanes, lane) << lane);
        for lane in lanes_of(members) {
            let other = self.lanes[lane].request.lane_mask as usize;
            self.lanes[lane].answer = match operation {
                Operation::Shuffle => value(&self.lanes, lane ^ other),
                Operation::ShuffleFrom => value(&self.lanes, other),
                _ => votes,
            };
        }
        if operation == Operation::Synchronization {
            check::met(lanes_of(members).map(|lane| self.first + lane));
        }
        self.waiting &= !members;
        self.ready |= members;
    }

    /// No lane of the block can go on: then none may wait for others of the warp.
    pub(super) fn check_waiting(&self) -> Result<(), Mistake> {
        let Some(first) = lanes_of(self.waiting).next() else { return Ok(()) };
        let request = self.lanes[first].request;
        Err(Mistake::Missing {
            warp: self.number,
            operation: request.operation,
            members: request.members,
            waiting: self.waiting_with(request),
            returned: self.returned,
        })
    }
}
