//! Finding, checking and loading the kernels of a fold.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cudarc::driver::{CudaContext, CudaFunction, sys};
use onyx_device::FoldFacts;

use super::modules;
use super::recorded::RecordedBatches;
use crate::backend::device::BatchHistory;
use crate::error::CudaError;
use crate::manifest::{self, FORMAT, Manifest};
use crate::schedule::{Form, Kernel};

/// The kernels of one fold for rows of one form, by name, and what was recorded of them.
pub(super) struct Kernels {
    functions: HashMap<(Kernel, usize), (String, CudaFunction)>,
    pub(super) recorded: Mutex<RecordedBatches>,
    pub(super) history: Arc<Mutex<BatchHistory>>,
    /// Whether a launch of one may begin before the one before it has ended.
    pub(super) may_overlap: bool,
}

/// The least compute capability, times ten, whose kernels wait for the launch before.
const WAITS: u32 = 90;
/// The first driver that records such launches, as a thousand times CUDA's version.
const RECORDS: i32 = 12_030;

impl Kernels {
    /// Loads the kernels of a fold for rows of this form, after checking that they were made from this program's source.
    pub(super) fn load(fold: &'static FoldFacts, context: &Arc<CudaContext>, form: Form) -> Result<Self, CudaError> {
        let Compiled { path, names, compute_capability } = find(fold, context)?;
        // Every kernel has been found in the manifest.
        let name = |kernel: Kernel, stage| names.get(&kernel.key(stage, form)).cloned().unwrap_or_default();
        let entries = Kernel::of(fold, form).map(|(kernel, stage)| name(kernel, stage)).collect();
        let compiled = modules::load(context, &path, entries)?;
        let load = |(kernel, stage): (Kernel, usize)| {
            let name = name(kernel, stage);
            let function = compiled.function(&name);
            let doing = format!("finding kernel {name} in {}", path.display());
            let function = function.map_err(|source| CudaError::Driver { doing, source })?;
            Ok(((kernel, stage), (name, function)))
        };
        let functions = Kernel::of(fold, form).map(load).collect::<Result<_, CudaError>>()?;
        let may_overlap = compute_capability >= WAITS && driver_version() >= RECORDS;
        Ok(Self { functions, recorded: Mutex::default(), history: Arc::default(), may_overlap })
    }

    /// The kernel of stage number `stage`, and its name.
    pub(super) fn get(&self, kernel: Kernel, stage: usize) -> (&str, &CudaFunction) {
        let (name, function) = &self.functions[&(kernel, stage)];
        (name, function)
    }
}

/// The kernels of a fold, as they were compiled for the device.
pub(super) struct Compiled {
    /// The PTX file.
    path: PathBuf,
    /// The names in it, by schedule and width.
    names: Names,
    /// What it was compiled for, times ten.
    compute_capability: u32,
}

/// A thousand times the version of CUDA that the driver has; none where it does not say.
fn driver_version() -> i32 {
    let mut version = 0;
    // SAFETY: it writes one number.
    let found = unsafe { sys::cuDriverGetVersion(&raw mut version) }.result();
    found.map_or(0, |()| version)
}

type Names = HashMap<(String, u32), String>;

/// The kernels of a fold for the device, made from this program's source.
pub(super) fn find(fold: &'static FoldFacts, context: &CudaContext) -> Result<Compiled, CudaError> {
    let manifest_path = manifest_path(fold.package)?;
    let manifest = read(&manifest_path)?;
    let names = check_fresh(fold, &manifest, &manifest_path)?;
    let driver = |source| CudaError::Driver { doing: "asking for the compute capability".to_owned(), source };
    let capability = super::compute_capability(context).map_err(driver)?;
    let fits = manifest.targets.iter().filter(|target| target.compute_capability <= capability);
    match fits.max_by_key(|target| target.compute_capability) {
        Some(target) => {
            let path = manifest_path.with_file_name(&target.file);
            Ok(Compiled { path, names, compute_capability: target.compute_capability })
        }
        None => Err(CudaError::OldDevice {
            device: context.name().unwrap_or_else(|_| "the GPU".to_owned()),
            found: capability,
            needed: manifest.targets.iter().map(|target| target.compute_capability).min().unwrap_or(0),
        }),
    }
}

pub(super) fn unreadable(path: &Path, reason: &dyn ToString) -> CudaError {
    CudaError::UnreadablePtx { path: path.to_owned(), reason: reason.to_string() }
}

fn read(path: &Path) -> Result<Manifest, CudaError> {
    let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| unreadable(path, &error))?;
    if manifest.format != FORMAT {
        let reason = format!("it has form {}, this program reads form {FORMAT}", manifest.format);
        return Err(unreadable(path, &reason));
    }
    Ok(manifest)
}

/// Whether a kernel of the manifest is of the fold, and not of one of the same name in another module.
fn is_of(fold: &'static FoldFacts, kernel: &manifest::Kernel) -> bool {
    kernel.module == fold.module
        && (kernel.fold == fold.name || kernel.fold == manifest::qualified(fold.module, fold.name))
}

