"""What the cases share: beams from stiffnesses, tip errors under refinement, and the look of the figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D, CableStrain
from flexmbs.verification import Measured, Reference, Tolerance
from flexmbs.verification.reference.rod_solver import RodSolution

COLOURS = ("#1f5fa8", "#c8553d", "#3a7d44", "#8a5a9e", "#b8860b", "#4a4a4a")


def cantilever(elements: int, EA: float, *loads: Any, strain: CableStrain = CableStrain.MATERIAL) -> fx.FlexibleBody:
    """A straight planar cable of length 1 along x with EI = 1 and unit mass."""
    return fx.FlexibleBody.line(
        (0.0, 0.0),
        (1.0, 0.0),
        elements=elements,
        element=ANCFCable2D(strain=strain),
        stiffness=fx.BeamStiffness(EA=EA, EI_z=1.0, mass_per_length=1.0),
        name="beam",
    )


def tip_error(position: FloatArray, solution: RodSolution) -> float:
    """Distance of a tip from the reference, by the length of the beam."""
    x, y, _ = solution.tip
    return float(np.hypot(position[0] - x, position[1] - y)) / solution.rod.length


def measured(
    name: str,
    unit: str,
    value: float,
    reference: float,
    source: str,
    uncertainty: float = 0.0,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
) -> Measured:
    """A quantity in one call."""
    return Measured(name, unit, float(value), Reference(float(reference), source, uncertainty), Tolerance(rtol, atol))


def figure(width: float = 6.4, height: float = 3.8) -> tuple[Figure, Any]:
    """A figure with one pair of axes, both light."""
    drawing = Figure(figsize=(width, height), layout="constrained")
    axes = drawing.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e3e6ea", linewidth=0.6)
    axes.set_axisbelow(True)
    return drawing, axes


def draw_shapes(
    axes: Any, shapes: Sequence[tuple[str, FloatArray]], exact: Sequence[tuple[FloatArray, FloatArray]] = ()
) -> None:
    """Deformed centre lines (n_e, n_p, 2) in colours, exact ones dashed in black."""
    for (label, shape), colour in zip(shapes, COLOURS * (1 + len(shapes) // len(COLOURS)), strict=False):
        line = shape.reshape(-1, 2)
        axes.plot(line[:, 0], line[:, 1], color=colour, linewidth=1.8, label=label, solid_capstyle="round")
    for i, (x, y) in enumerate(exact):
        axes.plot(x, y, color="black", linewidth=0.9, linestyle=(0, (4, 3)), label="exact" if i == 0 else None)
    axes.set_aspect("equal")
    axes.set_xlabel("x / L")
    axes.set_ylabel("y / L")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def bending_only(modes: fx.ModalSolution, count: int, beam: fx.FlexibleBody) -> fx.ModalSolution:
    """Drop axial modes, in which nothing moves across the beam."""
    everywhere = fx.Attachment(beam, tuple(range(beam.mesh.n_points)), "all nodes")
    moved = [np.abs(modes.displacement(everywhere, m)[:, :2]) for m in range(len(modes))]
    keep = [m for m, x in enumerate(moved) if x[:, 1].max() > 1e-3 * x.max()][:count]
    columns = {name: getattr(modes, name)[:, keep] for name in ("vectors", "state_vectors")}
    return replace(modes, roots=modes.roots[keep], whirl=modes.whirl[keep], growing=modes.growing[keep], **columns)
