//! From the entries of a PTX file to the kernels of the manifest.

use std::collections::BTreeSet;

use crate::manifest::Kernel;

use crate::description::Description;
use crate::error::{Error, Result};
use crate::ptx::Ptx;

/// The parts of `{fold}__{schedule}__k{width}`, where the fold is `{data}__{fold}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EntryName<'a> {
    fold: &'a str,
    schedule: &'a str,
    width: u32,
}

impl<'a> EntryName<'a> {
    fn parse(entry: &'a str) -> Option<Self> {
        let (rest, width) = entry.rsplit_once("__k")?;
        let (fold, schedule) = rest.rsplit_once("__")?;
        let (data, name) = fold.split_once("__")?;
        let named = ![data, name, schedule].contains(&"");
        named.then_some(EntryName { fold, schedule, width: width.parse().ok()? })
    }
}

/// The kernels of a PTX file, by name, and the entries that belong to no fold.
pub fn of(ptx: &Ptx) -> Result<(Vec<Kernel>, Vec<String>)> {
    let mut kernels = Vec::new();
    let mut others = Vec::new();
    let mut unmarked = BTreeSet::new();
    for entry in &ptx.entries {
        let Some(name) = EntryName::parse(&entry.name) else {
            others.push(entry.name.clone());
            continue;
        };
        match ptx.fingerprints.get(name.fold) {
            Some(fingerprint) => kernels.push(kernel(ptx, &entry.name, name, *fingerprint)),
            None => drop(unmarked.insert(name.fold.to_string())),
        }
    }
    if !unmarked.is_empty() {
        return Err(Error::NoFingerprint { folds: unmarked.into_iter().collect::<Vec<_>>().join(", ") });
    }
    kernels.sort_by(|left, right| left.entry.cmp(&right.entry));
    Ok((kernels, others))
}

fn kernel(ptx: &Ptx, entry: &str, name: EntryName<'_>, fingerprint: u64) -> Kernel {
    let description = ptx.descriptions.get(name.fold).map(|text| Description::parse(text)).unwrap_or_default();
    Kernel {
        entry: entry.to_string(),
        fold: name.fold.to_string(),
        module: description.module,
        schedule: name.schedule.to_string(),
        width: name.width,
        fingerprint: format!("{fingerprint:016x}"),
    }
}

/// The names of the kernels that are in one list and not the other, or not the same in both.
pub fn differences(left: &[Kernel], right: &[Kernel]) -> Vec<String> {
    let lonely = |from: &[Kernel], other: &[Kernel]| {
        from.iter().filter(|kernel| !other.contains(kernel)).map(|kernel| kernel.entry.clone()).collect::<BTreeSet<_>>()
    };
    lonely(left, right).union(&lonely(right, left)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{EntryName, differences, of};
    use crate::ptx::Ptx;

    fn parse(text: &str) -> Ptx {
        Ptx::parse(Path::new("a.ptx"), text).unwrap()
    }

    #[test]
    fn names_are_taken_apart() {
        let name = EntryName::parse("label_propagation__step__neighbor_group__k16").unwrap();
        assert_eq!(name, EntryName { fold: "label_propagation__step", schedule: "neighbor_group", width: 16 });
        let name = EntryName::parse("a__half__step__pull__k4").unwrap();
        assert_eq!(name, EntryName { fold: "a__half__step", schedule: "pull", width: 4 });
    }

    #[test]
    fn other_names_are_no_kernels_of_a_fold() {
        for name in ["", "compact", "a__b__k4", "a__b__pull__4", "a__b__pull__k", "a__b__pull__kx", "a____pull__k4"] {
            assert_eq!(EntryName::parse(name), None, "{name}");
        }
    }

    #[test]
    fn kernels_carry_the_fingerprint_of_their_fold() {
        let ptx = parse(
            ".global .u64 a__b__fingerprint = 255;\n.entry a__b__push__k1()\n{\n}\n.entry a__b__pull__k4()\n{\n}\n.entry x()\n{\n}",
        );
        let (kernels, others) = of(&ptx).unwrap();
        assert_eq!(kernels.len(), 2);
        assert_eq!((kernels[0].schedule.as_str(), kernels[0].width), ("pull", 4));
        assert_eq!(kernels[0].fingerprint, "00000000000000ff");
        assert_eq!(others, ["x"]);
    }

    #[test]
    fn a_fold_without_fingerprint_is_an_error_that_names_it() {
        let error = of(&parse(".entry a__b__push__k1()\n{\n}")).unwrap_err();
        assert!(error.to_string().contains("a__b"), "{error}");
    }

    #[test]
    fn differences_name_both_sides() {
        let kernels = |text: &str| of(&parse(text)).unwrap().0;
        let left = kernels(".global .u64 a__b__fingerprint = 1;\n.entry a__b__push__k1()\n{\n}");
        let right = kernels(".global .u64 a__b__fingerprint = 1;\n.entry a__b__pull__k1()\n{\n}");
        assert_eq!(differences(&left, &right), ["a__b__pull__k1", "a__b__push__k1"]);
        assert!(differences(&left, &left).is_empty());
    }
}
