"""Which solver for which matrix."""

from __future__ import annotations

from typing import Protocol

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.linsolve.available import cholmod_available
from flexmbs.core.linsolve.band import Band
from flexmbs.core.linsolve.superlu import SuperLU
from flexmbs.core.sparsity import Pattern

__all__ = ["LinearSolver", "choose"]

NARROW = 20
"""Half bandwidth up to which the band solver is faster than CHOLMOD (chains have 7 to 11, crossing members 17 on)."""

WIDE = 48
"""Half bandwidth up to which it is faster than SuperLU."""

MESHED, LARGE, BORDER = 150, 1_000, 60
"""Half bandwidth and order above which, and number of constraints up to which, these border a definite part."""

SMALL = 400
"""Order up to which the band solver is taken whatever the bandwidth."""


class LinearSolver(Protocol):
    """What an analysis sees of a solver."""

    data: FloatArray
    n: int

    @property
    def name(self) -> str:
        """For reports."""

    def slots(self, row: IntArray, col: IntArray) -> IntArray:
        """Positions of entries in ``data``; the spare last place for negative rows or columns."""

    def refactor(self) -> None:
        """Factorise; raises SingularError."""

    def solve(self, b: FloatArray) -> FloatArray:
        """Solve for one right-hand side."""

    def direct(self, b: FloatArray) -> FloatArray:
        """The solution as the factors give it, neither checked nor refined; ``b`` may be overwritten."""

    def product(self, x: FloatArray) -> FloatArray:
        """Matrix times vector."""

    def is_positive_definite(self) -> bool:
        """Whether the last factorisation found a symmetric matrix positive definite."""


def choose(
    pattern: Pattern, half_band: int, symmetric: bool, constraints: IntArray | None = None, border: int = 0
) -> LinearSolver:
    """A solver for matrices of this pattern: band for narrow or small ones, CHOLMOD for symmetric ones.

    The others, and all where CHOLMOD is missing: band up to `WIDE`, else SuperLU. ``constraints``: unknowns with zero
    diagonal. Of meshed surfaces a few of them are a border; else SuperLU keeps the order of the unknowns, since minimum
    degree is ruinous there, or takes nested dissection of the others where there are many. It keeps it, too, where the
    last ``border`` unknowns stand outside of the band.
    """
    saddle = constraints is not None and len(constraints) > 0
    if not border and (half_band <= NARROW or pattern.n <= SMALL):
        return Band(pattern.n, half_band, symmetric)
    if symmetric and cholmod_available():
        from flexmbs.core.linsolve.cholmod import Cholmod

        return Cholmod(pattern)
    few = constraints is not None and 0 < len(constraints) <= BORDER
    if constraints is not None and few and half_band > MESHED and pattern.n > LARGE and cholmod_available():
        from flexmbs.core.linsolve.bordered import Bordered

        return Bordered(pattern, constraints)
    if not border and half_band <= WIDE:
        return Band(pattern.n, half_band, symmetric)
    return SuperLU(pattern, natural=saddle or border > 0, constraints=constraints)
