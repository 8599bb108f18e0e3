"""Static solutions of linear structures: displacements, reactions, energy and stresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.attributes import Hinted
from flexmbs.core.checks import as_array
from flexmbs.core.contracts import FloatArray
from flexmbs.linear.operators import Operators, rigid_motions
from flexmbs.linear.pictures import draw_structure
from flexmbs.linear.stresses import NodalStresses, nodal_stresses, nodal_von_mises
from flexmbs.linear.structure import part_of
from flexmbs.linear.supports import Supports, nodes_at

if TYPE_CHECKING:
    from flexmbs.linear.body_loads import ThermalLoad

__all__ = ["BodyForce", "LinearSolution"]

BodyForce = Callable[[FloatArray], FloatArray]
"""Forces per mass (..., 3) at points (..., 3)."""


@dataclass(frozen=True, eq=False, repr=False)
class LinearSolution(Hinted):
    """The static response of a linear structure to one load case, as `static_response` gives it.

    Parameters
    ----------
    operators : Operators
    supports : Supports
        Held and free unknowns.
    u : (n,) array
        The unknowns [length, rad].
    forces : (n,) array
        Forces on the unknowns [force, force length], those of thermal strains included.
    thermal : tuple of ThermalLoad
        Free strains, which recovered stresses leave out.
    fields : tuple of functions
        Forces per mass (..., 3) at points (..., 3) that are among the forces.
    """

    operators: Operators
    supports: Supports
    u: FloatArray
    forces: FloatArray
    thermal: tuple[ThermalLoad, ...] = field(default=())
    fields: tuple[BodyForce, ...] = field(default=())

    def __repr__(self) -> str:
        largest = float(np.linalg.norm(self.displacements[:, :3], axis=1).max(initial=0.0))
        return f"LinearSolution: {self.operators.n} unknowns, largest displacement {largest:.4g}"

    @cached_property
    def displacements(self) -> FloatArray:
        """Displacements and rotations (n_nodes, 6) of all nodes; 0 where a node has none."""
        return self.operators.displacements(self.u)

    def displacement(self, at: Any) -> FloatArray:
        """Displacements and rotations of a node (6,), or of all nodes of a set (n, 6)."""
        found = self.displacements[nodes_at("displacement", self.operators, at)]
        return found[0] if isinstance(at, int | np.integer) else found

    @cached_property
    def unbalanced(self) -> FloatArray:
        """K u - f (n,): the reactions at held unknowns, round-off at the others."""
        return np.asarray(self.operators.K @ self.u - self.forces)

    def reaction(self, at: Any, about: Any = None) -> FloatArray:
        """Resultant force and moment (6,) of the supports on the nodes of a set.

        Parameters
        ----------
        at : str, int or sequence of int
            Node set, node or nodes.
        about : (3,) array, optional
            Point of the moment; the mean of the nodes by default.
        """
        nodes = nodes_at("reaction", self.operators, at)
        points = self.operators.points
        about = points[nodes].mean(axis=0) if about is None else as_array("reaction", "about", about, (3,))
        held = self.supports.held[np.isin(self.operators.dofs.node[self.supports.held], nodes)]
        lever = rigid_motions(self.operators.dofs, points, about)
        return np.asarray(lever[held].T @ self.unbalanced[held])

    @property
    def reactions(self) -> Mapping[str | int, FloatArray]:
        """Resultants (6,) by what `fixed` named; nodes that several entries name are in each of them."""
        return {at: self.reaction(nodes) for at, nodes in self.supports.places.items()}

    def stresses(self) -> list[NodalStresses]:
        """Stresses at the nodes, by region (`flexmbs.linear.stresses.nodal_stresses`).

        They are averaged over the elements of a node as far as these belong to one continuous field
        (`flexmbs.linear.averaging`). Nodes repeat where values are kept apart, as at folds of shells and in frames.
        """
        part = part_of("stresses", self.operators)
        return nodal_stresses(part, self.operators.expand(self.u), self.thermal)

    @cached_property
    def von_mises(self) -> FloatArray:
        """Von Mises stress (n_nodes,), the largest where `stresses` has several values; nan where there is none."""
        part = part_of("von_mises", self.operators)
        return nodal_von_mises(part, self.operators.expand(self.u), self.thermal)

    def plot(self, ax: Any = None, values: Any = None, label: str = "", factor: float | None = None) -> Any:
        """Draw the deformed surface, coloured by von Mises stress.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Made with ``projection="3d"``; a new figure by default.
        values : (n_nodes,) array, optional
            Other colours, with their ``label``.
        factor : float, optional
            On the displacements; chosen to be visible by default.
        """
        if values is None and self.operators.part is not None:
            values, label = self.von_mises, label or "von Mises stress [force/length²]"
            values = None if np.isnan(values).all() else values
        return draw_structure(self.operators, self.displacements, values, label or "displacement [length]", ax, factor)

    @property
    def strain_energy(self) -> float:
        """u^T K u / 2; with thermal loads, without the energy that the free strain itself would have."""
        return float(0.5 * self.u @ (self.operators.K @ self.u))

    @property
    def residual(self) -> float:
        """Largest unbalanced force of a free unknown relative to the largest force that acts between nodes."""
        free = self.supports.free
        between = float((abs(self.operators.K) @ np.abs(self.u)).max(initial=0.0))
        return float(np.abs(self.unbalanced[free]).max(initial=0.0)) / between if between > 0.0 else 0.0
