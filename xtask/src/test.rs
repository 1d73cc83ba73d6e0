//! `test`: the whole test of the project.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use crate::architecture::{ARCHITECTURES, Architecture, NEWEST};
use crate::error::{Error, Result, indented};
use crate::metadata::{self, BENCH_COMMAND, Project};
use crate::suite::{Choice, Suite, tests_run};
use crate::toolchain::{self, DeviceToolchain};
use crate::{build_ptx, bundle, check_ptx, doctor, miri, process, ptxas};

const DATA_VARIABLE: &str = "ONYX_DATA";
/// Where the runtime looks for PTX.
pub const PTX_VARIABLE: &str = "ONYX_PTX_DIR";

/// Where it is set, tests that run in several sessions have one on the GPU as well.
const GPU_VARIABLE: &str = "ONYX_TEST_GPU";
/// All tests that are not ignored.
const NOT_IGNORED: Choice = Choice { name: "", arguments: &[] };
/// The tests that need data: `ONYX_DATA`.
const OF_DATA: Choice = Choice { name: ", with data", arguments: &["--ignored", "--skip", "gpu_", "data_"] };
/// The tests that compile PTX: they need the device toolchain and ptxas.
const OF_PTX: Choice = Choice { name: ", with PTX", arguments: &["--ignored", "--skip", "gpu_", "ptx_"] };

/// Build and check the PTX, then run every test this machine can run
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Also run the GPU tests on this machine, and fail if there are none
    #[arg(long)]
    gpu: bool,
    /// Take the PTX as it is: neither build nor check it
    #[arg(long, conflicts_with = "gpu")]
    no_ptx: bool,
    /// Fail if Miri cannot run here the tests of what is unsafe on the host; without this they run where a nightly has it
    #[arg(long)]
    miri: bool,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let has_data = data_folder()?.is_some();
    let projects = metadata::with_folds()?;
    let project = &projects[0];
    let (Ptx { is_there, mut skipped }, suite) = build_and_test(&projects, arguments, has_data)?;
    if !has_data {
        skipped.push(format!("data tests: {DATA_VARIABLE} is not set; point it at the data's folder"));
    }
    step("examples of the documentation", || process::run(&mut tests(project, &["--workspace", "--doc"])))?;
    if is_there {
        step("tests with PTX", || run_all(&suite, &[OF_PTX]))?;
    }
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

/// The PTX, of which what could not be done is said, and the tests that need none, at the same time: either leaves a core idle by itself, where one large crate is
/// compiled. Where a machine must do it all, what is missing is installed before.
fn build_and_test(projects: &[Project], arguments: &Arguments, has_data: bool) -> Result<(Ptx, Suite)> {
    let as_it_is = || Ok(Ptx::none("PTX build and check: --no-ptx".into()));
    if is_ci() && !arguments.no_ptx {
        doctor::install_compilers()?;
    }
    thread::scope(|scope| {
        let suite = scope.spawn(|| compile_and_test(&projects[0], has_data));
        let skipped = step("PTX", || if arguments.no_ptx { as_it_is() } else { kernels(projects, arguments.gpu) });
        let suite = suite.join().expect("what runs the tests does not panic");
        Ok((skipped?, suite?))
    })
}

/// Tests with data are among the others: one of them takes so long that a core would be idle at the end.
fn compile_and_test(project: &Project, has_data: bool) -> Result<Suite> {
    let suite = step("compilation of the tests", || suite(project))?;
    let choices: &[Choice] = if has_data { &[OF_DATA, NOT_IGNORED] } else { &[NOT_IGNORED] };
    step("tests", || run_all(&suite, choices))?;
    step("smoke run of the benches", || smoke(&suite))?;
    Ok(suite)
}

