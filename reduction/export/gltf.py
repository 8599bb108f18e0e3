"""Modes as moving pictures: one glTF file (.glb) that browsers, Blender and viewers of operating systems open.

Each mode is a node with the outer surface of the part (or its lines) and one morph target, the shape; an animation
moves the weight of the target as a sine. Colours are the size of the displacement, from blue to red. Modes stand side
by side, across the longest side of the part; the largest displacement is a tenth of the size of the part. Numbers are
in single precision, lengths in metres where the unit of the model is known. The axes are those of the mesh; viewers of
glTF have y upwards.

Source: glTF 2.0 specification (Khronos, ISO/IEC 12113:2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.glb import LINE_MODE, TRIANGLE_MODE, Glb
from flexmbs.linear.faces import outer_faces
from flexmbs.reduction.export.fmu_variables import LENGTHS
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.shapes import mode_shapes
from flexmbs.reduction.export.written import ExportResult, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "write_gltf"]

PIECES = {
    "triangle": ((0, 1, 2),),
    "quad": ((0, 1, 2), (0, 2, 3)),
    "triangle6": ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
    "quad8": ((0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 7), (5, 6, 7)),
    "quad9": ((0, 4, 8), (0, 8, 7), (4, 1, 5), (4, 5, 8), (8, 5, 2), (8, 2, 6), (7, 8, 6), (7, 6, 3)),
}
"""Triangles of a face; middle nodes are corners of them."""
LINES = {"line": ((0, 1),), "line3": ((0, 2), (2, 1))}
DEFAULT, PERIOD, SAMPLES = 6, 2.0, 32
LOSSES = ("digits beyond single precision", "matrices")
SHARE = 0.1
"""Largest displacement, of the size of the part."""
STOPS = np.array([[0.09, 0.20, 0.55], [0.15, 0.60, 0.75], [0.55, 0.80, 0.40], [0.95, 0.75, 0.20], [0.75, 0.10, 0.10]])
"""Colours from no displacement to the largest."""


def write_gltf(
    model: ReducedModel,
    path: Path,
    overwrite: bool = False,
    fixed: str | Sequence[str] = (),
    modes: int | None = None,
) -> ExportResult:
    """Write elastic modes that swing.

    Parameters
    ----------
    model : ReducedModel
        From a `Part`, whose cells are drawn.
    path : path
    overwrite : bool, default False
    fixed : str or sequence of str, default ()
        Interfaces that are held.
    modes : int, optional
        How many, from the lowest elastic one; 6, or all if they are fewer, by default.

    Raises
    ------
    ModelError
        If there are no cells, or fewer modes.
    """
    owner = f"glTF of {model.name!r}"
    hertz, vectors = mode_shapes("glTF", model, fixed, None)
    hertz, vectors = hertz[hertz > 0.0], vectors[:, hertz > 0.0]
    wanted = min(DEFAULT, len(hertz)) if modes is None else modes
    if not 1 <= wanted <= len(hertz):
        raise ModelError(f"{owner}: {wanted} elastic modes were asked for, but there are {len(hertz)}.")
    indices, mode = _drawn(model)
    if not len(indices):
        raise ModelError(f"{owner}: the model has no cells that could be drawn; it was reduced from operators alone.")
    used, indices = np.unique(indices, return_inverse=True)
    points = np.asarray(model.points)[used]
    size = np.ptp(points, axis=0)
    longest = float(size.max())
    step = np.zeros(3)
    step[int(np.argsort(size)[1])] = 1.4 * float(np.sort(size)[1]) + 2.5 * SHARE * longest
    file = _File(model, LENGTHS.get(model.units.get("length", ""), 1.0))
    base = file.vectors(points - points.mean(axis=0), bounds=True)
    index = file.indices(indices.ravel())
    for k in range(wanted):
        moved = model.reconstruct(vectors[:, k])[used, :3]
        length = np.linalg.norm(moved, axis=1)
        largest = float(length.max()) or 1.0
        target = file.vectors(moved * (SHARE * longest / largest), bounds=True)
        colour = file.vectors(_colours(length / largest))
        file.mode(f"mode {k + 1}: {hertz[k]:.6g}", base, index, mode, target, colour, k * step)
    with placed(path, overwrite) as part:
        part.write_bytes(file.content("modes", {"lost": LOSSES}))
    return ExportResult("gltf", path, LOSSES)


def _drawn(model: ReducedModel) -> tuple[IntArray, int]:
    """Nodes of triangles (n, 3), or of lines (n, 2) where there are no surfaces."""
    faces = outer_faces(list(model.cells.items()))
    pieces = [nodes[:, PIECES[kind]].reshape(-1, 3) for kind, nodes in faces.items() if kind in PIECES]
    if pieces:
        return np.vstack(pieces), TRIANGLE_MODE
    lines = [np.asarray(nodes)[:, LINES[kind]].reshape(-1, 2) for kind, nodes in model.cells.items() if kind in LINES]
    return (np.vstack(lines) if lines else np.empty((0, 2), np.int64)), LINE_MODE


def _colours(part: FloatArray) -> FloatArray:
    """Colours (n, 3) of numbers from 0 to 1."""
    where = np.linspace(0.0, 1.0, len(STOPS))
    return np.stack([np.interp(part, where, STOPS[:, c]) for c in range(3)], axis=1)


class _File(Glb):
    """Meshes that swing, one beside the other."""

    def __init__(self, model: ReducedModel, metres: float) -> None:
        super().__init__()
        self.nodes.append({"name": model.name, "children": [], "scale": [metres] * 3})
        self.materials.append({"doubleSided": True, "pbrMetallicRoughness": {"metallicFactor": 0.0}})
        t = np.linspace(0.0, PERIOD, SAMPLES + 1)
        self.times, self.sine = self.scalars(t, bounds=True), self.scalars(np.sin(2.0 * np.pi * t / PERIOD))

    def mode(self, name: str, base: int, index: int, kind: int, target: int, colour: int, place: FloatArray) -> None:
        """A mesh that swings to its target."""
        primitive = {
            "attributes": {"POSITION": base, "COLOR_0": colour}, "indices": index, "mode": kind, "material": 0,
            "targets": [{"POSITION": target}],
        }  # fmt: skip
        self.meshes.append({"name": name, "primitives": [primitive], "weights": [0.0]})
        self.nodes.append({"name": name, "mesh": len(self.meshes) - 1, "translation": place.tolist()})
        self.nodes[0]["children"].append(len(self.nodes) - 1)
        self.animate(len(self.nodes) - 1, "weights", self.times, self.sine)


FORMATS = {
    "gltf": Format(".glb", "modes that swing, for browsers and viewers (glTF)", write_gltf),
}
