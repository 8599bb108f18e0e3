r"""Ascher's projection: positions and velocities at once, by the least norm, applied twice.

.. math:: (q, v) \leftarrow (q, v) - \bigl(G^T (G G^T)^{-1} g,\; G^T (G G^T)^{-1} (G v + b)\bigr).

At singular positions and beside redundant constraints the pseudo-inverse stands for :math:`G^T (G G^T)^{-1}`. U. M.
Ascher, H. Chin, L. R. Petzold, S. Reich, Mech. Struct. Mach. 23 (1995) 135-157; as used by R. Kasper and D. Vlasenko,
Method for distributed forward dynamic simulation of constrained mechanical systems.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.checks import as_count
from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.constraints.contracts import Plain
from flexmbs.integrators.constraints.dense_rows import DenseRows, Rows, decompose
from flexmbs.integrators.index_one import IndexOne

__all__ = ["AscherProjection"]


@dataclass(frozen=True, kw_only=True)
class AscherProjection:
    r"""Projection of positions and velocities together by the least norm of their coordinates.

    .. math:: (q, v) \leftarrow (q, v) - \bigl(G^T (G G^T)^{-1} g,\; G^T (G G^T)^{-1} (G v + b)\bigr)

    U. M. Ascher, H. Chin, L. R. Petzold, S. Reich, Mech. Struct. Mach. 23 (1995) 135-157.

    Parameters
    ----------
    times : int
        How often it is applied after each step.

    Raises
    ------
    ModelError
        If ``times`` is not a positive number.

    Notes
    -----
    The norm adds squares of metres and radians as they are; the result depends on the unit of length. For up to 1000
    constraints: each application decomposes a dense matrix.

    Examples
    --------
    >>> AscherProjection().times
    2
    """

    times: int = 2

    def __post_init__(self) -> None:
        as_count("AscherProjection", "times", self.times, minimum=1)

    def check(self, equations: IndexOne, redundant: tuple[str, ...]) -> None:
        """Refuse very many constraints."""
        DenseRows(equations).refuse_many("AscherProjection")

    def keeper(self, equations: IndexOne) -> _Ascher:
        """What does the work in one run."""
        return _Ascher(equations, self.times)


class _Ascher(Plain):
    """The projection with a decomposition each time."""

    def __init__(self, equations: IndexOne, times: int) -> None:
        super().__init__(equations)
        self.times = times
        self.rows = DenseRows(equations)

    def project(self, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        e, rows = self.equations, self.rows
        e.evaluate(t, q, v)
        if not e.n_c:
            return q, v
        for _ in range(self.times):
            G = rows.matrix()
            found = decompose(G)
            positions = on_positions(found, G, e)
            g, rate = e.dynamics.r[e.n_v :].copy(), e.dynamics.rates()
            v = v - rows.whole(found.least(rate))
            q = self.moved(t, q, v, -rows.whole(positions.least(g[e.holonomic])))
        return q, v


def on_positions(found: Rows, G: FloatArray, equations: IndexOne) -> Rows:
    """The decomposition of the position rows alone; ``found`` itself where there are no others."""
    return found if equations.holonomic.all() else decompose(G[equations.holonomic])
