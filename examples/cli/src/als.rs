//! The command line of alternating least squares.

use std::io::{self, Write};

use clap::{Args, Parser};
use onyx_runtime::{Backend, Options, Schedule, Status};

use super::als_report::{self, Answer, Recommended, Sweep};
use super::als_sweeps::{Fitted, Limits};
use super::complain;
use super::error::CliError;
use super::help;
use super::options::{ReportOptions, count, positive};
use super::program::Program;
use super::program::Runner;
use super::progress::Progress;
use super::ratings::{RatingsInput, RatingsOptions};
use super::repeat::Seconds;
use onyx_examples::als::{Model, verify};
use onyx_examples::ratings::baseline::Expected;
use onyx_examples::ratings::bipartite::Side;
use onyx_examples::ratings::top::Ranking;
use onyx_examples::ratings::{Bipartite, Factors, Feedback, Settings, SolveError, Solver, Table, metric};
use onyx_examples::verification::Verification;

/// The items among which recall looks for those of the test.
const RECALL_AT: usize = 20;

/// A sweep is so many iterations.
const HALVES: usize = 2;

const EXAMPLES: &str = "\
Examples:
  als
      ratings drawn from factors of 4 numbers, which are found
  als --ratings ratings.csv --titles movies.csv --features 32 --user 42 --top 10
      MovieLens: the error on a tenth of the ratings after each sweep, and what user 42 might like
  als --ratings train.txt.gz --test test.txt.gz --implicit --features 32 --lambda 10 --json
      lists of who bought what: recall@20 on the test's after each sweep

A file of ratings has user,item,rating on each line, separated by commas, semicolons, tabs or ::, as the first line says: by semicolons where that
has two, whatever commas there are. With a word in the place of the rating it is a header. Further columns are left out, and of several ratings of
an item by a user the last one counts. Around commas and semicolons, columns may be in double quotes. Or the file has lists, separated by blanks: user
item item ... A line that starts with # is a comment. With --implicit, a rating of 0 is none.

A line of --output is \"user\" or \"item\", the id in the file of ratings, and the factor.

Explicit ratings are fitted less their mean and what each user and item is above or below it (--baseline), and predictions have it again: ten times in turn
an item's effect is the sum of what its ratings are above mean and users' effects, divided by their number and 5, and a user's the same with items'. So
have the factors in --output: their last two numbers are the user's effect and 1, and 1 and the mean with the item's effect, so that products are
ratings. --baseline zero leaves both out. Lambda counts once for each rating of a user or item. The mean of all ratings is the least that
predictions should beat; a result that is worse says so (in JSON: worse_than_mean).

With --steps 3 a sweep takes a part of the time, and lowers the objective by less. Then what the steps leave is compared with what as many leave in 64-bit
floats, not with a solution.

The last sweep is verified in 64-bit floats: each user's factor must solve its system of equations for the items of the sweep before, and each item's
its own for the users found, but for what 32-bit floats explain. Sweeps before the last are not verified, nor that other first factors would not have
come to a lower objective; the objectives and errors printed are computed in 64-bit floats.";

/// Alternating least squares: finds factors of users and items from ratings, and recommends items
#[derive(Clone, Debug, Parser)]
#[command(name = "als", version, after_help = help::after(EXAMPLES))]
pub struct AlsProgram {
    #[command(flatten)]
    ratings: RatingsOptions,
    #[command(flatten)]
    fit: FitOptions,
    #[command(flatten)]
    report: ReportOptions,
    /// Recommend items to this user
    #[arg(long, value_name = "ID", help_heading = "Recommendations")]
    user: Option<String>,
    /// How many items are recommended
    #[arg(long, value_name = "NUMBER", help_heading = "Recommendations", default_value_t = 10, value_parser = count,
          requires = "user", allow_negative_numbers = true)]
    top: usize,
}

