//! The report on a run: text for people, one JSON object for programs.

use std::time::Duration;

use onyx_runtime::text::escaped;
use onyx_runtime::{Backend, Report, Status};
use serde::Serialize;
use serde_json::Value;

use super::error::CliError;
use super::input::Input;
use super::order::Summary;
use super::repeat::Seconds as Run;
use super::solution::Solution;

/// Of how many of the first iterations of a long run it is told what they left active.
const FIRST: usize = 24;
/// And of how many of the last ones.
const LAST: usize = 4;

/// What `--json` prints.
#[derive(Serialize)]
struct JsonReport<'a> {
    algorithm: &'a str,
    graph: JsonGraph,
    order: Option<&'a Summary>,
    backend: String,
    device: &'a str,
    schedule: &'a str,
    explain: &'a [String],
    iterations: usize,
    status: Status,
    active: Vec<usize>,
    seconds: Seconds,
    verified: Option<bool>,
    result: &'a Value,
}

#[derive(Serialize)]
struct JsonGraph {
    name: String,
    vertices: usize,
    edges: usize,
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    prepare: f64,
    run: f64,
    runs: Vec<f64>,
}

/// The report as one line of JSON, with the seconds of each of the `runs`.
///
/// # Errors
/// None in practice: every field has a form in JSON.
pub fn json(algorithm: &str, input: &Input, solution: &Solution, runs: &[Run]) -> Result<String, CliError> {
    let report = &solution.report;
    let (vertices, edges) = (input.graph.vertex_count(), input.graph.edge_count());
    let object = JsonReport {
        algorithm,
        graph: JsonGraph { name: input.source.to_string(), vertices, edges },
        order: input.order.as_ref().map(|order| &order.summary),
        backend: report.backend.to_string(),
        device: &report.device,
        schedule: &report.schedule,
        explain: &report.explain,
        iterations: report.iterations.len(),
        status: report.status,
        active: report.iterations.iter().map(|iteration| iteration.active).collect(),
        seconds: seconds(input, solution, runs),
        verified: solution.verification.map(|verification| verification.agrees()),
        result: &solution.result,
    };
    Ok(serde_json::to_string(&object)? + "\n")
}

fn seconds(input: &Input, solution: &Solution, runs: &[Run]) -> Seconds {
    let report = &solution.report;
    let [load, prepare, run] = [input.load, report.prepare, report.run].map(|time| time.as_secs_f64());
    Seconds { load, prepare, run, runs: runs.iter().map(|run| run.iterations).collect() }
}

/// The report in lines of text.
pub fn text(input: &Input, solution: &Solution) -> String {
    let report = &solution.report;
    let (graph, iterations) = (&input.graph, report.iterations.len());
    let mut lines = vec![
        format!(
            "{}: {} vertices, {} edges, loaded in {}",
            input.source,
            graph.vertex_count(),
            graph.edge_count(),
            time(input.load)
        ),
        format!("on {}: {}", device(report.backend, &report.device), report.schedule),
        format!("active vertices after each iteration: {}", active(solution)),
        format!("{} after {iterations} iterations in {}{}", report.status, time(report.run), turning(report)),
    ];
    if let Some(order) = &input.order {
        lines.insert(1, order.summary.text());
    }
    lines.extend(solution.lines.iter().cloned());
    lines.push(verified(solution));
    joined(&lines)
}

/// Lines as a person sees them: names from files are among them, and nothing in these is for the terminal to obey.
pub fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [escaped(line), "\n".into()]).collect()
}

/// What a person may not know of a run that has settled.
fn turning(report: &Report) -> String {
    let said = || format!(": values change in their last bits alone, by {:.1e} of themselves", report.turn);
    if report.status == Status::Settled { said() } else { String::new() }
}

fn device(backend: Backend, device: &str) -> String {
    if backend == Backend::Emulator { format!("the emulator ({device})") } else { device.to_owned() }
}

/// How many vertices each iteration has left active; of a long run those of the first and last ones.
fn active(solution: &Solution) -> String {
    let counts: Vec<String> = solution.report.iterations.iter().map(|iteration| iteration.active.to_string()).collect();
    match counts.len().saturating_sub(FIRST + LAST) {
        0 => counts.join(" "),
        left_out => {
            let (first, last) = (&counts[..FIRST], &counts[counts.len() - LAST..]);
            format!("{} ... {left_out} more, which --json has ... {}", first.join(" "), last.join(" "))
        }
    }
}

fn verified(solution: &Solution) -> String {
    let is_at_rest = solution.report.status.is_at_rest();
    match solution.verification {
        None => "not verified".to_owned(),
        Some(found) if found.agrees() && is_at_rest => {
            format!("verified: one more iteration in 64-bit floats changes it by {:.1e}", found.difference)
        }
        Some(found) if found.agrees() => {
            format!("verified: within {:.1e} of as many iterations in 64-bit floats", found.difference)
        }
        Some(found) if is_at_rest => {
            format!("WRONG: one more iteration in 64-bit floats changes it by {:.1e}", found.difference)
        }
        Some(found) => format!("WRONG: {:.1e} away from as many iterations in 64-bit floats", found.difference),
    }
}

fn time(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
