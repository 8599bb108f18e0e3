"""All reduction methods on one solid: what each keeps exactly, and its transfer-function error against its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

import flexmbs as fx
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.linear.part import Part
from flexmbs.meshes.generate import box
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.interfaces import attach
from flexmbs.reduction.methods.balanced import balanced_truncation
from flexmbs.reduction.methods.craig_bampton import craig_bampton, guyan
from flexmbs.reduction.methods.free_interface import macneal, rubin
from flexmbs.reduction.methods.krylov import krylov
from flexmbs.reduction.methods.modal_truncation import modal_truncation
from flexmbs.verification import Case, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured

BAND = 4000.0
"""Highest frequency of the comparison [Hz]; eight elastic modes lie below."""

DAMPING = (20.0, 2e-7)
"""alpha [1/s] and beta [s]: about 1/4 to 1/2 per cent of critical within the band."""

SAMPLES = 160
MODES = (4, 8, 12, 20, 32)
BLOCKS = (1, 2, 3, 4)
COMMON = 44  # coordinates that all but Guyan's method come near
MARKERS = "os^vD<>p"
PALETTE = (*COLOURS, "#d08770", "#7a7a3a")


class Bar(NamedTuple):
    """Operators with the coordinates of two rigid interfaces among the unknowns, and all modes of them."""

    K: Any
    M: Any
    D: Any
    boundary: IntArray
    rigid: FloatArray
    squares: FloatArray
    modes: FloatArray


def _bar() -> Bar:
    """A free steel bar of 0.5 x 0.1 x 0.04 m with rigid end faces."""
    mesh = box((0, 0, 0), (0.5, 0.1, 0.04), (20, 3, 2))
    attached = attach(Part(mesh, material=fx.steel, name="bar").assemble(), ["left", "right"])
    K, M = attached.operators.K, attached.operators.M
    squares, modes = linalg.eigh(K.toarray(), M.toarray())
    squares[:6] = 0.0  # rigid motions, known but for round-off
    return Bar(
        K, M, DAMPING[0] * M + DAMPING[1] * K, attached.boundary, attached.operators.rigid_motions(), squares, modes
    )


class Small(NamedTuple):
    """Reduced operators, and rows that give the interface."""

    K: FloatArray
    M: FloatArray
    at: FloatArray

    @staticmethod
    def of(bar: Bar, basis: Basis) -> Small:
        """The projection on a basis."""
        T = basis.vectors
        return Small(T.T @ (bar.K @ T), T.T @ (bar.M @ T), T[bar.boundary])


class Judge:
    """Errors of the response at the interface, in loads and displacements scaled by the elastic flexibility there."""

    def __init__(self, bar: Bar) -> None:
        at = bar.modes[bar.boundary]
        elastic = at[:, 6:]
        self.scale = np.linalg.cholesky((elastic / bar.squares[6:]) @ elastic.T)
        self.omega = 2.0 * np.pi * np.linspace(BAND / SAMPLES, BAND, SAMPLES)
        self.full = [self._scaled(at, bar.squares, w) for w in self.omega]
        self.rigid = [self._scaled(at[:, :6], np.zeros(6), w) for w in self.omega]
        self.largest = max(np.linalg.norm(f - r, 2) for f, r in zip(self.full, self.rigid, strict=True))

    def _scaled(self, at: FloatArray, squares: FloatArray, omega: float) -> Any:
        rows = linalg.solve_triangular(self.scale, at, lower=True)
        return (rows / (squares * (1.0 + 1j * omega * DAMPING[1]) - omega**2 + 1j * omega * DAMPING[0])) @ rows.T

    def errors(self, small: Small) -> FloatArray:
        """Error at every sample relative to the largest elastic response of the band; damping as that of the bar."""
        Y, stiffness, mass = _pencil(small)
        rows = linalg.solve_triangular(self.scale, small.at @ Y, lower=True)
        found = []
        for w, full in zip(self.omega, self.full, strict=True):
            dynamic = stiffness * (1.0 + 1j * w * DAMPING[1]) + mass * (1j * w * DAMPING[0] - w**2)
            found.append(np.linalg.norm((rows / dynamic) @ rows.T - full, 2) / self.largest)
        return np.array(found)


def _methods(bar: Bar, inputs: FloatArray) -> dict[str, tuple[str, list[Callable[[], Small]]]]:
    """By name: to what its static response should be exact, and reductions of growing size."""
    K, M, D, b, R = bar[:5]

    start = krylov(K, M, b, 6, (0.0,), R, interface=False)
    shapes = balanced_truncation(K, M, D, b, 38, rigid=R, start=start, inputs=inputs).basis.vectors

    def balanced(size: int) -> Basis:
        return Basis(shapes[:, : 6 + size], ("",) * (6 + size), 0)

    def without_inertia(count: int) -> Small:
        basis, K_r, M_r = macneal(K, M, b, count, R)
        return Small(K_r, M_r, basis.vectors[b])

    def each(sizes: tuple[int, ...], make: Callable[[int], Basis]) -> list[Callable[[], Small]]:
        return [lambda n=n: Small.of(bar, make(n)) for n in sizes]  # type: ignore[misc]

    return {
        "Guyan": ("displacements", each((0,), lambda n: guyan(K, b))),
        "Craig-Bampton": ("displacements", each(MODES, lambda n: craig_bampton(K, M, b, n))),
        "Rubin": ("forces", each(MODES, lambda n: rubin(K, M, b, n, R))),
        "MacNeal": ("forces", [lambda n=n: without_inertia(n) for n in MODES]),  # type: ignore[misc]
        "Krylov": ("displacements", each(BLOCKS, lambda n: krylov(K, M, b, n, (0.0,), R))),
        "modes": ("", each((*MODES, 56), lambda n: modal_truncation(K, M, n, None, R))),
        "modes, corrected": ("forces", each(MODES, lambda n: modal_truncation(K, M, n, b, R))),
        "balanced": ("", each((*MODES, 38), balanced)),
    }


def run(progress: Progress) -> Outcome:
    """Static exactness, rigid motions and errors over the band, method by method."""
    progress("full model")
    bar = _bar()
    judge = Judge(bar)
    elastic = bar.modes[bar.boundary, 6:]
    flexibility = (elastic / bar.squares[6:]) @ elastic.T
    condensed = _condensed(bar)
    quantities: list[Measured] = []
    curves: dict[str, list[tuple[int, float]]] = {}
    spectra: dict[str, FloatArray] = {}
    for name, (static, reductions) in _methods(bar, np.linalg.inv(judge.scale).T).items():
        progress(name)
        curves[name] = []
        for reduce in reductions:
            small = reduce()
            errors = judge.errors(small)
            curves[name].append((len(small.K), float(errors.max())))
            if len(small.K) <= 44:  # the size that all but Guyan's have in common
                spectra[name] = errors
        Y, stiffness, mass = _pencil(small)
        quantities.append(
            measured(f"{name}: squared rigid frequencies by the first elastic one", "-",
                     np.abs(stiffness[:6] / mass[:6]).max() / (stiffness[6] / mass[6]), 0.0, "rigid motions are free",
                     atol=1e-9)
        )  # fmt: skip
        if static == "displacements":
            error = _largest(small.K[:12, :12], condensed)
        elif static == "forces":
            at = (small.at @ Y)[:, 6:]
            error = _largest((at / stiffness[6:]) @ at.T, flexibility)
        else:
            continue
        quantities.append(
            measured(f"{name}: static response to {static} of the interface, relative error", "-", error, 0.0,
                     "dense solution of the full model", atol=1e-8)
        )  # fmt: skip
    quantities += _orders(curves)
    rows = [(name, ", ".join(f"{n}: {e:.1e}" for n, e in curve)) for name, curve in curves.items()]
    table = Table("Largest error over the band, by the number of coordinates", ("method", "coordinates: error"), rows)
    figures = [
        ("Largest transfer-function error from 0 to 4 kHz against the number of coordinates.", _sizes(curves)),
        ("Error over the band of the largest models of at most 44 coordinates.", _spectra(judge, spectra)),
    ]
    return Outcome(quantities, tables=[table], figures=figures)


def _condensed(bar: Bar) -> FloatArray:
    """Stiffness of the full model condensed to its interface."""
    b = bar.boundary
    i = np.setdiff1d(np.arange(bar.K.shape[0]), b)
    K = bar.K.toarray()
    return np.asarray(K[np.ix_(b, b)] - K[np.ix_(b, i)] @ np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, b)]))


def _largest(A: FloatArray, B: FloatArray) -> float:
    """Largest difference of two symmetric matrices, each entry by the diagonal entries it belongs to."""
    size = np.sqrt(B.diagonal())
    return float(np.abs((A - B) / size / size[:, None]).max())


def _orders(curves: dict[str, list[tuple[int, float]]]) -> list[Measured]:
    """Modes with static corrections span the space of Rubin; and errors fall."""
    same = [abs(a[1] / b[1] - 1.0) for a, b in zip(curves["Rubin"], curves["modes, corrected"], strict=True)][:3]
    return [
        measured("Rubin and corrected modes: difference of their errors, relative", "-", max(same), 0.0, "same space",
                 atol=1e-3),
        *(
            measured(f"{name}: error of the largest model by that of the smallest", "-", curve[-1][1] / curve[0][1],
                     0.0, "errors fall", atol=0.3)
            for name, curve in curves.items() if len(curve) > 1
        ),
    ]  # fmt: skip


def _pencil(small: Small) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Modes Y and the stiffness and mass of each, by ascending frequency; MacNeal's mass may be singular."""
    shift = 1e-6 * np.trace(small.K) / np.trace(small.M)
    mass, Y = linalg.eigh(small.M, small.K + shift * small.M)
    mass, Y = mass[::-1], Y[:, ::-1]
    return Y, 1.0 - shift * mass, mass


