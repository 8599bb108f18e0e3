"""Bodies on edges of plates and shells: by every node, and by their mean."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

SOFT = fx.Elastic(youngs_modulus=1e7, density=1000.0, poissons_ratio=0.3)


def panel() -> fx.FlexibleBody:
    return fx.FlexibleBody.plate(
        (1.0, 0.4), elements=(4, 4), element=fx.elements.ANCFShell(), section=fx.ShellSection(0.02), material=SOFT,
        name="panel",
    )  # fmt: skip


def loaded(body: fx.FlexibleBody, *more: object) -> tuple[fx.Model, fx.RigidBody, fx.AverageEdge]:
    bar = fx.RigidBody.box(size=(0.05, 0.4, 0.05), mass=0.3, position=(1.05, 0.25, 0.02), name="bar")
    average = fx.AverageEdge(body.set("right"), bar, name="carrier")
    return fx.Model(body, bar, average, *more), bar, average


def test_the_mean_edge_carries_the_weight() -> None:
    """The reaction on the body is its weight, with the moment of the lever to the middle of the edge."""
    body = panel()
    model, bar, _ = loaded(body, fx.Clamp(body.set("left")), fx.Gravity((0, 0, -9.81)))
    rest = fx.solve_static(model)
    place = rest.position(bar)[-1]
    edge = np.array([rest.position(body.node(int(n)))[-1] for n in body.mesh.node_sets["right"]])
    start = body.mesh.points[body.mesh.node_sets["right"]]
    # bodies keep the mean place of the edge and their distance from it
    distance = np.linalg.norm(np.array(bar.position) - start.mean(axis=0))
    assert np.linalg.norm(place - edge.mean(axis=0)) == pytest.approx(distance, rel=1e-9)


def test_a_free_pair_keeps_momentum_and_energy() -> None:
    """Joined by means alone: linear momentum to round-off, angular momentum and energy to the order of the scheme."""
    body = panel()
    velocity = fx.InitialVelocity(body, velocity=(0.2, 0, 0), angular_velocity=(0.3, 2.0, 0.5), about=(0.5, 0.2, 0))
    drift = []
    for step in (4e-3, 2e-3):
        bar = fx.RigidBody.box(
            size=(0.05, 0.4, 0.05), mass=0.3, position=(1.05, 0.25, 0.02), angular_velocity=(0.3, 2.0, 0.5),
            velocity=np.array([0.2, 0, 0]) + np.cross((0.3, 2.0, 0.5), np.array([1.05, 0.25, 0.02]) - (0.5, 0.2, 0)),
            name="bar",
        )  # fmt: skip
        model = fx.Model(body, bar, fx.AverageEdge(body.set("right"), bar), velocity)
        run = fx.simulate(model, until=0.4, step=step, progress=False)
        P, L = run.momentum()
        assert np.abs(P - P[0]).max() < 1e-10 * np.abs(P[0]).max()
        spin = np.abs(L - L[0]).max() / np.abs(L[0]).max()
        drift.append((spin, np.abs(run.energy.balance).max() / run.energy.kinetic[0]))
    (a, b), (c, d) = drift
    assert c < 1e-3
    assert d < 1e-3
    assert np.log2(a / c) > 1.5
    assert np.log2(b / d) > 1.5


def test_the_reaction_of_the_mean_is_the_weight() -> None:
    body = panel()
    model, bar, average = loaded(body, fx.Clamp(body.set("left")), fx.Gravity((0, 0, -1.0)))
    run = fx.simulate(model, until=0.02, step=1e-3, progress=False)
    # Newton and Euler of the body alone: m a = weight + force
    force = run.reaction(average)
    a = run.acceleration(bar)
    np.testing.assert_allclose(force[5:], 0.3 * (a - (0, 0, -1.0))[5:], atol=1e-6)


def test_the_edge_stays_free_to_bend() -> None:
    """A rigid seam stiffens a plate that bends across; the mean does not."""
    body = panel()
    ends = [body.node(int(n)) for n in (body.mesh.node_sets["right"][0], body.mesh.node_sets["right"][-1])]
    squeeze = [fx.PointForce(ends[0], (0, 0.5, 0)), fx.PointForce(ends[1], (0, -0.5, 0))]
    shrink = {}
    for kind in ("mean", "every node"):
        bar = fx.RigidBody.box(size=(0.05, 0.4, 0.05), mass=0.3, position=(1.05, 0.25, 0.02), name="bar")
        joints = (
            [fx.AverageEdge(body.set("right"), bar)] if kind == "mean" else [*fx.fasten_edge(body.set("right"), bar)]
        )
        rest = fx.solve_static(fx.Model(body, bar, *joints, fx.Clamp(body.set("left")), *squeeze))
        y = [rest.position(end)[-1][1] for end in ends]
        shrink[kind] = 0.4 - (y[1] - y[0])
    assert abs(shrink["every node"]) < 1e-9
    free = fx.solve_static(fx.Model(body, fx.Clamp(body.set("left")), *squeeze))
    alone = 0.4 - (free.position(ends[1], step=-1)[1] - free.position(ends[0], step=-1)[1])
    assert shrink["mean"] == pytest.approx(alone, rel=1e-6)


def test_refused() -> None:
    body = panel()
    bar = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=1.0, name="bar")
    line = fx.FlexibleBody.line(
        (0, 0, 0),
        (1, 0, 0),
        elements=2,
        element=fx.elements.ANCFCable3D(),
        section=fx.Circle(diameter=0.01),
        material=SOFT,
    )
    with pytest.raises(fx.ModelError, match="surface"):
        fx.AverageEdge(line.end, bar)
    with pytest.raises(fx.ModelError, match="one node"):
        fx.AverageEdge(body.node(0), bar)
    with pytest.raises(fx.ModelError, match="positive"):
        fx.AverageEdge(body.set("right"), bar, weights=(1, 1, 0, 1, 1))
    with pytest.raises(fx.ModelError, match="RigidBody"):
        fx.AverageEdge(body.set("right"), body)  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="one node"):
        fx.fasten_edge(body.node(0), bar)
