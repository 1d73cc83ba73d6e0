use super::{accepted, messages, messages_along, refused};

/// What is computed from something that differs.
const DIFFERS: &str = "`q` has one value for all features, but this differs between features";
/// What may have been changed unseen.
const THROUGH: &str = "may have another for each: it is changed through a reference, a closure or a method";
/// What not all features come to.
const BRANCH: &str = "`q` has one value for all features, but whether this is reached differs between features";

#[test]
fn a_variable_that_is_changed_through_something_else_is_followed() {
    refused(
        THROUGH,
        &[
            "let mut q = 0.0; let mut set = |x| q = x; set(d.x[v][f]); d.q[v] = q",
            "let mut q = 0.0; let mut set = |x: f32| { q += x; }; (1..2).for_each(|_| set(d.x[v][f])); d.q[v] = q",
            "let mut q = 0.0; let mut set = || q = d.x[v][f]; set(); d.q[v] = q",
            "let mut q = 0.0; (|x| q = x)(d.x[v][f]); d.q[v] = q",
            "let mut q = 0.0; apply(|x| q = x, d.x[v][f]); d.q[v] = q",
            "let mut q = 0.0; let mut set = |x| (q, _) = (x, 1.0); set(d.x[v][f]); d.q[v] = q",
            "let mut q = [0.0; 2]; for x in q.iter_mut() { *x = d.x[v][f]; } d.q[v] = q[0]",
            "let mut q = [0.0; 2]; for x in &mut q { *x = d.x[v][f]; } d.q[v] = q[0]",
            "let mut q = [0.0; 2]; q.iter_mut().for_each(|x| *x = d.x[v][f]); d.q[v] = q[0]",
            "let mut q = [0.0; 2]; let mut all = q.iter_mut(); for x in all { *x = d.x[v][f]; } d.q[v] = q[0]",
            "let mut q = [0.0; 2]; for x in q.iter_mut().rev() { if d.x[v][f] > 0.0 { *x = 1.0; } } d.q[v] = q[0]",
            "let mut q = Some(0.0); if let Some(x) = q.as_mut() { *x = d.x[v][f]; } d.q[v] = q.unwrap()",
            "let mut q = Some(0.0); if let Some(x) = &mut q { *x = d.x[v][f]; } d.q[v] = q.unwrap()",
            "let mut q = Some(0.0); while let Some(x) = &mut q { *x = d.x[v][f]; break; } d.q[v] = q.unwrap()",
            "let mut q = Some(0.0); let Some(x) = &mut q else { return true }; *x = d.x[v][f]; d.q[v] = q.unwrap()",
            "let mut q = Some(0.0); match q { Some(ref mut x) => *x = d.x[v][f], None => {} } d.q[v] = q.unwrap()",
            "let mut q = Some(0.0); q.insert(d.x[v][f]); d.q[v] = q.unwrap()",
            "let mut q = 0.0; let ref mut x = q; *x = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; match q { ref mut x => *x = d.x[v][f] } d.q[v] = q",
            "let mut q = [0.0; 2]; let (a, b) = q.split_at_mut(1); a[0] = d.x[v][f]; d.q[v] = q[0]",
            "let mut q = 0.0; *id(&mut q) = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; let x = id(&mut q); *x += d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; set(&mut q, d.x[v][f]); d.q[v] = q",
            "let mut q = 0.0; let x = &mut q; let y = &mut *x; *y = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; let pair = (1.0, &mut q); *pair.1 = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; let own = Own { place: &mut q }; own.set(d.x[v][f]); d.q[v] = q",
            "let mut q = 0.0; let own = Own { place: &mut q }; *own.place = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; let mut x = id(); x = &mut q; *x = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; let mut list = List::new(); list.push(&mut q); list.set(d.x[v][f]); d.q[v] = q",
            "let mut q = 0.0; let mut list = List::new(); push(&mut list, &mut q); list.set(d.x[v][f]); d.q[v] = q",
            "let mut q = 0.0; let x = if d.alpha > 0.5 { &mut q } else { other() }; *x = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; let x = match 1 { 1 => &mut q, _ => other() }; *x = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; let x = loop { break &mut q; }; *x = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; let x = { let y = &mut q; y }; *x = d.x[v][f]; d.q[v] = q",
            "let mut q = 0.0; core::mem::swap(&mut q, &mut d_x(d.x[v][f])); d.q[v] = q",
            "let mut q = 0.0; if d.x[v][f] > 0.0 { bump(&mut q); } d.q[v] = q",
            "let mut q = Counter::new(); for _ in 0..f.index() { q.step(); } d.q[v] = q.count",
            "let mut q = 0.0; fill(&mut q, |out: &mut f32| *out = d.x[v][f]); d.q[v] = q",
            "let c = make(); c.put(d.x[v][f]); d.q[v] = c.value()",
            "let c = make(); put(&c, d.x[v][f]); d.q[v] = value(&c)",
            "let c = &make(); put(c, d.x[v][f]); d.q[v] = value(c)",
            "let c = make(); let set = |x| c.put(x); set(d.x[v][f]); d.q[v] = c.value()",
            "let mut q = 0.0; bump(&mut q); d.q[v] = q; bump_by(&mut q, d.x[v][f])",
        ],
    );
}

