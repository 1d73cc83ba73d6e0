#!/usr/bin/env python3
"""Times networks of PyTorch Geometric as `bench_gnn` times ours: inference and a step of training, in milliseconds, as CSV.

    python3 examples/bench/gnn_pyg.py --data cora_gnn_benchmark.npz --model gcn,gin,sage,gat
    python3 examples/bench/gnn_pyg.py --rmat 20 --edges 16000000 --features 96 --model gcn,gat,gatv2
    python3 examples/bench/gnn_pyg.py --backend cpu --rmat 16 --edges 1000000 --features 96
    python3 examples/bench/gnn_pyg.py --graph pubmed.txt --features 500
    python3 examples/bench/gnn_pyg.py --molecules 4096 --features 32 --hidden 32 --layers 12 --model gcn

Layers, hidden features and dropout as `bench_gnn` has them; Adam. The ways: `default`, each operation by itself; `graph`, the whole
step, optimizer included, replayed as one CUDA graph; `sparse`, edges as a CSR matrix of torch, whose products sum up; `EdgeIndex`, PyG's
own sorted edges; `compiled`, torch.compile of the network, forward and backward, on a GPU with mode="reduce-overhead". Medians of
`--repeat` runs after ten, each waited for; on the CPU, by two threads. That outputs and gradients are the same as ours is what
`examples/gnn/tests/pyg.rs` tests.
"""

import argparse
import csv
import os
import statistics
import sys
import time
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric import EdgeIndex
from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, GINConv, SAGEConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import add_self_loops, remove_self_loops

import comparison
from small_graphs_pyg import molecules

CLASSES = 7
WARM_UP = 10
QUADRANTS = [0.57, 0.76, 0.95]
SIZES = {"gcn": 16, "gin": 16, "sage": 16, "gat": 64, "gatv2": 64}
# Models whose layers attend, and have a loop at each vertex.
ATTENTION = ("gat", "gatv2")
WAYS = {"cuda": "default,graph,compiled", "cpu": "default,sparse,EdgeIndex,compiled"}


