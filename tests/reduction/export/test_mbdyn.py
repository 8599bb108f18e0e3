"""MBDyn's modal file by a strict reader, written from its description: MBDyn itself is not to be had as a package."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg

import flexmbs as fx
from flexmbs.core.errors import ReadError

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")
REFERENCES = pytest.mark.parametrize("reference", ["mean", "ROOT"])


def read(path):
    """Arrays by the number of their group; counts must fit exactly, each mode has one comment line, 1 comes first."""
    lines = path.read_text("ascii").splitlines()
    assert lines[-1] == "** END OF FILE"
    starts = [(k, int(m[1])) for k, line in enumerate(lines) if (m := re.match(r"\*\* RECORD GROUP (\d+),", line))]
    assert all(line.startswith("**") for line in lines[: starts[0][0]])
    groups = {g: lines[a + 1 : b] for (a, g), (b, _) in zip(starts, [*starts[1:], (len(lines) - 1, 0)], strict=True)}
    assert [g for _, g in starts] == [1, 2, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18]
    comment, header = groups.pop(1)
    assert comment.startswith("**")
    revision, *counts = header.split()
    nodes, n, *others = map(int, counts)
    assert (revision, others) == ("REV0", [0, 0, 0])
    labels = " ".join(groups.pop(2)).split()
    assert len(labels) == nodes
    modes, at = np.zeros((nodes, 6, n)), 0
    shapes = groups.pop(8)
    for k in range(n):
        assert shapes[at].startswith("**")
        modes[:, :, k] = [[float(w) for w in line.split()] for line in shapes[at + 1 : at + 1 + nodes]]
        at += 1 + nodes
    assert at == len(shapes)
    found = {g: np.array([float(w) for line in body for w in line.split()]) for g, body in groups.items()}
    sizes = {5: nodes, 6: nodes, 7: nodes, 9: n * n, 10: n * n, 12: 13, 13: n * n, 14: 3 * n, 15: 3 * n, 16: 9 * n,
             17: 3 * n * n, 18: 9 * n * n}  # fmt: skip
    assert {g: len(v) for g, v in found.items()} == sizes
    return n, labels, modes, found


@REFERENCES
def test_frequencies_shapes_and_places(lug, tmp_path, reference):
    [written] = fx.reduction.export(lug, tmp_path / "x.fem", "mbdyn", reference=reference, nodes="TIP")
    n, labels, modes, g = read(written.path)
    w = np.sqrt(linalg.eigh(g[10].reshape(n, n), g[9].reshape(n, n), eigvals_only=True))
    fixed = () if reference == "mean" else reference
    expected = lug.angular_frequencies(fixed)[6 if reference == "mean" else 0 :]
    assert w[:10] == pytest.approx(expected[:10], rel=1e-12)
    assert len(labels) == 2 + len(lug.node_sets["TIP"])
    values, vectors = lug.modes(fixed)
    Phi = vectors[:, len(values) - n :]
    assert np.array_equal(modes[:2].reshape(12, n), Phi[:12])
    node = int(lug.node_sets["TIP"][0])
    assert modes[2, :3] == pytest.approx(np.asarray(lug.shapes)[lug.dofs.of(node)] @ Phi, rel=1e-12)
    origin = lug.inertia.centre if reference == "mean" else lug.frame("ROOT").origin
    places = np.stack([g[5], g[6], g[7]], axis=1)
    assert places[1] + origin == pytest.approx(lug.frame("BORE").origin, rel=1e-12)
    assert g[12][0] == pytest.approx(lug.inertia.mass, rel=1e-15)
    assert g[12][1:4] + origin == pytest.approx(lug.inertia.centre, rel=1e-12)
    assert g[12][4:].reshape(3, 3) == pytest.approx(lug.inertia.central_tensor, rel=1e-9, abs=1e-15)


@REFERENCES
def test_invariants_by_the_mass_matrix_of_the_mesh(lug, tmp_path, reference):
    """With skew matrices of all nodes, as the reader of lumped masses forms them."""
    [written] = fx.reduction.export(lug, tmp_path / "x.fem", "mbdyn", reference=reference, modes=3)
    n, _, _, g = read(written.path)
    mesh = lug.source.attached.free
    nodes = len(mesh.dofs) // 3
    values, vectors = lug.modes(() if reference == "mean" else reference)
    phi = np.asarray(lug.shapes) @ vectors[:, len(values) - 14 :][:, :3]
    origin = lug.inertia.centre if reference == "mean" else lug.frame("ROOT").origin
    place = (lug.points[:nodes] - origin).ravel()

    def skew(v):
        x, y, z = v.reshape(-1, 3).T
        o = np.zeros_like(x)
        return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3)

    M, ones = mesh.M, np.tile(np.eye(3), (nodes, 1))
    r = skew(place)
    tilde = [skew(phi[:, k]) for k in range(n)]
    size = np.sqrt(lug.inertia.mass)
    expected = {
        14: ones.T @ (M @ phi),
        15: -r.T @ (M @ phi),  # r~^T = -r~
        16: np.hstack([r.T @ (M @ t) for t in tilde]),  # -r~ phi~ = r~^T phi~
        17: np.hstack([-t.T @ (M @ phi) for t in tilde]),
        18: np.hstack([-s.T @ (M @ t) for s in tilde for t in tilde]),
    }
    scale = {14: size, 15: size * 0.1, 16: size * 0.1, 17: 1.0, 18: 1.0}
    for group, value in expected.items():
        assert np.abs(g[group].reshape(value.shape) - value).max() < 1e-9 * scale[group], group


def test_losses_are_in_the_file(lug, tmp_path):
    with pytest.warns(fx.LossWarning, match=r"stresses; rotations of 37 places"):
        [written] = fx.reduction.export(lug, tmp_path / "x.fem", nodes="TIP")
    text = written.path.read_text()
    assert "** lost: stresses" in text
    assert "** node 2: BORE" in text


def test_mistakes(lug, tmp_path):
    with pytest.raises(fx.ModelError, match="no interface named"):
        fx.reduction.export(lug, tmp_path / "x.fem", reference="HUB")
    with pytest.raises(fx.ModelError, match="no further place"):
        fx.reduction.export(replace(lug, frames=(), n_interface=0), tmp_path / "x.fem")
    with pytest.raises(fx.ModelError, match="exact inertia"):
        fx.reduction.export(replace(lug, inertia=None), tmp_path / "x.fem")
    assert not list(tmp_path.iterdir())


def test_import_gives_the_same_body(lug, tmp_path):
    """As Standard Input Data give it, which go another way."""
    [fem] = fx.reduction.export(lug, tmp_path / "x.fem", "mbdyn", reference="ROOT", nodes="TIP")
    [sid] = fx.reduction.export(lug, tmp_path / "x.SID_FEM", "sid", reference="ROOT", nodes="TIP")
    a, b = fx.reduction.read_mbdyn(fem.path), fx.reduction.read_sid(sid.path)
    assert a.angular_frequencies()[6:] == pytest.approx(lug.angular_frequencies()[6:], rel=1e-7)
    assert a.angular_frequencies("frame") == pytest.approx(lug.angular_frequencies("ROOT"), rel=1e-9)
    for name, value in b.inertia.arrays().items():
        assert np.abs(getattr(a.inertia, name) - value).max() <= 1e-9 * np.abs(value).max() + 1e-14, name
    assert np.abs(a.shapes - b.shapes).max() < 1e-12 * np.abs(b.shapes).max()
    assert np.abs(a.D - b.D).max() < 1e-12 * np.abs(b.D).max()
    assert fx.FloatingBody(a, reference="frame").modes == 14


def statements(path):
    """Blocks of a deck: their names, and the statements in them as lists of words between commas, without comments."""
    text = "\n".join(line.split("#")[0] for line in path.read_text("ascii").splitlines())
    *parts, rest = text.split(";")
    assert not rest.strip()
    blocks, current = {}, None
    for part in parts:
        key, _, value = (" ".join(part.split())).partition(": ")
        if key == "begin":
            assert current is None
            current, blocks[value] = value, []
        elif key == "end":
            assert value == current
            current = None
        else:
            blocks[current].append((key, value.split(", ")))
    assert current is None
    return blocks


def modal_joint(words, nodes):
    """What ReadModal of MBDyn reads, in its order: place, modes, file, and (label in the file, node) of each place."""
    words = iter(words)
    assert (next(words), next(words)) == ("1", "modal")
    first = next(words)
    if first == "clamped":
        assert next(words) == "position"
        at = [float(next(words)) for _ in range(3)]
    else:
        kind, at = nodes[first]
        assert kind == "modal"
    modes = int(next(words))
    assert [next(words) for _ in range(3)] == ["from file", "damping from file", '"body.fem"']
    pairs = [(next(words), next(words), next(words)) for _ in range(int(next(words)))]
    assert next(words, None) is None
    assert all(offset == "null" and label[0] == label[-1] == '"' for label, _, offset in pairs)
    return np.array(at), modes, [(label[1:-1], node) for label, node, _ in pairs]


@REFERENCES
def test_deck_by_its_grammar(lug, tmp_path, reference):
    [written] = fx.reduction.export(lug, tmp_path / "x_mbdyn", "mbdyn_deck", reference=reference, nodes="TIP", modes=9)
    assert sorted(p.suffix for p in written.path.iterdir()) == [".csv"] * 3 + [".fem", ".json", ".mbd"]
    n, labels, _, groups = read(written.path / "body.fem")
    blocks = statements(written.path / "deck.mbd")
    assert list(blocks) == ["data", "initial value", "control data", "nodes", "elements"]
    assert blocks["data"] == [("problem", ["initial value"])]
    nodes = {}
    for key, (label, kind, x, y, z, *rest) in blocks["nodes"]:
        assert (key, rest) == ("structural", ["eye", "null", "null"])
        assert kind in ("static", "modal")
        assert label not in nodes
        nodes[label] = kind, [float(x), float(y), float(z)]
    [(key, words)] = blocks["elements"]
    assert key == "joint"
    origin, modes, pairs = modal_joint(words, nodes)
    assert modes == n == 9
    control = dict(blocks["control data"])
    assert control == {"structural nodes": [str(len(nodes))], "joints": ["1"]}
    assert len(pairs) == 2  # nodes of solids have no rotations
    assert "joints at 37 places without rotations" in written.losses
    inside = np.stack([groups[5], groups[6], groups[7]], axis=1)
    for label, node in pairs:
        kind, at = nodes[node]
        assert kind == "static"
        assert origin + inside[labels.index(label)] == pytest.approx(np.array(at), abs=1e-15)
    assert sum(kind == "modal" for kind, _ in nodes.values()) == (reference == "mean")
    run = dict(blocks["initial value"])
    lowest = lug.angular_frequencies(() if reference == "mean" else reference)[6 if reference == "mean" else 0]
    assert float(run["final time"][0]) == pytest.approx(20 * 2 * np.pi / lowest, rel=1e-9)
    assert run["eigenanalysis"][1] == "parameter"


@pytest.mark.skipif(shutil.which("mbdyn") is None, reason="MBDyn is not installed")
def test_deck_runs_in_mbdyn(lug, tmp_path):
    [written] = fx.reduction.export(lug, tmp_path / "x_mbdyn", "mbdyn_deck", reference="ROOT")
    subprocess.run(["mbdyn", "-f", "deck.mbd"], cwd=written.path, check=True, timeout=300)
    assert (written.path / "deck.m").read_text().count("dCoef")


def test_decks_need_rotations(lug, tmp_path):
    loose = replace(lug, frames=(), n_interface=0)
    with pytest.raises(fx.ModelError, match="no place has rotations"):
        fx.reduction.export(loose, tmp_path / "x", "mbdyn_deck", nodes="TIP")
    assert not list(tmp_path.iterdir())


MASS = "GROUP 9, MODAL MASS MATRIX\n"
CHANGES = {
    "cut off": (lambda s: s[: len(s) // 2], "cut off"),
    "empty": (lambda s: "", "empty"),
    "of another kind": (lambda s: "solid lug\n", "no modal file"),
    "with another number of modes": (lambda s: s.replace("REV0 2 14", "REV0 2 13", 1), "group 8 has"),
    "with another number of nodes": (lambda s: s.replace("REV0 2 14", "REV0 3 14", 1), "labels of 3 nodes"),
    "with too many modes": (lambda s: s.replace("REV0 2 14", "REV0 2 999999999", 1), "too many"),
    "with words": (lambda s: s.replace(f"{MASS}1", f"{MASS}x", 1), "else than finite numbers: .x"),
    "with infinity": (lambda s: s.replace(f"{MASS}1", f"{MASS}inf", 1), "else than finite numbers: .inf"),
    "with an underscore": (lambda s: s.replace(f"{MASS}1", f"{MASS}1_0", 1), "else than finite numbers: .1_0"),
    "with another mass": (lambda s: s.replace(f"{MASS}1", f"{MASS}2", 1), "contradicts"),
    "with a group twice": (lambda s: s + "** RECORD GROUP 9, AGAIN\n", "twice"),
    "without invariants": (lambda s: s[: s.index("** RECORD GROUP 14")] + "** END OF FILE\n", "without the invariants"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_damaged_files_are_refused(lug, tmp_path, change):
    [written] = fx.reduction.export(lug, tmp_path / "x.fem", "mbdyn", reference="ROOT")
    path = tmp_path / "bad.fem"
    path.write_text(CHANGES[change][0](written.path.read_text()))
    with pytest.raises(ReadError, match=CHANGES[change][1]):
        fx.reduction.read_mbdyn(path)
