"""What a contact along a flexible body did at its points over stored states."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.system.distributed_contacts import AlongBody

if TYPE_CHECKING:
    from flexmbs.model.contacts.distributed import DistributedPair
    from flexmbs.results.states import States

__all__ = ["AlongHistory", "along_history"]


class AlongHistory(NamedTuple):
    """Histories at the n_p points of a tube or skin, element by element, over n stored states.

    ``pair``: shape and tube or skin; ``t (n,)``; ``size (n_p,)``: the length or area of each point; ``point (n, n_p,
    3)``: of the axis or middle surface; ``gap (n, n_p)`` [length]; ``normal (n, n_p)``: N per length or area;
    ``force (n, n_p, 3)``: on the body, normal force and friction, per length or area, inertial axes; ``slip (n, n_p,
    3)``: velocity of the body against that of the shape there, tangential; ``energy, power (n, n_p)``: stored, and fed
    into the system, per length or area.
    """

    pair: DistributedPair
    t: FloatArray
    size: FloatArray
    point: FloatArray
    gap: FloatArray
    normal: FloatArray
    force: FloatArray
    slip: FloatArray
    energy: FloatArray
    power: FloatArray

    def __repr__(self) -> str:
        return f"<contact of {self.pair} at {len(self.size)} points over {len(self.t)} states>"

    def of_elements(self) -> tuple[FloatArray, FloatArray]:
        """Where the force on each element acts (n, n_e, 3), and the force [force]."""
        each = len(self.size) // len(self.pair.b.body.cells)
        shape = (len(self.t), -1, each, 3)
        force = (self.force * self.size[:, None]).reshape(shape)
        share = (self.normal * self.size).reshape(shape[:3])[..., None]
        weight = np.where(share.sum(axis=2, keepdims=True) > 0.0, share, 1.0)
        point = (self.point.reshape(shape) * weight).sum(axis=2) / weight.sum(axis=2)
        return point, force.sum(axis=2)

    def whole(self) -> FloatArray:
        """The pair as one (n, 14): where it acts, least gap and a zero, N, force, mean slip, energy and power."""
        out = np.zeros((len(self.t), 14))
        N = self.normal * self.size
        total = N.sum(axis=1)
        least = self.gap.argmin(axis=1)
        rows = np.arange(len(self.t))
        closed = total > 0.0
        share = np.where(closed[:, None], N, 0.0) / np.where(closed, total, 1.0)[:, None]
        out[:, :3] = np.where(closed[:, None], np.einsum("np,npc->nc", share, self.point), self.point[rows, least])
        out[:, 3], out[:, 5] = self.gap[rows, least], total
        out[:, 6:9] = np.einsum("p,npc->nc", self.size, self.force)
        out[:, 9:12] = np.einsum("np,npc->nc", share, self.slip)
        out[:, 12], out[:, 13] = self.energy @ self.size, self.power @ self.size
        return out


def along_history(solution: States, pair: DistributedPair) -> AlongHistory:
    """A pair at all points and stored states."""
    body = AlongBody(solution.system.coordinates, pair)
    found = np.array([body.states(solution.q[i], solution.v[i]) for i in range(len(solution))])
    found = found.reshape(len(solution), -1, 14)
    return AlongHistory(
        pair, np.asarray(solution.t), body.group.w, found[..., :3], found[..., 3], found[..., 5], found[..., 6:9],
        found[..., 9:12], found[..., 12], found[..., 13],
    )  # fmt: skip
