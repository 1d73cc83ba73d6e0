#!/usr/bin/env python3
"""Times a full label-propagation iteration of Onyx on the CPU against SciPy's product of a CSR matrix and a dense one.

SciPy's is the sum alone; Onyx's is the whole iteration. Both run in turn, so that the machine's drift meets both.

    cargo build --release --bin bench_pull
    python3 examples/bench/scipy_spmm.py GRAPH --features 8 --rounds 5 > docs/measurements/scipy.csv

GRAPH is a SNAP edge list, plain or gzip. Needs numpy and scipy.
"""

import argparse
import gzip
import os
import platform
import statistics
import subprocess
import time

import numpy as np
import scipy
import scipy.sparse as sparse


def read(path):
    with open(path, "rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    opened = gzip.open(path, "rt") if compressed else open(path)
    with opened as file:
        edges = np.loadtxt(file, dtype=np.int64, usecols=(0, 1), comments="#")
    _, edges = np.unique(edges, return_inverse=True)
    return edges.reshape(-1, 2)


def problem(path, features):
    edges = read(path)
    vertices = int(edges.max()) + 1
    random = np.random.default_rng(1)
    weights = random.uniform(0.5, 1.5, len(edges)).astype(np.float32)
    matrix = sparse.csr_matrix((weights, (edges[:, 1], edges[:, 0])), shape=(vertices, vertices))
    return matrix, random.random((vertices, features), dtype=np.float32)


def time_scipy(matrix, labels, repeat, warm_up):
    times = []
    for _ in range(warm_up + repeat):
        start = time.perf_counter()
        matrix @ labels
        times.append((time.perf_counter() - start) * 1e3)
    return times[warm_up:]


def verify(matrix, labels):
    rows = np.linspace(0, matrix.shape[0] - 1, 1000).astype(int)
    exact = matrix[rows].astype(np.float64) @ labels.astype(np.float64)
    return bool(np.allclose((matrix @ labels)[rows], exact, rtol=1e-4))


def time_onyx(program, path, features, repeat, warm_up):
    command = [program, "--backend", "cpu", "--graph", path, "--features", str(features)]
    command += ["--repeat", str(repeat), "--warm-up", str(warm_up)]
    row = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1].split(",")
    return float(row[5]), row[8] == "true"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graph")
    arguments.add_argument("--features", type=int, default=8)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--repeat", type=int, default=20)
    arguments.add_argument("--warm-up", type=int, default=3)
    arguments.add_argument("--program", default="target/release/bench_pull")
    options = arguments.parse_args()
    matrix, labels = problem(options.graph, options.features)
    verified = verify(matrix, labels)
    name = os.path.basename(options.graph)
    print(f"# {platform.machine()}, {os.cpu_count()} cores, scipy {scipy.__version__}, {time.strftime('%Y-%m-%d')}")
    print("graph,features,round,what,median_ms,verified")
    ratios = []
    for number in range(1, options.rounds + 1):
        ours, right = time_onyx(options.program, options.graph, options.features, options.repeat, options.warm_up)
        theirs = statistics.median(time_scipy(matrix, labels, options.repeat, options.warm_up))
        print(f"{name},{options.features},{number},onyx label propagation iteration,{ours:.3f},{str(right).lower()}")
        print(f"{name},{options.features},{number},scipy csr @ dense,{theirs:.3f},{str(verified).lower()}")
        ratios.append(theirs / ours)
    print(f"# scipy over onyx, median of {options.rounds} rounds: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
