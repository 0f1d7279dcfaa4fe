#!/usr/bin/env python3
"""Whether small cuts of the tables in $ALACARTE_DATA_DIR/tables train, score and predict with no option except a short time.

A cut has at most 120 rows, chosen so that gaps and levels of text remain; every sixth row tests. Every row gets a finite forecast, also
where all its text is new and its numbers are gaps, and the score on the test rows is about as good as that of the training rows' mean and
spread, or of the shares of their classes.

Usage: run.py PROGRAM [--folder FOLDER] [--only TABLE ..] [--seconds S]
The exit code is 77, which ctest lists as skipped, where neither the variable nor --folder names the tables.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments" / "tables"))
from tables import GAPS, read_table, tables_of, write_rows  # noqa: E402

SKIPPED = 77
ROWS = 120
MAX_SEARCHED = 2000  # rows of a table that a cut is chosen from, evenly spaced
MIN_GAPS, MIN_OF_LEVEL, MAX_LEVELS = 4, 2, 12  # rows that a cut keeps of each column, if the table has them
MAX_CLASSES = 10  # different numbers that may be taken for classes
MAX_LOSS = 0.5  # nats above the score of the mean or of the shares; a score of 20 rows varies by chance
MIN_BETTER = 0.75  # share of the tables whose score is better than that
TIMEOUT_SECONDS = 60


class Fault(Exception):
    pass


def is_gap(cell):
    return cell.strip().lower() in GAPS


def is_number(cell):
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def cut(names, rows, target):
    """At most ROWS rows with a target, in their order: first those that show gaps and levels of text, then evenly spaced ones."""
    known = [row for row in rows if not is_gap(row[names.index(target)])]
    known = known[:: max(1, len(known) // MAX_SEARCHED)]
    text = [any(not is_gap(row[j]) and not is_number(row[j]) for row in known) for j in range(len(names))]
    order = sorted(range(len(known)), key=lambda i: i * 7919 % len(known) if len(known) % 7919 else i)
    counts, levels, chosen = {}, {}, set()
    for i in order:
        if len(chosen) >= ROWS // 2:
            break
        shows = []
        for j, cell in enumerate(known[i]):
            if is_gap(cell):
                shows.append((j, "", MIN_GAPS))
            elif text[j] and (cell in levels.setdefault(j, set()) or len(levels[j]) < MAX_LEVELS):
                levels[j].add(cell)
                shows.append((j, cell, MIN_OF_LEVEL))
        if any(counts.get((j, cell), 0) < enough for j, cell, enough in shows):
            chosen.add(i)
            for j, cell, _ in shows:
                counts[j, cell] = counts.get((j, cell), 0) + 1
    rest = [i for i in order if i not in chosen]
    return [known[i] for i in sorted(chosen | set(rest[: ROWS - len(chosen)]))]


def split(rows, place):
    """Training and test rows. A class that no training row has cannot be scored."""
    train = [row for i, row in enumerate(rows) if i % 6 != 5]
    test = [row for i, row in enumerate(rows) if i % 6 == 5]
    values = {row[place] for row in train}
    return train, [row for row in test if row[place] in values or len(values) > MAX_CLASSES]


def with_new_values(names, rows, target):
    """The rows with words that no training row has in place of text, and with gaps for every second number."""
    place = names.index(target)
    return [[cell if j == place or is_gap(cell) else "never seen" if not is_number(cell) else "" if (i + j) % 2 else cell
             for j, cell in enumerate(row)] for i, row in enumerate(rows)]


def has_levels(names, train, target):
    """Whether an input is text whose values repeat, so that it is a category."""
    for j in set(range(len(names))) - {target}:
        words = [row[j] for row in train if not is_gap(row[j])]
        if any(not is_number(word) for word in words) and len(set(words)) < len(words) / 2:
            return True
    return False


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    if done.returncode != 0:
        raise Fault(f"{command[1]} ends with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def simple_score(train, test, place, is_class):
    if is_class:
        labels = [row[place] for row in train]
        return -statistics.fmean(math.log(labels.count(row[place]) / len(labels)) for row in test)
    values = [float(row[place]) for row in train]
    mean, sd = statistics.fmean(values), statistics.stdev(values)
    return statistics.fmean(0.5 * math.log(2 * math.pi * sd**2) + 0.5 * ((float(row[place]) - mean) / sd) ** 2 for row in test)


def check_predictions(program, model, table, rows):
    out = table.with_suffix(".predictions.csv")
    run(program, "predict", model, "--data", table, "--out", out, "--threads", 1, "--quiet")
    with open(out, newline="", encoding="utf-8") as file:
        predicted = list(csv.DictReader(file))
    if len(predicted) != len(rows):
        raise Fault(f"{len(rows)} rows get {len(predicted)} forecasts")
    for row in predicted:
        if not is_forecast(row):
            raise Fault(f"no forecast: {row}")
    return predicted


def is_forecast(row):
    """Whether a line of predictions has a mean within its interval, or probabilities that sum to one."""
    shares = [row[name] for name in row if name.startswith("p(")]
    if shares:
        return all(map(is_number, shares)) and abs(sum(map(float, shares)) - 1) < 1e-6
    bounds = [row.get(name, "") for name in ("lower_observation", "mean", "upper_observation")]
    return all(map(is_number, bounds)) and float(bounds[0]) < float(bounds[1]) < float(bounds[2])


def check(program, table, folder, scratch, seconds):
    """Raises Fault where something does not hold. Returns the score and that of the mean or the shares."""
    names, rows = read_table(folder, table["name"])
    place, is_class = names.index(table["target"]), table["kind"] == "class"
    train, test = split(cut(names, rows, table["target"]), place)
    files = {"train": train, "test": test, "new": with_new_values(names, test, table["target"])}
    for name, part in files.items():
        write_rows(scratch / f"{name}.csv", names, part)
    model = scratch / "model"
    run(program, "train", "--data", scratch / "train.csv", "--target", table["target"], "--model", model, "--seconds", seconds,
        "--threads", 1, "--quiet")
    check_predictions(program, model, scratch / "test.csv", test)
    predicted = check_predictions(program, model, scratch / "new.csv", test)
    if has_levels(names, train, place) and not any(int(row["unseen"]) > 0 for row in predicted):
        raise Fault("words that no training row has are not counted as unseen")
    found = json.loads(run(program, "evaluate", model, "--data", scratch / "test.csv", "--threads", 1, "--quiet"))
    taken_for_class = "log_loss" in found
    if is_class and not taken_for_class or taken_for_class and not is_class and len({row[place] for row in train}) > MAX_CLASSES:
        raise Fault(f"the target is of kind {table['kind']}, and is taken for the other one")
    score, simple = found["log_loss" if taken_for_class else "nlpd"], simple_score(train, test, place, taken_for_class)
    if not score <= simple + MAX_LOSS:
        raise Fault(f"the score {score:.3f} is worse than {simple:.3f} + {MAX_LOSS:g}")
    return score, simple


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    root = os.environ.get("ALACARTE_DATA_DIR")
    folder = options.folder or (pathlib.Path(root) / "tables" if root else None)
    if folder is None or not (folder / "manifest.csv").exists():
        print("ALACARTE_DATA_DIR is not set, or its folder has no tables")
        sys.exit(SKIPPED)
    wanted = [table for table in tables_of(folder) if not options.only or table["name"] in options.only]
    failed, better = 0, 0
    for table in wanted:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                score, simple = check(options.program, table, folder, pathlib.Path(scratch), options.seconds)
                better += score < simple
                print(f"{table['name']}: score {score:.3f}, of mean or shares {simple:.3f}", flush=True)
            except (Fault, OSError, subprocess.TimeoutExpired) as fault:
                failed += 1
                print(f"FAILS {table['name']}: {fault}".replace(scratch + os.sep, ""), flush=True)
    print(f"{len(wanted) - failed} of {len(wanted)} tables hold, {better} are better than the mean or the shares")
    sys.exit(1 if failed or not wanted or better < MIN_BETTER * len(wanted) and not options.only else 0)


if __name__ == "__main__":
    main()