/// Checks that the manifest has every kernel of `F`, made from this program's source. Returns their names.
fn check_fresh(fold: &'static FoldFacts, manifest: &Manifest, path: &Path) -> Result<Names, CudaError> {
    let expected = format!("{:016x}", fold.fingerprint);
    let stale =
        |found: String| CudaError::Stale { fold: fold.name, path: path.to_owned(), found, expected: expected.clone() };
    let mut names = Names::new();
    for kernel in manifest.kernels.iter().filter(|kernel| is_of(fold, kernel)) {
        if kernel.fingerprint != expected {
            return Err(stale(kernel.fingerprint.clone()));
        }
        names.insert((kernel.schedule.clone(), kernel.width), kernel.entry.clone());
    }
    let all = Form::all(fold).flat_map(|form| Kernel::of(fold, form).map(move |(kernel, stage)| (kernel, stage, form)));
    for (kernel, stage, form) in all {
        if !names.contains_key(&kernel.key(stage, form)) {
            return Err(stale(format!("without {}", kernel.symbol(fold, stage, form))));
        }
    }
    Ok(names)
}

/// Where the manifest of `package` lies: in `ONYX_PTX_DIR`, or beside or above the program, in a folder `ptx` or `onyx`.
fn manifest_path(package: &'static str) -> Result<PathBuf, CudaError> {
    let name = format!("{package}.json");
    let folders = folders();
    let found = folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file());
    found.ok_or_else(|| CudaError::NoPtx {
        package,
        manifest: name.clone(),
        searched: folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", "),
    })
}

fn folders() -> Vec<PathBuf> {
    if let Some(folder) = env::var_os("ONYX_PTX_DIR") {
        return vec![folder.into()];
    }
    let program = env::current_exe().unwrap_or_default();
    let above = program.ancestors().skip(1).take(4);
    above.flat_map(|folder| [folder.join("ptx"), folder.join("onyx")]).collect()
}

#[cfg(test)]
mod tests {
    use onyx_device::Fold;
    use onyx_device::prelude::*;

    use super::*;

    #[graph_data]
    struct Sums {
        sum: VertexScalar,
    }

    #[edge_fn]
    fn count(e: Edge, d: &mut Sums) -> bool {
        d.sum[e.dst] += 1.0;
        false
    }

    foldmap! { pub tally(Sums) = [count] }

    fn manifest(fingerprint: &str) -> Manifest {
        let kernel = |kernel: Kernel| manifest::Kernel {
            entry: kernel.symbol(tally::FACTS, 0, Form::narrow(1)),
            fold: "sums__tally".to_owned(),
            module: tally::MODULE.to_owned(),
            schedule: kernel.to_string(),
            width: kernel.key(0, Form::narrow(1)).1,
            fingerprint: fingerprint.to_owned(),
        };
        let kernels = Kernel::ALL.iter().copied().map(kernel).collect();
        Manifest { format: FORMAT, package: "onyx-runtime".to_owned(), targets: Vec::new(), kernels }
    }

    fn fresh() -> String {
        format!("{:016x}", tally::FINGERPRINT)
    }

    #[test]
    fn kernels_of_this_source_are_fresh() {
        assert!(check_fresh(tally::FACTS, &manifest(&fresh()), Path::new("a.json")).is_ok());
    }

    #[test]
    fn kernels_of_other_source_are_stale() {
        let error = check_fresh(tally::FACTS, &manifest("0123456789abcdef"), Path::new("a.json")).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("stale: run cargo xtask build-ptx (sums__tally in a.json"), "{text}");
        assert!(text.contains("0123456789abcdef") && text.contains(&fresh()), "{text}");
    }

    #[test]
    fn a_missing_kernel_is_stale() {
        let mut manifest = manifest(&fresh());
        manifest.kernels.retain(|kernel| kernel.schedule != "pull");
        let error = check_fresh(tally::FACTS, &manifest, Path::new("a.json")).unwrap_err();
        assert!(error.to_string().contains("without sums__tally__pull__k1"), "{error}");
    }

    #[test]
    fn a_fold_of_the_same_name_in_another_module_is_another_one() {
        let mut manifest = manifest(&fresh());
        for kernel in &mut manifest.kernels {
            kernel.fold = "backend_cuda_kernels_tests_sums__tally".to_owned();
            kernel.entry = kernel.entry.replace("sums__tally", &kernel.fold);
        }
        let mut other = manifest.kernels.clone();
        for kernel in &mut other {
            (kernel.module, kernel.fold) = ("onyx_runtime::other".to_owned(), "sums__tally".to_owned());
            (kernel.entry, kernel.fingerprint) = ("other".to_owned(), "0123456789abcdef".to_owned());
        }
        manifest.kernels.extend(other);
        let names = check_fresh(tally::FACTS, &manifest, Path::new("a.json")).unwrap();
        assert!(names.values().all(|name| name.starts_with("backend_cuda_kernels_tests_sums__tally__")), "{names:?}");
        manifest.kernels.retain(|kernel| kernel.module == "onyx_runtime::other");
        assert!(check_fresh(tally::FACTS, &manifest, Path::new("a.json")).is_err());
    }

    #[test]
    fn a_manifest_of_another_form_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "{}").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("run cargo xtask build-ptx"));
        let later = Manifest { format: FORMAT + 1, ..manifest("") };
        fs::write(&path, serde_json::to_string(&later).unwrap()).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("this program reads form"));
    }
}
