#!/usr/bin/env python3
"""Single trainings of the README: seconds of the processor, peak memory and scores.

    trainings.py trainings.json --program build/release/alacarte       # runs what the file does not have yet: half an hour, 25 GB of disk
    trainings.py trainings.json --table start | disk | subsample       # prints a table of the README

start: `exact-ard` with one start, and with two keys that make it shorter, in turns. disk: 48 million rows, read from the disk at each
pass. subsample: a million rows, with and without evaluations on a part of them first.
ALACARTE_DATA_DIR names the folder of the data sets.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import measured  # noqa: E402
from stored import print_table, short  # noqa: E402

ROUNDS = 5
SHORTER = ["/training/start=ard", "/noise/prior_rows=400"]
STARTS = {f"{data}{' shorter' if keys else ''} {turn}": (data, keys)
          for data in ("concrete", "airfoil") for turn in range(ROUNDS) for keys in ([], SHORTER)}
ONE_FIT = ["/copies=1", "/features/draws=gaussian", "/features/frequencies=40"]
DISK_ROWS, TABLE_ROWS = 48_000_000, 1_000_000
SUBSAMPLES = {"all rows": [], "16,000 rows first": ["/training/subsample=16000"],
              "16,000 rows first, 10 iterations of each": ["/training/subsample=16000", "/training/iterations=10"]}


def settings(keys):
    return [word for key in keys for word in ("--set", key)]


def sampled(command):
    """The largest memory of its own that a command had, asked for every 0.1 s (pages of files are left out), and what it told."""
    peak = 0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    told = []
    reader = threading.Thread(target=lambda: told.extend(process.stderr))
    reader.start()
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                found = re.search(r"RssAnon:\s*(\d+) kB", status.read())
            peak = max(peak, 1024 * int(found[1]) if found else 0)
        except OSError:
            pass
        time.sleep(0.1)
    reader.join()
    if process.returncode != 0:
        sys.exit("failed: " + " ".join(command))
    return peak, "".join(told)


def scores(program, model, *data):
    found = json.loads(measured.measured([program, "evaluate", model, *data, "--quiet"]).out)
    return {name: found[name] for name in ("n", "rmse", "nlpd")}


def start(program, folder, name):
    data, keys = STARTS[name]
    rows, model = ["--data", "uci/" + data, "--fold", "0"], os.path.join(folder, "model")
    run = measured.measured([program, "train", "exact-ard", *rows, "--model", model, "--threads", "1", "--quiet",
                             *settings(["/training/starts=1", *keys])])
    return {"processor_seconds": round(run.processor_seconds, 3), **scores(program, model, *rows)}


def timed(program, folder, words):
    before = os.times()
    peak, told = sampled([program, *words])
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    plan = re.search(r"memory at most about ([\d.]+ \wB)", told)
    return {"processor_seconds": round(used, 1), "peak_bytes": peak, **({"planned": plan[1]} if plan else {})}


def disk(program, folder):
    table, model = os.path.join(folder, "big.csv"), os.path.join(folder, "model")
    steps = {
        "generate": ["generate", "friedman1", "--rows", str(DISK_ROWS), "--seed", "1", "--out", table],
        "train": ["train", "ard", "--data", table, "--model", model, "--threads", "1", "--memory-limit", "1GiB",
                  *settings([*ONE_FIT, "/training/starts=1", "/training/iterations=4"])],
        "predict": ["predict", model, "--data", table, "--out", os.path.join(folder, "predictions.csv"), "--threads", "1"]}
    found = {}
    for step, words in steps.items():
        found[step] = timed(program, folder, words)
        print(step, json.dumps(found[step]), flush=True)
    return {"rows": DISK_ROWS, "bytes": os.path.getsize(table), "steps": found}


def subsample(program, folder, name):
    table, test, model = (os.path.join(folder, part) for part in ("table.csv", "test.csv", "model"))
    for path, rows, seed in ((table, TABLE_ROWS, "1"), (test, 20000, "2")):
        measured.measured([program, "generate", "friedman1", "--rows", str(rows), "--seed", seed, "--out", path, "--quiet"])
    run = measured.measured([program, "train", "ard", "--data", table, "--model", model, "--threads", "1", "--quiet",
                             *settings(ONE_FIT), "--set", "/training/starts=3", *settings(SUBSAMPLES[name])])
    return {"rows": TABLE_ROWS, "processor_seconds": round(run.processor_seconds, 1), **scores(program, model, "--data", test)}


def run(program, name):
    with tempfile.TemporaryDirectory() as folder:
        if name in STARTS:
            return start(program, folder, name)
        return disk(program, folder) if name == "disk" else subsample(program, folder, name)


def print_start(runs):
    rows = []
    for data in ("concrete", "airfoil"):
        plain, shorter = ([runs[f"{data}{kind} {turn}"] for turn in range(ROUNDS)] for kind in ("", " shorter"))
        seconds = [[one["processor_seconds"] for one in some] for some in (plain, shorter)]
        shown = [f"{statistics.median(some):.2f} [{min(some):.2f}, {max(some):.2f}]" for some in seconds]
        ratio = statistics.median(few / many for many, few in zip(*seconds))
        rows.append([data, *shown, f"{ratio:.2f}", *(f"{plain[0][score]:.3f}, {shorter[0][score]:.3f}" for score in ("rmse", "nlpd"))])
    print_table(["data set, fold 0", "`exact-ard`, one start", "and `training.start` `ard`, `noise.prior_rows` 400", "ratio", "test RMSE",
                 "test NLPD"], rows)


def print_disk(runs):
    one = runs["disk"]
    says = {"generate": f"generate {one['rows'] / 1e6:g} million rows ({one['bytes'] / 1e9:.2f} GB of text)",
            "train": "train, from text to model, leave-one-out scores included", "predict": "predict all rows with intervals"}
    print_table(["step", "peak memory", "plan: at most", "processor time"],
                [[says[step], f"{part['peak_bytes'] / 1e6:.1f} MB", part.get("planned", ""), f"{part['processor_seconds']:.0f} s"]
                 for step, part in one["steps"].items()])


def print_subsample(runs):
    print_table(["evaluations on", "processor time", "test RMSE", "test NLPD"],
                [[name, f"{runs[name]['processor_seconds']:.0f} s", f"{runs[name]['rmse']:.4f}", short(runs[name]["nlpd"])] for name in SUBSAMPLES])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--program", default="build/release/alacarte")
    parser.add_argument("--table", choices=["start", "disk", "subsample"])
    options = parser.parse_args()
    if options.table:
        runs = measured.read_json(options.results, None)["runs"]
        {"start": print_start, "disk": print_disk, "subsample": print_subsample}[options.table](runs)
    else:
        program = os.path.abspath(options.program)
        measured.store_missing(options.results, [*STARTS, *SUBSAMPLES, "disk"], lambda name: run(program, name))


if __name__ == "__main__":
    main()
