#!/usr/bin/env python3
"""One vector to its prediction beside the paper's, from kernels.json and paper.csv."""
import csv
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from stored import print_table, short  # noqa: E402

with open(os.path.join(HERE, "kernels.json")) as file:
    document = json.load(file)
races = {race["name"]: race for race in document["races"]}
held = {m["name"]: m["ratio"] for m in document["memory"]}


def row(paper):
    d, m = int(paper["d"]), int(paper["n"])
    size = f"d={d} m={m}"
    theirs = [1e3 * float(paper[key]) for key in ("fastfood_seconds", "rks_seconds")]
    single, double = races["one vector f32 " + size], races["one vector f64 " + size]
    fastest = {c["name"]: 1e3 * c["seconds"]["minimum"] for c in single["contestants"]}
    ratio, wide, batch = (short(race["ratios"][0]["median"]) if race["ratios"][0]["median"] < 1000 else
                          f"{race['ratios'][0]['median']:.0f}" for race in (single, double, races[f"batch f32 {size}"]))
    return [f"{d}, {m}", f"{theirs[0]:.2f} ms, {short(theirs[1])} ms, {paper['speedup']}",
            f"{fastest['fastfood']:.3f} ms, {short(fastest['dense'])} ms, {ratio}", wide, batch, paper["ram"],
            f"{held['held f64 ' + size]:.0f}, {held['held f32 ' + size]:.0f}"]


with open(os.path.join(HERE, "paper.csv")) as file:
    print_table(["d, n", "paper: Fastfood, RKS, ratio", "ours f32: Fastfood, RKS, ratio", "ours f64: ratio",
                 "64 vectors at a time, f32: ratio", "paper's memory ratio", "ours f64, f32"], [row(r) for r in csv.DictReader(file)])
