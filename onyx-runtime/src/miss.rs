//! Reads at an index that a function has computed, and that is out of range: the end of a run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onyx_device::gather::{Noted, Number, number_of};
use onyx_device::property::Element;
use onyx_device::{FoldFacts, stage};

use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::store::Store;
use crate::total;

/// The words of what is noted.
const WORDS: usize = size_of::<Noted>() / 8;

/// Whether the fold reads at an index that it computes.
pub(crate) fn may_miss(fold: &'static FoldFacts) -> bool {
    stage::gathered(fold.stages) | stage::added(fold.stages) != 0
}

/// An error if the fold has read out of range.
pub(crate) fn check(fold: &'static FoldFacts, noted: Noted, store: &Store) -> Result<(), RunError> {
    if noted.count == 0 {
        return Ok(());
    }
    let (property, index) = (&fold.properties[noted.property as usize], noted.index);
    let (what, rows) = match property.element {
        Element::Table => ("rows", store.rows(noted.property as usize)),
        _ => ("vertices", store.shape().0),
    };
    let element = match noted.element() {
        Number::Edge(number) => format!("edge number {number}"),
        Number::Vertex(number) => format!("vertex number {number}"),
    };
    let property = property.name.trim_start_matches(total::PREFIX);
    let function = fold.functions.iter().find(|name| number_of(name) == noted.function).copied().unwrap_or_default();
    Err(RunError::OutOfRange { fold: fold.declared_name, function, property, index, rows, what, element })
}

/// What folds note on a device, where they compute indices: whoever waits for the device looks at it.
pub(crate) struct Notes<A> {
    array: Mutex<A>,
    fold: &'static FoldFacts,
}

impl<A> Notes<A> {
    /// Those of the fold, where it may miss.
    pub(crate) fn made<M: Memory<Array = A>>(
        fold: &'static FoldFacts,
        memory: &M,
    ) -> Result<Option<Arc<Self>>, RunError> {
        let made = || Ok(Arc::new(Self { array: Mutex::new(memory.zeroed(8 * WORDS)?), fold }));
        may_miss(fold).then(made).transpose()
    }

    /// Shows the array.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&A) -> T) -> T {
        act(&self.array())
    }

    fn array(&self) -> MutexGuard<'_, A> {
        self.array.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// [`check`], of what was noted so far, which is forgotten then. Waits for the device.
    pub(crate) fn look<M: Memory<Array = A>>(&self, memory: &M, store: &Store) -> Result<(), RunError> {
        let (mut array, mut words) = (self.array(), [0_u64; WORDS]);
        memory.download(&array, bytemuck::cast_slice_mut(&mut words))?;
        let half = |word: usize| (words[word] as u32, (words[word] >> 32) as u32);
        let ((property, index), (element_low, element_high), (is_edge, function)) = (half(1), half(2), half(3));
        let noted = Noted { count: words[0], property, index, element_low, element_high, is_edge, function };
        let checked = check(self.fold, noted, store);
        if checked.is_err() {
            memory.clear(&mut array)?;
        }
        checked
    }
}
