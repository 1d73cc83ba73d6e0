"""Golden PageRanks, by networkx: of Zachary's karate club in full, of SNAP's wiki-Vote its 20 highest and sums.

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


def ranks(graph):
    return networkx.pagerank(graph, alpha=DAMPING, tol=TOLERANCE, max_iter=10000, weight=None)


def write(name, content):
    (HERE / name).write_text(json.dumps(header() | content, indent=1) + "\n")


def karate():
    found = ranks(networkx.karate_club_graph())
    # networkx numbers the members from 0, the literature from 1.
    write("pagerank_karate.json", {"ranks": {str(member + 1): rank for member, rank in sorted(found.items())}})


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
    wiki_vote(Path(sys.argv[1]))
