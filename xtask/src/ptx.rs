//! Reading PTX as text: its entries, its fingerprints, its instructions.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{Error, Result};

const ENTRY: &str = ".entry";
const FEATURES_PER_LANE: &str = "__features_per_lane";
const FINGERPRINT: &str = "__fingerprint";
/// What the symbol of a description ends in.
pub const DESCRIPTION: &str = "__description";
const FINGERPRINT_BYTES: usize = 8;

/// A PTX file, comments removed.
#[derive(Clone, Debug, Default)]
pub struct Ptx {
    pub entries: Vec<Entry>,
    /// The fingerprint of each fold, by `{data}__{fold}`.
    pub fingerprints: BTreeMap<String, u64>,
    /// The features that a lane has in folds that say so, by `{data}__{fold}`; 0 where one thread reaches all of them one by one.
    pub features_per_lane: BTreeMap<String, u8>,
    /// What the compiler made of each fold, by `{data}__{fold}`: the lines of `onyx_device::description`.
    pub descriptions: BTreeMap<String, String>,
    /// The lines that declare or define a function that is no kernel.
    pub functions: Vec<String>,
    /// The bodies of those that are defined, by name.
    pub bodies: BTreeMap<String, Vec<String>>,
    /// What constants begin with, by name; descriptions and fingerprints left out.
    pub globals: BTreeMap<String, String>,
    /// Whose body the braces that follow are.
    open: Open,
}

/// The last declaration.
#[derive(Clone, Debug, Default)]
enum Open {
    #[default]
    Nothing,
    /// The last kernel.
    Entry,
    Function(String),
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// The lines between its braces, trimmed.
    pub body: Vec<String>,
}

impl Ptx {
    /// Reads the text; `path` is for the messages.
    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        let mut ptx = Ptx::default();
        let mut depth = 0_usize;
        for (index, line) in text.lines().enumerate() {
            let line = without_comment(line);
            if depth == 0 {
                ptx.read_declaration(path, index + 1, line)?;
            } else {
                ptx.read_body(line);
            }
            depth = depth_after(depth, line);
        }
        Ok(ptx)
    }

    fn read_declaration(&mut self, path: &Path, number: usize, line: &str) -> Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(at) = words.iter().position(|word| *word == ENTRY) {
            let name = words.get(at + 1).map_or("", |word| identifier(word));
            self.entries.push(Entry { name: name.to_string(), body: Vec::new() });
            self.open = Open::Entry;
        } else if let Some(at) = words.iter().position(|word| *word == ".func") {
            self.functions.push(line.to_string());
            self.open = Open::Function(words.get(at + 1).map_or("", |word| identifier(word)).to_string());
        } else if let Some((symbol, text)) = description(line) {
            self.descriptions.insert(symbol.trim_end_matches(DESCRIPTION).to_string(), text);
        } else if let Some((fold, features)) = features_per_lane(line) {
            self.features_per_lane.insert(fold.to_string(), features);
        } else if let Some((fold, value)) = fingerprint(line) {
            let value = value.ok_or_else(|| Error::BadFingerprint {
                path: path.to_path_buf(),
                line: number,
                text: line.to_string(),
            })?;
            self.fingerprints.insert(fold.to_string(), value);
        } else if let Some((name, value)) = global(line) {
            self.globals.insert(name.to_string(), value.to_string());
        }
        Ok(())
    }

    fn read_body(&mut self, line: &str) {
        match (&self.open, self.entries.last_mut()) {
            (Open::Entry, Some(entry)) => entry.body.push(line.to_string()),
            (Open::Function(name), _) => self.bodies.entry(name.clone()).or_default().push(line.to_string()),
            _ => {}
        }
    }
}

impl Ptx {
    /// The features that a lane has in the fold of an entry, where the fold says so.
    pub fn features_of(&self, entry: &str) -> Option<u8> {
        self.features_per_lane.get(fold_of(entry)).copied()
    }
}

