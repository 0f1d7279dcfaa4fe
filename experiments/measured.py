"""Runs of the program, measured, and where they were made: what the scripts of several experiments store."""
import argparse
import collections
import csv
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

# Wall-clock and processor seconds (all threads), peak memory, and the command's output.
Measured = collections.namedtuple("Measured", "seconds processor_seconds peak_bytes out")


def measured(command):
    """Runs it. Ends the script where it fails."""
    began = time.time()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("failed: " + " ".join(command))
    return Measured(time.time() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out)


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def machine():
    return {"processor": processor(), "cores": os.cpu_count()}


def commit():
    """The commit that is checked out: that of the program, where it was built from here."""
    folder = os.path.dirname(os.path.abspath(__file__))
    return subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()


def write_provenance(results, made_by, command):
    """Replaces the line of a file of results in provenance.csv. results: its path below experiments; made_by: the program's commit."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "provenance.csv")
    with open(path, newline="", encoding="utf-8") as file:
        head, *lines = csv.reader(file)
    where = machine()
    lines = [line for line in lines if line[0] != results]
    lines.append([results, datetime.date.today().isoformat(), made_by, f"{where['processor']}, {where['cores']} virtual cores", command])
    with open(path + ".tmp", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *sorted(lines)])
    os.replace(path + ".tmp", path)


def parser_of_runs(description, results):
    """Options of a script that runs PROGRAM on data sets into a CSV file and stores where that was made."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", metavar="PROGRAM")
    parser.add_argument("--only", nargs="+", metavar="SET")
    parser.add_argument("--out", type=pathlib.Path, default=results)
    parser.add_argument("--store", action="store_true")
    return parser


def carry_out(parser, actions):
    """Calls the function of the options that belongs to the first option given; "run" needs the folder of the data sets."""
    options = parser.parse_args()
    chosen = next((name for name in actions if getattr(options, name)), None)
    if chosen is None:
        parser.error("one of " + ", ".join(f"--{name}" for name in actions) + " is needed")
    if chosen == "run" and "ALACARTE_DATA_DIR" not in os.environ:
        parser.error("ALACARTE_DATA_DIR is not set")
    actions[chosen](options)


def read_json(path, otherwise):
    if not os.path.exists(path):
        return otherwise
    with open(path) as file:
        return json.load(file)


def write_json(path, value):
    """Whole or not at all."""
    with open(path + ".tmp", "w") as file:
        json.dump(value, file, indent=1)
        file.write("\n")
    os.replace(path + ".tmp", path)


def trained(program, recipe, train, test, *options):
    """Trains a classifier, scores it on the test rows, and says what both took."""
    with tempfile.TemporaryDirectory() as scratch:
        model = os.path.join(scratch, "model.alacarte")
        threads = options[options.index("--threads"):][:2]
        training = measured([program, "train", recipe, "--data", train, "--model", model, "--quiet", *options])
        testing = measured([program, "evaluate", model, "--data", test, "--quiet", *threads])
        summary = json.loads(measured([program, "inspect", model, "--json"]).out)["fits"][0]["summary"]
    scores = json.loads(testing.out)
    return {**{name: scores[name] for name in ("n", "accuracy", "log_loss", "ece")},
            **{name: summary[name] for name in ("cost", "scale", "feature_seconds", "solver_seconds") if name in summary},
            "train_seconds": training.seconds, "train_processor_seconds": training.processor_seconds,
            "predict_processor_seconds": testing.processor_seconds, "peak_bytes": training.peak_bytes}


def store_missing(path, wanted, run):
    """The results in a JSON file, after run(name) of each wanted name that it does not have, kept as they come."""
    found = read_json(path, {"machine": machine(), "runs": {}})
    for name in wanted:
        if name not in found["runs"]:
            found["runs"][name] = {"commit": commit(), "date": time.strftime("%Y-%m-%d"), **run(name)}
            write_json(path, found)
            print(name, json.dumps(found["runs"][name]), flush=True)
    return found["runs"]
