"""Parsing XML from strangers.

An XML document may define entities that expand to gigabytes or include other files. Annotations need none, so
a document with a type definition is refused before anything of it is expanded.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from .annotated_image import DatasetError


def parse_xml(path: Path) -> Element:
    """Return the root element of a document.

    Raises
    ------
    DatasetError
        If the file cannot be read, is no well-formed XML, or has a document type definition; with the line.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse_doctype(*_: object) -> NoReturn:
        raise DatasetError(
            f"{path}:{parser.CurrentLineNumber}: document type definitions are refused, "
            "as their entities may expand without bound; expected plain XML"
        )

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.EntityDeclHandler = refuse_doctype
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        raise DatasetError(f"{path}:{error.lineno}: is no well-formed XML ({error})") from error
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror})") from error
    return builder.close()
