//! How often a kernel loads features of an edge or a vertex: no more often than one that was fused by hand would.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::ptx::{Entry, Ptx};
use crate::shape::is_quad_access;

/// The loads that are expected, for folds of every package.
const TABLE: &str = include_str!("../shape/loads.csv");

/// The schedule that visits no edges, one vertex after the other.
const VERTEX: &str = "vertex";

/// One line of the table.
#[derive(Clone, Debug, Deserialize)]
struct Expected {
    fold: String,
    schedule: String,
    width: u32,
    /// 16-byte loads of features for each edge, or for each vertex where no edges are visited.
    loads: usize,
}

/// What the main loop of a kernel loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Loads {
    /// Neighbors: one for each edge in flight.
    edges: usize,
    /// 16-byte loads of features.
    quads: usize,
}

/// The kernels that load features more often than the table says, and those of the table's folds that are gone.
pub fn violations(ptx: &Ptx) -> Result<Vec<String>> {
    let read = |source: csv::Error| Error::Encode { what: "xtask/shape/loads.csv", source: source.into() };
    let rows = csv::Reader::from_reader(TABLE.as_bytes())
        .into_deserialize()
        .collect::<std::result::Result<Vec<Expected>, _>>();
    let rows = rows.map_err(read)?.into_iter().filter(|row| ptx.fingerprints.contains_key(&row.fold));
    Ok(rows.filter_map(|row| violation(ptx, &row)).collect())
}

fn violation(ptx: &Ptx, row: &Expected) -> Option<String> {
    let name = format!("{}__{}__k{}", row.fold, row.schedule, row.width);
    let Some(entry) = ptx.entries.iter().find(|entry| entry.name == name) else {
        return Some(format!("{name}: is in xtask/shape/loads.csv and not in the PTX"));
    };
    let (Loads { edges, quads }, most) = (loads(entry), row.loads);
    if row.schedule == VERTEX {
        let is_wrong = quads == 0 || quads > most;
        return is_wrong
            .then(|| format!("{name}: loads {quads} times 16 bytes of features for a vertex, {most} are needed"));
    }
    (edges == 0 || quads > most * edges).then(|| {
        format!("{name}: loads {quads} times 16 bytes of features for {edges} edges, at most {most} each are needed")
    })
}

/// The loads of the loop with the most of them: the one with the most edges in flight.
fn loads(entry: &Entry) -> Loads {
    loops(entry).into_iter().map(loads_of).max_by_key(|loads| loads.quads).unwrap_or_default()
}

fn loads_of(body: &[String]) -> Loads {
    let opcodes = || body.iter().filter_map(|line| crate::ptx::opcode(line));
    Loads {
        edges: opcodes().filter(|opcode| is_neighbor(opcode)).count(),
        quads: opcodes().filter(|opcode| opcode.starts_with("ld") && is_quad_access(opcode)).count(),
    }
}

/// Words that no kernel writes are loaded through the read-only cache; in the loop over edges these are the neighbors.
fn is_neighbor(opcode: &str) -> bool {
    opcode.starts_with("ld.global.nc")
        && [".u32", ".b32"].iter().any(|kind| opcode.ends_with(kind))
        && !opcode.contains(".v")
}

/// The lines from each label to the last branch back to it: a loop that goes on early branches to it more than once.
fn loops(entry: &Entry) -> Vec<&[String]> {
    let label = |at: usize| entry.body[at].strip_suffix(':').map(|name| (at, name));
    let labels: Vec<(usize, &str)> = (0..entry.body.len()).filter_map(label).collect();
    let back = |(begin, name): &(usize, &str)| {
        let is_back =
            |at: &usize| entry.body[*at].contains("bra") && entry.body[*at].trim_end_matches(';').ends_with(name);
        (*begin..entry.body.len()).rfind(is_back).map(|end| &entry.body[*begin..end])
    };
    labels.iter().filter_map(back).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Expected, Loads, TABLE, loads, violation, violations};
    use crate::ptx::Ptx;

    fn ptx(per_edge: usize) -> Ptx {
        let quads = "ld.global.v4.f32 {%r1, %r2, %r3, %r4}, [%rd1];\n".repeat(per_edge);
        let edge = format!("ld.global.nc.u32 %r9, [%rd2];\n{quads}");
        let body = format!("{quads}$L__BB0_1:\n{}@%p1 bra \t$L__BB0_1;\n$L__BB0_2:\n{edge}ret;", edge.repeat(4));
        let fold = "label_propagation__step";
        let entries = [16, 64, 128].map(|width| format!(".entry {fold}__pull__k{width}()\n{{\n{body}\n}}\n"));
        let text = format!(".global .u64 {fold}__fingerprint = 1;\n{}", entries.concat());
        Ptx::parse(Path::new("a.ptx"), &text).unwrap()
    }

    #[test]
    fn loads_are_counted_in_the_loop_alone() {
        assert_eq!(loads(&ptx(1).entries[0]), Loads { edges: 4, quads: 4 });
    }

    #[test]
    fn a_row_that_is_loaded_twice_is_found() {
        assert!(TABLE.contains("label_propagation__step,pull,16,1"));
        assert!(violations(&ptx(1)).unwrap().is_empty());
        let found = violations(&ptx(2)).unwrap();
        assert!(found[0].contains("loads 8 times 16 bytes of features for 4 edges"), "{found:?}");
    }

    #[test]
    fn the_loads_of_a_vertex_are_counted_without_edges() {
        let text = ".entry mixing__mixing_folded__vertex__k16()\n{\n$L__BB0_1:\nBODY@%p1 bra \t$L__BB0_1;\nret;\n}\n";
        let row =
            |loads| Expected { fold: "mixing__mixing_folded".into(), schedule: "vertex".into(), width: 16, loads };
        let body = "ld.global.v4.f32 {%r1, %r2, %r3, %r4}, [%rd1];\n".repeat(2);
        let ptx = Ptx::parse(Path::new("a.ptx"), &text.replace("BODY", &body)).unwrap();
        assert_eq!(violation(&ptx, &row(2)), None);
        assert!(violation(&ptx, &row(1)).unwrap().contains("loads 2 times 16 bytes of features for a vertex"));
        let none = Ptx::parse(Path::new("a.ptx"), &text.replace("BODY", "")).unwrap();
        assert!(violation(&none, &row(2)).is_some());
    }

    #[test]
    fn a_kernel_that_is_gone_is_found_and_other_packages_are_not_asked() {
        let ptx = Ptx::parse(Path::new("a.ptx"), ".global .u64 label_propagation__step__fingerprint = 1;").unwrap();
        assert!(violations(&ptx).unwrap()[0].contains("not in the PTX"));
        assert!(violations(&Ptx::default()).unwrap().is_empty());
    }
}
