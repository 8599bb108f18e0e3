r"""How much of an elastic energy the mesh misses, by O. C. Zienkiewicz and J. Z. Zhu: recovered stresses.

Stresses of a mesh jump from element to element; averaged at the nodes and interpolated they are nearer to the exact
ones. Their distance from the stresses of the elements estimates the error in the energy norm,

.. math:: \|e\|^2 = \int (\sigma^* - \sigma_h)^T C^{-1} (\sigma^* - \sigma_h)\, dV, \qquad
   \eta = \frac{\|e\|}{\sqrt{\|u_h\|^2 + \|e\|^2}} .

With a consistent mass matrix the squared frequency of a mode is too high by its part of the energy, so that the
frequency is by about :math:`\eta^2/2` (G. Strang, G. J. Fix, An analysis of the finite element method, 1973, ch. 6).
The difference is integrated at the points of the mass, where it also has the parts that superconvergent points hide.
Regions are kept apart, as stresses jump between materials.

Limits: solids only. An estimate is no bound. On the Lame modes of a block, whose frequency is known, ||e|| is found to
98 % by `Hexahedron8` without incompatible modes, 101 % by `Hexahedron20` and 120 % by `Hexahedron8`, which is better
than its interpolation; to 90 % by `Tetra4` and 75 % by `Tetra10`, whose averaged stresses gain less
(tests/reduction/report/test_mesh_error.py). A mesh so coarse that it misses a mode altogether is not found out, and
reduced integration makes frequencies lower, which this does not see.

Source: Int. J. Numer. Meth. Engng 24 (1987) 337-357.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.elements.linear.solid import SolidElement
from flexmbs.linear.stresses import element_displacements, nodal_stresses
from flexmbs.reduction.report.checks import Problem
from flexmbs.reduction.report.data import MeshCheck

if TYPE_CHECKING:
    from flexmbs.linear.part import Part
    from flexmbs.reduction.model import ReducedModel, Source

__all__ = ["energy_errors", "mesh_check"]

SHOWN = 6
"""Modes of which the error by the mesh is estimated."""


def mesh_check(model: ReducedModel, source: Source, free: Problem) -> MeshCheck | None:
    """The error by the mesh of the lowest elastic modes; None where operators do not know their elements."""
    part = source.attached.operators.part
    if part is None:
        return None
    counts: dict[str, int] = {}
    for piece in part.pieces:
        name = piece.region.element.cell_type
        counts[name] = counts.get(name, 0) + len(piece.cells)
    chosen = slice(free.rigid, free.rigid + SHOWN)
    hertz = tuple(float(f) for f in np.sqrt(np.maximum(free.values[chosen], 0.0)) / (2.0 * math.pi))
    if not hertz or not all(isinstance(piece.region.element, SolidElement) for piece in part.pieces):
        return MeshCheck(counts, hertz, None, None)
    nodes = np.flatnonzero(part.nodes.first >= 0)
    places = part.nodes.first[nodes][:, None] + np.arange(3)
    u = np.zeros((int(places.max()) + 1, len(hertz)))
    for k, shape in enumerate(free.shapes[:, chosen].T):
        u[places, k] = model.reconstruct(shape)[nodes, :3]
    error, energy = energy_errors(part, u)
    missed = error / (energy + error)
    return MeshCheck(counts, hertz, tuple(np.sqrt(missed).tolist()), tuple((missed / 2.0).tolist()))


def energy_errors(part: Part, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Squared energy norms (m,) of the estimated error, and of the displacements themselves.

    Parameters
    ----------
    part : Part
        Of solids.
    u : (N, m) array
        All physical displacements, one or many columns.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel)
    >>> stretched = (lug.nodes.points * [1e-3, 0, 0]).reshape(-1, 1)
    >>> error, energy = energy_errors(lug, stretched)
    >>> bool(error[0] < 1e-20 * energy[0])  # constant stresses have no error
    True
    """
    recovered = nodal_stresses(part, u)
    error, energy = np.zeros(u.shape[1]), np.zeros(u.shape[1])
    averaged = [np.zeros((len(part.nodes.points), *found.values.shape[1:])) for found in recovered]
    for field, found in zip(averaged, recovered, strict=True):
        field[found.nodes] = found.values  # one value a node, as these are solids
    regions = [found.region for found in recovered]
    for piece, cells, group in part.groups():
        element = piece.region.element
        assert isinstance(element, SolidElement)  # noqa: S101  # asked before
        stiffness = element.stiffness(group)
        for i in range(u.shape[1]):
            own = element_displacements(part, piece, cells, u[:, i])
            error[i] += element.stress_distance(group, own, averaged[regions.index(piece.region)][cells][..., i]).sum()
            energy[i] += np.einsum("ei,eij,ej->", own, stiffness, own, optimize=True)
    return error, energy
