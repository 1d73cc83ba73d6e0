//! Some programs, compiled together and run.

use std::fmt;
use std::process::Output;

use onyx_random::name::Name;

use xtask::error::{Error, Result};
use xtask::{metadata, process};

/// The package that the programs are compiled in.
const PACKAGE: &str = "onyx-random-batch";
/// A test for each program; some are ignored, since they are known to fail.
const ARGUMENTS: [&str; 7] = ["test", "--package", PACKAGE, "--test", "programs", "--", "--include-ignored"];
/// The variable that tells its build script which.
const VARIABLE: &str = "ONYX_RANDOM";

/// What became of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All runs agree with the interpreter.
    Agrees,
    /// One does not, or panics.
    Differs,
    /// It was not compiled, or the whole test ended with it.
    Breaks,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs from the interpreter",
            Self::Breaks => "does not compile, or ends the test that runs it",
        })
    }
}

/// A program, what became of it, and what was said.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub name: Name,
    pub verdict: Verdict,
    pub text: String,
}

/// Compiles and runs programs. If one of them breaks the others as well, they are halved until it is found.
pub fn run(names: &[Name]) -> Result<Vec<Outcome>> {
    let output = test(names)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let verdicts: Vec<Option<Verdict>> = names.iter().map(|name| verdict(&text, name)).collect();
    if verdicts.iter().all(Option::is_some) {
        let pairs = names.iter().zip(verdicts.into_iter().flatten());
        return Ok(pairs
            .map(|(name, verdict)| Outcome { name: name.clone(), verdict, text: said(&text, name) })
            .collect());
    }
    if let [name] = names {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Ok(vec![Outcome { name: name.clone(), verdict: Verdict::Breaks, text }]);
    }
    let (first, second) = names.split_at(names.len() / 2);
    Ok([run(first)?, run(second)?].concat())
}

fn test(names: &[Name]) -> Result<Output> {
    let list = names.iter().map(Name::to_string).collect::<Vec<_>>().join(",");
    let mut command = process::cargo(&metadata::checkout(), &ARGUMENTS);
    // What was compiled of one chunk is of no use for the next.
    command.env(VARIABLE, list).env("CARGO_INCREMENTAL", "0").env("RUST_BACKTRACE", "0");
    command.output().map_err(|source| Error::Start { command: process::line(&command), source })
}

/// What the test of a program ended with, if it did.
fn verdict(text: &str, name: &Name) -> Option<Verdict> {
    let start = format!("test {} ... ", name.identifier());
    let line = text.lines().find(|line| line.starts_with(&start))?;
    Some(if line.ends_with("ok") { Verdict::Agrees } else { Verdict::Differs })
}

/// What the test of a program has printed.
fn said(text: &str, name: &Name) -> String {
    let start = format!("---- {} stdout ----", name.identifier());
    let lines = text.lines().skip_while(|line| *line != start).skip(1);
    lines.take_while(|line| !line.starts_with("---- ") && *line != "failures:").collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "running 2 tests\ntest plain_1 ... ok\ntest plain_2_7_0 ... FAILED\n\nfailures:\n\n---- plain_2_7_0 stdout ----\nsource\n\nfailures:\n";

    #[test]
    fn verdicts_are_found_by_name() {
        let name = |text: &str| text.parse::<Name>().expect("a name");
        assert_eq!(verdict(TEXT, &name("plain:1")), Some(Verdict::Agrees));
        assert_eq!(verdict(TEXT, &name("plain:2:7.0")), Some(Verdict::Differs));
        assert_eq!(verdict(TEXT, &name("plain:2")), None);
        assert_eq!(said(TEXT, &name("plain:2:7.0")), "source\n");
    }
}
