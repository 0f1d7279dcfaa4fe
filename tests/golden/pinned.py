"""Starts the program under settings that decide every rounding, and reads what it writes."""
import json
import os
import struct
import subprocess

# With these settings, OpenBLAS and the program's kernels round alike on every processor with AVX2; tests/CMakeLists.txt gives the
# tests the same ones.
PINNED = {"OPENBLAS_CORETYPE": "Haswell", "ALACARTE_ISA": "avx2", "OPENBLAS_NUM_THREADS": "1"}


class ProgramFailed(Exception):
    pass


def run(program, *arguments, folder=None):
    """Standard output of the program, started in that folder; ProgramFailed with its last words otherwise."""
    result = subprocess.run([program, *map(str, arguments)], env={**os.environ, **PINNED}, cwd=folder,
                            capture_output=True, text=True)
    if result.returncode != 0:
        lines = result.stderr.strip().splitlines() or ["no word"]
        raise ProgramFailed(f"{' '.join(map(str, arguments))}: exit code {result.returncode}: {lines[-1]}")
    return result.stdout


def version(program):
    """What --version says, by its first word: {"alacarte": "0.2.0", "compiler": "g++ 12.2.0", ..}."""
    return dict(line.split(" ", 1) for line in run(program, "--version").strip().splitlines())


def read_npy(path):
    """Rows of a matrix of doubles."""
    with open(path, "rb") as file:
        data = file.read()
    wide = data[6] > 1
    start, length = (12, struct.unpack("<I", data[8:12])[0]) if wide else (10, struct.unpack("<H", data[8:10])[0])
    header = eval(data[start:start + length], {"__builtins__": {}}, {"True": True, "False": False})
    rows, columns = header["shape"]
    numbers = struct.unpack(f"<{rows * columns}d", data[start + length:])
    if header["fortran_order"]:
        return [list(numbers[i::rows]) for i in range(rows)]
    return [list(numbers[i * columns:(i + 1) * columns]) for i in range(rows)]


def read_model(path):
    """The document of a model file and its tensors of doubles by name, each as a flat list."""
    with open(path, "rb") as file:
        data = file.read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    document = json.loads(header.pop("__metadata__")["alacarte"])
    tensors = {}
    for name, claim in header.items():
        if claim["dtype"] == "F64":
            first, last = claim["data_offsets"]
            tensors[name] = list(struct.unpack(f"<{(last - first) // 8}d", data[start + first:start + last]))
    return document, tensors
