"""Whole simulations as glTF files (.glb).

Every part is a node. What is rigid has an animated translation and rotation. A body of a reduced model has its frame as
the node and a morph target for each shape, whose weights are the modal coordinates. Bodies of absolute nodal
coordinates have targets from a singular value decomposition of their shapes at the key frames (`morphs`). Springs and
rods are nodes with an animated scale. The root turns the axis that points up to y and changes lengths to metres.

Source: glTF 2.0 specification (Khronos, ISO/IEC 12113:2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.glb import TRIANGLE_MODE, Glb
from flexmbs.core.progress import Progress
from flexmbs.reduction.export.fmu_variables import LENGTHS
from flexmbs.visualization.key_frames import KeyFrames
from flexmbs.visualization.parts_of_model import LOOKS, PartsOfModel
from flexmbs.visualization.tracks import Track

if TYPE_CHECKING:
    from flexmbs.io.stored_states import StoredStates
    from flexmbs.model.model import Model

__all__ = ["TURNS", "MotionOptions", "motion_glb"]

PIECE = 1 << 24
"""Bytes of points that are looked at together, about."""
NOISE = 1e-9
"""Share of the size of a model below which a displacement is none."""
COLOURS = ("#5f86b3", "#d0874a", "#8d6fb5", "#3f9ea3", "#bfa03f", "#c4668f", "#94775c", "#6fae73")
GREYS = {"ground": "#8b939c", "joint": "#66727f", "spring": "#4f9a5b", "bar": "#5a6673"}
HALF = float(np.sqrt(0.5))
TURNS = {"x": (HALF, 0.0, 0.0, HALF), "y": (1.0, 0.0, 0.0, 0.0), "z": (HALF, -HALF, 0.0, 0.0),
         "-x": (HALF, 0.0, 0.0, -HALF), "-y": (0.0, 1.0, 0.0, 0.0), "-z": (HALF, HALF, 0.0, 0.0)}  # fmt: skip
"""Rotations of the root that take an axis to y."""


@dataclass(frozen=True)
class MotionOptions:
    """How a motion is written; see `flexmbs.write_gltf`."""

    fps: float
    speed: float | None
    tolerance: float
    joints: bool
    up: str | None
    stress: bool
    progress: bool


def motion_glb(owner: str, stored: StoredStates, options: MotionOptions) -> tuple[bytes, dict[str, Any]]:
    """The file, and what is known of it: frames, errors, parts."""
    frames = KeyFrames(owner, stored, options.fps, options.speed)
    model = stored.system.model
    shown = PartsOfModel(stored.system, frames.spread(LOOKS), options.joints, options.stress)
    if not any(part.kind == "body" for part in shown.parts):
        raise ModelError(f"{owner}: model {model.name!r} has no body that could be drawn.")
    floor = NOISE * shown.size
    tracks = [Track(part, len(frames.rows), options.tolerance, floor) for part in shown.parts]
    most = max(1, PIECE // (24 * max(len(track.base) for track in tracks)))
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    with Progress(owner, options.progress) as progress:
        done = 0
        for t, q in frames.read(frames.rows, most):
            states = shown.states(t, q)
            for track in tracks:
                track.add(done, states)
            done += len(t)
            progress.show(0.5 * done / len(frames.rows), f"key frame {done} of {len(frames.rows)}")
        for track in tracks:
            track.finish()
        errors = np.zeros((len(tracks), 2))
        for kind, rows in enumerate((frames.rows, frames.between)):
            done = 0
            for t, q in frames.read(rows, most):
                states = shown.states(t, q)
                where = np.interp(t, frames.times, np.arange(len(frames.times)))
                for i, track in enumerate(tracks):
                    points = track.part.world(states)
                    off = np.linalg.norm(track.played(where) - points, axis=2).max()
                    errors[i, kind] = max(errors[i, kind], off)
                    low, high = np.minimum(low, points.min(axis=(0, 1))), np.maximum(high, points.max(axis=(0, 1)))
                done += len(t)
                progress.show(0.5 + 0.25 * (kind + done / max(len(rows), 1)), "measuring errors")
    u = model.units
    about = {
        "name": model.name, "length": u.length, "time": u.time, "stress": f"{u.of('force')}/{u.length}²",
        "start": float(frames.times[0]), "speed": frames.speed, "error": float(errors[:, 0].max()),
        "between": float(errors[:, 1].max()), "flat": shown.flat, "low": low.tolist(), "high": high.tolist(),
        "frames": len(frames.rows),
    }  # fmt: skip
    file = Glb()
    metres = LENGTHS.get(u.length, 1.0)
    turn = TURNS[options.up or _up(model, shown.flat)]
    file.nodes.append({"name": model.name, "children": [], "scale": [metres] * 3, "rotation": [*turn[1:], turn[0]]})
    times = file.scalars((frames.times - frames.times[0]) / frames.speed, bounds=True)
    number = 0
    for track, (error, between) in zip(tracks, errors, strict=True):
        colour = GREYS.get(track.part.kind, COLOURS[number % len(COLOURS)])
        number += track.part.kind not in GREYS
        _write(file, track, colour, times, {"error": float(error), "between": float(between)})
    bodies = [(t, e) for t, e in zip(tracks, errors, strict=True) if t.part.kind == "body"]
    parts = {t.part.name: (len(t.targets), float(e[0]), float(e[1])) for t, e in bodies}
    return file.content("motion", {"flexmbs": about}), about | {"parts": parts}


def _write(file: Glb, track: Track, colour: str, times: int, errors: dict[str, float]) -> None:
    """A part: material, mesh, node, channels."""
    part = track.part
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    surface = {"baseColorFactor": [*linear.round(6).tolist(), 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7}
    file.materials.append({"name": part.name, "doubleSided": True, "pbrMetallicRoughness": surface})
    primitive: dict[str, Any] = {
        "attributes": {"POSITION": file.vectors(track.base, bounds=True)},
        "indices": file.indices(part.faces.triangles.ravel()), "mode": TRIANGLE_MODE,
        "material": len(file.materials) - 1,
    }  # fmt: skip
    mesh: dict[str, Any] = {"name": part.name, "primitives": [primitive]}
    extras: dict[str, Any] = {"largest": track.largest, "linear": part.modal is not None}
    if track.levels is not None:
        extras |= {"levels": file.levels(track.levels.ravel()), "stride": track.stride, "peak": track.peak}
    if len(track.targets) and part.shape is not None and not part.held:
        places = file.vectors(track.fits[:, :3], vertices=False)
        extras |= {"rigid": track.rigid, "fits": [places, file.quaternions(track.fits[:, 3:])]}
    if len(track.targets):
        primitive["targets"] = [{"POSITION": file.vectors(target, bounds=True)} for target in track.targets]
        mesh["weights"] = track.weights[0].tolist()
    if len(track.targets) or track.levels is not None:
        mesh["extras"] = extras
    file.meshes.append(mesh)
    pose = track.poses[0]
    node: dict[str, Any] = {"name": part.name, "mesh": len(file.meshes) - 1, "extras": {"kind": part.kind, **errors}}
    file.nodes.append(node)
    number = len(file.nodes) - 1
    file.nodes[0]["children"].append(number)
    if part.place is not None:
        node |= {"translation": pose[:3].tolist(), "rotation": pose[[4, 5, 6, 3]].tolist()}
        if not np.all(track.poses[:, 7:] == 1.0):
            node["scale"] = pose[7:].tolist()
        _animate(file, number, "translation", times, track.poses[:, :3])
        _animate(file, number, "rotation", times, track.poses[:, 3:7])
        _animate(file, number, "scale", times, track.poses[:, 7:])
    if len(track.targets):
        _animate(file, number, "weights", times, track.weights)


def _animate(file: Glb, node: int, path: str, times: int, values: FloatArray) -> None:
    """A channel, unless nothing moves."""
    if np.all(values == values[0]):
        return
    if path == "weights":
        at = file.scalars(values.ravel())
    else:
        at = file.quaternions(values) if path == "rotation" else file.vectors(values, vertices=False)
    file.animate(node, path, times, at)


def _up(model: Model, flat: bool) -> str:
    """Against gravity where there is any; otherwise y in the plane and z in space."""
    for load in model.loads:
        g = getattr(load, "acceleration", None)
        if g is not None and np.any(g):
            k = int(np.argmax(np.abs(g)))
            return ("-" if g[k] > 0.0 else "") + "xyz"[k]
    return "y" if flat else "z"
