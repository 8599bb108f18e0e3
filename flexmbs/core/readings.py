"""Numbers that can be read in two ways: half or full sizes, radius or diameter, cycles or radians.

Such sizes are given by name only, and the name says which is meant. Who leaves it out, or has the other measure, is
told how to write the number for either reading.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

__all__ = ["by_other_measure", "readings"]

READINGS = {
    "diameter": ("the diameter", "the radius", 2.0),
    "radius": ("the radius", "the diameter", 0.5),
    "outer_radius": ("the outer radius", "the outer diameter", 0.5),
    "inner_radius": ("the inner radius", "the inner diameter", 0.5),
    "size": ("full edge lengths", "half edge lengths", 2.0),
    "frequency": ("in cycles per time (Hz)", "in rad per time", 0.5 / math.pi),
    "width": ("the full width, along z", "half of it", 2.0),
    "height": ("the full height, along y", "half of it", 2.0),
    "length": ("the full length", "half of it", 2.0),
}
"""What a number may be: the meaning of the name, the other one, and the factor from there."""

MEASURES = {
    ("radius r", "diameter"): ("the diameter is twice the radius", 2.0),
    ("diameter d D", "radius"): ("the radius is half the diameter", 0.5),
    ("outer_diameter", "outer_radius"): ("the outer radius is half the outer diameter", 0.5),
    ("inner_diameter", "inner_radius"): ("the inner radius is half the inner diameter", 0.5),
    ("omega w angular_frequency circular_frequency", "frequency"): ("frequency = omega / (2 pi)", 0.5 / math.pi),
    ("period T", "frequency"): ("frequency = 1 / period", None),
    ("half_extents half_size half_sizes half_lengths extents", "size"): ("size has the full edge lengths", 2.0),
    ("half_length", "length"): ("length is the full one", 2.0),
    ("angle_deg degrees deg angle_degrees", "angle"): ("angles are in radians", math.pi / 180.0),
    ("rpm", "rate"): ("rates of rotation are in rad per time; with seconds", math.pi / 30.0),
    ("rpm", "angular_velocity"): ("rates of rotation are in rad per time; with seconds", math.pi / 30.0),
}
"""Other measures of an argument: what they are called, and the factor to ours; None is the reciprocal."""

ITEMS = "all items are given one by one, Model(body, joint, force)."
WORDS = {
    ("Model", "gravity"): "gravity is an item, Gravity((0, 0, -9.81)).",
    ("Model", "bodies"): ITEMS,
    ("Model", "joints"): ITEMS,
    ("Model", "forces"): ITEMS,
    ("Model", "loads"): ITEMS,
    ("simulate", "n_steps"): "the step is step=until/n_steps.",
    ("simulate", "steps"): "the step is step=until/n_steps.",
    ("simulate", "rtol"): "steps by their error are step=ErrorControl(rtol=...).",
    ("simulate", "tol"): "steps by their error are step=ErrorControl(rtol=...).",
    ("simulate", "atol"): "steps by their error are step=ErrorControl(rtol=...).",
    ("simulate", "rho_inf"): "numerical damping is integrator=GeneralizedAlpha(rho_inf=...).",
    ("solve_static", "n_steps"): "load steps are options=StaticOptions(steps=...).",
    ("solve_static", "steps"): "load steps are options=StaticOptions(steps=...).",
    ("solve_static", "load_steps"): "load steps are options=StaticOptions(steps=...).",
    ("solve_static", "tol"): "the tolerance is options=StaticOptions(rtol=...).",
    ("solve_static", "rtol"): "the tolerance is options=StaticOptions(rtol=...).",
    ("GeneralizedAlpha", "alpha"): "Hilber, Hughes and Taylor's scheme is GeneralizedAlpha.hht(alpha).",
    ("GeneralizedAlpha", "beta"): "Newmark's scheme is GeneralizedAlpha.newmark(beta, gamma).",
    ("GeneralizedAlpha", "gamma"): "Newmark's scheme is GeneralizedAlpha.newmark(beta, gamma).",
    ("Ramp", "t1"): "the end is at begin + duration.",
    ("Rectangle", "size"): "its sides are width (along z) and height (along y).",
    ("Elastic", "G"): "the shear modulus follows: G = youngs_modulus / (2 (1 + poissons_ratio)).",
    ("Elastic", "viscosity"): "damping of the material is retardation_time = viscosity / youngs_modulus.",
    ("DHRow", "r"): "'r' is a (the length along x) on many data sheets, and d (the offset along z) with Khalil and "
    "Kleinfinger.",
    (
        "DHRow",
        "offset",
    ): "'offset' may mean d [length], or an angle added to the coordinate, which is theta of the row.",
    ("DHRow", "q"): "the coordinate at the start is start=..., the constant part of the joint angle theta=....",
    ("DHRow", "beta"): "parallel axes with an angle beta (Hayati) have no letter here; use trees.Link with at and "
    "rotation.",
}
"""Arguments with words of their own, by who takes them."""


def readings(given: Iterable[tuple[str, Any]]) -> str:
    """What to write for numbers given without a name; nothing if none of them is ambiguous.

    Examples
    --------
    >>> readings([("diameter", 0.01)])
    'give it by name: diameter=0.01 if 0.01 is the diameter, diameter=0.02 if it is the radius.'
    """
    told = []
    for name, value in given:
        number = _numbers(value)
        if name in READINGS and number is not None:
            meaning, other, factor = READINGS[name]
            it, is_ = ("it", "is") if isinstance(number, float) else ("these", "are")
            own, converted = _text(number), _text(number, factor)
            told.append(f"{name}={own} if {own} {is_} {meaning}, {name}={converted} if {it} {is_} {other}")
    return f"give it by name: {'; '.join(told)}." if told else ""


def by_other_measure(title: str, name: str, value: Any, free: list[str]) -> str:
    """What a foreign argument is in the measures that are taken here; nothing if it is not known.

    Examples
    --------
    >>> by_other_measure("Circle", "radius", 0.01, ["diameter"])
    'the diameter is twice the radius: diameter=0.02.'
    """
    if (title, name) in WORDS:
        return WORDS[title, name]
    for (others, own), (words, factor) in MEASURES.items():
        if own in free and name in others.split():
            number = _numbers(value)
            return f"{words}: {own}={'...' if number is None else _text(number, factor)}."
    return ""


def _numbers(value: Any) -> list[float] | float | None:
    """A number, or a list of some; None for anything else."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return [float(x) for x in value] if all(_is_number(x) for x in value) else None
    return float(value) if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _text(value: list[float] | float, factor: float | None = 1.0) -> str:
    """Numbers as one writes them, to six digits; the reciprocal without a factor."""
    if isinstance(value, list):
        return f"({', '.join(_text(x, factor) for x in value)})"
    if factor is None:
        return f"{1.0 / value:.6g}" if value else "..."
    return f"{value * factor:.6g}"
