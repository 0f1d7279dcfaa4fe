#!/usr/bin/env python3
"""Noise of one size, noise as a function of the inputs, and Student's noise, on real rows whose noise is uneven.

Usage: uneven_noise.py results.json --program build/release/alacarte     runs what is missing
       uneven_noise.py results.json --table | --bins                     prints the tables of the README
"""
import argparse
import csv
import gzip
import json
import os
import random
import subprocess
import tempfile

DATA = ["regression/houston_flights", "regression/houseelectric_2007h1", "regression/california_housing", "regression/abalone"]
MODELS = {
    "even": {},
    "uneven": {"noise": {"varies": True}},
    "student-t": {"likelihood": "student-t"},
}
ROWS, SEED, BINS = 2000, 1, 5
RECIPE = {"model": "ard", "features": {"frequencies": 128}, "training": {"starts": 2, "probe_iterations": 8, "iterations": 30}}


def rows_of(name):
    """Two disjoint draws of ROWS rows, fewer where there are fewer."""
    with gzip.open(os.path.join(os.environ["ALACARTE_DATA_DIR"], name, "data.csv.gz"), "rt") as file:
        rows = list(csv.reader(file))
    random.Random(SEED).shuffle(rows)
    count = min(ROWS, len(rows) // 2)
    return rows[:count], rows[count:2 * count]


def write(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)


def run(program, name, kind):
    with tempfile.TemporaryDirectory() as folder:
        at = lambda part: os.path.join(folder, part)
        training, test = rows_of(name)
        write(at("training.csv"), training)
        write(at("test.csv"), test)
        with open(at("recipe.json"), "w") as file:
            json.dump({**RECIPE, **MODELS[kind]}, file)
        start = os.times()
        subprocess.run([program, "train", at("recipe.json"), "--data", at("training.csv"), "--model", at("model"), "--quiet",
                        "--threads", "1"], check=True)
        used = os.times()
        scores = json.loads(subprocess.run([program, "evaluate", at("model"), "--data", at("test.csv"), "--quiet"],
                                           check=True, capture_output=True, text=True).stdout)
        subprocess.run([program, "predict", at("model"), "--data", at("test.csv"), "--out", at("out.csv"), "--interval", "0.9",
                        "--quiet"], check=True)
        with open(at("out.csv")) as file:
            predicted = list(csv.DictReader(file))
    inside = []
    for row, own in zip(test, predicted):
        y, low, high = float(row[-1]), float(own["lower_observation"]), float(own["upper_observation"])
        inside.append((high - low, low <= y <= high))
    inside.sort()
    bins = []
    for b in range(BINS):
        part = inside[b * len(inside) // BINS:(b + 1) * len(inside) // BINS]
        bins.append({"width": part[len(part) // 2][0], "coverage90": sum(held for _, held in part) / len(part)})
    return {"data": name, "model": kind, "rows": len(training), "seconds_of_processor":
            used.children_user + used.children_system - start.children_user - start.children_system,
            "scores": {key: scores[key] for key in ("rmse", "nlpd", "crps", "coverage")}, "bins": bins}


def minus(text):
    return text.replace("-", "−")


def table(results):
    print("| data | model | RMSE | NLPD | CRPS | in 50 % | in 90 % | in 95 % | least and most of the fifths, 90 % |")
    print("|---|---|---|---|---|---|---|---|---|")
    for unit in results:
        s, held = unit["scores"], [100 * part["coverage90"] for part in unit["bins"]]
        cover = " | ".join(f"{100 * s['coverage'][level]:.1f}" for level in ("50", "90", "95"))
        print(f"| {unit['data'].split('/')[1]} | `{unit['model']}` | {s['rmse']:.4g} | {minus(format(s['nlpd'], '.3f'))} | "
              f"{s['crps']:.3g} | {cover} | {min(held):.1f}, {max(held):.1f} |")


def bins(results):
    print("| data | model |" + " | ".join(f" fifth {b + 1}" for b in range(BINS)) + " |")
    print("|---|---|" + "---|" * BINS)
    for unit in results:
        cells = [f"{100 * part['coverage90']:.1f} ({part['width']:.3g})" for part in unit["bins"]]
        print(f"| {unit['data'].split('/')[1]} | `{unit['model']}` | " + " | ".join(cells) + " |")


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
        done = {(unit["data"], unit["model"]) for unit in found["units"]}
        for name in DATA:
            for kind in MODELS:
                if (name, kind) in done:
                    continue
                found["units"].append(run(options.program, name, kind))
                with open(options.results, "w") as file:
                    json.dump(found, file, indent=1)
    if options.table:
        table(found["units"])
    if options.bins:
        bins(found["units"])


if __name__ == "__main__":
    main()