def _line(name: str) -> str:
    """Corrected modes lie on Rubin's curve."""
    return "--" if name == "modes, corrected" else "-"


def _sizes(curves: dict[str, list[tuple[int, float]]]) -> Any:
    drawing, axes = figure(6.4, 4.0)
    for i, (name, curve) in enumerate(curves.items()):
        size, error = zip(*curve, strict=True)
        axes.semilogy(size, error, "os^vD<>p"[i] + "-", color=PALETTE[i], label=name, markersize=4)
    axes.set_xlabel("coordinates")
    axes.set_ylabel("largest error over the band")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return drawing


def _spectra(judge: Judge, spectra: dict[str, FloatArray]) -> Any:
    drawing, axes = figure(6.4, 4.0)
    for i, (name, errors) in enumerate(spectra.items()):
        axes.semilogy(judge.omega / (2.0 * np.pi), errors, _line(name), color=PALETTE[i], label=name)
    axes.set_xlabel("frequency [Hz]")
    axes.set_ylabel("error, relative to the largest response")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return drawing


CASE = Case(
    id="reduction-methods",
    title="All reduction methods on one free bar",
    area="reduction",
    slow=True,
    summary=(
        "A free steel bar of hexahedra with a rigid face at either end is reduced by every method. The response of "
        "both faces to forces and moments is compared with that of the full model up to 4 kHz, in scales in which the "
        "static elastic flexibility of the interface is one.\n\n"
        "Methods in coordinates of the interface have the exact static response to displacements of the interface; "
        "those with residual attachment modes also to forces that accelerate the part. Plain modes and balanced shapes "
        "have neither. Rigid motions are exact with all."
    ),
    run=run,
    source="The full model, by all of its modes.",
    equations=(r"e(\omega) = \dfrac{\| C^{-1} (H - H_r)\, C^{-T} \|_2}{\max_\omega \| C^{-1} H_{el}\, C^{-T} \|_2}, "
               r"\qquad C\,C^T = G_b",),
    limits=(
        "One structure, free and lightly damped: resonances are those of the free part, which favours its own modes. "
        "With its faces held or joined to stiff neighbours, Craig-Bampton gains.",
        "Reduced models have their projected damping, which is proportional as well.",
    ),
)  # fmt: skip
