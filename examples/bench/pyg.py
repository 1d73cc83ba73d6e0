"""PyG's ways to propagate labels."""


class Problem:
    """The graph and the seeds on the device, and PyG's ways to propagate labels."""

    def __init__(self, edges, seeds, alpha, backend):
        import torch

        self.torch, self.alpha, self.is_cuda = torch, alpha, backend == "cuda"
        self.vertices = len(seeds)
        self.device = torch.device(backend)
        both = torch.cat([torch.from_numpy(ends).to(self.device) for ends in (edges, edges[::-1].copy())], dim=1)
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

        return LabelPropagation(num_layers=self.layers, alpha=self.alpha)

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
        kept, labels = (1 - self.alpha) * self.seeds, self.seeds
        for _ in range(self.layers):
            labels = self.torch.addmm(kept, self.matrix, labels, beta=1.0, alpha=self.alpha)
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
