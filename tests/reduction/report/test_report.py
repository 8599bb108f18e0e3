"""The report of a reduction: its numbers against dense algebra, its files, its warnings."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse

import flexmbs as fx
from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.linear.operators import DofMap, Operators
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.methods.free_interface import rubin
from flexmbs.reduction.methods.modal_truncation import modal_truncation
from flexmbs.reduction.report.report import ReductionReport, report
from tests.models.lattice import lattice, tower


@pytest.fixture(scope="module")
def lug():
    mesh = fx.meshes.read_mesh(fx.meshes.sample("lug.inp"))
    return fx.linear.Part(mesh, material=fx.steel, name="lug")


@pytest.fixture(scope="module")
def model(lug):
    return fx.reduction.reduce(
        lug, ["ROOT", fx.reduction.Interface("BORE", kind="averaged")], modes=20, units={"time": "s"}
    )


@pytest.fixture(scope="module")
def made(model):
    return report(model, held=["ROOT", ("ROOT", "BORE")], band=40_000.0)


def within(found):
    """All errors of a report are within its bounds, and bounds exist where it says so."""
    for table in found.frequencies:
        if table.full is None:  # no elastic mode in the model
            continue
        for error, bound, least in zip(table.error, table.bound, table.least, strict=True):
            if bound is not None:
                assert least - 1e-10 <= error <= bound + 1e-10  # round-off of the two frequencies
    for error, bound in zip(found.transfer.error, found.transfer.error_bound, strict=True):
        if bound is not None:
            assert error <= bound * (1 + 1e-6) + 1e-9


def test_frequencies_are_within_their_bounds(made):
    within(made)
    assert all(b is not None for t in made.frequencies for b in t.bound[:10])


def test_full_frequencies_are_those_of_the_operators(model, made):
    full = model.source.attached.operators
    exact = linalg.eigvalsh(full.K.toarray(), full.M.toarray(), subset_by_index=[0, 16])
    table = made.frequencies[0]
    np.testing.assert_allclose(table.full[:11], np.sqrt(exact[6:]) / (2 * np.pi), rtol=1e-9)
    assert table.rigid == 6
    assert table.rigid_ratio < 1e-9


def test_errors_up_to_half_the_cut_off_decrease_with_it(lug):
    worst, bounds = [], []
    for modes in (20, 40, 80):
        found = fx.reduction.reduce(lug, ["ROOT", "BORE"], modes).report(full_points=0, count=12)
        table = found.frequencies[0]
        below = [k for k, f in enumerate(table.reduced) if f <= 26_000.0]  # the same modes for all
        worst.append(max(table.error[k] for k in below))
        bounds.append(max(table.bound[k] for k in below))
    assert len(below) == 2 or len(below) == 3
    assert worst[0] > 1.3 * worst[1] > 1.3**2 * worst[2]
    assert bounds[0] > 1.3 * bounds[1] > 1.3**2 * bounds[2]
    assert worst[0] <= 1e-2


def test_all_modes_kept_leaves_nothing_out():
    what = tower(4)
    model = fx.reduction.reduce(what, ["FOOT", "TOP"], what.n - 24)
    found = model.report()
    assert found.trust.cut_off is None
    assert max(abs(e) for e in found.frequencies[0].error) < 1e-9
    assert max(found.frequencies[0].bound) < 1e-9
    assert max(found.transfer.error) < 1e-9
    assert max(found.transfer.bound) < 1e-9
    within(found)


def test_modal_assurance_finds_the_partner(made):
    table = made.frequencies[0]
    assert table.mac[0] > 0.99
    matrix = np.array(table.mac_matrix)
    for k, (mac, partner) in enumerate(zip(table.mac, table.partner, strict=True)):
        assert matrix[k, partner - 1] == mac == matrix[k].max()
    assert (matrix.sum(axis=1) <= 1 + 1e-9).all()  # projections of a unit vector


def test_held_interfaces_are_held(model, made):
    np.testing.assert_allclose(
        made.frequencies[1].reduced[:5], model.angular_frequencies("ROOT")[:5] / (2 * np.pi), rtol=1e-9
    )
    modes = model.frequencies[np.isfinite(model.frequencies)] / (2 * np.pi)
    np.testing.assert_allclose(made.frequencies[2].reduced[:8], modes[:8], rtol=1e-9)
    assert made.frequencies[2].held == ("ROOT", "BORE")
    assert max(made.frequencies[2].error[:8]) < 1e-9  # fixed-interface modes are in the basis


def test_static_solutions_and_rigid_motions_are_exact(made):
    static = made.static
    assert static.imbalance < 1e-12
    assert static.reactions < 1e-12
    assert static.rigid_motions == 6
    assert max(static.rigid_span, static.rigid_stiffness, static.rigid_mass) < 1e-9


def test_inertia_is_that_of_the_operators(made, lug):
    inertia = made.inertia
    assert inertia.exact
    assert inertia.mass_error < 1e-12
    assert inertia.tensor_error < 1e-12
    R = lug.assemble().rigid_motions()
    A = R.T @ (lug.assemble().M @ R)
    assert inertia.mass == pytest.approx(A[0, 0], rel=1e-12)
    assert inertia.centre[2] == pytest.approx(A[0, 4] / A[0, 0], rel=1e-12)


def test_effective_masses_add_up():
    """With all modes the sums are what is possible, which is what does not move with the interfaces."""
    what = tower(5)
    found = fx.reduction.reduce(what, [fx.reduction.Interface("FOOT", kind="nodes")], what.n - 12).report(full_points=0)
    np.testing.assert_allclose(found.masses.sums, found.masses.attainable, rtol=1e-5)
    # lumped masses: what moves with the foot is its four of 24 equal masses
    np.testing.assert_allclose(found.masses.sums[:3], 20.0 / 24.0, rtol=1e-9)
    fewer = fx.reduction.reduce(what, [fx.reduction.Interface("FOOT", kind="nodes")], 10).report(full_points=0)
    # the tower is square: modes come in pairs, and only what a pair has is defined
    np.testing.assert_allclose(
        np.sum(fewer.masses.fractions[:2], axis=0), np.sum(found.masses.fractions[:2], axis=0), atol=1e-8
    )


def test_transfer_function_is_that_of_the_full_operators(model, made):
    full = model.source.attached.operators
    boundary = model.source.attached.boundary
    transfer = made.transfer
    k = 2
    omega = 2 * np.pi * transfer.full_frequencies[k]
    Z = (1 + 1j * transfer.loss) * full.K - omega**2 * full.M
    H = np.linalg.inv(Z.toarray()[np.ix_(range(full.n), range(full.n))])[np.ix_(boundary, boundary)]
    size = np.tile([1, 1, 1, transfer.arm, transfer.arm, transfer.arm], 2)
    np.testing.assert_allclose([row[k] for row in transfer.full], np.abs(H.diagonal()) * size**2, rtol=1e-8)
    assert transfer.ports[:4] == ("ROOT ux", "ROOT uy", "ROOT uz", "ROOT rx")


def test_interface_of_nodes_has_ports_of_its_mean_motion():
    found = fx.reduction.reduce(tower(3), [fx.reduction.Interface("FOOT", kind="nodes")], 5).report()
    assert len(found.transfer.ports) == 6
    within(found)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.integers(3, 6), st.integers(0, 12), st.sampled_from(["rigid", "averaged", "nodes"]))
def test_bounds_hold_for_random_structures(seed, held, modes, kind):
    rng = np.random.default_rng(seed)
    n = 12
    what = lattice(
        rng.uniform(-1, 1, (n, 3)), None, 10.0 ** rng.uniform(-1, 1, n * (n - 1) // 2), rng.uniform(0.2, 3.0, n),
        {"HUB": np.arange(held)},
    )  # fmt: skip
    within(fx.reduction.reduce(what, [fx.reduction.Interface("HUB", kind=kind)], modes).report(points=12))


@pytest.mark.parametrize("method", ["rubin", "modal"])
def test_other_methods_have_bounds_too(method):
    what = tower(6)

    def basis(a):
        K, M, R = a.operators.K, a.operators.M, a.operators.rigid_motions()
        return rubin(K, M, a.boundary, 8, R, a.labels) if method == "rubin" else modal_truncation(K, M, 10, rigid=R)

    found = fx.reduction.reduce(what, ["FOOT", "TOP"], method=basis).report()
    within(found)
    assert sum(b is not None for b in found.frequencies[0].bound) >= 4


# --- files ---


def test_json_round_trip(made, tmp_path):
    path = made.write_json(tmp_path / "deep" / "report.json")
    text = path.read_text()
    assert ReductionReport.from_json(text) == made
    assert json.loads(text)["format"] == "flexmbs reduction report"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t[:-20], "not JSON"),
        (lambda t: "[1, 2]", "not a report"),
        (lambda t: t.replace('"version": 1', '"version": 7'), "version 7"),
        (lambda t: t.replace('"unknowns"', '"unknown"'), "damaged"),
        (lambda t: t.replace('"unknowns": 1746', '"unknowns": "many"'), "damaged"),
        (lambda t: t.replace('"interfaces": [', '"interfaces": [3, '), "damaged"),
    ],
)
def test_damaged_json_is_refused(made, change, message):
    with pytest.raises(ReadError, match=message):
        ReductionReport.from_json(change(made.to_json()))


class Wellformed(HTMLParser):
    """Every tag that is opened is closed in order."""

    VOID = {"meta", "br", "img", "hr", "link"}  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self.open, self.headings = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)


def test_page_is_wellformed_and_whole(made, tmp_path):
    page = made.write_html(tmp_path / "out").read_text()
    parser = Wellformed()
    parser.feed(page)
    parser.close()
    assert not parser.open
    assert parser.headings == [
        "Warnings", "What was reduced", "Frequencies of the free part", "Frequencies with ROOT held",
        "Frequencies with ROOT, BORE held", "Mode shapes", "How far up it can be trusted", "What the mesh misses",
        "Transfer functions of the interfaces", "Statics and rigid motions", "Effective masses", "Inertia",
        "Time and provenance",
    ]  # fmt: skip
    assert page.count("<svg") == 8
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_page_escapes_names(made, tmp_path):
    page = replace(made, name="<b>&", model=None).write_html(tmp_path / "a.html").read_text()
    assert "<b>&" not in page
    assert "&lt;b&gt;&amp;" in page


def test_printed_report_has_all_parts(made):
    text = str(made)
    for part in (
        "Reduction of lug: Craig-Bampton, 32 coordinates",
        "interface BORE: averaged, 130 nodes",
        "Frequencies of the free part [Hz]: 6 rigid motions",
        "Frequencies with ROOT, BORE held",
        "Frequencies are right to 1 % up to",
        "Effective masses",
        "possible",
        "Receptance of the interfaces",
        "Time of this report",
    ):
        assert part in text


def test_unwritable_file_is_said(made, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FlexmbsError, match="cannot write"):
        made.write_json(tmp_path / "file" / "report.json")


# --- options and errors ---


def test_without_full_there_are_bounds_only(model):
    found = report(model, full=False, count=3)
    table = found.frequencies[0]
    assert table.full is None
    assert len(table.bound) == 3
    assert found.transfer.error == ()
    assert found.stiffening is None
    assert "not computed" in str(found)
    within_bounds = report(model, count=3, full_points=0).frequencies[0]
    assert table.bound == pytest.approx(within_bounds.bound)


def test_a_loaded_model_gives_its_report_back(model, tmp_path):
    fresh = replace(model, report_text=None)
    silent = fx.reduction.load_reduced(fresh.save(tmp_path / "silent.h5"))
    with pytest.raises(ModelError, match="no report was made before it was saved"):
        silent.report()
    found = fresh.report(count=2, full_points=0)
    loaded = fx.reduction.load_reduced(fresh.save(tmp_path / "with.h5"))
    assert loaded.report() == found
    assert "Mode shapes" in loaded.report().write_html(tmp_path / "x.html").read_text()
    with pytest.raises(ModelError, match="without options"):
        loaded.report(band=3.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"band": -1.0}, "band"),
        ({"damping": 1.5}, "damping"),
        ({"points": 1}, "points"),
        ({"count": 0}, "count"),
        ({"full_points": -1}, "full_points"),
        ({"held": "ROOT"}, "list of names"),
        ({"held": ["NOPE"]}, "NOPE"),
    ],
)
def test_bad_options_are_refused(model, options, message):
    with pytest.raises(ModelError, match=message):
        report(model, **options)


def test_something_else_is_refused():
    with pytest.raises(ModelError, match="expected a ReducedModel"):
        report(3)


def test_interfaces_that_are_no_coordinates_cannot_be_held():
    model = fx.reduction.reduce(tower(3), ["FOOT"], method=lambda a: modal_truncation(a.operators.K, a.operators.M, 12))
    with pytest.raises(ModelError, match="cannot be held"):
        model.report(held=["FOOT"])


def test_matrices_of_another_kind_have_no_bounds(model):
    """MacNeal's matrices and lumped ones are no projections, for which the bounds do not hold."""
    other = replace(model, M=1.1 * model.M, report_text=None)
    found = other.report(full_points=0, count=4)
    assert found.frequencies[0].bound == (None,) * 4
    assert found.transfer is None
    assert "not projections" in found.warnings[0]
    assert found.frequencies[0].error[0] == pytest.approx(1.001 / np.sqrt(1.1) - 1.0, abs=1e-3)


