"""Which systems keep their energy: what an energy-momentum scheme treats exactly, and what it has to refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.kernels.laws import CURVES, LINEAR
from flexmbs.kernels.mean_markers import MEAN_KINDS
from flexmbs.kernels.rows.row_gradients import EXACT
from flexmbs.model.forces.items import DEAD
from flexmbs.system.contact_pairs import contacts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["element_kernels", "refuse_what_is_not_conservative"]

DEGREE = 14
"""Highest power of a polynomial law of springs whose mean force is exact."""


def element_kernels(dyn: Dynamics) -> list[tuple[Any, Any]]:
    """(kernel of the forces between two states, group) for each group of elements; None where there is no kernel."""
    system = dyn.system
    kernels = {b.element.force: getattr(b.element, "force_between", None) for b in dyn.coordinates.bodies}
    return [(kernels[t.force], t.group) for t in system.terms[: system.n_element_terms]]


def refuse_what_is_not_conservative(owner: str, dyn: Dynamics) -> None:
    """Raise a `ModelError` that names the first item for which energy or momentum would not be exact."""
    for found in (_bodies(dyn), _loads(dyn), _control(dyn), _joints(dyn), _forces(dyn), _markers(dyn)):
        for item, reason in found:
            raise ModelError(
                f"{owner}: model {dyn.system.model.name!r}: {item} {reason}. Take GeneralizedAlpha() for this model."
            )


def _bodies(dyn: Dynamics) -> Iterator[tuple[str, str]]:
    """Elements without forces between two states, and damping."""
    model = dyn.system.model
    for body in dyn.coordinates.bodies:
        if getattr(body.element, "force_between", None) is None:
            yield (
                f"body {body.name!r} of {body.element.name} elements",
                "cannot be treated: it has no forces between two states; only absolute-nodal cables have them",
            )
    for group in dyn.coordinates.groups:
        for part in group.bodies if group.moving is not None else ():
            yield str(part), "has a mass that changes, which is not treated exactly"
    for damping in model.damping:
        yield f"the damping of body {damping.body.name!r}", "takes energy out"
    for body in dyn.coordinates.bodies:
        if body.element.viscous and np.any(dyn.system.group(body).tau):
            yield f"body {body.name!r}", "has material damping, so its energy is not kept"


def _loads(dyn: Dynamics) -> Iterator[tuple[str, str]]:
    """Loads that vary, that follow, and that turn bodies; elastic supports."""
    system = dyn.system
    names = system.model.load_names
    for name, load in zip(names, system.model.loads, strict=True):
        if load.history is not None:
            yield f"load {name!r}", "varies with time, so the energy is not constant"
        if getattr(load, "wrenches", ()):
            yield f"load {name!r}", "acts at a marker and has no potential that is known here"
    turning = set(dyn.angles_of_bodies.tolist())
    for b in range(dyn.coordinates.n_rotating):
        turning |= {dyn.n_linear + 6 * b + k for k in (3, 4, 5)}
    for term in system.terms[system.n_element_terms :]:
        if term.force is not DEAD.force:
            what = "elastic support" if term.support else term.name
            yield f"the {what} on {dyn.coordinates.describe(int(term.group.dofs[0, 0]))}", "is not treated exactly"
            continue
        for (k,), number in zip(term.group.dofs, term.group.load, strict=True):
            if int(k) in turning:
                yield f"load {names[int(number)]!r}", "is a moment, which has no potential"


def _control(dyn: Dynamics) -> Iterator[tuple[str, str]]:
    """Whatever feeds energy in."""
    model = dyn.system.model
    for item in model.controllers:
        yield f"controller {item.name!r}", "feeds energy in and takes it out"
    for item in model.states:
        yield f"{type(item).__name__} {item.name!r}", "is a system of first order, which has no energy"


def _joints(dyn: Dynamics) -> Iterator[tuple[str, str]]:
    """Motions, velocity constraints, and rows whose exact change is not known."""
    m = dyn.mechanics
    for active in m.equations:
        name = f"joint {active.joint.name!r}"
        if active.equation.motion is not None:
            yield name, "prescribes a motion, which does work"
        if active.equation.level == 1:
            yield name, "constrains velocities (rolling), not positions"
    for j in np.flatnonzero(~np.isin(m.joints.kind, EXACT)):
        yield f"joint {m.equations[int(m.joints.eq[j]) - dyn.n_v].joint.name!r}", "has rows that are not treated"


def _forces(dyn: Dynamics) -> Iterator[tuple[str, str]]:
    """Forces between markers without a potential, or with one that is not integrated exactly."""
    m = dyn.mechanics
    for item in dyn.system.model.forces:
        name = f"force {getattr(item, 'name', item)!r}"
        if hasattr(item, "differentiate") or item.wrenches:
            yield name, "is a user force or a wrench, whose potential is not known"
    for owner in contacts_of(dyn.system.model):
        yield f"contact {owner.name!r}", "opens and closes, and has no exact change between two states"
    g = m.forces
    for n, owner in enumerate(m.force_owners):
        name, o = f"force {owner.name!r}", int(g.where[n])
        rows = slice(int(g.ptr[n]), int(g.ptr[n + 1]))
        if g.law[n] == LINEAR and g.data[o + 2] != 0.0:
            yield name, "has damping, which takes energy out"
        elif g.law[n] == CURVES:
            length = int(g.data[o + 2])
            first, second = g.data[o + 3 : o + 3 + length], g.data[o + 3 + length :]
            if first[0] > DEGREE:
                yield name, f"is of higher power than {DEGREE}, so its mean force is not exact"
            if second[0] < 0 or np.any(second[1 : 1 + int(second[0])]):
                yield name, "has damping, which takes energy out"
        elif g.law[n] != LINEAR:
            yield name, "is not a spring of stiffness and preload alone (friction, stop, bushing or a user's law)"
        if not np.isin(g.kind[rows], EXACT).all():
            yield name, "acts along a coordinate that is not treated"


def _markers(dyn: Dynamics) -> Iterator[tuple[str, str]]:
    """Kinds of markers without exact increments."""
    m = dyn.mechanics
    angles = set(dyn.angles_of_bodies.tolist())
    for kind, group in m.markers.groups:
        for i, dofs in zip(group.mk, group.dofs, strict=True):
            alone = kind.name == "point" and any(int(k) in angles or k >= dyn.n_linear for k in dofs)
            if kind.name not in MEAN_KINDS or alone:
                what = f"{m.markers.markers[int(i)]} ({kind.name})"
                yield what, "turns or slides in a way that is not treated exactly"
