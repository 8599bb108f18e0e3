r"""Damping of harmonic motion, beside what the operators themselves have.

With the time law :math:`e^{i\omega t}` the dynamic stiffness is :math:`K - \omega^2 M + i\omega D`, and each kind of
damping adds to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.checks import as_array, as_number, frozen_copy, shape_of, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.linear_modes import LinearModes

__all__ = ["ModalDamping", "ProportionalDamping", "StructuralDamping", "as_damping"]


@dataclass(frozen=True)
class StructuralDamping:
    r"""Hysteretic damping :math:`i\eta K`: a loss per cycle that does not depend on the frequency.

    Parameters
    ----------
    loss_factor : float
        eta, not negative; twice the damping ratio at a resonance.

    Raises
    ------
    ModelError
        If it is negative or no number.

    Examples
    --------
    >>> StructuralDamping(0.02).loss_factor
    0.02
    """

    loss_factor: float

    def __post_init__(self) -> None:
        value = as_number("StructuralDamping", "loss_factor", self.loss_factor, minimum=0.0)
        object.__setattr__(self, "loss_factor", value)


@dataclass(frozen=True)
class ProportionalDamping:
    r"""Rayleigh's damping :math:`D = \alpha M + \beta K`; a mode gets :math:`(\alpha/\omega + \beta\omega)/2`.

    Parameters
    ----------
    mass : float
        alpha [1/time], not negative.
    stiffness : float
        beta [time], not negative.

    Raises
    ------
    ModelError
        If one is negative or no number.

    Examples
    --------
    >>> ProportionalDamping(stiffness=1e-5).mass
    0.0
    """

    mass: float = 0.0
    stiffness: float = 0.0

    def __post_init__(self) -> None:
        for name in ("mass", "stiffness"):
            object.__setattr__(self, name, as_number("ProportionalDamping", name, getattr(self, name), minimum=0.0))


@dataclass(frozen=True, eq=False)
class ModalDamping:
    r"""Damping ratios of modes, :math:`D = M\Phi\,\mathrm{diag}(2\zeta\omega)\,\Phi^T M`.

    Modes that are not among the given ones stay undamped. The full model is solved with this matrix of low rank by the
    Woodbury formula, so modes are not truncated.

    Parameters
    ----------
    ratios : float or (m,) array
        zeta, not negative; one number for all modes.
    modes : LinearModes, optional
        Of the same operators and supports, which is checked. Reduced models find their own.

    Raises
    ------
    ModelError
        If a ratio is negative, or there are not as many as modes.

    Examples
    --------
    >>> ModalDamping(0.01).ratios
    0.01
    """

    ratios: Any
    modes: LinearModes | None = None

    def __post_init__(self) -> None:
        owner = "ModalDamping"
        if self.modes is not None and not isinstance(self.modes, LinearModes):
            raise ModelError(f"{owner}: modes must be those of vibration_modes, not {show(self.modes)}.")
        if not shape_of(self.ratios):
            object.__setattr__(self, "ratios", as_number(owner, "ratios", self.ratios, minimum=0.0))
            return
        ratios = as_array(owner, "ratios", self.ratios, (None,))
        if ratios.min(initial=0.0) < 0.0:
            raise ModelError(f"{owner}: ratios must not be negative, but one is {ratios.min():g}.")
        if self.modes is not None and len(ratios) != len(self.modes.eigenvalues):
            raise ModelError(f"{owner}: {len(ratios)} ratios for {len(self.modes.eigenvalues)} modes.")
        object.__setattr__(self, "ratios", frozen_copy(ratios))

    def factors(self, omega: FloatArray) -> FloatArray:
        """2 zeta omega (m,) of modes with these angular frequencies; a list of ratios serves the first ones."""
        if not shape_of(self.ratios):
            return np.asarray(2.0 * self.ratios * omega)
        ratios = np.zeros(len(omega))
        if len(self.ratios) > len(omega):
            raise ModelError(f"ModalDamping: {len(self.ratios)} ratios, but the model has {len(omega)} modes.")
        ratios[: len(self.ratios)] = self.ratios
        return 2.0 * ratios * omega


def as_damping(owner: str, value: Any) -> Any:
    """One of the kinds of damping, or None."""
    if value is None or isinstance(value, StructuralDamping | ProportionalDamping | ModalDamping):
        return value
    raise ModelError(
        f"{owner}: damping must be StructuralDamping(...), ProportionalDamping(...), ModalDamping(...) or None, not "
        f"{show(value)}."
    )
