use onyx_device::arguments::Arguments;
use onyx_device::cpu::Cpu;
use onyx_device::index::Vertex;
use onyx_device::launch::{Launch, Owned};
use onyx_device::prelude::*;
use onyx_device::property::Key;
use onyx_device::schedule::{pull, push};

#[graph_data]
pub struct Data {
    rank: VertexScalar,
}

/// A launch of arrays that nobody has checked.
fn launch(arguments: &Arguments<Data>) {
    pull::run::<_, Data, (), (), 1, 1>(Launch::new(Cpu, arguments));
}

/// The launch of another schedule, whose kernel needs other arrays.
fn other(launch: Launch<Cpu, Data, (), (), push::Push>) {
    pull::run::<_, Data, (), (), 1, 1>(launch);
}

/// A launch that is run twice.
fn twice(launch: Launch<Cpu, Data, (), (), pull::Pull>) {
    pull::run::<_, Data, (), (), 1, 1>(launch);
    pull::run::<_, Data, (), (), 1, 1>(launch);
}

/// A vertex that may not exist.
fn vertex() -> Owned<Vertex> {
    Owned::claim(Vertex(7))
}

/// A key of a property that may be of another type.
fn key() -> Key<Data, EdgeScalar> {
    Key::new(0, "Data")
}

fn moved() {
    let mut key = Data::RANK;
    key.index = 1;
}

/// A number of so many bytes as it says.
#[derive(Clone, Copy)]
struct Wide;

impl onyx_device::stored::Stored for Wide {
    type Register = f32;
    const NUMBER: onyx_device::stored::Number = onyx_device::stored::Number::F32;

    unsafe fn load<M: onyx_device::Machine, const V: usize>(_: M, _: *const Self) -> [f32; V] {
        [0.0; V]
    }

    unsafe fn store<M: onyx_device::Machine, const V: usize>(_: M, _: *mut Self, _: [f32; V]) {}
}

fn main() {}
