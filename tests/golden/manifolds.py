"""Golden values of multi-manifold ranking and multimodal learning, by SciPy: the fixed point solved as one sparse linear system.

Command:  python tests/golden/manifolds.py
Made with Python 3.11, numpy 2.4.6, scipy 1.17.1; the files say which versions wrote them.

Both graphs are drawn, directed, with loops, equal edges and vertices at which nothing arrives. Weights are rounded to three digits, so that
the text that the files hold is what is solved.
"""

import json
import platform
from pathlib import Path

import numpy
import scipy
from scipy.sparse import coo_matrix, identity
from scipy.sparse.linalg import spsolve

ALPHA = 0.9
HERE = Path(__file__).parent


def header():
    versions = {"python": platform.python_version(), "numpy": numpy.__version__, "scipy": scipy.__version__}
    return {"command": "python tests/golden/manifolds.py", "versions": versions, "alpha": ALPHA}


def draw(random, vertices, edges):
    """Ends of edges; the last vertices have no incoming edge, and the first edges stand twice."""
    source = random.integers(0, vertices, edges)
    destination = random.integers(0, vertices - 3, edges)
    source[-5:], destination[-5:] = source[:5], destination[:5]
    # A loop, and every vertex named at least once.
    source[0] = destination[0]
    rest = numpy.arange(vertices)
    return numpy.concatenate([source, rest]), numpy.concatenate([destination, (rest * 7 + 1) % (vertices - 3)])


def solve(operator, start):
    return spsolve((identity(operator.shape[0]) - ALPHA * operator).tocsc(), (1 - ALPHA) * start)


def shares(entries, rows, columns, size):
    """The matrix of these entries, each divided by the sum of the absolute values in its row."""
    totals = numpy.bincount(rows, numpy.abs(entries), size)[rows]
    divided = numpy.divide(entries, totals, out=numpy.zeros_like(entries), where=totals != 0)
    return coo_matrix((divided, (rows, columns)), (size, size)).tocsr()


def rank(source, destination, weights, queries):
    vertices = queries.shape[0]
    operators = [shares(column, destination, source, vertices) for column in weights.T]
    return numpy.stack([solve(operator, query) for operator, query in zip(operators, queries.T)], axis=1)


def learn(source, destination, matrices, seeds):
    vertices, features = seeds.shape
    row, column = numpy.meshgrid(numpy.arange(features), numpy.arange(features), indexing="ij")
    # What arrives at feature j of the destination comes from feature i of the source by the entry in row i and column j.
    rows = (destination[:, None] * features + column.ravel()).ravel()
    columns = (source[:, None] * features + row.ravel()).ravel()
    operator = shares(matrices.ravel(), rows, columns, vertices * features)
    return solve(operator, seeds.ravel()).reshape(vertices, features)


def lines(ids, numbers):
    return [" ".join([*map(str, line), *map(repr, map(float, row))]) for line, row in zip(ids, numbers)]


def write(name, source, destination, numbers, known, start, found):
    content = {
        "graph": lines(zip(source, destination), numbers),
        "start": lines(((vertex,) for vertex in known), start[known]),
        "values": {str(vertex): row for vertex, row in enumerate(found.tolist())},
    }
    (HERE / name).write_text(json.dumps(header() | content, indent=1) + "\n")


def multi_manifold_ranking():
    random = numpy.random.default_rng(11)
    vertices, features = 40, 3
    source, destination = draw(random, vertices, 120)
    weights = random.random((len(source), features)).round(3)
    weights[random.random(weights.shape) < 0.2] = 0
    known, queries = [4, 21], numpy.zeros((vertices, features))
    queries[known] = [[1, 1, 0.5], [0, 2, -0.25]]
    found = rank(source, destination, weights, queries)
    write("multi_manifold_ranking.json", source, destination, weights, known, queries, found)


def multimodal_learning():
    random = numpy.random.default_rng(12)
    vertices, features = 30, 3
    source, destination = draw(random, vertices, 60)
    matrices = (2 * random.random((len(source), features * features)) - 0.7).round(3)
    known, seeds = [2, 9, 25], numpy.zeros((vertices, features))
    seeds[known] = [[1, 0, 0], [0, 1, 0], [0.5, -0.5, 1]]
    found = learn(source, destination, matrices, seeds)
    write("multimodal_learning.json", source, destination, matrices, known, seeds, found)


if __name__ == "__main__":
    multi_manifold_ranking()
    multimodal_learning()
