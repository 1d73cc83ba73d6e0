//! Finds out which defaults of alternating least squares predict ratings well: a grid of settings on drawn ratings, or those of a file.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Parser;
use onyx_cli::options::count;
use onyx_examples::als::{Model, verify};
use onyx_examples::ratings::baseline::{Baseline, Expected};
use onyx_examples::ratings::read::read;
use onyx_examples::ratings::split::Split;
use onyx_examples::ratings::stars::Stars;
use onyx_examples::ratings::{Bipartite, Catalog, Factors, Settings, metric};
use onyx_runtime::{Backend, Options};

/// Fit a part of the ratings with every combination of settings, predict the others, and print CSV.
#[derive(Parser)]
struct Arguments {
    /// A file of ratings; without one, ratings from one to five stars are drawn.
    #[arg(long)]
    ratings: Option<PathBuf>,
    /// The numbers in a factor.
    #[arg(long, value_delimiter = ',', default_value = "8,16,32")]
    features: Vec<usize>,
    /// What is taken from ratings before: effects, mean or zero.
    #[arg(long, value_delimiter = ',', default_value = "effects,mean,zero")]
    baseline: Vec<Expected>,
    /// Parts of the ratings' deviation that hold a factor back for each of its ratings.
    #[arg(long, value_delimiter = ',', default_value = "0.01,0.02,0.04,0.06,0.08,0.1,0.12,0.15,0.2")]
    weighted: Vec<f64>,
    /// Parts of the ratings' deviation that hold a factor back once.
    #[arg(long, value_delimiter = ',', default_value = "0.1,1,3,6,10,20")]
    once: Vec<f64>,
    /// Sweeps.
    #[arg(long, default_value_t = 20, value_parser = count)]
    sweeps: usize,
    /// Seeds of the drawn ratings, of what is set apart to test with, and of the first factors.
    #[arg(long, value_delimiter = ',', default_value = "0,1")]
    seeds: Vec<u64>,
}

/// Ratings to fit and to predict, less nothing.
struct Problem {
    name: String,
    split: Split,
    catalog: Catalog,
    seed: u64,
}

/// What a run has come to.
struct Outcome {
    /// The error after each sweep.
    errors: Vec<f64>,
    is_verified: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    println!(
        "ratings,train,test,seed,deviation,rmse_of_mean,features,baseline,weighted,part,lambda,rmse_5,rmse_10,rmse_last,verified"
    );
    for &seed in &arguments.seeds {
        let problem = arguments.problem(seed)?;
        for &expected in &arguments.baseline {
            for &features in &arguments.features {
                for part in &arguments.weighted {
                    arguments.row(&problem, expected, features, *part, true)?;
                }
                for part in &arguments.once {
                    arguments.row(&problem, expected, features, *part, false)?;
                }
            }
        }
    }
    Ok(())
}

impl Arguments {
    fn problem(&self, seed: u64) -> Result<Problem, Box<dyn Error>> {
        let mut catalog = Catalog::default();
        let (name, table) = match &self.ratings {
            Some(path) => {
                (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), read(path, &mut catalog)?.0)
            }
            None => {
                let (table, names) = Stars { seed, ..Stars::default() }.draw()?;
                catalog = names;
                ("drawn stars".to_owned(), table)
            }
        };
        Ok(Problem { name, split: Split::by_rating(&table, 0.1, seed)?, catalog, seed })
    }

    fn row(
        &self,
        problem: &Problem,
        expected: Expected,
        features: usize,
        part: f64,
        weighted: bool,
    ) -> Result<(), Box<dyn Error>> {
        let Problem { name, split, seed, .. } = problem;
        let deviation = split.train.deviation();
        let settings =
            Settings { features, lambda: (part * deviation) as f32, weighted, seed: *seed, ..Settings::default() };
        let Outcome { errors, is_verified } = self.fit(problem, expected, settings)?;
        let after = |sweep: usize| errors[sweep.min(errors.len()) - 1];
        let of_mean =
            metric::errors_of_mean(&split.train, &split.test).map_or(f64::NAN, |errors| errors.root_mean_square);
        let expected = format!("{expected:?}").to_lowercase();
        println!(
            "{name},{},{},{seed},{deviation:.4},{of_mean:.4},{features},{expected},{weighted},{part},{:.4},{:.4},{:.4},{:.4},{is_verified}",
            split.train.len(),
            split.test.len(),
            settings.lambda,
            after(5),
            after(10),
            after(self.sweeps)
        );
        Ok(())
    }

    fn fit(&self, problem: &Problem, expected: Expected, settings: Settings) -> Result<Outcome, Box<dyn Error>> {
        let Problem { split, catalog, .. } = problem;
        let (users, items) = (catalog.users.len(), catalog.items.len());
        let baseline = Baseline::learn(expected, &split.train, users, items)?;
        let bipartite = Bipartite::new(&baseline.left(&split.train)?, users, items)?;
        let mut after = Factors::start(&bipartite, &settings);
        let options = Options { backend: Backend::Cpu, ..Options::default() };
        let mut model = Model::new(&bipartite, settings, &after, &options)?;
        let (mut errors, mut is_verified) = (Vec::new(), true);
        for sweep in 1..=self.sweeps {
            model.sweep(1, &options, &mut |_| ControlFlow::Continue(()))?;
            let before = std::mem::replace(&mut after, model.factors()?);
            let found = baseline.errors(&bipartite, &after, &split.test);
            errors.push(found.map_or(f64::NAN, |errors| errors.root_mean_square));
            is_verified = sweep < self.sweeps || verify(&bipartite, settings, &before, &after).agrees();
        }
        Ok(Outcome { errors, is_verified })
    }
}
