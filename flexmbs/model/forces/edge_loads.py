"""Loads on the edges of surfaces: dead forces and moments per length of the stress-free shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from flexmbs.core.checks import as_array, show
from flexmbs.core.contracts import FloatArray, IntArray, SurfaceElement
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.core.history import History, check_history
from flexmbs.core.nodes import is_rigid
from flexmbs.core.references import Description
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.forces.items import Items, Places, dead_items
from flexmbs.model.forces.moment import Moment, refuse_torque
from flexmbs.model.forces.wrench import Wrench

__all__ = ["EdgeLoad", "EdgeMoment", "as_surface", "gauss_grid"]

SIDES = (((-1.0, 1.0), (-1.0, -1.0)), ((1.0, 1.0), (-1.0, 1.0)), ((1.0, -1.0), (1.0, 1.0)), ((-1.0, -1.0), (1.0, -1.0)))
"""xi and eta at the start and the end of the sides of a cell, in the order of its corners."""
POINTS = 4


def as_surface(owner: str, body: Any) -> SurfaceElement:
    """The element of a body that is a surface; refuses others."""
    if not getattr(body, "has_mesh", False) or not body.surface:
        raise ModelError(f"{owner}: body must be a FlexibleBody made of plates or shells, not {show(body)}.")
    if is_rigid(body.element.layout):
        raise ModelError(
            f"{owner}: {a_or_an(body.element.name)} has rotations at its nodes, which this load cannot treat; use "
            f"DistributedLoad, PointForce or Moment."
        )
    return cast("SurfaceElement", body.element)


def gauss_grid(count: int) -> tuple[FloatArray, FloatArray]:
    """Gauss' points (count^2, 2), xi first, and their weights."""
    s, w = np.polynomial.legendre.leggauss(count)
    eta, xi = np.meshgrid(s, s, indexing="ij")
    return np.column_stack((xi.ravel(), eta.ravel())), np.outer(w, w).ravel()


def _sides(owner: str, at: Attachment) -> tuple[IntArray, IntArray]:
    """Cells and numbers of their sides with both nodes in a set; refuses sets without any, or with areas."""
    cells = at.body.cells
    inside = np.isin(cells, at.nodes)
    found = np.argwhere(inside & np.roll(inside, -1, axis=1))
    if not len(found):
        raise ModelError(f"{owner}: no edge of an element lies between the nodes of {at}.")
    ends = np.sort(
        np.column_stack((cells[found[:, 0], found[:, 1]], cells[found[:, 0], (found[:, 1] + 1) % 4])), axis=1
    )
    _, first, shared = np.unique(ends, axis=0, return_index=True, return_counts=True)
    if (shared > 1).any() and (inside.sum(axis=1) > 2).any():
        raise ModelError(f"{owner}: {at} holds whole elements; give the nodes of an edge, such as body.set('right').")
    kept = found[np.sort(first)]  # a line inside of the surface: each edge once
    return kept[:, 0], kept[:, 1]


