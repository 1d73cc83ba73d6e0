//! The Markov network that belief propagation solves: of a model file, or of a noisy picture.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use super::error::CliError;
use super::options::seed;
use crate::image::denoise::Model;
use crate::image::{Picture, png, scene};
use onyx_examples::markov::{Beliefs, MarkovNetwork, evidence, marginals, uai};

/// The built-in picture, in pixels.
const SCENE: (u32, u32) = (160, 120);

/// Where the network comes from; without a model it is a picture's.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Network")]
pub struct NetworkOptions {
    /// A pairwise Markov network in UAI form, plain or gzip-compressed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["image", "out", "noisy", "states", "noise", "add_noise"])]
    pub model: Option<PathBuf>,
    /// The observed variables of the model, in UAI form; a blank file has none
    #[arg(long, value_name = "FILE", requires = "model")]
    pub evidence: Option<PathBuf>,
    /// The true marginals of the model, in UAI form, to compare with
    #[arg(long, value_name = "FILE", requires = "model")]
    pub marginals: Option<PathBuf>,
    /// A noisy PNG picture [default: a scene by a lake, built in, with noise put on it]
    #[arg(long, value_name = "FILE")]
    pub image: Option<PathBuf>,
    /// Where the denoised picture goes, as PNG
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where the noisy picture goes, as PNG
    #[arg(long, value_name = "FILE")]
    pub noisy: Option<PathBuf>,
    /// The grey levels of each channel of the picture, 2 to 64
    #[arg(long, value_name = "NUMBER", default_value_t = 16, allow_negative_numbers = true)]
    pub states: usize,
    /// The standard deviation of the picture's noise, in steps of 1 of 255
    #[arg(long, value_name = "NUMBER", default_value_t = 25.0, value_parser = super::options::positive,
          allow_negative_numbers = true)]
    pub noise: f32,
    /// Take the picture for a clean one, put the noise on it, and say how much of it goes
    #[arg(long, requires = "image")]
    pub add_noise: bool,
    /// The seed of the noise
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true, value_parser = seed)]
    pub seed: u64,
}

/// A network with what is known of it.
#[derive(Debug)]
pub struct NetworkInput {
    /// Where it comes from, in words.
    pub name: String,
    /// The network, its evidence clamped.
    pub network: MarkovNetwork,
    /// What else there is.
    pub origin: Origin,
    /// How long it took to load.
    pub load: Duration,
}

/// What a network stands for.
#[derive(Debug)]
pub enum Origin {
    /// A model file.
    Model {
        /// How many variables are observed.
        observed: usize,
        /// The true marginals.
        marginals: Option<Beliefs>,
    },
    /// A picture.
    Picture {
        /// With its noise.
        noisy: Picture,
        /// Without, where that is known.
        clean: Option<Picture>,
        /// What its network was made by.
        model: Model,
    },
}

impl NetworkOptions {
    /// Loads the network.
    ///
    /// # Errors
    /// A file cannot be read, or does not say what it should.
    pub fn load(&self) -> Result<NetworkInput, CliError> {
        let start = Instant::now();
        let (network, origin) = match &self.model {
            Some(path) => self.load_model(path)?,
            None => self.load_picture()?,
        };
        Ok(NetworkInput { name: self.name(), network, origin, load: start.elapsed() })
    }

    /// Where the network comes from, in words.
    pub fn name(&self) -> String {
        let path = self.model.as_ref().or(self.image.as_ref());
        path.map_or_else(|| "the built-in picture".to_owned(), |path| path.display().to_string())
    }

    fn load_model(&self, path: &Path) -> Result<(MarkovNetwork, Origin), CliError> {
        let mut network = uai::read(path)?;
        let observed = match &self.evidence {
            Some(path) => evidence::clamp(path, &mut network)?,
            None => 0,
        };
        let marginals = self.marginals.as_ref().map(|path| marginals::read(path, &network)).transpose()?;
        Ok((network, Origin::Model { observed, marginals }))
    }

    fn load_picture(&self) -> Result<(MarkovNetwork, Origin), CliError> {
        let deviation = f64::from(self.noise);
        let model = Model::new(self.states, deviation);
        let check = |width, height, channels| model.check_memory(width, height, channels);
        let picture = match &self.image {
            Some(path) => png::read(path, check)?,
            None => scene::draw(SCENE.0, SCENE.1),
        };
        let (noisy, clean) = if self.image.is_none() || self.add_noise {
            (scene::with_noise(&picture, deviation, self.seed), Some(picture))
        } else {
            (picture, None)
        };
        let network = model.network(&noisy)?;
        Ok((network, Origin::Picture { noisy, clean, model }))
    }
}
