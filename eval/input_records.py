"""What happens to a record that cannot be used: an error that names file and line, or a count."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


class EvaluationError(ValueError):
    """Ground truth or detections that cannot be evaluated; says where, what was found and expected."""


def reason(error: Exception) -> str:
    """Return why a file cannot be used, without the number of the system's error and the file's name."""
    return getattr(error, "strerror", None) or str(error)


@dataclass
class BadRecords:
    """Collect unusable records, or stop at the first one.

    Parameters
    ----------
    skip : bool
        False: the first bad record raises. True: bad records are left out, and counted here.
    """

    skip: bool = False
    messages: list[str] = field(default_factory=list)

    def add(self, path: str | Path, line: int | None, problem: str) -> None:
        """Report one record of a file; `line` counts from 1, None where the format has no lines.

        Raises
        ------
        EvaluationError
            Unless `skip` is set.
        """
        where = f"{path}:{line}" if line is not None else f"{path}"
        if not self.skip:
            raise EvaluationError(f"{where}: {problem}")
        self.messages.append(f"{where}: {problem}")

    @property
    def count(self) -> int:
        """Number of records left out so far."""
        return len(self.messages)
