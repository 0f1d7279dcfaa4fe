#!/usr/bin/env python3
"""Slopes of time and memory of every map, measured and as its card claims, from alacarte-bench --suite maps --json.

    table.py maps.json [more.json ..]
"""
import json
import math
import sys


NOISE = 4096  # bytes that an allocator may have kept or returned


def log_width(d):
    """Fastfood's blocks are as wide as the next power of two."""
    return max(1, math.ceil(math.log2(d)))


def fastfood(n, d, m):
    return n * m * log_width(d)


def dense(n, d, m):
    return n * m * d


# model -> (time, numbers held) as stated by `alacarte kernels show`.
DENSE = (dense, lambda n, d, m: m * d)
CLAIMS = {
    "ard gaussian": DENSE, "ard orthogonal": DENSE, "ard sobol": DENSE, "laplace": DENSE, "ssgpr": DENSE, "periodic": DENSE,
    "ard hashed": (lambda n, d, m: (n + 400) * m * d, lambda n, d, m: m),
    "linear": (lambda n, d, m: n * d, lambda n, d, m: 1),
    "polynomial": (lambda n, d, m: n * m * (log_width(d) + 24), lambda n, d, m: m),
    "dot-product": (lambda n, d, m: n * m * (log_width(d) + 48), lambda n, d, m: m),
    "moments": (lambda n, d, m: n * m * (log_width(d) + 3), lambda n, d, m: m),
    "local": (fastfood, lambda n, d, m: 12 * m + m * d),
    "tensor-sketch": (lambda n, d, m: n * (d + m * math.log2(m)), lambda n, d, m: m + 4 * d),  # degree 2
    "gcws": (dense, lambda n, d, m: 1),
    "nystrom": (lambda n, d, m: n * m * (10 * d + m), lambda n, d, m: 2 * m * m + m * d),
}
FASTFOOD = (fastfood, lambda n, d, m: m)
NAMES = {"tensor-sketch": "tensor-sketch, degree 2", "gcws": "gcws, 4 bits, m samples"}


def slope(x, y):
    """Of log y over log x, by least squares."""
    x, y = [math.log(v) for v in x], [math.log(max(v, 1)) for v in y]
    middle = sum(x) / len(x)
    return sum((a - middle) * b for a, b in zip(x, y)) / sum((a - middle) ** 2 for a in x)


def main():
    sweeps = []
    for path in sys.argv[1:]:
        with open(path) as file:
            sweeps += [s for s in json.load(file)["slopes"] if s["name"].startswith("map ")]
    by_model = {}
    for sweep in sweeps:
        by_model.setdefault(sweep["model"], {})[sweep["variable"]] = sweep
    print("| map | time in n | in d | in m | memory in d | in m | KiB held, d = 64, m = 1024 | ns a feature and row |")
    print("|---|---|---|---|---|---|---|---|")
    for model, sweep in by_model.items():
        time, memory = CLAIMS.get(model, FASTFOOD)
        cells = []
        for kind, variables in ((time, "ndm"), (memory, "dm")):
            for variable in variables:
                s = sweep[variable]
                shapes = [{**{k: s[k] for k in "ndm" if k in s}, variable: v} for v in s["values"]]
                measured = s["seconds"] if kind is time else s["bytes"]
                measured = [v * 1e12 if kind is time else max(v, NOISE) for v in measured]
                claimed = [1e3 * kind(**shape) for shape in shapes]
                cells.append("{:.2f} ({:.2f})".format(*(round(slope(s["values"], y), 2) + 0.0 for y in (measured, claimed))))
        middle = sweep["d"]["values"].index(64)
        features = sweep["d"]["features"][middle] * sweep["d"]["n"]
        print(f"| {NAMES.get(model, model)} | " + " | ".join(cells) +
              f" | {sweep['d']['bytes'][middle] / 1024:.0f} | {1e9 * sweep['d']['seconds'][middle] / features:.2g} |")


if __name__ == "__main__":
    main()
