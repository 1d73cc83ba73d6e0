//! What is wrong in the last sweep is found out, and what 32-bit floats explain is not.

use onyx_examples::als::{Model, verify};
use onyx_examples::ratings::{Bipartite, Factors, Feedback, Rating, Settings, Table};
use onyx_runtime::Backend;

use crate::{on, planted, sweep};

/// Adds a part of its length to the first number of a factor, or all of it.
fn nudged(factors: &Factors, vertex: u32, part: f64) -> Factors {
    let mut factors = factors.clone();
    let row = factors.row_mut(vertex);
    row[0] += part * row.iter().map(|value| value * value).sum::<f64>().sqrt();
    factors
}

#[test]
fn a_factor_that_is_off_is_found_on_either_side() {
    let feedbacks = [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }];
    // Of more features each is a smaller part of a system.
    let cases = feedbacks.into_iter().flat_map(|feedback| [(feedback, 8, 1e-3), (feedback, 40, 1e-2)]);
    for (feedback, features, least) in cases {
        let (bipartite, _) = planted(feedback, 40, 30);
        let settings = Settings { features, lambda: 0.1, feedback, ..Settings::default() };
        let start = Factors::initial(&bipartite, features, 3);
        let mut model = Model::new(&bipartite, settings, &start, &on(Backend::Cpu)).unwrap();
        let (before, after) = sweep(&mut model, &start, 3, &on(Backend::Cpu));
        assert!(verify(&bipartite, settings, &before, &after).agrees());
        for vertex in [0, 17, 39, 40, 55, 69] {
            for part in [least, -10.0 * least, 1.0, f64::NAN] {
                let verification = verify(&bipartite, settings, &before, &nudged(&after, vertex, part));
                assert!(!verification.agrees(), "{settings:?}, vertex {vertex} by {part}: {verification:?}");
            }
        }
        // A sweep that was fitted to something else, or not at all.
        assert!(!verify(&bipartite, settings, &nudged(&before, 50, 0.01), &after).agrees());
        assert!(!verify(&bipartite, settings, &before, &before).agrees());
    }
}

#[test]
fn ratings_of_one_value_by_many_are_verified() {
    // Equal terms round the same way: the worst that a sum in 32-bit floats can come to.
    let rating = |user| Rating { user, item: user % 2, value: 0.1 };
    let bipartite = Bipartite::new(&Table::new((0..100_000).map(rating).collect()).unwrap(), 100_000, 2).unwrap();
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 3.0 }] {
        let settings = Settings { features: 3, feedback, ..Settings::default() };
        let start = Factors::initial(&bipartite, 3, 0);
        let mut model = Model::new(&bipartite, settings, &start, &on(Backend::Cpu)).unwrap();
        let (before, after) = sweep(&mut model, &start, 4, &on(Backend::Cpu));
        let verification = verify(&bipartite, settings, &before, &after);
        assert!(verification.agrees(), "{settings:?}: {verification:?}");
    }
}
