r"""Planar linear beam: two nodes, displacement and rotation per node, Timoshenko or Euler-Bernoulli.

Governing equations. About the straight chord with axis x and normal y, for small displacements (u, w) and the rotation
:math:`\theta` of the sections (positive from x to y), the strain energy is

.. math:: U = \tfrac12 \int_0^L \left( EA\,u'^2 + GA_y\,(w' - \theta)^2 + EI_z\,\theta'^2 \right) dx.

Without ``GA_y``, or with ``shear=False``, the section stays normal to the axis (:math:`\theta = w'`). The interpolation
is the exact solution of the beam without load (`flexmbs.elements.linear_beam`), so there is no locking, and nodal
displacements under nodal forces are exact with one element. Kelvin-Voigt damping with D = tau K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, ForceKernel, IntArray, NodeLayout, Resultant, TangentKernel
from flexmbs.elements import linear_beam
from flexmbs.elements.linear_beam import BeamGroup, beam_force, beam_tangent
from flexmbs.elements.quadrature import Gauss

if TYPE_CHECKING:
    from flexmbs.core.section import BeamStiffness

__all__ = ["LinearBeam2D"]


@dataclass(frozen=True, kw_only=True)
class LinearBeam2D:
    """Planar linear Timoshenko or Euler-Bernoulli beam: small displacements about the stress-free shape.

    Nodal coordinates: displacement (u_x, u_y) [length] along the inertial axes and rotation phi [rad], positive from x
    to y; all zero in the stress-free shape. Uses EA, EI_z, GA_y, rhoI_z.

    Parameters
    ----------
    shear : bool, default True
        Whether a shear stiffness GA_y of the body is used; without one the beam is rigid in shear in any case.

    Raises
    ------
    ModelError
        If ``shear`` is not a truth value.

    Notes
    -----
    Limits: displacements and rotations small enough for sin(phi) = phi (5 degrees: 0.4 % of a length); no stiffening by
    axial force. A curved mesh is a polygon of straight elements, stress-free as it is, and nothing is smoothed at the
    corners. Positive resultants act on the face with outward normal along the axis: N along x, Q along y, M from x to
    y, in the axes of the element; a load between nodes adds its own linear and quadratic part, which they do not show.

    Source: J. S. Przemieniecki, Theory of Matrix Structural Analysis, McGraw-Hill 1968, sections 5.6 and 11.4.

    Examples
    --------
    >>> from flexmbs.elements import LinearBeam2D
    >>> LinearBeam2D().layout.names
    ('u_x', 'u_y', 'phi')
    """

    shear: bool = True

    name: ClassVar[str] = "planar beam"
    cell_type: ClassVar[str] = "line"
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=2, names=("u_x", "u_y", "phi"), position=(0, 1), rotation=(2,), absolute=False
    )
    resultants: ClassVar[tuple[Resultant, ...]] = (
        Resultant("N", "normal force", "force"),
        Resultant("Q", "shear force", "force"),
        Resultant("M", "bending moment", "moment"),
    )
    shared: ClassVar[tuple[str, ...]] = ()
    viscous: ClassVar[bool] = True
    diagnosis: ClassVar[str] = ""

    def __post_init__(self) -> None:
        linear_beam.check_shear("LinearBeam2D", self.shear)

    @property
    def force(self) -> ForceKernel:
        return beam_force

    @property
    def tangent(self) -> TangentKernel:
        return beam_tangent

    def accurate_points(self, symbol: str) -> FloatArray:
        return Gauss(2).rule()[0]

    def reference(self, points: FloatArray, tangents: FloatArray) -> FloatArray:
        return np.zeros((len(points), 3))

    def tabulate(
        self, points: FloatArray, reference: FloatArray, dofs: IntArray, stiffness: BeamStiffness, b1: int
    ) -> BeamGroup:
        return linear_beam.tabulate("LinearBeam2D", points, dofs, stiffness, b1, self.shear)

    def lengths(self, group: BeamGroup) -> FloatArray:
        return group.L

    def mass(self, group: BeamGroup) -> FloatArray:
        return linear_beam.mass(group)

    def energy(self, group: BeamGroup, q: FloatArray) -> FloatArray:
        return linear_beam.energy(group, q)

    def body_load(self, group: BeamGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        return linear_beam.body_load(group, load, per_mass)

    def positions(self, group: BeamGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        return linear_beam.positions(group, q, xi)

    def stress_resultants(self, group: BeamGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        return linear_beam.stress_resultants(group, q, v, xi)
