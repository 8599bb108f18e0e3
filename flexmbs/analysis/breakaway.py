"""Dry friction that lets go before its static limit: a warning after the run."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import AccuracyWarning
from flexmbs.kernels.contact_laws import BRISTLE, FRICTION_OF_CONTACT
from flexmbs.model.contacts.pair import ContactPair
from flexmbs.model.forces.bristle_friction import BristleFriction
from flexmbs.results.contact_history import contact_history
from flexmbs.results.joint_history import force_rows
from flexmbs.results.kinematics import kinematics

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.model.contacts.contact import Contact
    from flexmbs.results.time import TimeSolution

__all__ = ["warn_of_early_slip"]

EARLY = 0.01
"""Part of the static limit that may be missing when sliding starts."""
SLOW = 0.05
"""Rate, relative to the largest of the run, below which a bristle that does not slip holds."""
FALLEN = 3.0
"""Rate, over ``falling``, at which friction has fallen: what it does later is no part of letting go."""
SLIPS = 0.98
"""Part of the deflection of sliding from which it slips."""
APART = 800.0
"""Times by which ``falling`` should exceed the rate of the coordinate while the bristle is bent."""


def warn_of_early_slip(solution: TimeSolution) -> None:
    """Warn of friction whose sticking ended below its static limit, if every step was stored."""
    if len(solution.t) != len(solution.steps) + 1:
        return
    for force in solution.model.forces:
        if getattr(force, "touching", ()):
            _of_contact(solution, force)
        if not isinstance(force, BristleFriction) or force.static is None:
            continue
        k0, _, _, slide, static, falling, begin = force.row_forces[0].data
        rate = force_rows(solution, force)[1][:, 0]
        z = solution.v[:, solution.system.coordinates.extra_place(force.extra[0])]
        limit = (slide + (static - slide) * np.exp(-((rate / falling) ** 2))) / k0
        found = _least_peak(z, rate, limit, begin, falling)
        if found is not None and k0 * found[0] < (1.0 - EARLY) * static and static > slide:
            peak, creep = k0 * found[0], found[1]
            wanted = force.deflection * falling / max(APART * creep, 1e-300)
            warnings.warn(
                f"BristleFriction {force.name!r}: it lets go at {peak:.4g} instead of its static limit of "
                f"{static:.4g}, since its bristle yields while it is bent at {creep:.3g}, and this is not small "
                f"beside falling = {falling:g}. Take a deflection of {wanted:.2g} or less, or a larger falling.",
                AccuracyWarning,
                stacklevel=3,
            )


def _of_contact(solution: TimeSolution, contact: Contact) -> None:
    """Warn of the pair of a contact that let go earliest, measured by friction over the normal force."""
    friction, *law = contact.touching[0].force.data[FRICTION_OF_CONTACT:]  # the same in all pairs
    if friction != BRISTLE or not law[3] > law[2]:
        return
    k0, static, falling = law[0], law[3], law[4]
    history = contact_history(solution, contact)
    found = []
    for k, pair in enumerate(pair for pair in history.pairs if isinstance(pair, ContactPair)):
        let_go = _of_pair(solution, pair, history.normal[:, k], history.slip[:, k])
        if let_go is not None:
            found.append((*let_go, str(pair)))
    if found and min(found)[0] < (1.0 - EARLY) * static:
        peak, creep, which = min(found)
        warnings.warn(
            f"Contact {contact.name!r}: {which} let go at a friction of {peak:.4g} instead of static = {static:g}, "
            f"since the bristle yields while it is bent at {creep:.3g}, and this is not small beside falling = "
            f"{falling:g}. Take a BristleLaw of stiffness {k0 * APART * creep / falling:.2g} or more, or a larger "
            "falling.",
            AccuracyWarning,
            stacklevel=4,
        )


def _of_pair(
    solution: TimeSolution, pair: ContactPair, normal: FloatArray, slip: FloatArray
) -> tuple[float, float] | None:
    """`_least_peak` of the deflection of a pair as friction over normal force; None where it was never let go."""
    k0, _, slide, static, falling, breakaway = pair.force.data[FRICTION_OF_CONTACT + 1 :]
    places = [solution.system.coordinates.extra_place(state) for state in pair.force.states]
    z = solution.v[:, places]
    R = kinematics(solution, pair.force.a).R[:, 0]
    along = np.array([row.constants[:3] for row in pair.force.rows[1:]])  # directions of slip in the axes of A
    pushes = np.einsum("na,ai,nji,nj->n", z, along, R, slip)  # of the slip on the bent bristle
    rate = np.linalg.norm(slip, axis=1) * np.sign(pushes)
    closed = normal > 0.0
    share = np.where(closed, k0 * np.linalg.norm(z, axis=1) / np.where(closed, normal, 1.0), 0.0)
    limit = slide + (static - slide) * np.exp(-((rate / falling) ** 2))
    return _least_peak(share, rate, limit, breakaway * slide, falling)


def _least_peak(
    z: FloatArray, rate: FloatArray, limit: FloatArray, begin: float, falling: float
) -> tuple[float, float] | None:
    """The smallest deflection with which sticking ended in sliding, and the rate while it was bent; None if never."""
    size = np.abs(rate)
    forward = z * rate > 0.0
    held = (np.abs(z) < begin) & (size < max(falling, SLOW * float(size.max(initial=0.0)))) & forward
    slips = (np.abs(z) >= SLIPS * limit) & forward
    found: tuple[float, float] | None = None
    last = -1
    for i in np.flatnonzero(held | slips):
        if held[i]:
            last = int(i)
        elif last >= 0:
            over = np.flatnonzero(held[i:] | ~forward[i:] | (size[i:] > FALLEN * falling))
            end = i + 1 + (int(over[0]) if len(over) else len(z))
            if np.all(z[last:i] * z[i] > 0.0):
                peak = float(np.abs(z[last:end]).max())
                if found is None or peak < found[0]:
                    found = peak, float(size[last])
            last = -1
    return found
