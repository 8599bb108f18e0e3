"""Moving pictures of runs on disk: arguments checked, written as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmbs.core.checks import as_flag, as_number
from flexmbs.core.errors import FlexmbsError, ModelError, unknown_name
from flexmbs.io.sealed import as_target, replaced
from flexmbs.io.stored_states import stored_states
from flexmbs.visualization.gltf_motion import TURNS, MotionOptions, motion_glb
from flexmbs.visualization.viewer_page import viewer_page

if TYPE_CHECKING:
    from flexmbs.model.model import Model
    from flexmbs.results.states import States

__all__ = ["MotionFile", "write_motion"]

SUFFIXES = {"write_gltf": (".glb",), "view": (".html", ".htm")}


@dataclass(frozen=True)
class MotionFile:
    """A moving picture that was written.

    Attributes
    ----------
    path : Path
    frames : int
        Number of key frames.
    speed : float
        Time of the model per second of film.
    size : int
        Of the file [bytes].
    error : float
        Largest distance of a point at a key frame from where the run has it [length].
    between : float
        The same at the stored states nearest to the middle between key frames, where viewers interpolate.
    parts : dict
        Of every body the number of its targets, and both errors.
    """

    path: Path
    frames: int
    speed: float
    size: int
    error: float
    between: float
    parts: dict[str, tuple[int, float, float]]

    def __str__(self) -> str:
        return (
            f"{self.path}: {self.frames} key frames, {len(self.parts)} bodies, {self.size / 1e6:.3g} MB, speed "
            f"{self.speed:g}; points are off by at most {self.error:.2g} at key frames, {self.between:.2g} between them"
        )


def write_motion(
    owner: str,
    run: States | str | PathLike[str],
    path: str | PathLike[str],
    *,
    overwrite: bool = False,
    model: Model | None = None,
    classes: Iterable[type] = (),
    factor: float = 1.0,
    **options: Any,
) -> MotionFile:
    """Write a file for ``owner``, `flexmbs.write_gltf` or `flexmbs.view`, which describe the arguments."""
    may, checked = as_flag(owner, "overwrite", overwrite), _options(owner, **options)
    enlarged = as_number(owner, "factor", factor, minimum=0.0)
    target = as_target(owner, path, SUFFIXES[owner])
    if target.exists() and not may:
        raise FlexmbsError(f"{owner}: {target} is there already; overwrite=True (--overwrite) replaces it.")
    with stored_states(owner, run, model, classes) as stored:
        content, about = motion_glb(owner, stored, checked)
    if owner == "view":
        content = viewer_page(about["name"], content, enlarged).encode()
    with replaced(owner, target) as (draft,):
        draft.write_bytes(content)
    found = {name: about[name] for name in ("frames", "speed", "error", "between", "parts")}
    return MotionFile(path=target, size=len(content), **found)


def _options(
    owner: str, fps: float = 30.0, speed: float | None = None, tolerance: float = 1e-4, joints: bool = True,
    up: str | None = None, progress: bool = True,
) -> MotionOptions:  # fmt: skip
    """How a motion is written, checked."""
    if up is not None and (not isinstance(up, str) or up not in TURNS):
        raise ModelError(f"{owner}: {unknown_name('axis up', up, list(TURNS))}")
    pace = None if speed is None else as_number(owner, "speed", speed, above=0.0)
    return MotionOptions(
        as_number(owner, "fps", fps, above=0.0, maximum=1000.0), pace,
        as_number(owner, "tolerance", tolerance, minimum=0.0, maximum=1.0), as_flag(owner, "joints", joints), up,
        owner == "view", as_flag(owner, "progress", progress),
    )  # fmt: skip
