use super::{accepted, messages_along, refused};

/// What stands before an operation and has an effect.
const BEFORE: &str = "in the statement, whose arguments are computed first";
/// An argument of an operation that has an effect.
const IN_ARGUMENT: &str = "this changes something before what stands to the left of";

#[test]
fn an_effect_before_an_operation_is_refused_wherever_it_stands() {
    refused(
        BEFORE,
        &[
            "let mut a = 1.0; let q = { a = 5.0; a } + sum(a)",
            "let mut a = 1.0; let q = { a += 5.0; a } + sum(d.x[v][f])",
            "let mut a = 1.0; let q = ({ a = 5.0; a }, sum(a))",
            "let mut a = 1.0; let q = [{ a = 5.0; a }, sum(a)]",
            "let mut a = 1.0; let q = Pair { left: { a = 5.0; a }, right: sum(a) }",
            "let mut a = 1.0; let q = Pair { left: { a = 2.0; a }, ..rest(sum(a)) }",
            "let mut a = 1.0; let q = mixed({ a = 5.0; a }, sum(a))",
            "let mut a = 1.0; let q = mixed(bump(&mut a), sum(a))",
            "let mut a = 1.0; let q = { a = 5.0; a }.max(sum(a))",
            "let mut a = Counter::new(); let q = a.step() + sum(a.count)",
            "let mut a = Counter::new(); let q = a.step().max(sum(a.count))",
            "let mut a = [1.0; 4]; let q = a.iter_mut().count() as f32 + sum(a[0])",
            "let mut a = 1.0; let q = table({ a = 5.0; 0 })[argmax(a) as usize]",
            "let mut a = 1.0; let q = ({ a = 5.0; a }..sum(a)).start",
            "let mut a = 1.0; let q = -{ a = 5.0; a } * !any(a > 1.0) as u8 as f32",
            "let mut a = 1.0; let q = ({ a = 5.0; a } as f64) + sum(a) as f64",
            "let mut a = 1.0; if { a = 5.0; a } > sum(a) { d.y[v][f] = 1.0; }",
            "let mut a = 1.0; match ({ a = 5.0; a }, sum(a)) { _ => {} }",
            "let mut a = 1.0; let Some(q) = pick({ a = 5.0; a }, sum(a)) else { return true }",
            "let mut a = 1.0; if let Some(q) = pick({ a = 5.0; a }, sum(a)) {}",
            "let mut a = 1; for i in { a = 5; a }..argmax(a as f32) {}",
            "let mut a = 1.0; d.y[v][f] = { a = 5.0; a } + sum(a)",
            "let mut a = 1.0; d.y[v][f] += { a = 5.0; a } + sum(a)",
            "let mut a = [1.0; 4]; a[{ a[0] = 2.0; 1 }] += sum(a[0])",
            "let mut a = 1.0; let mut next = move || { a += 1.0; a }; let q = next() + sum(a)",
            "let mut a = 1.0; let q = (|| { a += 1.0; a })() + sum(a)",
            "let mut a = 1.0; let q = apply(|x| a += x) + sum(a)",
            "let mut a = 1.0; let q = loop { a += 1.0; break a; } + sum(a)",
            "let mut a = 1.0; let q = 'all: { a += 1.0; if a > 1.0 { break 'all a; } 2.0 } + sum(a)",
            "let mut a = 1.0; let q = if d.alpha > 0.5 { a = 2.0; a } else { 1.0 } + sum(a)",
            "let mut a = 1.0; let q = match 1 { 1 => { a = 2.0; a } _ => 1.0 } + sum(a)",
            "let q = { d.y[v][f] = 3.0; 1.0 } + sum(d.y[v][f])",
            "let q = { d.q[v] = 3.0; 1.0 } + sum(d.x[v][f])",
            "let mut a = 1.0; let q = sum(a) + { a = 2.0; a } * sum(a)",
            "let mut a = 1.0; let q = max({ a = 2.0; a } + sum(a))",
            "let mut a = 1.0; let q = dot({ a = 2.0; a }, sum(a) + a)",
            "let mut a = 1.0; return { a = 2.0; a } > sum(a)",
            "let mut a = 1.0; let q = { a = 1.5; a > 1.0 } | any(a > 1.0) && true",
            "let mut a = 1.0; let q = *&{ a = 5.0; a } + (sum(a))",
            "let mut a = 1.0; let q = &mut a; *q = bump(q) + sum(d.x[v][f]) + bump(&mut 1.0) * sum(d.y[v][f])",
        ],
    );
}

