"""How the nonlinear equations of a step are iterated: when a matrix is made anew, and when to stop.

Increments are measured by d = sqrt(sum m_i dq_i^2) with the diagonal of the mass matrix, which is free of units. With
the rate p = (this / the last) of *this* step the error left is about d p / (1 - p); a rate remembered from an earlier
step is never believed. Round-off floor: 8 eps sqrt(sum m_i q_i^2). An increment that has stopped falling near it counts
as converged. The matrix is renewed when the rate exceeds 0.3.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.checks import as_count, as_number, show
from flexmbs.core.errors import ModelError

__all__ = ["NewtonOptions"]

POLICIES = ("auto", "step", "demand", "full")


@dataclass(frozen=True, kw_only=True)
class NewtonOptions:
    """Settings of the iteration in a step.

    Parameters
    ----------
    rtol : float
        Error of an increment relative to the change of the positions by the acceleration in the step.
    refresh : str
        When the matrix is made: ``"step"`` once a step, ``"demand"`` when convergence slows down, ``"full"`` in every
        iteration (quadratic convergence), ``"auto"``: once a step up to 5 000 unknowns, and whatever their
        number if the matrix is a band of half width 32 at most; else on demand.
    most : int
        Iterations before a step is given up.

    Raises
    ------
    ModelError
        If a value is out of bounds.
    """

    rtol: float = 1e-6
    refresh: str = "auto"
    most: int = 10

    def __post_init__(self) -> None:
        as_number("NewtonOptions", "rtol", self.rtol, above=0.0, maximum=1e-2)
        as_count("NewtonOptions", "most", self.most, minimum=2)
        if not isinstance(self.refresh, str) or self.refresh not in POLICIES:
            raise ModelError(f"NewtonOptions: refresh must be one of {POLICIES}, not {show(self.refresh)}.")
