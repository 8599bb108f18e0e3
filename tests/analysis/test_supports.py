"""Supports hold exactly what they say and nothing else; reactions balance the loads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

Maker = Callable[..., fx.FlexibleBody]
SOFT = fx.BeamStiffness(EA=50.0, EI_z=1.0, GJ=1.0, mass_per_length=1.0)
C, S = np.cos(0.4), np.sin(0.4)


def bent(line: Maker, dim: int, *supports: Callable[[fx.FlexibleBody], Any], load: Any = None) -> fx.StaticSolution:
    """A body in a general direction, clamped at its start, with more supports at its end, pushed by a dead force."""
    end = (0.8, 0.6) if dim == 2 else (0.8, 0.5, 0.4)
    body = line((0.0,) * dim, end, elements=4, stiffness=SOFT)
    force = (0.5, -1.0) if dim == 2 else (0.5, -1.0, 0.7)
    held = [s(body) for s in supports]
    return fx.solve_static(fx.Model(body, fx.Clamp(body.start), *held, load or fx.PointForce(body.node(2), force)))


def end_of(solution: fx.StaticSolution) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Displacement, slope, reaction and tangent at rest of the end."""
    body = solution.model.bodies[0]
    t0 = body.reference[-1, body.mesh.dim :]
    asked = solution.displacement, solution.slope, solution.reaction
    u, slope, reaction = (ask(body.end, step=-1)[: body.mesh.dim] for ask in asked)
    return u, slope, reaction, t0


def direction_error(slope: np.ndarray, t0: np.ndarray) -> float:
    return float(np.linalg.norm(slope / np.linalg.norm(slope) - t0))


@pytest.mark.parametrize("dim", [2, 3])
def test_what_each_support_fixes_and_leaves_free(line: Maker, dim: int) -> None:
    n = (C, S) if dim == 2 else (C, S, 0.3)
    unit = np.array(n) / np.linalg.norm(n)
    for make, fixed, turned in [
        (lambda b: fx.Pin(b.end), "all", True),
        (lambda b: fx.Clamp(b.end), "all", False),
        (lambda b: fx.Roller(b.end, n), "normal", True),
        (lambda b: fx.Guide(b.end), "none", False),
        (lambda b: fx.Guide(b.end, n), "normal", False),
    ]:
        u, slope, reaction, t0 = end_of(bent(line, dim, make))
        along, across = u @ unit, u - (u @ unit) * unit
        force_across = reaction - (reaction @ unit) * unit
        assert (abs(along) < 1e-12) == (fixed != "none")
        assert (np.linalg.norm(across) < 1e-12) == (fixed == "all")
        assert (direction_error(slope, t0) < 1e-12) != turned
        assert abs(np.linalg.norm(slope) - 1.0) > 1e-12  # the length of the slope is never fixed
        if fixed != "all":
            assert np.linalg.norm(force_across) < 1e-9
        if fixed == "none":
            assert np.linalg.norm(reaction) < 1e-9


def test_an_almost_axial_roller_holds_along_its_own_normal(line: Maker) -> None:
    """A normal 1e-6 off the y axis is not the y axis."""
    normal = np.array([1e-6, 1.0])
    u, _, reaction, _ = end_of(bent(line, 2, lambda b: fx.Roller(b.end, normal)))
    assert abs(u[0]) > 1e-3
    assert u @ normal == pytest.approx(0.0, abs=1e-15)
    assert reaction @ (1.0, -1e-6) == pytest.approx(0.0, abs=1e-9)


def test_inclined_rollers_at_one_node_add_up(line: Maker) -> None:
    """In space: two hold a line, three (also when nearly parallel) a point."""
    a, b = np.array([1.0, 0.2, 0.0]), np.array([0.3, 1.0, -0.5])
    u, _, reaction, _ = end_of(bent(line, 3, lambda x: fx.Roller(x.end, a), lambda x: fx.Roller(x.end, b)))
    free = np.cross(a, b)
    assert np.linalg.norm(u) > 1e-3
    assert np.allclose(np.cross(u, free), 0.0, atol=1e-15)
    assert abs(reaction @ free) < 1e-9
    c = a + 1e-6 * free
    u, slope, _, t0 = end_of(bent(line, 3, *[lambda x, n=n: fx.Roller(x.end, n) for n in (a, b, c)]))
    assert np.allclose(u, 0.0, atol=1e-15)
    assert direction_error(slope, t0) > 1e-3


