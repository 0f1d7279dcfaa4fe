#!/usr/bin/env python3
"""RMSE of each map at growing m beside its exact kernel's, from what alacarte report --store wrote.

    table.py experiment.results.json [DATASET [FOLD]]

Least m: from it on, every larger one that was run is within 5 % of the exact process, too.
"""
import collections
import json
import re
import sys

# Maps of one kernel share its exact process. None: no exact process is registered; the largest m replaces it.
EXACT = {"rbf": "rbf", "nystrom rbf": "rbf", "ard": "ard", "positive": "ard", "matern 0.5": "matern 0.5", "matern 1.5": "matern 1.5",
         "nystrom matern 1.5": "matern 1.5", "matern 2.5": "matern 2.5", "rq": "rq", "polynomial 2": "polynomial 2",
         "polynomial 3": "polynomial 3", "periodic": "periodic", "sum": "sum", "linear": "linear", "laplace": "laplace"}


def read(path):
    """data set -> label -> fold -> RMSE, of the data set and fold on the command line if there are such."""
    wanted = sys.argv[2:]
    values = collections.defaultdict(lambda: collections.defaultdict(dict))
    with open(path) as file:
        for unit in json.load(file)["units"]:
            if unit["status"] == "done":
                where = unit["unit"]
                if [where["dataset"], str(where["fold"])][: len(wanted)] != wanted:
                    continue
                values[where["dataset"]][where["label"]][where["fold"]] = unit["test"]["rmse"]
    return values


def sizes(name, labels):
    """m -> fold -> RMSE of one map."""
    found = (re.fullmatch(re.escape(name) + r" m=(\d+)", label) for label in labels)
    return {int(match[1]): labels[match[0]] for match in found if match}


def reference(name, own, labels):
    """fold -> RMSE that the map is to come near, and a word on what it is of."""
    key = max((k for k in EXACT if name == k or name.startswith(k + " ")), key=len, default=None)
    if key is not None and EXACT[key] + " exact" in labels:
        return labels[EXACT[key] + " exact"], ""
    return own[max(own)], f" (m = {max(own)})"


def mean(by_fold, folds):
    return sum(by_fold[fold] for fold in folds) / len(folds)


def row(name, counts, labels):
    own = sizes(name, labels)
    exact, of_what = reference(name, own, labels)
    ratios, cells = {}, []
    for m in counts:
        folds = sorted(set(own.get(m, own.get(0, {}))) & set(exact))
        if not folds:
            cells.append("")
            continue
        value = mean(own.get(m, own.get(0)), folds)
        ratios[m] = value / mean(exact, folds)
        cells.append(f"{value:.3g}" + ("" if len(folds) == len(exact) else f" ({len(folds)} fold{'s' * (len(folds) > 1)})"))
    tried = {m: ratio for m, ratio in ratios.items() if not of_what or m < max(own)}
    low = 0.95 if of_what else 0  # better than its exact process counts as near; better than itself is unsettled
    near = [m for m in tried if all(low <= tried[k] <= 1.05 for k in tried if k >= m)]
    first = min(near) if near else f"none ({100 * (tried[max(tried)] - 1):+.0f} % at {max(tried)})"
    return f"| {name} | {mean(exact, sorted(exact)):.3g}{of_what} | " + " | ".join(cells) + f" | {first} |"


def main():
    for dataset, labels in sorted(read(sys.argv[1]).items()):
        names = list(dict.fromkeys(label.rsplit(" m=", 1)[0] for label in labels if " m=" in label))
        counts = sorted(set().union(*(sizes(name, labels) for name in names)) - {0})
        print(f"\n{dataset}\n\n| map | exact | " + " | ".join(f"m = {m}" for m in counts) + " | least m within 5 % |")
        print("|---|" + "---|" * (len(counts) + 2))
        for name in names:
            print(row(name, counts, labels))


if __name__ == "__main__":
    main()
