//! The report on alternating least squares: text for people, one JSON object for programs.

use std::io::{self, Write};
use std::time::Duration;

use onyx_runtime::{Backend, Report};
use serde::Serialize;
use serde_json::json;

use super::ratings::RatingsInput;
use super::repeat::{Seconds, Solved};
use super::report::joined;
use onyx_examples::ratings::bipartite::Side;
use onyx_examples::ratings::metric::{self, Errors};
use onyx_examples::ratings::{Factors, Feedback, Settings};
use onyx_examples::verification::Verification;

/// What a run has found.
#[derive(Debug)]
pub struct Answer {
    /// What was fitted, and how.
    pub settings: Settings,
    /// The factors.
    pub factors: Factors,
    /// What the runtime says of all sweeps.
    pub report: Report,
    /// The sweeps after which the factors were looked at.
    pub sweeps: Vec<Sweep>,
    /// How long all sweeps took, with what is prepared for each and computed on the host.
    pub elapsed: Duration,
    /// How well the last sweep has solved its systems of equations.
    pub verification: Option<Verification>,
    /// What the user might like.
    pub recommended: Vec<Recommended>,
}

impl Solved for Answer {
    fn report(&self) -> &Report {
        &self.report
    }

    fn verification(&self) -> Option<Verification> {
        self.verification
    }

    fn seconds(&self) -> Seconds {
        Seconds { iterations: self.report.run.as_secs_f64(), all: self.elapsed.as_secs_f64() }
    }
}

/// What factors are worth after a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Its number, from 1.
    pub number: usize,
    /// What it has made small.
    pub objective: f64,
    /// How far explicit ratings of the test are.
    pub errors: Option<Errors>,
    /// The recall at 20 of the test, with implicit feedback.
    pub recall: Option<f64>,
}

/// An item that a user might like.
#[derive(Clone, Debug, Serialize)]
pub struct Recommended {
    /// Its id.
    pub item: String,
    /// What it is called.
    pub title: Option<String>,
    /// The rating that is predicted; with implicit feedback, the product of the factors.
    pub score: f32,
}

/// The report as one line of JSON, with the seconds of the iterations and of the sweeps of each of the `runs`.
pub fn json(input: &RatingsInput, answer: &Answer, runs: &[Seconds]) -> String {
    let (report, settings) = (&answer.report, &answer.settings);
    let (name, alpha) = match settings.feedback {
        Feedback::Explicit => ("explicit", None),
        Feedback::Implicit { alpha } => ("implicit", Some(alpha)),
    };
    let sweeps: Vec<_> = answer.sweeps.iter().map(sweep_json).collect();
    let object = json!({
        "algorithm": "als",
        "ratings": {
            "name": input.name, "users": input.catalog.users.len(), "items": input.catalog.items.len(),
            "train": input.split.train.len(), "test": input.split.test.len(),
        },
        "settings": {
            "feedback": name, "baseline": input.baseline.expected(), "features": settings.features, "solver": settings.solver, "steps": settings.steps, "lambda": settings.lambda, "weighted": settings.weighted, "alpha": alpha,
        },
        "backend": report.backend.to_string(),
        "device": report.device,
        "schedule": report.schedule,
        "explain": report.explain,
        "iterations": report.iterations.len(),
        "status": report.status,
        "sweeps": sweeps,
        "rmse_of_mean": rmse_of_mean(input, answer),
        "worse_than_mean": is_worse_than_mean(input, answer),
        "seconds": {
            "load": input.load.as_secs_f64(), "prepare": report.prepare.as_secs_f64(), "run": report.run.as_secs_f64(),
            "runs": runs.iter().map(|run| run.iterations).collect::<Vec<_>>(), "sweeps": runs.iter().map(|run| run.all).collect::<Vec<_>>(),
        },
        "verified": answer.verification.map(|verification| verification.agrees()),
        "difference": answer.verification.map(|verification| verification.difference),
        "recommended": answer.recommended,
    });
    format!("{object}\n")
}

fn sweep_json(sweep: &Sweep) -> serde_json::Value {
    json!({
        "sweep": sweep.number,
        "objective": sweep.objective,
        "rmse": sweep.errors.map(|errors| errors.root_mean_square),
        "mae": sweep.errors.map(|errors| errors.mean_absolute),
        "recall": sweep.recall,
    })
}