def test_duplicates_are_accepted_and_change_nothing(line: Maker) -> None:
    once = bent(line, 2, lambda b: fx.Clamp(b.end)).q[-1]
    for more in (
        [lambda b: fx.Clamp(b.end), lambda b: fx.Clamp(b.end)],
        [lambda b: fx.Clamp(b.end), lambda b: fx.Pin(b.end), lambda b: fx.Guide(b.end)],
        [lambda b: fx.Guide(b.end), lambda b: fx.Roller(b.end, (1, 1)), lambda b: fx.Roller(b.end, (2, 1)),
         lambda b: fx.Roller(b.end, (5, 1)), lambda b: fx.Prescribe(b.end, (0.0, 0.0), rotation=0.0)],
    ):  # fmt: skip
        assert np.allclose(bent(line, 2, *more).q[-1], once, atol=1e-12)


@pytest.mark.parametrize(("first", "second"), [
    (lambda b: fx.Pin(b.end), lambda b: fx.Prescribe(b.end, (0.1, None))),
    (lambda b: fx.Pin(b.end), lambda b: fx.Prescribe(b.end, (1e-12, None))),  # small units are units too
    (lambda b: fx.Prescribe(b.end, (0.1, None)), lambda b: fx.Prescribe(b.end, (0.2, None))),
    (lambda b: fx.Prescribe(b.end, (0.1, None)), lambda b: fx.Prescribe(b.end, (0.1, None))),  # perhaps other histories
    (lambda b: fx.Clamp(b.end), lambda b: fx.Prescribe(b.end, rotation=0.1)),
    (lambda b: fx.Prescribe(b.end, rotation=0.1), lambda b: fx.Guide(b.end)),
])  # fmt: skip
def test_contradictions_are_refused_by_name(line: Maker, first: Any, second: Any) -> None:
    body = line(name="arm")
    with pytest.raises(fx.ModelError, match=r"'end' of body 'arm'.*(contradicts|both give the orientation)"):
        fx.compile_model(fx.Model(body, first(body), second(body)))


def test_a_prescribed_motion_along_an_inclined_guide(line: Maker) -> None:
    """A roller with normal n and a prescribed u_x: u_y = -n_x u_x / n_y, at every step."""
    normal = np.array([0.3, 1.0])
    solution = bent(
        line, 2, lambda b: fx.Roller(b.end, normal), lambda b: fx.Prescribe(b.end, (0.2, None)),
        load=fx.Gravity((0.0, -1.0)),
    )  # fmt: skip
    body = solution.model.bodies[0]
    for i, s in enumerate(solution.parameters):
        assert np.allclose(solution.displacement(body.end, i)[:2], [0.2 * s, -0.06 * s], atol=1e-15)
    assert abs(solution.reaction(body.end, step=-1)[0]) > 1e-2


@pytest.mark.parametrize("options", [None, fx.StaticOptions(steps=1), fx.StaticOptions(steps=3)])
def test_a_prescribed_turn_is_followed_over_full_turns(line: Maker, options: fx.StaticOptions | None) -> None:
    """Rolled into a full circle: M = 2 pi EI / L everywhere; and turned rigidly, twice; with any steps."""
    body = line(elements=16, stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0))
    solution = fx.solve_static(
        fx.Model(body, fx.Clamp(body.start), fx.Prescribe(body.end, rotation=2 * np.pi)), options
    )
    assert solution.angle(body.end, step=-1) == pytest.approx(2 * np.pi, abs=1e-12)
    assert solution.reaction_moment(body.end, step=-1)[2] == pytest.approx(2 * np.pi, rel=1e-4)
    assert solution.reaction_moment(body.start, step=-1)[2] == pytest.approx(-2 * np.pi, rel=1e-4)
    assert np.linalg.norm(solution.position(body.end, step=-1)[:2]) < 2e-4
    spun = fx.solve_static(fx.Model(body, fx.Pin(body.start), fx.Prescribe(body.start, rotation=-4 * np.pi)), options)
    assert spun.angle(body.start, step=-1) == pytest.approx(-4 * np.pi, abs=1e-12)
    assert spun.angle(body.end, step=-1) == pytest.approx(-4 * np.pi, abs=1e-8)
    assert np.all(np.abs(np.diff(spun.angle(body.end))) < 1.1)
    assert np.allclose(spun.position(body.end, step=-1)[:2], (1.0, 0.0), atol=1e-8)


