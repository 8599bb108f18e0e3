"""Damped bodies that nothing holds: their free motions are roots at zero, each once, and no pairs of round-off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fx

TIME = 5e-3
"""Retardation time of the material [s]."""


def satellite(time: float, wheels: int = 0) -> fx.Model:
    """A hub with two thin panels, and reaction wheels that turn freely."""
    hub = fx.RigidBody.box(size=(1, 1, 1), mass=300.0, position=(0, 0, 0), name="hub")
    material = fx.Elastic(youngs_modulus=5e9, density=150.0, retardation_time=time)
    items: list[object] = [hub]
    for side, corner in (("left", (-4.5, -0.5, 0.0)), ("right", (0.5, -0.5, 0.0))):
        panel = fx.FlexibleBody.plate(
            (4.0, 1.0), elements=(4, 1), element=fx.elements.ANCFShell(), section=fx.ShellSection(0.02),
            material=material, name=side, corner=corner,
        )  # fmt: skip
        root = panel.set("right" if side == "left" else "left")
        items += [panel, *fx.fasten_edge(root, hub, f"root {side}")]
    for k in range(wheels):
        axis = tuple(np.eye(3)[k])
        wheel = fx.RigidBody.box(size=(0.2, 0.2, 0.2), mass=3.0, position=(0, 0, 0), name=f"wheel {k}")
        items += [wheel, fx.RevoluteJoint(hub, wheel, at=(0, 0, 0), axis=axis, name=f"bearing {k}")]
    return fx.Model(*items)


@pytest.mark.parametrize("wheels", [0, 2])
def test_a_damped_satellite_has_its_free_motions_once(wheels: int) -> None:
    """All stiffness has the same retardation time t: s = -t w^2/2 +- i w sqrt(1 - (t w/2)^2)."""
    free = 6 + wheels
    plain = fx.solve_modal(satellite(0.0, wheels), modes=free + 3)
    damped = fx.solve_modal(satellite(TIME, wheels), modes=free + 3)
    assert np.all(damped.roots[:free] == 0.0)
    assert not damped.growing.any()
    w = plain.angular_frequencies[free:]
    exact = -0.5 * TIME * w**2 + 1j * w * np.sqrt(1.0 - (0.5 * TIME * w) ** 2)
    assert damped.roots[free:] == pytest.approx(exact, rel=1e-6)


def test_what_is_damped_against_the_ground_is_no_free_motion() -> None:
    """A disc with a viscous bearing: 0 and -c/J."""
    disc = fx.PlanarRigidBody(1.0, 2.0, position=(0, 0), name="disc")
    pivot = fx.RevoluteJoint(fx.ground, disc, at=(0, 0), name="pivot")
    roots = fx.solve_modal(fx.Model(disc, pivot, fx.TorsionSpring(pivot, damping=3.0))).roots
    assert np.sort(roots.real) == pytest.approx([-1.5, 0.0], abs=1e-12)


@pytest.mark.slow  # Arnoldi's method tries for a while
def test_where_overdamped_motions_crowd_all_roots_are_computed() -> None:
    """Roots -1/t of what is stiff crowd amid the lowest ten of a strip: those that vibrate follow as above."""
    material = fx.Elastic(youngs_modulus=2e11, poissons_ratio=0.3, density=7800.0)

    def strip(time: float) -> fx.Model:
        plate = fx.FlexibleBody.plate(
            (1.0, 0.06), elements=(9, 1), element=fx.elements.ANCFThinPlate(), section=fx.ShellSection(0.005),
            material=replace(material, retardation_time=time), name="strip",
        )  # fmt: skip
        return fx.Model(plate, fx.Clamp(plate.set("left")))

    w, time = fx.solve_modal(strip(0.0), modes=6).angular_frequencies, 1e-3
    found = fx.solve_modal(strip(time))
    assert found.roots[:6] == pytest.approx(
        -0.5 * time * w**2 + 1j * w * np.sqrt(1.0 - (0.5 * time * w) ** 2), rel=1e-6
    )
    assert found.roots[6:] == pytest.approx(-1.0 / time, rel=1e-5)
