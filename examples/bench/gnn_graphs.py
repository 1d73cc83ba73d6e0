#!/usr/bin/env python3
"""Writes real graphs as edge lists that `bench_gnn --graph` and `gnn_pyg.py --graph` read: both directions of each edge, once, without loops.

    python3 examples/bench/gnn_graphs.py DATA OUT

DATA is a folder with `snap/`, `pubmed/`, `graphs/PROTEINS_full/` and `ratings/`; what is not there is left out, and said. Of Gowalla's
check-ins users are linked who share at least two places.
"""

import argparse
import gzip
import os

import numpy as np


def lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return [line.replace(",", " ") for line in file if not line.startswith("#")]


def pairs(path):
    return np.array(" ".join(lines(path)).split(), np.int64).reshape(-1, 2)


def adjacency(path):
    """A line for each vertex: itself, then its neighbors."""
    rows = [np.array(line.split(), np.int64) for line in lines(path)]
    return np.concatenate([np.stack([np.full(len(row) - 1, row[0]), row[1:]], 1) for row in rows if len(row)])


def shared_places(folder):
    """Users with at least two places in common."""
    from scipy import sparse

    users, places = [], []
    for part in ["train", "test"]:
        for line in lines(os.path.join(folder, f"gowalla.{part}.txt.gz")):
            user, *visited = map(int, line.split())
            users += [user] * len(visited)
            places += visited
    visits = sparse.csr_matrix((np.ones(len(users), np.float32), (users, places)))
    visits.data[:] = 1
    shared = sparse.triu(visits @ visits.T, 1).tocoo()
    return np.stack([shared.row, shared.col], 1)[shared.data >= 2].astype(np.int64)


GRAPHS = {
    "pubmed": lambda data: adjacency(os.path.join(data, "pubmed", "pubmed.adjlist.txt.gz")),
    "proteins": lambda data: pairs(os.path.join(data, "graphs", "PROTEINS_full", "PROTEINS_full_A.txt")),
    "cnr-2000": lambda data: pairs(os.path.join(data, "snap", "cnr-2000.txt.gz")),
    "ego-twitter": lambda data: pairs(os.path.join(data, "snap", "ego-Twitter.txt.gz")),
    "gowalla": lambda data: shared_places(os.path.join(data, "ratings")),
}


def both_ways(edges):
    edges = edges[edges[:, 0] != edges[:, 1]]
    ids, edges = np.unique(edges, return_inverse=True)
    edges = edges.reshape(-1, 2)
    keys = np.unique(np.concatenate([edges @ [len(ids), 1], edges @ [1, len(ids)]]))
    return np.stack([keys // len(ids), keys % len(ids)], 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    options = parser.parse_args()
    names = options.graphs.split(",")
    unknown = [name for name in names if name not in GRAPHS]
    if unknown:
        parser.error(f"no graph is called {', '.join(unknown)}: there are {', '.join(GRAPHS)}")
    os.makedirs(options.out, exist_ok=True)
    for name in names:
        try:
            edges = both_ways(GRAPHS[name](options.data))
        except FileNotFoundError as problem:
            print(f"{name}: left out, {problem.filename} is not there")
            continue
        with open(os.path.join(options.out, f"{name}.txt"), "w") as file:
            file.writelines(f"{source}\t{destination}\n" for source, destination in edges.tolist())
        print(f"{name}: {edges.max() + 1} vertices, {len(edges)} edges")


if __name__ == "__main__":
    main()
