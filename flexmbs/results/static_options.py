"""How a static analysis steps, as a user asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_flag, as_number, show
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["StaticOptions"]


@dataclass(frozen=True, kw_only=True)
class StaticOptions:
    """How a static analysis steps.

    Parameters
    ----------
    steps : int, optional
        Number of equal load steps; left out, the steps adapt: they grow while they are easy and are halved when they
        fail. Equal steps are halved, too, when they fail.
    initial_step, min_step : float
        Of the load factor, from 0 to 1. A first step beyond a limit point may pass it without a warning.
    at : sequence of float, optional
        Load parameters that must be met exactly, ascending, at most 1.
    rtol : float
        Error of the increments, relative to the largest; see `flexmbs.analysis.newton`.
    max_steps : int
        Steps, failed ones included, after which the analysis gives up.
    check_stability : bool
        Whether to try a Cholesky factorisation after each step of a conservative model, and warn when the equilibrium
        is unstable.
    progress : bool
        Whether to show progress on standard error when it takes longer than a second.

    Raises
    ------
    ModelError
        If a value is out of bounds.
    """

    steps: int | None = None
    initial_step: float = 0.1
    min_step: float = 1e-5
    at: Sequence[float] = ()
    rtol: float = 1e-8
    max_steps: int = 10_000
    check_stability: bool = True
    progress: bool = True

    def __post_init__(self) -> None:
        owner = "StaticOptions"
        first = as_number(owner, "initial_step", self.initial_step, above=0.0, maximum=1.0)
        checked: dict[str, object] = {
            "steps": None if self.steps is None else as_count(owner, "steps", self.steps, minimum=1),
            "initial_step": first,
            "min_step": as_number(owner, "min_step", self.min_step, above=0.0, maximum=first),
            "rtol": as_number(owner, "rtol", self.rtol, above=0.0, maximum=1e-2),
            "max_steps": as_count(owner, "max_steps", self.max_steps, minimum=1),
            "check_stability": as_flag(owner, "check_stability", self.check_stability),
            "progress": as_flag(owner, "progress", self.progress),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        at = as_array(owner, "at", self.at, (None,))
        if np.any(np.diff(at) <= 0.0) or np.any(at <= 0.0) or np.any(at > 1.0):
            raise ModelError(f"{owner}: at must ascend, above 0 and at most 1, not {show(at.tolist())}.")
        object.__setattr__(self, "at", tuple(at.tolist()))
