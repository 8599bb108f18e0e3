"""All items of one type become one group: Python's cost is per type, not per item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.bodies.floating import FloatingBody
from flexmbs.core.contracts import FloatArray, IntArray, Term
from flexmbs.core.errors import ModelError
from flexmbs.mechanics.linear_terms import linear_terms

if TYPE_CHECKING:
    from flexmbs.bodies.linear import LinearBody
    from flexmbs.body import Attachment, FlexibleBody
    from flexmbs.coordinates import Coordinates
    from flexmbs.forces.items import Items, Kind
    from flexmbs.model import Model

__all__ = ["gather"]


def gather(model: Model, coordinates: Coordinates) -> tuple[tuple[Term, ...], FloatArray, int, tuple[Any, ...]]:
    """Terms of a model, the mass of its elements as blocks, the length of their buffer, and the group of each body."""
    terms: list[Term] = []
    places = _Places(coordinates)
    size = 0
    masses: list[tuple[int, FloatArray]] = []
    for bodies in _alike(model.flexible_bodies):
        element = bodies[0].element
        parts = [_damped(places.element_group(body), body, model) for body in bodies]
        group = _joined(parts, size, element.shared)
        terms.append(
            Term(
                name=f"{element.name} elements of {', '.join(repr(b.name) for b in bodies[:5])}"
                + (" ..." if len(bodies) > 5 else ""),
                group=group,
                force=element.force,
                tangent=element.tangent,
                diagnosis=element.diagnosis,
            )
        )
        masses.append((size, element.mass(group).ravel()))
        size += len(group.dofs) * group.dofs.shape[1] ** 2
    modal, modal_masses, size = linear_terms(model.linear_bodies, coordinates.modal, size)
    terms += modal
    masses += modal_masses
    for items in _by_kind(model, places):
        kind = items[0].kind
        dofs = np.ascontiguousarray(np.concatenate([i.dofs for i in items]), dtype=np.int64)
        columns = [np.ascontiguousarray(np.concatenate(c)) for c in zip(*(i.columns for i in items), strict=True)]
        terms.append(
            Term(
                kind.name,
                kind.group(dofs, size, *columns),
                kind.force,
                kind.tangent,
                kind.symmetric,
                kind.diagnosis,
                kind.support,
                kind.energy,
            )
        )
        if kind.tangent is not None:
            size += len(dofs) * dofs.shape[1] ** 2
    mass = np.zeros(size)
    for start, blocks in masses:
        mass[start : start + len(blocks)] = blocks
    return tuple(terms), mass, size, tuple(places.element_group(body) for body in model.flexible_bodies)


class _Places:
    """What a load sees of the system while it is compiled."""

    def __init__(self, coordinates: Coordinates) -> None:
        self.coordinates = coordinates
        self._groups: dict[int, Any] = {}

    @property
    def bodies(self) -> tuple[FlexibleBody, ...]:
        return self.coordinates.bodies

    @property
    def rigid_bodies(self) -> tuple[tuple[Any, IntArray], ...]:
        first = [v for _, v in self.coordinates.places]
        return tuple(
            (b, np.arange(i, i + len(b.position)))
            for b, i in zip(self.coordinates.rigid, first, strict=True)
            if not isinstance(b, FloatingBody)  # their gravity depends on where they are
        )

    @property
    def linear_bodies(self) -> tuple[tuple[LinearBody, IntArray], ...]:
        c = self.coordinates
        return tuple((b, c.modal[id(b)] + np.arange(b.modes)) for b in c.linear)

    def dofs(self, at: Attachment) -> IntArray:
        return self.coordinates.dofs(at)

    def reference(self, at: Attachment) -> FloatArray:
        return self.coordinates.reference[self.coordinates.dofs(at)]

    def element_group(self, body: FlexibleBody) -> Any:
        number = self.coordinates.index(body)
        if number not in self._groups:
            group: Any = body.tabulate(self.coordinates.node_dofs[number], 0)
            if body.element.layout.quaternion:
                group = group._replace(n_linear=self.coordinates.n_linear)
            self._groups[number] = group
        return self._groups[number]


def _alike(bodies: tuple[FlexibleBody, ...]) -> list[list[FlexibleBody]]:
    """Bodies by element formulation, those of equal choices together."""
    found: list[list[FlexibleBody]] = []
    for body in bodies:
        for group in found:
            if type(group[0].element) is type(body.element) and group[0].element == body.element:
                group.append(body)
                break
        else:
            found.append([body])
    return found


def _damped(group: Any, body: FlexibleBody, model: Model) -> Any:
    """The group with the stiffness-proportional damping of its body, which is a retardation time."""
    extra = sum(d.stiffness_factor for d in model.damping if d.body is body)
    if not extra:
        return group
    if not hasattr(group, "tau"):
        raise ModelError(
            f"damping of {body.name!r}: a {body.element.name} has no material damping, so none in proportion to its "
            f"stiffness."
        )
    return group._replace(tau=group.tau + extra)


def _joined(parts: list[Any], b1: int, shared: tuple[str, ...]) -> Any:
    """One group of several with equal ``shared`` fields; the others are arrays with a row per element."""
    first = parts[0]
    fields = {
        name: getattr(first, name)
        if name in shared
        else np.ascontiguousarray(np.concatenate([getattr(p, name) for p in parts]))
        for name in first._fields
        if name != "b1"
    }
    return type(first)(**fields, b1=b1)


def _by_kind(model: Model, places: _Places) -> list[list[Items]]:
    """Items of all loads by kind and number of coordinates."""
    found: dict[tuple[Kind, int], list[Items]] = {}
    for index, load in enumerate(model.loads):
        for items in load.items(places, index):
            if len(items.dofs):
                found.setdefault((items.kind, items.dofs.shape[1]), []).append(items)
    return list(found.values())
