//! Feeds the readers of all files with damaged ones: whatever a file holds, a reader takes it or says what is wrong with it, without a panic,
//! and with no more memory than the file's share.
//!
//! Input number n of a seed is the same on every machine that has the same data, so that one that was found can be replayed:
//! `fuzz_readers --seed S --first N --inputs 1 --show`.

mod cache;
mod corpus;
mod dictionary;
mod meter;
mod mutation;
mod record;
mod target;

use std::error::Error;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use corpus::Corpus;
use meter::Meter;
use mutation::Mutation;
use record::Record;
use target::{Case, Reading, Target};

#[global_allocator]
static METER: Meter = Meter;

/// What a reader takes whatever it reads, in bytes.
const BASE: usize = 1 << 17;
/// What it takes at most for each byte that it reads, and for each row or state that a header declares.
const SHARE: usize = 100;
/// Longer than this is too long for any input.
const PATIENCE: Duration = Duration::from_secs(20);

/// Damages files at random, and has all readers read them
#[derive(Debug, Parser)]
struct Arguments {
    /// How many inputs
    #[arg(long, default_value_t = 20_000)]
    inputs: u64,
    /// What the inputs are drawn from
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The number of the first input
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Read with this reader alone
    #[arg(long, value_enum)]
    only: Option<Target>,
    /// Keep the number of the input that is being read in this file, to be found after an abort
    #[arg(long, value_name = "FILE")]
    current: Option<PathBuf>,
    /// Write the inputs to standard output
    #[arg(long)]
    show: bool,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::parse();
    // A thread of its own for each input would only cost time; that threads do not matter is tested elsewhere.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    if !arguments.show {
        panic::set_hook(Box::new(|_| ()));
    }
    let corpus = Corpus::new(std::env::var_os("ONYX_DATA").map(PathBuf::from))?;
    let record = read_all(&arguments, &corpus)?;
    println!("{}", serde_json::to_string(&record)?);
    Ok(if record.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read_all(arguments: &Arguments, corpus: &Corpus) -> Result<Record, Box<dyn Error>> {
    let mut record = Record::new(arguments.seed, corpus.is_real());
    let mut current = arguments.current.as_ref().map(File::create).transpose()?;
    let start = Instant::now();
    for number in arguments.first..arguments.first.saturating_add(arguments.inputs) {
        let mut mutation = Mutation::new(arguments.seed, number);
        let target = arguments.only.unwrap_or_else(|| mutation.target());
        let case = mutation.case(target, corpus);
        if let Some(file) = &mut current {
            file.rewind()?;
            file.write_all(format!("{number:020}").as_bytes())?;
        }
        if arguments.show {
            show(&case)?;
        }
        read_one(number, &case, corpus, &mut record);
    }
    record.end(start.elapsed());
    Ok(record)
}

/// Has the reader read one input, and records what it does.
fn read_one(number: u64, case: &Case, corpus: &Corpus, record: &mut Record) {
    let start = Instant::now();
    meter::begin();
    let reading = panic::catch_unwind(AssertUnwindSafe(|| case.read(corpus)));
    let (taken, time) = (meter::taken(), start.elapsed());
    let allowed = SHARE.saturating_mul(case.share()).saturating_add(BASE);
    match reading {
        Err(panic) => record.fail(number, case.target, &format!("panics: {}", words(&*panic))),
        Ok(Reading::Unsound(what)) => record.fail(number, case.target, &format!("is accepted and unsound: {what}")),
        Ok(_) if taken > allowed => {
            record.fail(number, case.target, &format!("takes {taken} bytes, and {allowed} are its share"));
        }
        Ok(_) if time > PATIENCE => record.fail(number, case.target, &format!("takes {time:?}")),
        Ok(reading) => record.count(case.target, reading, case.content.len(), taken, allowed, time),
    }
}

/// What a panic says.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

fn show(case: &Case) -> io::Result<()> {
    eprintln!("{:?}, undirected {}, features {:?}", case.target, case.undirected, case.features);
    io::stdout().write_all(&case.content)
}
