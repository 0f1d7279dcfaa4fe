#!/usr/bin/env python3
"""Memory and processor time of wide sparse rows: training, evaluation, prediction and features of the recipes beside this file.

Usage: measure.py results.json --program build/release/alacarte     runs everything; a minute, 3 GB of temporary files
       measure.py results.json --memory | --seconds                 prints the tables of the README
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from measured import commit, measured, processor, write_json  # noqa: E402
from stored import print_table  # noqa: E402

MODELS = {"linear": "`linear`", "gcws": "`gcws` (64 samples of 8 bits)", "tensor-sketch": "`tensor-sketch` (1024 features, degree 2)"}
ROWS, INPUTS, NONZEROS, THREADS = 100_000, 1_000_000, 100, 2
FEW_ROWS, COUNTS, ROUNDS = 4000, (25, 100, 400), 5  # for features against nonzeros


def wide(path, rows, nonzeros):
    subprocess.run([sys.executable, os.path.join(HERE, "wide.py"), path, str(rows), str(INPUTS), str(nonzeros)], check=True)


def recipe(model):
    return os.path.join(HERE, model + ".json")


def numbers(run):
    return {"seconds": round(run.seconds, 3), "processor_seconds": round(run.processor_seconds, 3), "peak_bytes": run.peak_bytes}


def measure_memory(program, folder):
    data, file, out = (os.path.join(folder, name) for name in ("wide.libsvm", "w.alacarte", "psi.libsvm"))
    wide(data, ROWS, NONZEROS)
    found = {}
    for model in MODELS:
        common = ["--threads", str(THREADS), "--quiet"]
        runs = {
            "train": measured([program, "train", recipe(model), "--data", data, "--model", file, "--holdout", "0.2", *common]),
            "evaluate": measured([program, "evaluate", file, "--data", data, "--held-out", *common]),
            "predict": measured([program, "predict", file, "--data", data, "--out", os.path.join(folder, "labels.csv"), *common]),
            "transform": measured([program, "transform", file, "--data", data, "--out", out, *common])}
        os.remove(out)
        found[model] = {**{name: numbers(run) for name, run in runs.items()}, "model_bytes": os.path.getsize(file),
                        "accuracy": json.loads(runs["evaluate"].out)["accuracy"]}
        print(model, json.dumps(found[model]), flush=True)
    return found


def measure_features(program, folder):
    """model -> nonzeros -> processor seconds of the rounds, in turns."""
    found = {model: {str(count): [] for count in COUNTS} for model in MODELS}
    for count in COUNTS:
        data, out = os.path.join(folder, "s.libsvm"), os.path.join(folder, "o.libsvm")
        wide(data, FEW_ROWS, count)
        for _ in range(ROUNDS):
            for model in MODELS:
                run = measured([program, "transform", recipe(model), "--data", data, "--out", out, "--threads", "1", "--quiet"])
                found[model][str(count)].append(round(run.processor_seconds, 3))
    return found


def measure(path, program, made_by):
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()
    result = {"commit": made_by, "version": version, "machine": {"cpu": processor(), "processors": os.cpu_count()}, "rows": ROWS,
              "inputs": INPUTS, "nonzeros": NONZEROS, "threads": THREADS}
    with tempfile.TemporaryDirectory() as folder:
        result["models"] = measure_memory(program, folder)
        result["features"] = {"rows": FEW_ROWS, "threads": 1, "processor_seconds": measure_features(program, folder)}
    write_json(path, result)


def size(count):
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"


def print_memory(result):
    names = ("train", "evaluate", "predict", "transform")
    print_table(["model", "training", "evaluate", "predict", "transform", "model file", "processor time of the training", "test rows wrong"],
                [[MODELS[model], *(f"{run[name]['peak_bytes'] / 1e6:.0f} MB" for name in names), size(run["model_bytes"]),
                  f"{run['train']['processor_seconds']:.1f} s", f"{100 * (1 - run['accuracy']):.1f} %"]
                 for model, run in result["models"].items()])


def print_seconds(result):
    by_model = result["features"]["processor_seconds"]
    print_table(["nonzeros a row", *by_model["linear"]],
                [[f"`{model}`", *(f"{statistics.median(rounds):.2f}" for rounds in by_count.values())] for model, by_count in by_model.items()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--program")
    what.add_argument("--memory", action="store_true")
    what.add_argument("--seconds", action="store_true")
    parser.add_argument("--commit", help="of the program; otherwise that of this folder")
    options = parser.parse_args()
    if options.program:
        measure(options.results, os.path.abspath(options.program), options.commit or commit())
        return
    with open(options.results) as file:
        result = json.load(file)
    print_memory(result) if options.memory else print_seconds(result)


if __name__ == "__main__":
    main()
