#!/usr/bin/env python3
"""Compares our belief propagation with PGMax (JAX), on pixel grids with a table of random potentials for each pair, and on UAI grids.

    python3 examples/bench/belief_propagation_pgmax.py --backend cuda --output docs/measurements/peers.csv

Both send all messages at once, start from equal ones, mix the logarithms of the old ones in by 0.5, and run the same number of iterations;
the marginals are compared. Neither looks whether messages still change. In the rows "change-driven" there is no damping, ours sends from
variables that have heard something new and stops by its own rule (1e-5 of a message's logarithm), and PGMax runs as many full iterations as ours took.

The UAI grids are those of the folder ONYX_DATA, if it has them. PGMax compiles for each number of iterations; that is not timed.
"""

import gzip
import os
import types

import comparison
from comparison import Comparison

DAMPING, ITERATIONS = 0.5, 20
GRIDS = {"cpu": "256x256:2,256x256:4,128x128:8", "cuda": "512x512:2,512x512:4,256x256:8"}
TOLERANCE = 2e-4  # of a share: both compute in 32-bit floats, and ours may leave changes of 1e-5 untold


def main():
    parser = comparison.arguments(__doc__)
    parser.add_argument("--grids", help=f"widths, heights, and numbers of states [default: {GRIDS}]")
    parser.add_argument("--uai", default="Grids_15,Grids_18", help="models of ONYX_DATA")
    options = parser.parse_args()
    comparison.confine(options.backend)
    os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.5")  # our program needs some of the GPU's memory, too
    compared = Comparison(options)
    for grid in filter(None, (GRIDS[options.backend] if options.grids is None else options.grids).split(",")):
        size, states = grid.split(":")
        network = drawn(*map(int, size.split("x")), int(states))
        network.write(compared.path("grid.uai"))
        compare(compared, f"grid {size}", network, compared.path("grid.uai"))
    for name in filter(None, options.uai.split(",")):
        path = os.path.join(os.environ.get("ONYX_DATA", "."), "uai", f"{name}.uai.gz")
        if os.path.exists(path):
            compare(compared, name, read(path), path)
    compared.finish()


class Network:
    """Variables of as many states each, and the tables of their potentials: one of each variable, and one of each pair."""

    def __init__(self, unary, pairs, tables):
        self.unary, self.pairs, self.tables = unary, pairs, tables

    def write(self, path):
        """Writes a UAI file; potentials are whole numbers of thousandths."""
        import numpy as np

        (variables, states), count = self.unary.shape, len(self.pairs)
        with open(path, "w") as file:
            file.write(f"MARKOV\n{variables}\n{' '.join([str(states)] * variables)}\n{variables + count}\n")
        ids = np.arange(variables)
        comparison.write_numbers(path, [np.ones_like(ids), ids], "ab")
        comparison.write_numbers(path, [np.full(count, 2), *self.pairs.T], "ab")
        for tables in (self.unary, self.tables.reshape(count, -1)):
            sizes = np.full(len(tables), tables.shape[1])
            comparison.write_numbers(path, [sizes, *np.rint(tables.T * 1000).astype(int)], "ab")


def drawn(width, height, states):
    """Neighbors on a grid with tables between 0.5 and 2, and variables with ones between 0.1 and 1, in thousandths."""
    import numpy as np

    random = np.random.default_rng(5)
    ids = np.arange(width * height).reshape(height, width)
    across, down = np.stack([ids[:, :-1].ravel(), ids[:, 1:].ravel()]), np.stack([ids[:-1].ravel(), ids[1:].ravel()])
    pairs = np.concatenate([across, down], axis=1).T
    unary = random.integers(100, 1001, (width * height, states)) / 1000
    return Network(unary, pairs, random.integers(500, 2001, (len(pairs), states, states)) / 1000)


def read(path):
    """A UAI file whose variables have as many states each and whose factors join one or two of them."""
    import numpy as np

    words = iter(gzip.open(path, "rt").read().split()[1:])
    number = lambda: int(next(words))
    sizes = [number() for _ in range(number())]
    scopes = [[number() for _ in range(number())] for _ in range(number())]
    unary, pairs, tables = np.ones((len(sizes), sizes[0])), [], []
    for scope in scopes:
        table = np.array([float(next(words)) for _ in range(number())])
        if len(scope) == 1:
            unary[scope[0]] *= table
        else:
            pairs.append(scope)
            tables.append(table.reshape(sizes[0], sizes[0]))
    return Network(unary, np.array(pairs), np.array(tables))


def compare(compared, graph, network, path):
    ways = {
        "belief_propagation": (
            DAMPING,
            ["--iterations", ITERATIONS, "--tolerance", 1e-30, "--damping", DAMPING, "--log-damping"],
        ),
        "belief_propagation change-driven": (0.0, ["--iterations", 200]),
    }
    peer = None
    for algorithm, (damping, way) in ways.items():
        report, output = compared.onyx("belief_propagation", "--model", path, *way)
        marginals, states = comparison.read_values(output), network.unary.shape[1]
        case = comparison.case(report, algorithm, graph, (len(network.unary), 2 * len(network.pairs)), states)
        if not damping and report["status"] != "converged":
            compared.missing("PGMax", case, "ours does not converge without damping")
            continue
        try:
            peer = peer or PgMax(network)
        except Exception as failure:
            compared.missing("PGMax", case, f"{type(failure).__name__}: {failure}")
            continue
        make = peer.make(damping, report["iterations"], marginals)
        compared.peer(f"PGMax ({peer.platform})", case, compared.ours(report), make, TOLERANCE)


class PgMax:
    """The network as PGMax has it."""

    def __init__(self, network):
        import jax
        import numpy as np

        from jax.extend import backend

        # PGMax asks for the backend where JAX had it once.
        bridge = types.SimpleNamespace(get_backend=backend.get_backend)
        jax.lib = types.SimpleNamespace(xla_bridge=bridge)
        from pgmax import fgraph, fgroup, infer, vgroup

        self.jax, self.infer, self.platform = jax, infer, jax.default_backend()
        self.variables = vgroup.NDVarArray(num_states=network.unary.shape[1], shape=(len(network.unary),))
        graph = fgraph.FactorGraph(variable_groups=self.variables)
        joined = [[self.variables[one], self.variables[other]] for one, other in network.pairs.tolist()]
        graph.add_factors(
            fgroup.PairwiseFactorGroup(variables_for_factors=joined, log_potential_matrix=np.log(network.tables))
        )
        self.inferer = infer.build_inferer(graph.bp_state, backend="bp")
        self.start = self.inferer.init(evidence_updates={self.variables: np.log(network.unary)})

    def make(self, damping, iterations, expected):
        def prepare():
            settings = {"num_iters": iterations, "damping": damping, "temperature": 1.0}
            solve = self.jax.jit(lambda arrays: self.inferer.run(arrays, **settings))
            last = []

            def run():
                last[:] = [self.jax.block_until_ready(solve(self.start))]

            def difference():
                marginals = self.infer.get_marginals(self.inferer.get_beliefs(last[0]))[self.variables]
                return abs(marginals - expected).max()

            return run, difference

        return prepare


if __name__ == "__main__":
    main()
