"""Static and modal results have the same methods and shapes, are drawn and stored, whatever the model is made of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import meshio
import numpy as np
import pytest

import flexmbs as fx
from flexmbs.io.sealed import sealed
from tests.models import floating

THIN = fx.BeamStiffness(
    EA=1e4, EI_z=1.0, EI_y=1.0, GJ=1.0, GA_y=1e4, GA_z=1e4, mass_per_length=0.5, rhoI_y=1e-4, rhoI_z=1e-4
)


def beam(dim: int, element: Any, name: str = "beam") -> fx.FlexibleBody:
    return fx.FlexibleBody.line(
        (0.0,) * dim, (1.0,) + (0.0,) * (dim - 1), elements=4, element=element, stiffness=THIN, name=name
    )


def supported() -> fx.Model:
    body = beam(2, fx.elements.ANCFCable2D())
    return fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, -1.0)), name="supported")


def with_a_body() -> fx.Model:
    body = beam(2, fx.elements.ANCFCable2D())
    tip = fx.PlanarRigidBody(0.2, 0.01, position=(1.0, 0.0), name="tip")
    return fx.Model(
        body,
        tip,
        fx.Clamp(body.start),
        fx.FixedJoint(body.end, tip, name="weld"),
        fx.PointForce(body.end, (0.0, -1.0)),
        name="with a body",
    )


def in_space() -> fx.Model:
    body = beam(3, fx.elements.GeometricallyExactBeam())
    box = fx.RigidBody.box(size=(0.3, 0.1, 0.1), mass=0.3, position=(1.15, 0.0, 0.0), name="box")
    return fx.Model(
        body, box, fx.Clamp(body.start), fx.FixedJoint(body.end, box, at=(1.0, 0.0, 0.0), name="weld"),
        fx.Gravity((0.0, 0.0, -2.0)), name="in space",
    )  # fmt: skip


def points_and_springs() -> fx.Model:
    ball = fx.PointMass(2.0, position=(0.0, -1.0, 0.0), name="ball")
    low = fx.PointMass(1.0, position=(0.0, -2.0, 0.0), name="low")
    hook = fx.ground.marker((0.0, 0.0, 0.0))
    springs = (
        fx.SpringDamper(hook, ball, stiffness=100.0, damping=2.0, name="upper"),
        fx.SpringDamper(ball, low, stiffness=50.0, name="lower"),
    )
    return fx.Model(ball, low, *springs, fx.Gravity((0.0, -9.81, 0.0)), name="points and springs")


def arm() -> fx.Model:
    links = [
        fx.trees.Link(
            f"link {i}", 1.0, np.diag((0.01, 0.1, 0.1)), (0.3, 0.0, 0.0), parent=f"link {i - 1}" if i else None,
            joint=fx.trees.Revolute((0.0, 1.0, 0.0)), at=(0.6, 0.0, 0.0) if i else (0.0, 0.0, 0.0),
        )
        for i in range(2)
    ]  # fmt: skip
    return fx.Model(fx.trees.Tree(*links, name="arm"), fx.Gravity((0.0, 0.0, -9.81)), name="arm")


def floating_bar() -> fx.Model:
    body = fx.FloatingBody(floating.bar(floating.SOFT, 2), name="bar")
    hinge = fx.FixedJoint(fx.ground, body.interface("left"), name="wall")
    return fx.Model(body, hinge, fx.Gravity((0.0, 0.0, -9.81)), name="floating")


MODELS: tuple[Callable[[], fx.Model], ...] = (
    supported, with_a_body, in_space, points_and_springs, arm, floating_bar
)  # fmt: skip
PLACES = {
    supported: "beam", with_a_body: "tip", in_space: "box", points_and_springs: "low", arm: "arm/link 1",
    floating_bar: "bar",
}  # fmt: skip
every = pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)


@cache
def solved(make: Callable[[], fx.Model]) -> fx.StaticSolution:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what nothing holds
        return fx.solve_static(make(), fx.StaticOptions(steps=3, progress=False))


@cache
def modes(make: Callable[[], fx.Model]) -> fx.ModalSolution:
    return fx.solve_modal(solved(make), modes=2)


def place(make: Callable[[], fx.Model], model: fx.Model) -> Any:
    """A place of the model that moves."""
    body = model.body(PLACES[make])
    return body.end if isinstance(body, fx.FlexibleBody) else body


def reread(result: Any, path: Path) -> Any:
    return fx.load(result.save(path))


@every
def test_one_rule_of_shapes(make: Callable[[], fx.Model]) -> None:
    found, at = solved(make), place(make, solved(make).model)
    n = len(found)
    assert type(found) is fx.StaticSolution
    assert type(modes(make)) is fx.ModalSolution
    for ask in (found.position, found.displacement):
        assert ask(at).shape == (n, 3)
        assert ask(at, step=-1).shape == (3,)
        assert np.array_equal(ask(at, step=1), ask(at)[1])
    if make is points_and_springs:
        with pytest.raises(fx.ModelError, match="it is a point, which has no orientation"):
            found.rotation(at)
    else:
        assert found.rotation(at).shape == (n, 3, 3)
        assert found.rotation(at, step=0).shape == (3, 3)
    assert found.strain_energy().shape == (n,)
    assert float(found.strain_energy(step=-1)) == found.strain_energy()[-1]
    joints = [j.name for j in found.model.joints] or [found.model.body("beam").start] if make is supported else []
    joints += ["arm/link 0"] if make is arm else [j.name for j in found.model.joints]
    for joint in joints:
        for ask in (found.reaction, found.reaction_moment):
            assert ask(joint).shape == (n, 3)
            np.testing.assert_array_equal(ask(joint, step=-1), ask(joint)[-1])
    for body in found.model.flexible_bodies:
        several = fx.Attachment(body, (1, 2, 3), "several")
        assert found.position(several).shape == (n, 3, 3)
        assert found.rotation(several, step=-1).shape == (3, 3, 3)
        assert found.shape(body, points=5).shape == (n, 4, 5, 3)
        assert found.resultant(body, body.element.resultants[0].symbol, step=-1).ndim == 2
        assert modes(make).shape(body, 0, 0.1, 5).shape == (4, 5, 3)
    assert modes(make).displacement(at).shape == (len(modes(make)), 3)
    assert modes(make).displacement(at, 0).shape == (3,)


@every
def test_static_solutions_come_back(make: Callable[[], fx.Model], tmp_path: Path) -> None:
    found = solved(make)
    again = reread(found, tmp_path / "static.h5")
    assert type(again) is fx.StaticSolution
    for name in ("q", "v", "lam", "load_factors", "scales", "drives", "stable", "iterations"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    assert (again.free, again.redundant, again.time) == (found.free, found.redundant, found.time)
    assert (again.status, again.message, again.settings) == (found.status, found.message, found.settings)
    assert set(again.extra) == set(found.extra)
    there, here = place(make, again.model), place(make, found.model)
    np.testing.assert_array_equal(again.position(there), found.position(here))
    assert fx.solve_modal(again, modes=2).eigenvalues == pytest.approx(modes(make).eigenvalues, rel=1e-9, abs=1e-9)


@every
def test_modal_solutions_come_back(make: Callable[[], fx.Model], tmp_path: Path) -> None:
    found = modes(make)
    again = reread(found, tmp_path / "modal.h5")
    assert type(again) is fx.ModalSolution
    for name in ("roots", "vectors", "state_vectors", "growing", "whirl"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    for mine, its in zip(found.state, again.state, strict=True):
        np.testing.assert_array_equal(mine, its)
    at = place(make, again.model)
    np.testing.assert_array_equal(again.displacement(at), found.displacement(place(make, found.model)))
    assert again.motion(0, 0.01, frames=4).position(at).shape == (4, 3)


@every
def test_all_are_drawn(make: Callable[[], fx.Model], tmp_path: Path) -> None:
    found, at = solved(make), place(make, solved(make).model)
    axes = [found.plot(), found.plot(step="all"), found.plot_path(at), modes(make).plot(0), modes(make).plot(1)]
    flat = make in (supported, with_a_body)
    assert [a.name for a in axes] == ["rectilinear" if flat or i == 2 else "3d" for i in range(5)]
    for i, one in enumerate(axes):
        one.figure.savefig(tmp_path / f"{i}.png")
        assert (tmp_path / f"{i}.png").stat().st_size > 5000


@every
def test_a_mode_is_drawn_at_the_displacements_it_has(make: Callable[[], fx.Model]) -> None:
    from flexmbs.visualization.body_parts import mode_parts

    found = mode_parts(modes(make), 0, size=1.0, share=0.05)
    largest = [float(np.nanmax(np.linalg.norm(u, axis=-1))) for u in found.displacements if u.size]
    flexible = largest[: len(found.state.shapes)]  # what bends is to be seen, others move up to three times as far
    assert max(flexible or largest) == pytest.approx(0.05, rel=1e-12)
    assert max(largest) <= 0.15


@every
def test_all_are_written_for_paraview(make: Callable[[], fx.Model], tmp_path: Path) -> None:
    found = solved(make)
    for result, name in ((found, "static"), (modes(make), "modes")):
        with meshio.xdmf.TimeSeriesReader(result.to_paraview(tmp_path / f"{name}.xdmf")) as reader:
            points, cells = reader.read_points_cells()
            steps = [reader.read_data(i) for i in range(reader.num_steps)]
        assert len(steps) == (len(found) if name == "static" else 1)
        assert sum(len(block.data) for block in cells) == sum(map(len, steps[0][2]["body"]))
        assert np.isfinite(points).all()
        for _, data, _ in steps:
            moved = [values for key, values in data.items() if key.startswith(("displacement", "mode"))]
            assert all(values.shape == points.shape and np.isfinite(values).all() for values in moved)


@every
def test_equilibria_are_animated_and_listed(make: Callable[[], fx.Model], tmp_path: Path) -> None:
    found = solved(make)
    assert found.animate(tmp_path / "path.gif", speed=1.0, fps=5.0, progress=False).stat().st_size > 1000
    table = found.table(place(make, found.model))
    assert table.labels[0].startswith("load factor")


def test_the_same_beam_by_a_support_and_with_a_body_reads_alike() -> None:
    """Adding a rigid body changes neither type nor shape nor sense of what is asked."""
    plain, more = solved(supported), solved(with_a_body)
    asked = [(s, s.model.body("beam")) for s in (plain, more)]
    for name in ("position", "displacement", "slope", "angle", "rotation", "reaction", "reaction_moment"):
        one, other = (getattr(s, name)(b.start if "reaction" in name else b.end, step=-1) for s, b in asked)
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)  # the body has weight, but there is no gravity
    tip = more.model.body("tip")
    assert more.angle("tip", step=-1) == pytest.approx(more.angle(asked[1][1].end, step=-1), abs=1e-8)
    assert more.angle(tip).shape == (len(more),)


def test_a_joint_of_a_tree_carries_the_load_of_each_equilibrium() -> None:
    """The weight in proportion to the load factor, at every one of them."""
    found = solved(arm)
    weight = 2.0 * 9.81 * found.load_factors
    np.testing.assert_allclose(found.reaction("arm/link 0")[:, 2], weight, atol=1e-8)
    assert found.reaction("arm/link 0", step=1)[2] == pytest.approx(weight[1], abs=1e-8)


def test_older_names_warn() -> None:
    for old, new in (
        ("Solution", fx.StaticSolution), ("Equilibria", fx.StaticSolution), ("Modes", fx.ModalSolution),
        ("ConstrainedModes", fx.ModalSolution), ("TimeStatus", fx.Status),
    ):  # fmt: skip
        with pytest.warns(DeprecationWarning, match=f"flexmbs.{old} is now flexmbs.{new.__name__}"):
            assert getattr(fx, old) is new


def test_files_of_version_0_1_are_read() -> None:
    """A strip bent by 1 N at its end, its modes there, and a bar of 2 kg on a hinge with a spring."""
    samples = Path(__file__).parent / "samples"
    bent = fx.load(samples / "static_0_1.h5")
    assert isinstance(bent, fx.StaticSolution)
    strip = bent.model.body("blade")
    assert bent.load_factors.tolist() == [0.0, 0.5, 1.0]
    assert bent.settings.steps == 2
    assert bent.reaction(strip.start, step=-1) == pytest.approx([0.0, 1.0, 0.0], abs=1e-7)
    moment = bent.reaction_moment(strip.start, step=-1)
    assert moment == pytest.approx([0.0, 0.0, bent.position(strip.end, step=-1)[0]], abs=1e-7)
    modes = fx.load(samples / "modal_0_1.h5")
    assert isinstance(modes, fx.ModalSolution)
    assert modes.frequencies == pytest.approx(fx.solve_modal(bent, modes=2).frequencies, rel=1e-9)
    hanging = fx.load(samples / "equilibria_0_1.h5")
    assert isinstance(hanging, fx.StaticSolution)
    for s, angle in zip(hanging.load_factors, hanging.angle("hinge"), strict=True):  # k phi + s m g l cos(phi) = 0
        assert 20.0 * angle + s * 2.0 * 9.81 * 0.5 * np.cos(angle) == pytest.approx(0.0, abs=1e-7)
    assert hanging.reaction("hinge", step=-1) == pytest.approx([0.0, 19.62, 0.0], abs=1e-9)


def test_results_with_functions_need_their_model(tmp_path: Path) -> None:
    def made(stiffness: float = 100.0) -> fx.Model:
        ball = fx.PointMass(2.0, position=(0.0, -1.0, 0.0), name="ball")
        spring = fx.SpringDamper(
            fx.ground.marker((0.0, 0.0, 0.0)), ball, force=lambda x, v, t: 100.0 * (x - 1.0), name="spring"
        )
        side = fx.SpringDamper(fx.ground.marker((1.0, -1.0, 0.0)), ball, stiffness=stiffness, name="side")
        return fx.Model(ball, spring, side, fx.PointForce(ball, (0.0, -1.0, 0.0), history=lambda s: s**2), name="own")

    model = made()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = fx.solve_static(model)
    path = found.save(tmp_path / "own.h5")
    with pytest.raises(fx.ReadError, match=r"pass the model|load\(path, model=model\)"):
        fx.load(path)
    again = fx.load(path, model=model)
    assert again.model is model
    np.testing.assert_array_equal(again.position("ball"), found.position("ball"))
    with pytest.raises(fx.ReadError, match="another model"):
        fx.load(path, model=made(50.0))


def test_slow_growth_in_files_of_version_0_1_is_told(tmp_path: Path) -> None:
    """Beside high modes: of the error of omega^2 it is known only that it is some digits of the largest."""
    sample = h5py.File(Path(__file__).parent / "samples" / "modal_0_1.h5")
    for lowest, grows in ((-1e-2, True), (-1e-5, False), (1e-2, False)):
        path = tmp_path / "older.h5"
        with sealed(path) as file:
            for name in sample:
                sample.copy(name, file)
            file.attrs.update(sample.attrs)
            file["results/eigenvalues"][:] = [lowest, 1e10]
        modes = fx.load(path)
        path.unlink()
        assert isinstance(modes, fx.ModalSolution)
        assert modes.growing.tolist() == [grows, False]
    sample.close()
