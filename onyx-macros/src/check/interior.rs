//! Names of what can be changed through a shared reference: `Cell` and its like.

use syn::{Ident, Path};

/// Types that can be changed through a shared reference.
const TYPES: &[&str] = &[
    "Cell",
    "LazyCell",
    "LazyLock",
    "Mutex",
    "OnceCell",
    "OnceLock",
    "RefCell",
    "RwLock",
    "SyncUnsafeCell",
    "UnsafeCell",
    "AtomicBool",
    "AtomicI8",
    "AtomicI16",
    "AtomicI32",
    "AtomicI64",
    "AtomicIsize",
    "AtomicPtr",
    "AtomicU8",
    "AtomicU16",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
];

/// The orders of atomic operations.
const ORDERS: &[&str] = &["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// Methods that change what is shared.
const METHODS: &[&str] = &[
    "borrow_mut",
    "try_borrow_mut",
    "compare_exchange",
    "compare_exchange_weak",
    "fetch_add",
    "fetch_and",
    "fetch_max",
    "fetch_min",
    "fetch_nand",
    "fetch_or",
    "fetch_sub",
    "fetch_update",
    "fetch_xor",
];

/// The part of a path that names such a type, or the order of an atomic operation.
pub fn named(path: &Path) -> Option<&Ident> {
    let is_among = |names: &[&str], name: &Ident| names.iter().any(|known| name == known);
    let segments = || path.segments.iter().map(|segment| &segment.ident);
    let last = segments().last().filter(|name| is_among(ORDERS, name));
    segments().find(|name| is_among(TYPES, name)).or(last)
}

/// Whether a method changes what is shared.
pub fn is_method(name: &Ident) -> bool {
    METHODS.iter().any(|known| name == known)
}
