r"""Frame: a straight beam of a part, Timoshenko or Euler-Bernoulli, with offsets and released ends.

The beam itself is that of `flexmbs.elements.linear_beam`: exact stiffness, consistent mass with rotary inertia. Its
ends move with the nodes by :math:`\bar u = C u`, and every matrix and row of the beam is carried over by C:

.. math:: K = C^T \bar K C, \quad M = C^T \bar M C, \quad C = R^T S R\, T.

T is the rigid motion of the ends at the offsets d from the nodes, :math:`\bar u = u + \theta \times d`. R turns into
local axes, where S condenses the released components r onto the others c, :math:`\bar u_r = -K_{rr}^{-1} K_{rc}
\bar u_c`: the beam takes the shape in which it transmits no force by them. The mass is that of these condensed shapes;
the inertia of the released motions themselves is not seen by the nodes.

Geometric stiffness of the axial force N, with the slopes v', w' of the axis (theory of Engesser), and of the force f =
N e_x + Q on the ends with the turning of the offsets:

.. math:: u^T K_g u = N \int_0^L (v'^2 + w'^2)\,dx + f \cdot \left[\theta \times (\theta \times d)\right]_1^2.

Body forces between the ends turn with the offsets, too, shared out along the axis (the arms of the points of mass).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from flexmbs.core.checks import as_array, as_direction, is_list, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import MeshError, ModelError, unknown_name
from flexmbs.core.section import BeamStiffness, Section
from flexmbs.elements import linear_beam
from flexmbs.elements.linear.contract import COMPONENTS, MassPoints
from flexmbs.elements.linear.line import check_line_section, line_stiffness, lines, numbered
from flexmbs.elements.linear_beam import BeamGroup
from flexmbs.elements.quadrature import Gauss

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["Frame"]

Vector = tuple[float, float, float]


class FrameGroup(NamedTuple):
    """Beams between the ends of the offsets, how these move with the nodes (``tie (n_e, 12, 12)``), and offsets."""

    beam: BeamGroup
    tie: FloatArray
    offsets: FloatArray


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Frame (Timoshenko or Euler-Bernoulli beam) between two nodes: normal force, shear forces, torsion and bending.

    Coordinates of a node are displacements and small rotations along the inertial axes. Stress resultants are
    N, Qy, Qz, Mx, My, Mz in the local axes, on the face with outward normal along the axis.

    Parameters
    ----------
    section : Section or BeamStiffness
        Cross-section of an `Elastic` material, or a `BeamStiffness` with GJ, which holds its material already.
    up : (3,) array, default (0, 0, 1)
        Tells the local axes: x along the beam, z the part of ``up`` normal to it, y = z x x. The height of a
        `Rectangle` lies along y and its width along z.
    shear : bool, default True
        Timoshenko where the section has shear stiffness; False: Euler-Bernoulli. Rotary inertia is kept in both; a
        `BeamStiffness` may leave it out.
    offsets : two (3,) arrays, default zero
        From the first and the second node to the ends of the beam's axis, inertial axes [length]; rigid arms.
    releases : two sets of names, default none
        Components that the beam does not transmit to its first and second node, in local axes and at the ends of its
        axis: "ux" to "rz", in one string or a list. ``("", "ry rz")`` is a hinge at the second node.

    Raises
    ------
    ModelError
        If an argument is of the wrong kind, GJ is missing, a component is unknown, or releases make the beam a
        mechanism; in a part, if the material is not an `Elastic`.
    MeshError
        In a part, if a beam has no length or ``up`` is parallel to it; the message gives the numbers of the cells. If
        the mesh has point data ``up``, which elements with sections at their nodes take.

    Notes
    -----
    Limits: small displacements and rotations, no warping, shear centre and centroid in one point. A component that all
    beams of a node release has neither stiffness nor mass there; remove or support it. The geometric stiffness has the
    axial force only: not that of moments, torque and shear forces (lateral buckling), nor of the twist (Wagner).

    Source: J. S. Przemieniecki, Theory of Matrix Structural Analysis, McGraw-Hill 1968, chapters 5, 11, 15.

    Examples
    --------
    A cantilever of one element under a tip load, with P L^3 / 3EI + P L / GA:

    >>> import flexmbs as fx
    >>> stiff = fx.BeamStiffness(EA=1e6, EI_z=3.0, GA_y=50.0, GJ=1.0, mass_per_length=1.0)
    >>> beam = fx.linear.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 1),
    ...     regions=[fx.linear.Region(None, Frame(section=stiff))])
    >>> K = beam.assemble().K.toarray()[6:, 6:]
    >>> import numpy as np
    >>> print(f"{np.linalg.inv(K)[1, 1]:.9f} {1 / 9 + 1 / 50:.9f}")
    0.131111111 0.131111111
    """

    section: Section | BeamStiffness
    up: Vector = (0.0, 0.0, 1.0)
    shear: bool = True
    offsets: tuple[Vector, Vector] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    releases: tuple[Any, Any] = ((), ())

    name: ClassVar[str] = "frame"
    cell_type: ClassVar[str] = "line"
    n_components: ClassVar[int] = 6
    stress_names: ClassVar[tuple[str, ...]] = ("N", "Qy", "Qz", "Mx", "My", "Mz")

    def __post_init__(self) -> None:
        owner = "Frame"
        check_line_section(owner, self.section)
        if isinstance(self.section, BeamStiffness) and self.section.GJ is None:
            raise ModelError(f"{owner}: it twists and needs the torsional stiffness: BeamStiffness(..., GJ=...).")
        linear_beam.check_shear(owner, self.shear)
        object.__setattr__(self, "up", tuple(as_direction(owner, "up", self.up, 3).tolist()))
        offsets = as_array(owner, "offsets", self.offsets, (2, 3), unit="length")
        object.__setattr__(self, "offsets", tuple(tuple(d) for d in offsets.tolist()))
        if not is_list(self.releases, 2) or isinstance(self.releases, str):
            raise ModelError(
                f"{owner}: releases must be two sets of components, of the first and the second node, such as "
                f'("", "ry rz"), not {show(self.releases)}.'
            )
        object.__setattr__(self, "releases", tuple(_released(owner, names) for names in self.releases))
        _check_mechanism(owner, self._released())

    @property
    def needs_material(self) -> bool:
        return not isinstance(self.section, BeamStiffness)

    def tabulate(self, owner: str, points: FloatArray, material: Material | None, numbers: IntArray) -> FrameGroup:
        stiffness = line_stiffness(owner, self.name, self.section, material)
        offsets = np.array(self.offsets)
        ends = np.ascontiguousarray(points + offsets, dtype=float)
        _, x = lines(owner, ends, numbers)
        up = np.array(self.up)
        parallel = linear_beam.parallel_to(x, up)
        if parallel.any():
            raise MeshError(
                f"{owner}: up = {self.up} of the frame is parallel to {numbered(numbers[parallel])}, so that it tells "
                f"no local z axis; give them a region with another direction, such as "
                f"Frame(section=..., up=(1, 0, 0))."
            )
        dofs = np.zeros((len(points), 12), dtype=np.int64)
        beam = linear_beam.tabulate(owner, ends, dofs, stiffness, 0, self.shear, up)
        return FrameGroup(beam, _tie(beam, offsets, self._released()), offsets)

    def stiffness(self, group: FrameGroup) -> FloatArray:
        return _carried(group, group.beam.K)

    def mass(self, group: FrameGroup) -> FloatArray:
        return _carried(group, linear_beam.mass(group.beam))

    def mass_points(self, group: FrameGroup) -> MassPoints:
        """At every Gauss point of the axis four points of the section, at the radii of gyration along y and z."""
        beam = group.beam
        xi, w = Gauss(4).rule()  # degree 6
        u, theta = linear_beam.fields(beam, xi)
        r_y, r_z = np.sqrt(beam.rhoI / beam.rhoA[:, None]).T  # of bending in the x-y and x-z planes
        x = 0.5 * (1 + xi)[None, :, None]
        axis = (1 - x) * beam.points[:, None, 0] + x * beam.points[:, None, 1]
        levers, turned = self._levers(group, x, theta)
        weights, positions, shapes, arms = [], [], [], []
        for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            y, z = (a * r_y)[:, None, None], (b * r_z)[:, None, None]
            moved = u.copy()  # u + theta x (0, y, z)
            moved[:, :, 0] += theta[:, :, 1] * z - theta[:, :, 2] * y
            moved[:, :, 1] -= theta[:, :, 0] * z
            moved[:, :, 2] += theta[:, :, 0] * y
            beside = y * beam.axes[:, None, 1] + z * beam.axes[:, None, 2]
            weights.append(0.125 * w * (beam.rhoA * beam.L)[:, None])
            positions.append(axis + beside)
            shapes.append(np.einsum("ecd,egci,eij->egdj", beam.axes, moved, group.tie, optimize=True))
            arms.append(np.concatenate([np.broadcast_to(beside[:, :, None], levers[:, :, :1].shape), levers], axis=2))
        parts = weights, positions, shapes, arms, [turned] * len(arms)
        return MassPoints(*(np.concatenate(part, axis=1) for part in parts))

    def _levers(self, group: FrameGroup, x: FloatArray, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Offsets (n_e, n_g, 2, 3) shared out along the axis; rotations (n_e, n_g, 3, 3, 12) of section and nodes."""
        n_e, n_g = theta.shape[:2]
        levers = np.stack([(1 - x) * group.offsets[0], x * group.offsets[1]], axis=2)
        turned = np.zeros((n_e, n_g, 3, 3, 12))
        turned[:, :, 0] = np.einsum("ecd,egci,eij->egdj", group.beam.axes, theta, group.tie, optimize=True)
        for node in range(2):
            turned[:, :, 1 + node, :, 6 * node + 3 : 6 * node + 6] = np.eye(3)
        return np.broadcast_to(levers, (n_e, n_g, 2, 3)), turned

    def geometric_stiffness(self, group: FrameGroup, u: FloatArray) -> FloatArray:
        beam = group.beam
        forces = self.stresses(group, u)[:, 0, :3]
        N = forces[:, 0]
        xi, w = Gauss(3).rule()  # degree 4
        rows = linear_beam.slopes(beam, xi)
        K = _carried(group, np.einsum("g,e,egri,egrj->eij", 0.5 * w, N * beam.L, rows, rows, optimize=True))
        f = np.einsum("ec,ecd->ed", forces, beam.axes)
        for i, (sign, d) in enumerate(zip((-1.0, 1.0), group.offsets, strict=True)):
            turning = 0.5 * np.einsum("ei,j->eij", f, d)
            turning = turning + turning.transpose(0, 2, 1) - (f @ d)[:, None, None] * np.eye(3)
            at = slice(6 * i + 3, 6 * i + 6)
            K[:, at, at] += sign * turning
        return K

    def stresses(self, group: FrameGroup, u: FloatArray) -> FloatArray:
        return self._resultants(group, u, Gauss(2).rule()[0])

    def nodal_stresses(self, group: FrameGroup, u: FloatArray) -> FloatArray:
        return self._resultants(group, u, np.array([-1.0, 1.0]))

    def stress_positions(self, group: FrameGroup) -> FloatArray:
        x = 0.5 * (1 + Gauss(2).rule()[0])[None, :, None]
        return np.asarray((1 - x) * group.beam.points[:, None, 0] + x * group.beam.points[:, None, 1])

    def thermal_load(self, group: FrameGroup, expansion: FloatArray) -> FloatArray:
        """K times the free dilation of the nodes: the arms of the offsets get longer, too."""
        free = np.zeros((len(group.beam.L), 2, 6))
        free[:, :, :3] = np.asarray(expansion, dtype=float)[:, None, None] * (group.beam.points - group.offsets)
        return np.asarray(np.einsum("eij,ej->ei", self.stiffness(group), free.reshape(-1, 12)))

    def _released(self) -> IntArray:
        """Numbers (n,) of the released ones among the twelve local components."""
        numbers = [6 * i + COMPONENTS.index(c) for i in range(2) for c in self.releases[i]]
        return np.array(numbers, dtype=np.int64)

    def _resultants(self, group: FrameGroup, u: FloatArray, xi: FloatArray) -> FloatArray:
        moved = np.einsum("eij,ej->ei", group.tie, u)
        return np.asarray(np.einsum("egri,ei->egr", linear_beam.resultants(group.beam, xi), moved))


def _released(owner: str, given: object) -> tuple[str, ...]:
    """Names of components in their order, from a string or a set."""
    if not isinstance(given, str | Sequence | Set):
        raise ModelError(f"{owner}: releases of a node must be names such as 'ry rz', not {show(given)}.")
    names = given.split() if isinstance(given, str) else list(given)
    for name in names:
        if name not in COMPONENTS:
            raise ModelError(f"{owner}: {unknown_name('released component', str(name), COMPONENTS)}")
    return tuple(c for c in COMPONENTS if c in names)


def _check_mechanism(owner: str, released: IntArray) -> None:
    """Refuse releases that let the beam move as a rigid body while its nodes stand still."""
    B = np.tile(np.eye(6), (2, 1))  # components of both ends in the six rigid motions of a beam of length one
    B[7, 5], B[8, 4] = 1.0, -1.0
    held = np.delete(B, released, axis=0)
    values, motions = np.linalg.eigh(held.T @ held)
    if values[0] < 1e-9:
        free = COMPONENTS[int(np.argmax(np.abs(motions[:, 0])))]
        raise ModelError(
            f"{owner}: with both ends released so, nothing holds the beam against the rigid motion {free!r} (local "
            f"axes); keep one component of one end."
        )


def _tie(beam: BeamGroup, offsets: FloatArray, released: IntArray) -> FloatArray:
    """C (n_e, 12, 12): coordinates of the ends of the beam by those of the nodes, both along the inertial axes."""
    n_e = len(beam.L)
    T = np.eye(12)
    for i, d in enumerate(offsets):
        T[6 * i : 6 * i + 3, 6 * i + 3 : 6 * i + 6] = np.cross(np.eye(3), d).T  # columns e_j x d
    if not len(released):
        return np.ascontiguousarray(np.broadcast_to(T, (n_e, 12, 12)))
    R = np.zeros((n_e, 12, 12))
    for i in range(0, 12, 3):
        R[:, i : i + 3, i : i + 3] = beam.axes
    K = R @ beam.K @ R.transpose(0, 2, 1)
    kept = np.delete(np.arange(12), released)
    S = np.tile(np.eye(12), (n_e, 1, 1))
    S[:, released] = 0.0
    block = -np.linalg.solve(K[:, released[:, None], released], K[:, released[:, None], kept])
    S[:, released[:, None], kept] = block
    return np.ascontiguousarray(R.transpose(0, 2, 1) @ S @ R @ T)


def _carried(group: FrameGroup, matrix: FloatArray) -> FloatArray:
    """C^T A C, symmetric to the last bit."""
    out = group.tie.transpose(0, 2, 1) @ matrix @ group.tie
    return np.asarray(0.5 * (out + out.transpose(0, 2, 1)))
