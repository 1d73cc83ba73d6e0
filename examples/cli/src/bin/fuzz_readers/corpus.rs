//! Files that are right: small ones, and pieces of real ones.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use onyx_examples::markov::{MarkovNetwork, tokens, uai};
use onyx_runtime::graph::{GraphBuilder, VertexIds};
use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;
use tempfile::TempDir;

use crate::target::Target;

/// Pieces of real files have about this many bytes.
const PIECE: usize = 3000;
/// The variables of a model in a row.
const CHAIN: usize = 6;
/// How many pieces are taken of a real file.
const PIECES: usize = 4;

/// The model that evidence and marginals are of.
const MODEL: &[u8] = b"MARKOV\n3\n2 2 3\n4\n1 0\n2 0 1\n2 1 2\n0\n2 0.4 0.6\n4 1 2 3 4\n6 1 0 2 0 3 1e-3\n1 0.5\n";

/// Small files for each reader.
#[rustfmt::skip]
const SMALL: &[(Target, &[&[u8]])] = &[
    (Target::EdgeList, &[
        b"1 2\n2 3\n3 1\n", b"# a comment\n5\t7\n7\t5\n\n5,5\n", b"0 1 0.5\n1 0 0.5\n4 4 2\n", b"18446744073709551615 0\n5000000000 7\n",
        b"1 2 -1e-3\r\n2 1 -1e-3\r\n", b"",
    ]),
    (Target::MatrixMarket, &[
        b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 1\n",
        b"%%MatrixMarket matrix coordinate real symmetric\n% x\n4 4 3\n2 1 0.5\n3 3 1\n4 1 -2\n",
        b"%%matrixmarket MATRIX coordinate integer general\n2 2 1\n1 2 3\n",
    ]),
    (Target::Model, &[MODEL, b"BAYES\n2\n2 2\n2\n1 0\n2 0 1\n\n2\n0.3 0.7\n\n4\n0.9 0.1 0.2 0.8\n", b"MARKOV\n1\n1\n0\n"]),
    (Target::Evidence, &[b"1 0 1\n", b"1\n2 0 1 2 2\n", b"0\n", b""]),
    (Target::Marginals, &[b"MAR\n3 2 0.5 0.5 2 0.25 0.75 3 0.2 0.3 0.5\n"]),
    (Target::Ratings, &[
        b"userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n7,31,-4,1\n1,31,3,2\n", b"1::31::2.5::9\n7::31::4::8\n", b"1\t2\t3\n2\t2\t1\n",
        b"a;b;1\n\"c\";\"d;e\";2\n", b"0 0 1 5\n1 0 7\n2\n", b"ann,\"Up, 2009\",5\n",
    ]),
    (Target::Titles, &[b"movieId,title\n11,\"President, The (1995)\",Comedy\n12,\"\"\"Hi\"\"\",Drama\n", b"1::Toy Story (1995)::Animation\n"]),
    (Target::Labels, &[b"1 0\n2 1\n9 3\n", b"1,0\n2,5\n", b"0\n1\n0\n2\n1\n0\n1\n0\n1\n0\n1\n0\n", b"# none\n3\t127\n"]),
    (Target::Vectors, &[b"1 2 0.5 1\n2 1 0.5 1\n2 3 0 0\n", b"4,5,1\n5,4,1\n"]),
    (Target::Matrices, &[b"1 2 1 2 3 4\n2 1 1 3 2 4\n3 3 0 0 0 1\n", b"1 2 1\n2 3 -1\n"]),
    (Target::Rows, &[b"1 0.5\n2 1\n", b"3 1\n# x\n4 0\n"]),
    (Target::Weights, &[b"1 0.5\n2 1\n", b"7,3\n"]),
    (Target::SmallGraphs, &[b"2\n3 1\n7 2 1 2\n0 2 0 2\n7 1 0\n1 -1\n-2 0\n", b"1\n2 0\n0 1 1\n0 1 0\n", b"0\n"]),
];

/// Real files for each reader, by their folder and what their names contain.
const REAL: &[(Target, &str, &str)] = &[
    (Target::EdgeList, "snap", ".txt"),
    (Target::MatrixMarket, "mtx", ".mtx"),
    (Target::Model, "uai", ".uai.gz"),
    (Target::Evidence, "uai", ".evid.gz"),
    (Target::Marginals, "uai", ".MAR.gz"),
    (Target::Ratings, "ratings", ".gz"),
    (Target::Labels, "cora", ".labels.txt"),
    (Target::Labels, "pubmed", ".labels.txt"),
    (Target::Vectors, "snap", "email-Eu-core"),
    (Target::Matrices, "mtx", "west"),
    (Target::Titles, "ratings", "jester"),
    (Target::SmallGraphs, "graphs", "MUTAG"),
];

/// Files of each reader.
type Files = BTreeMap<Target, Vec<Vec<u8>>>;

