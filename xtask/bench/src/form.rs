//! How the rows of each form of CSV become cells.

use crate::cell::{Absent, Cell, Form, Size, Time, gathered, name};
use crate::error::Result;
use crate::rows::{Role, Rows};
use crate::section::Table;

/// The cells of a CSV, and the peers that did not run.
pub fn cells(table: &Table, rows: &Rows) -> Result<(Vec<Cell>, Vec<Absent>)> {
    let times = match table.form {
        Form::What => what(table, rows)?,
        Form::Peers => peers(rows)?,
        Form::Networks => networks(rows)?,
        Form::Variants => variants(rows)?,
        Form::Readers => readers(table, rows)?,
    };
    let absent = if table.form == Form::Peers { absent(rows)? } else { Vec::new() };
    Ok((gathered(rows, times)?, absent))
}

/// Rows of ours and of peers, told apart by the column `what`; other ways of ours are left out.
fn what(table: &Table, rows: &Rows) -> Result<Vec<Time>> {
    let [graph, features, what, time] = columns(rows, ["graph", "features", "what", "median_ms"])?;
    let is_ours = |name: &str| name == table.ours;
    let is_other_way = |name: &str| name.starts_with("onyx") && !is_ours(name);
    let taken = (0..rows.records.len()).filter(|&row| !is_other_way(&rows.records[row][what]));
    let read = |row: usize| {
        let record = &rows.records[row];
        let peer = (!is_ours(&record[what])).then(|| record[what].clone());
        let of = [table.work.clone(), record[graph].clone(), record[features].clone()];
        timed(rows, row, of, peer, (time, 1.0))
    };
    taken.map(read).filter_map(Result::transpose).collect()
}

/// A row for each peer, with the seconds of both sides.
fn peers(rows: &Rows) -> Result<Vec<Time>> {
    let [work, graph, features, ours, peer, theirs] =
        columns(rows, ["algorithm", "graph", "features", "ours_seconds", "peer", "peer_seconds"])?;
    let mut times = Vec::new();
    for row in 0..rows.records.len() {
        let record = &rows.records[row];
        let of = [work, graph, features].map(|column| record[column].clone());
        if rows.number(row, theirs)?.is_some() {
            times.extend(timed(rows, row, of.clone(), None, (ours, 1e3))?);
            times.extend(timed(rows, row, of, Some(record[peer].clone()), (theirs, 1e3))?);
        }
    }
    Ok(times)
}

/// The peers without seconds, and why they have none.
fn absent(rows: &Rows) -> Result<Vec<Absent>> {
    let [work, graph, features, peer, theirs, reason] =
        columns(rows, ["algorithm", "graph", "features", "peer", "peer_seconds", "difference"])?;
    let without = rows.records.iter().filter(|record| record[theirs].is_empty());
    let absent = without.map(|record| Absent {
        cell: name(&record[work], &record[graph], &record[features]),
        peer: record[peer].clone(),
        reason: record[reason].clone(),
    });
    Ok(absent.collect())
}

/// Inference and steps of each way to run a network.
fn networks(rows: &Rows) -> Result<Vec<Time>> {
    let [model, graph, features, way, inference, step] =
        columns(rows, ["model", "graph", "features", "way", "ms_inference", "ms_step"])?;
    let mut times = Vec::new();
    for (name, time) in [("inference", inference), ("step", step)] {
        for row in 0..rows.records.len() {
            let record = &rows.records[row];
            let peer = (record[way] != "Onyx").then(|| record[way].clone());
            let of = [format!("{} {name}", record[model]), record[graph].clone(), record[features].clone()];
            times.extend(timed(rows, row, of, peer, (time, 1.0))?);
        }
    }
    Ok(times)
}

/// The ways to compile a program; all of a CSV are on one graph.
fn variants(rows: &Rows) -> Result<Vec<Time>> {
    let [program, vertices, edges, features, variant, time] =
        columns(rows, ["program", "vertices", "edges", "features", "variant", "median_ms"])?;
    let read = |row: usize| {
        let record = &rows.records[row];
        let peer = (record[variant] != "folded").then(|| record[variant].clone());
        let graph = format!("{} vertices and {} edges", record[vertices], record[edges]);
        timed(rows, row, [record[program].clone(), graph, record[features].clone()], peer, (time, 1.0))
    };
    (0..rows.records.len()).map(read).filter_map(Result::transpose).collect()
}

/// A column of milliseconds for each reader, and a row for each run; the row of medians is left out.
fn readers(table: &Table, rows: &Rows) -> Result<Vec<Time>> {
    let [run] = columns(rows, ["run"])?;
    let runs = (0..rows.records.len()).filter(|&row| rows.records[row][run] != "median");
    let mut times = Vec::new();
    for row in runs {
        for column in rows.of_role(Role::Measure) {
            let name = &rows.columns[column];
            let peer = (*name != table.ours).then(|| name.trim_end_matches("_ms").replace('_', " "));
            times.extend(timed(
                rows,
                row,
                ["reading".to_owned(), table.work.clone(), String::new()],
                peer,
                (column, 1.0),
            )?);
        }
    }
    Ok(times)
}

