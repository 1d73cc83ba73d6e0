//! `check-ptx`: proves from the PTX that folding happened, and reports what each kernel uses.

use std::fs;
use std::path::Path;

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use onyx_runtime::manifest::{Manifest, Target};
use serde::Serialize;

use crate::architecture::gpu_name;
use crate::artifacts::Artifacts;
use crate::error::{Error, Result, indented};
use crate::metadata::{self, Project, Selection};
use crate::ptx::Ptx;
use crate::ptxas;
use crate::shape;
use crate::usage::Usage;

/// Assemble the PTX and check its shape
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
}

/// One line of the report.
#[derive(Clone, Debug, Serialize)]
struct Row {
    architecture: String,
    entry: String,
    registers: u32,
    shared_bytes: u32,
    spill_bytes: u32,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    metadata::select(&arguments.selection)?.iter().try_for_each(check)
}

/// Checks every PTX file of a crate, and names all violations at once.
pub fn check(project: &Project) -> Result<()> {
    let artifacts = project.artifacts();
    let manifest = artifacts.read_manifest()?;
    let program = ptxas::find()?;
    let mut rows = Vec::new();
    let mut violations = Vec::new();
    for target in &manifest.targets {
        let (usages, found) = check_target(&artifacts, &manifest, target, &program)?;
        rows.extend(usages.into_iter().map(|usage| row(target, usage)));
        violations.extend(found.into_iter().map(|violation| format!("{}: {violation}", target.file)));
    }
    report(&artifacts, &rows)?;
    verdict(project, violations)
}

fn check_target(
    artifacts: &Artifacts,
    manifest: &Manifest,
    target: &Target,
    program: &Path,
) -> Result<(Vec<Usage>, Vec<String>)> {
    let path = artifacts.folder().join(&target.file);
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let ptx = Ptx::parse(&path, &text)?;
    let usages = ptxas::assemble(program, target.compute_capability, &path)?;
    let violations = shape::violations(&ptx, &manifest.kernels, &usages);
    Ok((usages, violations))
}

fn row(target: &Target, usage: Usage) -> Row {
    Row {
        architecture: gpu_name(target.compute_capability),
        registers: usage.registers,
        shared_bytes: usage.shared,
        spill_bytes: usage.spills(),
        entry: usage.entry,
    }
}

fn report(artifacts: &Artifacts, rows: &[Row]) -> Result<()> {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(["architecture", "entry", "registers", "shared", "spills"]);
    for row in rows {
        let numbers = [row.registers, row.shared_bytes, row.spill_bytes].map(|number| number.to_string());
        table.add_row([row.architecture.clone(), row.entry.clone()].into_iter().chain(numbers));
    }
    println!("{table}");
    write_csv(&artifacts.registers_path(), rows)
}

fn write_csv(path: &Path, rows: &[Row]) -> Result<()> {
    let encode = |source: csv::Error| Error::Encode { what: "the table of registers", source: source.into() };
    let mut writer = csv::Writer::from_path(path).map_err(encode)?;
    for row in rows {
        writer.serialize(row).map_err(encode)?;
    }
    writer.flush().map_err(Error::file("write", path))
}

fn verdict(project: &Project, violations: Vec<String>) -> Result<()> {
    if violations.is_empty() {
        println!("{}: every kernel is folded, without spills", project.package);
        return Ok(());
    }
    Err(Error::Violations { package: project.package.clone(), count: violations.len(), list: indented(violations) })
}
