#!/usr/bin/env python3
"""Scores of `deep` beside the best of A la Carte's methods and Deep Kernel Learning: table.py [FILE.results.json ..]

    table.py other        the same recipe on data sets outside the paper (other.results.json)
    table.py elevators    other settings on elevators (elevators.csv)
    table.py shifted      settings that keep a network from bending its inputs (shifted.csv)
    table.py distance     a factor on the standard deviations by the distance from the training rows (distance.csv)
    table.py kegg         deep and scikit-learn's trees on the two KEGG networks (sklearn.csv), the same folds
"""
import collections
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

WHAT = sys.argv[1] if sys.argv[1:] in ([name] for name in ("other", "elevators", "kegg", "shifted", "distance")) else ""
PATHS = (sys.argv[1:] if not WHAT else []) or [os.path.join(HERE, f"{size}.results.json") for size in ("small", "large")]
published = {}
for size in ("small", "medium", "large"):
    published.update(stored.published(os.path.join(HERE, "..", f"table1-{size}", "paper.csv")))
followers = stored.published(os.path.join(HERE, "dkl.csv"))
seconds = {unit.dataset: unit.seconds["train"] for unit in stored.units(os.path.join(HERE, "seconds.results.json"))}


def nlpd_and_coverage(folds):
    over = lambda value: stored.minus(f"{stored.mean(value(unit) for unit in folds):.3f}")
    return [over(lambda unit: unit.test["nlpd"]), over(lambda unit: unit.test["standardised"]["nlpd"]), f"{100 * stored.covered(folds):.1f}"]


def row(dataset, folds):
    dkl = followers.get((dataset, "DKL-SM"))
    return [dataset, len(folds), stored.mean_rmse(folds), stored.best_of_paper(published, dataset), dkl["mean"] if dkl else "", *nlpd_and_coverage(folds),
            f"{seconds[dataset]:.0f}"]


def folds_of(path):
    """Data set -> its units, in the order of the experiment."""
    found = {}
    for unit in stored.units(path):
        found.setdefault(unit.dataset, []).append(unit)
    return {dataset: found[dataset] for dataset in stored.order(path)[0] if dataset in found}


def other():
    rows = [[dataset, len(folds), stored.mean_rmse(folds), *nlpd_and_coverage(folds)]
            for dataset, folds in folds_of(os.path.join(HERE, "other.results.json")).items()]
    stored.print_table(["data set", "folds", "RMSE, `deep`", "NLPD", "NLPD, standard units", "in 95 % intervals"], rows)


def elevators():
    found = collections.defaultdict(dict)
    with open(os.path.join(HERE, "elevators.csv")) as file:
        for line in csv.DictReader(file):
            found[line["setting"]][line["fold"]] = line
    numbers = lambda folds, fold: [stored.short(float(folds[fold]["rmse"])), stored.minus(f"{float(folds[fold]['nlpd']):.3f}")]
    rows = [[setting] + sum((numbers(folds, fold) if fold in folds else ["", ""] for fold in ("0", "2")), [])
            + [f"{stored.mean(float(f['processor_seconds']) for f in folds.values()):.0f}"] for setting, folds in found.items()]
    stored.print_table(["setting", "RMSE, fold 0", "NLPD", "RMSE, fold 2", "NLPD", "processor seconds"], rows)


def kegg():
    ours = {(unit.dataset, unit.fold): unit.test["rmse"] for path in PATHS for unit in stored.units(path)}
    trees = collections.defaultdict(dict)
    with open(os.path.join(HERE, "sklearn.csv")) as file:
        for line in csv.DictReader(file):
            if line["metric"] == "rmse":
                trees[line["dataset"], int(line["fold"])][line["method"]] = float(line["value"])
    rows = [[dataset, fold, f"{ours[dataset, fold]:.4f}"] + [f"{found[method]:.4f}" if method in found else "" for method in ("sk-RF", "sk-HistGB")]
            for (dataset, fold), found in sorted(trees.items()) if (dataset, fold) in ours]
    stored.print_table(["data set", "fold", "RMSE, `deep`", "random forest", "histogram boosting"], rows)


def lines_of(name):
    with open(os.path.join(HERE, name)) as file:
        return list(csv.DictReader(file))


def shifted():
    found = collections.defaultdict(dict)
    for line in lines_of("shifted.csv"):
        found[line["dataset"], line["setting"]][line["rows"]] = line
    rows = [[*case] + [stored.minus(kinds[kind]["nlpd"][:-1]) for kind in ("like", "shifted")]
            + [f"{100 * float(kinds[kind]['coverage95']):.0f}" for kind in ("like", "shifted")] for case, kinds in found.items()]
    stored.print_table(["data set", "setting", "NLPD, left-out rows", "NLPD, shifted rows", "in 95 % intervals, left-out rows", "shifted rows"],
                       rows)


def distance():
    columns = ["like_before", "like_after", "shifted_before", "shifted_after"]
    rows = [[line["dataset"]] + [f"{100 * float(line[column]):.0f}" for column in columns] for line in lines_of("distance.csv")]
    stored.print_table(["data set", "left-out rows, before", "after", "shifted rows, before", "after"], rows)


if WHAT:
    {"other": other, "elevators": elevators, "kegg": kegg, "shifted": shifted, "distance": distance}[WHAT]()
    sys.exit()
stored.print_table(["data set", "folds", "RMSE, `deep`", "RMSE, best of A la Carte's", "RMSE, DKL-SM", "NLPD", "NLPD, standard units",
                    "in 95 % intervals", "seconds"],
                   [row(dataset, folds) for path in filter(os.path.exists, PATHS) for dataset, folds in folds_of(path).items()])
