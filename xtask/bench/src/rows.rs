//! The rows of a CSV: what a bench writes, and what the pages are made of.

use std::fs;
use std::path::Path;

use xtask::error::Error as XtaskError;

use crate::error::{Error, Result};

/// Columns that are no measure and do not say what was measured either.
const BESIDES: [&str; 18] = [
    "ratio",
    "speedup",
    "difference",
    "verified",
    "machine",
    "device",
    "status",
    "iterations",
    "kernels",
    "problem",
    "deviation",
    "worth_it",
    "lambda",
    "active_vertices",
    "active_edges",
    "train",
    "test",
    "call",
];
/// What the names of others of that kind begin with: extremes, memory, results, another's times.
const BESIDES_FROM: [&str; 6] = ["min_", "max_", "peak_", "rmse_", "mean_", "thesis_"];

/// Columns by name, and records with a field for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Where they come from, for messages.
    pub name: String,
    /// The lines that begin with `#`, without that.
    pub remarks: Vec<String>,
    pub columns: Vec<String>,
    pub records: Vec<Vec<String>>,
}

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It says what was measured.
    Key,
    /// A time.
    Measure,
    /// Anything else.
    Beside,
}

/// What the column of this name is for.
pub fn role(column: &str) -> Role {
    let is_beside = BESIDES.contains(&column) || BESIDES_FROM.iter().any(|start| column.starts_with(start));
    let is_time = column.split('_').any(|word| matches!(word, "ms" | "us" | "seconds"));
    match (is_beside, is_time) {
        (true, _) => Role::Beside,
        (false, true) => Role::Measure,
        (false, false) => Role::Key,
    }
}

