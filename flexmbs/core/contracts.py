"""The contracts between the rooms on one page: read this before writing an element, a load or a support of your own.

Three layers are never mixed. A *description* is a frozen dataclass in words. *Compiled* data are contiguous float64
and int64 arrays. A *kernel* is a jitted module-level function over compiled data only.

Every kernel of forces has the signature ``(group, state, env, work)`` and adds to ``work.r``; every kernel of tangents
has ``(group, state, env, work, weights)``, adds the same forces to ``work.r`` and overwrites its blocks in ``work.B``
with ``wq * dr/dq + wv * dr/dv`` (mass is constant and kept apart). A kernel allocates nothing but small arrays on the
stack (`flexmbs.core.kernel_arrays`), raises nothing, calls no Python, and returns the index of the first item it cannot
treat, or -1. A group is a **flat** NamedTuple of arrays, ints and floats; an empty group is legal.

Sign: ``r = M a + (internal forces) - (applied forces)``, so that r = 0 is equilibrium and a force enters ``r`` with the
sign of the derivative of its potential.

Block layout: block i of a group with k coordinates per item lies at ``B[b1 + i*k*k : b1 + (i+1)*k*k]``, row-major, in
the order of ``dofs[i]``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flexmbs.core.section import BeamStiffness
    from flexmbs.core.shell_section import ShellStiffness

__all__ = [
    "ELEMENT_MEMBERS",
    "SURFACE_MEMBERS",
    "Element",
    "Env",
    "FloatArray",
    "Formulation",
    "IntArray",
    "MarkerWork",
    "NodeLayout",
    "Resultant",
    "State",
    "SurfaceElement",
    "SurfaceShape",
    "Term",
    "Work",
    "owned",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def owned(x: FloatArray) -> FloatArray:
    """An array as kernels take it: contiguous floats that may be written to, a copy if need be.

    Arrays that cannot be written to, as those of results are, are of another type to numba, for which it would compile
    kernels anew.
    """
    return np.require(x, np.float64, ("C", "A", "W"))


class State(NamedTuple):
    """Where the system is: ``q (n_q,)``, ``v (n_v,)``, ``a (n_v,)``, ``lam (n_c,)``."""

    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray


class Env(NamedTuple):
    """What the outside does: time ``t`` (or load factor) and the factor ``scale (n_loads,)`` of each load."""

    t: float
    scale: FloatArray


class Work(NamedTuple):
    """Private work arrays: residual ``r (n_v,)`` and all tangent blocks ``B (n_b,)``."""

    r: FloatArray
    B: FloatArray


class MarkerWork(NamedTuple):
    """Work arrays of kernels on markers; ``r`` and ``B`` are those of `Work`.

    ``p (n_m, 3)``, ``R (n_m, 3, 3)``: position and orientation of the markers, inertial frame. ``twist (n_m, 6)``:
    velocity of the point (inertial axes) and angular velocity (the marker's own axes). ``W (n_m, 6)``: sum of all
    wrenches on a marker (force in inertial axes, moment in the marker's own); r += J^T W. ``JT (n_r, 6)``: a row per
    marker and coordinate, the transposed Jacobian of the twist; ``JcT``: the same with the columns of rotations
    multiplied by the tangent operator of the step; ``JvT``: transposed d(J v)/dq at fixed v. ``T (n_rot, 3, 3)``:
    tangent operators of the rigid bodies. ``S (64, 12)``: scratch.
    """

    r: FloatArray
    B: FloatArray
    p: FloatArray
    R: FloatArray
    twist: FloatArray
    W: FloatArray
    JT: FloatArray
    JcT: FloatArray
    JvT: FloatArray
    T: FloatArray
    S: FloatArray


@dataclass(frozen=True)
class NodeLayout:
    """The coordinates of one node of an element, by meaning.

    Parameters
    ----------
    dim : int
        2 (plane) or 3 (space).
    names : tuple of str
        One name per nodal coordinate, e.g. ``("x", "y", "x_s", "y_s")``.
    position : tuple of int
        Which coordinates are the position (or the displacement), ``dim`` of them.
    slope : tuple of int
        Which are the slope vector dr/ds, ``dim`` of them; empty if the node has none.
    rotation : tuple of int
        Which are small rotations (1 in the plane, 3 in space); empty if the node has none.
    directors : tuple of int
        Which are the two vectors dr/dy and dr/dz that span the section, 6 in space (`flexmbs.core.directors`); empty if
        the node has none.
    quaternion : bool
        Whether the rotations are increments, in the node's own axes, of a unit quaternion: the node has position and
        quaternion, 7 numbers, in q and in the reference, and 6 in v, which ``names`` and the tuples here refer to. Its
        element's group has ``n_linear`` and ``T``, which are filled in (`flexmbs.system.coordinates`,
        `flexmbs.dynamics.evaluation`).
    absolute : bool
        Whether the position coordinates are positions (True) or displacements (False).
    surface : tuple of int
        Which are the two vectors dr/du and dr/dv that span the tangent plane of a surface, 6 in space; empty if the
        node has none. A vector across the thickness is ``slope``.
    mixed : tuple of int
        Which are the mixed derivative of the position by u and v, 3; empty if the node has none.
    """

    dim: int
    names: tuple[str, ...]
    position: tuple[int, ...]
    slope: tuple[int, ...] = ()
    rotation: tuple[int, ...] = ()
    absolute: bool = True
    directors: tuple[int, ...] = ()
    quaternion: bool = False
    surface: tuple[int, ...] = ()
    mixed: tuple[int, ...] = ()

    @property
    def frame(self) -> tuple[int, ...]:
        """The two vectors that tell a frame with all its rotations, or none: directors, or those of a surface.

        Of a surface with a vector across the thickness it is this vector that turns with the section, together with the
        first slope; the slopes alone may turn against it by shear.
        """
        if self.surface and self.slope:
            return (*self.surface[:3], *self.slope)
        return self.directors or self.surface

    @property
    def directions(self) -> tuple[tuple[int, ...], ...]:
        """The vectors of the node that are never zero."""
        parts = (self.slope, self.directors[:3], self.directors[3:], self.surface[:3], self.surface[3:])
        return tuple(part for part in parts if part)

    @property
    def vectors(self) -> tuple[tuple[int, ...], ...]:
        """All vectors that turn with the node."""
        return (*self.directions, self.mixed) if self.mixed else self.directions


class Resultant(NamedTuple):
    """A stress resultant: its symbol, its meaning, and its dimension in words (``"force"``, ``"moment"``)."""

    symbol: str
    meaning: str
    dimension: str


ForceKernel = Callable[[Any, State, Env, Work], int]
TangentKernel = Callable[[Any, State, Env, Work, tuple[float, float]], int]


@dataclass(frozen=True)
class Term:
    """All items of one type, compiled: what the system loops over.

    Parameters
    ----------
    name : str
        For messages: "elements of beam 'arm'".
    group : NamedTuple
        Flat; its fields ``dofs (n, k)`` and ``b1`` are used by the assembly.
    force, tangent : kernels
        ``tangent`` may be None for a term whose force is constant.
    symmetric : bool
        Whether its tangent blocks are symmetric (dr/dq of a potential).
    diagnosis : str
        What it means when a kernel refuses an item.
    support : bool
        Whether its forces are those of elastic supports, which count as reactions.
    energy : callable, optional
        ``energy(group, q)`` is the potential energy of elastic supports.
    gaps : callable, optional
        Of contacts: ``gaps(group, state, gap, rate)`` puts gaps, and their rates, that are less than those of the pairs
        of bodies (n_pairs,) so far in their place.
    power : callable, optional
        ``power(group, state)`` is the power that friction and damping feed into the system, beside what ``energy``
        gives back.
    """

    name: str
    group: Any
    force: ForceKernel
    tangent: TangentKernel | None
    symmetric: bool = True
    diagnosis: str = ""
    support: bool = False
    energy: Callable[[Any, FloatArray], float] | None = None
    gaps: Callable[[Any, State, FloatArray, FloatArray], None] | None = None
    power: Callable[[Any, State], float] | None = None


class Formulation(Protocol):
    """What elements of lines and of surfaces have in common: a frozen dataclass of choices with these members.

    ``force`` and ``tangent`` are the kernels. All array methods are vectorised over the elements of the group. Natural
    coordinates are xi in [-1, 1], arrays (n_s,), on lines, and (xi, eta) in [-1, 1] x [-1, 1], arrays (n_s, 2), on
    surfaces with the nodes at (-1, -1), (1, -1), (1, 1), (-1, 1).
    """

    @property
    def name(self) -> str:
        """A word for messages and reports."""

    @property
    def cell_type(self) -> str:
        """The mesh cell it lives on, by meshio's name."""

    @property
    def layout(self) -> NodeLayout:
        """The coordinates of a node."""

    @property
    def resultants(self) -> tuple[Resultant, ...]:
        """The stress resultants it can tell."""

    @property
    def force(self) -> ForceKernel:
        """Kernel of the internal forces."""

    @property
    def tangent(self) -> TangentKernel:
        """Kernel of the internal forces with their exact derivatives."""

    @property
    def shared(self) -> tuple[str, ...]:
        """The fields of its group that all elements of equal choices have in common; the others have a row each."""

    @property
    def viscous(self) -> bool:
        """Whether its material has damping: its group then has ``tau (n_e,)``, the retardation times [time]."""

    @property
    def diagnosis(self) -> str:
        """What it means when a kernel refuses an element; empty: its forces are not finite."""

    def accurate_points(self, symbol: str) -> FloatArray:
        """Natural coordinates at which a stress resultant is most accurate; between them it may be far off.

        On surfaces a grid, with xi running first.
        """

    def mass(self, group: Any) -> FloatArray:
        """Consistent mass matrices (n_e, k, k) [mass, mass length^2, ... by coordinate]; constant."""

    def energy(self, group: Any, q: FloatArray) -> FloatArray:
        """Strain energies (n_e,) [force length]."""

    def body_load(self, group: Any, load: FloatArray, per_mass: bool) -> FloatArray:
        """Generalised forces (n_e, k) of a dead load (dim,) per reference length or area, or per mass."""

    def positions(self, group: Any, q: FloatArray, xi: FloatArray) -> FloatArray:
        """Points (n_e, n_s, dim) of the axis or middle surface."""

    def stress_resultants(self, group: Any, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        """Stress resultants (n_e, n_s, n_resultants) in the order of ``resultants``, elastic and viscous parts."""


class Element(Formulation, Protocol):
    """An element formulation on lines.

    An element of two nodes with a slope and directors may have an attribute ``carries_kinks = True``. Its lines may
    have corners and branches, and its `tabulate` gets one more argument, ``slopes (n_e, 2, 3, 3)``: the vectors r_x,
    r_y, r_z (rows) of each cell at its nodes in the stress-free shape, where ``reference`` has those of the nodes.

    An element whose axis is r = N e, with e (k/dim, dim) its coordinates as vectors, may have ``interpolation(group,
    xi)``, which gives N (n_e, n_s, k/dim) and dN/dxi of the same shape: contact along the line needs it.
    """

    def reference(self, points: FloatArray, tangents: FloatArray) -> FloatArray:
        """Nodal coordinates (n_nodes, n) of the stress-free shape from points and unit tangents (n_nodes, dim)."""

    def tabulate(
        self, points: FloatArray, reference: FloatArray, dofs: IntArray, stiffness: BeamStiffness, b1: int
    ) -> Any:
        """Group of the elements at ``points (n_e, n_nodes, dim)`` with ``reference`` and ``dofs``, both (n_e, k)."""

    def lengths(self, group: Any) -> FloatArray:
        """Lengths (n_e,) of the elements in the stress-free shape [length]."""


class SurfaceShape(NamedTuple):
    """The stress-free shape of a surface at its nodes, as an element of a surface gets it to make its reference.

    ``points (n_nodes, 3)``; ``frames (n_nodes, 3, 3)``: columns are two unit tangents and the unit normal, means over
    the cells that meet at the node; the first tangent is the projection of the ``axis`` of the section.
    ``kinks (n_kinks,)``: nodes where cells meet at an angle (`flexmbs.meshes.surface`). ``cells (n_e, n_nodes)``;
    where the element is ``parametric``: ``slopes (n_nodes, 9)``, derivatives dr/du, dr/dv and d2r/dudv by two
    parameters that are smooth over the whole surface, ``sizes (n_e, 2)``, the extents of the elements in u and v, and
    the nodes of a cell in the order (u0, v0), (u1, v0), (u1, v1), (u0, v1). Without parameters both are empty.
    """

    points: FloatArray
    frames: FloatArray
    kinks: IntArray
    cells: IntArray
    slopes: FloatArray
    sizes: FloatArray


class SurfaceElement(Formulation, Protocol):
    """An element formulation on ``quad`` cells in space.

    Resultants are N_11, N_22, N_12 [force/length], M_11, M_22, M_12 [force] and, with shear, Q_1, Q_2 [force/length],
    in the axes of the material. Fields of the group that every element of a surface has: ``dofs``, ``b1``,
    ``reference (n_e, k)``.
    """

    @property
    def parametric(self) -> bool:
        """Whether its slopes are derivatives by parameters that must be smooth over the whole surface."""

    @property
    def carries_kinks(self) -> bool:
        """Whether cells may meet at an angle."""

    def surface_reference(self, shape: SurfaceShape) -> FloatArray:
        """Nodal coordinates (n_nodes, n) of the stress-free shape."""

    def tabulate_surface(
        self, shape: SurfaceShape, reference: FloatArray, dofs: IntArray, stiffness: ShellStiffness, b1: int
    ) -> Any:
        """Group of all elements of ``shape.cells`` with ``reference (n_e, k)`` and ``dofs (n_e, k)``."""

    def areas(self, group: Any) -> FloatArray:
        """Areas (n_e,) of the elements in the stress-free shape [length^2]."""

    def interpolation(self, group: Any, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        """N (n_e, n_s, k/3) and its derivatives by xi and eta (n_e, n_s, 2, k/3).

        The middle surface is r = N e with e (k/3, 3) the coordinates of an element as vectors; for loads per present
        area or length. Constant over time.
        """


def _members(protocol: type) -> tuple[str, ...]:
    return tuple(name for name in vars(Formulation) | vars(protocol) if not name.startswith("_"))


ELEMENT_MEMBERS = _members(Element)
"""What an element of lines must have."""
SURFACE_MEMBERS = _members(SurfaceElement)
"""What an element of surfaces must have."""
