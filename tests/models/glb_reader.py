"""A strict reader of glTF files, written from the specification, that also plays their animations."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

KINDS = {5126: np.dtype("<f4"), 5125: np.dtype("<u4"), 5121: np.dtype("u1")}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


def read(path: Path) -> tuple[dict[str, Any], list[Any]]:
    """The description, and all accessors as arrays."""
    return parse(path.read_bytes())


def parse(data: bytes) -> tuple[dict[str, Any], list[Any]]:
    """The same of the bytes of a file."""
    magic, number, length = struct.unpack_from("<4sII", data)
    assert (magic, number, length) == (b"glTF", 2, len(data))
    n, kind = struct.unpack_from("<I4s", data, 12)
    assert (kind, n % 4) == (b"JSON", 0)
    said = json.loads(data[20 : 20 + n])
    m, kind = struct.unpack_from("<I4s", data, 20 + n)
    assert (kind, m % 4) == (b"BIN\0", 0)
    assert 28 + n + m == len(data)
    binary = data[28 + n :]
    arrays = []
    for a in said["accessors"]:
        view = said["bufferViews"][a["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] + view["byteLength"] <= said["buffers"][0]["byteLength"] <= m
        width, dtype = WIDTHS[a["type"]], KINDS[a["componentType"]]
        assert view["byteLength"] == a["count"] * width * dtype.itemsize
        values = np.frombuffer(binary, dtype, a["count"] * width, view["byteOffset"]).reshape(-1, width)
        assert np.isfinite(values).all()
        if "min" in a:
            assert np.array_equal(values.min(axis=0), np.array(a["min"], "f4"))
            assert np.array_equal(values.max(axis=0), np.array(a["max"], "f4"))
        arrays.append(values)
    return said, arrays


class Film:
    """Plays a file: points of a node at a time, in axes and units of the model (without the root of the scene)."""

    def __init__(self, path: Path) -> None:
        self.said, self.arrays = read(path)
        self.nodes = {node["name"]: i for i, node in enumerate(self.said["nodes"]) if i}
        animation = self.said.get("animations", [{"channels": [], "samplers": []}])[0]
        self.tracks: dict[tuple[int, str], tuple[Any, Any]] = {}
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            assert sampler["interpolation"] == "LINEAR"
            times, values = (self.arrays[sampler[k]].astype(float) for k in ("input", "output"))
            target = channel["target"]
            key = target["node"], target["path"]
            assert key not in self.tracks
            self.tracks[key] = times[:, 0], values.reshape(len(times), -1)

    @property
    def times(self) -> Any:
        """Of the key frames."""
        return next(iter(self.tracks.values()))[0]

    def targets(self, name: str) -> int:
        """Number of morph targets of a node."""
        return len(self._mesh(name)["primitives"][0].get("targets", []))

    def points(self, name: str, t: float) -> Any:
        """Points (n, 3) at a time of the film."""
        node, mesh = self.said["nodes"][self.nodes[name]], self._mesh(name)
        primitive = mesh["primitives"][0]
        points = self.arrays[primitive["attributes"]["POSITION"]].astype(float)
        weights = self._value(name, "weights", t, mesh.get("weights", []))
        for weight, target in zip(weights, primitive.get("targets", []), strict=True):
            points = points + weight * self.arrays[target["POSITION"]].astype(float)
        points = points * self._value(name, "scale", t, node.get("scale", [1.0, 1.0, 1.0]))
        turn = Rotation.from_quat(self._value(name, "rotation", t, node.get("rotation", [0.0, 0.0, 0.0, 1.0])))
        return turn.apply(points) + self._value(name, "translation", t, node.get("translation", [0.0, 0.0, 0.0]))

    def _mesh(self, name: str) -> Any:
        return self.said["meshes"][self.said["nodes"][self.nodes[name]]["mesh"]]

    def _value(self, name: str, path: str, t: float, still: Any) -> Any:
        """Of a channel at a time, or what the node says where there is none."""
        if (self.nodes[name], path) not in self.tracks:
            return np.array(still, dtype=float)
        times, values = self.tracks[self.nodes[name], path]
        if path == "rotation":
            return Slerp(times, Rotation.from_quat(values))(t).as_quat()
        return np.array([np.interp(t, times, column) for column in values.T])
