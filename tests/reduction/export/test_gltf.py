"""glTF files by a strict reader of their chunks and accessors, by pygltflib and by trimesh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

import flexmbs as fx
from tests.models.glb_reader import read

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")


def test_modes_are_morph_targets(lug, tmp_path):
    [written] = fx.reduction.export(lug, tmp_path / "x.glb", fixed="ROOT", modes=4)
    said, arrays = read(written.path)
    assert len(said["meshes"]) == len(said["animations"][0]["channels"]) == 4
    w = lug.angular_frequencies("ROOT") / (2 * np.pi)
    _, vectors = lug.modes("ROOT")
    primitive = said["meshes"][0]["primitives"][0]
    base = arrays[primitive["attributes"]["POSITION"]].astype(float)
    triangles = arrays[primitive["indices"]].reshape(-1, 3)
    assert triangles.max() == len(base) - 1
    # the surface is closed and encloses the volume of the lug, to what flat triangles miss of the bore
    a, b, c = (base[triangles[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(lug.inertia.mass / 2700.0, rel=1e-2)
    edges = np.sort(np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    size = np.ptp(base, axis=0).max()
    box = [(x.max(axis=0) + x.min(axis=0)) / 2.0 for x in (lug.points[:617], base)]
    distance, nodes = cKDTree(lug.points[:617]).query(base + box[0] - box[1])
    assert distance.max() < 1e-6 * size
    for k, mesh in enumerate(said["meshes"]):
        assert float(mesh["name"].split(": ")[1]) == pytest.approx(w[k], rel=1e-5)
        target = arrays[mesh["primitives"][0]["targets"][0]["POSITION"]].astype(float)
        assert np.linalg.norm(target, axis=1).max() == pytest.approx(0.1 * size, rel=1e-5)
        expected = lug.reconstruct(vectors[:, k])[nodes, :3]
        ratio = np.linalg.norm(target) / np.linalg.norm(expected)
        assert np.abs(target - ratio * expected).max() < 1e-6 * size
    times, sine = (arrays[said["animations"][0]["samplers"][0][k]] for k in ("input", "output"))
    assert np.all(np.diff(times[:, 0]) > 0)
    assert sine[:, 0] == pytest.approx(np.sin(np.pi * times[:, 0]), abs=1e-6)


def test_beams_are_lines(strut, tmp_path):
    [written] = fx.reduction.export(strut, tmp_path / "x.glb", fixed="start")
    said, arrays = read(written.path)
    primitive = said["meshes"][0]["primitives"][0]
    assert primitive["mode"] == 1
    assert len(arrays[primitive["indices"]]) == 2 * 12
    assert len(said["meshes"]) == 6


def test_rigid_motions_are_no_modes_and_millimetres_are_scaled(lug, tmp_path):
    milli = replace(lug, units={"length": "mm", "mass": "t", "time": "s"})
    said, _ = read(fx.reduction.export(milli, tmp_path / "x.glb")[0].path)
    first = float(said["meshes"][0]["name"].split(": ")[1])
    assert first == pytest.approx(lug.angular_frequencies()[6] / (2 * np.pi), rel=1e-5)
    assert said["nodes"][0]["scale"] == [1e-3] * 3


def test_loaders_of_others(lug, tmp_path):
    pygltflib = pytest.importorskip("pygltflib")
    trimesh = pytest.importorskip("trimesh")
    [written] = fx.reduction.export(lug, tmp_path / "x.glb", fixed="ROOT", modes=2)
    found = pygltflib.GLTF2().load(str(written.path))
    assert [m.name for m in found.meshes] == [m["name"] for m in read(written.path)[0]["meshes"]]
    assert found.meshes[0].primitives[0].targets[0]["POSITION"] is not None
    scene = trimesh.load(str(written.path))
    meshes = list(scene.geometry.values())
    assert len(meshes) == 2
    assert meshes[0].extents == pytest.approx(np.ptp(lug.points[:617], axis=0), rel=1e-5)
    assert meshes[0].is_watertight


@pytest.mark.parametrize(("modes", "message"), [(99, "99 elastic modes"), (0, "0 elastic modes")])
def test_mistakes(lug, tmp_path, modes, message):
    with pytest.raises(fx.ModelError, match=message):
        fx.reduction.export(lug, tmp_path / "x.glb", modes=modes)
    with pytest.raises(fx.ModelError, match="no cells"):
        fx.reduction.export(replace(lug, cells={}), tmp_path / "x.glb")
    assert not list(tmp_path.iterdir())
