//! A memory that does nothing and writes down what it is asked for.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::effects::Effects;
use super::script::{Act, Script};
use super::{Entered, Recorder};
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::session::Borrowed;

/// A memory that writes down what it is asked for.
#[derive(Clone, Default)]
pub(super) struct Diary {
    lines: Rc<RefCell<Vec<&'static str>>>,
    pub(super) arrays: Rc<Cell<usize>>,
    /// How much room all arrays have.
    pub(super) room: Rc<Cell<usize>>,
    keeps_nothing: bool,
    script: Rc<RefCell<Option<Script<Diary>>>>,
}

impl Diary {
    /// One whose recordings come to something, or do not.
    pub(super) fn new(keeps_nothing: bool) -> Self {
        Self { keeps_nothing, ..Self::default() }
    }

    pub(super) fn write(&self, line: &'static str) {
        self.lines.borrow_mut().push(line);
    }

    /// Writes at once, or when what was collected is done.
    pub(super) fn ask(&self, line: &'static str) {
        match &mut *self.script.borrow_mut() {
            Some(script) => script.add(|| vec![line.len() as u64], Line(line)),
            None => self.write(line),
        }
    }

    pub(super) fn collect(&self, script: Script<Self>) {
        *self.script.borrow_mut() = Some(script);
    }

    pub(super) fn collected(&self) -> Script<Self> {
        self.script.take().unwrap()
    }

    /// What has been written since the last time.
    pub(super) fn take(&self) -> String {
        self.lines.take().join(" ")
    }
}

/// A line to be written.
pub(super) struct Line(pub(super) &'static str);

impl Act<Diary> for Line {
    fn act(&self, memory: &Diary) -> Result<(), RunError> {
        memory.write(self.0);
        Ok(())
    }
}

/// A line that reads and writes what it says.
pub(super) struct KnownLine(pub(super) &'static str, pub(super) Effects);

impl Act<Diary> for KnownLine {
    fn act(&self, memory: &Diary) -> Result<(), RunError> {
        memory.write(self.0);
        Ok(())
    }

    fn effects(&self) -> Effects {
        self.1.clone()
    }
}

impl Memory for Diary {
    type Array = usize;

    fn upload(&self, _: &[u8]) -> Result<usize, RunError> {
        self.zeroed(0)
    }

    fn zeroed(&self, _: usize) -> Result<usize, RunError> {
        self.arrays.set(self.arrays.get() + 64);
        Ok(self.arrays.get())
    }

    fn room(&self, _: &usize) -> usize {
        self.room.get()
    }

    unsafe fn borrow(&self, _: Borrowed, _: &'static str) -> Result<usize, RunError> {
        self.zeroed(0)
    }

    unsafe fn give_back(&self, _: Borrowed) -> Result<(), RunError> {
        Ok(())
    }

    fn copy(&self, _: &usize, _: &mut usize) -> Result<(), RunError> {
        Ok(())
    }

    fn download_part(&self, _: &usize, _: usize, _: &mut [u8]) -> Result<(), RunError> {
        Ok(())
    }

    fn write(&self, _: &mut usize, _: &[u8]) -> Result<(), RunError> {
        Ok(())
    }

    fn clear(&self, _: &mut usize) -> Result<(), RunError> {
        Ok(())
    }

    fn resize(&self, _: &mut usize, _: usize) -> bool {
        true
    }

    fn bytes(&self, _: &usize) -> usize {
        usize::MAX
    }

    fn address(&self, array: &usize) -> *mut u8 {
        std::ptr::without_provenance_mut(*array)
    }
}

impl Recorder for Diary {
    type Recorded = ();
    /// How many lines there are.
    type Place = usize;
    const IS_AT_ONCE: bool = true;

    fn record(&self) -> bool {
        self.write("record");
        true
    }

    fn place(&self) -> Option<usize> {
        Some(self.lines.borrow().len())
    }

    /// Names the lines that come before the next one.
    fn follow(&self, places: &[&usize]) -> Option<()> {
        let lines = places.iter().map(|place| self.lines.borrow()[**place - 1]);
        let lines: Vec<&str> = lines.collect();
        self.write("after");
        lines.into_iter().for_each(|line| self.write(line));
        self.write(":");
        Some(())
    }

    fn recorded(&self) -> Option<()> {
        (!self.keeps_nothing).then_some(())
    }

    fn replay(&self, (): &()) -> Result<(), RunError> {
        self.write("replay");
        Ok(())
    }

    fn enter(&self, key: impl FnOnce() -> Vec<u64>) -> Entered {
        self.script.borrow_mut().as_mut().map_or(Entered::Nothing, |script| script.enter(key()))
    }

    fn leave(&self, _: bool) -> Result<(), RunError> {
        self.script.borrow_mut().iter_mut().for_each(Script::leave);
        Ok(())
    }
}
