"""Golden beliefs of Markov networks, by enumeration and by a loopy belief propagation on NumPy arrays in 64-bit floats.

Command:  python tests/golden/belief_propagation.py $ONYX_DATA
Made with Python 3.11, numpy 2.4.6; the files say which versions wrote them.

belief_propagation_small.json has random networks, trees and with loops, with variables of different numbers of states, potentials of 0,
several factors of one variable or pair, and evidence. Beside each stand its exact marginals and its most probable state, found by going
through all joint states.

belief_propagation_uai.json has what belief propagation makes of the networks of the UAI-2014 competition. All messages are computed from
those of the iteration before, from uniform ones:

    cavity(u, v) = unary(u) * product of m(w, u) over the neighbors w of u but v
    new(u, v)    = normalize(sum over x_u of psi(x_u, x_v) * cavity(u, v)[x_u])        max in place of sum for max-product
    m(u, v)      = normalize((1 - damping) * new(u, v) + damping * old m(u, v))

A run ends when no entry of a message changes by more than the tolerance, or at the limit. Most of these networks are too strongly coupled
to converge; what they are after a few iterations is a test all the same. The distance is to the marginals in the .MAR files.
"""

import gzip
import itertools
import json
import platform
import sys
from pathlib import Path

import numpy

HERE = Path(__file__).parent
DAMPING = 0.5
TOLERANCE = 1e-8
LIMIT = 400
FEW = 20
DETAILED = ["Grids_12", "Grids_15"]
HANDFUL = 8


def header():
    versions = {"python": platform.python_version(), "numpy": numpy.__version__}
    return {"command": "python tests/golden/belief_propagation.py $ONYX_DATA", "versions": versions}


# Small networks, by enumeration.


def tree_scopes(random, variables):
    return [(int(random.integers(0, variable)), variable) for variable in range(1, variables)]


def loopy_scopes(random, variables, extra):
    scopes = tree_scopes(random, variables)
    pairs = list(itertools.permutations(range(variables), 2))
    return scopes + [pairs[index] for index in random.choice(len(pairs), extra)]


def random_network(random, variables, scopes, zeros):
    states = random.integers(2, 5, variables)
    joint = tuple(int(random.integers(0, count)) for count in states)
    scopes = [()] + [(variable,) for variable in range(variables)] + [(0,)] + scopes
    factors = []
    for scope in scopes:
        shape = [int(states[variable]) for variable in scope]
        table = numpy.array(random.uniform(0.1, 2.0, shape) * (random.uniform(size=shape) >= zeros))
        # One joint state stays possible.
        table[tuple(joint[variable] for variable in scope)] = 1.0
        factors.append((scope, numpy.round(table, 4)))
    return [int(count) for count in states], factors, joint


def uai(states, factors):
    lines = ["MARKOV", str(len(states)), " ".join(map(str, states)), str(len(factors))]
    lines += [" ".join(map(str, (len(scope), *scope))) for scope, _ in factors]
    lines += [" ".join(map(str, (table.size, *table.ravel().tolist()))) for _, table in factors]
    return "\n".join(lines) + "\n"


def enumerated(states, factors, evidence):
    marginals = [numpy.zeros(count) for count in states]
    best, greatest, total = None, 0.0, 0.0
    for joint in itertools.product(*map(range, states)):
        if any(joint[variable] != state for variable, state in evidence):
            continue
        weight = 1.0
        for scope, table in factors:
            weight *= float(table[tuple(joint[variable] for variable in scope)])
        total += weight
        for marginal, state in zip(marginals, joint):
            marginal[state] += weight
        if weight > greatest:
            best, greatest = joint, weight
    rows = [(marginal / total).tolist() for marginal in marginals]
    return {"marginals": rows, "assignment": list(best), "log_score": float(numpy.log(greatest)),
            "log_partition": float(numpy.log(total))}


def small():
    random = numpy.random.default_rng(20)
    networks = []
    for number, (variables, extra, zeros) in enumerate([(1, 0, 0.0), (4, 0, 0.0), (6, 0, 0.3), (8, 0, 0.15), (7, 0, 0.0),
                                                        (5, 3, 0.0), (6, 6, 0.2), (7, 9, 0.0)]):
        scopes = loopy_scopes(random, variables, extra) if extra else tree_scopes(random, variables)
        states, factors, joint = random_network(random, variables, scopes, zeros)
        evidence = [(variable, joint[variable]) for variable in range(0, variables, 3)] if number % 2 else []
        flat = [number for pair in evidence for number in pair]
        text = " ".join(map(str, [len(evidence), *flat])) + "\n"
        networks.append({"model": uai(states, factors), "evidence": text, "is_tree": extra == 0}
                        | enumerated(states, factors, evidence))
    write("belief_propagation_small.json", {"networks": networks})


