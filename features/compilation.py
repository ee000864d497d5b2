"""The one place that decides how numba compiles the kernels of this package."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

log = logging.getLogger("badacost.features")

Function = TypeVar("Function", bound=Callable[..., Any])

# Without "nnan" and "ninf", so that comparisons with NaN and infinity keep their meaning.
SAFE_FAST_MATH = {"contract", "arcp", "nsz", "reassoc", "afn"}


class KernelCache(FunctionCache):
    """Compiled kernels on disk, loaded without starting the compiler.

    Before it looks for a compiled function, numba's own cache declares all that could be compiled; that imports
    `scipy.linalg` among others and takes longer than a detection. Machine code needs numba's runtime only, and
    a function that is not found makes the compiler declare what it needs.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of a signature, or None."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
        if found is None:
            _tell_of_compilation()
        return found


@cache
def _tell_of_compilation() -> None:
    """Say why the first call takes long; once in a process."""
    log.info("compiling kernels, which takes up to a minute; later runs load them from the cache")


def kernel(function: Function) -> Function:
    """Compile `function` without fast-math, cached on disk, without the interpreter's lock.

    ``error_model="numpy"`` keeps the divide-by-zero branches out, which would stop vectorisation.
    """
    return _compiled(function)


def fast_kernel(function: Function) -> Function:
    """Compile like `kernel`, and let sums be reordered and contracted (results equal up to rounding)."""
    return _compiled(function, fastmath=SAFE_FAST_MATH)


def _compiled(function: Function, **options: Any) -> Function:
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    compiled._cache = KernelCache(function)  # as `cache=True` would with a cache of numba's own
    return cast("Function", compiled)
