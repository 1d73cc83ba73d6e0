#!/usr/bin/env python3
"""Compares our alternating least squares on implicit feedback with the package `implicit`, on the CPU and, where it is there, its GPU code.

    python3 examples/bench/als_implicit.py --backend cuda --output docs/measurements/peers.csv

Same factors, lambda, alpha and sweeps. `implicit` takes the confidences themselves, 1 + alpha * rating. Its first factors are ours after
one sweep, so that both sides are on the same path: after the remaining sweeps the objectives, computed here in 64-bit floats, agree to the
stated part for the Cholesky solver; its conjugate gradients of three steps are not exact, and are allowed more. recall@20 of held-out
items is printed for each. The seconds are those of the sweeps but the first: ours are the whole sweeps with what the host computes and copies
between their halves; in the rows "als (iterations)" only ours' iterations count. With --backend cuda ours runs on the GPU, and `implicit` on all cores.

The ratings are Gowalla's check-ins of the folder ONYX_DATA, if it has them, and drawn ones of the size of MovieLens 1M.
"""

import gzip
import os
import time

import comparison
from comparison import Comparison, note

LAMBDA, ALPHA, SWEEPS = 10.0, 40.0, 11
EXACT, APPROXIMATE = 1e-4, 2e-2  # parts of the objective


def main():
    parser = comparison.arguments(__doc__)
    parser.add_argument("--features", default="8,32", help="numbers of factors")
    options = parser.parse_args()
    comparison.confine(options.backend)
    compared = Comparison("als", options)
    graphs = {"drawn ratings": drawn(6040, 3706, 1_000_209)}
    gowalla = os.path.join(os.environ.get("ONYX_DATA", "."), "ratings", "gowalla")
    if os.path.exists(f"{gowalla}.train.txt.gz"):
        graphs["Gowalla"] = [read_lists(f"{gowalla}.{part}.txt.gz") for part in ("train", "test")]
    for graph, (train, test) in graphs.items():
        for features in map(int, options.features.split(",")):
            compare(compared, graph, Ratings(train, test), features)
    compared.finish()


