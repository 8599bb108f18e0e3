"""What is prescribed over time, at the time that is looked at: dead loads, factors of loads, motions of drivers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_number
from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.distinct_names import number_meant
from flexmbs.core.errors import ModelError
from flexmbs.core.given import ENV, STATE
from flexmbs.core.history import value_at
from flexmbs.core.user_calls import UserCalls, of_the_package
from flexmbs.dynamics.stage_calls import machine_code
from flexmbs.model.forces.items import DEAD
from flexmbs.model.motions.values import for_run, motion_at

if TYPE_CHECKING:
    from flexmbs.system.system import System

__all__ = ["Prescribed"]


class Prescribed:
    """Loads and motions of one `Dynamics`.

    Attributes
    ----------
    names : tuple of str
        Those of all loads, each once (`Model.load_names`).
    env : Env
        The time and the factors of all loads, as kernels take them.
    given : (n_v + n_c,) array
        Minus the dead loads, and minus the prescribed values (or rates) behind them.
    motion : (n_c, 3) array
        Value, rate and acceleration that constraints prescribe.
    moving : list
        Constraints with a motion, by number.
    factors : array
        On each load beside its history; whoever changes them sets ``changed``.
    histories : list
        Those of all loads; the calls of Python functions are counted.
    held : bool
        Whether loads and motions are held, as in an equilibrium, and do not follow the time.
    by_functions : bool
        Whether a load or a motion is a Python function of a user.
    steady : bool
        Whether no load varies with time.
    steady_loads : (n_v,) array
        Minus those of the dead loads that do not vary with time.
    """

    def __init__(self, system: System, velocity_rows: IntArray, calls: UserCalls) -> None:
        self.system, self.velocity_rows = system, velocity_rows
        self.n_v, self.n_c = system.coordinates.n_v, len(velocity_rows)
        self._work = Work(np.zeros(self.n_v + self.n_c), np.zeros(0))
        self._dead = [t for t in system.terms if t.force is DEAD.force]
        x = np.zeros(self.n_v)
        self._nothing = State(x, x, x, x)
        self._calls: list[Any] = []
        loads, m = system.model.loads, system.mechanics
        self.names: tuple[str, ...] = system.model.load_names
        self.steady = all(load.history is None for load in loads)
        self.scale = np.ones(len(loads) + 1 + len(m.actuator_wrenches))
        self.factors = np.ones(len(loads))
        self.changed, self.held = True, False
        self.env = Env(np.nan, self.scale)
        self.given = np.zeros(self.n_v + self.n_c)
        self.steady_loads = np.zeros(self.n_v)
        self.motion = np.zeros((self.n_c, 3))
        equations = m.equations
        self.moving = [(i, e) for i, e in enumerate(equations) if e.equation.motion is not None]
        self.by_functions = False

        def counted(name: str, function: Any) -> Any:
            self.by_functions = True
            return calls.counted(name, function)

        self._motions = [for_run(e.equation.motion, partial(counted, e.label)) for _, e in self.moving]  # type: ignore[arg-type]
        self.histories = [
            load.history if load.history is None or of_the_package(load.history) else counted(name, load.history)
            for name, load in zip(self.names, loads, strict=True)
        ]
        self.motion[:, 0] = [e.equation.offset for e in equations]

    @property
    def loads(self) -> FloatArray:
        """Minus the dead loads (n_v,) now."""
        return self.given[: self.n_v]

    def at(self, t: float) -> None:
        """Loads and motions at time t; nothing changes while they are held (`hold`)."""
        if self.held or (t == self.env.t and not self.changed):
            return
        env = Env(t, self.scale)
        if self.steady and not self.moving and not self.changed:
            self.env = env
            return
        for i, (name, history) in enumerate(zip(self.names, self.histories, strict=True)):
            self.scale[i] = self.factors[i] * value_at(name, history, t, 1.0)
        for (i, active), motion in zip(self.moving, self._motions, strict=True):
            value, rate, acceleration = motion_at(active.label, motion, t)
            self.motion[i] = value + active.equation.offset, rate, acceleration
        self.given[: self.n_v] = self._sum(env)
        self.given[self.n_v :] = -np.where(self.velocity_rows == 1, self.motion[:, 1], self.motion[:, 0])
        if self.steady:
            self.steady_loads = self.loads
        else:
            scale = self.scale.copy()
            scale[: len(self.factors)] *= [load.history is None for load in self.system.model.loads]
            self.steady_loads = self._sum(Env(0.0, scale)).copy()
        self.env, self.changed = env, False  # only now: what fails in a function is tried anew

    def hold(self, scales: FloatArray, t: float) -> None:
        """From now on loads times ``scales (n_loads,)``, and drivers at rest where they are at time t."""
        self.scale[: len(scales)] = scales
        for (i, active), motion in zip(self.moving, self._motions, strict=True):
            value = motion_at(active.label, motion, t)[0]
            self.motion[i] = value + active.equation.offset, 0.0, 0.0
        self.env = Env(t, self.scale)
        self.given[: self.n_v] = self._sum(self.env)
        self.given[self.n_v :] = -np.where(self.velocity_rows == 1, self.motion[:, 1], self.motion[:, 0])
        self.steady_loads = self.loads.copy()
        self.held = self.changed = True

    def _sum(self, env: Env) -> FloatArray:
        """Minus the dead loads (n_v,) with these factors."""
        work, nothing = self._work, self._nothing
        work.r[:] = 0.0
        for i, term in enumerate(self._dead):
            if i < len(self._calls):
                self._calls[i](term.group, nothing, env, work)
            else:
                term.force(term.group, nothing, env, work)
                self._calls.append(machine_code(term.force, (term.group, STATE, ENV, work)))
        return work.r[: self.n_v]

    def change_loads(self, factors: Mapping[Any, float], owner: str) -> dict[str, float]:
        """Multiply loads (themselves, or by name or number) by new factors from now on; the factors by name."""
        found: dict[str, float] = {}
        for wanted, factor in factors.items():
            number = number_meant(owner, "load", wanted, self.names, self.system.model.loads)
            name = self.names[number]
            if name in found:
                raise ModelError(f"{owner}: the factor of {name!r} is given twice.")
            found[name] = as_number(owner, f"the factor of {name!r}", factor)
            self.factors[number] = found[name]
        self.changed = True
        return found
