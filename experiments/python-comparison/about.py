"""What a stored result says of its making."""
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy
import sklearn

import alacarte


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def about():
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, cwd=Path(__file__).parent)
    return {
        "command": " ".join([Path(sys.argv[0]).name, *(Path(word).name for word in sys.argv[1:])]),
        "commit": commit.stdout.strip(),
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{processor()}, {os.cpu_count()} processors",
        "versions": {"alacarte": alacarte.__version__, "scikit-learn": sklearn.__version__, "numpy": numpy.__version__},
    }
