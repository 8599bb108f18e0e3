"""Closed forms and boundary-value problems of rods: against stored figures, each other, and a Runge-Kutta method."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.verification.reference import catenary, elastica
from flexmbs.verification.reference.data import IDS, load_reference
from flexmbs.verification.reference.rod import ENGINEERING, GREEN, Rod, RodLaw
from flexmbs.verification.reference.rod_problems import (
    cantilever_dead_tip,
    cantilever_follower_tip,
    clamped_clamped_point_load,
    column_under_load,
    diamond_frame,
    quarter_circle_uniform_load,
)
from flexmbs.verification.reference.rod_solver import RodGuess, RodSolution, solve_rod

LOADS = (0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
LAWS = pytest.mark.parametrize("law", [ENGINEERING, GREEN], ids=["engineering", "green"])


def integrated_tip(solution: RodSolution) -> list[float]:
    """x, y, theta, M at the end by Runge-Kutta from the start, with the energies written down anew."""
    rod = solution.rod

    def rates(S: float, state: np.ndarray) -> list[float]:
        theta, moment = state[2], state[3]
        n = solution.force[0] - S * np.array(rod.load)
        t, normal = np.array([math.cos(theta), math.sin(theta)]), np.array([-math.sin(theta), math.cos(theta)])
        if rod.law.green:  # minimum of the energy minus the work of n and M over stretch and turn, by bisection

            def balance(a: float) -> float:
                return rod.EA * (a * a - 1) / 2 * a - moment * (rod.kappa0 + a * moment / rod.EI) - n @ t

            low, high = 0.8, 1.25
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if balance(middle) < 0 else (low, middle)
            stretch = (low + high) / 2
            turn = stretch * (rod.kappa0 + moment * stretch / rod.EI)
        else:
            stretch, turn = 1 + n @ t / rod.EA, rod.kappa0 + moment / rod.EI
        return [stretch * t[0], stretch * t[1], turn, -stretch * (n @ normal)]

    start = [0.0, 0.0, solution.theta[0], solution.M[0]]
    run = solve_ivp(rates, (0, rod.length), start, method="DOP853", rtol=1e-12, atol=1e-13)
    return [float(value) for value in run.y[:, -1]]


@pytest.mark.parametrize("load", LOADS)
def test_elastica_against_the_stored_figures_and_the_rod(load: float) -> None:
    tip = elastica.cantilever_tip_load(load)
    stored = load_reference("s01")
    assert tip.theta == pytest.approx(stored.value(f"PL2_over_EI={load:g} tip rotation"), abs=2e-14)
    assert 1.0 - tip.x == pytest.approx(stored.value(f"PL2_over_EI={load:g} horizontal shortening u/L"), abs=2e-14)
    assert tip.y == pytest.approx(stored.value(f"PL2_over_EI={load:g} vertical deflection w/L"), abs=2e-14)
    solution = cantilever_dead_tip(load)
    assert solution.error <= 1e-12
    assert solution.tip == pytest.approx(tip, abs=1e-13)


@pytest.mark.parametrize("turns", [0.25, 0.5, 1, 2])
def test_arc_under_a_tip_moment(turns: float) -> None:
    tip = elastica.cantilever_tip_moment(2 * math.pi * turns)
    stored = load_reference("s02")
    for name, value in zip(("tip x/L", "tip y/L", "tip rotation"), tip, strict=True):
        assert value == pytest.approx(stored.value(f"M={turns:g}*2piEI/L {name}"), abs=1e-13)
    assert solve_rod(Rod(EI=1.0, EA=100.0, moment=2 * math.pi * turns)).tip == pytest.approx(tip, abs=1e-12)


@pytest.mark.parametrize("degrees", [20, 40, 60, 80, 100, 120, 140, 160, 176])
def test_buckled_column_against_the_stored_figures(degrees: int) -> None:
    column = elastica.buckled_column(math.radians(degrees))
    stored = load_reference("s07")
    for name, value in zip(("P/Pcr", "tip x/L", "tip y/L"), column, strict=True):
        assert value == pytest.approx(stored.value(f"alpha={degrees} deg {name}"), abs=5e-14)


@pytest.mark.parametrize("degrees", [20, 60, 140])
def test_column_with_a_vanishing_imperfection_is_the_elastica(degrees: int) -> None:
    column = elastica.buckled_column(math.radians(degrees))
    x, y, theta = column_under_load(column.load * math.pi**2 / 4, side=1e-9).tip
    assert (x, y) == pytest.approx((column.x, column.y), abs=1e-6)
    assert theta == pytest.approx(math.radians(degrees), abs=1e-6)


@pytest.mark.parametrize("side", [1e-6, 1e-3, -1e-3])
@pytest.mark.parametrize("load", [2.6, 5.0, 20.0])
def test_column_stays_on_the_branch_of_its_imperfection(load: float, side: float) -> None:
    _, y, theta = column_under_load(load, side=side, axial=1e6).tip
    assert y * side > 0
    assert theta * side > 0


@pytest.mark.parametrize("force", [100, 300, 500, 640, 700])
def test_clamped_beam_against_the_stored_figures(force: float) -> None:
    stored = load_reference("s05")
    values = stored.parameters
    area = values["b"] * values["h"]
    EI = values["E"] * values["b"] * values["h"] ** 3 / 12
    beam = clamped_clamped_point_load(EI, values["E"] * area, values["L"], force)
    assert beam.half.error <= 1e-12
    deflection = stored.reference(f"shear rigid P={force} central deflection")
    reaction = stored.reference(f"shear rigid P={force} horizontal support reaction")
    assert beam.deflection == pytest.approx(deflection.value, abs=deflection.uncertainty)
    assert beam.reaction == pytest.approx(reaction.value, abs=reaction.uncertainty)


@pytest.mark.parametrize("load", [1, 2, 4, 6, 8, 10])
@pytest.mark.parametrize(("sense", "sign"), [("tension", 1), ("compression", -1)])
def test_diamond_frame_against_the_stored_figures(load: int, sense: str, sign: int) -> None:
    frame = diamond_frame(sign * load)
    stored = load_reference("s04")
    names = [name for name in stored.quantities if name.startswith(f"{sense} PL2/EI={load} ")]
    assert len(names) == 3
    for name, value in zip(names, frame[:3], strict=True):
        assert value == pytest.approx(stored.value(name), abs=1e-11)


@LAWS
@pytest.mark.parametrize(
    "make",
    [
        lambda law: cantilever_dead_tip(10.0, 1e3, law),
        lambda law: cantilever_follower_tip(5.0, 1e3, law),
        lambda law: quarter_circle_uniform_load(5.0, 1e3, law),
        lambda law: quarter_circle_uniform_load(-2.0, 1e4, law),
        lambda law: column_under_load(3.0, curvature=0.1, axial=1e3, law=law),
        lambda law: solve_rod(Rod(2.0, 500.0, 3.0, force=(1.0, -0.3), load=(0.2, 0.1), moment=0.4, law=law)),
    ],
    ids=["dead", "follower", "arc down", "arc up", "column", "everything"],
)  # fmt: skip
def test_rods_against_runge_kutta(make, law: RodLaw) -> None:  # type: ignore[no-untyped-def]
    solution = make(law)
    assert solution.error <= 1e-12
    x, y, theta, moment = integrated_tip(solution)
    assert (x, y, theta) == pytest.approx(solution.tip, abs=2e-11)
    assert moment == pytest.approx(solution.rod.moment, abs=2e-11)


@LAWS
def test_shape_is_a_minimum_of_the_energy(law: RodLaw) -> None:
    """No derivation here: the energy of neighbouring shapes minus the work of the load must not fall."""
    solution = solve_rod(Rod(EI=1.0, EA=50.0, kappa0=0.7, force=(-0.4, 0.8), law=law))
    S = np.linspace(0.0, 1.0, 4001)
    shape = solution.at(S)[:, :2]

    def energy(r: np.ndarray) -> float:
        d1 = np.gradient(r, S, axis=0, edge_order=2)
        d2 = np.gradient(d1, S, axis=0, edge_order=2)
        stretch = np.hypot(*d1.T)
        turn = (d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]) / stretch**2
        strain, bend = ((stretch**2 - 1) / 2, turn / stretch - 0.7) if law.green else (stretch - 1, turn - 0.7)
        density = 25.0 * strain**2 + 0.5 * bend**2
        return float(np.sum((density[1:] + density[:-1]) / 2 * np.diff(S)) - r[-1] @ [-0.4, 0.8])

    for direction in ((S**2, 0 * S), (0 * S, S**2), (S**3, S**2), (0 * S, S**2 * np.sin(3 * S))):
        bump = np.stack(direction, axis=-1)
        slope = (energy(shape + 1e-4 * bump) - energy(shape - 1e-4 * bump)) / 2e-4
        curvature = (energy(shape + 1e-4 * bump) + energy(shape - 1e-4 * bump) - 2 * energy(shape)) / 1e-8
        assert abs(slope) < 2e-5 * curvature
        assert curvature > 0


def test_laws_agree_for_small_strains_and_differ_otherwise() -> None:
    stiff = [cantilever_dead_tip(2.0, 1e8, law).tip for law in (ENGINEERING, GREEN)]
    soft = [cantilever_dead_tip(2.0, 1e2, law).tip for law in (ENGINEERING, GREEN)]
    assert stiff[0] == pytest.approx(stiff[1], abs=1e-7)
    assert max(abs(a - b) for a, b in zip(*soft, strict=True)) > 1e-4


def test_values_between_the_points() -> None:
    solution = cantilever_dead_tip(1.0)
    assert solution.at(1.0) == pytest.approx(solution.tip, abs=1e-15)
    coarse = solve_rod(solution.rod, points=24, refine=False)
    assert coarse.at(np.array([0.0, 0.37])) == pytest.approx(solution.at([0.0, 0.37]), abs=1e-12)


def test_catenary_against_the_stored_figures() -> None:
    stored = load_reference("s13")
    values = stored.parameters
    cable = catenary.elastic_catenary(values["EA"], values["w"], values["L0"], values["span"], values["drop"])
    assert pytest.approx(stored.value("horizontal tension H"), abs=1e-11) == cable.H
    assert pytest.approx(stored.value("vertical force at the upper support (s=0)"), abs=1e-11) == cable.V
    assert cable.sag_point == pytest.approx(
        stored.value("sag point: unstretched arc length from the upper support"), abs=1e-12
    )
    x, depth = cable.position(cable.sag_point)
    assert x == pytest.approx(stored.value("sag point: horizontal distance"), abs=1e-12)
    assert depth == pytest.approx(stored.value("sag point: depth below the upper support"), abs=1e-12)
    for axis in (0, 1):
        assert cable.position(50.0)[axis] == pytest.approx(stored.value("position (x, depth) at s=50", axis), abs=1e-12)


@pytest.mark.parametrize(
    ("length", "span", "drop"), [(100, 99.9, 0), (100, 10, 50), (100, 100.5, 0), (200, 5, -30), (1, 0.5, 0)]
)
def test_catenaries_end_where_they_should(length: float, span: float, drop: float) -> None:
    cable = catenary.elastic_catenary(1e6, 10.0, length, span, drop)
    assert cable.position(length) == pytest.approx([span, drop], abs=1e-12 * length)
    assert cable.H > 0


def test_bending_moves_a_cable_in_proportion_to_its_stiffness() -> None:
    cable = catenary.elastic_catenary(1e6, 10.0, 100.0, 80.0, 20.0)
    shifts = []
    for EI in (2.0, 20.0):
        bent = catenary.cable_with_bending(EI, 1e6, 10.0, 100.0, 80.0, 20.0)
        assert bent.error < 1e-10
        shifts.append((bent.at(50.0)[:2] * [1, -1] - cable.position(50.0)) / EI)
    assert shifts[0] == pytest.approx(shifts[1], rel=0.01)
    assert np.abs(shifts[0]).max() < 2e-5


def test_cable_too_thin_for_its_grid() -> None:
    with pytest.raises(ModelError, match="give points="):
        catenary.cable_with_bending(1e-3, 1e6, 10.0, 100.0, 80.0, 20.0, points=100)


def test_equilibrium_that_does_not_exist() -> None:
    with pytest.raises(ConvergenceError):
        solve_rod(Rod(EI=1.0, EA=2.0, force=(-3.0, 0.0)))


def test_guess_that_is_not_finite() -> None:
    guess = RodGuess(np.full(41, np.nan), np.zeros(41), np.zeros(2))
    with pytest.raises(ModelError, match="guess: theta must be finite"):
        solve_rod(Rod(EI=1.0, EA=1e3), guess=guess)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Rod(EI=0.0, EA=1.0),
        lambda: Rod(EI=1.0, EA=-1.0),
        lambda: Rod(EI=1.0, EA=math.inf, law=GREEN),
        lambda: Rod(EI=1.0, EA=1.0, length=0.0),
        lambda: Rod(EI=1.0, EA=1.0, force=(1.0,)),  # type: ignore[arg-type]
        lambda: Rod(EI=1.0, EA=1.0, end_x=math.nan),
        lambda: elastica.cantilever_tip_load(0.0),
        lambda: elastica.cantilever_tip_load(30.0),
        lambda: elastica.buckled_column(math.pi),
        lambda: catenary.elastic_catenary(0.0, 1.0, 1.0, 1.0, 0.0),
        lambda: load_reference("s99"),
        lambda: load_reference("s01").value("tip"),
        lambda: load_reference("s13").value("position (x, depth) at s=50"),
        lambda: load_reference("s13").value("horizontal tension H", 0),
        lambda: load_reference("e01").value("pinned-pinned beta_n L, n=1..5", 5),
    ],
)
def test_bad_input_is_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ModelError):
        make()


COARSE = ("s10", "e09", "shell-obstacles", "beam-on-stop")


@pytest.mark.parametrize("identity", IDS)
def test_every_stored_figure_has_a_source_and_an_error(identity: str) -> None:
    stored = load_reference(identity)
    assert stored.source
    for name, quantity in stored.quantities.items():
        if isinstance(quantity["value"], list) and isinstance(quantity["value"][0], list):  # a table
            assert np.isfinite(np.asarray(quantity["value"])).all()
            assert 0 <= quantity["ref_error"] < 1e-5
            continue
        count = len(quantity["value"]) if isinstance(quantity["value"], list) else None
        for index in [None] if count is None else range(count):
            reference = stored.reference(name, index)
            # those of motions, plates and shells come from meshes, series and published tables
            share = 3e-3 if identity in COARSE else 2e-3 if identity.startswith("d") else 0.0
            share = 5e-3 if identity in ("s08c", "s08d", "s08e") else share  # shells that bend far
            share = 3e-4 if identity in ("s11b", "n14") else share  # at a limit point the path is flat
            share = 5e-3 if identity == "n25" else share  # shells that snap, by four programs
            assert 0 <= reference.uncertainty < (share * max(1.0, abs(reference.value)) or 1e-5)
            assert reference.source == stored.source
