//! `bench report`: docs/benchmarks.md and its charts, from the CSVs in docs/measurements.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::error::Error as XtaskError;
use xtask::file::replace;
use xtask::metadata;

use crate::chart::Chart;
use crate::error::{Error, Result};
use crate::section::{self, Section};
use crate::{bandwidth, page};

/// Write docs/benchmarks.md and its charts from the CSVs in docs/measurements
#[derive(Clone, Debug, clap::Args)]
pub struct Arguments {
    /// Write nothing, and fail if what is there differs
    #[arg(long)]
    check: bool,
    /// The folder of the CSVs [default: docs/measurements of the checkout]
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// The folder to write to [default: docs of the checkout]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// A file of the report, by its path in the folder.
#[derive(Debug)]
struct File {
    path: PathBuf,
    text: String,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let docs = metadata::checkout().join("docs");
    let from = arguments.from.clone().unwrap_or_else(|| docs.join("measurements"));
    let out = arguments.out.clone().unwrap_or(docs);
    let files = files(&from)?;
    if arguments.check { check(&files, &out) } else { write(&files, &out) }
}

/// The page and the charts.
fn files(from: &Path) -> Result<Vec<File>> {
    let (sections, copies) = (section::all(from)?, bandwidth::copies(from)?);
    let mut files = vec![File { path: "benchmarks.md".into(), text: page::page(&sections, &copies) }];
    for section in &sections {
        files.push(image(section.chart(), &ratios(section))?);
        if !section.table.bytes.is_empty() {
            files.push(image(bandwidth::chart(section), &rates(section))?);
        }
    }
    Ok(files)
}

fn image(name: String, chart: &Chart) -> Result<File> {
    Ok(File { path: Path::new("images").join(name), text: chart.svg()? })
}

fn ratios(section: &Section) -> Chart {
    Chart {
        title: format!("{}, {}, {}", section.table.title, section.source.machine, section.source.date),
        axis: "time of the fastest peer / ours, logarithmic; red: we lose".to_owned(),
        bars: section.cells.iter().map(|cell| (cell.name(), cell.ratio())).collect(),
        line: Some(1.0),
    }
}

fn rates(section: &Section) -> Chart {
    Chart {
        title: format!(
            "Compulsory bytes over our time: {}, {}, {}",
            section.table.title, section.source.machine, section.source.date
        ),
        axis: "GB/s".to_owned(),
        bars: bandwidth::rates(section).iter().map(|rate| (rate.cell.name(), rate.ours / 1e9)).collect(),
        line: None,
    }
}

fn write(files: &[File], out: &Path) -> Result<()> {
    let images = out.join("images");
    fs::create_dir_all(&images).map_err(XtaskError::file("make", &images))?;
    for file in files {
        let path = out.join(&file.path);
        replace(&path, &file.text).map_err(XtaskError::file("write", &path))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Fails if a file differs or is missing, or if there is a chart that no section has.
fn check(files: &[File], out: &Path) -> Result<()> {
    let is_other = |file: &&File| fs::read_to_string(out.join(&file.path)).ok().as_ref() != Some(&file.text);
    let mut stale: Vec<String> = files.iter().filter(is_other).map(|file| file.path.display().to_string()).collect();
    let images = out.join("images");
    for entry in fs::read_dir(&images).map_err(XtaskError::file("read", &images))? {
        let name = entry.map_err(XtaskError::file("read", &images))?.file_name().to_string_lossy().into_owned();
        let path = Path::new("images").join(&name);
        if name.starts_with("benchmarks-") && !files.iter().any(|file| file.path == path) {
            stale.push(format!("{} is of no CSV: remove it", path.display()));
        }
    }
    if stale.is_empty() { Ok(()) } else { Err(Error::Stale(stale)) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use xtask::metadata;

    use super::{Arguments, run};

    fn arguments(check: bool) -> Arguments {
        Arguments { check, from: None, out: None }
    }

    #[test]
    fn the_page_is_what_the_csvs_give() {
        run(&arguments(true)).unwrap();
    }

    #[test]
    fn a_page_that_was_edited_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let to = |check| run(&Arguments { out: Some(folder.path().to_path_buf()), ..arguments(check) });
        to(false).unwrap();
        to(true).unwrap();
        fs::write(folder.path().join("images/benchmarks-old.svg"), "").unwrap();
        let page = folder.path().join("benchmarks.md");
        let text = fs::read_to_string(&page).unwrap();
        fs::write(&page, text + "more").unwrap();
        let error = to(true).unwrap_err().to_string();
        assert!(error.contains("benchmarks.md") && error.contains("benchmarks-old.svg"), "{error}");
    }

    #[test]
    fn the_page_counts_what_the_csvs_have() {
        let folder = tempfile::tempdir().unwrap();
        run(&Arguments { out: Some(folder.path().to_path_buf()), ..arguments(false) }).unwrap();
        let text = fs::read_to_string(folder.path().join("benchmarks.md")).unwrap();
        let csv = fs::read_to_string(metadata::checkout().join("docs/measurements/pull-h200.csv")).unwrap();
        let cells = csv.lines().filter(|line| line.contains("onyx pull iteration (group 0)")).count();
        let row = text.lines().find(|line| line.starts_with("| [pull-h200.csv]")).unwrap();
        assert_eq!(row.split('|').nth(4).unwrap().trim(), cells.to_string(), "{row}");
        assert_eq!(row.split('|').nth(2).unwrap().trim(), "NVIDIA H200");
    }

    #[test]
    fn a_csv_that_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error =
            run(&Arguments { from: Some(folder.path().to_path_buf()), ..arguments(true) }).unwrap_err().to_string();
        assert!(error.contains("pull-h200.csv"), "{error}");
    }

    /// The worst cell and a ratio of a small folder, by hand.
    #[test]
    fn ratios_and_losses_are_right() {
        let folder = tempfile::tempdir().unwrap();
        let measurements = metadata::checkout().join("docs/measurements");
        for entry in fs::read_dir(&measurements).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
        let text = "# GPU X, driver 1, commit abc, 2026-01-02\ngraph,vertices,edges,features,what,median_ms,verified\n\
                    g,1000,1000,4,onyx pull iteration (group 0),2.0,true\ng,1000,1000,4,theirs,1.0,true\n\
                    h,1000,1000,4,onyx pull iteration (group 0),2.0,true\nh,1000,1000,4,theirs,8.0,true\n";
        fs::write(folder.path().join("pull-h200.csv"), text).unwrap();
        fs::write(folder.path().join("copy-x.csv"), "# GPU X, 2026-01-02\nbytes,median_ms\n1000,0.1\n").unwrap();
        let out = tempfile::tempdir().unwrap();
        run(&Arguments { check: false, from: Some(folder.path().into()), out: Some(out.path().into()) }).unwrap();
        let page = fs::read_to_string(out.path().join("benchmarks.md")).unwrap();
        for line in [
            "| [pull-h200.csv](measurements/pull-h200.csv) | GPU X | 2026-01-02 | 2 | 1.41 | label propagation, g, K = 4 | **0.50** | 1 |",
            "| **0.50** | label propagation, g, K = 4 | 2.000 | theirs | 1.000 | 1 of 1 | [pull-h200.csv](measurements/pull-h200.csv) | GPU X | 2026-01-02 |",
            "| theirs | 2 | 1.41 | **0.50** | 1 |",
            // 60,000 bytes in 2 ms, and 44,000 in 1 ms; a copy moves 2,000 bytes in 0.1 ms.
            "| label propagation, g, K = 4 | 0.1 | 0 | 0 | 1.50 | 2.20 |",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
        assert!(page.contains("GPU X, 2026-01-02, commit abc: "), "{page}");
    }
}
