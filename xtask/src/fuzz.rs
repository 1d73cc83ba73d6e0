//! `fuzz`: has the readers of all files read damaged ones.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::metadata::{self, PROGRAMS};
use crate::process;

/// The program that does it.
const PROGRAM: &str = "fuzz_readers";

/// Have all readers read damaged files: no panic, no abort, and no more memory than the file's share
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// How many inputs, all processes together
    #[arg(long, default_value_t = 1_000_000)]
    inputs: u64,
    /// What the inputs are drawn from; each process has a seed of its own, from this one on
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many processes [default: as many as there are cores]
    #[arg(long)]
    jobs: Option<NonZero<u64>>,
    /// Write the counts to this CSV
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What a process has counted.
#[derive(Debug, Default, Deserialize)]
struct Record {
    seed: u64,
    real_files: bool,
    inputs: u64,
    bytes: u64,
    seconds: f64,
    readers: BTreeMap<String, Counts>,
    failures: u64,
    told: Vec<String>,
}

/// What became of the inputs of one reader.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Counts {
    accepted: u64,
    refused: u64,
    greatest_share: f64,
    slowest_milliseconds: f64,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let build = ["build", "--release", "--package", PROGRAMS, "--bin", PROGRAM];
    process::run(&mut process::cargo(&metadata::checkout(), &build))?;
    let program = metadata::onyx()?.target_directory.into_std_path_buf().join("release").join(PROGRAM);
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let jobs = arguments.jobs.map_or(cores, NonZero::get);
    let running: Vec<Job> = (0..jobs).map(|job| Job::start(&program, arguments, job, jobs)).collect::<Result<_>>()?;
    let records: Vec<Record> = running.into_iter().map(Job::end).collect::<Result<_>>()?;
    let table = table(&records);
    println!("{table}");
    if let Some(path) = &arguments.out {
        fs::write(path, &table).map_err(Error::file("write", path))?;
    }
    let told: Vec<&str> = records.iter().flat_map(|record| &record.told).map(String::as_str).collect();
    if told.is_empty() { Ok(()) } else { Err(Error::Fuzz(told.join("\n"))) }
}

/// A process that reads.
struct Job {
    child: Child,
    command: Command,
    /// Where it keeps the number of the input that it reads.
    current: PathBuf,
}

impl Job {
    /// Starts the process `number` of `jobs`.
    fn start(program: &Path, arguments: &Arguments, number: u64, jobs: u64) -> Result<Self> {
        let inputs = arguments.inputs / jobs + u64::from(number < arguments.inputs % jobs);
        let seed = arguments.seed.wrapping_add(number);
        let current = std::env::temp_dir().join(format!("{PROGRAM}-{}-{seed}", std::process::id()));
        let mut command = Command::new(program);
        command.args(["--inputs", &inputs.to_string(), "--seed", &seed.to_string(), "--current"]).arg(&current);
        command.stdout(Stdio::piped());
        let child = command.spawn().map_err(|source| Error::Start { command: process::line(&command), source })?;
        Ok(Self { child, command, current })
    }

    /// Waits for what it has counted.
    fn end(self) -> Result<Record> {
        let Self { child, command, current } = self;
        let line = process::line(&command);
        let output = child.wait_with_output().map_err(|source| Error::Start { command: line.clone(), source })?;
        let last = fs::read_to_string(&current).unwrap_or_default();
        // It is only a note, which nobody misses.
        let _ = fs::remove_file(&current);
        serde_json::from_slice(&output.stdout).map_err(|_| Error::Command {
            command: line,
            status: output.status.to_string(),
            stderr: format!(" at input {last}"),
        })
    }
}

/// The counts as CSV, with what there is to know of the run before it.
fn table(records: &[Record]) -> String {
    let sum = |of: fn(&Record) -> u64| records.iter().map(of).sum::<u64>();
    let seeds: Vec<String> = records.iter().map(|record| record.seed.to_string()).collect();
    let files = if records.iter().all(|record| record.real_files) { "small and real files" } else { "small files" };
    let seconds: f64 = records.iter().map(|record| record.seconds).sum();
    let mut lines = vec![
        format!("# damaged {files}, seeds {}", seeds.join(" ")),
        format!(
            "# {} inputs, {} bytes, {} failures",
            sum(|record| record.inputs),
            sum(|record| record.bytes),
            sum(|record| record.failures)
        ),
        format!("# {seconds:.0} seconds, all processes together"),
        "reader,accepted,refused,greatest_share_of_memory,slowest_ms".to_owned(),
    ];
    let mut readers: BTreeMap<&str, Counts> = BTreeMap::new();
    for (reader, counts) in records.iter().flat_map(|record| &record.readers) {
        let all = readers.entry(reader).or_default();
        all.accepted += counts.accepted;
        all.refused += counts.refused;
        all.greatest_share = all.greatest_share.max(counts.greatest_share);
        all.slowest_milliseconds = all.slowest_milliseconds.max(counts.slowest_milliseconds);
    }
    let row = |(reader, counts): (&&str, &Counts)| {
        let Counts { accepted, refused, greatest_share, slowest_milliseconds } = counts;
        format!("{reader},{accepted},{refused},{greatest_share:.3},{slowest_milliseconds:.1}")
    };
    lines.extend(readers.iter().map(row));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_all_processes_are_added() {
        let record = |seed| {
            let json = format!(
                r#"{{"seed":{seed},"real_files":true,"inputs":5,"bytes":7,"seconds":1.0,"failures":0,"told":[],
                "readers":{{"labels":{{"accepted":2,"refused":3,"greatest_share":0.{seed},"slowest_milliseconds":1.5}}}}}}"#
            );
            serde_json::from_str(&json).unwrap()
        };
        let table = table(&[record(3), record(4)]);
        assert!(
            table.contains("# damaged small and real files, seeds 3 4\n# 10 inputs, 14 bytes, 0 failures\n"),
            "{table}"
        );
        assert!(table.ends_with("labels,4,6,0.400,1.5\n"), "{table}");
    }
}
