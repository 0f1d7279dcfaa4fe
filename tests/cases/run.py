#!/usr/bin/env python3
"""Runs the cases of this folder: small inputs that users of such programs asked about in public, and what must hold for each.

Each file is one case (docs/development.md describes its keys). Lists among its recipes and parameters make variants, and each variant is
trained, predicted and checked for each seed. A line a check has the measured number and the required one.

Usage: run.py --program PROGRAM [--case NAME[/VARIANT]].. [--seeds K] [--json OUT] [--keep DIR]
       run.py --list
NAME and VARIANT can have * and ?.
  --seeds K   seeds 0 to K-1 of each case (default: the case's own number, else 1)
  --json OUT  also writes the measured numbers there
  --keep DIR  leaves tables, models and messages there
  --folder D  reads the cases of this folder instead of those beside the script

The exit code is 0 if everything holds, 1 if not, and 77 if all that fails belongs to variants that the case lists in "fails_today". A
variant of that list which passes is a failure, too: its mark must be removed.
"""
import argparse
import fnmatch
import itertools
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from checks import CHECKS
from inputs import make_table, read_csv, value_of, write_csv

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED_FAILURES = 77
MIN_SEEDS_FOR_MEANS = 5
MAX_SECONDS, TIMED_OUT = 570, 124
KEYS = {"source", "about", "recipe", "parameters", "rows", "columns", "hidden", "target", "options", "predict", "tables", "seeds", "exit",
        "seconds", "expect", "fails_today"}
CHECK_KEYS = {"check", "min", "max", "mean", "at", "where", "for", "truth", "column", "columns", "are", "of", "text", "beside", "knows"}
RECIPE_KEYS = {"name", "recipe", "options"}


class CaseError(Exception):
    """A file of a case that says something impossible."""


def read_cases(folder):
    """The cases by name."""
    cases = {}
    for path in sorted(folder.glob("*.json")):
        with open(path, encoding="utf-8") as file:
            case = json.load(file)
        unknown = [key for key in case if key not in KEYS]
        unknown += [f"expect/{key}" for check in case["expect"] for key in check if key not in CHECK_KEYS]
        unknown += [f"check {check['check']}" for check in case["expect"] if check["check"] not in CHECKS]
        if unknown:
            raise CaseError(f"{path.name}: unknown: {', '.join(unknown)}")
        cases[path.stem] = case
    return cases


def as_list(value):
    return value if isinstance(value, list) else [value]


def variants(case):
    """(name, recipe, parameters) of each combination of the case's recipes and parameters; those that vary make the name. A value with
    several numbers is an object, whose members are parameters and whose name stands for them."""
    recipes = [r if isinstance(r, dict) else {"name": r or "default", "recipe": r} for r in as_list(case.get("recipe"))]
    if any(set(recipe) - RECIPE_KEYS for recipe in recipes):
        raise CaseError(f"a recipe has the keys {', '.join(sorted(RECIPE_KEYS))}")
    given = case.get("parameters", {})
    for recipe in recipes:
        for values in itertools.product(*(as_list(value) for value in given.values())):
            parameters, words = {}, [recipe["name"]] if len(recipes) > 1 or not given else []
            for name, value in zip(given, values):
                several = isinstance(value, dict)
                parameters.update(value if several else {name: value})
                if isinstance(given[name], list):
                    words.append(f"{name}={value['name'] if several else value}")
            yield ",".join(words) or recipe["name"], recipe, parameters


def reason_to_fail(case, variant):
    """Why this variant is known to fail, or an empty text."""
    marks = case.get("fails_today", {})
    if isinstance(marks, str):
        return marks
    return next((reason for pattern, reason in marks.items() if fnmatch.fnmatchcase(variant, pattern)), "")


