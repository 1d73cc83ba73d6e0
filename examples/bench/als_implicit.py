#!/usr/bin/env python3
"""Compares our alternating least squares on implicit feedback with the package `implicit`, on the CPU and on a GPU.

    python3 examples/bench/als_implicit.py --backend cuda --output docs/measurements/peers.csv

Same factors, lambda, alpha and sweeps. `implicit` takes the confidences themselves, 1 + alpha * rating. Its first factors are
ours after one sweep, so that both are on the same path: after the other sweeps the objectives, computed here in 64-bit
floats, agree. Its conjugate gradients stop after three steps, and are allowed a greater difference; they are compared with
ours that solves each system, and with ours that goes as many steps ("als, three steps"). recall@20 of held-out items is
printed for each. The seconds are those of the sweeps but the first, ours with what the host computes and copies
between their halves; in the rows "als (iterations)" ours are without. With --backend cuda ours runs on the GPU, and
`implicit` on all cores, and on the GPU if it has the package rmm.

The ratings are Gowalla's check-ins of the folder ONYX_DATA, if it has them, and drawn ones of the size of MovieLens 1M.
"""

import os
import time

import comparison
from comparison import Comparison, note
from ratings import ALPHA, LAMBDA, Ratings, drawn, read_lists

SWEEPS = 6
EXACT, APPROXIMATE = 1e-4, 2e-2  # parts of the objective


def main():
    parser = comparison.arguments(__doc__)
    parser.add_argument("--features", default="8,32", help="numbers of factors")
    parser.add_argument("--drawn", default="6040x3706x1000209", help="users, items and ratings that are drawn")
    parser.add_argument("--no-gowalla", action="store_true", help="leave Gowalla's check-ins out")
    options = parser.parse_args()
    comparison.confine(options.backend)
    if options.backend == "cuda":
        load_libraries()
    compared = Comparison(options)
    graphs = {"drawn ratings": drawn(*map(int, options.drawn.split("x")))}
    gowalla = os.path.join(os.environ.get("ONYX_DATA", "."), "ratings", "gowalla")
    if os.path.exists(f"{gowalla}.train.txt.gz") and not options.no_gowalla:
        graphs["Gowalla"] = [read_lists(f"{gowalla}.{part}.txt.gz") for part in ("train", "test")]
    for graph, (train, test) in graphs.items():
        for features in map(int, options.features.split(",")):
            compare(compared, graph, Ratings(train, test), features)
    compared.finish()


def load_libraries():
    """Loads CUDA's libraries, which `implicit` does not find where PyTorch has them."""
    try:
        import torch
    except ImportError:
        return
    torch.cuda.is_available()


def compare(compared, graph, ratings, features):
    path = compared.path("ratings.csv")
    ratings.write(path)
    given = ["--ratings", path, "--test-share", 0, "--implicit", "--at-once"]
    given += ["--features", features, "--lambda", LAMBDA, "--alpha", ALPHA]
    compare_solver(compared, graph, ratings, features, "als", given)
    compare_solver(compared, graph, ratings, features, "als, three steps", [*given, "--steps", 3])


def compare_solver(compared, graph, ratings, features, name, given):
    first_report, output = compared.onyx("als", *given, "--sweeps", 1, repeat=4)
    first = ratings.read_factors(output, features)
    affordable = int(2 * compared.options.budget / compared.ours(first_report, "sweeps") / SWEEPS)
    repeat = min(max(affordable, 4), 3 + compared.options.repeat)
    report, output = compared.onyx("als", *given, "--sweeps", SWEEPS, repeat=repeat)
    last = ratings.read_factors(output, features)
    note(f"{graph}, {name}: our objective {ratings.objective(*last):.6g}, recall@20 {ratings.recall(*last):.4f}")
    size = sum(ratings.train.shape), ratings.train.nnz
    case = comparison.case(report, name, graph, size, features) | {"iterations": SWEEPS - 1}
    # On the CPU nothing is copied between iterations.
    fields = {name: "sweeps"} if compared.options.backend == "cpu" else {name: "sweeps", f"{name} (iterations)": "runs"}
    for peer, (make, tolerance) in peers(compared.options, ratings, first, ratings.objective(*last)).items():
        # Systems that are solved cost more than a few steps: that is no comparison.
        if tolerance == EXACT and name != "als":
            continue
        for algorithm, field in fields.items():
            ours = compared.ours(report, field) - compared.ours(first_report, field)
            compared.peer(peer, case | {"algorithm": algorithm}, ours, make, tolerance)


def peers(options, ratings, first, objective):
    threads = 2 if options.backend == "cpu" else os.cpu_count()
    exact, approximate = (on_cpu(ratings, first, objective, use_cg, threads) for use_cg in (False, True))
    found = {
        f"implicit, Cholesky, {threads} threads": (exact, EXACT),
        f"implicit, conjugate gradients, {threads} threads": (approximate, APPROXIMATE),
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
        return fitted(
            model, ratings, first, objective, lambda factors: factors.astype("float32"), lambda factors: factors
        )

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
