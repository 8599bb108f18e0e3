"""Craig-Bampton reduction of solids: against unit displacements, the full part, and closed forms of its inertia."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy import linalg

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.eigen import lowest_modes
from flexmbs.elements import Hexahedron8, Hexahedron20
from flexmbs.meshes import box, read_mesh, sample
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from flexmbs.verification import Case, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured

if TYPE_CHECKING:
    from flexmbs.reduction.basis import Basis
    from flexmbs.reduction.inertia import InertiaInvariants
    from flexmbs.reduction.interfaces import Attached
    from flexmbs.reduction.model import Source

SIZE = (0.3, 0.06, 0.04)
ROUND_OFF = 1e-9
"""Relative: the condition of the interior stiffness, some 1e6, times the round-off of a number."""


def run_solid(progress: Progress) -> Outcome:
    """The sample lug between its root and its bore."""
    lug = fx.linear.Part(read_mesh(sample("lug.inp")), material=fx.steel, name="lug")
    operators = lug.assemble()
    progress("reductions")
    counts = (5, 10, 20, 40)
    models = {m: fx.reduction.reduce(operators, ["ROOT", "BORE"], modes=m, progress=False) for m in (0, *counts)}
    quantities = _guyan(operators, models[0])
    full = _full(models[0])
    K, M = full.K, full.M
    progress("full modes")
    exact = np.sqrt(linalg.eigh(K.toarray(), M.toarray(), eigvals_only=True, subset_by_index=[6, 13]))
    rows = []
    errors = {m: models[m].angular_frequencies()[6:14] / exact - 1.0 for m in counts}
    for m in counts:
        lowest = float(errors[m].min())
        quantities.append(
            measured(f"{m} modes: lowest error of 8 frequencies, not below 0", "-", min(lowest, 0.0), 0.0,
                     "Rayleigh's principle", atol=1e-10)
        )  # fmt: skip
        rigid = models[m].modes()[0][:6]
        quantities.append(
            measured(f"{m} modes: rigid motions, omega^2 relative to the first elastic one", "-",
                     float(np.abs(rigid).max() / exact[0] ** 2), 0.0, "exact", atol=1e-9)
        )  # fmt: skip
        rows.append((m, *(f"{e:.2e}" for e in errors[m])))
    for few, many in pairwise(counts):
        quantities.append(
            measured(f"growth of any error from {few} to {many} modes", "-",
                     float(np.maximum(errors[many] - errors[few], 0.0).max()), 0.0, "Rayleigh's principle", atol=1e-10)
        )  # fmt: skip
    table = Table("Relative errors of the first 8 elastic frequencies of the free lug", ("modes", *"12345678"), rows)
    return Outcome(quantities, [], [table], [("Errors fall with the modes kept.", _drawing(counts, errors))])


def run_cut_off(progress: Progress) -> Outcome:
    """A bar between two faces: errors up to half the highest frequency kept."""
    part = fx.linear.Part(
        box((0.0, 0.0, 0.0), (1.0, 0.06, 0.06), (20, 2, 2)).quadratic(), material=fx.steel, name="bar"
    )
    operators = part.assemble()
    quantities, rows = [], []
    counts = (5, 10, 20, 40)
    for kind in ("rigid", "averaged"):
        faces = [fx.reduction.Interface(n, kind=kind) for n in ("left", "right")]
        exact: dict[str, FloatArray] = {}
        before: dict[str, FloatArray] = {}
        for m in counts:
            progress(f"{kind}, {m} modes")
            model = fx.reduction.reduce(operators, faces, modes=m, progress=False)
            half = 0.5 * float(np.nanmax(model.frequencies))
            for held in ((), ("left",)):
                name = f"{kind}, {'left held' if held else 'free'}"
                if name not in exact:
                    exact[name] = _lowest(_full(model), cast("Source", model.source).attached.boundary, bool(held))
                skip = 0 if held else 6
                found = model.angular_frequencies(held)[skip:]
                size = min(len(found), len(exact[name]))
                errors = found[:size] / exact[name][:size] - 1.0
                within = errors[exact[name][:size] < half]
                quantities.append(
                    measured(f"{name}, {m} modes: largest error of {len(within)} frequencies up to half the cut-off",
                             "-", float(within.max()), 0.0, "the full part", atol=1e-2)
                )  # fmt: skip
                if name in before:
                    shared = min(len(before[name]), size)
                    growth = float(np.maximum(errors[:shared] - before[name][:shared], 0.0).max())
                    quantities.append(
                        measured(f"{name}, {m} modes: growth of any error", "-", growth, 0.0, "Rayleigh's principle",
                                 atol=ROUND_OFF)
                    )  # fmt: skip
                before[name] = errors
                rows.append((name, m, len(within), f"{within.max():.2e}"))
    table = Table("Frequencies up to half the cut-off", ("interfaces", "modes", "frequencies", "largest error"), rows)
    return Outcome(quantities, [], [table])


def _lowest(full: fx.linear.Operators, boundary: Any, held: bool) -> FloatArray:
    """Elastic frequencies of the full part, free or with its first interface held."""
    gone = boundary[:6] if held else boundary[:0]
    free = np.setdiff1d(np.arange(full.n), gone)
    K, M = (A.tocsr()[free].tocsc()[:, free] for A in (full.K, full.M))
    pairs = lowest_modes(K, M, 40 if held else 46, shift=0.0 if held else -1e6)
    return np.sqrt(pairs.values if held else pairs.values[6:])


def _given(basis: Basis, attached: Attached) -> Basis:
    """A method that has its answer."""
    return basis


def _full(model: fx.reduction.ReducedModel) -> fx.linear.Operators:
    """The operators that a model in memory was reduced from."""
    return cast("Source", model.source).attached.operators


def _guyan(operators: fx.linear.Operators, model: fx.reduction.ReducedModel) -> list[Any]:
    """Reduced stiffness against reactions to unit motions, each node of both faces moved by hand."""
    found = []
    frames = model.frames
    scale = np.sqrt(np.outer(model.K.diagonal(), model.K.diagonal()))
    for column, axis in ((6, 0), (7, 1), (11, 5)):
        frame = frames[1]
        fixed: dict[Any, Any] = {"ROOT": "all"}
        for node in frame.nodes:
            d = operators.points[node] - frame.origin
            unit = np.eye(3)[axis % 3]
            u = unit if axis < 3 else np.cross(unit, d)
            fixed[int(node)] = dict(zip(("ux", "uy", "uz"), u.tolist(), strict=True))
        solution = fx.linear.static_response(operators, fixed)
        for other in frames:
            both = solution.reaction(other.nodes, about=other.origin)
            error = np.abs(both - model.K[other.coordinates, column]) / scale[other.coordinates, column]
            found.append(
                measured(f"unit motion {column - 6} of BORE: reactions at {other.name}, largest difference", "-",
                         float(error.max()), 0.0, "static solution of the full part", atol=ROUND_OFF)
            )  # fmt: skip
    return found


def _drawing(counts: tuple[int, ...], errors: dict[int, FloatArray]) -> Any:
    drawing, axes = figure(6.4, 3.0)
    for m, colour in zip(counts, COLOURS, strict=False):
        axes.semilogy(np.arange(1, 9), np.maximum(errors[m], 1e-15), "o-", color=colour, label=f"{m} modes")
    axes.set_xlabel("elastic mode of the free lug")
    axes.set_ylabel("relative error of its frequency")
    axes.legend(frameon=False)
    return drawing


def run_inertia(progress: Progress) -> Outcome:
    """A box with a rigid interface: every invariant of the rigid shapes has a closed form."""
    quantities = []
    a, b, c = SIZE
    rho = fx.steel.density
    mass = rho * a * b * c
    progress("box")
    for label, element, kind in (("8 nodes", Hexahedron8(), False), ("20 nodes", Hexahedron20(), True)):
        mesh = box((0.0, 0.0, 0.0), SIZE, (6, 2, 2))
        part = fx.linear.Part(
            mesh.quadratic() if kind else mesh, regions=[fx.linear.Region(None, element, fx.steel)], name="box"
        )
        model = fx.reduction.reduce(part, [fx.reduction.Interface("left", at=(0.0, 0.0, 0.0))], modes=4, progress=False)
        inertia = cast("InertiaInvariants", model.inertia)  # a part has nodes
        C = mass * np.array([[a * a / 3, a * b / 4, a * c / 4], [a * b / 4, b * b / 3, b * c / 4],
                             [a * c / 4, b * c / 4, c * c / 3]])  # fmt: skip
        J = np.trace(C) * np.eye(3) - C
        first = 0.5 * mass * np.array(SIZE)
        # the columns of the rigid interface, held nowhere else, are the rigid motions u + theta x r themselves
        turns = np.zeros((3, 3, 3))  # [a, b, k]: integral of x_a (e_k x x)_b
        for k in range(3):
            turns[:, :, k] = C @ np.cross(np.eye(3)[k], np.eye(3)).T.T
        pairs = (
            ("mass", inertia.mass, mass),
            ("first moment", inertia.first, first),
            ("inertia tensor", inertia.tensor, J),
            ("P of rotations", inertia.P[:, 3:6], np.array([np.cross(e, first) for e in np.eye(3)]).T),
            ("Q of rotations", inertia.Q[:, :, 3:6], turns),
            ("reduced mass of rotations", model.M[3:6, 3:6], J),
            ("coupling of rotations", inertia.rotation[:, 3:6], J),
        )
        for name, value, wanted in pairs:
            size = float(np.abs(wanted).max())
            quantities.append(
                measured(f"{label}: {name}, largest difference", "-", float(np.abs(value - wanted).max()) / size, 0.0,
                         "closed form of a box", atol=ROUND_OFF if "rotations" in name else 1e-12)
            )  # fmt: skip
    return Outcome(quantities)


def run_all_modes(progress: Progress) -> Outcome:
    """With all modes kept the reduced model is the full one."""
    mesh = box((0.0, 0.0, 0.0), SIZE, (4, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, Hexahedron8(), fx.steel)], name="box")
    quantities = []
    for kind in ("rigid", "averaged", "nodes"):
        progress(kind)
        faces = [fx.reduction.Interface(n, kind=kind) for n in ("left", "right")]
        static = fx.reduction.reduce(part, faces, 0, progress=False)
        full, boundary = _full(static), cast("Source", static.source).attached.boundary
        inside = full.n - len(boundary)
        basis = craig_bampton(full.K, full.M, boundary, inside)
        model = fx.reduction.reduce(part, faces, method=partial(_given, basis), progress=False)
        exact = np.sqrt(np.maximum(linalg.eigh(full.K.toarray(), full.M.toarray(), eigvals_only=True), 0.0))
        found = model.angular_frequencies()
        error = np.abs(found[6:] / exact[6:] - 1.0).max()
        quantities.append(
            measured(f"{kind} interfaces, all {inside} modes: largest difference of {len(exact) - 6} frequencies", "-",
                     float(error), 0.0, "the full part", atol=ROUND_OFF)
        )  # fmt: skip
    return Outcome(quantities)


SOLID = Case(
    id="craig-bampton-solid",
    title="Craig-Bampton reduction of a solid part",
    area="reduction",
    summary="A lug of ten-node tetrahedra with two rigid interfaces is reduced with 0 to 40 modes. Its reduced "
    "stiffness is compared with the reactions of the full part to unit motions, its free frequencies with those of the "
    "full part, which they must approach from above, and its rigid motions with zero.",
    run=run_solid,
    source="R. R. Craig, M. C. C. Bampton, AIAA Journal 6 (1968) 1313; R. J. Guyan, AIAA Journal 3 (1965) 380.",
    equations=(r"u_i = -K_{ii}^{-1} K_{ib} q_b + \Phi \eta", r"K_r = T^T K T"),
    limits=(
        "The reference is the full finite element part: the mesh itself is not judged here.",
        "In a compact part like this one half the cut-off is no safe limit: with 5 and 20 modes errors there reach "
        "6 and 2 percent. The report of a reduction estimates the error of each frequency.",
    ),
)
CUT_OFF = Case(
    id="half-the-cut-off",
    title="Frequencies up to half the cut-off of a reduction",
    area="reduction",
    summary="A slender bar with rigid and with averaged interfaces, free and held at one face: with 5 to 40 "
    "fixed-interface modes all frequencies up to half the highest one kept must be right to one percent, and no error "
    "may grow with the number of modes.",
    run=run_cut_off,
    source="Full part as reference; rule of practice for Craig-Bampton models.",
    limits=("The rule holds for slender parts; see craig-bampton-solid for a compact one.",),
)
INERTIA = Case(
    id="reduced-inertia",
    title="Inertia invariants of a reduced box",
    area="reduction",
    summary="A steel box with one rigid interface: the shapes of the interface are its rigid motions, for which every "
    "integral over the mass has a closed form.",
    run=run_inertia,
    source="Closed forms: moments of a box.",
    equations=(r"Q_{abk} = \int x_a \phi_{bk}\, dm",),
    basic=True,
)
ALL_MODES = Case(
    id="all-modes",
    title="A reduction with all modes is the full model",
    area="reduction",
    summary="Rigid, averaged and nodal interfaces of a box; with every fixed-interface mode kept all frequencies must "
    "be those of the full part.",
    run=run_all_modes,
    source="Identity.",
)