class Fit:
    """One training of the program on the rows of a case, and what can be asked of it."""

    def __init__(self, program, case, recipe, parameters, seed, folder):
        self.program, self.case, self.seed, self.folder = program, case, seed, folder
        self.parameters = parameters
        self.target = case.get("target", "y").split(",")[0]
        self.tables, self.predicted, self.covariances, self.shown = {}, {}, {}, None
        rows = make_table(case["columns"], self.number(case.get("rows", 0)), parameters, seed, "train")
        hidden = case.get("hidden", [])
        write_csv(folder / "train.csv", rows, [name for name in rows if name not in hidden])
        self.tables["train"] = rows
        words = []
        if isinstance(recipe["recipe"], dict):
            (folder / "recipe.json").write_text(json.dumps(recipe["recipe"]), encoding="utf-8")
            words = ["recipe.json"]
        elif recipe["recipe"]:
            words = [recipe["recipe"]]
        began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.exit, self.messages = self.call("train", *words, "--data", "train.csv", "--target", case.get("target", "y"), "--model", "model",
                                             "--seed", str(seed), *recipe.get("options", []), *case.get("options", []))
        self.seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began

    def number(self, value):
        return int(value_of(value, self.parameters))

    def call(self, *words):
        try:
            done = subprocess.run([self.program, *words, "--threads", "1"], cwd=self.folder, capture_output=True, text=True,
                                  timeout=MAX_SECONDS)
        except subprocess.TimeoutExpired:
            return TIMED_OUT, f"{words[0]} was stopped after {MAX_SECONDS} seconds"
        (self.folder / f"{words[0]}.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
        return done.returncode, done.stdout + done.stderr

    def ask(self, *words):
        """The output of a command that must succeed."""
        code, text = self.call(*words)
        if code != 0:
            raise CaseError(f"{words[0]}: exit code {code}: {text.strip().splitlines()[-1:]}")
        return text

    def table(self, check):
        """Rows that the check asks about: the case's columns, with its own in their place; "train" is the training rows."""
        at = check.get("at", "new")
        if at not in self.tables:
            given = self.case["tables"][at]
            columns = given["columns"] if given.get("alone") else {**self.case["columns"], **given.get("columns", {})}
            self.tables[at] = make_table(columns, self.number(given.get("rows", 1000)), self.parameters, self.seed, at)
        return self.tables[at]

    def predictions(self, check):
        at = check.get("at", "new")
        if at not in self.predicted:
            table = self.table(check)
            names = [name for name in table if name not in self.case.get("hidden", [])]
            write_csv(self.folder / f"{at}.csv", table, names)
            covariance = [word for other in self.case["expect"] if other["check"] == "covariance" and other.get("at", "new") == at
                          for word in ("--covariance", f"{at}.npy")]
            self.ask("predict", "model", "--data", f"{at}.csv", "--out", f"{at}.predicted.csv", *covariance, *self.case.get("predict", []))
            self.predicted[at] = read_csv(self.folder / f"{at}.predicted.csv")
        return self.predicted[at]

    def beside(self, recipe):
        """A fit of another recipe to the same rows."""
        folder = self.folder / recipe
        folder.mkdir(exist_ok=True)
        return Fit(self.program, self.case, {"name": recipe, "recipe": recipe}, self.parameters, self.seed, folder)

    def covariance_file(self, check):
        return self.folder / f"{check.get('at', 'new')}.npy"

    def inspected(self):
        if self.shown is None:
            self.shown = json.loads(self.ask("inspect", "model", "--json"))
        return self.shown

    def inspect_text(self):
        return self.ask("inspect", "model")


def required(check, parameters):
    """The bounds of a check, and how a report writes them."""
    least, most = (value_of(check[key], parameters) if key in check else None for key in ("min", "max"))
    if least is None and most is None:
        raise CaseError(f"{check['check']} has neither min nor max")
    if least is None:
        return -math.inf, most, f"at most {most:.4g}"
    if most is None:
        return least, math.inf, f"at least {least:.4g}"
    return least, most, f"{least:.8g} to {most:.8g}"


def label(check):
    """The check's name, with what distinguishes it from others of that name."""
    extra = [str(check[key]) for key in ("column", "of", "text", "at", "where") if key in check]
    return check["check"] + (f"({'; '.join(extra)})" if extra else "")


def run_seed(program, case, variant, recipe, parameters, seed, folder):
    """The results of all checks of one fit."""
    fit = Fit(program, case, recipe, parameters, seed, folder)
    results = [{"check": "exit", "required": str(case.get("exit", 0)), "measured": fit.exit, "ok": fit.exit == case.get("exit", 0)}]
    if not results[0]["ok"]:
        results[0]["note"] = (fit.messages.strip().splitlines() or [""])[-1]
        return results  # nothing else can hold, and nothing else can be measured
    for check in [*case["expect"], {"check": "seconds", "max": case.get("seconds", 60)}]:
        if not fnmatch.fnmatchcase(variant, check.get("for", "*")):
            continue
        least, most, text = required(check, parameters)
        result = {"check": label(check), "required": text, "bounds_of_mean": check.get("mean")}
        try:
            measured = CHECKS[check["check"]](fit, check)
            result.update(measured=measured, ok=least <= measured <= most)
        except (CaseError, KeyError, ValueError) as error:
            result.update(measured=math.nan, ok=False, note=f"{type(error).__name__}: {error}")
        results.append(result)
    return results


def means(results, parameters):
    """Checks of means over seeds, for those that have bounds of their own."""
    by_check = {}
    for result in results:
        if result.get("bounds_of_mean"):
            by_check.setdefault(result["check"], []).append(result)
    for name, same in by_check.items():
        if len(same) >= MIN_SEEDS_FOR_MEANS:
            least, most, text = required({"check": name, **same[0]["bounds_of_mean"]}, parameters)
            measured = sum(result["measured"] for result in same) / len(same)
            yield {"check": f"mean of {name}", "seed": "all", "required": text, "measured": measured, "ok": least <= measured <= most}


def show(name, result):
    note = f"  {result['note']}" if result.get("note") else ""
    print(f"{'ok   ' if result['ok'] else 'FAILS'} {name}  seed {result['seed']}  {result['check']} {result['measured']:.8g}, "
          f"required {result['required']}{note}", flush=True)


def run_variant(arguments, name, case, variant, recipe, parameters):
    """All seeds of one variant."""
    results = []
    for seed in range(arguments.seeds or case.get("seeds", 1)):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            if arguments.keep:
                folder = pathlib.Path(arguments.keep) / f"{name}.{variant}.{seed}"
                folder.mkdir(parents=True, exist_ok=True)
            for result in run_seed(arguments.program, case, variant, recipe, parameters, seed, folder):
                result["seed"] = seed
                results.append(result)
                show(f"{name}/{variant}", result)
    for result in means(results, parameters):
        results.append(result)
        show(f"{name}/{variant}", result)
    return results


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program")
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--json")
    parser.add_argument("--keep")
    parser.add_argument("--folder", type=pathlib.Path, default=HERE)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if not arguments.list and not arguments.program:
        parser.error("--program is missing")
    if arguments.program:
        arguments.program = os.path.abspath(arguments.program)
    return arguments


def chosen(arguments):
    """(name, case, variant, recipe, parameters) of the variants that were asked for."""
    patterns = [pattern if "/" in pattern else pattern + "/*" for pattern in arguments.case] or ["*"]
    for name, case in read_cases(arguments.folder).items():
        for variant, recipe, parameters in variants(case):
            if any(fnmatch.fnmatchcase(f"{name}/{variant}", pattern) for pattern in patterns):
                yield name, case, variant, recipe, parameters


def main():
    arguments = parse()
    found = list(chosen(arguments))
    if arguments.list:
        print("\n".join(f"{name}/{variant}" for name, _, variant, _, _ in found))
        return 0
    if not found:
        sys.exit("run.py: no such case")
    all_results, unexpected, expected = [], [], []
    for name, case, variant, recipe, parameters in found:
        results = run_variant(arguments, name, case, variant, recipe, parameters)
        all_results += [{"case": f"{name}/{variant}", **result} for result in results]
        reason, failed = reason_to_fail(case, variant), not all(result["ok"] for result in results)
        if reason and failed:
            expected.append(f"{name}/{variant} fails as it is known to: {reason}")
        elif reason:
            unexpected.append(f"{name}/{variant} passes: remove its mark in fails_today ({reason})")
        elif failed:
            unexpected.append(f"{name}/{variant} fails")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump([{key: result.get(key) for key in ("case", "seed", "check", "required", "measured", "ok", "note")}
                       for result in all_results], file, indent=1)
    print("\n".join([*expected, *unexpected, f"{len(found)} variants: {len(unexpected)} unexpected, {len(expected)} known to fail"]))
    return 1 if unexpected else EXPECTED_FAILURES if expected else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CaseError as error:
        sys.exit(f"run.py: {error}")
