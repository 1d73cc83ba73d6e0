//! Which kernels reach rows of features at all: some stages have nothing but scalars, and clearing touches nothing but sums.

use crate::manifest::Kernel;

use crate::description::{Description, Function};
use crate::ptx::Ptx;

/// Kernels that run edge functions alone.
const OF_EDGES: [&str; 4] = ["edge_flat", "long_rows", "push", "warp_word"];

/// The kernel that runs the functions of all stages.
const OF_ALL_STAGES: &str = "graph_per_block";

/// Whether a kernel loads, stores or adds features or matrices, by 16 bytes where they are wide; also if its fold does not say. Without vector
/// reductions nothing is added by more than 4 bytes.
pub fn reaches_rows(ptx: &Ptx, kernel: &Kernel, has_vector_reductions: bool) -> bool {
    let reached = |schedule: &str, function: &Function| reached(schedule, function, has_vector_reductions);
    any_row(ptx, kernel, reached)
}

/// Whether the edge functions of a kernel's stage add to features or matrices; also if its fold does not say.
pub fn adds_rows(ptx: &Ptx, kernel: &Kernel) -> bool {
    any_row(ptx, kernel, |_, function| if function.is_edge { added(function) } else { Vec::new() })
}

/// Whether any function of the kernel's stage has a row among the properties that are asked for.
fn any_row(ptx: &Ptx, kernel: &Kernel, asked: impl Fn(&str, &Function) -> Vec<String>) -> bool {
    let Some(text) = ptx.descriptions.get(&kernel.fold) else { return true };
    let description = Description::parse(text);
    let (schedule, stage) = split(&kernel.schedule);
    let is_of = |function: &&Function| schedule == OF_ALL_STAGES || function.set("stage").iter().eq([stage]);
    let functions = description.functions.iter().filter(is_of);
    functions.map(|function| asked(schedule, function)).any(|names| has_row(&description, &names))
}

/// The schedule of a kernel, and the number of its stage: `pull_2`. The first stage has none. Kernels of wide rows, `pull_wide`, are of the same schedule.
fn split(schedule: &str) -> (&str, &str) {
    let is_number = |stage: &str| stage.bytes().all(|digit| digit.is_ascii_digit());
    let (schedule, stage) = schedule.rsplit_once('_').filter(|(_, stage)| is_number(stage)).unwrap_or((schedule, "0"));
    (schedule.strip_suffix("_wide").unwrap_or(schedule), stage)
}

/// What a schedule reaches of the properties that a function accesses.
fn reached(schedule: &str, function: &Function, has_vector_reductions: bool) -> Vec<String> {
    match (schedule, function.is_edge) {
        ("clear", _) | ("finish" | "finish_long", true) => function.set("reduces").to_vec(),
        (_, false) if OF_EDGES.contains(&schedule) => Vec::new(),
        (_, true) if OF_EDGES.contains(&schedule) => {
            let added = if has_vector_reductions { added(function) } else { Vec::new() };
            function.moved().cloned().chain(added).collect()
        }
        _ => function.accessed().cloned().collect(),
    }
}

/// What an edge function adds to memory: products and bounds have no vector reductions, and beside states sums are stored as well.
fn added(function: &Function) -> Vec<String> {
    if !function.set("states").is_empty() {
        return Vec::new();
    }
    let others = [function.set("multiplies"), function.set("bounds")].concat();
    function.set("reduces").iter().filter(|name| !others.contains(name)).cloned().collect()
}

/// Whether one of the properties has rows in memory.
fn has_row(description: &Description, names: &[String]) -> bool {
    let is_row = |element: &str| element.ends_with("features") || element.ends_with("matrix");
    let rows = description.properties.iter().filter(|property| is_row(&property.element) && !property.is_scratch);
    rows.map(|property| &property.name).any(|name| names.contains(name))
}

#[cfg(test)]
mod tests {
    use crate::manifest::Kernel;

    use super::{adds_rows, reaches_rows, split};
    use crate::ptx::Ptx;

    const DESCRIPTION: &str = "property weight edge_scalar untracked\nproperty sum vertex_features untracked\n\
                               function gather edge stage=0 reads_edge=weight reduces=sum\n\
                               function weigh edge stage=1 reads_edge=weight reduces=weight\n\
                               function keep vertex stage=1 reads=sum writes=sum\n";

    fn kernel(schedule: &str) -> Kernel {
        let (entry, fold) = (format!("a__b__{schedule}__k4"), "a__b".to_string());
        let (schedule, module) = (schedule.to_string(), String::new());
        Kernel { entry, fold, module, schedule, width: 4, fingerprint: String::new() }
    }

    #[test]
    fn a_stage_of_scalars_reaches_no_rows() {
        let mut ptx = Ptx::default();
        ptx.descriptions.insert("a__b".to_string(), DESCRIPTION.to_string());
        let kernels = ["pull", "clear_1", "edge_flat_1", "vertex_1"].map(kernel);
        assert_eq!(kernels.map(|kernel| reaches_rows(&ptx, &kernel, true)), [true, false, false, true]);
    }

    #[test]
    fn what_is_reduced_by_single_floats_alone_needs_no_wide_access() {
        let reaches = |reduction: &str, schedule: &str, has_vector_reductions| {
            let mut ptx = Ptx::default();
            let text = DESCRIPTION.replace("reduces=sum\n", &format!("reduces=sum {reduction}\n"));
            ptx.descriptions.insert("a__b".to_string(), text);
            reaches_rows(&ptx, &kernel(schedule), has_vector_reductions)
        };
        let edges = ["edge_flat", "push", "warp_word"];
        assert!(edges.iter().all(|schedule| reaches("", schedule, true) && !reaches("", schedule, false)));
        assert!(edges.iter().all(|schedule| !reaches("multiplies=sum", schedule, true)));
        assert!(edges.iter().all(|schedule| !reaches("bounds=sum", schedule, true)));
        assert!(edges.iter().all(|schedule| !reaches("states=mean", schedule, true)));
        assert!(reaches("bounds=sum", "pull", false) && reaches("bounds=sum", "clear", false));
    }

    #[test]
    fn scratch_has_no_rows_in_memory() {
        let mut ptx = Ptx::default();
        let text = DESCRIPTION.replace("vertex_features untracked", "vertex_features scratch");
        ptx.descriptions.insert("a__b".to_string(), text);
        assert!(!reaches_rows(&ptx, &kernel("vertex_1"), true));
    }

    #[test]
    fn rows_are_added_where_an_edge_function_sums_them() {
        let mut ptx = Ptx::default();
        ptx.descriptions.insert("a__b".to_string(), DESCRIPTION.to_string());
        assert!(adds_rows(&ptx, &kernel("push")) && !adds_rows(&ptx, &kernel("push_1")));
    }

    #[test]
    fn a_fold_that_does_not_say_reaches_rows() {
        assert!(reaches_rows(&Ptx::default(), &kernel("pull"), true));
    }

    #[test]
    fn the_stage_stands_behind_the_schedule() {
        assert_eq!(split("vertex_per_warp"), ("vertex_per_warp", "0"));
        assert_eq!(split("vertex_per_warp_3"), ("vertex_per_warp", "3"));
        assert_eq!(split("clear_wide_1"), ("clear", "1"));
    }
}
