"""What a contact did over stored states: gaps, forces, slip, losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from flexmbs.core.attributes import MissingAttributeError
from flexmbs.core.contracts import FloatArray
from flexmbs.core.identity import IdentityMap
from flexmbs.kernels.contacts import contact_states
from flexmbs.model.contacts.pair import alone, two_markers
from flexmbs.model.contacts.searching import shapes_near
from flexmbs.results.contact_along import AlongHistory, along_history
from flexmbs.results.kinematics import kinematics
from flexmbs.system.contact_pairs import taking_part
from flexmbs.system.crossing_contacts import CrossingTubes
from flexmbs.system.marker_set import MarkerSet

if TYPE_CHECKING:
    from flexmbs.model.contacts.contact import Contact
    from flexmbs.model.contacts.crossing import CrossingPair
    from flexmbs.model.contacts.distributed import DistributedPair
    from flexmbs.model.contacts.lines import LinePair
    from flexmbs.model.contacts.pair import ContactPair
    from flexmbs.results.states import States

__all__ = ["ContactHistory", "contact_history"]


class ContactHistory(NamedTuple):
    """Histories of the m pairs of a contact over n stored states.

    ``pairs``: the pairs that take part (those of joined bodies do not), side A first; of a contact that is searched
    those that overlap in any of the states; ``t (n,)``;
    ``gap (n, m)``: negative where they touch [length]; ``normal (n, m)``: normal force N [force];
    ``force (n, m, 3)``: on the body of B, normal force and friction, inertial axes; ``point (n, m, 3)``: where it acts;
    ``slip (n, m, 3)``: velocity of the material of B against that of A there, tangential, inertial axes;
    ``energy (n, m)``: stored in the contact and its bristle; ``loss (n, m)``: energy lost since the first state.

    A tube or skin along a body is one pair, too: the gap is the least of its points, force and energy are those of the
    whole, point and slip means with the weight of N. ``along`` has what happens at the points.

    The loss is integrated by the trapezoidal rule over the stored states: store every step where it matters.
    """

    pairs: tuple[ContactPair | CrossingPair | DistributedPair | LinePair, ...]
    t: FloatArray
    gap: FloatArray
    normal: FloatArray
    force: FloatArray
    point: FloatArray
    slip: FloatArray
    energy: FloatArray
    loss: FloatArray
    along: tuple[AlongHistory, ...] = ()

    def __getattr__(self, name: str) -> NoReturn:
        raise MissingAttributeError(type(self), name)

    def acting(self) -> tuple[FloatArray, FloatArray]:
        """Points and forces (n, k, 3) for drawings: of pairs, and of the elements of tubes and skins."""
        single = len(self.pairs) - len(self.along)
        parts = [(self.point[:, :single], self.force[:, :single]), *(one.of_elements() for one in self.along)]
        points, forces = zip(*parts, strict=True)
        return np.concatenate(points, axis=1), np.concatenate(forces, axis=1)

    def __repr__(self) -> str:
        touched = int((self.normal > 0.0).any(axis=0).sum())
        deepest = max(0.0, -float(self.gap.min(initial=0.0)))
        return (
            f"<history of a contact: {len(self.t)} states, {touched} of {len(self.pairs)} pairs touch, largest normal "
            f"force {float(self.normal.max(initial=0.0)):.4g}, deepest {deepest:.4g}>"
        )


def contact_history(solution: States, contact: Contact) -> ContactHistory:
    """All of a contact at all stored states."""
    n = len(solution)
    at: Poses | None = None
    if contact.searched:
        pairs, at = _met(solution, contact)
    else:
        takes_part = taking_part(solution.model, [(contact, pair.force) for pair in contact.touching])
        pairs = tuple(pair for pair, counts in zip(contact.touching, takes_part, strict=True) if counts)
    takes_part = taking_part(solution.model, [(contact, pair.ends) for pair in contact.distributed])
    along = tuple(
        along_history(solution, pair) for pair, counts in zip(contact.distributed, takes_part, strict=True) if counts
    )
    takes_part = taking_part(solution.model, [(contact, pair) for pair in contact.crossing])
    crossing = [pair for pair, counts in zip(contact.crossing, takes_part, strict=True) if counts]
    n_a, n_c = len(pairs), len(crossing)
    m = n_a + n_c + len(along)
    found = np.empty((n, m, 11))
    points = np.empty((n, m, 3))
    for k, pair in enumerate(pairs):
        found[:, k], points[:, k] = _of_pair(solution, pair, at)
    for k, crossed in enumerate(crossing, start=n_a):
        tubes = CrossingTubes(solution.system.coordinates, crossed)
        told = np.array([tubes.states(q, v) for q, v in zip(solution.q, solution.v, strict=True)]).reshape(n, 14)
        points[:, k], found[:, k] = np.split(told, [3], axis=1)
    for k, body in enumerate(along, start=n_a + n_c):
        points[:, k], found[:, k] = np.split(body.whole(), [3], axis=1)
    power, energy, t = found[:, :, 10], found[:, :, 9], solution.t
    from scipy.integrate import cumulative_trapezoid  # slow to import, seldom needed

    done = cumulative_trapezoid(power, t, axis=0, initial=0.0) if n > 1 else np.zeros((n, m))
    all_pairs: tuple[Any, ...] = (*pairs, *crossing, *(body.pair for body in along))
    return ContactHistory(
        all_pairs, t, found[:, :, 0], found[:, :, 2], found[:, :, 3:6], points,
        found[:, :, 6:9], energy,
        -done - (energy - energy[:1]), along,
    )  # fmt: skip


class Poses(NamedTuple):
    """Of markers in all states: their numbers, ``p (n, m, 3), R (n, m, 3, 3), twist (n, m, 6)``."""

    number: IdentityMap[Any, int]
    p: FloatArray
    R: FloatArray
    twist: FloatArray


def _met(solution: States, contact: Contact) -> tuple[tuple[ContactPair, ...], Poses]:
    """The pairs of a contact that is searched that overlap in any state, and where its shapes are."""
    parts = contact.parts
    tables = MarkerSet(solution.system.coordinates, [part.marker for part in parts], set(), 0)
    work = tables.work(np.zeros(solution.system.coordinates.n_v), np.zeros(tables.size))
    n, m = len(solution), len(parts)
    at = Poses(tables.number, np.empty((n, m, 3)), np.empty((n, m, 3, 3)), np.empty((n, m, 6)))
    [table] = [table for table in solution.system.mechanics.searched if table.owner is contact]
    none = np.zeros(m)
    met: set[tuple[int, int]] = set()
    for i in range(n):
        tables.poses(work, np.array(solution.q[i]), np.array(solution.v[i]))
        at.p[i], at.R[i], at.twist[i] = work.p, work.R, work.twist
        pairs = table.between_free_bodies(shapes_near(table.places, work.p, work.R, none))
        met.update(map(tuple, pairs.tolist()))
    made = (contact.pair(parts[i], parts[j]) for i, j in sorted(met))
    return tuple(pair for pair in made if pair is not None), at


def _of_pair(solution: States, pair: ContactPair, at: Poses | None) -> tuple[FloatArray, FloatArray]:
    """Gap, its rate, N, force (3), slip (3), energy and power (n, 11) of a pair, and where it acts (n, 3)."""
    force = pair.force
    if at is None:
        both: list[Any] = [kinematics(solution, marker) for marker in (force.a, force.b)]
        p, R, twist = (np.stack([getattr(k, what)[:, 0] for k in both], axis=1) for what in ("p", "R", "twist"))
    else:
        ends = [at.number[marker] for marker in (force.a, force.b)]
        p, R, twist = at.p[:, ends], at.R[:, ends], at.twist[:, ends]
    n = len(solution)
    places = [solution.system.coordinates.extra_place(e) for e in force.states]
    z = np.ascontiguousarray(solution.v[:, places]) if places else np.zeros((n, 1))
    out = np.empty((n, 11))
    normal = np.empty((n, 3))
    p, R, twist = (np.ascontiguousarray(x) for x in (p, R, twist))
    contact_states(alone(pair), p, R, twist, z, two_markers(), out, normal)
    return out, np.array([pair.b.point(pair.a, p[i], R[i], normal[i]) for i in range(n)]).reshape(n, 3)
