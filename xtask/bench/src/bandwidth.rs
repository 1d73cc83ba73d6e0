//! How many bytes an iteration must move, how fast it moves them, and which part of a copy's rate that is.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use xtask::error::Error as XtaskError;

use crate::cell::{Cell, Size};
use crate::error::Result;
use crate::rows::Rows;
use crate::section::{Bytes, Section};
use crate::source::Source;

/// What `bench_copy` has measured: bytes in a second, by machine.
pub type Copies = BTreeMap<String, f64>;

/// Reads the tables `copy-*.csv` of a folder. A copy moves each byte twice.
pub fn copies(folder: &Path) -> Result<Copies> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(XtaskError::file("read", folder))? {
        paths.push(entry.map_err(XtaskError::file("read", folder))?.path());
    }
    paths.sort();
    let is_copy = |path: &&std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("copy-") && name.ends_with(".csv")
    };
    paths.iter().filter(is_copy).map(|path| copy(path)).collect()
}

fn copy(path: &Path) -> Result<(String, f64)> {
    let rows = Rows::read(path)?;
    let (bytes, time) = (rows.position("bytes")?, rows.position("median_ms")?);
    let rate = |row: usize| -> Result<f64> {
        let (bytes, time) = (rows.number(row, bytes)?, rows.number(row, time)?);
        Ok(bytes.zip(time).map_or(0.0, |(bytes, time)| 2.0 * bytes / (time / 1e3)))
    };
    let rates = (0..rows.records.len()).map(rate).collect::<Result<Vec<f64>>>()?;
    Ok((Source::of(&rows)?.machine, rates.into_iter().fold(0.0, f64::max)))
}

/// A cell with its compulsory bytes, those of its fastest peer, and how many both moved in a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate<'c> {
    pub cell: &'c Cell,
    pub bytes: f64,
    pub ours: f64,
    pub theirs: f64,
}

/// The rates of the cells of a section whose bytes are known.
pub fn rates(section: &Section) -> Vec<Rate<'_>> {
    let of = |cell| section.table.bytes.iter().find_map(|bytes| rate(cell, bytes));
    section.cells.iter().filter_map(of).collect()
}

/// `None` where the bytes are of another work, or the CSV does not say how much was done.
fn rate<'c>(cell: &'c Cell, bytes: &Bytes) -> Option<Rate<'c>> {
    let (Size { vertices, edges, iterations }, features) = (cell.size?, cell.features.parse::<f64>().ok()?);
    let moved = |feature: f64| iterations * (edges * bytes.edge + vertices * (bytes.vertex + features * feature));
    let (ours, theirs) = (moved(bytes.feature), moved(bytes.peer.unwrap_or(bytes.feature)));
    let a_second = |bytes: f64, milliseconds: f64| bytes / (milliseconds / 1e3);
    let (ours_a_second, theirs_a_second) = (a_second(ours, cell.ours), a_second(theirs, cell.fastest().1));
    (bytes.work == cell.work).then_some(Rate { cell, bytes: ours, ours: ours_a_second, theirs: theirs_a_second })
}

/// The part of the page that says so, of the sections whose bytes are counted.
pub fn text(sections: &[Section], copies: &Copies) -> String {
    let mut text = include_str!("../bandwidth.md").to_owned();
    text.push_str(&works(sections));
    for section in sections.iter().filter(|section| !section.table.bytes.is_empty()) {
        text.push_str(&table(section, copies.get(&section.source.machine).copied()));
    }
    text
}

/// What is counted of each work.
fn works(sections: &[Section]) -> String {
    let mut text =
        "\n| work | bytes of an edge | of a vertex | of a vertex and feature | of a peer's | which |\n".to_owned();
    text.push_str("| --- | --- | --- | --- | --- | --- |\n");
    for bytes in sections.iter().flat_map(|section| &section.table.bytes) {
        let Bytes { work, edge, vertex, feature, peer, text: which } = bytes;
        let _ = writeln!(text, "| {work} | {edge} | {vertex} | {feature} | {} | {which} |", peer.unwrap_or(*feature));
    }
    text
}

fn table(section: &Section, copy: Option<f64>) -> String {
    let machine = &section.source.machine;
    let mut text = format!("\n### {}\n\n", section.table.title);
    text.push_str(&match copy {
        Some(rate) => format!("A copy on {machine} moves {:.0} GB/s.\n", rate / 1e9),
        None => format!("The rate of a copy on {machine} has not been measured.\n"),
    });
    let _ = write!(text, "\n![Bytes a second]({})\n\n", format_args!("images/{}", chart(section)));
    text.push_str("| cell | MB | ours, GB/s | fastest peer, GB/s |");
    text.push_str(if copy.is_some() { " ours / copy | peer / copy |\n" } else { "\n" });
    text.push_str(if copy.is_some() {
        "| --- | --- | --- | --- | --- | --- |\n"
    } else {
        "| --- | --- | --- | --- |\n"
    });
    rates(section).iter().for_each(|rate| text.push_str(&row(rate, copy)));
    text
}

fn row(rate: &Rate<'_>, copy: Option<f64>) -> String {
    let Rate { cell, bytes, ours, theirs } = rate;
    let parts = copy.map_or_else(String::new, |copy| format!(" {:.2} | {:.2} |", ours / copy, theirs / copy));
    format!("| {} | {:.1} | {:.0} | {:.0} |{parts}\n", cell.name(), bytes / 1e6, ours / 1e9, theirs / 1e9)
}

/// The name of the chart of a section's rates.
pub fn chart(section: &Section) -> String {
    format!("benchmarks-{}-bytes.svg", section.table.file.trim_end_matches(".csv"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{copies, rate};
    use crate::cell::{Cell, Size};
    use crate::section::Bytes;

    #[test]
    fn each_value_counts_once() {
        let cell = Cell {
            work: "w".to_owned(),
            graph: "g".to_owned(),
            features: "4".to_owned(),
            size: Some(Size { vertices: 10.0, edges: 100.0, iterations: 2.0 }),
            ours: 0.001,
            peers: vec![("p".to_owned(), 0.002)],
        };
        let bytes =
            Bytes { work: "w".to_owned(), edge: 8.0, vertex: 4.0, feature: 12.0, peer: Some(8.0), text: String::new() };
        let found = rate(&cell, &bytes).unwrap();
        // Twice 100 edges of 8 bytes, and 10 vertices of 4 bytes and three or two rows of 16.
        assert_eq!(found.bytes, 2.0 * (800.0 + 520.0));
        assert!((found.ours - 2.64e9).abs() < 1.0 && (found.theirs - 1.16e9).abs() < 1.0, "{found:?}");
        assert_eq!(rate(&Cell { size: None, ..cell.clone() }, &bytes), None);
        assert_eq!(rate(&cell, &Bytes { work: "other".to_owned(), ..bytes }), None);
    }

    #[test]
    fn a_copy_moves_its_bytes_twice() {
        let folder = tempfile::tempdir().unwrap();
        let text = "# GPU X, driver 1, commit a, 2026-01-02\nbackend,bytes,median_ms\ncuda,1000,0.001\n";
        fs::write(folder.path().join("copy-x.csv"), text).unwrap();
        fs::write(folder.path().join("pull-x.csv"), "nothing").unwrap();
        let found = copies(folder.path()).unwrap();
        assert_eq!(found.len(), 1);
        assert!((found["GPU X"] - 2e9).abs() < 1.0, "{found:?}");
    }
}
