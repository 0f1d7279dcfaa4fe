#!/usr/bin/env python3
"""Draws quickstart.svg from what experiments/quickstart.sh left: held-out predictions with 95 % intervals against the
observed values, and the learned relevance of each input. Needs python3-matplotlib.
Usage: experiments/quickstart_figure.py ALACARTE QUICKSTART_FOLDER OUT.svg"""
import csv
import json
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "alacarte"
import matplotlib.pyplot as plt

program, folder, out = sys.argv[1:]
subprocess.run([program, "predict", f"{folder}/auto.alacarte", "--data", f"{folder}/test.csv",
                "--out", f"{folder}/predictions.csv", "--quiet"], check=True)
rows = list(csv.DictReader(open(f"{folder}/predictions.csv")))[:80]
observed = [float(row["y"]) for row in csv.DictReader(open(f"{folder}/test.csv"))][:80]
order = sorted(range(80), key=lambda i: float(rows[i]["mean"]))
inspection = json.loads(subprocess.run([program, "inspect", f"{folder}/auto.alacarte", "--json"],
                                       check=True, capture_output=True, text=True).stdout)
relevance = sorted(inspection["inputs"], key=lambda entry: (len(entry["name"]), entry["name"]))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), gridspec_kw={"width_ratios": [2.2, 1]})
lower = [float(rows[i]["lower_observation"]) for i in order]
upper = [float(rows[i]["upper_observation"]) for i in order]
left.fill_between(range(80), lower, upper, color="#9ecae1", label="95 % interval")
left.plot([float(rows[i]["mean"]) for i in order], color="#08519c", label="mean")
left.plot([observed[i] for i in order], "o", color="#e6550d", markersize=3, label="observed")
left.set(xlabel="80 held-out rows, ordered by prediction", ylabel="y", title="auto: predictions that say how sure they are")
left.legend(frameon=False)
right.bar([entry["name"] for entry in relevance], [entry["relevance"] for entry in relevance], color="#08519c")
right.set(title="auto: learned relevance", ylabel="radians a scaled unit")
right.tick_params(axis="x", labelsize=8)
figure.tight_layout()
figure.savefig(out, metadata={"Date": None})
