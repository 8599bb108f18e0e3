"""Contacts along flexible bodies, compiled: their points among the coordinates of a system, and what is read there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, State, owned
from flexmbs.core.errors import ModelError
from flexmbs.core.jit import numbers_of_kinds
from flexmbs.kernels.distributed_contacts import DistributedGroup, distributed_gaps, distributed_states
from flexmbs.kernels.rows.contact_rows import USUAL
from flexmbs.system.marker_set import MarkerSet

if TYPE_CHECKING:
    from flexmbs.model.contacts.distributed import DistributedPair
    from flexmbs.system.coordinates import Coordinates

__all__ = ["AlongBody", "distributed_group", "refuse_overlap"]

TOUCHING = 1e-9
"""Overlap at the start, over the size of the model, that is round-off."""


def distributed_group(
    coordinates: Coordinates, markers: MarkerSet, pairs: Sequence[DistributedPair],
    add_blocks: Callable[[IntArray], int],
) -> DistributedGroup:  # fmt: skip
    """The table of some pairs; ``add_blocks (dofs (n, k))`` makes room for their blocks and returns where it begins."""
    if not pairs:
        return NONE._replace(mptr=markers.ptr)
    ints: dict[str, list[Any]] = {name: [] for name in _INTS}
    N: list[FloatArray] = []
    w: list[FloatArray] = []
    numbers: list[FloatArray] = []
    slips: list[FloatArray] = []
    data: list[float] = []
    for k, pair in enumerate(pairs):
        body = pair.b.body
        table = pair.b.table()
        iv = coordinates.node_dofs[coordinates.index(body)].ravel()[table.first]
        n_e, n_x = iv.shape
        n_s, dim = table.w.shape[1], body.element.layout.dim
        marker = markers.number[pair.a.marker]
        each = len(pair.states) // (n_e * n_s)
        first = coordinates.extra_place(pair.states[0]) if each else 0
        states = (first + np.arange(n_e * n_s * each)).reshape(n_e, -1)
        own = markers.dof[markers.ptr[marker] : markers.ptr[marker + 1]]
        vectors = (iv[..., None] + np.arange(dim)).reshape(n_e, -1)
        dofs = np.hstack((np.broadcast_to(own, (n_e, len(own))), vectors, states)).astype(np.int64)
        order = dofs.shape[1]
        ints["off"].append(add_blocks(dofs) + order**2 * np.arange(n_e))
        for name, value in {
            "mA": marker, "pair": k, "dim": dim, "order": order, "kind": pair.kind, "m": 1 + len(pair.directions),
            "where": len(data), "n_states": each, "n_s": n_s, "n_x": n_x,
        }.items():  # fmt: skip
            ints[name].append(np.full(n_e, value))
        ints["state"].append(first + n_s * each * np.arange(n_e))
        ints["iv"].append(iv.ravel())
        ints["iq"].append(_in_q(coordinates, iv.ravel()))
        N.append(table.N.reshape(n_e * n_s, n_x))
        w.append(table.w.ravel())
        numbers.append(np.broadcast_to(pair.numbers, (n_e, 3)))
        directions = np.zeros((3, 3))
        directions[: len(pair.directions)] = np.array(pair.directions).reshape(-1, 3)
        slips.append(np.broadcast_to(directions, (n_e, 3, 3)))
        data.extend(pair.data)
    found = {name: np.concatenate([np.zeros(0), *values]).astype(np.int64) for name, values in ints.items()}
    n_s, n_x = found.pop("n_s"), found.pop("n_x")
    found["kind"] = numbers_of_kinds(found["kind"].tolist(), USUAL)
    widest = max((part.shape[1] for part in N), default=0)
    weights = [np.pad(part, ((0, 0), (0, widest - part.shape[1]))) for part in N]
    return DistributedGroup(
        **found,
        points=np.concatenate(([0], np.cumsum(n_s))).astype(np.int64),
        vectors=np.concatenate(([0], np.cumsum(n_x))).astype(np.int64),
        N=np.concatenate([np.zeros((0, widest)), *weights]),
        w=np.concatenate([np.zeros(0), *w]),
        b=np.concatenate([np.zeros((0, 3)), *numbers]),
        e=np.concatenate([np.zeros((0, 3, 3)), *slips]),
        data=np.array(data, dtype=np.float64),
        mptr=markers.ptr,
    )


_INTS = ("mA", "pair", "dim", "off", "order", "iq", "iv", "kind", "m", "where", "state", "n_states", "n_s", "n_x")


NONE = DistributedGroup(
    **{name: np.zeros(0, dtype=np.int64) for name in _INTS if name not in ("n_s", "n_x")},
    points=np.zeros(1, dtype=np.int64), vectors=np.zeros(1, dtype=np.int64), N=np.zeros((0, 0)), w=np.zeros(0),
    b=np.zeros((0, 3)), e=np.zeros((0, 3, 3)), data=np.zeros(0), mptr=np.zeros(1, dtype=np.int64),
)  # fmt: skip
"""That of no pairs: nothing can be written to its arrays, which have no entries, or two zeros that none writes."""


def _in_q(coordinates: Coordinates, iv: IntArray) -> IntArray:
    """Places in q of places in v that are positions, or slopes of nodes without a quaternion."""
    beyond = iv - coordinates.n_linear
    return np.where(beyond < 0, iv, coordinates.n_linear + 7 * (beyond // 6) + beyond % 6)


class AlongBody:
    """What is read of one pair at given states, with tables of its own."""

    def __init__(self, coordinates: Coordinates, pair: DistributedPair) -> None:
        self.markers = MarkerSet(coordinates, [pair.a.marker], set(), 0)
        self.group = distributed_group(coordinates, self.markers, [pair], lambda _: 0)
        self.work = self.markers.work(np.zeros(coordinates.n_v), np.zeros(self.markers.size))

    def gap(self, q: FloatArray, v: FloatArray) -> float:
        """The least gap [length]."""
        gap, rate = np.empty(1), np.empty(1)
        distributed_gaps(self.group, self._at(q, v), self.work, gap, rate)
        return float(gap[0])

    def states(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """All points (n_p, 14), as `flexmbs.kernels.distributed_contacts.distributed_states` gives them."""
        out = np.empty((len(self.group.w), 14))
        distributed_states(self.group, self._at(q, v), self.work, out)
        return out

    def _at(self, q: FloatArray, v: FloatArray) -> State:
        q, v = owned(q), owned(v)
        self.markers.poses(self.work, q, v)
        return State(q, v, v, v)


def refuse_overlap(coordinates: Coordinates, items: Sequence[tuple[Any, DistributedPair]]) -> None:
    """Raise where a tube or skin overlaps its partner at the start, unless its contact allows it."""
    if not items:
        return
    q, v = coordinates.reference, np.zeros(coordinates.n_v)
    allowed = TOUCHING * max(1.0, float(np.abs(q[coordinates.translations]).max(initial=0.0)))
    for contact, pair in items:
        gap = 0.0 if contact.allow_overlap else AlongBody(coordinates, pair).gap(q, v)
        if not gap >= -allowed:
            raise ModelError(
                f"Contact {contact.name!r}: {pair} overlap by {-gap:.4g} at the start, which would throw them apart. "
                f"Move them, or give allow_overlap=True if they rest on each other."
            )
