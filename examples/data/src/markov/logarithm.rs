//! Sums of what is known by its logarithms.

/// The logarithm of the sum of e^x over all terms, minus infinity if there is none.
pub fn log_sum(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let greatest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if greatest == f64::NEG_INFINITY {
        return greatest;
    }
    greatest + terms.map(|term| (term - greatest).exp()).sum::<f64>().ln()
}

/// Divides by the sum, so that what is left are logarithms of shares; nothing if the sum is 0.
pub fn normalize(logarithms: &mut [f64]) -> Option<()> {
    let total = log_sum(logarithms.iter().copied());
    if total == f64::NEG_INFINITY {
        return None;
    }
    logarithms.iter_mut().for_each(|logarithm| *logarithm -= total);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{log_sum, normalize};

    #[test]
    fn sums_have_any_size() {
        let sum = log_sum([-2000.0, f64::NEG_INFINITY, -2000.0].into_iter());
        assert!((sum - (2.0f64.ln() - 2000.0)).abs() < 1e-12);
        assert_eq!(log_sum([f64::NEG_INFINITY; 2].into_iter()), f64::NEG_INFINITY);
    }

    #[test]
    fn shares_sum_to_one() {
        let mut shares = [-1000.0, -1000.0 + 3.0f64.ln(), f64::NEG_INFINITY];
        normalize(&mut shares).unwrap();
        assert!((shares[0].exp() - 0.25).abs() < 1e-12 && (shares[1].exp() - 0.75).abs() < 1e-12);
        assert_eq!((shares[2], normalize(&mut [f64::NEG_INFINITY])), (f64::NEG_INFINITY, None));
    }
}
