"""Contact: forces between the shapes of bodies that touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from flexmbs.core.checks import as_flag, as_name, as_number, is_list, show
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.core.extra_coordinate import ExtraCoordinate
from flexmbs.core.references import Description
from flexmbs.kernels.contact_laws import NONE
from flexmbs.kernels.laws import CONTACT
from flexmbs.model.contacts.crossing import CrossingPair, crossing_pair
from flexmbs.model.contacts.distributed import DistributedPair, distributed_pair, no_distributed_pair
from flexmbs.model.contacts.lines import LinePair, line_pair
from flexmbs.model.contacts.pair import ContactPair, gap_of
from flexmbs.model.contacts.seams import warn_of_seams
from flexmbs.model.contacts.searching import MANY, MOST_DECLARED, places_of, shapes_near, sorts_that_meet
from flexmbs.model.contacts.sensor import contact_event
from flexmbs.model.contacts.shapes import Shape, with_table
from flexmbs.model.contacts.spinless import warn_of_lost_friction
from flexmbs.model.contacts.strangers import instead, warn_of_strangers
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.wrench import Wrench

if TYPE_CHECKING:
    from flexmbs.model.control.events import Event

__all__ = ["Contact", "FrictionLaw", "NormalLaw"]

FINE = 1e-14
"""Deflections of bristles below this times the size of the place [length] are round-off of the slip velocity."""
TOUCHING = 1e-9
"""Overlap at the start, over the size of the place, that is round-off."""


class NormalLaw(Protocol):
    """What a contact asks of a law of the normal force."""

    def numbers(self, owner: str, a: Shape, b: Shape) -> tuple[float, float, float, float, float]:
        """Of a pair of shapes: law of `flexmbs.kernels.contact_laws`, and its four numbers."""


class FrictionLaw(Protocol):
    """What a contact asks of a law of friction."""

    def numbers(self) -> tuple[float, ...]:
        """Law of `flexmbs.kernels.contact_laws`, and its numbers."""

    def states(self, directions: int) -> int:
        """How many first-order states it has for so many directions of slip."""


@dataclass(frozen=True, eq=False)
class Contact(Description):
    r"""Contact of the shapes of bodies: a normal force where they overlap, and friction.

    For each pair the shapes tell the gap g (negative: the depth d = -g), the normal n from A to B, and the velocity u
    with which the material of B slips over that of A at the point of contact. On B act N n + T and on A the opposite,
    at one point; N is that of ``law``, T, tangential and against u, that of ``friction``.

    Parameters
    ----------
    parts : sequence of shapes
        Of `flexmbs.contact`. Every two of them on different bodies (on different nodes of a flexible one) that have
        rows with each other are a pair, but for two on the ground.
    law : HertzLaw, HuntCrossleyLaw or ImpactLaw
        Of `flexmbs.contact`.
    friction : CoulombLaw, BristleLaw or DwellLaw, optional
        Of `flexmbs.contact`; without it the contact is smooth.
    pairs : sequence of (shape, shape), optional
        Those of the parts that may touch; by default all, but for pairs of bodies that a joint connects, of the
        model or of a tree: these are left out, with a warning that names them. A pair that is named here is kept.
    allow_overlap : bool, default False
        Accept shapes that overlap at the start, such as those of bodies that rest on each other.
    search : bool, optional
        Whether the pairs are found while the bodies move, in place of being declared one by one. Left out, from 300
        pairs that may touch on, if the law of friction has no memory. The forces are the same.
    name : str

    Attributes
    ----------
    touching : tuple of ContactPair
        The pairs of shapes on markers; empty where they are searched.
    distributed : tuple of DistributedPair
        Those of a tube or skin along a flexible body with a shape on a marker: forces per length or area.
    crossing : tuple of CrossingPair or LinePair
        Those of two tubes: that cross in space, at a point; that lie on each other in the plane, per length.
    searched : bool
        Whether they are searched.

    Raises
    ------
    ModelError
        If nothing can touch, shapes overlap at the start (the message says by how much), or a law does not fit.

    Notes
    -----
    The point of contact is that of the surface of B, for a ball at del - r n. The point, the normal and the slip wander
    with the bodies, and the tangents are exact. With fixed steps, `simulate` warns of contacts that were
    shorter than ten of them; step control by the error (`ErrorControl`) repeats steps in which a contact would
    be missed.

    Limits: shapes do not roll over to other features by themselves (a `Rim` lying flat, a `Vertex` on the edge of a
    `Box`). `EnergyMomentum` refuses contacts.

    Examples
    --------
    A ball that falls on the floor and rebounds with 0.7 of 2 m/s:

    >>> import flexmbs as fx
    >>> ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(0, 0, -2.0), name="ball")
    >>> floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    >>> law = fx.contact.HuntCrossleyLaw(stiffness=1e6, restitution=0.7, at_speed=2.0)
    >>> touch = fx.Contact((floor, fx.contact.Sphere(ball, radius=0.1)), law, name="touch")
    >>> run = fx.simulate(fx.Model(ball, touch), until=0.05)
    >>> round(float(run.velocity(ball)[-1, 2]), 3)
    1.4
    """

    role: ClassVar[str] = "force"
    parts: Sequence[Shape]
    law: NormalLaw
    friction: FrictionLaw | None = None
    pairs: Sequence[tuple[Shape, Shape]] | None = None
    allow_overlap: bool = False
    search: bool | None = None
    name: str = "contact"
    searched: bool = field(init=False, repr=False)
    touching: tuple[ContactPair, ...] = field(init=False, repr=False)
    distributed: tuple[DistributedPair, ...] = field(init=False, repr=False)
    crossing: tuple[CrossingPair | LinePair, ...] = field(init=False, repr=False)
    row_forces: tuple[RowForce, ...] = field(init=False, repr=False)
    extra: tuple[ExtraCoordinate, ...] = field(init=False, repr=False)
    wrenches: ClassVar[tuple[Wrench, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"Contact {as_name('Contact', 'name', self.name)!r}"
        parts = _shapes(owner, self.parts)
        object.__setattr__(self, "parts", parts)
        as_flag(owner, "allow_overlap", self.allow_overlap)
        if not hasattr(self.law, "numbers") or hasattr(self.law, "states") or isinstance(self.law, type):
            raise ModelError(
                f"{owner}: law must be a HertzLaw, HuntCrossleyLaw or ImpactLaw of fx.contact, not {show(self.law)}."
            )
        if self.friction is not None and (not hasattr(self.friction, "states") or isinstance(self.friction, type)):
            raise ModelError(
                f"{owner}: friction must be a CoulombLaw, BristleLaw or DwellLaw of fx.contact, not "
                f"{show(self.friction)}."
            )
        object.__setattr__(self, "searched", self._is_searched(owner, parts))
        found: list[ContactPair] = []
        along: list[DistributedPair] = []
        crossing: list[CrossingPair | LinePair] = []
        if not self.searched:
            self._declare(owner, parts, found, along, crossing)
        object.__setattr__(self, "crossing", tuple(crossing))
        if self.pairs is None:
            warn_of_strangers(owner, parts, _why_not)
        for meeting in [parts] if self.pairs is None else _partners(self.pairs):
            warn_of_seams(owner, meeting)
        if self.friction is not None:
            warn_of_lost_friction(owner, parts)
        if not self.allow_overlap:
            _refuse_overlap(owner, self._near_at_start(parts) if self.searched else found)
        object.__setattr__(self, "touching", tuple(found))
        object.__setattr__(self, "distributed", tuple(along))
        object.__setattr__(self, "row_forces", tuple(pair.force for pair in found))
        states = [*(pair.force.states for pair in found), *(pair.states for pair in along)]
        object.__setattr__(self, "extra", tuple(state for own in states for state in own))

    def _declare(
        self,
        owner: str,
        parts: tuple[Shape, ...],
        found: list[ContactPair],
        along: list[DistributedPair],
        crossing: list[CrossingPair | LinePair],
    ) -> None:
        """The pairs of shapes on markers, and of those along bodies."""
        for a, b in combinations(parts, 2) if self.pairs is None else self._named(owner, parts):
            why_not = _why_not(a, b)
            if why_not and self.pairs is not None:
                raise ModelError(f"{owner}: {a} and {b} cannot touch: {why_not}.")
            if not why_not and a.along and b.along:
                pair_of = line_pair if a.body.planar else crossing_pair  # type: ignore[attr-defined]
                crossing.append(pair_of(owner, a, b, self.law, self.friction))
            elif not why_not and (a.along or b.along):
                one, other = (b, a) if a.along else (a, b)
                along.append(distributed_pair(owner, self.name, one, other, self.law, self.friction))
            elif not why_not and (pair := self._pair(owner, a, b)) is not None:
                found.append(pair)
        if not found and not along and not crossing:
            raise ModelError(f"{owner}: no two of its parts can touch: {'; '.join(map(str, parts))}.{instead(*parts)}")

    def _is_searched(self, owner: str, parts: tuple[Shape, ...]) -> bool:
        """Whether the pairs are searched: as wished, else where there are many."""
        if self.search is not None:
            as_flag(owner, "search", self.search)
        few = len(parts) * (len(parts) - 1) <= 2 * MANY
        if self.search is False or (self.search is None and (self.pairs is not None or few)):
            return False
        if self.pairs is not None:
            raise ModelError(
                f"{owner}: pairs are named, so that there is nothing to search; leave out search or pairs."
            )
        if any(part.along for part in parts):
            if self.search:
                raise ModelError(f"{owner}: shapes along flexible bodies cannot be searched; leave out search=True.")
            return False
        sorts = sorts_that_meet(parts)
        count = sum(sort.pairs for sort in sorts)
        if not count:
            raise ModelError(
                f"{owner}: no two of its parts can touch: {'; '.join(map(str, parts[:10]))}.{instead(*parts[:10])}"
            )
        if self.search is None and count <= MANY:
            return False
        if self.friction is not None and self.friction.states(2) > 0:
            if self.search is None and count <= MOST_DECLARED:
                return False
            raise ModelError(
                f"{owner}: {a_or_an(type(self.friction).__name__)} remembers in every pair, which pairs that are "
                f"searched cannot; of {len(parts)} shapes {count} pairs may touch. Take a CoulombLaw, or name in "
                f"pairs= those that touch."
            )
        for sort in sorts:
            self.pair(sort.a, sort.b)  # refused now, if the law does not fit
        largest = max(parts, key=lambda part: part.ball_radius or 0.0)
        for part in parts:
            if not part.fits_all:
                self.pair(part, largest)  # and if a ball does not fit into a bore, a hollow or a notch
        return True

    def _near_at_start(self, parts: tuple[Shape, ...]) -> list[ContactPair]:
        """Pairs of a contact that is searched that may overlap in the initial configuration."""
        p = np.array([part.marker.position0() for part in parts])
        R = np.array([part.marker.rotation0() for part in parts])
        near = shapes_near(places_of(parts), p, R, np.zeros(len(parts)))
        made = (self.pair(parts[i], parts[j]) for i, j in near)
        return [pair for pair in made if pair is not None]

    def pair(self, a: Shape, b: Shape) -> ContactPair | None:
        """Two of the parts as a pair, with what acts between them; None if they cannot touch."""
        return self._pair(f"Contact {self.name!r}", a, b)

    def _named(self, owner: str, parts: tuple[Shape, ...]) -> tuple[tuple[Shape, Shape], ...]:
        """The pairs given, checked to be of the parts."""
        named = []
        if not is_list(self.pairs):
            raise ModelError(f"{owner}: pairs must be a list of pairs of its parts, not {show(self.pairs)}.")
        for pair in self.pairs or ():
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise ModelError(f"{owner}: pairs are of two shapes each, not {show(pair)}.")
            for shape in pair:
                if not any(shape is part for part in parts):
                    raise ModelError(f"{owner}: pairs name {show(shape)}, which is none of its parts.")
            named.append((pair[0], pair[1]))
        if not named:
            raise ModelError(f"{owner}: pairs is empty; leave it out for all pairs of the parts.")
        object.__setattr__(self, "pairs", tuple(named))
        return tuple(named)

    def _pair(self, owner: str, a: Shape, b: Shape) -> ContactPair | None:
        """Rows, laws and states of two shapes on markers; None if they are no pair."""
        if _why_not(a, b):
            return None
        found = a.rows_against(b)
        if found is None:
            a, b, found = b, a, b.rows_against(a)
        assert found is not None  # noqa: S101 - else there is a reason
        rows = found.rows if self.friction is not None else found.rows[:1]
        friction = (float(NONE),) if self.friction is None else self.friction.numbers()
        data = (found.offset, *self.law.numbers(owner, a, b), *friction)
        table = a.table_for(b, b.ball_radius or 0.0)
        if table:
            rows, data = tuple(with_table(row, len(data)) for row in rows), (*data, *table)
        count = 0 if self.friction is None else self.friction.states(len(rows) - 1)
        label = f"friction of {self.name!r}, {a} and {b}"
        fine = FINE * max(1e-3, *(float(np.abs(s.marker.position0()).max()) for s in (a, b)))
        states = tuple(ExtraCoordinate(f"state {k} of the {label}", resolution=fine) for k in range(count))
        return ContactPair(a, b, RowForce(a.marker, b.marker, rows, CONTACT, data, states=states))

    def declared(self, solution: Any = None, within: float = 0.1) -> Contact:
        """The same contact with its pairs declared: those near each other at the last state of a solution.

        For analyses that need the pairs beforehand: statics, modes and other linear ones about a heap at rest.

        Parameters
        ----------
        solution : TimeSolution or StaticSolution, optional
            Left out, the initial configuration.
        within : float, default 0.1
            Gap up to which a pair is near, over the sum of the sizes of its shapes.

        Raises
        ------
        ModelError
            If no shapes are near each other.

        Examples
        --------
        >>> import flexmbs as fx
        >>> balls = [
        ...     fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0.21 * i, 0, 0.1), name=f"ball {i}")
        ...     for i in range(30)
        ... ]
        >>> floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
        >>> shapes = [floor, *(fx.contact.Sphere(ball, radius=0.1) for ball in balls)]
        >>> touch = fx.Contact(shapes, fx.contact.HuntCrossleyLaw(stiffness=1e6), name="touch")
        >>> touch.searched, len(touch.declared().touching)
        (True, 59)
        """
        owner = f"Contact {self.name!r}"
        if not self.searched:
            return self
        markers = [part.marker for part in self.parts]
        if solution is None:
            p, R = (np.array([getattr(m, name)() for m in markers]) for name in ("position0", "rotation0"))
        else:
            p, R = (np.array([getattr(solution, name)(m)[-1] for m in markers]) for name in ("position", "rotation"))
        places = places_of(self.parts)
        grow = as_number(owner, "within", within, minimum=0.0)
        slack = grow * np.where(np.isfinite(places.reach), places.reach, 0.0)
        near = [(self.parts[i], self.parts[j]) for i, j in shapes_near(places, p, R, slack)]
        pairs = [(a, b) for a, b in near if not _why_not(a, b)]
        if not pairs:
            raise ModelError(
                f"{owner}: no shapes are within {within:g} of their sizes of each other; give a larger within."
            )
        return replace(self, pairs=pairs, search=None, allow_overlap=True)

    def event(self, what: str, **options: Any) -> Event:
        """An event of the contact, for ``simulate(..., events=[...])``.

        Parameters
        ----------
        what : 'closes', 'opens', 'slips' or 'sticks'
            The first pair touches, or the last one parts (`flexmbs.contact.LeastGap`); the first pair slips, or the
            last one sticks (`flexmbs.contact.SlipSpeed`).
        **options
            Of `flexmbs.control.Event`: ``terminal``, ``action``, ``pieces``, ``name``; with 'slips' and 'sticks' also
            ``level``, the speed of slip that parts the two [length/time], by default the speed of the law of friction:
            `CoulombLaw.speed`, `BristleLaw.falling`, `DwellLaw.stribeck_speed`.

        Raises
        ------
        ModelError
            If there is no such event, slip is asked of a contact without friction, or a level is missing.

        Examples
        --------
        >>> import flexmbs as fx
        >>> ball = fx.PointMass(1.0, position=(0, 0, 1.0), name="ball")
        >>> floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
        >>> law = fx.contact.HuntCrossleyLaw(stiffness=1e6)
        >>> touch = fx.Contact((floor, fx.contact.Vertex(ball)), law, name="touch")
        >>> landing = touch.event("closes", terminal=True)
        >>> run = fx.simulate(fx.Model(ball, touch, fx.Gravity((0, 0, -9.81))), until=1.0, events=[landing])
        >>> round(float(run.t[-1]), 6) == round((2 / 9.81) ** 0.5, 6)
        True
        """
        return contact_event(self, what, options)


def _shapes(owner: str, parts: Any) -> tuple[Shape, ...]:
    if not isinstance(parts, tuple | list):
        raise ModelError(f"{owner}: parts are the shapes that may touch, in a tuple, not {show(parts)}.")
    for part in parts:
        if not isinstance(part, Shape):
            raise ModelError(
                f"{owner}: a part must be a shape of fx.contact, such as fx.contact.Sphere(body, radius=radius), not "
                f"{show(part)}."
            )
    if len(parts) < 2:
        raise ModelError(f"{owner}: it takes two shapes to touch, not {len(parts)}.")
    return tuple(parts)


def _why_not(a: Shape, b: Shape) -> str:
    """Why two shapes are no pair; empty where they are one."""
    if a.along or b.along:
        return no_distributed_pair(a, b)
    if a.marker.body.is_ground and b.marker.body.is_ground:
        return "both are fixed to the ground"
    if a.marker.fixed_to_same(b.marker):
        return "both are fixed to the same body"
    if a.rows_against(b) is None and b.rows_against(a) is None:
        return f"there is no contact of {a_or_an(type(a).__name__)} and {a_or_an(type(b).__name__)}"
    return ""


def _partners(pairs: Sequence[tuple[Shape, Shape]]) -> list[list[Shape]]:
    """Each shape with those that it is paired with by name."""
    found: dict[int, list[Shape]] = {}
    for a, b in pairs:
        found.setdefault(id(a), [a]).append(b)
        found.setdefault(id(b), [b]).append(a)
    return list(found.values())


def _refuse_overlap(owner: str, pairs: list[ContactPair]) -> None:
    """Raise where shapes overlap in the initial configuration."""
    worst, depth = None, 0.0
    for pair in pairs:
        ends = (pair.a.marker, pair.b.marker)
        p = np.array([m.position0() for m in ends])
        R = np.array([m.rotation0() for m in ends])
        gap = gap_of(pair, p, R)
        if not -gap <= TOUCHING * max(1.0, float(np.abs(p).max())) and not -gap <= depth:
            worst, depth = pair, -gap
    if worst is not None:
        raise ModelError(
            f"{owner}: {worst} overlap by {depth:.4g} at the start, which would throw them apart. Move them, or give "
            f"allow_overlap=True if they rest on each other."
        )
