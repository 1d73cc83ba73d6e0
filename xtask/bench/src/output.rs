//! The CSVs of a run: one for each table, which takes the place of an older one when all its cases have been measured.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::error::Error as XtaskError;
use xtask::file::replace;

use crate::case::Case;
use crate::command;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::rows::Rows;

/// The tables that are being filled.
#[derive(Debug)]
pub struct Tables<'m> {
    machine: &'m Machine,
    folder: PathBuf,
    tables: Vec<Table>,
}

/// The rows of one file.
#[derive(Debug)]
struct Table {
    file: String,
    rows: Rows,
    /// Whether a case of it has failed.
    is_spoiled: bool,
}

impl<'m> Tables<'m> {
    /// Nothing yet, to be written to a folder.
    pub fn new(machine: &'m Machine, folder: &Path) -> Self {
        Self { machine, folder: folder.to_path_buf(), tables: Vec::new() }
    }

    /// Fails where a file would lose the rows of cases that do not run.
    pub fn refuse_parts(&self, ready: &[Case], all: &[Case]) -> Result<()> {
        for case in ready {
            let path = self.folder.join(self.file(case));
            let is_left_out = |other: &&Case| {
                self.file(other) == self.file(case) && !ready.iter().any(|ready| ready.id() == other.id())
            };
            let cases: Vec<String> = all.iter().filter(is_left_out).map(Case::id).collect();
            if path.exists() && !cases.is_empty() {
                return Err(Error::PartOfTable { path, cases });
            }
        }
        Ok(())
    }

    /// Adds the rows of a case, and writes down what there is so far.
    pub fn add(&mut self, case: &Case, rows: &Rows) -> Result<()> {
        let file = self.file(case);
        let place = self.place(&file);
        let known = &mut self.tables[place].rows;
        if known.columns.is_empty() {
            known.columns.clone_from(&rows.columns);
        }
        known.append(rows);
        // Before the line that says where and when.
        let last = known.remarks.len().saturating_sub(1);
        known.remarks.insert(last, command::remark(case));
        let where_and_when = self.machine.remark(case.on);
        if known.remarks.last() != Some(&where_and_when) {
            known.remarks.push(where_and_when);
        }
        self.write(place, &unfinished(&file))
    }

    /// A case has failed: its table is not to take the place of an older one.
    pub fn spoil(&mut self, case: &Case) {
        let file = self.file(case);
        let place = self.place(&file);
        self.tables[place].is_spoiled = true;
    }

    /// Gives the files of whole tables their names, and says where they are.
    pub fn finish(&self) -> Result<()> {
        for table in self.tables.iter().filter(|table| !table.rows.records.is_empty()) {
            let (path, beside) = (self.folder.join(&table.file), self.folder.join(unfinished(&table.file)));
            if table.is_spoiled {
                println!("{}: not all cases of it were measured", beside.display());
            } else {
                fs::rename(&beside, &path).map_err(XtaskError::file("rename", &beside))?;
                println!("{}", path.display());
            }
        }
        Ok(())
    }

    fn file(&self, case: &Case) -> String {
        self.machine.file(&case.fills, case.on)
    }

    /// Where the table of this file is, which is begun if it is not there.
    fn place(&mut self, file: &str) -> usize {
        let found = self.tables.iter().position(|table| table.file == file);
        found.unwrap_or_else(|| {
            let rows = Rows { name: file.to_owned(), ..Rows::default() };
            self.tables.push(Table { file: file.to_owned(), rows, is_spoiled: false });
            self.tables.len() - 1
        })
    }

    fn write(&self, place: usize, name: &str) -> Result<()> {
        fs::create_dir_all(&self.folder).map_err(XtaskError::file("make", &self.folder))?;
        let path = self.folder.join(name);
        let text = self.tables[place].rows.text()?;
        Ok(replace(&path, text).map_err(XtaskError::file("write", &path))?)
    }
}

fn unfinished(file: &str) -> String {
    format!("{file}.unfinished")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Tables;
    use crate::case::{Case, all};
    use crate::machine::Machine;
    use crate::rows::Rows;

    fn cases(suite: &str) -> Vec<Case> {
        all().unwrap().into_iter().filter(|case| case.suite == suite).collect()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_cases_of_a_table_share_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::ask(folder.path());
        let (cases, mut tables) = (cases("order"), Tables::new(&machine, folder.path()));
        tables.add(&cases[0], &Rows::parse("a", "graph,median_ms\nx,1\n").unwrap()).unwrap();
        tables.add(&cases[1], &Rows::parse("b", "graph,median_ms,extra\ny,2,z\n").unwrap()).unwrap();
        assert_eq!(names(folder.path()), ["orders-cpu.csv.unfinished"]);
        tables.finish().unwrap();
        assert_eq!(names(folder.path()), ["orders-cpu.csv"]);
        let rows = Rows::read(&folder.path().join("orders-cpu.csv")).unwrap();
        assert_eq!(rows.records, [["x", "1", ""], ["y", "2", "z"]]);
        assert_eq!(rows.remarks.len(), 3, "{:?}", rows.remarks);
        assert_eq!(rows.remarks[1], "bench_order --graph snap/cnr-2000.txt.gz");
        assert!(rows.remarks[2].contains(", commit "), "{:?}", rows.remarks);
    }

    #[test]
    fn a_table_with_a_failed_case_does_not_replace_an_older_one() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::ask(folder.path());
        fs::write(folder.path().join("orders-cpu.csv"), "old").unwrap();
        let (cases, mut tables) = (cases("order"), Tables::new(&machine, folder.path()));
        tables.add(&cases[0], &Rows::parse("a", "graph,median_ms\nx,1\n").unwrap()).unwrap();
        tables.spoil(&cases[1]);
        tables.finish().unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("orders-cpu.csv")).unwrap(), "old");
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn a_part_of_a_table_does_not_replace_it() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::ask(folder.path());
        let (all, ready) = (all().unwrap(), cases("order"));
        let tables = Tables::new(&machine, folder.path());
        assert!(tables.refuse_parts(&ready[..1], &all).is_ok());
        fs::write(folder.path().join("orders-cpu.csv"), "old").unwrap();
        assert!(tables.refuse_parts(&ready, &all).is_ok());
        let error = tables.refuse_parts(&ready[..1], &all).unwrap_err().to_string();
        assert!(error.contains("orders-cpu.csv") && error.contains("order/crawl"), "{error}");
    }
}