# --- warnings, each provoked once ---


def warned(found, words):
    return [w for w in found.warnings if words in w]


def test_warns_of_a_band_that_is_not_covered(model):
    top = report(model, full=False).trust.cut_off
    assert warned(report(model, full=False, band=0.9 * top), "band is not covered")
    assert not warned(report(model, full=False, band=0.1 * top), "band")


def test_warns_of_flexible_interfaces(lug, model):
    assert warned(fx.reduction.reduce(lug, ["BORE"], 8).report(full_points=0), "flexible at its interfaces")
    assert not warned(report(model, full_points=0), "flexible at its interfaces")


def test_warns_of_missing_effective_mass(lug):
    assert warned(fx.reduction.reduce(lug, ["ROOT"], 1).report(full_points=0), "effective mass")
    assert not warned(fx.reduction.reduce(lug, ["ROOT"], 40).report(full_points=0), "effective mass")


def test_warns_of_suspicious_units(lug):
    odd = fx.Elastic(youngs_modulus=210e3, density=7850.0, name="odd")  # MPa with kg/m^3
    assert warned(
        fx.reduction.reduce(fx.linear.Part(lug.mesh, material=odd), ["ROOT"], 2).report(full=False), "no usual system"
    )
    large = fx.meshes.Mesh(1000.0 * lug.mesh.points, lug.mesh.cells, node_sets=lug.mesh.node_sets)
    assert warned(
        fx.reduction.reduce(fx.linear.Part(large, material=fx.steel), ["ROOT"], 2).report(full=False), "millimetres"
    )
    assert not warned(fx.reduction.reduce(lug, ["ROOT"], 2).report(full=False), "units")


