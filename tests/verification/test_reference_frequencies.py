"""Natural frequencies in closed form: against stored figures, each other, and simple discretisations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.polynomial.laguerre import lagroots
from scipy.linalg import eigh, expm

from flexmbs.core.errors import ModelError
from flexmbs.verification.reference import chains, frequencies
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.rod import ENGINEERING, GREEN, Rod, RodLaw
from flexmbs.verification.reference.rod_solver import solve_rod

BEAM = {"EI": 210e9 * 0.05 * 0.1**3 / 12, "GA": 5 / 6 * 210e9 / 2.6 * 0.005, "mass": 7850 * 0.005,
        "inertia": 7850 * 0.05 * 0.1**3 / 12, "length": 1.0}  # fmt: skip


@pytest.mark.parametrize(
    ("ends", "name"),
    [
        ("pinned pinned", "pinned-pinned"),
        ("clamped free", "clamped-free"),
        ("free clamped", "clamped-free"),
        ("clamped clamped", "clamped-clamped (= free-free elastic)"),
        ("free free", "clamped-clamped (= free-free elastic)"),
        ("clamped pinned", "clamped-pinned (= free-pinned elastic)"),
        ("free pinned", "clamped-pinned (= free-pinned elastic)"),
        ("clamped guided", "clamped-guided (= free-guided elastic)"),
        ("guided free", "clamped-guided (= free-guided elastic)"),
        ("pinned guided", "pinned-guided"),
        ("guided guided", "guided-guided elastic"),
    ],
)
def test_beam_roots_against_the_stored_figures(ends: str, name: str) -> None:
    roots = frequencies.beam_roots(*ends.split(), 5)
    expected = [load_reference("e01").value(f"{name} beta_n L, n=1..5", n) for n in range(5)]
    assert roots == pytest.approx(expected, rel=2e-14)


def test_high_roots_do_not_overflow() -> None:
    roots = frequencies.beam_roots("clamped", "clamped", 60)
    assert roots[-1] == pytest.approx(60.5 * math.pi, rel=1e-13)


def test_units_of_beam_frequencies() -> None:
    plain = frequencies.beam_frequencies("clamped", "free", 3)
    scaled = frequencies.beam_frequencies("clamped", "free", 3, bending=7.0, mass=0.3, length=2.0)
    assert scaled == pytest.approx(plain * math.sqrt(7.0 / 0.3) / 4.0, rel=1e-14)


@pytest.mark.parametrize("tension", [-9.0, -1.0, 0.0, 5.0, 500.0])
def test_pinned_beam_under_axial_force(tension: float) -> None:
    omega = frequencies.beam_frequencies("pinned", "pinned", 4, tension=tension)
    k = math.pi * np.arange(1, 5)
    assert omega == pytest.approx(k * np.sqrt(tension + k**2), rel=1e-11)


@pytest.mark.parametrize("ends", ["clamped clamped", "clamped free", "clamped pinned", "clamped guided"])
@pytest.mark.parametrize("tension", [-2.0, 20.0])
def test_beam_under_axial_force_against_rayleigh_ritz(ends: str, tension: float) -> None:
    """Polynomials that meet the geometric conditions, with the energies of bending and of the axial force."""
    start, end = ends.split()
    legendre = np.polynomial.legendre
    x, w = legendre.leggauss(60)
    x, w = (x + 1) / 2, w / 2
    factor = np.polynomial.Polynomial([0, 0, 1.0])
    one = np.polynomial.Polynomial([1.0, -1.0])
    factor *= {"clamped": one * one, "pinned": one, "free": 1.0, "guided": 1.0}[end]
    shift = np.polynomial.Polynomial([-1, 2])
    shapes = [factor * np.polynomial.Polynomial(legendre.leg2poly(row))(shift) for row in np.eye(14)]
    if end == "guided":
        slope = np.array([shape.deriv()(1.0) for shape in shapes])
        keep = np.linalg.svd(slope[None])[2][1:]
    else:
        keep = np.eye(14)
    v, v1, v2 = (keep @ np.array([shape.deriv(m)(x) if m else shape(x) for shape in shapes]) for m in (0, 1, 2))
    assert start == "clamped"
    values = eigh(v2 * w @ v2.T + tension * v1 * w @ v1.T, v * w @ v.T, eigvals_only=True)
    omega = frequencies.beam_frequencies(start, end, 3, tension=tension)
    assert omega == pytest.approx(np.sqrt(values[:3]), rel=1e-7)


def test_timoshenko_against_the_stored_figures() -> None:
    stored = load_reference("e02")
    modes = [frequencies.timoshenko_simply_supported(n, **BEAM) for n in range(1, 6)]
    for n, (low, _) in enumerate(modes):
        assert low == pytest.approx(stored.value("SS bending branch omega_1..5", n), rel=1e-12)
    for n, (_, high) in enumerate(modes[:2]):
        assert high == pytest.approx(stored.value("SS shear (second) branch omega_1..2", n), rel=1e-12)
    cutoff = frequencies.timoshenko_cutoff(GA=BEAM["GA"], inertia=BEAM["inertia"])
    assert cutoff == pytest.approx(stored.value("pure thickness-shear cut-off sqrt(ks G A/(rho I))"), rel=1e-12)
    free = frequencies.timoshenko_frequencies("clamped", "free", 4, **BEAM)
    for n in range(4):
        assert free[n] == pytest.approx(stored.value("CF omega_1..4", n), rel=1e-12)


def test_timoshenko_determinant_of_pinned_ends_is_the_closed_form() -> None:
    omega = frequencies.timoshenko_frequencies("pinned", "pinned", 5, **BEAM)
    assert omega == pytest.approx(
        [frequencies.timoshenko_simply_supported(n, **BEAM)[0] for n in range(1, 6)], rel=1e-12
    )


@pytest.mark.parametrize("ends", ["clamped clamped", "clamped pinned", "free free", "guided pinned"])
def test_timoshenko_against_the_transfer_matrix(ends: str) -> None:
    """At each frequency the transfer matrix over the beam must be singular between the end conditions."""
    rows = {"clamped": (0, 1), "pinned": (0, 2), "guided": (1, 3), "free": (2, 3)}
    start, end = ends.split()
    EI, GA, mass, inertia, length = BEAM.values()
    scale = np.diag([1.0, 1.0, EI, EI])

    def determinant(omega: float) -> float:
        A = np.array(
            [[0, 1, 0, 1 / GA], [0, 0, 1 / EI, 0], [0, -inertia * omega**2, 0, -1], [-mass * omega**2, 0, 0, 0]]
        )
        T = np.linalg.inv(scale) @ expm(A * length) @ scale
        free = [i for i in range(4) if i not in rows[start]]
        return float(np.linalg.det(T[np.ix_(rows[end], free)]))

    for omega in frequencies.timoshenko_frequencies(start, end, 3, **BEAM):
        around = [determinant(omega * (1 + d)) for d in (-1e-6, 1e-6)]
        assert around[0] * around[1] < 0
        assert abs(determinant(omega)) < 1e-4 * abs(around[0])


def test_thin_timoshenko_beam_is_an_euler_bernoulli_beam() -> None:
    omega = frequencies.timoshenko_frequencies("clamped", "pinned", 3, EI=1, GA=1e10, mass=1, inertia=1e-10, length=1)
    assert omega == pytest.approx(frequencies.beam_roots("clamped", "pinned", 3) ** 2, rel=1e-6)


def test_hanging_chain_against_the_stored_figures() -> None:
    omega = chains.hanging_chain(10.0, 9.81, 5)
    stored = load_reference("e05")
    name = "continuous chain omega_n = j0n/2 sqrt(g/L), n=1..5"
    assert omega == pytest.approx([stored.value(name, n) for n in range(5)], rel=1e-14)


@pytest.mark.parametrize("name", [name for name in load_reference("e05").quantities if name.startswith("N=")])
def test_discrete_chains_against_the_stored_figures(name: str) -> None:
    count = int(name[2:].split()[0])
    values = chains.point_masses(count) if "point masses" in name else chains.hinged_bars(count)
    stored = load_reference("e05").quantities[name]["value"]
    assert values[: len(stored)] == pytest.approx(stored, rel=1e-11)


def test_point_masses_are_zeros_of_the_laguerre_polynomial() -> None:
    assert chains.point_masses(7) == pytest.approx(lagroots(np.eye(8)[7]), rel=1e-10)


def test_many_bars_are_a_chain() -> None:
    values = np.sqrt(chains.hinged_bars(400)[:3] * 400)
    assert values == pytest.approx(chains.hanging_chain(1.0, 1.0, 3), rel=1e-4)


@pytest.mark.parametrize("law", [ENGINEERING, GREEN], ids=["engineering", "green"])
@pytest.mark.parametrize("force", [-0.5, 3.0, 40.0])
def test_stretch_is_that_of_the_rod(law: RodLaw, force: float) -> None:
    rod = solve_rod(Rod(EI=1.0, EA=100.0, force=(force, 0.0), law=law))
    assert chains.stretch_under_force(force, 100.0, law) == pytest.approx(rod.stretch[5], rel=1e-12)
    assert rod.tip[0] == pytest.approx(rod.stretch[5], rel=1e-12)


@pytest.mark.parametrize("law", [ENGINEERING, GREEN], ids=["engineering", "green"])
@pytest.mark.parametrize("force", [-5.0, 8.0])
def test_stretched_beam_against_the_stiffness_of_the_rod(law: RodLaw, force: float) -> None:
    """The static stiffness against a load in the shape of the mode is m omega^2: measured on the nonlinear rod.

    A stretched, simply supported rod under a uniform transverse load bends, for small loads, into a sine series with
    the static stiffness m omega_n^2 of each mode; the middle is compared.
    """
    EA, load, length = 60.0, 1e-5, 1.0
    whole = Rod(
        EI=1.0, EA=EA, length=length, start_moment=0.0, load=(0.0, load), force=(force, 0.0), end_y=0.0, law=law
    )
    middle = solve_rod(whole).at(length / 2)[1]
    series = 0.0
    for n in range(1, 400, 2):
        stiffness = chains.stretched_beam(n, EI=1.0, EA=EA, mass=1.0, length=length, force=force, law=law) ** 2
        series += 4 * load / (n * math.pi) * math.sin(n * math.pi / 2) / stiffness
    assert middle == pytest.approx(series, rel=1e-6)


def test_stretched_string_and_limit_of_a_stiff_beam() -> None:
    assert chains.stretched_string(2, EA=10.0, mass=2.0, length=3.0, force=5.0) == pytest.approx(
        2 * math.pi / 3 * math.sqrt(5.0 / 1.5 / 2.0)
    )
    stiff = chains.stretched_beam(1, EI=1.0, EA=1e12, mass=1.0, length=1.0, force=7.0)
    assert stiff == pytest.approx(frequencies.beam_frequencies("pinned", "pinned", 1, tension=7.0)[0], rel=1e-10)


@pytest.mark.parametrize(
    "make",
    [
        lambda: frequencies.beam_roots("clamped", "fixed", 1),
        lambda: frequencies.beam_roots("clamped", "free", 0),
        lambda: frequencies.beam_frequencies("clamped", "free", 1, bending=0.0),
        lambda: frequencies.beam_frequencies("clamped", "free", 1, tension=math.nan),
        lambda: frequencies.timoshenko_frequencies("clamped", "free", 200, **BEAM),
        lambda: chains.hinged_bars(0),
        lambda: chains.stretch_under_force(-2.0, 1.0),
        lambda: chains.stretch_under_force(-0.5, 1.0, GREEN),
        lambda: chains.stretched_beam(1, EI=1.0, EA=1e6, mass=1.0, length=1.0, force=-10.0),
    ],
)
def test_bad_input_is_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ModelError):
        make()
