"""Pairs of tubes in the plane: lines that lie on each other, with forces per length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.kernels.contact_laws import NONE
from flexmbs.kernels.line_contacts import (
    LineContactGroup,
    line_energy,
    line_force,
    line_gaps,
    line_power,
    line_states,
    line_tangent,
)
from flexmbs.model.contacts.crossing import elements_of, refuse_many
from flexmbs.model.forces.items import Items, Kind

if TYPE_CHECKING:
    from flexmbs.model.contacts.along import Along
    from flexmbs.model.contacts.contact import FrictionLaw, NormalLaw
    from flexmbs.model.forces.items import Places

__all__ = ["LinePair", "line_pair"]

WIDTH = 12
"""Numbers of a contact with regularised friction or none."""
ELASTIC, LOSSY = (
    Kind(
        f"{what} of lines on each other", LineContactGroup, line_force, line_tangent, symmetric=what == "contact",
        diagnosis="the axes of two lines that touch come closer than a tenth of the distance in which they should lie",
        energy=lambda group, q: float(line_energy(group, q)), gaps=line_gaps,
        power=lambda group, state: float(line_power(group, state)),
    )
    for what in ("contact", "contact with losses")
)  # fmt: skip


class LinePair(NamedTuple):
    """Two lines in the plane that may lie on each other; ``a`` has the points, ``b`` is what they are projected on.

    ``law``: numbers of the contact as those of `DistributedPair`, the first one being the sum of the radii; ``kind``:
    with losses or without.
    """

    a: Along
    b: Along
    law: tuple[float, ...]
    kind: Kind

    def __str__(self) -> str:
        return f"{self.a} and {self.b}"

    @property
    def reach(self) -> float:
        """Distance of the axes where the surfaces meet [length]."""
        return self.law[0]

    @property
    def told(self) -> Any:
        """Kernel that tells what the pair does."""
        return line_states

    def items(self, places: Places, number: int) -> Items:
        """Every element of one line with every one of the other."""
        (dofs_a, iq_a, P_a), (dofs_b, iq_b, P_b) = (elements_of(tube, places) for tube in (self.a, self.b))
        one, other = (part.ravel() for part in np.indices((len(dofs_a), len(dofs_b))))
        n = len(one)
        law = np.pad(np.array(self.law, dtype=np.float64), (0, WIDTH - len(self.law)))
        columns = (
            np.hstack((iq_a[one], iq_b[other])),
            np.concatenate((P_a[one], P_b[other]), axis=1),
            np.tile(np.array([iq_a.shape[1], iq_b.shape[1]]), (n, 1)),
            np.tile(self.a.rule[0], (n, 1)),
            self.a.table().w[one],
            np.tile(np.array([self.a.offset, self.b.offset]), (n, 1)),
            np.tile(law, (n, 1)),
            np.full(n, number, dtype=np.int64),
        )
        return Items(self.kind, np.hstack((dofs_a[one], dofs_b[other])), columns)


def line_pair(owner: str, a: Any, b: Any, law: NormalLaw, friction: FrictionLaw | None) -> LinePair:
    """The pair of two tubes in the plane."""
    numbers = law.numbers(owner, a, b)
    if friction is not None and friction.states(1) > 0:
        raise ModelError(
            f"{owner}: {a} and {b} lie on each other, and {a_or_an(type(friction).__name__)} would have to remember at "
            f"every point where it is on the other line; take a CoulombLaw."
        )
    if a.offset + b.offset <= 0.0:
        raise ModelError(
            f"{owner}: {a} and {b} have no thickness, so that it is not known on which side of each other they lie; "
            f"give one of them a radius, of a strip half its thickness."
        )
    refuse_many(owner, a, b)
    data = (a.offset + b.offset, *numbers, *((float(NONE),) if friction is None else friction.numbers()))
    lossy = friction is not None or numbers[3] != 0.0
    return LinePair(a, b, data, LOSSY if lossy else ELASTIC)
