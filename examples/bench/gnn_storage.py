#!/usr/bin/env python3
"""Trains networks whose edges read rows of each storage, seed by seed, and writes the accuracy on the test vertices as CSV.

    python3 examples/bench/gnn_storage.py --data cora --binary-folder target/release --backend cpu --seeds 10 --models gcn,gin,sage

One seed draws the same weights and drops the same values whatever the storage is. Means, deviations and how far each mean is from that of f32, in points, go to
standard error.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

STORAGES = ["f32", "f16", "bf16"]


def accuracy(model, storage, seed, arguments):
    """The accuracy after the last step, in percent."""
    program = pathlib.Path(arguments.binary_folder) / model
    command = [program, "--data", arguments.data, "--backend", arguments.backend, "--seed", str(seed), "--storage", storage, "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return 100 * report["accuracy"]["test"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="a folder of Planetoid text")
    parser.add_argument("--binary-folder", required=True)
    parser.add_argument("--backend", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--models", default="gcn", help="names of programs, with commas between them")
    parser.add_argument("--seeds", default=10, type=int)
    arguments = parser.parse_args()
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["model", "storage", "seed", "test_accuracy"])
    for model in arguments.models.split(","):
        compare(model, table, arguments)


def compare(model, table, arguments):
    """Trains one model with each storage and seed."""
    found = {storage: [] for storage in STORAGES}
    for seed in range(arguments.seeds):
        for storage, values in found.items():
            values.append(accuracy(model, storage, seed, arguments))
            table.writerow([model, storage, seed, f"{values[-1]:.2f}"])
        sys.stdout.flush()
    usual = statistics.mean(found["f32"])
    for storage, values in found.items():
        mean, deviation = statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0
        print(f"{model}, {storage}: {mean:.2f} +- {deviation:.2f} %, {mean - usual:+.2f} points", file=sys.stderr)


if __name__ == "__main__":
    main()
