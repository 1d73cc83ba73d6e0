//! The ratings that alternating least squares learns from.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use onyx_runtime::memory::OutOfMemory;

use super::error::CliError;
use super::options::seed;
use super::progress::Progress;
use onyx_examples::ratings::baseline::{Baseline, Expected};
use onyx_examples::ratings::planted::Plan;
use onyx_examples::ratings::read::{Form, read_with_progress};
use onyx_examples::ratings::split::Split;
use onyx_examples::ratings::titles::Titles;
use onyx_examples::ratings::{Bipartite, Catalog, Feedback, Table};

/// Where the ratings come from.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Ratings")]
pub struct RatingsOptions {
    /// A file of ratings, plain or gzip-compressed, as described below [default: drawn from known factors]
    #[arg(long, value_name = "FILE")]
    pub ratings: Option<PathBuf>,
    /// A file of ratings to test with, in the same form [default: some of the ratings]
    #[arg(long, value_name = "FILE", requires = "ratings")]
    pub test: Option<PathBuf>,
    /// The share of the ratings to test with, if there is no file of them; 0 learns from all
    #[arg(long, value_name = "NUMBER", default_value_t = 0.1, value_parser = share, allow_negative_numbers = true,
          conflicts_with = "test")]
    pub test_share: f64,
    /// A file of titles: item,title on each line
    #[arg(long, value_name = "FILE", requires = "ratings")]
    pub titles: Option<PathBuf>,
    /// The seed of everything that is drawn at random
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true, value_parser = seed)]
    pub seed: u64,
}

/// Ratings with what is known of them.
#[derive(Debug)]
pub struct RatingsInput {
    /// Where they come from, in words.
    pub name: String,
    /// The ids of users and items.
    pub catalog: Catalog,
    /// The ratings.
    pub split: Split,
    /// What is expected of them before factors are fitted.
    pub baseline: Baseline,
    /// The graph of those to learn from, less what is expected.
    pub bipartite: Bipartite,
    /// What the items are called.
    pub titles: Titles,
    /// How long it took to load.
    pub load: Duration,
}

impl RatingsOptions {
    /// Loads the ratings, and takes from them what is `expected`.
    ///
    /// # Errors
    /// A file cannot be read, or does not say what it should.
    pub fn load(&self, feedback: Feedback, expected: Expected, progress: Progress) -> Result<RatingsInput, CliError> {
        let start = Instant::now();
        let (split, catalog) = match &self.ratings {
            Some(path) => self.load_files(path, feedback, progress)?,
            None => {
                let (table, catalog) = Plan { seed: self.seed, ..Plan::default() }.draw(feedback)?;
                (self.split(&table, feedback)?, catalog)
            }
        };
        let _bar = progress.waiting("sorting ratings");
        let (users, items) = (catalog.users.len(), catalog.items.len());
        let baseline = Baseline::learn(expected, &split.train, users, items)?;
        let bipartite = Bipartite::new(&baseline.left(&split.train)?, users, items)?;
        let titles = self.titles.as_deref().map(Titles::read).transpose()?.unwrap_or_default();
        let name = self.ratings.as_ref().map(|path| path.display().to_string());
        let name = name.unwrap_or_else(|| "ratings of known factors".to_owned());
        Ok(RatingsInput { name, catalog, split, baseline, bipartite, titles, load: start.elapsed() })
    }

    fn load_files(&self, path: &Path, feedback: Feedback, progress: Progress) -> Result<(Split, Catalog), CliError> {
        let mut catalog = Catalog::default();
        let train = read_graded(path, feedback, &mut catalog, progress)?;
        let split = match &self.test {
            Some(test) => Split { train, test: read_graded(test, feedback, &mut catalog, progress)? },
            None => self.split(&train, feedback)?,
        };
        Ok((split, catalog))
    }

    fn split(&self, table: &Table, feedback: Feedback) -> Result<Split, OutOfMemory> {
        match feedback {
            Feedback::Explicit => Split::by_rating(table, self.test_share, self.seed),
            Feedback::Implicit { .. } => Split::by_user(table, self.test_share, self.seed),
        }
    }
}

/// Reads ratings; lists without ratings are implicit feedback, of which a rating of 0 is none.
fn read_graded(path: &Path, feedback: Feedback, catalog: &mut Catalog, progress: Progress) -> Result<Table, CliError> {
    let bar = progress.loading();
    let (table, form) = read_with_progress(path, catalog, &|phase, done, total| bar.show(phase, done, total))?;
    if feedback == Feedback::Explicit {
        return if form == Form::Lists { Err(CliError::ListsAreImplicit { path: path.to_owned() }) } else { Ok(table) };
    }
    let table = table.without_zeros();
    if table.is_empty() { Err(CliError::NoFeedback { path: path.to_owned() }) } else { Ok(table) }
}

/// A number of at least 0 and less than 1.
fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..1.0).contains(number));
    number.ok_or_else(|| "a number of at least 0 and less than 1 is needed".to_owned())
}
