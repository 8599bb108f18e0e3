"""A warning where the numbers of a named material fit no consistent system of units, or make a part absurdly large.

flexmbs does not know units: it takes any consistent system. Mixed ones (millimetres with kilograms per cubic metre) are
the commonest mistake with meshed parts, and often visible: what calls itself steel has a known modulus and density.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import UnitsWarning

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["check_named_units", "check_units"]

KNOWN = {
    "steel": (2.1e11, 7850.0),
    "stainless": (1.95e11, 7900.0),
    "iron": (1.4e11, 7300.0),
    "aluminium": (7.0e10, 2700.0),
    "aluminum": (7.0e10, 2700.0),
    "titanium": (1.1e11, 4500.0),
    "magnesium": (4.5e10, 1800.0),
    "copper": (1.2e11, 8900.0),
    "brass": (1.0e11, 8500.0),
    "bronze": (1.1e11, 8800.0),
    "tungsten": (4.0e11, 19300.0),
    "silicon": (1.6e11, 2330.0),
    "glass": (7.0e10, 2500.0),
    "concrete": (3.0e10, 2400.0),
}
"""Modulus [Pa] and density [kg/m^3] of materials that differ little under one name."""


class System(NamedTuple):
    """A consistent system: its units of length [m], stress [Pa] and density [kg/m^3]."""

    name: str
    length: float
    stress: float
    density: float


SYSTEMS = (
    System("m-kg-s", 1.0, 1.0, 1.0),
    System("mm-t-s", 1e-3, 1e6, 1e12),
    System("mm-kg-ms", 1e-3, 1e9, 1e9),
    System("mm-g-ms", 1e-3, 1e6, 1e6),
    System("mm-kg-s", 1e-3, 1e3, 1e9),
    System("in-lbf-s", 0.0254, 6894.757, 1.0686895e7),
)

FACTOR = 3.0
"""Alloys and grades differ by less, units by more."""

SMALLEST, LARGEST = 1e-5, 500.0
"""Plausible sizes of a part [m]."""


def check_units(owner: str, points: FloatArray, materials: Iterable[Material | None], stacklevel: int) -> None:
    """Warn with `UnitsWarning` about the materials of a part; materials with other names are not judged."""
    size = float(np.ptp(points, axis=0).max(initial=0.0)) if len(points) else 0.0
    seen: list[Any] = []
    for material in materials:
        if material is None or material in seen:
            continue
        seen.append(material)
        text = suspicion(material, size)
        if text:
            warnings.warn(f"{owner}: {text}", UnitsWarning, stacklevel=stacklevel)


def check_named_units(
    owner: str, materials: Iterable[Material | None], units: Mapping[str, str], stacklevel: int
) -> None:
    """Warn with `UnitsWarning` about known materials that are in other units than those that are named."""
    name = "-".join(units.get(what, "") for what in ("length", "mass", "time"))
    for system in (s for s in SYSTEMS if s.name == name):
        for material in {id(m): m for m in materials}.values():
            known, modulus = _known(material), getattr(material, "youngs_modulus", None)
            if material is None or known is None or modulus is None:
                continue
            E, rho = KNOWN[known]
            if not (_near(modulus * system.stress, E) and _near(material.density * system.density, rho)):
                warnings.warn(
                    f"{owner}: the units are named {name}, in which {known} has the modulus {E / system.stress:.3g} "
                    f"and the density {rho / system.density:.3g}; {material.name!r} has {modulus:.4g} and "
                    f"{material.density:.4g}. Numbers are never converted.",
                    UnitsWarning,
                    stacklevel=stacklevel,
                )


def _known(material: Any) -> str | None:
    """Which of the known materials it calls itself."""
    text = "" if material is None else material.name.lower()
    return next((n for n in KNOWN if re.search(rf"(?<![a-z]){n}", text)), None)


def suspicion(material: Any, size: float) -> str:
    """What is wrong with a material for a part of this size, or nothing."""
    name = _known(material)
    modulus = getattr(material, "youngs_modulus", None)
    if name is None or modulus is None:
        return ""
    E, rho = KNOWN[name]
    fits_modulus = [s for s in SYSTEMS if _near(modulus * s.stress, E)]
    fits_density = [s for s in SYSTEMS if _near(material.density * s.density, rho)]
    fits = [s for s in fits_modulus if s in fits_density]
    if not fits:
        examples = "; ".join(f"{s.name}: E {E / s.stress:.3g}, density {rho / s.density:.3g}" for s in SYSTEMS[:4])
        return (
            f"the modulus {modulus:.4g} {_fitting(fits_modulus)} and the density {material.density:.4g} "
            f"{_fitting(fits_density)}, which is no consistent system of units for {material.name!r}. {name} in "
            f"{examples}."
        )
    if size > 0.0 and not any(SMALLEST <= size * s.length <= LARGEST for s in fits):
        length = size * fits[0].length
        return (
            f"{material.name!r} is given in {fits[0].name}, which makes the part {length:.3g} m large; are the points "
            "in another unit of length? mesh.transformed(scale=1e-3) turns millimetres into metres."
        )
    return ""


def _near(value: float, known: float) -> bool:
    return known / FACTOR < value < known * FACTOR


def _fitting(systems: list[System]) -> str:
    return f"fits {' or '.join(s.name for s in systems)}" if systems else "fits no known system"
