"""E08: Craig-Bampton reduction of a uniform beam against exact frequencies of the exact reduction."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy import linalg

import flexmbs as fx
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.elements import Frame
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

MODES = (0, 1, 2, 4, 6, 8)
HELD = {"CF": (0, 1), "PP": (0, 2), "FF": ()}
"""Interface coordinates (w, w' of both ends) that the supports hold."""
RIGID = {"CF": 0, "PP": 0, "FF": 2}
EXACT = {
    "CF": "clamped-free beta_n L, n=1..5",
    "PP": "pinned-pinned beta_n L, n=1..5",
    "FF": "clamped-clamped (= free-free elastic) beta_n L, n=1..5",
}
FINE = 80
COARSE = 8


def beam(elements: int) -> tuple[Any, Any, IntArray]:
    """K, M of bending in one plane, and the unknowns w, w' of both ends."""
    section = fx.BeamStiffness(EA=1.0, EI_z=1.0, GJ=1.0, mass_per_length=1.0)
    mesh = fx.meshes.line((0, 0, 0), (1, 0, 0), elements)
    operators = Part(mesh, regions=[Region(None, Frame(section=section, shear=False))], name="beam").assemble()
    plane = np.flatnonzero(np.isin(operators.dofs.component, (1, 5)))
    n = len(plane)
    return operators.K[plane][:, plane], operators.M[plane][:, plane], np.array([0, 1, n - 2, n - 1])


@cache
def projected(elements: int, modes: int) -> tuple[FloatArray, FloatArray]:
    """K, M of the reduced beam: interface coordinates first."""
    K, M, boundary = beam(elements)
    V = craig_bampton(K, M, boundary, modes).vectors
    return V.T @ (K @ V), V.T @ (M @ V)


def reduced(elements: int, modes: int, ends: str) -> FloatArray:
    """Elastic frequencies of the reduced beam with its ends held."""
    K, M = projected(elements, modes)
    free = np.delete(np.arange(len(K)), HELD[ends])
    return _elastic(K[np.ix_(free, free)], M[np.ix_(free, free)], ends)


def full(elements: int, ends: str) -> FloatArray:
    """Elastic frequencies of the beam that is not reduced."""
    K, M, boundary = beam(elements)
    free = np.delete(np.arange(K.shape[0]), boundary[list(HELD[ends])])
    return _elastic(K.toarray()[np.ix_(free, free)], M.toarray()[np.ix_(free, free)], ends)


def _elastic(K: FloatArray, M: FloatArray, ends: str) -> FloatArray:
    values = linalg.eigh(0.5 * (K + K.T), 0.5 * (M + M.T), eigvals_only=True)
    return np.asarray(np.sqrt(values[RIGID[ends] :]))


def run(progress: Progress) -> Outcome:
    """All stored figures, the bounds, and the limit of all modes."""
    stored, exact = load_reference("e08"), load_reference("e01")
    quantities: list[Measured] = []
    studies: list[ConvergenceStudy] = []
    rows, curves = [], {}
    for ends in HELD:
        below = rising = 0
        before: FloatArray | None = None
        roots = np.array([exact.value(EXACT[ends], i) for i in range(4)]) ** 2
        curve = []
        for modes in MODES:
            progress(f"{ends}, {modes} modes")
            name = next(n for n in stored.quantities if n.startswith(f"{ends}, {modes} fixed"))
            count = len(stored.quantities[name]["value"])
            omega = reduced(FINE, modes, ends)
            for i in range(count):
                reference = stored.reference(name, i)
                quantities.append(
                    measured(f"{ends}, {modes} modes: omega {i + 1}", "-", omega[i], reference.value, stored.source,
                             reference.uncertainty, rtol=1e-5)
                )  # fmt: skip
            below += int((omega[:count] < roots[:count] * (1 - 1e-7)).sum())
            if before is not None:
                same = min(count, len(before))
                rising += int((omega[:same] > before[:same] * (1 + 1e-7)).sum())
            before = omega[:count]
            curve.append(omega[0] / roots[0] - 1.0)
            rows.append((f"{ends}, {modes}", *(f"{w:.6f}" for w in omega[:2])))
        curves[ends] = curve
        quantities += [
            _none(f"{ends}: frequencies below the exact ones", below),
            _none(f"{ends}: frequencies that rise with a mode more", rising),
        ]
        progress(f"{ends}, all modes")
        whole, everything = full(COARSE, ends), reduced(COARSE, 2 * COARSE - 2, ends)
        quantities.append(
            measured(f"{ends}, all modes: largest relative difference from the full beam", "-",
                     np.abs(everything / whole - 1.0).max(), 0.0, "the reduction is then a change of coordinates",
                     atol=1e-9)
        )  # fmt: skip
        name = next(n for n in stored.quantities if n.startswith(f"{ends}, 4 fixed"))
        counts = (10, 20, 40, 80)
        errors = [abs(reduced(n, 4, ends)[3] / stored.value(name, 3) - 1.0) for n in counts]
        studies.append(ConvergenceStudy(f"{ends}, 4 modes, omega 4", counts, errors, 4.0, 3.7, counts=True))
    table = Table("80 elements", ("ends, modes", "omega 1", "omega 2"), rows)
    return Outcome(quantities, studies, [table], [("First frequency above the exact one.", _drawing(curves))])


def _none(name: str, count: int) -> Measured:
    """There must be none."""
    return measured(name, "-", count, 0.0, "Rayleigh's principle", atol=0.5)


def _drawing(curves: dict[str, list[float]]) -> Any:
    drawing, axes = figure(6.4, 3.2)
    for colour, (ends, curve) in zip(COLOURS, curves.items(), strict=False):
        axes.semilogy(MODES, curve, "o-", color=colour, label=ends)
    axes.set_xlabel("fixed-interface modes")
    axes.set_ylabel("relative error of omega 1")
    axes.legend(frameon=False)
    return drawing


CASE = Case(
    id="craig-bampton-beam",
    title="Craig-Bampton reduction of a uniform beam",
    area="reduction",
    summary=(
        "A uniform beam with deflection and slope of both ends as interface and up to eight fixed-interface modes. The "
        "supports (clamped-free CF, pinned-pinned PP, free-free FF) are put on the reduced model. The frequencies must "
        "converge with the mesh to those of the reduction with exact modes, not to those of the beam."
    ),
    run=run,
    source=("R. R. Craig, M. C. C. Bampton, AIAA Journal 6 (1968) 1313-1319; the reference by Ritz's method."),
    equations=(r"w(x) = \Sigma_{j=1}^{4} q_j N_j(x) + \Sigma_{k=1}^{m} \eta_k \varphi_k(x)",),
    basic=True,
)
