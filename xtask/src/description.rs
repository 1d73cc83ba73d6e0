//! What a fold does, read from its description in the PTX, and what follows from that.

use std::collections::BTreeMap;

/// The access sets of what is reduced, and in which way.
const REDUCTIONS: [&str; 5] = ["reduces", "reduces_source", "multiplies", "bounds", "states"];

/// A property of the fold's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    pub name: String,
    /// As in `vertex features`, or `vertex scalar of u32`.
    pub element: String,
    pub is_tracked: bool,
    pub is_scratch: bool,
    /// Whether it is scratch that a stage leaves for a later one.
    pub is_passed: bool,
}

/// One function, and the names of the properties in each of its access sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub is_edge: bool,
    sets: BTreeMap<String, Vec<String>>,
}

/// A fold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The path of the module that the fold stands in.
    pub module: String,
    /// The file and line of its declaration.
    pub place: String,
    pub properties: Vec<Property>,
    /// In the order in which they run.
    pub functions: Vec<Function>,
    /// Whether changes alone are propagated: `derived`, `asked`, or why not.
    pub changes: String,
    /// The widths at which blocks have a row of a matrix in each lane.
    pub blocks: Vec<String>,
    /// The source of its functions, if no person has written them.
    pub source: Option<String>,
}

impl Description {
    /// Reads the text; lines of another kind are left to other versions.
    pub fn parse(text: &str) -> Self {
        let mut description = Description::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["module", path] => description.module = path.to_string(),
                ["place", ref place @ ..] => description.place = place.join(" "),
                ["property", name, element, kept, ref number @ ..] => {
                    description.properties.push(property(name, element, kept, number));
                }
                ["function", name, kind, ref sets @ ..] => description.functions.push(function(name, kind, sets)),
                ["changes", ..] => description.changes = line["changes ".len()..].to_string(),
                ["blocks", widths] => description.blocks = widths.split(',').map(str::to_string).collect(),
                ["source", ..] => description.source = Some(line["source ".len()..].to_string()),
                _ => {}
            }
        }
        description
    }

    /// The functions of one kind, which share a traversal.
    pub fn run(&self, is_edge: bool) -> Vec<&str> {
        self.functions.iter().filter(|function| function.is_edge == is_edge).map(|function| &*function.name).collect()
    }

    /// The properties in one access set of any function, in the order of the data's fields.
    pub fn all(&self, set: &str) -> Vec<&str> {
        let has =
            |name: &str| self.functions.iter().any(|function| function.set(set).iter().any(|other| other == name));
        self.properties.iter().map(|property| &*property.name).filter(|name| has(name)).collect()
    }

    pub fn tracked(&self) -> Vec<&str> {
        self.properties.iter().filter(|property| property.is_tracked).map(|property| &*property.name).collect()
    }

    /// The properties that have no memory.
    pub fn scratch(&self) -> Vec<&str> {
        self.properties.iter().filter(|property| property.is_scratch).map(|property| &*property.name).collect()
    }

    /// The scratch properties that a stage leaves for a later one.
    pub fn passed(&self) -> Vec<&str> {
        self.properties.iter().filter(|property| property.is_passed).map(|property| &*property.name).collect()
    }

    /// The properties that a function reads from registers, because an earlier one of its run has written them.
    pub fn kept(&self) -> Vec<&str> {
        let mut kept = Vec::new();
        for (at, function) in self.functions.iter().enumerate() {
            let run = self.functions[..at].iter().rev().take_while(|earlier| earlier.is_edge == function.is_edge);
            let written: Vec<&String> = run.flat_map(Function::written).collect();
            kept.extend(function.own().filter(|name| written.contains(name)));
        }
        self.properties
            .iter()
            .map(|property| &*property.name)
            .filter(|name| kept.iter().any(|other| other == name))
            .collect()
    }

    /// The sums that vertex functions read from registers: those that nothing has overwritten before.
    pub fn forwarded(&self) -> Vec<&str> {
        let (mut forwarded, mut hidden) = (Vec::new(), Vec::new());
        let reduced = self.all("reduces");
        for function in self.functions.iter().filter(|function| !function.is_edge) {
            let read = function.set("reads").iter().filter(|name| !hidden.contains(name));
            forwarded.extend(read.filter_map(|name| reduced.iter().find(|sum| *sum == name)));
            hidden.extend(function.set("writes"));
        }
        reduced.iter().copied().filter(|sum| forwarded.contains(&sum)).collect()
    }

    /// The properties that several edge functions read at the source: each is loaded once.
    pub fn loaded_once(&self) -> Vec<&str> {
        let readers = |name: &str| {
            self.functions
                .iter()
                .filter(|function| function.set("reads_source").iter().any(|other| other == name))
                .count()
        };
        self.properties.iter().map(|property| &*property.name).filter(|name| readers(name) > 1).collect()
    }
}

