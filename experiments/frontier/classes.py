#!/usr/bin/env python3
"""Error and log loss of classes against seconds: alacarte with --seconds, and scikit-learn on the same rows.

Debian: apt-get install python3-sklearn. ALACARTE_DATA_DIR names the folder of the data sets.

    classes.py OUT.json --program build/release/alacarte [--sets car letter] [--seconds 3 10] [--contestants auto sk-svc]
    classes.py OUT.json --table

Test rows are those of the set's own split where it has one, and otherwise a fifth drawn at random. The seconds of alacarte are those
of the whole `train`, its reading and writing included. scikit-learn takes what it takes, whatever the budget: it is run once, and
its seconds are those of its fits (with the choice of C and gamma). Budget 0 is `auto` without a clock; auto-joint is the same with
the joint curvature of all classes in place of one block each. OUT.json holds every unit with its command; what it holds already is
not run again.
"""
import os
import time
import warnings
from pathlib import Path

from frontier import SEED, parse, read_rows, run, train_and_evaluate

SETS = ["car", "covertype_first10k", "letter", "optdigits", "pageblocks", "satimage", "segment", "spambase"]
OURS = {"auto": [], "auto-joint": ["--set", "/evidence=primal"]}
OUTSIDE = ["sk-boosting", "sk-forest", "sk-svc"]


def split(name):
    """(training rows, test rows); the last column is the class."""
    import numpy as np

    folder = Path(os.environ["ALACARTE_DATA_DIR"]) / "classification" / name
    rows = read_rows(folder / "data.csv.gz")
    if (folder / "split.csv.gz").exists():
        test = read_rows(folder / "split.csv.gz")[:, 0] > 0.5
    else:
        test = np.random.default_rng(SEED).random(len(rows)) < 0.2
    finite = np.isfinite(rows).all(axis=1)
    return rows[~test & finite], rows[test & finite]


def run_ours(program, options, budget, train, test):
    settings = ["--set", "/likelihood=softmax", *options, *(["--seconds", str(budget)] if budget else []), "--seed", str(SEED),
                "--threads", "2"]
    seconds, found = train_and_evaluate(program, "auto", settings, "%d", train, test)
    if seconds is None:
        return {"failed": found}
    return {"seconds": seconds, "error": 1 - found["accuracy"], "log_loss": found["log_loss"],
            "command": " ".join(["alacarte train auto", *settings])}


def make_classifier(name, inputs, classes):
    """Fitted classifier with predict_proba."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    if name == "sk-boosting":
        return HistGradientBoostingClassifier(random_state=0).fit(inputs, classes)
    if name == "sk-forest":
        return RandomForestClassifier(300, n_jobs=2, random_state=0).fit(inputs, classes)
    some = np.random.default_rng(0).permutation(len(inputs))[:2000]
    grid = {"C": [1, 10, 100], "gamma": [0.25 / inputs.shape[1], 1 / inputs.shape[1], 4 / inputs.shape[1]]}
    best = GridSearchCV(SVC(), grid, cv=3, n_jobs=2).fit(inputs[some], classes[some]).best_params_
    return SVC(**best, probability=True, random_state=0).fit(inputs, classes)


def run_outside(name, train, test):
    import numpy as np

    warnings.filterwarnings("ignore")
    shift, scale = train[:, :-1].mean(axis=0), train[:, :-1].std(axis=0)
    scale[scale == 0] = 1
    began = time.perf_counter()
    model = make_classifier(name, (train[:, :-1] - shift) / scale, train[:, -1].astype(int))
    seconds = time.perf_counter() - began
    probabilities = model.predict_proba((test[:, :-1] - shift) / scale)
    place = {label: k for k, label in enumerate(model.classes_)}
    own = np.array([probabilities[i, place[int(y)]] if int(y) in place else 0 for i, y in enumerate(test[:, -1])])
    wrong = model.classes_[probabilities.argmax(axis=1)] != test[:, -1].astype(int)
    return {"seconds": seconds, "error": float(wrong.mean()), "log_loss": float(-np.log(np.maximum(own, 1e-15)).mean())}


def table(results):
    units = {(unit["set"], unit["contestant"], unit["budget"]): unit for unit in results["units"]}
    columns = sorted({key[1:] for key in units}, key=lambda key: (not key[0].startswith("auto"), key))
    titles = [f"{name}, {budget:g} s" if budget else name for name, budget in columns]
    print("Test error in % / log loss / seconds\n")
    print("| data set | " + " | ".join(titles) + " |\n|---|" + "---|" * len(columns))
    for name in sorted({key[0] for key in units}):
        cells = []
        for column in columns:
            unit = units.get((name, *column))
            shown = unit and "error" in unit
            cells.append(f"{100 * unit['error']:.2f} / {unit['log_loss']:.4f} / {unit['seconds']:.1f}" if shown else
                         "failed" if unit else "")
        print(f"| {name} | " + " | ".join(cells) + " |")


def main():
    arguments, results = parse(__doc__, SETS, [0, 3, 10], [*OURS, *OUTSIDE])
    if arguments.table:
        return table(results)

    def run_one(contestant, budget, train, test):
        if contestant in OURS:
            return run_ours(arguments.program, OURS[contestant], budget, train, test)
        return run_outside(contestant, train, test)

    units = [(budget, name, contestant) for name in arguments.sets for contestant in arguments.contestants
             for budget in (arguments.seconds if contestant == "auto" else [0])]
    run(arguments.out, results, units, split, run_one)


if __name__ == "__main__":
    main()
