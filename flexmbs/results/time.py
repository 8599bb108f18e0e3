"""What a simulation found: states over time with everything that can be asked of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.attributes import Hinted
from flexmbs.core.calls import with_methods
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.distinct_names import number_meant
from flexmbs.dynamics.momentum import momentum
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.results.actuator_history import meant_actuator
from flexmbs.results.event_states import EventStates, states_at_events
from flexmbs.results.held_values import actuators_of, held_history
from flexmbs.results.kinematics import in_space, kinematics, nodal_components, tell_of_rotation
from flexmbs.results.states import States, of_place
from flexmbs.results.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.system.system import System

__all__ = ["Energy", "TimeSolution"]

LATER = "a", "lam", "energy", "residuals"
"""What may be found when it is first asked for."""


@dataclass(frozen=True, eq=False)
class Energy(Hinted):
    """Energies (n_t,) at the stored times [force length], and the work done since the start.

    ``kinetic``, ``strain`` (flexible bodies), ``springs`` (forces between markers, elastic supports), ``potential``
    (dead loads, zero at the origin, and cables that touch cables); ``work_drivers``: done on the system by prescribed
    motions; ``work_forces``: by what is in ``springs`` (together with its change, minus what is dissipated), that of
    elastic supports on nodes counted from where they are free of force; ``work_loads``: by loads on markers, and by
    actuators.
    """

    kinetic: FloatArray
    strain: FloatArray
    springs: FloatArray
    potential: FloatArray
    work_drivers: FloatArray
    work_forces: FloatArray
    work_loads: FloatArray

    @property
    def total(self) -> FloatArray:
        """Kinetic, strain, spring and potential energy."""
        return np.asarray(self.kinetic + self.strain + self.springs + self.potential)

    @property
    def dissipated(self) -> FloatArray:
        """What forces between markers have taken out of the system."""
        return np.asarray(self.springs[0] - self.springs - (self.work_forces - self.work_forces[0]))

    @property
    def balance(self) -> FloatArray:
        """Total energy, plus what was dissipated, minus the work of drivers and loads, minus the total at the start.

        Zero but for the errors of the integration (and material damping, which is not counted).
        """
        change = self.total - self.total[0] + self.dissipated
        work = self.work_drivers + self.work_loads
        return np.asarray(change - (work - work[0]))


@with_methods
@dataclass(frozen=True, eq=False, repr=False)
class TimeSolution(States):
    """Motion of a model.

    Methods and shapes are those of `flexmbs.results.states.States`, and those of motion.

    Attributes
    ----------
    system : System
    t : (n_t,) array
        Stored times.
    q, v, a, lam : (n_t, n_q), (n_t, n_v), (n_t, n_v), (n_t, n_c) arrays
        Coordinates, velocities, accelerations, multipliers.
    energy : Energy
    residuals : (n_t, 3) array
        Largest violation of the constraints on positions, velocities and accelerations.
    steps : (n_steps, 4) array
        Of every accepted step, also where few states are stored (32 bytes a step): time at its end, size, iterations,
        estimated error relative to the tolerance.
    counts : dict
        Evaluations, factorisations, rejected steps, seconds by part; ``steps``, and of these ``compiled_steps``;
        ``calls`` of Python functions of users and their ``call_seconds``, by the names of the items that they belong
        to; ``kept_in_python``: what kept steps from being compiled, or is evaluated in Python, by name.
    events : tuple of (name, t, state)
        Events that happened, with their located times; `at_events` asks for what the system was like there.
    redundant : tuple of str
        Constraints that follow from the others; reactions of their joints are not unique.
    status : Status
    settings : dict
        Integrator, step control and output as they were.
    last : object
        State of the scheme at the end, from which the run can be resumed.
    """

    system: System
    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    energy: Energy
    residuals: FloatArray
    steps: FloatArray
    counts: dict[str, Any]
    redundant: tuple[str, ...]
    status: Status
    settings: dict[str, Any]
    last: Any = None
    message: str = ""
    events: tuple[Any, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"<motion of model {self.model.name!r}: t = {self.t[0]:g} to {self.t[-1]:g} {self.model.units.time}, "
            f"{len(self)} states, {len(self.steps)} steps, {self.status.name.lower()}>"
        )

    def measure_later(self, measure: Callable[[IntArray | None], FloatArray]) -> None:
        """Have energies and residuals found when they are first asked for; for whoever makes a solution.

        ``measure(picks, t, q, v, a, lam)``: seven energies and three residuals (n, 10) of the stored states, of all
        (None) or of some.
        """
        for name in ("energy", "residuals"):
            del self.__dict__[name]
        self.__dict__["_measure"] = measure

    def solve_later(self, solve: Callable[..., tuple[FloatArray, FloatArray]]) -> None:
        """Have accelerations and multipliers found when they are first asked for; for whoever makes a solution.

        ``solve(t, q, v, a, lam)``: them, from the stored states with those that were interpolated.
        """
        self.__dict__["_solve"] = partial(solve, self.t, self.q, self.v, self.a, self.lam)
        for name in ("a", "lam"):
            del self.__dict__[name]

    def _measured(self, picks: IntArray | None) -> FloatArray:
        return np.asarray(self.__dict__["_measure"](picks, self.t, self.q, self.v, self.a, self.lam))

    def some_energies(self, most: int) -> tuple[FloatArray, Energy]:
        """Times and energies of all stored states where they are known, else of ``most``, with first and last."""
        if "_measure" not in self.__dict__ or len(self.t) <= most:
            return self.t, self.energy
        picks = np.unique(np.linspace(0, len(self.t) - 1, most).round().astype(np.int64))
        return self.t[picks], Energy(*self._measured(picks)[:, :7].T)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            known = self.__dict__  # where finding is interrupted, it is asked again
            if name in ("energy", "residuals") and "_measure" in known:
                found = self._measured(None)
                known["energy"], known["residuals"] = Energy(*found[:, :7].T), found[:, 7:]
                del known["_measure"]
                return known[name]
            if name in ("a", "lam") and "_solve" in known:
                known["a"], known["lam"] = known["_solve"]()
                del known["_solve"]
                return known[name]
            return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *LATER})

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: the energies and multipliers, and not how they are found."""
        _ = self.energy, self.lam
        return self.__dict__

    def velocity(self, at: Any, step: int | None = None) -> FloatArray:
        """Velocity (n_t, 3) of a place [length/time], inertial frame."""
        return self._of_point("velocity", at, step, self.v)

    def acceleration(self, at: Any, step: int | None = None) -> FloatArray:
        """Acceleration (n_t, 3) of a place [length/time^2], inertial frame."""
        return self._of_point("acceleration", at, step, self.a)

    def angular_velocity(self, at: Any, step: int | None = None) -> FloatArray:
        """Angular velocity (n_t, 3) [rad/time] in the axes of the marker, body or node.

        Its component about the tangent of a spatial cable, or the director of an `ANCFShell`, is not known: it is that
        of `rotation`, about zero, of which an `AccuracyWarning` tells.
        """
        tell_of_rotation("angular_velocity", self, at)
        return self._given(of_place(kinematics(self, at, self._rows(step)).twist[..., 3:], at), step)

    def _of_point(self, what: str, at: Any, step: int | None, values: FloatArray) -> FloatArray:
        """Velocities or accelerations of a point: those of nodes are coordinates."""
        rows = self._rows(step)
        if isinstance(at, Attachment) and "form" not in self.extra:
            layout = as_attachment(what, at).body.element.layout
            found = in_space(nodal_components(values[rows], self.system, at, layout.position))
        elif what == "velocity":
            found = kinematics(self, at, rows).twist[..., :3]
        else:
            found = kinematics(self, at, rows, accelerations=True).rate[..., :3]
        return self._given(of_place(found, at), step)

    @property
    def at_events(self) -> EventStates:
        """What the system was like at its `events`, at their located times: ``run.at_events.velocity(ball)``."""
        return states_at_events(self)

    def held(self, actuator: Any) -> tuple[FloatArray, FloatArray]:
        """Times (n,) of the samples, and the values held for an actuator, or its name, from then on.

        Before its law and limits; `force` gives what acts. Of an actuator of first-order states the stored times, and
        the outputs of the states there.
        """
        known, one = actuators_of(self.model), meant_actuator(self, actuator)
        if one is None:
            one = known[number_meant(f"model {self.model.name!r}", "actuator", actuator, [a.name for a in known])]
        number = next(i for i, a in enumerate(known) if a is one)
        samples = np.asarray(self.extra["samples"])
        if number >= samples.shape[1] - 1:
            return self.t, held_history(self)[:, number]
        return samples[:, 0], samples[:, 1 + number]

    def to_paraview(self, path: Any, body: Any = None, steps: Any = slice(None)) -> Any:
        """Write an XDMF series for ParaView, over time.

        Of the whole model with its stress resultants; or the mesh of ``body``, one of a reduced model, with
        displacement, deformation and von Mises stress. ``steps``: which stored states.
        """
        if body is not None:
            from flexmbs.visualization.reduced_bodies import write_motion

            return write_motion(self, path, body, steps)
        from flexmbs.visualization.paraview import write_series

        return write_series(self, path, steps)

    def momentum(self) -> tuple[FloatArray, FloatArray]:
        """Linear momentum and angular momentum about the origin, (n_t, 3) each, inertial frame.

        Of linear beams the angular momentum is one of small rotations.
        """
        values = [momentum(self.system, q, v) for q, v in zip(self.q, self.v, strict=True)]
        return np.array([p for p, _ in values]), np.array([L for _, L in values])

    def plot_energy(self, ax: Any = None) -> Any:
        """Draw the energies over time."""
        from flexmbs.visualization.time_views import plot_energy

        return plot_energy(self, ax)

    def plot_steps(self) -> Any:
        """Draw step sizes, iterations and estimated errors over time."""
        from flexmbs.visualization.time_views import plot_steps

        return plot_steps(self)

    def plot(
        self,
        *what: Any,
        against: Any = None,
        component: str | None = None,
        ax: Any = None,
        path: Any = None,
        title: str | None = None,
    ) -> Any:
        """Draw quantities over time, or against one another, with their units; a diagram for each unit.

        Parameters
        ----------
        *what : str, thing, or (thing, str)
            Names such as ``"hinge"``, ``"hinge.angle"``, ``"slider.velocity.x"``, ``"beam.end.displacement"``,
            ``"energy.total"``; or joints, forces, sensors, markers, bodies and places themselves, alone or with the
            name of a quantity: ``(beam.end, "velocity")``. Without a quantity: coordinates of a joint, position of a
            place, force of a force. The table below has the names.
        against : as ``what``, optional
            What is drawn across in place of time, one number per state: ``plot("hinge.angle_rate",
            against="hinge.angle")`` is a phase plot.
        component : str, optional
            ``"x"``, ``"y"``, ``"z"`` or ``"norm"`` of all vectors; left out, all that are not zero by nature.
        ax : Axes, optional
            Where to draw what has one unit.
        path : path-like, optional
            Where to write the picture (``.png``, ``.svg``, ``.pdf``).
        title : str, optional
            By default the name of the model.

        Returns
        -------
        Axes
            The first diagram; others are in ``axes.figure.axes``.

        Raises
        ------
        ModelError
            If there is no such thing, quantity or component; the message has the names that there are.

        Notes
        -----
        - A joint has its coordinates (``angle``, ``displacement``, ...), their rates (``angle_rate``, ...), ``force``,
          ``moment``, ``torque``.
        - A marker, node or rigid body has ``position``, ``displacement``, ``velocity``, ``acceleration``,
          ``angular_velocity``; in the plane ``angle``; a node also ``reaction`` and ``reaction_moment`` of supports.
        - A force or spring has ``force``, ``coordinate``, ``rate``, ``energy``; a bushing ``force``, ``moment``,
          ``displacement``, ``rotation``, ``velocity``, ``angular_velocity``.
        - An actuator has ``force`` (after law and limits; of a torque ``torque``, too), ``power``, ``coordinate``,
          ``rate``, and the ``value`` held for it; a controller the ``value`` of its outputs.
        - A sensor has its ``value``; ``"energy"`` has ``total``, ``kinetic``, ``strain``, ``springs``, ``potential``,
          ``dissipated``, ``balance`` and the works.

        Examples
        --------
        >>> import flexmbs as fx
        >>> rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
        >>> model = fx.Model(rod, fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="hinge"), fx.Gravity((0, -9.81)))
        >>> run = fx.simulate(model, 1.0, step=1e-2)
        >>> axes = run.plot("hinge.angle_rate", against="hinge.angle")
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('hinge angle [rad]', 'hinge angle rate [rad/s]')
        """
        return self.plot_histories(*what, against=against, component=component, ax=ax, path=path, title=title)

    def save(self, path: Any) -> Any:
        """Write to an HDF5 file that `flexmbs.load` reads."""
        from flexmbs.io.time_files import save

        return save(self, path)

    @property
    def name_of_t(self) -> str:
        """Time."""
        return "t"

    @property
    def over_time(self) -> bool:
        """Whether velocities are rates over time."""
        return True

    @property
    def unit_of_t(self) -> str:
        """Unit of time."""
        return str(self.model.units.time)

    def event_factors(self, step: int) -> dict[str, float]:
        """Factors of all loads, by name, as actions of events had set them before a stored state; empty if none did.

        A state that is stored at the time of an event is the one before its action.
        """
        changes, t = self.extra.get("events", {}).get("changes", ()), float(self.t[step])
        if not changes:
            return {}
        factors = dict.fromkeys(self.model.load_names, 1.0)
        for since, some in changes:
            if since is None or since < t:
                factors |= some
        return factors

    def set_loads(self, dynamics: Dynamics, step: int) -> None:
        """Set the loads and prescribed motions at a stored time, and the turns there."""
        factors = self.event_factors(step)
        if factors:
            dynamics.prescribed.change_loads(factors, "states of a run")
        dynamics.set_time(float(self.t[step]))
        self.set_turns(dynamics, step)
