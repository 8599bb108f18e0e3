"""Strips, folds and free flight of the shear-deformable absolute-nodal shell."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFShell, ShellQuad
from flexmbs.verification import Case, Measured, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.statics.absolute_nodal_shells import mapped
from flexmbs.verification.cases.statics.shear_shell import SMALL, plate

PULSE = 0.1
"""Duration of the forces on a free panel [s]."""


def run_slenderness(progress: Progress) -> Outcome:
    """Straight and curved strips from thick to very thin."""
    quantities: list[Measured] = []
    rows, curves = [], []
    slendernesses = (10.0, 100.0, 1e3, 1e4)
    E, width = 1e6, 0.1
    for shape in ("straight", "quarter circle"):
        for n in (8, 16):
            errors = []
            for slenderness in slendernesses:
                progress(f"{shape}, {n} cells, L/h = {slenderness:g}")
                h = 1.0 / slenderness
                errors.append(_strip(shape, n, h, E, width))
            rows.append((f"{shape}, {n} cells", *(f"{e:+.1e}" for e in errors)))
            curves.append((f"{shape}, {n} cells", errors))
            worst = max(abs(e) for e in errors)
            quantities.append(
                measured(f"{shape}, {n} cells: worst error of the deflection", "-", worst, 0.0, "closed form", 0.0,
                         atol=0.35 / n**2)
            )  # fmt: skip
    drawing, axes = figure(5.5, 3.4)
    for (label, errors), colour in zip(curves, COLOURS, strict=False):
        axes.loglog(slendernesses, np.abs(errors), "o-", color=colour, label=label)
    axes.set_xlabel("length by thickness")
    axes.set_ylabel("relative error of the deflection")
    axes.legend(frameon=False)
    table = Table("Errors of deflections", ("strip", *(f"L/h = {s:g}" for s in slendernesses)), rows)
    return Outcome(quantities, (), [table], [("Strips under an end force; without locking, lines are level", drawing)])


def _strip(shape: str, n: int, h: float, E: float, width: float) -> float:
    """Relative error of a cantilever's end deflection along its force; length (or radius) 1, no Poisson effect."""
    elastic = fx.Elastic(youngs_modulus=E, poissons_ratio=0.0, density=1.0)
    EI, EA, GA = E * width * h**3 / 12, E * width * h, 5 / 6 * 0.5 * E * width * h
    if shape == "straight":
        mesh = mapped((n, 1), lambda u, v: (u, width * v, 0.0 * u))
        exact = 1 / (3 * EI) + 1 / GA
        end = (1.0, 0.0, 0.0)
    else:

        def normals(u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            return np.sin(0.5 * math.pi * u), 0.0 * u, np.cos(0.5 * math.pi * u)

        def points(u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            x, _, z = normals(u, v)
            return x, width * v, z

        mesh = mapped((n, 1), points, normals)
        exact = (0.75 * math.pi - 2.0) / EI + 0.25 * math.pi * (1 / EA + 1 / GA)
        end = (1.0, 0.0, 0.0)
    body = fx.FlexibleBody(mesh, ANCFShell(), fx.ShellSection(h), elastic, name="strip")
    force = SMALL * h / exact
    load = fx.EdgeLoad(body.set("right"), (0, 0, force / width))
    options = fx.StaticOptions(steps=1, check_stability=False)
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.set("left")), load), options)
    return float(solution.displacement(body.at(end, tolerance=1e-6), step=-1)[2]) / force / exact - 1.0


