#!/usr/bin/env python3
"""Times products whose few sums have many terms, such as the gradient of a layer's weights over all vertices, on a GPU, in microseconds, as CSV.

    python3 examples/bench/products.py --terms 94385,1048576 --sizes 32x32,96x16

The ways: `whole`, one product by cuBLAS; `parts`, as `backend/cuda/parts.rs` of onyx-runtime does it: all parts of the terms in one batch, what is left over in a product
of its own, and what they come to added up column by column. Each row is the median of eleven replays of a CUDA graph of twenty products, after three. What comes of a way is compared with double
precision first. 32-bit floats, as they are.
"""

import argparse
import csv
import statistics
import sys

import torch

REPEATED, WARM_UP, REPLAYS = 20, 3, 11
TOLERANCE = 1e-5


def microseconds(act):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        act()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(REPEATED):
                act()
        for _ in range(WARM_UP):
            graph.replay()
        times = []
        for _ in range(REPLAYS):
            begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
            begin.record(stream)
            graph.replay()
            end.record(stream)
            end.synchronize()
            times.append(begin.elapsed_time(end) / REPEATED * 1e3)
    return statistics.median(times)


def by_parts(left, right, into, fewest):
    """What computes the product by at least so many parts of the terms, and how many there are."""
    terms, rows = left.shape
    columns = right.shape[1]
    parts = min(range(fewest, fewest + fewest // 4 + 1), key=lambda parts: terms % parts)
    each, rest = divmod(terms, parts)
    count = parts + (rest > 0)
    sums = torch.empty(count, rows, columns, device="cuda")
    ones = torch.ones(1, count, 1, device="cuda").expand(rows, count, 1)
    whole = parts * each

    def act():
        torch.bmm(left[:whole].view(parts, each, rows).transpose(1, 2), right[:whole].view(parts, each, columns), out=sums[:parts])
        if rest:
            torch.mm(left[whole:].t(), right[whole:], out=sums[parts])
        torch.bmm(sums.permute(1, 2, 0), ones, out=into.view(rows, columns, 1))

    return act, parts


def rows_of(terms, rows, columns, fewest):
    left, right = torch.randn(terms, rows, device="cuda"), torch.randn(terms, columns, device="cuda")
    into = torch.empty(rows, columns, device="cuda")
    expected = left.double().t() @ right.double()
    ways = [("whole", lambda: torch.mm(left.t(), right, out=into), "")]
    ways += [("parts", *by_parts(left, right, into, count)) for count in fewest if terms // count >= 16]
    for way, act, parts in ways:
        act()
        error = ((into.double() - expected).abs().max() / expected.abs().max()).item()
        if not error <= TOLERANCE:
            sys.exit(f"{way} of {terms} terms, {rows} x {columns}: off by {error}")
        yield [terms, rows, columns, way, parts, f"{microseconds(act):.1f}", f"{error:.1e}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--terms", default="13264,94385,376883,1048576", help="how many terms each sum has")
    parser.add_argument("--sizes", default="8x32,16x16,32x32,96x16,16x96,64x32,64x64", help="rows x columns of the result")
    parser.add_argument("--fewest", default="132,264,528,1056", help="how many parts there are at least")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["terms", "rows", "columns", "way", "parts", "us", "error"])
    fewest = [int(number) for number in arguments.fewest.split(",")]
    for terms in arguments.terms.split(","):
        for size in arguments.sizes.split(","):
            rows, columns = (int(number) for number in size.split("x"))
            writer.writerows(rows_of(int(terms), rows, columns, fewest))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
