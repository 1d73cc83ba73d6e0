//! Kernels that may keep arrays in local memory, each with its reason.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::ptx::Ptx;

/// The kernels that cannot do without, of every package.
const TABLE: &str = include_str!("../shape/local.csv");

/// One line of the table.
#[derive(Clone, Debug, Deserialize)]
struct Allowed {
    fold: String,
    kernel: String,
    width: u32,
    /// The architecture that needs it; none if all of them do.
    architecture: Option<String>,
    reason: String,
}

/// Takes out what the table allows on an architecture, and adds its lines that are not needed or say no reason.
pub fn allow(ptx: &Ptx, architecture: &str, violations: Vec<String>) -> Result<Vec<String>> {
    allow_by(TABLE, ptx, architecture, violations)
}

fn allow_by(table: &str, ptx: &Ptx, architecture: &str, mut violations: Vec<String>) -> Result<Vec<String>> {
    let read = |source: csv::Error| Error::Encode { what: "xtask/shape/local.csv", source: source.into() };
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize();
    for row in rows.collect::<std::result::Result<Vec<Allowed>, _>>().map_err(read)? {
        let is_meant = row.architecture.as_deref().is_none_or(|asked| asked == architecture);
        if is_meant && ptx.fingerprints.contains_key(&row.fold) {
            violations = allow_row(&row, violations);
        }
    }
    Ok(violations)
}

/// Whether a violation is of what lies in local memory for want of registers.
pub fn is_local(found: &str) -> bool {
    found.contains("keeps an array in local memory") || found.contains(": spills ")
}

fn allow_row(row: &Allowed, violations: Vec<String>) -> Vec<String> {
    let entry = format!("{}__{}__k{}: ", row.fold, row.kernel, row.width);
    let (allowed, mut rest): (Vec<String>, Vec<String>) =
        violations.into_iter().partition(|found| found.starts_with(&entry) && is_local(found));
    if allowed.is_empty() {
        rest.push(format!("{entry}needs no local memory; take it out of xtask/shape/local.csv"));
    } else if row.reason.trim().is_empty() {
        rest.push(format!("{entry}say in xtask/shape/local.csv why it needs local memory"));
    }
    rest
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::allow_by;
    use crate::ptx::Ptx;

    const HEAD: &str = "fold,kernel,width,architecture,reason\n";

    fn left(table: &str, violations: &[&str]) -> Vec<String> {
        let ptx = Ptx::parse(Path::new("a.ptx"), ".global .u64 a__b__fingerprint = 1;\n").unwrap();
        let violations = violations.iter().map(ToString::to_string).collect();
        allow_by(&format!("{HEAD}{table}"), &ptx, "sm_90", violations).unwrap()
    }

    #[test]
    fn a_listed_kernel_may_spill_and_others_may_not() {
        let spills = ["a__b__pull__k64: spills 4 bytes out", "a__b__pull__k32: spills 4 bytes out"];
        assert_eq!(left("a__b,pull,64,,a wide solve\n", &spills), [spills[1]]);
        assert_eq!(left("a__b,pull,64,,a wide solve\n", &["a__b__pull__k64: calls a function", spills[0]]).len(), 1);
    }

    #[test]
    fn a_line_may_be_of_one_architecture() {
        let spills = ["a__b__pull__k64: spills 4 bytes out"];
        assert!(left("a__b,pull,64,sm_90,a wide solve\n", &spills).is_empty());
        assert_eq!(left("a__b,pull,64,sm_80,a wide solve\n", &spills), spills);
    }

    #[test]
    fn a_line_needs_a_kernel_and_a_reason() {
        assert!(left("a__b,pull,64,,a wide solve\n", &[])[0].contains("take it out"));
        let local = "a__b__pull__k64: keeps an array in local memory; index it by constants only";
        assert!(left("a__b,pull,64,,\n", &[local])[0].contains("say in"));
        assert!(left("a__c,pull,64,,another fold\n", &[]).is_empty());
    }
}
