"""Analyses as descriptions: what every run of a study does with its model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from flexmbs.analysis.linearise import linearise
from flexmbs.analysis.modal import solve_modal
from flexmbs.analysis.output import Output
from flexmbs.analysis.simulate import simulate
from flexmbs.analysis.static import solve_static
from flexmbs.core.checks import as_count, as_number, show
from flexmbs.core.errors import ModelError
from flexmbs.kinematics.solve import solve_kinematics
from flexmbs.model.model import Model
from flexmbs.results.static_options import StaticOptions
from flexmbs.studies.digest import source_digest

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.integrators.contracts import Integrator
    from flexmbs.integrators.step_control import ErrorControl, FixedStep

__all__ = ["Analysis", "Frequencies", "Kinematics", "Linearised", "Simulation", "Statics", "analysis_in_words"]

Items = Callable[[Model], Sequence[Any]]
"""Items of a model, found in the model of every run."""


class Analysis(Protocol):
    """Contract of what a run does: plain data that travels to other processes, and is told apart by its ``repr``."""

    def perform(self, model: Model) -> Any:
        """The result for one model; what a failed analysis has found is returned with its ``status``."""

    def places(self, result: Any) -> FloatArray:
        """Times, load factors or numbers of modes (n,) that the values of a `History` belong to."""


@dataclass(frozen=True)
class Simulation:
    """Motion: `flexmbs.simulate` with the same arguments.

    ``events``: a function that takes the model and returns the events to watch.
    """

    until: float
    step: float | FixedStep | ErrorControl | None = None
    integrator: Integrator | None = None
    output: Output | None = None
    events: Items | None = None

    def __post_init__(self) -> None:
        as_number("Simulation", "until", self.until, minimum=0.0, unit="time")
        _check_items("Simulation", events=self.events)

    def perform(self, model: Model) -> Any:
        return simulate(
            model,
            self.until,
            step=self.step,
            integrator=self.integrator,
            output=self.output,
            events=self.events(model) if self.events else (),
            progress=False,
            throw=False,
        )

    def places(self, result: Any) -> FloatArray:
        return np.asarray(result.t)


@dataclass(frozen=True)
class Statics:
    """Equilibrium: `flexmbs.solve_static` with the same arguments."""

    options: StaticOptions | None = None
    time: float | None = None

    def perform(self, model: Model) -> Any:
        return solve_static(model, self.options, time=self.time, throw=False)

    def places(self, result: Any) -> FloatArray:
        return np.asarray(result.load_factors)


@dataclass(frozen=True)
class Frequencies:
    """Natural frequencies and modes: `flexmbs.solve_modal`; about the equilibrium with ``prestressed=True``."""

    modes: int
    prestressed: bool = False

    def __post_init__(self) -> None:
        as_count("Frequencies", "modes", self.modes, minimum=1)

    def perform(self, model: Model) -> Any:
        return solve_modal(solve_static(model) if self.prestressed else model, self.modes)

    def places(self, result: Any) -> FloatArray:
        return np.arange(1.0, len(result) + 1.0)


@dataclass(frozen=True)
class Linearised:
    """Linear model of small motions: `flexmbs.linearise`.

    ``inputs`` and ``outputs``: functions that take the model and return its loads and sensors.
    """

    inputs: Items | None = None
    outputs: Items | None = None
    prestressed: bool = False

    def __post_init__(self) -> None:
        _check_items("Linearised", inputs=self.inputs, outputs=self.outputs)

    def perform(self, model: Model) -> Any:
        about = solve_static(model) if self.prestressed else model
        inputs = self.inputs(model) if self.inputs else ()
        return linearise(about, inputs, self.outputs(model) if self.outputs else ())

    def places(self, result: Any) -> FloatArray:
        return np.arange(1.0, len(result.poles) + 1.0)


@dataclass(frozen=True)
class Kinematics:
    """Driven motion and the forces it takes: `flexmbs.kinematics.solve_kinematics`."""

    until: float
    step: float | None = None

    def __post_init__(self) -> None:
        as_number("Kinematics", "until", self.until, minimum=0.0, unit="time")

    def perform(self, model: Model) -> Any:
        return solve_kinematics(model, self.until, step=self.step, throw=False)

    def places(self, result: Any) -> FloatArray:
        return np.asarray(result.t)


def _check_items(owner: str, **given: object) -> None:
    """Refuse items themselves: each model has its own."""
    for name, items in given.items():
        if items is not None and not callable(items):
            raise ModelError(
                f"{owner}: {name} must be a function of the model that returns them, such as "
                f"{name}=lambda model: [...], not {show(items)}."
            )


def analysis_in_words(analysis: Analysis) -> str:
    """What tells an analysis apart, the same in every process: its ``repr``, with the text of functions in it."""
    functions = {n: v for n, v in vars(analysis).items() if isinstance(v, FunctionType | MethodType | partial)}
    if not functions:
        return repr(analysis)
    rest = {name: repr(value) for name, value in vars(analysis).items() if name not in functions}
    told = rest | {name: source_digest(function) for name, function in functions.items()}
    return f"{type(analysis).__name__}({', '.join(f'{name}={told[name]}' for name in vars(analysis))})"