def test_a_spatial_clamp_turns_about_any_axis(line: Maker) -> None:
    """The whole cable follows the rotation of its clamp: Rodrigues' formula, more than half a turn."""
    body = line((0, 0, 0), (0.8, 0.5, 0.4), elements=3, stiffness=SOFT)
    axis, angle = np.array([2.0, -1.0, 2.0]) / 3.0, 4.0
    turn = fx.Prescribe(body.start, rotation=tuple(angle * axis))
    solution = fx.solve_static(fx.Model(body, fx.Pin(body.start), turn))
    p = np.array([0.8, 0.5, 0.4])
    wanted = p * np.cos(angle) + np.cross(axis, p) * np.sin(angle) + axis * (axis @ p) * (1 - np.cos(angle))
    assert np.allclose(solution.position(body.end, step=-1), wanted, atol=1e-8)


def test_the_length_of_the_slope_is_free_at_a_clamp(line: Maker) -> None:
    """A rod in tension has the strain N / EA everywhere, at its clamp as well."""
    body = line((0.0, 0.0), (0.8, 0.6), elements=3, stiffness=SOFT)
    N = 4.0
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.8 * N, 0.6 * N))))
    for node in range(4):
        assert np.allclose(
            solution.slope(body.node(node), step=-1)[:2], (1 + N / 50.0) * np.array([0.8, 0.6]), atol=1e-10
        )
    assert np.allclose(solution.resultant(body, "N", xi=(-1.0, 0.0, 1.0), step=-1), N, atol=1e-8)
    assert np.allclose(solution.reaction(body.start, step=-1)[:2], (-0.8 * N, -0.6 * N), atol=1e-9)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.cross(a, b) if len(a) == 3 else np.array([a[0] * b[1] - a[1] * b[0]])


def static_of(name: str, line: Maker) -> tuple[fx.StaticSolution, np.ndarray, np.ndarray]:
    """A solution, its total load and the moment of the load about the origin, all worked out by hand."""
    dim = 3 if "space" in name else 2
    start, end = ((0.2, -0.1), (1.0, 0.5)) if dim == 2 else ((0.2, -0.1, 0.3), (1.0, 0.5, 0.5))
    body = line(start, end, elements=6, stiffness=SOFT)
    held = fx.Clamp(body.start)
    F = np.array([0.6, -1.1, 0.4][:dim])
    if "distributed" in name or "gravity" in name:
        load = fx.DistributedLoad(body, F) if "distributed" in name else fx.Gravity(F)
        solution = fx.solve_static(fx.Model(body, held, load))
        xi, w = np.polynomial.legendre.leggauss(6)
        group = body.tabulate(solution.system.coordinates.node_dofs[0], 0)
        points = body.element.positions(group, solution.q[-1], xi)
        share = body.length / 6 * w / 2
        moment = sum(s * cross(p, F) for row in points for p, s in zip(row, share, strict=True))
        return solution, F * body.length, moment
    if "moment" in name:
        M = np.array([0.9]) if dim == 2 else np.array([0.4, -0.7, 0.9])
        solution = fx.solve_static(fx.Model(body, held, fx.Moment(body.end, M[0] if dim == 2 else M)))
        t = solution.slope(body.end, step=-1)[:dim]
        felt = M if dim == 2 else M - t * (t @ M) / (t @ t)  # a cable feels no moment about its tangent
        return solution, np.zeros(dim), felt
    solution = fx.solve_static(fx.Model(body, held, fx.PointForce(body.end, F, follower="follower" in name)))
    if "follower" in name:
        t, t0 = solution.slope(body.end, step=-1)[:dim], body.reference[-1, dim:]
        t = t / np.linalg.norm(t)
        if dim == 2:
            c, s = t0 @ t, cross(t0, t)[0]
            F = np.array([[c, -s], [s, c]]) @ F
        else:
            w = np.cross(t0, t)
            F = F + np.cross(w, F) + np.cross(w, np.cross(w, F)) / (1 + t0 @ t)
    return solution, F, cross(solution.position(body.end, step=-1)[:dim], F)


