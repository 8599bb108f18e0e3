"""Plates and beams that meet at an angle: folded and branching plates, Lee's frame, free flight of a folded plate."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFBeamFullyParameterized, ANCFPlateFullyParameterized, ShellQuad
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import figure, measured
from flexmbs.verification.reference.data import load_reference

MATERIAL = fx.Elastic(youngs_modulus=2e5, density=1e-3, poissons_ratio=0.3)
THIN, THICK = 0.001, 0.01
"""Thickness under small loads, so thin that free edges have no layer of shear to resolve; and under large ones."""
WIDTH = 0.5
TIP = (1.0, 0.5, 1.0)
LOAD = np.array([1.0, 1.0, 0.0])
PRINTED = ANCFPlateFullyParameterized(split=False, nodal=False, assumed_shear=False, twist=False)


def panel(n: int, along: FloatArray, origin: FloatArray) -> fx.meshes.Mesh:
    """A plate of length 1 from ``origin`` in the direction ``along``, as wide as `WIDTH` in y."""
    flat = fx.meshes.rectangle((0, 0), (1, WIDTH), (n, max(n // 2, 1)))
    x, y = flat.points.T
    points = origin + np.outer(x, along) + np.outer(y, (0.0, 1.0, 0.0))
    return fx.meshes.Mesh(points, flat.cells)


def folded(n: int) -> fx.meshes.Mesh:
    """Two plates at a right angle: one along x, the other upwards from its end."""
    x, z = np.eye(3)[0], np.eye(3)[2]
    return _named(panel(n, x, np.zeros(3)).merged(panel(n, z, x)))


def branching(n: int) -> fx.meshes.Mesh:
    """The same with a third plate that goes on along x."""
    x, z = np.eye(3)[0], np.eye(3)[2]
    return _named(panel(n, x, np.zeros(3)).merged(panel(n, x, x)).merged(panel(n, z, x)))


def _named(mesh: fx.meshes.Mesh) -> fx.meshes.Mesh:
    mesh = mesh.with_node_set("root", np.flatnonzero(mesh.points[:, 0] < 1e-9))
    mesh = mesh.with_node_set("tip", np.flatnonzero(mesh.points[:, 2] > 1.0 - 1e-9))
    return mesh.with_node_set("corner", [int(np.argmin(np.linalg.norm(mesh.points - TIP, axis=1)))])


def plates(
    mesh: fx.meshes.Mesh, element: ANCFPlateFullyParameterized, size: float, thickness: float = THIN
) -> tuple[FloatArray, fx.StaticSolution]:
    """Displacement of the corner of the upright plate under a load along its upper edge."""
    body = fx.FlexibleBody(
        mesh, element, section=fx.ShellSection(thickness, axis=(1.0, 0.0, 1.0)), material=MATERIAL, name="plates"
    )
    load = fx.EdgeLoad(body.set("tip"), tuple(size * LOAD))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fx.AccuracyWarning)
        solution = fx.solve_static(fx.Model(body, fx.Clamp(body.set("root")), load))
    return np.ravel(solution.displacement(body.set("corner"), step=-1)), solution


def linear(mesh: fx.meshes.Mesh, size: float) -> FloatArray:
    """The same by linear shell elements."""
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, ShellQuad(thickness=THIN), MATERIAL)])
    nodes = mesh.node_set("tip")
    order = nodes[np.argsort(mesh.points[nodes, 1])]
    share = np.full(len(order), WIDTH / (len(order) - 1))
    share[[0, -1]] *= 0.5
    loads = [fx.linear.NodalForce(int(i), tuple(size * s * LOAD)) for i, s in zip(order, share, strict=True)]
    held = {"root": ("ux", "uy", "uz", "rx", "ry", "rz")}
    return np.ravel(fx.linear.static_response(part, held, {"load": loads})["load"].displacement("corner"))[:3]


def run_folds(progress: Progress) -> Outcome:
    """Small loads against a fine linear model, large ones against a finer mesh."""
    quantities: list[Measured] = []
    studies, rows, figures = [], [], []
    counts, small, large = (2, 4, 8, 16), 1e-9, 0.02
    for word, make in (("folded plate", folded), ("branching plate", branching)):
        progress(f"{word}, linear shells")
        coarse, fine = linear(make(24), small), linear(make(48), small)
        exact = fine + (fine - coarse) / 3.0  # their error falls with the square of the size
        scatter = float(np.linalg.norm(exact - fine) / np.linalg.norm(exact))
        rows.append((word, "linear shells, 48", *(f"{c / small:.5g}" for c in fine), "-"))
        errors = []
        for label, element in (("cured", ANCFPlateFullyParameterized()), ("as printed", PRINTED)):
            for n in counts:
                progress(f"{word}, {label}, {n}")
                u, _ = plates(make(n), element, small)
                off = float(np.linalg.norm(u - exact) / np.linalg.norm(exact))
                rows.append((word, f"{label}, {n}", *(f"{c / small:.5g}" for c in u), f"{off:.4f}"))
                if label == "cured":
                    errors.append(off)
        quantities.append(
            measured(f"{word}: error of the corner under a small load, 16 elements a panel", "-", errors[-1], 0.0,
                     "ShellQuad, extrapolated", scatter, atol=5e-3)
        )  # fmt: skip
        # the load bends the plates along their clamped and free corners, where stresses are singular
        studies.append(ConvergenceStudy(f"{word}, small load", counts[1:], errors[1:], 2.0, 1.4, counts=True))
        far = []
        for n in counts:
            progress(f"{word}, large load, {n}")
            u, solution = plates(make(n), ANCFPlateFullyParameterized(), large, THICK)
            far.append(u)
            rows.append((word, f"large load, {n}", *(f"{c:.5f}" for c in u), "-"))
        change = float(np.linalg.norm(far[-1] - far[-2]) / np.linalg.norm(far[-1]))
        quantities.append(
            measured(f"{word}: change of the corner from 8 to 16 elements under a large load, by its way", "-",
                     change, 0.0, "finer mesh", atol=1e-2)
        )  # fmt: skip
        figures.append((f"The {word} under the large load, 16 elements a panel; colour: M_11", _picture(solution)))
    head = ("problem", "elements", "u_x", "u_y", "u_z", "error")
    table = Table("Displacement of the corner; by the load where it is small", head, rows)
    return Outcome(quantities, studies, [table], figures)


def _picture(solution: fx.StaticSolution) -> Figure:
    axes: Any = solution.plot("M_11")
    axes.view_init(18, -125)
    return axes.figure  # type: ignore[no-any-return]


def lee(element: ANCFBeamFullyParameterized, n: int, thin: float = 1.0) -> tuple[float, float]:
    """First limit load of Lee's frame and the displacement there; ``thin`` divides the height at equal EI."""
    p = load_reference("s11b").parameters
    E, A, inertia = p["E"], p["A"], p["I"]
    GA = 5.0 / 6.0 * E / 2.6 * A * thin**2
    stiffness = fx.BeamStiffness(
        EA=E * A * thin**2, EI_z=E * inertia, EI_y=E * 4.5 * thin**2, GA_y=GA, GA_z=GA, GJ=E * inertia,
        mass_per_length=1.0, rhoI_y=1.0, rhoI_z=1.0,
    )  # fmt: skip
    corners = [(0, 0, 0), (0, 120, 0), (24, 120, 0), (120, 120, 0)]
    body = fx.FlexibleBody(fx.meshes.polyline(corners, [n, n // 5, n - n // 5]), element, stiffness=stiffness)
    plane = fx.Symmetry(fx.Attachment(body, tuple(range(body.mesh.n_points)), "all"), (0, 0, 1))
    loaded, ends = body.at(corners[2]), [fx.Pin(body.at(c)) for c in (corners[0], corners[3])]
    push = fx.Prescribe(loaded, (None, -53.0, None))
    solution = fx.solve_static(fx.Model(body, plane, *ends, push), fx.StaticOptions(at=(0.86, 0.90, 0.94, 0.98)))
    steps = range(solution.n_steps)
    path = np.array([(-solution.displacement(loaded, k)[1], -solution.reaction(loaded, k)[1]) for k in steps])
    k = int(np.clip(path[:, 1].argmax(), 1, len(path) - 2))
    x, P = path[k - 1 : k + 2].T
    a, b, c = np.polyfit(x - x[1], P, 2)
    return float(c - b * b / (4.0 * a)), float(x[1] - b / (2.0 * a))


def run_lee(progress: Progress) -> Outcome:
    """Displacement control up to the first limit point."""
    stored = load_reference("s11b")
    name = "GA_s = (5/6) G A, nu=0.3: load limit point 1: "
    P = stored.reference(name + "P")
    v = stored.reference(name + "vertical displacement of the load point")
    rows, quantities = [], []
    for label, element, thin in (
        ("cured", ANCFBeamFullyParameterized(), 1.0),
        ("cured, a quarter as high at equal EI", ANCFBeamFullyParameterized(), 4.0),
        ("as printed", ANCFBeamFullyParameterized(split=False, nodal=False, torsion=False), 1.0),
    ):
        for n in (10, 20, 40):
            progress(f"{label}, {n}")
            load, way = lee(element, n, thin)
            rows.append((label, str(n), f"{load:.0f}", f"{load / P.value:.4f}", f"{way:.3f}"))
            if label == "cured" and n == 40:
                quantities += [
                    measured("first limit load, 40 elements a member", "force", load, P.value, stored.source,
                             P.uncertainty, rtol=5e-3),
                    measured("displacement there", "length", way, v.value, stored.source, v.uncertainty, rtol=1e-2),
                ]  # fmt: skip
    exact = stored.reference("shear rigid, EA finite: load limit point 1: P")
    quantities.append(
        measured("a quarter as high: first limit load", "force", float(rows[5][2]), exact.value, stored.source,
                 exact.uncertainty, rtol=2e-3)
    )  # fmt: skip
    head = ("element", "a member", "limit load", "by the reference", "displacement")
    remark = (
        "The reference is a rod with a linear law. A solid of St. Venant and Kirchhoff's material with the height of "
        "this frame, whose strains reach some per cent, is softer by 0.2 %; with a quarter of the height at equal "
        "bending stiffness the difference vanishes. Without shear the reference is 18 557."
    )
    return Outcome(quantities, (), [Table("First limit point", head, rows)], (), [remark])


def run_flight(progress: Progress) -> Outcome:
    """A folded plate is thrown and spun, and vibrates: momentum and energy stay, but for the errors of time steps."""
    soft = fx.Elastic(youngs_modulus=2e3, density=1.0, poissons_ratio=0.3)
    body = fx.FlexibleBody(
        folded(3), ANCFPlateFullyParameterized(), section=fx.ShellSection(0.05), material=soft, name="plate"
    )
    start = fx.InitialVelocity(body, velocity=(0.5, 0.0, 1.0), angular_velocity=(0.5, 2.0, 1.0))
    steps, rows = (8e-3, 4e-3, 2e-3), []
    drawing, axes = figure()
    for h in steps:
        progress(f"step {h:g}")
        run: Any = fx.simulate(fx.Model(body, start), 2.0, step=h, output=fx.Output(every=0.04))
        off = [float(np.linalg.norm(m - m[0], axis=1).max() / np.linalg.norm(m[0])) for m in run.momentum()]
        energy = run.energy
        off.append(float(np.abs(energy.total / energy.total[0] - 1.0).max()))
        rows.append((h, *off, float(energy.strain.max() / energy.total[0])))
    for values, label in ((energy.kinetic, "kinetic"), (energy.strain, "strain"), (energy.total, "total")):
        axes.plot(run.t, values, label=label)
    axes.set_xlabel("time")
    axes.set_ylabel("energy")
    axes.legend(frameon=False)
    quantities = [
        measured(f"largest relative change of the {word}, step 0.002", "-", value, 0.0, "no force", atol=allowed)
        for word, value, allowed in zip(
            ("momentum", "angular momentum", "energy"), rows[-1][1:], (1e-9, 1e-4, 1e-3), strict=False
        )
    ]
    studies = [
        ConvergenceStudy(word, steps, [row[k] for row in rows], 2.0, 1.7)
        for k, word in ((2, "angular momentum"), (3, "energy"))
    ]
    table = Table(
        "Largest relative changes in two seconds",
        ("step", "momentum", "angular momentum", "energy", "largest strain energy by the total"),
        [tuple(f"{x:.2g}" for x in row) for row in rows],
    )
    return Outcome(quantities, studies, [table], [("Energies, step 0.002", drawing)])


FOLDS = Case(
    id="folded-plates",
    title="Folded and branching plates",
    area="statics",
    summary=(
        "Two plates at a right angle, and three that meet at an edge, are clamped at one end and pushed at the upper "
        "edge, so that they bend and twist. Small loads are compared with linear shell elements, large ones with "
        "finer meshes."
    ),
    run=run_folds,
    source="Slope discontinuities: A. Mikkola and A. A. Shabana, Multibody Syst. Dyn. 9 (2003) 283-309.",
    equations=(r"r_{,i} = \sum_j (t_i\cdot f_j)\,d_j",),
    slow=True,
)
LEE = Case(
    id="s11b-lee",
    title="Lee's frame up to its first limit point",
    area="statics",
    summary="Two beams at a right angle, of fully parameterised elements with slope discontinuities.",
    run=run_lee,
    source="S. L. Lee, F. S. Manuel and E. C. Rossow, J. Eng. Mech. Div. 94 (1968) 521-547; K. Schweizerhof and "
    "P. Wriggers, Comput. Methods Appl. Mech. Eng. 59 (1986) 261-279.",
    slow=True,
)
FLIGHT = Case(
    id="folded-plate-flight",
    title="Free flight of a folded plate",
    area="flexible motion",
    summary="Two plates at a right angle are thrown and spun, and bend by their own inertia.",
    run=run_flight,
    source="Conservation of momentum, angular momentum and energy.",
    slow=True,
)
