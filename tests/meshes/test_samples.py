"""The sample files: that they are there, small, and hold what their README says."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.core.errors import MeshError
from flexmbs.meshes import quality, read_mesh, sample

NAMES = ("frame.msh", "l_bracket.msh", "lug.inp")


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_small_and_sound(name):
    assert sample(name).stat().st_size < 50_000
    report = quality(read_mesh(sample(name)))
    report.check()
    assert (len(report.coincident), len(report.unused)) == (0, 0)
    assert f"`{name}`" in (sample(name).parent / "README.md").read_text()


def test_an_unknown_sample_is_answered_with_the_known_ones():
    with pytest.raises(
        MeshError, match=r"no sample mesh named 'fram'; .*Known: 'frame.msh', 'l_bracket.msh', 'lug.inp'"
    ):
        sample("fram")
    for name in ("README.md", "", "../mesh.py", 3):
        with pytest.raises(MeshError, match="no sample mesh"):
            sample(name)


def test_frame():
    mesh = read_mesh(sample("frame.msh"))
    assert (mesh.dim, mesh.n_cells) == (3, 20)
    assert mesh.cell_sizes[0].sum() == pytest.approx(3 + 4 + 3)
    assert sorted(mesh.points[mesh.node_set("feet")].tolist()) == [[0, 0, 0], [4, 0, 0]]
    assert sorted(mesh.points[mesh.node_set("knees")].tolist()) == [[0, 0, 3], [4, 0, 3]]
    assert mesh.extracted("beam").cell_sizes[0].sum() == pytest.approx(4)
    assert (mesh.points[mesh.node_set("beam"), 2] == 3).all()


def test_l_bracket():
    mesh = read_mesh(sample("l_bracket.msh"))
    assert mesh.dim == 2
    assert mesh.extracted("BRACKET").cell_sizes[0].sum() == pytest.approx(0.1 * 0.02 + 0.02 * 0.06)
    assert mesh.extracted("WALL").cell_sizes[0].sum() == pytest.approx(0.02)
    np.testing.assert_allclose(mesh.points[mesh.node_set("WALL"), 1], 0.08, atol=1e-12)
    np.testing.assert_allclose(mesh.points[mesh.node_set("LOAD"), 0], 0.1, atol=1e-12)
    assert mesh.points[mesh.node_set("CORNER")].tolist() == [[0.1, 0.02]]


def test_lug():
    mesh = read_mesh(sample("lug.inp"))
    assert [(b.cell_type, b.n_cells) for b in mesh.cells] == [("tetra10", 286)]
    # box less cylinder; edges of second order run up to half a percent of the bore's area inside of it
    bore = np.pi * 0.005**2 * 0.02
    assert 0 < mesh.cell_sizes[0].sum() - (0.06 * 0.02**2 - bore) < 0.005 * bore
    points = {name: mesh.points[mesh.node_set(name)] for name in mesh.node_sets}
    np.testing.assert_array_equal(points["ROOT"][:, 0], 0.0)
    np.testing.assert_array_equal(points["TIP"][:, 0], 0.06)
    np.testing.assert_allclose(np.hypot(points["BORE"][:, 0] - 0.045, points["BORE"][:, 1] - 0.01), 0.005, rtol=1e-5)
