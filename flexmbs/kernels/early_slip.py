"""Dry friction with a static limit, from step to step: what its bristles carry, and from where they let go.

Rows of a bristle: ``share``, what it carries, k0 z of a force and k0 |z|/N of a contact; ``rate`` of the coordinate, of
a contact the slip velocity, positive where it bends the bristle more; ``limit``, what it carries while it slides.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.kernels.contact_laws import BRISTLE as BRISTLE_OF_CONTACT
from flexmbs.kernels.contact_laws import FRICTION_OF_CONTACT, contact_law
from flexmbs.kernels.contacts import ContactGroup, measure_contact
from flexmbs.kernels.distributed_contacts import DistributedGroup, evaluate_point, state_of_point
from flexmbs.kernels.laws import BRISTLE
from flexmbs.kernels.row_forces import RowForceGroup, measure

__all__ = [
    "ENTRIES", "FAST_CREEP", "FAST_PEAK", "LARGEST", "SLOW_CREEP", "SLOW_PEAK", "contact_bristles",
    "distributed_bristles", "end", "follow", "force_bristles",
]  # fmt: skip

SHARE, RATE, LIMIT = range(3)
ENTRIES = 9
PHASE, SIGN, CREEP, PEAK, LARGEST, SLOW_PEAK, SLOW_CREEP, FAST_PEAK, FAST_CREEP = range(ENTRIES)
"""What is remembered of a bristle: 0, 1 where it holds, 2 where it slips after it held; the sign of what it carries, 0
where that has changed since it held; the rate when it held last; the most that it has carried since; the largest rate;
and of where it let go below its static limit: the least peak of those with a rate below ``falling``, with its rate, and
the least rate of the others, with its peak."""
SLIPS = 0.98
"""Part of the limit from which a bristle slips."""
FALLEN = 3.0
"""Rate, over ``falling``, at which friction has fallen: what it does later is no part of letting go."""


@kernel
def force_bristles(group: RowForceGroup, v: FloatArray, work: MarkerWork, rows: FloatArray) -> None:
    """Rows (3, n_p) of forces between markers; those of other laws are left."""
    for n in range(group.mA.shape[0]):
        if group.law[n] == BRISTLE:
            measure(n, group, work)
            w, data, rate = group.where[n], group.data, work.S[25, 0]
            rows[SHARE, n] = data[w] * v[group.state[n]]
            rows[RATE, n] = rate
            rows[LIMIT, n] = data[w + 3] + (data[w + 4] - data[w + 3]) * math.exp(-((rate / data[w + 5]) ** 2))


@kernel
def _of_contact(
    n: int, w: int, m: int, first: int, data: FloatArray, v: FloatArray, S: FloatArray, rows: FloatArray
) -> None:
    """The rows of a contact, whose law left its forces and rates in the scratch, as column n."""
    o = w + FRICTION_OF_CONTACT + 1
    square = pushes = slip = 0.0
    for a in range(1, m):
        z, u = v[first + a - 1], S[25, a]
        square, pushes, slip = square + z * z, pushes + z * u, slip + u * u
    rate = math.sqrt(slip)
    normal = -S[26, 0]
    rows[SHARE, n] = data[o] * math.sqrt(square) / normal if normal > 0.0 else 0.0
    rows[RATE, n] = rate if pushes > 0.0 else -rate
    rows[LIMIT, n] = data[o + 2] + (data[o + 3] - data[o + 2]) * math.exp(-((rate / data[o + 4]) ** 2))


@kernel
def contact_bristles(group: ContactGroup, v: FloatArray, work: MarkerWork, rows: FloatArray) -> None:
    """Rows (3, n_p) of contacts; those of other laws are left."""
    for n in range(group.mA.shape[0]):
        w = group.where[n]
        if group.data[w + FRICTION_OF_CONTACT] == BRISTLE_OF_CONTACT:
            m = measure_contact(n, group, work)
            contact_law(w, group.data, m, group.state[n], v, work.S)
            _of_contact(n, w, m, group.state[n], group.data, v, work.S, rows)


@kernel
def distributed_bristles(group: DistributedGroup, state: State, work: MarkerWork, rows: FloatArray) -> None:
    """Rows (3, n_p) of the points of contacts along bodies; those of other laws are left."""
    for i in range(group.mA.shape[0]):
        w = group.where[i]
        if group.data[w + FRICTION_OF_CONTACT] == BRISTLE_OF_CONTACT:
            for g in range(group.points[i], group.points[i + 1]):
                evaluate_point(i, g, group, state, work)
                _of_contact(g, w, group.m[i], state_of_point(i, g, group), group.data, state.v, work.S, rows)


@kernel
def _keep(n: int, falling: float, least: float, memory: FloatArray) -> None:
    """Bristle n has let go."""
    peak, creep = memory[PEAK, n], memory[CREEP, n]
    memory[PHASE, n] = 0.0
    if peak >= least:
        return
    if creep < falling:
        if peak < memory[SLOW_PEAK, n]:
            memory[SLOW_PEAK, n], memory[SLOW_CREEP, n] = peak, creep
    elif creep < memory[FAST_CREEP, n]:
        memory[FAST_PEAK, n], memory[FAST_CREEP, n] = peak, creep


@kernel
def follow(
    rows: FloatArray, begin: FloatArray, falling: FloatArray, least: FloatArray, memory: FloatArray
) -> None:  # fmt: skip
    """Follow n bristles through steps: ``rows (steps, 3, n)``, ``memory (9, n)``.

    A bristle holds while it carries less than ``begin`` and is bent more. What it carries at most until it slides, or
    is bent back, or faster than friction falls, is what it lets go at. Kept is what is below ``least``.
    """
    for n in range(begin.shape[0]):
        for i in range(rows.shape[0]):
            share, rate, limit = rows[i, SHARE, n], rows[i, RATE, n], rows[i, LIMIT, n]
            size, carried = abs(rate), abs(share)
            forward = share * rate > 0.0
            sign = 1.0 if share > 0.0 else -1.0 if share < 0.0 else 0.0
            memory[LARGEST, n] = max(memory[LARGEST, n], size)
            holds = forward and carried < begin[n]
            if memory[PHASE, n] > 0.0:
                memory[PEAK, n] = max(memory[PEAK, n], carried)
            if memory[PHASE, n] == 1.0 and not holds:
                if sign != memory[SIGN, n]:
                    memory[SIGN, n] = 0.0
                if forward and carried >= SLIPS * limit:
                    memory[PHASE, n] = 2.0 if memory[SIGN, n] != 0.0 else 0.0
            if memory[PHASE, n] == 2.0 and (holds or not forward or size > FALLEN * falling[n]):
                _keep(n, falling[n], least[n], memory)
            if holds:
                memory[PHASE, n], memory[SIGN, n], memory[CREEP, n], memory[PEAK, n] = 1.0, sign, size, carried


@kernel
def end(falling: FloatArray, least: FloatArray, memory: FloatArray) -> None:
    """After the last step: what slips then has let go, too."""
    for n in range(falling.shape[0]):
        if memory[PHASE, n] == 2.0:
            _keep(n, falling[n], least[n], memory)
