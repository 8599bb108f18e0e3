"""Trees with flexible links as bodies in floating frames: the same motion, with a matrix that grows with the links."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.dynamics.evaluation import Dynamics


def bar() -> Any:
    section = fx.BeamStiffness(EA=2e4, EI_z=6.0, EI_y=8.0, GJ=5.0, mass_per_length=0.6, rhoI_y=1e-4, rhoI_z=1e-4)
    frame = fx.linear.Region(None, fx.elements.Frame(section=section))
    part = fx.linear.Part(fx.meshes.line((0.1, 0, 0), (0.6, 0, 0), 3), regions=[frame], name="bar")
    return fx.reduction.reduce(part, ["start", "end"], modes=2, progress=False)


def chain(n: int) -> tuple[fx.Model, Any]:
    """Flexible links with a rigid one in between and a rigid one at the tip, on hinges, balls and universal joints."""
    reduced = bar()
    kinds = (trees.Revolute((0, 1, 0.2)), trees.Spherical(), trees.Universal((0, 1, 0), (0, 0, 1)))
    links: list[Any] = []
    for k in range(n):
        before = links[-1].name if links else None
        if k % 4 == 2:
            links.append(trees.Link(f"link {k}", 0.4, (0.01, 0.02, 0.02), (0.1, 0, 0), before, kinds[k % 3], at="end",
                                    rate=np.full(kinds[k % 3].n_v, 0.3)))  # fmt: skip
            continue
        flexible_before = bool(links) and hasattr(links[-1], "reduced")
        at: Any = "end" if flexible_before else ((0, 0, 0) if not links else (0.25, 0, 0))
        links.append(trees.FlexibleLink(f"link {k}", reduced, "start", before, kinds[k % 3], at=at,
                                        rate=np.full(kinds[k % 3].n_v, 0.5), damping=0.01))  # fmt: skip
    tree = trees.Tree(*links, position=(0, 0, 1.0), name="chain")
    last = tree.bodies[-1]
    tip = last.interface("end") if hasattr(links[-1], "reduced") else last.marker((0.2, 0, 0))
    spring = fx.SpringDamper(fx.ground.marker((1.0, 0.4, 1.0)), tip, stiffness=30.0, damping=0.2, name="spring")
    return fx.Model(tree, spring, fx.Gravity((0, 0, -9.81)), name="chain"), tip


@pytest.mark.parametrize("n", [1, 2, 6])
def test_same_motion(n: int) -> None:
    model, _ = chain(n)
    flat = fx.trees.to_absolute_coordinates(model)
    assert not flat.trees
    assert [b.name for b in flat.bodies if b.kind == "floating"] == [f"link {k}" for k in range(n) if k % 4 != 2]
    runs = [fx.simulate(m, until=0.2, step=2e-3, progress=False) for m in (model, flat)]
    force = [run.force("spring") for run in runs]
    np.testing.assert_allclose(force[1].coordinate, force[0].coordinate, atol=1e-4 * n)
    finer = [
        fx.simulate(m, until=0.2, step=1e-3, progress=False).force("spring").coordinate[::2] for m in (model, flat)
    ]
    coarse = np.abs(force[1].coordinate - force[0].coordinate).max()
    assert np.abs(finer[1] - finer[0]).max() < 0.4 * coarse + 1e-8  # both have the order two


def test_work_grows_with_the_links() -> None:
    """Entries that a step fills: as many for each link; in the tree they grow with the square of the links."""
    grown = []
    for flat in (True, False):
        entries = []
        for n in (8, 16, 32):
            model = chain(n)[0]
            system = fx.compile_model(fx.trees.to_absolute_coordinates(model) if flat else model)
            entries.append(len(Dynamics(system).matrix.entries))
        first, second = np.diff(entries)
        grown.append(second / first)
    assert grown[0] == pytest.approx(2.0, rel=0.05)
    assert grown[1] > 3.5


def test_start_and_deformation() -> None:
    """Places, velocities and amplitudes at the start are those of the tree."""
    reduced = bar()
    links = [
        trees.FlexibleLink("a", reduced, "start", joint=trees.Revolute((0, 1, 0)), start=0.4, rate=1.0,
                           deformation=1e-4 * np.arange(1, 9), deformation_rate=1e-2 * np.arange(8, 0, -1)),
        trees.FlexibleLink("b", reduced, "start", "a", trees.Revolute((0, 0, 1)), at="end", start=-0.7, rate=-2.0),
    ]  # fmt: skip
    tree = trees.Tree(*links, rotation=(np.cos(0.15), 0, 0, np.sin(0.15)), name="arm")
    model = fx.Model(tree)
    flat = fx.trees.to_absolute_coordinates(model)
    ends = tree.link("b").interface("end"), flat.body("b").interface("end")
    for what in ("position", "velocity"):
        a, b = (getattr(fx.simulate(m, until=0.0, step=1e-3), what)(end)[0]
                for m, end in zip((model, flat), ends, strict=True))  # fmt: skip
        np.testing.assert_allclose(b, a, atol=1e-9)
    np.testing.assert_allclose(flat.body("a").deformation, links[0].deformation)


def test_refusals() -> None:
    reduced = bar()
    massless = trees.Tree(
        trees.FlexibleLink("a", reduced, "start", joint=trees.Revolute((0, 1, 0))),
        trees.Link("flange", parent="a", at="end", joint=trees.Fixed()), name="arm",
    )  # fmt: skip
    with pytest.raises(fx.ModelError, match="no mass"):
        fx.trees.to_absolute_coordinates(fx.Model(massless))


@pytest.mark.filterwarnings("ignore:.*the joints changed", "ignore:.*the assembly turned")  # the tree, described so
def test_deformation_that_the_assembly_finds_is_carried_over() -> None:
    """A link whose end slides along a line it starts beside, with a crank that turns at another rate than fits."""
    crank = trees.Link("crank", 0.5, (0.001, 0.01, 0.01), (0.15, 0, 0), joint=trees.Revolute((0, 1, 0)), start=-0.5,
                       rate=2.0)  # fmt: skip
    rod = trees.FlexibleLink("rod", bar(), "start", "crank", trees.Revolute((0, 1, 0)), at=(0.3, 0, 0), start=0.9,
                             rate=-1.0, deformation=(0.002, -0.004, *np.zeros(6)))  # fmt: skip
    tree = trees.Tree(crank, rod)
    end = tree.link("rod").interface("end")
    height = float(end.position0()[2])
    line = fx.PointOnLineConstraint(fx.ground.marker((0, 0, height), axis=(1, 0, 0)), end, name="line")
    model = fx.Model(tree, line)
    flat = trees.to_absolute_coordinates(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # nothing is left to assemble
        after = fx.simulate(flat, until=1e-3, step=1e-3, progress=False)
    before = fx.simulate(model, until=1e-3, step=1e-3, progress=False)
    there = flat.body("rod").interface("end")
    np.testing.assert_allclose(after.position(there)[0], before.position(end)[0], atol=1e-9)
    np.testing.assert_allclose(after.velocity(there)[0], before.velocity(end)[0], atol=1e-7)
    for name in ("kinetic", "strain"):
        np.testing.assert_allclose(getattr(after.energy, name)[0], getattr(before.energy, name)[0], rtol=1e-6)
