#!/usr/bin/env python3
"""Seconds of one evaluation of the evidence and its gradient on K ranks, by a model with measured constants.

Usage: model.py RESULTS.json [--cores 16] [--bandwidth 10e9] [--latency 5e-6] [--features [D ..]]

RESULTS.json is measure.py's. Rows cost 3 n D^2 operations, shared by K ranks of so many cores; each rank factors its own copy, 4/3 D^3
operations on its cores; a sum of m doubles goes to the first rank and back along trees of log2 K steps, in segments that overlap:
2 (8 m / bandwidth + log2(K) latency). Bandwidth and latency are those of the network, which one machine cannot measure.
"""
import argparse
import json
import math
from pathlib import Path


def constants(results):
    """Operations a second of one core, in the rows (with the features) and in the factor, from the two sizes measured."""
    rates = []
    for own in results["evaluations"]:
        features, rows = own["features"], results["rows"]
        rates.append(3 * rows * features**2 / own["seconds"]["one thread"])
    return max(rates)


def seconds(rows, features, ranks, rate, options):
    row_work = 3 * rows * features**2 / (ranks * options.cores * rate)
    factor = 4 / 3 * features**3 / (options.cores * rate)
    steps = math.ceil(math.log2(ranks)) if ranks > 1 else 0
    message = 0.0
    if ranks > 1:
        for numbers in (features * (features + 1) / 2 + 2 * features + 5, features + 20):
            message += 2 * (8 * numbers / options.bandwidth + steps * options.latency)
    return row_work, factor, message


def check(results):
    """What the model says of the two ranks that were measured: one core each, sums through shared memory."""
    largest = max(results["sums"], key=lambda own: own["doubles"])
    here = argparse.Namespace(cores=1, latency=min(own["seconds"] for own in results["sums"]) / 2,
                              bandwidth=2 * 8 * largest["doubles"] / largest["seconds"])
    print("| features | an evaluation on two ranks, measured (s) | by the model (s) |\n|---:|---:|---:|")
    for own in results["evaluations"]:
        features, rows = own["features"], results["rows"]
        rate = 3 * rows * features**2 / own["seconds"]["one thread"]
        print(f"| {features} | {own['seconds']['two ranks']:.3f} | {sum(seconds(rows, features, 2, rate, here)):.3f} |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--cores", type=float, default=16)
    parser.add_argument("--bandwidth", type=float, default=10e9, help="bytes a second")
    parser.add_argument("--latency", type=float, default=5e-6, help="seconds a message")
    parser.add_argument("--features", type=int, nargs="*", default=[1024, 4096, 16384], help="none: the check alone")
    options = parser.parse_args()
    results = json.loads(options.results.read_text())
    rate = constants(results)
    if not options.features:
        check(results)
    for features in options.features:
        print(f"D = {features}, one core: {rate:.3g} operations a second")
        print("| ranks | 10^9 rows: rows, factor, sums (s) | share of the rows | of 10^7 rows | 10^6 rows a rank: all (s) |")
        print("|---:|---:|---:|---:|---:|")
        for ranks in (1, 4, 16, 64, 256, 1024):
            many, fewer, weak = (seconds(rows, features, ranks, rate, options) for rows in (1e9, 1e7, 1e6 * ranks))
            print(f"| {ranks} | {many[0]:.3g}, {many[1]:.3g}, {many[2]:.3g} | {100 * many[0] / sum(many):.0f} % "
                  f"| {100 * fewer[0] / sum(fewer):.0f} % | {sum(weak):.3g} |")
        # The factor takes half of the time if n / K = 4/9 D.
        print(f"the factor takes as long as the rows at {4 / 9 * features:.0f} rows a rank\n")


main()
