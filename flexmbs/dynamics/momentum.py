"""Linear and angular momentum of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray

if TYPE_CHECKING:
    from flexmbs.system.system import System

__all__ = ["momentum"]


def momentum(system: System, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Linear momentum and angular momentum about the origin, (3,) each, inertial frame.

    Flexible bodies: M v tested with the rigid velocity fields, so exactly what their inertia conserves; for bodies with
    small rotations (linear beams, linear bodies) to first order of these.
    """
    P, L = np.zeros(3), np.zeros(3)
    for group in system.coordinates.groups:
        p, spin = group.for_run().momentum(q, v)
        P += p
        L += spin
    return P, L