/// What is fitted, and how.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Fit")]
pub struct FitOptions {
    /// The numbers in a factor, 128 at most
    #[arg(long, value_name = "NUMBER", default_value_t = 8, allow_negative_numbers = true)]
    pub features: usize,
    /// How systems of equations are solved: auto is Cholesky's factorization up to 64 features, and conjugate gradients for more
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Solver::Auto)]
    pub solver: Solver,
    /// Go this many steps of conjugate gradients from the factors before towards each system's solution, in place of solving it
    #[arg(long, value_name = "NUMBER", value_parser = count, allow_negative_numbers = true)]
    pub steps: Option<usize>,
    /// How much large factors are held back [default: 0.1 of the deviation of the ratings, with --implicit 0.1; --unweighted without --implicit and --weighted with it have none]
    #[arg(long, value_name = "NUMBER", value_parser = finite, allow_negative_numbers = true)]
    pub lambda: Option<f32>,
    /// Hold a factor back by lambda for each of its ratings, which is the default without --implicit
    #[arg(long, conflicts_with = "unweighted")]
    pub weighted: bool,
    /// Hold a factor back by lambda once, which is the default with --implicit; --lambda then depends on how many ratings there are
    #[arg(long)]
    pub unweighted: bool,
    /// What is taken from ratings before factors are fitted to the rest, and added to predictions [default: effects, with --implicit zero]
    #[arg(long, value_name = "NAME", conflicts_with = "implicit")]
    pub baseline: Option<Expected>,
    /// Take ratings for signs that users had to do with items, in place of how they liked them
    #[arg(long)]
    pub implicit: bool,
    /// How much confidence implicit feedback gives
    #[arg(long, value_name = "NUMBER", default_value_t = 40.0, value_parser = positive, requires = "implicit",
          allow_negative_numbers = true)]
    pub alpha: f32,
    /// The greatest number of sweeps, each of which fits all users and then all items
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = count, allow_negative_numbers = true)]
    pub sweeps: usize,
    /// The part of the objective by which a sweep must lower it for another one to follow
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-3, value_parser = positive, allow_negative_numbers = true)]
    pub tolerance: f32,
    /// Run all sweeps without a look at the factors in between
    #[arg(long)]
    pub at_once: bool,
    /// Where to run: auto, cpu, cuda, or emulator if built with `--features emulator`; auto takes the GPU if there is one
    #[arg(long, default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// How edges come to the GPU's lanes: auto, neighbor_group, vertex_per_warp, vertex_per_block, matrix_per_block or edge_flat
    #[arg(long, value_name = "NAME", default_value_t = Schedule::Auto)]
    pub schedule: Schedule,
    /// The same bits in every run on one device
    #[arg(long)]
    pub deterministic: bool,
}

impl FitOptions {
    fn feedback(&self) -> Feedback {
        if self.implicit { Feedback::Implicit { alpha: self.alpha } } else { Feedback::Explicit }
    }

    /// What is taken from ratings. Implicit feedback is no number of stars, of which something could be expected.
    fn expected(&self) -> Expected {
        let default = if self.implicit { Expected::Zero } else { Expected::Effects };
        self.baseline.unwrap_or(default)
    }

    fn settings(&self, train: &Table, seed: u64) -> Result<Settings, CliError> {
        let (features, feedback) = (self.features, self.feedback());
        let weighted = self.weighted || !(self.unweighted || self.implicit);
        let default = Settings::usual_lambda(feedback, weighted, train.deviation());
        let lambda = self.lambda.or(default).ok_or(CliError::NoLambda)?;
        let (sweeps, tolerance) = (self.sweeps, self.tolerance.into());
        let (solver, steps) = (self.solver, self.steps);
        Ok(Settings { features, lambda, weighted, feedback, seed, sweeps, tolerance, solver, steps })
    }

    fn options(&self) -> Options {
        let (backend, schedule, deterministic) = (self.backend, self.schedule, self.deterministic);
        Options { backend, schedule, deterministic, ..Options::default() }
    }
}

impl Program for AlsProgram {
    type Source = ();
    type Input = RatingsInput;
    type Answer = Answer;

    fn reporting(&self) -> &ReportOptions {
        &self.report
    }

    fn sources(&self) -> Result<Vec<()>, CliError> {
        Ok(vec![()])
    }

    fn load(&self, (): (), progress: Progress) -> Result<RatingsInput, CliError> {
        check_features(self.fit.features)?;
        check_steps(&self.fit)?;
        self.ratings.load(self.fit.feedback(), self.fit.expected(), progress)
    }

    fn runner<'a>(&'a self, input: &'a RatingsInput, progress: Progress) -> Result<Runner<'a, Answer>, CliError> {
        Ok(Box::new(move || {
            let settings = self.fit.settings(&input.split.train, self.ratings.seed)?;
            let user = self.user.as_ref().map(|user| find_user(input, user)).transpose()?;
            let bipartite = &input.bipartite;
            Model::check_memory(bipartite, &settings)?;
            let start = Factors::start(bipartite, &settings);
            let options = self.fit.options();
            let mut model = Model::new(bipartite, settings, &start, &options)?;
            settings.check(bipartite, &input.catalog)?;
            if self.report.explain {
                model.explain(&options).iter().for_each(|line| complain(line));
            }
            let rate = |factors: &Factors, number| rate(input, settings, factors, number);
            let fitted = Fitted::find(self.limits(), &mut model, start, &options, rate)?;
            if fitted.report.status == Status::Diverged && settings.lambda <= 0.0 {
                return Err(singular(input, settings, &fitted.factors));
            }
            let verification = self.verify(bipartite, settings, &fitted, progress);
            let recommended = user.map(|user| self.recommend(input, &fitted.factors, user)).unwrap_or_default();
            let Fitted { report, sweeps, elapsed, factors, .. } = fitted;
            Ok(Answer { settings, factors, report, sweeps, elapsed, verification, recommended })
        }))
    }

    fn write(&self, _file: usize, input: &RatingsInput, answer: &Answer, writer: &mut dyn Write) -> io::Result<()> {
        als_report::write_rows(writer, input, &predicting(input, &answer.factors))
    }

