"""Static equilibrium by load stepping that adapts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from flexmbs.analysis.few_points import FewPoints
from flexmbs.analysis.given import refuse_given
from flexmbs.analysis.linear_turns import warn_of_linear_turns
from flexmbs.analysis.load_stepping import LoadStepper
from flexmbs.analysis.static_reports import warn_of_controllers, warn_of_friction
from flexmbs.core.checks import as_number, show
from flexmbs.core.errors import ModelError
from flexmbs.model.model import Model
from flexmbs.results.static import StaticSolution
from flexmbs.results.static_options import StaticOptions
from flexmbs.system.system import System, compile_model

if TYPE_CHECKING:
    from flexmbs.linear.linear_solution import LinearSolution
    from flexmbs.linear.operators import Operators
    from flexmbs.linear.part import Part
    from flexmbs.results.time import TimeSolution

__all__ = ["solve_static"]

USUAL = StaticOptions()


@overload
def solve_static(
    model: Model | System,
    options: StaticOptions | None = None,
    *,
    start: StaticSolution | TimeSolution | None = None,
    time: float | None = None,
    throw: bool = True,
) -> StaticSolution: ...
@overload
def solve_static(
    model: Part | Operators, *, fixed: Mapping[Any, Any] | None, loads: Mapping[str, Any]
) -> dict[str, LinearSolution]: ...
@overload
def solve_static(model: Part | Operators, *, fixed: Mapping[Any, Any] | None, loads: Any = ()) -> LinearSolution: ...
def solve_static(
    model: Any,
    options: StaticOptions | None = None,
    *,
    start: StaticSolution | TimeSolution | None = None,
    time: float | None = None,
    throw: bool = True,
    fixed: Mapping[Any, Any] | None = None,
    loads: Any = (),
) -> Any:
    r"""Static equilibrium under loads and prescribed motions that grow from nothing to their full size.

    Solves r(q, lambda, s) = 0 with g(q) = 0 for load factors s from 0 to 1, for any model. Each step
    starts on the secant of the last two equilibria, the first one on the tangent.

    Of a linear structure it is `flexmbs.linear.static_response`: one solution of K u = f.

    Parameters
    ----------
    model : Model, System, Part or Operators
    options : StaticOptions, optional
    start : StaticSolution or TimeSolution, optional
        Starts from its last state instead of the initial one; it must belong to a model with the same coordinates.
        Loads still grow from s = 0, so give those that are already there a `Constant` history.
    time : float, optional
        At which drivers of joints are held, by default 0, their rates taken as zero. If it is given, histories of loads
        and of prescribed motions of supports are evaluated at this time, and what they give acts from s = 0 on.
        Otherwise the argument of a history is the load factor s. What has no history grows in proportion to s.
        Drivers that turn a node of a flexible body by more than 1 rad from where it is described are approached in
        steps (`flexmbs.analysis.far_drivers`). Where one is far by its displacement, go there by several times, each
        with the last solution as ``start``: flexible bodies do not follow long ways at once.
    throw : bool
        Whether a failure raises; otherwise the solution is returned with its ``status``.
    fixed, loads
        Of a part or its operators, and instead of all others: supports by node sets, and loads, as
        `flexmbs.linear.static_response` takes them. Of a model, supports and loads are items.

    Returns
    -------
    StaticSolution
        All equilibria, from s = 0 on. `simulate`, `solve_modal` and `linearise` begin at the last one. Of a part or its
        operators a `LinearSolution`, or one for each case of ``loads``.

    Raises
    ------
    ModelError
        If flexible bodies are not supported against rigid motions; the message names those that are free. A structure
        that its load holds in place, such as a hanging chain, needs that load from the start: give it the history
        `Constant`, and a shape close to its equilibrium. If a force depends on the way to the equilibrium.
    ConvergenceError
        If no step of the smallest size succeeds; the exception carries the solution up to there.
    SingularError
        If the structure is a mechanism in its first state; the message names the coordinates that can move.

    Warns
    -----
    AccuracyWarning
        If round-off limits the displacements to less than six digits; the message gives the estimate. If a tube or skin
        touches with one or two points only, or linear elements or shapes turn by more than 0.25 rad.
    RuntimeWarning
        If the equilibrium becomes unstable, or nothing holds it against others.

    Notes
    -----
    At a limit point, where the structure would snap to an equilibrium far away, the analysis stops: what happens then
    is dynamics. Prescribe a displacement instead of the load to follow the equilibria beyond. With equal ``steps`` it
    takes whatever equilibrium Newton's method finds.

    Mechanisms run down to a stable equilibrium, as a pendulum released from horizontal does (see
    `flexmbs.analysis.relaxation`), and one that nothing holds is refused with the coordinates that are free.
    First-order states stand still; sampled controllers hold what they hold at the start, with a warning where their
    first sample would give something else at the equilibrium. Regularised friction is none where nothing moves: of
    the equilibria that dry friction allows, that without is found, with a warning where there are contacts with it.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=16, element=fx.elements.ANCFCable2D(),
    ...                             stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0))
    >>> bent = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.Moment(beam.end, 3.141592653589793)))
    >>> abs(bent.position(beam.end, step=-1)).round(4).tolist()
    [0.0, 0.6366, 0.0]

    The pendulum of a drive that has begun to turn, where it is after half a second:

    >>> arm = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="arm")
    >>> pivot = fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="pivot")
    >>> motor = fx.RotationDriver(pivot, motion=fx.motions.Linear(1.0), name="motor")
    >>> held = fx.solve_static(fx.Model(arm, pivot, motor, fx.Gravity((0, -9.81))), time=0.5)
    >>> round(float(held.angle(pivot)[-1]), 6)
    0.5

    A pendulum released from horizontal:

    >>> bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    >>> hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    >>> hanging = fx.solve_static(fx.Model(bar, hinge, fx.Gravity((0, -9.81))))
    >>> abs(hanging.position(bar, step=-1)).round(6).tolist(), round(float(hanging.reaction(hinge)[-1, 1]), 6)
    ([0.0, 0.5, 0.0], 19.62)
    """
    linear_statics = getattr(model, "linear_statics", None)
    if linear_statics is not None:
        refuse_given("solve_static", type(model).__name__, options=options, start=start, time=time)
        return linear_statics(fixed, loads)
    refuse_given("solve_static", "Model", fixed=fixed, loads=loads or None)
    options = USUAL if options is None else options
    if not isinstance(options, StaticOptions):
        raise ModelError(f"solve_static: options must be StaticOptions(...), not {show(options)}.")
    if not isinstance(model, Model | System):
        raise ModelError(f"solve_static: expected a Model, a Part or Operators, not {show(model)}.")
    if time is not None:
        time = as_number("solve_static", "time", time, unit="time")
    system = model if isinstance(model, System) else compile_model(model)
    solution = LoadStepper(system, options, start, time, throw).run()
    warn_of_friction(system)
    warn_of_controllers(system, solution)
    warn_of_linear_turns(system, solution.q, lambda i: f"at load factor {solution.load_factors[i]:g}")
    few = FewPoints(system)
    few.look(solution.q[-1], np.zeros(system.coordinates.n_v))
    few.warn()
    return solution