/// The time of a row; `None` where the field is empty. Its column comes with what makes milliseconds of it.
fn timed(
    rows: &Rows,
    row: usize,
    [work, graph, features]: [String; 3],
    peer: Option<String>,
    (column, factor): (usize, f64),
) -> Result<Option<Time>> {
    let number = |name: &str| rows.find(name).map_or(Ok(None), |column| rows.number(row, column));
    let iterations = number("iterations")?.unwrap_or(1.0);
    let size = number("vertices")?.zip(number("edges")?);
    let size = size.map(|(vertices, edges)| Size { vertices, edges, iterations });
    let time = rows.number(row, column)?.map(|time| time * factor);
    Ok(time.map(|milliseconds| Time { work, graph, features, size, peer, milliseconds }))
}

fn columns<const N: usize>(rows: &Rows, names: [&'static str; N]) -> Result<[usize; N]> {
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(names) {
        *place = rows.position(name)?;
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::cells;
    use crate::cell::{Absent, Cell, Form, Size};
    use crate::rows::Rows;
    use crate::section::Table;

    fn read(form: Form, ours: &str, text: &str) -> Result<(Vec<Cell>, Vec<Absent>), String> {
        let table = Table { form, ours: ours.to_owned(), work: "work".to_owned(), ..Table::default() };
        cells(&table, &Rows::parse("a.csv", text).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_tells_ours_from_peers() {
        let text =
            "graph,vertices,edges,features,what,median_ms\ng,2,3,4,onyx (0),2\ng,2,3,4,onyx (8),1\ng,2,3,4,theirs,5\n";
        let (cells, _) = read(Form::What, "onyx (0)", text).unwrap();
        let size = Size { vertices: 2.0, edges: 3.0, iterations: 1.0 };
        assert_eq!((cells.len(), cells[0].ours, cells[0].ratio(), cells[0].size), (1, 2.0, 2.5, Some(size)));
        assert_eq!(cells[0].name(), "work, g, K = 4");
        assert!(read(Form::What, "ours", text).unwrap_err().contains("a.csv"));
    }

    #[test]
    fn peers_without_seconds_are_named() {
        let text = "algorithm,graph,features,ours_seconds,peer,peer_seconds,difference\n\
                    lp,g,4,0.002,torch,0.001,1e-7\nlp,g,4,0.002,pyg,0.004,1e-7\nlp,g,4,,other,,not there\n";
        let (cells, absent) = read(Form::Peers, "", text).unwrap();
        assert_eq!((cells.len(), cells[0].ours, cells[0].fastest(), cells[0].ahead()), (1, 2.0, ("torch", 1.0), 1));
        assert_eq!((absent.len(), &*absent[0].reason), (1, "not there"));
        assert_eq!(absent[0].cell, "lp, g, K = 4");
    }

    #[test]
    fn networks_are_timed_twice() {
        let text = "model,graph,features,way,ms_inference,ms_step\ngcn,g,4,Onyx,1,2\ngcn,g,4,PyG,3,1\ngcn,g,4,slow,,\n";
        let (cells, _) = read(Form::Networks, "", text).unwrap();
        let found: Vec<_> = cells.iter().map(|cell| (cell.work.as_str(), cell.ratio(), cell.peers.len())).collect();
        assert_eq!(found, [("gcn inference", 3.0, 1), ("gcn step", 0.5, 1)]);
    }

    #[test]
    fn folded_kernels_are_ours() {
        let text = "vertices,edges,features,program,variant,median_ms\n2,3,4,p,folded,2\n2,3,4,p,unfolded,3\n2,3,4,p,by hand,2\n";
        let (cells, _) = read(Form::Variants, "", text).unwrap();
        assert_eq!((cells[0].fastest(), cells[0].ahead()), (("by hand", 2.0), 0));
    }

    #[test]
    fn readers_have_columns() {
        let text = "run,onyx_ms,other_one_ms\n1,2,4\n2,3,9\n3,1,5\nmedian,0,0\n";
        let (cells, _) = read(Form::Readers, "onyx_ms", text).unwrap();
        assert_eq!((cells[0].ours, cells[0].fastest()), (2.0, ("other one", 5.0)));
    }

    #[test]
    fn a_column_that_is_not_there_is_named() {
        let error = read(Form::Networks, "", "model,graph\na,b\n").unwrap_err();
        assert!(error.contains("no column `features`"), "{error}");
    }
}
