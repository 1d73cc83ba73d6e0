//! The test programs of the workspace: as many at the same time as there are cores, each with one test at a time.

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use cargo_metadata::{Artifact, Message};

use crate::error::{Error, Result};
use crate::process;

/// One test program.
#[derive(Clone, Debug)]
struct Program {
    name: String,
    executable: PathBuf,
    /// The folder of its package, in which cargo would run it.
    folder: PathBuf,
    /// Whether it makes crates and compiles them.
    compiles: bool,
}

/// The test programs of a workspace, those first that mostly take longest: what compiles whole crates, then the largest.
#[derive(Debug)]
pub struct Suite {
    programs: Vec<Program>,
    /// The programs that tests start.
    binaries: Vec<PathBuf>,
    /// Where the compiler's own libraries are, for tests of macros.
    libraries: PathBuf,
    /// What is set for all of them.
    variables: Vec<(&'static str, OsString)>,
}

/// Some of the tests of all programs.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// What a line says of them after a comma, if they are not all that are not ignored.
    pub name: &'a str,
    /// What programs are told, to run these alone.
    pub arguments: &'a [&'a str],
}

/// What has come of the programs that have ended.
#[derive(Debug)]
struct Outcome {
    /// How many tests there were of each choice.
    tests: Vec<u64>,
    failed: Vec<String>,
}

impl Suite {
    /// Compiles the tests, by a `cargo test` command that has all but `--no-run`.
    pub fn compile(command: &mut Command, variables: Vec<(&'static str, OsString)>) -> Result<Self> {
        command.args(["--no-run", "--message-format=json-render-diagnostics"]).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(process::start_error(command))?;
        let messages = child.stdout.take().into_iter().flat_map(|output| Message::parse_stream(BufReader::new(output)));
        let (mut programs, mut binaries) = (Vec::new(), Vec::new());
        for artifact in messages.filter_map(|message| artifact(message.ok()?)) {
            binaries.extend(binary(&artifact));
            programs.extend(program(artifact));
        }
        let status = child.wait().map_err(process::start_error(command))?;
        process::checked(command, status, String::new())?;
        programs.sort_by_cached_key(|program| {
            (program.compiles, fs::metadata(&program.executable).map_or(0, |file| file.len()))
        });
        programs.reverse();
        Ok(Self { programs, binaries, libraries: libraries()?, variables })
    }

    /// The program of this name that was compiled for tests to start.
    pub fn binary(&self, name: &str) -> Option<&Path> {
        self.binaries.iter().find(|path| path.file_stem().is_some_and(|stem| stem == name)).map(PathBuf::as_path)
    }

    /// Runs the chosen tests of all programs, shows what programs that fail have written, and returns how many tests there were of each choice.
    pub fn run(&self, choices: &[Choice]) -> Result<Vec<u64>> {
        let of_program = |program| choices.iter().enumerate().map(move |(number, choice)| (program, number, choice));
        let waiting = Mutex::new(self.programs.iter().flat_map(of_program).collect::<VecDeque<_>>());
        let outcome = Mutex::new(Outcome { tests: vec![0; choices.len()], failed: Vec::new() });
        let work = || {
            while let Some((program, number, choice)) = next(&waiting) {
                self.try_program(program, choice, number, &outcome);
            }
        };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
        let Outcome { tests, mut failed } = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.sort();
        if failed.is_empty() { Ok(tests) } else { Err(Error::Tests(failed.join(", "))) }
    }

    fn try_program(&self, program: &Program, choice: &Choice, number: usize, outcome: &Mutex<Outcome>) {
        let (start, name) = (Instant::now(), format!("{}{}", program.name, choice.name));
        let ran = self.command(program, choice.arguments).output();
        let (passed, text) = match ran {
            Ok(output) => {
                (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into())
            }
            Err(error) => (false, error.to_string()),
        };
        let count = tests_run(&text);
        let mut outcome = lock(outcome);
        if passed && count > 0 {
            println!("ok      {count:4} tests {:6.1} s  {name}", start.elapsed().as_secs_f64());
        } else if !passed {
            println!("FAILED  {name}\n{text}");
            outcome.failed.push(name);
        }
        outcome.tests[number] += count;
    }

    fn command(&self, program: &Program, arguments: &[&str]) -> Command {
        let mut command = Command::new(&program.executable);
        command.args(arguments).arg("--test-threads=1").current_dir(&program.folder);
        command.env("CARGO", process::cargo_path()).env("CARGO_MANIFEST_DIR", &program.folder);
        command.env("LD_LIBRARY_PATH", self.search_path()).envs(self.variables.iter().cloned());
        command
    }

    fn search_path(&self) -> OsString {
        let old = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let folders = [self.libraries.clone()].into_iter().chain(env::split_paths(&old));
        env::join_paths(folders).unwrap_or(old)
    }
}

fn artifact(message: Message) -> Option<Artifact> {
    if let Message::CompilerArtifact(artifact) = message { Some(artifact) } else { None }
}

fn binary(artifact: &Artifact) -> Option<PathBuf> {
    let executable = artifact.executable.as_ref().filter(|_| !artifact.profile.test);
    executable.map(|path| path.as_std_path().to_path_buf())
}

fn program(artifact: Artifact) -> Option<Program> {
    let Artifact { target, profile, executable, manifest_path, .. } = artifact;
    let executable = executable.filter(|_| profile.test)?.into_std_path_buf();
    let folder = manifest_path.parent()?.as_std_path().to_path_buf();
    let package = folder.file_name().unwrap_or_default().to_string_lossy();
    let compiles = package == env!("CARGO_PKG_NAME");
    Some(Program { name: format!("{} of {package}", target.name), executable, folder, compiles })
}

fn libraries() -> Result<PathBuf> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let folder = process::output(Command::new(rustc).args(["--print", "target-libdir"]))?;
    Ok(PathBuf::from(folder.trim()))
}

fn next<T>(waiting: &Mutex<VecDeque<T>>) -> Option<T> {
    lock(waiting).pop_front()
}

/// What another thread has left half done here is only a line of text.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many tests ran, from the summary lines of their programs.
pub fn tests_run(text: &str) -> u64 {
    let summaries = text.lines().filter_map(|line| line.trim().strip_prefix("test result: "));
    summaries.map(|line| count(line, "passed") + count(line, "failed")).sum()
}

fn count(summary: &str, word: &str) -> u64 {
    let mut words = summary.split([' ', ';', '.']).filter(|word| !word.is_empty()).peekable();
    while let Some(number) = words.next() {
        if words.peek() == Some(&word) {
            return number.parse().unwrap_or(0);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::tests_run;

    #[test]
    fn tests_are_counted_over_all_summaries() {
        let text = "running 2 tests\ntest a ... ok\ntest result: ok. 2 passed; 0 failed; 3 ignored; 0 measured\n\
                    test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured";
        assert_eq!(tests_run(text), 4);
    }

    #[test]
    fn ignored_tests_do_not_count() {
        assert_eq!(tests_run("test result: ok. 0 passed; 0 failed; 30 ignored; 0 measured; 5 filtered out"), 0);
        assert_eq!(tests_run(""), 0);
    }
}
