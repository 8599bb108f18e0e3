"""Numbers and vectors in files of URDF, with errors that name where they stand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.written_numbers import written_number
from flexmbs.model.trees.xml_elements import Element

__all__ = ["attribute", "inertia_of", "number", "origin_of", "vector"]


def inertia_of(file: Path, link: Element) -> tuple[float, FloatArray, FloatArray]:
    """Mass, inertia about the centre of mass in axes of the link, and that centre."""
    inertial = link.first("inertial")
    if inertial is None:
        return 0.0, np.zeros((3, 3)), np.zeros(3)
    where = f"{file}, line {inertial.line}: link {link.attributes['name']!r}"
    for tag in ("mass", "inertia"):
        if inertial.first(tag) is None:
            raise ModelError(f"{where}: its <inertial> has no <{tag}>.")
    place, axes = origin_of(where, inertial)
    mass = number(where, inertial, "mass", "value")
    x, y, z, xy, xz, yz = (
        number(where, inertial, "inertia", key) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    J = np.array([[x, xy, xz], [xy, y, yz], [xz, yz, z]])
    return mass, axes @ J @ axes.T, place


def origin_of(where: str, element: Element) -> tuple[FloatArray, FloatArray]:
    """Place and axes."""
    origin = element.first("origin")
    place = vector(where, origin, "origin", "xyz", (0.0, 0.0, 0.0))
    r, p, y = vector(where, origin, "origin", "rpy", (0.0, 0.0, 0.0))
    (a, c, e), (b, d, f) = np.cos((r, p, y)), np.sin((r, p, y))
    axes = [
        [e * c, e * d * b - f * a, e * d * a + f * b],
        [f * c, f * d * b + e * a, f * d * a - e * b],
        [-d, c * b, c * a],
    ]
    return place, np.array(axes)


def vector(where: str, element: Element | None, tag: str, key: str, default: tuple[float, float, float]) -> FloatArray:
    """Three numbers of an attribute, or the default."""
    text = None if element is None else element.attributes.get(key)
    if text is None:
        return np.array(default)
    numbers = [_as_number(where, f"{key} of <{tag}>", word) for word in text.split()]
    if len(numbers) != 3:
        raise ModelError(f"{where}: {key} of <{tag}> must be three numbers, not {text!r}.")
    return np.array(numbers)


def number(where: str, element: Element, tag: str, key: str, default: float | None = None) -> float:
    """The number of an attribute of a child; without a default it must be there."""
    if default is not None:
        inner = element.first(tag)
        if inner is None or key not in inner.attributes:
            return default
    return _as_number(where, f"{key} of <{tag}>", attribute(where, element, tag, key))


def _as_number(where: str, what: str, text: str) -> float:
    value = written_number(text)
    if math.isnan(value):
        raise ModelError(f"{where}: {what} must be a finite number, not {text!r}.")
    return value


def attribute(where: str, element: Element, tag: str, key: str) -> str:
    """The attribute of a child that must be there."""
    inner = element.first(tag)
    if inner is None or key not in inner.attributes:
        raise ModelError(f"{where}: it needs <{tag} {key}=...>.")
    return inner.attributes[key]
