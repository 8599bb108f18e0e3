"""How models, results and modes show themselves in notebooks: a small picture and a table, as HTML in itself.

Nothing is raised: where a picture cannot be drawn, or would take long, the table stands alone.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from flexmbs.model.model import Model
    from flexmbs.results.modal import ModalSolution
    from flexmbs.results.states import States

__all__ = ["html_of_model", "html_of_modes", "html_of_states"]

SIZE, DPI = (4.2, 2.9), 72
"""Of the picture [in, dots per inch]."""
MOST = 20_000
"""Coordinates beyond which no picture is drawn."""
ROWS = 12
"""Rows of a table; others are counted."""
Rows = Sequence[Sequence[str]]


def html_of_model(model: Model) -> str:
    """The model as it was put together, and what is in it."""

    def rows() -> Rows:
        lines = str(model).splitlines()[1:]
        return [line.strip().split(": ", 1) for line in lines]

    def picture() -> Any:
        from flexmbs.results.given_states import GivenStates
        from flexmbs.system.system import compile_model

        system = compile_model(model)
        return _shape(GivenStates(system, system.coordinates.reference[None, :]), 0, f"{model.name}")

    units = model.units
    return _html(f"model {model.name!r} [{units.length}, {units.mass}, {units.time}]", rows, picture, ())


def html_of_states(solution: States) -> str:
    """The last state, and what was computed."""

    def rows() -> Rows:
        found: list[Sequence[str]] = [
            (solution.name_of_t, f"{solution.t[0]:g} to {solution.t[-1]:g} {solution.unit_of_t}".removesuffix(" -")),
            ("states", f"{len(solution)}"),
        ]
        about: Any = solution
        status = getattr(about, "status", None)
        found += [("status", str(status.name).lower())] if status is not None else []
        found += [("message", about.message)] if getattr(about, "message", "") else []
        if len(getattr(about, "steps", ())):
            found += [("steps", f"{len(about.steps)}")]
        if len(getattr(about, "iterations", ())):
            found += [("iterations", f"{len(about.iterations)}")]
        if getattr(about, "redundant", ()):
            found += [("redundant", ", ".join(about.redundant[:3]))]
        found += [(f"event {event.name}", f"t = {event.t:.6g}") for event in getattr(about, "events", ())]
        names = [j.name for j in solution.model.joints] + [f.name for f in solution.model.forces]
        if names:
            found += [("ask for", ", ".join(names[:6]) + (", ..." if len(names) > 6 else ""))]
        return found

    def picture() -> Any:
        from flexmbs.visualization.plots import state_in_words

        last = len(solution) - 1
        return _shape(solution, last, f"{solution.model.name}, {state_in_words(solution, last)}")

    return _html(repr(solution).strip("<>"), rows, picture, ())


def html_of_modes(modes: ModalSolution) -> str:
    """The first mode that vibrates, and the frequencies."""

    def rows() -> Rows:
        table = modes.table()
        found = zip(table["frequency"], table["damping ratio"], table["growing"], modes.whirl, strict=True)
        return [
            (f"{k}", f"{f:.5g}", f"{d:.3g}", " ".join(w for w in ("growing" if g else "", str(whirl)) if w))
            for k, (f, d, g, whirl) in enumerate(found)
        ]

    def picture() -> Any:
        from flexmbs.visualization.plots import plot_mode

        size = np.abs(modes.roots)
        first = int(np.argmax(size > 1e-6 * size.max(initial=1e-300)))
        figure = _drawn(modes, lambda axes: plot_mode(modes, first, ax=axes))
        figure.axes[0].set_title(f"mode {first}: {modes.frequencies[first]:.5g} {modes.model.units.of('frequency')}")
        return figure

    heads = ("mode", f"frequency [{modes.model.units.of('frequency')}]", "damping ratio", "")
    return _html(f"{len(modes)} modes of model {modes.model.name!r}", rows, picture, heads)


def _shape(states: States, step: int, title: str) -> Any:
    """A figure of the shape in a state."""
    from flexmbs.visualization.plots import plot_shape

    figure = _drawn(states, lambda axes: plot_shape(states, step=step, ax=axes))
    figure.axes[0].set_title(title)
    return figure


def _drawn(result: Any, draw: Callable[[Any], object]) -> Any:
    """A figure that no window knows."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from flexmbs.visualization import style
    from flexmbs.visualization.body_parts import is_planar

    if result.system.coordinates.n > MOST:
        raise ValueError("too large for a small picture")
    with mpl.rc_context(style.RC | {"font.size": 8.0, "axes.titlesize": 9.0, "figure.dpi": DPI}):
        figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
        draw(figure.add_subplot(**({} if is_planar(result.model) else {"projection": "3d"})))
    return figure


def _html(title: str, rows: Callable[[], Rows], picture: Callable[[], Any], heads: Sequence[str]) -> str:
    """Title, picture and table side by side; what fails is left out."""
    image = _attempt(lambda: _png(picture()), "")
    body = _attempt(lambda: _table(rows(), heads), "")
    left = f'<img alt="{escape(title, quote=True)}" src="data:image/png;base64,{image}">' if image else ""
    return (
        f'<div class="flexmbs"><strong>{escape(title)}</strong>'
        f'<div style="display:flex;flex-wrap:wrap;align-items:flex-start;gap:1em">{left}{body}</div></div>'
    )


def _png(figure: Any) -> str:
    import matplotlib as mpl

    from flexmbs.visualization import style

    file = io.BytesIO()
    with mpl.rc_context(style.RC):
        figure.savefig(file, format="png", dpi=DPI)
    return base64.b64encode(file.getvalue()).decode("ascii")


def _table(rows: Rows, heads: Sequence[str]) -> str:
    """Rows of text; of many the first ones."""
    cell = 'style="text-align:left;vertical-align:top"'

    def line(kind: str, parts: Sequence[str]) -> str:
        return "<tr>" + "".join(f"<{kind} {cell}>{escape(part)}</{kind}>" for part in parts) + "</tr>"

    lines = [line("th", heads)] if heads else []
    lines += [line("td", row) for row in rows[:ROWS]]
    more = f"<tr><td>and {len(rows) - ROWS} more</td></tr>" if len(rows) > ROWS else ""
    return f"<table>{''.join(lines)}{more}</table>"


def _attempt(make: Callable[[], str], otherwise: str) -> str:
    """What a function gives; a notebook shows the rest where it fails."""
    try:
        return make()
    except Exception:  # noqa: BLE001  # showing an object must never stop a notebook
        return otherwise
