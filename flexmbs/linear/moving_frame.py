r"""Structures in a frame with prescribed motion: Coriolis, Euler and centrifugal matrices, and inertia loads.

A point of the structure is at :math:`r_o + R\,(X + H u)` with the origin r_o and the axes R of the frame. With its
angular velocity omega and the acceleration a of its origin, both along the axes of the frame, Lagrange's equations are

.. math:: M\ddot u + (D + C)\dot u + (K + E + Z + K_g)\,u = f - \sum w H^T [a + (\tilde{\dot\omega} +
          \tilde\omega\tilde\omega)X],

.. math:: C = 2\sum w H^T\tilde\omega H, \qquad E = \sum w H^T\tilde{\dot\omega} H, \qquad
          Z = \sum w H^T\tilde\omega\tilde\omega H .

C and E are antisymmetric, Z is symmetric and negative semidefinite. K_g is the stiffness that the stresses of the
steady inertia load give (`geometric_stiffness`), and that of the load's turning with lumped masses and with sections.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from flexmbs.core.checks import as_array, frozen_copy
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.frame_operators import FrameOperators
from flexmbs.linear.linear_solution import BodyForce
from flexmbs.linear.mass_moments import PAIRS, MassMoments, mass_moments
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.prestress import geometric_stiffness
from flexmbs.linear.statics import static_response
from flexmbs.linear.structure import as_operators
from flexmbs.linear.supports import Supports, supports

__all__ = ["MovingFrame", "moving_frame"]

ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class MovingFrame:
    """A linear structure in a frame whose motion is prescribed, as `moving_frame` gives it.

    All matrices are sparse (n, n), of the unknowns of the structure in their order; vectors of the frame's motion are
    along the axes of the frame, which are those of the mesh.

    Parameters
    ----------
    structure : Operators
    fixed : mapping or None
        What the frame holds, as in `static_response`.
    supports : Supports
        Held and free unknowns.
    origin : (3,) array
        Origin of the frame, a point in coordinates of the mesh [length].
    moments : MassMoments
        Moments of the mass, from which everything is combined.
    """

    structure: Operators
    fixed: Mapping[Any, Any] | None
    supports: Supports
    origin: FloatArray
    moments: MassMoments
    _stresses: dict[int, Any] = field(default_factory=dict, init=False)

    def __repr__(self) -> str:
        return f"MovingFrame: {self.structure.n} unknowns, {len(self.supports.held)} of them held in the frame"

    def coriolis(self, omega: Any) -> Any:
        """C = 2 sum w H^T omega~ H: times the velocities, the Coriolis forces. Antisymmetric.

        Parameters
        ----------
        omega : (3,) array
            Angular velocity [rad/time].
        """
        return self._turning(2.0 * as_array("coriolis", "omega", omega, (3,), unit="rad/time"))

    def euler(self, omega_dot: Any) -> Any:
        """E = sum w H^T omega_dot~ H. Antisymmetric.

        Parameters
        ----------
        omega_dot : (3,) array
            Angular acceleration [rad/time^2].
        """
        return self._turning(as_array("euler", "omega_dot", omega_dot, (3,), unit="rad/time^2"))

    def centrifugal(self, omega: Any) -> Any:
        """Z = sum w H^T omega~ omega~ H. Symmetric, negative semidefinite.

        Parameters
        ----------
        omega : (3,) array
            Angular velocity [rad/time].
        """
        w = as_array("centrifugal", "omega", omega, (3,), unit="rad/time")
        out = sparse.csc_matrix((self.structure.n, self.structure.n))
        for (a, b), S in zip(PAIRS, self.moments.S, strict=True):
            factor = w[a] * w[b] - (w @ w if a == b else 0.0)
            if factor != 0.0:
                out = out + factor * (S if a == b else S + S.T)
        return out.tocsc()

    def load(self, acceleration: Any = ZERO, omega: Any = ZERO, omega_dot: Any = ZERO) -> FloatArray:
        """Inertia forces (n,) of the undeformed structure, minus the sum of w H^T (a + omega_dot x X + ...).

        Parameters
        ----------
        acceleration : (3,) array
            Of the origin of the frame; with gravity g, its acceleration minus g [length/time^2].
        omega, omega_dot : (3,) array
            Angular velocity and acceleration [rad/time, rad/time^2].
        """
        return -self.moments.loads @ accelerations("load", acceleration, omega, omega_dot)

    def geometric(self, acceleration: Any = ZERO, omega: Any = ZERO, omega_dot: Any = ZERO) -> Any:
        """Stress stiffness of the inertia load, with the structure at rest in the frame.

        It is linear in the load, so that each of the twelve motions of a frame is solved once and kept. Lumped masses
        on arms and the sections of beams and shells turn with their nodes; their part is exact.

        Raises
        ------
        SingularError
            If the frame does not hold the structure.
        """
        motion = accelerations("geometric", acceleration, omega, omega_dot)
        wanted = [int(i) for i in np.flatnonzero(motion)]
        missing = {str(i): -self.moments.loads[:, i] for i in wanted if i not in self._stresses}
        if missing:
            solved = static_response(self.structure, self.fixed, missing)
            for name, solution in solved.items():
                turned = replace(solution, fields=(inertia_force(int(name), self.origin),))
                self._stresses[int(name)] = geometric_stiffness(turned)
        out = sparse.csc_matrix((self.structure.n, self.structure.n))
        for i in wanted:
            out = out + motion[i] * self._stresses[i]
        return out.tocsc()

    def operators(
        self, omega: Any, omega_dot: Any = ZERO, acceleration: Any = ZERO, geometric: bool = True
    ) -> FrameOperators:
        """The equations of small motions in the frame at one instant, or in steady rotation for good.

        Parameters
        ----------
        omega, omega_dot : (3,) array
            Angular velocity and acceleration [rad/time, rad/time^2].
        acceleration : (3,) array
            Of the origin, less gravity [length/time^2].
        geometric : bool
            Whether the stresses of the inertia load stiffen. Without it fast rotation only softens, which is wrong
            for slender parts.

        Raises
        ------
        ModelError
            If an argument has another shape.
        SingularError
            If the frame does not hold the structure, with ``geometric``.
        """
        omega = as_array("operators", "omega", omega, (3,), unit="rad/time")
        given = self.structure
        K = given.K + self.euler(omega_dot) + self.centrifugal(omega)
        if geometric:
            K = K + self.geometric(acceleration, omega, omega_dot)
        C = self.coriolis(omega)
        D = C if given.D is None else given.D + C
        load = self.load(acceleration, omega, omega_dot)
        return FrameOperators(given, self.supports, D.tocsc(), K.tocsc(), load, frozen_copy(omega))

    def _turning(self, rate: FloatArray) -> Any:
        """Sum w H^T rate~ H."""
        S = dict(zip(PAIRS, self.moments.S, strict=True))
        out = sparse.csc_matrix((self.structure.n, self.structure.n))
        for axis, pair in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1))):
            sign = -1.0 if axis == 1 else 1.0  # rate~ holds -rate_z at (x, y), rate_y at (x, z), -rate_x at (y, z)
            if rate[axis] != 0.0:
                out = out + sign * rate[axis] * (S[pair].T - S[pair])
        return out.tocsc()


def accelerations(owner: str, acceleration: Any, omega: Any, omega_dot: Any) -> FloatArray:
    """That of the origin, and the entries of omega_dot~ + omega~ omega~ row by row (12,)."""
    a = as_array(owner, "acceleration", acceleration, (3,), unit="length/time^2")
    w = as_array(owner, "omega", omega, (3,), unit="rad/time")
    e = as_array(owner, "omega_dot", omega_dot, (3,), unit="rad/time^2")
    field_of_x = np.cross(e, np.eye(3)).T + np.outer(w, w) - (w @ w) * np.eye(3)
    return np.concatenate([a, field_of_x.ravel()])


def inertia_force(motion: int, origin: FloatArray) -> BodyForce:
    """Force per mass at points (..., 3) of a motion of the frame that `accelerations` has as one entry 1."""
    along, by = (motion, None) if motion < 3 else divmod(motion - 3, 3)

    def force(x: FloatArray) -> FloatArray:
        out = np.zeros(x.shape)
        out[..., along] = -1.0 if by is None else origin[by] - x[..., by]
        return out

    return force


def moving_frame(
    structure: Part | Operators, fixed: Mapping[Any, Any] | None = None, origin: Any = ZERO
) -> MovingFrame:
    r"""A linear structure in a frame that moves as prescribed: turning machinery, links of a mechanism.

    The integrals over the mass are sums over the points of the elements (`MassPoints`), exact for every element, rotary
    inertia of beams and shells included, and are computed once; all matrices are combined from them.

    Parameters
    ----------
    structure : Part or Operators
        Operators must come from a part. Its axes are those of the frame.
    fixed : mapping, optional
        What the frame holds, as in `static_response`; prescribed values must be zero.
    origin : (3,) array, optional
        Origin of the frame, in coordinates of the mesh [length]; a point of the axis if the frame just spins.

    Raises
    ------
    ModelError
        If the operators came as matrices, or supports do not fit.

    Notes
    -----
    Limits: displacements in the frame are small and do not act back on its motion. The stress stiffness is that of the
    elements. Inertia forces turn with `NodalMass` and with the sections of beams and shells, not with links.

    Source: S. I. Vlase, M. C. Tofan, I. A. Goia, Some aspects of finite element analysis of flexible multi-bodies
    systems, in: Virtual Nonlinear Multibody Systems (NATO ASI, Prague 2002), equations 10 and 11.

    Examples
    --------
    A blade of unit length, mass and stiffness at the rate 12: the lowest frequency, out of the plane of rotation, is
    13.170 (Wright et al. 1982), 3.516 at rest.

    >>> import flexmbs as fx
    >>> stiff = fx.BeamStiffness(EA=1e7, EI_y=1.0, EI_z=900.0, GJ=1e3, mass_per_length=1.0)
    >>> region = fx.linear.Region(None, fx.elements.Frame(section=stiff, shear=False))
    >>> blade = fx.linear.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 20), regions=[region])
    >>> frame = moving_frame(blade, fixed={0: "all"})
    >>> for rate in (0.0, 12.0):
    ...     print(round(frame.operators((0, 0, rate)).modes(1).angular_frequencies[0], 2))
    3.52
    13.17
    """
    owner = "moving_frame"
    operators = as_operators(owner, structure)
    held = supports(owner, operators, fixed)
    if np.any(held.values != 0.0):
        raise ModelError(f"{owner}: the frame holds the structure; prescribed values in fixed must be zero.")
    place = frozen_copy(as_array(owner, "origin", origin, (3,), unit="length"))
    return MovingFrame(operators, fixed, held, place, mass_moments(owner, operators, place))
