"""Reduced models that the tests of all formats share."""

from __future__ import annotations

import pytest

import flexmbs as fx


@pytest.fixture(scope="session")
def lug() -> fx.reduction.ReducedModel:
    """A solid with a rigid and an averaged interface, damping, stresses and units; 12 + 8 coordinates."""
    mesh = fx.meshes.read_mesh(fx.meshes.sample("lug.inp"))
    part = fx.linear.Part(
        mesh, material=fx.Elastic(youngs_modulus=7e10, density=2700.0, retardation_time=1e-6), name="lug"
    )
    return fx.reduction.reduce(
        part,
        ["ROOT", fx.reduction.Interface("BORE", kind="averaged")],
        8,
        stresses="TIP",
        units={"length": "m", "mass": "kg", "time": "s"},
    )


@pytest.fixture(scope="session")
def strut() -> fx.reduction.ReducedModel:
    """A beam along x: nodes with rotations, an interface whose coordinates are those of its node; no units."""
    mesh = fx.meshes.line((0, 0, 0), (1.0, 0, 0), 12)
    element = fx.elements.Frame(section=fx.Rectangle(width=0.02, height=0.03), up=(0, 0, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, fx.steel)], name="strut")
    return fx.reduction.reduce(part, ["start", fx.reduction.Interface("end", kind="nodes")], 6)
