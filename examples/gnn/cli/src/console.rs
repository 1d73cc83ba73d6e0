//! What programs say, and how they end.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Command, FromArgMatches};
use onyx_cli::{Channel, files, interrupt};
use onyx_gnn::error::GnnError;
use onyx_runtime::text::escaped;
use onyx_runtime::{Session, memory};

/// Runs a program by its command line; an error is said in one line.
pub fn run<O: FromArgMatches + Sync>(
    command: Command,
    program: impl FnOnce(&O) -> Result<(), GnnError> + Send,
) -> ExitCode {
    let (options, files) = match parse::<O>(command) {
        Ok(parsed) => parsed,
        Err(usage) => usage.exit(),
    };
    memory::before_exit(onyx_runtime::file::remove_unfinished);
    interrupt::listen();
    // A thread of the pool hands work to the others, and does not sleep until they have done it.
    match files.and_then(|()| rayon::scope(|_| program(&options))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

/// The options of the command line, and whether its files can be as it says.
fn parse<O: FromArgMatches>(mut command: Command) -> Result<(O, Result<(), GnnError>), clap::Error> {
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Ok((O::from_arg_matches(&matches)?, files::check(&command, &matches).map_err(GnnError::from)))
}

/// Nothing in a line is for the terminal to obey.
pub fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{}", escaped(line));
}

/// Says why a session is not on the GPU that was looked for.
pub fn note_fallback(session: &Session) {
    if let Some(reason) = session.fallback() {
        complain(&format!("note: running on the CPU: {reason}"));
    }
}

/// Prints a line for whoever still reads.
///
/// # Errors
/// Standard output cannot be written.
pub fn say(channel: Channel, line: &str) -> Result<(), GnnError> {
    Ok(channel.print(&format!("{}\n", escaped(line)))?)
}
