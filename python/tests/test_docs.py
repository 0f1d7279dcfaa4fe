"""The page docs/python.md: its Python runs as it stands, from top to bottom."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 4
    exec(compile("\n".join(blocks), str(PAGE), "exec"), {"__name__": "page"})
