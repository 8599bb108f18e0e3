"""Rigid masses on nodes that turn about them under their own weight; modes that belong to other supports."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbs as fx

L, E = fx.linear, fx.elements
BENDING = 2.0


def column(arm: float) -> L.Part:
    """A massless column of 1 m with a mass of 1 kg on a rigid arm above its top."""
    section = fx.BeamStiffness(EA=1e7, EI_z=3.0, EI_y=BENDING, GJ=5.0, mass_per_length=1e-6, rhoI_y=1e-9, rhoI_z=1e-9)
    regions = [L.Region(None, E.Frame(section=section, up=(0, 1, 0)))]
    mass = L.NodalMass("end", 1.0, offset=(0, 0, arm))
    return L.Part(fx.meshes.line((0, 0, 0), (0, 0, 1), 12), regions=regions, connections=[mass], name="column")


@pytest.mark.parametrize("arm", [0.0, 0.2, 0.5, 2.0])
def test_a_column_buckles_under_a_mass_on_an_arm(arm: float) -> None:
    """k tan k = 1/e with P = EI k^2, for a column of length one."""
    weight = L.Acceleration((0, 0, -1.0))
    k = np.pi / 2 if arm == 0.0 else brentq(lambda k: k * np.tan(k) - 1.0 / arm, 1e-6, np.pi / 2 - 1e-12)
    found = L.buckling_loads(column(arm), {"start": "all"}, weight).factors[0]
    assert found == pytest.approx(BENDING * k * k, rel=1e-5)


def test_the_frequency_falls_to_zero_at_the_critical_load() -> None:
    critical = L.buckling_loads(column(0.5), {"start": "all"}, L.Acceleration((0, 0, -1.0))).factors[0]
    squares = []
    for share in (0.0, 0.5, 0.999):
        part = column(0.5)
        weight = L.static_response(part, {"start": "all"}, L.Acceleration((0, 0, -share * critical)))
        squares.append(L.vibration_modes(part, 1, fixed={"start": "all"}, prestress=weight).eigenvalues[0])
    assert squares[1] == pytest.approx(0.5 * squares[0], rel=0.03)
    assert squares[2] < 2e-3 * squares[0]


@pytest.mark.parametrize(
    ("motion", "load"),
    [
        ({"acceleration": (0.3, -0.2, 1.0)}, L.Acceleration((-0.3, 0.2, -1.0))),
        ({"omega": (0.5, 2.0, -1.0)}, L.Centrifugal((0.5, 2.0, -1.0))),
    ],
)
def test_a_moving_frame_and_its_inertia_forces_stiffen_alike(motion: dict[str, tuple[float, ...]], load: Any) -> None:
    """A disc on an arm, whose tensor is not along the axes."""
    section = fx.BeamStiffness(EA=1e4, EI_z=3.0, EI_y=2.0, GJ=5.0, mass_per_length=0.5, rhoI_y=1e-3, rhoI_z=1e-3)
    tensor = np.array([(0.08, 0.01, 0.0), (0.01, 0.05, -0.01), (0.0, -0.01, 0.06)])
    mass = L.NodalMass("end", 1.5, inertia=tensor, offset=(0.1, -0.2, 0.3))
    regions = [L.Region(None, E.Frame(section=section, up=(0, 1, 0)))]
    part = L.Part(fx.meshes.line((0, 0, 0), (0, 0, 1), 4), regions=regions, connections=[mass], name="shaft")
    fixed = {"start": "all"}
    whole = L.moving_frame(part, fixed).geometric(**motion).toarray()
    rest = L.geometric_stiffness(L.static_response(part, fixed, load)).toarray()
    assert np.abs(whole - rest).max() < 1e-9 * np.abs(rest).max()


def test_modes_of_modal_damping_belong_to_the_structure() -> None:
    part = L.Part(fx.meshes.box((0, 0, 0), (1, 0.05, 0.03), (6, 1, 1)), material=fx.steel, name="part")
    operators, fixed = part.assemble(), {"left": "all"}
    light = L.Part(part.mesh, material=fx.aluminium, name="light")
    good = L.vibration_modes(operators, 4, fixed=fixed)
    foreign = {
        "free": L.vibration_modes(operators, 10), "other end": L.vibration_modes(operators, 4, fixed={"right": "all"}),
        "other material": L.vibration_modes(light, 4, fixed=fixed),
    }  # fmt: skip

    def response(modes: L.LinearModes) -> float:
        found = L.harmonic_response(
            operators, [good.frequencies[0]], {"f": L.NodalForce("right", (0, 0, 1))}, [("right", "uz")], fixed=fixed,
            damping=L.ModalDamping(0.05, modes),
        )  # fmt: skip
        return float(abs(found.values[0, 0, 0]))

    assert response(good) > 0.0
    for modes in foreign.values():
        with pytest.raises(fx.ModelError, match="is none of these operators with these supports"):
            response(modes)


@pytest.mark.parametrize(("arm", "told"), [(0.0, False), (0.2, True)])
def test_a_load_on_a_long_link_is_told(arm: float, told: bool) -> None:
    """The link does not turn under it: found is Euler's load, where k L tan(k L) = L / arm gives 3.452 for EI = 2."""
    section = fx.BeamStiffness(EA=1e6, EI_z=2.0, GJ=1.0, mass_per_length=0.5)
    region = L.Region(None, fx.elements.Frame(section=section, shear=False))
    top = L.RigidCoupling("top", [8], at=(1.0 + arm, 0, 0))
    part = L.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 8), regions=[region], connections=[top])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = L.buckling_loads(part, {"start": "all"}, L.NodalForce("top", (-1.0, 0, 0)))
    assert any("link 'top', 0.2 beside" in str(w.message) for w in seen) == told
    assert told or found.factors[0] == pytest.approx(np.pi**2 / 2, rel=1e-3)