def test_warns_of_inexact_inertia():
    what = tower(2)
    M = what.M.copy().tolil()
    M[0, 1] = M[1, 0] = 0.5  # couples x and y of a node
    coupled = Operators(what.K, M.tocsc(), what.dofs, what.points, node_sets=what.node_sets)
    assert warned(fx.reduction.reduce(coupled, ["FOOT"], 2).report(full=False), "taken at the nodes")
    bare = Operators(what.K, what.M, DofMap(np.full(what.n, -1), np.zeros(what.n, int)), np.zeros((0, 3)))
    model = fx.reduction.reduce(bare, [], method=lambda a: modal_truncation(a.operators.K, a.operators.M, 9))
    assert warned(model.report(full=False), "no inertia invariants")


def test_warns_of_a_basis_without_rigid_motions():
    what = tower(2)
    _, vectors = linalg.eigh(what.K.toarray(), what.M.toarray())
    basis = Basis(vectors[:, 6:12], [f"mode {i}" for i in range(6)], 0)
    assert warned(
        fx.reduction.reduce(what, [], method=lambda a: basis).report(full=False), "rigid motions of the part to"
    )


def test_warns_of_dependent_columns():
    what = tower(2)
    _, vectors = linalg.eigh(what.K.toarray(), what.M.toarray())
    T = vectors[:, :10].copy()
    T[:, 9] = T[:, 8] + 2e-7 * T[:, 9]
    basis = Basis(T, [f"mode {i}" for i in range(10)], 0)
    assert warned(fx.reduction.reduce(what, [], method=lambda a: basis).report(full=False), "ill-conditioned")


