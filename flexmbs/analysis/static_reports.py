"""What a static analysis says: refusals before it, warnings and errors about what it found."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from flexmbs.analysis.stability import Stability
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning, ConvergenceError, FlexmbsError, ModelError, SingularError
from flexmbs.model.control.calling import as_values, call
from flexmbs.model.control.controller import SampledController
from flexmbs.results.sensor_history import sensor_history
from flexmbs.results.static import StaticSolution
from flexmbs.results.status import Status
from flexmbs.system.contact_pairs import contacts_of
from flexmbs.system.system import System

__all__ = [
    "raise_failure",
    "refuse_contact",
    "refuse_memory",
    "warn_of_controllers",
    "warn_of_friction",
    "warn_of_round_off",
    "warn_of_stability",
    "warn_of_stiffness",
]


ACTS = 1e-6
"""Part of outputs, and of readings beside one, below which differences are round-off."""
LONG = 1000
"""Elements in a row from which round-off in their joints is what limits displacements."""


def refuse_memory(system: System) -> None:
    """Refuse forces whose equilibrium depends on the way there."""
    for force in system.model.forces:
        acting = (*getattr(force, "row_forces", ()), *getattr(force, "distributed", ()))
        if any(part.states for part in acting):
            raise ModelError(
                f"Model {system.model.name!r}: force {force.name!r} remembers its past, so that its equilibria depend "
                f"on the way there; leave it out of the static analysis, or simulate until it rests."
            )


def refuse_contact(system: System) -> None:
    """Refuse contact on paths: its force bends where it opens and closes, and arc length has no tangent there."""
    for contact in contacts_of(system.model):
        raise ModelError(
            f"Model {system.model.name!r}: contact {contact.name!r} cannot be followed along a path: "
            f"its stiffness jumps where it opens and closes. Leave it out, take a spring of smooth force in its "
            f"place (SpringDamper with a ForceCurve), or solve_static at the loads of interest."
        )


def warn_of_friction(system: System) -> None:
    """Regularised friction is a function of the velocity, and none at rest."""
    for contact in contacts_of(system.model):
        if contact.friction is not None:
            warnings.warn(
                f"Model {system.model.name!r}: the friction of contact {contact.name!r} is a function of the slip "
                f"velocity, and none at rest: of the equilibria that dry friction allows this is the one without. "
                f"Leave friction= out where that is meant, or simulate until all rests, with BristleLaw.",
                AccuracyWarning,
                stacklevel=3,
            )
            return


def warn_of_controllers(system: System, solution: StaticSolution) -> None:
    """Sampled controllers hold their initial values; tell of one that would give others at the equilibrium found."""
    for controller in system.model.controllers:
        if all(actuator.acts_on is None for actuator in controller.actuators):
            continue
        try:
            read = [np.atleast_1d(sensor_history(solution, sensor)[-1]) for sensor in controller.sensors]
            u = np.concatenate([np.empty(0), *(np.ravel(x) for x in read)])
            given, near = (
                _first_output(controller, reading, solution.time) for reading in (u, u + ACTS * (1.0 + abs(u)))
            )
        except FlexmbsError:  # it fails in a run as well, which says how
            continue
        held = np.asarray(controller.initial, dtype=np.float64)
        # what readings that are off by round-off may change is nothing
        off = np.abs(given - held) > np.maximum(ACTS * np.maximum(np.abs(given), np.abs(held)), np.abs(near - given))
        if off.any():
            k = int(np.argmax(off))
            warnings.warn(
                f"Model {system.model.name!r}: controller {controller.name!r} does not act in a static analysis: "
                f"actuator {controller.actuators[k].name!r} holds {held[k]:.6g}, where at the equilibrium found its "
                f"first sample would give {given[k]:.6g}. Give the controller initial= values that go with the "
                f"equilibrium, replace it by springs, or simulate until all rests.",
                AccuracyWarning,
                stacklevel=3,
            )
            return


def _first_output(controller: SampledController, u: FloatArray, t: float) -> FloatArray:
    """What the first sample of a controller gives (n_f,) for some readings."""
    owner, state = f"controller {controller.name!r}", np.array(controller.start, dtype=np.float64)
    return as_values(owner, "output", call(owner, "output", controller.output, state, u, t), len(controller.actuators))


def warn_of_round_off(name: str, accuracy: float, longest: int) -> None:
    """The displacements have few digits; ``longest``: elements of the longest chain."""
    cause = "They are tiny beside the size of the model: take larger loads, or linear elements."
    if longest > LONG:
        cause = f"The longest chain has {longest} elements; some 10 000 are finer than double precision supports."
    warnings.warn(
        f"{name}: round-off limits the displacements to a relative accuracy of about {accuracy:.0e}. {cause}",
        AccuracyWarning,
        stacklevel=5,
    )


def warn_of_stiffness(name: str, error: float, longest: int) -> None:
    """Solutions with the stiffness have no digits, which may be why an analysis ended."""
    warnings.warn(
        f"{name}: round-off may be why no further equilibrium was found: a solution with the stiffness "
        f"matrix is only good to {error:.0e}, since a chain of {longest} elements is finer than double "
        f"precision supports. Use fewer elements.",
        AccuracyWarning,
        stacklevel=5,
    )


def warn_of_stability(name: str, factors: Sequence[float], looked: Sequence[Stability | None], status: Status) -> None:
    """Say from where on equilibria are unstable, or what nothing holds at the last."""
    stable = [x is None or x.stable for x in looked]
    free = () if looked[-1] is None else looked[-1].free
    if not all(stable):
        place = stable.index(False)
        what = (
            "the structure would leave it at the smallest disturbance. Add a small imperfection or side load, or "
            "start a little beside it, to follow the stable path"
        )
        first = looked[place]
        if first is not None and first.how == "flutter":
            what = "without damping the structure would flutter"
        warnings.warn(
            f"{name}: the equilibrium is unstable from load factor {factors[place]:.4g} on: {what}.",
            RuntimeWarning,
            stacklevel=5,
        )
    elif free and status is Status.DONE:
        warnings.warn(
            f"{name}: the equilibrium is one of many: nothing holds {'; '.join(free)}.",
            RuntimeWarning,
            stacklevel=5,
        )


def raise_failure(name: str, solution: StaticSolution) -> None:
    """The error of an analysis that did not come to its end; it carries what was found.

    Raises
    ------
    SingularError, ConvergenceError
    """
    status, message = solution.status, solution.message
    if status is Status.SINGULAR:
        raise SingularError(f"{name}: {message}")
    if status in (Status.STEP_TOO_SMALL, Status.TOO_MANY_STEPS, Status.NO_START):
        why = f"Last failure: {message}. " if message else ""
        raise ConvergenceError(
            f"{name}: static analysis stopped at load factor {solution.load_factors[-1]:.6g} of 1: {status.value} "
            f"{why}The exception's .solution holds the {len(solution)} equilibria found.",
            solution,
        )
