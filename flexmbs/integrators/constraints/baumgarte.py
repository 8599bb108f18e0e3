r"""Baumgarte's stabilisation: constraints that drift away return like a damped oscillator.

.. math:: \ddot g + 2\alpha\dot g + \beta^2 g = 0, \qquad \dot\rho + 2\alpha\rho = 0 \text{ for rows } \rho = G v + b.

J. Baumgarte, Comput. Methods Appl. Mech. Engrg. 1 (1972) 1-16.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.checks import as_number
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.integrators.constraints.contracts import Plain
from flexmbs.integrators.index_one import IndexOne

__all__ = ["Baumgarte"]


@dataclass(frozen=True, kw_only=True)
class Baumgarte:
    r"""Constraints on accelerations with feedback: :math:`\ddot g = -2\alpha\dot g - \beta^2 g`.

    J. Baumgarte, Comput. Methods Appl. Mech. Engrg. 1 (1972) 1-16.

    Parameters
    ----------
    alpha, beta : float
        [1/time]; alpha = beta is critical damping.
    time_constant : float
        [time]; instead of both, and kept as both: alpha = beta = 1/time_constant.

    Raises
    ------
    ModelError
        If a number is negative, or neither or both ways are given.

    Notes
    -----
    The constraints are not met but held within an error that the scheme and the step decide, about c h^p. The feedback
    makes the equations stiff: steps above about the time constant are unstable.

    Examples
    --------
    >>> Baumgarte(time_constant=0.1).alpha
    10.0
    """

    alpha: float | None = None
    beta: float | None = None
    time_constant: float | None = None

    def __post_init__(self) -> None:
        if self.time_constant is not None:
            tau = as_number("Baumgarte", "time_constant", self.time_constant, above=0.0, unit="time")
            if self.alpha is not None or self.beta is not None:
                raise ModelError("Baumgarte: give either alpha and beta or time_constant, not both.")
            object.__setattr__(self, "alpha", 1.0 / tau)
            object.__setattr__(self, "beta", 1.0 / tau)
            object.__setattr__(self, "time_constant", None)
        elif self.alpha is None or self.beta is None:
            missing = [name for name in ("alpha", "beta") if getattr(self, name) is None]
            raise ModelError(
                f"Baumgarte: {' and '.join(missing)} must be given, such as alpha=20, beta=20, or time_constant=0.05 "
                f"for both."
            )
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, as_number("Baumgarte", name, getattr(self, name), minimum=0.0))

    def check(self, equations: IndexOne, redundant: tuple[str, ...]) -> None:
        """Everything can be treated."""

    def keeper(self, equations: IndexOne) -> _Feedback:
        """What does the work in one run."""
        return _Feedback(equations, 2.0 * float(self.alpha or 0.0), float(self.beta or 0.0) ** 2)


class _Feedback(Plain):
    """Feedback in the accelerations; nothing is projected."""

    meets = False

    def __init__(self, equations: IndexOne, damping: float, stiffness: float) -> None:
        super().__init__(equations)
        self.damping = damping
        self.stiffness = stiffness * equations.holonomic

    def accelerations(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        e = self.equations
        added = None
        if e.n_c:
            added = self.damping * e.dynamics.rates() + self.stiffness * e.dynamics.r[e.n_v :]
        e.decompose()
        return e.accelerations(v, added)
