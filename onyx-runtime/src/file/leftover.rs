//! Temporary files that a killed process has left behind.

use std::collections::hash_map::RandomState;
use std::fs::{self, DirEntry, File};
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process;

use xxhash_rust::xxh3::xxh3_64;

const PREFIX: &str = ".onyx-";
const SUFFIX: &str = ".partial";

/// A path in `folder` that no other process and no other call uses: it names the host, the process and a random number.
pub(super) fn new_path(folder: &Path) -> PathBuf {
    // The keys of each `RandomState` are random.
    let token = RandomState::new().build_hasher().finish();
    folder.join(format!("{PREFIX}{:08x}-{}-{token:016x}{SUFFIX}", host(), process::id()))
}

/// Removes what processes of this host have left in `folder`. What cannot be removed stays, and stands in nobody's way.
pub(super) fn remove(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    entries.flatten().filter(is_of_this_host).for_each(|entry| remove_abandoned(&entry.path()));
}

fn is_of_this_host(entry: &DirEntry) -> bool {
    let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
    entry.file_name().to_str().and_then(host_of).is_some_and(|found| found == host()) && is_file()
}

/// The host in a name that [`new_path`] has given.
fn host_of(name: &str) -> Option<u32> {
    let parts: Vec<&str> = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split('-').collect();
    let [host, process, token] = parts[..] else { return None };
    let is_number = process.parse::<u32>().is_ok() && token.len() == 16 && u64::from_str_radix(token, 16).is_ok();
    u32::from_str_radix(host, 16).ok().filter(|_| is_number && host.len() == 8)
}

/// Removes a file whose owner is gone, which holds its lock no more.
fn remove_abandoned(path: &Path) {
    let Ok(file) = File::options().read(true).write(true).open(path) else { return };
    if file.try_lock().is_ok() && is_at(&file, path) {
        // Somebody else may have been faster.
        let _ = fs::remove_file(path);
    }
}

/// Whether `path` still names `file`.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    matches!((file.metadata(), path.symlink_metadata()), (Ok(file), Ok(named)) if is_same(&file, &named))
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// An open file keeps its name here.
#[cfg(not(unix))]
fn is_same(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

/// A number for the host, the same for all its processes.
fn host() -> u32 {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_bytes().to_owned();
    #[cfg(not(unix))]
    let name = std::env::var_os("COMPUTERNAME").unwrap_or_default().into_encoded_bytes();
    xxh3_64(&name) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ours_and_never_the_same() {
        let (one, other) = (new_path(Path::new("")), new_path(Path::new("")));
        assert_ne!(one, other);
        assert_eq!(host_of(one.to_str().unwrap()), Some(host()));
    }

    #[test]
    fn other_names_are_nobodys() {
        let good = ".onyx-00c0ffee-12-0123456789abcdef.partial";
        assert_eq!(host_of(good), Some(0x00c0_ffee));
        for name in
            [&good[1..], &good[..good.len() - 1], ".onyx-.partial", ".onyx-1-2-3.partial", &good.replace("12", "x")]
        {
            assert_eq!(host_of(name), None, "{name}");
        }
    }

    #[test]
    fn the_abandoned_go_and_the_living_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (abandoned, living) = (new_path(folder.path()), new_path(folder.path()));
        let elsewhere = folder.path().join(format!(".onyx-{:08x}-12-0123456789abcdef.partial", host() ^ 1));
        let user = folder.path().join(".onyx-notes.partial");
        for path in [&abandoned, &elsewhere, &user] {
            fs::write(path, "").unwrap();
        }
        let owner = File::create(&living).unwrap();
        owner.try_lock().unwrap();
        remove(folder.path());
        assert!(!abandoned.exists() && living.exists() && elsewhere.exists() && user.exists());
        drop(owner);
        remove(folder.path());
        assert!(!living.exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_not_ours() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, new_path(folder.path())).unwrap();
        remove(folder.path());
        assert!(file.exists() && fs::read_dir(folder.path()).unwrap().count() == 2);
    }
}
