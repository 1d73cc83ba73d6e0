//! What is written of a panic: nothing if it is told as an error. The hook is the process's, so this is the only test in it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, panic};

use onyx_device::prelude::*;
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Backend, Options, RunError, Store, converge};

#[graph_data]
struct Data {
    rank: VertexScalar,
}

#[vertex_fn]
fn fail(v: Vertex, d: &mut Data) -> bool {
    d.rank[v] = refused(v.0);
    false
}

fn refused(vertex: u32) -> f32 {
    assert!(vertex < 7, "vertex {vertex} is too great");
    1.0
}

foldmap! { failing(Data) = [fail] }

#[vertex_fn]
fn pass(v: Vertex, d: &mut Data) -> bool {
    d.rank[v] += 1.0;
    false
}

foldmap! { passing(Data) = [pass] }

static WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// Counts what a hook would write.
fn count() {
    panic::set_hook(Box::new(|_| {
        WRITTEN.fetch_add(1, Ordering::Relaxed);
    }));
}

fn place(graph: &Graph, backend: Backend) -> String {
    let options = Options { backend, ..Options::default() };
    let mut store = Store::new(failing, graph, 1).unwrap();
    let error = converge(failing, graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap_err();
    let RunError::Panic { function: "fail", message, place, .. } = error else { panic!("{error}") };
    assert!(message.ends_with("is too great"), "{message}");
    place
}

fn observe(graph: &Graph, backend: Backend) {
    let options = Options { backend, ..Options::default() };
    let mut store = Store::new(passing, graph, 1).unwrap();
    let _ = converge(passing, graph, &mut store, &options, &mut |_| panic!("an observer"));
}

#[test]
fn only_panics_that_are_no_errors_are_written() {
    // SAFETY: this process has no other thread yet that asks for its environment.
    unsafe { env::remove_var("RUST_BACKTRACE") };
    let graph = "grid:8x8".parse::<Generator>().unwrap().generate(1).unwrap();
    count();
    for backend in [Backend::Cpu, Backend::Emulator] {
        assert!(place(&graph, backend).contains("panic_hook.rs:"));
        assert_eq!(WRITTEN.swap(0, Ordering::Relaxed), 0, "{backend:?}");
        assert!(panic::catch_unwind(|| observe(&graph, backend)).is_err());
        assert_eq!(WRITTEN.swap(0, Ordering::Relaxed), 1, "{backend:?}");
    }
    // Where a hook comes later, it writes what it likes, and the error lacks the place alone.
    count();
    for backend in [Backend::Cpu, Backend::Emulator] {
        assert_eq!(place(&graph, backend), "an unknown place");
        assert!(WRITTEN.swap(0, Ordering::Relaxed) > 0, "{backend:?}");
    }
}
