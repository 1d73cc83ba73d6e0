//! How many bytes an iteration must move, how fast it moves them, and which part of a copy's rate that is.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use xtask::error::Error as XtaskError;

use crate::cell::Cell;
use crate::error::Result;
use crate::rows::Rows;
use crate::section::Section;
use crate::source::Source;

/// Bytes of a float and of a neighbor's number.
const WORD: f64 = 4.0;
/// Rows of features that an iteration reads or writes once for each vertex: label and seed are read, the new label is written.
const ROWS_OF_ITERATION: f64 = 3.0;
/// Of the sum alone: the label is read, the sum is written.
const ROWS_OF_SUM: f64 = 2.0;

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

/// The bytes of a cell if each value came once: those of ours, and those of the sum alone. An edge has a neighbor and a weight, a vertex the place
/// of its row and its rows of features.
pub fn compulsory(cell: &Cell) -> Option<(f64, f64)> {
    let ((vertices, edges), features) = (cell.size?, cell.features.parse::<f64>().ok()?);
    let bytes = |rows: f64| WORD * (2.0 * edges + vertices * (1.0 + rows * features));
    Some((bytes(ROWS_OF_ITERATION), bytes(ROWS_OF_SUM)))
}

/// Bytes in a second: ours, and the fastest peer's.
pub fn rates(cell: &Cell) -> Option<(f64, f64)> {
    let (ours, theirs) = compulsory(cell)?;
    Some((ours / (cell.ours / 1e3), theirs / (cell.fastest().1 / 1e3)))
}

/// The part of the page that says so, of the sections whose bytes are counted.
pub fn text(sections: &[Section], copies: &Copies) -> String {
    let counted: Vec<&Section> = sections.iter().filter(|section| section.table.bytes).collect();
    let mut text = include_str!("../bandwidth.md").to_owned();
    for section in counted {
        text.push_str(&table(section, copies.get(&section.source.machine).copied()));
    }
    text
}

fn table(section: &Section, copy: Option<f64>) -> String {
    let machine = &section.source.machine;
    let mut text = match copy {
        Some(rate) => format!("\nA copy on {machine} moves {:.0} GB/s.\n", rate / 1e9),
        None => format!(
            "\nThe rate of a copy on {machine} has not been measured, so that there is no fraction of it here: \
             `cargo xtask bench copy` measures it, and `copy-*.csv` in docs/measurements adds the columns.\n"
        ),
    };
    let _ = write!(text, "\n![Bytes a second]({})\n\n", format_args!("images/{}", chart(section)));
    text.push_str("| cell | MB | ours, GB/s | fastest peer, GB/s |");
    text.push_str(if copy.is_some() { " ours / copy | peer / copy |\n" } else { "\n" });
    text.push_str(if copy.is_some() {
        "| --- | --- | --- | --- | --- | --- |\n"
    } else {
        "| --- | --- | --- | --- |\n"
    });
    section.cells.iter().filter_map(|cell| row(cell, copy)).for_each(|row| text.push_str(&row));
    text
}

fn row(cell: &Cell, copy: Option<f64>) -> Option<String> {
    let ((bytes, _), (ours, theirs)) = (compulsory(cell)?, rates(cell)?);
    let parts = copy.map_or_else(String::new, |copy| format!(" {:.2} | {:.2} |", ours / copy, theirs / copy));
    Some(format!("| {} | {:.1} | {:.0} | {:.0} |{parts}\n", cell.name(), bytes / 1e6, ours / 1e9, theirs / 1e9))
}

/// The name of the chart of a section's rates.
pub fn chart(section: &Section) -> String {
    format!("benchmarks-{}-bytes.svg", section.table.file.trim_end_matches(".csv"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{compulsory, copies, rates};
    use crate::cell::Cell;

    fn cell() -> Cell {
        Cell {
            work: "w".to_owned(),
            graph: "g".to_owned(),
            features: "4".to_owned(),
            size: Some((10.0, 100.0)),
            ours: 0.001,
            peers: vec![("p".to_owned(), 0.002)],
        }
    }

    #[test]
    fn each_value_counts_once() {
        // 100 edges of 8 bytes, 10 vertices of 4 bytes and three or two rows of 16.
        assert_eq!(compulsory(&cell()), Some((800.0 + 520.0, 800.0 + 360.0)));
        let (ours, theirs) = rates(&cell()).unwrap();
        assert!((ours - 1.32e9).abs() < 1.0 && (theirs - 0.58e9).abs() < 1.0, "{ours} {theirs}");
        assert_eq!(compulsory(&Cell { size: None, ..cell() }), None);
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