#[test]
fn an_effect_in_an_argument_is_refused_where_it_could_be_seen_to_the_left() {
    refused(
        IN_ARGUMENT,
        &[
            "let q = d.y[v][f] + sum({ d.y[v][f] = 3.0; 1.0 })",
            "let mut a = 1.0; let q = a + sum({ a = 5.0; a })",
            "let mut a = 1.0; let q = (a, sum({ a = 5.0; a }))",
            "let mut a = 1.0; let q = [a, sum({ a = 5.0; a })]",
            "let mut a = 1.0; let q = Pair { left: a, right: sum({ a = 5.0; a }) }",
            "let mut a = 1.0; let q = mixed(a, sum({ a = 5.0; a }))",
            "let mut a = 1.0; let q = mixed(a, sum(bump(&mut a)))",
            "let mut a = 1.0; let q = a.max(sum({ a = 5.0; a }))",
            "let mut a = [1.0; 4]; let q = a[argmax({ a[0] = 2.0; 1.0 }) as usize]",
            "let mut a = 1.0; if a > sum({ a = 5.0; a }) {}",
            "let mut a = 1.0; match (a, sum({ a = 5.0; a })) { _ => {} }",
            "let mut a = 1.0; let q = sum(a + max({ a = 5.0; a }))",
            "let mut a = 1.0; let q = dot(a, max({ a = 5.0; a }))",
            "let mut a = 1.0; let q = max(1.0) + a * sum({ a = 5.0; a })",
            "let mut i = 0; let mut a = [1.0; 4]; a[i] += sum({ i = 1; 1.0 })",
            "let mut a = 1.0; let q = half(a) + sum({ a = 5.0; a })",
            "let mut a = 1.0; let q = a as f64 + sum({ a = 5.0; a }) as f64",
            "let mut a = 1.0; let q = -a + sum({ a = 5.0; a })",
            "let mut a = 1.0; let q = { let b = a; b } + sum({ a = 5.0; a })",
        ],
    );
}

#[test]
fn what_nobody_can_see_is_accepted() {
    accepted(&[
        "let mut a = 1.0; let q = { a = 5.0; a } + sum(1.0)",
        "let mut a = 1.0; let q = 2.0 + sum({ a = 5.0; a }) + a",
        "let mut a = 1.0; let q = d.alpha * sum({ a = 5.0; a })",
        "let mut a = 1.0; let q = LIMIT * core::f32::consts::PI * sum({ a = 5.0; a })",
        "let mut a = 1.0; let q = mixed(sum({ a = 5.0; a }), a)",
        "let mut a = 1.0; a = sum({ a = 5.0; a })",
        "let mut a = 1.0; a += sum({ a = 5.0; a })",
        "let mut a = [1.0; 4]; a[{ a[0] = 1.0; 1 }] = sum(a[0])",
        "let mut a = [1.0; 4]; a[argmax(a[0]) as usize] = sum(a[1])",
        "let mut a = 1.0; let q = sum({ a = 5.0; a }) + max({ a = 6.0; a }) + a",
        "let a = 1.0; let half = move |x: f32| x * a; let q = half(a) + sum(half(a))",
        "let a = Pair { left: 1.0 }; let q = a.length() + sum(a.left)",
        "let q = d.x[v][f].max(1.0) + mixed(d.x[v][f], 2.0) * sum(d.x[v][f])",
        "let mut a = 1.0; set(&mut a, sum(d.x[v][f])); let q = a",
        "let mut a = Counter::new(); a.step(sum(a.count))",
        "let q = { let b = d.x[v][f]; b * b } + if d.x[v][f] > 1.0 { 1.0 } else { 2.0 } + sum(d.x[v][f])",
        "let sum = |x: f32| x; let mut a = 1.0; let q = { a = 5.0; a } + sum(a)",
    ]);
}

#[test]
fn edge_functions_are_taken_apart_alike() {
    let refused = |body: &str, text: &str| {
        let found = messages_along(body);
        assert!(matches!(&found[..], [only] if only.contains(text)), "{body}: {found:?}");
    };
    refused("let mut a = 1.0; d.t[e.dst][f] += { a = 2.0; a } + sum(a)", BEFORE);
    refused("let mut a = 1.0; d.t[e.dst][f].min_with({ a = 2.0; a } + sum(a))", BEFORE);
    refused("d.m[e][f] = d.m[e][f] + sum({ d.m[e][f] = 3.0; 1.0 })", IN_ARGUMENT);
    let accepted = "let mut a = 1.0; d.t[e.dst][f].max_with(sum({ a = 2.0; a }) + a); d.w[e] *= sum({ a = 3.0; a })";
    assert_eq!(messages_along(accepted), Vec::<String>::new());
}

#[test]
fn nobody_leaves_before_an_operation() {
    refused(
        "every feature must reach the `sum` that follows",
        &[
            "let q = { return true; } + sum(1.0)",
            "let q = mixed(if d.x[v][f] > 0.0 { return false; } else { 1.0 }, sum(1.0))",
            "let q = sum({ if d.x[v][f] > 0.0 { return false; } 1.0 })",
            "let q = sum(sum_of({ return false; }, 2.0))",
        ],
    );
}
