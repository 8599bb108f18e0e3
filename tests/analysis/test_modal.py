"""Modal analysis: closed forms, rigid motions, prestress, follower loads, and what is refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbs as fx
from tests.models.at_coordinates import held, linearised

Maker = Callable[..., fx.FlexibleBody]
THIN = fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0)


def betas(count: int, function: Callable[[float], float]) -> np.ndarray:
    """First roots beyond 1 of a frequency equation in beta L."""
    x = np.linspace(1.0, 4 * count + 4.0, 4000)
    y = np.array([function(v) for v in x])
    changes = np.flatnonzero(y[:-1] * y[1:] < 0)[:count]
    return np.array([brentq(function, x[i], x[i + 1], xtol=1e-14) for i in changes])


FREE_FREE = betas(3, lambda b: np.cos(b) - 1 / np.cosh(b))
CLAMPED_FREE = betas(3, lambda b: np.cos(b) + 1 / np.cosh(b))


@pytest.mark.parametrize(("held", "exact"), [
    (lambda b: [fx.Pin(b.start), fx.Pin(b.end)], np.pi * np.arange(1, 4)),
    (lambda b: [fx.Clamp(b.start)], CLAMPED_FREE),
    (lambda b: [fx.Clamp(b.start), fx.Clamp(b.end)], FREE_FREE),
    (lambda b: [fx.Guide(b.start, (1, 0)), fx.Pin(b.end)], np.pi * (np.arange(1, 4) - 0.5)),
])  # fmt: skip
@pytest.mark.parametrize("element", [fx.elements.ANCFCable2D(), fx.elements.LinearBeam2D()])
def test_frequencies_converge_with_fourth_order(line: Maker, held: Any, exact: np.ndarray, element: Any) -> None:
    """omega = (beta L)^2 sqrt(EI / m L^4)."""
    errors = []
    for elements in (4, 8, 16):
        body = line(elements=elements, stiffness=THIN, element=element)
        modes = fx.solve_modal(fx.Model(body, *held(body)), modes=3)
        errors.append(np.abs(modes.angular_frequencies - exact**2) / exact**2)
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(errors[-1] < 2e-4)
    assert np.all(rates[-1] > 3.9)


@pytest.mark.parametrize("elements", [10, 60])
def test_free_bodies_have_exactly_their_rigid_motions(line: Maker, elements: int) -> None:
    """3 in the plane, 5 of a straight cable in space (it cannot tell spin), one more for a hinge; dense and Lanczos."""
    planar = line((0.3, 0.2), (1.1, 0.8), elements, stiffness=THIN)
    spatial = line((0.1, 0.2, 0.3), (0.7, 1.0, 0.3), elements, stiffness=THIN)
    other = line((1.1, 0.8), (1.9, 1.4), elements, stiffness=THIN, name="c")
    for items, count, first in (
        ([planar], 3, FREE_FREE[0] ** 2), ([spatial], 5, FREE_FREE[0] ** 2),
        ([planar, other, fx.Hinge(planar.end, other.start)], 4, None),
        ([planar, fx.Pin(planar.start)], 1, None),
    ):  # fmt: skip
        modes = fx.solve_modal(fx.Model(*items), modes=count + 2)
        omega2 = np.abs(modes.eigenvalues)
        assert np.all(omega2[:count] < 1e-4 * omega2[count])
        if first is not None:
            assert modes.angular_frequencies[count] == pytest.approx(first, rel=1e-3)


def test_lanczos_equals_dense(line: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    from flexmbs.analysis import roots

    body = line((0.3, 0.2), (1.1, 0.8), elements=80, stiffness=THIN)
    spring = fx.ElasticSupport(body.end, (30.0, 50.0), rotation=2.0)
    model = fx.Model(body, fx.Clamp(body.start), spring, fx.PointForce(body.end, (2.0, -3.0)))
    solution = fx.solve_static(model)
    assert solution.system.n > 200
    lanczos = fx.solve_modal(solution, modes=8)
    monkeypatch.setattr(roots, "DIRECT", 10_000)
    dense = fx.solve_modal(solution, modes=8)
    assert np.allclose(lanczos.eigenvalues, dense.eigenvalues, rtol=1e-7)
    M = solution.system.mass_matrix
    overlap = [abs(a @ (M @ b)) for a, b in zip(lanczos.vectors.T, dense.vectors.T, strict=True)]
    assert np.allclose(overlap, 1.0, atol=1e-7)


@pytest.mark.parametrize("elements", [8, 60])
def test_modes_have_unit_modal_mass_and_solve_the_problem(line: Maker, elements: int) -> None:
    body = line(elements=elements, stiffness=THIN)
    modes = fx.solve_modal(fx.Model(body, fx.Clamp(body.start), fx.Roller(body.end, (1, 3))), modes=5)
    system = modes.system
    mass = modes.vectors.T @ (system.mass_matrix @ modes.vectors)
    assert np.allclose(mass, np.eye(5), atol=1e-8)
    lin = linearised(held(system), modes.q)
    turned = np.array([system.fixation.to_frames(v, system.fixation.frames0)[lin.free] for v in modes.vectors.T]).T
    K, M = lin.K, lin.M
    rest = K @ turned - (M @ turned) * modes.eigenvalues
    assert np.abs(rest).max() < 1e-6 * np.abs(K @ turned).max()
    for j in range(5):  # supports hold in the modes, too
        assert np.allclose(modes.displacement(body.start, j)[:2], 0.0, atol=1e-12)
        assert modes.displacement(body.end, j)[:2] @ (1, 3) == pytest.approx(0.0, abs=1e-12)


def test_all_modes_of_a_large_model(line: Maker) -> None:
    """As many as there are unknowns; their sum of omega^2 is the trace of M^-1 K."""
    body = line(elements=55, stiffness=fx.BeamStiffness(EA=10.0, EI_z=1.0, mass_per_length=1.0))
    model = fx.Model(body, fx.Clamp(body.start))
    system = fx.compile_model(model)
    modes = fx.solve_modal(system, modes=system.n)
    assert len(modes) == system.n > 200
    lin = linearised(held(system), modes.q)
    trace = np.trace(np.linalg.solve(lin.M.toarray(), lin.K.toarray()))
    rounding = np.finfo(float).eps * modes.eigenvalues[-1] / modes.eigenvalues[0]  # low modes come first, and exact
    assert modes.eigenvalues.sum() == pytest.approx(trace, rel=1e-8 + rounding)
    with pytest.raises(fx.ModelError, match=f"{system.n} unknowns"):
        fx.solve_modal(system, modes=system.n + 1)


def test_a_string_under_tension(line: Maker) -> None:
    """omega_n^2 = (n pi)^2 (N (n pi)^0 + EI (n pi)^2) / m for a pinned beam of length one in tension."""
    for N in (50.0, -5.0, -0.99 * np.pi**2):
        body = line(elements=24, stiffness=THIN)
        held = [fx.Pin(body.start), fx.Roller(body.end, (0, 1))]
        solution = fx.solve_static(fx.Model(body, *held, fx.PointForce(body.end, (N, 0.0))))
        modes = fx.solve_modal(solution, modes=3)
        k = np.pi * np.arange(1, 4)
        assert modes.eigenvalues == pytest.approx(k**2 * (N + k**2), rel=2e-4, abs=0.02)


def test_an_unstable_mode_cannot_be_overlooked(line: Maker) -> None:
    body = line(elements=16, stiffness=THIN)
    held = [fx.Pin(body.start), fx.Roller(body.end, (0, 1))]
    N = -1.5 * np.pi**2
    with pytest.warns(RuntimeWarning, match="unstable"):
        solution = fx.solve_static(fx.Model(body, *held, fx.PointForce(body.end, (N, 0.0))))
    with pytest.warns(RuntimeWarning, match="1 modes are unstable"):
        modes = fx.solve_modal(solution, modes=3)
    # omega^2 = pi^2 (N + pi^2) = -0.5 pi^4
    assert modes.eigenvalues[0] == pytest.approx(-0.5 * np.pi**4, rel=1e-3)
    assert modes.angular_frequencies[0] == pytest.approx(-(np.pi**2) * np.sqrt(0.5), rel=1e-3)
    assert np.all(modes.angular_frequencies[1:] > 0)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_instability_is_told_in_every_unit_of_time(line: Maker, unit: float) -> None:
    """The same column with another unit of time: masses grow with its inverse square; rigid motions never warn."""
    stiffness = fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=unit**-2)
    body = line(elements=12, stiffness=stiffness)
    held = [fx.Pin(body.start), fx.Roller(body.end, (0, 1))]
    with pytest.warns(RuntimeWarning, match="unstable"):
        solution = fx.solve_static(fx.Model(body, *held, fx.PointForce(body.end, (-1.5 * np.pi**2, 0.0))))
    with pytest.warns(RuntimeWarning, match="1 modes are unstable"):
        fx.solve_modal(solution, modes=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.solve_modal(fx.Model(body), modes=3)
        fx.solve_modal(fx.Model(body), modes=6)


def beck(line: Maker, load: float, elements: int) -> fx.ModalSolution:
    body = line(elements=elements, stiffness=THIN)
    follower = fx.PointForce(body.end, (-load, 0.0), follower=True)
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), follower))
    return fx.solve_modal(solution, modes=2)


@pytest.mark.parametrize("elements", [12, 60])
def test_becks_column_flutters_at_20_05(line: Maker, elements: int) -> None:
    """A clamped-free column under a follower force: real frequencies below 20.05 EI/L^2, a complex pair above.

    Below, the characteristic equation (M. Beck, 1952) with a, b = sqrt(sqrt(P^2/4 + w^2) -+ P/2):
    P^2 + 2 w^2 (1 + cosh a cos b) + P w sinh a sin b = 0.
    """

    def equation(w: float, P: float) -> float:
        root = np.sqrt(P**2 / 4 + w**2)
        a, b = np.sqrt(root - P / 2), np.sqrt(root + P / 2)
        return P**2 + 2 * w**2 * (1 + np.cosh(a) * np.cos(b)) + P * w * np.sinh(a) * np.sin(b)

    for P, brackets in ((5.0, ((1, 8), (15, 25))), (15.0, ((1, 9), (12, 20))), (19.9, ((5, 10.9), (11.2, 15)))):
        modes = beck(line, P, elements)
        assert not modes.conservative
        assert np.all(np.isreal(modes.eigenvalues))
        exact = [brentq(equation, *bracket, args=(P,)) for bracket in brackets]
        assert modes.angular_frequencies == pytest.approx(exact, rel=2e-3)
    assert np.all(np.isreal(beck(line, 20.0, elements).eigenvalues))
    with pytest.warns(RuntimeWarning, match="flutter"):
        modes = beck(line, 20.1, elements)
    assert np.all(np.abs(np.imag(modes.eigenvalues)) > 1.0)
    assert modes.eigenvalues[0] == pytest.approx(np.conj(modes.eigenvalues[1]))


def test_states_that_are_no_equilibrium_are_refused(line: Maker) -> None:
    body = line(stiffness=THIN)
    model = fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, -1.0)))
    solution = fx.solve_static(model)
    from dataclasses import replace

    q = np.array(solution.q)
    q[-1, -3] += 1e-3
    with pytest.raises(fx.ModelError, match=r"not an equilibrium: the force on .* of body 'b'"):
        fx.solve_modal(replace(solution, q=q))
    with pytest.raises(fx.ModelError, match="not an equilibrium"):
        fx.solve_modal(replace(solution, scales=2.0 * np.array(solution.scales)))


@pytest.mark.parametrize("seed", range(20))
def test_every_stress_free_shape_is_an_equilibrium(seed: int) -> None:
    """Straight and curved bodies of any size, place and stiffness."""
    rng = np.random.default_rng(seed)
    stiffness = fx.BeamStiffness(EA=10 ** rng.uniform(0, 9), EI_z=10 ** rng.uniform(-6, 3), mass_per_length=1.0)
    centre, radius = rng.uniform(-50, 50, 2), 10 ** rng.uniform(-3, 3)
    arc = fx.meshes.arc(
        tuple(centre),
        radius=radius,
        start_angle=0.3,
        end_angle=0.3 + rng.uniform(0.2, 2.0),
        elements=int(rng.integers(4, 30)),
    )
    line = fx.meshes.line(tuple(centre), tuple(centre + radius * rng.uniform(-1, 1, 2)), int(rng.integers(1, 30)))
    for mesh in (arc, line):
        body = fx.FlexibleBody(mesh, fx.elements.ANCFCable2D(), stiffness=stiffness)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            assert len(fx.solve_modal(fx.Model(body, fx.Clamp(body.node(0))), modes=2)) == 2


def test_coordinates_without_mass(line: Maker) -> None:
    """A spatial beam without rotary inertia has no mass in its twist: its bending modes are those of the planar one."""
    stiffness = fx.BeamStiffness(EA=1e6, EI_z=1.0, EI_y=4.0, GJ=1.0, mass_per_length=1.0)
    body = line((0, 0, 0), (1, 0, 0), elements=8, element=fx.elements.LinearBeam3D(), stiffness=stiffness)
    modes = fx.solve_modal(fx.Model(body, fx.Clamp(body.start)), modes=2)
    assert modes.angular_frequencies == pytest.approx(CLAMPED_FREE[0] ** 2 * np.array([1.0, 2.0]), rel=1e-5)


@pytest.mark.parametrize(("model", "count", "message"), [
    (None, 3, "expected a Model"), ("m", 0, "at least 1"), ("m", 1.5, "whole number"), ("m", True, "whole number"),
    ("m", 10**6, "ask for fewer"),
])  # fmt: skip
def test_bad_calls(line: Maker, model: Any, count: Any, message: str) -> None:
    body = line()
    with pytest.raises(fx.ModelError, match=message):
        fx.solve_modal(fx.Model(body, fx.Clamp(body.start)) if model == "m" else model, count)
    modes = fx.solve_modal(fx.Model(body, fx.Clamp(body.start)), 2)
    for number in (2, -1, 0.5, "0", True):
        with pytest.raises(fx.ModelError, match="mode"):
            modes.displacement(body.end, number)[:2]


@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_free_motions_stand_once_in_damped_models_as_well(damping: float) -> None:
    """Three masses on a line in the plane, two springs: six freedoms, four of them free, k / m and 3 k / m."""
    masses = [fx.PointMass(1.0, position=(float(i), 0.0), name=f"mass {i}") for i in range(3)]
    springs = [
        fx.SpringDamper(masses[i].centre, masses[i + 1].centre, stiffness=100.0, damping=damping, name=f"spring {i}")
        for i in range(2)
    ]
    modes = fx.solve_modal(fx.Model(*masses, *springs))
    assert len(modes) == 6
    np.testing.assert_allclose(modes.natural_frequencies[4:], np.sqrt([100.0, 300.0]) / (2.0 * np.pi), rtol=1e-9)
    np.testing.assert_allclose(modes.roots[:4], 0.0, atol=1e-6)
    assert not modes.growing.any()
    assert np.linalg.matrix_rank(np.hstack((modes.vectors.real, modes.vectors.imag))) == 6


def test_a_freedom_that_creeps_has_two_roots() -> None:
    """m s^2 + c s + k with c above 2 sqrt(k m): 1, 5 and 4; and without a spring: 0 and -5, neither of them twice."""
    for stiffness, wanted in ((4.0, [-1.0, -4.0]), (0.0, [0.0, -5.0])):
        mass = fx.PointMass(1.0, position=(0.0, 0.0), name="mass")
        hold = fx.Bushing(fx.ground.marker((0, 0, 0)), mass.centre, (stiffness, 100.0), damping=(5.0, 0.0), name="hold")
        modes = fx.solve_modal(fx.Model(mass, hold))
        real = np.sort(modes.roots.real[modes.roots.imag == 0.0])[::-1]
        np.testing.assert_allclose(real, wanted, atol=1e-9)