@pytest.mark.parametrize("name", [
    "dead", "follower", "moment", "distributed", "gravity",
    "dead in space", "follower in space", "moment in space", "distributed in space", "gravity in space",
])  # fmt: skip
def test_reactions_balance_the_load(line: Maker, name: str) -> None:
    solution, force, moment = static_of(name, line)
    body = solution.model.bodies[0]
    size = max(np.linalg.norm(force), np.linalg.norm(moment))
    assert np.abs(solution.displacement(body.end, step=-1)).max() > 0.05  # a large displacement
    dim = body.mesh.dim
    reaction, start = (ask(body.start, step=-1)[:dim] for ask in (solution.reaction, solution.position))
    own = solution.reaction_moment(body.start, step=-1)
    about_origin = cross(start, reaction) + (own if dim == 3 else own[2:])
    assert np.allclose(reaction + force, 0.0, atol=1e-8 * size)
    if name == "moment in space":
        # A moment about a fixed axis on a cable, which carries no torsion: only its part across the tangent is carried
        # on, and the clamp cannot take the part along its own tangent.
        across = solution.slope(body.start, step=-1)
        about_origin, moment = (x - across * (across @ x) / (across @ across) for x in (about_origin, moment))
    assert np.allclose(about_origin + moment, 0.0, atol=1e-8 * size)


@pytest.mark.filterwarnings("ignore:Body .* turns by")
def test_beams_with_rotations_balance_too(line: Maker) -> None:
    """Linear beams: moments about the undeformed points."""
    stiffness = fx.BeamStiffness(EA=1e3, EI_z=2.0, GJ=1.0, mass_per_length=1.0)
    F, M = np.array([0.6, -1.1, 0.4]), np.array([0.2, 0.3, -0.5])
    end = np.array([0.8, 0.5, 0.4])
    body = line((0, 0, 0), end, elements=3, element=fx.elements.LinearBeam3D(), stiffness=stiffness)
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, F), fx.Moment(body.end, M)))
    assert np.allclose(solution.reaction(body.start, step=-1), -F, atol=1e-12)
    assert np.allclose(solution.reaction_moment(body.start, step=-1), -M - np.cross(end, F), atol=1e-12)


def test_hinges_join_positions_only(line: Maker) -> None:
    """Two bodies; three at one point; the crossing of two members at their middles; a hinge on a pin."""
    a, b = line((0, 0), (1, 0), 4, name="a"), line((1, 0), (1, -1), 4, name="b")
    c = line((2, 0), (1, 0), 4, name="c")
    load = fx.PointForce(a.end, (0.3, -2.0))
    for joints, others in (
        ([fx.Hinge(a.end, b.start)], [fx.Pin(b.end), b]),
        ([fx.Hinge(a.end, b.start), fx.Hinge(b.start, c.end)], [fx.Pin(b.end), fx.Clamp(c.start), b, c]),
        ([fx.Hinge(c.end, b.start), fx.Hinge(a.end, c.end), fx.Hinge(b.start, a.end)],
         [fx.Pin(b.end), fx.Clamp(c.start), b, c]),
    ):  # fmt: skip
        solution = fx.solve_static(fx.Model(a, fx.Clamp(a.start), *joints, *others, load))
        bodies = solution.model.bodies
        places = [solution.position(x.at((1, 0)), step=-1)[:2] for x in bodies]
        angles = [solution.angle(x.at((1, 0)), step=-1) for x in bodies]
        assert all(np.array_equal(p, places[0]) for p in places)
        assert np.ptp(angles) > 1e-5
        assert np.linalg.norm(solution.reaction(a.end, step=-1)[:2]) < 1e-7  # nothing is supported there
        for x in bodies:  # no moment goes through a hinge
            end = 0 if x.mesh.points[0].tolist() == [1.0, 0.0] else -1
            moments = solution.resultant(x, "M", xi=(-1.0, 1.0), step=-1)
            assert abs(moments[end, end]) < 2e-2 * max(1e-6, np.abs(moments).max())
    x, y = line((-1, 0), (1, 0), 4, name="x"), line((0, -1), (0, 1), 4, name="y")
    crossing = fx.Model(
        x, y, fx.Hinge(x.at((0, 0)), y.at((0, 0))), fx.Clamp(x.start), fx.Clamp(x.end), fx.Roller(y.end, (1, 0)),
        fx.PointForce(y.end, (0.0, -1e-3)),
    )  # fmt: skip
    solution = fx.solve_static(crossing)
    assert np.array_equal(solution.position(x.at((0, 0)), step=-1)[:2], solution.position(y.at((0, 0)), step=-1)[:2])
    # The cross bar carries the whole load: EI u = F L^3 / 192 with L = 2 (clamped at both ends, small displacement).
    assert solution.displacement(x.at((0, 0)), step=-1)[1] == pytest.approx(-1e-3 * 8 / 192, rel=2e-3)
    pins = [fx.Pin(a.start), fx.Pin(b.start), fx.Pin(b.end)]
    pinned = fx.Model(a, b, fx.Hinge(a.end, b.start), *pins, fx.Gravity((0, -1)))
    solution = fx.solve_static(pinned)
    assert np.array_equal(solution.position(a.end, step=-1)[:2], (1.0, 0.0))
    # Half the weight of the beam a, and of the bar b what its axial stiffness gives: one half.
    assert solution.reaction(a.end, step=-1)[1] == pytest.approx(0.5 + 0.5, rel=1e-6)


