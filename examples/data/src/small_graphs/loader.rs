//! Batches in an order that a seed decides, each made while the one before it is in use.

use std::io;
use std::ops::Range;
use std::panic;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

use onyx_runtime::memory;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Batch, GraphCollection};
use crate::dataset::DatasetError;

/// What needs the memory.
const ORDER: &str = "the order of the graphs";

/// Makes the batches of a collection, or of a part of it.
#[derive(Clone, Debug)]
pub struct Loader {
    collection: Arc<GraphCollection>,
    graphs: Vec<usize>,
    size: usize,
    seed: Option<u64>,
}

impl Loader {
    /// Batches of `size` of the `graphs`, in their order; the last one has what is left. A size of 0 counts as 1.
    ///
    /// # Errors
    /// There is no graph, or one is not there.
    pub fn new(collection: Arc<GraphCollection>, graphs: Vec<usize>, size: usize) -> Result<Self, DatasetError> {
        let count = collection.len();
        if let Some(graph) = graphs.iter().copied().find(|graph| *graph >= count) {
            return Err(DatasetError::NotAGraph { graph, graphs: count });
        }
        if graphs.is_empty() {
            return Err(DatasetError::NoGraph);
        }
        Ok(Self { collection, graphs, size: size.max(1), seed: None })
    }

    /// Shuffles the graphs in every epoch, in an order that the seed and the epoch's number decide.
    pub fn shuffled(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// The number of batches of an epoch.
    pub fn batch_count(&self) -> usize {
        self.graphs.len().div_ceil(self.size)
    }

    /// The graphs of an epoch, in their order.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn order(&self, epoch: u64) -> Result<Vec<usize>, DatasetError> {
        let mut order = memory::collect(self.graphs.iter().copied(), ORDER)?;
        if let Some(seed) = self.seed {
            // A stream of its own for each epoch, so that any of them can be drawn again.
            let mut random = Pcg64Mcg::seed_from_u64(seed ^ epoch.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            order.shuffle(&mut random);
        }
        Ok(order)
    }

    /// The batches of an epoch. A thread makes each of them while the one before it is in use, and has one ready at most.
    ///
    /// # Errors
    /// There is no memory, or the thread cannot be started.
    pub fn epoch(&self, epoch: u64) -> Result<Batches, DatasetError> {
        self.epoch_of(epoch, Ok)
    }

    /// The same of what is made of each batch, by the thread as well: what it does in parallel elsewhere, it does alone.
    ///
    /// # Errors
    /// As [`Loader::epoch`].
    pub fn epoch_of<T: Send + 'static, E: From<DatasetError> + Send + 'static>(
        &self,
        epoch: u64,
        of: impl Fn(Batch) -> Result<T, E> + Send + 'static,
    ) -> Result<Batches<T, E>, DatasetError> {
        let (order, collection, size) = (self.order(epoch)?, Arc::clone(&self.collection), self.size);
        let (pool, (sender, receiver)) = (pool()?, sync_channel(0));
        let make = move || {
            let batch = |graphs: &[usize]| collection.batch(graphs).map_err(E::from).and_then(&of);
            // Nobody takes any more of them where one cannot be sent.
            let _ = order.chunks(size).try_for_each(|graphs| sender.send(batch(graphs)));
        };
        let builder = thread::Builder::new().name("batches".to_owned());
        let thread = builder.spawn(move || pool.install(make)).map_err(DatasetError::Thread)?;
        Ok(Batches { receiver, thread: Some(thread), left: 0..self.batch_count() })
    }
}

/// A pool of one thread, which makes batches: of the pool that all share, each thread may be waiting for one.
fn pool() -> Result<ThreadPool, DatasetError> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|error| DatasetError::Thread(io::Error::other(error)))
}

/// The batches of an epoch, or what was made of them, one after the other.
#[derive(Debug)]
pub struct Batches<T = Batch, E = DatasetError> {
    receiver: Receiver<Result<T, E>>,
    thread: Option<JoinHandle<()>>,
    left: Range<usize>,
}

impl<T, E> Iterator for Batches<T, E> {
    type Item = Result<T, E>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left.next()?;
        let batch = self.receiver.recv().ok();
        // The thread ends early only if it panics.
        if let Some(thread) = self.thread.take_if(|_| batch.is_none()) {
            thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic));
        }
        batch
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}
