//! A section of docs/benchmarks.md: one CSV of `tables.toml`, read.

use std::path::Path;

use serde::Deserialize;

use crate::cell::{Absent, Cell, Form};
use crate::error::{Error, Result};
use crate::form;
use crate::rows::Rows;
use crate::source::Source;

const FILE: &str = "xtask/bench/tables.toml";
const TEXT: &str = include_str!("../tables.toml");

/// One entry of the file, which says what each field is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub file: String,
    pub title: String,
    pub text: String,
    pub form: Form,
    #[serde(default)]
    pub ours: String,
    #[serde(default)]
    pub work: String,
    #[serde(default)]
    pub bytes: Vec<Bytes>,
}

/// What an iteration of a work must move, in bytes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    pub work: String,
    pub edge: f64,
    pub vertex: f64,
    pub feature: f64,
    pub peer: Option<f64>,
    pub text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    table: Vec<Table>,
}

/// A table with what its CSV says.
#[derive(Clone, Debug)]
pub struct Section {
    pub table: Table,
    pub source: Source,
    pub remarks: Vec<String>,
    pub cells: Vec<Cell>,
    pub absent: Vec<Absent>,
}

/// Every section, from the CSVs of a folder.
pub fn all(folder: &Path) -> Result<Vec<Section>> {
    let tables: Tables = toml::from_str(TEXT).map_err(|error| Error::Data { file: FILE, reason: error.to_string() })?;
    tables.table.into_iter().map(|table| Section::read(folder, table)).collect()
}

impl Section {
    fn read(folder: &Path, table: Table) -> Result<Self> {
        let rows = Rows::read(&folder.join(&table.file))?;
        let (cells, absent) = form::cells(&table, &rows)?;
        Ok(Self { source: Source::of(&rows)?, remarks: rows.remarks, cells, absent, table })
    }

    /// The cell in which the fastest peer is furthest ahead, or least behind.
    pub fn worst(&self) -> &Cell {
        let worst = self.cells.iter().min_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        worst.expect("a section has a cell")
    }

    /// The cells in which a peer is faster, the worst first.
    pub fn lost(&self) -> Vec<&Cell> {
        let mut lost: Vec<&Cell> = self.cells.iter().filter(|cell| cell.ratio() < 1.0).collect();
        lost.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        lost
    }

    /// The name of its chart.
    pub fn chart(&self) -> String {
        format!("benchmarks-{}.svg", self.table.file.trim_end_matches(".csv"))
    }
}
