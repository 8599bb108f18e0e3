"""Supports in words: what holds a body, and what moves it in a prescribed way.

A support fixes components of a node's position and of its orientation. Fixed coordinates are eliminated, so supports
cost nothing and hold exactly. On elements with slopes the orientation is the **direction** of the slope; its length is
the axial stretch and stays free (to fix it would prescribe zero strain there, which costs the fourth order of
convergence).

Directions are those of the inertial frame. Prescribed motions are reached in proportion to the load factor of a
static analysis unless a ``history`` says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from flexmbs.core.checks import as_array, as_direction, as_number, is_list, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.history import History, check_history
from flexmbs.core.nodes import share_positions
from flexmbs.core.references import Description
from flexmbs.model.bodies.attachment import Attachment, as_attachment

__all__ = ["Clamp", "Guide", "Hinge", "Pin", "Prescribe", "Roller", "Support", "Symmetry"]


class Condition(NamedTuple):
    """What one support asks of every node of ``at``.

    ``kind``: ``"position"``, ``"orientation"`` or ``"symmetry"`` (to the plane through the node normal to the one
    of ``normals``); ``normals (m, dim)``: fixed components of the position (for an
    orientation: unused); ``values (m,)`` [length]: their prescribed displacements; ``rotation``: rotation vector
    (1,) or (3,) [rad] of a prescribed orientation; ``history`` for both.
    """

    at: Attachment
    kind: str
    normals: FloatArray
    values: FloatArray
    rotation: FloatArray
    history: History


class Support(Protocol):
    """Anything that fixes or prescribes nodes."""

    @property
    def at(self) -> Attachment:
        """Where."""

    def conditions(self) -> tuple[Condition, ...]:
        """What is fixed."""


def _fixed(at: Attachment, normals: FloatArray) -> Condition:
    return Condition(at, "position", normals, np.zeros(len(normals)), np.zeros(0), None)


def _oriented(at: Attachment) -> Condition:
    dim = at.body.mesh.dim
    return Condition(at, "orientation", np.zeros((0, dim)), np.zeros(0), np.zeros(1 if dim == 2 else 3), None)


@dataclass(frozen=True, eq=False)
class Pin(Description):
    """Holds the position of every node of ``at``; it may rotate.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel)
    >>> fx.Pin(beam.start)
    Pin(at=Attachment(body, 'start'))
    """

    role: ClassVar[str] = "support"
    at: Attachment

    def __post_init__(self) -> None:
        as_attachment("Pin", self.at)

    def conditions(self) -> tuple[Condition, ...]:
        return (_fixed(self.at, np.eye(self.at.body.mesh.dim)),)


@dataclass(frozen=True, eq=False)
class Clamp(Description):
    """Holds position and orientation of every node of ``at``."""

    role: ClassVar[str] = "support"
    at: Attachment

    def __post_init__(self) -> None:
        as_attachment("Clamp", self.at)

    def conditions(self) -> tuple[Condition, ...]:
        return (_fixed(self.at, np.eye(self.at.body.mesh.dim)), _oriented(self.at))


@dataclass(frozen=True, eq=False)
class Roller(Description):
    """Holds the position along ``normal``; the nodes may slide across it and rotate.

    Parameters
    ----------
    at : Attachment
    normal : (dim,) sequence
        Direction of the support; need not be a unit vector.
    """

    role: ClassVar[str] = "support"
    at: Attachment
    normal: Sequence[float]

    def __post_init__(self) -> None:
        as_attachment("Roller", self.at)
        normal = as_direction("Roller", "normal", self.normal, self.at.body.mesh.dim)
        object.__setattr__(self, "normal", tuple(float(x) for x in normal))

    def conditions(self) -> tuple[Condition, ...]:
        return (_fixed(self.at, np.array([self.normal])),)


@dataclass(frozen=True, eq=False)
class Guide(Description):
    """Holds the orientation; with ``normal`` also the position along it (a guided or symmetric end).

    Parameters
    ----------
    at : Attachment
    normal : (dim,) sequence, optional
        Direction along which the position is held.
    """

    role: ClassVar[str] = "support"
    at: Attachment
    normal: Sequence[float] | None = None

    def __post_init__(self) -> None:
        as_attachment("Guide", self.at)
        if self.normal is not None:
            normal = as_direction("Guide", "normal", self.normal, self.at.body.mesh.dim)
            object.__setattr__(self, "normal", tuple(float(x) for x in normal))

    def conditions(self) -> tuple[Condition, ...]:
        held = () if self.normal is None else (_fixed(self.at, np.array([self.normal])),)
        return (*held, _oriented(self.at))


@dataclass(frozen=True, eq=False)
class Symmetry(Description):
    """Nodes on a plane of symmetry: what lies in it stays in it, what is normal to it stays normal.

    Holds the position along ``normal``, of vectors of the node in the plane the component along it, of a vector along
    ``normal`` the components in the plane, and rotations about axes in the plane.

    Parameters
    ----------
    at : Attachment
    normal : (dim,) sequence
        Of the plane; need not be a unit vector.

    Raises
    ------
    ModelError
        If ``normal`` is no direction, and (when the model is solved) if a vector of a node is neither along the plane
        nor normal to it.
    """

    role: ClassVar[str] = "support"
    at: Attachment
    normal: Sequence[float]

    def __post_init__(self) -> None:
        dim = as_attachment("Symmetry", self.at).body.mesh.dim
        normal = as_direction("Symmetry", "normal", self.normal, dim)
        object.__setattr__(self, "normal", tuple(float(x) for x in normal))

    def conditions(self) -> tuple[Condition, ...]:
        return (Condition(self.at, "symmetry", np.array([self.normal]), np.zeros(1), np.zeros(0), None),)


@dataclass(frozen=True, eq=False)
class Prescribe(Description):
    """Moves nodes in a prescribed way: displacement control.

    Parameters
    ----------
    at : Attachment
    displacement : sequence of (float or None), optional
        Components [length] from the stress-free position; None leaves a component free.
    rotation : float or (3,) sequence, optional
        Angle [rad] in the plane, counter-clockwise, or rotation vector in space, from the stress-free orientation. It
        may exceed a turn.
    history : function, optional
        Factor on both over the load factor, or the time asked for (see `flexmbs.solve_static`).

    Raises
    ------
    ModelError
        If neither or a wrong number of components is given.
    """

    role: ClassVar[str] = "support"
    at: Attachment
    displacement: Sequence[float | None] | None = None
    rotation: float | Sequence[float] | None = None
    history: History = None

    def __post_init__(self) -> None:
        dim = as_attachment("Prescribe", self.at).body.mesh.dim
        check_history("Prescribe", self.history)
        if self.displacement is None and self.rotation is None:
            raise ModelError("Prescribe: give a displacement, a rotation or both.")
        if self.displacement is not None:
            if not is_list(self.displacement, dim):
                raise ModelError(
                    f"Prescribe: displacement must have {dim} components (None: free), not {show(self.displacement)}."
                )
            parts = tuple(
                None if c is None else as_number("Prescribe", "displacement", c, unit="length")
                for c in self.displacement
            )
            object.__setattr__(self, "displacement", parts)
            if self.rotation is None and all(part is None for part in parts):
                raise ModelError("Prescribe: all components are None, which leaves everything free; give one a number.")
        if self.rotation is not None:
            shape = () if dim == 2 else (3,)
            rotation = np.atleast_1d(as_array("Prescribe", "rotation", self.rotation, shape, unit="rad"))
            object.__setattr__(self, "rotation", float(rotation[0]) if dim == 2 else tuple(rotation.tolist()))

    def conditions(self) -> tuple[Condition, ...]:
        found = []
        dim = self.at.body.mesh.dim
        if self.displacement is not None:
            held = [i for i, c in enumerate(self.displacement) if c is not None]
            values = np.array([self.displacement[i] for i in held], dtype=float)
            found.append(Condition(self.at, "position", np.eye(dim)[held], values, np.zeros(0), self.history))
        if self.rotation is not None:
            rotation = np.atleast_1d(np.array(self.rotation, dtype=float))
            found.append(Condition(self.at, "orientation", np.zeros((0, dim)), np.zeros(0), rotation, self.history))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Hinge(Description):
    """Two nodes share their position and may rotate against each other.

    The shared position is one set of coordinates, so a hinge costs nothing and holds exactly. Several hinges at one
    place join several bodies.

    Parameters
    ----------
    a, b : Attachment
        One node each, at the same point.

    Raises
    ------
    ModelError
        If the points differ by more than 1e-9 of the bodies' size, or the elements do not share a kind of position.
    """

    role: ClassVar[str] = "hinge"
    a: Attachment
    b: Attachment

    def __post_init__(self) -> None:
        for side in (self.a, self.b):
            as_attachment("Hinge", side, single=True)
        (i,), (j,) = self.a.nodes, self.b.nodes
        if self.a.body is self.b.body and i == j:
            raise ModelError(f"Hinge: both sides are {self.a}.")
        if self.a.body.mesh.dim != self.b.body.mesh.dim:
            raise ModelError(f"Hinge: {self.a} is planar and {self.b} spatial, or the reverse; they cannot be joined.")
        if not share_positions(self.a.body.element.layout, self.b.body.element.layout):
            raise ModelError(
                f"Hinge: {self.a} has positions as coordinates and {self.b} displacements; join bodies of one kind."
            )
        p, r = self.a.body.mesh.points[i], self.b.body.mesh.points[j]
        size = max(float(np.ptp(side.body.mesh.points, axis=0).max()) for side in (self.a, self.b))
        gap = float(np.linalg.norm(p - r))
        if gap > 1e-9 * size:
            raise ModelError(f"Hinge: {self.a} at {p.tolist()} and {self.b} at {r.tolist()} are {gap:.3g} apart.")
