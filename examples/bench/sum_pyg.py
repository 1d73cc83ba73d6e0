#!/usr/bin/env python3
"""Compares one reduction over edges with what PyTorch and PyTorch Geometric have for it: weighted sum, mean, maximum and softmax-weighted sum of the sources' rows.

    python3 examples/bench/sum_pyg.py --backend cuda --output docs/measurements/sum-h200.csv

Ours is `bench_sum`, which compares its totals with loops in 64-bit floats itself. Weights and rows are drawn by each side; the graph is the same file. Peers: a CSR
matrix by PyTorch, PyG's EdgeIndex with its cache filled, which remembers both orders of the edges, and gathering with a scatter. The weights of a softmax are computed by
`torch_geometric.utils.softmax` in each run, as attention does.
"""

import csv
import os
import subprocess
import warnings

import comparison
from comparison import COLUMNS, Comparison

TOLERANCE = 1e-4  # of a total's size: 32-bit sums in another order
SAMPLE = 1000  # rows that are compared with 64-bit floats


def main():
    parser = comparison.arguments(__doc__)
    parser.add_argument("--scales", help="logarithms of numbers of vertices [default: 16 on the CPU, 20 on the GPU]")
    parser.add_argument("--features", default="4,16,64,128", help="lengths of rows, at least 4")
    options = parser.parse_args()
    comparison.confine(options.backend)
    warnings.filterwarnings("ignore")
    compared = Comparison(options)
    for scale in map(int, (options.scales or {"cpu": "16", "cuda": "20"}[options.backend]).split(",")):
        edges = comparison.rmat(scale, 16)
        comparison.write_numbers(compared.path("graph"), edges)
        for features in map(int, options.features.split(",")):
            compare(compared, f"rmat:{scale}", Problem(edges, features, options.backend))
    compared.finish()


def compare(compared, graph, problem):
    for algorithm, (ours, row) in timed_by_us(compared, problem.features).items():
        case = {column: row[column] for column in COLUMNS.split()[:7]} | {"algorithm": algorithm, "graph": graph}
        if compared.options.backend == "cpu":
            case["machine"] = comparison.machine({"backend": "cpu"})
        for name, make in problem.peers(algorithm).items():
            compared.peer(name, case, ours, make, TOLERANCE)


def timed_by_us(compared, features):
    """Our seconds and a row of `bench_sum` for each reduction. The weighted sum is what it compares the others with."""
    options = compared.options
    command = [os.path.join(options.binary_folder, "bench_sum"), "--backend", options.backend]
    command += ["--graph", compared.path("graph"), "--features", str(features), "--repeat", str(options.repeat)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    rows = [row for row in csv.DictReader(done.stdout.splitlines()) if row["peer"] == "Onyx weighted sum"]
    found = {row["algorithm"]: (float(row["ours_seconds"]), row) for row in rows if "rows" not in row["algorithm"]}
    return {"weighted sum": (float(rows[0]["peer_seconds"]), rows[0])} | found


class Problem:
    """A graph, weights and rows, and the ways of PyTorch and PyG to reduce them."""

    def __init__(self, edges, features, backend):
        import torch

        self.torch, self.features, self.is_cuda = torch, features, backend == "cuda"
        self.vertices = int(edges.max()) + 1
        random = torch.Generator().manual_seed(1)
        self.weight = (0.5 + torch.rand(edges.shape[1], generator=random)).to(backend)
        self.x = (2 * torch.rand(self.vertices, features, generator=random) - 1).to(backend)
        both = torch.from_numpy(edges).to(backend)
        order = torch.argsort(both[1] * self.vertices + both[0])
        self.source, self.destination = both[:, order].contiguous()
        self.degrees = torch.bincount(self.destination, minlength=self.vertices)
        self.rows = torch.cat([self.degrees.new_zeros(1), self.degrees.cumsum(0)])
        self.result = None

    def peers(self, algorithm):
        by_edges = {"PyG scatter": lambda: self.scattered(algorithm)}
        if algorithm == "maximum":
            peers = by_edges | {"PyG EdgeIndex": lambda: self.indexed("amax")} | self.reduced("amax")
        elif algorithm == "mean":
            peers = by_edges | {"PyG EdgeIndex": lambda: self.indexed("mean")} | self.reduced("mean")
        else:
            peers = by_edges | {
                "torch CSR": lambda: self.multiplied(algorithm),
                "PyG EdgeIndex": lambda: self.indexed("sum", algorithm),
            }
        return {name: lambda prepare=prepare: self.runs(prepare(), algorithm) for name, prepare in peers.items()}

    def weights(self, algorithm):
        """What an edge counts, computed in each run where it is a softmax."""
        if algorithm != "softmax-weighted sum":
            return self.weight
        from torch_geometric.utils import softmax

        return softmax(self.weight, self.destination, num_nodes=self.vertices)

    def scattered(self, algorithm):
        from torch_geometric.utils import scatter

        how = {"mean": "mean", "maximum": "max"}.get(algorithm, "sum")

        def reduce():
            messages = self.weights(algorithm)[:, None] * self.x[self.source]
            return scatter(messages, self.destination, dim_size=self.vertices, reduce=how)

        return reduce

    def matrix(self, values):
        size = (self.vertices, self.vertices)
        return self.torch.sparse_csr_tensor(self.rows.int(), self.source.int(), values, size)

    def multiplied(self, algorithm):
        matrix = self.matrix(self.weight)
        if algorithm == "weighted sum":
            return lambda: matrix @ self.x
        return lambda: self.matrix(self.weights(algorithm)) @ self.x

    def reduced(self, how):
        """PyTorch has other reductions of a CSR matrix on the CPU alone."""
        matrix = self.matrix(self.weight)
        return {} if self.is_cuda else {"torch CSR": lambda: lambda: self.torch.sparse.mm(matrix, self.x, how)}

    def indexed(self, how, algorithm="weighted sum"):
        from torch_geometric import EdgeIndex

        ends = self.torch.stack([self.source, self.destination])
        edges = EdgeIndex(ends, sparse_size=(self.vertices, self.vertices), sort_order="col").fill_cache_()
        return lambda: edges.matmul(self.x, input_value=self.weights(algorithm), reduce=how, transpose=True)

    def runs(self, reduce, algorithm):
        """A function that runs a peer to its end, and one that gives how far some of its rows are from those in 64-bit floats."""

        def run():
            with self.torch.no_grad():
                self.result = reduce()
            if self.is_cuda:
                self.torch.cuda.synchronize()

        return run, lambda: self.difference(algorithm)

    def difference(self, algorithm):
        chosen = self.torch.linspace(0, self.vertices - 1, min(SAMPLE, self.vertices)).long().tolist()
        return max(self.difference_of(algorithm, vertex) for vertex in chosen)

    def difference_of(self, algorithm, vertex):
        edges = slice(int(self.rows[vertex]), int(self.rows[vertex + 1]))
        weights, rows = self.weight[edges].double(), self.x[self.source[edges]].double()
        found = self.result[vertex].double()
        if edges.start == edges.stop:
            return 0.0  # what a row without edges has differs between libraries
        if algorithm == "softmax-weighted sum":
            weights = weights.softmax(0)
        messages = weights[:, None] * rows
        if algorithm == "maximum":
            return float((found - messages.amax(0)).abs().max())
        total = messages.sum(0) / (len(weights) if algorithm == "mean" else 1)
        return float((found - total).abs().max() / max(float(weights.sum()), 1.0))


if __name__ == "__main__":
    main()
