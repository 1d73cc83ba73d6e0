//! Where and when something is measured, for the remarks of a CSV.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use xtask::gpu::{self, Driver};
use xtask::{metadata, process};

use crate::case::Processor;

/// The file of a bundle that names the commit that it was made of.
const COMMIT: &str = "COMMIT";

/// This machine, today.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its first GPU, or why there is none to use.
    pub gpu: Result<String, String>,
    /// The version of the GPU's driver.
    driver: Option<String>,
    cpu: String,
    commit: String,
    date: String,
}

impl Machine {
    /// Asks the driver, the system and git; `binaries` is the folder of the programs, beside which a bundle names its commit.
    pub fn ask(binaries: &Path) -> Self {
        let query = ["--query-gpu=driver_version", "--format=csv,noheader"];
        Self {
            gpu: gpu_name(),
            driver: said(Command::new("nvidia-smi").args(query)),
            cpu: cpu_name(),
            commit: commit(binaries),
            date: said(Command::new("date").args(["-u", "+%F"])).unwrap_or_else(|| "unknown day".to_owned()),
        }
    }

    /// What a CSV says of itself: the machine, the driver, the commit and the date.
    pub fn remark(&self, on: Processor) -> String {
        let Self { driver, cpu, commit, date, .. } = self;
        let unknown = "unknown".to_owned();
        let machine = match on {
            Processor::Cpu => cpu.clone(),
            Processor::Gpu => {
                format!("{}, driver {}", self.gpu.as_ref().unwrap_or(&unknown), driver.as_ref().unwrap_or(&unknown))
            }
        };
        format!("{machine}, commit {commit}, {date}")
    }

    /// What the file of a table is called that was measured here.
    pub fn file(&self, table: &str, on: Processor) -> String {
        match on {
            Processor::Cpu => format!("{table}-cpu.csv"),
            Processor::Gpu => format!("{table}-{}.csv", short(self.gpu.as_deref().unwrap_or("gpu"))),
        }
    }

    /// The name of a folder for what is measured now.
    pub fn folder(&self) -> String {
        let time = said(Command::new("date").args(["-u", "+%H%M%S"])).unwrap_or_default();
        format!("{}-{time}", self.date)
    }
}

/// A GPU's name in the name of a file: `h200` of `NVIDIA H200`.
fn short(name: &str) -> String {
    let name = name.strip_prefix("NVIDIA ").unwrap_or(name).to_lowercase();
    let words: Vec<&str> = name.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

fn gpu_name() -> Result<String, String> {
    let gpus = match gpu::probe() {
        Driver::Missing => return Err("there is no NVIDIA driver".to_owned()),
        Driver::Broken(reason) => return Err(reason),
        Driver::Present(gpus) => gpus,
    };
    let found = gpus.iter().find(|gpu| gpu.is_supported()).map(|gpu| gpu.name.clone());
    found.ok_or_else(|| "there is no NVIDIA GPU of compute capability 8.0 or more".to_owned())
}

fn cpu_name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", model.map_or("CPU", |(_, name)| name.trim()))
}

/// The commit of a bundle, or else of the checkout; `-dirty` where files have been edited.
fn commit(binaries: &Path) -> String {
    let of_bundle = fs::read_to_string(binaries.join("..").join(COMMIT)).ok();
    let git = || said(&mut process::commit(&metadata::checkout()));
    of_bundle.map(|text| text.trim().to_owned()).or_else(git).unwrap_or_else(|| "unknown".to_owned())
}

/// What a command says, if it can be run.
fn said(command: &mut Command) -> Option<String> {
    let text = process::output(command).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Machine;
    use crate::case::Processor::{Cpu, Gpu};

    fn machine() -> Machine {
        Machine {
            gpu: Ok("NVIDIA H100 80GB HBM3".to_owned()),
            driver: Some("580.1".to_owned()),
            cpu: "CPU X, 2 cores".to_owned(),
            commit: "abc1234".to_owned(),
            date: "2026-01-02".to_owned(),
        }
    }

    #[test]
    fn remarks_say_where_and_when() {
        assert_eq!(machine().remark(Gpu), "NVIDIA H100 80GB HBM3, driver 580.1, commit abc1234, 2026-01-02");
        assert_eq!(machine().remark(Cpu), "CPU X, 2 cores, commit abc1234, 2026-01-02");
    }

    #[test]
    fn files_are_named_after_the_processor() {
        assert_eq!(machine().file("pull", Gpu), "pull-h100-80gb-hbm3.csv");
        assert_eq!(machine().file("pull", Cpu), "pull-cpu.csv");
    }

    #[test]
    fn a_bundle_names_its_commit() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::write(folder.path().join("COMMIT"), "0123abc\n").unwrap();
        assert!(Machine::ask(&folder.path().join("bin")).remark(Cpu).contains(", commit 0123abc, "));
    }
}
