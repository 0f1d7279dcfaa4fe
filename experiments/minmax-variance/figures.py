#!/usr/bin/env python3
"""Figures 2 to 4 of Li (2017) from what minmax_variance wrote; figures 3 and 4 are formulas, with measured points.

    figures.py errors.csv                                         # the table
    figures.py errors.csv --out experiments/minmax-variance       # and the charts; apt-get install python3-matplotlib
"""
import argparse
import collections
import csv
import os

NAMES = {"rff": "RFF", "nrff": "NRFF", "gcws": "GCWS, of the same kernel", "gcws-kernel": "GCWS"}


def fourier(e):
    return 0.5 + 0.5 * (1 - e**2) ** 2


def normalized(e):
    return fourier(e) - 0.25 * e**2 * (3 - e**4)


def consistent(e, rho, gamma):
    root = ((1 - rho) / 2) ** 0.5
    g = (1 - root) / (1 + root)
    return e**2 * g * (1 - g) ** 3 / (1 + g) ** 6 * 64 * gamma**2


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(os.path.join(folder, name), metadata={"Date": None})


def read(path):
    curves = collections.defaultdict(list)
    with open(path) as file:
        for row in csv.DictReader(file):
            key = (row["method"], float(row["gamma"]), float(row["rho"]), float(row["kernel"]))
            curves[key].append((int(row["k"]), float(row["mean_square_error"]), float(row["theory"])))
    return curves


def table(curves):
    print("| method | gamma | rho | kernel | " + " | ".join(f"k = {k}" for k in (1, 4, 10, 64, 1024)) + " |\n|---|---|---|---" + "|---" * 5 + "|")
    for (method, gamma, rho, kernel), rows in curves.items():
        ratio = {k: error / theory for k, error, theory in rows}
        cells = " | ".join(f"{ratio[k]:.3g}" for k in (1, 4, 10, 64, 1024))
        print(f"| {NAMES[method]} | {gamma:g} | {rho:.3g} | {kernel:.3g} | {cells} |")


def figure2(curves, plt, folder):
    panels = sorted({(key[1], key[2]) for key in curves if key[0] == "rff"})
    figure, axes = plt.subplots(2, 3, figsize=(7.5, 4.6))
    for side, (gamma, rho) in zip(axes.flat, panels):
        for method, colour in (("rff", "C3"), ("nrff", "C0")):
            key = next(k for k in curves if k[:3] == (method, gamma, rho))
            k, error, theory = zip(*curves[key])
            side.loglog(k, error, color=colour, label=NAMES[method])
            side.loglog(k, theory, "--", color=colour)
        side.set_title(f"gamma = {gamma:g}, rho = {rho:g}", fontsize=8)
        side.set_xlabel("k")
        side.set_ylabel("mean square error")
        side.legend(frameon=False)
    save(figure, folder, "figure2.svg")


def figures34(curves, plt, np, folder):
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.2))
    e = np.linspace(0.02, 0.999, 400)
    for name, ratio in (("rff", fourier(e) / e**2), ("nrff", normalized(e) / e**2), ("gcws-kernel", (1 - e) / e)):
        axes[0].semilogy(e, ratio, label=NAMES[name])
        measured = [(key[3], rows[-1]) for key, rows in curves.items() if key[0] == name]
        scale = [1 if name == "gcws-kernel" else kernel**2 for kernel, _ in measured]
        axes[0].semilogy([kernel for kernel, _ in measured],
                         [rows[0] * rows[1] / s for (_, rows), s in zip(measured, scale)], "k.", markersize=4)
    axes[0].set_xlabel("E (points: measured, k = 1024)")
    axes[0].set_ylabel("k Var / E²")
    axes[0].legend(frameon=False)
    rho = np.linspace(-0.99, 0.9999, 400)
    for gamma in (0.1, 1, 2, 5, 10):
        e = np.exp(-gamma * (1 - rho))
        axes[1].semilogy(rho, normalized(e) / consistent(e, rho, gamma), label=f"gamma = {gamma}")
    axes[1].axhline(1, color="0.7", linewidth=0.8)
    axes[1].set_xlabel("rho")
    axes[1].set_ylabel("variance of NRFF over that of GCWS")
    axes[1].legend(frameon=False)
    save(figure, folder, "figures3-4.svg")


def charts(curves, folder):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    import numpy as np

    plt.rcParams.update({"font.size": 8, "svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False})
    figure2(curves, plt, folder)
    figures34(curves, plt, np, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("errors")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    curves = read(arguments.errors)
    table(curves)
    if arguments.out:
        charts(curves, arguments.out)


if __name__ == "__main__":
    main()
