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

ALPHA = 0.85
ITERATIONS = 20
TOLERANCE = 1e-4  # of a share: 20 iterations of 32-bit sums in another order, and our change-driven tolerance / (1 - alpha)


def main():
    parser = comparison.arguments(__doc__)
    parser.add_argument("--scales", default="18,20", help="logarithms of numbers of vertices")
    parser.add_argument("--features", default="4,16", help="numbers of classes")
    parser.add_argument("--compile", action="store_true", help="also time torch.compile, which takes long to compile")
    options = parser.parse_args()
    comparison.confine(options.backend)
    warnings.filterwarnings("ignore")
    compared = Comparison("label_propagation", options)
    for scale in map(int, options.scales.split(",")):
        edges = comparison.rmat(scale, 16, undirected=True)
        comparison.write_numbers(compared.path("graph"), edges)
        for features in map(int, options.features.split(",")):
            compare(compared, f"rmat:{scale} undirected", edges, features)
    compared.finish()


def compare(compared, graph, edges, features):
    seeds = write_seeds(compared, int(edges.max()) + 1, features)
    given = ["--graph", compared.path("graph"), "--undirected", "--labels", compared.path("seeds"), "--features", features, "--alpha", ALPHA]
    ways = {
        "label_propagation": ["--iterations", ITERATIONS, "--no-change-driven", "--tolerance", 1e-30],
        "label_propagation change-driven": [],
    }
    problem = None
    for algorithm, way in ways.items():
        report, output = compared.onyx("label_propagation", *given, *way)
        labels, size = comparison.read_values(output), report["graph"]
        case = {"algorithm": algorithm, "graph": graph, "vertices": size["vertices"], "edges": size["edges"], "features": features}
        case.update(iterations=report["iterations"], machine=comparison.machine(report))
        if compared.options.backend == "cpu":
            peer = scipy_product(edges, seeds, report["iterations"], labels)
            compared.peer("scipy CSR product (1 thread)", case, compared.ours(report), peer, TOLERANCE)
        try:
            problem = problem or Problem(edges, seeds, compared.options.backend)
        except ImportError as missing:
            compared.missing("PyG LabelPropagation", case, str(missing))
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


class Problem:
    """The graph and the seeds on the device, and PyG's ways to propagate labels."""

    def __init__(self, edges, seeds, backend):
        import torch

        self.torch, self.is_cuda = torch, backend == "cuda"
        self.vertices = len(seeds)
        self.device = torch.device(backend)
        source, destination = (torch.from_numpy(ends).to(self.device) for ends in (edges, edges[::-1].copy()))
        both = torch.cat([source, destination], dim=1)
        order = torch.argsort(both[1] * self.vertices + both[0])
        self.edge_index = both[:, order].contiguous()
        degrees = torch.bincount(self.edge_index[1], minlength=self.vertices)
        self.weight = (1 / degrees)[self.edge_index[1]].float()
        rows = torch.cat([degrees.new_zeros(1), degrees.cumsum(0)]).int()
        size = (self.vertices, self.vertices)
        self.matrix = torch.sparse_csr_tensor(rows, self.edge_index[0].int(), self.weight, size)
        self.seeds = torch.from_numpy(seeds).to(self.device)
        self.result = None

    def peers(self, with_compiled):
        peers = {
            "PyG LabelPropagation": self.edge_list,
            "PyG LabelPropagation (EdgeIndex)": self.indexed,
            "PyG LabelPropagation (torch.sparse_csr)": self.sparse,
            "PyG LabelPropagation (torch_sparse)": self.sparse_tensor,
            "torch addmm (CSR)": self.addmm,
        }
        if self.is_cuda:
            peers["torch addmm (CSR, CUDA graph)"] = self.recorded
        if with_compiled:
            peers["PyG LabelPropagation (torch.compile)"] = self.compiled
        return peers

    def model(self):
        from torch_geometric.nn import LabelPropagation

        return LabelPropagation(num_layers=self.layers, alpha=ALPHA)

    def edge_list(self):
        model = self.model()
        return self.runs(lambda: model(self.seeds, self.edge_index, edge_weight=self.weight))

    def indexed(self):
        from torch_geometric import EdgeIndex

        model, size = self.model(), (self.vertices, self.vertices)
        edges = EdgeIndex(self.edge_index, sparse_size=size, sort_order="col").fill_cache_()
        return self.runs(lambda: model(self.seeds, edges, edge_weight=self.weight))

    def sparse(self):
        # The weights are in the matrix; named, they keep the class from dividing by degrees once more.
        model = self.model()
        return self.runs(lambda: model(self.seeds, self.matrix, edge_weight=self.weight))

    def sparse_tensor(self):
        from torch_sparse import SparseTensor

        model, size = self.model(), (self.vertices, self.vertices)
        matrix = SparseTensor(row=self.edge_index[1], col=self.edge_index[0], value=self.weight, sparse_sizes=size)
        return self.runs(lambda: model(self.seeds, matrix))

    def compiled(self):
        model = self.torch.compile(self.model())
        return self.runs(lambda: model(self.seeds, self.edge_index, edge_weight=self.weight))

    def propagate(self):
        kept, labels = (1 - ALPHA) * self.seeds, self.seeds
        for _ in range(self.layers):
            labels = self.torch.addmm(kept, self.matrix, labels, beta=1.0, alpha=ALPHA)
        return labels

    def addmm(self):
        return self.runs(self.propagate)

    def recorded(self):
        side = self.torch.cuda.Stream()
        with self.torch.cuda.stream(side):
            self.propagate()
        side.synchronize()
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            labels = self.propagate()

        def replay():
            graph.replay()
            return labels

        return self.runs(replay)

    def runs(self, propagate):
        """A function that runs a peer to its end, and one that gives the greatest difference of a share."""

        def run():
            with self.torch.no_grad():
                self.result = propagate()
            if self.is_cuda:
                self.torch.cuda.synchronize()

        return run, lambda: abs(self.result.cpu().numpy() - self.expected).max()


if __name__ == "__main__":
    main()