/// The report in lines of text.
pub fn text(input: &RatingsInput, answer: &Answer) -> String {
    let (report, split) = (&answer.report, &input.split);
    let mut lines = vec![
        format!(
            "{}: {} ratings of {} items by {} users, and {} to test with, loaded in {:.3} ms",
            input.name,
            split.train.len(),
            input.catalog.items.len(),
            input.catalog.users.len(),
            split.test.len(),
            input.load.as_secs_f64() * 1e3
        ),
        format!("on {}: {}", device(report), report.schedule),
    ];
    lines.extend(answer.sweeps.iter().map(sweep_text));
    let (sweeps, milliseconds) = (report.iterations.len() / 2, report.run.as_secs_f64() * 1e3);
    lines.push(format!("{} after {sweeps} sweeps in {milliseconds:.3} ms", report.status));
    lines.extend(worse_than_mean_text(input, answer));
    lines.extend(answer.recommended.iter().map(recommended_text));
    lines.push(verified(&answer.settings, answer.verification));
    joined(&lines)
}

/// The error of predicting that all ratings of the test are the mean, where predicted ratings are tested.
fn rmse_of_mean(input: &RatingsInput, answer: &Answer) -> Option<f64> {
    let is_tested = answer.sweeps.last().is_some_and(|sweep| sweep.errors.is_some());
    let errors = is_tested.then(|| metric::errors_of_mean(&input.split.train, &input.split.test)).flatten();
    errors.map(|errors| errors.root_mean_square)
}

/// Whether the mean would have been the better prediction.
fn is_worse_than_mean(input: &RatingsInput, answer: &Answer) -> Option<bool> {
    let errors = answer.sweeps.last()?.errors?;
    Some(errors.root_mean_square > rmse_of_mean(input, answer)?)
}

fn worse_than_mean_text(input: &RatingsInput, answer: &Answer) -> Option<String> {
    let is_worse = is_worse_than_mean(input, answer)?;
    let mean = rmse_of_mean(input, answer)?;
    is_worse.then(|| {
        format!(
            "note: this is worse than predicting the mean of all ratings, whose RMSE is {mean:.4}: try a greater --lambda, fewer --features, \
             or leave out --unweighted and --baseline zero"
        )
    })
}

fn device(report: &Report) -> String {
    let is_emulator = report.backend == Backend::Emulator;
    if is_emulator { format!("the emulator ({})", report.device) } else { report.device.clone() }
}

fn sweep_text(sweep: &Sweep) -> String {
    let mut text = format!("sweep {}: objective {:.6}", sweep.number, sweep.objective);
    if let Some(errors) = sweep.errors {
        text += &format!(", RMSE {:.4}, MAE {:.4}", errors.root_mean_square, errors.mean_absolute);
    }
    if let Some(recall) = sweep.recall {
        text += &format!(", recall@20 {recall:.4}");
    }
    text
}

fn recommended_text(recommended: &Recommended) -> String {
    let Recommended { item, title, score } = recommended;
    let title = title.as_ref().map_or_else(String::new, |title| format!("  {title}"));
    format!("{item:>12}  {score:.4}{title}")
}

fn verified(settings: &Settings, verification: Option<Verification>) -> String {
    match verification {
        None => "not verified".to_owned(),
        Some(found) => {
            let (word, Verification { difference, allowed }) =
                (if found.agrees() { "verified" } else { "WRONG" }, found);
            let what = match settings.steps {
                None => format!("systems of equations are solved but for {difference:.1e} in 64-bit floats"),
                Some(_) => format!("steps leave no more than as many in 64-bit floats but for {difference:.1e}"),
            };
            format!("{word}: the last sweep's {what}, where {allowed:.1e} is allowed")
        }
    }
}

/// Writes a line for each factor: `user` or `item`, the id, and its numbers, separated by tabs.
///
/// # Errors
/// As `writer`.
pub fn write_rows(writer: &mut dyn Write, input: &RatingsInput, factors: &Factors) -> io::Result<()> {
    let bipartite = &input.bipartite;
    let users = bipartite.users() as u32;
    for vertex in 0..bipartite.graph.vertex_count() as u32 {
        let side = bipartite.side(vertex);
        let name = match side {
            Side::Users => input.catalog.users.name(vertex),
            Side::Items => input.catalog.items.name(vertex - users),
        };
        write!(writer, "{side}\t{name}")?;
        factors.row(vertex).iter().try_for_each(|value| write!(writer, "\t{:?}", *value as f32))?;
        writeln!(writer)?;
    }
    Ok(())
}
