"""Moving pictures of runs for others: glTF files, and pages for browsers."""

from __future__ import annotations

import re
import tempfile
import webbrowser
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmbs.core.checks import as_flag
from flexmbs.io.files import built_in_classes
from flexmbs.visualization.motion_files import MotionFile, write_motion

if TYPE_CHECKING:
    from flexmbs.model.model import Model
    from flexmbs.results.states import States

__all__ = ["view", "view_of", "write_gltf"]


def write_gltf(
    run: States | str | PathLike[str],
    path: str | PathLike[str],
    *,
    fps: float = 30.0,
    speed: float | None = None,
    tolerance: float = 1e-4,
    joints: bool = True,
    up: str | None = None,
    overwrite: bool = False,
    progress: bool = True,
    model: Model | None = None,
    classes: Iterable[type] = (),
) -> MotionFile:
    r"""Write a whole motion as a glTF file (.glb), which browsers, Blender and viewers of operating systems open.

    A point x of a part is, at time t of the film,

    .. math:: r(t) = p(t) + R(t)\Bigl(x + \sum_k w_k(t)\,u_k\Bigr),

    with translation and rotation of its node and morph targets :math:`u_k`. Rigid bodies and links have no targets;
    bodies of reduced models have their shapes as targets and their modal coordinates as weights; bodies of absolute
    nodal coordinates, and substructures, have the leading singular vectors of their shapes at the key frames. Viewers
    interpolate straight (rotations: on arcs) between key frames, which are stored states.

    Parameters
    ----------
    run : TimeSolution or path
        Or the file of a run, which is read piece by piece: a result or a journal.
    path : path-like
        Its name must end in ``.glb``.
    fps : float
        Key frames per second of film.
    speed : float, optional
        Time of the model per second of film: 0.1 is ten times slower, where the unit of time is the second. By default
        1 for runs of 2 to 600 units of time; shorter and longer ones get a film of 10 to 25 s.
    tolerance : float
        Share of the largest displacement of a body by which its points may be off at key frames through targets that
        are left out, from 0 to 1. Single precision adds 1e-6 of the size of the model at most.
    joints : bool
        Whether joints are marked.
    up : str, optional
        Axis that points up: ``"x"``, ``"y"``, ``"z"``, or with a minus. By default that against gravity; without it y
        in the plane and z in space.
    overwrite : bool
        Whether a file that is there may be replaced.
    progress : bool
        Whether to show progress on standard error.
    model : Model, optional
        That of a file which holds Python functions.
    classes : iterable of type
        Your own classes, as for `flexmbs.load`.

    Returns
    -------
    MotionFile
        With the errors that were measured: at key frames, and half way between them.

    Raises
    ------
    ModelError
        If an argument is out of bounds, there is nothing to draw, states do not follow each other in time, or there
        would be more than 20 000 frames.
    ReadError
        If the file of the run cannot be read, or holds none.
    FlexmbsError
        If the file is there and must not be replaced, or cannot be written.

    Notes
    -----
    Lengths are in metres where the model says its unit. Lines thinner than 1/200 of the size of the model are drawn
    thicker. Surfaces have no normals, so that viewers shade them flat. Colours are those of the parts: glTF has no
    colours that change; for these see `view`.

    Source: glTF 2.0 specification (Khronos, ISO/IEC 12113:2022).

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> rod = fx.RigidBody.rod((0, 0, 0), (1, 0, 0), mass=1.0, name="rod")
    >>> hinge = fx.RevoluteJoint(fx.ground, rod.marker_at((0, 0, 0), axis=(0, 1, 0)), name="hinge")
    >>> run = fx.simulate(fx.Model(rod, hinge, fx.Gravity((0, 0, -9.81))), 1.0, step=1e-2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = fx.write_gltf(run, f"{folder}/rod.glb", progress=False)
    >>> written.speed, written.error < 1e-6
    (0.1, True)
    """
    return write_motion(
        "write_gltf", run, path, overwrite=overwrite, model=model, classes=(*classes, *built_in_classes()), fps=fps,
        speed=speed, tolerance=tolerance, joints=joints, up=up, progress=progress,
    )  # fmt: skip


def view(
    run: States | str | PathLike[str],
    path: str | PathLike[str],
    *,
    fps: float = 30.0,
    speed: float | None = None,
    tolerance: float = 1e-4,
    factor: float = 1.0,
    joints: bool = True,
    up: str | None = None,
    overwrite: bool = False,
    progress: bool = True,
    model: Model | None = None,
    classes: Iterable[type] = (),
) -> MotionFile:
    """Write a motion as one HTML page that plays it in a browser and needs no network.

    The page holds the file of `write_gltf` and draws it with WebGL 2. It colours bodies by the size of their
    displacement, of reduced bodies in their frame, of others from the first picture, or by von Mises stress where the
    model was reduced with stresses. Its address takes ``#t=1.5&colour=stress&view=top&theme=dark&factor=10``.

    Parameters
    ----------
    run, fps, speed, tolerance, joints, up, overwrite, progress, model, classes
        As for `write_gltf`.
    path : path-like
        Its name must end in ``.html`` or ``.htm``.
    factor : float
        By which deformations of reduced bodies are enlarged at the start; the page has a field for it.

    Returns
    -------
    MotionFile

    Raises
    ------
    ModelError, ReadError, FlexmbsError
        As `write_gltf`.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> rod = fx.RigidBody.rod((0, 0, 0), (1, 0, 0), mass=1.0, name="rod")
    >>> hinge = fx.RevoluteJoint(fx.ground, rod.marker_at((0, 0, 0), axis=(0, 1, 0)), name="hinge")
    >>> run = fx.simulate(fx.Model(rod, hinge, fx.Gravity((0, 0, -9.81))), 1.0, step=1e-2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fx.view(run, f"{folder}/rod.html", progress=False).path.name
    'rod.html'
    """
    return write_motion(
        "view", run, path, overwrite=overwrite, model=model, classes=(*classes, *built_in_classes()), factor=factor,
        fps=fps, speed=speed, tolerance=tolerance, joints=joints, up=up, progress=progress,
    )  # fmt: skip


def view_of(run: States, path: Any, show: bool | None, **options: Any) -> MotionFile:
    """Write the page of a motion and show it; see `States.view`."""
    shown = path is None if show is None else as_flag("view", "show", show)
    if path is None:
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", run.model.name).strip("_") or "model"
        path = Path(tempfile.mkdtemp(prefix="flexmbs-")) / f"{name}.html"
    written = view(run, path, **{"progress": False, **options})
    if shown:
        webbrowser.open(written.path.resolve().as_uri())
    return written
