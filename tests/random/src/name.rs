//! What a program is made from: enough to make it again.

use std::fmt;
use std::str::FromStr;

/// What programs of a kind may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// All that the reference promises, but for what the other styles are for.
    Plain,
    /// In a fold that might be pushed, vertex functions depend on what they have left themselves, in properties whose change they do not report.
    History,
    /// Functions use the number of features, `K`.
    Width,
    /// In a fold that might be pushed, vertex functions return nearly whether they have changed what neighbors read.
    Near,
    /// There are tables, whose rows are read by the numbers of vertices and edges.
    Tables,
    /// Features of vertices and edges lie in memory in half precision.
    Halves,
    /// There are rows of another width, of which features are made by a matrix of the graph.
    Inputs,
    /// Rows are heads, each with numbers of its own.
    Heads,
    /// Edge functions reduce into the sources of their edges.
    Outward,
    /// Totals are means, sums weighted by a softmax, and logarithms of sums of exponentials.
    States,
    /// Functions add to numbers and rows of the graph, and read them.
    Totals,
    /// Scalars of vertices and edges are integers.
    Integers,
    /// Functions read at vertices, and rows of tables, whose numbers they compute.
    Gathers,
}

const STYLES: [(&str, Style); 13] = [
    ("plain", Style::Plain),
    ("history", Style::History),
    ("width", Style::Width),
    ("near", Style::Near),
    ("tables", Style::Tables),
    ("halves", Style::Halves),
    ("inputs", Style::Inputs),
    ("heads", Style::Heads),
    ("outward", Style::Outward),
    ("states", Style::States),
    ("totals", Style::Totals),
    ("integers", Style::Integers),
    ("gathers", Style::Gathers),
];

/// The name of a program, such as `plain:12`, or `plain:12:7.0` after two cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// What it may do.
    pub style: Style,
    /// What it is drawn by.
    pub seed: u64,
    /// What was cut off it, one cut after the other: see [`crate::cut`].
    pub cuts: Vec<usize>,
}

impl Name {
    /// A program as it was drawn.
    pub fn new(style: Style, seed: u64) -> Self {
        Self { style, seed, cuts: Vec::new() }
    }

    /// The program after one more cut.
    pub fn cut(&self, number: usize) -> Self {
        let mut name = self.clone();
        name.cuts.push(number);
        name
    }

    /// The names of a list, in which `plain:3..7` stands for four programs. Lists have commas or lines; what follows a `#` is left out.
    ///
    /// # Errors
    /// What is no name.
    pub fn list(text: &str) -> Result<Vec<Self>, String> {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let items = lines.flat_map(|line| line.split(',')).map(str::trim).filter(|item| !item.is_empty());
        let names: Result<Vec<Vec<Self>>, String> = items.map(Self::range).collect();
        Ok(names?.concat())
    }

    fn range(text: &str) -> Result<Vec<Self>, String> {
        let Some((first, last)) = text.split_once("..") else { return Ok(vec![text.parse()?]) };
        let first: Self = first.parse()?;
        let last: u64 = last.parse().map_err(|_| format!("\"{text}\" names no programs: write such as plain:3..7"))?;
        Ok((first.seed..last).map(|seed| Self::new(first.style, seed)).collect())
    }

    /// The name as a part of Rust names.
    pub fn identifier(&self) -> String {
        self.to_string().replace([':', '.'], "_")
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = STYLES.iter().find(|(_, style)| *style == self.style).map_or("", |(name, _)| name);
        write!(f, "{style}:{}", self.seed)?;
        for (position, cut) in self.cuts.iter().enumerate() {
            write!(f, "{}{cut}", if position == 0 { ':' } else { '.' })?;
        }
        Ok(())
    }
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" names no program: write such as plain:12 or history:3:7.0");
        let mut parts = text.split(':');
        let style = parts.next().and_then(|part| STYLES.iter().find(|(name, _)| *name == part));
        let style = style.ok_or_else(wrong)?.1;
        let seed = parts.next().and_then(|part| part.parse().ok()).ok_or_else(wrong)?;
        let cuts = parts.next().map_or(Ok(Vec::new()), |part| part.split('.').map(str::parse).collect());
        Ok(Self { style, seed, cuts: cuts.map_err(|_| wrong())? })
    }
}
