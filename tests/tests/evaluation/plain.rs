//! What the names in a body stand for when it is plain Rust: a thread for each feature, and operations at which all of them meet.

use std::cell::RefCell;
use std::ops::{Index, IndexMut};
use std::sync::{Arc, Barrier, Mutex};

use onyx_device::{Edge, Feature, Vertex};

/// What the threads of one vertex or edge share.
#[derive(Clone)]
pub struct Meeting {
    barrier: Arc<Barrier>,
    values: Arc<Mutex<Vec<f32>>>,
}

thread_local! {
    /// The meeting that this thread takes part in, and its feature.
    static TAKEN_PART: RefCell<Option<(Meeting, usize)>> = const { RefCell::new(None) };
}

impl Meeting {
    fn new(features: usize) -> Self {
        Self { barrier: Arc::new(Barrier::new(features)), values: Arc::new(Mutex::new(vec![0.0; features])) }
    }

    /// What every feature brings.
    fn exchange(&self, feature: usize, value: f32) -> Vec<f32> {
        self.values.lock().unwrap()[feature] = value;
        self.barrier.wait();
        let all = self.values.lock().unwrap().clone();
        self.barrier.wait();
        all
    }
}

/// Runs `body` in a thread for each feature, and returns what each gives.
pub fn together<T: Send>(features: usize, body: impl Fn(Feature) -> T + Sync) -> Vec<T> {
    let meeting = Meeting::new(features);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..features)
            .map(|feature| {
                let (meeting, body) = (meeting.clone(), &body);
                scope.spawn(move || {
                    TAKEN_PART.set(Some((meeting, feature)));
                    body(Feature(feature as u32))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn all_of(value: f32) -> (Vec<f32>, usize) {
    let (meeting, feature) = TAKEN_PART.with_borrow(|part| part.clone()).expect("the thread takes part");
    (meeting.exchange(feature, value), feature)
}

pub fn sum(x: f32) -> f32 {
    all_of(x).0.iter().sum()
}

pub fn product(x: f32) -> f32 {
    all_of(x).0.iter().product()
}

pub fn min(x: f32) -> f32 {
    all_of(x).0.into_iter().fold(f32::INFINITY, f32::min)
}

pub fn max(x: f32) -> f32 {
    all_of(x).0.into_iter().fold(f32::NEG_INFINITY, f32::max)
}

pub fn dot(a: f32, b: f32) -> f32 {
    sum(a * b)
}

pub fn norm2(x: f32) -> f32 {
    sum(x * x).sqrt()
}

pub fn normalize(x: f32) -> f32 {
    let total = sum(x);
    x * if total == 0.0 { 1.0 } else { 1.0 / total }
}

pub fn any(condition: bool) -> bool {
    sum(f32::from(u8::from(condition))) > 0.0
}

pub fn all(condition: bool) -> bool {
    !any(!condition)
}

pub fn argmax(x: f32) -> u32 {
    let all = all_of(x).0;
    let greatest = all.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    all.iter().position(|value| *value == greatest).unwrap() as u32
}

pub fn broadcast(x: f32, feature: u32) -> f32 {
    all_of(x).0.get(feature as usize).copied().unwrap_or(0.0)
}

/// One float for each feature, of which a thread sees its own, or one for all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Own(pub f32);

/// A property with features: `d.y[v][f]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row(pub Own);

impl Index<Feature> for Own {
    type Output = f32;

    fn index(&self, _: Feature) -> &f32 {
        &self.0
    }
}

impl IndexMut<Feature> for Own {
    fn index_mut(&mut self, _: Feature) -> &mut f32 {
        &mut self.0
    }
}

/// A scalar property: `d.q[v]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scalar(pub f32);

macro_rules! elements {
    ($($element:ty),*) => {
        $(
            impl Index<$element> for Row {
                type Output = Own;

                fn index(&self, _: $element) -> &Own {
                    &self.0
                }
            }

            impl IndexMut<$element> for Row {
                fn index_mut(&mut self, _: $element) -> &mut Own {
                    &mut self.0
                }
            }

            impl Index<$element> for Scalar {
                type Output = f32;

                fn index(&self, _: $element) -> &f32 {
                    &self.0
                }
            }

            impl IndexMut<$element> for Scalar {
                fn index_mut(&mut self, _: $element) -> &mut f32 {
                    &mut self.0
                }
            }
        )*
    };
}

elements!(Vertex, Edge);

/// `d.q[e.dst].min_with(x)`
pub trait Bound {
    fn min_with(&mut self, other: f32);
}

impl Bound for f32 {
    fn min_with(&mut self, other: f32) {
        *self = self.min(other);
    }
}

/// A property with features at both ends of an edge, which are vertices 0 and 1: `d.x[e.src][f]`.
pub type Ends = [Own; 2];

impl Index<Vertex> for Both {
    type Output = Own;

    fn index(&self, vertex: Vertex) -> &Own {
        &self.0[vertex.0 as usize]
    }
}

impl IndexMut<Vertex> for Both {
    fn index_mut(&mut self, vertex: Vertex) -> &mut Own {
        &mut self.0[vertex.0 as usize]
    }
}

/// [`Ends`] that are indexed by a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Both(pub Ends);

/// The data of an edge as one thread sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Link {
    pub x: Both,
    pub message: Row,
    pub weight: Scalar,
    pub total: Row,
    pub least: Scalar,
    pub mass: Scalar,
}

/// The data as one thread sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Data {
    pub x: Row,
    pub y: Row,
    pub z: Row,
    pub p: Scalar,
    pub q: Scalar,
    pub alpha: f32,
}
