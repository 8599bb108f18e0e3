"""Paths of equilibria: critical points in closed form, branches, stability, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.paths.inertia import _negative
from flexmbs.elements import ANCFCable2D, CableStrain, GeometricallyExactBeam

A, H, EA = 1.0, 3.0, 1000.0
LENGTH = math.hypot(A, H)


def truss(height: float = H, load: float = -1.0, history: object = None) -> tuple[fx.PointMass, fx.Model]:
    """Two bars with Green's strain, energy EA (l^2 - l0^2)^2 / (8 l0^3) each."""
    apex = fx.PointMass(1.0, position=(0.0, height), name="apex")
    length = math.hypot(A, height)
    k = EA / length
    bars = [
        fx.SpringDamper(
            fx.ground.marker((x, 0, 0)), apex, stiffness=(k, 1.5 * k / length, 0.5 * k / length**2), damping=1.0,
            name=f"bar {x}",
        )
        for x in (-A, A)
    ]  # fmt: skip
    push = fx.PointForce(apex.centre, (0.0, load), history=history)
    return apex, fx.Model(apex, *bars, push, name="truss")


def column(elements: int = 16, EA: float = 1000.0) -> tuple[fx.FlexibleBody, fx.Model]:
    """The hinged column of bending stiffness and length one."""
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=elements, element=ANCFCable2D(strain=CableStrain.MATERIAL),
        stiffness=fx.BeamStiffness(EA=EA, EI_z=1.0, mass_per_length=1.0), name="rod",
    )  # fmt: skip
    push = fx.PointForce(rod.end, (-1.0, 0.0))
    return rod, fx.Model(rod, fx.Pin(rod.start), fx.Roller(rod.end, (0, 1)), push, name="column")


@pytest.fixture(scope="module")
def steep() -> tuple[fx.PointMass, fx.EquilibriumPaths]:
    apex, model = truss()
    return apex, fx.trace_static(model, until=1000.0, branches=1)


def test_limit_points_and_bifurcations_of_the_truss_in_closed_form(steep) -> None:
    """P = EA (h^2 - z^2) z / l0^3 on the symmetric path: limit at z = h / sqrt(3), sideways at z^2 = h^2 - 2 a^2."""
    apex, paths = steep
    limit, side = paths.limit_points[0], paths.bifurcations[0]
    z = H / math.sqrt(3.0)
    assert limit.position(apex, -1)[1] == pytest.approx(z, rel=1e-8)
    assert limit.parameter == pytest.approx(EA * (H**2 - z**2) * z / LENGTH**3, rel=1e-12)
    z = math.sqrt(H**2 - 2 * A**2)
    assert side.parameter == pytest.approx(2 * EA * A**2 * z / LENGTH**3, rel=1e-10)
    assert side.position(apex, -1)[1] == pytest.approx(z, rel=1e-10)
    assert side.branches == (1,)
    assert "x of" in side.moving[0]
    assert np.abs(side.kernel[:, 0]).argmax() == 0


def test_the_branch_is_a_circle_that_meets_the_path_again(steep) -> None:
    apex, paths = steep
    branch = paths[1]
    x, z, _ = branch.position(apex).T
    np.testing.assert_allclose(x**2 + z**2, H**2 - 2 * A**2, rtol=1e-9)
    np.testing.assert_allclose(branch.load_factors, 2 * EA * A**2 * z / LENGTH**3, rtol=1e-9, atol=1e-9)
    assert "joins path 0" in branch.ending
    assert len([p for p in paths.bifurcations if p.path == 0]) == 2
    assert len(paths.bifurcations) == 2


def test_stability_is_that_of_the_second_derivative(steep) -> None:
    """Of the symmetric path: V_xx and V_zz of the energy EA / (8 l0^3) sum (l^2 - l0^2)^2."""
    apex, paths = steep
    path = paths[0]
    z = path.position(apex)[:, 1]
    V_zz = EA / (2 * LENGTH**3) * 2 * (3 * z**2 + A**2 - LENGTH**2)
    V_xx = EA / (2 * LENGTH**3) * 2 * (z**2 + A**2 - LENGTH**2 + 2 * A**2)
    sure = (np.abs(V_xx) > 1e-6 * EA) & (np.abs(V_zz) > 1e-6 * EA)
    np.testing.assert_array_equal(path.unstable[sure], ((V_xx < 0).astype(int) + (V_zz < 0))[sure])
    assert sure.sum() > 20


def test_all_equilibria_at_a_load(steep) -> None:
    """Without load: z = h, 0, -h on the symmetric path, x = +-sqrt(h^2 - 2 a^2) on the branch."""
    apex, paths = steep
    found = np.array(sorted(tuple(np.round(s.position(apex, -1)[:2], 9) + 0.0) for s in paths.at(0.0)))
    side = round(math.sqrt(H**2 - 2 * A**2), 9)
    np.testing.assert_allclose(found, [(-side, 0), (0, -H), (0, 0), (0, H), (side, 0)], atol=2e-9)
    stable = {round(float(s.position(apex, -1)[1])) for s in paths.at(0.0) if s.stable[0]}
    assert stable == {3, -3}


