//! Panics that a kernel has kept: where they are, by the places that the compiler hands to `core`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::ptx::{Ptx, calls, identifiers};
use crate::source;

const WHY: &str = "of which a GPU cannot tell anybody";
const FIX: &str = "index by what is certainly in bounds, such as a constant, `at % LENGTH` or `.get(at)`, divide by no integer that may be 0, and \
                   leave `assert!`, `panic!`, `unwrap` and `expect` to the host";

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    file: String,
    line: u64,
    column: u64,
}

/// Whether a mangled name is of a function of `core`. What of it is not inlined is there to panic.
pub fn is_of_core(name: &str) -> bool {
    name.contains("_4core") || name.starts_with("_ZN4core")
}

/// One sentence for each place that may panic, with the function around it; `folder` is the crate's.
pub fn violations(ptx: &Ptx, folder: &Path) -> Vec<String> {
    let places: BTreeMap<&str, Place> =
        ptx.globals.keys().filter_map(|name| Some((&**name, place(ptx, name)?))).collect();
    let mut folds: BTreeMap<&Place, BTreeSet<&str>> = BTreeMap::new();
    let mut found = Vec::new();
    for entry in &ptx.entries {
        let mut lines = Vec::new();
        reach(ptx, &entry.body, &mut BTreeSet::new(), &mut lines);
        let known: Vec<&Place> =
            lines.iter().flat_map(|line| identifiers(line)).filter_map(|word| places.get(word)).collect();
        if known.is_empty() && calls(&entry.body).any(is_of_core) {
            found.push(format!("{}: a function that it uses may panic, {WHY}; {FIX}", entry.name));
        }
        for place in known {
            folds.entry(place).or_default().insert(entry.fold());
        }
    }
    found.extend(folds.iter().map(|(place, folds)| sentence(place, folds, folder)));
    found
}

/// The lines of a body that calls `core`, and of what it calls there.
fn reach<'a>(ptx: &'a Ptx, body: &'a [String], seen: &mut BTreeSet<&'a str>, lines: &mut Vec<&'a str>) {
    let called: Vec<&str> = calls(body).filter(|name| is_of_core(name)).collect();
    if !called.is_empty() || !seen.is_empty() {
        lines.extend(body.iter().map(String::as_str));
    }
    for name in called {
        if seen.insert(name)
            && let Some(body) = ptx.bodies.get(name)
        {
            reach(ptx, body, seen, lines);
        }
    }
}

fn sentence(place: &Place, folds: &BTreeSet<&str>, folder: &Path) -> String {
    let Place { file, line, column } = place;
    let whole = folder.ancestors().map(|folder| folder.join(file)).find(|whole| whole.is_file());
    let function = whole.and_then(|whole| source::function_at(&whole, *line as usize));
    let function = function.map_or_else(|| "a function".to_string(), |function| format!("`{function}`"));
    let folds = folds.iter().copied().collect::<Vec<_>>().join(", ");
    format!("{file}:{line}:{column}: {function} may panic, {WHY}: {FIX} (kernels of {folds})")
}

/// The place that a global is, if it is one: where the file's name lies, its length, and the line with the column above it.
fn place(ptx: &Ptx, name: &str) -> Option<Place> {
    let words = words(ptx.globals.get(name)?)?;
    let [file, length, position] = words[..] else { return None };
    let (length, position): (usize, u64) = (length.parse().ok()?, position.parse().ok()?);
    let file = text(ptx.globals.get(file)?)?.get(..length)?.to_string();
    Some(Place { file, line: position & u64::from(u32::MAX), column: position >> 32 })
}

/// The elements of an initialiser; an address without what says that it is generic.
fn words(initialiser: &str) -> Option<Vec<&str>> {
    let list = initialiser.strip_prefix('{')?.strip_suffix('}')?;
    Some(list.split(',').map(|word| word.trim().trim_start_matches("generic(").trim_end_matches(')')).collect())
}

/// The bytes of an initialiser as text.
fn text(initialiser: &str) -> Option<String> {
    let bytes = words(initialiser)?.into_iter().map(|byte| byte.parse().ok()).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use tempfile::TempDir;

    use super::violations;
    use crate::ptx::Ptx;

    /// `src/lib.rs`, and two places in it: line 2, column 9, and line 6, column 5.
    const PLACES: &str = "
.global .align 1 .b8 anon_$_1[11] = {115, 114, 99, 47, 108, 105, 98, 46, 114, 115};
.global .align 8 .u64 anon_$_2[3] = {generic(anon_$_1), 10, 38654705666};
.global .align 8 .u64 anon_$_3[3] = {generic(anon_$_1), 10, 21474836486};
.visible .entry a__b__pull__k4()
{
\tmov.b64 %rd1, anon_$_2;
\tcall.uni _RNvNtCsbSE_4core9panicking18panic_bounds_check, (param0);
\tcall.uni _RNvNtNtCsbSE_4core9panicking11panic_const23panic_const_div_by_zero, ();
}
.visible .entry a__b__push__k4()
{
\tmov.b64 %rd1, anon_$_2;
\tcall.uni _RNvNtCsbSE_4core9panicking18panic_bounds_check, (param0);
}
.func _RNvNtNtCsbSE_4core9panicking11panic_const23panic_const_div_by_zero()
{
\tmov.b64 %rd1, anon_$_3;
}
";

    fn found(text: &str, folder: &Path) -> Vec<String> {
        violations(&Ptx::parse(Path::new("a.ptx"), text).unwrap(), folder)
    }

    #[test]
    fn each_place_is_named_once_with_its_function() {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        let source =
            "fn looked_up(at: usize) -> f32 {\n    TABLE[at]\n}\n\nfn halved(by: u32) -> u32 {\n    8 / by\n}\n";
        fs::write(folder.path().join("src/lib.rs"), source).unwrap();
        let found = found(PLACES, folder.path());
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("src/lib.rs:2:9: `looked_up` may panic"), "{found:?}");
        assert!(found[1].starts_with("src/lib.rs:6:5: `halved` may panic"), "{found:?}");
        assert!(found[0].contains(".get(at)") && found[0].ends_with("(kernels of a__b)"), "{found:?}");
    }

    #[test]
    fn a_panic_without_a_place_is_named_by_its_kernel() {
        let text = PLACES.lines().filter(|line| !line.contains("anon_$_")).collect::<Vec<_>>().join("\n");
        let found = found(&text, Path::new("."));
        assert!(
            found.len() == 2 && found[0].starts_with("a__b__pull__k4: a function that it uses may panic"),
            "{found:?}"
        );
    }

    #[test]
    fn places_that_no_panic_needs_do_not_count() {
        let text = PLACES.lines().filter(|line| !line.contains("call.uni")).collect::<Vec<_>>().join("\n");
        assert!(found(&text, Path::new(".")).is_empty());
    }
}
