//! `bench thesis-report`: the thesis's table 7.2 and figures 7.3 and 7.4, from CSVs of the suites `thesis` and `fold`.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::error::Error as XtaskError;
use xtask::file::replace;
use xtask::metadata;

use crate::error::Result;
use crate::folding::{self, Line};
use crate::record::{Group, Record, distinct, groups, parse, read};
use crate::{markdown, plot};

/// What every report begins with.
const HEAD: &str = include_str!("../thesis.md");
/// Only `bench_thesis` writes this column.
const FIGURE: &str = "figure,";

/// Write the evaluation of the thesis, docs/thesis, from CSVs of the suites thesis and fold
#[derive(Clone, Debug, clap::Args)]
pub struct Arguments {
    /// CSVs of bench_thesis and bench_fold, in the order of their tables
    #[arg(required = true)]
    from: Vec<PathBuf>,
    /// The folder to write to [default: docs/thesis of the checkout]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// All that was measured.
#[derive(Default)]
struct Measured {
    records: Vec<Record>,
    lines: Vec<Line>,
    /// What the files say of themselves.
    sources: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = arguments.out.clone().unwrap_or_else(|| metadata::checkout().join("docs/thesis"));
    fs::create_dir_all(&folder).map_err(XtaskError::file("make", &folder))?;
    let mut measured = Measured::default();
    arguments.from.iter().try_for_each(|file| measured.add(file, &folder))?;
    measured.write(&folder)
}

impl Measured {
    /// Reads a file, and keeps a copy of it beside the report.
    fn add(&mut self, file: &Path, folder: &Path) -> Result<()> {
        let (text, remarks) = read(file)?;
        if text.lines().any(|line| line.starts_with(FIGURE)) {
            self.records.extend(parse::<Record>(file, &text)?);
        } else {
            self.lines.extend(parse::<Line>(file, &text)?);
        }
        let name = file.file_name().unwrap_or_default();
        let copy = folder.join(name);
        replace(&copy, text).map_err(XtaskError::file("write", &copy))?;
        let name = name.to_string_lossy();
        self.sources.push(format!("- [{name}]({name}): {}", remarks.join("; ")));
        Ok(())
    }

    fn write(&self, folder: &Path) -> Result<()> {
        let programs = folding::programs(&self.lines);
        let mut plots = self.speedups(folder)?;
        plots.extend(self.features(folder)?);
        if !programs.is_empty() {
            plot::folding(&folder.join("figure-7.4.svg"), &programs)?;
            plots.push("figure-7.4.svg".to_owned());
        }
        let pictures: Vec<String> = plots.iter().map(|plot| format!("![{plot}]({plot})\n")).collect();
        let sources = format!("{}\n\n{}\n", self.sources.join("\n"), pictures.join("\n"));
        let tables = [markdown::table(&self.records), markdown::features(&self.records), markdown::folding(&programs)];
        let path = folder.join("README.md");
        let text = format!("{HEAD}\n{sources}\n{}", tables.concat());
        replace(&path, format!("{}\n", text.trim_end())).map_err(XtaskError::file("write", &path))?;
        println!("{}", path.display());
        Ok(())
    }

    /// A plot of table 7.2 for each device.
    fn speedups(&self, folder: &Path) -> Result<Vec<String>> {
        let groups = groups(&self.records, "7.2");
        let draw = |device: &str| {
            let mine: Vec<&Group> = groups.iter().filter(|group| group.any().device == device).collect();
            let name = format!("table-7.2-{}.svg", slug(device));
            plot::speedups(&folder.join(&name), device, &mine).map(|()| name)
        };
        distinct(&groups, |group| &group.any().device).into_iter().map(draw).collect()
    }

    /// A plot of figure 7.3 for each algorithm and device.
    fn features(&self, folder: &Path) -> Result<Vec<String>> {
        let groups = groups(&self.records, "7.3");
        let mut names = Vec::new();
        for device in distinct(&groups, |group| &group.any().device) {
            for algorithm in distinct(&groups, |group| &group.any().algorithm) {
                let is_mine = |group: &&Group| group.any().device == device && group.any().algorithm == algorithm;
                let mine: Vec<&Group> = groups.iter().filter(is_mine).collect();
                let Some(first) = mine.first() else { continue };
                let name = format!("figure-7.3-{}-{}.svg", slug(algorithm), slug(device));
                let title = format!("{algorithm} on {}, {device}: all iterations", first.any().graph);
                plot::features(&folder.join(&name), &title, &mine)?;
                names.push(name);
            }
        }
        Ok(names)
    }
}

/// Letters and digits, and a hyphen in place of anything else.
fn slug(name: &str) -> String {
    let words: Vec<&str> = name.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Arguments, run, slug};

