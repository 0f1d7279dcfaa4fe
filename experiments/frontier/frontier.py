#!/usr/bin/env python3
"""NLPD and RMSE against seconds: alacarte with --seconds, each family alone, and other programs on the same rows.

Debian: apt-get install python3-sklearn python3-torch (without torch its contestant is left out, and that is said).
ALACARTE_DATA_DIR names the folder of the data sets.

    frontier.py OUT.json --program build/release/alacarte [--sets concrete pol] [--seconds 3 10] [--contestants auto sk-gp] [--near 0.1]
    frontier.py OUT.json --program build/release/alacarte --shifted --contestants deep sk-gp torch-ensemble
    frontier.py OUT.json --table [--seconds 3]

With --near only auto is run, and what may come so near to it in that time (see near()); OUT.json has to hold the shorter times.

With --shifted the test rows are the fifth of the table that lies furthest along the first principal component of the inputs, and no
training row is there.

One contestant runs at a time, in a process of its own, on two threads. For alacarte the seconds are those of the whole `train`:
reading, fitting, writing the model. For the others they are those of their fit alone; importing, reading and their choice of a size
that the time allows are free. OUT.json holds every unit with its command; what it holds already is not run again.
"""
import argparse
import gzip
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measured import commit, machine  # noqa: E402

UCI = ["concrete", "energy", "airfoil", "wine", "skillcraft", "sml", "parkinsons", "elevators", "pol", "kin40k", "protein",
       "keggundirected", "gas"]
OTHERS = ["california_housing", "houston_flights", "houseelectric_2007h1"]
MORE = ["pbp_kin8nm"]  # run only if named
OURS = ["auto", "deep", "ssgpr", "fsgbard", "gm", "ard", "pwl", "exact-ard"]
OUTSIDE = ["sk-boosting", "sk-forest", "sk-gp", "sk-nystroem", "sk-rbfsampler", "torch-ensemble"]
SECONDS = [3, 10, 30, 100, 300]
SEED = 1
CONTESTANTS = str(Path(__file__).resolve().with_name("contestants.py"))


def read_rows(path):
    import numpy as np

    with gzip.open(path, "rt") as file:
        return np.loadtxt(file, delimiter=",", ndmin=2)


def split(name, shifted):
    """(training rows, test rows): fold 0 of the paper's ten, or a tenth drawn at random where there are no folds; or shifted."""
    import numpy as np

    folder = Path(os.environ["ALACARTE_DATA_DIR"]) / ("uci" if name in UCI else "regression") / name
    rows = read_rows(folder / "data.csv.gz")
    rows = rows[np.isfinite(rows).all(axis=1)]
    if shifted:
        inputs = rows[:, :-1] - rows[:, :-1].mean(axis=0)
        deviation = inputs.std(axis=0)
        inputs = inputs[:, deviation > 0] / deviation[deviation > 0]
        place = inputs @ np.linalg.eigh(inputs.T @ inputs)[1][:, -1]
        test = place > np.quantile(place, 0.8)
    elif name in UCI:
        test = read_rows(folder / "test_mask.csv.gz")[:, 0] > 0.5
    else:
        test = np.random.default_rng(SEED).random(len(rows)) < 0.1
    return rows[~test], rows[test]


def scores(target, means, deviations):
    """Of an equal mixture of Gaussians: means and deviations have a row for each member."""
    import numpy as np
    from scipy.special import logsumexp

    densities = -0.5 * ((target - means) / deviations) ** 2 - np.log(deviations) - 0.5 * math.log(2 * math.pi)
    mean = means.mean(axis=0)
    spread = np.sqrt((deviations**2 + means**2).mean(axis=0) - mean**2)
    return {
        "rmse": float(np.sqrt(np.mean((target - mean) ** 2))),
        "nlpd": float(-np.mean(logsumexp(densities, axis=0) - math.log(len(means)))),
        "coverage95": float(np.mean(np.abs(target - mean) <= 1.959964 * spread)),
    }


