"""Rotations of elastic connections that have passed half a turn, where their rotation vector jumps."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis.spread_states import spread_states
from flexmbs.core.errors import AccuracyWarning
from flexmbs.results.kinematics import kinematics_of, marker_of

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray
    from flexmbs.results.states import States

__all__ = ["warn_of_half_turns"]

QUARTER = 0.5 * np.pi
"""Turn [rad] between two states up to which it is known which way it went."""
LOOKS = 200
"""States that are looked at first; all are where one of these is turned by more than a quarter."""


def warn_of_half_turns(solution: States) -> None:
    """Warn of forces whose rotation vector has jumped from one stored state to the next, with the first time.

    Along a turn by less than a quarter a rotation vector that does not jump changes by less than pi.
    """
    forces = [f for f in solution.model.forces if getattr(f, "follows_rotation_vector", False)]
    few = spread_states(len(solution), LOOKS)
    for vectors, force in zip(_turned(solution, forces, few)[0], forces, strict=True):
        if np.linalg.norm(vectors, axis=1).max(initial=0.0) < QUARTER:
            continue
        (turned,), (R,) = _turned(solution, [force], np.arange(len(solution)))
        cosine = 0.5 * (np.einsum("nij,nij->n", R[1:], R[:-1]) - 1.0)
        jumps = np.linalg.norm(np.diff(turned, axis=0), axis=1) > np.pi
        at = np.flatnonzero(jumps & (cosine > np.cos(QUARTER)))
        if len(at):
            warnings.warn(
                f"{type(force).__name__} {force.name!r}: at about t = {solution.t[at[0] + 1]:.4g} its rotation has "
                f"passed half a turn, where its rotation vector jumps, so that its moments changed their sign. About "
                f"a joint take a TorsionSpring, which counts the turns of its angle, and no rotational stiffness about "
                f"that axis here.",
                AccuracyWarning,
                stacklevel=3,
            )


def _turned(solution: States, forces: list[Any], rows: IntArray) -> tuple[list[FloatArray], list[FloatArray]]:
    """Rotation vectors (n, 3) of forces in some states, and orientations (n, 3, 3) of side b in the axes of a."""
    if not forces:
        return [], []
    markers = [marker_of(solution, side) for force in forces for side in (force.a, force.b)]
    found = kinematics_of(solution, markers, rows).R
    relative = [np.swapaxes(found[:, k], 1, 2) @ found[:, k + 1] for k in range(0, len(markers), 2)]
    return [f.rotation_vectors(R) for f, R in zip(forces, relative, strict=True)], relative
