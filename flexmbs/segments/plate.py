r"""Rectangular plates of finite rigid segments.

A grid of nodes divides the plate into cells a by b. Every node carries a rigid box, a by b, cut at the edges of the
plate; springs join it to its neighbours along both sides of the cells and, for Poisson's ratio, along both diagonals.
With the reduced stiffnesses Q of plane stress, times h for the membrane and times :math:`h^3/12` for bending, c and s
the cosine and sine of the angle of the diagonals, a uniform strain has the right energy

.. math:: \tfrac12 (Q_{11} \kappa_1^2 + Q_{22} \kappa_2^2 + 2 Q_{12} \kappa_1 \kappa_2 + 4 Q_{66} \kappa_{12}^2) =
   \tfrac12 \Big(A_1 \kappa_1^2 + A_2 \kappa_2^2 + 2 C \kappa_{12}^2 + B \sum_\pm (c^2 \kappa_1 + s^2 \kappa_2 \pm
   2 c s\,\kappa_{12})^2\Big)

.. math:: B = \frac{Q_{12}}{2 c^2 s^2}, \quad A_1 = Q_{11} - Q_{12} \frac{a^2}{b^2}, \quad
   A_2 = Q_{22} - Q_{12} \frac{b^2}{a^2}, \quad C = 2 (Q_{66} - Q_{12}),

as in the framework method of Hrennikoff (J. Applied Mechanics 8 (1941) A169-A175).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_name, as_number, frozen_copy, is_list, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.history import History
from flexmbs.core.material import Elastic, Orthotropic, refuse_axes_in_sheet
from flexmbs.core.rotations import RotationLike, as_rotation
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.bodies.rigid import RigidBody
from flexmbs.model.forces.bushing import Bushing
from flexmbs.model.forces.point_force import PointForce

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.results.states import States

__all__ = ["SegmentedPlate", "segmented_plate"]

SHEAR = 5.0 / 6.0
"""Correction of the transverse shear stiffness."""
SIDES = ("left", "right", "bottom", "top")


@dataclass(frozen=True, eq=False, repr=False)
class SegmentedPlate:
    """A rectangular plate of finite rigid segments; made by `segmented_plate`.

    Attributes
    ----------
    bodies : tuple of RigidBody
        Boxes named "<name> i j", j running fastest.
    springs : tuple of Bushing
    nodes : tuple of tuple of Marker
        ``nodes[i][j]`` in the middle plane at the corners of the cells, in axes of the plate.
    areas : (n_1 + 1, n_2 + 1) array
        Area of each segment [length^2].
    items : tuple
        All of it, for ``Model(...)`` and ``model.with_(...)``.
    """

    bodies: tuple[RigidBody, ...]
    springs: tuple[Bushing, ...]
    nodes: tuple[tuple[Marker, ...], ...]
    areas: FloatArray
    name: str
    items: tuple[Any, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", (*self.bodies, *self.springs))

    def __str__(self) -> str:
        return f"SegmentedPlate {self.name!r}"

    def __repr__(self) -> str:
        return f"<{self}: {len(self.bodies)} bodies, {len(self.springs)} springs>"

    @property
    def mass(self) -> float:
        """[mass]."""
        return float(sum(body.mass for body in self.bodies))

    def node(self, i: int, j: int) -> Marker:
        """The node with these numbers along both sides, from 0."""
        shape = self.areas.shape
        numbers = (as_count(f"{self}", "i", i), as_count(f"{self}", "j", j))
        if numbers[0] >= shape[0] or numbers[1] >= shape[1]:
            raise ModelError(f"{self}: there is no node {numbers}; they end with {(shape[0] - 1, shape[1] - 1)}.")
        return self.nodes[numbers[0]][numbers[1]]

    def side(self, which: str) -> tuple[Marker, ...]:
        """Nodes of the side "left" (x = 0), "right", "bottom" (y = 0) or "top"."""
        if which not in SIDES:
            raise ModelError(f"{self}: a side is one of {', '.join(map(repr, SIDES))}, not {show(which)}.")
        if which in ("left", "right"):
            return self.nodes[0 if which == "left" else -1]
        return tuple(row[0 if which == "bottom" else -1] for row in self.nodes)

    def pressure(self, value: float, history: History = None) -> tuple[PointForce, ...]:
        """Forces of a pressure [force/length^2] on all segments, along z of the plate where positive, following it."""
        p = as_number(f"{self}", "pressure", value, unit="force/length^2")
        pairs = zip(self.bodies, self.areas.ravel().tolist(), strict=True)
        return tuple(PointForce(body.centre, (0.0, 0.0, p * A), follower=True, history=history) for body, A in pairs)

    def positions(self, solution: States) -> FloatArray:
        """Places (n_t, n_1 + 1, n_2 + 1, 3) of all nodes over a motion or over equilibria [length]."""
        found = [solution.position(node) for row in self.nodes for node in row]
        return np.stack(found, axis=1).reshape(-1, *self.areas.shape, 3)


class _Lattice(NamedTuple):
    """Shares of a reduced stiffness that lie along the first and the second sides, the diagonals and in twist."""

    first: float
    second: float
    diagonal: float
    twist: float


class _Spring(NamedTuple):
    """Between two nodes: their numbers, and the diagonal of the stiffness along and about (direction, y, normal)."""

    a: tuple[int, int]
    b: tuple[int, int]
    stiffness: tuple[float, float, float, float, float, float]


def segmented_plate(
    size: tuple[float, float],
    n: tuple[int, int],
    *,
    thickness: float,
    material: Elastic | Orthotropic,
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: RotationLike = None,
    name: str = "plate",
) -> SegmentedPlate:
    r"""A plate of rigid boxes with elastic joints, for large rotations.

    Cells a by b are bounded by springs, each in the middle between two nodes. With :math:`A_1, A_2, B, C` for the
    membrane (m) and for bending (b), the spring along a first side, of which the strip of width w belongs to it, has

    .. math:: k_x = \frac{w}{a} A_1^m, \quad k_y = \frac{w}{a} C^m, \quad k_z = \frac{w}{a}\,\tfrac56 G_{13} h, \quad
       k_{\theta x} = \frac{w}{a} C^b, \quad k_{\theta y} = \frac{w}{a} A_1^b, \quad k_{\theta z} = k_x \frac{w^2}{12},

    likewise along second sides, and one along a diagonal of the length d :math:`k_x = B^m ab/d^2`,
    :math:`k_{\theta y} = B^b ab/d^2`. :math:`A, B, C` follow from plane stress:

    .. math:: B = \frac{Q_{12} d^4}{2 a^2 b^2}, \quad A_1 = Q_{11} - Q_{12} \frac{a^2}{b^2}, \quad
       A_2 = Q_{22} - Q_{12} \frac{b^2}{a^2}, \quad C = 2 (Q_{66} - Q_{12}),

    times h for the membrane and :math:`h^3/12` for bending.

    Parameters
    ----------
    size : (float, float)
        Sides along x and y of the plate [length].
    n : (int, int)
        Cells along both; there is a segment at each of their corners.
    thickness : float
        h [length].
    material : Elastic or Orthotropic
        Its axes 1 and 2 are x and y of the plate.
    position : (3,) array, default the origin
        Of the corner x = y = 0, inertial frame [length].
    rotation : (3, 3) array, (4,) array or scipy Rotation, optional
        Axes of the plate at the start, z normal to it; by default inertial axes.
    name : str

    Returns
    -------
    SegmentedPlate
        ``model.with_(*plate.items)`` puts it into a model.

    Raises
    ------
    ModelError
        If a number is out of bounds, or a spring would be negative: Poisson's ratio must be at least 0 and below 1/3
        for an isotropic plate, and its cells not too narrow, :math:`b/a > \sqrt{\nu}` and :math:`a/b > \sqrt{\nu}`.

    Notes
    -----
    The plate shears across its thickness as a Mindlin plate does, and does not lock where it is thin. Errors fall with
    the square of the cells; see the page on rigid segments. Limits: flat and rectangular; joints bend by less than half
    a turn. The bound of Poisson's ratio is that of every lattice of central springs.

    Sources: A. Hrennikoff, J. Applied Mechanics 8 (1941) A169-A175 (lattice with diagonals); T. Kawai, Nuclear
    Engineering and Design 48 (1978) 207-229 (rigid bodies with springs); O. N. Dmitrotchenko, Virtual Nonlinear
    Multibody Systems, NATO ASI, Prague 2002 (plates of rigid segments in multibody systems).

    Examples
    --------
    >>> import flexmbs as fx
    >>> sheet = fx.segments.segmented_plate((1.0, 0.5), (4, 2), thickness=0.01, material=fx.steel)
    >>> len(sheet.bodies), len(sheet.springs), round(sheet.mass, 9)
    (15, 38, 39.25)
    """
    owner = f"segmented_plate {as_name('segmented_plate', 'name', name)!r}"
    for what, value in (("size", size), ("n", n)):
        if not is_list(value, 2):
            raise ModelError(f"{owner}: {what} must be two numbers, along both sides, not {show(value)}.")
    sides = [as_number(owner, "each side of size", x, above=0.0, unit="length") for x in size]
    counts = [as_count(owner, "each number of cells n", x, minimum=1) for x in n]
    h = as_number(owner, "thickness", thickness, above=0.0, unit="length")
    corner = as_array(owner, "position", position, (3,), unit="length")
    R = as_rotation(owner, "rotation", rotation)
    cell = (sides[0] / counts[0], sides[1] / counts[1])
    lattice = _lattice(owner, material, cell)
    axes = [np.linspace(0.0, side, count + 1) for side, count in zip(sides, counts, strict=True)]
    edges = [np.concatenate((x[:1], 0.5 * (x[1:] + x[:-1]), x[-1:])) for x in axes]
    boxes = [[RigidBody.box(
        size=(edges[0][i + 1] - edges[0][i], edges[1][j + 1] - edges[1][j], h), density=material.density,
        position=corner + R @ (0.5 * (edges[0][i + 1] + edges[0][i]), 0.5 * (edges[1][j + 1] + edges[1][j]), 0.0),
        rotation=R, name=f"{name} {i} {j}",
    ) for j in range(counts[1] + 1)] for i in range(counts[0] + 1)]  # fmt: skip
    places = corner + np.stack((*np.meshgrid(*axes, indexing="ij"), np.zeros([c + 1 for c in counts])), axis=-1) @ R.T
    springs = []
    across = np.diag(material.transverse_shear()).tolist()
    for k, spring in enumerate(_springs(counts, cell, h, lattice, across)):
        first, second = (spring.a, spring.b) if k % 2 == 0 else (spring.b, spring.a)
        middle = 0.5 * (places[first] + places[second])
        along = places[spring.b] - places[spring.a]
        K = np.array(spring.stiffness)
        springs.append(
            Bushing(
                boxes[first[0]][first[1]].marker_at(middle, axis=R[:, 2], x=along),
                boxes[second[0]][second[1]].marker_at(middle, axis=R[:, 2], x=along),
                K, material.retardation_time * K, free_coordinates=np.zeros(6), name=f"{name} spring {k}",
            )
        )  # fmt: skip
    nodes = tuple(
        tuple(box.marker_at(places[i, j], axis=R[:, 2], x=R[:, 0], name=f"node {i} {j}") for j, box in enumerate(row))
        for i, row in enumerate(boxes)
    )
    areas = np.outer(np.diff(edges[0]), np.diff(edges[1]))
    return SegmentedPlate(tuple(b for row in boxes for b in row), tuple(springs), nodes, frozen_copy(areas), name)


def _lattice(owner: str, material: Elastic | Orthotropic, cell: tuple[float, float]) -> _Lattice:
    """A_1, A_2, B, C of the material, refused where a spring would pull the wrong way."""
    if not isinstance(material, Elastic | Orthotropic):
        raise ModelError(f"{owner}: material must be an Elastic or an Orthotropic, not {show(material)}.")
    refuse_axes_in_sheet(owner, material, "turn the plate, or exchange E_1 and E_2")
    Q = material.plane_stress()
    ratio = (cell[0] / cell[1]) ** 2
    found = _Lattice(
        Q[0, 0] - Q[0, 1] * ratio, Q[1, 1] - Q[0, 1] / ratio, 0.5 * Q[0, 1] * (1.0 + ratio) ** 2 / ratio,
        2.0 * (Q[2, 2] - Q[0, 1]),
    )  # fmt: skip
    if found.twist <= 0.0 or found.diagonal < 0.0:
        raise ModelError(
            f"{owner}: springs cannot have the Poisson's ratio of {show(material.name)}: 0 <= Q_12 < Q_66 is needed "
            f"(isotropic: 0 <= nu < 1/3), but Q_12 is {Q[0, 1]:.4g} and Q_66 is {Q[2, 2]:.4g}."
        )
    if found.first <= 0.0 or found.second <= 0.0:
        raise ModelError(
            f"{owner}: cells of {cell[0]:.4g} by {cell[1]:.4g} are too narrow; their sides may differ by a factor up "
            f"to {np.sqrt(Q[0, 0] / Q[0, 1]):.3g} and {np.sqrt(Q[1, 1] / Q[0, 1]):.3g}. Change n."
        )
    return found


def _springs(
    n: list[int], cell: tuple[float, float], h: float, lattice: _Lattice, across: list[float]
) -> Iterator[_Spring]:
    """All springs of a plate; those along its edges have half the width."""
    bending = h**2 / 12.0
    strong = (lattice.first, lattice.second)
    for i in range(n[0] + 1):
        for j in range(n[1] + 1):
            for axis, b in ((0, (i + 1, j)), (1, (i, j + 1))):
                if b[axis] > n[axis]:
                    continue
                other = (j, i)[axis]
                w = cell[1 - axis] * (0.5 if other in (0, n[1 - axis]) else 1.0)
                part = h * w / cell[axis]
                A, C = part * strong[axis], part * lattice.twist
                yield _Spring((i, j), b, (A, C, SHEAR * part * across[axis], C * bending, A * bending, A * w**2 / 12.0))
            if i < n[0] and j < n[1] and lattice.diagonal > 0.0:
                B = h * lattice.diagonal * cell[0] * cell[1] / (cell[0] ** 2 + cell[1] ** 2)
                for p, q in (((i, j), (i + 1, j + 1)), ((i, j + 1), (i + 1, j))):
                    yield _Spring(p, q, (B, 0.0, 0.0, 0.0, B * bending, 0.0))
