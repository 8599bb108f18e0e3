r"""What a robot can do over its workspace: stiffness, lowest frequency, acceleration that limited drives reach.

At each pose the model is linearised with forces at the platform and in the drives as inputs u, and displacements y of
the platform as outputs. Its static compliance is :math:`-C A^{-1} B`, and drives accelerate it from rest by
:math:`\ddot y = C A B f = W f`. Along a direction n the largest acceleration is the linear programme

.. math:: \max s \quad \text{with} \quad W f = s\,n, \quad W_0 f = 0, \quad |f_i| \le F_i ,

with :math:`W_0` of the motions that are to stay at rest; drives may be redundant. What is reached in every direction is
the least of them.

Source: Z. Sika, M. Valasek, V. Bauma, T. Vampola, Design of redundant parallel robots by multidisciplinary virtual
modelling (maps of stiffness, frequency and dynamic capability, without equations).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from flexmbs.analysis.linearise import linearise
from flexmbs.core.checks import as_array, as_count, shape_of
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.model import Model
from flexmbs.studies.measures import Measure

__all__ = ["Workspace", "WorkspacePoint", "workspace_measures"]

FREE = 1e-6
"""Lowest pole, over the largest, of a motion that counts as free."""
Items = Callable[[Model], Sequence[Any]]


@dataclass(frozen=True)
class WorkspacePoint:
    """What a robot can do in one pose.

    Attributes
    ----------
    stiffness : (n, n) array
        Static stiffness against the forces, all other motions free.
    frequency : float
        Lowest natural frequency [1/time].
    acceleration : float
        Reached in every direction that was tried, by limited drives.
    directions, accelerations : (n_d, n) and (n_d,) arrays
        Directions that were tried, and what is reached along each.
    """

    stiffness: FloatArray
    frequency: float
    acceleration: float
    directions: FloatArray
    accelerations: FloatArray


@dataclass(frozen=True)
class Workspace:
    """Analysis of a pose for a `Study` over poses: linearisation, stiffness, and a linear programme a direction.

    The builder of the family makes the robot in the pose of its values, in equilibrium; drives are springs there, as
    stiff as they are with their control.

    Parameters
    ----------
    forces : function of the model
        Unit forces at the platform, one to three.
    motions : function of the model
        Sensors of its displacements along these forces, in their order.
    drives : function of the model
        Actuators, which need not be in the model.
    limits : float or (n_drives,) sequence
        Largest force of each drive.
    rest : function of the model, optional
        Sensors of motions that are not to be accelerated, such as rotations.
    directions : int, default 24
        How many are tried in the plane; in space 32 that are spread evenly.

    Examples
    --------
    >>> import flexmbs as fx
    >>> st = fx.studies
    >>> def table(x=0.0, y=0.0):
    ...     platform = fx.PointMass(2.0, position=(x, y), name="platform")
    ...     feet = [fx.ground.marker(p) for p in ((-1, 0, 0), (1, 0, 0), (0, 1, 0))]
    ...     legs = [fx.SpringDamper(f, platform, stiffness=1e4, name=f"leg {i}", free_length=float(
    ...             ((f.position0()[0] - x) ** 2 + (f.position0()[1] - y) ** 2) ** 0.5)) for i, f in enumerate(feet)]
    ...     return fx.Model(platform, *legs)
    >>> def drives(model):
    ...     return [fx.control.LineActuator(leg.a, leg.b, name=f"leg {i}") for i, leg in enumerate(model.forces)]
    >>> pose = st.Workspace(
    ...     forces=lambda m: [fx.PointForce(m.rigid_bodies[0], f) for f in ((1, 0), (0, 1))],
    ...     motions=lambda m: [fx.control.PositionSensor(m.rigid_bodies[0], f) for f in ((1, 0), (0, 1))],
    ...     drives=drives, limits=10.0)
    >>> family = st.Family(table, x=st.Between(-0.5, 0.5), y=st.Between(-0.5, 0.5))
    >>> done = st.Study(family, st.Grid(x=3, y=3), st.workspace_measures(), pose).run(progress=False)
    >>> float(done["greatest stiffness"][4].round(6)), float(done["acceleration"][4].round(6))  # the middle
    (20000.0, 5.0)
    """

    forces: Items
    motions: Items
    drives: Items
    limits: float | Sequence[float]
    rest: Items | None = None
    directions: int = 24

    def __post_init__(self) -> None:
        as_count("Workspace", "directions", self.directions, minimum=2)
        if not (as_array("Workspace", "limits", self.limits, (None,) * len(shape_of(self.limits))) > 0.0).all():
            raise ModelError(f"Workspace: limits must be positive, not {self.limits!r}.")

    def perform(self, model: Model) -> WorkspacePoint:
        forces, drives, motions = list(self.forces(model)), list(self.drives(model)), list(self.motions(model))
        held = list(self.rest(model)) if self.rest is not None else []
        if len(forces) != len(motions) or not 1 <= len(motions) <= 3:
            raise ModelError(
                f"Workspace: forces and motions belong together, one to three; given {len(forces)} and {len(motions)}."
            )
        each = [self.limits] * len(drives) if isinstance(self.limits, float | int) else self.limits
        limits = as_array("Workspace", "limits", each, (len(drives),))
        linear = linearise(model, [*forces, *drives], [*motions, *held])
        n, k = len(motions), len(forces)
        size = np.abs(linear.poles)
        if not size[0] > FREE * size[-1]:
            raise ModelError(
                "Workspace: something moves without stiffness in this pose: it is singular, or drives have none; put a "
                "spring in each drive."
            )
        compliance = -linear.C[:n] @ np.linalg.solve(linear.A, linear.B[:, :k])
        stiffness = np.asarray(np.linalg.inv(0.5 * (compliance + compliance.T)), dtype=np.float64)
        W = linear.C @ linear.A @ linear.B[:, k:]
        directions = _directions(n, self.directions)
        reached = np.array([_reached(W, np.append(d, np.zeros(len(held))), limits) for d in directions])
        frequency = float(np.abs(linear.poles.imag).min() / (2.0 * np.pi))
        return WorkspacePoint(stiffness, frequency, float(reached.min()), directions, reached)

    def places(self, result: WorkspacePoint) -> FloatArray:
        return np.arange(1.0, len(result.accelerations) + 1.0)


def _reached(W: FloatArray, along: FloatArray, limits: FloatArray) -> float:
    """The largest s with W f = s along and forces within their limits."""
    size = float(np.abs(W).max(initial=0.0)) * float(limits.max())
    if size == 0.0:
        return 0.0
    equations = np.column_stack((W * limits / size, -along))
    found = linprog(
        np.append(np.zeros(W.shape[1]), -1.0), A_eq=equations, b_eq=np.zeros(len(W)),
        bounds=[(-1.0, 1.0)] * W.shape[1] + [(0.0, None)], method="highs",
    )  # fmt: skip
    if not found.success:
        raise ModelError(f"Workspace: the linear programme of the drives failed: {found.message}")
    return float(found.x[-1] * size)


def _directions(n: int, count: int) -> FloatArray:
    """Unit vectors (n_d, n): both ways, around the circle, or to corners and faces of an icosahedron."""
    if n == 1:
        return np.array([[1.0], [-1.0]])
    if n == 2:
        angle = 2.0 * np.pi * np.arange(count) / count
        return np.column_stack((np.cos(angle), np.sin(angle)))
    golden = (1.0 + np.sqrt(5.0)) / 2.0
    signs = [(a, b) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    points = [(0.0, a, b * golden) for a, b in signs] + [(0.0, a / golden, b * golden) for a, b in signs]
    points = [point[-i:] + point[:-i] for point in points for i in range(3)]
    points += [(a, b, c) for a, b in signs for c in (-1.0, 1.0)]
    return np.asarray(np.array(points) / np.linalg.norm(points, axis=1)[:, None])


def _least(point: WorkspacePoint) -> float:
    return float(np.linalg.eigvalsh(point.stiffness)[0])


def _greatest(point: WorkspacePoint) -> float:
    return float(np.linalg.eigvalsh(point.stiffness)[-1])


def _frequency(point: WorkspacePoint) -> float:
    return point.frequency


def _acceleration(point: WorkspacePoint) -> float:
    return point.acceleration


def workspace_measures() -> list[Measure]:
    """The numbers of a map: least and greatest stiffness, lowest frequency, acceleration in every direction."""
    return [
        Measure("least stiffness", _least), Measure("greatest stiffness", _greatest),
        Measure("frequency", _frequency), Measure("acceleration", _acceleration),
    ]  # fmt: skip
