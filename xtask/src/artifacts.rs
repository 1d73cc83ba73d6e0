//! The files that `build-ptx` leaves in the target folder of the crate it built.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::file::replace;
use crate::manifest::{FORMAT, Manifest};

use crate::architecture::Architecture;
use crate::error::{Error, Result};

/// The `target/onyx` folder as one package uses it.
#[derive(Clone, Debug)]
pub struct Artifacts {
    folder: PathBuf,
    package: String,
}

impl Artifacts {
    pub fn new(target_directory: &Path, package: &str) -> Self {
        Artifacts { folder: target_directory.join("onyx"), package: package.to_string() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file name of the PTX of one architecture.
    pub fn ptx_name(&self, architecture: Architecture) -> String {
        format!("{}.{}.ptx", self.package, architecture.name())
    }

    pub fn manifest_path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.package))
    }

    pub fn registers_path(&self) -> PathBuf {
        self.folder.join(format!("{}.registers.csv", self.package))
    }

    /// The folder that cargo builds in. Earlier versions had one for each architecture in `build`.
    pub fn build_folder(&self) -> PathBuf {
        self.folder.join("device")
    }

    pub fn read_manifest(&self) -> Result<Manifest> {
        let path = self.manifest_path();
        if !path.is_file() {
            return Err(Error::NoManifest { package: self.package.clone(), path });
        }
        let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
        let manifest: Manifest = serde_json::from_str(&text)
            .map_err(|source| Error::StaleManifest { path: path.clone(), reason: source.to_string() })?;
        if manifest.format != FORMAT {
            let reason = format!("it has format {}, this is format {FORMAT}", manifest.format);
            return Err(Error::StaleManifest { path, reason });
        }
        Ok(manifest)
    }

    pub fn write_manifest(&self, manifest: &Manifest) -> Result<()> {
        let path = self.manifest_path();
        let mut text = serde_json::to_string_pretty(manifest)
            .map_err(|source| Error::Encode { what: "the manifest", source: source.into() })?;
        text.push('\n');
        replace(&path, text).map_err(Error::file("write", path))
    }

    /// When the manifest was written, the last of the files.
    pub fn built_at(&self) -> Option<SystemTime> {
        fs::metadata(self.manifest_path()).and_then(|metadata| metadata.modified()).ok()
    }
}

/// The time of the newest file in some folders and files; those that are missing count for nothing.
pub fn newest<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Option<SystemTime> {
    paths.into_iter().filter_map(newest_of).max()
}

fn newest_of(path: &Path) -> Option<SystemTime> {
    if !path.is_dir() {
        return fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    }
    let entries = fs::read_dir(path).ok()?;
    entries.flatten().filter_map(|entry| newest_of(&entry.path())).max()
}
