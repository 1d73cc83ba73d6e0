//! A warp of emulated lanes: who waits, what they wait for, and what they get.

use std::cell::RefCell;
use std::ptr;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};

use super::lane::{EmulatedLane, Rendezvous, Request, current, enter};
use super::{EmulatorError, Operation, WARP, check};

const STACK_BYTES: usize = 256 * 1024;

thread_local! {
    /// Stacks of lanes that have returned, for the next warp.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

pub(super) type Body<'a> = &'a dyn Fn(EmulatedLane);

/// A lane of the running block.
pub(super) struct Lane {
    coroutine: Option<Coroutine<u32, Request, (), DefaultStack>>,
    /// Where the lane's coroutine stops; set when it first runs.
    rendezvous: *const Rendezvous,
    request: Option<Request>,
}

impl Lane {
    /// A lane that has not begun.
    pub(super) fn new(lane: EmulatedLane, body: Body<'static>) -> Self {
        let stack = STACKS
            .with_borrow_mut(Vec::pop)
            .unwrap_or_else(|| DefaultStack::new(STACK_BYTES).expect("memory for the stack of an emulated lane"));
        let coroutine = Coroutine::with_stack(stack, move |rendezvous: &Rendezvous, _| {
            enter(rendezvous);
            body(lane);
        });
        Self { coroutine: Some(coroutine), rendezvous: ptr::null(), request: None }
    }

    /// Whether the lane has come to the kernel's end.
    pub(super) fn has_returned(&self) -> bool {
        self.coroutine.is_none()
    }

    /// Runs the lane until it first waits.
    pub(super) fn begin(&mut self) -> Result<(), EmulatorError> {
        self.resume(0)
    }

    /// Lets the lane go on behind the block's barrier.
    pub(super) fn pass(&mut self) -> Result<(), EmulatorError> {
        self.resume(0)
    }

    /// What the lane waits for in its warp.
    fn request(&self) -> Option<Request> {
        self.request.filter(|request| request.operation != Operation::Barrier)
    }

    /// Lets a lane run until it waits or returns; an access that is not allowed stops it, and the block.
    fn resume(&mut self, answer: u32) -> Result<(), EmulatorError> {
        let Some(coroutine) = &mut self.coroutine else { return Ok(()) };
        enter(self.rendezvous);
        match coroutine.resume(answer) {
            CoroutineResult::Yield(request) => {
                self.rendezvous = current();
                self.request = Some(request);
            }
            CoroutineResult::Return(()) => {
                self.request = None;
                let stack = self.coroutine.take().map(Coroutine::into_stack);
                STACKS.with_borrow_mut(|stacks| stacks.extend(stack));
            }
        }
        check::take_fault().map_or(Ok(()), Err)
    }
}

/// Runs the lanes of a warp, the first of which is number `first` in its block, until all have returned or wait at the block's barrier.
pub(super) fn advance(warp: u64, first: usize, lanes: &mut [Lane]) -> Result<(), EmulatorError> {
    while lanes.iter().any(|lane| lane.request().is_some()) {
        check_members(warp, lanes)?;
        let members = complete(lanes).ok_or_else(|| missing(warp, lanes))?;
        check::met((0..WARP as usize).filter(|lane| members >> lane & 1 == 1).map(|lane| first + lane));
        answer(lanes, members)?;
    }
    Ok(())
}

/// The lanes of a warp that have returned, one bit each.
pub(super) fn returned(lanes: &[Lane]) -> u32 {
    (0..).zip(lanes).filter(|(_, lane)| lane.has_returned()).fold(0, |bits, (index, _)| bits | 1 << index)
}

fn check_members(warp: u64, lanes: &[Lane]) -> Result<(), EmulatorError> {
    for (lane, request) in (0..).zip(lanes.iter().map(Lane::request)) {
        if let Some(request) = request {
            check_request(warp, lane, request)?;
        }
    }
    Ok(())
}

fn check_request(warp: u64, lane: u32, request: Request) -> Result<(), EmulatorError> {
    let Request { operation, members, lane_mask, .. } = request;
    let is_member = |lane: u32| lane < WARP && members >> lane & 1 == 1;
    if !is_member(lane) {
        return Err(EmulatorError::Outsider { warp, lane, operation, members });
    }
    let from = lane ^ lane_mask;
    if operation == Operation::Shuffle && !is_member(from) {
        return Err(EmulatorError::Unheard { warp, lane, from, members });
    }
    Ok(())
}

/// The lanes that wait at the same operation as `first`, with the same members.
fn waiting_with(lanes: &[Lane], first: Request) -> u32 {
    let same = |request: Request| {
        let is_same = request.operation == first.operation && request.members == first.members;
        is_same && (request.operation == Operation::ShuffleFrom || request.lane_mask == first.lane_mask)
    };
    (0..).zip(lanes).filter(|(_, lane)| lane.request().is_some_and(same)).fold(0, |bits, (index, _)| bits | 1 << index)
}

/// The members of an operation at which all of them wait.
fn complete(lanes: &[Lane]) -> Option<u32> {
    lanes
        .iter()
        .filter_map(Lane::request)
        .find(|request| waiting_with(lanes, *request) == request.members)
        .map(|request| request.members)
}

fn missing(warp: u64, lanes: &[Lane]) -> EmulatorError {
    let request = lanes.iter().find_map(Lane::request).expect("a lane waits");
    EmulatorError::Missing {
        warp,
        operation: request.operation,
        members: request.members,
        waiting: waiting_with(lanes, request),
        returned: returned(lanes),
    }
}

/// Answers the operation at which all `members` wait, and lets them go on.
fn answer(lanes: &mut [Lane], members: u32) -> Result<(), EmulatorError> {
    let requests: Vec<Option<Request>> = lanes.iter().map(Lane::request).collect();
    let value = |lane: usize| requests[lane].map_or(0, |request| request.value);
    let votes =
        (0..WARP).filter(|lane| members >> lane & 1 == 1).fold(0, |bits, lane| bits | value(lane as usize) << lane);
    for lane in (0..WARP as usize).filter(|lane| members >> lane & 1 == 1) {
        let request = requests[lane].expect("a member waits");
        let answer = match request.operation {
            Operation::Ballot | Operation::Barrier => votes,
            Operation::Shuffle => value(lane ^ request.lane_mask as usize),
            Operation::ShuffleFrom => value(request.lane_mask as usize % WARP as usize),
        };
        lanes[lane].request = None;
        lanes[lane].resume(answer)?;
    }
    Ok(())
}
