#!/usr/bin/env python3
"""Times the three products of a linear layer by cuBLAS with memory to work in and without any, in microseconds, as CSV, on a GPU.

    python3 examples/bench/products_whole.py --layers 2708x16x7,94385x32x32

A layer is rows x inputs x outputs, and rows are padded to a multiple of four floats. Its products: `forward`, the rows times the weights; `input`, their gradient times the transposed
weights; `weights`, the transposed rows times the gradient. With memory cuBLAS may cut sums into parts, which another kernel adds up. Each row is the median of eleven
replays of a CUDA graph of twenty products, after three. What comes of a product is compared with double precision first. 32-bit floats, by the cuBLAS that torch has loaded.
"""

import argparse
import csv
import ctypes
import sys

import torch

from products import microseconds

TOLERANCE = 1e-5
LAYERS = (
    "34x16x2,1000x16x7,1000x64x64,2708x16x7,2708x64x7,2708x64x64,5000x16x3,19717x16x3,19717x16x16,50000x16x7,50000x32x32,94385x16x7,94385x32x32,"
    "94385x96x16,94385x128x32,376883x32x32,1048576x16x8,1048576x96x16,1048576x64x64,1048576x128x64"
)
WORKSPACE = 32 << 20
TURNED, AS_IT_LIES = 1, 0


class Blas:
    """A handle of the library that torch has loaded."""

    def __init__(self):
        torch.mm(torch.ones(2, 2, device="cuda"), torch.ones(2, 2, device="cuda"))
        with open("/proc/self/maps") as maps:
            path = next(line.split()[-1] for line in maps if "libcublas.so" in line)
        self.library, self.handle = ctypes.CDLL(path), ctypes.c_void_p()
        self.check(self.library.cublasCreate_v2(ctypes.byref(self.handle)))
        self.memory = torch.empty(WORKSPACE, dtype=torch.uint8, device="cuda")

    def check(self, status):
        if status != 0:
            sys.exit(f"cuBLAS fails with status {status}")

    def multiply(self, turned, sizes, factors, into, has_memory):
        """Stores in `into` the product of two tensors of padded rows, of which rows are columns to cuBLAS; the first one `turned`, or the second."""
        call, one, nothing = self.library, ctypes.c_float(1), ctypes.c_float(0)
        self.check(call.cublasSetStream_v2(self.handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)))
        memory, size = (self.memory.data_ptr(), WORKSPACE) if has_memory else (0, 0)
        self.check(call.cublasSetWorkspace_v2(self.handle, ctypes.c_void_p(memory), ctypes.c_size_t(size)))
        (left, right), place = factors, lambda tensor: ctypes.c_void_p(tensor.data_ptr())
        self.check(
            call.cublasSgemm_v2(
                self.handle, *turned, *sizes, ctypes.byref(one), place(left), left.stride(0), place(right), right.stride(0), ctypes.byref(nothing), place(into),
                into.stride(0),
            )
        )


def padded(rows, columns):
    """Random rows, each of a multiple of four floats."""
    return torch.randn(rows, -(-columns // 4) * 4, device="cuda")[:, :columns]


def rows_of(blas, rows, inputs, outputs):
    x, gradient, weights = padded(rows, inputs), padded(rows, outputs), padded(inputs, outputs)
    products = [
        ("forward", (AS_IT_LIES, AS_IT_LIES), (outputs, rows, inputs), (weights, x), padded(rows, outputs), lambda: x.double() @ weights.double()),
        ("input", (TURNED, AS_IT_LIES), (inputs, rows, outputs), (weights, gradient), padded(rows, inputs), lambda: gradient.double() @ weights.double().t()),
        ("weights", (AS_IT_LIES, TURNED), (outputs, inputs, rows), (gradient, x), padded(inputs, outputs), lambda: x.double().t() @ gradient.double()),
    ]
    for name, turned, sizes, factors, into, expected in products:
        expected = expected()
        # One block adds up long sums where they are not cut, for tens of milliseconds.
        for has_memory in (True, False) if name != "weights" or rows <= 100_000 else (True,):
            act = lambda: blas.multiply(turned, sizes, factors, into, has_memory)
            act()
            error = ((into.double() - expected).abs().max() / expected.abs().max()).item()
            if not error <= TOLERANCE:
                sys.exit(f"{name} of {rows} x {inputs} x {outputs}: off by {error}")
            yield [rows, inputs, outputs, name, "yes" if has_memory else "no", f"{microseconds(act):.1f}", f"{error:.1e}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", default=LAYERS, help="rows x inputs x outputs of each")
    arguments = parser.parse_args()
    blas, writer = Blas(), csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["rows", "inputs", "outputs", "product", "memory", "us", "error"])
    for layer in arguments.layers.split(","):
        writer.writerows(rows_of(blas, *(int(number) for number in layer.split("x"))))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
