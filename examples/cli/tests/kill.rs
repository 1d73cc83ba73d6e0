//! Each program is interrupted and killed at random moments: what it writes is the old file or the whole new one, and nothing else is left.
//!
//! `ONYX_KILLS` says how often each signal comes to each program; a few times unless it does.
#![cfg(unix)]

mod command;

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::io::Cursor;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use command::signal::{send, start};
use command::{
    ALS, BELIEF_PROPAGATION, Folder, LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING, PAGERANK,
};
use onyx_runtime::graph::Graph;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const KILLS: usize = 3;
const SIGNALS: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGKILL];
const OLD: &[u8] = b"old\n";
const INTERRUPTED: &str = ".interrupted";

/// A program with files to read and to write.
struct Victim {
    folder: Folder,
    binary: &'static str,
    arguments: Vec<String>,
    /// The names of the files it reads.
    inputs: Vec<&'static str>,
    /// The names of the files it writes, and what a whole run writes there.
    outputs: Vec<(&'static str, Vec<u8>)>,
    /// How long a run takes, as far as is known: other work on the machine changes it.
    time: Cell<Duration>,
}

/// How runs have ended.
#[derive(Debug, Default)]
struct Tally {
    runs: usize,
    /// The answers that were there before.
    old: usize,
    /// The answers of a whole run.
    new: usize,
    /// The answers of an interrupted run, beside the old one.
    beside: usize,
    caches: usize,
    /// Files that a kill has left for the next run to remove.
    leftovers: usize,
}

impl Victim {
    fn new(
        binary: &'static str,
        inputs: &[(&'static str, Vec<u8>)],
        options: &[&str],
        outputs: &[(&str, &'static str)],
    ) -> Self {
        let folder = Folder::new();
        inputs.iter().for_each(|(name, content)| drop(folder.file(name, content)));
        let named = |option: &str| inputs.iter().map(|input| input.0).find(|name| option == *name);
        let plain = options.iter().map(|option| named(option).map_or((*option).to_owned(), |name| folder.path(name)));
        let written = outputs.iter().flat_map(|(option, name)| [(*option).to_owned(), folder.path(name)]);
        let arguments = plain.chain(written).collect();
        let inputs = inputs.iter().map(|input| input.0).collect();
        let outputs = outputs.iter().map(|(_, name)| (*name, Vec::new())).collect();
        let mut victim = Self { folder, binary, arguments, inputs, outputs, time: Cell::new(Duration::ZERO) };
        victim.measure();
        victim
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.binary);
        command.args(["--backend", "cpu", "--deterministic"]).args(&self.arguments);
        command
    }

    /// Runs to the end, twice, to know what it writes, and that it is the same each time.
    fn measure(&mut self) {
        self.whole();
        for (name, content) in &mut self.outputs {
            *content = fs::read(self.folder.path(name)).unwrap();
        }
        self.whole();
        for (name, content) in &self.outputs {
            assert!(is_cache(name) || fs::read(self.folder.path(name)).unwrap() == *content, "{name}");
        }
    }

    /// Runs to the end, and keeps how long that takes.
    fn whole(&self) {
        let begin = Instant::now();
        let output = self.command().output().unwrap();
        self.time.set(begin.elapsed());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} {:?}: {error}", self.binary, self.arguments);
    }

    /// Sends the signal after `delay`; a run that ends before says how long the next will be.
    fn interrupt(&self, child: &mut Child, signal: i32, delay: Duration) {
        let begin = Instant::now();
        while begin.elapsed() < delay {
            if child.try_wait().unwrap().is_some() {
                self.time.set(self.time.get().min(begin.elapsed()));
                return;
            }
            sleep(Duration::from_micros(500).min(delay.saturating_sub(begin.elapsed())));
        }
        send(child, signal);
    }

    /// Ends a run after `delay`, and looks at what it has left.
    fn kill(&self, signal: i32, delay: Duration, tally: &mut Tally) {
        self.outputs.iter().for_each(|(name, _)| reset(&self.folder.path(name), name));
        let mut child = start(&mut self.command());
        self.interrupt(&mut child, signal, delay);
        let output = child.wait_with_output().unwrap();
        check_status(output.status, signal);
        tally.runs += 1;
        for (name, new) in &self.outputs {
            self.check(name, new, output.status.success(), tally);
        }
        let strange = self.strange(signal);
        assert!(signal == libc::SIGKILL || strange.is_empty(), "{strange:?} after signal {signal}");
        tally.leftovers += strange.len();
        self.check_beside(tally);
    }

    /// One file is the old one or the new one; a cache is not there or whole.
    fn check(&self, name: &str, new: &[u8], is_success: bool, tally: &mut Tally) {
        let path = self.folder.path(name);
        match fs::read(&path) {
            Err(_) => assert!(is_cache(name) && !is_success, "{name} is gone"),
            Ok(_) if is_cache(name) => {
                Graph::open(&path).unwrap();
                tally.caches += 1;
            }
            Ok(found) if found == OLD && !is_success => tally.old += 1,
            Ok(found) => {
                assert!(found == new, "{} {name} is neither the old one nor the new one", self.binary);
                tally.new += 1;
            }
        }
    }

    /// The files that nobody knows.
    fn strange(&self, signal: i32) -> Vec<String> {
        let is_known = |name: &String| {
            let beside = name.strip_suffix(INTERRUPTED).filter(|_| signal == libc::SIGINT).unwrap_or(name);
            self.inputs.contains(&name.as_str()) || self.outputs.iter().any(|output| output.0 == beside)
        };
        self.folder.names().into_iter().filter(|name| !is_known(name)).collect()
    }

    /// What an interrupted run has written is whole, too.
    fn check_beside(&self, tally: &mut Tally) {
        for (name, new) in &self.outputs {
            let path = self.folder.path(&format!("{name}{INTERRUPTED}"));
            let Ok(found) = fs::read(&path) else { continue };
            if name.ends_with(".png") {
                let mut reader = png::Decoder::new(Cursor::new(found)).read_info().unwrap();
                reader.next_frame(&mut vec![0; reader.output_buffer_size().unwrap()]).unwrap();
            } else {
                let lines = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count();
                assert!(lines(&found) == lines(new) && found.ends_with(b"\n"), "{name}");
            }
            fs::remove_file(path).unwrap();
            tally.beside += 1;
        }
    }
}

fn is_cache(name: &str) -> bool {
    name.ends_with(".onyx")
}

/// An old answer is there before each run, and no cache.
fn reset(path: &str, name: &str) {
    if is_cache(name) { drop(fs::remove_file(path)) } else { fs::write(path, OLD).unwrap() }
}

/// A run ends well, or by its signal: as the program says, or by the system before the program listens.
fn check_status(status: ExitStatus, signal: i32) {
    let ended = status.success() || status.signal() == Some(signal) || status.code() == Some(128 + signal);
    assert!(ended, "{status} after signal {signal}");
}

/// Half of the moments anywhere in a run, half near its end, where files are written.
fn moment(random: &mut Pcg64Mcg, time: Duration) -> Duration {
    let begin = if random.random() { 0.0 } else { 0.75 };
    time.mul_f64(begin + (1.1 - begin) * random.random::<f64>())
}

fn kill_often(victim: &Victim) {
    let kills = std::env::var("ONYX_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut random = Pcg64Mcg::seed_from_u64(kills as u64);
    for signal in SIGNALS {
        let mut tally = Tally::default();
        for _ in 0..kills {
            victim.kill(signal, moment(&mut random, victim.time.get()), &mut tally);
        }
        // The next run removes what a kill has left.
        victim.whole();
        assert!(victim.strange(0).is_empty(), "{:?}", victim.strange(0));
        let name = victim.binary.rsplit('/').next().unwrap_or_default();
        println!("{name}, signal {signal}, {:.1?} a run: {tally:?}", victim.time.get());
    }
}

/// A graph with `values` numbers an edge, as text.
fn edges(vertices: u32, edges: usize, values: usize) -> Vec<u8> {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let mut text = String::new();
    for _ in 0..edges {
        write!(text, "{} {}", random.random_range(0..vertices), random.random_range(0..vertices)).unwrap();
        (0..values).for_each(|_| write!(text, " {:.3}", random.random::<f32>()).unwrap());
        text.push('\n');
    }
    text.into_bytes()
}

#[test]
fn pagerank_leaves_nothing_half_done() {
    let inputs = [("graph", edges(10_000, 60_000, 0))];
    let outputs = [("--output", "ranks.tsv"), ("--cache", "graph.onyx")];
    kill_often(&Victim::new(PAGERANK, &inputs, &["--graph", "graph", "--iterations", "30"], &outputs));
}

#[test]
fn label_propagation_leaves_nothing_half_done() {
    let inputs = [("graph", edges(10_000, 60_000, 0))];
    let outputs = [("--output", "labels.tsv"), ("--cache", "graph.onyx")];
    kill_often(&Victim::new(LABEL_PROPAGATION, &inputs, &["--graph", "graph", "--features", "4"], &outputs));
}

#[test]
fn multi_manifold_ranking_leaves_nothing_half_done() {
    let inputs = [("graph", edges(5_000, 30_000, 4))];
    kill_often(&Victim::new(MULTI_MANIFOLD_RANKING, &inputs, &["--graph", "graph"], &[("--output", "ranks.tsv")]));
}

#[test]
fn multimodal_learning_leaves_nothing_half_done() {
    let inputs = [("graph", edges(3_000, 15_000, 4))];
    let options = ["--graph", "graph", "--iterations", "30"];
    kill_often(&Victim::new(MULTIMODAL_LEARNING, &inputs, &options, &[("--output", "modes.tsv")]));
}

#[test]
fn als_leaves_nothing_half_done() {
    kill_often(&Victim::new(ALS, &[], &["--features", "4", "--sweeps", "4"], &[("--output", "factors.tsv")]));
}

/// A picture of a slope, as PNG.
fn picture(width: u32, height: u32) -> Vec<u8> {
    let samples: Vec<u8> = (0..width * height).map(|pixel| (pixel % width + pixel / width) as u8).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&samples).unwrap();
    bytes
}

#[test]
fn belief_propagation_leaves_nothing_half_done() {
    let inputs = [("picture", picture(16, 12))];
    let outputs = [("--output", "beliefs.tsv"), ("--noisy", "noisy.png"), ("--out", "clean.png")];
    kill_often(&Victim::new(
        BELIEF_PROPAGATION,
        &inputs,
        &["--image", "picture", "--add-noise", "--states", "8"],
        &outputs,
    ));
}
