#!/usr/bin/env python3
"""The tables of this folder's README from what is stored: table.py paper|causes|defaults|auto|rmse|nlpd"""
import collections
import csv
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import reproduced  # noqa: E402
import stored  # noqa: E402

METHODS = stored.PAPER_METHODS
FAMILIES = ["gm", "fsgbard", "ssgpr", "pwl", "fsard"]  # defaults, then the paper's recipes in capitals
OUTSIDE = ["sk-GP", "sk-HistGB", "sk-RF"]
published = stored.published(os.path.join(HERE, "paper.csv"))


def read(name):
    """(data set, label) -> fold -> test scores, of seed 0."""
    return stored.by_fold(stored.units(os.path.join(HERE, name + ".results.json"), seed=0), lambda u: u.test)


def errors(scores, key="rmse"):
    return {where: {fold: test[key] for fold, test in folds.items()} for where, folds in scores.items()}


ours = errors(read("paper"))
SETS = stored.order(os.path.join(HERE, "paper.results.json"))[0]
BY_DEFAULTS = [d for d in SETS if (d, "gm") in read("defaults")]  # data sets already run


def theirs(dataset, method):
    return float(published[dataset, method]["mean"])


def paper_cell(dataset, method, folds):
    values = [ours[dataset, method][fold] for fold in range(folds)]
    mean, error = stored.mean(values), stored.standard_error(values) if folds > 1 else 0
    text = stored.short(mean)
    worse = mean > theirs(dataset, method) + error
    return (f"*{text}*" if worse else text) + f" / {theirs(dataset, method):g}"


def print_paper():
    rows = []
    for dataset in SETS:
        folds = max(len(ours.get((dataset, method), ())) for method in METHODS)
        run = [len(ours.get((dataset, method), ())) == folds for method in METHODS]
        rows.append([dataset, folds] + [paper_cell(dataset, method, folds) if done else "" for method, done in zip(METHODS, run)])
    counts = reproduced.agreement(published, ours)
    for what in ("not worse", "equal"):
        rows.append([f"ten folds: {what}", ""] + [f"{counts[m][what]} of {counts[m]['sets']}" for m in METHODS])
    stored.print_table(["data set", "folds"] + METHODS, rows)


def print_causes():
    tried = stored.by_fold(stored.units(os.path.join(HERE, "causes.results.json")), lambda u: u.test["rmse"])
    rows = []
    for dataset in SETS:
        for method in ("FSARD", "GM", "PWL", "FSGBARD", "SSGPR"):
            folds = ours[dataset, method]
            if len(folds) < 10:
                continue
            mean, error = stored.mean(folds.values()), stored.standard_error(folds.values())
            if mean <= theirs(dataset, method) + error:
                continue
            others = [tried.get((dataset, f"{method}, {what}")) for what in ("other draw", "30 iterations", "scaled inputs")]
            rows.append([f"{dataset}, {method}", f"{theirs(dataset, method):g} ± {float(published[dataset, method]['sd']):g}",
                         f"{mean:.3g} (se {error:.2g})"] + [stored.short(stored.mean(o.values())) if o else "–" for o in others])
    stored.print_table(["data set, method", "paper", "ours (seed 0)", "other draw (seed 1)", "30 iterations instead of 150", "inputs scaled"],
                       rows)


def print_defaults():
    recipes, defaults = read("paper"), read("defaults")
    rows, gaps, ratios = [], collections.defaultdict(list), collections.defaultdict(list)
    for dataset in BY_DEFAULTS:
        row = [dataset, max(len(defaults[dataset, family]) for family in FAMILIES)]
        for family in FAMILIES:
            new, old = defaults[dataset, family], recipes[dataset, family.upper()]
            folds = sorted(set(new) & set(old))
            gaps[family].append(stored.mean(new[f]["nlpd"] - old[f]["nlpd"] for f in folds))
            ratios[family].append(stored.mean(new[f]["rmse"] for f in folds) / stored.mean(old[f]["rmse"] for f in folds))
            row += [stored.minus(f"{gaps[family][-1]:+.3g}" if abs(gaps[family][-1]) < 1000 else f"{gaps[family][-1]:+.0f}"),
                    f"{ratios[family][-1]:.2f}"]
        rows.append(row)
    last = ["better / not worse", ""]
    for family in FAMILIES:
        better, equal = sum(g < 0 for g in gaps[family]), sum(r <= 1 for r in ratios[family])
        last += [f"**{better} of {len(rows)}**", f"{equal} of {len(rows)}, mean {math.exp(stored.mean(math.log(r) for r in ratios[family])):.2f}"]
    stored.print_table(["data set", "folds"] + [cell for family in FAMILIES for cell in (f"{family}: NLPD", "RMSE")], rows + [last])


def print_auto():
    rows, counts, inside, tested = [], collections.Counter(), 0, 0
    scores = read("defaults")
    for dataset in BY_DEFAULTS:
        folds = scores[dataset, "auto"]
        values = [test["rmse"] for test in folds.values()]
        mean, error = stored.mean(values), stored.standard_error(values)
        least = min(theirs(dataset, method) for method in METHODS)
        covered, count = (sum(v) for v in zip(*((t["n"] * t["coverage"]["95"], t["n"]) for t in folds.values())))
        inside, tested = inside + covered, tested + count
        verdict = "yes, better" if mean < least else "yes" if mean <= least + error else "no"
        counts[verdict] += 1
        rows.append([dataset, len(folds), stored.short(mean), f"{error:.2g}", stored.best_of_paper(published, dataset), verdict, f"{100 * covered / count:.1f} %"])
    well = counts["yes"] + counts["yes, better"]
    rows.append(["all", "", "", "", "", f"**{well} of {len(rows)}**, better on {counts['yes, better']}",
                 f"**{100 * inside / tested:.1f} %** of {tested} rows"])
    stored.print_table(["data set", "folds", "auto", "standard error", "best of the paper", "not worse by a standard error",
                        "in the 95 % interval"], rows)


def outside(key):
    """(data set, method) -> fold -> value of the other programs."""
    table = collections.defaultdict(dict)
    with open(os.path.join(HERE, "outside", "sklearn.csv")) as file:
        for row in csv.DictReader(file):
            if row["metric"] == key:
                table[row["dataset"], row["method"]][int(row["fold"])] = float(row["value"])
    return table


def print_all(key):
    labels = ["exact-ard", "exact-matern", "fsard", "fsgbard", "ssgpr", "pwl", "gm", "auto", "Ridge", "kNN"]
    table = {**errors(read("defaults"), key), **outside(key)}
    columns = labels + [name for name in OUTSIDE if (BY_DEFAULTS[0], name) in table]
    rows = []
    for dataset in BY_DEFAULTS:
        run = [name for name in columns if table.get((dataset, name))]
        folds = set.intersection(*(set(table[dataset, name]) for name in run))
        means = {name: stored.mean(table[dataset, name][fold] for fold in folds) for name in run}
        best = min(means, key=means.get)
        texts = [stored.minus(stored.short(means[name])) if name in means else "" for name in columns]
        texts[columns.index(best)] = f"**{texts[columns.index(best)]}**"
        rows.append([dataset, len(folds)] + texts)
    stored.print_table([key.upper(), "folds"] + columns, rows)


TABLES = {"paper": print_paper, "causes": print_causes, "defaults": print_defaults, "auto": print_auto, "rmse": lambda: print_all("rmse"),
          "nlpd": lambda: print_all("nlpd")}
if __name__ == "__main__":
    TABLES[sys.argv[1]]()
