"""The pages of docs/ with Python: their blocks run as they stand, from top to bottom."""

import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The table that start.md reads: ten inputs and the price."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(60, 10))
    names = ",".join([f"x{j + 1}" for j in range(10)] + ["price"])
    rows = np.column_stack([x, 10 * x[:, 0] + 5 * x[:, 1] ** 2 + rng.normal(size=60)])
    np.savetxt("train.csv", rows, delimiter=",", header=names, comments="")


@pytest.mark.parametrize("page,least", [("python.md", 4), ("start.md", 3)])
def test_page(page, least, table):
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= least
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": "page"})
