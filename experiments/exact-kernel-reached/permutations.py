#!/usr/bin/env python3
"""Kernels of permutations (Fastfood paper, remark 8): maps at growing m beside the exact process, on made data.

Each row is an order of seven items, one column a place; the target counts the items of which the next one in the alphabet stands
right behind, plus noise of standard deviation 0.1: a function of pairs of places. 600 orders to train, 600 others to test.

    permutations.py --program alacarte
"""
import argparse
import json
import os
import random
import subprocess
import tempfile

ITEMS = "abcdefg"


def write(path, orders, random_numbers):
    with open(path, "w") as file:
        file.write(",".join(f"place{k}" for k in range(len(ITEMS))) + ",y\n")
        for order in orders:
            y = sum(ord(b) - ord(a) == 1 for a, b in zip(order, order[1:])) + random_numbers.gauss(0, 0.1)
            file.write(",".join(order) + f",{y}\n")


def rmse(program, folder, recipe):
    path = os.path.join(folder, "recipe.json")
    places = [f"place{k}" for k in range(len(ITEMS))]
    common = {"data": {"categorical": places}, "scale": {"inputs": "none", "target": "zscore"}, "priors": False,
              "training": {"starts": 2, "probe_iterations": 5, "iterations": 30}}
    with open(path, "w") as file:
        json.dump({**common, **recipe}, file)
    model = os.path.join(folder, "model.alacarte")
    subprocess.run([program, "train", path, "--data", os.path.join(folder, "train.csv"), "--target", "y", "--model", model, "--threads",
                    "1", "--quiet"], check=True)
    scores = subprocess.run([program, "evaluate", model, "--data", os.path.join(folder, "test.csv"), "--quiet"], check=True,
                            stdout=subprocess.PIPE).stdout
    return json.loads(scores)["rmse"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    program = parser.parse_args().program
    numbers = random.Random(1)
    orders = set()
    while len(orders) < 1200:
        orders.add("".join(numbers.sample(ITEMS, len(ITEMS))))
    orders = sorted(orders)
    numbers.shuffle(orders)
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "train.csv"), orders[:600], numbers)
        write(os.path.join(folder, "test.csv"), orders[600:], numbers)
        polynomial = {"degree": 2, "offset": 1}
        print("exact-linear", rmse(program, folder, {"model": "exact-linear"}), flush=True)
        print("exact-polynomial", rmse(program, folder, {"model": "exact-polynomial", "kernel": polynomial}), flush=True)
        for m in (64, 256, 1024, 4096):
            print("polynomial", m, rmse(program, folder, {"model": "polynomial", "kernel": polynomial, "features": {"frequencies": m}}),
                  flush=True)


if __name__ == "__main__":
    main()
