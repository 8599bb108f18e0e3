"""Contact forces in drawings: arrows that end where a body is touched, along the force on the body of side B.

Their lengths are in proportion to the forces: the longest of a drawing, whose force the legend tells, has a given share
of its size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.results.given_states import GivenStates
from flexmbs.results.states import States
from flexmbs.system.contact_pairs import contacts_of
from flexmbs.visualization.style import CONTACT

__all__ = ["LONGEST", "arrows_over_time", "contact_arrows", "draw_contacts"]

LONGEST = 0.2
"""Length of the longest arrow, as a share of the size of a drawing."""
HEAD = (0.35, 0.12)
"""Length and half of the width of a head, as shares of the length of the longest arrow; short arrows are all head."""


def contact_arrows(points: FloatArray, forces: FloatArray, longest: float, length: float) -> FloatArray:
    """Arrows as a line with gaps.

    Parameters
    ----------
    points, forces : (n_t, m, 3) array
        Where forces act, which is where arrows end, and the forces.
    longest : float
        The force [force] that is drawn with ``length`` [length].

    Returns
    -------
    (n_t, 7 m, 3) array
        Of each: tail, tip, gap, one side of the head, tip, other side, gap; NaN where there is no force.
    """
    size = np.linalg.norm(forces, axis=2, keepdims=True)
    way = np.divide(forces, size, out=np.full_like(forces, np.nan), where=size > 0.0)
    shaft = length * size / longest
    head = np.minimum(HEAD[0] * length, shaft) * way
    flat = np.abs(way[:, :, 2:]) < 1e-9  # heads of forces in the plane z = 0 lie in it, others upright
    across = np.cross(way, np.where(flat, (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
    small = np.linalg.norm(across, axis=2, keepdims=True) < 1e-3
    across = np.where(small, (1.0, 0.0, 0.0), across)
    across /= np.linalg.norm(across, axis=2, keepdims=True)
    side = HEAD[1] / HEAD[0] * np.linalg.norm(head, axis=2, keepdims=True) * across
    gap = np.full_like(way, np.nan)
    parts = [points - shaft * way, points + 0.0 * way, gap, points - head + side, points + 0.0 * way]
    parts += [points - head - side, gap]
    return np.stack(parts, axis=2).reshape(len(points), -1, 3)


def _acting(states: States) -> tuple[FloatArray, FloatArray]:
    """Points and forces (n_t, m, 3) of all pairs of all contacts of a model that touch in any of the states."""
    found = [states.contact(contact).acting() for contact in contacts_of(states.model)]
    n_t = len(states)
    points = np.concatenate([np.zeros((n_t, 0, 3)), *(one for one, _ in found)], axis=1)
    forces = np.concatenate([np.zeros((n_t, 0, 3)), *(one for _, one in found)], axis=1)
    touched = (forces != 0.0).any(axis=(0, 2))
    return points[:, touched], forces[:, touched]


def _label(states: States, longest: float) -> str:
    """What the legend says."""
    unit = states.model.units.of("force")
    return f"contact force, longest {longest:.3g} {unit}".rstrip(" -")


def arrows_over_time(states: States, drawn: FloatArray) -> tuple[str, FloatArray] | None:
    """Label and arrows (n_t, n, 3) of all states, with one scale; None where nothing touches.

    ``drawn (n, 3)`` are points of what else is drawn [length], for the size of the drawing.
    """
    points, forces = _acting(states)
    if not forces.size:
        return None
    everything = np.concatenate((drawn[np.isfinite(drawn).all(axis=1)], points.reshape(-1, 3)))
    size = float(np.ptp(everything, axis=0).max()) or 1.0  # where all is at one point
    longest = float(np.linalg.norm(forces, axis=2).max())
    return _label(states, longest), contact_arrows(points, forces, longest, LONGEST * size)


def draw_contacts(axes: Any, states: States, step: int, drawn: FloatArray) -> None:
    """Draw the contact forces of one state, with a legend; ``drawn (n, 3)`` as in `arrows_over_time`."""
    one = GivenStates(states.system, np.array(states.q[step : step + 1]), np.array(states.v[step : step + 1]))
    found = arrows_over_time(one, drawn)
    if found is None:
        return
    label, [line] = found
    dim = 3 if axes.name == "3d" else 2
    axes.plot(*line[:, :dim].T, color=CONTACT, lw=1.5, zorder=5.6, solid_capstyle="butt", label=label)
    axes.legend(loc="upper left")
