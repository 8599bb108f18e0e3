"""Flexible links of trees: against bodies in floating frames, balances, files, and what is refused."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.dynamics.consistent_state import accelerations, assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.system.marker_set import MarkerSet
from flexmbs.system.system import compile_model
from tests.models.flexible_trees import arm
from tests.models.floating import PLASTIC, bar

ONE, TWO = np.array([0.0, 1.0, 0.3]), np.array([0.2, 1.0, 0.0])
GRAVITY = fx.Gravity((0.0, 0.3, -9.81))


def to_relative_coordinates() -> fx.Model:
    """Two flexible bars on oblique hinges."""
    upper = trees.FlexibleLink("upper", bar(PLASTIC), "left", joint=trees.Revolute(ONE), rate=0.5)
    lower = trees.FlexibleLink("lower", bar(PLASTIC), "left", "upper", trees.Revolute(TWO), at="right", rate=1.0)
    return fx.Model(trees.Tree(upper, lower, name="arm"), GRAVITY)


def as_bodies() -> fx.Model:
    """The same with bodies in floating frames and joints."""
    e, f = (x / np.linalg.norm(x) for x in (ONE, TWO))
    first, second = 0.5 * e, 0.5 * e + 1.0 * f
    upper = fx.FloatingBody(bar(PLASTIC), "left", angular_velocity=first, name="upper")
    lower = fx.FloatingBody(
        bar(PLASTIC), "left", position=(1, 0, 0), velocity=np.cross(first, (1.0, 0, 0)), angular_velocity=second,
        name="lower",
    )  # fmt: skip
    shoulder = fx.RevoluteJoint(fx.ground.marker((0, 0, 0), axis=e), upper.interface("left", axis=e), name="shoulder")
    elbow = fx.RevoluteJoint(upper.interface("right", axis=f), lower.interface("left", axis=f), name="elbow")
    return fx.Model(upper, lower, shoulder, elbow, GRAVITY)


def test_accelerations_are_those_of_bodies_in_floating_frames() -> None:
    """At the same start, to round-off: the equations are the same."""
    found = []
    for model in (to_relative_coordinates(), as_bodies()):
        dyn = Dynamics(compile_model(model))
        state = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy())
        a, _ = accelerations(dyn, 0.0, state.q, state.v)
        tip = model.trees[0].link("lower").interface("right") if model.trees else model.body("lower").interface("right")
        markers = MarkerSet(dyn.coordinates, [tip], set(), 0)
        work = markers.poses(markers.work(np.zeros(dyn.n_v), np.zeros(markers.size)), state.q, state.v, tangent=True)
        found.append(work.JT.T @ a[markers.dof] + work.JvT.T @ state.v[markers.dof])
    np.testing.assert_allclose(found[0], found[1], rtol=0.0, atol=1e-10 * np.abs(found[1]).max())


def test_motion_converges_to_that_of_bodies_in_floating_frames() -> None:
    """Both are solved with errors of second order, and so is their difference."""
    tree, bodies = to_relative_coordinates(), as_bodies()
    gaps = []
    for h in (2e-3, 1e-3):
        one, two = (fx.simulate(m, until=0.2, step=h, progress=False) for m in (tree, bodies))
        tip = tree.trees[0].link("lower").interface("right")
        gaps.append(np.abs(one.position(tip) - two.position(bodies.body("lower").interface("right")))[::2].max())
        gaps[-1] = max(gaps[-1], 1e-300)
    assert gaps[1] < 5e-6
    assert np.log2(gaps[0] / gaps[1]) > 1.8


def test_energy_and_momentum_are_kept() -> None:
    """Free flight of a floating arm without damping: the errors are those of the steps, of second order."""
    root = trees.FlexibleLink("upper", bar(PLASTIC), "left", joint=trees.Free(), rate=(0.3, 0.1, -0.2, 0.5, 0.7, 1.1))
    lower = trees.FlexibleLink("lower", bar(PLASTIC), "left", "upper", trees.Spherical(), at="right", rate=(1, 0.5, 2))
    model = fx.Model(trees.Tree(root, lower))
    drifts = []
    for h in (1e-3, 5e-4):
        found = fx.simulate(model, until=0.1, step=h, integrator=fx.GeneralizedAlpha(rho_inf=0.95), progress=False)
        P, L = found.momentum()
        drifts.append((np.abs(P - P[0]).max() / np.abs(P[0]).max(), np.abs(L - L[0]).max() / np.abs(L[0]).max(),
                       np.abs(found.energy.balance).max() / found.energy.kinetic.max()))  # fmt: skip
    assert max(drifts[1]) < 2e-5
    assert np.all(np.log2(np.array(drifts[0][:2]) / np.array(drifts[1][:2])) > 1.7)


def test_a_stiff_link_is_a_rigid_one() -> None:
    """A stiff bar on a hinge swings as a rigid one of its mass, centre and inertia."""
    stiff = fx.Elastic(youngs_modulus=2e12, poissons_ratio=0.3, density=1200.0, name="stiff")
    flexible = trees.FlexibleLink("bar", bar(stiff), "left", joint=trees.Revolute((0, 1, 0)), damping=0.9)
    inside = flexible.floating.inertia
    second = inside.second - np.outer(inside.first, inside.first) / inside.mass
    rigid = trees.Link("bar", inside.mass, np.trace(second) * np.eye(3) - second, inside.first / inside.mass,
                       joint=trees.Revolute((0, 1, 0)))  # fmt: skip
    angles = []
    for link in (flexible, rigid):
        tree = trees.Tree(link)
        run = fx.simulate(fx.Model(tree, GRAVITY), until=0.2, step=1e-3, progress=False)
        angles.append(run.coordinate(tree.joint("bar"), "angle")[-1])
    assert abs(angles[0] - angles[1]) < 1e-6


def test_files_and_meshes(tmp_path: Path) -> None:
    """Saved, loaded, and gone on with; the mesh at an interface is where its marker is."""
    model = to_relative_coordinates()
    found = fx.simulate(model, until=0.02, step=1e-3, progress=False)
    found.save(tmp_path / "arm.h5")
    loaded = fx.load(tmp_path / "arm.h5")
    assert np.array_equal(loaded.q, found.q)
    on = fx.simulate(loaded.model, until=0.03, step=1e-3, start=loaded, progress=False)
    whole = fx.simulate(model, until=0.03, step=1e-3, progress=False)
    assert np.array_equal(on.q[-1], whole.q[-1])
    link = model.trees[0].link("lower")
    nodes = found.deformed(link, nodes="right")
    tip = found.position(link.interface("right"))
    np.testing.assert_allclose(nodes.mean(axis=1), tip, rtol=0.0, atol=1e-6)


def test_statics_and_modes() -> None:
    """The hanging arm: its lowest frequencies are those with bodies in floating frames."""
    down = fx.Gravity((9.81, 0.0, 0.0))
    tree, bodies = to_relative_coordinates().items[0], as_bodies().items[:4]
    found = [fx.solve_modal(fx.solve_static(fx.Model(*items, down))) for items in ((tree,), bodies)]
    one, two = (np.sort(m.frequencies)[:8] for m in found)
    np.testing.assert_allclose(one, two, rtol=1e-8)


def test_a_fast_spin_warns() -> None:
    """Links have no stiffening, so that a spin near their lowest frequency is worth a warning."""
    slow, fast = (
        fx.Model(trees.Tree(trees.FlexibleLink("blade", bar(PLASTIC), "left", rate=rate))) for rate in (0.1, 100.0)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.simulate(slow, until=0.0, step=1e-3, progress=False)
    with pytest.warns(fx.AccuracyWarning, match="'blade' spins with 100 rad"):
        fx.simulate(fast, until=0.0, step=1e-3, progress=False)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: trees.FlexibleLink("a", "no model", "left"), ["ReducedModel"]),
        (lambda: trees.FlexibleLink("a", bar(), "LEFT"), ["LEFT"]),
        (lambda: trees.FlexibleLink("a", bar(), 3), ["interface", "3"]),  # type: ignore[arg-type]
        (lambda: trees.FlexibleLink("a", bar(), "left", deformation=(1.0,)), ["deformation"]),
        (
            lambda: trees.Tree(
                trees.FlexibleLink("a", bar(), "left"), trees.Link("b", 1.0, (1, 1, 1), parent="a", at=(1, 0, 0))
            ),
            ["'b'", "'a'", "right"],
        ),
        (
            lambda: trees.Tree(
                trees.FlexibleLink("a", bar(), "left"), trees.Link("b", 1.0, (1, 1, 1), parent="a", at="left")
            ),
            ["'left'", "right"],
        ),
        (lambda: trees.Tree(trees.Link("b", 1.0, (1, 1, 1), at="right")), ["'right'", "three numbers"]),
        (lambda: arm().trees[0].link("shoulder").interface("right"), ["shoulder", "marker(point)"]),
    ],
)
def test_refused(make: object, words: list[str]) -> None:
    with pytest.raises(fx.ModelError) as caught:
        make()  # type: ignore[operator]
    for word in words:
        assert word in str(caught.value)
