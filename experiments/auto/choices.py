#!/usr/bin/env python3
"""What "auto" chooses on 60 data sets, and why: a line a set, so that a change of "auto" is a difference that can be read.

Usage: choices.py --run PROGRAM [--only SET ..] [--out OUT.csv]    runs what is missing in OUT.csv (default: choices.csv beside this script)
       choices.py --store      writes the line of choices.csv in provenance.csv
       choices.py --table      members, weights, noise and scores of each set
       choices.py --reasons    how many sets have each reason

PROGRAM trains without a clock, so that the choice is the same on a busy machine. Rows from the sixth on test, every tenth. To repeat a
run, delete its line. ALACARTE_DATA_DIR has the folders uci, regression and classification, with NAME/data.csv.gz in each.
"""
import collections
import csv
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from measured import carry_out, commit, parser_of_runs, write_provenance  # noqa: E402
from stored import csv_rows, minus, print_table  # noqa: E402

SETS = {
    "uci": """challenger fertility concreteslump autos servo breastcancer machine yacht autompg housing forest stock pendulum energy
              concrete solar airfoil wine gas skillcraft sml parkinsons pumadyn32nm pol elevators kin40k protein keggdirected
              keggundirected""".split(),
    "regression": """abalone bank8fm california_housing cpu_act diabetes house8l houston_flights pbp_energy pbp_power winequality""".split(),
    "classification": """breast_cancer_wdbc car coil2000 covertype_first10k ctg3 dna glass ionosphere nursery optdigits pageblocks pima
                         robotnavi satimage segment sonar spambase splice thyroid vehicle vowel""".split(),
}
FIELDS = ["set", "kind", "rows", "inputs", "members", "noise", "target", "reasons", "score", "error", "coverage"]
RESULTS = HERE / "choices.csv"
NUMBER = r"\d[\d.,]*(?:e[-+]?\d+)?"


def split(path, folder):
    """Writes training and test rows, and returns their files. The last column is the target y."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    header = ",".join([f"x{k}" for k in range(lines[0].count(","))] + ["y"])
    files = {"train": [line for i, line in enumerate(lines) if i % 10 != 5], "test": lines[5::10]}
    for name, rows in files.items():
        (folder / f"{name}.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return [folder / f"{name}.csv" for name in files]


def output(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit((done.stderr.strip().splitlines() or ["failed"])[-1])
    return done.stdout


def named(fit):
    """The model of a fit, and what it sees in place of its inputs: a curve of them, boosted trees."""
    seen = [word for word in (fit.get("scale"), {"beside": "trees", "alone": "trees alone"}.get(fit.get("trees"))) if word]
    return fit["model"] + (f" ({' and '.join(seen)})" if seen else "")


def members_of(shown):
    """"0.60 exact-sum, 0.40 exact-sum (normal-scores)": all fits of one kind together, in twentieths of the weight."""
    shares = collections.Counter()
    for fit in shown["fits"]:
        shares[named(fit)] += fit.get("weight", 1.0)
    total = sum(shares.values())
    found = sorted(((round(20 * share / total) / 20, name) for name, share in shares.items()), key=lambda one: (-one[0], one[1]))
    return ", ".join(f"{share:.2f} {name}" for share, name in found)


def reasons_of(training):
    """Seasons, and notes without their numbers, which differ from machine to machine. That a setting is held is no reason."""
    notes = [re.sub(r"^(\S+) \d+/\d+", r"\1", note) for note in training.get("notes", []) if "stays what the recipe says" not in note]
    notes = [re.sub(NUMBER, "#", note) for note in notes]
    notes += [f"season in {season['input']}" for season in training.get("seasons", [])]
    return " | ".join(sorted(set(notes)))


def noise_of(shown):
    noise = shown["training"].get("noise")
    if noise is None:
        return "one size"
    return "varies" if noise.get("varies", True) else "one size: " + noise.get("reason", "")


def run_set(program, kind, name, folder):
    train, test = split(pathlib.Path(os.environ["ALACARTE_DATA_DIR"]) / kind / name / "data.csv.gz", folder)
    model, is_class = folder / "model", kind == "classification"
    output(program, "train", "auto", "--data", train, "--target", "y", "--model", model, "--quiet",
           *(["--set", "/likelihood=softmax"] if is_class else []))
    scores = json.loads(output(program, "evaluate", model, "--data", test, "--quiet"))
    shown = json.loads(output(program, "inspect", model, "--json"))
    training = shown["training"]
    return {"set": name, "kind": "class" if is_class else "number", "rows": training["rows"], "inputs": training["inputs"], "members": members_of(shown),
            "noise": "" if is_class else noise_of(shown), "target": "" if is_class else shown["recipe"]["scale"]["target"],
            "reasons": reasons_of(training), "score": f"{scores['log_loss' if is_class else 'nlpd']:.4g}",
            "error": f"{1 - scores['accuracy'] if is_class else scores['rmse']:.4g}",
            "coverage": "" if is_class else f"{scores['coverage']['95']:.3f}"}


def run(options):
    rows = {row["set"]: row for row in csv_rows(options.out)}
    for kind, names in SETS.items():
        for name in names:
            if name in rows or (options.only and name not in options.only):
                continue
            with tempfile.TemporaryDirectory() as scratch:
                rows[name] = run_set(options.run, kind, name, pathlib.Path(scratch))
            write(options.out, rows)
            print(name, rows[name]["members"], rows[name]["score"], flush=True)


def write(path, rows):
    """In the order of the sets, whole or not at all."""
    ordered = [rows[name] for names in SETS.values() for name in names if name in rows]
    temporary = path.with_suffix(".tmp")
    with open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(ordered)
    os.replace(temporary, path)


def store(_):
    write_provenance(f"{HERE.name}/{RESULTS.name}", commit()[:8], "experiments/auto/choices.py --run build/release/alacarte")


def print_choices(rows):
    lines = [[row["set"], row["rows"], row["inputs"], row["members"], row["target"].replace("zscore", ""), row["noise"].partition(":")[0],
              minus(row["score"]), minus(row["error"]), f"{100 * float(row['coverage']):.0f}" if row["coverage"] else ""] for row in rows]
    print_table(["set", "rows", "inputs", "weights of members", "target", "noise", "NLPD or log loss", "RMSE or error rate", "in 95 %"], lines)


def print_reasons(rows):
    counts = collections.Counter(reason for row in rows for reason in row["reasons"].split(" | ") if reason)
    print_table(["reason", "sets"], [[reason, str(count)] for reason, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))])


def main():
    parser = parser_of_runs(__doc__, RESULTS)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--reasons", action="store_true")
    carry_out(parser, {"run": run, "store": store, "table": lambda options: print_choices(csv_rows(options.out)),
                       "reasons": lambda options: print_reasons(csv_rows(options.out))})


if __name__ == "__main__":
    main()