def drawn(users, items, count):
    """Ratings of popular items by busy users, drawn with a taste of 8 numbers each; a tenth of them to test with."""
    import numpy as np

    random = np.random.default_rng(3)
    user = np.minimum(random.pareto(1.0, 3 * count) * users / 20, users - 1).astype(int)
    item = np.minimum(random.pareto(1.0, 3 * count) * items / 20, items - 1).astype(int)
    tastes, kinds = random.normal(size=(users, 8)), random.normal(size=(items, 8))
    likes = np.einsum("rk,rk->r", tastes[user], kinds[item]) > random.normal(size=len(user))
    pairs = random.permutation(np.unique(user[likes] * items + item[likes]))[:count]
    pairs = np.stack([pairs // items, pairs % items])
    return np.split(pairs, [len(pairs[0]) * 9 // 10], axis=1)


def read_lists(path):
    import numpy as np

    lists = [list(map(int, line.split())) for line in gzip.open(path, "rt")]
    return np.array([(row[0], item) for row in lists for item in dict.fromkeys(row[1:])]).T


class Ratings:
    """The matrix of users and items to learn from, and that to test with; every rating is 1."""

    def __init__(self, train, test):
        import numpy as np
        from scipy import sparse

        size = tuple(int(max(train[side].max(), test[side].max())) + 1 for side in range(2))
        self.train, self.test = (
            sparse.csr_matrix((np.ones(len(pairs[0]), np.float32), tuple(pairs)), shape=size) for pairs in (train, test)
        )

    def write(self, path):
        pairs = self.train.tocoo()
        with open(path, "w") as file:
            file.write("user,item,rating\n")
            file.writelines(f"{user},{item},1\n" for user, item in zip(pairs.row.tolist(), pairs.col.tolist()))

    def read_factors(self, path, features):
        """The factors of users and of items that our program has written; zeros where there are no ratings."""
        import numpy as np

        factors = {"user": np.zeros((self.train.shape[0], features)), "item": np.zeros((self.train.shape[1], features))}
        for line in open(path):
            side, name, *values = line.split("\t")
            factors[side][int(name)] = [float(value) for value in values]
        return factors["user"], factors["item"]

    def objective(self, users, items):
        """The weighted squares of all errors, of pairs without a rating, too, and of the factors."""
        import numpy as np

        pairs = self.train.tocoo()
        products = np.einsum("rk,rk->r", users[pairs.row], items[pairs.col])
        rated = ((1 + ALPHA) * (1 - products) ** 2 - products**2).sum()
        return rated + ((users.T @ users) * (items.T @ items)).sum() + LAMBDA * ((users**2).sum() + (items**2).sum())

    def recall(self, users, items):
        """The part of a user's test items among the 20 best that are not in the training, in the mean over users with any."""
        import numpy as np

        parts, tested = [], np.flatnonzero(np.diff(self.test.indptr))[:2000]
        for start in range(0, len(tested), 500):
            chunk = tested[start : start + 500]
            scores = users[chunk] @ items.T
            scores[self.train[chunk].nonzero()] = -np.inf
            best = np.argpartition(-scores, 20, axis=1)[:, :20]
            hits = np.asarray(self.test[np.repeat(chunk, 20), best.ravel()]).reshape(-1, 20).sum(axis=1)
            parts.append(hits / np.diff(self.test.indptr)[chunk])
        return float(np.concatenate(parts).mean())


def compare(compared, graph, ratings, features):
    path = compared.path("ratings.csv")
    ratings.write(path)
    given = ["--ratings", path, "--test-share", 0, "--implicit", "--features", features, "--lambda", LAMBDA, "--alpha", ALPHA, "--at-once"]
    first_report, output = compared.onyx("als", *given, "--sweeps", 1)
    first = ratings.read_factors(output, features)
    report, output = compared.onyx("als", *given, "--sweeps", SWEEPS)
    last = ratings.read_factors(output, features)
    note(f"{graph}: our objective {ratings.objective(*last):.6g}, recall@20 {ratings.recall(*last):.4f}")
    case = {"graph": graph, "vertices": sum(ratings.train.shape), "edges": ratings.train.nnz, "features": features}
    case.update(iterations=SWEEPS - 1, machine=comparison.machine(report))
    # On the CPU nothing is copied between iterations.
    fields = {"als": "sweeps"} if compared.options.backend == "cpu" else {"als": "sweeps", "als (iterations)": "runs"}
    for name, (make, tolerance) in peers(compared.options, ratings, first, ratings.objective(*last)).items():
        for algorithm, field in fields.items():
            ours = compared.ours(report, field) - compared.ours(first_report, field)
            compared.peer(name, case | {"algorithm": algorithm}, ours, make, tolerance)


def peers(options, ratings, first, objective):
    threads = 2 if options.backend == "cpu" else os.cpu_count()
    found = {
        f"implicit, Cholesky, {threads} threads": (on_cpu(ratings, first, objective, False, threads), EXACT),
        f"implicit, conjugate gradients, {threads} threads": (on_cpu(ratings, first, objective, True, threads), APPROXIMATE),
    }
    if options.backend == "cuda":
        found["implicit, conjugate gradients, GPU"] = (on_gpu(ratings, first, objective), APPROXIMATE)
    return found


def on_cpu(ratings, first, objective, use_cg, threads):
    def make():
        from implicit.cpu.als import AlternatingLeastSquares
        from threadpoolctl import threadpool_limits

        threadpool_limits(1, "blas")  # as the package asks for: its own threads are those that count
        settings = {"use_cg": use_cg, "use_native": True, "num_threads": threads, "alpha": 1.0}
        model = AlternatingLeastSquares(factors=first[0].shape[1], regularization=LAMBDA, **settings)
        return fitted(model, ratings, first, objective, lambda factors: factors.astype("float32"), lambda factors: factors)

    return make


def on_gpu(ratings, first, objective):
    def make():
        import numpy as np
        from implicit.gpu import HAS_CUDA, Matrix
        from implicit.gpu.als import AlternatingLeastSquares

        if not HAS_CUDA:
            raise ImportError("implicit was built without CUDA, or rmm is not there")
        # Its kernels have a thread for each factor, and want whole warps: factors of zeros, which stay zeros, fill them up.
        filled = [np.pad(factors, [(0, 0), (0, -factors.shape[1] % 32)]).astype("float32") for factors in first]
        model = AlternatingLeastSquares(factors=filled[0].shape[1], regularization=LAMBDA, alpha=1.0)
        return fitted(model, ratings, filled, objective, Matrix, lambda factors: factors.to_numpy())

    return make


def fitted(model, ratings, first, objective, send, bring):
    """A function that fits from the first factors, and one that compares what it has found."""
    confidence = ((1 + ALPHA) * ratings.train).tocsr()

    def seconds(sweeps):
        model.user_factors, model.item_factors = map(send, first)
        model.iterations, start = sweeps, time.perf_counter()
        model.fit(confidence, show_progress=False)
        bring(model.user_factors)  # waits for a GPU
        return time.perf_counter() - start

    def run():
        # What a fit without sweeps takes, to transpose and to copy, does not count.
        nothing = seconds(0)
        return seconds(SWEEPS - 1) - nothing

    def difference():
        users, items = (bring(factors).astype("float64") for factors in (model.user_factors, model.item_factors))
        note(f"theirs {ratings.objective(users, items):.6g}, recall@20 {ratings.recall(users, items):.4f}")
        return abs(ratings.objective(users, items) / objective - 1)

    return run, difference


if __name__ == "__main__":
    main()