def test_where_a_quantity_has_a_value(steep) -> None:
    apex, paths = steep
    x = 1.0
    found = paths.where(lambda s: s.position(apex)[:, 0], x)
    z = math.sqrt(H**2 - 2 * A**2 - x**2)
    loads = sorted(float(s.load_factors[0]) for s in found)
    np.testing.assert_allclose(loads, [-2 * EA * z / LENGTH**3, 2 * EA * z / LENGTH**3], rtol=1e-8)


def test_critical_loads_of_the_perfect_column() -> None:
    """P (1 - P / EA) = (n pi)^2; the element's error is of fourth order."""
    _, model = column(16)
    paths = fx.trace_static(model, until=45.0)
    exact = [500.0 * (1.0 - math.sqrt(1.0 - 4.0 * (n * math.pi) ** 2 / 1000.0)) for n in (1, 2)]
    np.testing.assert_allclose([p.parameter for p in paths.bifurcations], exact, rtol=3e-5)
    assert not paths.limit_points
    order = paths[0].unstable
    assert order[0] == 0
    assert order[-1] == 2
    assert np.all(np.diff(order) >= 0)


def test_a_square_column_has_a_kernel_of_two_directions() -> None:
    """Equal stiffness in both planes: both ways of buckling at once, pi^2 / 4; none is followed, both are told."""
    rod = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=6, element=GeometricallyExactBeam(), name="rod",
        stiffness=fx.BeamStiffness(EA=1e4, EI_y=1.0, EI_z=1.0, GJ=1.0, GA_y=1e4, GA_z=1e4, mass_per_length=1.0,
                                   rhoI_y=1.0, rhoI_z=1.0),
    )  # fmt: skip
    model = fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (-1.0, 0, 0)), name="square")
    paths = fx.trace_static(model, until=5.0, branches=2)
    (point,) = paths.bifurcations
    assert point.parameter == pytest.approx(math.pi**2 / 4, rel=1e-3)  # shortened by P / EA, sheared by P / GA
    assert point.kernel.shape[1] == 2
    assert not point.branches
    assert "2 directions" in point.message
    assert np.linalg.matrix_rank(point.kernel, tol=1e-3) == 2


def test_a_displacement_is_followed_through_its_turning_points() -> None:
    """Lee's frame pushed down by a prescribed displacement, which turns back: 61.003 and 50.746 (shooting)."""
    E, A_, I = 7.2e6, 6.0, 2.0  # noqa: E741
    stiffness = fx.BeamStiffness(EA=E * A_, EI_z=E * I, mass_per_length=1.0)
    element = ANCFCable2D(strain=CableStrain.MATERIAL)
    post, beam = (
        fx.FlexibleBody.line(a, b, elements=10, element=element, stiffness=stiffness, name=name)
        for a, b, name in (((0, 0), (0, 120), "post"), ((0, 120), (120, 120), "beam"))
    )
    at = beam.at((24.0, 120.0))
    push = fx.Prescribe(at, (None, -1.0))
    corner = fx.FixedJoint(post.end, beam.start, name="corner")
    model = fx.Model(post, beam, corner, fx.Pin(post.start), fx.Pin(beam.end), push, name="frame")
    paths = fx.trace_static(model, by="displacement", until=80.0)
    first, second = paths.limit_points
    assert first.parameter == pytest.approx(61.003, abs=0.06)
    assert second.parameter == pytest.approx(50.746, abs=0.06)
    assert paths.parameter == "displacement factor"
    np.testing.assert_allclose(-paths[0].displacement(at)[:, 1], paths[0].load_factors, atol=1e-9)


