r"""Spatial linear beam: two nodes, displacement and rotation per node, Timoshenko or Euler-Bernoulli, with torsion.

Governing equations. In the local axes x (along the chord), y, z of the section, for small displacements (u, v, w) and
rotations :math:`\theta_x, \theta_y, \theta_z` of the sections, the strain energy is

.. math:: U = \tfrac12 \int_0^L \left( EA\,u'^2 + GA_y\,(v' - \theta_z)^2 + GA_z\,(w' + \theta_y)^2
          + GJ\,\theta_x'^2 + EI_y\,\theta_y'^2 + EI_z\,\theta_z'^2 \right) dx.

Without ``GA_y`` or ``GA_z``, or with ``shear=False``, the beam is rigid in shear. The interpolation is the exact
solution of the beam without load (`flexmbs.elements.linear_beam`), so there is no locking, and nodal displacements
under nodal forces are exact with one element. Kelvin-Voigt damping with D = tau K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import as_direction
from flexmbs.core.contracts import FloatArray, ForceKernel, IntArray, NodeLayout, Resultant, TangentKernel
from flexmbs.elements import linear_beam
from flexmbs.elements.linear_beam import BeamGroup, beam_force, beam_tangent
from flexmbs.elements.quadrature import Gauss

if TYPE_CHECKING:
    from flexmbs.core.section import BeamStiffness

__all__ = ["LinearBeam3D"]


@dataclass(frozen=True, kw_only=True)
class LinearBeam3D:
    """Spatial linear Timoshenko or Euler-Bernoulli beam: small displacements about the stress-free shape.

    Nodal coordinates: displacement (u_x, u_y, u_z) [length] and rotation vector (phi_x, phi_y, phi_z) [rad], both along
    the inertial axes; all zero in the stress-free shape. Uses EA, EI_y, EI_z, GJ (needed), GA_y, GA_z and the rotary
    inertias; that of torsion is rhoI_y + rhoI_z.

    Parameters
    ----------
    up : (float, float, float), default (0, 0, 1)
        Direction that tells the local axes of the sections: z is its part normal to the chord, and y = z x x. The
        height of a `Rectangle` lies along y and its width along z: with the default a horizontal beam has its width
        upright.
    shear : bool, default True
        Whether the shear stiffnesses of the body are used; without them the beam is rigid in shear in any case.

    Raises
    ------
    ModelError
        If an argument is of the wrong kind, and (when the body is made) if GJ is missing, ``up`` is parallel to an
        element, or the mesh has point data ``up``, which elements with sections at their nodes take.

    Notes
    -----
    Limits: displacements and rotations small enough for sin(phi) = phi (5 degrees: 0.4 % of a length); no stiffening by
    axial force, no warping, shear centre and centroid coincide. A curved mesh is a polygon of straight elements,
    stress-free as it is. Positive resultants act on the face with outward normal along the axis, in the local axes of
    the element; a load between nodes adds its own linear and quadratic part, which they do not show.

    Source: J. S. Przemieniecki, Theory of Matrix Structural Analysis, McGraw-Hill 1968, sections 5.6 and 11.4.

    Examples
    --------
    A column along z needs another direction for its section:

    >>> from flexmbs.elements import LinearBeam3D
    >>> LinearBeam3D(up=(1, 0, 0)).up
    (1.0, 0.0, 0.0)
    """

    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    shear: bool = True

    name: ClassVar[str] = "spatial beam"
    cell_type: ClassVar[str] = "line"
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=3,
        names=("u_x", "u_y", "u_z", "phi_x", "phi_y", "phi_z"),
        position=(0, 1, 2),
        rotation=(3, 4, 5),
        absolute=False,
    )
    resultants: ClassVar[tuple[Resultant, ...]] = (
        Resultant("N", "normal force", "force"),
        Resultant("Q_y", "shear force along local y", "force"),
        Resultant("Q_z", "shear force along local z", "force"),
        Resultant("M_x", "torsional moment", "moment"),
        Resultant("M_y", "bending moment about local y", "moment"),
        Resultant("M_z", "bending moment about local z", "moment"),
    )
    shared: ClassVar[tuple[str, ...]] = ()
    viscous: ClassVar[bool] = True
    diagnosis: ClassVar[str] = ""

    def __post_init__(self) -> None:
        linear_beam.check_shear("LinearBeam3D", self.shear)
        x, y, z = as_direction("LinearBeam3D", "up", self.up, 3).tolist()
        object.__setattr__(self, "up", (x, y, z))

    @property
    def force(self) -> ForceKernel:
        return beam_force

    @property
    def tangent(self) -> TangentKernel:
        return beam_tangent

    def accurate_points(self, symbol: str) -> FloatArray:
        return Gauss(2).rule()[0]

    def reference(self, points: FloatArray, tangents: FloatArray) -> FloatArray:
        return np.zeros((len(points), 6))

    def tabulate(
        self, points: FloatArray, reference: FloatArray, dofs: IntArray, stiffness: BeamStiffness, b1: int
    ) -> BeamGroup:
        return linear_beam.tabulate("LinearBeam3D", points, dofs, stiffness, b1, self.shear, np.array(self.up))

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
