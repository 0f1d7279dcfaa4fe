"""The package as pip and build make it, without a network: from what Debian has."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import alacarte

FOLDER = Path(__file__).resolve().parents[1]
USE = """
import numpy as np
from alacarte import GPRegressor, __file__, __version__, recipes
X = np.linspace(0, 6, 60)[:, None]
model = GPRegressor("exact-rbf", threads=1).fit(X, np.sin(X[:, 0]))
assert "auto" in recipes() and model.score(X, np.sin(X[:, 0])) > 0.99
print(__version__, __file__)
"""


@pytest.fixture
def checkout(tmp_path):
    """A tree that may be written to, and the build folder whose module is taken instead of a new one."""
    if not os.environ.get("ALACARTE_BUILD_DIR"):
        pytest.skip("ALACARTE_BUILD_DIR names no build folder")
    for path in FOLDER.parent.iterdir():
        if path.name in ("CMakeLists.txt", "LICENSE", "cmake", "configs", "include", "src"):
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / "python").mkdir()
    for path in FOLDER.iterdir():
        if path.name in ("CMakeLists.txt", "alacarte", "pyproject.toml", "setup.py", "src"):
            (tmp_path / "python" / path.name).symlink_to(path)
    return tmp_path / "python"


def run(*command, **options):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment, timeout=600, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def offline():
    """Words before a command that take the network from it, where this user may do so."""
    for words in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        if shutil.which("unshare") and subprocess.run([*words, "true"], capture_output=True).returncode == 0:
            return words
    return []


def test_pip_install_in_a_virtual_environment(checkout, tmp_path, offline):
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    options = ("--no-build-isolation", "--no-deps", "--ignore-installed")
    run(*offline, python, "-m", "pip", "install", *options, ".", cwd=checkout)
    version, place = run(python, "-c", USE, cwd=tmp_path / "env").split()
    assert version == alacarte.__version__
    assert place.startswith(str(tmp_path / "env"))
    run(python, "-m", "pip", "uninstall", "--yes", "alacarte")
    assert not list((tmp_path / "env").rglob("*alacarte*"))


def test_build_makes_both_archives(checkout, tmp_path, offline):
    pytest.importorskip("build")
    run(*offline, sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", cwd=checkout)
    (wheel,) = (tmp_path / "dist").glob("alacarte-*.whl")
    (source,) = (tmp_path / "dist").glob("alacarte-*.tar.gz")
    assert wheel.name.startswith(f"alacarte-{alacarte.__version__}-cp")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"alacarte/py.typed", "alacarte/recipes/auto.json", "alacarte/recipes/paper/gm.json"} <= set(names)
    assert any(name.startswith("alacarte/_alacarte.") for name in names)
    run(*offline, sys.executable, "-m", "pip", "install", "--no-deps", "--target", tmp_path / "own", wheel)
    version, place = run("env", f"PYTHONPATH={tmp_path / 'own'}", sys.executable, "-c", USE, cwd=tmp_path).split()
    assert (version, Path(place).parents[1]) == (alacarte.__version__, tmp_path / "own")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path)
    (tree,) = tmp_path.glob("alacarte-*")
    # The sources of the wheel suffice for CMake.
    command = ["cmake", "-S", tree / "project", "-B", tmp_path / "configured", "-G", "Ninja", "-DBUILD_TESTING=OFF"]
    run(*command, "-DALACARTE_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}")
    assert "alacarte_python" in run("ninja", "-C", tmp_path / "configured", "-t", "targets", "all")
    assert not (tree / "project" / "src" / "cli").exists()
