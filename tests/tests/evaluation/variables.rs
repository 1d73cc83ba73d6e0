//! Variables that live across operations, and labels, blocks and branches in which properties are written.

#[derive(Clone, Copy)]
struct Counter {
    count: f32,
}

impl Counter {
    fn step(&mut self, by: f32) -> f32 {
        self.count += by;
        self.count
    }
}

programs! {
    values_of_many_types(f, v, d) {
        let pair = (d.x[v][f], 2_u8);
        let list = [d.x[v][f], 1.0];
        let maybe = Some(d.y[v][f]).filter(|y| *y > 0.0);
        let counter = Counter { count: d.z[v][f] };
        let (mut own, word) = (counter, "word");
        let a = sum(d.x[v][f]);
        own.step(a);
        d.y[v][f] = pair.0 + f32::from(pair.1) + list[0] + list[1] + maybe.unwrap_or(9.0) + counter.count + own.count;
        word.len() == 4
    }
    a_changed_variable_keeps_its_value(f, v, d) {
        let mut counter = Counter { count: 0.0 };
        counter.step(d.x[v][f]);
        let a = sum(counter.count);
        counter.step(a);
        let b = max(counter.count);
        d.y[v][f] = counter.count - b;
        true
    }
    closures_with_copies(f, v, d) {
        let (a, mut n) = (d.x[v][f], 0.0);
        let scale = move |x: f32| x * a;
        let mut count = move |by: f32| { n += by; n };
        let first = count(1.0);
        let total = sum(scale(2.0));
        d.y[v][f] = first + count(total) + scale(total) + n;
        true
    }
    closures_of_one_region(f, v, d) {
        let a = d.x[v][f];
        let scale = |x: f32| x * a;
        let mut n = 0.0;
        let mut count = |by: f32| { n += by; n };
        let b = scale(count(2.0) + count(3.0));
        d.y[v][f] = sum(b) + n;
        true
    }
    references_of_one_region(f, v, d) {
        let mut list = [d.x[v][f], 1.0, 2.0];
        let last = &mut list[2];
        *last += 1.0;
        let all = &list;
        let total = all.iter().sum::<f32>();
        let (first, rest) = list.split_at_mut(1);
        first[0] += rest[0];
        d.y[v][f] = sum(total + list[0]);
        true
    }
    a_block_that_is_left(f, v, d) {
        'done: {
            if d.x[v][f] > 0.5 { break 'done; }
            d.y[v][f] = 1.0;
        }
        d.y[v][f] > 0.0
    }
    an_else_that_writes(f, v, d) {
        let Some(a) = Some(d.x[v][f]).filter(|x| *x > 0.5) else {
            d.y[v][f] = 1.0;
            return true;
        };
        d.y[v][f] += a;
        false
    }
    a_guard_that_writes(f, v, d) {
        match f.index() {
            0 if { d.y[v][f] = 1.0; d.x[v][f] > 0.0 } => d.z[v][f] = 1.0,
            _ => d.z[v][f] += d.y[v][f],
        }
        true
    }
    lazy_writes(f, v, d) {
        let _ = d.x[v][f] > 0.5 && { d.y[v][f] = 1.0; true };
        d.y[v][f] += 1.0;
        true
    }
    methods_of_a_property(f, v, d) {
        d.y[v][f] = 2.0;
        d.y[v][f] = d.y[v][f].max(d.x[v][f]).mul_sign(d.x[v][f]);
        true
    }
    a_loop_that_writes(f, v, d) {
        for _ in 0..f.index() {
            d.y[v][f] = 1.0;
        }
        d.y[v][f] *= 2.0;
        true
    }
}

/// A method of the user's on floats.
pub trait Sign {
    fn mul_sign(self, other: f32) -> f32;
}

impl Sign for f32 {
    fn mul_sign(self, other: f32) -> f32 {
        if other < 0.0 { -self } else { self }
    }
}
