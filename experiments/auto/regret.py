#!/usr/bin/env python3
"""How far "auto" is behind the best recipe of ours that a user could have named, at equal time.

Usage: regret.py --run PROGRAM [--seconds S ..] [--only SET ..] [--out OUT.csv]    runs what is missing in OUT.csv (default: regret.csv beside
                                                                                    this script)
       regret.py --store       writes the line of regret.csv in provenance.csv
       regret.py --table S     NLPD of each recipe on each set for S seconds, and the regret of "auto"

The sets of numbers of choices.py with 1000 rows or more, and its split. Every training has all processors; nothing else should run.
"""
import collections
import csv
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from choices import SETS, output, split  # noqa: E402
from measured import carry_out, commit, parser_of_runs, write_provenance  # noqa: E402
from stored import csv_rows, minus, print_table  # noqa: E402

RECIPES = ["auto", "ssgpr", "fsgbard", "deep", "exact-matern"]
MIN_ROWS = 1000
SECONDS = ["3", "10"]
FIELDS = ["seconds", "set", "recipe", "nlpd", "rmse", "coverage", "took"]
RESULTS = HERE / "regret.csv"


def fitted(program, recipe, seconds, train, test, folder):
    """The scores of a fit; none for a recipe that refuses the table, such as an exact kernel that memory does not hold."""
    model = folder / "model"
    try:
        output(program, "train", recipe, "--data", train, "--target", "y", "--model", model, "--quiet", "--seconds", seconds)
    except SystemExit as refused:
        print(recipe, refused, file=sys.stderr)
        return {"nlpd": "", "rmse": "", "coverage": "", "took": ""}
    scores = json.loads(output(program, "evaluate", model, "--data", test, "--quiet"))
    took = json.loads(output(program, "inspect", model, "--json"))["training"]["seconds"]
    return {"nlpd": f"{scores['nlpd']:.5g}", "rmse": f"{scores['rmse']:.5g}", "coverage": f"{scores['coverage']['95']:.3f}",
            "took": f"{took:.1f}"}


def run(options):
    done = {(row["seconds"], row["set"], row["recipe"]) for row in csv_rows(options.out)}
    with open(options.out, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if not done:
            writer.writeheader()
        for seconds in options.seconds:
            for kind in ("uci", "regression"):
                for name in SETS[kind]:
                    if options.only and name not in options.only:
                        continue
                    with tempfile.TemporaryDirectory() as scratch:
                        folder = pathlib.Path(scratch)
                        train, test = split(pathlib.Path(os.environ["ALACARTE_DATA_DIR"]) / kind / name / "data.csv.gz", folder)
                        with open(train, encoding="utf-8") as rows:
                            if sum(1 for _ in rows) <= MIN_ROWS:
                                continue
                        for recipe in RECIPES:
                            if (seconds, name, recipe) not in done:
                                row = {"seconds": seconds, "set": name, "recipe": recipe}
                                row.update(fitted(options.run, recipe, seconds, train, test, folder))
                                writer.writerow(row)
                                file.flush()
                                print(*row.values(), flush=True)


def store(_):
    write_provenance(f"{HERE.name}/{RESULTS.name}", commit()[:8], "experiments/auto/regret.py --run build/release/alacarte")


def print_regret(rows, seconds):
    scores = collections.defaultdict(dict)
    for row in rows:
        if row["seconds"] == seconds and row["nlpd"]:
            scores[row["set"]][row["recipe"]] = float(row["nlpd"])
    lines, regrets = [], []
    for name, found in scores.items():
        if "auto" not in found or len(found) < 2:
            continue
        best = min((recipe for recipe in found if recipe != "auto"), key=found.get)
        regrets.append(found["auto"] - found[best])
        lines.append([name] + [minus(f"{found[recipe]:.3f}") if recipe in found else "" for recipe in RECIPES] + [best, minus(f"{regrets[-1]:+.3f}")])
    print_table(["set"] + [f"`{recipe}`" for recipe in RECIPES] + ["best by name", "`auto` behind it"], lines)
    print(f"\n{sum(regret <= 0.03 for regret in regrets)} of {len(regrets)} within 0.03 of the best or ahead of it")


def main():
    parser = parser_of_runs(__doc__, RESULTS)
    parser.add_argument("--seconds", nargs="+", default=SECONDS)
    parser.add_argument("--table", metavar="S")
    carry_out(parser, {"run": run, "store": store, "table": lambda options: print_regret(csv_rows(options.out), options.table)})


if __name__ == "__main__":
    main()
