//! Times a copy of one array to another on one machine: what a program that only moves memory reaches. Writes CSV.
//!
//! On a GPU the driver copies within its memory, timed by events; on the CPU all threads copy a part each. What has been copied is
//! compared before its times are printed. A copy moves its bytes twice, once read and once written.

use std::error::Error;
use std::time::{Duration, Instant};

use clap::Parser;
use cudarc::driver::{CudaContext, sys::CUevent_flags};
use onyx_cli::options::count;
use onyx_runtime::Backend;
use rayon::prelude::*;

/// What a thread copies at a time.
const PART: usize = 1 << 20;

/// Time copies within the memory of a processor, and print CSV.
#[derive(Parser)]
struct Arguments {
    /// Where to copy: cpu or cuda.
    #[arg(long, default_value = "cuda")]
    backend: Backend,
    /// How many bytes to copy: more than any cache has.
    #[arg(long, default_value_t = 1 << 30, value_parser = count)]
    bytes: usize,
    /// Timed copies, after as many as `--warm-up`.
    #[arg(long, default_value_t = 20, value_parser = count)]
    repeat: usize,
    /// Copies that are not timed.
    #[arg(long, default_value_t = 5)]
    warm_up: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let source: Vec<u8> = (0..arguments.bytes).into_par_iter().map(|place| (place % 251) as u8).collect();
    let copies = arguments.warm_up + arguments.repeat;
    let (mut times, copied) = match arguments.backend {
        Backend::Cpu => on_host(&source, copies),
        Backend::Cuda => on_device(&source, copies)?,
        other => return Err(format!("there is no memory of {other} to copy within: take cpu or cuda").into()),
    };
    let verified = copied == source;
    times.drain(..arguments.warm_up);
    times.sort();
    let [median, least, most] =
        [times[times.len() / 2], times[0], times[times.len() - 1]].map(|time| time.as_secs_f64() * 1e3);
    println!("backend,bytes,what,median_ms,min_ms,max_ms,verified");
    println!("{},{},copy,{median:.4},{least:.4},{most:.4},{verified}", arguments.backend, arguments.bytes);
    Ok(())
}

/// The times of the copies, and what the last one has left.
fn on_host(source: &[u8], copies: usize) -> (Vec<Duration>, Vec<u8>) {
    let mut copy = vec![0; source.len()];
    let times = (0..copies).map(|_| {
        let start = Instant::now();
        copy.par_chunks_mut(PART).zip(source.par_chunks(PART)).for_each(|(to, from)| to.copy_from_slice(from));
        start.elapsed()
    });
    (times.collect(), copy)
}

/// The same within the memory of the first GPU.
fn on_device(source: &[u8], copies: usize) -> Result<(Vec<Duration>, Vec<u8>), Box<dyn Error>> {
    let stream = CudaContext::new(0)?.new_stream()?;
    let from = stream.clone_htod(source)?;
    let mut to = stream.alloc_zeros::<u8>(source.len())?;
    let event = || stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
    let (begin, end) = (event()?, event()?);
    let mut times = Vec::with_capacity(copies);
    for _ in 0..copies {
        begin.record(&stream)?;
        stream.memcpy_dtod(&from, &mut to)?;
        end.record(&stream)?;
        times.push(Duration::from_secs_f64(f64::from(begin.elapsed_ms(&end)?) / 1e3));
    }
    let copy = stream.clone_dtoh(&to)?;
    stream.synchronize()?;
    Ok((times, copy))
}
