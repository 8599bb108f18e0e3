"""Which law a spring and damper described by stiffness, damping and preload, or by a function, compiles to."""

from __future__ import annotations

import numpy as np

from flexmbs.core.checks import as_number
from flexmbs.core.errors import ModelError
from flexmbs.kernels.laws import CURVES, GIVEN, LINEAR, power_part
from flexmbs.model.forces.force_curve import ForceCurve, Part, as_part
from flexmbs.model.forces.user_law import Derivatives, ForceFunction, UserLaw, user_law

__all__ = ["spring_law"]


def spring_law(
    owner: str,
    stiffness: Part,
    damping: Part,
    rest: float,
    preload: float,
    force: ForceFunction | None,
    derivatives: Derivatives | None,
    given_rest: float | None,
    unit: str,
) -> tuple[int, tuple[float, ...], UserLaw | None]:
    """Law, numbers and function of a spring and damper; the sign is that of a restoring force."""
    load = "force" if unit == "length" else "force length"
    f = as_part(owner, "stiffness", stiffness, f"{load}/{unit}")
    g = as_part(owner, "damping", damping, f"{load} time/{unit}")
    if isinstance(damping, ForceCurve) and abs(damping(0.0)) > 1e-9 * float(np.abs(damping.values).max()):
        raise ModelError(f"{owner}: a damping curve must be zero at rate zero, not {damping(0.0):g}; use preload.")
    preload = as_number(owner, "preload", preload, unit=load)
    if force is not None:
        if f != 0.0 or g != 0.0 or preload != 0.0 or given_rest is not None:
            raise ModelError(f"{owner}: give either a function, or stiffness, damping and preload; not both.")
        return GIVEN, (), user_law(owner, force, derivatives)
    if derivatives is not None:
        raise ModelError(f"{owner}: derivatives are those of a function; there is none.")
    if f == 0.0 and g == 0.0 and preload == 0.0:
        raise ModelError(f"{owner}: give stiffness, damping, preload or a function.")
    if isinstance(f, float) and isinstance(g, float):
        return LINEAR, (f, rest, g, preload), None
    f = power_part((f,)) if isinstance(f, float) else f
    g = power_part((g,)) if isinstance(g, float) else g
    return CURVES, (rest, preload, float(len(f)), *f, *g), None
