"""What a model amounts to: masses, coordinates, constraints, and how many ways it can move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.dynamics.consistent_state import assemble, dependent_constraints
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import state_places
from flexmbs.model.forces.elastic_support import ElasticSupport
from flexmbs.model.joints.contracts import Joint
from flexmbs.model.membership import bodies_of
from flexmbs.model.model import Model, kind_in_words
from flexmbs.system.system import System, compile_model

__all__ = ["ModelReport", "model_report"]


class JointEntry(NamedTuple):
    """A line of the table of joints: ``point`` (3,) of its first marker at the start, ``equations`` that remain."""

    name: str
    kind: str
    bodies: tuple[str, ...]
    point: FloatArray
    equations: int


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
    joints : tuple of (name, kind, bodies, point, equations)
        ``point`` (3,) of the first side at the start [length]; ``equations``: how many remain of the joint.
    loose : tuple of str
        Names of bodies without joint and support; forces may act on them.
    hints : tuple of str
        What is unusual: joints that are far from all their bodies.
    degrees_of_freedom : int
        ``n_coordinates`` minus the constraints that are independent of each other.
    moved : float
        How far coordinates moved to meet the joints, [length] or [rad].

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.model_report(fx.Model(fx.PointMass(2.0, position=(0.0, 1.0), name="ball"))).degrees_of_freedom
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
    joints: tuple[JointEntry, ...]
    loose: tuple[str, ...]
    hints: tuple[str, ...]
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
        for name, kind, among, (x, y, z), equations in self.joints:
            where = f"at ({x:.6g}, {y:.6g}, {z:.6g})"
            lines.append(f"  {kind} {name!r} of {' and '.join(among)} {where}: {equations} equations")
        if self.dropped:
            lines.append(f"  left out, since always met in the plane: {len(self.dropped)} equations")
        if self.loose:
            lines.append(f"  without joint and support: {', '.join(self.loose)}")
        if self.moved > 1e-9:
            lines.append(f"  assembling the joints moves a coordinate by {self.moved:.3g}")
        lines += [f"  hint: {hint}" for hint in self.hints]
        return "\n".join(lines)

    __repr__ = __str__


def model_report(model: Model | System) -> ModelReport:
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
    >>> bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    >>> model = fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    >>> print(fx.model_report(model))
    model 'model': 1 degrees of freedom
      6 coordinates, 5 constraints
      mass 2 kg, centre of mass (0.5, 0, 0) m
        bar: 2 kg
      revolute joint 'hinge' of ground and bar at (0, 0, 0): 5 equations
    """
    if not isinstance(model, Model | System):
        raise ModelError(f"inspect: expected a Model, not {show(model)}.")
    system = model if isinstance(model, System) else compile_model(model)
    dyn = Dynamics(system)
    dyn.start_turns(0.0)
    found = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy())
    redundant = dependent_constraints(dyn, found.q, found.v)
    m = system.mechanics
    names = m.names
    dropped = tuple(e.label for e in m.dropped)
    n_states = len(state_places(dyn))
    n = int((system.free < dyn.n_v).sum()) - n_states
    bodies = tuple((b.name, float(b.mass)) for b in (*system.model.bodies, *system.model.trees))
    mass, centre = _centre(dyn, found.q)
    entries = tuple(_entry(system, joint) for joint in system.model.joints)
    hints = tuple(hint for joint in system.model.joints for hint in _far(joint, system.model))
    return ModelReport(
        system, mass, centre, bodies, n, n_states, tuple(names), dropped, redundant,
        entries, _loose(system.model), hints, n - len(names) + len(redundant), found.moved,
    )  # fmt: skip


def _entry(system: System, joint: Joint) -> JointEntry:
    """The line of a joint."""
    m = system.mechanics
    sides = [side for pair in joint.pairs for side in (pair.a, pair.b)]
    among = tuple(dict.fromkeys(side.body.name for side in sides))
    remain = len(m.equations_of(joint))
    return JointEntry(joint.name, kind_in_words(joint), among, sides[0].position0() + 0.0, remain)


def _loose(model: Model) -> tuple[str, ...]:
    """Bodies without joint and support."""
    holding = (*model.joints, *model.supports, *model.hinges)
    elastic = [load for load in model.loads if isinstance(load, ElasticSupport)]
    held = IdentityMap((body, None) for item in (*holding, *elastic) for body in bodies_of(item))
    held.update((body, None) for body in model.bodies if body.held_to_ground)
    return tuple(body.name for body in model.bodies if body not in held)


def _far(joint: Joint, model: Model) -> list[str]:
    """A hint where the point of a joint is away from all its rigid bodies by more than their size.

    The size is the length of the rod with the same radius of gyration. Flexible bodies are joined at their nodes.
    """
    sides = IdentityMap((side.body, side) for pair in joint.pairs for side in (pair.a, pair.b))
    found = []
    for side in sides.values():
        body: Any = side.body
        if body.is_ground:
            continue
        size = body.gyration_length
        if size is None:
            return []
        away = float(np.linalg.norm(side.position0() - body.place[0]))
        if away <= size:
            return []
        found.append(f"{away:.3g} {model.units.length} from the centre of {body.name!r} (size {size:.3g})")
    return [f"joint {joint.name!r} is {' and '.join(found)}; is its point right?"] if found else []


def _centre(dyn: Dynamics, q: FloatArray) -> tuple[float, FloatArray]:
    """Mass and centre of mass (3,) of all bodies at the coordinates q."""
    parts = [group.mass_moment(q) for group in dyn.mechanics.groups]
    total = sum(mass for mass, _ in parts)
    moment = np.sum([moment for _, moment in parts], axis=0)
    return float(total), moment / total if total else moment
