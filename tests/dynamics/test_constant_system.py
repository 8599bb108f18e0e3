"""A compiled system is constant: what one analysis leaves behind is not seen by the next."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import State
from flexmbs.dynamics.evaluation import Dynamics
from tests.models.flexible_trees import arm as flexible_arm
from tests.models.floating import RUBBER, bar
from tests.models.floating import chain as floating_chain
from tests.models.protected import compiled_for_protected


def cantilever(follower: bool = False, viscosity: float = 0.0) -> fx.Model:
    """Clamped, with a load at its end."""
    section = fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0, retardation_time=viscosity)
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), stiffness=section, name="beam"
    )
    return fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, 1.0), follower=follower))


def pendulum() -> fx.Model:
    """A bar that turns over, with a torsion spring that counts turns."""
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), angular_velocity=12.0, velocity=(0.0, 6.0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    return fx.Model(bar, hinge, fx.TorsionSpring(hinge, stiffness=0.3), fx.Gravity((0, -9.81)))


def oscillator() -> fx.Model:
    """A mass on a guide, with a spring."""
    mass = fx.PointMass(1.0, position=(0.0, 0.0), velocity=(0.3, 0.0), name="mass")
    guide = fx.CoordinateJoint(mass, "y", name="guide")
    spring = fx.SpringDamper(fx.ground.marker((-1.0, 0, 0)), mass, stiffness=30.0, name="spring")
    return fx.Model(mass, guide, spring)


def top() -> fx.Model:
    """A rigid body that turns about a point, in space."""
    body = fx.RigidBody(2.0, (0.1, 0.1, 0.15), position=(0, 0, 0.5), angular_velocity=(0, 0, 30.0), name="top")
    tip = fx.SphericalJoint(fx.ground, body, at=(0, 0, 0), name="tip")
    return fx.Model(body, tip, fx.Gravity((0, 0, -9.81)))


def arm() -> fx.Model:
    """A tree of two rods, whose mass changes."""
    upper = trees.Link("upper", 1.0, (0.1, 0.1, 0.001), (0, 0, -0.5), joint=trees.Revolute((0, 1, 0)))
    lower = trees.Link("lower", 1.0, (0.1, 0.1, 0.001), (0, 0, -0.5), "upper", trees.Revolute((0, 1, 0)), at=(0, 0, -1))
    tree = trees.Tree(upper, lower, name="arm")
    return fx.Model(tree, fx.PointForce(tree.link("lower").marker((0, 0, -1)), (1.0, 0, 0)), fx.Gravity((0, 0, -9.81)))


def substructure() -> fx.Model:
    """A reduced bar between two rigid bodies, the first on a hinge."""
    hub = fx.RigidBody(1.0, (0.1, 0.1, 0.1), name="hub")
    tip = fx.RigidBody(0.5, (0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0), name="tip")
    part = fx.Substructure(bar(RUBBER, 2), hub, tip, ("left", "right"), geometric_stiffening=False, name="part")
    hinge = fx.RevoluteJoint(fx.ground, hub, at=(0, 0, 0), axis=(0, 1, 0))
    return fx.Model(hub, tip, part, hinge, fx.Gravity((0, 0, -9.81)))


def turned() -> fx.Model:
    """A beam on a support along no axis, which needs a nodal frame, with a joint at its end."""
    section = fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0)
    beam = fx.FlexibleBody.line((0, 0), (0.8, 0.6), elements=3, element=fx.elements.ANCFCable2D(), stiffness=section)
    return fx.Model(beam, fx.Clamp(beam.start), fx.RevoluteJoint(fx.ground, beam.end), fx.Gravity((0, -9.81)))


ANALYSES: dict[str, Callable[[fx.System], Any]] = {
    "static": lambda s: fx.solve_static(s, fx.StaticOptions(progress=False)).q,
    "modal": lambda s: fx.solve_modal(s).eigenvalues,
    "simulate": lambda s: fx.simulate(s, until=0.4, step=4e-3, progress=False).q,
    "explicit": lambda s: fx.simulate(
        s, until=0.004, step=1e-5, integrator=fx.RungeKutta(order=4), progress=False
    ).q,
}  # fmt: skip
MODELS = {
    "elastic": cantilever,
    "follower": lambda: cantilever(follower=True),
    "damped": lambda: cantilever(viscosity=1e-3),
    "pendulum": pendulum,
    "oscillator": oscillator,
}
SCRATCHING = {
    "arm": arm,
    "flexible links": flexible_arm,
    "floating": floating_chain,
    "substructure": substructure,
}
MORE = {"turned": turned, "top": top} | SCRATCHING


def outcome(analysis: Callable[[fx.System], Any], system: fx.System) -> Any:
    """The numbers, or the refusal in words."""
    try:
        return np.asarray(analysis(system))
    except fx.FlexmbsError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::flexmbs.core.errors.AccuracyWarning")
@pytest.mark.parametrize("model", MODELS)
def test_analyses_of_one_system_in_any_order(model: str) -> None:
    """Each, after each other one, gives the bits that it gives on a system of its own."""
    alone = {name: outcome(run, fx.compile_model(MODELS[model]())) for name, run in ANALYSES.items()}
    for before in ANALYSES:
        system = fx.compile_model(MODELS[model]())
        outcome(ANALYSES[before], system)
        for name, run in ANALYSES.items():
            found = outcome(run, system)
            if isinstance(alone[name], str):
                assert found == alone[name]
            else:
                assert np.array_equal(found, alone[name]), (before, name)


def arrays_of(thing: Any, path: str, found: dict[str, bytes], seen: set[int]) -> dict[str, bytes]:
    """The bytes of all arrays that an object of the package holds, by where they are."""
    if id(thing) in seen:
        return found
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        found[path] = repr(thing.tolist()).encode() if thing.dtype == object else thing.tobytes()
    elif isinstance(thing, dict):
        for key, value in thing.items():
            arrays_of(value, f"{path}[{key!r}]", found, seen)
    elif isinstance(thing, list | tuple):
        for i, value in enumerate(thing):
            arrays_of(value, f"{path}[{i}]", found, seen)
    elif type(thing).__module__.startswith(("flexmbs", "scipy.sparse")):
        names = list(getattr(thing, "__dict__", {})) + [
            name for cls in type(thing).__mro__ for name in getattr(cls, "__slots__", ()) if hasattr(thing, name)
        ]
        for name in names:
            arrays_of(getattr(thing, name), f"{path}.{name}", found, seen)
    return found


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::flexmbs.core.errors.AccuracyWarning")
@pytest.mark.parametrize("model", [*MODELS, *MORE])
def test_no_analysis_writes_to_a_system(model: str) -> None:
    """Neither to an array of the compiled system nor to one of the description behind it; caches may be added."""
    system = fx.compile_model((MODELS | MORE)[model]())
    before = arrays_of(system, "system", {}, set())
    assert len(before) > 20
    for name, run in ANALYSES.items():
        outcome(run, system)
        after = arrays_of(system, "system", {}, set())
        assert [path for path, content in before.items() if after.get(path) != content] == [], name


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::flexmbs.core.errors.AccuracyWarning")
@pytest.mark.parametrize("model", ["arm", "floating"])
def test_scratch_is_written_before_it_is_read(model: str) -> None:
    """With NaN in the work arrays of bodies and markers, which each run copies, the bits are the same.

    Those of flexible links and substructures hold constants, too: quaternions of frames at rest, and zeros.
    """
    for analysis, run in ANALYSES.items():
        alone = outcome(run, fx.compile_model(SCRATCHING[model]()))
        system = fx.compile_model(SCRATCHING[model]())
        scratch = [array for group in system.mechanics.groups for array in group.scratch]
        scratch += [getattr(g, name) for k, g in system.mechanics.markers.groups for name in k.scratch]
        assert scratch
        for array in scratch:
            array[:] = np.nan
        found = outcome(run, system)
        assert found == alone if isinstance(alone, str) else np.array_equal(found, alone), analysis


@pytest.mark.parametrize("model", SCRATCHING)
def test_a_table_that_calls_share_stays_one(model: str) -> None:
    """In a run of its own, too: compiled steps write every table, and take minutes to compile with copies of each."""
    for group in fx.compile_model(SCRATCHING[model]()).mechanics.groups:
        own = group.for_run()
        renewed = (list(g.moving.renew or ()) if g.moving is not None else [] for g in (group, own))
        before, after = (
            [part for call in (*calls, *more) for part in tables_of(call)]
            for calls, more in zip((group.stages, own.stages), renewed, strict=True)
        )
        assert len(before) == len(after)
        assert len({id(x) for x in before}) == len({id(x) for x in after})


def tables_of(call: Any) -> list[Any]:
    """Named tuples of arrays among the parts of a call, however deep."""
    if isinstance(call, np.ndarray) or not isinstance(call, tuple):
        return []
    own = [call] if hasattr(call, "_fields") and any(isinstance(x, np.ndarray) for x in call) else []
    return own + [table for part in call for table in tables_of(part)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::flexmbs.core.errors.AccuracyWarning")
@pytest.mark.parametrize("model", SCRATCHING)
def test_two_runs_of_one_system_in_turns(model: str) -> None:
    """Each evaluates in arrays of its own: one between the evaluations of another changes nothing."""
    system = fx.compile_model(SCRATCHING[model]())
    q, v = system.coordinates.reference, system.coordinates.velocity
    lam = np.zeros(system.mechanics.n_c)
    first, other = Dynamics(system), Dynamics(system)
    rate = np.full_like(v, 0.3)

    def forces(dyn: Dynamics, between: Callable[[], Any]) -> bytes:
        dyn.place(State(q, v, v, lam), tangents=True)
        between()
        dyn.markers.W[:] = 1.0
        dyn.pull(State(q, v, v, lam), (1.0, 0.0))
        return dyn.B.tobytes()

    other.residual(q, rate, v, lam)
    alone = forces(first, lambda: None)
    assert forces(first, lambda: other.place(State(q + 0.1, rate, v, lam), tangents=True)) == alone


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::flexmbs.core.errors.AccuracyWarning")
@pytest.mark.parametrize("model", SCRATCHING)
def test_threads_share_a_system(model: str) -> None:
    """Four runs at a time in the loop in Python, between whose kernels threads change, give the bits of one alone."""
    scheme = fx.GeneralizedAlpha(compiled=False)
    system = fx.compile_model(SCRATCHING[model]())

    def run() -> bytes:
        done = fx.simulate(system, until=0.04, step=2e-3, integrator=scheme, progress=False)
        return b"".join((done.q.tobytes(), done.energy.strain.tobytes(), *(x.tobytes() for x in done.momentum())))

    alone = run()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = [pool.submit(run) for _ in range(4)]
            assert [one.result() == alone for one in found] == [True] * 4
    finally:
        sys.setswitchinterval(interval)


SHARED = {
    "mass of bodies": lambda s: s.mass_blocks,
    "rows of entries": lambda s: s.entry_rows,
    "columns of entries": lambda s: s.entry_columns,
    "numbers of unknowns": lambda s: s.unknown,
    "columns of the pattern": lambda s: s.pattern.indptr,
    "rows of the pattern": lambda s: s.pattern.indices,
    "nodes": lambda s: s.coordinates.node_of,
}


@pytest.mark.parametrize("array", SHARED)
def test_what_no_kernel_takes_cannot_be_written(array: str) -> None:
    """Adding a million times the mass to the blocks of the system, which once happened, is an error."""
    shared = SHARED[array](fx.compile_model(turned()))
    with pytest.raises(ValueError, match="read-only"):
        shared[:] *= 2


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::flexmbs.core.errors.AccuracyWarning")
@pytest.mark.parametrize("model", [*MODELS, *MORE])
def test_no_kernel_is_compiled_for_protected_arrays(model: str) -> None:
    """A kernel that took one would be compiled twice: numba's types of read-only arrays are others."""
    for run in ANALYSES.values():
        outcome(run, fx.compile_model((MODELS | MORE)[model]()))
    assert compiled_for_protected() == []
