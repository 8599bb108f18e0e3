"""Pairs of tubes that cross in space, in elastic contact at a point; and what all pairs of tubes need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.kernels.crossing_contacts import (
    CrossingGroup,
    crossing_energy,
    crossing_force,
    crossing_gaps,
    crossing_states,
    crossing_tangent,
)
from flexmbs.model.forces.items import Items, Kind

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray
    from flexmbs.model.contacts.along import Along
    from flexmbs.model.contacts.contact import FrictionLaw, NormalLaw
    from flexmbs.model.forces.items import Places

__all__ = ["CrossingPair", "crossing_pair", "elements_of", "no_crossing", "refuse_many"]

MOST = 4000
"""Pairs of elements of two tubes, each of which has a block of its own in the matrix."""
NODES = np.cos(np.pi * (np.arange(4) + 0.5) / 4.0)
"""Where cubic polynomials are read off."""
CROSSING = Kind(
    "contact of tubes", CrossingGroup, crossing_force, crossing_tangent,
    diagnosis="two tubes touch at an angle below 10 degrees, along a line and not at a point, or their axes meet",
    energy=lambda group, q: float(crossing_energy(group, q)), gaps=crossing_gaps,
)  # fmt: skip


class CrossingPair(NamedTuple):
    """Two tubes that may touch at a point; ``law``: sum of their radii, stiffness [force/length^n], exponent."""

    a: Along
    b: Along
    law: tuple[float, float, float]

    def __str__(self) -> str:
        return f"{self.a} and {self.b}"

    @property
    def reach(self) -> float:
        """Distance of the axes where the surfaces meet [length]."""
        return self.law[0]

    @property
    def told(self) -> Any:
        """Kernel that tells what the pair does."""
        return crossing_states

    def items(self, places: Places, number: int) -> Items:
        """Every element of one tube with every one of the other."""
        (dofs_a, iq_a, P_a), (dofs_b, iq_b, P_b) = (elements_of(tube, places) for tube in (self.a, self.b))
        one, other = (part.ravel() for part in np.indices((len(dofs_a), len(dofs_b))))
        n = len(one)
        columns = (
            np.hstack((iq_a[one], iq_b[other])),
            np.concatenate((P_a[one], P_b[other]), axis=1),
            np.tile(np.array([iq_a.shape[1], iq_b.shape[1]]), (n, 1)),
            np.tile(np.array(self.law, dtype=np.float64), (n, 1)),
            np.full(n, number, dtype=np.int64),
        )
        return Items(CROSSING, np.hstack((dofs_a[one], dofs_b[other])), columns)


def elements_of(tube: Along, places: Places) -> tuple[IntArray, IntArray, FloatArray]:
    """Of the elements: coordinates (n_e, dim n_x) of the vectors that move the axis, places in q, and polynomials."""
    group, element = places.element_group(tube.body), tube.body.element
    dim = element.layout.dim
    N = element.interpolation(group, NODES)[0]
    used = np.flatnonzero((N != 0.0).any(axis=(0, 1)))
    first = group.dofs[:, ::dim][:, used]
    P = np.einsum("cg,egi->eic", np.linalg.inv(np.vander(NODES, 4, increasing=True)), N[..., used])
    n_linear = getattr(group, "n_linear", None)
    iq = first if n_linear is None else n_linear + 7 * ((first - n_linear) // 6) + (first - n_linear) % 6
    dofs = (first[..., None] + np.arange(dim)).reshape(len(first), -1)
    return np.ascontiguousarray(dofs), np.ascontiguousarray(iq), np.ascontiguousarray(P)


def no_crossing(a: Any, b: Any) -> str:
    """Why two shapes along bodies are no pair; empty where they are one."""
    if a.body is b.body:
        return "both are on the same body, and contact of a body with itself is not there"
    if a.body.surface or b.body.surface:
        return f"there is no contact of {a_or_an(type(a).__name__)} and {a_or_an(type(b).__name__)}"
    if a.body.planar != b.body.planar:
        return "one is a line in the plane, and the other one in space"
    return ""


def crossing_pair(owner: str, a: Any, b: Any, law: NormalLaw, friction: FrictionLaw | None) -> CrossingPair:
    """The pair of two tubes."""
    kind, stiffness, exponent, damping, _ = law.numbers(owner, a, b)
    if friction is not None or kind != 0 or damping != 0.0:
        raise ModelError(
            f"{owner}: {a} and {b} touch elastically, without friction and damping; give them a contact of their own "
            f"with a HuntCrossleyLaw without damping, per point: [force/length^n]."
        )
    refuse_many(owner, a, b)
    return CrossingPair(a, b, (a.offset + b.offset, stiffness, exponent))


def refuse_many(owner: str, a: Any, b: Any) -> None:
    """Raise if there are too many pairs of elements."""
    count = len(a.body.cells) * len(b.body.cells)
    if count > MOST:
        raise ModelError(
            f"{owner}: {a} and {b} have {count} pairs of elements, and {MOST} can be treated; take fewer elements, or "
            f"make bodies of the parts that may touch."
        )