def _folded(n: int, angle: float) -> fx.meshes.Mesh:
    """Two square panels, half as wide, 2 n by n/2 cells, that meet at x = 1 at an angle; held at x = 0."""
    c, t = math.cos(math.radians(angle)), math.sin(math.radians(angle))

    def points(u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        first, second = np.minimum(2.0 * u, 1.0), np.maximum(2.0 * u - 1.0, 0.0)
        return first + c * second, 0.5 * v, t * second

    return mapped((2 * n, n // 2), points)


def _branched(n: int) -> fx.meshes.Mesh:
    """A panel of length 2 with a second one of length 1 upright in its middle."""
    y = 0.5 * np.arange(n // 2 + 1) / (n // 2)
    rows = [(i / n, 0.0) for i in range(2 * n + 1)] + [(1.0, i / n) for i in range(1, n + 1)]
    points = [(x, b, z) for x, z in rows for b in y]
    chain = [*zip(range(2 * n), range(1, 2 * n + 1), strict=True), (n, 2 * n + 1)]
    chain += [(2 * n + i, 2 * n + i + 1) for i in range(1, n)]
    m = len(y)
    cells = [[m * a + j, m * b + j, m * b + j + 1, m * a + j + 1] for a, b in chain for j in range(m - 1)]
    return fx.meshes.Mesh(np.array(points), (fx.meshes.CellBlock("quad", np.array(cells)),), {"left": np.arange(m)})


def _pulled(mesh: fx.meshes.Mesh, h: float, force: FloatArray) -> tuple[float, float]:
    """Largest displacement component of the last panel's end by unit force: ours, and that of linear shells."""
    elastic = fx.Elastic(youngs_modulus=1e6, poissons_ratio=0.3, density=1.0)
    node = int(mesh.n_points - 1)
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, ShellQuad(thickness=h), elastic)])
    fixed = {"left": ("ux", "uy", "uz", "rx", "ry", "rz")}
    linear = fx.linear.static_response(part, fixed, fx.linear.NodalForce(node, tuple(force))).displacements[node, :3]
    which = int(np.abs(linear).argmax())
    body = fx.FlexibleBody(mesh, ANCFShell(), fx.ShellSection(h), elastic, name="folded")
    size = SMALL * h / abs(linear[which])
    model = fx.Model(body, fx.Clamp(body.set("left")), fx.PointForce(body.node(node), tuple(size * force)))
    solution = fx.solve_static(model, fx.StaticOptions(steps=1, check_stability=False))
    return float(solution.displacement(body.node(node), step=-1)[which]) / size, float(linear[which])


def run_folds(progress: Progress) -> Outcome:
    """Folds of four angles and a branch, thin and thick, pulled along the axes at the corner of the last panel."""
    quantities: list[Measured] = []
    rows = []
    meshes = [(f"fold of {angle:g} degrees", _folded(16, angle)) for angle in (30.0, 60.0, 90.0, 120.0)]
    meshes.append(("branch", _branched(16)))
    for h, rtol in ((0.01, 1e-3), (1.0 / 30.0, 5e-3), (0.1, 0.03)):
        for name, mesh in meshes:
            progress(f"{name}, h = {h:.3g}")
            errors = []
            for axis, force in zip("xyz", np.eye(3), strict=True):
                value, linear = _pulled(mesh, h, force)
                errors.append(value / linear - 1.0)
                quantities.append(
                    measured(f"{name}, L/h = {1 / h:.0f}, force along {axis}", "-", value, linear,
                             "flexmbs.elements.ShellQuad, the same mesh", 1e-9, rtol=rtol)
                )  # fmt: skip
            rows.append((f"{name}, L/h = {1 / h:.0f}", *(f"{e:+.1e}" for e in errors)))
    head = ("panels", *(f"force along {axis}" for axis in "xyz"))
    return Outcome(quantities, (), [Table("Differences from linear shells with six coordinates a node", head, rows)])


def run_free(progress: Progress) -> Outcome:
    """A panel that is thrown, spins, and is bent by forces at its corners for a tenth of a second."""
    elastic = fx.Elastic(youngs_modulus=1e8, poissons_ratio=0.3, density=1000.0)
    body = plate(6, fx.ShellSection(0.01), elastic)
    corners = [body.at((x, y, 0.0)) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    forces = [
        fx.PointForce(corner, (0, 0, 6.0 * sign), history=_pulse)
        for corner, sign in zip(corners, (1, -1, 1, -1), strict=True)
    ]
    start = fx.InitialVelocity(body, velocity=(0.5, 0, 1.0), angular_velocity=(1.0, 6.0, 2.0), about=(0.5, 0.5, 0.0))
    quantities: list[Measured] = []
    rows = []
    for step, share in ((1e-3, 1e-4), (5e-4, 3e-5)):
        progress(f"steps of {step:g} s")
        run = fx.simulate(fx.Model(body, start, *forces), until=1.0, step=step)
        after = run.t > PULSE + 0.5 * step
        linear, angular = (x[after] for x in run.momentum())
        total = (run.energy.kinetic + run.energy.strain)[after]
        drifts = [
            float(np.linalg.norm(linear - linear[0], axis=1).max() / np.linalg.norm(linear[0])),
            float(np.linalg.norm(angular - angular[0], axis=1).max() / np.linalg.norm(angular[0])),
            float(np.abs(total / total[0] - 1.0).max()),
        ]
        names = ("linear momentum", "angular momentum", "energy")
        for name, value, bound in zip(names, drifts, (1e-12, share, share), strict=True):
            quantities.append(
                measured(f"steps of {step:g} s: drift of the {name}", "-", value, 0.0, "conservation", 0.0, atol=bound)
            )
        rows.append((f"{step:g} s", *(f"{value:.1e}" for value in drifts), f"{run.energy.strain.max() / total[0]:.2f}"))
    head = ("step", "linear momentum", "angular momentum", "energy", "largest strain energy by all energy")
    return Outcome(quantities, (), [Table("Relative drift over 0.9 s", head, rows)])


def _pulse(t: float) -> float:
    return math.sin(math.pi * t / PULSE) ** 2 if t < PULSE else 0.0


SLENDERNESS = Case(
    id="shear-shell-slenderness",
    title="Absolute-nodal shells: strips from thick to very thin",
    area="elements",
    summary=(
        "A straight cantilever strip, and one that is a quarter of a circle when free of stress, of a thickness from a "
        "tenth to a ten-thousandth of their length or radius, against beams with shear and stretch."
    ),
    run=run_slenderness,
    source="Bernoulli-Euler bending with shear and stretch, by Castigliano's theorem.",
    equations=(
        r"w = F\left(\dfrac{L^3}{3 EI} + \dfrac{L}{GA_s}\right), \qquad w = F\left(\left(\dfrac{3\pi}{4} - 2\right)"
        r"\dfrac{R^3}{EI} + \dfrac{\pi R}{4}\left(\dfrac{1}{EA} + \dfrac{1}{GA_s}\right)\right)",
    ),
    basic=True,
)
FOLDS = Case(
    id="shear-shell-folds",
    title="Absolute-nodal shells: folded and branching panels",
    area="elements",
    summary=(
        "Two panels that meet at 30 to 120 degrees, and an upright one on the middle of another, pulled along three "
        "axes. One director on the mitre serves all sides of a fold; linear shells with six coordinates a node on the "
        "same mesh tell the difference."
    ),
    run=run_folds,
    slow=True,
    source="The linear shells of flexmbs, which have six coordinates a node.",
    limits=("Thick panels twist differently at a fold by up to 3 %, in which the linear element is no better known.",),
)
FREE = Case(
    id="shear-shell-flight",
    title="Absolute-nodal shells: a panel in free flight",
    area="flexible motion",
    summary=(
        "A panel thrown with a spin is bent by four forces at its corners and left alone: linear and angular momentum "
        "and energy must stay, by generalized-alpha with two steps."
    ),
    run=run_free,
    slow=True,
    source="Conservation of momentum and energy.",
)
