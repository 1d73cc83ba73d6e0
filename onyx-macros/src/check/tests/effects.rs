use super::{accepted, messages, refused};

#[test]
fn what_can_change_unseen_is_refused() {
    refused(
        "changes values unseen",
        &[
            "let c = Cell::new(0.0)",
            "let c = core::cell::RefCell::new(0.0)",
            "let c: core::cell::Cell<f32> = make()",
            "read(COUNTER, Ordering::Relaxed)",
            "let c = core::sync::atomic::AtomicU32::new(1)",
            "let x = COUNTER.fetch_add(1, order())",
            "let x = shared().borrow_mut()",
            "let m = Mutex::new(0.0)",
        ],
    );
}

#[test]
fn conditions_of_compilation_are_refused() {
    refused(
        "a condition of compilation",
        &[
            "#[cfg(any())] let x = 1.0",
            "#[cfg(any())] { d.y[v][f] = 1.0; }",
            "match 1 { #[cfg(any())] 1 => {} _ => {} }",
        ],
    );
    accepted(&["#[allow(unused_variables)] let x = 1.0"]);
}

#[test]
fn a_property_is_borrowed_by_nobody() {
    refused(
        "a property cannot be borrowed mutably",
        &[
            "let ref mut q = d.y[v][f]",
            "match d.q[v] { ref mut q => *q = 1.0 }",
            "if let ref mut q = d.q[v] {}",
            "set(&mut d.y[v][f])",
            "set(&mut (d.y[v])[f])",
        ],
    );
}

#[test]
fn every_kind_of_expression_is_known() {
    let unsupported = "this is not supported in an Onyx function";
    refused(unsupported, &["let x = const { 1.0 }", "let x = &raw const y", "let x = async { 1.0 }"]);
    assert_eq!(messages("let x = unsafe { sum(1.0) }").len(), 1);
    accepted(&[
        "let _ = ([1.0, 2.0], [0.0; 3], (1, 'a'), -1.0 as f64, !true, 1..2, Pair { a: 1.0 }, &1.0, \"text\")",
        ";; let mut a = 1.0;; (a, _) = (2.0, 3.0)",
        "let g = |x: f32| -> f32 { x }; let y = g(1.0)",
        "for i in 0..3 { if i == 1 { continue; } }",
        "while let Some(x) = next() { if x > 1.0 { break; } }",
    ]);
}