impl Rows {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(XtaskError::file("read", path))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Self::parse(&name, &text)
    }

    /// Reads CSV with a line of names, and with as many fields in each other line.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let refuse = |reason: String| Error::NotRows { name: name.to_owned(), reason };
        let remarks = text.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim().to_owned());
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let fields = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
        let columns = fields(reader.headers().map_err(|error| refuse(error.to_string()))?);
        let records = reader.records().map(|record| record.map(|record| fields(&record)));
        let records = records.collect::<std::result::Result<Vec<_>, _>>().map_err(|error| refuse(error.to_string()))?;
        if records.is_empty() {
            return Err(refuse("it has no row".to_owned()));
        }
        Ok(Self { name: name.to_owned(), remarks: remarks.collect(), columns, records })
    }

    /// The CSV, remarks first.
    pub fn text(&self) -> Result<String> {
        let refuse = |reason: String| Error::NotRows { name: self.name.clone(), reason };
        let mut writer = csv::Writer::from_writer(Vec::new());
        let lines = std::iter::once(&self.columns).chain(&self.records);
        for line in lines {
            writer.write_record(line).map_err(|error| refuse(error.to_string()))?;
        }
        let bytes = writer.into_inner().map_err(|error| refuse(error.to_string()))?;
        let remarks: String = self.remarks.iter().map(|remark| format!("# {remark}\n")).collect();
        Ok(remarks + &String::from_utf8_lossy(&bytes))
    }

    /// Where a column is.
    pub fn position(&self, column: &'static str) -> Result<usize> {
        let missing = || Error::NoColumn { name: self.name.clone(), column, columns: self.columns.join(", ") };
        self.find(column).ok_or_else(missing)
    }

    /// Where a column is, if it is there.
    pub fn find(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    /// A number of a record; `None` where the field is empty.
    pub fn number(&self, record: usize, column: usize) -> Result<Option<f64>> {
        let text = &self.records[record][column];
        if text.is_empty() {
            return Ok(None);
        }
        let found = text.parse::<f64>().ok().filter(|number| number.is_finite());
        let refuse = || Error::NoNumber {
            name: self.name.clone(),
            line: record + 1,
            column: self.columns[column].clone(),
            text: text.clone(),
        };
        found.map(Some).ok_or_else(refuse)
    }

    /// The places of the columns of a role.
    pub fn of_role(&self, wanted: Role) -> Vec<usize> {
        (0..self.columns.len()).filter(|&column| role(&self.columns[column]) == wanted).collect()
    }

    /// The records that all times were measured of. Fails if there is none, or if one was not verified.
    pub fn measured(&self) -> Result<usize> {
        let refuse = |reason: &str| Err(Error::NotRows { name: self.name.clone(), reason: reason.to_owned() });
        let verified = self.find("verified");
        if self.records.iter().any(|record| verified.is_some_and(|column| record[column] != "true")) {
            return refuse("a row was not verified");
        }
        let measures = self.of_role(Role::Measure);
        let mut count = 0;
        for record in 0..self.records.len() {
            let times = measures.iter().map(|&column| self.number(record, column));
            let times = times.collect::<Result<Option<Vec<f64>>>>()?;
            count += usize::from(times.is_some_and(|times| times.iter().all(|time| *time >= 0.0)));
        }
        if count == 0 { refuse("no row was measured") } else { Ok(count) }
    }

    /// Adds the rows of others. A column that only one side has is empty in the rows of the other.
    pub fn append(&mut self, others: &Rows) {
        let new = others.columns.iter().filter(|column| self.find(column).is_none()).cloned().collect::<Vec<_>>();
        self.columns.extend(new);
        let places: Vec<Option<usize>> = self.columns.iter().map(|column| others.find(column)).collect();
        self.records.iter_mut().for_each(|record| record.resize(self.columns.len(), String::new()));
        let field =
            |record: &Vec<String>, place: &Option<usize>| place.map_or_else(String::new, |at| record[at].clone());
        let added = others.records.iter().map(|record| places.iter().map(|place| field(record, place)).collect());
        self.records.extend(added);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Role, Rows, role};

    fn rows(text: &str) -> Rows {
        Rows::parse("a.csv", text).unwrap()
    }

    #[test]
    fn remarks_and_quoted_fields_are_kept() {
        let text = "# bench\n# GPU X, 2026-01-02\na,median_ms\n\"x, y\",1.5\nz,\n";
        let found = rows(text);
        assert_eq!(found.remarks, ["bench", "GPU X, 2026-01-02"]);
        assert_eq!(found.records[0][0], "x, y");
        assert_eq!((found.number(0, 1).unwrap(), found.number(1, 1).unwrap()), (Some(1.5), None));
        assert_eq!(found.text().unwrap(), text);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for text in ["", "a,b\n", "a,b\n1\n"] {
            let error = Rows::parse("a.csv", text).unwrap_err().to_string();
            assert!(error.starts_with("a.csv: "), "{error}");
        }
        let error = rows("a,median_ms\nx,fast\n").number(0, 1).unwrap_err().to_string();
        assert!(error.contains("a.csv, line 1: `fast`"), "{error}");
        let error = Rows::read(Path::new("no/such.csv")).unwrap_err().to_string();
        assert!(error.contains("no/such.csv"), "{error}");
    }

    #[test]
    fn only_verified_rows_with_times_count() {
        assert_eq!(rows("a,median_ms,verified\nx,1,true\ny,2,true\n").measured().unwrap(), 2);
        assert!(rows("a,median_ms,verified\nx,1,true\ny,2,false\n").measured().is_err());
        assert_eq!(rows("peer,ours_seconds,peer_seconds\nx,1,2\ny,,\n").measured().unwrap(), 1);
        assert!(rows("peer,ours_seconds,peer_seconds\ny,,\n").measured().is_err());
        assert_eq!(rows("ratings,rmse_5,verified\nx,0.9,true\n").measured().unwrap(), 1);
    }

    #[test]
    fn columns_have_roles() {
        for (column, expected) in [
            ("graph", Role::Key),
            ("median_ms", Role::Measure),
            ("ms_inference_queued", Role::Measure),
            ("median_us", Role::Measure),
            ("peer_seconds", Role::Measure),
            ("min_ms", Role::Beside),
            ("thesis_ms", Role::Beside),
            ("ratio", Role::Beside),
        ] {
            assert_eq!(role(column), expected, "{column}");
        }
    }

    #[test]
    fn rows_of_other_columns_are_added_by_name() {
        let mut all = rows("a,b\n1,2\n");
        all.append(&rows("b,c\n3,4\n"));
        assert_eq!(all.columns, ["a", "b", "c"]);
        assert_eq!(all.records, [["1", "2", ""], ["", "3", "4"]]);
    }
}
