r"""Stresses in the plane of a surface that its strain does not tell: pretension, and those of thermal strains.

A membrane stress N of the second kind (Piola and Kirchhoff), in the axes of the material, does the work

.. math:: \delta W = -\int N^{ab}\, \delta E_{ab}\, dA = -\int N^{ab}\, \delta r_{,a}\cdot r_{,b}\, dA

over the stress-free area, with Green's strain E of the middle surface. With r = N(xi) e it is linear in the coordinates
e, so the force is a constant matrix times the coordinates, and exact for every element of a surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from flexmbs.core.checks import as_array
from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.errors import ModelError
from flexmbs.core.history import History, check_history
from flexmbs.core.jit import kernel
from flexmbs.core.references import Description
from flexmbs.meshes.surface import tangents_along
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.forces.edge_loads import as_surface, gauss_grid
from flexmbs.model.forces.items import Items, Kind, Places

__all__ = ["MembraneStress", "ThermalStrain"]

POINTS = 4
"""Gauss' points in each direction: exact for the products of derivatives of bicubic functions on parallelograms."""


@dataclass(frozen=True, eq=False)
class MembraneStress(Description):
    """A membrane stress in all of a surface, beside that of its strain: pretension of strips and membranes.

    The resultants that a solution tells are those of the strain alone; add this one.

    Parameters
    ----------
    body : FlexibleBody
        A surface.
    stress : (3,) sequence
        N_11, N_22, N_12 [force/length], in the axes of the material; positive: tension.
    history : function, optional
        Factor over time or load factor.

    Raises
    ------
    ModelError
        If the body is no surface, or the stress has not three components.

    Examples
    --------
    >>> import flexmbs as fx
    >>> strip = fx.FlexibleBody.plate((1, 0.1), elements=(8, 1), element=fx.elements.ANCFShell(),
    ...                               section=fx.ShellSection(0.001), material=fx.steel, name="strip")
    >>> MembraneStress(strip, (1e4, 0, 0)).label
    "membrane stress in 'strip'"
    """

    role: ClassVar[str] = "load"
    body: FlexibleBody
    stress: Sequence[float]
    history: History = None

    def __post_init__(self) -> None:
        as_surface("MembraneStress", self.body)
        check_history("MembraneStress", self.history, stress=self.stress)
        owner = f"MembraneStress in {self.body.name!r}"
        stress = as_array(owner, "stress", self.stress, (3,), unit="force/length")
        object.__setattr__(self, "stress", tuple(stress.tolist()))

    @property
    def label(self) -> str:
        return f"membrane stress in {self.body.name!r}"

    @property
    def targets(self) -> tuple[FlexibleBody, ...]:
        return (self.body,)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        return (_items(self.body, places, index, np.array(self.stress)),)


@dataclass(frozen=True, eq=False)
class ThermalStrain(Description):
    """Strain in the plane of a surface without stress, the same over its thickness: expansion by heat, swelling.

    It is the `MembraneStress` -A strain, with the membrane stiffness A: then N = A (E - strain) is what acts, with
    Green's strain E. The resultants that a solution tells are A E.

    Parameters
    ----------
    body : FlexibleBody
        A surface whose section does not couple membrane and bending.
    strain : (3,) sequence
        eps_11, eps_22, gamma_12 in the axes of the material, such as (a T, a T, 0) for an expansion a and a rise of
        temperature T.
    history : function, optional
        Factor over time or load factor.

    Raises
    ------
    ModelError
        If the body is no surface, its section couples membrane and bending, or the strain has not three components.

    Examples
    --------
    >>> import flexmbs as fx
    >>> panel = fx.FlexibleBody.plate((1, 1), elements=(4, 4), element=fx.elements.ANCFShell(),
    ...                               section=fx.ShellSection(0.001), material=fx.steel, name="panel")
    >>> ThermalStrain(panel, (1.2e-3, 1.2e-3, 0)).label
    "thermal strain in 'panel'"
    """

    role: ClassVar[str] = "load"
    body: FlexibleBody
    strain: Sequence[float]
    history: History = None

    def __post_init__(self) -> None:
        as_surface("ThermalStrain", self.body)
        check_history("ThermalStrain", self.history, strain=self.strain)
        owner = f"ThermalStrain in {self.body.name!r}"
        object.__setattr__(self, "strain", tuple(as_array(owner, "strain", self.strain, (3,)).tolist()))
        stiffness = self.body.sheet_stiffness
        C, h = stiffness.matrix, stiffness.thickness
        if np.abs(C[:3, 3:6]).max() > 1e-9 * h * np.abs(C[:3, :3]).max():
            raise ModelError(
                f"{owner}: its section couples membrane and bending, so a strain in the plane would bend it; this load "
                f"has no moments."
            )

    @property
    def label(self) -> str:
        return f"thermal strain in {self.body.name!r}"

    @property
    def targets(self) -> tuple[FlexibleBody, ...]:
        return (self.body,)

    def items(self, places: Places, index: int) -> tuple[Items, ...]:
        stress = -self.body.sheet_stiffness.matrix[:3, :3] @ np.array(self.strain)
        return (_items(self.body, places, index, stress),)


