"""A compiled system is constant: what one analysis leaves behind is not seen by the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx


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


def outcome(analysis: Callable[[fx.System], Any], system: fx.System) -> Any:
    """The numbers, or the refusal in words."""
    try:
        return np.asarray(analysis(system))
    except fx.FlexmbsError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
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


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("model", MODELS)
def test_no_analysis_writes_to_a_system(model: str) -> None:
    """Neither to an array of the compiled system nor to one of the description behind it; caches may be added."""
    system = fx.compile_model(MODELS[model]())
    before = arrays_of(system, "system", {}, set())
    assert len(before) > 20
    for name, run in ANALYSES.items():
        outcome(run, system)
        after = arrays_of(system, "system", {}, set())
        assert [path for path, content in before.items() if after.get(path) != content] == [], name
