#!/usr/bin/env python3
"""How often the paper's recipes meet the paper's RMSE on the data sets with ten folds: reproduced.py [paper.csv paper.results.json]

not worse: our mean is at most the paper's plus one standard error of ours. equal: the two means differ by at most the joint
standard error, sqrt(ours^2 + theirs^2), and half a unit of the paper's last printed digit. Standard errors are those of ten folds.
"""
import collections
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

FOLDS = 10


def agreement(published, errors):
    """method -> counts of "sets", "not worse" and "equal"; errors: (data set, method) -> fold -> RMSE."""
    counts = collections.defaultdict(collections.Counter)
    for key, by_fold in errors.items():
        if len(by_fold) < FOLDS or key not in published:
            continue
        text, spread = published[key]["mean"], float(published[key]["sd"] or 0)
        mean, theirs, error = stored.mean(by_fold.values()), float(text), stored.standard_error(by_fold.values())
        rounding = 0.5 * 10.0 ** -len(text.partition(".")[2])
        count = counts[key[1]]
        count["sets"] += 1
        count["not worse"] += mean <= theirs + error
        count["equal"] += abs(mean - theirs) <= math.hypot(error, spread / math.sqrt(FOLDS)) + rounding
    return counts


def main():
    paper, results = (sys.argv[1:] + [os.path.join(HERE, "paper.csv"), os.path.join(HERE, "paper.results.json")])[:2]
    errors = stored.by_fold(stored.units(results, seed=0), lambda u: u.test["rmse"])
    for method, count in agreement(stored.published(paper), errors).items():
        print(f"{method}: not worse on {count['not worse']}, equal on {count['equal']} of {count['sets']}")


if __name__ == "__main__":
    main()
