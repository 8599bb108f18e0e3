r"""Roots as branches over a parameter: which root of one value is which of the next.

The modes of a conservative system, gyroscopic terms included, are orthogonal in its energy: with x = (y, dy/dt) and

.. math:: \langle x_i, x_j \rangle = \dot y_i^H M \dot y_j + y_i^H S_s y_j

(:math:`S_s` the symmetric part of the stiffness) it is :math:`\langle x_i, x_j\rangle = 0` for different roots. So a
branch goes on with that root, of all and their conjugates, whose mode overlaps most with the one before, in the
assignment that makes the sum of all overlaps largest; of modes of one root their span counts. Where an overlap is
small, or two branches change places, values in between are looked at: branches that veer away from each other exchange
their modes, and are told from those that cross only where the steps are small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from flexmbs.analysis.dense_roots import all_roots
from flexmbs.analysis.small_motions import at_rest
from flexmbs.analysis.sparse_roots import nearest_roots
from flexmbs.analysis.whirl import with_sense
from flexmbs.core.errors import ConvergenceError

if TYPE_CHECKING:
    from flexmbs.analysis.operating_point import OperatingPoint

__all__ = ["Branches", "modes_of", "next_branches"]

FEW = 90
"""Unknowns up to which all roots are computed; above, those nearest to zero."""
MORE = 8
"""Roots beyond those that are followed, with which they may change places."""
ALIKE = 0.9
"""Overlap below which values in between are looked at."""
HALVINGS = 5
"""How often a step is halved."""
SAME = 1e-6
"""Relative difference of roots up to which their modes count as one span."""


class Branches(NamedTuple):
    """Some roots at a value of the parameter: ``s (m,)``, modes ``y`` and rates ``dy`` (n, m), ``whirl (m,)``.

    ``M`` and ``S``: mass and the symmetric part of the stiffness, for overlaps. ``point`` belongs to them.
    """

    s: Any
    y: Any
    dy: Any
    whirl: Any
    M: Any
    S: Any
    point: OperatingPoint

    def some(self, which: Any) -> Branches:
        """Those with these numbers."""
        return self._replace(s=self.s[which], y=self.y[:, which], dy=self.dy[:, which], whirl=self.whirl[which])

    def completed(self) -> Branches:
        """With the conjugates."""
        pairs = self.s.imag != 0.0
        return self._replace(
            s=np.concatenate((self.s, self.s[pairs].conj())),
            y=np.hstack((self.y, self.y[:, pairs].conj())),
            dy=np.hstack((self.dy, self.dy[:, pairs].conj())),
            whirl=np.concatenate((self.whirl, self.whirl[pairs])),
        )


def modes_of(point: OperatingPoint, count: int, name: str, size: float | None = None) -> Branches:
    """At least the ``count`` lowest roots at an operating point, ascending, with sense; rigid motions are left out.

    ``size``: of a root amid those that are followed, where it is known; without it all roots are computed.
    """
    p = point.motions()
    n, n_c = p.S.shape[0], p.G.shape[0]
    wanted = count + MORE
    sparse = n - n_c > FEW and wanted < (n - n_c) // 4 and p.rolling is None and not p.states.any()
    try:
        found = nearest_roots(p, wanted, name, size) if sparse and size else all_roots(p, name)
    except ConvergenceError:
        found = all_roots(p, name)
    order = np.argsort(np.abs(found.s), kind="stable")
    found = found._replace(s=found.s[order], y=found.y[:, order], dy=found.dy[:, order], growing=found.growing[order])
    moves = ~at_rest(p, found.s, found.y, 10.0)
    found = found._replace(s=found.s[moves], y=found.y[:, moves], dy=found.dy[:, moves], growing=found.growing[moves])
    found, whirl = with_sense(point, found)
    s, y, dy = (np.asarray(x, dtype=complex) for x in (found.s, found.y, found.dy))
    return Branches(s, y, dy, whirl, p.M, 0.5 * (p.S + p.S.T), point)


def _overlaps(here: Branches, there: Branches) -> Any:
    """Overlaps (m, k) of branches with candidates, from 0 to about 1, in the metric of the latter."""
    M, S = there.M, there.S

    def norms(b: Branches) -> Any:
        kinetic = np.real(np.einsum("ij,ij->j", b.dy.conj(), M @ b.dy))
        elastic = np.real(np.einsum("ij,ij->j", b.y.conj(), S @ b.y))
        return np.maximum(np.abs(kinetic) + np.abs(elastic), 1e-300)

    def products(a: Branches, b: Branches) -> Any:
        return a.dy.conj().T @ (M @ b.dy) + a.y.conj().T @ (S @ b.y)

    size_here, size_there = norms(here), norms(there)
    C = products(here, there)
    overlap = np.abs(C) / np.sqrt(np.outer(size_here, size_there))
    left = set(range(len(there.s)))
    while left:
        first = min(left)
        group = [j for j in left if abs(there.s[j] - there.s[first]) <= SAME * abs(there.s[first])]
        left -= set(group) | {first}
        if len(group) > 1:
            same = there.some(np.array(group))
            gram = np.linalg.pinv(products(same, same), rcond=1e-8, hermitian=True)
            c = C[:, group]
            share = np.real(np.einsum("ij,jk,ik->i", c, gram, c.conj())) / size_here
            overlap[:, group] = np.sqrt(np.clip(share, 0.0, 1.0))[:, None]
    return overlap


def _chosen(here: Branches, there: Branches) -> tuple[Branches, bool]:
    """The continuation of branches among candidates, and whether it is beyond doubt."""
    every = there.completed()
    overlap = _overlaps(here, every)
    apart = np.abs(here.s[:, None] - every.s) / np.maximum(np.abs(here.s[:, None]) + np.abs(every.s), 1e-300)
    rows, columns = linear_sum_assignment(0.05 * apart - overlap)
    found = every.some(columns)
    sure = bool(overlap[rows, columns].min(initial=1.0) >= ALIKE)
    before, after = (b.s.imag[:, None] - b.s.imag for b in (here, found))
    least = SAME * float(np.abs(found.s).max(initial=0.0))
    swapped = (before * after < 0.0) & (np.minimum(np.abs(before), np.abs(after)) > least)
    return found, sure and not bool(np.any(swapped))


def next_branches(
    here: Branches, start: float, end: float, modes: Callable[[float], Branches], halvings: int = HALVINGS
) -> Branches:
    """Branches at ``end``, followed from those at ``start``; ``modes(value)`` gives all that there are."""
    there, sure = _chosen(here, modes(end))
    if sure or halvings == 0:
        return there
    middle = 0.5 * (start + end)
    half = next_branches(here, start, middle, modes, halvings - 1)
    return next_branches(half, middle, end, modes, halvings - 1)
