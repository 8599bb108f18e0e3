r"""Loads of linear structures: nodal forces of all physical displacements, consistent with the elements.

Every load answers ``forces(operators)`` with an array (n,) over the unknowns: forces along the inertial axes [force],
moments about them by the right-hand rule [force length]. Forces on nodes that links move are carried to the independent
unknowns by the transpose of the expansion, which keeps their resultant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from flexmbs.core.checks import as_array, as_number, frozen_copy, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.field_terms import field_term
from flexmbs.linear.constraints import mean_motion
from flexmbs.linear.faces import faces_within, nodal_areas, nodal_vectors, outer_faces
from flexmbs.linear.operators import Operators
from flexmbs.linear.structure import part_of
from flexmbs.linear.supports import nodes_at
from flexmbs.meshes.cells import cell_type
from flexmbs.meshes.surface import common_edges

__all__ = ["LinearLoad", "NodalForce", "SurfaceLoad", "load_vector"]


class LinearLoad(Protocol):
    """What a load must have."""

    def forces(self, operators: Operators) -> FloatArray:
        """Nodal forces (n,) on the unknowns."""


@dataclass(frozen=True, eq=False)
class NodalForce:
    """A force, and if wanted a moment, on a node or shared out among several.

    The force is shared out among the nodes with weights w_a, f_a = w_a F / sum w. A moment on several nodes becomes the
    forces of an averaging link: f_a = w_a (J^-1 M) x d_a with the offsets d_a from the weighted mean of the nodes. A
    moment on one node needs a node with rotations.

    Parameters
    ----------
    at : str, int or sequence of int
        Node set, node or nodes.
    force : (3,) array
        Resultant [force].
    moment : (3,) array, optional
        Resultant about the weighted mean of the nodes [force length].
    share : {"equal", "faces"}
        Weights: equal, or those of a uniform traction on the outer faces whose nodes all belong to the set, which
        leaves the stress near the load smooth.

    Raises
    ------
    ModelError
        If a value is of another kind; when used, if the nodes are unknown or have no such components.

    Examples
    --------
    >>> NodalForce("TIP", (0, 0, -100.0)).share
    'equal'
    """

    at: Any
    force: Any
    moment: Any = None
    share: str = "equal"

    def __post_init__(self) -> None:
        owner = f"NodalForce at {show(self.at)}"
        object.__setattr__(self, "force", frozen_copy(as_array(owner, "force", self.force, (3,), unit="force")))
        if self.moment is not None:
            moment = as_array(owner, "moment", self.moment, (3,), unit="force length")
            object.__setattr__(self, "moment", frozen_copy(moment))
        if self.share not in ("equal", "faces"):
            raise ModelError(f"{owner}: share must be 'equal' or 'faces', not {show(self.share)}.")

    def forces(self, operators: Operators) -> FloatArray:
        owner = f"NodalForce at {show(self.at)}"
        nodes = nodes_at(owner, operators, self.at)
        weights = np.ones(len(nodes))
        if self.share == "faces":
            faces = loaded_faces(owner, operators, self.at)
            weights = nodal_areas(operators.points, faces)[nodes]
        out = np.zeros((len(operators.points), 6))
        if self.moment is not None and len(nodes) == 1:
            out[nodes[0]] = np.concatenate([self.force, self.moment])
        elif self.moment is not None:
            centre = weights @ operators.points[nodes] / weights.sum()
            places = np.vstack([operators.points, centre])
            follow = mean_motion(owner, places, nodes, len(places) - 1, weights)
            out[nodes, :3] = (follow.T @ np.concatenate([self.force, self.moment])).reshape(-1, 3)
        else:
            out[nodes, :3] = np.outer(weights / weights.sum(), self.force)
        return on_unknowns(owner, operators, out)


@dataclass(frozen=True, eq=False)
class SurfaceLoad:
    """Pressure or traction on the outer faces of solids and on shells whose nodes all belong to a set.

    The nodal forces are integrals over the shape functions of the faces: exact for pressure on plane and curved faces,
    and for traction on plane ones. Directions and areas are those of the undeformed shape.

    Parameters
    ----------
    faces : str or sequence of int
        Node set, or nodes.
    pressure : float, optional
        Positive when it pushes on the solid, against the outward normal; on shells against their normal
        [force/length^2].
    traction : (3,) array, optional
        Force per area along the inertial axes [force/length^2].

    Raises
    ------
    ModelError
        If neither or both are given; when used, if the set names no face, or if a pressure acts on neighbouring shells
        that have opposite normals.

    Examples
    --------
    >>> SurfaceLoad("BORE", pressure=2e6).pressure
    2000000.0
    """

    faces: Any
    pressure: float | None = None
    traction: Any = None

    def __post_init__(self) -> None:
        owner = f"SurfaceLoad on {show(self.faces)}"
        if (self.pressure is None) == (self.traction is None):
            raise ModelError(f"{owner}: give either a pressure or a traction.")
        if self.pressure is not None:
            object.__setattr__(self, "pressure", as_number(owner, "pressure", self.pressure, unit="force/length^2"))
        else:
            traction = as_array(owner, "traction", self.traction, (3,), unit="force/length^2")
            object.__setattr__(self, "traction", frozen_copy(traction))

    def forces(self, operators: Operators) -> FloatArray:
        owner = f"SurfaceLoad on {show(self.faces)}"
        faces = loaded_faces(owner, operators, self.faces)
        out = np.zeros((len(operators.points), 6))
        if self.pressure is not None:
            refuse_turned(owner, faces)
            out[:, :3] = -self.pressure * nodal_vectors(operators.points, faces)
        else:
            out[:, :3] = np.outer(nodal_areas(operators.points, faces), self.traction)
        return on_unknowns(owner, operators, out)


def loaded_faces(owner: str, operators: Operators, at: Any) -> dict[str, IntArray]:
    """The faces of elements that a set names."""
    part = part_of(owner, operators)
    nodes = nodes_at(owner, operators, at)
    faces = faces_within(outer_faces((p.region.element.cell_type, p.cells) for p in part.pieces), nodes)
    if not faces:
        raise ModelError(
            f"{owner}: none of the outer faces of the elements has all its nodes in the set of {len(nodes)} nodes."
        )
    return faces


def refuse_turned(owner: str, faces: dict[str, IntArray]) -> None:
    """Refuse faces of which two have opposite normals: they pass their common edge in one direction."""
    corners = [cells[:, : cell_type(name).n_corners] for name, cells in faces.items()]
    ways = np.concatenate([np.stack([c.ravel(), np.roll(c, -1, axis=1).ravel()], axis=1) for c in corners])
    ways = ways[ways[:, 0] != ways[:, 1]]  # a quadrilateral may be collapsed to a triangle
    edges = common_edges(ways, np.arange(len(ways)))
    turned = edges.nodes[edges.same]  # where three sheets meet, they may
    if len(turned):
        a, b = turned[0]
        raise ModelError(
            f"{owner}: the shells on both sides of the edge from node {a} to node {b} have opposite normals, so that "
            f"the pressure would act in opposite directions ({len(turned)} such edge{'s' * (len(turned) > 1)} in all). "
            f"Give the corners of all cells the same order (`meshes.oriented` does for quadrilaterals), or give "
            f"traction= instead."
        )


def on_unknowns(owner: str, operators: Operators, nodal: FloatArray) -> FloatArray:
    """Forces (n,) on the unknowns from those (n_nodes, 6) on the nodes; none may get lost."""
    everything = operators.all_dofs
    assert everything is not None  # noqa: S101  # set on construction
    table = everything.table(len(operators.points))
    lost = (nodal != 0) & (table < 0)
    if lost.any():
        node, component = (int(i[0]) for i in np.nonzero(lost))
        what = "force along " if component < 3 else "moment about "
        raise ModelError(
            f"{owner}: node {node} cannot take a {what}{'xyz'[component % 3]}; "
            + ("it belongs to no element." if (table[node] < 0).all() else "it has no rotations; use a RigidCoupling.")
        )
    out = np.zeros(len(everything))
    out[table[table >= 0]] = nodal[table >= 0]
    return carried(operators, out)


def carried(operators: Operators, forces: FloatArray) -> FloatArray:
    """Forces (n,) on the unknowns from those (N,) on all physical displacements."""
    return forces if operators.expansion is None else np.asarray(operators.expansion.T @ forces)


def load_vector(owner: str, operators: Operators, loads: object) -> FloatArray:
    """Forces (n,) on the unknowns of one load, of several that act together, or as given by an array."""
    if isinstance(loads, np.ndarray):
        return as_array(owner, "loads", loads, (operators.n,))
    total = np.zeros(operators.n)
    acting: list[Any] = list(loads) if isinstance(loads, list | tuple) else [loads]
    for load in acting:
        if isinstance(load, np.ndarray):
            total += as_array(owner, "a load", load, (operators.n,))
            continue
        if isinstance(load, type) or not hasattr(load, "forces"):
            raise ModelError(
                f"{owner}: a load must be a NodalForce, SurfaceLoad, Acceleration, Centrifugal, ThermalLoad or "
                f"an array ({operators.n},), not {show(load)}.{_instead(load)}"
            )
        total += load.forces(operators)
    return total


def _instead(load: Any) -> str:
    """Which load of parts is meant by one of models."""
    kind = (load if isinstance(load, type) else type(load)).__name__
    here = [path for path in field_term(kind) if path.startswith("linear.")]
    return f" On parts {kind} is flexmbs.{here[0]}." if here else ""
