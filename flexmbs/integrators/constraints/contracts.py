"""What keeps the constraints of an explicit scheme: a description, and its work on one system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.kernels.steps import retract

if TYPE_CHECKING:
    from flexmbs.integrators.index_one import IndexOne

__all__ = ["Keeper", "KeepsConstraints", "Plain"]


class KeepsConstraints(Protocol):
    """A frozen dataclass of settings, such as `SuccessiveProjection`."""

    def check(self, equations: IndexOne, redundant: tuple[str, ...]) -> None:
        """Refuse, before the first step, what this method cannot treat: `ModelError` with the item and a way out."""

    def keeper(self, equations: IndexOne) -> Keeper:
        """What does the work in one run; keeps nothing between steps but factors and work arrays."""


class Keeper(Protocol):
    """Keeps the constraints of one system. States come as (t, q, v); arrays are not written to.

    ``meets``: whether constraints on positions hold after `project`; a step after which they do not is then given up.
    """

    meets: bool

    def velocity(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """The velocity with which a stage goes on: v itself, or v on the constraints; evaluates the state."""

    def accelerations(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Accelerations (n_v,) and multipliers (n_c,) at the state evaluated last."""

    def project(self, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The state after a step, on the constraints; evaluated there."""


class Plain:
    """Evaluates without keeping anything: systems without constraints, and the base of the methods that project."""

    meets = True

    def __init__(self, equations: IndexOne) -> None:
        self.equations = equations

    def velocity(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        self.equations.evaluate(t, q, v)
        return v

    def accelerations(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        self.equations.decompose()
        return self.equations.accelerations(v)

    def project(self, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        self.equations.evaluate(t, q, v)
        return q, v

    def moved(self, t: float, q: FloatArray, v: FloatArray, change: FloatArray) -> FloatArray:
        """Positions after an increment (n_v,), which are evaluated with the velocities v."""
        found = np.empty_like(q)
        retract(q, change, self.equations.dynamics.n_linear, found)
        self.equations.evaluate(t, found, v)
        return found
