"""The one place that decides how numba compiles the kernels of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

# Without "nnan" and "ninf", so that comparisons with NaN and infinity keep their meaning.
SAFE_FAST_MATH = {"contract", "arcp", "nsz", "reassoc", "afn"}


def kernel(function: Function) -> Function:
    """Compile `function` without fast-math, cached on disk, without the interpreter's lock.

    ``error_model="numpy"`` keeps the divide-by-zero branches out, which would stop vectorisation.
    """
    compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return cast("Function", compiled)


def fast_kernel(function: Function) -> Function:
    """Compile like `kernel`, and let sums be reordered and contracted (results equal up to rounding)."""
    options: dict[str, Any] = {
        "cache": True,
        "nogil": True,
        "error_model": "numpy",
        "fastmath": SAFE_FAST_MATH,
    }
    compiled: Any = numba.njit(**options)(function)
    return cast("Function", compiled)