/// The fold of an entry: what stands before the schedule and the width.
pub fn fold_of(entry: &str) -> &str {
    entry.rsplitn(3, "__").last().unwrap_or(entry)
}

/// The functions that a body calls.
pub fn calls(body: &[String]) -> impl Iterator<Item = &str> {
    let calls = body.iter().filter(|line| opcode(line).is_some_and(is_call));
    calls.filter_map(|line| callee(&line[line.find("call")?..]))
}

/// The first name after the opcode that is no operand in parentheses.
fn callee(call: &str) -> Option<&str> {
    let behind = call.split_once(char::is_whitespace)?.1.trim_start();
    let behind = behind.strip_prefix('(').map_or(behind, |list| list.split_once(')').map_or("", |(_, rest)| rest));
    identifiers(behind).next()
}

/// Whether an instruction calls a function.
pub fn is_call(opcode: &str) -> bool {
    opcode == "call" || opcode.starts_with("call.")
}

impl Entry {
    /// The fold.
    pub fn fold(&self) -> &str {
        fold_of(&self.name)
    }

    /// The instructions of the body, without the predicates in front of them.
    pub fn opcodes(&self) -> impl Iterator<Item = &str> {
        self.body.iter().filter_map(|line| opcode(line))
    }
}

fn without_comment(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code).trim()
}

fn depth_after(depth: usize, line: &str) -> usize {
    // A vector operand or an initialiser opens and closes on its own line, so only the difference counts.
    let opened = line.matches('{').count();
    let closed = line.matches('}').count();
    (depth + opened).saturating_sub(closed)
}

/// The names in a piece of text.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_letter = |letter: char| letter.is_alphanumeric() || "_$%".contains(letter);
    text.split(move |letter| !is_letter(letter)).filter(|word| !word.is_empty())
}

fn identifier(word: &str) -> &str {
    identifiers(word).next().unwrap_or_default()
}

/// The name of a global and what it begins with, where the line defines one.
fn global(line: &str) -> Option<(&str, &str)> {
    let (declaration, value) = line.split_once('=')?;
    let name = declaration.split_whitespace().last().map(identifier)?;
    declaration.contains(".global").then(|| (name, value.trim().trim_end_matches(';').trim()))
}

/// The instruction of a line, without the predicate in front of it.
pub fn opcode(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let word = if first.starts_with('@') { words.next()? } else { first };
    Some(word.trim_end_matches(';'))
}

/// The fold and its fingerprint, where the line defines one; no value where it cannot be read.
fn fingerprint(line: &str) -> Option<(&str, Option<u64>)> {
    let (declaration, value) = line.split_once('=').unwrap_or((line, ""));
    let name = declaration.split_whitespace().map(identifier).find(|word| word.ends_with(FINGERPRINT))?;
    let value = value.trim().trim_end_matches(';').trim();
    let value = match value.strip_prefix('{').and_then(|list| list.strip_suffix('}')) {
        Some(list) => from_bytes(list),
        None => from_number(value),
    };
    Some((name.trim_end_matches(FINGERPRINT), value))
}

/// The fold and the features that its lanes have, where the line defines them. A zero may be left out.
fn features_per_lane(line: &str) -> Option<(&str, u8)> {
    let (declaration, value) = line.split_once('=').unwrap_or((line, "0"));
    let mut words = declaration.split_whitespace().map(|word| identifier(word.trim_end_matches(';')));
    let fold = words.find_map(|word| word.strip_suffix(FEATURES_PER_LANE))?;
    Some((fold, value.trim_matches(|letter: char| !letter.is_ascii_digit()).parse().ok()?))
}

/// The symbol of a description and its text, where the line defines one.
pub fn description(line: &str) -> Option<(String, String)> {
    let (declaration, value) = line.split_once('=')?;
    let mut words = declaration.split_whitespace().map(identifier);
    let symbol = words.find(|word| word.contains(DESCRIPTION))?;
    let list = value.trim().trim_end_matches(';').trim().strip_prefix('{')?.strip_suffix('}')?;
    Some((symbol.to_string(), String::from_utf8_lossy(&bytes(list)?).into_owned()))
}

