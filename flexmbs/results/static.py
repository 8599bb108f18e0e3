"""What a static analysis found: equilibria of any model, with everything that can be asked of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from flexmbs.core.calls import with_methods
from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.integrators.contracts import StepState
from flexmbs.results.quantity_names import known_names
from flexmbs.results.states import States
from flexmbs.results.status import Status

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from matplotlib.axes import Axes

    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.system.system import System

__all__ = ["StaticSolution"]


@with_methods
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StaticSolution(States):
    """Equilibria of a model at ascending load factors.

    Methods and shapes are those of `flexmbs.results.states.States`, for every model: a position is (n_s, 3), with
    ``step=-1`` that of the last equilibrium (3,). The last equilibrium is where ``simulate(..., start=)``,
    `solve_modal` and `linearise` begin.

    Attributes
    ----------
    system : System
    q, v, lam : (n_s, n_q), (n_s, n_v), (n_s, n_c) arrays
        Coordinates; velocities, zero but for first-order states, which are velocities of their coordinates;
        multipliers.
    load_factors : (n_s,) array
        Of each equilibrium, from 0 to 1; the first is the start.
    scales, drives : (n_s, n_loads), (n_s, n_support_drives) arrays
        Factor of each load, histories included, and of each prescribed motion of supports.
    time : float
        At which drivers and histories of joints are held [time].
    stable : (n_s,) bool array
        Whether the potential, as far as there is one, rises or is level in all directions that supports and constraints
        allow; True where that was not asked.
    free, redundant : tuple of str
        Coordinates that nothing holds at the last equilibrium: it is one of many. Constraints that follow from the
        others; reactions of their joints are not unique.
    iterations : (n_i, 7) array
        Rows of `flexmbs.results.records.Iteration`, altogether.
    accuracy : float
        Estimated relative round-off error of the displacements; NaN if unknown.
    status : Status
    message : str
        Why it ended, where it did not reach the full load.
    settings : StaticOptions
    extra : dict
        Turns (``near``) and held values of controllers at the last equilibrium, for what goes on from there.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(2.0, position=(0.0, -1.0), name="ball")
    >>> spring = fx.SpringDamper(fx.ground.marker((0, 0, 0)), ball, stiffness=100.0, name="spring")
    >>> hanging = fx.solve_static(fx.Model(ball, spring, fx.Gravity((0, -9.81))))
    >>> hanging.position(ball).shape == (len(hanging), 3), hanging.position(ball, step=-1).round(4).tolist()
    (True, [0.0, -1.1962, 0.0])
    """

    system: System
    q: FloatArray
    v: FloatArray
    lam: FloatArray
    load_factors: FloatArray
    scales: FloatArray
    drives: FloatArray
    time: float = 0.0
    stable: Any
    free: tuple[str, ...] = ()
    redundant: tuple[str, ...] = ()
    iterations: FloatArray
    accuracy: float = np.nan
    status: Status = Status.DONE
    message: str = ""
    settings: Any = None
    extra: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("q", "v", "lam", "load_factors", "scales", "drives", "stable", "iterations"):
            getattr(self, name).setflags(write=False)

    @property
    def parameters(self) -> FloatArray:
        """The load factors (n_s,), by their older name."""
        return self.load_factors

    @property
    def t(self) -> FloatArray:
        """The load factors (n_s,): what equilibria are drawn and listed over, as motions over time."""
        return self.load_factors

    @property
    def a(self) -> FloatArray:
        """Accelerations (n_s, n_v): zero."""
        return np.zeros_like(self.v)

    @property
    def last(self) -> StepState:
        """The last equilibrium as a state of the equations of motion, for `flexmbs.dynamics.evaluation.Dynamics`."""
        q, v, lam = (np.array(x[-1]) for x in (self.q, self.v, self.lam))
        return StepState.unaccelerated(self.time, q, v, lam)

    @property
    def n_steps(self) -> int:
        """Number of equilibria."""
        return len(self.q)

    def __repr__(self) -> str:
        state = "stable" if self.stable[-1] else "unstable"
        return (
            f"<static solution of model {self.model.name!r}: {self.n_steps} equilibria to load factor "
            f"{self.load_factors[-1]:g}, {state}, {len(self.iterations)} iterations, {self.status.name.lower()}>"
        )

    def at_parameter(self, parameter: float) -> int:
        """The number of the equilibrium at a load factor that was stored."""
        parameter = as_number("at_parameter", "parameter", parameter)
        found = np.flatnonzero(np.isclose(self.load_factors, parameter, rtol=1e-12, atol=1e-14))
        if not len(found):
            raise ModelError(
                f"there is no equilibrium at parameter {parameter:g}; stored are "
                f"{show(self.load_factors.round(6).tolist())}. Ask for it with StaticOptions(at=(...))."
            )
        return int(found[-1])

    def plot(
        self, *what: Any, step: int | Literal["all"] = -1, resultant: str | None = None, ax: Axes | None = None,
        **options: Any,
    ) -> Axes:  # fmt: skip
        """Draw the deformed shape, coloured by a stress resultant; or quantities by name over the load factor.

        Parameters
        ----------
        *what
            Nothing or the symbol of a stress resultant, such as ``"M"``: the shape at a ``step``, or at ``"all"`` of
            them. Joints, forces, places or names such as ``"beam.end.displacement"``: as `TimeSolution.plot`.
        step, resultant
            Of the shape; ``resultant`` may be given by its name, too.
        ax : Axes, optional
        **options
            ``against``, ``component``, ``path``, ``title`` of histories.
        """
        symbols = [r.symbol for body in self.model.flexible_bodies for r in body.element.resultants]
        of_shape = not what
        if len(what) == 1 and isinstance(what[0], str):  # a symbol that does not exist is told as such
            name = what[0]
            of_shape = name.strip("|") in symbols or ("." not in name and name not in known_names(self))
        if of_shape and not options:
            return self.plot_shape(what[0] if what else resultant, step, ax)  # type: ignore[no-any-return]
        return self.plot_histories(*what, ax=ax, **options)  # type: ignore[no-any-return]

    def plot_path(self, at: Any, ax: Axes | None = None) -> Axes:
        """Draw the displacements of a place over the load factor."""
        from flexmbs.visualization.plots import plot_path

        return plot_path(self, at, ax)

    def to_paraview(self, path: str | PathLike[str], body: Any = None) -> Path:
        """Write an XDMF series for ParaView, over the load factor.

        Of all flexible bodies; or the mesh of ``body``, one of a reduced model, with displacement, deformation and von
        Mises stress.
        """
        if body is not None:
            from flexmbs.visualization.reduced_bodies import write_motion

            return write_motion(self, path, body)
        from flexmbs.visualization.paraview import write_series

        return write_series(self, path)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write to an HDF5 file that `flexmbs.load` reads."""
        from flexmbs.io.store import save

        return save(self, path)

    def set_loads(self, dynamics: Dynamics, step: int) -> None:
        """Set the loads that acted in an equilibrium, the drivers where they were held, and the turns there."""
        dynamics.hold(self.scales[step], self.drives[step], self.time)
        self.set_turns(dynamics, step)
