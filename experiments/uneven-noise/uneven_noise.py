#!/usr/bin/env python3
"""Noise of one size, noise as a function of the inputs, and Student's noise, on rows whose noise is uneven.

Usage: uneven_noise.py results.json --program build/release/alacarte     runs what is missing
       uneven_noise.py results.json --table | --bins                     prints the tables of the README
"""
import argparse
import csv
import gzip
import json
import math
import os
import random
import subprocess
import tempfile

REAL = ["regression/houston_flights", "regression/houseelectric_2007h1", "regression/california_housing", "regression/abalone"]
DATA = ["bike-like"] + REAL
MODELS = {
    "even": {},
    "uneven": {"noise": {"varies": True}},
    "student-t": {"likelihood": "student-t"},
}
ROWS, SEED, BINS = 2000, 1, 5
RECIPE = {"model": "ard", "features": {"frequencies": 128}, "training": {"starts": 2, "probe_iterations": 8, "iterations": 30}}


def bike_like(count, draw):
    """Rentals in an hour: commuters at 8 and 17 of working days, more in the warmth, in bursts (gamma times Poisson)."""
    rows = []
    for _ in range(count):
        hour, day, year = draw.randrange(24), draw.randrange(7), draw.random()
        warmth = 12 - 11 * math.cos(2 * math.pi * year) + draw.gauss(0, 4)
        peak = (lambda at, width: math.exp(-0.5 * ((hour - at) / width) ** 2))
        demand = 4 * peak(8, 1) + 4.5 * peak(17, 1.6) + peak(12.5, 3) if day < 5 else 3 * peak(14, 3.5)
        rate = (3 + 75 * demand) * math.exp(0.035 * (warmth - 12)) * draw.gammavariate(8, 1 / 8)
        rows.append([hour, day, round(year, 4), round(warmth, 2), round(max(0.0, draw.gauss(rate, math.sqrt(rate))))])
    return rows


def rows_of(name):
    """Two disjoint draws of ROWS rows, fewer where there are fewer."""
    draw = random.Random(SEED)
    if name == "bike-like":
        rows = bike_like(2 * ROWS, draw)
    else:
        with gzip.open(os.path.join(os.environ["ALACARTE_DATA_DIR"], name, "data.csv.gz"), "rt") as file:
            rows = list(csv.reader(file))
        draw.shuffle(rows)
    count = min(ROWS, len(rows) // 2)
    return rows[:count], rows[count:2 * count]


class Programs:
    """The program's commands on the files of one folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def at(self, part):
        return os.path.join(self.folder, part)

    def write(self, part, rows):
        with open(self.at(part), "w", newline="") as file:
            csv.writer(file).writerows(rows)

    def call(self, *arguments):
        return subprocess.run([self.program, *arguments, "--quiet", "--threads", "1"], check=True, capture_output=True, text=True).stdout

    def train(self, kind):
        """Seconds of the processor."""
        with open(self.at("recipe.json"), "w") as file:
            json.dump({**RECIPE, **MODELS[kind]}, file)
        start = os.times()
        self.call("train", self.at("recipe.json"), "--data", self.at("training.csv"), "--model", self.at(kind))
        used = os.times()
        return used.children_user + used.children_system - start.children_user - start.children_system

    def deviations(self, kind, *latent):
        self.call("predict", self.at(kind), "--data", self.at("test.csv"), "--out", self.at("out.csv"), *latent)
        with open(self.at("out.csv")) as file:
            return [float(row["sd_latent" if latent else "sd_observation"]) for row in csv.DictReader(file)]

    def scores(self, kind, part):
        scores = json.loads(self.call("evaluate", self.at(kind), "--data", self.at(part)))
        return {key: scores[key] for key in ("rmse", "nlpd", "crps", "coverage")}


def run(program, name):
    """All models of a data set; the test rows in fifths by the noise that `uneven` predicts, the same for all models."""
    with tempfile.TemporaryDirectory() as folder:
        own = Programs(program, folder)
        training, test = rows_of(name)
        own.write("training.csv", training)
        own.write("test.csv", test)
        seconds = {kind: own.train(kind) for kind in MODELS}
        noise = [math.sqrt(max(0.0, a * a - b * b)) for a, b in zip(own.deviations("uneven"), own.deviations("uneven", "--latent"))]
        order = sorted(range(len(test)), key=noise.__getitem__)
        fifths = [order[b * len(order) // BINS:(b + 1) * len(order) // BINS] for b in range(BINS)]
        for b, fifth in enumerate(fifths):
            own.write(f"{b}.csv", [test[row] for row in fifth])
        return [{"data": name, "model": kind, "rows": len(training), "seconds_of_processor": seconds[kind],
                 "scores": own.scores(kind, "test.csv"),
                 "bins": [{"noise": noise[fifth[len(fifth) // 2]], "scores": own.scores(kind, f"{b}.csv")}
                          for b, fifth in enumerate(fifths)]} for kind in MODELS]


def minus(number):
    return format(number, ".3f").replace("-", "−")


def table(results):
    print("| data | model | RMSE | NLPD | CRPS | in 50 % | in 90 % | in 95 % | least and most of the fifths, 90 % |")
    print("|---|---|---|---|---|---|---|---|---|")
    for unit in results:
        s, held = unit["scores"], [100 * part["scores"]["coverage"]["90"] for part in unit["bins"]]
        cover = " | ".join(f"{100 * s['coverage'][level]:.1f}" for level in ("50", "90", "95"))
        print(f"| {unit['data'].split('/')[-1]} | `{unit['model']}` | {s['rmse']:.4g} | {minus(s['nlpd'])} | "
              f"{s['crps']:.3g} | {cover} | {min(held):.1f}, {max(held):.1f} |")


def bins(results):
    print("| data | model |" + " | ".join(f" fifth {b + 1}" for b in range(BINS)) + " |")
    print("|---|---|" + "---|" * BINS)
    for unit in results:
        if unit["model"] == "even":
            cells = " | ".join(format(part["noise"], ".3g") for part in unit["bins"])
            print(f"| {unit['data'].split('/')[-1]} | predicted noise | {cells} |")
        cells = [f"{100 * part['scores']['coverage']['90']:.1f} ({minus(part['scores']['nlpd'])})" for part in unit["bins"]]
        print(f"| | `{unit['model']}` | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results")
    parser.add_argument("--program")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--bins", action="store_true")
    options = parser.parse_args()
    found = {"recipe": RECIPE, "seed": SEED, "units": []}
    if os.path.exists(options.results):
        with open(options.results) as file:
            found = json.load(file)
    if options.program:
        found["version"] = subprocess.run([options.program, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
        for name in DATA:
            if name in {unit["data"] for unit in found["units"]}:
                continue
            found["units"] += run(options.program, name)
            with open(options.results, "w") as file:
                json.dump(found, file, indent=1)
    if options.table:
        table(found["units"])
    if options.bins:
        bins(found["units"])


if __name__ == "__main__":
    main()
