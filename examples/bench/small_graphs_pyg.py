#!/usr/bin/env python3
"""Times layers of PyTorch Geometric over a batch of small graphs as `bench_small_graphs` times ours: inference, in milliseconds, as CSV.

    python3 examples/bench/small_graphs_pyg.py --graphs 4096,16384 --layers 12,28
    python3 examples/bench/small_graphs_pyg.py --device cpu --graphs 64 --layers 4 --way default,dynamic --repeat 3

The graphs are those of `examples/gnn/src/molecules.rs`, number for number. GCNConv and a rectifier, layer after layer; the weights of edges are computed before. The ways:
`default`, each operation by itself; `graph`, all of them replayed as one CUDA graph; `compiled`, torch.compile(mode="reduce-overhead") of the static shapes; `dynamic`,
torch.compile(dynamic=True), which serves batches of other sizes without compiling again. Medians of `--repeat` runs after ten, each waited for, and the mean of as many queued one after
the other. The outputs of all ways are compared with those of the first.
"""

import argparse
import csv
import statistics
import sys
import time
import warnings

import numpy as np
import torch
from torch import nn
from torch_geometric.nn import GCNConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm

WARM_UP = 10
LEAST, SIZES, BRANCHES, RING = 16, 15, 4, 5
MASK = 0xFFFFFFFF


def mix(bits):
    state = (bits * 747796405 + 2891336453) & MASK
    word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737 & MASK
    return (word >> 22) ^ word


def bits(seed, step, row, column):
    return mix(mix(mix(mix(seed) ^ step) ^ row) ^ column)


def molecules(graphs, seed):
    """The edges of a batch, each both ways, and the number of its vertices."""
    edges, first = set(), 0
    for graph in range(graphs):
        size = LEAST + bits(seed, graph, 0, 0) % SIZES
        for vertex in range(1, size):
            back = bits(seed, graph, vertex, 1) % (2 * BRANCHES)
            edges.add((first + vertex, first + max(vertex - (1 + back if back < BRANCHES else 1), 0)))
        for ring in range(1 + bits(seed, graph, 0, 2) % 3):
            vertex = bits(seed, graph, ring, 3) % (size - RING)
            edges.add((first + vertex, first + vertex + RING))
        first += size
    both = sorted({edge for a, b in edges for edge in ((a, b), (b, a))})
    return np.array(both, np.int64).T, first


class Stack(nn.Module):
    def __init__(self, layers, features):
        super().__init__()
        self.layers = nn.ModuleList(GCNConv(features, features, normalize=False) for _ in range(layers))

    def forward(self, x, edges, weights):
        for layer in self.layers:
            x = layer(x, edges, weights).relu()
        return x


class Work:
    """The layers of one network over one batch, computed in some way."""

    def __init__(self, way, stack, inputs):
        self.inputs = inputs
        modes = {"compiled": {"mode": "reduce-overhead"}, "dynamic": {"dynamic": True}}
        self.network = torch.compile(stack, **modes[way]) if way in modes else stack
        self.run = self.replayed() if way == "graph" else self.infer

    def infer(self):
        with torch.no_grad():
            self.output = self.network(*self.inputs)

    def replayed(self):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.infer()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.infer()
        return graph.replay


def milliseconds(run, repeat, wait):
    times = []
    for _ in range(WARM_UP + repeat):
        wait()
        start = time.perf_counter()
        run()
        wait()
        times.append((time.perf_counter() - start) * 1e3)
    start = time.perf_counter()
    for _ in range(repeat):
        run()
    wait()
    return statistics.median(times[WARM_UP:]), (time.perf_counter() - start) * 1e3 / repeat


def row(way, stack, inputs, repeat, wait, expected):
    """The times of a way, and its output; or what is wrong with it."""
    try:
        work = Work(way, stack, inputs)
        work.run()
        wait()
        output = work.output.clone()
        if expected is not None and not torch.allclose(output, expected, rtol=1e-3, atol=1e-4 * float(expected.abs().max())):
            return ["", "", "its output is another one"], expected
        return [*(f"{each:.4f}" for each in milliseconds(work.run, repeat, wait)), ""], output
    except Exception as problem:  # What cannot be compiled or recorded leaves the other ways.
        torch.compiler.reset()
        return ["", "", f"{type(problem).__name__}: {' '.join(str(problem).split())[:120]}"], expected


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default="4096")
    parser.add_argument("--layers", default="12,28")
    parser.add_argument("--features", type=int, default=32)
    parser.add_argument("--way", default="default,graph,compiled,dynamic")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeat", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    wait = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow("graphs vertices edges features layers way backend ms_forward ms_forward_queued problem".split())
    for graphs in map(int, options.graphs.split(",")):
        edges, vertices = molecules(graphs, options.seed)
        count = edges.shape[1]
        edges, weights = gcn_norm(torch.as_tensor(edges, device=options.device), num_nodes=vertices)
        torch.manual_seed(options.seed)
        x = torch.rand(vertices, options.features, device=options.device) * 2 - 1
        for layers in map(int, options.layers.split(",")):
            stack, expected = Stack(layers, options.features).to(options.device).eval(), None
            for way in options.way.split(","):
                torch.compiler.reset()
                times, expected = row(way, stack, (x, edges, weights), options.repeat, wait, expected)
                head = [graphs, vertices, count, options.features, layers, f"PyG {way}", options.device]
                writer.writerow([*head, *times])
                sys.stdout.flush()


if __name__ == "__main__":
    main()
