"""Evaluate detections of annotated boxes in csv, WIDER FACE's or PASCAL Faces' format."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from badacost.scripts.command_name import command_name
from badacost.scripts.face_box_evaluation import (
    add_face_box_arguments,
    check_face_box_arguments,
    run_face_box_command,
)

DESCRIPTION = """\
Average precision and view metrics on any annotated boxes, with the rules of AFW and PASCAL Faces
(Mathias et al., ECCV 2014).

examples:
  badacost-evaluate-boxes --ground-truth faces.csv --detections detections.json --json result.json
  badacost-evaluate-boxes --ground-truth wider_face_val_bbx_gt.txt --squares --model faces --images WIDER_val
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for wrong arguments or unusable input, 130 if interrupted."""
    parser = argparse.ArgumentParser(
        prog=command_name("evaluate_boxes"),
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_face_box_arguments(
        parser,
        "csv (image, x1,y1,x2,y2 or x,y,w,h, optionally ignore, view, yaw_deg), "
        "WIDER FACE's bbx .txt, or a MATLAB file of AFW or PASCAL Faces",
    )
    parser.add_argument(
        "--squares",
        action="store_true",
        help="turn WIDER FACE's boxes (forehead to chin) into squares (eyebrows to chin) as AFW has them",
    )
    parser.add_argument(
        "--image-list",
        type=Path,
        metavar="FILE",
        help="names of all images, one a line, where the ground truth leaves out those without faces; "
        "default: images.txt beside a csv, if it lists the csv's images",
    )
    arguments = parser.parse_args(argv)
    check_face_box_arguments(parser, arguments)
    return run_face_box_command("evaluate_boxes", arguments)


if __name__ == "__main__":
    sys.exit(main())
