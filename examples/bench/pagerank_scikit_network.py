#!/usr/bin/env python3
"""Compares our PageRank with scikit-network on the CPU, and with a power iteration by cuSPARSE on the GPU, on a directed Kronecker graph
where every vertex has a link.

    python3 examples/bench/pagerank_scikit_network.py --backend cuda --output docs/measurements/peers.csv

The damping is 0.85. The stopping rule is scikit-network's: iterations end when the ranks change by less than 1e-6 in the 1-norm. Ours
runs as many full iterations as that takes, pulling every edge in each, without a look at the norm, and so does cuSPARSE in the row "fixed".
In the rows "change-driven" ours stops by its own rule, which is stricter: no rank changes by more than 1e-6 of itself. scikit-network
computes in 64-bit floats, cuSPARSE and ours in 32-bit ones. Ranks are compared by the 1-norm of the difference. scikit-network's
"diteration" is left out: with two threads they race for the same numbers, and its ranks differ by 0.02 from those of its "piteration";
with one it takes a hundred times as long.
"""

import comparison
from comparison import Comparison
from cusparse import ALGORITHMS, Product

DAMPING, STOP = 0.85, 1e-6
TOLERANCE = 2e-5  # in the 1-norm: both are within STOP * DAMPING / (1 - DAMPING) of the ranks, and 32-bit floats round


def main():
    parser = comparison.arguments(__doc__)
    parser.add_argument(
        "--scales", help="logarithms of numbers of vertices [default: 16,18 on the CPU, 18,20 on the GPU]"
    )
    options = parser.parse_args()
    comparison.confine(options.backend)
    compared = Comparison(options)
    for scale in map(int, (options.scales or {"cpu": "16,18", "cuda": "18,20"}[options.backend]).split(",")):
        edges = linked(comparison.rmat(scale, 16))
        comparison.write_numbers(compared.path("graph"), edges)
        compare(compared, f"rmat:{scale} without ends", edges)
    compared.finish()


def linked(edges):
    """Gives vertices without links one to a vertex drawn at random, since scikit-network takes the walker elsewhere from them than others do."""
    import numpy as np

    vertices = int(edges.max()) + 1
    ends = np.flatnonzero(np.bincount(edges[0], minlength=vertices) == 0)
    steps = np.random.default_rng(4).integers(1, vertices, len(ends))
    return np.concatenate([edges, [ends, (ends + steps) % vertices]], axis=1)


def compare(compared, graph, edges):
    links = Links(edges)
    ways = {
        "pagerank": ["--iterations", links.iterations, "--no-change-driven", "--tolerance", 1e-30],
        "pagerank change-driven": ["--tolerance", STOP],
    }
    for algorithm, way in ways.items():
        given = ["--graph", compared.path("graph"), "--cache", compared.path("cache"), "--damping", DAMPING]
        report, output = compared.onyx("pagerank", *given, *way)
        ranks, size = comparison.read_values(output)[:, 0], report["graph"]
        links.expected = ranks / ranks.sum()
        case = comparison.case(report, algorithm, graph, (size["vertices"], size["edges"]), 1)
        for name, make in links.peers(compared.options.backend).items():
            compared.peer(name, case, compared.ours(report), make, TOLERANCE)


class Links:
    """The matrix by which ranks are multiplied, on the host, and the peers that do."""

    def __init__(self, edges):
        import numpy as np
        from scipy import sparse

        source, destination = edges
        self.vertices = int(edges.max()) + 1
        size = (self.vertices, self.vertices)
        self.adjacency = sparse.csr_matrix((np.ones(len(source)), (source, destination)), shape=size)
        degrees = np.bincount(source, minlength=self.vertices)
        self.matrix = sparse.csr_matrix((1 / degrees[source], (destination, source)), shape=size)
        self.iterations = self.power_iteration()

    def power_iteration(self):
        """The iterations until the ranks change by less than STOP."""
        import numpy as np

        ranks = np.full(self.vertices, 1 / self.vertices)
        for number in range(1, 1000):
            before, ranks = ranks, DAMPING * (self.matrix @ ranks) + (1 - DAMPING) / self.vertices
            if abs(ranks - before).sum() < STOP:
                break
        return number

    def peers(self, backend):
        if backend == "cpu":
            return {
                "scikit-network piteration": self.scikit_network,
                "scikit-network piteration (iterations alone)": self.surfer,
            }
        peers = {"cuSPARSE by cupy, stops by norm": self.cupy}
        for name in ALGORITHMS:
            peers[f"cuSPARSE {name}, preprocessed, fixed"] = self.cusparse(name, False)
            peers[f"cuSPARSE {name}, preprocessed, fixed, CUDA graph"] = self.cusparse(name, True)
        return peers

    def runs(self, solve, bring=lambda ranks: ranks):
        last = []

        def run():
            last[:] = [solve()]

        def difference():
            ranks = bring(last[0]).astype("float64")
            return abs(ranks / ranks.sum() - self.expected).sum()

        return run, difference

    def scikit_network(self):
        from sknetwork.ranking import PageRank

        ranking = PageRank(damping_factor=DAMPING, n_iter=1000, tol=STOP)
        return self.runs(lambda: ranking.fit_predict(self.adjacency))

    def surfer(self):
        """scikit-network's operator, made before; what a fit costs besides is left out, as it is with ours."""
        import numpy as np
        from sknetwork.linalg.ppr_solver import RandomSurferOperator

        operator = RandomSurferOperator(self.adjacency, np.full(self.vertices, 1 / self.vertices), DAMPING)

        def solve():
            ranks = operator.b
            for _ in range(1000):
                before, ranks = ranks, operator.dot(ranks)
                ranks = ranks / ranks.sum()
                if np.linalg.norm(before - ranks, ord=1) < STOP:
                    break
            return ranks

        return self.runs(solve)

    def on_device(self):
        import cupy
        from cupyx.scipy import sparse

        matrix = sparse.csr_matrix(self.matrix.astype("float32"))
        return cupy, matrix, cupy.full(self.vertices, (1 - DAMPING) / self.vertices, "float32")

    def cupy(self):
        cupy, matrix, jump = self.on_device()
        matrix.data *= DAMPING

        def solve():
            ranks = cupy.full(self.vertices, 1 / self.vertices, "float32")
            for _ in range(1000):
                before, ranks = ranks, matrix @ ranks + jump
                if float(abs(ranks - before).sum()) < STOP:
                    break
            return ranks

        return self.runs(solve, cupy.asnumpy)

    def cusparse(self, algorithm, is_recorded):
        def make():
            cupy, matrix, jump = self.on_device()
            product = Product(matrix, algorithm, DAMPING)

            def iterate():
                product.vectors[0].fill(1 / self.vertices)
                for number in range(self.iterations):
                    product.vectors[(number + 1) % 2][...] = jump
                    product.add(number % 2)
                return product.vectors[self.iterations % 2]

            return self.runs(product.recorded(iterate) if is_recorded else product.launched(iterate), cupy.asnumpy)

        return make


if __name__ == "__main__":
    main()
