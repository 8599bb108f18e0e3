"""What is drawn of robots from tables: bars between the places of joints, whatever the convention of the table."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.model.trees.link_shapes import base_shape, joint_place, link_shape

ROD = {"mass": 1.0, "inertia": (0.01, 0.1, 0.1)}


def drawn(run: fx.TimeSolution, name: str, step: int) -> np.ndarray:
    """Corners (n, 3) of a link in the inertial frame."""
    points, _ = link_shape(run.model.body(name))
    link = run.model.body(name)
    frame = link.marker((0.0, 0.0, 0.0))
    return np.asarray(run.position(frame, step) + points @ run.rotation(frame, step).T)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_bars_of_an_arm_reach_from_joint_to_joint(convention: str) -> None:
    """Two bars in the plane: in a standard table the frames are at the far ends, in a modified one at the joints."""
    last = {"a": 1.0} if convention == "standard" else {"a": 1.0, "joint": "fixed"}
    rows = [trees.DHRow("upper", a=1.0 if convention == "standard" else 0.0, **ROD), trees.DHRow("lower", a=1.0, **ROD)]
    if convention == "modified":
        rows.append(trees.DHRow("tip", **last))
    tree = trees.dh_tree(*rows, convention=convention, name="arm")  # type: ignore[arg-type]
    run = fx.simulate(fx.Model(tree.started(upper=0.3, lower=0.7), fx.Gravity((0, -9.81, 0))), 0.3, step=1e-3,
                      progress=False)  # fmt: skip
    for step in (0, -1):
        one, two = (float(run.angle(f"arm/{name}", step)) for name in ("upper", "lower"))
        elbow = np.array([np.cos(one), np.sin(one), 0.0])
        end = elbow + np.array([np.cos(one + two), np.sin(one + two), 0.0])
        for name, ends in (("arm/upper", (np.zeros(3), elbow)), ("arm/lower", (elbow, end))):
            corners = drawn(run, name, step)
            assert len(corners) == 2
            distance = [np.linalg.norm(corners - place, axis=1).min() for place in ends]
            np.testing.assert_allclose(distance, 0.0, atol=1e-9, err_msg=name)


def test_a_column_stands_on_the_base_and_offsets_lie_along_the_axis() -> None:
    column = trees.DHRow("column", d=0.5, a=0.2, **ROD)
    tree = trees.dh_tree(column, position=(1.0, 2.0, 0.0), convention="modified", name="robot")
    points, edges = base_shape(tree)
    np.testing.assert_allclose(points[edges], [[(1, 2, 0), (1.2, 2, 0)], [(1.2, 2, 0), (1.2, 2, 0.5)]], atol=1e-12)
    points, edges = link_shape(tree.link("column"))  # last and without any size: a short tool along its axis
    assert len(edges) == 1
    assert np.linalg.norm(points[1] - points[0]) == pytest.approx(0.25 * np.hypot(0.2, 0.5))
    np.testing.assert_allclose(np.cross(points[1] - points[0], (0, 0, 1)), 0.0)
    place = joint_place(trees.dh_tree(trees.DHRow("r", a=0.4, d=0.1, **ROD), convention="standard").links[0])
    np.testing.assert_allclose((place.point, place.axis), [(-0.4, 0, 0), (0, 0, 1)], atol=1e-12)


def test_sliding_links_have_a_rod_along_their_guide() -> None:
    slide = trees.Link("slide", 1.0, (1, 1, 1), joint=trees.Prismatic((0.0, 1.0, 0.0)), at=(0.0, 0.0, 0.4), start=0.3)
    tree = trees.Tree(slide, name="press")
    points, edges = link_shape(tree.link("slide"))
    np.testing.assert_allclose(points[edges], [[(0, -0.3, 0), (0, 0, 0)]], atol=1e-12)
    points, edges = base_shape(tree)  # up to the guide and along it as far as it is open
    np.testing.assert_allclose(points[edges][-1], [(0, 0, 0.4), (0, 0.3, 0.4)], atol=1e-12)


def test_free_trees_have_no_base() -> None:
    free = trees.Link("body", 1.0, (1, 1, 1), joint=trees.Free())
    assert len(base_shape(trees.Tree(free))[1]) == 0
