"""Streams of random numbers of a training run.

Each is seeded with ``(seed, stream, ...)`` and what follows it (round, image, box, copy), so that no draw depends
on another, on the number of workers, or on where a killed run goes on.
"""

from __future__ import annotations

MINING_ORDER, MINING_IMAGE, NEGATIVES_KEPT, BOOSTING = range(4)
JITTER = 100