/// Builds and checks the PTX; says what could not be done, or what is left to other machines.
fn kernels(projects: &[Project], must: bool) -> Result<Ptx> {
    let toolchain = match toolchain::find() {
        Err(error) if must => return Err(error),
        Err(_) => {
            return Ok(Ptx::none(
                "PTX build and check: no device toolchain; `cargo xtask doctor --install` gets one".into(),
            ));
        }
        Ok(toolchain) => toolchain,
    };
    let is_compiled =
        |project: &&Project| must || !is_ci() || metadata::COMPILED_IN_CI.contains(&project.package.as_str());
    let (compiled, checked): (Vec<_>, Vec<_>) = projects.iter().partition(is_compiled);
    let has_ptxas = ptxas::find().is_ok();
    build_and_check(&compiled, &toolchain, must, has_ptxas)?;
    checked.iter().try_for_each(|project| build_ptx::check(project, &toolchain))?;
    let names: Vec<&str> = checked.iter().map(|project| project.package.as_str()).collect();
    let others = (!names.is_empty()).then(|| {
        format!(
            "PTX of {}: the compiler has checked their folds, and made no kernels; `cargo xtask test` makes them where CI is not set",
            names.join(", ")
        )
    });
    let unchecked = (!has_ptxas).then(|| "PTX check: no ptxas; `cargo xtask doctor --install` gets it".into());
    Ok(Ptx { is_there: has_ptxas, skipped: unchecked.into_iter().chain(others).collect() })
}

/// What has come of the PTX.
struct Ptx {
    /// Whether the tests that compile PTX can run.
    is_there: bool,
    /// What was not done, and why.
    skipped: Vec<String>,
}

impl Ptx {
    fn none(why: String) -> Self {
        Self { is_there: false, skipped: vec![why] }
    }
}

/// Builds the PTX of each package while that of the one before is checked: an architecture takes one core for either.
fn build_and_check(projects: &[&Project], toolchain: &DeviceToolchain, has_gpu: bool, has_ptxas: bool) -> Result<()> {
    let check = |project| if has_ptxas { check_ptx::check(project) } else { Ok(()) };
    thread::scope(|scope| {
        let (built, to_check) = mpsc::channel();
        let checker = scope.spawn(move || to_check.into_iter().try_for_each(check));
        let build = build_all(projects, toolchain, has_gpu, built);
        checker.join().expect("a check does not panic").and(build)
    })
}

/// Builds one package after the other, until one of them or a check fails.
fn build_all<'p>(
    projects: &[&'p Project],
    toolchain: &DeviceToolchain,
    has_gpu: bool,
    built: Sender<&'p Project>,
) -> Result<()> {
    for project in projects {
        build_ptx::build(project, toolchain, architectures(project, has_gpu))?;
        if built.send(project).is_err() {
            break;
        }
    }
    Ok(())
}

/// The schedules are the same in all packages, so that one architecture is enough where nothing runs. What architectures differ by is whether four floats are added to
/// memory at once: the package of the operators does that, and is built for every GPU.
fn architectures(project: &Project, has_gpu: bool) -> &'static [Architecture] {
    if has_gpu || project.package == metadata::OPERATORS { &ARCHITECTURES } else { NEWEST }
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
    command.args(arguments).envs(variables(project));
    command
}

/// What tests are told of this machine: where the PTX is, and the data.
fn variables(project: &Project) -> Vec<(&'static str, OsString)> {
    let data = data_folder().ok().flatten().map(|folder| (DATA_VARIABLE, folder.into_os_string()));
    [(PTX_VARIABLE, project.artifacts().folder().into())].into_iter().chain(data).collect()
}

/// Runs a part of the test, and says how long it took.
fn step<T>(name: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let result = run();
    println!("{name}: {:.1} s", start.elapsed().as_secs_f64());
    result
}

/// Every test of the workspace but the examples of its documentation, compiled.
fn suite(project: &Project) -> Result<Suite> {
    Suite::compile(&mut tests(project, &["--workspace"]), variables(project))
}

/// Runs the chosen tests, of each choice one at least.
fn run_all(suite: &Suite, choices: &[Choice]) -> Result<()> {
    let counts = suite.run(choices)?;
    let none = choices.iter().zip(counts).find(|(_, count)| *count == 0);
    none.map_or(Ok(()), |(choice, _)| Err(Error::NoTest { which: choice.name.into() }))
}

/// Runs every bench that times the CPU on a tiny graph, by the programs that tests start.
fn smoke(suite: &Suite) -> Result<()> {
    let missing = || Error::NoProgram(format!("no test starts {BENCH_COMMAND}, so that it was not built"));
    let bench = suite.binary(BENCH_COMMAND).ok_or_else(missing)?;
    let folder = bench.parent().unwrap_or(bench);
    process::run(Command::new(bench).args(["--smoke", "--on", "cpu", "--binary-folder"]).arg(folder))
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
