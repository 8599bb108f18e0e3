"""Loads along a body: gravity and dead line loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, show
from flexmbs.core.errors import ModelError
from flexmbs.core.history import History, check_history
from flexmbs.core.references import Description
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.forces.items import Items, Places, dead_items
from flexmbs.model.forces.wrench import Wrench

__all__ = ["DistributedLoad", "Gravity"]


@dataclass(frozen=True, eq=False)
class DistributedLoad(Description):
    r"""A dead load per length of the stress-free shape, constant along all elements of a body.

    The generalised forces are the consistent ones, the integral of N^T load ds. On a reduced part (`FloatingBody`,
    `LinearBody`, `Substructure`) it acts along all line elements of the part, and is one force: the resultant
    :math:`L f` on the mean of all points of its lines, whose displacement is the mean of the shapes,

    .. math:: \delta W = f\cdot\int \delta r\, ds = L f\cdot\delta\bar r, \qquad
       \bar r = x_0 + R\,\tfrac1L\int \Big(s + \sum_k\phi_k\eta_k\Big) ds .

    A load that turns in the plane of x and z with the rate :math:`\Omega` is two loads, along x with the history
    :math:`\cos\Omega t` and along z with :math:`\sin\Omega t`.

    Parameters
    ----------
    body : FlexibleBody, FloatingBody, LinearBody or Substructure
    load : (dim,) sequence
        [force/length], in inertial directions; three components on reduced parts.
    history : function, optional
        Factor over time or load factor.

    Raises
    ------
    ModelError
        If the load has the wrong number of components, or a reduced part has no line elements with mass.

    Notes
    -----
    Limits: on a floating body with geometric stiffening the mean moves to second order by the affine fields of its
    inertia (`flexmbs.reduction.stiffening`), exactly where the mass is spread evenly along the lines; on substructures
    to first order within each, as in their inertia.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel)
    >>> fx.DistributedLoad(beam, (0, -3.0)).load
    (0.0, -3.0)
    """

    role: ClassVar[str] = "load"
    body: Any
    load: Sequence[float]
    history: History = None

    def __post_init__(self) -> None:
        check_history("DistributedLoad", self.history, load=self.load)
        reduced = hasattr(type(self.body), "line_resultant")
        if reduced:
            _ = self.body.line_resultant  # refuses parts without lines
        elif not isinstance(self.body, FlexibleBody):
            raise ModelError(
                f"DistributedLoad: body must be a FlexibleBody, FloatingBody, LinearBody or Substructure, not "
                f"{show(self.body)}. On rigid bodies give the resultant as a PointForce; a flexible link of a tree "
                f"takes it as a FloatingBody (flexmbs.trees.to_absolute_coordinates)."
            )
        dim = 3 if reduced else self.body.mesh.dim
        load = as_array(f"DistributedLoad on {self.body.name!r}", "load", self.load, (dim,), unit="force/length")
        object.__setattr__(self, "load", tuple(load.tolist()))

    @property
    def label(self) -> str:
        return f"distributed load on {self.body.name!r}"

    @property
    def targets(self) -> tuple[Any, ...]:
        return (self.body,)

    @cached_property
    def wrenches(self) -> tuple[Wrench, ...]:
        """The resultant on the mean of the lines of a reduced part; none on a body of elements."""
        if self.body.has_mesh:
            return ()
        mean, length = self.body.line_resultant
        x, y, z = (length * np.array(self.load)).tolist()
        return (Wrench(mean, force=(x, y, z)),)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        if not self.body.has_mesh:
            return ()
        group = places.element_group(self.body)
        return (dead_items(group.dofs, self.body.element.body_load(group, np.array(self.load), False), index),)


@dataclass(frozen=True, eq=False)
class Gravity(Description):
    """Weight of all bodies of the model.

    Parameters
    ----------
    acceleration : (dim,) sequence
        Of free fall [length/time^2], e.g. (0, -9.81).
    history : function, optional
        Factor over time or load factor.

    Examples
    --------
    >>> Gravity((0, -9.81)).label
    'gravity'
    """

    role: ClassVar[str] = "load"
    acceleration: Sequence[float]
    history: History = None
    label: ClassVar[str] = "gravity"
    targets: ClassVar[tuple[FlexibleBody, ...]] = ()

    def __post_init__(self) -> None:
        check_history("Gravity", self.history, acceleration=self.acceleration)
        if isinstance(self.acceleration, Real):
            raise ModelError(
                f"Gravity: acceleration must be a vector such as (0, 0, -9.81) or (0, -9.81), not "
                f"{show(self.acceleration)}."
            )
        g = as_array("Gravity", "acceleration", self.acceleration, (None,), unit="length/time^2")
        if len(g) not in (2, 3):
            raise ModelError(f"Gravity: acceleration must have 2 or 3 components, not {len(g)}.")
        object.__setattr__(self, "acceleration", tuple(g.tolist()))

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        g = np.array(self.acceleration)
        return tuple(items for group in places.groups for items in group.weights(g, index))
