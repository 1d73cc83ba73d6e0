//! Which kernels reach rows of features at all: some stages have nothing but scalars, and clearing touches nothing but sums.

use onyx_runtime::manifest::Kernel;

use crate::description::{Description, Function};
use crate::ptx::Ptx;

/// Kernels that run edge functions alone.
const OF_EDGES: [&str; 3] = ["edge_flat", "push", "warp_word"];

/// Whether a kernel reads or writes features or matrices; also if its fold does not say.
pub fn reaches_rows(ptx: &Ptx, kernel: &Kernel) -> bool {
    let Some(text) = ptx.descriptions.get(&kernel.fold) else { return true };
    let description = Description::parse(text);
    let (schedule, stage) = split(&kernel.schedule);
    let functions = description.functions.iter().filter(|function| function.set("stage").iter().eq([stage]));
    functions.map(|function| reached(schedule, function)).any(|names| has_row(&description, &names))
}

/// The schedule of a kernel, and the number of its stage: `pull_2`. The first stage has none.
fn split(schedule: &str) -> (&str, &str) {
    let is_number = |stage: &str| stage.bytes().all(|digit| digit.is_ascii_digit());
    schedule.rsplit_once('_').filter(|(_, stage)| is_number(stage)).unwrap_or((schedule, "0"))
}

/// What a schedule reaches of the properties that a function accesses.
fn reached(schedule: &str, function: &Function) -> Vec<String> {
    match (schedule, function.is_edge) {
        ("clear", _) | ("finish", true) => function.set("reduces").to_vec(),
        (_, false) if OF_EDGES.contains(&schedule) => Vec::new(),
        _ => function.accessed().cloned().collect(),
    }
}

fn has_row(description: &Description, names: &[String]) -> bool {
    let is_row = |element: &str| element.ends_with("features") || element.ends_with("matrix");
    description.properties.iter().any(|property| is_row(&property.element) && names.contains(&property.name))
}

#[cfg(test)]
mod tests {
    use onyx_runtime::manifest::Kernel;

    use super::{reaches_rows, split};
    use crate::ptx::Ptx;

    const DESCRIPTION: &str = "property weight edge_scalar untracked\nproperty sum vertex_features untracked\n\
                               function gather edge stage=0 reads_edge=weight reduces=sum\n\
                               function weigh edge stage=1 reads_edge=weight reduces=weight\n\
                               function keep vertex stage=1 reads=sum writes=sum\n";

    fn kernel(schedule: &str) -> Kernel {
        let (entry, fold) = (format!("a__b__{schedule}__k4"), "a__b".to_string());
        Kernel { entry, fold, schedule: schedule.to_string(), width: 4, fingerprint: String::new() }
    }

    #[test]
    fn a_stage_of_scalars_reaches_no_rows() {
        let mut ptx = Ptx::default();
        ptx.descriptions.insert("a__b".to_string(), DESCRIPTION.to_string());
        let kernels = ["pull", "clear_1", "edge_flat_1", "vertex_1"].map(kernel);
        assert_eq!(kernels.map(|kernel| reaches_rows(&ptx, &kernel)), [true, false, false, true]);
    }

    #[test]
    fn a_fold_that_does_not_say_reaches_rows() {
        assert!(reaches_rows(&Ptx::default(), &kernel("pull")));
    }

    #[test]
    fn the_stage_stands_behind_the_schedule() {
        assert_eq!(split("vertex_per_warp"), ("vertex_per_warp", "0"));
        assert_eq!(split("vertex_per_warp_3"), ("vertex_per_warp", "3"));
    }
}
