"""Builds the module by the project's own CMake files; needs the source tree around this folder, and no network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent.parent


class CMakeBuild(build_ext):
    """Runs CMake in setuptools' temporary folder (or in ALACARTE_BUILD_DIR) and takes module and recipes from there."""

    def build_extension(self, extension):
        folder = Path(os.environ.get("ALACARTE_BUILD_DIR") or self.build_temp).resolve()
        if not (folder / "CMakeCache.txt").exists():
            subprocess.run(
                ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DBUILD_TESTING=OFF", "-DALACARTE_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}"],
                check=True,
            )  # fmt: skip
        subprocess.run(["cmake", "--build", str(folder), "--target", "alacarte_python"], check=True)
        target = Path(self.get_ext_fullpath(extension.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        (module,) = (folder / "python" / "alacarte").glob("_alacarte.*.so")
        shutil.copy2(module, target)
        shutil.copytree(ROOT / "configs" / "recipes", target.parent / "recipes", dirs_exist_ok=True)


setup(ext_modules=[Extension("alacarte._alacarte", sources=[])], cmdclass={"build_ext": CMakeBuild})