def train_and_evaluate(program, recipe, settings, target, train, test):
    """(seconds of the training, scores on the test rows), or (None, why it failed). target: format of the last column."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        paths = {part: os.path.join(folder, part + ".csv") for part in ("train", "test")}
        for part, rows in (("train", train), ("test", test)):
            inputs = rows.shape[1] - 1
            np.savetxt(paths[part], rows, delimiter=",", fmt=["%.9g"] * inputs + [target],
                       header=",".join([f"x{k}" for k in range(inputs)] + ["y"]), comments="")
        model = os.path.join(folder, "model")
        began = time.perf_counter()
        done = subprocess.run([program, "train", recipe, "--data", paths["train"], "--model", model, *settings, "--quiet"],
                              capture_output=True, text=True)
        seconds = time.perf_counter() - began
        if done.returncode != 0:
            return None, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else str(done.returncode)
        shown = subprocess.run([program, "evaluate", model, "--data", paths["test"], "--quiet"], capture_output=True, text=True,
                               check=True)
        return seconds, json.loads(shown.stdout)


def run_ours(program, recipe, budget, train, test):
    settings = ["--seconds", str(budget), "--seed", str(SEED), "--threads", "2"]
    seconds, found = train_and_evaluate(program, recipe, settings, "%.9g", train, test)
    if seconds is None:
        return {"failed": found}
    return {"seconds": seconds, "rmse": found["rmse"], "nlpd": found["nlpd"], "coverage95": found["coverage"]["95"],
            "command": " ".join(["alacarte train", recipe, *settings])}


def run_outside(name, budget, train, test):
    """In a process of its own, on the rows standardised by the training rows."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        shift, scale = train.mean(axis=0), train.std(axis=0)
        scale[scale == 0] = 1
        np.savez(os.path.join(folder, "rows.npz"), train=(train - shift) / scale, test=(test[:, :-1] - shift[:-1]) / scale[:-1])
        out = os.path.join(folder, "out.npz")
        environment = dict(os.environ, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
        done = subprocess.run([sys.executable, CONTESTANTS, name, str(budget), os.path.join(folder, "rows.npz"), out],
                              capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else str(done.returncode)}
        found = np.load(out)
        means, deviations = found["means"] * scale[-1] + shift[-1], found["deviations"] * scale[-1]
        return {"seconds": float(found["seconds"]), "size": str(found["size"]), **scores(test[:, -1], means, deviations)}


def write(path, results):
    results["units"].sort(key=lambda unit: (unit["set"], unit["budget"], unit["contestant"]))
    text = json.dumps({**results, "units": []}, indent=2).replace(
        '"units": []', '"units": [\n' + ",\n".join("    " + json.dumps(unit) for unit in results["units"]) + "\n  ]")
    Path(str(path) + ".tmp").write_text(text + "\n")
    os.replace(str(path) + ".tmp", path)


def run(out, results, units, split_of, run_one):
    """units: (budget, set, contestant), those of a set side by side; split_of(set) its rows; run_one(contestant, budget, *rows)."""
    have = {(unit["budget"], unit["set"], unit["contestant"]) for unit in results["units"]}
    results.setdefault("machine", {**machine(), "python": platform.python_version()})
    version, of, rows = commit(), None, None
    for budget, name, contestant in units:
        if (budget, name, contestant) in have:
            continue
        if of != name:
            of, rows = name, split_of(name)
        found = run_one(contestant, budget, *rows)
        results["units"].append({"set": name, "budget": budget, "contestant": contestant, "commit": version, **found})
        write(out, results)
        print(name, budget, contestant, {k: round(v, 4) if isinstance(v, float) else v for k, v in found.items() if k != "command"},
              flush=True)


def near(units, budget, name, contestant, margin):
    """Whether a contestant may come within `margin` nats of auto in `budget` seconds, by its two longest runs of less.

    Not one of ours that ended before its time was up: it would do the same again. Of the others not those that would still be
    further behind after gaining twice what they gained from the one run to the other.
    """
    def runs(of):
        return [unit for unit in units if unit["set"] == name and unit["contestant"] == of and unit["budget"] < budget and "nlpd" in unit]

    shorter = runs(contestant)
    if contestant == "auto" or not shorter:
        return True
    before, last = shorter[-2:] if len(shorter) > 1 else (shorter[0], shorter[0])
    if contestant in OURS and last["seconds"] < 0.8 * last["budget"]:
        return False
    gain = max(0, before["nlpd"] - last["nlpd"])
    return last["nlpd"] - 2 * gain < runs("auto")[-1]["nlpd"] + margin


def table(results, budgets, margin=0.03):
    """Per budget and set: auto, and every contestant that ended within 1.1 of the budget; then who beats auto and where."""
    units = {}
    for unit in results["units"]:
        if unit["budget"] in budgets:
            units.setdefault((unit["budget"], unit["set"]), {})[unit["contestant"]] = unit
    names = sorted({contestant for found in units.values() for contestant in found}, key=lambda name: (name != "auto", name))
    beaten = {}
    for budget in sorted({key[0] for key in units}):
        print(f"\n{budget} s: NLPD (seconds where over the budget by more than a tenth)\n")
        print("| data set | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
        for (seconds, name), found in sorted(units.items()):
            if seconds != budget:
                continue
            cells = []
            for contestant in names:
                unit = found.get(contestant)
                if unit is None or "nlpd" not in unit:
                    cells.append("failed" if unit else "")
                    continue
                late = unit["seconds"] > 1.1 * budget + 0.3
                shown = f"{unit['nlpd']:.3f}" if abs(unit["nlpd"]) < 1e4 else f"{unit['nlpd']:.1e}"
                cells.append(shown + (f" ({unit['seconds']:.0f} s)" if late else ""))
                ours = found.get("auto", {}).get("nlpd")
                if not late and ours is not None and unit["nlpd"] < ours - margin:
                    beaten.setdefault((budget, contestant), []).append(f"{name} {unit['nlpd'] - ours:+.3f}")
            print(f"| {name} | " + " | ".join(cells) + " |")
    print(f"\nBetter than auto by more than {margin} nats at equal time:\n")
    for (budget, contestant), sets in sorted(beaten.items()):
        print(f"- {budget} s, {contestant}: " + ", ".join(sets))


def parse(documentation, sets, seconds, everyone, flags=(), more_sets=(), numbers=()):
    """(arguments, stored results)."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--program")
    parser.add_argument("--sets", nargs="+", default=sets, choices=[*sets, *more_sets], metavar="SET")
    parser.add_argument("--seconds", nargs="+", type=float, default=seconds)
    parser.add_argument("--contestants", nargs="+", default=everyone, choices=everyone, metavar="NAME")
    for flag in ("--table", *flags):
        parser.add_argument(flag, action="store_true")
    for number in numbers:
        parser.add_argument(number, type=float)
    arguments = parser.parse_args()
    if not arguments.table and not arguments.program:
        parser.error("--program names the alacarte program")
    if not arguments.table and "ALACARTE_DATA_DIR" not in os.environ:
        sys.exit("ALACARTE_DATA_DIR is not set; it names the folder of the data sets")
    return arguments, json.loads(arguments.out.read_text()) if arguments.out.exists() else {"units": []}


def main():
    arguments, results = parse(__doc__, UCI + OTHERS, SECONDS, OURS + OUTSIDE, ["--shifted"], MORE, ["--near"])
    if arguments.table:
        return table(results, arguments.seconds)
    if results.setdefault("shifted", arguments.shifted) != arguments.shifted:
        sys.exit(f"{arguments.out} holds results of the other split; name another file")

    def run_one(contestant, budget, train, test):
        if contestant in OURS:
            return run_ours(arguments.program, contestant, budget, train, test)
        return run_outside(contestant, budget, train, test)

    units = [(budget, name, contestant) for budget in arguments.seconds for name in arguments.sets for contestant in arguments.contestants]
    if arguments.near is not None:
        units = (unit for unit in units if near(results["units"], *unit, arguments.near))
    run(arguments.out, results, units, lambda name: split(name, arguments.shifted), run_one)


if __name__ == "__main__":
    main()
