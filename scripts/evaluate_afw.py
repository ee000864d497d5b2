"""Evaluate detections with the protocol of AFW and PASCAL Faces."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from badacost.scripts.command_name import command_name
from badacost.scripts.face_box_evaluation import (
    add_face_box_arguments,
    check_face_box_arguments,
    run_face_box_command,
)

DESCRIPTION = """\
Average precision on AFW or PASCAL Faces by the rules of Mathias et al. (ECCV 2014), whose corrected
annotation the BAdaCost paper uses; with --refine-boxes also after the alignment of boxes that published
numbers include.

example:
  badacost-evaluate-afw --ground-truth new_annotations_AFW.mat --views-from anno.mat --refine-boxes \\
      --detections faces.json --plot afw.png
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for wrong arguments or unusable input, 130 if interrupted."""
    parser = argparse.ArgumentParser(
        prog=command_name("evaluate_afw"),
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_face_box_arguments(parser, "MATLAB file of AFW or PASCAL Faces, original or corrected")
    arguments = parser.parse_args(argv)
    check_face_box_arguments(parser, arguments)
    return run_face_box_command("evaluate_afw", arguments)


if __name__ == "__main__":
    sys.exit(main())
