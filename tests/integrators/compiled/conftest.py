"""Models whose steps are made both by the loop in Python and by the driver."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.chunks import Chunks

G = 9.81


def chain(links: int) -> fx.Model:
    """Bars along x in space, hinged about z."""
    bars = [
        fx.RigidBody.box(size=(0.1, 0.01, 0.01), mass=0.01, position=(0.1 * i + 0.05, 0, 0), name=f"bar {i}")
        for i in range(links)
    ]
    hinges = [
        fx.RevoluteJoint(a, b, at=(0.1 * i, 0, 0), axis=(0, 0, 1), name=f"hinge {i}")
        for i, (a, b) in enumerate(zip([fx.ground, *bars], bars, strict=False))
    ]
    return fx.Model(*bars, *hinges, fx.Gravity((0, -G, 0)), name="chain")


def slider_crank(*more: object) -> fx.Model:
    """A crank about x, a rod with a spherical and a universal joint, and a block guided along x."""
    top, foot = np.array([0.0, 0.1, 0.2]), np.array([0.2, 0.0, 0.0])
    along = (top - foot) / np.linalg.norm(top - foot)
    across = np.cross(along, (0.0, 1.0, 0.0)) / np.hypot(along[0], along[2])
    frame = np.column_stack((along, np.cross(across, along), across))
    crank = fx.RigidBody(0.12, (1e-4, 1e-4, 1e-5), position=(0, 0.1, 0.16), name="crank")
    rod = fx.RigidBody(0.5, (4e-4, 4e-3, 4e-3), position=(top + foot) / 2, rotation=frame, name="rod")
    block = fx.RigidBody(2.0, (1e-4, 1e-4, 1e-4), position=foot, name="block")
    reach = float(np.linalg.norm(top - foot)) / 2
    axle = fx.RevoluteJoint(fx.ground, crank, at=(0, 0.1, 0.12), axis=(1, 0, 0), name="axle")
    joints = [
        axle,
        fx.SphericalJoint(crank, rod, at=top, name="pin"),
        fx.UniversalJoint(
            block.marker((0, 0, 0), axis=(0, 1, 0)), rod.marker((-reach, 0, 0), axis=(0, 0, 1)), name="cross"
        ),
        fx.PrismaticJoint(fx.ground, block, at=foot, axis=(1, 0, 0), name="guide"),
    ]
    added = [item(axle, block) for item in more]  # type: ignore[operator]
    return fx.Model(crank, rod, block, *joints, *added, fx.Gravity((0, 0, -G)), name="slider-crank")


def ball_on_a_cable() -> fx.Model:
    """A spatial cable with a ball, hinged about the tangent at its end, which marks the frame there."""
    body = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=4, element=fx.elements.ANCFCable3D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_y=0.1, EI_z=0.1, GJ=0.1, mass_per_length=1.0),
    )  # fmt: skip
    ball = fx.RigidBody(0.2, (1e-3, 1e-3, 1e-3), position=(1, 0, 0), name="ball")
    hinge = fx.RevoluteJoint(body.end, ball, at=(1, 0, 0), axis=(1, 0, 0), name="hinge")
    return fx.Model(body, fx.Pin(body.start), ball, hinge, fx.Gravity((0, 0, -G)))


def cable(elements: int, *more: object, element: object = None) -> fx.Model:
    """A very flexible cable, hinged at the origin, which falls from the horizontal."""
    body = fx.FlexibleBody.line(
        (0, 0), (1.2, 0), elements=elements, element=element or fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1260.0, EI_z=8.5e-3, mass_per_length=9.97), name="cable",
    )  # fmt: skip
    added = [item for make in more for item in make(body)]  # type: ignore[operator]
    return fx.Model(body, fx.Pin(body.start), *added, fx.Gravity((0.0, -G)), name="cable")


def four_bar() -> fx.Model:
    """A parallelogram in space, three of whose equations follow from the others."""
    corners = np.array([[0, 0, 0], [0, 1, 0], [2, 1, 0], [2, 0, 0]], dtype=float)
    bodies = [
        fx.RigidBody.box(size=np.abs(q - p) + 0.05, mass=1.0, position=0.5 * (p + q), name=f"link {k}")
        for k, (p, q) in enumerate(itertools.pairwise(corners))
    ]
    sides = [fx.ground, *bodies, fx.ground]
    joints = [
        fx.RevoluteJoint(a, b, at=p, axis=(0, 0, 1), name=f"hinge {k}")
        for k, (a, b, p) in enumerate(zip(sides[:-1], sides[1:], corners, strict=True))
    ]
    return fx.Model(*bodies, *joints, fx.Gravity((G, 0, 0)), name="four-bar")


def same(a: fx.TimeSolution, b: fx.TimeSolution) -> None:
    """Two runs agree to the last bit in all that they computed."""
    for name in ("t", "q", "v", "a", "lam", "steps", "residuals"):
        assert np.array_equal(getattr(a, name), getattr(b, name), equal_nan=True), name
    for name, series in vars(a.energy).items():
        assert np.array_equal(series, getattr(b.energy, name), equal_nan=True), name
    assert a.status is b.status
    assert a.message == b.message
    for name in ("evaluations", "factorisations", "rejected"):
        assert a.counts[name] == b.counts[name], name


@pytest.fixture
def both():
    """Makes a run in Python and one by the driver, and compares them; returns the latter."""

    def make(model: fx.Model, until: float, step: object, index: int = 2, **rest: object) -> fx.TimeSolution:
        system = fx.compile_model(model)
        runs = [
            fx.simulate(system, until, step=step, integrator=scheme, **rest)
            for scheme in (fx.GeneralizedAlpha(rho_inf=0.8, index=index, compiled=c) for c in (False, True))
        ]
        same(*runs)
        return runs[1]

    return make


@pytest.fixture
def models() -> SimpleNamespace:
    """Functions that build models."""
    makers = chain, slider_crank, cable, four_bar, ball_on_a_cable
    return SimpleNamespace(**{make.__name__: make for make in makers})


@pytest.fixture
def chunks(monkeypatch) -> list[int]:
    """How many steps the chunks of a run have made, each."""
    made: list[int] = []
    accept = Chunks._accept

    def counted(self, steps, began):
        made.append(len(steps))
        return accept(self, steps, began)

    monkeypatch.setattr(Chunks, "_accept", counted)
    return made
