"""Latch: the coordinate of a joint is caught where it passes a value, and held from then on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from flexmbs.core.checks import as_name, as_number, as_turns
from flexmbs.core.errors import ModelError
from flexmbs.core.extra_coordinate import ExtraCoordinate
from flexmbs.core.references import Description, refers_to
from flexmbs.kernels.laws import LATCH, LINEAR
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.forces.coordinate import Place, What, coordinate
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.wrench import Wrench

__all__ = ["Latch"]

SIDES = {"rising": 1.0, "falling": -1.0}


@two_ended
@dataclass(frozen=True, eq=False)
class Latch(Description):
    r"""One-way lock of the coordinate of a joint: it catches where the coordinate s passes ``at``, and never opens.

    Until then it does nothing. A spring pushes its pin in as soon as s is beyond ``at``, within the closing time
    :math:`\tau`; the part z of the pin's way, 0 when open and 1 when closed, is a state:

    .. math::

       F = z \left(k (s - s_a) + c \dot s\right), \qquad
       \dot z = (h + g - h g) \frac{1 - z}{\tau}, \qquad
       h = \sigma\!\left(\pm\frac{s - s_a}{w}\right), \quad g = \sigma\!\left(\frac{z}{0.1}\right),

    with :math:`\sigma(x) = 3x^2 - 2x^3` between 0 and 1. Once z is beyond 0.1 the latch closes wherever s goes.

    Parameters
    ----------
    on : joint, or two places (a, b)
        Places may be given one by one, too: ``Latch(a, b, ...)``.
    at : float
        s_a where it catches [length or rad]; angles are counted over all turns.
    stiffness : float
        k of the closed latch [force/length], for an angle [force length/rad].
    damping : float
        c of the closed latch [force time/length or force length time/rad]; 2 zeta sqrt(k m) for the part zeta of
        critical damping with a mass (moment of inertia) m. What moves when it catches is lost in it.
    closing_time : float
        tau [time]; steps must resolve it. It should be short against the time in which s passes ``at`` and long
        against nothing but the step.
    closes : 'rising' or 'falling', default 'rising'
        Whether s comes from below or from above.
    width : float, default 0.001
        w [length or rad], beyond ``at``, over which the pin comes free.
    closed : bool, default False
        Whether it is closed at the start: of use for statics and modes of what has unfolded.
    coordinate : 'angle', 'displacement' or 'distance', optional
        Which coordinate; needed where the joint leaves several free and between two markers.
    name : str

    Raises
    ------
    ModelError
        If a number is out of bounds, ``closes`` is none of both, or it is not clear which coordinate is meant.

    Notes
    -----
    While the pin moves in a latch that is bent, k (s - s_a)^2 / 2 dz/dt is work of its spring; it vanishes with tau.
    What passes ``at`` faster than the pin can follow (more than about a radian or length of sqrt(m/k) times the speed)
    swings back into the latch. `run.force(name)` gives the moment it carries.

    Examples
    --------
    A panel of 0.0134 kg m^2 about its hinge that is to stop at a right angle:

    >>> import flexmbs as fx
    >>> panel = fx.RigidBody.box(size=(0.2, 0.02, 0.02), mass=1.0, position=(0.1, 0, 0), name="panel")
    >>> hinge = fx.RevoluteJoint(fx.ground, panel, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    >>> fx.Latch(hinge, at=1.5708, stiffness=500.0, damping=1.0, closing_time=1e-3, name="lock").closes
    'rising'
    """

    role: ClassVar[str] = "force"
    on: Place = field(metadata=refers_to("joint"))
    at: float
    stiffness: float
    damping: float
    closing_time: float
    closes: Literal["rising", "falling"] = "rising"
    width: float = 1e-3
    closed: bool = False
    coordinate: What | None = None
    name: str = "latch"
    row_forces: tuple[RowForce, ...] = field(init=False, repr=False)
    extra: tuple[ExtraCoordinate, ...] = field(init=False, repr=False)
    wrenches: ClassVar[tuple[Wrench, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"Latch {as_name('Latch', 'name', self.name)!r}"
        place = coordinate(owner, self.on, self.coordinate)
        at = as_number(owner, "at", self.at, unit=place.unit)
        if place.unit == "rad":
            as_turns(owner, "at", self.at)
        if self.closes not in SIDES:
            raise ModelError(f"{owner}: closes must be 'rising' or 'falling', not {self.closes!r}.")
        if not isinstance(self.closed, bool):
            raise ModelError(f"{owner}: closed must be True or False, not {self.closed!r}.")
        load = f"{place.load}/{place.unit}"
        data = (
            as_number(owner, "stiffness", self.stiffness, above=0.0, unit=load),
            as_number(owner, "damping", self.damping, minimum=0.0, unit=f"{place.load} time/{place.unit}"),
            at,
            SIDES[self.closes],
            as_number(owner, "width", self.width, above=0.0, unit=place.unit),
            as_number(owner, "closing_time", self.closing_time, above=0.0, unit="time"),
        )
        # What is closed from the start has no past: a spring with a damper, which statics and modes take.
        states = () if self.closed else (ExtraCoordinate(f"pin of {self.name!r}", resolution=1e-9),)
        law, numbers = (LINEAR, (data[0], at, data[1], 0.0)) if self.closed else (LATCH, data)
        object.__setattr__(self, "extra", states)
        object.__setattr__(self, "row_forces", (RowForce(place.a, place.b, (place.row,), law, numbers, states=states),))
