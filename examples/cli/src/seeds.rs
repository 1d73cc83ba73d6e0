//! Which vertices label propagation starts from, and which it is scored on.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use onyx_runtime::memory::{self, OutOfMemory};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use serde::Serialize;

use super::error::LabelError;
use super::input::{Input, Source};
use super::karate;
use super::labels::{self, Labels};
use super::progress::Progress;

/// The number of classes of drawn seeds, unless --features says otherwise.
const DRAWN_CLASSES: usize = 4;
/// One vertex in this many is drawn as a seed.
const VERTICES_PER_SEED: usize = 100;

/// The vertices that label propagation starts from, and those whose class is known to score it.
#[derive(Clone, Debug)]
pub struct Seeds {
    /// Where they come from.
    pub origin: Origin,
    /// The seeds.
    pub seeds: Labels,
    /// The true classes; seeds among them do not count.
    pub known: Labels,
}

/// Where seeds come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A label file.
    Labels,
    /// The two leaders of the karate club.
    Leaders,
    /// Drawn at random, because none were given.
    Drawn,
    /// A file of numbers.
    File,
    /// Those of a planted graph.
    Planted,
}

/// Where the true classes come from.
#[derive(Clone, Debug)]
pub enum Known {
    /// A label file.
    File(PathBuf),
    /// The labels that are left when this share of them is taken as seeds.
    Share(f64),
}

impl FromStr for Known {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self::Share(share)),
            Ok(_) => Err("a share lies between 0 and 1 and is neither of them".to_owned()),
            Err(_) => Ok(Self::File(text.into())),
        }
    }
}

impl Seeds {
    /// The seeds for `input`: those of the label file; else the club's leaders; else drawn.
    ///
    /// # Errors
    /// A label file is wrong.
    pub fn find(
        input: &Input,
        labels: Option<&PathBuf>,
        known: Option<&Known>,
        features: Option<usize>,
        seed: u64,
        progress: Progress,
    ) -> Result<Self, LabelError> {
        let read = |path| {
            let bar = progress.loading();
            labels::read(path, input.ids(), &|phase, done, total| bar.show(phase, done, total))
        };
        let mut found = match labels {
            Some(path) => Self { origin: Origin::Labels, seeds: read(path)?, known: Vec::new() },
            None if matches!(input.source, Source::Karate) => Self::leaders(),
            None => Self::drawn(input.graph.vertex_count(), features.unwrap_or(DRAWN_CLASSES), seed)?,
        };
        match known {
            Some(Known::File(path)) => found.known = read(path)?,
            Some(Known::Share(share)) => found.keep(*share, seed),
            None => {}
        }
        Ok(found)
    }

    fn leaders() -> Self {
        Self { origin: Origin::Leaders, seeds: karate::leaders(), known: karate::factions() }
    }

    /// One vertex in a hundred, at least one for each class, the classes in turn.
    fn drawn(vertices: usize, classes: usize, seed: u64) -> Result<Self, OutOfMemory> {
        let count = (vertices / VERTICES_PER_SEED).max(classes).min(vertices);
        let mut order = memory::collect(0..vertices as u32, "the seeds that are drawn")?;
        let (drawn, _) = order.partial_shuffle(&mut Pcg64Mcg::seed_from_u64(seed), count);
        let classes = (0..classes).cycle();
        Ok(Self { origin: Origin::Drawn, seeds: drawn.iter().copied().zip(classes).collect(), known: Vec::new() })
    }

    /// Keeps a share of the seeds, one at least, drawn with `seed`; the others become the known classes.
    fn keep(&mut self, share: f64, seed: u64) {
        let count = (share * self.seeds.len() as f64).round().max(1.0) as usize;
        self.seeds.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
        self.known = self.seeds.split_off(count.min(self.seeds.len()));
    }

    /// The seeds by the numbers that their vertices have in the graph to run on.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn numbered(&self, input: &Input) -> Result<Labels, OutOfMemory> {
        let seeds = self.seeds.iter().map(|&(vertex, class)| (input.number(vertex), class));
        memory::collect(seeds, "the seeds")
    }

    /// The number of classes, known ones included.
    pub fn classes(&self) -> usize {
        labels::classes(&self.seeds).max(labels::classes(&self.known))
    }

    /// The known vertices that are no seeds: how many there are, and how many of them have their class in `found`.
    pub fn score(&self, found: &[Option<usize>]) -> Score {
        let seeds: HashSet<u32> = self.seeds.iter().map(|seed| seed.0).collect();
        let scored: Labels = self.known.iter().copied().filter(|known| !seeds.contains(&known.0)).collect();
        let is_right = |known: &&(u32, usize)| found[known.0 as usize] == Some(known.1);
        Score { scored: scored.len(), right: scored.iter().filter(is_right).count() }
    }
}

/// How many vertices have got their true class.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    /// The vertices with a known class that are no seeds.
    pub scored: usize,
    /// Those that have got it.
    pub right: usize,
}

impl Score {
    /// The share that has got it, if there are any.
    pub fn accuracy(self) -> Option<f64> {
        (self.scored > 0).then(|| self.right as f64 / self.scored as f64)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Labels => "from the label file",
            Self::Leaders => "the two leaders",
            Self::Drawn => "drawn at random, as no labels were given",
            Self::File => "from the file",
            Self::Planted => "planted with the graph",
        })
    }
}
