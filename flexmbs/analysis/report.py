"""What a model amounts to: masses, coordinates, constraints, and how many ways it can move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.assembly import assemble, dependent_constraints
from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics import Dynamics
from flexmbs.linearisation import state_places
from flexmbs.model import Model
from flexmbs.system import System, compile_model

__all__ = ["ModelReport", "inspect"]


@dataclass(frozen=True, eq=False, repr=False)
class ModelReport:
    """Counts and masses of a compiled model in its initial configuration; ``print`` shows it.

    Attributes
    ----------
    mass : float
        Of all bodies [mass].
    centre : (3,) array
        Centre of mass [length], inertial frame.
    bodies : tuple of (str, float)
        Names and masses.
    n_coordinates : int
        Velocities that are not held by supports, first-order states left out.
    n_states : int
        First-order states.
    constraints : tuple of str
        In words; ``dropped``: those that cannot be violated in the plane; ``redundant``: those that follow from others.
    degrees_of_freedom : int
        ``n_coordinates`` minus the constraints that are independent of each other.
    moved : float
        How far coordinates moved to meet the joints, [length] or [rad].

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.inspect(fx.Model(fx.PointMass(2.0, position=(0.0, 1.0), name="ball"))).degrees_of_freedom
    2
    """

    system: System
    mass: float
    centre: FloatArray
    bodies: tuple[tuple[str, float], ...]
    n_coordinates: int
    n_states: int
    constraints: tuple[str, ...]
    dropped: tuple[str, ...]
    redundant: tuple[str, ...]
    degrees_of_freedom: int
    moved: float

    def __str__(self) -> str:
        u = self.system.model.units
        x, y, z = self.centre
        lines = [
            f"model {self.system.model.name!r}: {self.degrees_of_freedom} degrees of freedom",
            f"  {self.n_coordinates} coordinates, {len(self.constraints)} constraints"
            + (f" ({len(self.redundant)} redundant)" if self.redundant else ""),
            f"  mass {self.mass:.6g} {u.mass}, centre of mass ({x:.6g}, {y:.6g}, {z:.6g}) {u.length}",
        ]
        lines += [f"    {name}: {mass:.6g} {u.mass}" for name, mass in self.bodies]
        if self.n_states:
            lines.append(f"  {self.n_states} first-order states")
        lines += [f"  redundant: {name}" for name in self.redundant]
        lines += [f"  always met in the plane: {name}" for name in self.dropped]
        if self.moved > 1e-9:
            lines.append(f"  assembling the joints moves a coordinate by {self.moved:.3g}")
        return "\n".join(lines)

    __repr__ = __str__


def inspect(model: Model | System) -> ModelReport:
    """Masses, coordinates, constraints, redundant ones by name, and degrees of freedom of a model.

    Parameters
    ----------
    model : Model or System

    Raises
    ------
    ModelError
        If the joints cannot be assembled.

    Notes
    -----
    The degrees of freedom are those of small motions from the initial configuration; in a singular position (a
    parallelogram stretched out) there are more than elsewhere. Velocity constraints (rolling) count as constraints.

    Examples
    --------
    >>> import flexmbs as fx
    >>> bar = fx.RigidBody.box((1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    >>> model = fx.Model(bar, fx.Revolute(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    >>> print(fx.inspect(model))
    model 'model': 1 degrees of freedom
      6 coordinates, 5 constraints
      mass 2 kg, centre of mass (0.5, 0, 0) m
        bar: 2 kg
    """
    if not isinstance(model, Model | System):
        raise ModelError(f"inspect: expected a Model, not {show(model)}.")
    system = model if isinstance(model, System) else compile_model(model)
    dyn = Dynamics(system)
    dyn.reset_angles(0.0)
    found = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy())
    redundant = dependent_constraints(dyn, found.q, found.v)
    m = system.mechanics
    names = () if m is None else m.names
    dropped = () if m is None else tuple(e.label for e in m.dropped)
    n_states = len(state_places(dyn))
    n = int((system.free < dyn.n_v).sum()) - n_states
    bodies = tuple((b.name, float(b.mass)) for b in system.model.bodies)
    mass, centre = _centre(dyn, found.q)
    return ModelReport(
        system, mass, centre, bodies, n, n_states, tuple(names), dropped, redundant,
        n - len(names) + len(redundant), found.moved,
    )  # fmt: skip


def _centre(dyn: Dynamics, q: FloatArray) -> tuple[float, FloatArray]:
    """Mass and centre of mass (3,) of all bodies at the coordinates q."""
    c = dyn.coordinates
    total, moment = 0.0, np.zeros(3)
    for body in c.rigid:
        iq, _ = c.place(body)
        dim = len(body.position)
        moment[:dim] += body.mass * q[iq : iq + dim]
        total += body.mass
    for body, dofs in zip(c.bodies, c.node_dofs, strict=True):
        part, where = _flexible(dyn, body, dofs, q)
        moment[: len(where)] += part * where
        total += part
    return float(total), moment / total if total else moment


def _flexible(dyn: Dynamics, body: Any, dofs: Any, q: FloatArray) -> tuple[float, FloatArray]:
    """Mass and centre of a flexible body: the mean of its elements' points, weighted with their masses."""
    group = dyn.system.group(body)
    points, weights = np.polynomial.legendre.leggauss(5)
    positions = body.element.positions(group, q, points)
    centres = np.einsum("s,esd->ed", 0.5 * weights, positions)
    lengths = np.asarray(body.element.lengths(group))
    return float(body.mass), np.asarray(lengths @ centres / lengths.sum())
