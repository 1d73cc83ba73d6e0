//! What cargo calls in the place of rustc while `build-ptx` runs. All is compiled as cargo asks, but for the crate with the folds: that is compiled
//! for every architecture at the same time, since each takes one thread, and cargo itself compiles a crate once.

use std::env::ArgsOs;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::{env, fs, io};

use crate::architecture::Architecture;

/// Set where this program stands in rustc's place: the names of the architectures, with commas between them.
pub const VARIABLE: &str = "ONYX_XTASK_IS_RUSTC";

/// What the crate with the folds has in its command line, and no other: where the PTX goes, less the architecture's name and the file's end.
const ASSEMBLY: &str = "--emit=asm=";

/// Does what rustc would: `arguments` are its path, and its own.
pub fn run(arguments: ArgsOs) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    let Some((rustc, arguments)) = arguments.split_first() else { return ExitCode::FAILURE };
    let is_for_folds = arguments.iter().any(|argument| argument.as_encoded_bytes().starts_with(ASSEMBLY.as_bytes()));
    let commands = if is_for_folds {
        let commands = architectures().into_iter().enumerate();
        commands.map(|(number, architecture)| for_architecture(rustc, arguments, architecture, number == 0)).collect()
    } else {
        let mut command = Command::new(rustc);
        command.args(arguments);
        Ok(vec![command])
    };
    match commands.and_then(all) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: could not start {}: {error}", rustc.display());
            ExitCode::FAILURE
        }
    }
}

/// Sets the architectures of the command that calls this program in rustc's place.
pub fn choose(command: &mut Command, architectures: &[Architecture]) {
    let names: Vec<String> = architectures.iter().map(|architecture| architecture.name()).collect();
    command.env(VARIABLE, names.join(","));
}

fn architectures() -> Vec<Architecture> {
    let names = env::var(VARIABLE).unwrap_or_default();
    names.split(',').filter_map(Architecture::named).collect()
}

/// The command for one architecture. Its output for cargo goes into a folder of its own, but for the first one's.
fn for_architecture(
    rustc: &OsStr,
    arguments: &[OsString],
    architecture: Architecture,
    is_first: bool,
) -> io::Result<Command> {
    let mut command = Command::new(rustc);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        match text.strip_prefix(ASSEMBLY) {
            Some(path) => command.arg(format!("{ASSEMBLY}{path}.{}.ptx", architecture.name())),
            None => command.arg(argument),
        };
        if argument == "--out-dir" && !is_first {
            let folder = Path::new(arguments.next().map_or(OsStr::new("."), OsString::as_os_str));
            let folder = folder.join(architecture.name());
            fs::create_dir_all(&folder)?;
            command.arg(folder);
        }
    }
    command.args(architecture.rustflags());
    Ok(command)
}

/// Runs them at the same time. The first one's messages go to cargo; the others', which say the same of the same source, only where it succeeds.
fn all(commands: Vec<Command>) -> io::Result<bool> {
    let mut commands = commands.into_iter();
    let first = commands.next().map(|mut command| command.spawn()).transpose()?;
    let others = commands.map(|mut command| command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn());
    let others = others.collect::<io::Result<Vec<Child>>>()?;
    let mut is_well = first.map(|mut first| first.wait()).transpose()?.is_none_or(|status| status.success());
    for other in others {
        let output = other.wait_with_output()?;
        if is_well && !output.status.success() {
            io::Write::write_all(&mut io::stderr(), &output.stderr)?;
        }
        is_well &= output.status.success();
    }
    Ok(is_well)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::for_architecture;
    use crate::architecture::ARCHITECTURES;

    /// The words after rustc for an architecture.
    fn words(index: usize, folder: &Path) -> Vec<String> {
        let words = ["--out-dir", folder.to_str().unwrap(), "--emit=dep-info,link", "--emit=asm=ranks", "src/lib.rs"];
        let words = words.map(OsString::from);
        let command = for_architecture("rustc".as_ref(), &words, ARCHITECTURES[index], index == 0).unwrap();
        command.get_args().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn each_architecture_has_files_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let first = words(0, folder.path());
        assert!(first.contains(&folder.path().display().to_string()), "{first:?}");
        assert!(first.ends_with(&[
            "--emit=asm=ranks.sm_80.ptx".into(),
            "src/lib.rs".into(),
            "-Ctarget-cpu=sm_80".into()
        ]));
        let second = words(1, folder.path());
        assert!(second.contains(&folder.path().join("sm_90").display().to_string()), "{second:?}");
        assert!(second.contains(&"--emit=asm=ranks.sm_90.ptx".into()), "{second:?}");
        assert!(second.ends_with(&["-Ctarget-cpu=sm_90".into(), "--cfg=onyx_sm_90".into()]), "{second:?}");
        assert!(folder.path().join("sm_90").is_dir(), "rustc does not make it");
    }
}
