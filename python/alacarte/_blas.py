"""The kernels of the BLAS, which it chooses when it is loaded."""

import warnings

from ._alacarte import better_blas_kernels


def warn_if_slow() -> None:
    """Warns where OpenBLAS does not know the processor. numpy may use it already, so it cannot be told any more."""
    kernels = better_blas_kernels()
    if kernels:
        warnings.warn(
            "OpenBLAS does not know this processor and uses its slowest kernels; start Python with the environment variable "
            f"OPENBLAS_CORETYPE={kernels} for several times the speed",
            RuntimeWarning,
            stacklevel=3,
        )
