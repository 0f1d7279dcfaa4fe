#!/usr/bin/env python3
"""What a fixed list of trainings comes to, and whether two programs come to the same (see README.md here).

  tests/golden/fits.py run PROGRAM --out FITS.json [--only NAME ..]      ALACARTE_DATA_DIR names the folder with uci/
  tests/golden/fits.py compare FITS.json OTHER.json [--tolerance 1e-10]
"""
import argparse
import csv
import json
import math
import os
import random
import sys
import tempfile
import time

import fit_cases
import pinned

# Clocks and paths; a gradient near a maximum is rounding.
VARYING = {"seconds", "feature_seconds", "solver_seconds", "gradient_norm"}
OF_FITS = ["name", "objective", "log_evidence", "iterations", "evaluations", "failed_evaluations", "restarts", "jitter",
           "stop", "start_objectives", "best_start", "at_bound", "trace", "noise_prior", "terms", "cost", "scale",
           "cross_validation", "cross_validation_error", "training_error"]
GENERATED = {"friedman": ("friedman1", 3000), "arm": ("robot-arm", 2000), "friedman-short": ("friedman1", 250),
             "friedman-long": ("friedman1", 60000)}


def relabelled(rows, of_target, path):
    """friedman1 with something else made of its target."""
    header, *lines = rows
    targets = sorted(float(line[-1]) for line in lines)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for line in lines:
            place = targets.index(float(line[-1])) / len(targets)
            writer.writerow(line[:-1] + [of_target(place)])


TARGETS = {"three": (900, lambda place: ["low", "mid", "high"][min(2, int(4 * place))]),
           "two": (900, lambda place: "yes" if place > 0.7 else "no"),
           "sixty": (500, lambda place: f"k{int(60 * place):02d}"),
           "counts": (900, lambda place: math.floor(12 * place * place))}


def sparse_rows(path):
    draw = random.Random(5)
    with open(path, "w") as file:
        for i in range(400):
            kind = i % 4
            columns = set(draw.sample(range(1 + 100 * kind, 151 + 100 * kind), 5)) | set(draw.sample(range(1, 501), 12))
            file.write(f"{kind} " + " ".join(f"{j}:{1 + draw.randrange(5)}" for j in sorted(columns)) + "\n")


def data_file(program, name, folder):
    """Path of the data, made if need be; None: a set of the paper, and nobody said where they are."""
    if name in fit_cases.UCI:
        root = os.environ.get("ALACARTE_DATA_DIR")
        return root and os.path.join(root, "uci", name, "data.csv.gz")
    path = os.path.join(folder, name + (".libsvm" if name == "sparse" else ".csv"))
    if os.path.exists(path):
        return path
    if name == "sparse":
        sparse_rows(path)
        return path
    problem, rows = GENERATED.get(name) or ("friedman1", TARGETS[name][0])
    pinned.run(program, "generate", problem, "--rows", rows, "--seed", "1", "--out", path, "--quiet")
    if name in TARGETS:
        with open(path, newline="") as file:
            relabelled(list(csv.reader(file)), TARGETS[name][1], path)
    return path


def without_varying(value):
    if isinstance(value, dict):
        return {key: without_varying(inner) for key, inner in value.items() if key not in VARYING}
    return [without_varying(inner) for inner in value] if isinstance(value, list) else value


def fit(program, case, data, folder):
    """What one training came to."""
    recipe, model = os.path.join(folder, "recipe.json"), os.path.join(folder, "model.alacarte")
    with open(recipe, "w") as file:
        json.dump(case["recipe"], file)
    held_out = ["--fold", "0"] if case["data"] in fit_cases.UCI else ["--holdout", "0.2"]
    pinned.run(program, "train", recipe, "--data", data, "--model", model, "--seed", case["seed"], "--threads", "1",
               "--quiet", *held_out, *case["options"])
    scores = pinned.run(program, "evaluate", model, "--data", data, "--held-out", "--threads", "1", "--quiet")
    document, tensors = pinned.read_model(model)
    theta = {name: values for name, values in tensors.items()
             if "/parameters/" in name or name.endswith("noise_variance")}
    summaries = [member["summary"] for member in document["members"]]
    fits = [{key: summary[key] for key in OF_FITS if key in summary} for summary in summaries]
    training = document["training"]
    return without_varying({"data_sha256": training["data_sha256"], "rows": training["rows"], "theta": theta,
                            "fits": fits, "leave_one_out": training["leave_one_out"], "scores": json.loads(scores)})


def outcome(program, case, folder):
    """What the training came to, or in a word why there is nothing."""
    try:
        data = data_file(program, case["data"], folder)
        return fit(program, case, data, folder) if data else {"skipped": "ALACARTE_DATA_DIR is not set"}
    except pinned.ProgramFailed as error:
        return {"failed": str(error).replace(folder, "")}


def run(arguments):
    program = os.path.abspath(arguments.program)
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for case in fit_cases.cases():
            if arguments.only and case["name"] not in arguments.only:
                continue
            began = time.monotonic()
            result = results[case["name"]] = outcome(program, case, folder)
            note = result.get("skipped") or result.get("failed") or ""
            print(f"{case['name']:32} {time.monotonic() - began:6.1f} s  {note}", flush=True)
    with open(arguments.out, "w") as file:
        json.dump({"program": pinned.version(program)["alacarte"], "fits": results}, file, indent=1)
        file.write("\n")
    return 1 if any("failed" in result for result in results.values()) else 0


def differences(name, ours, theirs, tolerance):
    """(name, relative difference or words) of what is not the same; the largest entry of a list sets its scale."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            if key in ours and key in theirs:
                yield from differences(f"{name}/{key}", ours[key], theirs[key], tolerance)
            else:
                yield f"{name}/{key}", "only in the " + ("first" if key in ours else "second")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        if ours and all(isinstance(value, (int, float)) for value in ours + theirs):
            scale = max(map(abs, ours))
            worst = max(abs(a - b) for a, b in zip(ours, theirs))
            if not worst <= tolerance * scale:
                yield name, worst / scale if scale else worst
        else:
            for i, (a, b) in enumerate(zip(ours, theirs)):
                yield from differences(f"{name}/{i}", a, b, tolerance)
    elif isinstance(ours, float) and isinstance(theirs, (int, float)):
        if not abs(ours - theirs) <= tolerance * abs(ours):
            yield name, abs(ours - theirs) / abs(ours) if ours else abs(theirs)
    elif ours != theirs:
        yield name, f"{ours} and {theirs}"


def compare(arguments):
    with open(arguments.first) as one, open(arguments.second) as other:
        first, second = json.load(one)["fits"], json.load(other)["fits"]
    differing = set()
    for name in first:
        for result in (first, second):
            if "skipped" in result.get(name, {}):
                print(f"{name}: not compared: {result[name]['skipped']}")
                break
        else:
            for place, what in differences(name, first[name], second.get(name, {}), arguments.tolerance):
                differing.add(name)
                print(place, what if isinstance(what, str) else f"differs by {what:.2g}")
    print(f"{len(differing)} of {len(first)} fits differ by more than {arguments.tolerance:g}")
    return 1 if differing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("program")
    one.add_argument("--out", required=True)
    one.add_argument("--only", nargs="+", default=[])
    one.set_defaults(do=run)
    two = commands.add_parser("compare")
    two.add_argument("first")
    two.add_argument("second")
    two.add_argument("--tolerance", type=float, default=1e-10)
    two.set_defaults(do=compare)
    arguments = parser.parse_args()
    return arguments.do(arguments)


if __name__ == "__main__":
    sys.exit(main())
