//! What the rows of every CSV come to: a work that was timed by us and by peers.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::rows::Rows;
use crate::statistics::{geometric_mean, median};

/// How the rows of a CSV compare; `tables.toml` says what each is.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    #[default]
    What,
    Peers,
    Networks,
    Variants,
    Readers,
}

/// One thing that was done, on one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub work: String,
    pub graph: String,
    pub features: String,
    pub size: Option<Size>,
    /// Our milliseconds.
    pub ours: f64,
    /// The peers with their milliseconds.
    pub peers: Vec<(String, f64)>,
}

/// How much was done, where the CSV says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    pub vertices: f64,
    pub edges: f64,
    pub iterations: f64,
}

/// A peer that did not run: its cell, its name, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    pub cell: String,
    pub peer: String,
    pub reason: String,
}

/// What one peer comes to over all of its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    pub peer: String,
    pub ratios: Vec<f64>,
}

/// A time of one row: of what, by whom.
pub struct Time {
    pub work: String,
    pub graph: String,
    pub features: String,
    pub size: Option<Size>,
    /// `None` where it is ours.
    pub peer: Option<String>,
    pub milliseconds: f64,
}

impl Cell {
    /// What it is called.
    pub fn name(&self) -> String {
        name(&self.work, &self.graph, &self.features)
    }

    /// The fastest peer and its milliseconds.
    pub fn fastest(&self) -> (&str, f64) {
        let fastest = self.peers.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("a cell has a peer");
        (&fastest.0, fastest.1)
    }

    /// The fastest peer's time over ours: above 1, we are ahead.
    pub fn ratio(&self) -> f64 {
        self.fastest().1 / self.ours
    }

    /// How many peers are faster.
    pub fn ahead(&self) -> usize {
        self.peers.iter().filter(|peer| peer.1 < self.ours).count()
    }
}

impl Standing {
    pub fn mean(&self) -> f64 {
        geometric_mean(&self.ratios)
    }

    pub fn least(&self) -> f64 {
        self.ratios.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// In how many cells it is faster.
    pub fn ahead(&self) -> usize {
        self.ratios.iter().filter(|ratio| **ratio < 1.0).count()
    }
}

/// What a cell is called.
pub fn name(work: &str, graph: &str, features: &str) -> String {
    let features = if features.is_empty() { String::new() } else { format!(", K = {features}") };
    format!("{work}, {graph}{features}")
}

/// How each peer stands, in the order in which they come.
pub fn standings(cells: &[Cell]) -> Vec<Standing> {
    let mut found: Vec<Standing> = Vec::new();
    for (cell, (peer, time)) in cells.iter().flat_map(|cell| cell.peers.iter().map(move |peer| (cell, peer))) {
        let ratio = time / cell.ours;
        match found.iter_mut().find(|standing| standing.peer == *peer) {
            Some(standing) => standing.ratios.push(ratio),
            None => found.push(Standing { peer: peer.clone(), ratios: vec![ratio] }),
        }
    }
    found
}

/// Puts together the times of each cell, in the order in which they come; of several times of one, the median counts. A work that only we,
/// or only a peer has done is no cell.
pub fn gathered(rows: &Rows, times: Vec<Time>) -> Result<Vec<Cell>> {
    let mut groups: Vec<Vec<Time>> = Vec::new();
    for time in times {
        let is_same = |group: &&mut Vec<Time>| {
            let first = &group[0];
            (&first.work, &first.graph, &first.features) == (&time.work, &time.graph, &time.features)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(time),
            None => groups.push(vec![time]),
        }
    }
    let cells: Vec<Cell> = groups.into_iter().filter_map(cell).collect();
    let wanted = "a time of ours and one of a peer of the same work".to_owned();
    if cells.is_empty() { Err(Error::NothingCompared { name: rows.name.clone(), wanted }) } else { Ok(cells) }
}

fn cell(group: Vec<Time>) -> Option<Cell> {
    let of = |peer: Option<&String>| -> Vec<f64> {
        group.iter().filter(|time| time.peer.as_ref() == peer).map(|time| time.milliseconds).collect()
    };
    let ours = of(None);
    let mut names: Vec<&String> = Vec::new();
    for name in group.iter().filter_map(|time| time.peer.as_ref()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if ours.is_empty() || names.is_empty() {
        return None;
    }
    let peers = names.into_iter().map(|name| (name.clone(), median(&of(Some(name))))).collect();
    let Time { work, graph, features, size, .. } = &group[0];
    let (work, graph, features) = (work.clone(), graph.clone(), features.clone());
    Some(Cell { work, graph, features, size: *size, ours: median(&ours), peers })
}

#[cfg(test)]
mod tests {
    use super::{Cell, Time, gathered, standings};
    use crate::rows::Rows;

    fn time(graph: &str, peer: Option<&str>, milliseconds: f64) -> Time {
        let (work, features) = ("w".to_owned(), String::new());
        Time { work, graph: graph.to_owned(), features, size: None, peer: peer.map(str::to_owned), milliseconds }
    }

    fn cells(times: Vec<Time>) -> Vec<Cell> {
        gathered(&Rows::default(), times).unwrap()
    }

    #[test]
    fn times_of_one_work_are_one_cell() {
        let times = vec![
            time("g", None, 2.0),
            time("g", Some("a"), 3.0),
            time("h", None, 1.0),
            time("g", Some("b"), 1.0),
            time("g", None, 4.0),
            time("i", Some("a"), 9.0),
        ];
        let cells = cells(times);
        assert_eq!(cells.len(), 1, "{cells:?}");
        assert_eq!((cells[0].ours, cells[0].fastest(), cells[0].ahead()), (3.0, ("b", 1.0), 1));
    }

    #[test]
    fn peers_stand_over_all_of_their_cells() {
        let times = vec![
            time("g", None, 1.0),
            time("g", Some("a"), 4.0),
            time("h", None, 2.0),
            time("h", Some("a"), 0.5),
            time("h", Some("b"), 2.0),
        ];
        let standings = standings(&cells(times));
        assert_eq!((standings[0].mean(), standings[0].least(), standings[0].ahead()), (1.0, 0.25, 1));
        assert_eq!((standings[1].peer.as_str(), standings[1].ahead()), ("b", 0));
    }

    #[test]
    fn a_csv_without_peers_is_refused() {
        assert!(gathered(&Rows::default(), vec![time("g", None, 1.0)]).is_err());
    }
}
