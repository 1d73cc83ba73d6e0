"""Golden PageRanks, by networkx: of Zachary's karate club in full, of SNAP's wiki-Vote its 20 highest and sums; personalised, of the club and
of a directed graph in which some vertices have no outgoing edge.

Command:  python tests/golden/pagerank.py $ONYX_DATA
Made with Python 3.11, networkx 3.6.1, numpy 2.4.6, scipy 1.17.1; the files say which versions wrote them.

Edges are unweighted; the rank of vertices without outgoing edges is spread evenly (networkx's default).
"""

import gzip
import json
import platform
import sys
from pathlib import Path

import networkx
import numpy
import scipy

DAMPING = 0.85
TOLERANCE = 1e-12
HERE = Path(__file__).parent


def header():
    versions = {
        "python": platform.python_version(),
        "networkx": networkx.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
    return {
        "command": "python tests/golden/pagerank.py $ONYX_DATA",
        "versions": versions,
        "damping": DAMPING,
        "tolerance": TOLERANCE,
    }


def ranks(graph, personalization=None):
    return networkx.pagerank(
        graph, alpha=DAMPING, personalization=personalization, tol=TOLERANCE, max_iter=10000, weight=None
    )


def write(name, content):
    (HERE / name).write_text(json.dumps(header() | content, indent=1) + "\n")


def karate():
    found = ranks(networkx.karate_club_graph())
    # networkx numbers the members from 0, the literature from 1.
    write("pagerank_karate.json", {"ranks": {str(member + 1): rank for member, rank in sorted(found.items())}})


def personalized():
    club = networkx.relabel_nodes(networkx.karate_club_graph(), lambda member: member + 1)
    directed = networkx.gnp_random_graph(60, 0.03, seed=7, directed=True)
    directed.remove_nodes_from(list(networkx.isolates(directed)))
    dangling = [vertex for vertex in directed if directed.out_degree(vertex) == 0]
    cases = {"karate": (club, {5: 1, 17: 3}), "directed": (directed, {min(dangling): 2, 3: 1, 40: 0.5})}
    content = {
        name: {
            "edges": [] if name == "karate" else sorted(graph.edges()),
            "restart": {str(vertex): weight for vertex, weight in restart.items()},
            "ranks": {str(vertex): rank for vertex, rank in sorted(ranks(graph, restart).items())},
        }
        for name, (graph, restart) in cases.items()
    }
    write("pagerank_personalized.json", content)


def wiki_vote(data):
    with gzip.open(data / "snap" / "wiki-Vote.txt.gz", "rt") as lines:
        graph = networkx.read_edgelist(lines, create_using=networkx.DiGraph, nodetype=int)
    found = ranks(graph)
    top = sorted(found.items(), key=lambda item: -item[1])[:20]
    classes = [sum(rank for vertex, rank in found.items() if vertex % 16 == remainder) for remainder in range(16)]
    content = {
        "vertices": graph.number_of_nodes(),
        "edges": graph.number_of_edges(),
        "top": [{"id": vertex, "rank": rank} for vertex, rank in top],
        "sum_of_squares": sum(rank * rank for rank in found.values()),
        "lowest": min(found.values()),
        "sum_by_id_modulo_16": classes,
    }
    write("pagerank_wiki_vote.json", content)


if __name__ == "__main__":
    karate()
    personalized()
    wiki_vote(Path(sys.argv[1]))
