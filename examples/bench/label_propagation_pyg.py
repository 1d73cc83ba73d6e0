#!/usr/bin/env python3
"""Compares our label propagation with PyTorch Geometric's `LabelPropagation`, on an undirected Kronecker graph.

    python3 examples/bench/label_propagation_pyg.py --backend cuda --output docs/measurements/peers.csv

PyG's own class computes what ours does, given the weight 1 / degree of each edge's destination, and a row of labels that sums to 1 at
every vertex: alpha * mean of the neighbors' labels + (1 - alpha) * seed. Its clamp to [0, 1] then changes nothing. It has no stopping rule:
both run the same number of full iterations; in the rows "change-driven" ours stops by its own rule, and PyG gets as many layers as ours took.

The peers: PyG with edges as a list, as an EdgeIndex, as a CSR matrix, as a torch_sparse matrix, and compiled; then what PyTorch itself can
do at best, `addmm` of a CSR matrix without PyG, launched and replayed as a CUDA graph.
"""

import warnings

import comparison
from comparison import Comparison
from pyg import Problem

ALPHA = 0.85
ITERATIONS = 20
TOLERANCE = 1e-4  # of a share: 32-bit sums in another order, and our change-driven tolerance / (1 - alpha)


def main():
    parser = comparison.arguments(__doc__)
    parser.add_argument("--scales", help="logarithms of numbers of vertices [default: 16 on the CPU, 18,20 on the GPU]")
    parser.add_argument("--features", default="4,16", help="numbers of classes")
    parser.add_argument("--compile", action="store_true", help="also time torch.compile, which takes long to compile")
    options = parser.parse_args()
    comparison.confine(options.backend)
    warnings.filterwarnings("ignore")
    compared = Comparison(options)
    for scale in map(int, (options.scales or {"cpu": "16", "cuda": "18,20"}[options.backend]).split(",")):
        edges = comparison.rmat(scale, 16, undirected=True)
        comparison.write_numbers(compared.path("graph"), edges)
        for features in map(int, options.features.split(",")):
            compare(compared, f"rmat:{scale} undirected", edges, features)
    compared.finish()


def compare(compared, graph, edges, features):
    seeds = write_seeds(compared, int(edges.max()) + 1, features)
    given = ["--graph", compared.path("graph"), "--undirected", "--cache", compared.path("cache"), "--alpha", ALPHA]
    given += ["--labels", compared.path("seeds"), "--features", features]
    ways = {
        "label_propagation": ["--iterations", ITERATIONS, "--no-change-driven", "--tolerance", 1e-30],
        "label_propagation change-driven": [],
    }
    problem = None
    for algorithm, way in ways.items():
        report, output = compared.onyx("label_propagation", *given, *way)
        labels, size = comparison.read_values(output), report["graph"]
        case = comparison.case(report, algorithm, graph, (size["vertices"], size["edges"]), features)
        if compared.options.backend == "cpu":
            peer = scipy_product(edges, seeds, report["iterations"], labels)
            compared.peer("scipy CSR product (1 thread)", case, compared.ours(report), peer, TOLERANCE)
        try:
            problem = problem or Problem(edges, seeds, ALPHA, compared.options.backend)
        except Exception as failure:
            compared.missing("PyG LabelPropagation", case, f"{type(failure).__name__}: {failure}")
            continue
        problem.expected, problem.layers = labels, report["iterations"]
        for name, make in problem.peers(compared.options.compile).items():
            compared.peer(name, case, compared.ours(report), make, TOLERANCE)


def write_seeds(compared, vertices, features):
    """The class of one vertex in a hundred is known; a row of all classes alike is the seed of the others."""
    import numpy as np

    random = np.random.default_rng(2)
    chosen = np.sort(random.permutation(vertices)[: max(vertices // 100, features)])
    classes = np.arange(len(chosen)) % features
    comparison.write_numbers(compared.path("seeds"), [chosen, classes])
    seeds = np.full((vertices, features), 1 / features, np.float32)
    seeds[chosen] = np.eye(features, dtype=np.float32)[classes]
    return seeds


def scipy_product(edges, seeds, layers, expected):
    """A peer without PyTorch."""

    def make():
        import numpy as np
        from scipy import sparse

        source, destination = np.concatenate([edges, edges[::-1]], axis=1)
        weight = (ALPHA / np.bincount(destination)[destination]).astype(np.float32)
        matrix = sparse.csr_matrix((weight, (destination, source)), shape=(len(seeds), len(seeds)))
        last = []

        def run():
            labels, kept = seeds, np.float32(1 - ALPHA) * seeds
            for _ in range(layers):
                labels = matrix @ labels + kept
            last[:] = [labels]

        return run, lambda: abs(last[0] - expected).max()

    return make


if __name__ == "__main__":
    main()
