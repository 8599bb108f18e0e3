"""Harmonic response against closed forms, modal superposition and between full and reduced models."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import flexmbs as fx
from flexmbs.elements import Hexahedron8

K, M, D = 4.0, 0.25, 0.03
F = np.array([0.0, 0.1, 0.5, 2.0 / np.pi, 1.0])
W = 2.0 * np.pi * F


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_matrix], ids=["dense", "sparse"])
def test_one_mass(form) -> None:
    one = SimpleNamespace(K=form([[K]]), M=form([[M]]), D=form([[D]]))
    for damping, more in (
        (None, 0.0),
        (fx.linear.StructuralDamping(0.1), 0.1j * K),
        (fx.linear.ProportionalDamping(0.2, 0.3), 1j * W * (0.2 * M + 0.3 * K)),
    ):
        found = fx.linear.harmonic_response(one, F, np.array([2.0]), [0], damping)
        exact = 2.0 / (K - W**2 * M + 1j * W * D + more)
        assert np.abs(found.values[:, 0, 0] / exact - 1.0).max() < 1e-13


def test_modal_damping_of_one_mass() -> None:
    one = SimpleNamespace(K=np.array([[K]]), M=np.array([[M]]), D=None)
    found = fx.linear.harmonic_response(one, F, np.array([1.0]), [0], fx.linear.ModalDamping(0.05))
    exact = 1.0 / (K - W**2 * M + 2j * 0.05 * np.sqrt(K * M) * W)
    assert np.abs(found.values[:, 0, 0] / exact - 1.0).max() < 1e-13
    # at the resonance the amplitude is the static one over twice the ratio, a quarter turn behind
    peak = fx.linear.harmonic_response(one, [2.0 / np.pi], np.array([1.0]), [0], fx.linear.ModalDamping(0.05))
    assert peak.amplitudes[0, 0, 0] == pytest.approx(1.0 / K / 0.1, rel=1e-12)
    assert peak.phases[0, 0, 0] == pytest.approx(-np.pi / 2, rel=1e-12)


def test_modal_superposition_of_a_chain(chain) -> None:
    operators = chain(6)
    held = {"left": "ux"}
    modes = fx.linear.vibration_modes(operators, 5, held)
    ratios = np.array([0.01, 0.02, 0.03, 0.04, 0.05])
    damping = fx.linear.ModalDamping(ratios, modes)
    found = fx.linear.harmonic_response(
        operators, F[:4], fx.linear.NodalForce("right", (1.0, 0, 0)), [("right", "ux"), 2], damping, held
    )
    w0, phi = modes.angular_frequencies, modes.vectors
    for i, w in enumerate(W[:4]):
        gain = phi[5] / (w0**2 - w**2 + 2j * ratios * w0 * w)
        assert found.values[i, :, 0] == pytest.approx([phi[5] @ gain, phi[2] @ gain], rel=1e-10)
    assert found.outputs == ("right ux", "ux of node 2")


def test_some_modes_damped_the_others_not(chain) -> None:
    """Woodbury for two of the modes against the dense matrix of the damping."""
    operators = chain(6)
    modes = fx.linear.vibration_modes(operators, 2, {"left": "ux"})
    loads = {"a": fx.linear.NodalForce(3, (1.0, 0, 0)), "b": fx.linear.NodalForce(4, (1.0, 0, 0))}
    full = fx.linear.harmonic_response(
        operators, F[1:4], loads, [1, 5], fx.linear.ModalDamping(0.1, modes), {"left": "ux"}
    )
    B = operators.M @ modes.vectors
    dense = SimpleNamespace(
        K=operators.K.toarray()[1:, 1:], M=operators.M.toarray()[1:, 1:],
        D=(B * (0.2 * modes.angular_frequencies) @ B.T)[1:, 1:],
    )  # fmt: skip
    forces = np.zeros((5, 2))
    forces[2, 0] = forces[3, 1] = 1.0
    small = fx.linear.harmonic_response(dense, F[1:4], forces, [0, 4])
    assert np.abs(full.values - small.values).max() < 1e-12 * np.abs(small.values).max()
    assert full.inputs == ("a", "b")


def test_at_zero_frequency_it_is_the_static_response(block) -> None:
    part = block(Hexahedron8())
    load = fx.linear.NodalForce("right", (0, 0, 1e3))
    still = fx.linear.static_response(part, {"left": "all"}, load)
    found = fx.linear.harmonic_response(
        part, [0.0], load, [("right", "uz")], fx.linear.ProportionalDamping(1.0, 1.0), {"left": "all"}
    )
    assert found.values[0, 0, 0] == pytest.approx(still.displacement("right")[:, 2].mean(), rel=1e-10)
    assert found.values[0, 0, 0].imag == 0.0


def test_viscosity_of_the_material_is_proportional_damping(block) -> None:
    """Kelvin-Voigt material and beta K are one thing."""
    load = fx.linear.NodalForce("right", (0, 0, 1e3))
    plain = fx.Elastic(youngs_modulus=2e11, density=8000.0)
    sticky = fx.Elastic(youngs_modulus=2e11, density=8000.0, retardation_time=1e-5)
    args = ([10.0, 150.0], load, [("right", "uz")])
    one = fx.linear.harmonic_response(block(Hexahedron8(), material=sticky), *args, fixed={"left": "all"})
    two = fx.linear.harmonic_response(
        block(Hexahedron8(), material=plain), *args, fx.linear.ProportionalDamping(0.0, 1e-5), {"left": "all"}
    )
    assert one.values == pytest.approx(two.values, rel=1e-10)


def test_reciprocity_with_links(block) -> None:
    part = block(Hexahedron8(), connections=[fx.linear.RigidCoupling("hub", "right", at=(1.2, 0.0, 0.0))])
    force = {
        "twist": fx.linear.NodalForce("hub", (0, 0, 0), moment=(1.0, 0, 0)),
        "lift": fx.linear.NodalForce("hub", (0, 0, 1.0)),
    }
    found = fx.linear.harmonic_response(part, [50.0, 200.0], force, [("hub", "rx"), ("hub", "uz")],
                                 fx.linear.StructuralDamping(0.02), {"left": "all"})  # fmt: skip
    assert found.values[:, 0, 1] == pytest.approx(found.values[:, 1, 0], rel=1e-9)


def test_rows_and_columns_as_arrays(chain) -> None:
    operators = chain(5)
    forces, rows = np.eye(5)[:, :2], np.eye(5)[[4]]
    found = fx.linear.harmonic_response(operators, [0.3], forces, rows, fx.linear.StructuralDamping(0.1))
    loads = {"a": fx.linear.NodalForce(0, (1.0, 0, 0)), "b": fx.linear.NodalForce(1, (1.0, 0, 0))}
    named = fx.linear.harmonic_response(operators, [0.3], loads, [("right", "ux")], fx.linear.StructuralDamping(0.1))
    assert np.abs(found.values - named.values).max() < 1e-14


def test_what_is_free_has_no_static_response(chain) -> None:
    operators = chain(5)
    reduced = SimpleNamespace(K=operators.K.toarray(), M=operators.M.toarray(), D=None)
    for model, force in ((operators, fx.linear.NodalForce(0, (1.0, 0, 0))), (reduced, np.eye(5)[:, 0])):
        with pytest.raises(fx.SingularError, match="free"):
            fx.linear.harmonic_response(model, [0.0, 1.0], force, [0])
        assert np.isfinite(fx.linear.harmonic_response(model, [0.1], force, [0]).values).all()


def test_exact_resonance_without_damping_is_refused() -> None:
    two = SimpleNamespace(K=np.diag([1.0, 4.0]), M=np.eye(2), D=None)
    f = 1.0 / (2.0 * np.pi)
    assert (2.0 * np.pi * f) ** 2 == 1.0
    with pytest.raises(fx.SingularError, match="resonance"):
        fx.linear.harmonic_response(two, [f], np.ones(2), [0])


def test_plot(chain) -> None:
    from matplotlib.figure import Figure

    found = fx.linear.harmonic_response(
        chain(5), [0.1, 0.2], np.eye(5)[:, :2], [0, 1], fx.linear.StructuralDamping(0.1)
    )
    ax = found.plot(Figure().subplots())
    assert len(ax.lines) == 4
    assert ax.get_yscale() == "log"
    assert "2 frequencies" in repr(found)


def test_bad_arguments(chain) -> None:
    operators = chain(5)
    load, modes = fx.linear.NodalForce(0, (1.0, 0, 0)), fx.linear.vibration_modes(chain(4), 2)
    small = SimpleNamespace(K=np.eye(2), M=np.eye(2), D=None)
    for make, words in (
        (lambda: fx.linear.harmonic_response("file", [1.0], load, [0]), "model must be"),
        (lambda: fx.linear.harmonic_response(operators, [], load, [0]), "one or more numbers"),
        (lambda: fx.linear.harmonic_response(operators, [-1.0], load, [0]), "not negative"),
        (lambda: fx.linear.harmonic_response(operators, [1.0], load, [7]), "no unknown 7"),
        (lambda: fx.linear.harmonic_response(operators, [1.0], load, [("left", "uy")]), "have uy"),
        (lambda: fx.linear.harmonic_response(operators, [1.0], load, [("left", "x")]), "an output must be"),
        (lambda: fx.linear.harmonic_response(operators, [1.0], load, "ux"), "outputs must be a list"),
        (lambda: fx.linear.harmonic_response(operators, [1.0], {}, [0]), "no force"),
        (lambda: fx.linear.harmonic_response(operators, [1.0], np.ones(3), [0]), "shape"),
        (lambda: fx.linear.harmonic_response(operators, [1.0], load, [0], 0.02), "damping must be"),
        (
            lambda: fx.linear.harmonic_response(operators, [1.0], load, [0], fx.linear.ModalDamping(0.02)),
            "needs its modes",
        ),
        (
            lambda: fx.linear.harmonic_response(operators, [1.0], load, [0], fx.linear.ModalDamping(0.02, modes)),
            "4 unknowns",
        ),
        (lambda: fx.linear.harmonic_response(small, [1.0], load, [0]), "forces on a reduced model"),
        (lambda: fx.linear.harmonic_response(small, [1.0], np.ones(2), [("a", "ux")]), "numbers of coordinates"),
        (
            lambda: fx.linear.harmonic_response(small, [1.0], np.ones(2), [0], fixed={0: "all"}),
            "for parts and operators",
        ),
        (lambda: fx.linear.ModalDamping(-0.1), "at least 0"),
        (lambda: fx.linear.ModalDamping([0.1], modes), "1 ratios for 2 modes"),
        (lambda: fx.linear.ModalDamping(0.1, 3), "must be those of vibration_modes"),
        (lambda: fx.linear.StructuralDamping(-0.1), "at least 0"),
        (lambda: fx.linear.ProportionalDamping(stiffness=-0.1), "at least 0"),
    ):
        with pytest.raises(fx.ModelError, match=words):
            make()


def test_order_of_unknowns_does_not_matter(block, monkeypatch) -> None:
    """With nested dissection and without, with damping and without."""
    from flexmbs.linear import harmonic

    operators = block(Hexahedron8(), n=(6, 2, 2)).assemble()
    modes = fx.linear.vibration_modes(operators, 3, {"left": "all"})
    load = {"a": fx.linear.NodalForce("right", (0, 0, 1.0)), "b": fx.linear.NodalForce("right", (1.0, 0, 0))}
    args = (operators, [0.0, 40.0, 1e3], load, [("right", "uz")])
    for damping in (None, fx.linear.StructuralDamping(0.05), fx.linear.ModalDamping(0.02, modes)):
        plain = fx.linear.harmonic_response(*args, damping, {"left": "all"})
        monkeypatch.setattr(harmonic, "LARGE", 10)
        ordered = fx.linear.harmonic_response(*args, damping, {"left": "all"})
        monkeypatch.setattr(harmonic, "LARGE", 10**9)
        assert np.abs(ordered.values - plain.values).max() < 1e-9 * np.abs(plain.values).max()


def test_a_reduced_model_answers_like_the_full_one() -> None:
    """Static response to round-off; below the cut-off the error falls with the number of modes kept."""
    mesh = fx.meshes.read_mesh(fx.meshes.sample("lug.inp"))
    links = [fx.linear.RigidCoupling("root hub", "ROOT"), fx.linear.RigidCoupling("bore hub", "BORE")]
    full = fx.linear.Part(mesh, material=fx.steel, connections=links)
    damping = fx.linear.StructuralDamping(0.02)
    frequencies = [0.0, 2e3, 8e3]
    load = fx.linear.NodalForce("bore hub", (0, 0, 1.0))
    exact = fx.linear.harmonic_response(full, frequencies, load, [("bore hub", "uz")], damping, {"root hub": "all"})
    errors = []
    for count in (4, 30):
        small = fx.reduction.reduce(
            fx.linear.Part(mesh, material=fx.steel), ["ROOT", "BORE"], modes=count, progress=False
        )
        free = slice(6, None)  # the root is held, the bore follows
        held = SimpleNamespace(K=small.K[free, free], M=small.M[free, free], D=None)
        force = np.zeros(len(held.K))
        force[2] = 1.0
        found = fx.linear.harmonic_response(held, frequencies, force, [2], damping)
        errors.append(np.abs(found.values / exact.values - 1.0)[:, 0, 0])
    assert errors[0][0] < 1e-9
    assert errors[1][0] < 1e-9
    assert errors[1][1] < 1e-4
    assert (errors[1][1:] < 0.5 * errors[0][1:]).all()