def test_a_hinge_counts_once_in_the_reaction_of_a_set(line: Maker) -> None:
    """A ring of one body closed by a hinge: both nodes are one point."""
    mesh = fx.meshes.arc((0.0, 0.0), radius=1.0, start_angle=0.0, end_angle=2 * np.pi, elements=8)
    body = fx.FlexibleBody(mesh, fx.elements.ANCFCable2D(), stiffness=SOFT)
    both = fx.Attachment(body, (0, 8), "seam")
    model = fx.Model(body, fx.Hinge(body.node(0), body.node(8)), fx.Clamp(body.node(0)), fx.Gravity((0.0, -0.01)))
    solution = fx.solve_static(model)
    assert solution.reaction(both, step=-1)[:2] == pytest.approx([0.0, 0.01 * body.length], abs=1e-9)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_support_checks_do_not_depend_on_units(line: Maker, size: float) -> None:
    """The same cantilever in other units of length, and a small part on a large one."""
    stiffness = fx.BeamStiffness(EA=1e4, EI_z=size**2, mass_per_length=1.0)
    body = line((0, 0), (size, 0), 4, stiffness=stiffness)
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, -1e-3))))
    assert solution.displacement(body.end, step=-1)[1] == pytest.approx(-1e-3 / 3 * size, rel=1e-5)
    with pytest.raises(fx.ModelError, match=r"body 'b' can .*turn"):
        fx.solve_static(fx.Model(body, fx.Pin(body.start)))
    with pytest.raises(fx.ModelError, match="2 rigid motions are free"):
        fx.solve_static(fx.Model(body, fx.Roller(body.start, (0, 1))))


def test_a_small_part_on_a_large_structure_is_held() -> None:
    element = fx.elements.ANCFCable2D()
    large = fx.FlexibleBody.line(
        (0, 0), (1e4, 0), elements=2, element=element, name="large",
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=1e8, mass_per_length=1.0),
    )  # fmt: skip
    small = fx.FlexibleBody.line((0, 0), (0.01, 0), elements=2, element=element, stiffness=SOFT, name="small")
    fx.solve_static(fx.Model(large, small, fx.Clamp(large.start), fx.Pin(small.start), fx.Roller(small.end, (0, 1))))
    with pytest.raises(fx.ModelError, match=r"body 'small' can .*turn"):
        fx.solve_static(fx.Model(large, small, fx.Clamp(large.start), fx.Pin(small.start)))


def test_soft_and_stiff_springs_both_hold(line: Maker) -> None:
    """A rotational spring beside a penalty of 1e12, and a soft spring in the other direction."""
    body = line()
    for spring in (
        [fx.ElasticSupport(body.start, (1e12, 1e12), rotation=1.0)],
        [fx.ElasticSupport(body.start, (1e-2, 1e9)), fx.ElasticSupport(body.end, (0.0, 1e9))],
    ):
        fx.solve_static(fx.Model(body, *spring, fx.PointForce(body.end, (0.01, -0.01))))
    with pytest.raises(fx.ModelError, match=r"body 'b' can .*turn"):
        fx.solve_static(fx.Model(body, fx.ElasticSupport(body.start, (1.0, 1.0))))
    with pytest.raises(fx.ModelError, match="move along x"):
        fx.solve_static(fx.Model(body, fx.ElasticSupport(body.start, (0.0, 1.0), rotation=1.0)))


def test_a_prescribed_motion_that_prescribes_nothing_is_refused(line: Maker) -> None:
    with pytest.raises(fx.ModelError, match="leaves everything free"):
        fx.Prescribe(line().end, (None, None))
