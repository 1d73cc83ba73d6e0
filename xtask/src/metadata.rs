//! Which crate a command works on, and where its build output lies.

use std::env;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package, TargetKind};

use crate::artifacts::Artifacts;
use crate::error::{Error, Result};
use crate::process;

/// The package of the algorithms.
pub const EXAMPLES: &str = "onyx-examples";
/// The package of their binaries.
pub const PROGRAMS: &str = "onyx-cli";
/// The package of the benches, which has folds of its own.
pub const BENCHES: &str = "onyx-bench";
/// The package of `cargo xtask bench`, and its program.
pub const BENCH_COMMAND: &str = "xtask-bench";
/// The package of the conformance tests, which has folds of its own.
pub const TESTS: &str = "onyx-tests";
/// The package of the tests of operators.
pub const OPERATORS: &str = "onyx-operators";
/// The package of graph neural networks.
pub const NETWORKS: &str = "onyx-gnn";
/// The package of their binaries.
pub const NETWORK_PROGRAMS: &str = "onyx-gnn-cli";
/// The packages with tests whose sessions are on a GPU as well where one is asked for.
pub const TESTED_ON_GPU: [&str; 7] =
    ["onyx-totals", OPERATORS, "onyx-gradient-tests", "onyx-wide", "onyx-tables", "onyx-types", NETWORKS];

/// The packages of which a machine without a GPU compiles PTX where it must do everything: the algorithms, and the one whose kernels differ most between architectures.
pub const COMPILED_IN_CI: [&str; 2] = [EXAMPLES, OPERATORS];

/// The arguments that choose the crate.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Selection {
    /// The Cargo.toml of a crate outside of this workspace
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// The package whose library holds the folds
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
}

/// The crate whose folds are compiled.
#[derive(Clone, Debug)]
pub struct Project {
    pub package: String,
    pub manifest_path: PathBuf,
    pub target_directory: PathBuf,
}

impl Project {
    /// Where the PTX and the manifest lie.
    pub fn artifacts(&self) -> Artifacts {
        Artifacts::new(&self.target_directory, &self.package)
    }

    /// The folder of the crate.
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("."))
    }
}

/// The root of the Onyx checkout that this xtask was built from.
pub fn checkout() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().unwrap_or(folder).to_path_buf()
}

/// Reads the workspace of the Onyx checkout.
pub fn onyx() -> Result<Metadata> {
    read(Some(&checkout().join("Cargo.toml")))
}

/// The crates that the arguments name: by default all with folds inside the checkout, and the crate around the current folder elsewhere.
pub fn select(selection: &Selection) -> Result<Vec<Project>> {
    let package = selection.package.as_deref();
    if selection.manifest_path.is_none() && is_in_checkout() {
        return package.map_or_else(with_folds, |package| Ok(vec![project(&onyx()?, Some(package))?]));
    }
    Ok(vec![project(&read(selection.manifest_path.as_deref())?, package)?])
}

/// The crates of this checkout that have folds, wherever the command runs.
pub fn with_folds() -> Result<Vec<Project>> {
    let metadata = onyx()?;
    let packages = [EXAMPLES, BENCHES, TESTS].into_iter().chain(TESTED_ON_GPU);
    packages.map(|package| project(&metadata, Some(package))).collect()
}

/// The packages that lie in the folder of the tests.
pub fn packages_of_tests() -> Result<Vec<String>> {
    let (metadata, folder) = (onyx()?, checkout().join("tests"));
    let is_of_tests = |package: &&Package| package.manifest_path.as_std_path().starts_with(&folder);
    Ok(metadata.packages.iter().filter(is_of_tests).map(|package| package.name.to_string()).collect())
}

fn is_in_checkout() -> bool {
    let current = env::current_dir().and_then(|folder| folder.canonicalize());
    let root = checkout().canonicalize();
    matches!((current, root), (Ok(current), Ok(root)) if current.starts_with(&root))
}

fn read(manifest: Option<&Path>) -> Result<Metadata> {
    let mut command = MetadataCommand::new();
    command.cargo_path(process::cargo_path()).no_deps();
    if let Some(path) = manifest {
        command.manifest_path(path);
    }
    Ok(command.exec()?)
}

fn project(metadata: &Metadata, name: Option<&str>) -> Result<Project> {
    let package = find_package(metadata, name)?;
    if !package.targets.iter().any(|target| is_library(&target.kind)) {
        return Err(Error::NoLibrary { package: package.name.to_string() });
    }
    Ok(Project {
        package: package.name.to_string(),
        manifest_path: package.manifest_path.clone().into(),
        target_directory: metadata.target_directory.clone().into(),
    })
}

fn is_library(kinds: &[TargetKind]) -> bool {
    kinds.iter().any(|kind| matches!(kind, TargetKind::Lib | TargetKind::RLib | TargetKind::CDyLib))
}

fn find_package<'a>(metadata: &'a Metadata, name: Option<&str>) -> Result<&'a Package> {
    let packages = metadata.workspace_packages();
    let found = match (name, packages.as_slice()) {
        (Some(name), all) => all.iter().copied().find(|package| package.name.as_str() == name),
        (None, [only]) => Some(*only),
        (None, _) => metadata.root_package(),
    };
    found.ok_or_else(|| Error::NoPackage {
        workspace: metadata.workspace_root.clone().into(),
        packages: packages.iter().map(|package| package.name.to_string()).collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::onyx;

    /// The source files of a target that begins in `root`: those of its folder, less programs that lie in it.
    fn files(root: &Path) -> Vec<PathBuf> {
        let is_alone = root.parent().is_some_and(|folder| folder.ends_with("bin"));
        let folder = if is_alone { return vec![root.to_path_buf()] } else { root.parent().unwrap() };
        files_under(folder)
    }

    fn files_under(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let entries = entries.filter(|path| !path.ends_with("src/bin"));
        entries.flat_map(|path| if path.is_dir() { files_under(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn what_is_not_compiled_for_unit_tests_has_none() {
        let metadata = onyx().unwrap();
        let targets = metadata.workspace_packages().into_iter().flat_map(|package| package.targets.clone());
        let untested: Vec<_> = targets.filter(|target| !target.test && !target.is_custom_build()).collect();
        assert!(untested.len() > 20, "{untested:?}");
        for path in untested.iter().flat_map(|target| files(target.src_path.as_std_path())) {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains("#[test]"), "{} has unit tests that never run", path.display());
        }
    }
}
