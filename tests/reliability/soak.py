#!/usr/bin/env python3
"""Predicts without end: one process reads rows from a pipe for as long as asked and writes a prediction for each; its memory
must stay flat, and every row must be answered.

Flat: over the second half of the time, the largest resident memory is at most 2 MB above the largest of the second
quarter (the first warms up buffers).

Usage: soak.py PROGRAM SECONDS [RECIPE]
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

ROWS = 1000  # rows of a block that is sent repeatedly
ALLOWED_KB = 2048


def resident_kb(process):
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0  # it has just ended


def feed(pipe, header, block, seconds, sent):
    pipe.write(header)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pipe.write(block)
        sent[0] += ROWS
    pipe.close()


def count_lines(pipe, counted):
    while chunk := pipe.read(1 << 16):
        counted[0] += chunk.count(b"\n")


def main():
    program, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    recipe = sys.argv[3] if len(sys.argv) > 3 else "gm"
    with tempfile.TemporaryDirectory() as folder:
        def plain(*words):
            subprocess.run([program, *words], cwd=folder, check=True, capture_output=True)
        plain("generate", "friedman1", "--rows", "200", "--out", "f.csv", "--quiet")
        plain("train", recipe, "--data", "f.csv", "--model", "x.model", "--quiet", "--set", "/training/iterations=5",
              "--set", "/features/frequencies=64")
        header = (pathlib.Path(folder) / "f.csv").read_bytes().split(b"\n")[0] + b"\n"
        draw = random.Random(1)
        columns = header.count(b",") + 1
        block = b"".join(b",".join(b"%.6f" % draw.random() for _ in range(columns)) + b"\n" for _ in range(ROWS))
        process = subprocess.Popen([program, "predict", "x.model", "--data", "-", "--out", "-", "--latent", "--quiet"],
                                   cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        sent, answered, samples = [0], [0], []
        threads = [threading.Thread(target=feed, args=(process.stdin, header, block, seconds, sent)),
                   threading.Thread(target=count_lines, args=(process.stdout, answered))]
        for thread in threads:
            thread.start()
        while threads[0].is_alive() and process.poll() is None:
            samples.append(resident_kb(process.pid))
            time.sleep(min(5, seconds / 40))
        for thread in threads:
            thread.join()
        code = process.wait()
        err = process.stderr.read().decode()
    def most(least, greatest):  # shares of the samples, not of the time, so that pauses of the machine do not count
        return max(samples[int(least * len(samples)):int(greatest * len(samples))], default=0)
    quarter, half = most(0.25, 0.5), most(0.5, 1)
    flat = len(samples) >= 8 and 0 < half <= quarter + ALLOWED_KB
    whole = code == 0 and answered[0] == sent[0] + 1
    print(f"{'ok' if flat and whole else 'FAILED'} predict {recipe}: {seconds:g} s, {sent[0]} rows, {answered[0] - 1} answered, "
          f"exit code {code}; resident at most {most(0, 0.25)} kB in the first quarter, {quarter} kB in the second, "
          f"{half} kB after {err}")
    sys.exit(0 if flat and whole else 1)


if __name__ == "__main__":
    main()
