"""Two free beams joined through reduced models of each, against the closed form and by their rates."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import Frame
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.meshes.generate import line
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from flexmbs.reduction.methods.free_interface import macneal, rubin
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.reference.data import load_reference

ELEMENTS = 40
"""Of each half; their fifth frequency is off by (beta h)^4 / 720 = 3e-6."""

ACROSS, TURN = 1, 5
"""Displacement and rotation of bending in the plane."""

COUNTS = (4, 6, 8, 12, 16, 24)
SHOWN = 5
RATES = (("Craig-Bampton", 5.0), ("MacNeal", 5.0), ("Rubin", 9.0))


def _half() -> tuple[Any, Any, FloatArray]:
    """Bending stiffness, mass and rigid motions of a free beam of length 1/2, EI = mass per length = 1."""
    section = fx.BeamStiffness(EA=1.0, EI_z=1.0, EI_y=1.0, GJ=1.0, mass_per_length=1.0)
    part = Part(line((0, 0, 0), (0.5, 0, 0), ELEMENTS), regions=[Region(None, Frame(section=section))], name="half")
    operators = part.assemble()
    bending = operators.dofs.of(np.arange(ELEMENTS + 1), (ACROSS, TURN))
    motions = operators.rigid_motions()[bending][:, [ACROSS, TURN]]
    return operators.K[bending][:, bending], operators.M[bending][:, bending], motions


def _joined(matrix: FloatArray) -> FloatArray:
    """Two equal parts, end to end; the first four coordinates of each are its ends, left then right."""
    m = len(matrix)
    out = np.zeros((2 * m - 2, 2 * m - 2))
    left = np.r_[0, 1, m - 2 + np.arange(2), np.arange(2, m - 2)]  # where the coordinates of the left part go
    right = np.r_[m - 2, m - 1, np.arange(m, 2 * m - 2)]
    out[np.ix_(left, left)] += matrix
    out[np.ix_(right, right)] += matrix
    return out


def _frequencies(K: FloatArray, M: FloatArray) -> FloatArray:
    """The first elastic frequencies; by the inverse pencil, since MacNeal's mass is singular."""
    values = 1.0 / linalg.eigh(M, K + M, eigvals_only=True)[::-1][: 2 + SHOWN] - 1.0
    return np.asarray(np.sqrt(values[2:]))


def run(progress: Progress) -> Outcome:
    """Frequencies of the whole by each method and number of modes."""
    stored = load_reference("e01")
    K, M, R = _half()
    ends = np.array([0, 1, K.shape[0] - 2, K.shape[0] - 1])
    exact = np.array([stored.value("clamped-clamped (= free-free elastic) beta_n L, n=1..5", i) for i in range(SHOWN)])
    order = np.r_[ends, np.arange(2, K.shape[0] - 2)]
    full = _frequencies(*(_joined(A[order][:, order].toarray()) for A in (K, M)))
    errors: dict[str, list[FloatArray]] = {name: [] for name, _ in RATES}
    last: dict[str, FloatArray] = {}
    rigid = 0.0
    for count in COUNTS:
        progress(f"{count} modes a half")
        for name in errors:
            if name == "MacNeal":
                _, K_r, M_r = macneal(K, M, ends, count, R)
            else:
                basis = rubin(K, M, ends, count, R) if name == "Rubin" else craig_bampton(K, M, ends, count)
                T = basis.vectors
                K_r, M_r = T.T @ (K @ T), T.T @ (M @ T)
                rigid = max(rigid, float(np.abs(T[:, :4] @ R[ends] - R).max()))
            last[name] = _frequencies(_joined(K_r), _joined(M_r))
            errors[name].append(np.abs(last[name] / full - 1.0))
    quantities = [
        measured(f"{name}, {COUNTS[-1]} modes a half: beta L of mode {i + 1}", "-", np.sqrt(found[i]), exact[i],
                 stored.source, 1e-14, rtol=1e-5)
        for name, found in last.items() for i in range(SHOWN)
    ]  # fmt: skip
    quantities.append(
        measured("largest error of a rigid motion of a half", "-", rigid, 0.0, "identity", atol=1e-9)
    )  # fmt: skip
    studies = [
        ConvergenceStudy(
            f"{name}: frequency {SHOWN} of the whole",
            # the first two end within the frequencies of interest
            [n + 1 for n in COUNTS[2:]],
            [float(e[-1]) for e in errors[name][2:]],
            rate,
            rate - 0.5,
            floor=1e-10,
            counts=True,
            label="modes of each half + 1",
        )
        for name, rate in RATES
    ]
    table = Table(
        f"Error of frequency {SHOWN} of the whole, relative to the full mesh",
        ("modes of each half", *(name for name, _ in RATES)),
        [(n, *(f"{errors[name][i][-1]:.2e}" for name, _ in RATES)) for i, n in enumerate(COUNTS)],
    )
    return Outcome(quantities, studies, [table], [("Error of the fifth frequency.", _drawing(errors))])


def _drawing(errors: dict[str, list[FloatArray]]) -> Any:
    drawing, axes = figure(5.6, 3.6)
    for (name, rate), colour in zip(RATES, COLOURS, strict=False):
        axes.loglog(COUNTS, [e[-1] for e in errors[name]], "o-", color=colour, label=f"{name} (rate {rate:g})")
    axes.set_xticks(COUNTS, [str(n) for n in COUNTS])
    axes.minorticks_off()
    axes.set_xlabel("modes of each half")
    axes.set_ylabel("relative error of frequency 5")
    axes.legend(frameon=False)
    return drawing


CASE = Case(
    id="free-interface",
    title="Two free beams joined through reduced models",
    area="reduction",
    summary=(
        "A free beam is cut in the middle; each half is reduced to its ends and some modes, and both are joined again. "
        "Frequencies of the whole are compared with the closed form, and their rates of convergence with theory: what "
        "is left out above mode k adds an error that is a sum over the modes of a half, whose frequencies grow as "
        "(j + 1/2)^2: those above k begin at k + 1, half-way between."
    ),
    run=run,
    source="R. D. Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1; rates: theory page on reduction.",
    equations=(
        r"\mathrm{Rubin:}\ \sum_{j>k} \dfrac{\phi_{jb}'^2\,\omega^4}{\omega_j^6} \sim k^{-9} \qquad "
        r"\mathrm{MacNeal:}\ \sum_{j>k} \dfrac{\phi_{jb}'^2\,\omega^2}{\omega_j^4} \sim k^{-5} \qquad "
        r"\mathrm{Craig-Bampton:}\ \sum_{j>k} \dfrac{c_j^2\,\omega^4}{\omega_j^2} \sim k^{-5}",
    ),
    limits=(
        "Bernoulli-Euler bending in one plane; in solids the rates are other ones, the order of the methods is not.",
    ),
)
