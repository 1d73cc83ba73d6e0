//! Values that are the same for all features, and are seen to be so.

#[derive(Clone, Copy)]
struct State {
    level: f32,
}

impl State {
    fn rise(&mut self, by: f32) {
        self.level += by;
    }
}

fn set(place: &mut f32, value: f32) {
    *place = value;
}

programs! {
    sums(f, v, d) {
        let total = sum(d.x[v][f]);
        let mut best = total.max(0.0);
        let differs = best.max(d.x[v][f]);
        best += 1.0;
        d.q[v] = best;
        d.y[v][f] = differs;
        true
    }
    through_a_reference(f, v, d) {
        let mut level = d.alpha;
        set(&mut level, sum(d.x[v][f]));
        let place = &mut level;
        *place += 1.0;
        d.q[v] = level;
        true
    }
    through_a_method(f, v, d) {
        let mut state = State { level: d.q[v] };
        state.rise(sum(d.x[v][f]));
        d.q[v] = state.level;
        true
    }
    through_a_closure(f, v, d) {
        let mut level = 0.0;
        let mut rise = |by: f32| level += by;
        rise(d.alpha);
        rise(2.0);
        d.q[v] = level;
        true
    }
    through_an_iterator(f, v, d) {
        let mut levels = [1.0, 2.0, 3.0];
        for level in levels.iter_mut() {
            *level *= d.alpha;
        }
        let mut most = None;
        for level in levels {
            most = Some(level);
        }
        if let Some(most) = most.as_mut() {
            *most += 1.0;
        }
        d.q[v] = levels[0] + levels[2] * most.unwrap();
        true
    }
    loops_of_one_length(f, v, d) {
        let mut rounds = 0.0;
        'outer: loop {
            for i in 0..4 {
                rounds += 1.0;
                if i == 2 { continue 'outer; }
                if rounds > 6.0 { break 'outer; }
            }
        }
        d.q[v] = rounds;
        true
    }
    a_block_with_a_value(f, v, d) {
        let flag = if d.alpha > 0.5 { d.y[v][f] = d.x[v][f]; true } else { false };
        d.q[v] = if flag { 1.0 } else { 2.0 };
        flag
    }
    a_closure_that_returns(f, v, d) {
        let capped = |x: f32| {
            if x > d.x[v][f] { return 1.0; }
            x
        };
        d.y[v][f] = capped(d.alpha);
        d.q[v] = d.alpha;
        true
    }
    a_label_behind_which_all_meet(f, v, d) {
        'some: {
            if d.x[v][f] > 0.0 { break 'some; }
            d.y[v][f] = 1.0;
        }
        d.q[v] = 3.0;
        true
    }
    a_loop_behind_which_all_meet(f, v, d) {
        let mut n = 0.0;
        loop {
            if n > d.x[v][f] { break; }
            n += 1.0;
        }
        d.q[v] += 3.0;
        d.y[v][f] = n;
        true
    }
    broadcasts(f, v, d) {
        let mut at = 0;
        at += argmax(d.x[v][f]);
        d.q[v] = broadcast(d.y[v][f], at) + broadcast(d.x[v][f], 1);
        true
    }
}
