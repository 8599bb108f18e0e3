r"""What all shells share: the section, the facet with its axes, and everything that follows from strains.

An element tells its generalised strains in the axes of its facet, by the coordinates of its nodes and a few internal
ones: membrane strains, curvatures, transverse shears, and the drilling strain (rotation about the normal less the
rotation of the membrane):

.. math::
    e = (\varepsilon_x, \varepsilon_y, \gamma_{xy}, \kappa_x, \kappa_y, \kappa_{xy}, \gamma_{xz}, \gamma_{yz}, \delta),
    \qquad \kappa_x = \theta_{y,x},\ \kappa_y = -\theta_{x,y},\ \kappa_{xy} = \theta_{y,y} - \theta_{x,x},\
    \gamma_{xz} = w_{,x} + \theta_y,\ \gamma_{yz} = w_{,y} - \theta_x .

They are those of the section's middle surface on the plane of the facet, to which the nodes are tied rigidly: this is
the offset, and at once the treatment of corners that lie out of the plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from flexmbs.core.checks import as_array, as_number, is_list, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.core.laminate import Ply, ShellSection, shell_section
from flexmbs.elements.linear.contract import STRESS_NAMES, MassPoints
from flexmbs.elements.linear.shell_kernels import inertia_matrices, internal_stiffness, turned_matrices

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["FLAT", "Shell", "ShellGroup", "refuse"]

FLAT = 1e-7
"""Area over the square of the longest side below which a cell has none."""

ALONG_NORMAL = 1e-3
"""Sine of the angle to the normal below which a reference direction has no projection."""


class ShellGroup(NamedTuple):
    """Shells as they were tabulated.

    ``strains (n_e, n_g, 9, m)`` and ``weights (n_e, n_g)`` at the points of integration, in the axes ``frames (n_e, 3,
    3)`` of the facets (rows, the last the normal); ``plane (n_e, n_a, 2)`` and ``heights (n_e, n_a)`` of the corners
    over the mean plane; ``section`` and its stiffness with drilling, ``moduli (9, 9)``.
    """

    points: FloatArray
    frames: FloatArray
    plane: FloatArray
    heights: FloatArray
    strains: FloatArray
    weights: FloatArray
    section: ShellSection
    moduli: FloatArray


@dataclass(frozen=True)
class Shell:
    """Fields and methods of all shells; see `ShellQuad` and `ShellTriangle`."""

    thickness: float | None = None
    offset: float = 0.0
    layers: tuple[Ply, ...] = ()
    reference: tuple[float, float, float] | None = None

    name: ClassVar[str] = "Shell"
    cell_type: ClassVar[str] = ""
    n_components: ClassVar[int] = 6
    drilling_share: ClassVar[float] = 0.0
    shapes: ClassVar[FloatArray]
    to_nodes: ClassVar[FloatArray]

    def __post_init__(self) -> None:
        owner = self.name
        if not is_list(self.layers) or any(not isinstance(layer, Ply) for layer in self.layers):
            raise ModelError(
                f"{owner}: layers must be a list of Ply(material, thickness, angle), not {show(self.layers)}."
            )
        object.__setattr__(self, "layers", tuple(self.layers))
        if (self.thickness is None) == (not self.layers):
            raise ModelError(f"{owner}: give either a thickness or layers, such as {owner}(thickness=0.01).")
        if self.thickness is not None:
            object.__setattr__(
                self, "thickness", as_number(owner, "thickness", self.thickness, above=0.0, unit="length")
            )
        object.__setattr__(self, "offset", as_number(owner, "offset", self.offset, unit="length"))
        if self.reference is not None:
            direction = as_array(owner, "reference", self.reference, (3,))
            if not np.linalg.norm(direction) > 0.0:
                raise ModelError(f"{owner}: reference must be a direction, not {show(self.reference)}.")
            direction /= np.linalg.norm(direction)
            object.__setattr__(self, "reference", tuple(float(c) for c in direction))

    @property
    def needs_material(self) -> bool:
        return not self.layers

    @property
    def retardation_time(self) -> float:
        """Of the layers [time]; they must have one in common."""
        found = sorted({layer.material.retardation_time for layer in self.layers})
        if len(found) > 1:
            raise ModelError(
                f"{self.name}: layers of different retardation times {show(found)} have no common one; give all "
                f"materials the same, or none and damping= of the body."
            )
        return found[0] if found else 0.0

    @property
    def stress_names(self) -> tuple[str, ...]:
        return tuple(f"{name} {face}" for face in ("top", "bottom") for name in STRESS_NAMES)

    def tabulate(self, owner: str, points: FloatArray, material: Material | None, numbers: IntArray) -> ShellGroup:
        section = self._section(owner, material)
        points = np.ascontiguousarray(points, dtype=float)
        frames, plane, heights = self._facets(f"{owner}: {self.name}", points, section, numbers)
        strains, weights = self._strains(plane, section)
        _tie(strains, heights - self.offset)
        moduli = np.zeros((9, 9))
        moduli[:8, :8] = section.stiffness
        moduli[8, 8] = self.drilling_share * section.drilling
        return ShellGroup(points, frames, plane, heights, strains, weights, section, moduli)

    def _section(self, owner: str, material: Material | None) -> ShellSection:
        if self.layers:
            if material is not None:
                raise ModelError(f"{owner}: a {self.name} with layers brings its own materials; give it no other.")
            return shell_section(self.layers)
        if material is None or not hasattr(material, "plane_stress"):
            raise ModelError(f"{owner}: a {self.name} needs a material, such as flexmbs.steel.")
        assert self.thickness is not None  # noqa: S101  # set on construction
        return shell_section((Ply(material, self.thickness),))

    def _facets(
        self, owner: str, points: FloatArray, section: ShellSection, numbers: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Axes of the facets and the corners in them."""
        n_a = points.shape[1]
        sides = np.roll(points, -1, axis=1) - points
        one, two = (points[:, 2] - points[:, 0]), (points[:, n_a - 1] - points[:, 1])
        if n_a == 3:
            one, two = sides[:, 0], -sides[:, 2]
        normals = np.cross(one, two)
        double = np.linalg.norm(normals, axis=1)
        longest = np.einsum("eac,eac->ea", sides, sides).max(axis=1)
        refuse(owner, numbers, ~(double > FLAT * longest), "has no area")
        normals /= double[:, None]
        first = sides[:, 0]
        if section.directional:
            if self.reference is None:
                raise ModelError(f"{owner}: its layers have a direction; give reference=(x, y, z) to measure it from.")
            first = np.broadcast_to(np.array(self.reference), first.shape)
        first = first - np.einsum("ec,ec->e", first, normals)[:, None] * normals
        length = np.linalg.norm(first, axis=1)
        if section.directional:
            refuse(owner, numbers, length < ALONG_NORMAL, f"stands normal to the reference {self.reference}")
        first = first / length[:, None]
        frames = np.stack([first, np.cross(normals, first), normals], axis=1)
        local = np.einsum("eic,eac->eai", frames, points - points.mean(axis=1, keepdims=True))
        self._check_shape(owner, local, numbers)
        return frames, np.ascontiguousarray(local[:, :, :2]), np.ascontiguousarray(local[:, :, 2])

    def _check_shape(self, owner: str, local: FloatArray, numbers: IntArray) -> None:
        """Refuse facets that cannot be treated."""

    def _strains(self, plane: FloatArray, section: ShellSection) -> tuple[FloatArray, FloatArray]:
        """Strains (n_e, n_g, 9, m) and weights (n_e, n_g) in the axes of the facets."""
        raise NotImplementedError

    def _condensed(self, group: ShellGroup) -> tuple[FloatArray, FloatArray]:
        """Local stiffness (upper triangles) and internal coordinates."""
        n_e, n_a = group.heights.shape
        k, m = 6 * n_a, group.strains.shape[3]
        K, internal = np.zeros((n_e, k, k)), np.zeros((n_e, m - k, k))
        internal_stiffness(group.strains, group.weights, group.moduli, k, K, internal)
        return K, internal

    def stiffness(self, group: ShellGroup) -> FloatArray:
        K, _ = self._condensed(group)
        turned_matrices(group.frames, K)
        return K

    def mass(self, group: ShellGroup) -> FloatArray:
        m_0, m_1, m_2 = group.section.inertia
        c = self.offset
        moments = np.array([m_0, m_1 + c * m_0, m_2 + 2.0 * c * m_1 + c * c * m_0])
        return self._spread(group, group.weights, moments)

    def _spread(self, group: ShellGroup, areas: FloatArray, moments: FloatArray) -> FloatArray:
        N = self.shapes
        shares = np.einsum("eg,ga,gb->eab", areas, N, N)
        shares = 0.5 * (shares + shares.transpose(0, 2, 1))
        n_e, n_a = group.heights.shape
        M = np.empty((n_e, 6 * n_a, 6 * n_a))
        inertia_matrices(shares, moments, np.ascontiguousarray(group.frames[:, 2]), M)
        return M

    def mass_points(self, group: ShellGroup) -> MassPoints:
        m_0, m_1, m_2 = group.section.inertia
        centre = self.offset + m_1 / m_0
        radius = np.sqrt(m_2 / m_0 - (m_1 / m_0) ** 2)
        heights = np.array([centre - radius, centre + radius])
        n_e, n_a = group.heights.shape
        N, normals = self.shapes, group.frames[:, 2]
        n_g = len(N)
        weights = np.repeat(group.weights * (0.5 * m_0), 2, axis=1)
        on_surface = np.einsum("ga,eac->egc", N, group.points)
        positions = on_surface[:, :, None] + heights[:, None] * normals[:, None, None]
        H = np.zeros((n_e, n_g, 2, 3, n_a, 6))
        for i in range(3):
            H[:, :, :, i, :, i] = N[:, None]
        arms = np.einsum("ga,z,ec->egzac", N, heights, normals)
        for i, j, m, sign in ((0, 1, 2, 1), (0, 2, 1, -1), (1, 2, 0, 1), (1, 0, 2, -1), (2, 0, 1, 1), (2, 1, 0, -1)):
            H[:, :, :, i, :, 3 + j] = sign * arms[..., m]  # theta x arm
        turns = np.zeros_like(H)
        for i in range(3):
            turns[:, :, :, i, :, 3 + i] = N[:, None]
        beside = np.broadcast_to((heights - centre)[:, None] * normals[:, None, None], positions.shape)
        return MassPoints(
            weights,
            positions.reshape(n_e, -1, 3),
            H.reshape(n_e, 2 * n_g, 3, 6 * n_a),
            beside.reshape(n_e, -1, 1, 3),
            turns.reshape(n_e, 2 * n_g, 1, 3, 6 * n_a),
        )

    def _deformation(self, group: ShellGroup, u: FloatArray) -> FloatArray:
        """Strains (n_e, n_g, 9) at the points of integration from coordinates (n_e, k)."""
        n_e, k = np.shape(u)
        local = np.einsum("eij,eaj->eai", group.frames, np.reshape(u, (n_e, k // 3, 3))).reshape(n_e, k)
        _, internal = self._condensed(group)
        everything = np.concatenate([local, np.einsum("eij,ej->ei", internal, local)], axis=1)
        return np.asarray(np.einsum("egij,ej->egi", group.strains, everything))

    def geometric_stiffness(self, group: ShellGroup, u: FloatArray) -> FloatArray:
        forces = np.einsum("ij,egj->egi", group.moduli[:3], self._deformation(group, u))
        tensor = forces[:, :, [0, 2, 2, 1]].reshape(*forces.shape[:2], 2, 2)
        G = self._gradients(group)
        shares = np.einsum("eg,egia,egij,egjb->eab", group.weights, G, tensor, G, optimize=True)
        n_e, n_a = group.heights.shape
        out = np.empty((n_e, 6 * n_a, 6 * n_a))
        c, h = self.offset, group.section.thickness
        # a membrane force as a stress that is constant over the thickness
        inertia_matrices(
            0.5 * (shares + shares.transpose(0, 2, 1)),
            np.array([1.0, c, c * c + h * h / 12.0]),
            np.ascontiguousarray(group.frames[:, 2]),
            out,
        )
        return out

    def _gradients(self, group: ShellGroup) -> FloatArray:
        """Gradients (n_e, n_g, 2, n_a) of the shape functions at the points of integration."""
        raise NotImplementedError

    def stresses(self, group: ShellGroup, u: FloatArray) -> FloatArray:
        return self._face_stresses(group, self._deformation(group, u))

    def nodal_stresses(self, group: ShellGroup, u: FloatArray) -> FloatArray:
        strains = self._deformation(group, u)
        return self._face_stresses(group, np.einsum("as,esi->eai", self.to_nodes, strains))

    def _face_stresses(self, group: ShellGroup, strains: FloatArray) -> FloatArray:
        """Stresses (n_e, n, 12) of both faces in inertial axes."""
        half = 0.5 * group.section.thickness
        found = []
        for z, Q in ((half, group.section.faces[1]), (-half, group.section.faces[0])):
            plane = (strains[:, :, :3] + z * strains[:, :, 3:6]) @ Q.T
            tensor = plane[:, :, [0, 2, 2, 1]].reshape(*plane.shape[:2], 2, 2)
            two = group.frames[:, :2]
            full = np.einsum("eik,enij,ejl->enkl", two, tensor, two, optimize=True)
            found.append(full[:, :, [0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2]])
        return np.concatenate(found, axis=2)

    def stress_positions(self, group: ShellGroup) -> FloatArray:
        on_nodes = np.einsum("sa,eac->esc", self.shapes, group.points)
        return np.asarray(on_nodes + self.offset * group.frames[:, None, 2])

    def thermal_load(self, group: ShellGroup, expansion: FloatArray) -> FloatArray:
        n_e, n_a = group.heights.shape
        k = 6 * n_a
        resultant = group.moduli[:, :2].sum(axis=1)
        # no part of the internal coordinates: their strains have no mean
        local = np.einsum("eg,egik,i,e->ek", group.weights, group.strains[..., :k], resultant, expansion, optimize=True)
        return np.asarray(np.einsum("eji,eaj->eai", group.frames, local.reshape(n_e, k // 3, 3)).reshape(n_e, k))


def _tie(strains: FloatArray, heights: FloatArray) -> None:
    """From displacements of the middle surface to those of corners above it: u - h theta_y, v + h theta_x."""
    n_a = heights.shape[1]
    if not heights.any():
        return
    for a in range(n_a):
        h = heights[:, a, None, None]
        strains[:, :, :, 6 * a + 4] -= h * strains[:, :, :, 6 * a]
        strains[:, :, :, 6 * a + 3] += h * strains[:, :, :, 6 * a + 1]


def refuse(owner: str, numbers: IntArray, wrong: FloatArray, what: str) -> None:
    """Say which cells are wrong."""
    if wrong.any():
        cells = np.asarray(numbers)[wrong]
        more = f" (and {len(cells) - 1} more)" if len(cells) > 1 else ""
        raise MeshError(f"{owner} cell {int(cells[0])}{more} {what}.")
