"""Reduced models as systems with inputs and outputs, compared with their own matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg

import flexmbs as fx
from flexmbs.reduction.export.linear_system import balanced, modal_system
from tests.models.floating import layered_bar


def transfer(system, s):
    A, B, C, F = system.first_order()
    return C @ np.linalg.solve(s * np.eye(len(A)) - A, B) + F


def dynamic(model, s, rows, columns):
    D = np.zeros_like(model.K) if model.D is None else model.D
    return (model.K + s * D + s * s * model.M)[np.ix_(rows, columns)]


@pytest.mark.parametrize("s", [0.0, 2000j, 300.0 + 90000j])
def test_forces_to_motions(lug, s):
    """Against the inverse of the dynamic stiffness with ROOT held."""
    system = modal_system(lug, fixed="ROOT", nodes=[7], accelerations=True)
    free = np.arange(6, lug.size)
    G = np.zeros((lug.size, lug.size), complex)
    G[np.ix_(free, free)] = np.linalg.inv(dynamic(lug, s, free, free))
    node = np.asarray(lug.shapes)[lug.dofs.of(7)]
    inputs = np.vstack([np.eye(lug.size)[6:12], node])
    moved = inputs @ G @ inputs.T
    found = transfer(system, s)
    assert [x.name for x in system.inputs] == ["BORE.force", "BORE.moment", "node 7.force"]
    order = np.r_[0:3, 9:12, 18:21]
    size = np.abs(moved).max()
    assert np.abs(found[order] - moved).max() < 1e-10 * size
    assert np.abs(found[order + 3] - s * moved).max() <= 1e-10 * size * abs(s)
    direct = np.abs(system.F).max()  # what the acceleration is at once, and which cancels at rest
    assert np.abs(found[order + 6] - s * s * moved).max() <= 1e-10 * (size * abs(s) ** 2 + direct)


@pytest.mark.parametrize("s", [50j, 300.0 + 9000j])
def test_motions_to_reactions(lug, s):
    """Against the dynamic stiffness condensed on ROOT, its motion given."""
    system = modal_system(lug, driven="ROOT")
    b, i = np.arange(6), np.arange(6, lug.size)
    condensed = dynamic(lug, s, b, b) - dynamic(lug, s, b, i) @ np.linalg.solve(
        dynamic(lug, s, i, i), dynamic(lug, s, i, b)
    )
    reaction = reactions(system, s)
    # the stiffness of rigid motions cancels, to its round-off
    assert np.abs(reaction - condensed).max() < 1e-13 * np.abs(lug.K).max() + 1e-9 * np.abs(condensed).max()


def test_a_pushed_part_pushes_back_with_its_mass(lug):
    """Far below the first frequency w, with ROOT held: to (s / w)^2."""
    found = reactions(modal_system(lug, driven="ROOT"), 500j) / -(500.0**2)
    assert np.abs(found[:3, :3] - lug.inertia.mass * np.eye(3)).max() < (
        2.0 * (500.0 / lug.angular_frequencies("ROOT")[0]) ** 2 * lug.inertia.mass
    )


def reactions(system, s):
    """Force and moment (6, 6) at ROOT for its displacement and rotation, which the rates are derivatives of."""
    names = [x.name for x in system.inputs]
    together = np.zeros((system.B.shape[1], 6), complex)
    for part, kinds in enumerate(
        [("displacement", "velocity", "acceleration"), ("rotation", "angular_velocity", "angular_acceleration")]
    ):
        for order, kind in enumerate(kinds):
            at = 3 * names.index(f"ROOT.{kind}")
            together[at : at + 3, 3 * part : 3 * part + 3] = s**order * np.eye(3)
    outputs = [x.name for x in system.outputs]
    rows = np.add.outer([3 * outputs.index("ROOT.force"), 3 * outputs.index("ROOT.moment")], np.arange(3)).ravel()
    return (transfer(system, s) @ together)[rows]


def test_stresses_and_modal_forces(lug):
    system = modal_system(lug, fixed="ROOT", stresses=True, modal_forces=True)
    force = np.zeros(system.B.shape[1])
    force[2] = 100.0  # along z at BORE
    A, B, C, _ = system.first_order()
    y = -C @ np.linalg.solve(A, B @ force)
    q = np.zeros(lug.size)
    q[6:] = np.linalg.solve(lug.K[6:, 6:], np.eye(lug.size)[8, 6:] * 100.0)
    expected = lug.stresses(q)
    first = 12
    assert y[first:] == pytest.approx(expected.ravel(), rel=1e-9, abs=1e-9 * np.abs(expected).max())
    assert system.inputs[-1].name == "modal_force"
    assert np.array_equal(B[len(A) // 2 :, -14:], np.eye(14))


def test_stresses_that_are_kept_apart_are_outputs_of_their_own():
    model = layered_bar()
    system = modal_system(model, fixed="left", stresses=True)
    names = [x.name for x in system.outputs if x.quantity == "stress"]
    assert len(set(names)) == len(model.stress_nodes) == 40
    border = int(np.flatnonzero(np.bincount(model.stress_nodes) == 2)[0])
    at = names.index(f"node {border}.stress_1")
    assert names[at + 1] == f"node {border}.stress_2"
    assert model.stress_rows(border).tolist() == [at, at + 1]


def test_chosen_interfaces_loads_and_components(strut):
    """The load of a node is the force there; a node of an interface that is named too has all its components."""
    system = modal_system(strut, "start", interfaces=(), nodes=[6, 12], loads={"wind": strut.force(6, (0, 2.0, 0))})
    assert [x.name for x in system.inputs] == ["end.force", "end.moment", "node 6.force", "node 6.moment", "wind"]
    assert system.B[:, -1] == pytest.approx(2.0 * system.B[:, 7], rel=1e-12)
    mesh = fx.meshes.line((0, 0, 0), (1.0, 0, 0), 4)
    element = fx.elements.Frame(section=fx.Rectangle(width=0.02, height=0.03), up=(0, 0, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, fx.steel)], name="bar")
    model = fx.reduction.reduce(part, ["start", fx.reduction.Interface("end", kind="nodes", components=("uz",))], 4)
    only = modal_system(model, "start")
    assert [(x.name, x.entries) for x in only.inputs] == [("end.force", ("force along z",))]
    assert [x.name for x in modal_system(model, "start", nodes=[4]).inputs] == ["end.force", "end.moment"]


def test_rigid_motions_are_free_and_soft_supports_hold(strut):
    """Nothing at all brings a free part back; a spring of 1e-8 of its stiffness lets it swing along x by k / m."""
    assert np.array_equal(modal_system(strut).stiffness[:6], np.zeros(6))
    assert (modal_system(strut).stiffness[6:] > 0.0).all()
    K = strut.K.copy()
    x = strut.frame("end").coordinates[0]
    k = 1e-8 * K[x, x]
    K[x, x] += k
    values = modal_system(replace(strut, K=K)).stiffness
    assert np.array_equal(values[:5], np.zeros(5))
    rounding = len(values) * np.finfo(float).eps * values[-1]
    assert values[5] == pytest.approx(k / strut.inertia.mass, abs=rounding)


def test_fewer_modes_and_ratios(strut):
    system = modal_system(strut, fixed="start", modes=3, damping=[0.01, 0.02, 0.03])
    w = strut.angular_frequencies("start")[:3]
    assert np.sqrt(system.stiffness) == pytest.approx(w, rel=1e-12)
    assert system.damping == pytest.approx(2 * np.array([0.01, 0.02, 0.03]) * w, rel=1e-12)


def test_balancing_changes_no_response(strut):
    rng = np.random.default_rng(3)
    L = 0.1 * rng.standard_normal(strut.K.shape)
    system = modal_system(replace(strut, D=L @ L.T), fixed="start")
    assert system.damping.ndim == 2
    even = balanced(system)
    assert np.abs(even.A).max() < 2.0 * np.sqrt(system.stiffness.max())
    s = 700j
    assert transfer(even, s) == pytest.approx(transfer(system, s), rel=1e-9)
    assert linalg.eigvals(even.A).imag.max() == pytest.approx(np.sqrt(system.stiffness.max()), rel=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fixed": "HUB"}, "no interface named 'HUB'"),
        ({"fixed": "start", "driven": ["start"]}, "named twice"),
        ({"modes": 99}, "99 modes were asked for"),
        ({"modes": 0}, "modes"),
        ({"damping": -0.1}, "damping"),
        ({"damping": [0.1, 0.1]}, "damping"),
        ({"stresses": True}, "without stresses"),
        ({"interfaces": "HUB"}, "no interface named 'HUB'"),
        ({"fixed": "start", "interfaces": "start"}, "no forces act there"),
        ({"loads": {"wind": np.zeros(3)}}, "wind"),
        ({"fixed": ["start", "end"]}, "nothing to see"),
    ],
)
def test_mistakes(strut, options, message):
    with pytest.raises(fx.ModelError, match=message):
        modal_system(strut, **options)


def test_unstable_parts_are_refused(strut):
    soft = strut.K - 1e6 * np.eye(strut.size)
    with pytest.raises(fx.ModelError, match="stable part"):
        modal_system(replace(strut, K=soft))
