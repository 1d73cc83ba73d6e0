//! What every `--help` ends with.

/// What files may be, where a program reads any, and what becomes of those that it writes.
const FILES: &str = "\
Files may be gzip-compressed; the file - is standard input, and of --output standard output, where the report then goes to standard error.
Files appear whole or not at all. One that is there is replaced by a finished, verified answer alone, with --no-verify by a finished one, and
keeps its mode and the symbolic links to it; a run is finished that has converged, has settled (values change in their last bits alone) or ends at its
greatest number of iterations or sweeps. After Ctrl-C in a run, what was computed so far goes to FILE.interrupted, and an answer that does not
agree or could not be verified goes to FILE.unverified.";

/// The same, where a program has a report and no answer.
const REPORT_FILES: &str = "\
Files may be gzip-compressed; the file - is standard input, and of --plot standard output, where the report then goes to standard error. Files
appear whole or not at all.";

/// How many threads there are.
const THREADS: &str = "\
On the CPU a program has a thread for each core, or as many as the environment says: RAYON_NUM_THREADS=2.";

/// The exit statuses.
const EXIT_STATUS: &str = "\
Exit status: 0 if all is well, 1 if the run diverged or its result is wrong or not verified, 2 for bad input or too little memory, 129, 130 or
143 after SIGHUP, Ctrl-C or SIGTERM.";

/// The examples of a program, what it says of its files, and what holds for all programs.
pub fn after(examples: &str) -> String {
    format!("{examples}\n{FILES}\n{THREADS}\n{EXIT_STATUS}")
}

/// As [`after`], for a program that has a report and no answer.
pub fn after_report(examples: &str) -> String {
    format!("{examples}\n{REPORT_FILES}\n{THREADS}\n{EXIT_STATUS}")
}
