#!/usr/bin/env python3
"""Charts of `alacarte-bench --json` as SVG: ratios with their quartiles, and time against n, d and D.

Debian: apt-get install python3-matplotlib.

    figures.py bench.json [more.json ...] --out experiments/performance
"""
import argparse
import json
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

plt.rcParams.update({"font.size": 8, "svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False})

# Ratios that are claims: (beginning of the race's name, slower, faster).
CLAIMS = [
    ("hadamard f32", "rows ffht", "tiles"),
    ("hadamard f32", "rows fused", "tiles"),
    ("hadamard f64", "rows ffht", "tiles"),
    ("hadamard f64", "rows fused", "tiles"),
    ("sincos", "libmvec avx2", "turns"),
    ("features", "gemm", "fastfood"),
    ("predictions", "dense", "fastfood"),
    ("one vector", "dense", "fastfood"),
    ("evaluation", "evaluation 2t", "floor 2t"),
    ("evaluation", "evaluation 1t", "evaluation 2t"),
]


def claimed(race, ratio):
    return any(race["name"].startswith(start) and (ratio["slower"], ratio["faster"]) == (slower, faster)
               for start, slower, faster in CLAIMS)


def ratio_chart(races, path):
    rows = [(race["name"], ratio) for race in races for ratio in race["ratios"] if claimed(race, ratio)]
    figure, axes = plt.subplots(figsize=(7, 0.19 * len(rows) + 0.8))
    for at, (name, ratio) in enumerate(rows):
        axes.plot([ratio["lower"], ratio["upper"]], [at, at], color="0.5", linewidth=3, solid_capstyle="butt")
        axes.plot(ratio["median"], at, "o", color="C0", markersize=4)
    axes.set_yticks(range(len(rows)), [f"{name}: {r['slower']} / {r['faster']}" for name, r in rows], fontsize=6)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.axvline(1, color="0.7", linewidth=0.8)
    axes.set_xlabel("paired ratio of times: median and quartiles")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def growth_chart(slopes, path):
    figure, all_axes = plt.subplots(1, len(slopes), figsize=(7, 2.4), squeeze=False)
    for axes, slope in zip(all_axes[0], slopes):
        axes.loglog(slope["values"], slope["seconds"], "o-", markersize=4)
        axes.set_xlabel(slope["variable"])
        axes.set_title(f"slope {slope['slope']:.2f}", fontsize=8)
    all_axes[0][0].set_ylabel("seconds an evaluation")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--out", default=".")
    arguments = parser.parse_args()
    races, slopes = [], []
    for name in arguments.files:
        with open(name) as file:
            document = json.load(file)
        races += document["races"]
        slopes += document["slopes"]
    if races:
        ratio_chart(races, os.path.join(arguments.out, "ratios.svg"))
    if slopes:
        growth_chart(slopes, os.path.join(arguments.out, "growth.svg"))


if __name__ == "__main__":
    main()
