"""Contacts whose pairs are searched: the same motion as with pairs that are declared, by every road."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics import candidates
from flexmbs.dynamics.evaluation import Dynamics

pytestmark = pytest.mark.filterwarnings("ignore:Contact.*lasted")
C = fx.contact
RADIUS = 0.05
LAW = C.HuntCrossleyLaw(stiffness=1e6, restitution=0.5, at_speed=1.0)
RUBS = C.CoulombLaw(0.4, speed=0.05)
G = fx.Gravity((0, 0, -9.81))
FINE = fx.GeneralizedAlpha(rho_inf=0.5, newton=fx.NewtonOptions(rtol=1e-10, max_iterations=30))


def plane(at: Any, axis: Any) -> Any:
    return C.Plane(fx.ground.marker(at, axis=axis))


def box(x: float, y: float) -> list[Any]:
    return [
        plane((0, 0, 0), (0, 0, 1)), plane((0, 0, 0), (1, 0, 0)), plane((x, 0, 0), (-1, 0, 0)),
        plane((0, 0, 0), (0, 1, 0)), plane((0, y, 0), (0, -1, 0)),
    ]  # fmt: skip


def balls(shape: tuple[int, int, int], seed: int = 3, spread: float = 1.0, order: Any = None) -> list[Any]:
    """Spheres on a grid, a little off their places."""
    rng = np.random.default_rng(seed)
    made = []
    for n, place in enumerate(np.ndindex(shape)):
        radius = RADIUS * spread ** -rng.random()
        x = 2.1 * RADIUS * (np.array(place) + 0.55) + 0.05 * RADIUS * rng.random(3)
        made.append(
            fx.RigidBody.sphere(
                radius=radius, mass=0.5 * (radius / RADIUS) ** 3, position=tuple(x),
                velocity=tuple(0.3 * rng.standard_normal(3)), name=f"ball {n}",
            )
        )  # fmt: skip
    return made if order is None else [made[i] for i in order]


def radius_of(body: Any) -> float:
    return float(RADIUS * (body.mass / 0.5) ** (1 / 3))


def heap(search: bool | None, friction: Any = RUBS, shape: Any = (2, 2, 3), **options: Any) -> tuple[Any, Any, Any]:
    bodies = balls(shape, **options)
    width = 2.1 * RADIUS * shape[0] + 0.3 * RADIUS
    shapes = [*box(width, width), *(C.Sphere(body, radius=radius_of(body)) for body in bodies)]
    touch = fx.Contact(shapes, LAW, friction, search=search, name="touch")
    return fx.Model(*bodies, touch, G), bodies, touch


def ends(run: Any, bodies: list[Any]) -> Any:
    by_name = sorted(bodies, key=lambda body: str(body.name))
    return np.array([run.position(body)[-1] for body in by_name])


SCHEMES = {
    "GeneralizedAlpha": (FINE, 1e-3),
    "AugmentedLagrangian": (fx.AugmentedLagrangian(newton=fx.NewtonOptions(rtol=1e-10, max_iterations=30)), 1e-3),
    "RungeKutta": (fx.RungeKutta(order=4), 5e-4),
    "BDF": (fx.BDF(), fx.ErrorControl(1e-6)),
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_motion_is_that_of_declared_pairs(scheme: str) -> None:
    integrator, step = SCHEMES[scheme]
    found = []
    for search in (False, True):
        model, bodies, touch = heap(search, spread=1.5)
        assert touch.searched is search
        run = fx.simulate(model, until=0.1, step=step, integrator=integrator)
        found.append((ends(run, bodies), run.energy.balance, run.contact(touch)))
    (x, balance, declared), (y, other, searched) = found
    assert np.abs(x - y).max() < (1e-5 if scheme == "BDF" else 1e-9)  # steps by errors, and Newton's method as well
    if len(balance) == len(other):
        assert np.abs(balance - other).max() < (1e-4 if scheme == "BDF" else 1e-8)
    assert 0 < len(searched.pairs) < len(declared.pairs)
    assert searched.normal.sum(axis=1)[-1] == pytest.approx(
        declared.normal.sum(axis=1)[-1], rel=1e-2 if scheme == "BDF" else 1e-4, abs=1e-6
    )


def test_another_numbering_gives_the_same() -> None:
    """Without friction, whose force acts on the surface of the second shape of a pair."""
    order = np.random.default_rng(5).permutation(12)
    found = []
    for some in (None, order):
        model, bodies, _ = heap(True, friction=None, order=some)
        found.append(ends(fx.simulate(model, until=0.1, step=1e-3, integrator=FINE), bodies))
    assert np.abs(found[0] - found[1]).max() < 1e-10


def test_how_often_was_searched_changes_nothing(monkeypatch: Any) -> None:
    """Forces do not depend on the candidates, to the last bit."""
    found = []
    for slack in (0.02, 0.1, 0.5):
        monkeypatch.setattr(candidates, "SLACK", slack)
        model, _, _ = heap(True)
        found.append(fx.simulate(model, until=0.1, step=1e-3).q[-1].copy())
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("step", [1e-3, fx.ErrorControl(1e-4)])
def test_interrupted_and_gone_on_with_from_a_file_to_the_bit(step: Any, interrupt_at: Any, tmp_path: Any) -> None:
    model, _, _ = heap(True)
    whole = fx.simulate(model, until=0.12, step=step)
    first = fx.simulate(model, until=0.12, step=step, events=[interrupt_at(len(whole.steps) // 2)])
    assert first.status is fx.Status.INTERRUPTED
    loaded = fx.load(first.save(tmp_path / "heap.h5"), model=model)
    rest = fx.simulate(model, until=0.12, step=step, start=loaded)
    n = len(rest.steps)
    assert len(first.steps) + n == len(whole.steps)
    assert np.array_equal(rest.q[1:], whole.q[-n:])
    assert np.array_equal(rest.v[1:], whole.v[-n:])


def test_a_stiff_heap_is_factorised_whole(monkeypatch: Any) -> None:
    """Where products with what couples bodies do not lead to the end, the matrix is factorised: the same motion."""
    found = []
    for room in (candidates.ROOM, 1):
        monkeypatch.setattr(candidates, "ROOM", room)
        model, bodies, _ = heap(True)
        found.append(ends(fx.simulate(model, until=0.08, step=1e-3, integrator=FINE), bodies))
    assert np.abs(found[0] - found[1]).max() < 1e-9


def test_the_tangent_is_that_of_declared_pairs() -> None:
    """P and what couples bodies together are the matrix of the declared contact."""
    solved = []
    for search in (False, True):
        model, _, _ = heap(search)
        dyn = Dynamics(fx.compile_model(model))
        run = fx.simulate(model, until=0.06, step=1e-3)
        last = run.last
        dyn.set_time(last.t)
        dyn.tangent(last.q, last.v, last.a, last.lam, (1e-7, 1e-3))
        dyn.factorise(1.0)
        right = np.random.default_rng(0).standard_normal(dyn.n_v)
        dyn.r[: dyn.n_v] = right
        solved.append(dyn.solve(1.0, 1.0, 1.0).copy())
        if search:
            assert dyn.candidates is not None
            assert dyn.candidates.products > 3
    assert np.abs(solved[0] - solved[1]).max() < 2e-5 * np.abs(solved[0]).max()


@pytest.mark.filterwarnings("ignore:Contact.*go through each other")
def test_other_shapes_are_searched_by_the_balls_around_them() -> None:
    """Balls, a rod and a brick in a drum, on a plane that moves."""
    found = []
    for search in (False, True):
        bodies = balls((3, 3, 2), seed=9)
        rod = fx.RigidBody.box(size=(0.04, 0.04, 0.3), mass=0.5, position=(0.1, 0.15, 0.32), name="rod")
        brick = fx.RigidBody.box(size=(0.1, 0.06, 0.08), mass=0.5, position=(0.22, 0.16, 0.3), name="brick")
        lid = fx.RigidBody.box(size=(0.5, 0.5, 0.05), mass=3.0, position=(0.16, 0.16, -0.03), name="floor")
        lift = fx.PrismaticJoint(fx.ground, lid, at=(0, 0, 0), axis=(0, 0, 1), name="lift")
        spring = fx.SpringDamper(fx.ground.marker((0.16, 0.16, -1.0)), lid.centre, stiffness=3e4, damping=50.0)
        parts = [
            C.Plane(lid.marker((0, 0, 0.025), axis=(0, 0, 1))), C.Capsule(rod.centre, radius=0.02, length=0.2),
            C.Box(brick.centre, size=(0.1, 0.06, 0.08)), *C.Box(brick.centre, size=(0.1, 0.06, 0.08)).corners,
            C.Cylinder(fx.ground.marker((0.16, 0.16, 0), axis=(0, 0, 1)), radius=0.26, inside=True),
            *(C.Sphere(body, radius=radius_of(body)) for body in bodies),
        ]  # fmt: skip
        touch = fx.Contact(parts, LAW, RUBS, search=search, allow_overlap=True, name="touch")
        model = fx.Model(*bodies, rod, brick, lid, lift, spring, touch, G)
        run = fx.simulate(model, until=0.1, step=1e-3, integrator=FINE)
        found.append(ends(run, [*bodies, rod, brick, lid]))
    assert np.abs(found[0] - found[1]).max() < 1e-9


def test_a_plane_model() -> None:
    found = []
    for search in (False, True):
        disks = [
            fx.PlanarRigidBody(
                0.5, 6e-4, position=(0.11 * (i % 4) + 0.06 + 0.003 * i, 0.11 * (i // 4) + 0.06), name=f"{i}"
            )
            for i in range(12)
        ]
        walls = [
            C.Plane(fx.ground.marker((0, 0, 0), axis=(0, 1, 0))),
            C.Plane(fx.ground.marker((0, 0, 0), axis=(1, 0, 0))),
        ]
        touch = fx.Contact(
            (*walls, *(C.Sphere(d, radius=RADIUS) for d in disks)), LAW, RUBS, search=search, name="touch"
        )
        model = fx.Model(*disks, touch, fx.Gravity((0, -9.81)))
        found.append(ends(fx.simulate(model, until=0.2, step=1e-3, integrator=FINE), disks))
    assert np.abs(found[0] - found[1]).max() < 1e-9


# --- what is said and refused -----------------------------------------------------------------------------------------


def test_many_shapes_are_searched_and_few_are_not() -> None:
    assert not heap(None)[2].searched
    assert heap(None, shape=(3, 3, 3))[2].searched
    _, _, touch = heap(None, shape=(3, 3, 3))
    assert touch.touching == ()


def test_friction_that_remembers_is_not_searched() -> None:
    grip = C.BristleLaw(0.3, stiffness=1e5, damping=500.0)
    with pytest.raises(fx.ModelError, match=r"BristleLaw remembers.*Take a CoulombLaw, or name in pairs="):
        heap(True, friction=grip)
    assert not heap(None, friction=grip, shape=(3, 3, 3))[2].searched  # 351 + 135 pairs, one by one


def test_overlap_is_told_with_its_depth() -> None:
    bodies = balls((3, 3, 3))
    shapes = [plane((0, 0, 0), (0, 0, 1)), *(C.Sphere(body, radius=1.15 * RADIUS) for body in bodies)]
    with pytest.raises(fx.ModelError, match=r"ball.* and .*ball.* overlap by 0.0\d+ at the start.*allow_overlap=True"):
        fx.Contact(shapes, LAW)
    assert fx.Contact(shapes, LAW, allow_overlap=True).searched


def test_a_law_that_does_not_fit_is_refused_at_once() -> None:
    bodies = balls((3, 3, 3))
    brick = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 5), name="brick")
    shapes = [C.Box(brick.centre, size=(0.1, 0.1, 0.1)), *(C.Sphere(body, radius=RADIUS) for body in bodies)]
    with pytest.raises(fx.ModelError, match="law of Hertz is for balls and planes"):
        fx.Contact(shapes, C.HertzLaw(material=fx.steel))


def test_bodies_that_a_joint_connects_do_not_touch() -> None:
    bodies = [
        fx.RigidBody.sphere(radius=RADIUS, mass=0.5, position=(1.9 * RADIUS * i, 0, 0), name=f"bead {i}")
        for i in range(30)
    ]
    joints = [
        fx.SphericalJoint(a, b, at=((1.9 * i + 0.95) * RADIUS, 0, 0), name=f"link {i}")
        for i, (a, b) in enumerate(pairwise(bodies))
    ]
    touch = fx.Contact([C.Sphere(b, radius=RADIUS) for b in bodies], LAW, allow_overlap=True, name="touch")
    assert touch.searched
    with pytest.warns(UserWarning, match=r"left out of the search of 'touch': 'bead 0' and 'bead 1'.* and 24 more"):
        run = fx.simulate(fx.Model(*bodies, *joints, touch), until=0.01, step=1e-3)
    assert np.abs(run.v[-1]).max() < 1e-12
    assert run.contact(touch).pairs == ()


def test_what_needs_the_pairs_beforehand_says_so() -> None:
    model, _, touch = heap(True)
    for analysis in (fx.solve_static, fx.linearise):
        with pytest.raises(fx.ModelError, match=r"'touch' searches its pairs.*declared\(run\)"):
            analysis(model)
    with pytest.raises(fx.ModelError, match="searches its pairs"):
        fx.simulate(model, until=0.01, integrator=fx.RadauIIA())
    with pytest.raises(fx.ModelError, match="opens and closes"):
        fx.simulate(model, until=0.01, step=1e-3, integrator=fx.EnergyMomentum())
    for what in ("closes", "slips"):
        with pytest.raises(fx.ModelError, match="none can be watched for long"):
            touch.event(what, **({"level": 0.1} if what == "slips" else {}))
    with pytest.raises(fx.ModelError, match="nothing to search"):
        fx.Contact(touch.parts, LAW, pairs=[(touch.parts[0], touch.parts[5])], search=True)


def test_a_heap_at_rest_is_analysed_with_its_pairs_declared() -> None:
    """Weights on the floor are the weight of the heap; a settled heap is an equilibrium of the declared pairs."""
    model, bodies, touch = heap(True, friction=None, shape=(2, 2, 2))
    run = fx.simulate(model, until=0.6, step=1e-3)
    near = touch.declared(run)
    assert not near.searched
    assert len(near.touching) < 40
    history = run.contact(touch)
    floor = [k for k, pair in enumerate(history.pairs) if pair.a is touch.parts[0]]
    weight = 9.81 * sum(body.mass for body in bodies)
    bounced = history.t > 0.2
    assert history.force[bounced][:, floor, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.05)
