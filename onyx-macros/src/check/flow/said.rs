//! What a returned value says of the properties that were stored: where it is false, which have not changed.

use std::collections::BTreeSet;

use super::state::Place;
use super::value::{Condition, Meaning, Number, Pair, Value};

/// Whether `returned`, where it is false, says that the property has not changed by more than a tolerance.
pub fn covers(returned: &Value, place: &Place) -> bool {
    if place.under.contains(&returned.number) {
        return true;
    }
    match &returned.meaning {
        Meaning::Condition(condition) => condition_covers(condition, place),
        _ => false,
    }
}

fn condition_covers(condition: &Condition, place: &Place) -> bool {
    match condition {
        Condition::True => true,
        Condition::False | Condition::Near(_) => false,
        Condition::Differs(pairs) => pairs.iter().any(|pair| compares(*pair, place.earlier, &place.candidates)),
        Condition::Either(a, b) => covers(a, place) || covers(b, place),
        Condition::Both(a, b) => covers(a, place) && covers(b, place),
        Condition::Choice(which, yes, no) => covers(yes, place) && (covers(no, place) || covers(which, place)),
    }
}

/// Whether a pair is the earlier value and the only other one that may be there.
fn compares((a, b): Pair, earlier: Number, candidates: &BTreeSet<Number>) -> bool {
    let new = match (a == earlier, b == earlier) {
        (true, _) => b,
        (_, true) => a,
        _ => return false,
    };
    candidates.iter().all(|candidate| *candidate == earlier || *candidate == new)
}

/// Whether a returned value is always true.
pub fn is_true(returned: &Value) -> bool {
    matches!(returned.meaning, Meaning::Condition(Condition::True))
}
