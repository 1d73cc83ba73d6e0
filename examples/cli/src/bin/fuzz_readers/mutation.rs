//! Damage at random.

use std::io::Write;
use std::ops::Range;

use clap::ValueEnum;
use flate2::Compression;
use flate2::write::GzEncoder;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::corpus::Corpus;
use crate::dictionary::{NUMBERS, WORDS};
use crate::target::{Case, Target};

/// Inputs are cut to this many bytes, but for a few that are read in several parts.
const LONGEST: usize = 1 << 14;
/// The length of those few.
const LONG: usize = 5 << 18;
/// One in so many is one of them.
const RARELY: u32 = 5000;

/// What an input is drawn from.
pub struct Mutation {
    random: Pcg64Mcg,
}

impl Mutation {
    /// What draws input `number` of a `seed`.
    pub fn new(seed: u64, number: u64) -> Self {
        let mixed = (seed ^ number.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number;
        Self { random: Pcg64Mcg::seed_from_u64(mixed) }
    }

    /// The reader that gets it.
    pub fn target(&mut self) -> Target {
        let targets = Target::value_variants();
        targets[self.below(targets.len())]
    }

    /// The input for a reader, with its options.
    pub fn case(&mut self, target: Target, corpus: &Corpus) -> Case {
        let mut content = self.piece(target, corpus);
        let count = self.below(6);
        (0..count).for_each(|_| self.damage(&mut content, target, corpus));
        content.truncate(LONGEST);
        if self.random.random_ratio(1, RARELY) && !content.is_empty() {
            content = content.iter().copied().cycle().take(LONG).collect();
            self.damage(&mut content, target, corpus);
        }
        let content = self.finished(content, target);
        let features = Some(1 + self.below(3)).filter(|_| self.random.random_ratio(1, 4));
        Case { target, content, undirected: self.random.random(), features }
    }

    /// A file, or a piece of one; of another reader's now and then.
    fn piece(&mut self, target: Target, corpus: &Corpus) -> Vec<u8> {
        let target = if self.random.random_ratio(1, 20) { self.target() } else { target };
        let files = corpus.files(target, self.random.random());
        files[self.below(files.len())].clone()
    }

    fn damage(&mut self, content: &mut Vec<u8>, target: Target, corpus: &Corpus) {
        match self.below(12) {
            0 | 1 => self.edit_number(content),
            2 => self.flip(content),
            3 => self.set(content),
            4 => drop(content.drain(self.range(content.len()))),
            5 => content.truncate(self.below(content.len() + 1)),
            6 => self.repeat(content),
            7 | 8 => {
                let word = WORDS[self.below(WORDS.len())];
                self.insert(content, word);
            }
            9 => {
                let number = NUMBERS[self.below(NUMBERS.len())];
                self.insert(content, &[b" ", number, b" "].concat());
            }
            10 => {
                let other = self.piece(target, corpus);
                let range = self.range(other.len());
                self.insert(content, &other[range]);
            }
            _ => self.exchange_lines(content),
        }
    }

    /// A number below `end`, which is 1 at least.
    fn below(&mut self, end: usize) -> usize {
        self.random.random_range(0..end)
    }

    /// A short range of places, mostly.
    fn range(&mut self, length: usize) -> Range<usize> {
        let begin = self.below(length + 1);
        let most = if self.random.random_ratio(1, 4) { length } else { 16 };
        begin..(begin + self.below(most + 1)).min(length)
    }

    fn flip(&mut self, content: &mut [u8]) {
        if !content.is_empty() {
            let place = self.below(content.len());
            content[place] ^= 1 << self.below(8);
        }
    }

    fn set(&mut self, content: &mut [u8]) {
        if !content.is_empty() {
            let place = self.below(content.len());
            content[place] = self.random.random();
        }
    }

    fn insert(&mut self, content: &mut Vec<u8>, bytes: &[u8]) {
        let place = self.below(content.len() + 1);
        content.splice(place..place, bytes.iter().copied());
    }

    fn repeat(&mut self, content: &mut Vec<u8>) {
        let range = self.range(content.len());
        let times = 1 + self.below(8);
        let bytes = content[range].repeat(times);
        self.insert(content, &bytes);
    }

    /// Puts another number in place of one, or of a part of one.
    fn edit_number(&mut self, content: &mut Vec<u8>) {
        if content.is_empty() {
            return;
        }
        let from = self.below(content.len());
        let Some(begin) = (from..content.len()).find(|place| content[*place].is_ascii_digit()) else { return };
        let end = (begin..content.len()).find(|place| !content[*place].is_ascii_digit()).unwrap_or(content.len());
        let number = NUMBERS[self.below(NUMBERS.len())];
        content.splice(begin..end, number.iter().copied());
    }

    fn exchange_lines(&mut self, content: &mut Vec<u8>) {
        let mut lines: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
        if !lines.is_empty() {
            let (one, other) = (self.below(lines.len()), self.below(lines.len()));
            lines.swap(one, other);
            *content = lines.concat();
        }
    }

    /// As it is, sealed if it is a cache, with a byte-order mark, or compressed; and damaged when it is.
    fn finished(&mut self, mut content: Vec<u8>, target: Target) -> Vec<u8> {
        if target == Target::Cache {
            return if self.random.random_ratio(3, 4) { crate::cache::sealed(content) } else { content };
        }
        if self.random.random_ratio(1, 30) {
            content.splice(0..0, "\u{feff}".bytes());
        }
        if self.random.random_ratio(1, 20) {
            content = compressed(&content);
            if self.random.random() {
                self.flip(&mut content);
            }
        }
        content
    }
}

fn compressed(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to a vector does not fail.
    let _ = encoder.write_all(content);
    encoder.finish().unwrap_or_default()
}
