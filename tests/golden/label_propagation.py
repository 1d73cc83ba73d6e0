"""Golden labels, by a power iteration on SciPy's CSR matrices in 64-bit floats.

Command:  python tests/golden/label_propagation.py $ONYX_DATA
Made with Python 3.11, networkx 3.6.1, numpy 2.4.6, scipy 1.17.1; the files say which versions wrote them.

    sum(v)   = sum over edges u -> v of weight(u, v) * label(u)
    mixed(v) = alpha * normalize(sum(v)) + (1 - alpha) * seed(v)
    label(v) = normalize(mixed(v))              normalize(x) = x / sum(x), and x itself where sum(x) = 0

from label = seed, which is the class of a seed and all classes alike elsewhere, until no share changes by more than 1e-12.

Of Zachary's karate club, from its two leaders, all labels; of Cora and Pubmed, from the training vertices of the Planetoid split, the
accuracy on its test vertices. Duplicate edges count once; loops stay.
"""

import gzip
import json
import platform
import sys
from pathlib import Path

import networkx
import numpy
import scipy
from scipy.sparse import csr_array

ALPHA = 0.85
TOLERANCE = 1e-12
UNDECIDED = 1e-6
HERE = Path(__file__).parent


def header():
    versions = {
        "python": platform.python_version(),
        "networkx": networkx.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
    return {
        "command": "python tests/golden/label_propagation.py $ONYX_DATA",
        "versions": versions,
        "alpha": ALPHA,
        "tolerance": TOLERANCE,
    }


def undirected(vertices, edges):
    sources, destinations = numpy.array(edges, dtype=numpy.int64).T
    rows = numpy.concatenate([destinations, sources])
    columns = numpy.concatenate([sources, destinations])
    matrix = csr_array((numpy.ones(len(rows)), (rows, columns)), shape=(vertices, vertices))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return matrix


def start(vertices, classes, labels):
    seed = numpy.full((vertices, classes), 1.0 / classes)
    for vertex, label in labels.items():
        seed[vertex] = numpy.eye(classes)[label]
    return seed


def normalize(rows):
    sums = rows.sum(axis=1, keepdims=True)
    return rows / numpy.where(sums == 0.0, 1.0, sums)


def propagate(matrix, seed):
    label, change, iterations = seed, numpy.inf, 0
    while change > TOLERANCE:
        new = normalize(ALPHA * normalize(matrix @ label) + (1.0 - ALPHA) * seed)
        label, change, iterations = new, numpy.abs(new - label).max(), iterations + 1
    return label, iterations


def predicted(label):
    """The class of the greatest share, the lowest of equal ones; -1 where all are alike."""
    return numpy.where(label.max(axis=1) - 1.0 / label.shape[1] > UNDECIDED, label.argmax(axis=1), -1)


def karate():
    graph = networkx.karate_club_graph()
    matrix = undirected(34, list(graph.edges()))
    label, iterations = propagate(matrix, start(34, 2, {0: 0, 33: 1}))
    factions = [int(graph.nodes[member]["club"] != "Mr. Hi") for member in range(34)]
    others = [member for member in range(34) if member not in (0, 33)]
    right = sum(int(predicted(label)[member] == factions[member]) for member in others)
    content = {"iterations": iterations, "right": right, "scored": len(others), "accuracy": right / len(others)}
    content["labels"] = {str(member + 1): row for member, row in enumerate(label.tolist())}
    write("label_propagation_karate.json", content)


def lines(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as text:
        return [line.split() for line in text if not line.startswith("#")]


def planetoid(data, name, adjacency, training):
    labels = [int(words[0]) for words in lines(data / name / f"{name}.labels.txt")]
    test = [int(words[0]) for words in lines(data / name / f"{name}.split.txt")]
    edges = [(int(words[0]), int(word)) for words in lines(data / name / adjacency) for word in words[1:]]
    matrix = undirected(len(labels), edges)
    seed = start(len(labels), max(labels) + 1, {vertex: labels[vertex] for vertex in range(training)})
    label, iterations = propagate(matrix, seed)
    found = predicted(label)
    right = sum(int(found[vertex] == labels[vertex]) for vertex in test)
    ordered = numpy.sort(label[test], axis=1)
    content = {"vertices": len(labels), "edges": matrix.nnz, "training": training, "iterations": iterations}
    content |= {"right": right, "scored": len(test), "accuracy": right / len(test)}
    content |= {"ties_closer_than_1e-6": int((ordered[:, -1] - ordered[:, -2] < 1e-6).sum())}
    content |= {"undecided": int((found[test] < 0).sum())}
    write(f"label_propagation_{name}.json", content)


def write(name, content):
    (HERE / name).write_text(json.dumps(header() | content, indent=1) + "\n")


if __name__ == "__main__":
    karate()
    planetoid(Path(sys.argv[1]), "cora", "cora.adjlist.txt", 140)
    planetoid(Path(sys.argv[1]), "pubmed", "pubmed.adjlist.txt.gz", 60)
