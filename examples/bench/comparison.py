"""What the comparisons with other libraries share: options, our programs, timing, and rows of CSV.

Both sides get the same data from the same files, and their results are compared before anything is timed. Seconds are medians over runs
in a warm process, of the iterations alone: reading files, compiling and copying to the GPU are left out on both sides. On the CPU both
sides have two cores.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

COLUMNS = (
    "algorithm graph vertices edges features iterations machine backend ours_seconds peer peer_seconds ratio difference"
)
THREADS = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "NUMBA_NUM_THREADS"]
WARM_UP = 3


class Disagreement(Exception):
    """Two results are farther apart than rounding explains."""


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--backend", choices=["cpu", "cuda"], default="cpu", help="where our program runs, and the peer if it can"
    )
    parser.add_argument("--binary-folder", default="target/release", help="where our programs are")
    parser.add_argument("--repeat", type=int, default=10, help="timed runs, after three that are not")
    parser.add_argument(
        "--budget", type=float, default=3.0, help="seconds after which a slow peer is not repeated again"
    )
    parser.add_argument("--output", help="a CSV file to add the rows to, besides standard output")
    return parser


def confine(backend):
    """Leaves this process and its children two cores for a comparison on the CPU: starts it again before any library has threads."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if backend != "cpu" or os.environ.get(THREADS[0]) == "2" and len(os.sched_getaffinity(0)) <= 2:
        return
    os.sched_setaffinity(0, cores)
    os.environ.update({name: "2" for name in THREADS}, JAX_PLATFORMS="cpu")
    os.execv(sys.executable, [sys.executable, *sys.argv])


class Comparison:
    """A comparison on one backend: runs our programs, times peers, and writes rows."""

    def __init__(self, options):
        self.options = options
        self.folder = tempfile.TemporaryDirectory(prefix="onyx-")
        self.failed = False
        self.writers = [csv.writer(sys.stdout, lineterminator="\n")]
        if options.output:
            is_new = not os.path.exists(options.output) or os.path.getsize(options.output) == 0
            self.writers.append(csv.writer(open(options.output, "a", buffering=1), lineterminator="\n"))
            if is_new:
                self.writers[1].writerow(COLUMNS.split())
        self.writers[0].writerow(COLUMNS.split())

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def onyx(self, program, *options, repeat=None):
        """Runs one of our programs several times in one process; its report, and the path of the values that it has written."""
        output, repeat = self.path("values.tsv"), repeat or WARM_UP + self.options.repeat
        command = [os.path.join(self.options.binary_folder, program), "--backend", self.options.backend]
        command += ["--json", "--no-verify", "--repeat", str(repeat), "--output", output]
        done = subprocess.run(command + [str(option) for option in options], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"{program} ended with {done.returncode}")
        return json.loads(done.stdout), output

    def ours(self, report, name="runs"):
        """Our median seconds; where few runs were asked for, the first alone warms up."""
        seconds = report["seconds"][name]
        return statistics.median(seconds[WARM_UP if len(seconds) > 2 * WARM_UP else 1 :])

    def peer(self, name, case, ours, make, tolerance):
        """Adds a row for one peer, or says why there is none.

        `make` prepares the peer, and gives a function that runs it and one that gives the difference of its last result from ours.
        """
        try:
            run, difference = make()
            run()
            distance = float(difference())
            if not distance <= tolerance:
                raise Disagreement(f"differs by {distance:.2e}, more than {tolerance:.0e}")
            note(f"{case['graph']}, {name}: differs by {distance:.2e}, at most {tolerance:.0e} is allowed")
            seconds = self.time(run)
        except Disagreement as problem:
            self.failed = True
            return self.missing(name, case, f"WRONG: {problem}")
        except Exception as problem:  # A peer that is not there, or breaks, leaves the others.
            return self.missing(name, case, f"{type(problem).__name__}: {' '.join(str(problem).split())[:200]}")
        self.row(name, case, ours, [f"{seconds:.6g}", f"{seconds / ours:.3g}", f"{distance:.2e}"])

    def missing(self, name, case, reason):
        note(f"{case['graph']}, {name}: {reason}")
        self.row(name, case, None, ["", "", reason])

    def row(self, name, case, ours, measured):
        head = [case[column] for column in COLUMNS.split()[:7]]
        middle = [self.options.backend, "" if ours is None else f"{ours:.6g}", name]
        for writer in self.writers:
            writer.writerow([*head, *middle, *measured])
        sys.stdout.flush()

    def time(self, run):
        """The median seconds of the runs that the budget allows. `run` returns when all is done, and may say itself how long it took."""
        times, end = [], time.perf_counter() + self.options.budget
        while len(times) < WARM_UP + self.options.repeat and (not times or time.perf_counter() < end):
            start = time.perf_counter()
            took = run()
            times.append(took or time.perf_counter() - start)
        return statistics.median(times[WARM_UP:] or times)

    def finish(self):
        self.folder.cleanup()
        sys.exit(1 if self.failed else 0)


def machine(report):
    """The processor that our program ran on, in words."""
    if report["backend"] != "cpu":
        return report["device"]
    names = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{names[0] if names else 'CPU'}, 2 cores"


def case(report, algorithm, graph, size, features):
    """What all rows of one of our runs begin with, without our seconds; the size is the vertices and the edges."""
    values = algorithm, graph, *size, features, report["iterations"], machine(report)
    return dict(zip(COLUMNS.split(), values))


def note(text):
    print(f"# {text}", file=sys.stderr, flush=True)


def rmat(scale, edges_per_vertex, seed=1, undirected=False):
    """The sources and destinations of a Kronecker graph without loops and equal edges, its vertices numbered without gaps."""
    import numpy as np

    random, count = np.random.default_rng(seed), edges_per_vertex << scale
    source, destination = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for _ in range(scale):
        quadrant = np.searchsorted([0.57, 0.76, 0.95], random.random(count, np.float32))
        source, destination = 2 * source + quadrant // 2, 2 * destination + quadrant % 2
    if undirected:
        source, destination = np.minimum(source, destination), np.maximum(source, destination)
    keys = np.unique((source << scale | destination)[source != destination])
    edges = np.stack([keys >> scale, keys & (1 << scale) - 1])
    is_met = np.zeros(1 << scale, bool)
    is_met[edges.ravel()] = True
    return (np.cumsum(is_met) - 1)[edges]


def write_numbers(path, columns, mode="wb"):
    """Writes a line for each row of whole numbers, all with as many digits."""
    import numpy as np

    digits = len(str(max(int(column.max()) for column in columns)))
    text = np.full((len(columns[0]), len(columns) * (digits + 1)), ord("\t"), np.uint8)
    for number, column in enumerate(columns):
        for digit in range(digits):
            text[:, number * (digits + 1) + digit] = column // 10 ** (digits - 1 - digit) % 10 + ord("0")
    text[:, -1] = ord("\n")
    with open(path, mode) as file:
        text.tofile(file)


def read_values(path):
    """The values that one of our programs has written, a row for each vertex."""
    import numpy as np

    with open(path) as file:
        width = len(file.readline().split())
    return np.fromfile(path, sep=" ").reshape(-1, width)[:, 1:]
