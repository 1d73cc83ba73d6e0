//! `test`: the whole test of the project.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use crate::architecture::{ARCHITECTURES, Architecture, NEWEST};
use crate::error::{Error, Result, indented};
use crate::metadata::{self, Project};
use crate::{build_ptx, bundle, check_ptx, doctor, miri, process, ptxas, toolchain};

const DATA_VARIABLE: &str = "ONYX_DATA";
/// Where the runtime looks for PTX.
pub const PTX_VARIABLE: &str = "ONYX_PTX_DIR";

/// Where it is set, tests that run in several sessions have one on the GPU as well.
const GPU_VARIABLE: &str = "ONYX_TEST_GPU";
/// What the names of ignored tests begin with that need data: `ONYX_DATA`.
const OF_DATA: &str = "data_";
/// What the names of ignored tests begin with that compile PTX: they need the device toolchain and ptxas.
const OF_PTX: &str = "ptx_";

/// Build and check the PTX, then run every test this machine can run
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Also run the GPU tests on this machine, and fail if there are none
    #[arg(long)]
    gpu: bool,
    /// Fail if Miri cannot run here the tests of what is unsafe on the host; without this they run where a nightly has it
    #[arg(long)]
    miri: bool,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let data = data_folder()?;
    let projects = metadata::with_folds()?;
    let mut skipped = step("PTX", || kernels(&projects, arguments.gpu))?;
    let project = &projects[0];
    let has_ptx = skipped.is_empty();
    step("compilation of the tests", || process::run(&mut tests(project, &["--workspace", "--no-run"])))?;
    step("tests", || process::run(&mut tests(project, &["--workspace"])))?;
    skipped.extend(step("tests of data and PTX", || ignored_tests(project, data.is_some(), has_ptx))?);
    skipped.extend(step("Miri", || miri::run(arguments.miri))?);
    if arguments.gpu {
        step("GPU tests", || gpu_tests(project))?;
    } else {
        skipped.push(
            "GPU tests: run `cargo xtask test --gpu` on a machine with a GPU, or take `cargo xtask bundle` there"
                .into(),
        );
    }
    println!(
        "\nall tests passed; not run here:{}",
        if skipped.is_empty() { " none".into() } else { indented(skipped) }
    );
    Ok(())
}

/// Builds and checks the PTX; says what could not be done. Where a machine must do it all, what is missing is installed.
fn kernels(projects: &[Project], must: bool) -> Result<Vec<String>> {
    if is_ci() {
        doctor::install_missing()?;
    }
    let toolchain = match toolchain::find() {
        Err(error) if must => return Err(error),
        Err(_) => {
            return Ok(vec![
                "PTX build and check: no device toolchain; `cargo xtask doctor --install` gets one".into(),
            ]);
        }
        Ok(toolchain) => toolchain,
    };
    projects.iter().try_for_each(|project| build_ptx::build(project, &toolchain, architectures(project, must)))?;
    if ptxas::find().is_err() {
        return Ok(vec!["PTX check: no ptxas; `cargo xtask doctor --install` gets it".into()]);
    }
    projects.iter().try_for_each(check_ptx::check)?;
    Ok(Vec::new())
}

/// What people take with them is built for every GPU, and kernels that only tests have as well where they run on one.
fn architectures(project: &Project, has_gpu: bool) -> &'static [Architecture] {
    if has_gpu || metadata::FOR_USERS.contains(&&*project.package) { &ARCHITECTURES } else { NEWEST }
}

/// Whether this machine must do everything.
pub fn is_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// The data's folder from the root: cargo runs each test in its own package's folder.
fn data_folder() -> Result<Option<PathBuf>> {
    let Some(path) = env::var_os(DATA_VARIABLE).map(PathBuf::from) else { return Ok(None) };
    match path.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(Some(folder)),
        _ => Err(Error::NoData { path }),
    }
}

fn tests(project: &Project, arguments: &[&str]) -> Command {
    let mut command = process::cargo(&metadata::checkout(), &["test"]);
    command.args(arguments).env(PTX_VARIABLE, project.artifacts().folder());
    if let Ok(Some(folder)) = data_folder() {
        command.env(DATA_VARIABLE, folder);
    }
    command
}

/// Runs a part of the test, and says how long it took.
fn step<T>(name: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let result = run();
    println!("{name}: {:.1} s", start.elapsed().as_secs_f64());
    result
}

/// Runs the ignored tests that this machine can run, all in one go: another selection of packages would compile them again.
fn ignored_tests(project: &Project, has_data: bool, has_ptx: bool) -> Result<Option<String>> {
    let without_data = || format!("data tests: {DATA_VARIABLE} is not set; point it at the data's folder");
    let kinds = [(OF_DATA, has_data), (OF_PTX, has_ptx)];
    let names: Vec<&str> = kinds.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    if names.is_empty() {
        return Ok(Some(without_data()));
    }
    let arguments = ["--workspace", "--tests", "--", "--ignored", "--skip", "gpu_"];
    let text = process::shown(tests(project, &arguments).args(&names))?;
    if tests_run(&text) == 0 {
        return Err(Error::NoIgnoredTest { names: names.join("*, ") });
    }
    Ok((!has_data).then(without_data))
}

fn gpu_tests(project: &Project) -> Result<()> {
    let names = bundle::gpu_test_names()?;
    if names.is_empty() {
        return Err(Error::NoGpuTest);
    }
    let mut command = tests(project, &["--release", "--no-default-features", "--package", metadata::TESTS]);
    command.args(names.iter().flat_map(|name| ["--test", name])).args(["--", "--ignored", "--test-threads=1"]);
    let text = process::shown(&mut command)?;
    if tests_run(&text) == 0 {
        return Err(Error::NoGpuTest);
    }
    let packages = metadata::TESTED_ON_GPU.iter().flat_map(|package| ["--package", package]);
    process::run(tests(project, &["--release", "--tests"]).args(packages).env(GPU_VARIABLE, "1"))
}

/// How many tests ran, from the summary lines of a test run.
fn tests_run(text: &str) -> u64 {
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
