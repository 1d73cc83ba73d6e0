//! The algorithms say what changes, so that the compiler lets them leave vertices out.

use onyx_device::Fold;
use onyx_examples::{label_propagation, multi_manifold_ranking, multimodal_learning, pagerank};

fn assert_derived<F: Fold>(_: F) {
    assert_eq!(F::WHY_NOT_CHANGE_DRIVEN, None, "{}", F::NAME);
    assert!(F::PUSHES);
}

#[test]
fn changes_are_derived() {
    assert_derived(label_propagation::step);
    assert_derived(pagerank::step);
    assert_derived(multi_manifold_ranking::step);
    assert_derived(multimodal_learning::step);
}
