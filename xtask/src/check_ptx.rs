//! `check-ptx`: proves from the PTX that folding happened, and reports what each kernel uses.

use std::fs;
use std::path::Path;
use std::thread;

use crate::console::say;
use crate::manifest::{Manifest, Target};
use comfy_table::Table;
use comfy_table::presets::NOTHING;

use crate::architecture::gpu_name;
use crate::artifacts::Artifacts;
use crate::error::{Error, Result, indented};
use crate::metadata::{self, Project, Selection};
use crate::ptx::Ptx;
use crate::ptxas;
use crate::registers::{Difference, Row};
use crate::test::is_ci;
use crate::usage::Usage;
use crate::{loads, local, panics, registers, shape};

/// The first compute capability with `red.global.add.v4.f32`, times ten.
const VECTOR_REDUCTIONS: u32 = 90;
/// What to do about values that registers do not hold.
const TOO_FEW_REGISTERS: &str = "\nregisters do not hold what a lane has of its row: spread rows and matrices over more lanes by `features_per_lane = 1` \
    after the fold's functions, cut the fold by `;`, or name fewer widths in `features`";

/// Assemble the PTX and check its shape
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Write the registers of every kernel to the table in the repository
    #[arg(long)]
    bless: bool,
}

/// One line of the report.
#[derive(Clone, Debug)]
struct Line {
    row: Row,
    spill_bytes: u32,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let check = |project: &Project| check_rows(project, arguments.bless);
    metadata::select(&arguments.selection)?.iter().try_for_each(check)
}

/// Checks every PTX file of a crate, and names all violations at once.
pub fn check(project: &Project) -> Result<()> {
    check_rows(project, false)
}

fn check_rows(project: &Project, bless: bool) -> Result<()> {
    let artifacts = project.artifacts();
    let manifest = artifacts.read_manifest()?;
    let program = ptxas::find()?;
    let mut lines = Vec::new();
    let mut violations = Vec::new();
    for (target, check) in manifest.targets.iter().zip(check_targets(project, &manifest, &program)) {
        let (usages, found) = check?;
        lines.extend(usages.into_iter().map(|usage| line(project, target, usage)));
        violations.extend(found.into_iter().map(|violation| format!("{}: {violation}", target.file)));
    }
    report(&artifacts, &lines)?;
    let rows: Vec<Row> = lines.into_iter().map(|line| line.row).collect();
    match (bless, is_of_checkout(project)) {
        (true, true) => registers::bless(&rows)?,
        (false, true) => violations.extend(growth(&rows)?),
        (_, false) => {}
    }
    verdict(project, violations)
}

/// Checks every PTX file, each on a core of its own: the assembler uses one.
fn check_targets(project: &Project, manifest: &Manifest, program: &Path) -> Vec<Result<(Vec<Usage>, Vec<String>)>> {
    thread::scope(|scope| {
        let start = |target| scope.spawn(move || check_target(project, manifest, target, program));
        let started: Vec<_> = manifest.targets.iter().map(start).collect();
        started.into_iter().map(|check| check.join().expect("a check does not panic")).collect()
    })
}

fn check_target(
    project: &Project,
    manifest: &Manifest,
    target: &Target,
    program: &Path,
) -> Result<(Vec<Usage>, Vec<String>)> {
    let path = project.artifacts().folder().join(&target.file);
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let ptx = Ptx::parse(&path, &text)?;
    let usages = ptxas::assemble(program, target.compute_capability, &path)?;
    let has_vector_reductions = target.compute_capability >= VECTOR_REDUCTIONS;
    let mut violations = shape::violations(&ptx, &manifest.kernels, &usages, has_vector_reductions);
    violations.extend(loads::violations(&ptx)?);
    violations.extend(panics::violations(&ptx, project.folder()));
    Ok((usages, local::allow(&ptx, &gpu_name(target.compute_capability), violations)?))
}

/// The table is of this repository's kernels.
fn is_of_checkout(project: &Project) -> bool {
    project.manifest_path.starts_with(metadata::checkout())
}

/// Kernels that use more registers than the table says. Those it lacks are a violation in CI alone, and are shown elsewhere.
fn growth(rows: &[Row]) -> Result<Vec<String>> {
    let Difference { mut grown, missing } = registers::compare(&registers::read()?, rows);
    let table = registers::path();
    let missing = missing.into_iter().map(|kernel| format!("{kernel}, not in {}", table.display()));
    if is_ci() {
        grown.extend(missing);
    } else {
        missing.for_each(|kernel| eprintln!("note: {kernel}"));
    }
    Ok(grown)
}

fn line(project: &Project, target: &Target, usage: Usage) -> Line {
    let architecture = gpu_name(target.compute_capability);
    let spill_bytes = usage.spills();
    let Usage { entry, registers, shared: shared_bytes, .. } = usage;
    let package = project.package.clone();
    Line { row: Row { package, entry, architecture, registers, shared_bytes }, spill_bytes }
}

fn report(artifacts: &Artifacts, lines: &[Line]) -> Result<()> {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(["architecture", "entry", "registers", "shared", "spills"]);
    for Line { row, spill_bytes } in lines {
        let numbers = [row.registers, row.shared_bytes, *spill_bytes].map(|number| number.to_string());
        table.add_row([row.architecture.clone(), row.entry.clone()].into_iter().chain(numbers));
    }
    say(table);
    write_csv(&artifacts.registers_path(), lines)
}

fn write_csv(path: &Path, lines: &[Line]) -> Result<()> {
    let encode = |source: csv::Error| Error::Encode { what: "the table of registers", source: source.into() };
    let mut writer = csv::Writer::from_path(path).map_err(encode)?;
    writer.write_record(["architecture", "entry", "registers", "shared_bytes", "spill_bytes"]).map_err(encode)?;
    for Line { row, spill_bytes } in lines {
        let numbers = [row.registers, row.shared_bytes, *spill_bytes].map(|number| number.to_string());
        writer
            .write_record([row.architecture.clone(), row.entry.clone()].into_iter().chain(numbers))
            .map_err(encode)?;
    }
    writer.flush().map_err(Error::file("write", path))
}

fn verdict(project: &Project, violations: Vec<String>) -> Result<()> {
    if violations.is_empty() {
        say(format!("{}: every kernel is folded, without spills", project.package));
        return Ok(());
    }
    let advice = if violations.iter().any(|found| local::is_local(found)) { TOO_FEW_REGISTERS } else { "" };
    Err(Error::Violations {
        package: project.package.clone(),
        count: violations.len(),
        list: indented(violations),
        advice,
    })
}