fn bytes(list: &str) -> Option<Vec<u8>> {
    list.split(',').map(|byte| byte.trim().parse().ok()).collect()
}

fn from_bytes(list: &str) -> Option<u64> {
    let bytes = bytes(list)?;
    // PTX fills what an initialiser leaves out with zeros.
    let mut filled = [0; FINGERPRINT_BYTES];
    filled.get_mut(..bytes.len())?.copy_from_slice(&bytes);
    Some(u64::from_le_bytes(filled))
}

fn from_number(text: &str) -> Option<u64> {
    let text = text.trim_end_matches('U');
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok().or_else(|| text.parse::<i64>().ok().map(i64::cast_unsigned)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Ptx;

    const SAMPLE: &str = "
.version 8.1
.target sm_90
.visible .global .align 8 .b8 ranks__step__fingerprint[8] = {239, 205, 171, 137, 103, 69, 35, 1};
.visible .global .align 8 .u64 labels__step__fingerprint = 18446744073709551615;
.visible .entry ranks__step__pull__k4(
\t.param .u64 .ptr .align 1 ranks__step__pull__k4_param_0
)
.maxntid 256, 1, 1
{
\t.reg .b32 \t%r<9>;
\tld.global.v4.b32 \t{%r1, %r2, %r3, %r4}, [%rd2]; // a comment with call
\t@%p1 bra \t$L__BB0_2;
\t{
\tcall.uni helper, (x);
\t}
\tret;
}
.visible .entry ranks__step__push__k1()
{
\tret;
}
.func helper() {
}
";

    fn sample() -> Ptx {
        Ptx::parse(Path::new("sample.ptx"), SAMPLE).unwrap()
    }

    #[test]
    fn entries_are_found_with_their_bodies() {
        let ptx = sample();
        let names: Vec<_> = ptx.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["ranks__step__pull__k4", "ranks__step__push__k1"]);
        let opcodes: Vec<_> = ptx.entries[0].opcodes().collect();
        assert_eq!(opcodes, [".reg", "ld.global.v4.b32", "bra", "{", "call.uni", "}", "ret", "}"]);
    }

    #[test]
    fn fingerprints_are_read_in_both_forms() {
        let ptx = sample();
        assert_eq!(ptx.fingerprints["ranks__step"], 0x0123_4567_89ab_cdef);
        assert_eq!(ptx.fingerprints["labels__step"], u64::MAX);
    }

    #[test]
    fn descriptions_are_read_as_text() {
        let text = ".visible .global .align 1 .b8 a__b__description[3] = {104, 105, 10};";
        let ptx = Ptx::parse(Path::new("a.ptx"), text).unwrap();
        assert_eq!(ptx.descriptions["a__b"], "hi\n");
    }

    #[test]
    fn functions_are_told_from_kernels() {
        let ptx = sample();
        assert_eq!(ptx.functions.len(), 1);
        assert_eq!(ptx.entries[1].body, ["ret;", "}"]);
    }

    #[test]
    fn short_initialisers_are_filled_with_zeros() {
        let ptx = Ptx::parse(Path::new("a.ptx"), ".global .b8 a__b__fingerprint[8] = {1, 2};").unwrap();
        assert_eq!(ptx.fingerprints["a__b"], 0x0201);
    }

    #[test]
    fn a_fingerprint_without_a_value_is_an_error_that_names_the_line() {
        for value in ["", " = {1, 2, 300}", " = {1,2,3,4,5,6,7,8,9}", " = other"] {
            let text = format!("\n.global .b8 a__b__fingerprint[8]{value};");
            let error = Ptx::parse(Path::new("a.ptx"), &text).unwrap_err();
            assert!(error.to_string().contains("a.ptx, line 2"), "{error}");
        }
    }
}
