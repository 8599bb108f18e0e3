"""Markers, and joints by `at`, on flexible links: at the interface that is there, which moves with the deformation."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.model.trees.tree import OutletMarker

EI, PULL = 20.0, 0.1


@cache
def rod() -> Any:
    """From (0.5, 0, 0) to (1.5, 0, 0)."""
    section = fx.BeamStiffness(EA=2e5, EI_z=EI, GJ=15.0, mass_per_length=0.8, rhoI_y=2e-4, rhoI_z=2e-4)
    region = fx.linear.Region(None, fx.elements.Frame(section=section))
    part = fx.linear.Part(fx.meshes.line((0.5, 0, 0), (1.5, 0, 0), 4), regions=[region], name="rod")
    return fx.reduction.reduce(part, ["start", "end"], modes=2, progress=False)


def cantilever(**arguments: Any) -> tuple[trees.Tree, Any]:
    turned = fx.RigidBody(1.0, (1, 1, 1), rotation=(np.cos(0.3), 0, np.sin(0.3), 0)).rotation
    link = trees.FlexibleLink("rod", rod(), "start", joint=trees.Fixed(), **arguments)
    tree = trees.Tree(link, position=(0.2, 0.3, 1.0), rotation=turned)
    return tree, tree.link("rod")


def sag(tree: trees.Tree, link: Any, *items: Any) -> float:
    bent = fx.solve_static(fx.Model(tree, *items), fx.StaticOptions(progress=False))
    path = bent.position(link.interface("end"))
    return float(np.linalg.norm(path[-1] - link.interface("end").position0()))


def test_force_at_a_point_bends_the_link() -> None:
    tree, link = cantilever()
    across = tuple(PULL * tree.rotation[:, 1])
    tip = link.interface("end").position0()
    for marker in (link.marker((1.0, 0, 0)), link.marker_at(tip), link.marker_at(tip, axis=(1, 2, 3), name="tip")):
        np.testing.assert_allclose(sag(tree, link, fx.PointForce(marker, across)), PULL / (3 * EI), rtol=1e-9)
    assert str(marker).startswith("marker 'tip'")


def test_joint_by_its_place_bends_the_link() -> None:
    tree, link = cantilever()
    tip = link.interface("end").position0()
    load = fx.RigidBody(1.0, (1, 1, 1), position=tip, name="load")
    joint = fx.FixedJoint(link, load, at=tip)
    across = tuple(PULL * tree.rotation[:, 1])
    found = sag(tree, link, load, joint, fx.PointForce(load.centre, across))
    np.testing.assert_allclose(found, PULL / (3 * EI), rtol=1e-4)  # a body at the tip turns with it, to second order


def test_markers_are_where_they_were_asked_for_when_the_link_starts_bent() -> None:
    _, link = cantilever(deformation=0.01 * np.arange(1.0, rod().size - 5))
    here = link.interface("end")
    assert np.linalg.norm(here.position0() - link.framed(link.place[0], np.eye(3)).position0()) > 0.9
    again = link.marker_at(here.position0(), axis=(0, 1, 0), x=(0, 0, 1))
    assert isinstance(again, OutletMarker)
    np.testing.assert_allclose(again.position0(), here.position0(), atol=1e-14)
    np.testing.assert_allclose(again.rotation0(), [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-14)


def test_the_centre_is_the_origin_as_of_a_floating_body() -> None:
    tree, link = cantilever()
    np.testing.assert_array_equal(link.centre.position0(), tree.position)
    assert trees.to_absolute_coordinates(fx.Model(tree, fx.PointForce(link.centre, (1, 0, 0)))).bodies


def test_other_points_are_refused() -> None:
    _, link = cantilever()
    with pytest.raises(fx.ModelError, match=r"'rod': no interface is at \[0\.5.*nearest, 'start', is 0\.5 away.*'end'"):
        link.marker((0.5, 0, 0))
    with pytest.raises(fx.ModelError, match="no interface is at"):
        fx.FixedJoint(fx.ground, link, at=(0, 0, 0))
    with pytest.raises(fx.ModelError, match=r"FlexibleBody, FloatingBody.*link 'rod'.*to_absolute_coordinates"):
        fx.DistributedLoad(link, (0, 1, 0))


def test_the_frame_is_at_an_interface() -> None:
    with pytest.raises(fx.ModelError, match=r"FlexibleLink 'a': there is no interface named 'mean'.* Known: 'end'"):
        trees.FlexibleLink("a", rod(), "mean")