@dataclass(frozen=True, eq=False)
class EdgeLoad(Description):
    """A dead force per length of the stress-free shape along the edges between the nodes of ``at``.

    The generalised forces are the consistent ones, the integral of N^T load ds.

    Parameters
    ----------
    at : Attachment
        Nodes of a surface, such as ``plate.set("right")``.
    load : (3,) sequence
        [force/length], in inertial directions.
    history : function, optional
        Factor over time or load factor.

    Raises
    ------
    ModelError
        If the body is no surface, no edge lies between the nodes, or the load is no vector.

    Examples
    --------
    >>> import flexmbs as fx
    >>> panel = fx.FlexibleBody.plate((1, 1), elements=(2, 2), element=fx.elements.ANCFShell(),
    ...                               section=fx.ShellSection(0.01), material=fx.steel, name="panel")
    >>> EdgeLoad(panel.set("right"), (0, 0, 10)).load
    (0.0, 0.0, 10.0)
    """

    role: ClassVar[str] = "load"
    at: Attachment
    load: Sequence[float]
    history: History = None

    def __post_init__(self) -> None:
        owner = f"EdgeLoad at {as_attachment('EdgeLoad', self.at)}"
        as_surface(owner, self.at.body)
        check_history("EdgeLoad", self.history, load=self.load)
        object.__setattr__(self, "load", tuple(as_array(owner, "load", self.load, (3,)).tolist()))
        _sides(owner, self.at)

    @property
    def label(self) -> str:
        return f"edge load at {self.at}"

    @property
    def targets(self) -> tuple[FlexibleBody, ...]:
        return (self.at.body,)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        element = as_surface("EdgeLoad", self.at.body)
        group = places.element_group(self.at.body)
        cells, sides = _sides("EdgeLoad", self.at)
        s, w = np.polynomial.legendre.leggauss(POINTS)
        dofs, forces = [], []
        for number, ends in enumerate(SIDES):
            own = cells[sides == number]
            xi = np.column_stack([0.5 * ((1.0 - s) * a + (1.0 + s) * b) for a, b in ends])
            along = np.array([0.5 * (b - a) for a, b in ends])
            N, N1 = (table[own] for table in element.interpolation(group, xi))
            e0 = group.reference[own].reshape(len(own), N.shape[2], 3)
            metric = np.linalg.norm(np.einsum("egdi,d,eic->egc", N1, along, e0), axis=2)
            f = np.einsum("g,eg,egi,c->eic", w, metric, N, np.array(self.load))
            dofs.append(group.dofs[own].ravel())
            forces.append(f.ravel())
        return (dead_items(np.concatenate(dofs), np.concatenate(forces), index),)


@dataclass(frozen=True, eq=False)
class EdgeMoment(Description):
    """A moment per length of the stress-free shape along the edges between the nodes of ``at``.

    It acts as moments on the nodes, each with half of the edges that meet there (trapezoidal rule), and is fixed in
    inertial directions; see `Moment` for what it does to a node.

    Parameters
    ----------
    at : Attachment
        Nodes of a surface.
    moment : (3,) sequence
        [force].
    history : function, optional
        Factor over time or load factor.

    Raises
    ------
    ModelError
        If the body is no surface, no edge lies between the nodes, the moment is no vector, or it has a part along the
        director of an `ANCFShell`, which carries none.

    Examples
    --------
    >>> import flexmbs as fx
    >>> panel = fx.FlexibleBody.plate((1, 1), elements=(2, 2), element=fx.elements.ANCFShell(),
    ...                               section=fx.ShellSection(0.01), material=fx.steel, name="panel")
    >>> EdgeMoment(panel.set("right"), (0, -1.0, 0)).label
    "moment on the edges at 'right' of body 'panel'"
    """

    role: ClassVar[str] = "load"
    at: Attachment
    moment: Sequence[float]
    history: History = None

    def __post_init__(self) -> None:
        owner = f"EdgeMoment at {as_attachment('EdgeMoment', self.at)}"
        as_surface(owner, self.at.body)
        check_history("EdgeMoment", self.history, moment=self.moment)
        moment = as_array(owner, "moment", self.moment, (3,))
        object.__setattr__(self, "moment", tuple(moment.tolist()))
        _sides(owner, self.at)
        refuse_torque(owner, self.at, moment)

    @property
    def label(self) -> str:
        return f"moment on the edges at {self.at}"

    @property
    def targets(self) -> tuple[FlexibleBody, ...]:
        return (self.at.body,)

    @property
    def wrenches(self) -> tuple[Wrench, ...]:
        """Wrenches on nodes with quaternions; none on others."""
        return tuple(wrench for moment in self._moments() for wrench in moment.wrenches)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        return tuple(item for moment in self._moments() for item in moment.items(places, index))

    def _moments(self) -> list[Moment]:
        """The moments on the nodes."""
        body = self.at.body
        cells, sides = _sides("EdgeMoment", self.at)
        a, b = body.cells[cells, sides], body.cells[cells, (sides + 1) % 4]
        half = 0.5 * np.linalg.norm(body.mesh.points[b] - body.mesh.points[a], axis=1)
        nodes, place = np.unique(np.concatenate((a, b)), return_inverse=True)
        share = np.bincount(place, weights=np.concatenate((half, half)))
        return [
            Moment(body.node(int(node)), tuple(float(length * m) for m in self.moment))
            for node, length in zip(nodes, share, strict=True)
        ]
