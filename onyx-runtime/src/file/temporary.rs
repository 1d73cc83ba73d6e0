//! A file on its way to its name.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use super::leftover::{is_at, new_path};
use super::link::folder_of;

/// The temporary names of this process. Names come and go only while this is held, so that a signal finds all of them.
static NAMES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How often a name that comes or goes is waited for, a millisecond each time.
const PATIENCE: usize = 1000;

/// Removes the temporary files of this process, and keeps it from making others or from giving one its name: to be called when a signal
/// or the end of the memory ends the program, right before [`std::process::exit`].
///
/// A replacement that is just taking its place has done so when this returns. Should that take longer than a second, or be what the caller was
/// doing, the files are left for the next run.
pub fn remove_unfinished() {
    for _ in 0..PATIENCE {
        let names = match NAMES.try_lock() {
            Ok(names) => names,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        // Nobody is left to hear that one could not be removed; the next run tries again.
        names.iter().for_each(|path| drop(fs::remove_file(path)));
        return mem::forget(names);
    }
}

fn names() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file without a name, or with one that goes when this is dropped.
#[derive(Debug)]
pub(super) struct Temporary {
    pub file: File,
    name: Option<PathBuf>,
}

impl Temporary {
    /// A new file in the folder's file system, without a name if that can be.
    pub fn create(folder: &Path) -> io::Result<Self> {
        match unnamed(folder) {
            Some(file) => Ok(Self { file, name: None }),
            None => Self::named(folder),
        }
    }

    /// A new file with a temporary name in `folder`, locked for as long as it is open.
    pub fn named(folder: &Path) -> io::Result<Self> {
        loop {
            let (path, mut names) = (new_path(folder), names());
            let file = match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            // Without locks nobody removes it either. With them, somebody may have before the lock was there.
            let _ = file.try_lock();
            if is_at(&file, &path) {
                names.insert(path.clone());
                return Ok(Self { file, name: Some(path) });
            }
        }
    }

    /// Gives the file the name `target`, in the same folder, in place of the file that has it.
    pub fn persist(mut self, target: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        // Where there is no old file, one step is enough; only a file with a name can replace another.
        if self.name.is_some() || link(&self.file, target).is_err() {
            self.give_name(folder_of(target))?;
            self.rename(target)?;
        }
        sync_folder(target);
        Ok(())
    }

    fn give_name(&mut self, folder: &Path) -> io::Result<()> {
        if self.name.is_some() {
            return Ok(());
        }
        let (path, mut names) = (new_path(folder), names());
        if link(&self.file, &path).is_ok() {
            names.insert(path.clone());
            self.name = Some(path);
            return Ok(());
        }
        drop(names);
        *self = self.copied(folder)?;
        Ok(())
    }

    /// The same with a name, for a file system that knows files without one and cannot give them one later.
    fn copied(&self, folder: &Path) -> io::Result<Self> {
        let copy = Self::named(folder)?;
        copy.file.set_permissions(self.file.metadata()?.permissions())?;
        (&self.file).seek(SeekFrom::Start(0))?;
        io::copy(&mut &self.file, &mut &copy.file)?;
        copy.file.sync_all()?;
        Ok(copy)
    }

    fn rename(&mut self, target: &Path) -> io::Result<()> {
        let Some(path) = &self.name else { return Ok(()) };
        let mut names = names();
        fs::rename(path, target)?;
        names.remove(path);
        self.name = None;
        Ok(())
    }
}

/// A file in the folder's file system that has no name yet and can be given one; none where the system has no such files.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};

    let file =
        open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, Mode::from(0o666)).ok().map(File::from)?;
    // From the moment on at which it has a name, the lock must be there.
    let _ = file.try_lock();
    descriptor(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<File> {
    None
}

/// Gives a file without a name the name `path`, which must be free.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};

    Ok(linkat(CWD, descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// What stands for an open file among the names.
#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;

    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Makes a new name last. The file itself is on the disk already, and there are systems that cannot do this for a folder.
fn sync_folder(path: &Path) {
    let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let Some(path) = self.name.take() else { return };
        let mut names = names();
        if names.remove(&path) {
            // The next run tries again.
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn files_with_and_without_a_name_take_the_place_of_others() {
        for create in [Temporary::create, Temporary::named] {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("target");
            for content in ["first", "second"] {
                let mut temporary = create(folder.path()).unwrap();
                temporary.file.write_all(content.as_bytes()).unwrap();
                temporary.persist(&target).unwrap();
                assert_eq!(fs::read_to_string(&target).unwrap(), content);
                assert_eq!(entries(folder.path()), 1);
            }
        }
    }

    #[test]
    fn a_file_that_is_dropped_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let named = Temporary::named(folder.path()).unwrap();
        assert_eq!(entries(folder.path()), 1);
        drop((named, Temporary::create(folder.path()).unwrap()));
        assert_eq!(entries(folder.path()), 0);
    }

    #[test]
    fn a_file_that_cannot_have_its_name_leaves_nothing() {
        for create in [Temporary::create, Temporary::named] {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("target");
            fs::create_dir(&target).unwrap();
            assert!(create(folder.path()).unwrap().persist(&target).is_err());
            assert_eq!(entries(folder.path()), 1);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_without_a_name_is_not_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = Temporary::create(folder.path()).unwrap();
        assert!(temporary.name.is_none() && entries(folder.path()) == 0);
    }

    #[test]
    fn a_file_that_cannot_be_linked_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let mut temporary = Temporary::create(folder.path()).unwrap();
        temporary.file.write_all(b"content").unwrap();
        let target = folder.path().join("target");
        temporary.copied(folder.path()).unwrap().persist(&target).unwrap();
        assert_eq!((fs::read_to_string(&target).unwrap().as_str(), entries(folder.path())), ("content", 1));
    }

    #[test]
    fn the_living_are_no_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = Temporary::named(folder.path()).unwrap();
        super::super::leftover::remove(folder.path());
        assert_eq!(entries(folder.path()), 1);
        drop(temporary);
    }

    /// Tells a process of the test below which folder it is to fill, and how.
    const VICTIM: &str = "ONYX_VICTIM";

    /// Replaces a file again and again, until it is killed.
    fn replace_for_ever(folder: &Path, create: fn(&Path) -> io::Result<Temporary>) -> ! {
        for byte in (b'a'..=b'z').cycle() {
            let mut temporary = create(folder).unwrap();
            temporary.file.write_all(&[byte; 100_000]).unwrap();
            temporary.persist(&folder.join("target")).unwrap();
        }
        unreachable!("the letters never end");
    }

    /// Starts this test again, to be killed after a while.
    fn kill_one(folder: &Path, way: &str, delay: Duration) {
        let name = "file::temporary::tests::a_killed_process_leaves_a_whole_file_and_what_the_next_one_removes";
        let mut command = Command::new(env::current_exe().unwrap());
        command.args([name, "--exact"]).env(VICTIM, folder).env("ONYX_WAY", way).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        thread::sleep(delay);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_killed_process_leaves_a_whole_file_and_what_the_next_one_removes() {
        if let Some(folder) = env::var_os(VICTIM) {
            let is_named = env::var("ONYX_WAY").unwrap() == "named";
            replace_for_ever(Path::new(&folder), if is_named { Temporary::named } else { Temporary::create });
        }
        for (way, kills) in [("named", 30), ("unnamed", 30)] {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("target");
            fs::write(&target, [b'-'; 100_000]).unwrap();
            for kill in 0..kills {
                kill_one(folder.path(), way, Duration::from_millis(5 + 2 * kill));
                let content = fs::read(&target).unwrap();
                assert!(content.len() == 100_000 && content.iter().all(|&byte| byte == content[0]), "{way}");
            }
            super::super::leftover::remove(folder.path());
            assert_eq!(entries(folder.path()), 1, "{way}");
        }
    }
}
