"""Standard Input Data: identities between its objects, a second reader, free vibration from the file, and import."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg

import flexmbs as fx
from flexmbs.core.errors import ReadError
from tests.reduction.export.second_sid_reader import read

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.LossWarning")
REFERENCES = pytest.mark.parametrize("reference", ["mean", "ROOT"])


@pytest.fixture(scope="module")
def stiff(lug):
    """The lug with second-order fields."""
    mesh = fx.meshes.read_mesh(fx.meshes.sample("lug.inp"))
    part = fx.linear.Part(mesh, material=fx.aluminium, name="lug")
    return fx.reduction.reduce(part, ["ROOT", "BORE"], 4, geometric_stiffening=True, progress=False)


@pytest.fixture
def write(tmp_path):
    def writer(model, **options):
        [written] = fx.reduction.export(model, tmp_path / "x.SID_FEM", overwrite=True, **options)
        return written.path

    return writer


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def full_tensor(six):
    return np.array([[six[0], six[3], six[4]], [six[3], six[1], six[5]], [six[4], six[5], six[2]]])


@REFERENCES
def test_identities_between_the_objects(lug, write, reference):
    size, mass, hertz, nodes, o = read(write(lug, reference=reference, nodes="TIP"))
    n = size[1]
    assert size[0] == len(nodes)
    assert mass == pytest.approx(lug.inertia.mass, rel=1e-15)
    close = {"rel": 1e-12, "abs": 1e-13}
    mdcm, J, ct, cr = o["mdCM"], o["J"], o["Ct"], o["Cr"]
    assert mdcm[1][:, :, 0] == pytest.approx(ct[0].T, **close)
    for k in range(n):
        change = full_tensor(J[1][:, k, 0])
        gr = o["Gr"][0][:, 3 * k : 3 * k + 3]
        assert gr + gr.T == pytest.approx(2.0 * change, rel=1e-11, abs=1e-12 * np.abs(J[0]).max())
        xx, yy, zz, xy, xz, yz = J[1][:, k, 0]
        expected = -np.array([xx / 2, yy / 2, zz / 2, xy, yz, xz])
        assert o["Oe"][0][k] == pytest.approx(expected, rel=1e-11, abs=1e-16)
        assert o["Ge"][0][:, 3 * k : 3 * k + 3] == pytest.approx(2.0 * cr[1][:, k, :], **close)
        assert o["Cr"][0][k] == pytest.approx(
            0.5 * np.array([gr[1, 2] - gr[2, 1], gr[2, 0] - gr[0, 2], gr[0, 1] - gr[1, 0]]),
            rel=1e-10,
            abs=1e-15,
        )
    assert cr[1] == pytest.approx(-np.swapaxes(cr[1], 0, 1), **close)
    for node in nodes:
        assert np.array_equal(node["origin"][1][:, :, 0], node["phi"][0])
        for k in range(n):
            assert np.array_equal(node["AP"][1][:, k, :], skew(node["psi"][0][:, k]))
    assert np.sqrt(np.diag(o["Ke"][0])) / (2 * np.pi) == pytest.approx(hertz, rel=1e-11)
    assert np.array_equal(o["Me"][0], np.eye(n))
    if reference == "mean":  # momentum of the modes is zero
        assert np.abs(ct[0]).max() < 1e-9 * np.sqrt(mass)
        assert np.abs(mdcm[0]).max() < 1e-12 * mass
    else:
        assert nodes[0]["origin"][0] == pytest.approx(np.zeros((3, 1)))
        assert np.abs(nodes[0]["phi"][0]).max() < 1e-12


@REFERENCES
def test_free_vibration_from_the_file_alone(lug, write, reference):
    """The mass matrix of frame and modes: its frequencies are those of the free reduced model, which has six more."""
    _, mass, _, _, o = read(write(lug, reference=reference))
    n = len(o["Ke"][0])
    M = np.zeros((6 + n, 6 + n))
    M[:3, :3] = mass * np.eye(3)
    M[3:6, :3] = skew(o["mdCM"][0][:, 0])
    M[:3, 3:6] = M[3:6, :3].T
    M[3:6, 3:6] = full_tensor(o["J"][0][:, 0])
    M[6:, :3], M[6:, 3:6], M[6:, 6:] = o["Ct"][0], o["Cr"][0], o["Me"][0]
    M[:6, 6:] = M[6:, :6].T
    K = np.zeros_like(M)
    K[6:, 6:] = o["Ke"][0]
    found = np.sqrt(linalg.eigh(K, M, eigvals_only=True)[6:])
    assert found[:10] == pytest.approx(lug.angular_frequencies()[6:16], rel=1e-7)


@REFERENCES
def test_inertia_forces_by_the_mass_matrix_of_the_mesh(lug, write, reference):
    """Centrifugal, gyroscopic and tensor terms, for some rotation, deformation and its rate, by M of the mesh."""
    _, _, _, _, o = read(write(lug, reference=reference))
    n = len(o["Ke"][0])
    values, vectors = lug.modes(() if reference == "mean" else reference)
    Phi = vectors[:, len(values) - n :]
    origin = lug.inertia.centre if reference == "mean" else lug.frame("ROOT").origin
    mesh = lug.source.attached.free
    assert np.array_equal(lug.dofs.node, mesh.dofs.node)
    rng = np.random.default_rng(0)
    q, rate, w = 1e-3 * rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal(3)
    nodes = len(mesh.dofs) // 3
    phi = np.asarray(lug.shapes) @ Phi  # x, y, z of each node
    place = (lug.points[:nodes] - origin).ravel()

    def turned(displacement):
        return np.cross(w, displacement.reshape(-1, 3)).ravel()

    pairs = np.array([w[0] ** 2, w[1] ** 2, w[2] ** 2, w[0] * w[1], w[1] * w[2], w[2] * w[0]])
    centrifugal = (o["Oe"][0] + np.einsum("ikc,k->ic", o["Oe"][1], q)) @ pairs
    expected = phi.T @ (mesh.M @ turned(turned(place + phi @ q)))
    assert centrifugal == pytest.approx(expected, rel=1e-9, abs=1e-10 * np.abs(expected).max())

    gyroscopic = np.einsum("ika,k,a->i", o["Ge"][0].reshape(n, n, 3), rate, w)
    expected = 2.0 * phi.T @ (mesh.M @ turned(phi @ rate))
    assert gyroscopic == pytest.approx(expected, rel=1e-9, abs=1e-10 * np.abs(expected).max())

    moment = o["Gr"][0].reshape(3, n, 3) @ w  # on the frame, by the rates of the modes
    expected = 2.0 * np.stack(
        [turned_arm @ (mesh.M @ np.apply_along_axis(turned, 0, phi)) for turned_arm in arms(place)]
    )
    assert moment == pytest.approx(expected, rel=1e-9, abs=1e-10 * np.abs(expected).max())

    def twice_energy(sign):
        v = turned(place + sign * phi @ q)
        return v @ (mesh.M @ v)

    J0, J1 = full_tensor(o["J"][0][:, 0]), full_tensor(o["J"][1][:, :, 0] @ q)
    assert w @ J0 @ w == pytest.approx(twice_energy(0), rel=1e-11)
    assert w @ J1 @ w == pytest.approx(0.5 * (twice_energy(1) - twice_energy(-1)), rel=1e-8)


def arms(place):
    """e_a x r at all nodes."""
    return [np.cross(e, place.reshape(-1, 3)).ravel() for e in np.eye(3)]


def test_stiffening_softens_or_stiffens_as_its_fields_say(stiff, write):
    """Order 1 of Ct and of phi is the second-order motion: that of the interface, and of the centre of mass."""
    path = write(stiff, reference="ROOT")
    _, _, _, nodes, o = read(path)
    _, vectors = stiff.modes("ROOT")
    assert o["Ct"][1].any()
    assert o["Ct"][1] == pytest.approx(np.swapaxes(o["Ct"][1], 0, 1), rel=1e-9, abs=1e-9 * np.abs(o["Ct"][1]).max())
    assert not np.abs(nodes[0]["phi"][1]).max() > 1e-9 * np.abs(nodes[1]["phi"][1]).max()
    held = stiff.stiffening.transformed(vectors).interfaces
    origin = {f.name: f.origin for f in stiff.frames}
    d = origin["BORE"] - origin["ROOT"]
    expected = held[1, :3] - held[0, :3] - np.moveaxis(np.cross(np.moveaxis(held[0, 3:], 0, 2), d), 2, 0)
    assert nodes[1]["phi"][1] == pytest.approx(np.swapaxes(expected, 1, 2), rel=1e-9, abs=1e-9 * np.abs(expected).max())
    assert "with geometric stiffening" in path.read_text().splitlines()[0]


def parts_of(body):
    """What a file holds of the second order: first moments, antisymmetric ones, and the sum with R, symmetric."""
    N, R = body.second_order.moments, np.asarray(body.inertia.R)
    even = 0.5 * (R + R.transpose(0, 1, 3, 2) + N[1:] + N[1:].swapaxes(0, 1))
    return N[0], N[1:] - N[1:].swapaxes(0, 1), 0.5 * (even + even.swapaxes(0, 1))


def test_stiffening_comes_back(stiff, write, tmp_path):
    """Mode by mode, in the frame of the file; other frames are refused."""
    again = fx.reduction.read_sid(write(stiff, reference="ROOT"))
    a = fx.FloatingBody(stiff, reference="ROOT")
    b = fx.FloatingBody(again, reference="frame")
    sign = np.sign(np.sum(a.interface("BORE").phi * b.node(1).phi, axis=0))
    both = np.outer(sign, sign)
    for mine, other in zip(parts_of(b), parts_of(a), strict=True):
        assert np.abs(both * mine - other).max() < 1e-6 * np.abs(other).max()
    mine, other = b.node(1).second * both, a.interface("BORE").second
    assert np.abs(mine[:3] - other[:3]).max() < 1e-6 * np.abs(other[:3]).max()
    assert np.abs(mine[3:] - other[3:]).max() < 1e-6 * np.abs(other[3:]).max()
    with pytest.raises(fx.ModelError, match="known in one frame only"):
        fx.FloatingBody(again)
    assert fx.FloatingBody(again, geometric_stiffening=False).second_order is None
    kept = fx.reduction.load_reduced(again.save(tmp_path / "x.h5")).stiffening
    assert kept.only == "frame"
    assert np.array_equal(kept.moments, again.stiffening.moments)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexmbs.core.errors.AccuracyWarning")  # without stiffening it is wrong, indeed
def test_imported_stiffening_moves_a_spinning_beam(write):
    """Bending while it spins at 0.57 of its first frequency: motions differ by higher orders of the amplitude."""
    mesh = fx.meshes.line((0, 0, 0), (1.0, 0, 0), 12)
    element = fx.elements.Frame(section=fx.Rectangle(width=0.01, height=0.02), up=(0, 0, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, fx.steel)], name="strut")
    strut = fx.reduction.reduce(part, ["start", "end"], 4, geometric_stiffening=True, progress=False)
    again = fx.reduction.read_sid(write(strut, reference="start", modes=6))

    def run(model, reference, amplitude, stiffening):
        body = fx.FloatingBody(
            model, reference, modes=6, geometric_stiffening=stiffening, angular_velocity=(0, 0, 30.0),
            deformation=[amplitude, amplitude, 0, 0, 0, 0],
        )  # fmt: skip
        motion = fx.simulate(fx.Model(body), 0.1, step=2e-4, progress=False)
        return np.abs(motion.coordinates(body)[:500, -6:])

    errors = []
    for amplitude in (2e-3, 2e-4):
        own = run(strut, "start", amplitude, True)
        errors.append(np.abs(run(again, "frame", amplitude, True) - own).max() / own.max())
        assert np.abs(run(again, "frame", amplitude, False) - own).max() > 0.1 * own.max()
    assert errors[0] < 0.03
    assert errors[1] < 0.2 * errors[0]


def test_damaged_stiffening(stiff, write):
    path = write(stiff, reference="ROOT", modes=3)
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    bare = [line.replace(" ", "").strip() for line in lines]
    first = next(k for k in range(bare.index("Ct"), len(bare)) if bare[k].startswith("m1(1,2,"))
    path.write_text("".join([*lines[:first], lines[first].split("=")[0] + "= 1.0D+03\n", *lines[first + 1 :]]))
    with pytest.raises(ReadError, match="Ct of order 1 is not symmetric"):
        fx.reduction.read_sid(path)


@pytest.mark.parametrize("layout", ["mode", "axis"])
def test_import_gives_the_same_body(lug, write, layout):
    """Frequencies, inertia invariants and shapes of the model that was written, in the frame of ROOT."""
    again = fx.reduction.read_sid(write(lug, reference="ROOT", nodes="TIP", ge_layout=layout))
    assert again.angular_frequencies()[6:] == pytest.approx(lug.angular_frequencies()[6:], rel=1e-7)
    assert again.angular_frequencies("frame") == pytest.approx(lug.angular_frequencies("ROOT"), rel=1e-9)
    values, vectors = lug.modes("ROOT")
    origin = lug.frame("ROOT").origin
    rigid = np.zeros((lug.size, 6))
    for row, frame in enumerate(lug.frames):
        d = frame.origin - origin
        rigid[6 * row : 6 * row + 6] = np.block([[np.eye(3), -skew(d)], [np.zeros((3, 3)), np.eye(3)]])
    expected = lug.inertia.transformed(np.hstack([rigid, vectors])).about(origin)
    for name, value in expected.arrays().items():
        found = getattr(again.inertia, name)
        assert np.abs(found - value).max() <= 1e-9 * np.abs(value).max() + 1e-14, name
    node = int(lug.node_sets["TIP"][0])
    q = np.random.default_rng(1).standard_normal(len(values))
    assert again.reconstruct(np.concatenate([np.zeros(6), q]))[2, :3] == pytest.approx(
        lug.reconstruct(vectors @ q)[node, :3], rel=1e-9
    )
    assert len(again.points) == 2 + len(lug.node_sets["TIP"]) + 1


@pytest.mark.slow
def test_an_imported_body_moves_as_the_one_it_came_from(lug, write):
    """Spinning, bending and flying freely for a while: the same floating body twice."""
    runs = []
    again = fx.reduction.read_sid(write(lug, reference="ROOT", modes=6))
    for model, reference in ((lug, "ROOT"), (again, "frame")):
        body = fx.FloatingBody(
            model, reference=reference, modes=6, velocity=(0.1, 0.2, 0.0), angular_velocity=(20.0, 30.0, 500.0),
            name="lug",
        )  # fmt: skip
        runs.append(fx.simulate(fx.Model(body), 1e-4, step=2e-6, progress=False).coordinates(body))
    a, b = runs
    a, b = np.abs(a[:, -6:]), np.abs(b[:, -6:])  # the sign of a mode is open
    assert np.abs(a - b).max() < 1e-6 * a.max()


def test_nodes_without_rotation_are_a_loss(lug, tmp_path):
    with pytest.warns(fx.LossWarning, match="rotations of 37 places"):
        [written] = fx.reduction.export(lug, tmp_path / "x.SID_FEM", nodes="TIP")
    assert "rotations of 37 places" in written.path.read_text().splitlines()[0]
    assert "without geometric stiffening" in written.notes[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": "HUB"}, "no interface named 'HUB'"),
        ({"reference": 3}, "must be 'mean'"),
        ({"modes": 40}, "40 modes"),
        ({"ge_layout": "row"}, "layout of Ge"),
    ],
)
def test_mistakes(lug, tmp_path, options, message):
    with pytest.raises(fx.ModelError, match=message):
        fx.reduction.export(lug, tmp_path / "x.SID_FEM", **options)
    assert not list(tmp_path.iterdir())


def test_models_without_exact_inertia_are_refused(lug, tmp_path):
    with pytest.raises(fx.ModelError, match="exact inertia"):
        fx.reduction.export(replace(lug, inertia=None), tmp_path / "x.SID_FEM")
    with pytest.raises(fx.ModelError, match="exact inertia"):
        fx.reduction.export(replace(lug, inertia=replace(lug.inertia, exact=False)), tmp_path / "x.SID_FEM")


CHANGES = {
    "empty": (lambda s: "", "empty"),
    "of another kind": (lambda s: "solid lug\n" + s, "no Standard Input Data"),
    "with another number of modes": (lambda s: s.replace("2 14 :", "2 13 :", 1), "13"),
    "with too many modes": (lambda s: s.replace("2 14 :", "2 999999999 :", 1), "too many"),
    "with another number of nodes": (lambda s: s.replace("2 14 :", "3 14 :", 1), "promises 3 nodes"),
    "with an index outside": (lambda s: s.replace("m0(   1,   1)", "m0(   9,   1)", 1), "outside"),
    "with an index of zero": (lambda s: s.replace("m0(   1,   1)", "m0(   0,   1)", 1), "outside"),
    "with three indices": (lambda s: s.replace("m0(   1,   1)", "m0(   1,   1,   1)", 1), "needs 2 indices"),
    "with words for numbers": (lambda s: s.replace("D+", "X+", 1), "expected a number"),
    "with an underscore": (lambda s: re.sub(r"(mass +=) *(\d)", r"\1 \2_0", s, count=1), "expected a number"),
    "with infinity": (lambda s: s.replace("mass             = ", "mass = inf", 1), "expected a number"),
    "with huge objects": (lambda s: s.replace("ncol      = 1", "ncol      = 999999999", 1), "does not fit"),
    "without an object": (lambda s: s[: s.index("   Ke\n")] + s[s.index("   De\n") :], "Ke are not in it"),
    "with an object twice": (lambda s: s.replace("   De\n", s[s.index("   Ke\n") : s.index("   De\n")], 1), "twice"),
    "with an unknown object": (lambda s: s.replace("   Ke\n", "   Kx\n", 1), "name of an object"),
    "with a wrong mdCM": (lambda s: _scaled(s, "mdCM", "m1(   1,   1,   1)"), "contradicts itself"),
    "with a wrong Oe": (lambda s: _scaled(s, "Oe", "m0(   2,   1)"), "not J"),
}  # fmt: skip


def _scaled(text, name, entry):
    """With an entry of an object made larger by far."""
    at = text.index(entry, text.index(f"   {name}\n"))
    end = text.index("\n", at)
    return text[:at] + f"{entry} = 1.0D+03" + text[end:]


@pytest.mark.parametrize("change", CHANGES)
def test_damaged_files_are_refused(lug, write, tmp_path, change):
    text = write(lug, reference="ROOT").read_text()
    path = tmp_path / "bad.SID_FEM"
    path.write_text(CHANGES[change][0](text))
    with pytest.raises(ReadError, match=CHANGES[change][1]):
        fx.reduction.read_sid(path)


def test_files_cut_off_anywhere_are_told(lug, write, tmp_path):
    """Between two lines, within a word, a number, an index; all bytes of a few lines, and places all over the file."""
    text = write(lug, reference="ROOT").read_text()
    start = text.index("\n") + 1  # the first line tells what kind of file it is
    end = text.rindex("end part")
    ge = text.index("m0(", text.index("   Ge\n"))
    cuts = [
        *range(start, start + 80),
        *range(ge - 80, ge + 80),
        *np.linspace(start, end, 100, dtype=int).tolist(),
        end + 7,
    ]
    path = tmp_path / "bad.SID_FEM"
    for cut in cuts:
        path.write_text(text[:cut])
        with pytest.raises(ReadError, match="cut off"):
            fx.reduction.read_sid(path)


def test_other_conventions_are_found_out(lug, write, tmp_path):
    """Columns of Oe in the order of J; Ge alone, with columns by axes; J as a matrix."""
    import re

    path = write(lug, reference="ROOT", ge_layout="axis")
    text = path.read_text()
    expected = fx.reduction.read_sid(path).inertia
    head, oe = text.split("   Oe\n")
    oe, tail = oe.split("   end Oe\n")
    oe = re.sub(r",   ([56])\) =", lambda m: f",   {11 - int(m[1])}) =", oe)
    head = re.sub(r"(   Cr\n +order     = )1(.*?)(?= +m1\().*?   end Cr", r"\g<1>0\2   end Cr", head, flags=re.DOTALL)
    (tmp_path / "other.SID_FEM").write_text(head + "   Oe\n" + oe + "   end Oe\n" + tail)
    found = fx.reduction.read_sid(tmp_path / "other.SID_FEM").inertia
    assert pytest.approx(expected.R, rel=1e-12, abs=1e-15) == found.R
