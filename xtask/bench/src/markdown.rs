//! The tables of `docs/thesis/README.md`.

use std::fmt::Write;

use crate::folding::Program;
use crate::record::{Group, Record, VARIANTS, distinct, groups};

/// Where the thesis's figures come from.
const SOURCE: &str = "Thesis: table 7.2, K = 4, on an NVIDIA Tesla P4 with the graphs RC (for road), D24 (for mesh) and KN (for kron). Another \
GPU, other graphs of the same kind, other stopping rules: its speedups can be compared with ours, its times cannot.";

/// Table 7.2, one table a device.
pub fn table(records: &[Record]) -> String {
    let groups = groups(records, "7.2");
    let mut text = String::new();
    for device in distinct(&groups, |group| &group.any().device) {
        let _ = write!(text, "## Table 7.2 on {device}\n\n{SOURCE}\n\n");
        let (ours, thesis) = (VARIANTS.join(" | "), of_thesis(VARIANTS).collect::<Vec<_>>().join(" | "));
        let head = format!("| algorithm | graph | edges | {ours} | FA: NCD / CD | iterations | thesis: {thesis} |");
        let _ = writeln!(text, "{head}\n|{}", " --- |".repeat(head.matches('|').count() - 1));
        for group in groups.iter().filter(|group| group.any().device == device) {
            let _ = writeln!(text, "{}", row(group));
        }
        text.push('\n');
    }
    text
}

fn row(group: &Group) -> String {
    let any = group.any();
    let of = |variants: &mut dyn Iterator<Item = &str>, cell: &dyn Fn(&Record) -> String| {
        variants.map(|variant| group.of(variant).map_or_else(String::new, cell)).collect::<Vec<_>>().join(" | ")
    };
    let ours = of(&mut VARIANTS.into_iter(), &|record| speed(record, Some(record.median_ms), Some(record.speedup)));
    let thesis = of(&mut of_thesis(VARIANTS), &|record| speed(record, record.thesis_ms, record.thesis_speedup));
    let driven = group.of("FA/NCD").zip(group.of("FA/CD"));
    let driven = driven.map_or_else(String::new, |(all, driven)| format!("{:.2}", all.median_ms / driven.median_ms));
    let most = |of: &str| {
        let records = group.variants.iter().flatten().filter(|record| record.variant.ends_with(of));
        records.map(|record| record.iterations).max().unwrap_or_default()
    };
    let limit =
        if group.variants.iter().flatten().any(|record| record.status == "iteration limit") { ", limit" } else { "" };
    let iterations = format!("{} / {}{limit}", most("/NCD"), most("/CD"));
    let edges = any.edges as f64 / 1e6;
    format!("| {} | {} | {edges:.1} M | {ours} | {driven} | {iterations} | {thesis} |", any.algorithm, any.graph)
}

/// The variants that the thesis has.
fn of_thesis(variants: [&'static str; VARIANTS.len()]) -> impl Iterator<Item = &'static str> {
    variants.into_iter().filter(|variant| !variant.starts_with("NFA-W"))
}

/// The time of the first variant, the speedup of others.
fn speed(record: &Record, time: Option<f64>, speedup: Option<f64>) -> String {
    match (time, speedup) {
        (Some(time), _) if record.variant == VARIANTS[0] => format!("{time:.2} ms"),
        (_, Some(speedup)) if speedup >= 9.95 => format!("{speedup:.0}×"),
        (_, Some(speedup)) => format!("{speedup:.1}×"),
        _ => String::new(),
    }
}

/// Figure 7.3, one table an algorithm and device.
pub fn features(records: &[Record]) -> String {
    let groups = groups(records, "7.3");
    let mut text = String::new();
    for device in distinct(&groups, |group| &group.any().device) {
        for algorithm in distinct(&groups, |group| &group.any().algorithm) {
            let mine = |group: &&Group| group.any().device == device && group.any().algorithm == algorithm;
            let Some(first) = groups.iter().find(mine) else { continue };
            let graph = &first.any().graph;
            let _ =
                write!(text, "## Figure 7.3: {algorithm} on {graph}, {device}\n\nMilliseconds of all iterations.\n\n");
            let _ = writeln!(
                text,
                "| K | {} | NFA/CD over FA/CD |\n| --- | --- |{}",
                VARIANTS.join(" | "),
                " --- |".repeat(VARIANTS.len())
            );
            for group in groups.iter().filter(mine) {
                let _ = writeln!(text, "{}", features_row(group));
            }
            text.push('\n');
        }
    }
    text
}

fn features_row(group: &Group) -> String {
    let times = VARIANTS.map(|variant| group.of(variant).map(|record| record.median_ms));
    let cells = times.map(|time| time.map_or_else(String::new, |time| format!("{time:.3}")));
    let ratio = times[3].zip(times[5]).map_or_else(String::new, |(without, with)| format!("{:.1}×", without / with));
    format!("| {} | {} | {ratio} |", group.any().features, cells.join(" | "))
}

/// Figure 7.4.
pub fn folding(programs: &[Program]) -> String {
    if programs.is_empty() {
        return String::new();
    }
    let mut text = String::from("## Figure 7.4: unfolded, folded, by hand\n\nMilliseconds of an iteration. ");
    text.push_str("*moments* and *messages* fold edge functions, the latter those of belief propagation; *mixing* and *labels* fold ");
    text.push_str("vertex functions, the latter those of label propagation.\n");
    text.push_str("The thesis, on its Tesla P4, has 1.2 to 1.7 times for folded over unfolded.\n\n");
    text.push_str("| program | backend | K | unfolded | folded | by hand | unfolded / folded | folded / by hand |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for program in programs {
        let Program { name, backend, features, unfolded, folded, by_hand } = program;
        let ratios = format!("{:.2} | {:.2}", unfolded / folded, folded / by_hand);
        let _ = writeln!(
            text,
            "| {name} | {backend} | {features} | {unfolded:.4} | {folded:.4} | {by_hand:.4} | {ratios} |"
        );
    }
    text.push('\n');
    text
}
