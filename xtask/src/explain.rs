//! `explain`: what the compiler made of a fold, from its PTX.

use std::fs;

use comfy_table::Table;
use comfy_table::presets::NOTHING;

use crate::architecture::gpu_name;
use crate::console::say;
use crate::derived;
use crate::description::Description;
use crate::error::{Error, Result, indented};
use crate::metadata::{self, Project, Selection};
use crate::ptx::Ptx;
use crate::ptxas;
use crate::usage::Usage;

/// Show what the compiler made of a fold
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The fold's name, or the end of `{data}__{fold}`
    fold: String,
    /// Print the functions that were derived to compute the fold's gradient
    #[arg(long)]
    gradient: bool,
    #[command(flatten)]
    selection: Selection,
}

/// A fold and the package that it is in.
type Place = (Project, String);

pub fn run(arguments: &Arguments) -> Result<()> {
    let (project, fold) = find(&arguments.fold, &metadata::select(&arguments.selection)?)?;
    if arguments.gradient {
        return gradient(&project, &fold);
    }
    let description = described(&project, &fold)?;
    say(format!("{fold}, of package {}, at {}\n", project.package, description.place));
    explain(&description);
    kernels(&project, &fold)
}

/// What the PTX says of a fold.
fn described(project: &Project, fold: &str) -> Result<Description> {
    let description = read(project)?.into_iter().find_map(|(_, mut ptx)| ptx.descriptions.remove(fold));
    let (package, fold) = (project.package.clone(), fold.to_string());
    Ok(Description::parse(&description.ok_or(Error::NoDescription { package, fold })?))
}

/// Prints the source of the fold that computes the gradient of `fold`, or of `fold` if it does so itself.
fn gradient(project: &Project, fold: &str) -> Result<()> {
    let names = [format!("{fold}_gradient"), fold.to_string()];
    let source = names.iter().find_map(|name| described(project, name).ok()?.source);
    let source = source.ok_or_else(|| Error::NoGradient { fold: fold.to_string() })?;
    say(derived::formatted(&source).trim_end());
    Ok(())
}

/// The one fold whose name ends in `name`.
fn find(name: &str, projects: &[Project]) -> Result<Place> {
    let mut folds: Vec<Place> = Vec::new();
    let built = |project: &&Project| project.artifacts().manifest_path().is_file();
    // Where nothing is built, the first one says what to do.
    let first = projects.iter().take(usize::from(!projects.iter().any(|project| built(&project))));
    for project in projects.iter().filter(built).chain(first) {
        let mut names: Vec<String> = project.artifacts().read_manifest()?.kernels.into_iter().map(|k| k.fold).collect();
        names.dedup();
        folds.extend(names.into_iter().map(|fold| (project.clone(), fold)));
    }
    choose(name, folds)
}

fn choose(name: &str, folds: Vec<Place>) -> Result<Place> {
    let list = |folds: &[Place]| indented(folds.iter().map(|(_, fold)| fold));
    let mut found: Vec<Place> = folds.iter().filter(|(_, fold)| fold.ends_with(name)).cloned().collect();
    let is_whole = |(_, fold): &Place| fold == name || fold.ends_with(&format!("__{name}"));
    if found.iter().filter(|place| is_whole(place)).count() == 1 {
        found.retain(is_whole);
    }
    match found.pop() {
        None => Err(Error::NoFold { name: name.to_string(), folds: list(&folds) }),
        Some(place) if found.is_empty() => Ok(place),
        Some(place) => {
            found.push(place);
            Err(Error::ManyFolds { name: name.to_string(), folds: list(&found) })
        }
    }
}

/// The PTX of each architecture, by compute capability.
fn read(project: &Project) -> Result<Vec<(u32, Ptx)>> {
    let artifacts = project.artifacts();
    let read = |(capability, file): (u32, String)| {
        let path = artifacts.folder().join(file);
        let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
        Ok((capability, Ptx::parse(&path, &text)?))
    };
    artifacts
        .read_manifest()?
        .targets
        .into_iter()
        .map(|target| (target.compute_capability, target.file))
        .map(read)
        .collect()
}

fn explain(fold: &Description) {
    say("functions, in order:");
    for (number, function) in (1..).zip(&fold.functions) {
        let kind = if function.is_edge { "edge" } else { "vertex" };
        say(format!("  {number}. {}, {kind} function: {}", function.name, function.accesses()));
    }
    say("properties:");
    for property in &fold.properties {
        let kept = [(property.is_tracked, ", tracked"), (property.is_scratch || property.is_passed, ", scratch")];
        let kept = kept.into_iter().find(|(holds, _)| *holds).map_or("", |(_, word)| word);
        say(format!("  {}: {}{kept}", property.name, property.element));
    }
    sentences(fold).iter().chain(&blocks(fold)).for_each(|(what, text)| say(format!("{what}: {text}")));
}

