#!/usr/bin/env python3
"""The tables of this folder's README from the JSON files of alacarte-bench and peers.py, and build-times.txt.

    table.py transforms|xeon|features|evaluation|equal|fits|build|rooms|peers|whole|kin40k
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from stored import print_table, short  # noqa: E402


def document(name):
    with open(os.path.join(HERE, name + ".json")) as file:
        return json.load(file)


def ratios(name):
    """(race, slower, faster) -> its ratio, with median and quartiles."""
    return {(race["name"], r["slower"], r["faster"]): r for race in document(name)["races"] for r in race["ratios"]}


def quartiles(ratio):
    return f"{short(ratio['median'])} [{short(ratio['lower'])}, {short(ratio['upper'])}]"


def verdict(text, goal, medians, most=False):
    """The measurement, marked where a median does not reach the goal; most: the goal is a largest value."""
    shown = [float(short(median)) for median in medians]
    missed = goal and any(m > goal if most else m < goal for m in shown)
    return [f"{goal:g}" if goal else "", text + (" **missed**" if missed else "")]


def transforms(name):
    """The rows of the races that the transforms of a file ran."""
    races, rows = ratios(name), []
    sizes = {("f32", "L1"): (16, 32, 64, 128, 256), ("f32", "L2"): (16, 32, 64, 128, 256, 512, 1024), ("f64", "L1"): (16, 32, 64, 128),
             ("f64", "L2"): (16, 32, 64, 128, 256, 512, 1024)}
    opponents = {"rows ffht": "one row at a time, our re-implementation of FFHT for AVX2", "rows fused": "the same with our own fused butterflies",
                 "naive": "three naive loops"}
    for (kind, level), widths in sizes.items():
        for slower, words in opponents.items():
            medians = [races[f"hadamard {kind} d={d} {level}", slower, "tiles"]["median"] for d in widths]
            goal = {"f32": 1.5, "f64": 1.3}[kind] if slower == "rows ffht" and level == "L1" else 0
            rows.append([f"Hadamard tiles against {words}, {kind}, {level}, d = {', '.join(map(str, widths))}"] +
                        verdict(", ".join(map(short, medians)), goal, medians))
    return rows


def print_transforms():
    races, rows = ratios("kernels"), transforms("kernels")
    for kind in ("f32", "f64"):
        wide, narrow = (races["sincos " + kind, "libmvec " + isa, "turns"] for isa in ("avx512", "avx2"))
        rows.append([f"sine and cosine against libmvec, {kind}"] +
                    verdict(f"AVX2 version {quartiles(narrow)}, AVX-512 version {quartiles(wide)}", 1.8, [wide["median"], narrow["median"]]))
    depths = (80, 192, 512, 1536)
    medians = [races[f"variance f64 D={depth} rows=256", "solve", "inverse"]["median"] for depth in depths]
    rows.append([f"variances by the inverse factor over triangular solves, D = {', '.join(map(str, depths))}"] +
                verdict(", ".join(map(short, medians)), 0, medians))
    print_table(["goal", "asked for", "measured"], rows)


def on_two_machines(words, goal, first, second):
    """A goal, and on each machine (text, medians) of the measurement, or nothing."""
    return [words, f"{goal:g}" if goal else ""] + [verdict(found[0], goal, found[1])[1] if found else "" for found in (first, second)]


def print_features():
    races, xeon, rows = ratios("kernels"), ratios("features"), []
    with open(os.path.join(HERE, "..", "fastfood-table2", "kernels.json")) as file:
        vectors = {race["name"]: race["ratios"][0] for race in json.load(file)["races"]}
    goals = {128: 4, 512: 10, 1024: 18}

    def one(ratio):
        return quartiles(ratio), [ratio["median"]]

    def pair(single, double):
        texts = [f"{kind} {r['median']:.0f} [{r['lower']:.0f}, {r['upper']:.0f}]" for kind, r in (("f32", single), ("f64", double))]
        return ", ".join(texts), [single["median"], double["median"]]

    for d in (32, 128, 512, 1024, 4096):
        chunk, large = (xeon[f"features f64 d={d} rows={n}", "gemm", "fastfood"] for n in (136, 512))
        rows.append(on_two_machines(f"features against dense GEMM features, f64, 136 rows, d = {d}", goals.get(d), None, one(chunk)))
        rows.append(on_two_machines(f"the same with 512 rows, d = {d}", goals.get(d), one(races[f"features f64 d={d}", "gemm", "fastfood"]), one(large)))
    for (d, m), goal in {(1024, 16384): 100, (4096, 32768): 350, (8192, 65536): 700}.items():
        size = f"d={d} m={m}"
        rows.append(on_two_machines(f"one vector to its prediction (Fastfood's Table 2), d = {d}, m = {m}", goal,
                                    pair(*(races[f"one vector {kind} {size}", "dense", "fastfood"] for kind in ("f32", "f64"))),
                                    pair(*(vectors[f"one vector {kind} {size}"] for kind in ("f32", "f64")))))
    print_table(["goal", "asked for", "AMD EPYC", "Intel Xeon"], rows)


def print_evaluation():
    races, rows = ratios("evaluation"), []
    shapes = [name.partition(" ")[2] for name, slower, faster in races if (slower, faster) == ("evaluation 1t", "floor 1t")]

    def take(shape, slower, faster):
        return races["evaluation " + shape, slower, faster]

    for shape in shapes:
        one, two = take(shape, "evaluation 1t", "floor 1t"), take(shape, "evaluation 2t", "floor 2t")
        rows.append(["evaluation over its BLAS floor (smaller is better), " + shape] +
                    verdict(f"one thread {quartiles(one)}, two {quartiles(two)}", 1.1 if "D=1536" in shape else 1.5,
                            [one["median"], two["median"]], most=True))
    floor = ratios("end-to-end")["exact evidence n=1500 d=5", "evaluation", "floor"]
    rows.append(["exact process over its BLAS floor (smaller is better), two threads, n=1500 d=5, on the Xeon", "", quartiles(floor)])
    for shape in shapes:
        ratio = take(shape, "evaluation 1t", "mixed 1t")
        rows.append(["mixed precision over double, " + shape] +
                    verdict(quartiles(ratio), 1.35 if "D=1536" in shape else 0, [ratio["median"]]))
    errors = document("evaluation")["precision"]
    rows.append(["error of the mixed gradient, D = 1536", "1e-5 at noise variance 1e-6",
                 ", ".join(f"{e['gradient_error']:.2g} at {e['noise_variance']:g}" for e in errors)])
    for shape in shapes:
        ratio, blas = take(shape, "evaluation 1t", "evaluation 2t"), take(shape, "floor 1t", "floor 2t")
        goal = 1.85 if "D=1536" in shape else 1.7 if "D=80" in shape else 0
        rows.append([f"two threads over one, {shape} (the BLAS calls alone)"] +
                    verdict(f"{quartiles(ratio)} ({short(blas['median'])})", goal, [ratio["median"]]))
    trials = [take(shape, "evaluation 1t", "rejected 1t")["median"] for shape in shapes if shape.startswith("ard") and "15000" not in shape]
    rows.append(["a whole evaluation over a rejected trial, D = 1536, 192, 80", "", ", ".join(map(short, trials))])
    print_table(["goal", "asked for", "measured"], rows)


def print_equal():
    print_table(["every row of inputs three times, one thread", "times as fast when merged"],
                [[name.removeprefix("equal rows "), quartiles(ratio)] for (name, _, _), ratio in ratios("equal-rows").items()])


def print_fits():
    print_table(["fit", "seconds", "MiB beyond the rows", "test RMSE"],
                [[f["name"][len("fit "):], f"{f['seconds']:.1f}", f"{f['bytes'] / 2**20:.0f}", f"{f['rmse']:.4f}"]
                 for f in document("end-to-end")["fits"]])


def builds():
    """Of version 0.1's quickstart, of 0.2's, and of 0.2's tests: seconds by room, and the times below them."""
    with open(os.path.join(HERE, "build-times.txt")) as file:
        parts = re.split(r"\n\n(?=\S.*commit)", file.read())
    found = []
    for part in parts:
        rooms = {name: (int(files), int(seconds)) for name, files, seconds in re.findall(r"^\| ([\w/ ]+) \| (\d+) \| (\d+) \|$", part, re.M)}
        times = {name: 60 * int(minutes) + float(seconds) for name, minutes, seconds in re.findall(r"^(\w+)\t(\d+)m([\d.]+)s", part, re.M)}
        found.append((rooms, times, int(re.search(r": (\d+) s from the first step", part)[1])))
    return found