def _items(body: FlexibleBody, places: Places, index: int, stress: FloatArray) -> Items:
    """The constant matrices (n_e, m, m) of a stress (3,) in the axes of the material."""
    element = as_surface("membrane stress", body)
    group = places.element_group(body)
    xi, w = gauss_grid(POINTS)
    _, N1 = element.interpolation(group, xi)
    slopes = np.einsum("egai,eic->egac", N1, group.reference.reshape(len(N1), N1.shape[3], 3))
    normals = np.cross(slopes[:, :, 0], slopes[:, :, 1])
    area = np.linalg.norm(normals, axis=2)
    normals /= area[..., None]
    one = tangents_along(normals, body.sheet_stiffness.axis)
    axes = np.stack((one, np.cross(normals, one)), axis=2)  # rows: the axes of the material
    to_natural = np.linalg.inv(np.einsum("egac,egbc->egab", axes, slopes))  # d(xi, eta) / d(axes)
    N = np.array([[stress[0], stress[2]], [stress[2], stress[1]]])
    natural = np.einsum("egac,cd,egbd->egab", to_natural, N, to_natural)
    K = np.einsum("g,eg,egab,egai,egbj->eij", w, area, natural, N1, N1)
    load = np.full(len(K), index, dtype=np.int64)
    return Items(MEMBRANE, group.dofs, (load, np.ascontiguousarray(K)))


class MembraneGroup(NamedTuple):
    """``dofs (n, k)``; ``load (n,)``; ``K (n, k/3, k/3)``, which multiplies the coordinates as vectors."""

    dofs: IntArray
    b1: int
    load: IntArray
    K: FloatArray


@kernel
def membrane_force(group: MembraneGroup, state: State, env: Env, work: Work) -> int:
    """r += K q."""
    q, r, dofs = state.q, work.r, group.dofs
    m = group.K.shape[1]
    for e in range(dofs.shape[0]):
        s = env.scale[group.load[e]]
        for i in range(m):
            for j in range(m):
                k = s * group.K[e, i, j]
                for c in range(3):
                    r[dofs[e, 3 * i + c]] += k * q[dofs[e, 3 * j + c]]
    return -1


@kernel
def membrane_tangent(group: MembraneGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """The same with its constant matrix."""
    bad = membrane_force(group, state, env, work)
    B, dofs = work.B, group.dofs
    m, k = group.K.shape[1], dofs.shape[1]
    for e in range(dofs.shape[0]):
        s, o = weights[0] * env.scale[group.load[e]], group.b1 + k * k * e
        B[o : o + k * k] = 0.0
        for i in range(m):
            for j in range(m):
                value = s * group.K[e, i, j]
                for c in range(3):
                    B[o + (3 * i + c) * k + 3 * j + c] = value
    return bad


MEMBRANE = Kind("membrane stress", MembraneGroup, membrane_force, membrane_tangent)
