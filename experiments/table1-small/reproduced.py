#!/usr/bin/env python3
"""How often the paper's recipes meet the paper's RMSE on the data sets with ten folds: reproduced.py [paper.csv paper.results.json]

not worse: our mean is at most the paper's plus one standard error of ours. equal: the two means differ by at most the joint
standard error, sqrt(ours^2 + theirs^2), and half a unit of the paper's last printed digit. Standard errors are those of ten folds.
"""
import collections
import csv
import json
import math
import statistics
import sys

FOLDS = 10
paper, stored = (sys.argv[1:] + ["paper.csv", "paper.results.json"])[:2]
published = {(row["dataset"], row["method"]): row for row in csv.DictReader(open(paper)) if row["metric"] == "rmse"}
errors = collections.defaultdict(list)
for unit in json.load(open(stored))["units"]:
    name = unit["unit"]
    if unit["status"] == "done" and name["seed"] == 0:
        errors[name["dataset"], name["label"]].append(unit["test"]["rmse"])

counts = collections.defaultdict(collections.Counter)
for key, values in errors.items():
    if len(values) < FOLDS or key not in published:
        continue
    text, spread = published[key]["mean"], float(published[key]["sd"] or 0)
    mean, theirs = statistics.mean(values), float(text)
    error = statistics.stdev(values) / math.sqrt(FOLDS)
    rounding = 0.5 * 10.0 ** -len(text.partition(".")[2])
    count = counts[key[1]]
    count["sets"] += 1
    count["not worse"] += mean <= theirs + error
    count["equal"] += abs(mean - theirs) <= math.hypot(error, spread / math.sqrt(FOLDS)) + rounding
for method, count in counts.items():
    print(f"{method}: not worse on {count['not worse']}, equal on {count['equal']} of {count['sets']}")
