//! Where in a statement an operation may stand, and what is evaluated around it.

/// A plain function.
fn mixed(a: f32, b: f32, c: f32) -> f32 {
    100.0 * a + 10.0 * b + c
}

fn bump(a: &mut f32) -> f32 {
    *a += 1.0;
    *a
}

fn even(a: f32) -> Option<f32> {
    (a > 0.0).then_some(a)
}

#[derive(Clone, Copy)]
struct Pair {
    a: f32,
    b: f32,
}

impl Pair {
    fn plus(self, other: f32) -> f32 {
        self.a - self.b + other
    }
}

programs! {
    arithmetic(f, v, d) {
        d.y[v][f] = d.x[v][f] * 2.0 + sum(d.x[v][f]) - d.y[v][f] / (1.0 + norm2(d.z[v][f]));
        true
    }
    constants_stay_to_the_left(f, v, d) {
        let mut a = d.x[v][f];
        d.y[v][f] = 2.0 + sum({ a = 5.0; a }) + a;
        true
    }
    an_effect_to_the_right(f, v, d) {
        let mut a = 1.0;
        d.y[v][f] = sum(a + d.x[v][f]) + { a = 5.0; a };
        d.z[v][f] = a;
        true
    }
    an_effect_in_the_first_argument(f, v, d) {
        let mut a = d.x[v][f];
        let b = sum({ a += 1.0; a }) + a;
        d.y[v][f] = a + b;
        true
    }
    effects_in_two_operations(f, v, d) {
        let mut a = 1.0;
        let b = sum({ a += d.x[v][f]; a }) * product({ a = a * 0.5 + 1.0; a });
        d.y[v][f] = a + b;
        true
    }
    an_effect_in_a_nested_operation(f, v, d) {
        let mut a = 1.0;
        let b = sum(max({ a += d.x[v][f]; a }) + a) * a;
        d.y[v][f] = a + b;
        true
    }
    nested_operations(f, v, d) {
        d.y[v][f] = sum(d.x[v][f] - max(d.x[v][f]) * sum(d.z[v][f] - min(d.z[v][f]))) + d.y[v][f];
        true
    }
    tuples(f, v, d) {
        let (a, b, c) = (d.x[v][f], sum(d.x[v][f]), d.y[v][f] + max(d.z[v][f]));
        d.z[v][f] = a + b * c;
        true
    }
    tuples_of_an_effect_behind(f, v, d) {
        let mut n = 1.0;
        let (a, b) = (sum(n + d.x[v][f]), { n = 2.0; n });
        d.z[v][f] = a + b * n;
        true
    }
    arrays(f, v, d) {
        let list = [d.x[v][f], sum(d.x[v][f]), d.y[v][f]];
        d.z[v][f] = list[0] - list[1] * list[2];
        true
    }
    repeated(f, v, d) {
        let list = [sum(d.x[v][f]); 3];
        d.z[v][f] = list[0] + list[1] * list[2];
        true
    }
    structure_literals(f, v, d) {
        let pair = Pair { b: d.x[v][f], a: sum(d.y[v][f]) };
        let other = Pair { b: min(pair.a + d.z[v][f]), ..pair };
        d.z[v][f] = pair.plus(other.b) + other.a;
        true
    }
    arguments(f, v, d) {
        d.y[v][f] = mixed(d.x[v][f], sum(d.x[v][f]), d.y[v][f]);
        true
    }
    operations_as_all_arguments(f, v, d) {
        d.y[v][f] = mixed(sum(d.x[v][f]), max(d.y[v][f]), min(d.z[v][f]));
        true
    }
    effects_in_arguments_behind(f, v, d) {
        let mut n = d.y[v][f];
        d.y[v][f] = mixed(sum(n), bump(&mut n), bump(&mut n));
        true
    }
    receivers(f, v, d) {
        d.y[v][f] = sum(d.x[v][f]).max(d.x[v][f]).min(max(d.z[v][f]));
        true
    }
    arguments_of_methods(f, v, d) {
        let mut a = d.x[v][f];
        d.y[v][f] = a.max(sum(a)).clamp(-0.5, norm2(a));
        a = 2.0;
        d.z[v][f] = a;
        true
    }
    own_methods(f, v, d) {
        let pair = Pair { a: d.x[v][f], b: 0.25 };
        d.y[v][f] = pair.plus(sum(d.x[v][f]));
        true
    }
    indices(f, v, d) {
        let table = [0.5, 1.5, 2.5, 3.5];
        d.y[v][f] = table[argmax(d.x[v][f]) as usize] + d.x[v][f];
        true
    }
    assigned_indices(f, v, d) {
        let mut table = [0.5, 1.5, 2.5, 3.5];
        table[argmax(d.x[v][f]) as usize] = sum(d.y[v][f]);
        d.y[v][f] = table[0] + 2.0 * table[1] + 3.0 * table[2] + 4.0 * table[3];
        true
    }
    the_right_side_of_an_assignment_comes_first(f, v, d) {
        let (mut table, mut at) = ([0.0; 4], 0);
        table[{ at += 1; at }] = sum({ at = 2; d.x[v][f] });
        d.y[v][f] = table[0] + 2.0 * table[1] + 3.0 * table[2] + 4.0 * table[3];
        true
    }
    updated_indices(f, v, d) {
        let mut table = [0.5, 1.5, 2.5, 3.5];
        table[argmax(d.x[v][f]) as usize] += sum(d.y[v][f]);
        d.y[v][f] = table[0] + 2.0 * table[1] + 3.0 * table[2] + 4.0 * table[3];
        true
    }
    compound_assignments(f, v, d) {
        let mut a = d.x[v][f];
        a += sum(a);
        a *= 1.0 + max(a);
        a -= d.y[v][f] - norm2(a);
        d.y[v][f] += a / (1.0 + norm2(d.y[v][f]));
        true
    }
    the_right_side_of_a_compound_assignment_comes_first(f, v, d) {
        let mut a = d.x[v][f];
        a += sum({ a = 5.0; a });
        d.y[v][f] = a;
        d.y[v][f] += sum({ d.y[v][f] = 3.0; d.x[v][f] });
        true
    }
    assignments_of_parts(f, v, d) {
        let (mut a, mut list, mut pair) = (0.0, [0.0; 2], Pair { a: 0.0, b: 1.0 });
        (a, list[1]) = (sum(d.x[v][f]), d.y[v][f]);
        pair.a = max(d.z[v][f]);
        [list[0], _] = [min(d.x[v][f]), 2.0];
        d.z[v][f] = a + 2.0 * list[0] + 3.0 * list[1] + 4.0 * pair.a + 5.0 * pair.b;
        true
    }
    conditions(f, v, d) {
        let a = if d.alpha > 0.5 && true { 1.0 } else { 2.0 };
        if sum(d.x[v][f]) > d.x[v][f] {
            d.y[v][f] = a;
        } else {
            d.y[v][f] -= a;
        }
        true
    }
    conditions_with_effects_inside(f, v, d) {
        let mut n = 0.0;
        d.y[v][f] = if max(d.x[v][f]) > 0.5 { n += 1.0; n } else { n -= 1.0; d.x[v][f] } + n;
        true
    }
    lazy_conditions(f, v, d) {
        let mut n = 0.0;
        let both = any(d.x[v][f] > 1.0) && { n += 1.0; n > 0.5 } || { n += 4.0; false };
        d.y[v][f] = if both { n } else { -n };
        true
    }
    scrutinees(f, v, d) {
        d.y[v][f] = match argmax(d.x[v][f]) {
            0 => 1.0,
            1 if d.x[v][f] > 0.0 => 2.0,
            other => other as f32 + d.y[v][f],
        };
        match (sum(d.x[v][f]) > 1.0, f.index()) {
            (true, 0) => d.z[v][f] = 1.0,
            (false, _) => d.z[v][f] += 1.0,
            _ => {}
        }
        true
    }
    patterns_in_conditions(f, v, d) {
        if let Some(a) = even(sum(d.x[v][f])) {
            d.y[v][f] = a + d.x[v][f];
        }
        true
    }
    let_else(f, v, d) {
        let Some(a) = even(max(d.x[v][f]) - 1.0) else {
            d.y[v][f] = -1.0;
            return d.x[v][f] > 0.0;
        };
        d.y[v][f] = a;
        true
    }
    ranges_of_loops(f, v, d) {
        let mut n = 0.0;
        for i in 0..1 + argmax(d.x[v][f]) {
            n += i as f32 + d.x[v][f];
        }
        d.y[v][f] = n;
        true
    }
    casts_and_signs(f, v, d) {
        let least = -(argmax(-d.x[v][f]) as f32);
        let none = !any(d.x[v][f] > 9.0);
        d.y[v][f] = least + if none { 0.5 } else { 0.0 } + (sum(d.x[v][f]) as i32 % 3) as f32;
        none
    }
    references_for_one_statement(f, v, d) {
        let a = *&sum(d.x[v][f]) + *(&d.y[v][f]) * (&max(d.x[v][f])).abs();
        d.y[v][f] = a;
        true
    }
    returned_operations(f, v, d) {
        d.y[v][f] += 1.0;
        return sum(d.y[v][f]) > d.x[v][f] && d.x[v][f] > 0.0;
    }
    a_closure_to_the_left(f, v, d) {
        let a = d.x[v][f];
        let half = move |x: f32| x * 0.5 + a;
        d.y[v][f] = half(d.y[v][f]) - sum(half(a)) * half(max(a));
        true
    }
    a_closure_that_changes_to_the_right(f, v, d) {
        let mut n = 1.0;
        let mut next = move || { n += 1.0; n };
        let a = next();
        d.y[v][f] = sum(d.x[v][f]) + next() * 10.0 + next();
        d.z[v][f] = next() + a;
        true
    }
    properties_behind_an_effect(f, v, d) {
        let a = sum(d.x[v][f]) + { d.x[v][f] = 3.0; 1.0 } * d.x[v][f];
        d.y[v][f] = a;
        true
    }
    properties_changed_in_an_argument(f, v, d) {
        let a = sum({ d.y[v][f] = 3.0 + d.x[v][f]; d.y[v][f] }) + d.y[v][f];
        d.z[v][f] = a;
        true
    }
    a_property_written_between_operations(f, v, d) {
        d.y[v][f] = d.y[v][f] + 1.0;
        let a = sum(d.y[v][f]);
        d.y[v][f] = a - d.y[v][f];
        let b = sum(d.y[v][f] + a);
        d.y[v][f] += b;
        true
    }
    an_effect_and_an_operation_of_constants(f, v, d) {
        let mut a = 1.0;
        d.y[v][f] = { a = 5.0; a } + sum(1.0) + a;
        true
    }
    a_block_without_effects_to_the_left(f, v, d) {
        d.y[v][f] = { let t = d.x[v][f] * 2.0; t * t } + sum(d.x[v][f]) + if d.x[v][f] > 0.0 { 1.0 } else { 2.0 };
        true
    }
    a_loop_and_then_an_operation(f, v, d) {
        let mut n = 0.0;
        while n < d.x[v][f] {
            n += 0.25;
        }
        'rounds: for i in 0..3 {
            loop {
                n += 0.5;
                if n > 1.0 { continue 'rounds; }
                if i == 2 { break 'rounds; }
            }
        }
        d.y[v][f] = sum(n) - n;
        true
    }
    results_for_each_feature(f, v, d) {
        let share = normalize(d.x[v][f] + 2.0) * normalize(d.y[v][f] + normalize(d.z[v][f] + 2.0));
        d.y[v][f] = share - normalize(share * 2.0);
        all(d.y[v][f] < 0.0)
    }
    scalars(f, v, d) {
        d.q[v] += sum(d.x[v][f]) * d.alpha;
        d.p[v] = d.q[v] - max(d.x[v][f]);
        d.y[v][f] = d.p[v] + d.q[v] * d.x[v][f];
        any(d.y[v][f] > 0.0)
    }
    a_scalar_changed_in_an_argument(f, v, d) {
        let a = sum({ d.q[v] = d.alpha; d.x[v][f] }) + d.q[v];
        d.y[v][f] = a;
        true
    }
    shadowed_names(f, v, d) {
        let a = d.x[v][f];
        let a = a + sum(a);
        let a = { let a = a * 2.0; a } - norm2(a);
        d.y[v][f] = a;
        let sum = sum(a);
        d.z[v][f] = sum;
        true
    }
}
