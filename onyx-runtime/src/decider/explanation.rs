//! The decisions in words.

use super::Decider;
use crate::schedule::{Choice, Kernel};

impl Decider {
    /// The schedules in words.
    pub(crate) fn describe(&self) -> String {
        if !self.has_edges {
            return "words of vertices".to_owned();
        }
        let lanes = if self.lanes == 1 { "1 lane".to_owned() } else { format!("{} lanes", self.lanes) };
        let words = |choice: Choice| (choice.words)(self.group_size.what, &lanes);
        let describe = |kernels: &[Kernel]| {
            let words: Vec<String> = kernels.iter().rev().filter_map(|kernel| kernel.row().choice).map(words).collect();
            words.join(", or by ")
        };
        let bins = Some(self.bins()).filter(|bins| *bins > 1).map(|bins| format!(", in {bins} bins"));
        let packed = self.packed().map(|count| format!(", the rows of {count} sources packed"));
        let pull = describe(&[self.pull()]) + &bins.or(packed).unwrap_or_default();
        match self.pushes() {
            [] => format!("pull by {pull}"),
            pushes => format!("pull by {pull}; push by {}", describe(pushes)),
        }
    }

    /// Every decision with its reason, one line each.
    pub(crate) fn explain(&self) -> Vec<String> {
        if !self.has_edges {
            return vec!["vertices: words of 32, because the fold has no edge functions".to_owned()];
        }
        let push = match &self.push {
            Err(why) => format!("push: never, because {why}"),
            Ok(push) => {
                let costs = self.push_costs.describe().map(|costs| format!("; {costs}"));
                format!("push: {}, because {}{}", names(&push.what), push.why, costs.unwrap_or_default())
            }
        };
        let bins = self.bins.iter().map(|bins| format!("bins: {}, because {}", bins.what, bins.why));
        let by_length = if self.levels { "; near each other they come by their length" } else { "" };
        let group_size = format!("group size: {}, because {}{by_length}", self.group_size.what, self.group_size.why);
        let pull = format!("pull: {}, because {}", names(&[self.pull()]), self.pull.why);
        let packed = match &self.packed {
            Ok(packed) => Some(format!("packed sources: {}, because {}", packed.what, packed.why)),
            Err(why) if self.pull() == Kernel::WordPerWarp => Some(format!("packed sources: none, because {why}")),
            Err(_) => None,
        };
        [group_size].into_iter().chain(bins).chain([pull]).chain(packed).chain([push]).collect()
    }
}

/// What users ask for these kernels by.
fn names(kernels: &[Kernel]) -> String {
    let asked = kernels.iter().filter_map(|kernel| kernel.row().choice).map(|choice| choice.asked.to_string());
    asked.collect::<Vec<_>>().join(" or ")
}
