"""Builds the module by the project's own CMake files; needs no network. CMAKE_ARGS has further arguments for CMake.

A checkout has the project in the folder above; a source distribution has what the library needs of it in ``project``.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
ROOT = HERE / "project" if (HERE / "project").is_dir() else HERE.parent
# The package excludes the program, so that neither CLI11 nor curl is required.
PARTS = ("CMakeLists.txt", "LICENSE", "cmake", "configs/recipes", "include", "src", "python")
LEFT_OUT = ("cli", "tests", "build", "dist", "project", "*.egg-info", "__pycache__")


class CMakeBuild(build_ext):
    """Runs CMake in setuptools' temporary folder (or in ALACARTE_BUILD_DIR) and takes module and recipes from there."""

    def build_extension(self, extension):
        folder = Path(os.environ.get("ALACARTE_BUILD_DIR") or self.build_temp).resolve()
        if not (folder / "CMakeCache.txt").exists():
            subprocess.run(
                ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DBUILD_TESTING=OFF", "-DALACARTE_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}",
                 *shlex.split(os.environ.get("CMAKE_ARGS", ""))],
                check=True,
            )  # fmt: skip
        subprocess.run(["cmake", "--build", str(folder), "--target", "alacarte_python"], check=True)
        target = Path(self.get_ext_fullpath(extension.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        (module,) = (folder / "python" / "alacarte").glob("_alacarte.*.so")
        shutil.copy2(module, target)
        shutil.copytree(ROOT / "configs" / "recipes", target.parent / "recipes", dirs_exist_ok=True)


class SourceTree(sdist):
    """Puts what the library is built from into the archive."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for part in PARTS:
            source, target = ROOT / part, Path(base_dir, "project", part)
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns(*LEFT_OUT))
            else:
                shutil.copy2(source, target)


setup(
    ext_modules=[Extension("alacarte._alacarte", sources=[])],
    cmdclass={"build_ext": CMakeBuild, "sdist": SourceTree},
)
