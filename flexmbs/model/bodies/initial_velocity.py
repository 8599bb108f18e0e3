"""How a flexible body moves at the start: as a rigid body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, shape_of, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.nodes import places_in_q, rigid_rates
from flexmbs.core.references import Description
from flexmbs.model.bodies.flexible import FlexibleBody

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["InitialVelocity"]


@dataclass(frozen=True, eq=False, init=False)
class InitialVelocity(Description):
    r"""The velocity field of a rigid motion as the initial velocity of a flexible body.

    .. math:: \dot r = v_0 + \Omega \times (r - p), \qquad \dot r_s = \Omega \times r_s

    for points r and slopes r_s; directors move like slopes, small rotations of nodes get the rate Omega.

    Parameters
    ----------
    body : FlexibleBody
    velocity : (dim,) array, default zero
        v_0, of the point ``about`` [length/time], inertial axes.
    angular_velocity : float in the plane, (3,) array in space, default zero
        Omega [rad/time], inertial axes.
    about : (dim,) array, default the origin
        p [length].

    Raises
    ------
    ModelError
        If the body is not a flexible one, an array has the wrong number of components, or, when an analysis begins,
        another initial velocity of the body contradicts it.

    Examples
    --------
    >>> import flexmbs as fx
    >>> rod = fx.FlexibleBody.line((0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
    ...                            section=fx.Circle(diameter=0.01), material=fx.steel, name="rod")
    >>> run = fx.simulate(fx.Model(rod, fx.InitialVelocity(rod, angular_velocity=2.0)), until=0.1, step=0.01)
    >>> run.velocity(rod.end)[0].tolist()
    [0.0, 2.0, 0.0]
    """

    role: ClassVar[str] = "initial velocity"
    body: FlexibleBody
    velocity: FloatArray
    angular_velocity: FloatArray
    about: FloatArray

    def __init__(
        self,
        body: FlexibleBody,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        about: ArrayLike | None = None,
    ) -> None:
        if not isinstance(body, FlexibleBody):
            raise ModelError(
                f"InitialVelocity: body must be a FlexibleBody, not {show(body)}; rigid bodies have their own velocity."
            )
        owner, dim = f"InitialVelocity of {body.name!r}", body.mesh.dim
        object.__setattr__(self, "body", body)
        for name, value, unit in (("velocity", velocity, "length/time"), ("about", about, "length")):
            given = np.zeros(dim) if value is None else as_array(owner, name, value, (dim,), unit=unit)
            object.__setattr__(self, name, _spatial(given))
        spin = np.zeros(3)
        if angular_velocity is not None and dim == 2:
            turn = angular_velocity if shape_of(angular_velocity) else [angular_velocity]
            spin[2] = as_array(owner, "angular_velocity", turn, (1,), unit="rad/time")[0]
        elif angular_velocity is not None:
            spin = as_array(owner, "angular_velocity", angular_velocity, (3,), unit="rad/time")
        object.__setattr__(self, "angular_velocity", spin)

    def velocity_field(self, dofs: IntArray, q: FloatArray, v: FloatArray) -> None:
        """Write the rates of the nodal coordinates ``dofs (n_nodes, n)`` at ``q`` into ``v``."""
        layout = self.body.element.layout
        n_linear = len(v) - 6 * (len(q) - len(v))  # of each turning node or body there is one number more in q
        own = q[places_in_q(layout, dofs, n_linear)]
        points = self.body.mesh.points
        v[dofs] = rigid_rates(layout, own, points, self.velocity, self.angular_velocity, self.about)


def _spatial(vector: FloatArray) -> FloatArray:
    out = np.zeros(3)
    out[: len(vector)] = vector
    return out
