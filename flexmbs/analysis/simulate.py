"""Motion over time: a consistent start, steps, what is stored, and runs that always leave what they had."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from flexmbs.analysis.energy_gain import warn_of_gain
from flexmbs.analysis.half_turns import warn_of_half_turns
from flexmbs.analysis.linear_turns import warn_of_linear_turns
from flexmbs.analysis.output import Output
from flexmbs.analysis.run import Run
from flexmbs.analysis.softening import warn_of_softening_in_motion
from flexmbs.analysis.watch import as_events
from flexmbs.core.checks import as_flag, as_number, is_list, show
from flexmbs.core.errors import ConvergenceError, FlexmbsError, ModelError
from flexmbs.core.field_terms import meant
from flexmbs.core.progress import Progress
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.generalized_alpha import GeneralizedAlpha
from flexmbs.integrators.step_control import ErrorControl, FixedStep
from flexmbs.io.model_description import describe_model, differences
from flexmbs.model.model import Model
from flexmbs.results.pose import Pose
from flexmbs.results.static import StaticSolution
from flexmbs.results.status import Status
from flexmbs.results.time import TimeSolution
from flexmbs.system.system import System, compile_model

if TYPE_CHECKING:
    from os import PathLike

    from flexmbs.integrators.contracts import Integrator
    from flexmbs.model.control.events import Event

__all__ = ["Output", "simulate"]

SHORTEST = 1e-100
"""Least span of a run [time]: squares of its steps are numbers, too."""


def simulate(
    model: Model | System,
    until: float,
    *,
    step: float | FixedStep | ErrorControl | None = None,
    integrator: Integrator | None = None,
    output: Output | None = None,
    start: StaticSolution | TimeSolution | None = None,
    events: Sequence[Event] = (),
    keep_initial: Sequence[Any] = (),
    file: str | PathLike[str] | None = None,
    progress: bool = True,
    throw: bool = True,
) -> TimeSolution:
    r"""Motion of a model from its initial state, or from the end of another run.

    Positions and velocities are first moved onto the constraints by the least change in the metric of the mass; then
    the equations :math:`M a + f(q, v, t) + G^T \lambda = 0`, :math:`g(q, t) = 0` are integrated implicitly.

    Parameters
    ----------
    model : Model or System
        Trees with more than some 100 joints on a way are integrated as rigid bodies with joints, whose cost is linear
        in their number (`to_absolute_coordinates`), unless ``events`` or ``keep_initial`` are given; markers and joints
        of the tree can be asked for all the same. A `System` is taken as it is.
    until : float
        End time; runs begin at 0, or at the end of ``start``. A run of no length returns the consistent state there.
    step : float, FixedStep or ErrorControl, optional
        A number means steps of that size; left out, steps are chosen by `ErrorControl()`.
    integrator : Integrator, optional
        Default: `GeneralizedAlpha()`, stabilised index 2 with spectral radius 0.9.
    output : Output, optional
        Default: every step.
    start : TimeSolution or StaticSolution, optional
        A motion: resumes from its end, bitwise as if the run had not been interrupted; the model must be the same. An
        end that was planned (``until``, a terminal event) and is no end of a step of the longer run ends a shorter
        step: the run then goes on from there with steps of its own, and differs by the error of the steps. What
        `solve_static` found: begins in its last equilibrium, at its ``time``; the model must have the same coordinates,
        and may have other loads. A `Pose` that `inverse_kinematics` found: begins at t = 0 there. The bodies have their
        initial velocities: fields of flexible bodies are evaluated there, rigid bodies that spin about a point keep
        spinning about it, others keep their velocity in inertial axes.
    events : sequence of Event
        Watched on the interpolant of every step; where one happens, the step is made again to end there.
    keep_initial : sequence of bodies
        That stay where they are described, and move as described, while the others are moved onto the constraints. Not
        with a motion as ``start``, which is on the constraints.
    file : path-like, optional
        An HDF5 file (.h5) for the result. While the run is under way every stored state goes to a journal beside it,
        which even a killed process leaves readable: load it with `flexmbs.load`, and go on with ``start=`` and another
        file; `flexmbs.concatenate` puts both together. If the journal or the file cannot be written (a full disk) there
        is a warning, and the motion is returned all the same.
    progress : bool
        Whether to show progress on standard error when it takes longer than a second.
    throw : bool
        Whether a failure raises; otherwise the solution is returned with its ``status``. Ctrl-C does not raise: a line
        on standard error says when it came, what was computed is returned with the status INTERRUPTED, and a script
        goes on; a second Ctrl-C, before the step ends, raises KeyboardInterrupt.

    Raises
    ------
    ModelError
        If the joints cannot be assembled, or velocities contradict each other; the message names the joints. If
        supports prescribe displacements that the start does not have, or rotations.
    ConvergenceError
        If the step became too small, or the steps allowed were used up.
    FlexmbsError
        All of these, raised on the way, carry what was computed up to there as ``solution``; with ``throw=False`` it is
        returned with the status FAILED. A function of a user that fails, gives what is not finite, or gives different
        values for the same arguments is told by the name of its item, the time and its arguments.

    Warns
    -----
    AccuracyWarning
        If the motion gains energy from nowhere (more than 5 % of the largest), or friction that sticks
        (`BristleFriction`, `flexmbs.contact.BristleLaw`) lets go below its static limit by more than 1 %, or a contact
        is not resolved: by fixed steps, or by the points of a tube or skin; if linear elements or shapes turn by more
        than 0.25 rad, or a body without geometric stiffening spins fast; or if a `Bushing` turns by more than half a
        turn about an axis that it holds.
    LossWarning
        If the journal or the file could not be written, or the journal has gone.
    RuntimeWarning
        If bodies are moved by more than 1e-3 (of the size of the model, or rad) to meet the joints and ``keep_initial``
        names none, or if the joints change the velocity of a moving body by more than 1 %.

    Examples
    --------
    >>> import flexmbs as fx
    >>> bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    >>> hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    >>> run = fx.simulate(fx.Model(bar, hinge, fx.Gravity((0, 0, -9.81))), until=0.5, step=1e-2)
    >>> len(run), bool(abs(run.energy.balance).max() < 1e-2)
    (51, True)
    """
    if not isinstance(model, Model | System):
        raise ModelError(f"simulate: expected a Model, not {show(model)}.")
    if not is_list(keep_initial):
        raise ModelError(f"simulate: keep_initial must be a list of bodies, not {show(keep_initial)}.")
    events = as_events(events)
    keep_initial = tuple(keep_initial)
    form = None
    if isinstance(model, Model) and not events and not keep_initial and (start is None or _in_sparse_form(start)):
        from flexmbs.conversion.long_trees import sparse_form  # which simulates to find a start

        form = sparse_form(model)
    system = model if isinstance(model, System) else compile_model(model if form is None else form.model)
    begin = 0.0
    if isinstance(start, StaticSolution):
        begin = start.time
    elif start is not None and not isinstance(start, Pose):
        _check_start(start, system)
        if keep_initial:
            raise ModelError(
                f"simulate: keep_initial = {show(list(keep_initial))} says what stays where it is described while "
                f"joints are assembled, but the run goes on from the motion start, where they are. Leave out one."
            )
        begin = float(start.last.t)
    until = as_number("simulate", "until", until, minimum=begin, unit="time")
    scheme = GeneralizedAlpha() if integrator is None else integrator
    _check_scheme(scheme)
    if 0.0 < until - begin < SHORTEST:
        raise ModelError(
            f"simulate: until must be later than t = {begin:g} by {SHORTEST:g} at least, not by {until - begin:g}; a "
            f"run of no length is the state at its start."
        )
    control = _control(step, until - begin)
    output = Output() if output is None else output
    if not isinstance(output, Output):
        raise ModelError(f"simulate: output must be an Output such as Output(every=0.01), not {show(output)}.")
    throw = as_flag("simulate", "throw", throw)
    run = Run(Dynamics(system), scheme, control, output, begin, until, events)
    stream = None
    if file is not None:
        from flexmbs.io.time_files import Stream  # and with it HDF5, which starts slowly

        dyn = run.dynamics
        stream = Stream(system.model, (dyn.n_q, dyn.n_v, dyn.n_c, len(dyn.turns.counted)), file)
    run.begin(start, stream, keep_initial, () if form is None else form.angles())
    with Progress(f"motion of {system.model.name!r}", wanted=as_flag("simulate", "progress", progress)) as shown:
        failure: FlexmbsError | None = None
        try:
            run.integrate(shown)
        except FlexmbsError as error:
            run.fail(error)
            failure = error
    if run.status is Status.INTERRUPTED:
        sys.stderr.write(f"simulate: {system.model.name!r} {run.message[:-1]}; what was computed is returned.\n")
    solution = run.solution()
    if form is not None:
        solution.extra["form"] = form
    if stream is not None:
        stream.close(solution)
    if failure is not None:
        failure.solution = solution
        if throw:
            raise failure
        return solution
    if until > begin:
        warn_of_gain(solution, (run.dynamics.position_size / (until - begin)) ** 2)
        warn_of_softening_in_motion(solution, told=not isinstance(start, TimeSolution))
        warn_of_linear_turns(run.dynamics.system, solution.q, lambda i: f"at t = {solution.t[i]:g}")
        warn_of_half_turns(solution)
        run.early.warn()
        run.few.warn()
        run.single.warn()
        if run.short is not None:
            run.short.warn()
    if throw and run.status in (Status.STEP_TOO_SMALL, Status.TOO_MANY_STEPS):
        raise ConvergenceError(f"Model {system.model.name!r}: {run.message} {run.status.value}", solution)
    return solution


def _in_sparse_form(start: object) -> bool:
    """Whether a run is one of rigid bodies, which a long tree may have become."""
    return isinstance(start, TimeSolution) and not start.model.trees


def _check_scheme(scheme: object) -> None:
    """Refuse what is no scheme."""
    wanted = "integrator must be one such as GeneralizedAlpha(rho_inf=0.8)"
    if isinstance(scheme, type):
        wanted = f"integrator must be an object: write {scheme.__name__}() with its parentheses"
    elif callable(getattr(scheme, "keeper", None)):
        name = type(scheme).__name__
        wanted = f"{name} keeps the constraints of a scheme: write integrator=RungeKutta(constraints={name}(...))"
    elif all(callable(getattr(scheme, name, None)) for name in ("check", "start", "stepper")):
        return
    raise ModelError(f"simulate: {wanted}, not {show(scheme)}.{meant('integrator', scheme)}")


def _check_start(start: object, system: System) -> None:
    """Refuse what cannot be gone on from."""
    if not isinstance(start, TimeSolution):
        raise ModelError(f"simulate: start must be what simulate returned or flexmbs.load read, not {show(start)}.")
    if start.last is None:
        raise ModelError(
            "simulate: start does not hold the state of a scheme at its end, as motions of simulate do, but those of "
            "solve_kinematics and poses read from a file do not. Simulate from the beginning, or find the pose again "
            "by inverse_kinematics."
        )
    if start.model is not system.model:
        found = differences(describe_model(start.model)[0], describe_model(system.model)[0])
        if found:
            raise ModelError(
                f"simulate: start belongs to another model than {system.model.name!r}. It differs in: "
                f"{'; '.join(found[:3]).replace('in the file', 'in start')}. Pass the model that it was computed with."
            )


def _control(step: object, span: float) -> Any:
    """What chooses the steps, such that they are neither lost in the round-off of time nor without end."""
    if step is None:
        return ErrorControl()
    if isinstance(step, ErrorControl):
        return step
    if not isinstance(step, FixedStep):
        if isinstance(step, bool) or not isinstance(step, Real):
            raise ModelError(
                f"simulate: step must be a number, FixedStep(...), ErrorControl(...) or None, not {show(step)}."
            )
        step = FixedStep(as_number("simulate", "step", step, above=0.0, unit="time"))
    as_number("simulate", "step", step.h, above=1e-12 * span, unit="time")
    return step
