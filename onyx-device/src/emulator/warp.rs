use std::cell::RefCell;
use std::{mem, ptr};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};

use super::lane::{EmulatedLane, Rendezvous, Request, current, enter};
use super::{EmulatorError, Operation, WARP, check};

const STACK_BYTES: usize = 256 * 1024;

thread_local! {
    /// Stacks of lanes that have returned, for the next warp.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

type Body<'a> = &'a dyn Fn(EmulatedLane);

struct Lane {
    coroutine: Option<Coroutine<u32, Request, (), DefaultStack>>,
    /// Where the lane's coroutine stops; set when it first runs.
    rendezvous: *const Rendezvous,
    request: Option<Request>,
}

/// Runs one warp to its end.
pub(super) fn run(warp: u64, body: Body<'_>) -> Result<(), EmulatorError> {
    check::start(warp);
    // SAFETY: the coroutines are dropped before this function returns, so they do not outlive the body.
    let body = unsafe { mem::transmute::<Body<'_>, Body<'static>>(body) };
    let mut lanes: Vec<Lane> = (0..WARP).map(|lane| start(warp * u64::from(WARP) + u64::from(lane), body)).collect();
    lanes.iter_mut().try_for_each(|lane| resume(lane, 0))?;
    while lanes.iter().any(|lane| lane.request.is_some()) {
        check_members(warp, &lanes)?;
        let members = complete(&lanes).ok_or_else(|| missing(warp, &lanes))?;
        check::met(members);
        answer(&mut lanes, members)?;
    }
    Ok(())
}

fn start(thread: u64, body: Body<'static>) -> Lane {
    let stack = STACKS
        .with_borrow_mut(Vec::pop)
        .unwrap_or_else(|| DefaultStack::new(STACK_BYTES).expect("memory for the stack of an emulated lane"));
    let coroutine = Coroutine::with_stack(stack, move |rendezvous: &Rendezvous, _| {
        enter(rendezvous);
        body(EmulatedLane::new(thread));
    });
    Lane { coroutine: Some(coroutine), rendezvous: ptr::null(), request: None }
}

/// Lets a lane run until it waits or returns; an access that is not allowed stops it, and the warp.
fn resume(lane: &mut Lane, answer: u32) -> Result<(), EmulatorError> {
    let Some(coroutine) = &mut lane.coroutine else { return Ok(()) };
    enter(lane.rendezvous);
    match coroutine.resume(answer) {
        CoroutineResult::Yield(request) => {
            lane.rendezvous = current();
            lane.request = Some(request);
        }
        CoroutineResult::Return(()) => {
            lane.request = None;
            let stack = lane.coroutine.take().map(Coroutine::into_stack);
            STACKS.with_borrow_mut(|stacks| stacks.extend(stack));
        }
    }
    check::take_fault().map_or(Ok(()), Err)
}

fn check_members(warp: u64, lanes: &[Lane]) -> Result<(), EmulatorError> {
    for (lane, request) in (0..).zip(lanes.iter().map(|lane| lane.request)) {
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
    (0..).zip(lanes).filter(|(_, lane)| lane.request.is_some_and(same)).fold(0, |bits, (index, _)| bits | 1 << index)
}

/// The members of an operation at which all of them wait.
fn complete(lanes: &[Lane]) -> Option<u32> {
    lanes
        .iter()
        .filter_map(|lane| lane.request)
        .find(|request| waiting_with(lanes, *request) == request.members)
        .map(|request| request.members)
}

fn missing(warp: u64, lanes: &[Lane]) -> EmulatorError {
    let request = lanes.iter().find_map(|lane| lane.request).expect("a lane waits");
    let returned = (0..).zip(lanes).filter(|(_, lane)| lane.coroutine.is_none()).fold(0, |bits, (i, _)| bits | 1 << i);
    EmulatorError::Missing {
        warp,
        operation: request.operation,
        members: request.members,
        waiting: waiting_with(lanes, request),
        returned,
    }
}

/// Answers the operation at which all `members` wait, and lets them go on.
fn answer(lanes: &mut [Lane], members: u32) -> Result<(), EmulatorError> {
    let requests: Vec<Option<Request>> = lanes.iter().map(|lane| lane.request).collect();
    let value = |lane: usize| requests[lane].map_or(0, |request| request.value);
    let votes =
        (0..WARP).filter(|lane| members >> lane & 1 == 1).fold(0, |bits, lane| bits | value(lane as usize) << lane);
    for lane in (0..WARP as usize).filter(|lane| members >> lane & 1 == 1) {
        let request = requests[lane].expect("a member waits");
        let answer = match request.operation {
            Operation::Ballot => votes,
            Operation::Shuffle => value(lane ^ request.lane_mask as usize),
            Operation::ShuffleFrom => value(request.lane_mask as usize % WARP as usize),
        };
        lanes[lane].request = None;
        resume(&mut lanes[lane], answer)?;
    }
    Ok(())
}