/// Files that are right, and what readers need besides.
pub struct Corpus {
    small: Files,
    /// Pieces of real files; none where there is no data.
    real: Files,
    /// Where caches are written to be read.
    pub folder: TempDir,
    /// The vertices that labels and rows are for.
    pub ids: VertexIds,
    /// The model that evidence and marginals are of.
    pub network: MarkovNetwork,
}

impl Corpus {
    /// Small files, and pieces of those in the folder `data`.
    pub fn new(data: Option<PathBuf>) -> Result<Self, Box<dyn Error>> {
        let small = SMALL.iter().map(|(target, files)| (*target, files.iter().map(|file| file.to_vec()).collect()));
        let (mut small, mut real): (Files, Files) = (small.collect(), Files::new());
        small.entry(Target::Model).or_default().push(chain());
        for (target, folder, part) in REAL.iter().filter(|_| data.is_some()) {
            let folder = data.as_deref().unwrap_or(Path::new(".")).join(folder);
            real.entry(*target).or_default().extend(pieces(&folder, part)?);
        }
        let shared = Path::new("/dev/shm");
        let folder = if shared.is_dir() { TempDir::new_in(shared)? } else { TempDir::new()? };
        small.insert(Target::Cache, caches(folder.path())?);
        let network = uai::parse(&tokens::Text::new(Text::new("model", MODEL, UNWATCHED)?))?;
        let ids = VertexIds::Dense { first: 0, count: 12 };
        Ok(Self { small, real, folder, ids, network })
    }

    /// Whether there are pieces of real files.
    pub fn is_real(&self) -> bool {
        !self.real.is_empty()
    }

    /// The files for a reader: small ones, or pieces of real ones if those are asked for and there are any.
    pub fn files(&self, target: Target, are_real: bool) -> &[Vec<u8>] {
        self.real.get(&target).filter(|_| are_real).unwrap_or(&self.small[&target])
    }
}

/// Pieces of the files in `folder` whose names contain `part`.
fn pieces(folder: &Path, part: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let mut pieces = Vec::new();
    for path in paths.iter().filter(|path| path.to_string_lossy().contains(part)) {
        let text = Text::open(path, UNWATCHED)?;
        pieces.extend((0..PIECES).map(|piece| cut(text.bytes(), piece)));
    }
    Ok(pieces)
}

/// A piece of a text that begins and ends with lines; the first one begins where the text does.
fn cut(text: &[u8], piece: usize) -> Vec<u8> {
    let line_end =
        |place: usize| text[place..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| place + end + 1);
    let begin = if piece == 0 { 0 } else { line_end(text.len() * piece / PIECES) };
    text[begin..line_end((begin + PIECE).min(text.len()))].to_vec()
}

/// A model of variables in a row, each with a unary factor and one with the next.
fn chain() -> Vec<u8> {
    let states = |variable: usize| 2 + variable % 2;
    let numbers = |count: usize| (0..count).map(|number| format!(" 0.{}", number + 1)).collect::<String>();
    let variables = 0..CHAIN;
    let mut text = format!("MARKOV\n{CHAIN}\n");
    text.extend(variables.clone().map(|variable| format!("{} ", states(variable))));
    text += &format!("\n{}\n", 2 * CHAIN - 1);
    text.extend(variables.clone().map(|variable| format!("1 {variable}\n")));
    text.extend((1..CHAIN).map(|variable| format!("2 {} {variable}\n", variable - 1)));
    text.extend(variables.map(|variable| format!("{}{}\n", states(variable), numbers(states(variable)))));
    let sizes = (1..CHAIN).map(|variable| states(variable - 1) * states(variable));
    text.extend(sizes.map(|size| format!("{size}{}\n", numbers(size))));
    text.into_bytes()
}

/// Caches of small graphs.
fn caches(folder: &Path) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let edges = vec![(0, 1), (1, 2), (0, 2), (4, 0), (3, 3)];
    let builder = GraphBuilder::new().vertices(5).edges(edges);
    let weighted = builder.clone().weights(vec![1.0, 2.0, 3.0, 4.0, 5.0]).build()?;
    let path = folder.join("graph");
    let mut files = Vec::new();
    for graph in [weighted, builder.clone().undirected(true).build()?, builder.build()?, GraphBuilder::new().build()?] {
        graph.save(&path)?;
        files.push(fs::read(&path)?);
    }
    Ok(files)
}

/// Every reader has files to begin with.
#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_reader_has_files_that_it_accepts() {
        let corpus = Corpus::new(None).unwrap();
        for target in Target::value_variants() {
            let accepted = corpus.files(*target, false).iter().filter(|file| {
                let case =
                    crate::target::Case { target: *target, content: file.to_vec(), undirected: false, features: None };
                case.read(&corpus) == crate::target::Reading::Accepted
            });
            assert!(accepted.count() > 0, "{target:?}");
        }
    }
}
