"""Energy that a motion has gained from nowhere, which says that steps were too large."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import AccuracyWarning
from flexmbs.integrators.step_control import ErrorControl

if TYPE_CHECKING:
    from flexmbs.results.time import Energy, TimeSolution

__all__ = ["warn_of_gain"]

GAIN = 0.05
"""Energy gained, over the largest, that is no longer an error of the integration to be expected."""
LOOKS = 200
"""States that are looked at where energies are measured when they are asked for."""
CLOSED = 1e-3
"""Error of the account of energy, over what was gained and over what moves, with which the steps are not the cause."""


def warn_of_gain(solution: TimeSolution, usual: float) -> None:
    """Energy from nowhere: steps too large for an impact, or Newton's method has found another solution.

    ``usual``: energy of a motion over the size of the model in the time of the run; far below that all is round-off.
    Passive forces between markers cannot have dissipated less than nothing.
    """
    t, energy = solution.some_energies(LOOKS)
    if np.isnan(energy.kinetic).all():  # not asked for
        return
    gained = np.nan_to_num(energy.balance)
    mechanics = solution.system.mechanics
    if not mechanics.given:
        gained = gained - np.minimum(np.nan_to_num(energy.dissipated), 0.0)
    gain, most = float(gained.max()), _largest(energy)
    if gain > GAIN * most and most > 1e-12 * usual:
        at = t[int(np.argmax(np.diff(gained, prepend=gained[0])))]
        control = solution.settings.get("step")
        remedy = "Take smaller steps, or step=None for error control."
        if isinstance(control, ErrorControl):
            remedy = f"Take a smaller tolerance, ErrorControl(rtol={0.01 * control.rtol:.2g}), or a max_step."
        if any(solution.counts.get(f"steps_of_order_{k}") for k in (3, 4, 5)):
            remedy += (
                " It may also be the order: BDF amplifies vibrations of little damping with orders above 2; "
                "BDF(max_order=2) does not."
            )
        open_by = float(np.abs(np.nan_to_num(energy.balance)).max())
        if open_by < CLOSED * min(gain, float(np.nan_to_num(energy.kinetic).max())):
            remedy = (
                f"The account of the run closes within {open_by:.2g}, so that it is not the steps: a force or contact "
                "has given more than it took by its own law, such as DwellLaw, whose bristle is bent while the contact "
                "is open, or a bristle with much damping."
            )
        warnings.warn(
            f"Model {solution.model.name!r}: the motion has gained {gain:.3g} of energy from nowhere, most of it about "
            f"t = {at:.4g}; the largest energy or work is {most:.3g}. {remedy}",
            AccuracyWarning,
            stacklevel=3,
        )


def _largest(energy: Energy) -> float:
    """The largest of all energies and works: in their sum a motor of constant torque takes off what it has given."""
    moving = energy.kinetic + energy.strain + energy.springs
    parts = energy.strain, energy.springs, energy.work_drivers, energy.work_forces, energy.work_loads
    return max(float(np.nan_to_num(moving).max()), *(float(np.abs(np.nan_to_num(x)).max()) for x in parts))