#[test]
fn assignments_are_followed() {
    refused(
        DIFFERS,
        &[
            "d.q[v] = d.x[v][f]",
            "d.q[v] += f.index() as f32",
            "let (a, b) = (1.0, d.x[v][f]); d.q[v] = b",
            "let mut a = 1.0; (a, _) = (d.x[v][f], 1.0); d.q[v] = a",
            "let mut a = Pair { left: 1.0 }; Pair { left: a.left } = Pair { left: d.x[v][f] }; d.q[v] = a.left",
            "let mut a = [1.0; 3]; a[f.index() as usize] = 2.0; d.q[v] = a[0]",
            "let mut a = [1.0; 3]; [a[0], ..] = [d.x[v][f], 1.0, 2.0]; d.q[v] = a[0]",
            "let mut a = 1.0; let mut b = 1.0; let mut c = 1.0; for _ in 0..4 { d.q[v] = a; a = b; b = c; c = d.x[v][f]; }",
            "let a = normalize(d.x[v][f]); d.q[v] = a",
            "let a = if d.x[v][f] > 0.0 { 1.0 } else { 2.0 }; d.q[v] = a",
            "let a = match d.x[v][f] > 0.0 { true => 1.0, _ => 2.0 }; d.q[v] = a",
            "let a = match 1 { 1 if d.x[v][f] > 0.0 => 1.0, _ => 2.0 }; d.q[v] = a",
            "let a = loop { if d.x[v][f] > 0.0 { break 1.0; } break 2.0; }; d.q[v] = a",
            "let a = 'all: { if d.x[v][f] > 0.0 { break 'all 1.0; } 2.0 }; d.q[v] = a",
            "let mut a = 0.0; while a < d.x[v][f] { a += 1.0; } d.q[v] = a",
            "let mut a = 0.0; for _ in 0..f.index() { a += 1.0; } d.q[v] = a",
            "let mut a = 0.0; let _ = d.x[v][f] > 0.0 && { a = 1.0; true }; d.q[v] = a",
            "let a = d.alpha; let g = move |x: f32| x * a * d.x[v][f]; d.q[v] = g(1.0)",
            "let a = Some(d.x[v][f]); if let Some(b) = a { d.q[v] = b; }",
            "let a = 1.0; let b = { let a = d.x[v][f]; a }; d.q[v] = b",
            "let a = { let a = d.x[v][f]; a * 2.0 } + 1.0; d.q[v] = a",
            "let a = sum_of(d.x[v][f], 1.0); d.q[v] = a",
            "let a = 1.0_f32.max(d.x[v][f]); d.q[v] = a",
        ],
    );
}

