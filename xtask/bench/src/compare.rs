//! `bench compare`: the times of one CSV over those of another, row by row.

use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::rows::{Role, Rows};
use crate::statistics::geometric_mean;

/// Show the times of the first CSV over those of the second: above 1, the second is faster
#[derive(Clone, Debug, clap::Args)]
pub struct Arguments {
    /// What was measured before
    first: PathBuf,
    /// What was measured after
    second: PathBuf,
}

/// What two CSVs say of the same.
#[derive(Debug, Default)]
struct Comparison {
    /// A line for each time: what was measured, both times, and the ratio.
    lines: Vec<String>,
    ratios: Vec<f64>,
    /// Rows that only one of them has.
    only_first: Vec<String>,
    only_second: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let (first, second) = (Rows::read(&arguments.first)?, Rows::read(&arguments.second)?);
    print!("{}", compared(&first, &second)?);
    Ok(())
}

/// The comparison as text.
fn compared(first: &Rows, second: &Rows) -> Result<String> {
    refuse_other_columns(first, second)?;
    let second = in_order_of(first, second);
    let mut comparison = Comparison::default();
    let mut others: Vec<Option<String>> = names(&second).into_iter().map(Some).collect();
    for (record, name) in names(first).into_iter().enumerate() {
        match others.iter().position(|other| other.as_ref() == Some(&name)) {
            None => comparison.only_first.push(name),
            Some(other) => {
                others[other] = None;
                comparison.add(first, &second, (record, other), &name)?;
            }
        }
    }
    comparison.only_second = others.into_iter().flatten().collect();
    if comparison.ratios.is_empty() {
        return Err(Error::NothingInCommon { first: first.name.clone(), second: second.name });
    }
    Ok(comparison.text())
}

fn refuse_other_columns(first: &Rows, second: &Rows) -> Result<()> {
    let only = |of: &Rows, other: &Rows| -> Vec<String> {
        of.columns.iter().filter(|column| other.find(column).is_none()).cloned().collect()
    };
    let (only_first, only_second) = (only(first, second), only(second, first));
    if only_first.is_empty() && only_second.is_empty() {
        return Ok(());
    }
    Err(Error::OtherColumns { first: first.name.clone(), second: second.name.clone(), only_first, only_second })
}

/// The second with its columns in the order of the first.
fn in_order_of(first: &Rows, second: &Rows) -> Rows {
    let mut ordered = Rows { name: second.name.clone(), columns: first.columns.clone(), ..Rows::default() };
    ordered.append(second);
    ordered
}

/// What each record is of.
fn names(rows: &Rows) -> Vec<String> {
    let keys = rows.of_role(Role::Key);
    let name = |record: &Vec<String>| keys.iter().map(|&key| record[key].as_str()).collect::<Vec<_>>().join(" ");
    rows.records.iter().map(name).collect()
}

impl Comparison {
    /// Adds every time that both records have.
    fn add(&mut self, first: &Rows, second: &Rows, records: (usize, usize), name: &str) -> Result<()> {
        for column in first.of_role(Role::Measure) {
            let times = first.number(records.0, column)?.zip(second.number(records.1, column)?);
            if let Some((before, after)) = times {
                let ratio = before / after;
                let what = format!("{name}, {}", first.columns[column]);
                self.lines.push(format!("{ratio:7.3}  {before:12.6}  {after:12.6}  {what}"));
                self.ratios.push(ratio);
            }
        }
        Ok(())
    }

    fn text(&self) -> String {
        let head = format!("{:>7}  {:>12}  {:>12}  what", "ratio", "first", "second");
        let only = |which: &'static str, names: &[String]| -> Vec<String> {
            names.iter().map(|name| format!("only in the {which}: {name}")).collect()
        };
        let least = self.ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.ratios.iter().copied().fold(0.0, f64::max);
        let summary = format!(
            "{} times: geometric mean {:.3}, least {least:.3}, greatest {most:.3}; above 1, the second is faster",
            self.ratios.len(),
            geometric_mean(&self.ratios)
        );
        let only = [only("first", &self.only_first), only("second", &self.only_second)].concat();
        let lines = std::iter::once(head).chain(self.lines.iter().cloned()).chain(only).chain([summary]);
        lines.map(|line| line + "\n").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::compared;
    use crate::rows::Rows;

    const HEAD: &str = "graph,features,what,median_ms,min_ms,verified\n";

    fn both(first: &str, second: &str) -> Result<String, String> {
        let [first, second] =
            [("a.csv", first), ("b.csv", second)].map(|(name, text)| Rows::parse(name, text).unwrap());
        compared(&first, &second).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_meet_by_what_was_measured() {
        let first = format!("{HEAD}x,4,pull,2.0,1,true\nx,8,pull,3.0,1,true\ny,4,pull,1.0,1,true\n");
        let second = format!("{HEAD}x,8,pull,1.5,9,true\nx,4,pull,4.0,1,true\nz,4,pull,1.0,1,true\n");
        let text = both(&first, &second).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>()[..3], ["0.500", "2.000000", "4.000000"]);
        assert!(lines[1].ends_with("x 4 pull, median_ms") && lines[2].contains("2.000") && lines[2].contains("x 8"));
        assert_eq!(lines[3..5], ["only in the first: y 4 pull", "only in the second: z 4 pull"]);
        assert!(lines[5].starts_with("2 times: geometric mean 1.000, least 0.500, greatest 2.000"), "{text}");
    }

    #[test]
    fn columns_may_be_in_another_order() {
        let first = "graph,what,median_ms\nx,pull,2\n";
        let second = "what,median_ms,graph\npull,1,x\n";
        assert!(both(first, second).unwrap().contains("2.000"), "{:?}", both(first, second));
    }

    #[test]
    fn rows_of_one_name_are_paired_in_order() {
        let text = both("graph,median_ms\nx,2\nx,9\n", "graph,median_ms\nx,1\nx,3\n").unwrap();
        assert!(text.contains("  2.000") && text.contains("  3.000"), "{text}");
    }

    #[test]
    fn files_that_cannot_be_compared_are_refused() {
        let error = both(&format!("{HEAD}x,4,pull,2.0,1,true\n"), "graph,width,median_ms\nx,4,1\n").unwrap_err();
        assert!(error.contains("a.csv and b.csv have different columns") && error.contains("width"), "{error}");
        let error = both("graph,median_ms\nx,1\n", "graph,median_ms\ny,1\n").unwrap_err();
        assert!(error.contains("no row in common"), "{error}");
    }
}
