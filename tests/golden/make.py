#!/usr/bin/env python3
"""Makes the golden models and what they predict, or checks a program against them (see README.md here).

  tests/golden/make.py PROGRAM                   trains every model anew: NAME.alacarte, NAME.json and made_by.json in the
                                                 folder of each, models or models-0.2
  tests/golden/make.py PROGRAM --check           PROGRAM must predict what is stored, bit for bit
  tests/golden/make.py PROGRAM --to DIR          makes them there, for a comparison of two programs or of two runs
  tests/golden/make.py PROGRAM --only NAME ..    these alone
"""
import argparse
import csv
import datetime
import json
import os
import platform
import sys
import tempfile

import model_cases
import pinned
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
TEXT = {"label", "id"}
MOST_JOINT_ROWS = 50
THREADS = ["--threads", "1", "--quiet"]


def columns_of(path):
    """Columns of a file of predictions by name: doubles, or text."""
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return {name: [row[j] if name in TEXT else float(row[j]) for row in rows] for j, name in enumerate(header)}


def predict(program, case, model, folder):
    """Everything that can be asked of the rows."""
    rows, out = os.path.join(DATA, case["rows"]), os.path.join(folder, "out.csv")
    ask = lambda *more: pinned.run(program, "predict", model, "--data", rows, "--out", out, *THREADS, *more)
    ask()
    columns = columns_of(out)
    result = {"rows": case["rows"], "fftw": case["fftw"], "columns": columns}
    kind = case["recipe"].get("likelihood", "gaussian")
    many = len(columns["share_outside"]) > MOST_JOINT_ROWS
    if "label" in columns or kind != "gaussian" or many or "--mean-only" in case["options"]:
        return result
    covariance, draws = os.path.join(folder, "covariance.npy"), os.path.join(folder, "draws.npy")
    ask("--latent", "--covariance", covariance, "--draws", "3", "--draws-out", draws, "--seed", "7")
    result["latent"] = columns_of(out)
    result["covariance"], result["draws"] = pinned.read_npy(covariance), pinned.read_npy(draws)
    return result


def train(program, case, model, folder):
    recipe = os.path.join(folder, "recipe.json")
    with open(recipe, "w") as file:
        json.dump(case["recipe"], file)
    # Runs in this folder, since the model stores the path as given.
    pinned.run(program, "train", recipe, "--data", os.path.join("data", case["train"]), "--model", model, "--seed", "1",
               *THREADS, *case["options"], folder=HERE)


def text_of(expected):
    """One line for each column or row. Python writes the fewest digits that give the same double again."""
    lines = []
    for key, value in expected.items():
        if isinstance(value, dict):
            inner = ",\n".join(f"    {json.dumps(name)}: {json.dumps(column)}" for name, column in value.items())
            lines.append(f"  {json.dumps(key)}: {{\n{inner}\n  }}")
        elif isinstance(value, list):
            inner = ",\n".join(f"    {json.dumps(row)}" for row in value)
            lines.append(f"  {json.dumps(key)}: [\n{inner}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def make(program, case, target):
    model = os.path.join(target, case["name"] + ".alacarte")
    with tempfile.TemporaryDirectory() as folder:
        train(program, case, model, folder)
        expected = predict(program, case, model, folder)
    with open(os.path.join(target, case["name"] + ".json"), "w") as file:
        file.write(text_of(expected))


def check(program, case, target):
    model = os.path.join(target, case["name"] + ".alacarte")
    with open(os.path.join(target, case["name"] + ".json")) as file:
        expected = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        found = predict(program, case, model, folder)
    differing = [key for key in expected if found.get(key) != expected[key]]
    if differing or found.keys() != expected.keys():
        raise pinned.ProgramFailed(f"predicts other numbers: {', '.join(differing) or 'other parts'}")


def write_origin(program, commit, target):
    origin = {**pinned.version(program), "commit": commit, "date": datetime.date.today().isoformat(),
              "libc": " ".join(platform.libc_ver()), "settings": pinned.PINNED}
    del origin["threads"]
    with open(os.path.join(target, "made_by.json"), "w") as file:
        file.write(json.dumps(origin, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--to", default=HERE)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--commit", default="", help="which commit the program was built from")
    arguments = parser.parse_args()
    arguments.program, arguments.to = os.path.abspath(arguments.program), os.path.abspath(arguments.to)
    os.makedirs(DATA, exist_ok=True)
    if not arguments.check:
        tables.write_tables(DATA)
    wanted = [case for case in model_cases.cases() if not arguments.only or case["name"] in arguments.only]
    failed = 0
    for case in wanted:
        try:
            folder = os.path.join(arguments.to, case["folder"])
            os.makedirs(folder, exist_ok=True)
            (check if arguments.check else make)(arguments.program, case, folder)
        except pinned.ProgramFailed as error:
            failed += 1
            print(f"{case['name']}: {error}", file=sys.stderr)
    if not arguments.check and not arguments.only:
        for folder in sorted({case["folder"] for case in wanted}):
            write_origin(arguments.program, arguments.commit, os.path.join(arguments.to, folder))
    print(f"{len(wanted) - failed} of {len(wanted)} models {'checked' if arguments.check else 'made'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
