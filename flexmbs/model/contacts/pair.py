"""A pair of shapes that may touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import MarkerWork
from flexmbs.core.jit import numbers_of_kinds
from flexmbs.kernels.contacts import ContactGroup, contact_gaps
from flexmbs.kernels.rows.contact_rows import USUAL

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.model.contacts.shapes import Shape
    from flexmbs.model.forces.row_force import RowForce

__all__ = ["ContactPair", "alone", "gap_of", "two_markers"]


class ContactPair(NamedTuple):
    """Two shapes that may touch, the side A first, and the force between their markers."""

    a: Shape
    b: Shape
    force: RowForce

    def __str__(self) -> str:
        return f"{self.a} and {self.b}"


def gap_of(pair: ContactPair, p: FloatArray, R: FloatArray) -> float:
    """The gap of a pair with its markers at p (2, 3) and R (2, 3, 3)."""
    work, found = two_markers(), np.zeros((2, 1))
    work.p[:], work.R[:] = p, R
    contact_gaps(alone(pair), work, found[0], found[1])
    return float(found[0, 0])


def alone(pair: ContactPair) -> ContactGroup:
    """The tables of this pair only, between the markers 0 and 1, with its states from place 0 on."""
    force = pair.force
    ints = {name: np.array([x], dtype=np.int64) for name, x in {"mA": 0, "mB": 1, "off": 0, "order": 0}.items()}
    c = np.zeros((len(force.rows), 12))
    for row, numbers in zip(force.rows, c, strict=True):
        numbers[: len(row.constants)] = row.constants
    return ContactGroup(
        **ints, ptr=np.array([0, len(c)]), kind=numbers_of_kinds([row.kind for row in force.rows], USUAL), c=c,
        mptr=np.zeros(3, dtype=np.int64), where=np.zeros(1, dtype=np.int64),
        data=np.array(force.data, dtype=np.float64), state=np.zeros(1, dtype=np.int64),
        n_states=np.array([len(force.states)]),
    )  # fmt: skip


def two_markers() -> MarkerWork:
    """Work arrays of two markers, for `flexmbs.kernels.contacts.contact_states`."""
    one = np.zeros(1)
    return MarkerWork(
        r=one, B=one, p=np.zeros((2, 3)), R=np.zeros((2, 3, 3)), twist=np.zeros((2, 6)), W=np.zeros((2, 6)),
        JT=np.zeros((1, 6)), JcT=np.zeros((1, 6)), JvT=np.zeros((1, 6)), T=np.zeros((1, 3, 3)), S=np.zeros((64, 12)),
    )  # fmt: skip
