"""Convert a detector trained by the ACF, LDCF or BAdaCost toolbox to a model file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from badacost.scripts.command_name import command_name
from badacost.scripts.standard_error import reason_of

DESCRIPTION = """\
Convert a detector trained by the ACF, LDCF, SubCat or BAdaCost toolbox (.mat, not of version 7.3) to a model file.

A file that holds several binary detectors, one a view, gives as many models: MODEL_VIEW.npz.

examples:
  badacost-import-model BadacostFaces.mat --output authors_faces.npz
  badacost-import-model AcfInria.mat --output pedestrians.npz --views pedestrian
  badacost-import-model BadacostFaces.mat --output faster_faces.npz --quantize
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for wrong arguments or unusable input, 130 if interrupted."""
    arguments = _parse(argv)

    from badacost.detector.threshold_quantization import quantized_detector
    from badacost.detector.toolbox_file import ToolboxFileError
    from badacost.detector.toolbox_import import import_toolbox_detectors

    output: Path = arguments.output
    try:
        detectors = import_toolbox_detectors(
            arguments.file, name=arguments.name or output.stem, view_names=arguments.views
        )
        if arguments.quantize:
            detectors = [quantized_detector(detector) for detector in detectors]
        for detector in detectors:
            path = output
            if len(detectors) > 1:
                path = output.with_name(f"{output.stem}_{detector.view_names[0]}{output.suffix}")
            detector.save(path)
            if not arguments.quiet:
                print(path)
            if arguments.verbose:
                cascade = detector.cascade
                print(
                    f"{detector.name}: {cascade.n_trees} trees of {cascade.depth} levels, "
                    f"views {', '.join(detector.view_names)}",
                    file=sys.stderr,
                )
    except ToolboxFileError as error:
        return _stop(error)
    except OSError as error:
        return _stop(reason_of(error))
    except KeyboardInterrupt:
        _stop("interrupted")
        return 130
    return 0


def _stop(reason: object) -> int:
    print(f"{command_name('import_model')}: {reason}", file=sys.stderr)
    return 2


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=command_name("import_model"),
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", type=Path, metavar="FILE.mat", help="file with a variable named detector")
    add("--output", type=_model_file, required=True, metavar="MODEL.npz", help="file to write")
    add("--name", help="name of the model; default: that of the output file")
    add(
        "--views", type=_names, metavar="A,B",
        help="names of the views, in the order of the classes; default: known ones for faces and cars",
    )  # fmt: skip
    add(
        "--quantize", action="store_true",
        help="features of 8 bits, for a faster scan and slightly other scores; default: float32, the toolbox's scores",
    )  # fmt: skip
    add("--quiet", action="store_true", help="do not name the files written")
    add("--verbose", action="store_true", help="say what was read")
    return parser.parse_args(argv)


def _model_file(text: str) -> Path:
    path = Path(text)
    if path.suffix != ".npz":
        raise argparse.ArgumentTypeError(f"must end with .npz, found {text}")
    return path


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise argparse.ArgumentTypeError(f"must name views, found {text!r}")
    return names


if __name__ == "__main__":
    sys.exit(main())