# Loopy belief propagation. All variables of the competition's networks have two states.


def words(path):
    with gzip.open(path, "rt") as text:
        return text.read().split()


def load(path):
    numbers = iter(words(path))
    assert next(numbers) == "MARKOV"
    variables = int(next(numbers))
    assert all(int(next(numbers)) == 2 for _ in range(variables))
    scopes = [[int(next(numbers)) for _ in range(int(next(numbers)))] for _ in range(int(next(numbers)))]
    unary, sources, destinations, matrices = numpy.ones((variables, 2)), [], [], []
    for scope in scopes:
        table = numpy.array([float(next(numbers)) for _ in range(int(next(numbers)))]).reshape([2] * len(scope))
        if len(scope) == 1:
            unary[scope[0]] *= table
        else:
            # matrix[x_v, x_u] for the edge from u to v; edge e ^ 1 is the reverse of edge e.
            sources += scope
            destinations += scope[::-1]
            matrices += [table.T, table]
    return unary, numpy.array(sources), numpy.array(destinations), numpy.array(matrices)


def normalize(rows):
    return rows / rows.sum(axis=-1, keepdims=True)


def products(unary, destinations, messages):
    """The logarithms of the beliefs: no potential is 0 here, so that sums of logarithms do."""
    logarithms = numpy.log(unary)
    numpy.add.at(logarithms, destinations, numpy.log(messages))
    return logarithms


def propagate(network, limit, damping=DAMPING, maximum=False):
    unary, sources, destinations, matrices = network
    reverse = numpy.arange(len(sources)) ^ 1
    messages = numpy.full((len(sources), 2), 0.5)
    iterations, change = 0, numpy.inf
    while iterations < limit and change > TOLERANCE:
        cavity = products(unary, destinations, messages)[sources] - numpy.log(messages[reverse])
        cavity = numpy.exp(cavity - cavity.max(axis=1, keepdims=True))
        terms = matrices * cavity[:, None, :]
        new = normalize(terms.max(axis=2) if maximum else terms.sum(axis=2))
        new = normalize((1.0 - damping) * new + damping * messages)
        change, messages, iterations = numpy.abs(new - messages).max(), new, iterations + 1
    beliefs = products(unary, destinations, messages)
    return normalize(numpy.exp(beliefs - beliefs.max(axis=1, keepdims=True))), iterations, bool(change <= TOLERANCE)


def distance(beliefs, marginals):
    differences = numpy.abs(beliefs - marginals)
    return {"greatest": float(differences.max()), "mean": float(differences.mean())}


def competition(data):
    models = {}
    for path in sorted((data / "uai").glob("*.uai.gz")):
        name, network = path.name.removesuffix(".uai.gz"), load(path)
        assert words(data / "uai" / f"{name}.uai.evid.gz") == ["0"]
        numbers = words(data / "uai" / f"{name}.uai.MAR.gz")
        marginals = numpy.array([float(number) for number in numbers[2:]]).reshape(-1, 3)[:, 1:]
        few, _, _ = propagate(network, FEW)
        last, iterations, converged = propagate(network, LIMIT)
        model = {"variables": len(network[0]), "pairs": len(network[1]) // 2, "few": distance(few, marginals)}
        model |= {"converged": converged, "iterations": iterations}
        if converged:
            model["distance"] = distance(last, marginals)
        if name in DETAILED:
            chosen = numpy.linspace(0, len(few) - 1, HANDFUL).astype(int)
            undamped, _, _ = propagate(network, FEW, damping=0.0)
            maximum, _, _ = propagate(network, FEW, maximum=True)
            model["beliefs"] = [
                {"variable": int(v), "damped": few[v].tolist(), "undamped": undamped[v].tolist(), "maximum": maximum[v].tolist()}
                for v in chosen
            ]
        models[name] = model
    settings = {"damping": DAMPING, "tolerance": TOLERANCE, "limit": LIMIT, "few": FEW}
    write("belief_propagation_uai.json", settings | {"models": models})


def write(name, content):
    (HERE / name).write_text(json.dumps(header() | content, indent=1) + "\n")


if __name__ == "__main__":
    small()
    competition(Path(sys.argv[1]))
