//! Times one full pull iteration of label propagation; on a GPU against every CSR algorithm of cuSPARSE's SpMM, preprocessed.
//!
//! Ours is a whole iteration: sums, two normalizations, the mix with the seeds, the new labels, and the active set. cuSPARSE's is the sum
//! alone. On the GPU both are timed by CUDA events, several at once, on data that is there already. Results are compared with plain loops in `f64`.

mod problem;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use onyx_bench::cusparse::{self, Cusparse};
use onyx_runtime::graph::{Generator, Graph, LoadOptions};
use onyx_runtime::{Backend, Bins, Packing, Schedule};

use crate::problem::{Lanes, Problem, Timed, Way, is_close};

/// Time a full pull iteration of label propagation, on a GPU against cuSPARSE, and print CSV.
#[derive(Parser)]
struct Arguments {
    /// Graphs to generate.
    #[arg(long, value_delimiter = ',', default_value = "rmat:20")]
    generate: Vec<String>,
    /// A graph to load instead.
    #[arg(long)]
    graph: Option<PathBuf>,
    /// Where to run: cpu or cuda.
    #[arg(long, default_value = "cuda")]
    backend: Backend,
    /// Feature counts.
    #[arg(long, value_delimiter = ',', default_value = "4,16,64")]
    features: Vec<usize>,
    /// Neighbor group sizes to try; 0 is the size that the runtime chooses.
    #[arg(long, value_delimiter = ',', default_value = "0")]
    group_sizes: Vec<usize>,
    /// Bins of sources to try, where pulls go by neighbor groups: none, auto or a number.
    #[arg(long, value_delimiter = ',', default_value = "none")]
    bins: Vec<Bins>,
    /// Pull schedules to try: auto, neighbor_group, groups_per_block, vertex_per_warp, vertex_per_block, word_per_warp, graph_per_block, edge_flat.
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    schedules: Vec<Schedule>,
    /// Whether the rows of frequent sources are packed, where pulls go by words of vertices: auto, always or never.
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    packing: Vec<Packing>,
    /// Who takes the features of a row: many lanes, or one.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "many")]
    lanes: Vec<Lanes>,
    /// How often iterations are timed, on a GPU so many at once as a run has between two looks, after as many as `--warm-up`.
    #[arg(long, default_value_t = 20)]
    repeat: usize,
    /// How often they run before that and are not timed.
    #[arg(long, default_value_t = 5)]
    warm_up: usize,
    /// The seed of the generators.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave cuSPARSE out.
    #[arg(long)]
    without_peers: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    println!("graph,vertices,edges,features,what,median_ms,min_ms,max_ms,verified");
    if let Some(path) = &arguments.graph {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return compare_all(&arguments, &name, &Graph::load(path, &LoadOptions::default())?);
    }
    for specification in &arguments.generate {
        let graph = specification.parse::<Generator>()?.generate(arguments.seed)?;
        compare_all(&arguments, specification, &graph)?;
    }
    Ok(())
}

fn compare_all(arguments: &Arguments, name: &str, graph: &Graph) -> Result<(), Box<dyn Error>> {
    arguments.features.iter().try_for_each(|features| compare(arguments, name, graph, *features))
}

/// Times everything on one graph and one feature count.
fn compare(arguments: &Arguments, name: &str, graph: &Graph, features: usize) -> Result<(), Box<dyn Error>> {
    let problem = Problem::new(graph, features, arguments.seed);
    let row = |what: &str, times: &[Duration], verified: bool| {
        let (median, least, most) = statistics(times);
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        println!("{name},{vertices},{edges},{features},{what},{median:.4},{least:.4},{most:.4},{verified}");
    };
    for (name, way) in ways(arguments) {
        match problem.run(way, arguments.warm_up + arguments.repeat)? {
            Ok(Timed { times, verified, bins }) => {
                bins.iter().for_each(|bins| eprintln!("note: {features} features: {bins}"));
                row(&format!("onyx pull iteration ({name})"), &times[arguments.warm_up..], verified);
            }
            Err(why) => eprintln!("note: {name} is left out at {features} features: {why}"),
        }
    }
    if arguments.without_peers || arguments.backend != Backend::Cuda {
        return Ok(());
    }
    let mut cusparse = Cusparse::new(&problem.factors())?;
    for (name, algorithm) in cusparse::ALGORITHMS {
        let (times, sums) = cusparse.time(algorithm, arguments.warm_up, arguments.repeat)?;
        row(&format!("cusparse SpMM {name}"), &times, is_close(&sums, problem.sums()));
    }
    Ok(())
}

/// Every way to pull that is asked for, by name; only what goes by neighbor groups has sizes and bins.
fn ways(arguments: &Arguments) -> Vec<(String, Way)> {
    let Arguments { backend, lanes, schedules, group_sizes, bins, packing, .. } = arguments;
    let asked = lanes.iter().flat_map(|&lanes| schedules.iter().map(move |&schedule| (lanes, schedule)));
    let ways = asked.flat_map(|(lanes, schedule)| {
        let has_sizes = matches!(schedule, Schedule::Auto | Schedule::NeighborGroup | Schedule::GroupsPerBlock);
        let (sizes, bins) = if has_sizes { (&group_sizes[..], &bins[..]) } else { (&[0][..], &[Bins::None][..]) };
        let pairs = sizes.iter().flat_map(|size| bins.iter().map(move |bins| (*size, *bins)));
        pairs.flat_map(|pair| packing.iter().map(move |packing| (pair, *packing))).map(
            move |((size, bins), packing)| {
                let one = if lanes == Lanes::One { "one lane " } else { "" };
                let name = if schedule == Schedule::Auto { String::new() } else { format!("{schedule} ") };
                let group_size = (size > 0).then_some(size);
                let of_bins = if bins == Bins::None { String::new() } else { format!(" bins {bins}") };
                let packed = if packing == Packing::Auto { String::new() } else { format!(" packing {packing}") };
                let way = Way { backend: *backend, lanes, schedule, group_size, bins, packing };
                (format!("{one}{name}group {size}{of_bins}{packed}"), way)
            },
        )
    });
    ways.collect()
}

/// The median, least and greatest time, in milliseconds.
fn statistics(times: &[Duration]) -> (f64, f64, f64) {
    let mut times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[0], times[times.len() - 1])
}
