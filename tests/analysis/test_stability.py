"""Stability of equilibria with and without a potential, and roots by every road."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.system.symmetry import without_potential


def column(elements: int = 16, EA: float = 1e7, dim: int = 2, element: Any = None) -> fx.FlexibleBody:
    ends = ((0,) * dim, (1, *(0,) * (dim - 1)))
    spatial = {"EI_y": 1.0, "GJ": 10.0, "GA_y": 1e6, "GA_z": 1e6, "rhoI_y": 1e-8, "rhoI_z": 1e-8} if dim == 3 else {}
    return fx.FlexibleBody.line(
        *ends, elements=elements, element=element or fx.elements.ANCFCable2D(), name="column",
        stiffness=fx.BeamStiffness(EA=EA, EI_z=1.0, mass_per_length=1.0, **spatial),
    )  # fmt: skip


def beck(P: float, EA: float, by: str, modes: int) -> fx.ModalSolution:
    body = column(EA=EA)
    held = fx.Clamp(body.start) if by == "support" else fx.FixedJoint(fx.ground, body.start)
    loaded = fx.Model(body, held, fx.PointForce(body.end, (-P, 0.0), follower=True))
    return fx.solve_modal(fx.solve_static(loaded), modes=modes)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("by", ["support", "joint"])
@pytest.mark.parametrize("EA", [1e6, 1e8, 1e10])
def test_column_under_a_follower_force_flutters_at_any_axial_stiffness(by: str, EA: float) -> None:
    """Beck's column: 5.1758 and 18.5868 at P = 10; flutter beyond P = 20.05."""
    held = beck(10.0, EA, by, 3)
    assert held.roots[:2].imag == pytest.approx([5.1758, 18.5868], rel=2e-4)
    assert not held.growing.any()
    assert not held.conservative
    fluttering = beck(25.0, EA, by, 3)
    assert fluttering.growing.tolist() == [True, False, False]
    assert fluttering.roots[0] == pytest.approx(-fluttering.roots[1].conjugate())
    assert fluttering.roots[0].real > 1.0
    assert abs(fluttering.roots[2]) > abs(fluttering.roots[0])


@pytest.mark.parametrize("elements", [8, 16, 32])
@pytest.mark.parametrize("P", [10.0, 19.0, 21.5])
def test_stability_of_follower_loads_is_told_by_the_roots_on_any_mesh(elements: int, P: float) -> None:
    body = column(elements, 1e5, 3, fx.elements.GeometricallyExactBeam())
    model = fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (-P, 0.0, 0.0), follower=True))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fx.solve_static(model)
    assert bool(found.stable[-1]) == (P < 20.0)
    assert bool(caught) == (P > 20.0)


@pytest.mark.parametrize("P", [0.0, 2.0])
def test_support_and_joint_plane_and_space_agree(P: float) -> None:
    found = []
    for dim in (2, 3):
        for by in ("support", "joint"):
            body = column(12, 1e4, dim, fx.elements.ANCFCable3D() if dim == 3 else None)
            # a cable in space keeps its axis to the clamp of its slope; a joint needs its position and slope too
            held: Any = fx.Clamp(body.start)
            if by == "joint":
                held = fx.FixedJoint(fx.ground, body.start) if dim == 2 else None
            if held is None:
                continue
            load = fx.PointForce(body.end, (-P, 0.0, 0.0)[:dim])
            solved = fx.solve_static(fx.Model(body, held, load))
            values = fx.solve_modal(solved, modes=6).eigenvalues
            found.append(values[::2][:3] if dim == 3 else values[:3])  # both directions of bending are alike
    for values in found[1:]:
        assert values == pytest.approx(found[0], rel=1e-7)


def test_structures_that_are_held_are_seen_without_loads_they_do_not_balance() -> None:
    """By a support and by a joint alike; a mechanism under such loads is refused."""
    values = []
    for by in ("support", "joint"):
        body = column()
        held = fx.Clamp(body.start) if by == "support" else fx.FixedJoint(fx.ground, body.start)
        values.append(fx.solve_modal(fx.Model(body, held, fx.PointForce(body.end, (0.0, -1.0))), modes=2).eigenvalues)
    assert values[0] == pytest.approx([1.875104**4, 4.694091**4], rel=1e-4)
    assert values[1] == pytest.approx(values[0], rel=1e-8)


