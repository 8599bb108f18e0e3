r"""Loads on the volume of elements: acceleration of the frame, steady rotation, temperature.

Uniform body forces and, in solids, centrifugal ones are linear fields, which the shape functions hold exactly, so that
the consistent mass times the field at the nodes is the exact nodal force.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.checks import as_array, as_name, as_number, frozen_copy, shape_of
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import AccuracyWarning, ModelError, unknown_name
from flexmbs.linear.connections import NodalMass
from flexmbs.linear.constraints import place
from flexmbs.linear.loads import carried
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part, Piece
from flexmbs.linear.structure import part_of

__all__ = ["Acceleration", "Centrifugal", "ThermalLoad"]

COARSE = 0.3
"""Difference of temperature within an element, over that in all, from which a warning is given: four over a thickness
bend 7 % too little."""


@dataclass(frozen=True, eq=False)
class Acceleration:
    r"""A uniform body force per mass, such as gravity: :math:`f = M R g` with the rigid translations R.

    Parameters
    ----------
    vector : (3,) array
        Force per mass along the inertial axes [length/time^2]; gravity is (0, 0, -9.81) if z points up. The inertia
        force of a structure whose base accelerates with a is that of ``Acceleration(-a)``.

    Raises
    ------
    ModelError
        If it is no vector.

    Examples
    --------
    >>> Acceleration((0, 0, -9.81)).vector.tolist()
    [0.0, 0.0, -9.81]
    """

    vector: Any

    def __post_init__(self) -> None:
        vector = as_array("Acceleration", "vector", self.vector, (3,), unit="length/time^2")
        object.__setattr__(self, "vector", frozen_copy(vector))

    def field(self, x: FloatArray) -> FloatArray:
        """Force per mass (..., 3) at points (..., 3)."""
        return np.broadcast_to(self.vector, x.shape)

    def forces(self, operators: Operators) -> FloatArray:
        return np.asarray(operators.M @ (operators.rigid_motions()[:, :3] @ self.vector))


@dataclass(frozen=True, eq=False)
class Centrifugal:
    r"""The centrifugal forces of a steady rotation, :math:`b = -\omega \times (\omega \times (x - c))` per mass.

    With the elements at hand, forces are sums over their points of mass (exact, rotary inertia of beams and shells
    included) and those of nodal masses. For operators that came as matrices they are the mass matrix times the field at
    the nodes: exact for solids, without the gyroscopic part of rotary inertia for others.

    The forces are those of the undeformed shape; the softening of a spinning structure, -omega^2 M on the directions
    across the axis, is not in the stiffness.

    Parameters
    ----------
    rate : (3,) array
        omega, angular velocity [rad/time].
    centre : (3,) array
        c, a point of the axis [length].

    Raises
    ------
    ModelError
        If something is no vector.

    Examples
    --------
    >>> Centrifugal((0, 0, 100.0)).centre.tolist()
    [0.0, 0.0, 0.0]
    """

    rate: Any
    centre: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name, unit in (("rate", "rad/time"), ("centre", "length")):
            object.__setattr__(
                self, name, frozen_copy(as_array("Centrifugal", name, getattr(self, name), (3,), unit=unit))
            )

    def field(self, x: FloatArray) -> FloatArray:
        """Force per mass (..., 3) at points (..., 3)."""
        return -np.cross(self.rate, np.cross(self.rate, x - self.centre))

    def forces(self, operators: Operators) -> FloatArray:
        if operators.part is None:
            nodal = np.zeros(operators.n)
            dofs = operators.dofs
            moved = np.flatnonzero((dofs.node >= 0) & (dofs.component < 3))
            nodal[moved] = self.field(operators.points)[dofs.node[moved], dofs.component[moved]]
            return np.asarray(operators.M @ nodal)
        part = operators.part
        out = np.zeros(int(part.nodes.n_dofs.sum()))
        for piece, cells, group in part.groups():
            mass = piece.region.element.mass_points(group)
            pushed = mass.weights[..., None] * self.field(mass.positions)
            np.add.at(out, part.element_dofs(piece, cells), np.einsum("egik,egi->ek", mass.shapes, pushed))
        for lump in part.connections:
            if isinstance(lump, NodalMass):
                node = place("Centrifugal", part.mesh, part.nodes, lump.at)
                force = lump.mass * self.field(part.nodes.points[node] + lump.offset)
                turn = np.cross(lump.offset, force)
                if lump.inertia is not None:
                    turn = turn - np.cross(self.rate, lump.inertia @ self.rate)
                count, first = int(part.nodes.n_dofs[node]), int(part.nodes.first[node])
                out[first : first + count] += np.concatenate([force, turn])[:count]
        return carried(operators, out)


@dataclass(frozen=True, eq=False)
class ThermalLoad:
    """A free thermal strain, alpha times temperature difference, equal in all directions.

    Stresses recovered from a solution with this load are those of the mechanical strain, C (eps - alpha dT).

    Parameters
    ----------
    temperature : float or (n_points,) array
        Difference from the stress-free state, everywhere or at the points of the mesh [temperature]. Each element takes
        the mean of its nodes, so that it has to be small where the temperature varies; a warning tells where it is not.
    expansion : float
        alpha [1/temperature].
    cells : str, optional
        Name of the region it is for (``Region.cells``); all by default.

    Raises
    ------
    ModelError
        If a value is of another kind; when used, if the region is unknown.

    Examples
    --------
    >>> ThermalLoad(80.0, 12e-6).expansion
    1.2e-05
    """

    temperature: Any
    expansion: float
    cells: str | None = None

    def __post_init__(self) -> None:
        owner = "ThermalLoad"
        if not shape_of(self.temperature):
            object.__setattr__(self, "temperature", as_number(owner, "temperature", self.temperature))
        else:
            field = as_array(owner, "temperature", self.temperature, (None,))
            object.__setattr__(self, "temperature", frozen_copy(field))
        object.__setattr__(self, "expansion", as_number(owner, "expansion", self.expansion, unit="1/temperature"))
        if self.cells is not None:
            as_name(owner, "cells", self.cells)

    def check(self, part: Part) -> None:
        """Refuse a part that this load does not fit."""
        names = [p.region.cells for p in part.pieces]
        if self.cells is not None and self.cells not in names:
            raise ModelError(f"ThermalLoad: {unknown_name('region', self.cells, [n for n in names if n is not None])}")
        if np.ndim(self.temperature) and len(self.temperature) != part.mesh.n_points:
            raise ModelError(
                f"ThermalLoad: temperature has {len(self.temperature)} values, the mesh {part.mesh.n_points} points."
            )

    def strains(self, piece: Piece, cells: IntArray) -> FloatArray:
        """Free thermal strain (n_e,) of cells."""
        if self.cells is not None and piece.region.cells != self.cells:
            return np.zeros(len(cells))
        if np.ndim(self.temperature) == 0:
            return np.full(len(cells), self.expansion * self.temperature)
        return np.asarray(self.expansion * self.temperature[cells].mean(axis=1))

    def forces(self, operators: Operators) -> FloatArray:
        part = part_of("ThermalLoad", operators)
        self.check(part)
        self._warn_of_coarse(part)
        out = np.zeros(int(part.nodes.n_dofs.sum()))
        for piece, cells, group in part.groups():
            load = piece.region.element.thermal_load(group, self.strains(piece, cells))
            np.add.at(out, part.element_dofs(piece, cells), load)
        return carried(operators, out)

    def _warn_of_coarse(self, part: Part) -> None:
        """Warn where the temperature varies much within elements."""
        if np.ndim(self.temperature) == 0:
            return
        pieces = [p.cells for p in part.pieces if self.cells is None or p.region.cells == self.cells]
        within = max(float(np.ptp(self.temperature[cells], axis=1).max(initial=0.0)) for cells in pieces)
        most = float(np.ptp(self.temperature[np.concatenate([cells.ravel() for cells in pieces])]))
        if within > COARSE * most:
            warnings.warn(
                f"ThermalLoad: the temperature varies by up to {within:.3g} within an element, of {most:.3g} in all. "
                f"Each element takes the mean of its nodes: with one over the thickness there is no bending at all, "
                f"with four 7 % too little. Take smaller elements where it varies.",
                AccuracyWarning,
                stacklevel=5,
            )
