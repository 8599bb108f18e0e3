"""XML as plain elements, from files that nobody vouches for.

Declarations of document types are refused as soon as they begin, and with them entities: nothing is expanded, fetched
or replaced. The rest is a flat loop without recursion, with a bound on the size of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat  # no declaration of types gets through, see below

from flexmbs.core.errors import ReadError

__all__ = ["Element", "read_elements"]

LARGEST = 50_000_000
"""Bytes: descriptions of robots have some 100 000."""


@dataclass
class Element:
    """A tag with its attributes, the elements in it, and the line it begins on."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """The first child with this tag, if there is one."""
        return next(iter(self.all(tag)), None)

    def walk(self) -> Iterator[Element]:
        """This element and all below."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))


def read_elements(path: Path) -> Element:
    """The root element of a file.

    Raises
    ------
    ReadError
        If the file cannot be read, is too large, is no well-formed XML, or declares a document type.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise ReadError(f"{path}: larger than {LARGEST // 1_000_000} MB; this is no description of a robot.")
        data = path.read_bytes()
    except OSError as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(f"{path}: cannot be read: {error.strerror or error}.") from None
    top: list[Element] = []
    open_: list[Element] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber)
        (open_[-1].children if open_ else top).append(element)
        open_.append(element)

    def end(_: str) -> None:
        open_.pop()

    def refuse(*_: object) -> int:
        raise ReadError(
            f"{path}, line {parser.CurrentLineNumber}: a document type (<!DOCTYPE ...>) is declared. Such files are "
            f"refused, since entities in them can be made to fill the memory or to read other files; remove it."
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ReadError(f"{path}: no well-formed XML: {error}.") from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise ReadError(f"{path}: cannot be decoded: {error}.") from None
    return top[0]
