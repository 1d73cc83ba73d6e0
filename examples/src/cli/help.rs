//! What every `--help` ends with.

/// The exit statuses.
const EXIT_STATUS: &str = "\
Exit status: 0 if all is well, 1 if the run diverged or its result is wrong, 2 for bad input or too little memory, 130 after Ctrl-C.";

/// What files may be, where a program reads any.
const FILES: &str = "\
Files may be gzip-compressed; the file - is standard input, and of --output standard output, where the report then goes to standard error.";

/// The examples of a program, what it says of its files, and what holds for all programs.
pub fn after(examples: &str) -> String {
    format!("{examples}\n{FILES}\n{EXIT_STATUS}")
}
