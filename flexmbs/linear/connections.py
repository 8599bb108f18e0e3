"""What joins and loads the nodes of a part beside its elements: masses, springs, rigid and averaging links.

Nodes are given as the name of a node set, as numbers of points, or as a new point (x, y, z) of a link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_name, as_number, frozen_copy, is_list, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from flexmbs.meshes import Mesh

__all__ = ["DistributingCoupling", "NodalMass", "NodalSpring", "RigidCoupling"]


@dataclass(frozen=True, eq=False)
class NodalMass:
    """A rigid mass fixed to a node.

    Parameters
    ----------
    at : str or int
        Name of a node set with one node, a link by its name, or the number of a point.
    mass : float
        [mass], not negative.
    inertia : (3, 3) array, optional
        Inertia tensor about its centre of mass, inertial axes [mass length^2]; needs a node with rotations.
    offset : (3,) array, default zero
        From the node to its centre of mass [length]; needs a node with rotations unless zero.

    Raises
    ------
    ModelError
        If the mass is negative or the tensor not symmetric and positive semidefinite.
    """

    at: str | int
    mass: float
    inertia: Any = None
    offset: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        owner = "NodalMass"
        object.__setattr__(self, "at", as_place(owner, "at", self.at))
        object.__setattr__(self, "mass", as_number(owner, "mass", self.mass, minimum=0.0))
        object.__setattr__(self, "offset", frozen_copy(as_array(owner, "offset", self.offset, (3,), unit="length")))
        if self.inertia is not None:
            J = as_array(owner, "inertia", self.inertia, (3, 3))
            if np.abs(J - J.T).max() > 1e-9 * np.abs(J).max(initial=0.0) or np.linalg.eigvalsh(J).min() < 0:
                raise ModelError(f"{owner}: inertia must be symmetric and positive semidefinite, not {J.tolist()}.")
            object.__setattr__(self, "inertia", frozen_copy(0.5 * (J + J.T)))

    def matrix(self) -> FloatArray:
        """Mass matrix (6, 6) of the node."""
        d = np.cross(np.eye(3), self.offset)  # rows e_i x offset: velocity of the centre is v - offset~ w
        M = np.zeros((6, 6))
        M[:3, :3] = self.mass * np.eye(3)
        M[:3, 3:] = self.mass * d.T
        M[3:, :3] = M[:3, 3:].T
        M[3:, 3:] = self.mass * d @ d.T
        if self.inertia is not None:
            M[3:, 3:] += self.inertia
        return M


@dataclass(frozen=True, eq=False)
class NodalSpring:
    """A spring between two nodes, or between a node and the ground.

    Parameters
    ----------
    a : str or int
        Node, as in `NodalMass`.
    stiffness : (3,), (6,), (3, 3) or (6, 6) array
        Along and about the inertial axes [force/length, force length]; symmetric. It acts on the difference of the
        coordinates of both nodes, which is free of strain in rigid motions only if the nodes coincide (or one is the
        ground).
    b : str, int or None
        The other node; None: the ground.

    Raises
    ------
    ModelError
        If the stiffness is not symmetric and positive semidefinite.
    """

    a: str | int
    stiffness: Any
    b: str | int | None = None

    def __post_init__(self) -> None:
        owner = "NodalSpring"
        object.__setattr__(self, "a", as_place(owner, "a", self.a))
        if self.b is not None:
            object.__setattr__(self, "b", as_place(owner, "b", self.b))
        given = np.asarray(self.stiffness)
        if given.shape not in ((3,), (6,), (3, 3), (6, 6)):
            raise ModelError(f"{owner}: stiffness must have shape (3,), (6,), (3, 3) or (6, 6), not {given.shape}.")
        k = as_array(owner, "stiffness", self.stiffness, (None,) * given.ndim)
        K = np.zeros((6, 6))
        K[: len(k), : len(k)] = np.diag(k) if k.ndim == 1 else k
        if np.abs(K - K.T).max() > 1e-9 * np.abs(K).max(initial=0.0) or np.linalg.eigvalsh(K).min() < -1e-9 * K.max():
            raise ModelError(f"{owner}: stiffness must be symmetric and positive semidefinite.")
        object.__setattr__(self, "stiffness", frozen_copy(0.5 * (K + K.T)))


@dataclass(frozen=True, eq=False)
class RigidCoupling:
    """Nodes that move as one rigid body with a reference node (RBE2): u = u_0 + theta_0 x d, theta = theta_0.

    Parameters
    ----------
    name : str
        Name of the link; its reference node gets a node set of this name.
    nodes : str or sequence of int
        The dependent nodes: name of a node set, or numbers of points.
    at : (3,) array or int, optional
        The reference node: a new point, or the number of an existing one. Default: a new one at the mean of the nodes.

    Raises
    ------
    ModelError
        If the name is empty or the nodes are of another kind.
    """

    name: str
    nodes: Any
    at: Any = None

    def __post_init__(self) -> None:
        as_name("RigidCoupling", "name", self.name)
        owner = f"RigidCoupling {self.name!r}"
        object.__setattr__(self, "nodes", as_nodes(owner, self.nodes))
        object.__setattr__(self, "at", _as_reference(owner, self.at))


@dataclass(frozen=True, eq=False)
class DistributingCoupling:
    """A reference node that follows the weighted mean motion of others without stiffening them (RBE3).

    The displacement of the reference node is that of the rigid motion nearest to those of the nodes in the sense of
    weighted least squares, so a force on it is shared out among the nodes like the forces in a group of bolts.

    Parameters
    ----------
    name : str
        Name of the link; its reference node gets a node set of this name.
    nodes : str or sequence of int
        The independent nodes, three or more that do not lie on a line.
    at : (3,) array, optional
        The reference node, a new point. Default: the weighted mean of the nodes.
    weights : (n,) array, optional
        Positive weights of the nodes; equal by default.

    Raises
    ------
    ModelError
        If the name is empty, the nodes are of another kind or a weight is not positive.
    """

    name: str
    nodes: Any
    at: Any = None
    weights: Any = None

    def __post_init__(self) -> None:
        as_name("DistributingCoupling", "name", self.name)
        owner = f"DistributingCoupling {self.name!r}"
        object.__setattr__(self, "nodes", as_nodes(owner, self.nodes))
        if self.at is not None:
            object.__setattr__(self, "at", frozen_copy(as_array(owner, "at", self.at, (3,), unit="length")))
        if self.weights is not None:
            weights = as_array(owner, "weights", self.weights, (None,))
            if not (weights > 0).all():
                raise ModelError(f"{owner}: weights must be positive, not {show(self.weights)}.")
            object.__setattr__(self, "weights", frozen_copy(weights))


def as_place(owner: str, name: str, value: object) -> str | int:
    """A name or the number of a point."""
    return as_name(owner, name, value) if isinstance(value, str) else as_count(owner, name, value)


def as_nodes(owner: str, value: object) -> Any:
    """A name, or numbers of points (n,)."""
    if isinstance(value, str):
        return as_name(owner, "nodes", value)
    if not is_list(value) or not len(value):
        raise ModelError(f"{owner}: nodes must be the name of a node set or numbers of points, not {show(value)}.")
    return frozen_copy(np.array([as_count(owner, "each of nodes", n) for n in value], dtype=np.int64))


def find_nodes(owner: str, mesh: Mesh, value: Any) -> IntArray:
    """Numbers of points, sorted, of a name or of numbers."""
    if isinstance(value, str):
        try:
            return np.asarray(mesh.node_set(value), dtype=np.int64)
        except ModelError as error:
            raise ModelError(f"{owner}: {error}") from None
    nodes = np.unique(np.atleast_1d(np.asarray(value, dtype=np.int64)))
    if nodes[-1] >= mesh.n_points:
        raise ModelError(f"{owner}: there is no point {nodes[-1]}; points are numbered 0 to {mesh.n_points - 1}.")
    return nodes


def _as_reference(owner: str, value: object) -> Any:
    if value is None:
        return None
    if is_list(value):
        return frozen_copy(as_array(owner, "at", value, (3,), unit="length"))
    return as_count(owner, "at", value)
