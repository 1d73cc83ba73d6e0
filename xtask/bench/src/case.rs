//! The table of cases: what is measured, with which program and arguments, and which table its rows fill.

use serde::Deserialize;

use crate::error::{Error, Result};

const FILE: &str = "xtask/bench/cases.toml";
const TEXT: &str = include_str!("../cases.toml");

/// One line of the table; the file says what each field is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub suite: String,
    pub name: String,
    pub on: Processor,
    pub program: String,
    pub arguments: String,
    pub smoke: String,
    pub fills: String,
    #[serde(default)]
    pub baselines: Vec<String>,
    #[serde(default)]
    pub modules: Vec<String>,
}

/// What a case times.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Processor {
    Cpu,
    Gpu,
}

/// Which cases are asked for. Where a list is empty, all are.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Choice {
    /// Suites, such as pull or peers-cpu [default: all]
    pub suites: Vec<String>,
    /// Only cases whose name or arguments contain this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Only cases that time this processor
    #[arg(long, value_name = "PROCESSOR")]
    pub on: Option<Processor>,
    /// Only cases that compare with one of these, such as cusparse,torch
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub baseline: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

impl Case {
    /// How it is called: its suite and its name.
    pub fn id(&self) -> String {
        format!("{}/{}", self.suite, self.name)
    }

    /// Whether Python runs it.
    pub fn is_script(&self) -> bool {
        self.program.ends_with(".py")
    }

    /// The arguments: those of the smoke run, or those that it measures with.
    pub fn arguments(&self, is_smoke: bool) -> &str {
        if is_smoke { &self.smoke } else { &self.arguments }
    }

    fn contains(&self, text: &str) -> bool {
        self.id().contains(text) || self.program.contains(text) || self.arguments.contains(text)
    }
}

/// Every case.
pub fn all() -> Result<Vec<Case>> {
    let table: Table = toml::from_str(TEXT).map_err(|error| Error::Data { file: FILE, reason: error.to_string() })?;
    Ok(table.case)
}

impl Choice {
    /// The cases that are asked for. Fails on a name that no case has, and where none is left.
    pub fn of(&self, cases: &[Case]) -> Result<Vec<Case>> {
        let suites = distinct(cases.iter().map(|case| &case.suite));
        if let Some(name) = self.suites.iter().find(|name| !suites.contains(name)) {
            return Err(Error::NoSuite { name: name.clone(), suites: join(&suites) });
        }
        let baselines = distinct(cases.iter().flat_map(|case| &case.baselines));
        if let Some(name) = self.baseline.iter().find(|name| !baselines.contains(name)) {
            return Err(Error::NoBaseline { name: name.clone(), baselines: join(&baselines) });
        }
        let chosen: Vec<Case> = cases.iter().filter(|case| self.takes(case)).cloned().collect();
        if chosen.is_empty() { Err(Error::NoCase { choice: self.words() }) } else { Ok(chosen) }
    }

    fn takes(&self, case: &Case) -> bool {
        let of_suite = self.suites.is_empty() || self.suites.contains(&case.suite);
        let of_baseline = self.baseline.is_empty() || case.baselines.iter().any(|name| self.baseline.contains(name));
        let of_processor = self.on.is_none_or(|on| on == case.on);
        of_suite && of_baseline && of_processor && self.filter.as_ref().is_none_or(|text| case.contains(text))
    }

    /// What was asked for, as it was typed.
    fn words(&self) -> String {
        let suites = (!self.suites.is_empty()).then(|| self.suites.join(" "));
        let filter = self.filter.as_ref().map(|text| format!("--filter {text}"));
        let on = self.on.map(|on| format!("--on {on:?}").to_lowercase());
        let baseline = (!self.baseline.is_empty()).then(|| format!("--baseline {}", self.baseline.join(",")));
        suites.into_iter().chain(filter).chain(on).chain(baseline).collect::<Vec<_>>().join(" ")
    }
}

fn distinct<'c>(names: impl Iterator<Item = &'c String>) -> Vec<&'c String> {
    let mut found = Vec::new();
    names.for_each(|name| {
        if !found.contains(&name) {
            found.push(name);
        }
    });
    found
}