def test_only_some_loads_grow() -> None:
    """A pendulum on a torsion spring: gravity stays, the side force grows; moments about the hinge vanish."""
    m, length, k, g = 2.0, 0.5, 30.0, 9.81
    bar = fx.PlanarRigidBody(m, 0.1, position=(0.0, -length), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    spring = fx.TorsionSpring(hinge, stiffness=k, name="spring")
    push = fx.PointForce(bar.centre, (1.0, 0.0))
    model = fx.Model(bar, hinge, spring, fx.Gravity((0, -g)), push, name="pendulum")
    path = fx.trace_static(model, by=push, until=200.0)[0]
    angle = path.angle(hinge)
    np.testing.assert_allclose(
        path.load_factors * length * np.cos(angle), k * angle + m * g * length * np.sin(angle), rtol=1e-8, atol=1e-8
    )
    assert angle[-1] > 1.0
    assert path.stable.all()


def test_histories_are_followed_over_time() -> None:
    apex, model = truss(0.5, history=fx.Table((0.0, 1.0, 2.0), (0.0, 30.0, 0.0)))
    path = fx.trace_static(model, by="time", until=1.8)[0]
    z = path.position(apex)[:, 1]
    load = np.interp(path.times, (0.0, 1.0, 2.0), (0.0, 30.0, 0.0))
    length = math.hypot(1.0, 0.5)
    np.testing.assert_allclose(EA * (0.25 - z**2) * z / length**3, load, atol=1e-7 * EA)
    assert path.times[-1] == pytest.approx(1.8)


def test_motion_and_modes_begin_at_a_point_of_the_path() -> None:
    """From just beyond the limit load the truss snaps through, and comes to rest on the far side of the path."""
    apex, model = truss(0.5)
    paths = fx.trace_static(model, until=200.0)
    limit = paths.limit_points[0]
    with pytest.warns(RuntimeWarning, match="grows"):
        lowest = fx.solve_modal(limit).eigenvalues[0]
    assert lowest == pytest.approx(0.0, abs=1e-5 * EA)
    load = 1.02 * limit.parameter
    mass, pushed = truss(0.5, -load)
    rest = fx.simulate(pushed, 30.0, start=limit, progress=False)
    far = [s for s in paths.at(load) if s.position(apex, -1)[1] < 0.0]
    assert rest.position(mass, -1)[1] == pytest.approx(far[0].position(apex, -1)[1], abs=0.05)


def test_one_equilibrium_of_a_path_is_a_solution(steep) -> None:
    apex, paths = steep
    one = paths[0].equilibrium(3)
    assert len(one) == 1
    assert one.load_factors[0] == paths[0].load_factors[3]
    np.testing.assert_array_equal(one.position(apex, -1), paths[0].position(apex)[3])
    with pytest.raises(fx.ModelError, match="no number"):
        paths[0].equilibrium(len(paths[0]))


def test_a_path_that_cannot_go_on_says_where_and_keeps_its_points() -> None:
    """Engineering strain: on a later branch a bar shrinks to nothing, where its force has no direction."""
    apex = fx.PointMass(1.0, position=(0.0, H), name="apex")
    bars = [fx.SpringDamper(fx.ground.marker((x, 0, 0)), apex, stiffness=EA / LENGTH, name=f"bar {x}") for x in (-1, 1)]
    model = fx.Model(apex, *bars, fx.PointForce(apex.centre, (0.0, -1.0)), name="truss")
    with pytest.warns(
        RuntimeWarning,
        match=r"cannot be followed beyond p = .*, point \d+: .*largest residual .*, at \w+ of body 'apex'.*kept",
    ):
        paths = fx.trace_static(model, until=1500.0, branches=2)
    assert "cannot be followed" in paths[2].ending
    assert len(paths[2]) > 10


def test_an_interrupted_path_keeps_its_points() -> None:
    _, model = truss()
    seen = []

    def stop(solution: fx.StaticSolution) -> bool:
        seen.append(solution)
        if len(seen) == 5:
            raise KeyboardInterrupt
        return False

    paths = fx.trace_static(model, until=1000.0, branches=1, stop=stop)
    assert paths[0].ending == "interrupted"
    assert paths[0].status is fx.Status.INTERRUPTED
    assert len(paths) == 1
    assert len(paths[0]) >= 5


def test_bad_input_is_refused() -> None:
    apex, model = truss()
    with pytest.raises(fx.ModelError, match="by must be 'load'"):
        fx.trace_static(model, by="force")
    with pytest.raises(fx.ModelError, match="no support with a prescribed displacement"):
        fx.trace_static(model, by="displacement")
    with pytest.raises(fx.ModelError, match="is none"):
        fx.trace_static(model, by=fx.PointForce(apex.centre, (0.0, -1.0)))
    with pytest.raises(fx.ModelError, match="until must differ"):
        fx.trace_static(model, until=0.0)
    with pytest.raises(fx.ModelError, match="leaves out"):
        fx.trace_static(model, until=(1.0, 2.0))
    with pytest.raises(fx.ModelError, match="stop must be a function"):
        fx.trace_static(model, stop=3)  # type: ignore[arg-type]
    _, constant = truss(history=fx.Constant(1.0))
    with pytest.raises(fx.ModelError, match="nothing grows"):
        fx.trace_static(constant)
    with pytest.raises(fx.ModelError, match="no history of its own"):
        fx.trace_static(constant, by=constant.loads[0])


def test_negative_eigenvalues_are_counted_block_by_block() -> None:
    """Blocks of two with sizes far apart, which eigenvalues of the whole would lose."""
    D = np.zeros((5, 5))
    D[0, 0], D[1:3, 1:3], D[3:, 3:] = 1e12, [[0.0, 1e-9], [1e-9, 0.0]], [[-2.0, 1.0], [1.0, -2.0]]
    assert _negative(D) == 3


def test_paths_are_drawn_and_listed(steep) -> None:
    apex, paths = steep
    axes = paths.plot((apex, (0, -1)))
    assert axes.get_ylabel() == "load factor"
    labels = [t.get_text() for t in axes.get_legend().get_texts()]
    assert {"path 0", "path 1", "limit point", "bifurcation", "unstable"} <= set(labels)
    with pytest.raises(fx.ModelError, match="one number for each"):
        paths.plot(lambda path: np.zeros(1))
    with pytest.raises(fx.ModelError, match=r"where: what the function gives of a path must have shape"):
        paths.where(lambda solution: np.zeros(1), 0.1)
    with pytest.raises(fx.ModelError, match="where: expected a function"):
        paths.where("tip", 0.1)  # type: ignore[arg-type]
    frame = paths.to_dataframe(height=lambda x: x.position(apex)[:, 1])
    assert len(frame) == sum(map(len, paths.paths))
    assert frame["unstable"].tolist()[: len(paths[0])] == paths[0].unstable.tolist()
    assert repr(paths).startswith("<2 paths of model 'truss'")


def test_contact_is_refused_by_name() -> None:
    floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0, 0, 0.2), name="ball")
    law = fx.contact.HuntCrossleyLaw(stiffness=1e6, damping=0.5)
    touch = fx.Contact((floor, fx.contact.Sphere(ball, radius=0.1)), law, name="touch")
    spring = fx.Bushing(fx.ground.marker((0, 0, 0.2)), ball.centre, stiffness=(10.0,) * 6, name="spring")
    push = fx.PointForce(ball.centre, (0, 0, -1.0))
    with pytest.raises(fx.ModelError, match=r"contact .touch. cannot be followed along a path"):
        fx.trace_static(fx.Model(ball, touch, spring, push))
    with pytest.raises(fx.ModelError, match=r"contact .touch. cannot be followed along a path"):
        fx.trace_static(lambda p: fx.Model(ball, touch, spring, push), by="p", begin=0.0, until=1.0)


