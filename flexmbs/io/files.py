"""Reading results back: the reader of the engine together with all elements that come with flexmbs."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from flexmbs import elements as built_in
from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.core.laminate import Ply
from flexmbs.io import store
from flexmbs.io.time_files import load_time
from flexmbs.io.timestore import holds_time

if TYPE_CHECKING:
    from flexmbs.model.model import Model
    from flexmbs.results.modal import ModalSolution
    from flexmbs.results.static import StaticSolution
    from flexmbs.results.time import TimeSolution

__all__ = ["built_in_classes", "load"]


def load(
    path: str | PathLike[str], classes: Iterable[type] = (), model: Model | None = None
) -> StaticSolution | ModalSolution | TimeSolution:
    """Read a result that was saved, or the journal that a run left behind, with its model.

    The model is rebuilt from its description in the file and compiled, so that the result can be asked and drawn as
    before it was saved. Its bodies are new objects: take them from ``result.model.body(name)``.

    Parameters
    ----------
    path : path-like
        The HDF5 file; where there is only the journal of it (its name with ``.journal``), that.
    classes : iterable of type
        Your own classes, if the model has objects of any: elements with the classes of their choices, sections, loads,
        supports. They must be dataclasses.
    model : Model, optional
        The model that the result was computed with, which is needed where it has Python functions, and refused
        if it is another one. It is not rebuilt then.

    Returns
    -------
    StaticSolution, ModalSolution or TimeSolution
        As it was saved. Of a run that did not end, the states in its journal up to the last checkpoint (one every 500
        steps), from which it can go on, with ``message`` saying what is missing.

    Raises
    ------
    ReadError
        If the file is missing, empty, truncated, damaged, foreign or of a newer format, or needs a class that was not
        passed; the message names it.

    Warns
    -----
    LossWarning
        If a run that did not end has stored states behind its last checkpoint, which are left out.

    Examples
    --------
    >>> import tempfile
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel, name="rod")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = fx.solve_modal(fx.Model(beam, fx.Clamp(beam.start)), modes=3).save(f"{folder}/modes.h5")
    ...     modes = fx.load(path)
    >>> len(modes), modes.model.body("rod").element.name
    (3, 'planar cable')
    """
    if not isinstance(classes, Iterable):
        raise ModelError(f"load: classes must be a list of classes, such as (MyElement,), not {show(classes)}.")
    left = Path(f"{path}.journal") if isinstance(path, str | PathLike) else None
    try:
        if left is not None and not Path(path).exists() and left.exists():
            path = left  # what a run left behind that did not come to its end
    except OSError as error:
        raise ReadError(f"load: {show(path)} cannot be a file: {error.strerror}.") from None
    if holds_time(path):
        return load_time(path, model, (*classes, *built_in_classes()))
    return store.load(path, classes, built_in_classes(), model)


def built_in_classes() -> list[type]:
    """Classes of all elements that come with flexmbs, and of what they are made of."""
    found = [getattr(built_in, name) for name in dir(built_in)] + [Ply] + [type(element) for element in built_in.ALL]
    return list(dict.fromkeys(item for item in found if isinstance(item, type)))
