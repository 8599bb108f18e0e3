"""Contact by other roads: an integration without flexmbs, another place, other units, another order, other schemes.

Every number is a random contact of two bodies (`tests.consistency.random_contacts`): shapes, poses, laws, inertia and
velocities. Steps of fixed size are the same discrete equations by every road of description, so that only what Newton's
method leaves may differ; what is integrated by hand differs by the error of the steps.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import flexmbs as fx
from tests.consistency.random_contacts import SHAPES, Contacts
from tests.consistency.random_models import Described, Way, moved, other_units

C = fx.contact
UNTIL, STEPS = 0.3, 400
EXACT = fx.GeneralizedAlpha(newton=fx.NewtonOptions(rtol=1e-10, max_iterations=20))
BY_HAND = 1e-4
"""Of a length 1 at steps of 7.5e-4: an error of order 2, in which a contact that opens under damping is a jump of the
acceleration by up to 20, 20 h^2 = 1e-5 of velocity times the time that is left."""
ROADS = 1e-8
SEEDS, MANY = range(32), range(32, 352)
SCHEMES = (fx.GeneralizedAlpha(), fx.RungeKutta(), fx.BDF(), fx.RadauIIA(), fx.AugmentedLagrangian())


def moves(described: Described, steps: int = STEPS, **options: Any) -> fx.TimeSolution:
    """The run of a description."""
    until = UNTIL * described.way.time
    options = {"step": until / steps, "integrator": EXACT, **options}
    return fx.simulate(described.model, until=until, progress=False, **options)


def ends(described: Described, run: fx.TimeSolution) -> NDArray[Any]:
    """Where the centres are in the end, in the sample."""
    return np.array([described.way.back(run.position(b)[-1]) for b in described.places])


def check_by_hand(seed: int) -> None:
    sample = Contacts.of(seed)
    places, turned = sample.by_hand(UNTIL)
    described = sample.build(Way())
    run = moves(described)
    moving = [i for i, body in enumerate((sample.a, sample.b)) if not body.fixed]
    for body, i in zip(described.places, moving, strict=True):
        assert np.abs(run.position(body)[-1] - places[i]).max() < BY_HAND
        assert np.abs(run.rotation(body)[-1] - turned[i]).max() < 10.0 * BY_HAND


def check_road(road: str, seed: int) -> None:
    sample = Contacts.of(seed)
    plain = Way()
    one = sample.build(plain)
    other = {
        "moved and turned": lambda: sample.build(moved(plain, seed)),
        "other units": lambda: sample.build(replace(other_units(plain), time=50.0)),
        # of two balls the one named second is the side on whose surface the force acts, see `test_two_balls_exchanged`
        "reordered and renamed": lambda: sample.build(
            replace(plain, reverse=True, rename=" again"), swap=sample.touch.shape != "sphere"
        ),
        "other axes": lambda: sample.other_bodies(seed).build(plain, named=True),
    }[road]()
    places = [ends(it, moves(it, steps=STEPS // 4)) for it in (one, other)]
    off = np.abs(places[0] - places[1]).max()
    assert off < ROADS, f"places differ by {off:.2e}"


@pytest.mark.parametrize("seed", SEEDS)
def test_as_by_hand(seed: int) -> None:
    """Motion against DOP853 on the equations of two bodies, written without rows and tangents."""
    check_by_hand(seed)


ROAD = ("moved and turned", "other units", "reordered and renamed", "other axes")


@pytest.mark.parametrize("seed", SEEDS)
def test_roads(seed: int) -> None:
    """Each number by one of the roads."""
    check_road(ROAD[seed % len(ROAD)] if seed % 8 < 4 else ROAD[(seed + 1) % len(ROAD)], seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Model .* by its own law, such as DwellLaw")  # which is not passive
@pytest.mark.parametrize("seed", MANY)
def test_many_as_by_hand(seed: int) -> None:
    check_by_hand(seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Model .* has gained")  # roads agree whether or not the steps resolve the contact
@pytest.mark.parametrize("seed", MANY)
@pytest.mark.parametrize("road", ROAD)
def test_many_roads(road: str, seed: int) -> None:
    check_road(road, seed)


@pytest.mark.parametrize("seed", range(0, 32, 5))
def test_forces_points_and_slip(seed: int) -> None:
    """What the history tells is what acts: force, point, gap and slip of the vectors of the inertial frame."""
    sample = Contacts.of(seed)
    described = sample.build(Way())
    run = moves(described, steps=50)
    touch = described.model.forces[0]
    told = run.contact(touch)
    states = told.pairs[0].force.states
    z = run.v[:, [run.system.coordinates.extra_place(s) for s in states]]
    bodies = iter(described.places)
    seen = []
    for body in (sample.a, sample.b):
        n = len(run.t)
        if body.fixed:
            seen.append([(body.p, body.R, np.zeros(3), np.zeros(3), body.place)] * n)
            continue
        at = next(bodies)
        p, R, v = run.position(at), run.rotation(at), run.velocity(at)
        w = np.einsum("nij,nj->ni", R, run.angular_velocity(at))
        seen.append([(p[i], R[i], v[i], w[i], body.place) for i in range(n)])
    for i in range(len(run.t)):
        F, point, _, gap = sample.touch.act(seen[0][i], seen[1][i], z[i])
        assert told.gap[i, 0] == pytest.approx(gap, abs=1e-10)
        assert np.abs(told.force[i, 0] - F).max() < 1e-7 * max(1.0, float(np.abs(F).max()))
        assert np.abs(told.point[i, 0] - point).max() < 1e-9


@pytest.mark.parametrize("seed", range(1, 32, 6))
def test_momentum_and_energy(seed: int) -> None:
    """Forces are opposite at one point; what is lost is booked, with an error of order 2 in the step."""
    sample = Contacts.of(seed)
    sample = replace(sample, a=replace(sample.a, fixed=False))
    described = sample.build(Way())
    runs = [moves(described, steps=steps) for steps in (STEPS // 2, 2 * STEPS)]
    for what in runs[0].momentum():
        assert np.ptp(what, axis=0).max() < 1e-4 * float(np.abs(what).max())
    off = [float(np.ptp(run.energy.balance)) / float(run.energy.kinetic.max()) for run in runs]
    assert off[1] < max(0.3 * off[0], 1e-6)
    assert off[1] < 1e-3


@pytest.mark.parametrize("seed", range(2, 32, 4))
def test_schemes(seed: int) -> None:
    """Error control by one of the schemes reaches what is integrated by hand."""
    sample = Contacts.of(seed)
    places, _ = sample.by_hand(UNTIL)
    described = sample.build(Way())
    run = moves(described, step=fx.ErrorControl(rtol=1e-8), integrator=SCHEMES[seed % len(SCHEMES)])
    moving = [i for i, body in enumerate((sample.a, sample.b)) if not body.fixed]
    assert np.abs(ends(described, run) - places[moving]).max() < BY_HAND


@pytest.mark.parametrize("seed", range(0, 32, 5))
def test_saved_resumed_compiled(seed: int, tmp_path: Path) -> None:
    """Half a run, saved, loaded and gone on with, and steps in Python: bitwise the whole one."""
    model = Contacts.of(seed).build(Way()).model
    options: dict[str, Any] = {"step": UNTIL / 100, "progress": False}
    whole = fx.simulate(model, until=UNTIL, **options)
    half = fx.load(fx.simulate(model, until=UNTIL / 2, **options).save(tmp_path / "half.h5"))
    rest = fx.simulate(half.model, until=UNTIL, start=half, **options)
    plain = fx.simulate(model, until=UNTIL, integrator=fx.GeneralizedAlpha(compiled=False), **options)
    for other in (rest, plain):
        assert np.array_equal(other.q[-1], whole.q[-1])
        assert np.array_equal(other.v[-1], whole.v[-1])


@pytest.mark.parametrize("seed", range(2))
def test_two_balls_exchanged(seed: int) -> None:
    """The force acts on the surface of the second ball: which one that is matters by the order of the depth."""
    sample = Contacts.of(seed, "sphere", "coulomb")
    a, b = sample.a, sample.b
    apart = b.p + b.R @ b.place.point - a.p - a.R @ a.place.point
    n = apart / np.linalg.norm(apart)
    gap = float(np.linalg.norm(apart)) - sample.touch.sizes["radius"] - sample.touch.ball
    off = []
    for k in (1.0, 64.0):  # with the exponent 3/2 a depth of 1 and 64^(-2/5) = 0.19
        touch = replace(sample.touch, normal={"k": 4000.0 * k, "n": 1.5, "c": 0.0})
        hits = replace(sample, b=replace(b, p=b.p - gap * n, v=a.v - n, w=b.w), touch=touch)
        one, other = hits.build(Way()), hits.build(Way(), swap=True)
        places = [ends(it, moves(it, steps=4 * STEPS)) for it in (one, other)]
        off.append(float(np.abs(places[0] - places[1]).max()))
    assert 1e-6 < off[0] < 2e-2
    assert off[1] < 0.4 * off[0]


@pytest.mark.parametrize("seed", range(0, 32, 4))
def test_absolute_or_relative_coordinates(seed: int) -> None:
    """Body b hangs on a hinge, as a rigid body and as the link of a tree."""
    sample = Contacts.of(seed)
    r = np.random.default_rng(seed)
    still = replace(sample, b=replace(sample.b, v=np.zeros(3), w=np.zeros(3)))
    described = still.build(Way(), named=True)
    body = described.places[-1]
    axis = r.standard_normal(3)
    hinge = fx.RevoluteJoint(
        fx.ground, body, at=sample.b.p + 0.3 * r.standard_normal(3), axis=axis / np.linalg.norm(axis), name="hinge"
    )
    model = described.model.with_(hinge)
    tree = fx.trees.to_relative_coordinates(model)
    (link,) = (tree.body(f"{one.name}/b") for one in tree.trees if f"{one.name}/b" in [x.name for x in one.bodies])
    options: dict[str, Any] = {"until": UNTIL, "step": UNTIL / STEPS, "integrator": EXACT, "progress": False}
    one, other = fx.simulate(model, **options), fx.simulate(tree, **options)
    assert np.abs(one.position(body)[-1] - other.position(link)[-1]).max() < ROADS


@pytest.mark.parametrize("seed", range(8))
def test_statics_is_the_limit_of_damped_motion(seed: int) -> None:
    """A body that springs press against a shape without friction."""
    sample = Contacts.of(seed, SHAPES[seed], "smooth")
    sample = replace(
        sample, a=replace(sample.a, fixed=True, v=np.zeros(3), w=np.zeros(3)),
        b=replace(sample.b, v=np.zeros(3), w=np.zeros(3)),
    )  # fmt: skip
    described = sample.build(Way())
    (body,) = described.places
    held = fx.Bushing(
        fx.ground.marker(sample.b.p), body.centre, (30.0, 40.0, 50.0, 20.0, 30.0, 25.0),
        damping=(15.0, 15.0, 15.0, 8.0, 8.0, 8.0), name="held",
    )  # fmt: skip
    model = described.model.with_(held)
    rest = fx.solve_static(model, fx.StaticOptions(rtol=1e-12, progress=False))
    run = fx.simulate(model, until=12.0, step=0.02, integrator=fx.GeneralizedAlpha(rho_inf=0.0), progress=False)
    assert rest.contact(described.model.forces[0]).normal[-1, 0] > 0.01
    assert np.abs(run.position(body)[-1] - rest.position(body, step=-1)).max() < 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_linearised_where_it_sticks(seed: int) -> None:
    """Small motions of a mass that a bristle holds under a load: m s^2 + k_1 s + k_0 = 0 twice, and the normal law."""
    r = np.random.default_rng(seed)
    mass, k0, k1, k, n = r.uniform(0.5, 2.0), r.uniform(500.0, 900.0), r.uniform(2.0, 8.0), 1e4, r.choice((1.0, 1.5))
    c = r.uniform(0.0, 0.5)
    R = Way(turn=tuple(r.standard_normal(3))).R
    depth = float((mass * 9.81 / k) ** (1.0 / n))
    point = fx.PointMass(mass, position=R @ (0.0, 0.0, -depth), name="point")
    floor = C.Plane(fx.Marker(fx.ground, np.zeros(3), R))
    touch = fx.Contact(
        (floor, C.Vertex(point)), C.HuntCrossleyLaw(stiffness=k, exponent=n, damping=c),
        C.BristleLaw(0.5, stiffness=k0, damping=k1), allow_overlap=True,
    )  # fmt: skip
    pull = fx.PointForce(point.centre, R @ (0.1 * mass, 0.05 * mass, 0.0))
    model = fx.Model(point, touch, pull, fx.Gravity(R @ (0.0, 0.0, -9.81)))
    run = fx.simulate(model, until=40.0, step=0.05, integrator=fx.GeneralizedAlpha(rho_inf=0.0), progress=False)
    found = np.linalg.eigvals(fx.linearise(run).A)
    stiff = n * k * depth ** (n - 1.0)
    wanted = [*np.roots((mass, k1, k0)), *np.roots((mass, k * depth**n * c, stiff))]
    for s in wanted:
        near = np.sort(np.abs(found - s))
        assert near[0] < 1e-4 * abs(s)
