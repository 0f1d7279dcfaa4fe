#!/usr/bin/env python3
"""Measures what the model of time needs: two ranks against two threads, in turns, and the sums of ranks; and the Cholesky factor
and inverse of a large matrix by LAPACK on two threads and by ScaLAPACK on four ranks.

Usage: measure.py PROGRAM OUT.json      (OpenMPI with mpicxx and mpirun, libscalapack-openmpi-dev; ten minutes on two idle cores)
"""
import csv
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from measured import commit  # noqa: E402

ROWS, REPEATS, ITERATIONS, LARGE = 100_000, 5, 8, 8192
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def run(*words, **more):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True, env={**ENVIRONMENT, **more})


def seconds_of(log, events=("fitted",)):
    """Seconds an evaluation, from the record of the fit."""
    for line in log.splitlines():
        if line.startswith("{"):
            record = json.loads(line)
            if record.get("event") in events:
                return record["seconds"] / record["evaluations"]
    raise RuntimeError(log)


def main():
    program, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    results = {"rows": ROWS, "evaluations": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(program, "generate", "friedman1", "--rows", ROWS, "--seed", 1, "--out", folder / "f.csv", "--quiet")
        run(program, "convert", folder / "f.csv", "--out", folder / "f.rows", "--quiet")
        for frequencies in (64, 256):
            recipe = folder / "recipe.json"
            recipe.write_text(json.dumps({
                "model": "ard", "features": {"frequencies": frequencies}, "noise": {"prior_center": "fixed"},
                "training": {"starts": 1, "iterations": ITERATIONS, "objective_tolerance": 0}}))
            train = ["train", recipe, "--data", folder / "f.rows", "--model", folder / "m", "--log", "json"]
            kinds = {"one thread": [program, *train, "--threads", 1], "two threads": [program, *train, "--threads", 2],
                     "two ranks": ["mpirun", "--bind-to", "core", "-np", 2, program, *train, "--threads", 1]}
            times = {kind: [] for kind in kinds}
            for _ in range(REPEATS):
                for kind, words in kinds.items():
                    times[kind].append(seconds_of(run(*words).stderr))
            ratios = [r / t for r, t in zip(times["two ranks"], times["two threads"])]
            results["evaluations"].append({
                "features": 2 * frequencies, "seconds": {k: round(statistics.median(v), 4) for k, v in times.items()},
                "ratio": {"median": round(statistics.median(ratios), 3), "all": [round(r, 3) for r in ratios]}})
            print(json.dumps(results["evaluations"][-1]))
        run("mpicxx", "-O2", HERE / "messages.cpp", "-o", folder / "messages")
        table = run("mpirun", "--bind-to", "core", "-np", 2, folder / "messages").stdout
        results["sums"] = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(table))]
        run("mpicxx", "-O2", HERE / "cholesky.cpp", "-o", folder / "cholesky", "-lscalapack-openmpi", "-lopenblas")
        results["cholesky"] = {
            "LAPACK, two threads": json.loads(run(folder / "cholesky", LARGE, OPENBLAS_NUM_THREADS="2").stdout),
            "ScaLAPACK, four ranks": json.loads(run("mpirun", "--bind-to", "none", "-np", 4, folder / "cholesky", LARGE,
                                                    OPENBLAS_NUM_THREADS="1").stdout)}
    results["commit"] = commit()
    out.write_text(json.dumps(results, indent=1) + "\n")


main()