def clock(seconds):
    minutes, rest = divmod(int(seconds + 0.5), 60)
    return f"{minutes} min {rest} s"


def print_build():
    (old, old_times, old_span), (new, new_times, new_span), (_, tests, _) = builds()
    print_table(["", "0.1", "0.2"],
                [["`experiments/quickstart.sh`, clock", clock(old_times["real"]), clock(new_times["real"])],
                 ["the same, processor (user)", clock(old_times["user"]), clock(new_times["user"])],
                 ["of which the build, clock", clock(old_span), clock(new_span)],
                 ["compiled files", old["all"][0], new["all"][0]],
                 ["`tests/run.sh`, clock", "not measured", clock(tests["real"])]])


def print_rooms():
    (old, _, _), (new, _, _), _ = builds()
    joined = {"train": ("train, and inference since", ["train", "inference"]), "experiment": ("experiment, and report since", ["experiment", "report"]),
              "bench": ("bench (a program of its own since, not part of this build)", ["bench"]),
              "model": ("model", ["model", "model/likelihoods", "likelihoods"])}
    rows = []

    def cells(build, rooms):
        found = [build[room] for room in rooms if room in build]
        return [sum(f for f, _ in found), sum(s for _, s in found)] if found else ["", ""]

    names = ["cli", "train", "features", "experiment", "bench", "data", "model", "kernel", "io", "core", "linalg", "spectrum", "eval", "app",
             "precompiled headers", "all"]
    for name in names:
        words, rooms = joined.get(name, (name, [name]))
        rows.append([words] + cells(old, rooms) + cells(new, rooms))
    print_table(["room", "files before", "seconds before", "files after", "seconds after"], rows)