def test_dense_and_sparse_roots_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Symmetric, not symmetric, damped; with joints and without; with an unstable mode."""
    from flexmbs.analysis import roots

    def models() -> list[Any]:
        made = []
        for by in ("support", "joint"):
            for load in ((0.0, False), (15.0, True), (1.5 * np.pi**2 / 4, False)):
                body = column(60, 1e5)
                held = fx.Clamp(body.start) if by == "support" else fx.FixedJoint(fx.ground, body.start)
                push = fx.PointForce(body.end, (-load[0], 0.0), follower=load[1])
                made.append(fx.solve_static(fx.Model(body, held, push), fx.StaticOptions(check_stability=False)))
            body = column(60, 1e5)
            held = fx.Clamp(body.start) if by == "support" else fx.FixedJoint(fx.ground, body.start)
            damper = fx.SpringDamper(fx.ground.marker((1.0, -1.0, 0.0)), body.end, damping=0.3, name="damper")
            made.append(fx.Model(body, held, damper))
        return made

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        monkeypatch.setattr(roots, "DIRECT", 10_000)
        dense = [fx.solve_modal(model, modes=5) for model in models()]
        monkeypatch.setattr(roots, "DIRECT", 10)
        monkeypatch.setattr(roots, "DENSE", 10)
        sparse = [fx.solve_modal(model, modes=5) for model in models()]
    for one, other in zip(dense, sparse, strict=True):
        assert other.roots == pytest.approx(one.roots, rel=1e-6, abs=1e-7)
        assert np.array_equal(one.growing, other.growing)
    for k in (2, 6):
        assert dense[k].growing.tolist() == [True, False, False, False, False]
        assert dense[k].roots[0].imag == 0.0


def test_growing_modes_do_not_hide_the_lowest() -> None:
    """Two pendulums: a slow one that hangs, a fast one upside down."""
    items: list[Any] = [fx.Gravity((0, -9.81))]
    for k, (y, x) in enumerate(((-10.0, 0.0), (0.01, 1.0))):
        bar = fx.PlanarRigidBody(1.0, 1e-6, position=(x, y), name=f"bar {k}")
        items += [bar, fx.RevoluteJoint(fx.ground, bar, at=(x, 0), name=f"hinge {k}")]
    with pytest.warns(RuntimeWarning, match="1 mode grows, 1 of them beyond those returned"):
        one = fx.solve_modal(fx.Model(*items), modes=1)
    assert one.roots == pytest.approx([1j * np.sqrt(0.981)], rel=1e-6)
    with pytest.warns(RuntimeWarning, match="1 mode grows"):
        both = fx.solve_modal(fx.Model(*items), modes=2)
    assert both.growing.tolist() == [False, True]


def test_what_has_no_potential_is_known_by_name() -> None:
    ball = fx.RigidBody(1.0, (1.0, 1.0, 1.0), position=(0, 0, 0), name="ball")
    flat = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), name="flat")
    cable = column()
    for bodies, item, known in (
        ([ball], fx.PointForce(ball.centre, (1.0, 0, 0)), True),
        ([ball], fx.PointForce(ball.centre, (1.0, 0, 0), follower=True), False),
        ([ball], fx.Moment(ball.centre, (1.0, 0, 0)), False),
        ([flat], fx.Moment(flat.centre, 1.0), True),
        ([flat], fx.PointForce(flat.centre, (1.0, 0), follower=True), False),
        ([cable], fx.PointForce(cable.end, (1.0, 0)), True),
        ([cable], fx.PointForce(cable.end, (1.0, 0), follower=True), False),
        ([flat, cable], fx.Gravity((0, -9.81)), True),
    ):
        dyn = Dynamics(fx.compile_model(fx.Model(*bodies, item)))
        dyn.set_time(0.0)
        assert without_potential(dyn) == ("" if known else f"load {item.label!r}")


@pytest.mark.parametrize("history", [None, fx.Constant()])
@pytest.mark.parametrize("kind", ["moment", "follower", "function"])
def test_what_a_driver_holds_wholly_is_stable(kind: str, history: fx.Constant | None) -> None:
    """Loads without a potential on a bar that nothing lets move: the torque of the driver is minus theirs."""
    bar = fx.RigidBody(1.0, (0.1, 0.1, 0.1), position=(0, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    drive = fx.RotationDriver(hinge, motion=fx.motions.Constant(0.0), name="drive")
    load = {
        "moment": lambda: fx.Moment(bar.marker((0, 0, 0)), (0, 0, 5.0), history=history),
        "follower": lambda: fx.PointForce(bar.marker((1, 0, 0)), (0, 5.0, 0), follower=True, history=history),
        "function": lambda: fx.UserForce([bar.marker((1, 0, 0))], lambda p, R, tw, t: np.array([[0, 5.0, 0, 0, 0, 0]])),
    }[kind]()
    found = fx.solve_static(fx.Model(bar, hinge, drive, load))
    assert found.stable[-1]
    assert found.reaction_moment("drive", step=-1)[2] == pytest.approx(-5.0, rel=1e-12)
    with pytest.raises(fx.ModelError, match="nothing that can vibrate"):
        fx.solve_modal(found)