class Network(nn.Module):
    def __init__(self, model, inputs, classes, dropout, hidden, layers):
        super().__init__()
        self.dropout, self.activation = dropout, F.elu if model in ATTENTION else F.relu
        mlp = lambda inputs, outputs: nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
        layer = GATv2Conv if model == "gatv2" else GATConv
        heads = lambda outputs: 8 if outputs == hidden else 1
        attention = lambda inputs, outputs, heads: layer(inputs, outputs // heads, heads, dropout=dropout, add_self_loops=False)
        make = {
            "gcn": lambda inputs, outputs: GCNConv(inputs, outputs, normalize=False),
            "gin": lambda inputs, outputs: GINConv(mlp(inputs, outputs), train_eps=True),
            "sage": lambda inputs, outputs: SAGEConv(inputs, outputs),
            "gat": lambda inputs, outputs: attention(inputs, outputs, heads(outputs)),
        }
        make["gatv2"] = make["gat"]
        widths = [inputs, *[hidden] * (layers - 1), classes]
        self.layers = nn.ModuleList(make[model](*pair) for pair in zip(widths, widths[1:]))

    def forward(self, x, *edges):
        x = F.dropout(x, self.dropout, self.training)
        for layer in self.layers[:-1]:
            x = F.dropout(self.activation(layer(x, *edges)), self.dropout, self.training)
        return self.layers[-1](x, *edges)


def cora(path):
    data = np.load(path, allow_pickle=True)
    vertices = int(data["adj_shape"][0])
    row = np.repeat(np.arange(vertices), np.diff(data["adj_indptr"]))
    column = data["adj_indices"]
    keys = np.unique(np.concatenate([row * vertices + column, column * vertices + row]))
    x = np.zeros(tuple(data["attr_shape"]), np.float32)
    x[np.repeat(np.arange(vertices), np.diff(data["attr_indptr"])), data["attr_indices"]] = data["attr_data"]
    x /= np.maximum(x.sum(1, keepdims=True), 1)
    return os.path.basename(path), x, np.stack([keys // vertices, keys % vertices]), data["labels"].astype(np.int64)


def small_graphs(count, features):
    edges, vertices = molecules(count, 1)
    random = np.random.default_rng(1)
    return f"molecules:{count}", random.random((vertices, features), np.float32) - 0.5, edges, random.integers(0, CLASSES, vertices)


def edge_list(path, features):
    edges = np.array(open(path).read().split(), np.int64).reshape(-1, 2).T
    random, vertices = np.random.default_rng(1), int(edges.max()) + 1
    x = random.random((vertices, features), np.float32) - 0.5
    return os.path.basename(path), x, edges, random.integers(0, CLASSES, vertices)


def rmat(scale, count, features):
    random = np.random.default_rng(1)
    keys = np.zeros(0, np.int64)
    while len(keys) < count:
        source, destination = np.zeros(count, np.int64), np.zeros(count, np.int64)
        for _ in range(scale):
            quadrant = np.searchsorted(QUADRANTS, random.random(count, np.float32))
            source, destination = 2 * source + quadrant // 2, 2 * destination + quadrant % 2
        keys = np.unique(np.concatenate([keys, source << scale | destination]))
    keys = random.permutation(keys)[:count]
    x = random.random((1 << scale, features), np.float32) - 0.5
    edges = np.stack([keys >> scale, keys & ((1 << scale) - 1)])
    return f"rmat:{scale}:{count >> scale}", x, edges, random.integers(0, CLASSES, 1 << scale)


def prepared(model, edges, vertices, way):
    """What layers would compute in each step from the edges alone: weights of GCN, loops of attention, and the order of edges."""
    weights = None
    if model == "gcn":
        edges, weights = gcn_norm(edges, num_nodes=vertices)
    elif model in ATTENTION:
        edges = add_self_loops(remove_self_loops(edges)[0], num_nodes=vertices)[0]
    if way == "sparse":
        values = torch.ones(edges.shape[1], device=edges.device) if weights is None else weights
        return (torch.sparse_coo_tensor(edges.flip(0), values, (vertices, vertices)).coalesce().to_sparse_csr(),)
    if way == "EdgeIndex":
        order = (edges[1] * vertices + edges[0]).argsort()
        weights = None if weights is None else weights[order]
        edges = EdgeIndex(edges[:, order], sparse_size=(vertices, vertices), sort_order="col").fill_cache_()
    return (edges,) if weights is None else (edges, weights)


class Work:
    """Inference and steps of training of one network."""

    def __init__(self, model, x, edges, labels, dropout, way, hidden, layers):
        torch.manual_seed(1)
        self.x, self.edges, self.way = x, prepared(model, edges, len(x), way), way
        self.train = torch.arange(0, len(x), 20, device=x.device)
        self.labels = labels[self.train]
        self.network = Network(model, x.shape[1], int(labels.max()) + 1, dropout, hidden, layers).to(x.device)
        adam = {"lr": 0.01, "weight_decay": 5e-4, "fused": True, "capturable": x.is_cuda}
        self.optimizer = torch.optim.Adam(self.network.parameters(), **adam)
        mode = "reduce-overhead" if x.is_cuda else "default"
        self.run = torch.compile(self.network, mode=mode) if way == "compiled" else self.network

    def infer(self):
        self.network.eval()
        with torch.no_grad():
            return self.run(self.x, *self.edges)

    def step(self):
        self.network.train()
        self.optimizer.zero_grad(set_to_none=self.way != "graph")
        F.cross_entropy(self.run(self.x, *self.edges)[self.train], self.labels).backward()
        self.optimizer.step()

    def replayed(self, run):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                run()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run()
        return graph.replay


def milliseconds(run, repeat, wait):
    times = []
    for number in range(WARM_UP + repeat):
        wait()
        start = time.perf_counter()
        run()
        wait()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[WARM_UP:])


def row(model, way, name, x, edges, labels, dropout, repeat, hidden, layers):
    wait = torch.cuda.synchronize if x.is_cuda else lambda: None
    if x.is_cuda:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    torch.compiler.reset()
    name = name if layers == 2 else f"{name} of {layers} layers"
    head = [model, name, len(x), edges.shape[1], x.shape[1], hidden, f"PyG {way}", layers]
    try:
        work = Work(model, x, edges, labels, dropout, way, hidden, layers)
        runs = [work.infer, work.step]
        runs = [work.replayed(run) for run in runs] if way == "graph" else runs
        times = [f"{milliseconds(run, repeat, wait):.4f}" for run in runs]
        peak = f"{torch.cuda.max_memory_allocated() / 2**20:.0f}" if x.is_cuda else ""
        return [*head, *times, peak, ""]
    except Exception as problem:  # What cannot be compiled or recorded leaves the other ways.
        torch.compiler.reset()
        return [*head, "", "", "", f"{type(problem).__name__}: {' '.join(str(problem).split())[:120]}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data")
    parser.add_argument("--graph", help="an edge list, as gnn_graphs.py writes it")
    parser.add_argument("--rmat", type=int, default=20)
    parser.add_argument("--edges", type=int, default=16 << 20)
    parser.add_argument("--molecules", type=int, help="a batch of so many small graphs")
    parser.add_argument("--features", type=int, default=96)
    parser.add_argument("--hidden", type=int, help="default: 16, of attention 64")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--model", default="gcn,gin,sage,gat")
    parser.add_argument("--way", help=f"of {', '.join(WAYS['cuda'].split(','))} and {', '.join(WAYS['cpu'].split(',')[1:3])} [default: those of the backend]")
    parser.add_argument("--backend", choices=WAYS, default="cuda")
    parser.add_argument("--repeat", type=int, default=50)
    options = parser.parse_args()
    comparison.confine(options.backend)
    ways = (options.way or WAYS[options.backend]).split(",")
    warnings.filterwarnings("ignore")
    if options.data:
        name, x, edges, labels = cora(options.data)
    elif options.graph:
        name, x, edges, labels = edge_list(options.graph, options.features)
    elif options.molecules:
        name, x, edges, labels = small_graphs(options.molecules, options.features)
    else:
        name, x, edges, labels = rmat(options.rmat, options.edges, options.features)
    x, edges, labels = (torch.as_tensor(array).to(options.backend) for array in (x, edges, labels))
    dropout = 0.5 if options.data else 0.0
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow("model graph vertices edges features hidden way layers ms_inference ms_step peak_mib problem".split())
    for model in options.model.split(","):
        for way in ways:
            drops = 0.6 if dropout and model in ATTENTION else dropout
            writer.writerow(row(model, way, name, x, edges, labels, drops, options.repeat, options.hidden or SIZES[model], options.layers))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
