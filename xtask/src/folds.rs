//! The names of folds in a PTX file: two modules may have a fold of one name, and each keeps its kernels.
//!
//! The macros end every symbol of a fold with `__f` and a number, since they do not know the module. The fold's description does. Here the
//! numbers go: a name that one fold has alone stays, and where several have it, each gets its module in front.

use std::collections::BTreeMap;
use std::path::Path;

use crate::manifest::qualified;

use crate::description::Description;
use crate::error::{Error, Result, indented};
use crate::ptx;

const END: &str = "__f";

/// A fold as the macros name it.
#[derive(Clone, Debug)]
struct Compiled {
    /// `{data}__{fold}`
    name: String,
    module: String,
    place: String,
}

/// The text with a name for each fold that no other one has; `path` is for the messages.
pub fn named(path: &Path, text: &str) -> Result<String> {
    let folds = compiled(text);
    let names = unique(path, &folds)?;
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (before, word) = rest.split_at(start);
        let (word, after) = word.split_at(word.find(|letter| !is_word(letter)).unwrap_or(word.len()));
        named.push_str(before);
        named.push_str(&renamed(word, &folds, &names));
        rest = after;
    }
    named.push_str(rest);
    Ok(named)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || "_$%".contains(letter)
}

/// The folds by their numbers.
fn compiled(text: &str) -> BTreeMap<u32, Compiled> {
    text.lines().filter_map(declared).collect()
}

/// The fold whose description a line defines.
fn declared(line: &str) -> Option<(u32, Compiled)> {
    let (symbol, text) = ptx::description(line)?;
    let (declared, number, _) = split(&symbol)?;
    let name = declared.strip_suffix(ptx::DESCRIPTION)?;
    let Description { module, place, .. } = Description::parse(&text);
    Some((number, Compiled { name: name.to_string(), module, place }))
}

/// What stands before the end of a fold's symbol, its number, and what the compiler has put after it.
fn split(symbol: &str) -> Option<(&str, u32, &str)> {
    let (before, behind) = symbol.rsplit_once(END)?;
    let digits = behind.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(behind.len());
    let (number, behind) = behind.split_at(digits);
    Some((before, number.parse().ok()?, behind))
}

/// The name of each fold.
fn unique(path: &Path, folds: &BTreeMap<u32, Compiled>) -> Result<BTreeMap<u32, String>> {
    let is_alone = |fold: &Compiled| folds.values().filter(|other| other.name == fold.name).count() == 1;
    let name = |fold: &Compiled| if is_alone(fold) { fold.name.clone() } else { qualified(&fold.module, &fold.name) };
    let names: BTreeMap<u32, String> = folds.iter().map(|(number, fold)| (*number, name(fold))).collect();
    for name in names.values() {
        let same = folds.iter().filter(|(number, _)| names[number] == *name);
        let places: Vec<&String> = same.map(|(_, fold)| &fold.place).collect();
        if places.len() > 1 {
            return Err(Error::SameName { path: path.to_path_buf(), name: name.clone(), places: indented(places) });
        }
    }
    Ok(names)
}

/// A word of the text, with the fold's name if it is a symbol of one.
fn renamed(word: &str, folds: &BTreeMap<u32, Compiled>, names: &BTreeMap<u32, String>) -> String {
    let symbol = split(word).and_then(|(before, number, behind)| {
        let kernel = before.strip_prefix(&*folds.get(&number)?.name).filter(|kernel| kernel.starts_with("__"))?;
        Some(format!("{}{kernel}{behind}", names.get(&number)?))
    });
    symbol.unwrap_or_else(|| word.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::named;

    fn fold(name: &str, module: &str, number: u32) -> String {
        let text = format!("module {module}\nplace src/{number}.rs:{number}\n");
        let bytes = text.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(", ");
        format!(
            ".visible .global .align 1 .b8 {name}__description__f{number}[{}] = {{{bytes}}};\n\
             .visible .entry {name}__pull__k4__f{number}(\n.param .b64 {name}__pull__k4__f{number}_param_0\n)\n\
             {{\nld.param.b64 %rd1, [{name}__pull__k4__f{number}_param_0];\n}}\n",
            text.len()
        )
    }

    fn name(text: &str) -> Result<String, String> {
        named(Path::new("a.ptx"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_that_one_fold_has_stays() {
        let text = name(&format!("{}{}", fold("a__b", "ranks", 0), fold("a__c", "ranks", 11))).unwrap();
        assert!(text.contains(".entry a__b__pull__k4(") && text.contains("[a__c__pull__k4_param_0]"), "{text}");
        assert!(!text.contains("__f"), "{text}");
    }

    #[test]
    fn folds_of_one_name_get_their_modules() {
        let text = name(&format!("{}{}", fold("a__b", "ranks::fast", 1), fold("a__b", "ranks", 2))).unwrap();
        assert!(text.contains(".entry fast_a__b__pull__k4(") && text.contains(".entry a__b__pull__k4("), "{text}");
        assert!(text.contains("fast_a__b__description[") && text.contains("[fast_a__b__pull__k4_param_0]"), "{text}");
    }

    #[test]
    fn folds_that_cannot_be_told_apart_are_named_with_their_places() {
        let error = name(&format!("{}{}", fold("a__b", "ranks", 3), fold("a__b", "ranks", 14))).unwrap_err();
        assert!(error.contains("a__b") && error.contains("src/3.rs:3") && error.contains("src/14.rs:14"), "{error}");
    }

    #[test]
    fn what_belongs_to_no_fold_stays() {
        let text = "mov.u32 %r1, onyx_shared;\n.global .u64 other__f7 = 1;\n";
        assert_eq!(name(text).unwrap(), text);
    }
}
