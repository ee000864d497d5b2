"""Multi-view object detection on the CPU, and the cost-sensitive boosting library under it.

>>> from badacost import Detector                                   # doctest: +SKIP
>>> Detector.load("faces").detect("photo.jpg")                      # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .detector.detections import Detections
    from .detector.detector import Detector

__version__ = "0.1.0"

__all__ = ["Detections", "Detector", "__version__"]

_HOME = {"Detector": ".detector.detector", "Detections": ".detector.detections"}


def __getattr__(name: str) -> Any:
    """Import the facade's classes on first use, so that `import badacost` stays instant."""
    if name in _HOME:
        return getattr(import_module(_HOME[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