fn join(names: &[&String]) -> String {
    names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use xtask::metadata;

    use super::{Case, Choice, Processor, all};

    fn chosen(suites: &[&str], filter: Option<&str>, baseline: &[&str]) -> Result<Vec<String>, String> {
        let words = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let choice =
            Choice { suites: words(suites), filter: filter.map(str::to_owned), on: None, baseline: words(baseline) };
        let ids = |cases: Vec<Case>| cases.iter().map(Case::id).collect();
        choice.of(&all().unwrap()).map(ids).map_err(|error| error.to_string())
    }

    #[test]
    fn cases_are_named_once_and_have_a_smoke_run() {
        let cases = all().unwrap();
        let mut ids: Vec<String> = cases.iter().map(Case::id).collect();
        ids.sort();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "{ids:?}");
        for case in &cases {
            assert_ne!(case.smoke, case.arguments, "{}", case.id());
            assert!(!["report", "compare", "thesis-report", "help"].contains(&&*case.suite), "{}", case.id());
            let backend = if case.on == Processor::Gpu { "--backend cpu" } else { "--backend cuda" };
            assert!(!case.arguments.contains(backend) && !case.smoke.contains(backend), "{}", case.id());
        }
    }

    #[test]
    fn every_program_is_there_and_every_bench_has_a_smoke_run_on_the_cpu() {
        let cases = all().unwrap();
        let targets = metadata::onyx().unwrap().packages.into_iter().flat_map(|package| package.targets);
        let programs: Vec<String> = targets.filter(|target| target.is_bin()).map(|target| target.name).collect();
        for case in &cases {
            let script = metadata::checkout().join("examples/bench").join(&case.program);
            assert!(programs.contains(&case.program) || script.is_file(), "{}: {}", case.id(), case.program);
        }
        for bench in programs.iter().filter(|name| name.starts_with("bench_")) {
            let on_cpu =
                |case: &&Case| case.on == Processor::Cpu && case.program == **bench && !case.smoke.contains("{data}");
            assert!(cases.iter().any(|case| on_cpu(&case)), "{bench}");
        }
        let scripts = fs::read_dir(metadata::checkout().join("examples/bench")).unwrap();
        let names = scripts.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        for name in names.filter(|name| {
            ["_pyg.py", "_implicit.py", "_pgmax.py", "_network.py", "_spmm.py"].iter().any(|end| name.ends_with(end))
        }) {
            assert!(cases.iter().any(|case| case.program == name), "{name} is in no case");
        }
    }

    #[test]
    fn suites_filters_and_baselines_choose() {
        assert_eq!(chosen(&["loop"], None, &[]).unwrap(), ["loop/gpu", "loop/cpu"]);
        assert_eq!(chosen(&["pull", "loop"], Some("cpu"), &[]).unwrap(), ["pull/cpu-rmat", "loop/cpu"]);
        assert_eq!(chosen(&["pull"], Some("grid:"), &[]).unwrap(), ["pull/gpu-grid"]);
        assert_eq!(chosen(&[], Some("pagerank"), &["cupy"]).unwrap(), ["peers-gpu/pagerank"]);
        assert_eq!(chosen(&[], None, &[]).unwrap().len(), all().unwrap().len());
        let on_cpu = Choice { on: Some(Processor::Cpu), ..Choice::default() }.of(&all().unwrap()).unwrap();
        assert!(on_cpu.len() > 10 && on_cpu.iter().all(|case| case.on == Processor::Cpu), "{on_cpu:?}");
    }

    #[test]
    fn names_that_no_case_has_are_refused() {
        let error = chosen(&["pulls"], None, &[]).unwrap_err();
        assert!(error.contains("`pulls`") && error.contains("peers-cpu"), "{error}");
        let error = chosen(&[], None, &["cublas"]).unwrap_err();
        assert!(error.contains("`cublas`") && error.contains("scikit-network"), "{error}");
        let error = chosen(&["pull"], Some("kron"), &[]).unwrap_err();
        assert!(error.contains("pull --filter kron"), "{error}");
        assert!(chosen(&["loop"], None, &["torch"]).is_err());
    }
}