    fn report(&self, input: &RatingsInput, answer: &Answer, runs: &[Seconds]) -> Result<String, CliError> {
        let is_json = self.report.json;
        Ok(if is_json { als_report::json(input, answer, runs) } else { als_report::text(input, answer) })
    }

    fn explained(&self, error: CliError, answer: &Answer) -> CliError {
        match error {
            CliError::Disagrees(verification) if answer.settings.steps.is_some() => {
                CliError::StepsFallShort(verification)
            }
            CliError::Disagrees(verification) => CliError::Unsolved(verification),
            CliError::Diverged if answer.settings.factorizes() && answer.report.iterations.len() <= HALVES => {
                CliError::FactorizationsDiverged
            }
            CliError::Diverged => CliError::FactorsDiverged,
            error => error,
        }
    }
}

impl AlsProgram {
    /// Checks that the last sweep has solved its systems of equations, unless nobody wants to know or there is none.
    fn verify(
        &self,
        bipartite: &Bipartite,
        settings: Settings,
        fitted: &Fitted,
        progress: Progress,
    ) -> Option<Verification> {
        let is_finished = !matches!(fitted.report.status, Status::Cancelled | Status::Diverged);
        let _bar = progress.waiting("verifying");
        (is_finished && !self.report.no_verify).then(|| verify(bipartite, settings, &fitted.before, &fitted.factors))
    }

    fn limits(&self) -> Limits {
        let FitOptions { sweeps, tolerance, at_once, .. } = self.fit;
        Limits { sweeps, tolerance: tolerance.into(), at_once, verified: !self.report.no_verify }
    }

    fn recommend(&self, input: &RatingsInput, factors: &Factors, user: u32) -> Vec<Recommended> {
        let known = input.split.train.of_user(user);
        let factors = predicting(input, factors);
        let top = Ranking::new(&input.bipartite, &factors).top(factors.row(user), known, self.top);
        let named = |(item, score): (u32, f32)| {
            let item = input.catalog.items.name(item).to_owned();
            Recommended { title: input.titles.title(&item).map(str::to_owned), item, score }
        };
        top.into_iter().map(named).collect()
    }
}

/// Refuses factors that no model fits, before room is made for them.
fn check_features(features: usize) -> Result<(), CliError> {
    let widest = Model::GREATEST_FEATURES;
    if (1..=widest).contains(&features) { Ok(()) } else { Err(CliError::Features { features, widest }) }
}

/// Refuses steps towards what is to be solved.
fn check_steps(fit: &FitOptions) -> Result<(), CliError> {
    if fit.steps.is_some() && fit.solver == Solver::Cholesky { Err(CliError::StepsAndCholesky) } else { Ok(()) }
}

/// Factors whose products are the ratings, with what was taken from them.
fn predicting(input: &RatingsInput, factors: &Factors) -> Factors {
    input.baseline.extended(&input.bipartite, factors)
}

fn find_user(input: &RatingsInput, user: &str) -> Result<u32, CliError> {
    let unknown = || CliError::UnknownUser { user: user.to_owned(), ratings: input.name.clone() };
    input.catalog.users.find(user).ok_or_else(unknown)
}

/// What the factors are worth after a sweep.
fn rate(input: &RatingsInput, settings: Settings, factors: &Factors, number: usize) -> Sweep {
    let (bipartite, split) = (&input.bipartite, &input.split);
    let objective = metric::objective(bipartite, &settings, factors);
    let (mut errors, mut recall) = (None, None);
    match settings.feedback {
        Feedback::Explicit => errors = input.baseline.errors(bipartite, factors, &split.test),
        Feedback::Implicit { .. } => recall = metric::recall(bipartite, factors, &split.train, &split.test, RECALL_AT),
    }
    Sweep { number, objective, errors, recall }
}

/// Whose system had no solution, when a factor is no number.
fn singular(input: &RatingsInput, settings: Settings, factors: &Factors) -> CliError {
    let vertices = 0..input.bipartite.graph.vertex_count() as u32;
    let bad = vertices.into_iter().find(|vertex| factors.row(*vertex).iter().any(|value| !value.is_finite()));
    named(input, SolveError::Singular { vertex: bad.unwrap_or_default(), lambda: settings.lambda })
}

/// Says the id of whom an error is about.
fn named(input: &RatingsInput, error: SolveError) -> CliError {
    let SolveError::Singular { vertex, lambda } = error else { return error.into() };
    let side = input.bipartite.side(vertex);
    let name = match side {
        Side::Users => input.catalog.users.name(vertex),
        Side::Items => input.catalog.items.name(vertex - input.bipartite.users() as u32),
    };
    CliError::Singular { side, name: name.to_owned(), lambda }
}

/// A finite number.
fn finite(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|number: &f32| number.is_finite()).ok_or_else(|| "a finite number is needed".to_owned())
}
