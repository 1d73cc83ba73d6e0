//! What the reductions mean, in 64 bits, over a list of contributions.

/// The mean, 0 of none.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The logarithm of the sum of exponentials, -inf of none.
pub fn log_sum_exp(scores: &[f64]) -> f64 {
    if scores.iter().any(|score| score.is_nan()) {
        return f64::NAN;
    }
    let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if greatest.is_infinite() {
        return greatest;
    }
    greatest + scores.iter().map(|score| (score - greatest).exp()).sum::<f64>().ln()
}

/// The sum of second parts, weighted by the softmax of the first parts: 0 of none, and where no score is above -inf. What has a score of -inf takes no
/// part; the greatest infinity shares all of the weight.
pub fn softmax_sum(contributions: &[(f64, f64)]) -> f64 {
    let seen: Vec<(f64, f64)> =
        contributions.iter().copied().filter(|(score, _)| *score != f64::NEG_INFINITY).collect();
    if seen.iter().any(|(score, _)| score.is_nan()) {
        return f64::NAN;
    }
    let greatest = seen.iter().map(|(score, _)| *score).fold(f64::NEG_INFINITY, f64::max);
    let weight = |score: f64| if score == greatest { 1.0 } else { (score - greatest).exp() };
    let total: f64 = seen.iter().map(|(score, _)| weight(*score)).sum();
    if seen.is_empty() { 0.0 } else { seen.iter().map(|(score, x)| weight(*score) * x).sum::<f64>() / total }
}
