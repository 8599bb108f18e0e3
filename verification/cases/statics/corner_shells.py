"""Shells in frames that follow their corners: slit annular plate and hemisphere with a hole, bent far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.elements import CorotationalShell
from flexmbs.meshes import CellBlock
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, measured
from flexmbs.verification.reference.data import load_reference

ANNULI = ((24, 4), (40, 6), (60, 8))
HEMISPHERES = (8, 16, 24)


def sheet(place: Callable[[FloatArray, FloatArray], FloatArray], n: int, m: int) -> tuple[fx.meshes.Mesh, IntArray]:
    """The image of the unit square by n x m cells, and the numbers (n + 1, m + 1) of its nodes."""
    u, v = np.meshgrid(np.linspace(0.0, 1.0, n + 1), np.linspace(0.0, 1.0, m + 1), indexing="ij")
    i = np.arange((n + 1) * (m + 1)).reshape(n + 1, m + 1)
    quads = np.stack((i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]), axis=-1).reshape(-1, 4)
    return fx.meshes.Mesh(place(u, v).reshape(-1, 3), (CellBlock("quad", quads.astype(np.int64)),)), i


def annulus(n: int, m: int) -> tuple[Any, fx.FlexibleBody, IntArray]:
    """S08c under its largest load: the equilibria, the body, its nodes from the clamped to the loaded lip."""
    p = load_reference("s08c").parameters

    def place(u: FloatArray, v: FloatArray) -> FloatArray:
        r = p["Ro"] - (p["Ro"] - p["Ri"]) * v
        return np.stack((r * np.cos(2.0 * np.pi * u), r * np.sin(2.0 * np.pi * u), 0.0 * u), axis=-1)

    mesh, i = sheet(place, n, m)
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=1.0)
    body = fx.FlexibleBody(mesh, CorotationalShell(), fx.ShellSection(p["h"]), material, name="annulus")
    share = np.full(m + 1, p["Pmax"] * (p["Ro"] - p["Ri"]) / m)
    share[[0, -1]] *= 0.5
    loads = [fx.PointForce(body.node(int(k)), (0.0, 0.0, f)) for k, f in zip(i[-1], share.tolist(), strict=True)]
    clamp = fx.Clamp(fx.Attachment(body, tuple(i[0].tolist()), "root"))
    options = fx.StaticOptions(progress=False, check_stability=False, at=(0.1, 0.5))
    return fx.solve_static(fx.Model(body, clamp, *loads), options), body, i


def hemisphere(n: int) -> tuple[Any, fx.FlexibleBody, IntArray]:
    """A quarter of S08d under its largest loads: along the meridians from the hole to the equator."""
    p = load_reference("s08d").parameters
    hole = np.radians(p["hole_deg"])

    def place(u: FloatArray, v: FloatArray) -> FloatArray:
        polar, around = hole + v * (0.5 * np.pi - hole), 0.5 * np.pi * u
        part = np.stack((np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)), axis=-1)
        return np.asarray(p["R"] * part)

    mesh, i = sheet(place, n, n)
    material = fx.Elastic(youngs_modulus=p["E"], poissons_ratio=p["nu"], density=1.0)
    body = fx.FlexibleBody(mesh, CorotationalShell(), fx.ShellSection(p["h"]), material, name="hemisphere")
    joints: list[Any] = []
    for row, normal in ((i[0], (0.0, 1.0, 0.0)), (i[-1], (1.0, 0.0, 0.0))):
        for k in row.tolist():
            plane = fx.ground.marker_at(mesh.points[k], axis=normal)
            joints.append(fx.PlanarJoint(plane, body.node(k).marker(axis=normal), name=f"symmetry {len(joints)}"))
    first = int(i[0, 0])
    joints.append(
        fx.PointOnPlaneConstraint(fx.ground.marker_at(mesh.points[first], axis=(0, 0, 1)), body.node(first), name="z")
    )
    half = 0.5 * p["Pmax"]
    loads = (
        fx.PointForce(body.node(int(i[0, -1])), (half, 0.0, 0.0)),
        fx.PointForce(body.node(int(i[-1, -1])), (0.0, -half, 0.0)),
    )
    options = fx.StaticOptions(progress=False, check_stability=False, at=(0.1, 0.5))
    return fx.solve_static(fx.Model(body, *joints, *loads), options), body, i


def run(progress: Progress) -> Outcome:
    """Both, under refinement."""
    quantities, studies, drawings = [], [], []
    stored = load_reference("s08c")
    names: tuple[str, ...] = ("P/Pmax=1: W_A (inner)", "P/Pmax=1: W_B (outer)")
    errors: list[float] = []
    for n, m in ANNULI:
        progress(f"annulus, {n} x {m}")
        found, body, i = annulus(n, m)
        values = [found.position(body.node(int(i[-1, k])))[-1, 2] for k in (-1, 0)]
        errors.append(max(abs(x / stored.value(name) - 1.0) for x, name in zip(values, names, strict=True)))
    drawings.append(("The slit annulus under its full load.", drawn(found, body)))
    for value, name in zip(values, names, strict=True):
        known = stored.reference(name)
        quantities.append(
            measured(f"annulus, {n} x {m}: {name}", "-", value, known.value, stored.source, known.uncertainty,
                     rtol=1.2e-2)
        )  # fmt: skip
    cells = [float(n) for n, _ in ANNULI]
    studies.append(ConvergenceStudy("annulus: worse of both corners", cells, errors, 2.0, 1.5, counts=True))
    stored = load_reference("s08d")
    ways = ("outward loads (outwards)", "inward loads (inwards)")
    errors = []
    for n in HEMISPHERES:
        progress(f"hemisphere, {n} x {n}")
        found, body, i = hemisphere(n)
        x = found.position(body.node(int(i[0, -1])))[-1, 0] - 10.0
        y = 10.0 - found.position(body.node(int(i[-1, -1])))[-1, 1]
        names = tuple(f"P/Pmax=1: radial displacement under the {way}" for way in ways)
        errors.append(max(abs(x / stored.value(names[0]) - 1.0), abs(y / stored.value(names[1]) - 1.0)))
    drawings.append(("A quarter of the hemisphere under its full loads.", drawn(found, body)))
    for value, name in zip((x, y), names, strict=True):
        known = stored.reference(name)
        quantities.append(
            measured(f"hemisphere, {n} x {n}: {name}", "-", value, known.value, stored.source, known.uncertainty,
                     rtol=2e-2)
        )  # fmt: skip
    studies.append(
        ConvergenceStudy("hemisphere: worse of both", [float(n) for n in HEMISPHERES], errors, 2.0, 1.8, counts=True)
    )
    return Outcome(quantities, studies, figures=drawings)


def drawn(found: Any, body: fx.FlexibleBody, axes: Any = None) -> Any:
    """The deformed cells."""
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    drawing = Figure(figsize=(5.0, 4.0), layout="constrained")
    axes = drawing.add_subplot(projection="3d") if axes is None else axes
    points = np.array([found.position(body.node(k))[-1] for k in range(body.mesh.n_points)])
    faces = Poly3DCollection(points[body.cells], facecolor=COLOURS[0], edgecolor="white", linewidth=0.3, alpha=0.9)
    axes.add_collection3d(faces)
    low, high = points.min(axis=0), points.max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low)
    axes.set_axis_off()
    return drawing


CASE = Case(
    id="corner-shells",
    title="Slit annulus and hemisphere in frames that follow their corners",
    area="statics",
    summary="S08c and S08d: thin shells with large rotations, the second one curved and as a quarter with symmetry.",
    run=run,
    source="K. Y. Sze, X. H. Liu and S. H. Lo, Finite Elem. Anal. Des. 40 (2004) 1551-1569, problems 3 and 4.",
    slow=True,
)
