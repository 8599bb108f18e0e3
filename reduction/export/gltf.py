"""Modes as moving pictures: one glTF file (.glb) that browsers, Blender and viewers of operating systems open.

Each mode is a node with the outer surface of the part (or its lines) and one morph target, the shape; an animation
moves the weight of the target as a sine. Colours are the size of the displacement, from blue to red. Modes stand side
by side, across the longest side of the part; the largest displacement is a tenth of the size of the part. Numbers are
in single precision, lengths in metres where the unit of the model is known. The axes are those of the mesh; viewers of
glTF have y upwards.

Source: glTF 2.0 specification (Khronos, ISO/IEC 12113:2022).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.info import version
from flexmbs.linear.faces import outer_faces
from flexmbs.reduction.export.fmu_variables import LENGTHS
from flexmbs.reduction.export.shapes import mode_shapes
from flexmbs.reduction.export.written import Written, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["write_gltf"]

PIECES = {
    "triangle": ((0, 1, 2),),
    "quad": ((0, 1, 2), (0, 2, 3)),
    "triangle6": ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
    "quad8": ((0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 7), (5, 6, 7)),
    "quad9": ((0, 4, 8), (0, 8, 7), (4, 1, 5), (4, 5, 8), (8, 5, 2), (8, 2, 6), (7, 8, 6), (7, 6, 3)),
}
"""Triangles of a face; middle nodes are corners of them."""
LINES = {"line": ((0, 1),), "line3": ((0, 2), (2, 1))}
FLOAT, UNSIGNED = 5126, 5125
VERTICES, INDICES = 34962, 34963
TRIANGLE_MODE, LINE_MODE = 4, 1
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
) -> Written:
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
    base = file.vectors(points - points.mean(axis=0), VERTICES)
    index = file.indices(indices.ravel())
    for k in range(wanted):
        moved = model.reconstruct(vectors[:, k])[used, :3]
        length = np.linalg.norm(moved, axis=1)
        largest = float(length.max()) or 1.0
        target = file.vectors(moved * (SHARE * longest / largest), VERTICES)
        colour = file.vectors(_colours(length / largest), VERTICES, bounds=False)
        file.mode(f"mode {k + 1}: {hertz[k]:.6g}", base, index, mode, target, colour, k * step)
    with placed(path, overwrite) as part:
        part.write_bytes(file.content())
    return Written("gltf", path, LOSSES)


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


class _File:
    """Collects the arrays of the binary chunk and what is said of them."""

    def __init__(self, model: ReducedModel, metres: float) -> None:
        self.bytes = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = [{"name": model.name, "children": [], "scale": [metres] * 3}]
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        t = np.linspace(0.0, PERIOD, SAMPLES + 1)
        self.times = self._accessor(t.astype("<f4"), FLOAT, "SCALAR", None, [0.0], [float(np.float32(PERIOD))])
        self.sine = self._accessor(np.sin(2.0 * np.pi * t / PERIOD).astype("<f4"), FLOAT, "SCALAR", None)

    def _accessor(
        self, values: Any, kind: int, shape: str, target: int | None, low: Any = None, high: Any = None
    ) -> int:
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": values.nbytes}
        if target is not None:
            view["target"] = target
        self.views.append(view)
        self.bytes += values.tobytes()
        accessor = {"bufferView": len(self.views) - 1, "componentType": kind, "count": len(values), "type": shape}
        if low is not None:
            accessor |= {"min": low, "max": high}
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def vectors(self, values: FloatArray, target: int, bounds: bool = True) -> int:
        """Vectors (n, 3)."""
        single = np.ascontiguousarray(values, "<f4")
        limits = [single.min(axis=0).tolist(), single.max(axis=0).tolist()] if bounds else [None, None]
        return self._accessor(single, FLOAT, "VEC3", target, *limits)

    def indices(self, values: IntArray) -> int:
        """Numbers of vertices."""
        return self._accessor(np.ascontiguousarray(values, "<u4"), UNSIGNED, "SCALAR", INDICES)

    def mode(self, name: str, base: int, index: int, kind: int, target: int, colour: int, place: FloatArray) -> None:
        """A mesh that swings to its target."""
        primitive = {
            "attributes": {"POSITION": base, "COLOR_0": colour}, "indices": index, "mode": kind, "material": 0,
            "targets": [{"POSITION": target}],
        }  # fmt: skip
        self.meshes.append({"name": name, "primitives": [primitive], "weights": [0.0]})
        self.nodes.append({"name": name, "mesh": len(self.meshes) - 1, "translation": place.tolist()})
        self.nodes[0]["children"].append(len(self.nodes) - 1)
        self.samplers.append({"input": self.times, "output": self.sine, "interpolation": "LINEAR"})
        node = len(self.nodes) - 1
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": "weights"}})

    def content(self) -> bytes:
        """The file: a header, a chunk of JSON, a chunk of numbers."""
        said = {
            "asset": {"version": "2.0", "generator": f"flexmbs {version()}", "extras": {"lost": LOSSES}},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": [{"doubleSided": True, "pbrMetallicRoughness": {"metallicFactor": 0.0}}],
            "animations": [{"name": "modes", "samplers": self.samplers, "channels": self.channels}],
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.bytes)}],
        }
        text = json.dumps(said, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.bytes) + b"\0" * (-len(self.bytes) % 4)
        whole = 12 + 8 + len(text) + 8 + len(data)
        head = struct.pack("<4sII", b"glTF", 2, whole)
        return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
