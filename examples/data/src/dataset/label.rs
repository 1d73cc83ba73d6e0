//! A label on every line.

use onyx_runtime::memory;
use onyx_runtime::text::Text;

use super::error::{DatasetError, LineProblem};
use super::line::{lines, some_lines};

/// What needs the memory.
const LABELS: &str = "the labels";

/// The class of each vertex, line after line, from 0 without great gaps.
///
/// # Errors
/// The text holds no label, or has a line that is none.
pub fn read_labels(text: &Text) -> Result<Vec<u32>, DatasetError> {
    let mut labels = Vec::new();
    for line in some_lines(text, "label")? {
        let [word] = line.exactly("a label, and nothing else")?;
        memory::push(&mut labels, line.index(word, "label", 0, u32::MAX as usize)?, LABELS)?;
    }
    check(text, &labels)?;
    Ok(labels)
}

/// Refuses a label that leaves most classes empty, since each class is a column of what is learned.
fn check(text: &Text, labels: &[u32]) -> Result<(), DatasetError> {
    let most = labels.len();
    let Some(place) = labels.iter().position(|label| *label as usize >= most) else { return Ok(()) };
    let problem = LineProblem::Label { label: labels[place].into(), most };
    let line = lines(text).nth(place);
    Err(line.map_or_else(
        || DatasetError::Empty { path: text.path().to_owned(), what: "label" },
        |line| line.error(problem),
    ))
}
