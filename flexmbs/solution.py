"""What an analysis found: equilibria with everything that can be asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order

from flexmbs.body import Attachment, FlexibleBody, as_attachment
from flexmbs.core.checks import as_array, as_count, as_number, is_among, show
from flexmbs.core.contracts import Env, FloatArray
from flexmbs.core.directors import section_axes_of
from flexmbs.core.errors import ModelError, unknown_name

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from matplotlib.axes import Axes

    from flexmbs.system import System

__all__ = ["Solution", "Status"]


class Status(Enum):
    """How an analysis ended; the value says what to do."""

    DONE = "Done."
    STEP_TOO_SMALL = (
        "The load step became too small. Look at the last equilibrium: a limit point or buckling, a load that pushes "
        "through the structure, a mesh too coarse for the curvature, or a chain of more than some 10 000 elements, "
        "which round-off spoils; try displacement control with Prescribe."
    )
    TOO_MANY_STEPS = "The most steps allowed were made. Increase most_steps in StaticOptions."
    NO_START = (
        "No equilibrium was found under the loads that act from the start. Let them grow, with a history such as "
        "Table((0, 1), (0, 1))."
    )
    SINGULAR = "The structure is a mechanism."
    INTERRUPTED = "Interrupted from the keyboard; what was found until then is here."


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """Equilibria of a model at ascending load parameters.

    Attributes
    ----------
    kind : str
        ``"static"``.
    parameters : (n_s,) array
        Load parameter of each equilibrium; the first is the start.
    q : (n_s, n_q) array
        All coordinates.
    scales, drives : (n_s, n_loads), (n_s, n_drives) arrays
        Load factors and factors of the prescribed motions.
    stable : (n_s,) bool array
        Whether the tangent was positive definite (always True where that was not asked).
    history : (n_i, 7) array
        Rows of `flexmbs.analysis.newton.Iteration`.
    accuracy : float
        Estimated relative round-off error of the displacements; NaN if unknown.
    status : Status
    options : object
        The options of the analysis.
    """

    kind: str
    system: System
    parameters: FloatArray
    q: FloatArray
    scales: FloatArray
    drives: FloatArray
    stable: Any
    history: FloatArray
    accuracy: float
    status: Status
    options: Any

    def __post_init__(self) -> None:
        for name in ("parameters", "q", "scales", "drives", "stable", "history"):
            getattr(self, name).setflags(write=False)

    @property
    def model(self) -> Any:
        """The model it belongs to."""
        return self.system.model

    @property
    def n_steps(self) -> int:
        """Number of equilibria."""
        return len(self.q)

    @property
    def iterations(self) -> int:
        """Newton iterations altogether."""
        return len(self.history)

    def __repr__(self) -> str:
        return (
            f"<{self.kind} solution of model {self.model.name!r}: {self.n_steps} equilibria to parameter "
            f"{self.parameters[-1]:g}, {self.iterations} iterations, {self.status.name.lower()}>"
        )

    def at_parameter(self, parameter: float) -> int:
        """The number of the step at a load parameter that was stored."""
        parameter = as_number("at_parameter", "parameter", parameter)
        found = np.flatnonzero(np.isclose(self.parameters, parameter, rtol=1e-12, atol=1e-14))
        if not len(found):
            raise ModelError(
                f"there is no equilibrium at parameter {parameter:g}; stored are "
                f"{show(self.parameters.round(6).tolist())}. Ask for it with StaticOptions(at=(...))."
            )
        return int(found[-1])

    def position(self, at: Attachment, step: int = -1) -> FloatArray:
        """Position (dim,) of one node or (n, dim) of several [length], inertial frame."""
        as_attachment("position", at)
        layout = at.body.element.layout
        dofs = self.system.coordinates.dofs(at)[:, list(layout.position)]
        points = self.q[self._step(step)][dofs]
        if not layout.absolute:
            points = points + at.body.mesh.points[list(at.nodes)]
        return np.asarray(points[0] if len(points) == 1 else points)

    def displacement(self, at: Attachment, step: int = -1) -> FloatArray:
        """Displacement (dim,) or (n, dim) from the stress-free shape [length], inertial frame."""
        as_attachment("displacement", at)
        layout = at.body.element.layout
        dofs = self.system.coordinates.dofs(at)[:, list(layout.position)]
        moved = self.q[self._step(step)][dofs]
        if layout.absolute:
            moved = moved - at.body.mesh.points[list(at.nodes)]
        return np.asarray(moved[0] if len(moved) == 1 else moved)

    def positions(self, at: Attachment) -> FloatArray:
        """Positions (n_s, dim) of one node at all steps [length]."""
        return np.array([self.position(at, i) for i in range(self.n_steps)])

    def rotation(self, at: Attachment, step: int = -1) -> float:
        """Rotation [rad] of a node of a planar body from the stress-free shape, counter-clockwise, over full turns.

        Turns are counted along the body, from the first node on, whose own angle is followed over the steps.
        """
        as_attachment("rotation", at)
        if at.body.mesh.dim != 2:
            raise ModelError(
                f"rotation: {at} is a node in space; use slope(), or rotation_vector() for a spatial beam."
            )
        if len(at.nodes) != 1:
            raise ModelError(f"rotation: expected one node, but {at} has {len(at.nodes)}.")
        return float(self._angles(at.body)[self._step(step), at.nodes[0]])

    def rotations(self, at: Attachment) -> FloatArray:
        """Rotations (n_s,) [rad] at all steps; see `rotation`."""
        self.rotation(at)  # refuses what has none
        return np.array(self._angles(at.body)[:, at.nodes[0]])

    def rotation_vector(self, at: Attachment, step: int = -1) -> FloatArray:
        """Small rotations (3,) [rad] about the inertial axes of a node of a spatial beam with rotations."""
        as_attachment("rotation_vector", at)
        layout = at.body.element.layout
        if len(layout.rotation) != 3:
            raise ModelError(
                f"rotation_vector: a {at.body.element.name} has no three rotations; "
                f"use slope() or, in the plane, rotation()."
            )
        if len(at.nodes) != 1:
            raise ModelError(f"rotation_vector: expected one node, but {at} has {len(at.nodes)}.")
        return np.array(self.q[self._step(step)][self.system.coordinates.dofs(at)[0, list(layout.rotation)]])

    def slope(self, at: Attachment, step: int = -1) -> FloatArray:
        """Slope vector dr/ds (dim,) [-] of a node of an absolute-nodal body."""
        as_attachment("slope", at)
        layout = at.body.element.layout
        if not layout.slope:
            raise ModelError(f"slope: a {at.body.element.name} has no slopes.")
        slopes = self.q[self._step(step)][self.system.coordinates.dofs(at)[:, list(layout.slope)]]
        return np.asarray(slopes[0] if len(slopes) == 1 else slopes)

    def section_frame(self, at: Attachment, step: int = -1) -> FloatArray:
        """Axes (3, 3) at a node with directors or of a surface, as columns, inertial components.

        The first is normal to the directors, or to the slopes of a surface; with a vector across the thickness the
        third is along that.
        """
        as_attachment("section_frame", at, single=True)
        layout = at.body.element.layout
        if not layout.frame:
            raise ModelError(f"section_frame: a {at.body.element.name} has no directors; use slope() or rotation().")
        dofs = self.system.coordinates.dofs(at)[0]
        return section_axes_of(self.q[self._step(step)][dofs[list(layout.frame)]])

    def shape(self, body: FlexibleBody, step: int = -1, points: int = 9) -> FloatArray:
        """Points (n_e, points, dim) along every element [length]; (n_e, points^2, 3) of a grid on those of surfaces."""
        _check_body("shape", body)
        group = self._group(body)
        count = as_count("shape", "points", points, minimum=1)
        return body.element.positions(group, self.q[self._step(step)], body.natural(count))

    def resultant(self, body: FlexibleBody, symbol: str, step: int = -1, xi: Any = None) -> FloatArray:
        """A stress resultant (n_e, n_s) along every element, such as ``"N"`` [force] or ``"M"`` [force length].

        ``xi (n_s,)`` are natural coordinates from -1 to 1, (n_s, 2) on a surface. The default are the points where the
        element is most accurate; elsewhere the normal force of a slender cable may be wrong by orders of magnitude. The
        largest moment is mostly at a node: ask for it with ``xi=(-1, 1)``, where it is a little less accurate.
        """
        _check_body("resultant", body)
        names = [r.symbol for r in body.element.resultants]
        if not is_among(symbol, names):
            raise ModelError(f"body {body.name!r}: {unknown_name('stress resultant', symbol, names)}")
        shape = (None, 2) if body.surface else (None,)
        where = body.element.accurate_points(symbol) if xi is None else as_array("resultant", "xi", xi, shape)
        if np.abs(where).max(initial=0.0) > 1.0:
            raise ModelError(f"resultant: xi must lie between -1 and 1, not {show(where.tolist())}.")
        q = self.q[self._step(step)]
        values = body.element.stress_resultants(self._group(body), q, np.zeros_like(q), where)
        return values[..., names.index(symbol)]

    def reaction(self, at: Attachment, step: int = -1) -> FloatArray:
        """Force (dim,) [force] that supports, elastic ones too, exert on the nodes of ``at`` together, inertial frame.

        Zero, up to the tolerance of the analysis, where nothing is supported.
        """
        as_attachment("reaction", at)
        layout = at.body.element.layout
        r = self._residual(step)
        dofs = self.system.coordinates.dofs(at)[:, list(layout.position)]
        return np.asarray(r[np.unique(dofs, axis=0)].sum(axis=0))  # a hinge shares the coordinates of two nodes

    def reaction_moment(self, at: Attachment, step: int = -1) -> float | FloatArray:
        """Moment [force length] that supports, elastic ones too, exert on nodes, each about itself.

        A number in the plane, counter-clockwise; in space a vector (3,) about the inertial axes.
        """
        as_attachment("reaction_moment", at)
        layout = at.body.element.layout
        r = self._residual(step)
        dofs = self.system.coordinates.dofs(at)
        if layout.rotation:
            moment = r[dofs[:, list(layout.rotation)]].sum(axis=0)
            return float(moment[0]) if layout.dim == 2 else np.asarray(moment)
        if layout.frame:
            q, parts = self.q[self._step(step)], [list(part) for part in layout.vectors]
            return np.asarray(sum(np.cross(q[dofs[:, d]], r[dofs[:, d]]).sum(axis=0) for d in parts))
        slope, force = self.q[self._step(step)][dofs[:, list(layout.slope)]], r[dofs[:, list(layout.slope)]]
        if layout.dim == 2:
            return float((slope[:, 0] * force[:, 1] - slope[:, 1] * force[:, 0]).sum())
        return np.asarray(np.cross(slope, force).sum(axis=0))

    def strain_energy(self, step: int = -1) -> float:
        """Strain energy of all bodies [force length]."""
        return self.system.strain_energy(self.q[self._step(step)])

    def save(self, path: str | PathLike[str]) -> Path:
        """Write to an HDF5 file that `flexmbs.load` reads."""
        from flexmbs.output.store import save

        return save(self, path)

    def to_paraview(self, path: str | PathLike[str]) -> Path:
        """Write an XDMF series for ParaView."""
        from flexmbs.output.paraview import write_series

        return write_series(self, path)

    def plot(self, resultant: str | None = None, step: int | Literal["all"] = -1, ax: Axes | None = None) -> Axes:
        """Draw the deformed shape at a step, or at all of them, coloured by a stress resultant."""
        from flexmbs.output.plots import plot_shape

        return plot_shape(self, resultant, step, ax)

    def plot_path(self, at: Attachment, ax: Axes | None = None) -> Axes:
        """Draw the displacements of a node over the load parameter."""
        from flexmbs.output.plots import plot_path

        return plot_path(self, at, ax)

    def _step(self, step: int) -> int:
        if isinstance(step, bool) or not isinstance(step, int | np.integer):
            raise ModelError(f"a step is a whole number, not {show(step)}.")
        if not -self.n_steps <= step < self.n_steps:
            raise ModelError(f"there is no step {step}; the solution has {self.n_steps}, numbered from 0.")
        return int(step) % self.n_steps

    def _group(self, body: FlexibleBody) -> Any:
        return self.system.group(body)

    def _residual(self, step: int) -> FloatArray:
        i = self._step(step)
        env = Env(float(self.parameters[i]), np.array(self.scales[i]))
        return self.system.residual(np.array(self.q[i]), env, elastic_supports=False).copy()

    def _angles(self, body: FlexibleBody) -> FloatArray:
        """Rotations (n_s, n_nodes) of the nodes of a planar body, over full turns."""
        layout = body.element.layout
        dofs = self.system.coordinates.node_dofs[self.system.coordinates.index(body)]
        if layout.rotation:
            return self.q[:, dofs[:, layout.rotation[0]]]
        slope = self.q[:, dofs[:, list(layout.slope)]]
        start = body.reference[:, list(layout.slope)]
        angle = np.arctan2(
            start[:, 0] * slope[..., 1] - start[:, 1] * slope[..., 0],
            start[:, 0] * slope[..., 0] + start[:, 1] * slope[..., 1],
        )
        a, b = body.cells[:, 0], body.cells[:, 1]
        n = len(dofs)
        graph = coo_array((np.ones(len(a)), (a, b)), shape=(n, n)).tocsr()
        graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
        seen = np.zeros(n, dtype=bool)
        for root in range(n):
            if seen[root]:
                continue
            order, before = breadth_first_order(graph, root, directed=False)
            seen[order] = True
            angle[:, root] = np.unwrap(angle[:, root])
            for node in order[1:]:
                jump = angle[:, node] - angle[:, before[node]]
                angle[:, node] -= 2 * np.pi * np.round(jump / (2 * np.pi))
        return angle


def _check_body(owner: str, body: object) -> None:
    """Refuse what is not a body."""
    if not getattr(body, "has_mesh", False):
        raise ModelError(f"{owner}: expected a body such as model.body('beam'), not {show(body)}.")
