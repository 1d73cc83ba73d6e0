//! The lines that `bench_thesis` writes.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use xtask::error::Error as XtaskError;

use crate::error::{Error, Result};

/// The variants in the order of the thesis, which has none of a warp for a vertex.
pub const VARIANTS: [&str; 6] = ["NFA/NCD", "NFA-W/NCD", "FA/NCD", "NFA/CD", "NFA-W/CD", "FA/CD"];

/// One variant of an algorithm on a graph. Times are in milliseconds.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    pub figure: String,
    pub algorithm: String,
    pub graph: String,
    pub edges: u64,
    pub features: u32,
    pub device: String,
    pub variant: String,
    pub median_ms: f64,
    pub iterations: u64,
    pub status: String,
    pub speedup: f64,
    pub thesis_ms: Option<f64>,
    pub thesis_speedup: Option<f64>,
}

/// The variants of an algorithm on a graph; `None` where one was not measured.
#[derive(Clone, Debug)]
pub struct Group {
    pub variants: [Option<Record>; VARIANTS.len()],
}

impl Group {
    /// A variant by its name, if it was measured.
    pub fn of(&self, variant: &str) -> Option<&Record> {
        self.variants.iter().flatten().find(|record| record.variant == variant)
    }

    /// A variant that was measured: what all have in common is the same in each.
    pub fn any(&self) -> &Record {
        self.variants.iter().flatten().next().expect("a group is made of a record")
    }
}

/// Collects the variants of each algorithm, graph, feature count and device, in the order of the file.
pub fn groups(records: &[Record], figure: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for record in records.iter().filter(|record| record.figure == figure) {
        let Some(variant) = VARIANTS.iter().position(|variant| *variant == record.variant) else { continue };
        let found = groups.iter_mut().find(|group| is_same(group.any(), record));
        match found {
            Some(group) => group.variants[variant] = Some(record.clone()),
            None => {
                let mut group = Group { variants: [const { None }; VARIANTS.len()] };
                group.variants[variant] = Some(record.clone());
                groups.push(group);
            }
        }
    }
    groups
}

fn is_same(a: &Record, b: &Record) -> bool {
    (&a.algorithm, &a.graph, a.features, &a.device) == (&b.algorithm, &b.graph, b.features, &b.device)
}

/// The different values of a key, in order.
pub fn distinct<'a, T>(items: impl IntoIterator<Item = &'a T>, key: impl Fn(&'a T) -> &'a str) -> Vec<&'a str>
where
    T: 'a,
{
    let mut found = Vec::new();
    for name in items.into_iter().map(key) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// The text of a CSV, and the remarks in front of it without their `#`.
pub fn read(path: &Path) -> Result<(String, Vec<String>)> {
    let text = fs::read_to_string(path).map_err(XtaskError::file("read", path))?;
    let remarks = text.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim().to_owned()).collect();
    Ok((text, remarks))
}

/// The lines of a CSV; those that begin with `#` are left out.
pub fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<Vec<T>> {
    let reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let refuse = |error: csv::Error| Error::NotMeasured { path: path.to_path_buf(), reason: error.to_string() };
    reader.into_deserialize().collect::<std::result::Result<_, _>>().map_err(refuse)
}
