#!/usr/bin/env python3
"""Calls of the program fail on purpose, by a preloaded library (faults.c): every memory allocation, write, fsync, rename,
open and close in turn, alone and every so many.

Whatever fails, the program ends by itself, with an exit code of docs/development.md, one line that says why, and each
file that it was to write either as it was or whole; no temporary file stays. With exit code 0 the files are whole.

Usage: faults.py PROGRAM LIBRARY [--points N] [--only SCENARIO[,SCENARIO]] [--calls CALL[,CALL]] [--jobs N] [--verbose]
  --points: how many places of failure for each scenario and kind of call (default 12; 0 = all)
"""
import argparse
import concurrent.futures
import errno
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DOCUMENTED = {0, 1, 2, 3, 4, 5, 70, 130, 141}
KINDS = [("alloc", 0), ("write", errno.ENOSPC), ("write", errno.EINTR), ("fsync", errno.ENOSPC), ("fsync", errno.EINTR),
         ("rename", errno.ENOSPC), ("rename", errno.EINTR), ("open", errno.EMFILE), ("open", errno.EINTR),
         ("close", errno.ENOSPC), ("close", errno.EINTR), ("link", errno.EPERM), ("link", errno.ENOSPC)]
QUICK = ["--threads", "1", "--quiet"]
SMALL = ["--set", "/training/iterations=3", "--set", "/training/starts=1", "--set", "/features/frequencies=16",
         "--set", "/copies=1"]
OLD = b"as it was\n"

# Name: arguments, and output files, each of which exists before with other contents.
SCENARIOS = {
    "train-linear": (["train", "linear", "--data", "f.csv", "--model", "out.model"] + QUICK, ["out.model"]),
    "train-gm": (["train", "gm", "--data", "f.csv", "--model", "out.model", "--checkpoint", "state"] + QUICK + SMALL,
                 ["out.model"]),
    "train-exact": (["train", "exact-ard", "--data", "f.csv", "--model", "out.model", "--set",
                     "/training/iterations=3"] + QUICK, ["out.model"]),
    "train-classify": (["train", "classify", "--data", "classes.csv", "--model", "out.model", "--set",
                        "/training/iterations=2"] + QUICK, ["out.model"]),
    "predict": (["predict", "x.model", "--data", "f.csv", "--out", "out.csv"] + QUICK, ["out.csv"]),
    "load": (["inspect", "x.model", "--html", "out.html", "--quiet"], ["out.html"]),
    "evaluate": (["evaluate", "x.model", "--data", "f.csv"] + QUICK, []),
    "update": (["update", "x.model", "--data", "f.csv", "--out", "out.model"] + QUICK, ["out.model"]),
    "convert": (["convert", "f.csv", "--out", "out.rows", "--quiet"], ["out.rows"]),
    "run": (["run", "units.json", "--out", "results", "--jobs", "2", "--quiet"], []),
}


class Fault(Exception):
    """What was found wrong."""


class Scratch:
    """A folder with the files that the scenarios read."""

    def __init__(self, program, library):
        self.program, self.library = program, library
        self.folder = pathlib.Path(tempfile.mkdtemp())
        # With its kernels preset, the program does not restart itself for them, which would reset the counts.
        core = re.search(r"(\S+) MAX_THREADS", self.plain(["--version"], text=True).stdout)
        self.kernels = {"OPENBLAS_CORETYPE": core[1]} if core else {}
        self.plain(["generate", "friedman1", "--rows", "60", "--out", "f.csv", "--quiet"])
        rows = [line.split(",") for line in (self.folder / "f.csv").read_text().splitlines()]
        classes = [rows[0]] + [row[:-1] + ["many" if float(row[-1]) > 14 else "few"] for row in rows[1:]]
        (self.folder / "classes.csv").write_text("".join(",".join(row) + "\n" for row in classes))
        self.plain(["train", "linear", "--data", "f.csv", "--model", "x.model", "--quiet"])
        (self.folder / "units.json").write_text(json.dumps(
            {"name": "units", "datasets": [{"file": "f.csv", "folds": 3}], "folds": [0, 1],
             "recipes": [{"baseline": "mean"}]}))

    def plain(self, words, folder=None, **more):
        return subprocess.run([self.program] + words, cwd=folder or self.folder, capture_output=True, **more, check=True)

    def copy(self):
        to = pathlib.Path(tempfile.mkdtemp(dir=self.folder, prefix="case-"))
        for name in ("f.csv", "classes.csv", "x.model", "units.json"):
            os.link(self.folder / name, to / name)
        return to

    def run(self, folder, words, faults):
        environment = {**os.environ, "LD_PRELOAD": self.library, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                       **self.kernels,
                       **{"FAULT_" + key: str(value) for key, value in faults.items()}}
        done = subprocess.run([self.program] + words, cwd=folder, env=environment, capture_output=True, timeout=60,
                              check=False)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def predictions(self, folder, model):
        return self.plain(["predict", model, "--data", "f.csv", "--out", "-", "--quiet"], folder).stdout

    def seen(self, folder, name):
        """The contents as far as they do not change from run to run: of a model, what it predicts."""
        path = folder / name
        contents = path.read_bytes() if path.exists() else None
        if contents in (None, OLD) or not name.endswith(".model"):
            return contents
        try:
            return self.predictions(folder, name)
        except subprocess.CalledProcessError as wrong:
            raise Fault(f"{name} cannot be used: {wrong.stderr.decode()}") from wrong