    const THESIS: &str = "# bench_thesis --quick
figure,algorithm,graph,vertices,edges,features,backend,device,variant,median_ms,min_ms,max_ms,iterations,status,speedup,difference,thesis_ms,thesis_speedup
7.2,LP,kron:21,2097152,91000000,4,cuda,GPU X,NFA/NCD,100.0,99,101,20,converged,1.0,0,2783.8,1
7.2,LP,kron:21,2097152,91000000,4,cuda,GPU X,FA/NCD,40.0,39,41,20,converged,2.5,0,,
7.2,LP,kron:21,2097152,91000000,4,cuda,GPU X,NFA-W/CD,20.0,19,21,21,converged,5.0,0,,
7.2,LP,kron:21,2097152,91000000,4,cuda,GPU X,FA/CD,8.0,7,9,21,iteration limit,12.5,1e-5,545.8,5.1
7.3,LP,kron:17,131072,5000000,1,cuda,GPU X,NFA/CD,4.0,4,4,20,converged,1.0,0,,
7.3,LP,kron:17,131072,5000000,1,cuda,GPU X,FA/CD,2.0,2,2,20,converged,2.0,0,,
7.3,LP,kron:17,131072,5000000,128,cuda,GPU X,FA/CD,9.0,9,9,20,converged,2.0,0,,
";
    const FOLD: &str = "backend,vertices,edges,features,program,variant,kernels,median_ms,min_ms,max_ms
cuda,4,5,16,moments,folded,1,0.2,0.1,0.3
cuda,4,5,16,moments,unfolded,2,0.3,0.1,0.3
cuda,4,5,16,moments,by hand,1,0.2,0.1,0.3
cuda,4,5,16,messages,folded,1,0.4,0.1,0.5
cuda,4,5,16,messages,unfolded,4,1.0,0.1,1.1
cuda,4,5,16,messages,by hand,1,0.4,0.1,0.5
";

    fn report(files: &[(&str, &str)]) -> (tempfile::TempDir, crate::error::Result<()>) {
        let folder = tempfile::tempdir().unwrap();
        let write = |(name, text): &(&str, &str)| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let from = files.iter().map(write).collect();
        let out = Some(folder.path().join("out"));
        let result = run(&Arguments { from, out });
        (folder, result)
    }

    #[test]
    fn tables_and_plots_come_of_csvs() {
        let (folder, result) = report(&[("thesis.csv", THESIS), ("fold.csv", FOLD)]);
        result.unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
        let text = read("README.md");
        assert!(
            text.contains(
                "| LP | kron:21 | 91.0 M | 100.00 ms |  | 2.5× |  | 5.0× | 12× | 5.00 | 20 / 21, limit | 2783.80 ms |  |  | 5.1× |"
            ),
            "{text}"
        );
        assert!(text.contains("| 1 |  |  |  | 4.000 |  | 2.000 | 2.0× |"), "{text}");
        assert!(text.contains("| moments | cuda | 16 | 0.3000 | 0.2000 | 0.2000 | 1.50 | 1.00 |"), "{text}");
        assert!(text.contains("| messages | cuda | 16 | 1.0000 | 0.4000 | 0.4000 | 2.50 | 1.00 |"), "{text}");
        assert!(read("figure-7.4.svg").contains("messages 16"), "{text}");
        assert!(text.contains("- [thesis.csv](thesis.csv): bench_thesis --quick"), "{text}");
        for plot in ["table-7.2-gpu-x.svg", "figure-7.3-lp-gpu-x.svg", "figure-7.4.svg"] {
            assert!(read(plot).starts_with("<svg") && text.contains(plot), "{plot}");
        }
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let (_folder, result) = report(&[("other.csv", "a,b\n1,2\n")]);
        let error = result.unwrap_err().to_string();
        assert!(error.contains("other.csv") && error.contains("bench_fold"), "{error}");
    }

    #[test]
    fn names_of_devices_become_names_of_files() {
        assert_eq!(slug("NVIDIA H200, driver 5.1"), "nvidia-h200-driver-5-1");
    }
}
