//! `bench [suite]`: runs cases, verifies their rows, and writes a CSV for each table that they fill.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use xtask::architecture::ARCHITECTURES;
use xtask::metadata::{self, BENCHES, EXAMPLES, NETWORK_PROGRAMS, NETWORKS, PROGRAMS};
use xtask::{build_ptx, process, toolchain};

use crate::case::{self, Case, Choice, Processor};
use crate::command::Places;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::missing::Given;
use crate::output::Tables;
use crate::rows::Rows;

const DATA_VARIABLE: &str = "ONYX_DATA";

/// What is run, and how.
#[derive(Clone, Debug, clap::Args)]
pub struct Run {
    #[command(flatten)]
    choice: Choice,
    /// Run each case on a tiny graph, look whether verified rows come out, and throw the numbers away
    #[arg(long)]
    smoke: bool,
    /// Print the command of each case, one a line, and run none: for another machine
    #[arg(long)]
    dry_run: bool,
    /// The folder to write CSVs to [default: target/bench/ and the time]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Take these binaries, and build none
    #[arg(long, value_name = "FOLDER")]
    binary_folder: Option<PathBuf>,
    /// Where the scripts are [default: examples/bench of the checkout]
    #[arg(long, value_name = "FOLDER")]
    script_folder: Option<PathBuf>,
    /// The Python that runs scripts
    #[arg(long, default_value = "python3")]
    python: String,
}

/// Cases that ran, and those that could not.
#[derive(Debug, Default)]
struct Outcome {
    ran: usize,
    failed: Vec<String>,
}

pub fn run(arguments: &Run) -> Result<()> {
    let table = case::all()?;
    let chosen = arguments.choice.of(&table)?;
    let places = arguments.places();
    if arguments.dry_run {
        chosen.iter().for_each(|case| println!("{}  # {}", places.line(case, arguments.smoke), case.id()));
        return Ok(());
    }
    let machine = Machine::ask(&places.binaries);
    let (ready, left_out) = divided(chosen, &machine, &places, arguments.smoke);
    let outcome =
        if ready.is_empty() { Outcome::default() } else { arguments.measure(&ready, &table, &machine, &places)? };
    println!("\n{} cases ran, {} failed, {} left out", outcome.ran, outcome.failed.len(), left_out.len());
    left_out.iter().for_each(|line| println!("left out: {line}"));
    match outcome {
        Outcome { ran: 0, .. } => Err(Error::NothingRan),
        Outcome { failed, .. } if !failed.is_empty() => Err(Error::Failed(failed)),
        _ => Ok(()),
    }
}

/// The cases that this machine can run, and lines that say why it cannot run the others.
fn divided(chosen: Vec<Case>, machine: &Machine, places: &Places, is_smoke: bool) -> (Vec<Case>, Vec<String>) {
    let given = Given { gpu: &machine.gpu, data: places.data.as_deref(), python: &places.python };
    let (mut ready, mut left_out) = (Vec::new(), Vec::new());
    for case in chosen {
        match given.lacks(&case, is_smoke) {
            None => ready.push(case),
            Some(missing) => left_out.push(format!("{}: {missing}", case.id())),
        }
    }
    (ready, left_out)
}

impl Run {
    fn places(&self) -> Places {
        let profile = if self.smoke { "target/debug" } else { "target/release" };
        let checkout = metadata::checkout();
        Places {
            binaries: self.binary_folder.clone().unwrap_or_else(|| checkout.join(profile)),
            scripts: self.script_folder.clone().unwrap_or_else(|| checkout.join("examples/bench")),
            data: env::var_os(DATA_VARIABLE).map(PathBuf::from),
            python: self.python.clone(),
        }
    }

    /// Builds what is missing, and runs the cases.
    fn measure(&self, ready: &[Case], table: &[Case], machine: &Machine, places: &Places) -> Result<Outcome> {
        let folder =
            self.out.clone().unwrap_or_else(|| metadata::checkout().join("target/bench").join(machine.folder()));
        let mut tables = Tables::new(machine, &folder);
        if !self.smoke {
            tables.refuse_parts(ready, table)?;
        }
        if self.binary_folder.is_none() {
            build(ready, self.smoke)?;
        }
        let mut outcome = Outcome::default();
        for case in ready {
            let result = if self.smoke { smoke(case, places) } else { self.full(case, places, &mut tables) };
            outcome.ran += 1;
            if let Err(error) = result {
                eprintln!("FAILED  {}: {error}", case.id());
                tables.spoil(case);
                outcome.failed.push(case.id());
            }
        }
        if !self.smoke {
            tables.finish()?;
        }
        Ok(outcome)
    }

    /// Measures a case, shows its rows as they come, and keeps them.
    fn full(&self, case: &Case, places: &Places, tables: &mut Tables<'_>) -> Result<()> {
        println!("\n== {} ==\n{}", case.id(), places.line(case, false));
        let (text, result) = shown(case, places)?;
        let rows = Rows::parse(&case.id(), &text);
        if let Ok(rows) = &rows {
            tables.add(case, rows)?;
        }
        result?;
        rows?.measured().map(drop)
    }
}

/// Runs a case on its tiny graph, and says no number of it.
fn smoke(case: &Case, places: &Places) -> Result<()> {
    let start = Instant::now();
    let text = process::output(&mut places.command(case, true))?;
    let rows = Rows::parse(&case.id(), &text)?.measured()?;
    println!("ok      {:28} {rows:3} rows {:6.1} s", case.id(), start.elapsed().as_secs_f64());
    Ok(())
}

/// What a case writes, shown as it comes, and how it ended.
fn shown(case: &Case, places: &Places) -> Result<(String, Result<()>)> {
    let mut command = places.command(case, false);
    command.stdout(Stdio::piped());
    let mut child = command.spawn().map_err(process::start_error(&command))?;
    let mut text = String::new();
    let lines = child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines());
    for line in lines.map_while(std::io::Result::ok) {
        println!("{line}");
        text.push_str(&line);
        text.push('\n');
    }
    let status = child.wait().map_err(process::start_error(&command))?;
    Ok((text, process::checked(&command, status, String::new()).map_err(Error::from)))
}

/// Builds all programs, and the kernels where a case needs them.
fn build(ready: &[Case], is_smoke: bool) -> Result<()> {
    if ready.iter().any(|case| case.on == Processor::Gpu) {
        let toolchain = toolchain::find()?;
        let projects = metadata::with_folds()?;
        let mut mine = projects.iter().filter(|project| [EXAMPLES, BENCHES, NETWORKS].contains(&&*project.package));
        mine.try_for_each(|project| build_ptx::build(project, &toolchain, &ARCHITECTURES))?;
    }
    let packages = [PROGRAMS, BENCHES, NETWORK_PROGRAMS].into_iter().flat_map(|package| ["--package", package]);
    let profile = if is_smoke { "dev" } else { "release" };
    let mut command = process::cargo(&metadata::checkout(), &["build", "--quiet", "--bins", "--profile", profile]);
    Ok(process::run(command.args(packages))?)
}
