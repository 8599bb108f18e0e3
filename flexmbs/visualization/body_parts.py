"""What is drawn and written of a state of any model: curves and grids of flexible bodies, wireframes of all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.results.given_states import GivenStates
from flexmbs.results.kinematics import in_space
from flexmbs.visualization.sampling import drawn_at
from flexmbs.visualization.time_views import other_parts

if TYPE_CHECKING:
    from flexmbs.results.modal import ModalSolution
    from flexmbs.system.system import System
    from flexmbs.visualization.scene import Stroke

__all__ = ["ModeParts", "Parts", "is_planar", "mode_parts", "parts_at"]

FARTHEST, MOVES = 3.0, 1e-3
"""How much farther than flexible bodies others may move, and the share of the largest displacement that counts."""
SMALL = 1e-2
"""Share of the wanted amplitude of a mode at which its displacements are found by differences."""


class Parts(NamedTuple):
    """Points of all that is drawn, at one state.

    ``shapes``: points (n_e, n_p, 3) of the elements of each flexible body on a mesh; ``lines``: label, stroke and
    points (n, 3) with gaps (NaN) of the other bodies, strings, springs and points on the ground; ``faces``: label,
    points (n, 3) and triangles (n_f, 3) of bodies that have a surface.
    """

    shapes: list[FloatArray]
    lines: list[tuple[str, Stroke, FloatArray]]
    faces: list[tuple[str, FloatArray, IntArray]]

    def arrays(self) -> list[FloatArray]:
        """All arrays of points (..., 3)."""
        return [*self.shapes, *(points for *_, points in self.lines), *(points for _, points, _ in self.faces)]

    def corners(self) -> FloatArray:
        """All points (n, 3) that are there."""
        flat = np.concatenate([np.zeros((0, 3)), *(points.reshape(-1, 3) for points in self.arrays())])
        return np.asarray(flat[np.isfinite(flat).all(axis=1)])

    def extent(self) -> float:
        """The longest side of the box around everything [length]; one where all is at one point."""
        corners = self.corners()
        return float(np.ptp(corners, axis=0).max(initial=0.0)) or 1.0 if len(corners) else 1.0


class ModeParts(NamedTuple):
    """A mode: what is drawn in its state, the displacements of it all (arrays as `Parts.arrays`), and its size.

    ``amplitude`` is the factor of the mode of unit modal mass at which the largest displacement is the wanted one;
    ``vector (n_v,)`` the mode at its phase.
    """

    state: Parts
    displacements: list[FloatArray]
    amplitude: float
    vector: FloatArray


def parts_at(system: System, q: FloatArray, v: FloatArray | None = None) -> Parts:
    """All that is drawn, at coordinates q (n_q,)."""
    states = GivenStates(system, np.array(q)[None, :], None if v is None else np.array(v)[None, :])
    shapes = [
        in_space(body.element.positions(system.group(body), states.q[0], drawn_at(body)))
        for body in system.model.flexible_bodies
    ]
    lines, surfaces = other_parts(states)
    return Parts(
        shapes,
        [(line.label, line.stroke, np.asarray(line.points[0])) for line in lines],
        [(surface.label, surface.at(0)[0], surface.triangles) for surface in surfaces],
    )


def mode_parts(modes: ModalSolution, mode: int, size: float | None = None, share: float = 0.1) -> ModeParts:
    """A mode with the largest displacement ``share`` of the size of the model, at the phase of its largest entry.

    The largest displacement is that of flexible bodies where these move at all, so that the bending of a shaft is seen
    beside a disc that tilts; what else there is moves at most `FARTHEST` times as far. Displacements are linear in the
    mode: small ones by central differences, made larger.
    """
    state = parts_at(modes.system, modes.q)
    vector = np.asarray(modes.vectors[:, mode])
    if np.iscomplexobj(vector):
        largest = vector[int(np.argmax(np.abs(vector)))]
        vector = np.real(vector * (np.conj(largest) / abs(largest) if largest else 1.0))
    wanted = share * (state.extent() if size is None else size)
    amplitude = SMALL / max(float(np.abs(vector).max(initial=0.0)), 1e-300)
    moves: list[FloatArray] = []
    for _ in range(2):  # the second time with the amplitude that suits the size of the model
        sides = [parts_at(modes.system, modes.moved(sign * amplitude * vector)).arrays() for sign in (1.0, -1.0)]
        moves = [0.5 * (a - b) / amplitude for a, b in zip(*sides, strict=True)]
        largest_move = max((float(np.nanmax(np.linalg.norm(u, axis=-1), initial=0.0)) for u in moves), default=0.0)
        if not largest_move > 0.0:
            return ModeParts(state, moves, 0.0, vector)
        bent = max((float(np.linalg.norm(u, axis=-1).max()) for u in moves[: len(state.shapes)]), default=0.0)
        factor = wanted / max(bent, largest_move / FARTHEST) if bent > MOVES * largest_move else wanted / largest_move
        amplitude = SMALL * factor
    return ModeParts(state, [factor * u for u in moves], factor, vector)


def is_planar(model: Any) -> bool:
    """Whether all bodies move in the plane z = 0, so that pictures show the plane alone."""
    spatial = model.linear_bodies or model.trees or model.substructures
    flat = all(body.mesh.dim == 2 for body in model.flexible_bodies)
    return bool(flat and not spatial and all(body.planar for body in model.rigid_bodies))