@pytest.mark.parametrize("until", [12.0, 15.0, 37.0])
def test_a_mechanism_of_one_freedom_buckles(until: float) -> None:
    """A rigid column on a torsion spring: P = k / L, and behind it P = k phi / (L sin phi)."""
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0.5), name="bar")
    pin = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="pin")
    load = fx.PointForce(bar.marker_at((0, 1.0)), (0, -1.0))
    traced = fx.trace_static(fx.Model(bar, pin, fx.TorsionSpring(pin, stiffness=10.0), load), until=until, branches=1)
    (point,) = traced.points
    assert point.kind == "bifurcation"
    assert point.parameter == pytest.approx(10.0, rel=1e-8)
    branch = traced.paths[1]
    angle = branch.angle(bar)
    some = np.abs(angle) > 1e-3
    assert some.sum() > 5
    assert branch.load_factors[some] == pytest.approx(10.0 * angle[some] / np.sin(angle[some]), rel=1e-6)


@pytest.mark.parametrize("slenderness", [1e4, 1e6, 1.2e7])
def test_branches_of_slender_beams_between_supports(slenderness: float) -> None:
    """Shortened by eps, a hinged beam without extension bends by 2 L / pi sqrt(eps - eps_cr)."""
    critical = math.pi**2 / slenderness
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=8, element=fx.elements.ANCFCable2D(),
                                stiffness=fx.BeamStiffness(EA=slenderness, EI_z=1.0, mass_per_length=1.0))  # fmt: skip
    model = fx.Model(beam, fx.Pin(beam.start), fx.Prescribe(beam.end, displacement=(-critical, 0.0)))
    traced = fx.trace_static(model, by="displacement", until=1.5, branches=1)
    (point,) = traced.points
    assert point.parameter == pytest.approx(1.0, rel=2e-3)  # shortening before buckling is left out of the formula
    bent = abs(traced.paths[1].displacement(beam.node(4))[-1, 1])
    assert bent == pytest.approx(2.0 / math.pi * math.sqrt(0.5 * critical), rel=2e-3)


def test_a_branch_that_is_not_found_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here since nothing is tried."""
    monkeypatch.setattr("flexmbs.analysis.paths.branches.TRIED", ())
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0.5), name="bar")
    pin = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="pin")
    load = fx.PointForce(bar.marker_at((0, 1.0)), (0, -1.0))
    model = fx.Model(bar, pin, fx.TorsionSpring(pin, stiffness=10.0), load)
    with pytest.warns(RuntimeWarning, match="no branch was found beside the bifurcation at p = 10"):
        traced = fx.trace_static(model, until=12.0, branches=1)
    assert len(traced.paths) == 1
