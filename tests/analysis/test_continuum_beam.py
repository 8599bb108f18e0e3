"""The fully parameterised beam in models: closed forms with its cures, what it does as printed, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import ANCFBeamFullyParameterized

STEEL = fx.Elastic(youngs_modulus=2e5, density=1e-3, poissons_ratio=0.3)
SECTION = fx.Rectangle(width=0.2, height=0.1)


def beam(elements=4, **choices):
    return fx.FlexibleBody.line(
        (0, 0, 0),
        (2, 0, 0),
        elements=elements,
        element=ANCFBeamFullyParameterized(**choices),
        section=SECTION,
        material=STEEL,
    )


def bent(body, moment=1e-4):
    model = fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, (0, 0, moment)))
    return fx.solve_static(model).displacement(body.end, step=-1)[1] / (0.5 * moment * 4.0 / (2e5 * SECTION.I_z))


def test_a_small_moment_bends_it_as_it_should_with_one_element():
    assert bent(beam(1)) == pytest.approx(1.0, rel=1e-6)


def test_as_printed_poissons_ratio_locks_whatever_the_mesh():
    locked = 1.3 * 0.4 / 0.7
    for elements in (2, 8):
        assert bent(beam(elements, split=False, nodal=False)) == pytest.approx(locked, rel=1e-6)
    assert bent(beam(2, split=False, nodal=False, poissons_ratio=0.0)) == pytest.approx(1.0, rel=1e-6)


def test_stretching_narrows_it():
    """Under tension the sections shrink by nu times the strain, with the coupling at the nodes, too."""
    body = beam(2)
    strain = 1e-5
    pull = strain * 2e5 * SECTION.area
    model = fx.Model(body, fx.Pin(body.start), fx.Roller(body.end, (0, 1, 0)), fx.Roller(body.end, (0, 0, 1)),
                     fx.Guide(body.start), fx.PointForce(body.end, (pull, 0, 0)))  # fmt: skip
    solution = fx.solve_static(model)
    assert solution.displacement(body.end, step=-1)[0] == pytest.approx(
        2.0 * strain, rel=0.15
    )  # the clamped end cannot narrow
    dofs = solution.system.coordinates.dofs(body.end)[0]
    d2 = solution.q[-1][dofs[6:9]]
    assert np.linalg.norm(d2) - 1.0 == pytest.approx(-0.3 * strain, rel=0.2)


def twist(body, T=1e-4):
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, (T, 0, 0))))
    frame = solution.section_frame(body.end, step=-1)
    np.testing.assert_allclose(solution.resultant(body, "M_x", step=-1), T, rtol=1e-4)
    return np.arctan2(frame[2, 1], frame[1, 1]) / (T * 2.0)


@pytest.mark.parametrize("choices", [{}, {"split": False}, {"nodal": False}, {"split": False, "nodal": False}])
def test_it_twists_with_the_given_torsional_stiffness(choices):
    """0.229 h^3 b G of a rectangle of 1 by 2 (Saint-Venant's series), but for the end, where the section shears."""
    GJ = 0.229 * 0.1**3 * 0.2 * STEEL.shear_modulus
    assert twist(beam(2, **choices)) == pytest.approx(1.0 / GJ, rel=4e-3)  # of which 1.2e-3 are the digits of 0.229


@pytest.mark.parametrize("GJ", [20.0, 2000.0])
def test_any_torsional_stiffness_leaves_the_rest_as_it_is(GJ):
    """Less and more than that of the section that does not warp: the rest is that of the other stiffnesses."""
    given = fx.BeamStiffness(EA=4e3, EI_z=3.0, EI_y=14.0, GA_y=1e3, GA_z=1e3, GJ=GJ / 500.0, mass_per_length=1.0,
                             rhoI_y=0.01, rhoI_z=0.01)  # fmt: skip

    def body(**choices):
        return fx.FlexibleBody.line(
            (0, 0, 0), (2, 0, 0), elements=4, element=ANCFBeamFullyParameterized(**choices), stiffness=given
        )

    def tip(body):
        force = fx.PointForce(body.end, (0, 1e-4, 2e-4))
        return fx.solve_static(fx.Model(body, fx.Clamp(body.start), force)).displacement(body.end, step=-1)

    assert twist(body(), 1e-5) == pytest.approx(500.0 / GJ, rel=5e-3)
    np.testing.assert_allclose(tip(body())[1:], tip(body(torsion=False))[1:], rtol=1e-6)


def test_as_printed_torque_is_that_of_a_section_that_does_not_warp():
    """But for the end: the moment acts on d3, and the section there shears a little."""
    GJ = 5 / 6 * STEEL.shear_modulus * (SECTION.I_y + SECTION.I_z)
    assert twist(beam(2, torsion=False)) == pytest.approx(1.0 / GJ, rel=1e-3)


def test_momentum_of_a_free_flight_stays():
    body = fx.FlexibleBody.line(
        (0, 0, 0), (2, 0, 0), elements=2, element=ANCFBeamFullyParameterized(),
        section=fx.Rectangle(width=0.3, height=0.2),
        material=fx.Elastic(youngs_modulus=1e3, density=1.0),
    )  # fmt: skip
    spin = fx.InitialVelocity(body, velocity=(0.3, 0, 0.1), angular_velocity=(0.5, 0.2, 0.3))
    run = fx.simulate(fx.Model(body, spin), 0.5, step=2e-3, output=fx.Output(every=0.1))
    for values in run.momentum():
        np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), atol=1e-5)


@pytest.mark.parametrize(
    ("choices", "why"),
    [({"poissons_ratio": 0.5}, "poissons_ratio"), ({"split": 1}, "split"), ({"nodal": "yes"}, "nodal"),
     ({"torsion": 1}, "torsion"), ({"up": (0, 0, 0)}, "up")],
)  # fmt: skip
def test_choices_are_checked(choices, why):
    with pytest.raises(fx.ModelError, match=f"ANCFBeamFullyParameterized.*{why}"):
        ANCFBeamFullyParameterized(**choices)


def test_section_matrices_with_coupling_are_refused():
    stiffness = fx.SectionStiffness.of(
        fx.BeamStiffness(EA=1e4, EI_z=1.0, GJ=1.0, GA_y=1e3, GA_z=1e3, mass_per_length=1.0), shear_centre=(0, 0.1)
    )
    with pytest.raises(fx.ModelError, match="no use for a section matrix"):
        fx.FlexibleBody.line(
            (0, 0, 0), (1, 0, 0), elements=2, element=ANCFBeamFullyParameterized(), stiffness=stiffness
        )