/// What follows from the accesses.
fn sentences(fold: &Description) -> Vec<(&'static str, String)> {
    let run = |is_edge| listed(&fold.run(is_edge));
    let why_not = fold.changes.strip_prefix("none ");
    let directions = match (fold.run(true).is_empty(), why_not) {
        (true, _) => "none, vertices alone",
        (false, None) => "pull, and push of changes",
        (false, Some(_)) => "pull",
    };
    let asked = if fold.changes == "asked" { "yes, by `edges = changed`" } else { "yes" };
    vec![
        ("run over edges", run(true)),
        ("run over vertices", run(false)),
        ("directions", directions.to_string()),
        ("change-driven", why_not.map_or(asked.to_string(), |reason| format!("no: {reason}"))),
        ("tracked", listed(&fold.tracked())),
        ("scratch, never in memory", listed(&fold.scratch())),
        (
            "scratch that stages leave for later ones, in shared memory where blocks have whole graphs",
            listed(&fold.passed()),
        ),
        ("written, then read in registers by a later function", listed(&fold.kept())),
        ("sums that go from edge to vertex functions in registers", listed(&fold.forwarded())),
        ("read at the source by several edge functions", listed(&fold.loaded_once())),
    ]
}

/// What lies in shared memory, where blocks are needed for matrices.
fn blocks(fold: &Description) -> Option<(&'static str, String)> {
    let is_matrix = |name: &&str| fold.properties.iter().any(|it| it.name == **name && it.element.ends_with("matrix"));
    let matrices: Vec<&str> = fold.all("reduces").into_iter().filter(is_matrix).collect();
    let text = format!(
        "at {} features, with a row of {} in each lane, for a matrix fills a warp's registers; in shared memory what lanes need of each other, and the factor of `solve`",
        fold.blocks.join(" and "),
        listed(&matrices)
    );
    (!fold.blocks.is_empty()).then_some(("a block for each vertex", text))
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

/// The kernels with what they use, or by name alone where there is no ptxas.
fn kernels(project: &Project, fold: &str) -> Result<()> {
    let artifacts = project.artifacts();
    let manifest = artifacts.read_manifest()?;
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(["kernel", "width", "architecture", "registers", "shared", "spills"]);
    for target in &manifest.targets {
        let usages = match ptxas::find() {
            Ok(program) => {
                ptxas::assemble(&program, target.compute_capability, &artifacts.folder().join(&target.file))?
            }
            Err(_) => Vec::new(),
        };
        for kernel in manifest.kernels.iter().filter(|kernel| kernel.fold == fold) {
            let usage = usages.iter().find(|usage| usage.entry == kernel.entry);
            let names = [kernel.schedule.clone(), width(kernel.width), gpu_name(target.compute_capability)];
            table.add_row(names.into_iter().chain(numbers(usage)));
        }
    }
    say(format!("kernels:\n{table}"));
    if ptxas::find().is_err() {
        say("registers are unknown without ptxas: cargo xtask doctor --install gets it");
    }
    Ok(())
}

fn width(width: u32) -> String {
    if width == 0 { "all".to_string() } else { width.to_string() }
}

fn numbers(usage: Option<&Usage>) -> [String; 3] {
    let number = |of: fn(&Usage) -> u32| usage.map_or("?".to_string(), |usage| of(usage).to_string());
    [number(|usage| usage.registers), number(|usage| usage.shared), number(Usage::spills)]
}

#[cfg(test)]
mod tests {
    use super::{Description, blocks, choose, sentences};
    use crate::metadata::Project;

    fn chosen(name: &str) -> Result<String, String> {
        let project = Project { package: String::new(), manifest_path: "".into(), target_directory: "".into() };
        let folds = ["ranks__step", "labels__step", "labels__half_step", "sums__all"];
        let folds = folds.iter().map(|fold| (project.clone(), fold.to_string())).collect();
        choose(name, folds).map(|(_, fold)| fold).map_err(|error| error.to_string())
    }

    #[test]
    fn folds_are_found_by_the_end_of_their_names() {
        assert_eq!(chosen("all").unwrap(), "sums__all");
        assert_eq!(chosen("labels__step").unwrap(), "labels__step");
        assert_eq!(chosen("half_step").unwrap(), "labels__half_step");
    }

    #[test]
    fn unknown_names_list_what_there_is() {
        assert!(chosen("none").unwrap_err().contains("\n  sums__all"));
        let several = chosen("step").unwrap_err();
        assert!(several.contains("ranks__step") && several.contains("in full"), "{several}");
    }

    #[test]
    fn what_lies_in_shared_memory_is_said() {
        let lines = "property gram vertex_matrix untracked\nproperty right vertex_features untracked\n\
                     function rate edge stage=0 reduces=gram,right\n";
        assert_eq!(blocks(&Description::parse(lines)), None);
        let (what, text) = blocks(&Description::parse(&format!("{lines}blocks 64,128\n"))).unwrap();
        assert_eq!(what, "a block for each vertex");
        assert!(text.starts_with("at 64 and 128 features, with a row of gram in each lane,"), "{text}");
    }

    #[test]
    fn a_fold_without_edges_has_no_direction() {
        let fold = Description::parse(
            "property value vertex_features untracked\nfunction halve vertex reads=value writes=value\n",
        );
        assert!(sentences(&fold).contains(&("directions", "none, vertices alone".to_string())));
    }
}