def print_peers():
    found = {c["name"]: c["ratio"] for c in document("peers")["comparisons"]}
    rows = []
    for name, words, goal in (("exact GP, evidence and gradient", "exact ARD process, evidence and gradient, n = 1500, d = 5", 4),
                              ("Nystroem.transform, float64", "`Nystroem.transform` against ours of the same number of features", 0),
                              ("RBFSampler.transform, its input float64",
                               "`RBFSampler.transform`, n = 10,000, d = 128, 8192 columns, float64 input", 13),
                              ("RBFSampler.transform, its input float32", "the same, float32 input", 6),
                              ("dense features, evidence and gradient, float64",
                               "dense features, evidence and gradient, against torch's autograd in float64 (3.0 in the prototype)", 0),
                              ("dense features, evidence and gradient, float32", "the same in float32 (2.5 in the prototype)", 0)):
        rows.append([words] + verdict(quartiles(found[name]), goal, [found[name]["median"]]))
    print_table(["work", "asked for", "ratio"], rows)


def print_whole(name="peers"):
    print_table(["data set", "method", "seconds", "test RMSE", "test NLPD"],
                [[f"{f['dataset']} ({f['train_rows']} rows)", f["method"], f"{f['seconds']:.1f}", f"{f['rmse']:.3f}", f"{f['nlpd']:.3f}"]
                 for f in document(name)["fits"]])


def print_xeon():
    print_table(["goal", "asked for", "measured"], transforms("transforms-xeon"))


TABLES = {"transforms": print_transforms, "xeon": print_xeon, "features": print_features, "evaluation": print_evaluation,
          "equal": print_equal, "fits": print_fits, "build": print_build, "rooms": print_rooms, "peers": print_peers, "whole": print_whole,
          "kin40k": lambda: print_whole("kin40k")}
if __name__ == "__main__":
    TABLES[sys.argv[1]]()
