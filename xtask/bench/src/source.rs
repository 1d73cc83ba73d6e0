//! Where and when a CSV was measured, by its remarks.

use crate::error::{Error, Result};
use crate::rows::Rows;

/// What a CSV says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub file: String,
    pub machine: String,
    /// Not known of what was measured before commits were noted.
    pub commit: Option<String>,
    pub date: String,
}

impl Source {
    /// Reads the first remark that has a date: the machine, then driver, commit and date, with commas between them.
    pub fn of(rows: &Rows) -> Result<Self> {
        let found = rows.remarks.iter().find_map(|remark| Self::parse(&rows.name, remark));
        found.ok_or_else(|| Error::NoSource { name: rows.name.clone() })
    }

    fn parse(file: &str, remark: &str) -> Option<Self> {
        let parts: Vec<&str> = remark.split(", ").collect();
        let date = parts.iter().find_map(|part| part.get(..10).filter(|start| is_date(start)))?;
        let commit = parts.iter().find_map(|part| part.strip_prefix("commit "));
        let is_more =
            |part: &&str| part.starts_with(date) || part.starts_with("driver ") || part.starts_with("commit ");
        let machine: Vec<&str> = parts.iter().copied().take_while(|part| !is_more(part)).collect();
        let (file, machine) = (file.to_owned(), machine.join(", "));
        Some(Self { file, machine, commit: commit.map(str::to_owned), date: (*date).to_owned() })
    }
}

/// Whether it is a day, such as 2026-01-31.
fn is_date(text: &str) -> bool {
    let is_right =
        |(place, letter): (usize, char)| if matches!(place, 4 | 7) { letter == '-' } else { letter.is_ascii_digit() };
    text.len() == 10 && text.chars().enumerate().all(is_right)
}

#[cfg(test)]
mod tests {
    use super::Source;
    use crate::rows::Rows;

    fn source(remark: &str) -> Result<Source, String> {
        let rows = Rows::parse("a.csv", &format!("# bench --repeat 2026-1\n# {remark}\na\n1\n")).unwrap();
        Source::of(&rows).map_err(|error| error.to_string())
    }

    #[test]
    fn machine_commit_and_date_are_found() {
        let found = source("NVIDIA H200, driver 5.1, commit ab1, 2026-01-31, cuSPARSE of CUDA 13; 20 times").unwrap();
        assert_eq!(
            (&*found.machine, found.commit.as_deref(), &*found.date),
            ("NVIDIA H200", Some("ab1"), "2026-01-31")
        );
        let found = source("two cores, the others busy, 2026-01-31; later").unwrap();
        assert_eq!((&*found.machine, found.commit, &*found.date), ("two cores, the others busy", None, "2026-01-31"));
    }

    #[test]
    fn a_csv_that_does_not_say_is_refused() {
        let error = source("NVIDIA H200").unwrap_err();
        assert!(error.contains("a.csv") && error.contains("where and when"), "{error}");
    }
}
