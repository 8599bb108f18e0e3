"""A number of the description as the parameter of a path: a length, an imperfection, a stiffness.

Every value of the parameter has a model of its own, as a function of the user makes it; all of them have the same
coordinates, constraints and supports, so that a state of one can be judged by the equations of another. What supports
hold is moved to where the model of that value has it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.analysis.static_reports import refuse_contact, refuse_memory
from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.core.history import value_at
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.kernels.steps import local
from flexmbs.model.model import Model
from flexmbs.results.static import StaticSolution
from flexmbs.system.system import EvaluationError, System, compile_model

__all__ = ["ParameterPath", "VariedModel"]

KEPT = 4
"""Values whose equations are kept."""
DIFFERENCE = 1e-6
"""Step of the difference by which the derivative by the parameter is taken, relative to the range."""


class VariedModel:
    """The equations of rest at any value of the parameter.

    ``make``: function value -> Model; ``name``: of the parameter; ``low, high``: where paths end; ``time``: at which
    histories and drivers are held.
    """

    timed = False

    def __init__(
        self, make: Callable[[float], Any], name: str, low: float, high: float, begin: float, time: float
    ) -> None:  # fmt: skip
        self.make, self.name, self.low, self.high, self.time = make, name, low, high, time
        sides = [abs(x - begin) for x in (low, high) if np.isfinite(x)]
        self.range = max(sides)
        self._kept: OrderedDict[float, EquationsOfRest] = OrderedDict()
        self.system = self._compiled(begin, None)
        self._first = EquationsOfRest(Dynamics(self.system))
        self._kept[begin] = self._first

    def _compiled(self, p: float, like: System | None) -> System:
        """The system of a value."""
        model = self.make(p)
        if not isinstance(model, Model | System):
            raise ModelError(
                f"trace_static: the function must return a Model at {self.name} = {p:g}, and it returned {show(model)}."
            )
        model = model.model if isinstance(model, System) else model
        system = compile_model(model) if like is None else like.with_numbers(model)
        refuse_memory(system)
        refuse_contact(system)
        if model.controllers:
            raise ModelError(
                f"Model {model.name!r}: a model that varies with {self.name} is followed without sampled controllers."
            )
        if like is not None:
            self._check(like, system, p)
        return system

    def _check(self, one: System, other: System, p: float) -> None:
        """Refuse models of another structure."""
        a, b = one.coordinates, other.coordinates
        same = (len(a.reference), a.n_v, one.n) == (len(b.reference), b.n_v, other.n)
        same = same and np.array_equal(one.free, other.free)
        names = [x.mechanics.names for x in (one, other)]
        if not same or names[0] != names[1] or len(one.model.loads) != len(other.model.loads):
            raise ModelError(
                f"trace_static: at {self.name} = {p:g} the model has other coordinates, joints, loads or supports than "
                f"where the path begins; a path goes through models of one structure."
            )

    def equations(self, p: float) -> EquationsOfRest:
        """The equations at a value.

        Raises
        ------
        EvaluationError
            If the function gives no model there.
        """
        found = self._kept.get(p)
        if found is None:
            try:
                found = EquationsOfRest(Dynamics(self._compiled(p, self.system)))
            except FlexmbsError as error:
                if self.low <= p <= self.high:
                    raise
                raise EvaluationError(f"no model at {self.name} = {p:g}: {error}") from None
            found.dyn.start_turns(self.time)
            found.dyn.compliance(self._first.dyn.compliant)
            self._kept[p] = found
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(p)
        return found

    def held(self, p: float) -> tuple[FloatArray, FloatArray, float]:
        """Factors of all loads, of all prescribed motions, and the time."""
        system = self.equations(p).system
        scales = [value_at(x.label, x.history, self.time, 1.0) for x in system.model.loads]
        motions = [value_at(x.owner, x.history, self.time, 1.0) for x in system.fixation.drives]
        return np.array(scales, dtype=float), np.array(motions, dtype=float), self.time

    def dead(self) -> bool:
        """The derivative by the parameter depends on the state."""
        return False

    def kinks(self) -> list[float]:
        """Steps end at the ends of the range, beyond which there may be no model."""
        return [x for x in (self.low, self.high) if np.isfinite(x)]

    def difference(self, p: float, forward: bool) -> float:
        """Step of the difference of equations by the parameter, within the range."""
        h = DIFFERENCE * self.range
        return h if (forward or p - h < self.low) and p + h <= self.high else -h

    def placed(self, point: Point, p: float) -> Point:
        """The point with what supports hold where the model of a value has it."""
        eq = self.equations(p)
        dyn, fixation = eq.dyn, eq.fixation
        drives = self.held(p)[1]
        frames = fixation.frames(drives)
        if not len(fixation.fixed):
            return point
        n = dyn.n_linear
        s = fixation.to_frames(point.q, frames)
        held = fixation.fixed < n
        s[fixation.fixed[held]] = fixation.values(drives)[held]
        q = fixation.from_frames(s, frames)
        behind = fixation.fixed[(fixation.fixed >= n) & (fixation.fixed < dyn.n_v)]
        if len(behind):
            step = np.zeros(dyn.n_v)
            local(np.ascontiguousarray(q), dyn.coordinates.reference.copy(), n, step)
            whole = np.zeros(dyn.n_q)
            whole[: dyn.n_v] = step
            turned = fixation.to_frames(whole, frames)
            kept = np.zeros(dyn.n_q)
            kept[behind] = turned[behind]
            by = fixation.from_frames(kept, frames)[: dyn.n_v]
            if np.any(by):
                q = eq.moved(point._replace(q=q), np.concatenate((by, np.zeros(dyn.n_c)))).q
        return point._replace(q=q)


@dataclass(frozen=True, eq=False, repr=False)
class ParameterPath:
    """Equilibria along which a number of the description varies, each with a model of its own.

    Attributes
    ----------
    values : (n,) array
        The parameter of each.
    unstable : (n,) int array
        Number of directions in which it is unstable; -1 where that was too dear to tell.
    stable : (n,) bool array
    ending : str
        Why the path ends; of a branch the ends of both its sides.
    """

    values: FloatArray
    unstable: IntArray
    stable: Any
    ending: str
    solve: Callable[[int], StaticSolution] = field(repr=False)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[StaticSolution]:
        return (self.equilibrium(i) for i in range(len(self)))

    def __repr__(self) -> str:
        return (
            f"<path of model {self.model.name!r}: {len(self)} equilibria, {self.values[0]:g} to {self.values[-1]:g}, "
            f"{int(np.sum(self.stable))} stable; {self.ending}>"
        )

    @property
    def load_factors(self) -> FloatArray:
        """The parameter, as of other paths."""
        return self.values

    @property
    def model(self) -> Model:
        """The model at the beginning."""
        return self.solve(0).system.model

    def equilibrium(self, number: int) -> StaticSolution:
        """One equilibrium of the model of its value, from which `simulate`, `solve_modal` and `linearise` begin."""
        n = len(self)
        if not -n <= number < n:
            raise ModelError(f"equilibrium: there is no number {number}; the path has {n} equilibria.")
        return self.solve(range(n)[number])

    def evaluated(self, of: Callable[[StaticSolution], FloatArray]) -> FloatArray:
        """A quantity of each equilibrium (n,), as a function of solutions gives it."""
        return np.array([float(np.asarray(of(x), dtype=np.float64).ravel()[0]) for x in self])
