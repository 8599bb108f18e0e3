"""Loads per length on reduced parts: as gravity where the mass is even, on every kind of body, in every analysis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

MU = 0.1
SECTION = fx.BeamStiffness(EA=1e5, EI_z=1.0, EI_y=2.0, GJ=1.0, mass_per_length=MU, rhoI_y=1e-4, rhoI_z=1e-4)
G = np.array((0.05, -0.6, 0.8))
OFFSET = (0.2, -0.1, 0.3)


def bent(stiffened: bool = True) -> Any:
    """An angle of two straight legs of 1.2 m and 0.7 m, reduced."""
    points = np.vstack((np.linspace((0, 0, 0), (1.2, 0, 0), 5), np.linspace((1.2, 0, 0), (1.2, 0.7, 0), 4)[1:]))
    cells = np.column_stack((np.arange(7), np.arange(1, 8)))
    mesh = fx.meshes.Mesh(points, [("line", cells)], {"ROOT": [0], "TIP": [7]})
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Frame(section=SECTION))], name="angle")
    return fx.reduction.reduce(part, ["ROOT", "TIP"], modes=3, geometric_stiffening=stiffened, progress=False)


def floating(reference: Any, stiffened: bool) -> Callable[[], tuple[list[Any], list[Any], Any]]:
    def build() -> tuple[list[Any], list[Any], Any]:
        body = fx.FloatingBody(bent(stiffened), reference, position=OFFSET, name="angle")
        hold = fx.FixedJoint(fx.ground, body.interface("ROOT"))
        return [body, hold], [body], body.interface("TIP")

    return build


def linear() -> tuple[list[Any], list[Any], Any]:
    body = fx.LinearBody(bent(), fixed="ROOT", position=OFFSET, name="angle")
    return [body], [body], body.interface("TIP")


def substructures() -> tuple[list[Any], list[Any], Any]:
    hub = fx.RigidBody(1e-9, (1e-9, 1e-9, 1e-9), name="hub")
    frame = fx.elements.Frame(section=SECTION)
    boom = fx.SubstructuredBeam([(0, 0, 0), (1.0, 0, 0), (1.6, 0.5, 0.2)], hub, element=frame, elements=4, modes=2)
    return [hub, *boom.items, fx.FixedJoint(fx.ground, hub, at=(0, 0, 0))], list(boom.parts), boom.end.centre


BODIES = {
    "mean axes": floating("mean", True), "tangent frame": floating("ROOT", True),
    "without stiffening": floating("ROOT", False), "linear body": linear, "substructures": substructures,
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_even_mass_makes_it_gravity(name: str) -> None:
    """Of bodies with the mass mu per length, a load mu g per length is their weight: equilibrium, motion, energy.

    The affine fields of stiffened bodies have a term of fourth order that the mean point leaves out.
    """
    items, loaded, tip = BODIES[name]()
    weight = fx.Model(*items, fx.Gravity(G))
    load = fx.Model(*items, *(fx.DistributedLoad(body, MU * G) for body in loaded))
    rest = [fx.solve_static(m).position(tip, step=-1) for m in (weight, load)]
    moved = np.linalg.norm(rest[0] - tip.position0())
    assert moved > 0.02
    error = 1e-7 * moved + 1.9 * (moved / 1.9) ** 4
    np.testing.assert_allclose(rest[1], rest[0], rtol=0, atol=error)
    runs = [fx.simulate(m, until=0.4, step=0.01, progress=False) for m in (weight, load)]
    np.testing.assert_allclose(runs[1].position(tip), runs[0].position(tip), rtol=0, atol=error)
    fed = runs[1].energy.work_loads[-1]
    assert fed > 0.0
    assert np.abs(runs[1].energy.balance).max() < 1e-3 * fed
    fallen = runs[0].energy.potential
    assert fed == pytest.approx(fallen[0] - fallen[-1], rel=1e-3)


@pytest.mark.parametrize("name", ["tangent frame", "linear body", "substructures"])
def test_load_that_turns(name: str) -> None:
    """Two loads with a cosine and a sine as histories are a weight whose direction turns."""
    items, loaded, tip = BODIES[name]()
    rate, size = 7.0, 0.5
    parts = [((size, 0, 0), lambda t: np.cos(rate * t)), ((0, 0, size), lambda t: np.sin(rate * t))]
    weight = fx.Model(*items, *(fx.Gravity(g, history=h) for g, h in parts))
    load = fx.Model(*items, *(fx.DistributedLoad(b, MU * np.array(g), history=h) for b in loaded for g, h in parts))
    runs = [fx.simulate(m, until=0.5, step=0.01, progress=False) for m in (weight, load)]
    reach = np.abs(runs[0].position(tip) - tip.position0()).max()
    np.testing.assert_allclose(runs[1].position(tip), runs[0].position(tip), atol=1e-6 * reach)
    np.testing.assert_allclose(runs[1].energy.work_loads, runs[0].energy.work_loads,
                               atol=1e-5 * np.abs(runs[0].energy.work_loads).max())  # fmt: skip


def test_input_of_a_linearised_model() -> None:
    """The response of a linear model to the load, at rate zero, is the static one."""
    items, loaded, tip = BODIES["tangent frame"]()
    load = fx.DistributedLoad(loaded[0], (0.0, 0.0, 1e-4))
    model = fx.Model(*items, load)
    system = fx.linearise(fx.Model(*items), inputs=[load], outputs=[fx.control.PositionSensor(tip, name="tip")])
    still = fx.solve_static(model).position(tip, step=-1) - tip.position0()
    gain = np.real(system.transfer([0.0])[0])
    np.testing.assert_allclose(gain[:, 0], still, rtol=0, atol=1e-4 * np.abs(still).max())


def test_uneven_mass() -> None:
    """A tip mass shifts the centre of mass, but not the load: the tip goes down by f L^4 / (8 E I) with and without."""
    for heavy in (0.0, 10.0):
        mesh = fx.meshes.line((0, 0, 0), (2.0, 0, 0), 6)
        masses = [fx.linear.NodalMass("end", heavy)] if heavy else []
        frame = fx.linear.Region(None, fx.elements.Frame(section=SECTION))
        part = fx.linear.Part(mesh, regions=[frame], connections=masses, name="bar")
        body = fx.FloatingBody(fx.reduction.reduce(part, ["start", "end"], modes=2, progress=False), "start")
        mean, length = body.line_resultant
        assert length == pytest.approx(2.0)
        np.testing.assert_allclose(mean.position0(), (1.0, 0, 0), atol=1e-12)
        hold = fx.FixedJoint(fx.ground, body.interface("start"), name="hold")
        rest = fx.solve_static(fx.Model(body, hold, fx.DistributedLoad(body, (0, 3e-3, 0))))
        down = rest.position(body.interface("end"), step=-1)[1]
        assert down == pytest.approx(3e-3 * 2.0**4 / 8.0, rel=1e-4)  # f L^4 / (8 E I), EI = 1
        assert abs(rest.reaction(hold)[-1][1]) == pytest.approx(6e-3, rel=1e-9)


def test_nodes_of_substructures() -> None:
    """A force on an inner node bends the boom as it does a clamped beam: x^2 (3 a - x) / 6."""
    hub = fx.RigidBody(1.0, (1, 1, 1), name="hub")
    section = fx.BeamStiffness(EA=1e6, EI_z=1.0, EI_y=1.0, GJ=1.0, mass_per_length=MU, rhoI_y=1e-4, rhoI_z=1e-4)
    boom = fx.SubstructuredBeam.straight((0, 0, 0), (2, 0, 0), hub, n=1, elements=4,
                                         element=fx.elements.Frame(section=section, shear=False))  # fmt: skip
    point = boom.parts[0].node(2)
    np.testing.assert_allclose(point.position0(), (1.0, 0, 0), atol=1e-12)
    items = [hub, *boom.items, fx.FixedJoint(fx.ground, hub, at=(0, 0, 0)), fx.PointForce(point, (0, 1e-3, 0))]
    rest = fx.solve_static(fx.Model(*items))
    assert rest.position(boom.end.centre, step=-1)[1] == pytest.approx(1e-3 * (6.0 - 1.0) / 6.0, rel=1e-5)
    run = fx.simulate(fx.Model(*items), until=0.2, step=0.01, progress=False)
    seen = boom.nodes(run)[:, 2]
    np.testing.assert_allclose(run.position(point), seen, atol=1e-9)
    with pytest.raises(fx.ModelError, match="belongs to interface"):
        boom.parts[0].node(0)


def test_files_keep_it(tmp_path: Path) -> None:
    """A reduced model and the description of a model come back with their lines."""
    small = bent()
    again = fx.reduction.load_reduced(small.save(tmp_path / "angle.h5"))
    assert again.line is not None
    np.testing.assert_array_equal(again.line.P, small.line.P)
    items, loaded, _ = BODIES["tangent frame"]()
    run = fx.simulate(fx.Model(*items, fx.DistributedLoad(loaded[0], MU * G)), until=0.1, step=0.01, progress=False)
    run.save(tmp_path / "run.h5")
    back = fx.load(tmp_path / "run.h5")
    load = back.model.loads[0]
    assert load.load == pytest.approx(tuple(MU * G))
    np.testing.assert_allclose(load.wrenches[0].force, MU * G * 1.9, rtol=1e-12)


def test_refusals() -> None:
    lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    solid = fx.FloatingBody(fx.reduction.reduce(lug, ["ROOT"], modes=2, progress=False))
    with pytest.raises(fx.ModelError, match="line elements"):
        fx.DistributedLoad(solid, (0, 0, 1.0))
    _, loaded, _ = BODIES["linear body"]()
    with pytest.raises(fx.ModelError, match="load"):
        fx.DistributedLoad(loaded[0], (0, 1.0))
    with pytest.raises(fx.ModelError, match="FlexibleBody"):
        fx.DistributedLoad(fx.RigidBody(1.0, (1, 1, 1)), (0, 0, 1.0))
