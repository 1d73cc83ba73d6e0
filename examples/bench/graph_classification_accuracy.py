#!/usr/bin/env python3
"""Cross-validates a graph isomorphism network of PyTorch Geometric as `graph_classification` does ours, and writes each fold's accuracy epoch by epoch as CSV.

    python3 examples/bench/graph_classification_accuracy.py --data MUTAG.txt
    python3 examples/bench/graph_classification_accuracy.py --data NCI1.txt.gz --processes 5 --device cpu

The network is that of `examples/gnn/src/classifier.rs`: four isomorphism layers with a learned epsilon, whose perceptrons and outputs are normalized over the batch, sums over each
graph after each layer and before the first, dropout on those sums, and classes from all of them. Batches of 32 graphs, Adam, a rate that is halved every 50 epochs. Folds are
stratified, and drawn by another generator than ours: compare mean and standard deviation, which go to standard error for the last epoch and for the one with the best mean.
"""

import argparse
import csv
import gzip
import multiprocessing
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINConv, global_add_pool


def read(path):
    """The graphs of a file in the text form of GIN: features are tags as columns of zeros and ones."""
    words = (gzip.open if path.endswith(".gz") else open)(path, "rt").read().split()
    numbers = iter(map(int, words))
    graphs, tags, classes = [], {}, {}
    for _ in range(next(numbers)):
        vertices, label = next(numbers), next(numbers)
        of_vertices, edges = [], []
        for vertex in range(vertices):
            of_vertices.append(tags.setdefault(next(numbers), len(tags)))
            edges += [(next(numbers), vertex) for _ in range(next(numbers))]
        graphs.append((of_vertices, edges, classes.setdefault(label, len(classes))))
    return [as_data(*graph, len(tags)) for graph in graphs], len(tags), len(classes)


def as_data(tags, edges, label, columns):
    features = F.one_hot(torch.tensor(tags), columns).float()
    return Data(x=features, edge_index=torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T, y=torch.tensor([label]))


class Network(nn.Module):
    def __init__(self, columns, hidden, layers, classes, dropout):
        super().__init__()
        self.dropout = dropout
        sizes = [columns] + [hidden] * layers
        self.convolutions = nn.ModuleList(GINConv(perceptron(size, hidden), train_eps=True) for size in sizes[:-1])
        self.norms = nn.ModuleList(nn.BatchNorm1d(hidden) for _ in range(layers))
        self.outputs = nn.ModuleList(nn.Linear(size, classes, bias=number == 0) for number, size in enumerate(sizes))

    def forward(self, batch):
        rows = [batch.x]
        for convolution, norm in zip(self.convolutions, self.norms):
            rows.append(F.relu(norm(convolution(rows[-1], batch.edge_index))))
        pooled = (global_add_pool(row, batch.batch) for row in rows)
        return sum(output(F.dropout(sums, self.dropout, self.training)) for output, sums in zip(self.outputs, pooled))


def perceptron(inputs, hidden):
    first, second = nn.Linear(inputs, hidden, bias=False), nn.Linear(hidden, hidden, bias=False)
    return nn.Sequential(first, nn.BatchNorm1d(hidden), nn.ReLU(), second)


def stratified(labels, folds, seed):
    """The fold of each graph: the members of all classes are dealt in one round."""
    dice, places = np.random.default_rng(seed), np.empty(len(labels), int)
    order = np.concatenate([dice.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)])
    places[order] = np.arange(len(labels)) % folds
    return places


def train(task):
    options, fold = task
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed * 1000 + fold)
    graphs, columns, classes = read(options.data)
    places = stratified(np.array([int(graph.y) for graph in graphs]), options.folds, options.seed)
    tested = DataLoader([graph for graph, place in zip(graphs, places) if place == fold], options.batch)
    learned = DataLoader([graph for graph, place in zip(graphs, places) if place != fold], options.batch, shuffle=True)
    network = Network(columns, options.hidden, options.layers, classes, options.dropout).to(options.device)
    optimizer = torch.optim.Adam(network.parameters(), options.rate)
    halving = torch.optim.lr_scheduler.StepLR(optimizer, options.halve, 0.5)
    accuracies = []
    for _ in range(options.epochs):
        network.train()
        for batch in learned:
            batch = batch.to(options.device)
            optimizer.zero_grad()
            F.cross_entropy(network(batch), batch.y).backward()
            optimizer.step()
        halving.step()
        accuracies.append(accuracy(network, tested, options.device))
    print(f"fold {fold + 1}: {100 * accuracies[-1]:.1f} %", file=sys.stderr)
    return accuracies


@torch.no_grad()
def accuracy(network, loader, device):
    network.eval()
    right = sum(int((network(batch).argmax(1) == batch.y).sum()) for batch in (part.to(device) for part in loader))
    return right / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="a file in the text form of GIN")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--processes", type=int, default=1, help="folds at once")
    parser.add_argument("--threads", type=int, default=1, help="threads of each")
    for name, default in (("folds", 10), ("epochs", 100), ("batch", 32), ("layers", 4), ("hidden", 32), ("halve", 50), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--dropout", type=float, default=0.5)
    options = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        found = np.array(pool.map(train, [(options, fold) for fold in range(options.folds)], chunksize=1))
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["library", "fold", "epoch", "test_accuracy"])
    table.writerows(("PyG", fold + 1, epoch + 1, f"{value:.4f}") for fold, row in enumerate(found) for epoch, value in enumerate(row))
    for name, epoch in (("last epoch", options.epochs - 1), ("best epoch", int(found.mean(0).argmax()))):
        print(f"{name}, {epoch + 1}: {100 * found[:, epoch].mean():.1f} % +- {100 * found[:, epoch].std():.1f}", file=sys.stderr)


if __name__ == "__main__":
    main()
