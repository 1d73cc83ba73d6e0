"""How long people wait for the compiler: in seconds by the clock, and of all processes together.

A copy of the checkout, or of one of its commits, is compiled in a temporary folder on two cores, with everything downloaded before:

    doctor      the first `cargo xtask doctor`
    first-run   the first `cargo run --release` of a crate that `cargo xtask new` has written, with its dependencies
    new-crate   `cargo build --release` of that crate after an edit of its library
    build-ptx   the first `cargo xtask build-ptx` in that crate, with `core` for both architectures
    examples    `cargo build --release --package onyx-cli` after an edit of the algorithms' library: that, and all programs
    tests       `cargo build --package onyx-tests` after an edit of its library
    networks    `cargo test --no-run --package onyx-gnn` after an edit of its library: the crate whose tests have most kernels
    all-tests   the first `cargo test --workspace --no-run`

An edit is a comment in the first line of a file with folds, which moves all lines and changes every fingerprint. Release builds keep nothing of
the crate they compile, so that a first one costs what one after an edit costs. Where other programs run as well, the clock says little: then
the seconds of all processes, halved, are what two free cores would need at least.
"""

import argparse
import csv
import datetime
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

COLUMNS = ["date", "commit", "measure", "clock_seconds", "processor_seconds", "target_seconds"]
TARGETS = {"doctor": 30, "first-run": 60, "new-crate": 15, "build-ptx": 25, "examples": 45, "tests": 120, "networks": None, "all-tests": None}
CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
EDIT = "// An edit.\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help=f"of {', '.join(TARGETS)} [default: all]")
    parser.add_argument("--commit", help="a commit to compile [default: the files as they are]")
    parser.add_argument("--output", help="a CSV file to add the rows to, besides standard output")
    options = parser.parse_args()
    unknown = [measure for measure in options.measures if measure not in TARGETS]
    if unknown:
        parser.error(f"there is no measure {unknown[0]}: there are {', '.join(TARGETS)}")
    options.measures = [measure for measure in TARGETS if measure in options.measures or not options.measures]
    return options


def git(*words):
    return subprocess.run(["git", *words], cwd=CHECKOUT, check=True, stdout=subprocess.PIPE).stdout


def copy(commit, folder):
    """The source of a commit, or the files as they are, without what git ignores."""
    folder.mkdir()
    if commit:
        subprocess.run(["tar", "-x", "-C", folder], input=git("archive", commit), check=True)
        return
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0")
    for name in filter(None, names):
        if (CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, folder / name)


def name_of(commit):
    name = git("rev-parse", "--short", commit or "HEAD").decode().strip()
    is_edited = not commit and git("status", "--porcelain").strip()
    return name + (" and edits" if is_edited else "")


def edit(file):
    file.write_text(EDIT + file.read_text())


class Compilation:
    """A copy of the checkout, and the folders that it is compiled in."""

    def __init__(self, options, folder):
        self.folder, self.onyx, self.crate = folder, folder / "onyx", folder / "ranks"
        self.commit = name_of(options.commit)
        self.writers = [csv.writer(sys.stdout, lineterminator="\n")]
        if options.output:
            is_new = not os.path.exists(options.output)
            self.writers.append(csv.writer(open(options.output, "a", buffering=1, newline=""), lineterminator="\n"))
            if is_new:
                self.writers[-1].writerow(COLUMNS)
        copy(options.commit, self.onyx)
        self.run("fetch", self.onyx, "fetch", "--locked")

    def run(self, target, where, *words):
        environment = os.environ | {"CARGO_TARGET_DIR": str(self.folder / f"target-{target}")}
        environment.pop("CARGO", None)
        subprocess.run(["cargo", *words], cwd=where, env=environment, check=True, stdout=sys.stderr)

    def measure(self, measure, target, where, *words):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        self.run(target, where, *words)
        clock, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        processors = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        row = [datetime.date.today(), self.commit, measure, f"{clock:.1f}", f"{processors:.1f}", TARGETS[measure]]
        for writer in self.writers:
            writer.writerow(row)
        sys.stdout.flush()

    def doctor(self):
        self.measure("doctor", "xtask", self.onyx, "xtask", "doctor")

    def new(self):
        """The new crate, with the versions of the checkout's dependencies."""
        if not self.crate.exists():
            self.run("xtask", self.onyx, "xtask", "new", str(self.crate))
            shutil.copy(self.onyx / "Cargo.lock", self.crate)
            self.run("new", self.crate, "fetch")
        return self.crate

    def first_run(self):
        self.measure("first-run", "new", self.new(), "run", "--release", "--offline")

    def new_crate(self):
        crate = self.new()
        self.run("new", crate, "build", "--release", "--offline")
        edit(crate / "src/lib.rs")
        self.measure("new-crate", "new", crate, "build", "--release", "--offline")

    def build_ptx(self):
        # Compiles the command itself.
        self.run("xtask", self.onyx, "xtask", "doctor")
        self.measure("build-ptx", "xtask", self.new(), "xtask", "build-ptx")

    def examples(self):
        # Earlier commits have the programs in the package of the algorithms.
        package = "onyx-cli" if (self.onyx / "examples/cli").exists() else "onyx-examples"
        build = ["build", "--release", "--offline", "--package", package]
        self.run("examples", self.onyx, *build)
        edit(self.onyx / "examples/src/label_propagation.rs")
        self.measure("examples", "examples", self.onyx, *build)

    def tests(self):
        build = ["build", "--offline", "--package", "onyx-tests"]
        self.run("tests", self.onyx, *build)
        edit(self.onyx / "tests/src/programs.rs")
        self.measure("tests", "tests", self.onyx, *build)

    def networks(self):
        build = ["test", "--no-run", "--offline", "--package", "onyx-gnn"]
        self.run("networks", self.onyx, *build)
        edit(self.onyx / "examples/gnn/src/gcn.rs")
        self.measure("networks", "networks", self.onyx, *build)

    def all_tests(self):
        self.measure("all-tests", "all-tests", self.onyx, "test", "--workspace", "--no-run", "--offline")


def main():
    options = arguments()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    with tempfile.TemporaryDirectory(prefix="onyx-") as folder:
        compilation = Compilation(options, pathlib.Path(folder).resolve())
        for measure in options.measures:
            getattr(compilation, measure.replace("-", "_"))()


if __name__ == "__main__":
    main()
