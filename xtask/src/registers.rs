//! The table of registers in the repository: what each kernel used when somebody last looked.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::file::replace;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::metadata;

/// More registers than this on top is a violation.
const MOST_MORE: u32 = 8;
/// So is more than this part on top, in percent.
const MOST_PERCENT_MORE: u32 = 25;

/// What one kernel uses on one architecture. Packages may have folds of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub package: String,
    pub entry: String,
    pub architecture: String,
    pub registers: u32,
    pub shared_bytes: u32,
}

/// How the kernels of a package differ from the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Kernels that have grown over the bounds, one sentence each.
    pub grown: Vec<String>,
    /// Kernels that the table does not have.
    pub missing: Vec<String>,
}

/// Where the table lies.
pub fn path() -> PathBuf {
    metadata::checkout().join("docs/measurements/registers.csv")
}

/// The table; empty where there is none yet.
pub fn read() -> Result<Vec<Row>> {
    let path = path();
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    parse(&text)
}

fn parse(text: &str) -> Result<Vec<Row>> {
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize().collect::<std::result::Result<_, _>>();
    rows.map_err(|source| Error::Encode { what: "the table of registers", source: source.into() })
}

/// Writes the table with the rows of a package replaced, on the architectures that were built.
pub fn bless(rows: &[Row]) -> Result<()> {
    let encode = |source: csv::Error| Error::Encode { what: "the table of registers", source: source.into() };
    let (path, rows) = (path(), replaced(read()?, rows));
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(encode)?;
    }
    let text = writer.into_inner().map_err(|error| encode(error.into_error().into()))?;
    replace(&path, text).map_err(Error::file("write", &path))
}

fn replaced(old: Vec<Row>, new: &[Row]) -> Vec<Row> {
    let is_stale = |row: &Row| new.iter().any(|new| new.package == row.package && new.architecture == row.architecture);
    let mut rows: Vec<Row> = old.into_iter().filter(|row| !is_stale(row)).chain(new.iter().cloned()).collect();
    rows.sort_by(|left, right| key(left).cmp(&key(right)));
    rows
}

fn key(row: &Row) -> (&str, &str, &str) {
    (&row.package, &row.entry, &row.architecture)
}

/// Compares kernels with the table.
pub fn compare(table: &[Row], found: &[Row]) -> Difference {
    let old: BTreeMap<_, _> = table.iter().map(|row| (key(row), row.registers)).collect();
    let mut difference = Difference::default();
    for row in found {
        let Row { entry, architecture, registers: now, .. } = row;
        match old.get(&key(row)) {
            None => difference.missing.push(format!("{entry} for {architecture}: {now} registers")),
            Some(before) if has_grown(*before, *now) => {
                difference.grown.push(format!("{entry} for {architecture}: {now} registers, {before} before; {BLESS}"));
            }
            Some(_) => {}
        }
    }
    difference
}

const BLESS: &str = "if that is worth it, run cargo xtask check-ptx --bless";

fn has_grown(before: u32, now: u32) -> bool {
    now > before + MOST_MORE || u64::from(now) * 100 > u64::from(before) * u64::from(100 + MOST_PERCENT_MORE)
}

#[cfg(test)]
mod tests {
    use super::{Row, compare, has_grown, parse, replaced};

    fn row(entry: &str, registers: u32) -> Row {
        let [package, architecture] = ["examples", "sm_90"].map(String::from);
        Row { package, entry: entry.to_string(), architecture, registers, shared_bytes: 0 }
    }

    fn of_other_package(entry: &str, registers: u32) -> Row {
        Row { package: "tests".to_string(), ..row(entry, registers) }
    }

    #[test]
    fn growth_is_bounded_in_registers_and_in_parts() {
        assert!(!has_grown(40, 48) && has_grown(40, 49));
        assert!(!has_grown(16, 20) && has_grown(16, 21));
        assert!(!has_grown(40, 10));
    }

    #[test]
    fn kernels_are_compared_by_name_and_architecture() {
        let difference = compare(&[row("a__b__pull__k4", 20)], &[row("a__b__pull__k4", 30), row("a__b__push__k4", 1)]);
        assert!(difference.grown[0].contains("30 registers, 20 before"), "{difference:?}");
        assert!(difference.missing[0].contains("a__b__push__k4"), "{difference:?}");
    }

    #[test]
    fn a_blessing_replaces_a_package_on_an_architecture() {
        let older = Row { architecture: "sm_80".to_string(), ..row("a__b__gone__k4", 1) };
        let old = vec![row("a__b__gone__k4", 1), older.clone(), of_other_package("a__b__pull__k4", 2)];
        let new = replaced(old, &[row("a__b__pull__k4", 3)]);
        assert_eq!(new, [older, row("a__b__pull__k4", 3), of_other_package("a__b__pull__k4", 2)]);
    }

    #[test]
    fn folds_of_the_same_name_in_two_packages_are_apart() {
        let table = [row("a__b__pull__k4", 20), of_other_package("a__b__pull__k4", 40)];
        assert_eq!(compare(&table, &[of_other_package("a__b__pull__k4", 42)]).grown, Vec::<String>::new());
        assert_eq!(compare(&table[..1], &[of_other_package("a__b__pull__k4", 42)]).missing.len(), 1);
    }

    #[test]
    fn the_table_is_read() {
        let rows =
            parse("package,entry,architecture,registers,shared_bytes\nexamples,a__b__pull__k4,sm_90,20,0\n").unwrap();
        assert_eq!(rows, [row("a__b__pull__k4", 20)]);
        assert!(parse("package,entry,architecture,registers,shared_bytes\nexamples,a,sm_90,many,0\n").is_err());
    }
}
