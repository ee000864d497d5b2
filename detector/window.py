"""Size of the model window and of the object in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class WindowOptions:
    """Object and window in pixels of the model's own scale; the object sits in the window's centre.

    Parameters
    ----------
    object_height, object_width : int
    window_height, window_width : int
        Object and the context around it.
    """

    object_height: int = 40
    object_width: int = 40
    window_height: int = 64
    window_width: int = 64

    def __post_init__(self) -> None:
        for side in ("height", "width"):
            smaller, larger = getattr(self, f"object_{side}"), getattr(self, f"window_{side}")
            if smaller < 1 or larger < smaller:
                raise ValueError(
                    f"object_{side} of WindowOptions must be at least 1 and at most window_{side}, "
                    f"found {smaller} and {larger}"
                )

    def cells(self, shrink: int) -> tuple[int, int]:
        """Rows and columns of feature cells in the window; a remainder below a cell is cut off."""
        return self.window_height // shrink, self.window_width // shrink
