//! What cargo calls in the place of rustc while `build-ptx` runs. All is compiled as cargo asks, but for the crate with the folds: that is compiled
//! for every architecture at the same time, since each takes one thread, and cargo itself compiles a crate once.

use std::env::ArgsOs;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use crate::architecture::{ARCHITECTURES, Architecture};

/// Set where this program stands in rustc's place.
pub const VARIABLE: &str = "ONYX_XTASK_IS_RUSTC";

/// What the crate with the folds has in its command line, and no other: where the PTX goes, less the architecture's name and the file's end.
const ASSEMBLY: &str = "--emit=asm=";

/// Does what rustc would: `arguments` are its path, and its own.
pub fn run(arguments: ArgsOs) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    let Some((rustc, arguments)) = arguments.split_first() else { return ExitCode::FAILURE };
    let is_for_folds = arguments.iter().any(|argument| argument.as_encoded_bytes().starts_with(ASSEMBLY.as_bytes()));
    let commands = if is_for_folds {
        ARCHITECTURES.map(|architecture| for_architecture(rustc, arguments, architecture)).into()
    } else {
        let mut command = Command::new(rustc);
        command.args(arguments);
        vec![command]
    };
    match all(commands) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: could not start {}: {error}", rustc.display());
            ExitCode::FAILURE
        }
    }
}

/// The command for one architecture. Its output for cargo goes into a folder of its own, but for the first one's.
fn for_architecture(rustc: &OsStr, arguments: &[OsString], architecture: Architecture) -> Command {
    let is_first = architecture == ARCHITECTURES[0];
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
            command.arg(folder.join(architecture.name()));
        }
    }
    command.args(architecture.rustflags());
    command
}

/// Makes the folder that a command writes to: rustc itself makes it too late for its first file.
fn make_folder(command: &Command) -> io::Result<()> {
    let mut arguments = command.get_args().skip_while(|argument| *argument != "--out-dir").skip(1);
    arguments.next().map_or(Ok(()), fs::create_dir_all)
}

/// Runs them at the same time. The first one's messages go to cargo; the others', which say the same of the same source, only where it succeeds.
fn all(commands: Vec<Command>) -> io::Result<bool> {
    commands.iter().try_for_each(make_folder)?;
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

    use super::{ARCHITECTURES, for_architecture};

    fn line(index: usize) -> String {
        let words = ["--out-dir", "deps", "--emit=dep-info,link", "--emit=asm=onyx/ranks", "src/lib.rs"];
        let words = words.map(OsString::from);
        let command = for_architecture("rustc".as_ref(), &words, ARCHITECTURES[index]);
        let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_architecture_has_files_of_its_own() {
        let expected =
            "--out-dir deps --emit=dep-info,link --emit=asm=onyx/ranks.sm_80.ptx src/lib.rs -Ctarget-cpu=sm_80";
        assert_eq!(line(0), expected);
        let expected = "--out-dir deps/sm_90 --emit=dep-info,link --emit=asm=onyx/ranks.sm_90.ptx src/lib.rs -Ctarget-cpu=sm_90 \
                        --cfg=onyx_vector_reductions";
        assert_eq!(line(1), expected.replace(std::path::MAIN_SEPARATOR, "/"));
    }
}
