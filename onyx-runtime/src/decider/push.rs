//! The kernels of pushes, and why a run has none.

use onyx_device::FoldFacts;

use super::Chosen;
use crate::options::Options;
use crate::schedule::{Job, Kernel, Schedule, When};

/// The kernels of pushes, or why there are none.
pub(super) fn push(fold: &'static FoldFacts, options: &Options) -> Result<Chosen<Vec<Kernel>>, String> {
    if options.may_push(fold) { Ok(push_schedule(options.schedule)) } else { Err(why_never_pushed(fold, options)) }
}

fn push_schedule(asked: Schedule) -> Chosen<Vec<Kernel>> {
    if let Some(kernel) = Kernel::asked(Job::Push, asked) {
        return Chosen::new(vec![kernel], "it was asked for");
    }
    let kernels: Vec<Kernel> = Kernel::choices(Job::Push).map(|(kernel, _)| kernel).collect();
    let percent = kernels.first().map_or(0.0, |kernel| active_below(*kernel) * 100.0);
    let why = format!("below {percent}% active edges most neighbor groups would only find that they are not");
    Chosen::new(kernels, why)
}

/// Of the kernels of a push along `fraction` of the edges, the first that is for so few; the last one where none is.
pub(super) fn push_at(kernels: &[Kernel], fraction: f64) -> Kernel {
    let found = kernels.iter().find(|kernel| fraction < active_below(**kernel));
    found.or(kernels.last()).copied().unwrap_or(Kernel::Push)
}

/// Below which fraction of active edges a kernel is taken where others could be.
fn active_below(kernel: Kernel) -> f64 {
    match kernel.row().choice.map(|choice| choice.when) {
        Some(When::ActiveBelow(fraction)) => fraction,
        _ => f64::INFINITY,
    }
}

/// Why [`Options::may_push`] says no.
pub(super) fn why_never_pushed(fold: &'static FoldFacts, options: &Options) -> String {
    if !fold.pushes {
        return match fold.why_not_change_driven {
            Some(reason) if !fold.is_active => format!("the fold is not change-driven: {reason}"),
            _ => "not all of its stages can be pushed".to_owned(),
        };
    }
    let why = if options.deterministic {
        "a deterministic run adds nothing atomically"
    } else if options.change_driven {
        "it was asked to pull"
    } else {
        "the run was asked not to be change-driven"
    };
    why.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_of_pulls_leaves_pushes_to_the_fraction_of_active_edges() {
        let pushes = push_schedule(Schedule::EdgeFlat).what;
        assert_eq!(pushes, [Kernel::WarpWord, Kernel::Push]);
        assert_eq!(push_schedule(Schedule::NeighborGroup).what, [Kernel::Push]);
        assert_eq!([0.0, 0.5, f64::NAN].map(|fraction| push_at(&pushes, fraction)), [pushes[0], pushes[1], pushes[1]]);
        assert_eq!(push_at(&[Kernel::WarpWord], 0.5), Kernel::WarpWord);
    }
}
