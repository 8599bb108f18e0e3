"""Files of glTF in one piece (.glb): arrays in a binary chunk, and what is said of them in a chunk of JSON.

Numbers are in single precision. Source: glTF 2.0 specification (Khronos, ISO/IEC 12113:2022).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.info import version

__all__ = ["LINE_MODE", "TRIANGLE_MODE", "Glb"]

TRIANGLE_MODE, LINE_MODE = 4, 1
FLOAT, UNSIGNED, BYTES = 5126, 5125, 5121
VERTICES, INDICES = 34962, 34963


class Glb:
    """A file in the making: add arrays, then the nodes, meshes and channels that refer to them by number.

    Attributes
    ----------
    nodes, meshes, materials, samplers, channels : list of dict
        As in the format; node 0 is the only root of the scene.
    """

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self._bytes = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []

    def scalars(self, values: FloatArray, bounds: bool = False) -> int:
        """Numbers (n,), such as times and weights of targets; times need ``bounds``."""
        return self._numbers(values, "SCALAR", None, bounds)

    def vectors(self, values: FloatArray, bounds: bool = False, vertices: bool = True) -> int:
        """Vectors (n, 3); positions of ``vertices`` need ``bounds``, tracks of nodes are no vertices."""
        return self._numbers(values, "VEC3", VERTICES if vertices else None, bounds)

    def quaternions(self, values: FloatArray) -> int:
        """Unit quaternions (n, 4), scalar first; the format has it last."""
        return self._numbers(values[:, [1, 2, 3, 0]], "VEC4", None, False)

    def indices(self, values: IntArray) -> int:
        """Numbers of vertices (n,)."""
        return self._accessor(np.ascontiguousarray(values, "<u4"), UNSIGNED, "SCALAR", INDICES)

    def levels(self, values: Any) -> int:
        """Bytes (n,) of our own, which only extras refer to."""
        return self._accessor(np.ascontiguousarray(values, "u1"), BYTES, "SCALAR", None)

    def animate(self, node: int, path: str, times: int, values: int) -> None:
        """Straight lines (on the sphere of rotations: arcs) between values of a node at given times."""
        self.samplers.append({"input": times, "output": values, "interpolation": "LINEAR"})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def content(self, name: str, extras: Mapping[str, Any]) -> bytes:
        """The file: a header, a chunk of JSON, a chunk of numbers; ``name`` is that of the animation."""
        said: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"flexmbs {version()}", "extras": dict(extras)},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": len(self._bytes)}],
        }
        if self.channels:
            said["animations"] = [{"name": name, "samplers": self.samplers, "channels": self.channels}]
        text = json.dumps(said, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self._bytes) + b"\0" * (-len(self._bytes) % 4)
        whole = 12 + 8 + len(text) + 8 + len(data)
        head = struct.pack("<4sII", b"glTF", 2, whole)
        return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data

    def _numbers(self, values: FloatArray, shape: str, target: int | None, bounds: bool) -> int:
        single = np.ascontiguousarray(values, "<f4")
        return self._accessor(single, FLOAT, shape, target, bounds)

    def _accessor(self, values: Any, kind: int, shape: str, target: int | None, bounds: bool = False) -> int:
        self._bytes += b"\0" * (-len(self._bytes) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self._bytes), "byteLength": values.nbytes}
        if target is not None:
            view["target"] = target
        self._views.append(view)
        self._bytes += values.tobytes()
        accessor = {"bufferView": len(self._views) - 1, "componentType": kind, "count": len(values), "type": shape}
        if bounds:
            rows = values.reshape(len(values), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self._accessors.append(accessor)
        return len(self._accessors) - 1
