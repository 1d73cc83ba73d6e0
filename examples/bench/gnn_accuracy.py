#!/usr/bin/env python3
"""Trains networks on Cora by our programs and by PyTorch Geometric, seed by seed, and writes the accuracy on the test vertices as CSV.

    python3 examples/bench/gnn_accuracy.py --data cora --binary-folder target/release --backend cuda --seeds 10

Both sides have the split of Planetoid, features divided by the sum of their row, the settings of the papers of GCN and GAT (two layers, 200 steps of Adam;
weight decay on the first layer of GCN, on all weights of GAT), and the network of the last step. Seeds are not the same random numbers on both sides: compare mean
and standard deviation, which go to standard error.
"""

import argparse
import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.nn import GATConv, GCNConv

STEPS = 200


def lines(folder, what):
    """The lines of one file that are no comments, and the comments."""
    folder = pathlib.Path(folder)
    text = (folder / f"{folder.name}.{what}.txt").read_text().split("\n")
    return [line for line in text if line and line[0] != "#"], [line for line in text if line[:1] == "#"]


def planetoid(folder):
    """Features, edges both ways, and labels."""
    labels = np.array([int(line) for line in lines(folder, "labels")[0]])
    rows = [[int(word) for word in line.split()] for line in lines(folder, "features")[0]]
    x = np.zeros((len(labels), 1 + max(max(row[1:], default=0) for row in rows)), np.float32)
    for vertex, *columns in rows:
        x[vertex, columns] = 1
    x /= np.maximum(x.sum(1, keepdims=True), 1)
    pairs = [[int(word) for word in line.split()] for line in lines(folder, "adjlist")[0]]
    edges = {(a, b) for a, *others in pairs for other in others for a, b in ((a, other), (other, a))}
    return x, np.array(sorted(edges)).T.copy(), labels


def split(folder):
    """The vertices to learn from, a range in the comment, and those to test with."""
    test, comments = lines(folder, "split")
    first, last = re.search(r"train (\d+)\.\.(\d+)", comments[0]).groups()
    return list(range(int(first), int(last) + 1)), [int(line) for line in test]


class Convolutions(torch.nn.Module):
    rate, last_decay, dropout = 0.01, 0.0, 0.5

    def __init__(self, inputs, classes):
        super().__init__()
        self.first, self.last = GCNConv(inputs, 16, cached=True), GCNConv(16, classes, cached=True)

    def forward(self, x, edges):
        x = F.dropout(x, self.dropout, self.training)
        x = F.dropout(F.relu(self.first(x, edges)), self.dropout, self.training)
        return self.last(x, edges)


class Attention(torch.nn.Module):
    rate, last_decay, dropout = 0.005, 5e-4, 0.6

    def __init__(self, inputs, classes):
        super().__init__()
        self.first = GATConv(inputs, 8, 8, dropout=self.dropout)
        self.last = GATConv(64, classes, 1, dropout=self.dropout)

    def forward(self, x, edges):
        x = F.dropout(x, self.dropout, self.training)
        x = F.dropout(F.elu(self.first(x, edges)), self.dropout, self.training)
        return self.last(x, edges)


NETWORKS = {"gcn": Convolutions, "gat": Attention}


def theirs(model, seed, data, parts, device):
    torch.manual_seed(seed)
    x, edges, labels = (torch.from_numpy(array).to(device) for array in data)
    train, test = (torch.tensor(part, device=device) for part in parts)
    network = NETWORKS[model](x.shape[1], int(labels.max()) + 1).to(device)
    groups = [
        {"params": network.first.parameters(), "weight_decay": 5e-4},
        {"params": network.last.parameters(), "weight_decay": network.last_decay},
    ]
    optimizer = torch.optim.Adam(groups, network.rate)
    for _ in range(STEPS):
        network.train()
        optimizer.zero_grad()
        F.cross_entropy(network(x, edges)[train], labels[train]).backward()
        optimizer.step()
    network.eval()
    with torch.no_grad():
        right = network(x, edges)[test].argmax(1) == labels[test]
    return 100 * float(right.float().mean())


def ours(model, seed, arguments):
    program = pathlib.Path(arguments.binary_folder) / model
    command = [program, "--data", arguments.data, "--backend", arguments.backend, "--seed", str(seed), "--epochs", str(STEPS), "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return 100 * report["accuracy"]["test"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="a folder of Planetoid text")
    parser.add_argument("--binary-folder", required=True)
    parser.add_argument("--backend", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--model", default="gcn,gat", type=lambda text: text.split(","))
    parser.add_argument("--seeds", default=10, type=int)
    arguments = parser.parse_args()
    *data, labels = planetoid(arguments.data)
    parts = split(arguments.data)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["model", "library", "seed", "test_accuracy"])
    for model in arguments.model:
        found = {"Onyx": [], "PyG": []}
        for seed in range(arguments.seeds):
            found["Onyx"].append(ours(model, seed, arguments))
            found["PyG"].append(theirs(model, seed, (*data, labels), parts, arguments.backend))
            for library, values in found.items():
                table.writerow([model, library, seed, f"{values[-1]:.2f}"])
            sys.stdout.flush()
        for library, values in found.items():
            deviation = statistics.stdev(values) if len(values) > 1 else 0
            print(f"{model}, {library}: {statistics.mean(values):.2f} +- {deviation:.2f} %", file=sys.stderr)


if __name__ == "__main__":
    main()
