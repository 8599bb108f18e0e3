"""Models for the tests of output: every kind of support, load, history, section and element at least once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import flexmbs as fx
from flexmbs.meshes import line

STRIP = fx.BeamStiffness(EA=1e5, EI_z=1.0, GJ=0.7, mass_per_length=1.0)


def cantilever(history: object = None) -> fx.Model:
    """A strip, bent far by a dead force at its end."""
    blade = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), section=fx.Rectangle(width=0.02, height=0.002),
        material=fx.steel, name="blade",
    )  # fmt: skip
    return fx.Model(blade, fx.Clamp(blade.start), fx.PointForce(blade.end, (0, -8.4), history=history), name="strip")


def frame() -> fx.Model:
    """Three hinged members with different choices, many supports, loads and units of its own."""
    element = fx.elements.ANCFCable2D(strain=fx.elements.CableStrain.GREEN, bending=fx.elements.Gauss(2))
    left = fx.FlexibleBody.line((0, 0), (0, 1), elements=3, element=element, stiffness=STRIP, name="left/leg")
    mesh = line((0, 1), (1, 1), 4).with_node_set("middle", [2]).with_cell_set("first half", [0, 1])
    top = fx.FlexibleBody(
        mesh,
        fx.elements.ANCFCable2D(),
        section=fx.GeneralSection(area=1e-3, I_z=1e-8, shear_y=0.9),
        material=replace(fx.aluminium, retardation_time=1e-4),
        name="Träger",
    )
    right = fx.FlexibleBody.line(
        (1, 0), (1, 1), elements=3, element=fx.elements.ANCFCable2D(), stiffness=STRIP, name="r"
    )
    return fx.Model(
        left,
        fx.Gravity((0, -0.1), history=fx.Constant(1.0)),
        top,
        right,
        fx.Clamp(left.start),
        fx.Pin(right.start),
        fx.Hinge(left.end, top.start),
        fx.Hinge(top.end, right.end),
        fx.PointForce(left.end, (0.2, 0), history=fx.Table((0, 0.5, 1), (0, 0.9, 1))),
        fx.DistributedLoad(top, (0, -0.5)),
        fx.Moment(right.end, 0.1),
        fx.ElasticSupport(top.set("middle"), ((3.0, 0.5), (0.5, 2.0)), rotation=0.1),
        units=fx.Units("mm", "t", "s", "N"),
        name="frame",
    )


def guided() -> fx.Model:
    """Prescribed motions, a roller and a guide at an angle, a follower."""
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), section=fx.Pipe(diameter=0.02, thickness=0.001),
        material=fx.steel, name="rod",
    )  # fmt: skip
    return fx.Model(
        rod,
        fx.Roller(rod.start, (1, 2)),
        fx.Prescribe(rod.start, displacement=(None, 0.01), rotation=0.2, history=fx.Table((0, 1), (0, 1))),
        fx.Guide(rod.end, (0.3, 0.7)),
        fx.PointForce(rod.node(2), (0, -50.0), follower=True),
        name="guided",
    )


def spatial() -> fx.Model:
    """A cable in space."""
    rod = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=4, element=fx.elements.ANCFCable3D(), section=fx.Circle(diameter=0.01),
        material=fx.steel, name="rod",
    )  # fmt: skip
    return fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0, 20.0, -50.0)), name="space")


def linear(element: object = None) -> fx.Model:
    """A linear beam in space, with a direction that is not exactly of unit length."""
    rod = fx.FlexibleBody.line(
        (0, 0, 0), (1, 1, 0.3), elements=3, element=element or fx.elements.LinearBeam3D(up=(0.1, 0.2, 0.7)),
        section=fx.Rectangle(width=0.02, height=0.03), material=fx.aluminium, name="rod",
    )  # fmt: skip
    return fx.Model(rod, fx.Clamp(rod.start), fx.Moment(rod.end, (1.0, 2.0, -3.0)), name="linear")


def planar_linear() -> fx.Model:
    """A linear beam in the plane."""
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=3, element=fx.elements.LinearBeam2D(shear=False),
        section=fx.Rectangle(width=0.02, height=0.03),
        material=fx.aluminium, name="rod",
    )  # fmt: skip
    return fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (1.0, -3.0)), name="planar linear")


ALL = (cantilever, frame, guided, spatial, linear, planar_linear)


@dataclass(frozen=True, kw_only=True)
class OwnCable(fx.elements.ANCFCable2D):
    """An element that does not come with flexmbs."""

    grade: str = "soft"
    weights: tuple[float, ...] = (0.5, 0.5)


@dataclass(frozen=True)
class Square:
    """A section that does not come with flexmbs."""

    side: float
    shear_y: float | None = None
    shear_z: float | None = None

    @property
    def area(self) -> float:
        return self.side**2

    @property
    def I_y(self) -> float:
        return self.side**4 / 12

    @property
    def I_z(self) -> float:
        return self.side**4 / 12

    @property
    def J(self) -> float:
        return 0.1406 * self.side**4


def own() -> fx.Model:
    """Classes that do not come with flexmbs."""
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=OwnCable(grade="hard"), section=Square(0.01), material=fx.steel, name="rod"
    )
    return fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0, -1.0)), name="own")


def assert_equal(a: fx.StaticSolution, b: fx.StaticSolution) -> None:
    """Every array is the same, and so is whatever is derived from it."""
    for name in ("load_factors", "q", "v", "lam", "scales", "drives", "stable", "iterations"):
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype, name
        np.testing.assert_array_equal(x, y, err_msg=name)
    assert (a.status, a.message, a.settings, a.time) == (b.status, b.message, b.settings, b.time)
    assert (a.free, a.redundant) == (b.free, b.redundant)
    assert a.accuracy == b.accuracy or (np.isnan(a.accuracy) and np.isnan(b.accuracy))
    assert str(a.model) == str(b.model)
    assert a.model.units == b.model.units
    for mine, its in zip(a.model.bodies, b.model.bodies, strict=True):
        np.testing.assert_array_equal(a.shape(mine), b.shape(its))
        for resultant in mine.element.resultants:
            np.testing.assert_array_equal(a.resultant(mine, resultant.symbol), b.resultant(its, resultant.symbol))
        for node in range(mine.mesh.n_points):
            np.testing.assert_array_equal(a.position(mine.node(node)), b.position(its.node(node)))
            np.testing.assert_array_equal(a.reaction(mine.node(node)), b.reaction(its.node(node)))
            np.testing.assert_array_equal(a.reaction_moment(mine.node(node)), b.reaction_moment(its.node(node)))
            if mine.mesh.dim == 2:
                np.testing.assert_array_equal(a.angle(mine.node(node)), b.angle(its.node(node)))
    assert np.array_equal(a.strain_energy(), b.strain_energy())
