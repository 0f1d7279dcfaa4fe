#!/usr/bin/env python3
"""Sums the wall times of a build by room, from the log that Ninja keeps.

Usage: build_times.py build/release [build/dev ..]

A step that runs beside another is counted whole, so the sum is about twice the time of the build on two cores."""
import collections
import pathlib
import re
import sys


def room_of(output):
    """The folder of src, tests or benchmarks that an object file comes from; None for what is not compiled."""
    if not output.endswith((".o", ".gch")):
        return None
    unity = re.search(r"CMakeFiles/(\w+)\.dir/Unity/unity_(\w+?)_\d+_cxx", output)
    if unity:
        return f"tests/{unity[2]}" if unity[1].startswith("test_") or unity[1].endswith("test_support") else unity[2]
    if output.endswith(".gch"):
        return "precompiled headers"
    source = re.search(r"\.dir/(?:src/)?(.+)/[^/]+$", output)
    folder = source[1] if source else "other"
    return f"tests/{folder}" if "/tests/" in output or output.startswith("tests/") else folder


def main():
    for folder in sys.argv[1:]:
        steps = {}
        for line in pathlib.Path(folder, ".ninja_log").read_text().splitlines()[1:]:
            start, end, _, output, _ = line.split("\t")
            steps[output] = (int(start) / 1000, int(end) / 1000)
        sums = collections.defaultdict(lambda: [0, 0.0])
        for output, (start, end) in steps.items():
            room = room_of(output)
            if room is not None:
                sums[room][0] += 1
                sums[room][1] += end - start
        print(f"{folder}: {max(end for _, end in steps.values()):.0f} s from the first step to the last")
        print("| room | compiled files | seconds |\n|---|---|---|")
        for room, (count, seconds) in sorted(sums.items(), key=lambda item: -item[1][1]):
            print(f"| {room} | {count} | {seconds:.0f} |")
        print(f"| all | {sum(c for c, _ in sums.values())} | {sum(s for _, s in sums.values()):.0f} |")


if __name__ == "__main__":
    main()