impl Function {
    /// The names in one access set.
    pub fn set(&self, set: &str) -> &[String] {
        self.sets.get(set).map_or(&[], Vec::as_slice)
    }

    /// Every name in any access set.
    pub fn accessed(&self) -> impl Iterator<Item = &String> {
        self.sets.values().flatten()
    }

    /// Every name in an access set of what is read or written, and not reduced.
    pub fn moved(&self) -> impl Iterator<Item = &String> {
        self.sets.iter().filter(|(set, _)| !REDUCTIONS.contains(&&***set)).flat_map(|(_, names)| names)
    }

    /// What it reads of its own edge or vertex.
    fn own(&self) -> impl Iterator<Item = &String> {
        self.set("reads_edge").iter().chain(self.set("reads"))
    }

    /// What it writes of its own edge or vertex.
    fn written(&self) -> impl Iterator<Item = &String> {
        self.set("writes_edge").iter().chain(self.set("writes"))
    }

    /// The sets that are not empty, in words.
    pub fn accesses(&self) -> String {
        let order = [
            "reads_source",
            "reads_destination",
            "reads_edge",
            "reads_reverse",
            "reads",
            "writes_edge",
            "reduces",
            "reduces_source",
            "writes",
            "gathers",
            "adds",
        ];
        let is_said = |set: &str| set == "reduces" && !self.set("reduces_source").is_empty();
        let sets = order.iter().filter(|set| !self.set(set).is_empty() && !is_said(set));
        let words = sets.map(|set| format!("{} {}", set.replace('_', " at the "), self.set(set).join(", ")));
        words.collect::<Vec<_>>().join("; ")
    }
}

fn property(name: &str, element: &str, kept: &str, number: &[&str]) -> Property {
    let number: String = number.iter().map(|number| format!(" of {number}")).collect();
    let (name, element) = (name.to_string(), element.replace('_', " ") + &number);
    let [is_tracked, is_scratch, is_passed] = ["tracked", "scratch", "passed"].map(|word| kept == word);
    Property { name, element, is_tracked, is_scratch, is_passed }
}

fn function(name: &str, kind: &str, sets: &[&str]) -> Function {
    let names = |list: &str| list.split(',').filter(|name| !name.is_empty()).map(str::to_string).collect();
    let sets = sets.iter().filter_map(|set| set.split_once('=')).map(|(set, list)| (set.to_string(), names(list)));
    Function { name: name.to_string(), is_edge: kind == "edge", sets: sets.collect() }
}

#[cfg(test)]
mod tests {
    use super::Description;

    const STEP: &str = "property weight edge_scalar untracked
property label vertex_features tracked
property sum vertex_features untracked
function spread edge reads_source=label reads_destination= reads_edge=weight writes_edge= reduces=sum
function absorb vertex reads=label,sum writes=label
";

    #[test]
    fn a_fold_is_read_in_order() {
        let step = Description::parse(STEP);
        assert_eq!((step.run(true), step.run(false)), (vec!["spread"], vec!["absorb"]));
        assert_eq!((step.tracked(), step.all("reads")), (vec!["label"], vec!["label", "sum"]));
        let accesses = "reads at the source label; reads at the edge weight; reduces sum";
        assert_eq!(step.functions[0].accesses(), accesses);
        assert_eq!(step.properties[0].element, "edge scalar");
        let typed = Description::parse("property kind edge_scalar untracked u8\n");
        assert_eq!(typed.properties[0].element, "edge scalar of u8");
    }

    #[test]
    fn sums_are_forwarded_until_they_are_overwritten() {
        assert_eq!(Description::parse(STEP).forwarded(), ["sum"]);
        let hidden = STEP
            .replace("reads=label,sum writes=label\n", "reads=label writes=sum\nfunction b vertex reads=sum writes=\n");
        assert!(Description::parse(&hidden).forwarded().is_empty());
    }

    #[test]
    fn what_a_run_writes_is_kept_within_it() {
        assert!(Description::parse(STEP).kept().is_empty());
        let later = format!("{STEP}function show vertex reads=label,sum writes=\n");
        assert_eq!(Description::parse(&later).kept(), ["label"]);
        let other = format!("{STEP}function send edge reads_edge=label writes_edge=\n");
        assert!(Description::parse(&other).kept().is_empty());
    }

    #[test]
    fn changes_are_read_whole() {
        let told = Description::parse(&format!("{STEP}changes none `absorb` stores `label` from itself\n"));
        assert_eq!(told.changes, "none `absorb` stores `label` from itself");
    }

    #[test]
    fn rows_of_several_functions_are_named_once() {
        assert!(Description::parse(STEP).loaded_once().is_empty());
        let twice = format!("{STEP}function again edge reads_source=label reduces=\n");
        assert_eq!(Description::parse(&twice).loaded_once(), ["label"]);
    }
}
