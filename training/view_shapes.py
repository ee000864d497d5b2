"""Width over height of the objects of each view, which detections of the view get."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..detector.detection_options import View
from .datasets.annotated_image import AnnotatedImage
from .views import ViewSet

# So many clearly seen objects say more about a view's proportions than all of its objects do.
ENOUGH_CLEARLY_SEEN = 5


def views_with_aspect_ratios(
    images: Sequence[AnnotatedImage], views: ViewSet, *, mirror: bool
) -> tuple[View, ...]:
    """Return the views with the mean width / height of their objects.

    Parameters
    ----------
    images : sequence of AnnotatedImage
    views : ViewSet
    mirror : bool
        An object counts for the view that its mirror image has, too.

    Returns
    -------
    tuple of View
        The mean is of the clearly seen objects of a view if it has some (`ENOUGH_CLEARLY_SEEN`), else of all. A
        view without any object has the mean of all objects, and 1 if there are none at all.

    Notes
    -----
    BAdaCost, section 5.2: one window for all views, whose width is corrected for the view that was found. KITTI's
    level "easy" is what is clearly seen there.
    """
    index = views.index()
    of_all: list[list[float]] = [[] for _ in views.names]
    of_clearly_seen: list[list[float]] = [[] for _ in views.names]
    for image in images:
        for box in image.boxes:
            if box.ignore or box.view is None:
                continue
            seen = {index[box.view]}
            mirrored = views.mirrored[index[box.view]]
            if mirror and mirrored is not None:
                seen.add(mirrored)
            for view in seen:
                of_all[view].append(box.aspect_ratio)
                if box.clearly_seen:
                    of_clearly_seen[view].append(box.aspect_ratio)
    everything = [ratio for ratios in of_all for ratio in ratios] or [1.0]
    chosen = (
        clearly_seen if len(clearly_seen) >= ENOUGH_CLEARLY_SEEN else ratios or everything
        for clearly_seen, ratios in zip(of_clearly_seen, of_all, strict=True)
    )
    return tuple(
        View(name=name, angle_deg=angle, aspect_ratio=float(np.mean(ratios)))
        for name, angle, ratios in zip(views.names, views.angles, chosen, strict=True)
    )
