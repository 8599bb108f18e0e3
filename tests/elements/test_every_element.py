"""What holds for every element, whatever its nodes: bodies of two cells, evaluated by the engine."""

from __future__ import annotations

import sys
from dataclasses import FrozenInstanceError
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.nodes import positions_in_q, rigid_motions
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import ALL
from flexmbs.elements.collection import elements_of
from flexmbs.integrators.contracts import StepState
from flexmbs.io.files import built_in_classes
from flexmbs.kernels.steps import retract

STIFFNESS = fx.BeamStiffness(
    EA=700.0, EI_z=3.0, mass_per_length=1.3, GJ=2.0, GA_y=90.0, GA_z=60.0, rhoI_y=0.02, rhoI_z=0.03
)
MATERIAL = fx.Elastic(youngs_modulus=1e4, poissons_ratio=0.3, density=40.0)
THICKNESS = 0.1
EPS = float(np.finfo(float).eps)
every_element = pytest.mark.parametrize("element", ALL, ids=lambda e: e.name)


class Sample:
    """A free body of two cells, or two by two, at the shape in which it was made."""

    def __init__(self, element: Any, *loads: Any) -> None:
        if element.cell_type == "quad":
            self.body = fx.FlexibleBody.plate(
                (1.0, 0.8), elements=(2, 2), element=element, section=fx.ShellSection(THICKNESS), material=MATERIAL
            )
            self.mass = 0.8 * THICKNESS * MATERIAL.density
        else:
            end = (1.2, 0.9, 0.8)[: element.layout.dim]
            self.body = fx.FlexibleBody.line((0.0,) * len(end), end, elements=2, element=element, stiffness=STIFFNESS)
            self.mass = STIFFNESS.mass_per_length * float(np.linalg.norm(end))
        self.dynamics = dyn = Dynamics(fx.compile_model(fx.Model(self.body, *loads)))
        dyn.set_time(0.0)
        self.layout = element.layout
        self.reference = dyn.coordinates.reference
        self.dofs = dyn.coordinates.node_dofs[0]
        self.zero = np.zeros(dyn.n_v)

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        out = np.empty_like(q)
        retract(q, step, self.dynamics.n_linear, out)
        return out

    def force(self, q: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
        return self.dynamics.residual(q, self.zero if v is None else v, self.zero, np.zeros(0)).copy()

    def energy(self, q: np.ndarray) -> float:
        return float(self.body.element.energy(self.dynamics.system.group(self.body), q).sum())

    def linearised(self, q: np.ndarray) -> Any:
        return self.dynamics.linearise(StepState.unaccelerated(0.0, q, self.zero, np.zeros(0)))

    def random(self) -> np.ndarray:
        """A state near the reference, not small against the thickness or the section."""
        return self.moved(self.reference, 0.02 * np.random.default_rng(3).standard_normal(self.dynamics.n_v))

    def turned(self, q: np.ndarray, rotation: Rotation) -> np.ndarray:
        """The state after a finite rotation of the whole body, for coordinates that are positions."""
        q, dim = q.copy(), self.layout.dim
        R = rotation.as_matrix()[:dim, :dim]
        if self.layout.quaternion:
            places = positions_in_q(self.layout, self.dofs, self.dynamics.coordinates.n_linear)
            frames = places[:, :1] + np.arange(3, 7)
            q[places] = q[places] @ R.T
            own = Rotation.from_quat(q[frames], scalar_first=True)
            q[frames] = (rotation * own).as_quat(scalar_first=True)
            return q
        for part in (self.layout.position, *self.layout.vectors):
            places = self.dofs[:, list(part)]
            q[places] = q[places] @ R.T
        return q


@cache
def sample(element: Any) -> Sample:
    return Sample(element)


def difference(f: Any, n: int, h: float) -> np.ndarray:
    """Derivatives at zero by central differences of order 4."""
    rows = [h * e for e in np.eye(n)]
    return np.stack([(8 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12 * h) for e in rows], axis=-1)


def test_there_are_no_two_of_one_name() -> None:
    assert len({element.name for element in ALL}) == len(ALL) == len({type(element) for element in ALL})
    assert {type(element) for element in ALL} <= set(built_in_classes())


@every_element
def test_it_is_a_frozen_default(element: Any) -> None:
    assert element == type(element)()
    with pytest.raises(FrozenInstanceError):
        element.shear = False


@every_element
def test_every_coordinate_of_a_node_has_one_meaning(element: Any) -> None:
    layout = element.layout
    turns = (3, 4, 5) if layout.quaternion else ()
    parts = (layout.position, layout.slope, layout.rotation, layout.directors, layout.surface, layout.mixed)
    used = sorted({k for part in parts for k in part} | set(turns))
    assert used == list(range(len(layout.names)))
    assert {resultant.dimension for resultant in element.resultants} <= {"force", "moment", "force/length"}


@every_element
def test_the_stress_free_shape_has_no_force_and_no_energy(element: Any) -> None:
    s = sample(element)
    K = s.linearised(s.reference).K.toarray()
    assert np.abs(s.force(s.reference)).max() <= 200 * EPS * np.abs(K).max()
    assert 0.0 <= s.energy(s.reference) <= 200 * EPS * np.abs(K).max()


@every_element
def test_small_rigid_motions_meet_no_stiffness(element: Any) -> None:
    s = sample(element)
    K = s.linearised(s.reference).K.toarray()
    motions, _ = rigid_motions(s.body.element.layout, s.body.mesh.points, s.body.reference)
    for motion in np.moveaxis(motions, -1, 0):
        v = s.zero.copy()
        v[s.dofs] = motion
        assert np.abs(K @ v).max() <= 1e-11 * np.abs(K).max()


@pytest.mark.parametrize("element", [e for e in ALL if e.layout.absolute], ids=lambda e: e.name)
def test_large_rotations_meet_no_force(element: Any) -> None:
    s = sample(element)
    K = s.linearised(s.reference).K.toarray()
    axis = (0.0, 0.0, 2.3) if s.layout.dim == 2 else (1.0, -2.0, 0.7)
    q = s.turned(s.reference, Rotation.from_rotvec(axis))
    assert np.abs(s.force(q)).max() <= 1e-11 * np.abs(K).max()
    bent = s.random()
    assert s.energy(s.turned(bent, Rotation.from_rotvec(axis))) == pytest.approx(s.energy(bent), rel=1e-9)


@every_element
def test_forces_balance(element: Any) -> None:
    """Of a free body in any state."""
    s = sample(element)
    force = s.force(s.random())
    for direction in range(s.layout.dim):
        sum_of = force[s.dofs[:, s.layout.position[direction]]]
        assert abs(sum_of.sum()) <= 1e-11 * np.abs(sum_of).sum()


@every_element
def test_force_is_the_derivative_of_the_energy(element: Any) -> None:
    s = sample(element)
    q = s.random()
    force = s.force(q)
    by_difference = difference(lambda x: s.energy(s.moved(q, x)), len(force), 2e-4)
    np.testing.assert_allclose(force, by_difference, atol=1e-7 * np.abs(force).max())


@every_element
def test_stiffness_is_the_derivative_of_the_force(element: Any) -> None:
    s = sample(element)
    q = s.random()
    K = s.linearised(q).K.toarray()
    by_difference = difference(lambda x: s.force(s.moved(q, x)), len(K), 2e-4)
    np.testing.assert_allclose(K, by_difference, atol=1e-7 * np.abs(K).max())


@every_element
def test_mass_is_definite_and_has_the_mass_of_the_body(element: Any) -> None:
    s = sample(element)
    M = s.dynamics.mass_matrix.toarray()
    np.testing.assert_allclose(M, M.T, atol=1e-15 * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0.0
    motions, _ = rigid_motions(s.body.element.layout, s.body.mesh.points, s.body.reference)
    for direction in range(s.layout.dim):
        v = s.zero.copy()
        v[s.dofs] = motions[..., direction]
        assert v @ M @ v == pytest.approx(s.mass, rel=1e-12)


@every_element
def test_gravity_does_the_work_of_the_weight(element: Any) -> None:
    g = np.array([0.7, -9.81, 2.0])[: element.layout.dim]
    s = Sample(element, fx.Gravity(tuple(g)))
    force = -s.force(s.reference)
    motions, _ = rigid_motions(s.body.element.layout, s.body.mesh.points, s.body.reference)
    for direction in range(s.layout.dim):
        v = s.zero.copy()
        v[s.dofs] = motions[..., direction]
        assert force @ v == pytest.approx(s.mass * g[direction], rel=1e-12, abs=1e-12)


def test_a_new_file_is_a_new_element(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One module in a package of elements, and nothing else."""
    folder = tmp_path / "more_elements"
    folder.mkdir()
    (folder / "__init__.py").write_text("", "utf-8")
    (folder / "kernels.py").write_text("__all__ = ['halved']\ndef halved(x): return 0.5 * x\n", "utf-8")
    (folder / "stiff_cable.py").write_text(
        "from dataclasses import dataclass\nfrom typing import ClassVar\n"
        "from flexmbs.elements.ancf_cable_2d import ANCFCable2D\n__all__ = ['StiffCable']\n\n"
        "@dataclass(frozen=True, kw_only=True)\nclass StiffCable(ANCFCable2D):\n"
        "    name: ClassVar[str] = 'stiff cable'\n", "utf-8"
    )  # fmt: skip
    monkeypatch.syspath_prepend(str(tmp_path))
    package = ModuleType("more_elements")
    package.__path__ = [str(folder)]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "more_elements", package)
    (kind,) = elements_of(package)
    assert kind.__name__ == "StiffCable"
    s = Sample(kind())
    assert np.abs(s.force(s.reference)).max() <= 1e-12
