"""What a stored result says of its making."""
import os
import sys
import time
from pathlib import Path

import numpy
import sklearn

import alacarte

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measured import commit, processor  # noqa: E402


def about():
    return {
        "command": " ".join([Path(sys.argv[0]).name, *(Path(word).name for word in sys.argv[1:])]),
        "commit": commit()[:12],
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{processor()}, {os.cpu_count()} processors",
        "versions": {"alacarte": alacarte.__version__, "scikit-learn": sklearn.__version__, "numpy": numpy.__version__},
    }