def without_times(out):
    return re.sub(rb'"seconds":[-+.0-9e]*', b"", out)


def left_behind(out):
    found = [path for sub in ("leases", "runners") for path in out.glob(sub + "/*")] + list(out.rglob("*.tmp"))
    return [str(path.relative_to(out)) for path in found]


def check_results(scratch, folder, code, faults, err):
    out = folder / "results"
    results = [json.loads(path.read_text()) for path in out.glob("results/*.json")]
    if code == 5 and not any(result["status"] == "failed" and result["reason"] for result in results):
        raise Fault("exit code 5, and no unit says why")
    # Repeated failures, and those where nothing can be thrown, are left to the next runner.
    if left_behind(out) and ("EVERY" in faults or "ended at once" in err):
        scratch.plain(SCENARIOS["run"][0] + ["--retry", "--lease-seconds", "1"], folder, timeout=20)
    if left_behind(out):
        raise Fault(f"left behind: {left_behind(out)}")


def check(scratch, folder, name, reference, faults, code, out, err):
    if code not in DOCUMENTED:
        raise Fault(f"exit code {code}: {err[-300:]}")
    lines = err.splitlines()
    failed_unit = name == "run" and code == 5  # its result has the reason
    if code != 0 and not failed_unit and not (lines and "alacarte: error: " in lines[-1]):
        raise Fault(f"exit code {code} without a line that says why: {err[-300:]!r}")
    if code != 0 and name != "run" and len(lines) != 1:
        raise Fault(f"{len(lines)} lines: {err[-600:]!r}")
    temporary = [path.name for path in folder.rglob("*.tmp")]
    if temporary and name != "run":
        raise Fault(f"temporary files stay: {temporary}")
    for file in SCENARIOS[name][1]:
        seen = scratch.seen(folder, file)
        if seen != reference[file] and (code == 0 or seen != OLD):
            raise Fault(f"exit code {code}, and {file} is neither whole nor as it was: {seen and len(seen)} bytes")
    if code == 0 and without_times(out) != without_times(reference["-"]):
        raise Fault("exit code 0, and standard output is not whole")
    if name == "run":
        check_results(scratch, folder, code, faults, err)


def one_case(scratch, name, reference, faults):
    folder = scratch.copy()
    try:
        for file in SCENARIOS[name][1]:
            (folder / file).write_bytes(OLD)
        code, out, err = scratch.run(folder, SCENARIOS[name][0], faults)
        check(scratch, folder, name, reference, faults, code, out, err)
        return None, code
    except (Fault, subprocess.SubprocessError, json.JSONDecodeError) as fault:
        return f"{name} {faults}: {fault}", None
    finally:
        shutil.rmtree(folder)


def reference_of(scratch, name):
    """What is written when nothing fails, and how many calls of each kind there are."""
    folder = scratch.copy()
    code, out, err = scratch.run(folder, SCENARIOS[name][0], {"REPORT": folder / "report"})
    if code != 0:
        raise SystemExit(f"{name} fails without a fault: {err}")
    reference = {file: scratch.seen(folder, file) for file in SCENARIOS[name][1]}
    reference["-"] = out
    lines = (line.split() for line in (folder / "report").read_text().splitlines())
    calls = {call: int(number) for call, number in lines}
    shutil.rmtree(folder)
    return reference, calls


def places(calls, points):
    """Numbers of the calls that fail: all, or the first and the last and some between, half of them in the second half,
    where the command line has been read and the work is done."""
    if points == 0 or calls <= points:
        return list(range(1, calls + 1))
    late = points // 2
    spread = [1 + round(k * (calls - 1) / (points - late - 1)) for k in range(points - late)] if points > 3 else [1, calls]
    return sorted(set(spread + [calls - round((k + 0.5) * calls / 2 / late) for k in range(late)]))


def cases_of(calls, points, number):
    """Each place alone, and from half of the places on also repeatedly. A call that is interrupted is tried again, so
    that not each may be."""
    repeats = [2, 3, 10, 100] if number == errno.EINTR else [1, 2, 10, 100]
    for k, at in enumerate(places(calls, points)):
        yield {"AT": at}
        if k % 2 == 0:
            yield {"AT": at, "EVERY": repeats[k // 2 % 4]}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--points", type=int, default=12)
    parser.add_argument("--only", default="")
    parser.add_argument("--calls", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    scratch = Scratch(os.path.abspath(options.program), os.path.abspath(options.library))
    failures = []
    try:
        for name in filter(None, options.only.split(",")) if options.only else SCENARIOS:
            reference, counted = reference_of(scratch, name)
            for call, number in KINDS:
                calls = counted[call]
                if calls == 0 or options.calls and call not in options.calls.split(","):
                    continue
                cases = [{"CALL": call, "ERROR": number, **case} for case in cases_of(calls, options.points, number)]
                with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                    found = list(pool.map(lambda case: one_case(scratch, name, reference, case), cases))
                wrong = [fault for fault, _ in found if fault]
                failures += wrong
                codes = sorted(code for _, code in found if code is not None)
                counts = " ".join(f"{code}:{codes.count(code)}" for code in sorted(set(codes)))
                what = call if call == "alloc" else f"{call} {errno.errorcode[number]}"
                print(f"{'FAILED' if wrong else 'ok'} {name}, {what}: {calls} calls, {len(cases)} cases, "
                      f"exit codes {counts}", flush=True)
                for fault in wrong if options.verbose else wrong[:3]:
                    print("   ", fault, flush=True)
    finally:
        shutil.rmtree(scratch.folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
