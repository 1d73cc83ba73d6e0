"""Golden factors of alternating least squares, from NumPy arrays and SciPy's solver in 64-bit floats.

Command:  python tests/golden/als.py
Made with Python 3.11, numpy 2.4.6, scipy 1.17.1; the file says which versions wrote it.

als_small.json, of 5 features, and als_wide.json, of 40, have drawn ratings, the factors that a run starts from (all 32-bit floats), and for explicit ratings with both
regularisations and for implicit feedback the factors after three sweeps, users then items in each, and the objective after each half sweep.
The systems of equations are dense and formed with masks over all users and items, unlike those of the library.

    explicit:  minimise sum over ratings (r - x.y)^2 + sum w_x |x|^2 + sum w_y |y|^2        w = lambda, or lambda times the number of ratings
    implicit:  minimise sum over all pairs c (p - x.y)^2 + lambda (sum |x|^2 + sum |y|^2)   c = 1 + alpha r, p = 1 where r > 0, else 0
"""

import json
import platform
from pathlib import Path
from typing import NamedTuple

import numpy
import scipy
from scipy.linalg import cho_factor, cho_solve

HERE = Path(__file__).parent
SWEEPS = 3


class Shape(NamedTuple):
    users: int
    items: int
    features: int
    empty_user: int
    empty_item: int


SHAPES = {"als_small.json": Shape(23, 17, 5, 4, 9), "als_wide.json": Shape(9, 7, 40, 4, 2)}


def draw(random, shape):
    """Ratings of about a third of all pairs, one user and one item without any."""
    mask = random.random((shape.users, shape.items)) < 0.35
    mask[shape.empty_user, :] = False
    mask[:, shape.empty_item] = False
    x, y = random.normal(size=(shape.users, 3)), random.normal(size=(shape.items, 3))
    ratings = numpy.round(x @ y.T + 0.2 * random.normal(size=mask.shape), 2).astype(numpy.float32)
    return mask, ratings.astype(numpy.float64)


def start(random, mask, features):
    """32-bit floats, zeros where there are no ratings."""
    rows = [random.uniform(-0.5, 0.5, size=(count, features)).astype(numpy.float32) for count in mask.shape]
    users, items = (row.astype(numpy.float64) for row in rows)
    users[~mask.any(axis=1)] = 0
    items[~mask.any(axis=0)] = 0
    return users, items


def fit(targets, confidences, penalties, others):
    """Each row's factor: one dense weighted least squares problem a row."""
    rows = []
    for target, confidence, penalty in zip(targets, confidences, penalties):
        matrix = others.T @ numpy.diag(confidence) @ others + penalty * numpy.eye(others.shape[1])
        rows.append(cho_solve(cho_factor(matrix), others.T @ (confidence * target)))
    return numpy.array(rows)


def objective(targets, confidences, weights, users, items):
    errors = confidences * (targets - users @ items.T) ** 2
    held = (weights[0] * (users**2).sum(axis=1)).sum() + (weights[1] * (items**2).sum(axis=1)).sum()
    return errors.sum() + held


def penalties(mask, lambda_, weighted, axis):
    counts = mask.sum(axis=axis)
    held = lambda_ * (counts if weighted else numpy.ones(len(counts)))
    return numpy.where(counts > 0, held, 1.0)


def solve(name, mask, targets, confidences, users, items, settings):
    weights = [penalties(mask, settings["lambda"], settings["weighted"], axis) for axis in (1, 0)]
    objectives = []
    for _ in range(SWEEPS):
        users = fit(targets, confidences, weights[0], items)
        objectives.append(objective(targets, confidences, weights, users, items))
        items = fit(targets.T, confidences.T, weights[1], users)
        objectives.append(objective(targets, confidences, weights, users, items))
    return {"name": name, **settings, "objectives": objectives, "users": users.tolist(), "items": items.tolist()}


def triples(mask, values):
    return [[int(user), int(item), float(values[user, item])] for user, item in zip(*mask.nonzero())]


def write(name, shape):
    random = numpy.random.default_rng(7)
    mask, ratings = draw(random, shape)
    users, items = start(random, mask, shape.features)
    clicks = random.integers(1, 6, size=mask.shape).astype(numpy.float64)
    explicit = (mask, ratings * mask, mask.astype(numpy.float64), users, items)
    alpha = numpy.float32(2.5)
    implicit = (mask, mask.astype(numpy.float64), 1 + alpha * clicks * mask, users, items)
    runs = [
        solve("plain", *explicit, {"lambda": 0.25, "weighted": False, "alpha": None}),
        solve("weighted", *explicit, {"lambda": 0.0625, "weighted": True, "alpha": None}),
        solve("implicit", *implicit, {"lambda": 0.5, "weighted": False, "alpha": float(alpha)}),
    ]
    golden = {
        "versions": {"python": platform.python_version(), "numpy": numpy.__version__, "scipy": scipy.__version__},
        "sweeps": SWEEPS,
        "features": shape.features,
        "ratings": triples(mask, ratings),
        "clicks": triples(mask, clicks),
        "start": {"users": users.tolist(), "items": items.tolist()},
        "runs": runs,
    }
    (HERE / name).write_text(json.dumps(golden) + "\n")


for name, shape in SHAPES.items():
    write(name, shape)