#[test]
fn features_that_part_are_followed() {
    refused(
        BRANCH,
        &[
            "if d.x[v][f] > 0.0 { d.q[v] = 1.0; }",
            "if d.alpha > 0.0 {} else if d.x[v][f] > 0.0 {} else { d.q[v] = 1.0; }",
            "match d.x[v][f] > 0.0 { true => d.q[v] = 1.0, _ => {} }",
            "match 1 { _ if d.x[v][f] > 0.0 => {} _ => d.q[v] = 1.0 }",
            "match 1 { _ if d.x[v][f] > 0.0 => d.q[v] = 1.0, _ => {} }",
            "if d.x[v][f] > 0.0 { return false; } d.q[v] = 1.0",
            "for _ in 0..3 { if d.x[v][f] > 0.0 { break; } d.q[v] = 1.0; }",
            "for _ in 0..3 { d.q[v] += 1.0; if d.x[v][f] > 0.0 { break; } }",
            "for _ in 0..3 { if d.x[v][f] > 0.0 { continue; } d.q[v] = 1.0; }",
            "'a: for _ in 0..3 { loop { if d.x[v][f] > 0.5 { break 'a; } break; } d.q[v] += 1.0; }",
            "'a: for _ in 0..3 { loop { if d.x[v][f] > 0.5 { continue 'a; } break; } d.q[v] += 1.0; }",
            "'a: { if d.x[v][f] > 0.5 { break 'a; } d.q[v] = 1.0; }",
            "let Some(a) = pick(d.x[v][f]) else { d.q[v] = 1.0; return true }",
            "let _ = d.x[v][f] > 0.0 && { d.q[v] = 1.0; true }",
            "let _ = d.x[v][f] > 0.0 || { d.q[v] = 1.0; true }",
            "while d.x[v][f] > d.q[v] { d.q[v] += 1.0; }",
            "for _ in 0..f.index() { d.q[v] = 1.0; }",
            "let mut a = false; let mut set = |x| a = x; set(d.x[v][f] > 0.0); if a { d.q[v] = 1.0; }",
        ],
    );
}

#[test]
fn a_broadcast_names_one_feature() {
    let differs = "which feature is broadcast must be the same for all features";
    refused(
        differs,
        &[
            "let a = broadcast(d.x[v][f], f.index())",
            "let mut i = 0; set(&mut i, d.x[v][f]); let a = broadcast(d.x[v][f], i)",
            "let mut i = 0; let mut set = |x| i = x; set(f.index()); let a = broadcast(d.x[v][f], i)",
        ],
    );
    accepted(&["let i = argmax(d.x[v][f]); let a = broadcast(d.x[v][f], i + 1)"]);
}

#[test]
fn what_is_the_same_is_accepted() {
    accepted(&[
        "let mut q = 0.0; bump(&mut q); d.q[v] = q",
        "let mut q = 0.0; let mut add = |x: f32| q += x; add(1.0); add(d.alpha); d.q[v] = q",
        "let mut q = [0.0; 2]; for x in q.iter_mut() { *x = d.alpha; } d.q[v] = q[0]; d.y[v][f] = q[1] * d.x[v][f]",
        "let mut q = 1.0_f32; let y = q.max(d.x[v][f]); d.q[v] = q",
        "let q = weigh(d.alpha); let y = mixed(q, d.x[v][f]); d.q[v] = q",
        "let mut q = sum(d.x[v][f]); if q > 1.0 { q -= 1.0; } d.q[v] = q",
        "let mut a = 0.0; d.q[v] = a; a = d.x[v][f]",
        "let list = [1.0, 2.0]; if d.x[v][f] > 0.0 { d.y[v][f] = list.iter().sum::<f32>(); } d.q[v] = list[0]",
        "let g = |x: f32| { if x > d.x[v][f] { return 1.0; } x }; d.y[v][f] = g(1.0); d.q[v] = 1.0",
        "'a: { if d.x[v][f] > 0.5 { break 'a; } d.y[v][f] = 1.0; } d.q[v] = 1.0",
        "for _ in 0..3 { if d.x[v][f] > 0.5 { continue; } d.y[v][f] = 1.0; } d.q[v] = 1.0",
        "let mut n = 0.0; loop { if n > d.x[v][f] { break; } n += 1.0; } d.q[v] = 1.0",
        "if let (Some(a), b) = (pick(d.alpha), 1.0) { d.q[v] = a + b; }",
        "match argmax(d.x[v][f]) { 0 => d.q[v] = 1.0, n if n > 2 => d.q[v] = n as f32, _ => {} }",
        "let a = d.x[v][f]; let b = { let a = 1.0; a }; d.q[v] = b",
        "let flag = if d.alpha > 1.0 { d.y[v][f] = d.x[v][f]; true } else { false }; if flag { d.q[v] = 1.0; }",
    ]);
}

#[test]
fn each_mistake_is_reported_once() {
    assert_eq!(messages("for _ in 0..9 { d.q[v] = d.x[v][f]; }").len(), 1);
    let found = messages_along("let mut a = 0.0; let mut set = |x| a = x; set(d.x[e.src][f]); d.q[e.dst] += a");
    assert!(matches!(&found[..], [only] if only.contains(THROUGH)), "{found:?}");
    let found = messages_along("d.q[e.dst].min_with(d.x[e.src][f]); d.w[e] = 1.0");
    assert!(matches!(&found[..], [only] if only.contains(DIFFERS)), "{found:?}");
}
