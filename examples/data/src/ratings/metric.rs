//! What factors are worth: the objective, the errors of predicted ratings, and recall.

use std::collections::HashSet;

use rayon::prelude::*;

use super::bipartite::{Bipartite, Side};
use super::factors::{Factors, dot};
use super::serial::gram;
use super::settings::{Feedback, Settings};
use super::table::{Rating, Table};
use super::top::Ranking;

/// What alternating least squares makes small; no half sweep raises it.
///
/// ```text
/// explicit:  Σ over ratings (r − x·y)² + Σ λ·|x|² + Σ λ·|y|²
/// implicit:  Σ over all users and items c·(p − x·y)² + Σ λ·|x|² + Σ λ·|y|²     rated: c = 1 + α·r, p = 1; otherwise c = 1, p = 0
/// ```
pub fn objective(bipartite: &Bipartite, settings: &Settings, factors: &Factors) -> f64 {
    let users = bipartite.vertices(Side::Users).into_par_iter();
    let fit: f64 = users.map(|user| fit_of_user(bipartite, settings, factors, user)).sum();
    let vertices = (0..bipartite.graph.vertex_count() as u32).into_par_iter();
    let held: f64 = vertices
        .map(|vertex| {
            let penalty = f64::from(settings.penalty(bipartite.graph.in_degree(vertex)));
            penalty * dot(factors.row(vertex), factors.row(vertex))
        })
        .sum();
    fit + held + unrated(bipartite, settings, factors)
}

fn fit_of_user(bipartite: &Bipartite, settings: &Settings, factors: &Factors, user: u32) -> f64 {
    let terms = bipartite.incoming(user).map(|(item, rating)| {
        let (product, rating) = (factors.product(user, item), f64::from(rating));
        match settings.feedback {
            Feedback::Explicit => (rating - product).powi(2),
            Feedback::Implicit { alpha } => {
                (1.0 + f64::from(alpha) * rating) * (1.0 - product).powi(2) - product * product
            }
        }
    });
    terms.sum()
}

/// The squares of the products of all users and items, which are what a preference of 0 costs.
fn unrated(bipartite: &Bipartite, settings: &Settings, factors: &Factors) -> f64 {
    match settings.feedback {
        Feedback::Explicit => 0.0,
        Feedback::Implicit { .. } => {
            dot(&gram(bipartite, factors, Side::Users), &gram(bipartite, factors, Side::Items))
        }
    }
}

/// How far predicted ratings are from given ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// The root of the mean of the squares.
    pub root_mean_square: f64,
    /// The mean of the absolute values.
    pub mean_absolute: f64,
}

/// Predicts `ratings`. Users and items that nothing was learned about are predicted to have the rating `mean`. None if there are no ratings.
pub fn errors(bipartite: &Bipartite, factors: &Factors, mean: f64, ratings: &Table) -> Option<Errors> {
    errors_of(ratings, |rating| predicted(bipartite, factors, mean, rating))
}

/// Predicts all `ratings` to be the mean of those in `train`. None if there are no ratings.
pub fn errors_of_mean(train: &Table, ratings: &Table) -> Option<Errors> {
    let mean = train.mean();
    errors_of(ratings, |_| mean)
}

/// How far `predicted` is from ratings. None if there are none.
pub fn errors_of(ratings: &Table, predicted: impl Fn(&Rating) -> f64 + Sync) -> Option<Errors> {
    let error = |rating: &Rating| f64::from(rating.value) - predicted(rating);
    let count = ratings.len() as f64;
    let sum = |of: &(dyn Fn(f64) -> f64 + Sync)| -> f64 {
        ratings.ratings().par_iter().map(|rating| of(error(rating))).sum()
    };
    let root_mean_square = (sum(&|error| error * error) / count).sqrt();
    (count > 0.0).then(|| Errors { root_mean_square, mean_absolute: sum(&f64::abs) / count })
}

fn predicted(bipartite: &Bipartite, factors: &Factors, mean: f64, rating: &Rating) -> f64 {
    let (user, item) = (rating.user, bipartite.users() as u32 + rating.item);
    let is_known = [user, item].iter().all(|vertex| bipartite.graph.in_degree(*vertex) > 0);
    if is_known { factors.product(user, item) } else { mean }
}

/// The part of a user's test items that is among the first `count` recommended ones, in the mean over all users with test items.
///
/// What a user has in `train` is not recommended. None if there are no test items.
pub fn recall(bipartite: &Bipartite, factors: &Factors, train: &Table, test: &Table, count: usize) -> Option<f64> {
    let ranking = Ranking::new(bipartite, factors);
    let users: Vec<&[Rating]> = test.by_user().collect();
    let recalls = users.par_iter().map(|wanted| {
        let user = wanted[0].user;
        let top: HashSet<u32> =
            ranking.top(factors.row(user), train.of_user(user), count).iter().map(|found| found.0).collect();
        wanted.iter().filter(|rating| top.contains(&rating.item)).count() as f64 / wanted.len() as f64
    });
    let sum: f64 = recalls.sum();
    (!users.is_empty()).then(|| sum / users.len() as f64)
}
