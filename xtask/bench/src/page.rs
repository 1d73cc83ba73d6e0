//! The text of docs/benchmarks.md.

use std::fmt::Write;

use crate::bandwidth::{self, Copies};
use crate::cell::{Cell, Standing, standings};
use crate::section::Section;
use crate::statistics::geometric_mean;

/// What the page begins with.
const HEAD: &str = include_str!("../benchmarks.md");
/// From the page to the CSVs and to the charts.
const MEASUREMENTS: &str = "measurements";
const IMAGES: &str = "images";

/// The page of some sections.
pub fn page(sections: &[Section], copies: &Copies) -> String {
    let mut text = format!("{HEAD}\n{}\n{}\n", summary(sections), lost(sections));
    sections.iter().for_each(|section| text.push_str(&of_section(section)));
    text.push_str(&bandwidth::text(sections, copies));
    text.trim_end().to_owned() + "\n"
}

fn link(section: &Section) -> String {
    format!("[{0}]({MEASUREMENTS}/{0})", section.table.file)
}

/// A line for each CSV.
fn summary(sections: &[Section]) -> String {
    let mut text = "## All comparisons\n\n| CSV | machine | measured on | cells | geometric mean | worst cell | its ratio | cells lost |\n\
                    | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for section in sections {
        let (source, worst) = (&section.source, section.worst());
        let mean = geometric_mean(&section.cells.iter().map(Cell::ratio).collect::<Vec<_>>());
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            link(section),
            source.machine,
            source.date,
            section.cells.len(),
            ratio(mean),
            worst.name(),
            ratio(worst.ratio()),
            section.lost().len()
        );
    }
    text
}

/// Every cell in which a peer is faster, the worst first.
fn lost(sections: &[Section]) -> String {
    let mut rows: Vec<(&Cell, &Section)> =
        sections.iter().flat_map(|section| section.lost().into_iter().map(move |cell| (cell, section))).collect();
    rows.sort_by(|a, b| a.0.ratio().total_cmp(&b.0.ratio()));
    let all: usize = sections.iter().map(|section| section.cells.len()).sum();
    let mut text = format!("## Where we lose\n\n{} of {all} cells, the worst first.\n\n", rows.len());
    text.push_str("| ratio | cell | ours, ms | fastest peer | its ms | peers ahead | CSV | machine | measured on |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (cell, section) in rows {
        let source = &section.source;
        let ahead = format!("{} of {}", cell.ahead(), cell.peers.len());
        let _ = writeln!(
            text,
            "{} {ahead} | {} | {} | {} |",
            cell_row(cell, true),
            link(section),
            source.machine,
            source.date
        );
    }
    text
}

fn of_section(section: &Section) -> String {
    let (table, source) = (&section.table, &section.source);
    let commit = source.commit.as_ref().map_or_else(String::new, |commit| format!(", commit {commit}"));
    let mut text = format!(
        "## {}\n\n{} Measured on {}, {}{commit}: {}.\n\n",
        table.title,
        table.text,
        source.machine,
        source.date,
        link(section)
    );
    section.remarks.iter().for_each(|remark| text.push_str(&format!("- {}\n", escaped(remark))));
    let _ = write!(text, "\n![Ratio to the fastest peer]({IMAGES}/{})\n\n", section.chart());
    text.push_str("| peer | cells | geometric mean | worst | cells lost |\n| --- | --- | --- | --- | --- |\n");
    standings(&section.cells).iter().for_each(|standing| text.push_str(&standing_row(standing)));
    text.push_str("\n| cell | ours, ms | fastest peer | its ms | ratio |\n| --- | --- | --- | --- | --- |\n");
    section.cells.iter().for_each(|cell| {
        let _ = writeln!(text, "{}", cell_row(cell, false));
    });
    text.push_str(&absent(section));
    text.push('\n');
    text
}

fn standing_row(standing: &Standing) -> String {
    let Standing { peer, ratios } = standing;
    let (mean, least) = (ratio(standing.mean()), ratio(standing.least()));
    format!("| {} | {} | {mean} | {least} | {} |\n", escaped(peer), ratios.len(), standing.ahead())
}

/// A cell, its ratio first or last.
fn cell_row(cell: &Cell, is_ratio_first: bool) -> String {
    let (peer, theirs) = cell.fastest();
    let (ours, theirs) = (milliseconds(cell.ours), milliseconds(theirs));
    let middle = format!("{} | {ours} | {} | {theirs}", cell.name(), escaped(peer));
    let ratio = ratio(cell.ratio());
    if is_ratio_first { format!("| {ratio} | {middle} |") } else { format!("| {middle} | {ratio} |") }
}

fn absent(section: &Section) -> String {
    if section.absent.is_empty() {
        return String::new();
    }
    let mut text = "\nPeers that did not run:\n\n| cell | peer | why |\n| --- | --- | --- |\n".to_owned();
    for absent in &section.absent {
        let _ = writeln!(text, "| {} | {} | {} |", absent.cell, escaped(&absent.peer), escaped(&absent.reason));
    }
    text
}

/// A ratio with two digits after the point, or three digits where it is large; bold below 1.
fn ratio(ratio: f64) -> String {
    let text = if ratio >= 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.2}") };
    if ratio < 1.0 { format!("**{text}**") } else { text }
}

/// Milliseconds with four digits, as far as whole numbers allow.
fn milliseconds(time: f64) -> String {
    let digits = if time > 0.0 { (3 - time.log10().floor() as i32).clamp(0, 6) } else { 0 };
    format!("{time:.0$}", digits as usize)
}

/// Text in a cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*")
}

#[cfg(test)]
mod tests {
    use super::{milliseconds, ratio};

    #[test]
    fn numbers_have_as_many_digits_as_they_mean() {
        assert_eq!([0.984, 0.999, 1.0, 9.994, 40.03].map(ratio), ["**0.98**", "**1.00**", "1.00", "9.99", "40.0"]);
        assert_eq!([0.01234, 1.5, 98.765, 12345.6].map(milliseconds), ["0.01234", "1.500", "98.77", "12346"]);
    }
}