def test_warns_of_loose_pieces():
    one, two = tower(2), tower(2)
    K, M = sparse.block_diag([one.K, two.K]), sparse.block_diag([one.M, two.M])
    n = len(one.points)
    dofs = DofMap(np.concatenate([one.dofs.node, two.dofs.node + n]), np.tile(one.dofs.component, 2))
    loose = Operators(K, M, dofs, np.vstack([one.points, two.points + 3.0]))
    _, vectors = linalg.eigh(K.toarray(), M.toarray())
    basis = Basis(vectors[:, :16], [f"mode {i}" for i in range(16)], 0)
    found = fx.reduction.reduce(loose, [], method=lambda a: basis).report()
    assert found.frequencies[0].rigid == 12
    assert max(abs(e) for e in found.frequencies[0].error) < 1e-9
    assert warned(found, "more than the six")


def test_warns_of_indefinite_stiffness():
    what = tower(3)
    K = what.K.tolil()
    K[0, 0] *= 0.05
    sick = Operators(sparse.csc_matrix(K), what.M, what.dofs, what.points)
    _, vectors = linalg.eigh(K.toarray(), what.M.toarray())
    basis = Basis(vectors[:, :9], [f"mode {i}" for i in range(9)], 0)
    found = fx.reduction.reduce(sick, [], method=lambda a: basis).report(full=False)
    assert warned(found, "not positive semidefinite")
    assert warned(found, "no estimate of errors")
    assert found.trust is None
    assert "No bounds of errors" in str(found)
