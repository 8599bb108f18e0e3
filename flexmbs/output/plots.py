"""Plots of results with matplotlib: shapes, modes and paths.

Every function draws into the axes it is given, or into a new figure of its own when there are none, and returns the
axes. Nothing is ever shown or closed: call ``matplotlib.pyplot.show()``, or ``ax.figure.savefig(...)``.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, cast

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.ticker import MaxNLocator

from flexmbs.analysis.modal import Modes
from flexmbs.body import as_attachment
from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.output import style
from flexmbs.output.sampling import FACETS, MOMENT, PIECES, Curves, facets, label_of, model_size, outline, symbols
from flexmbs.output.symbols import draw_symbols
from flexmbs.solution import Solution

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flexmbs.body import Attachment, FlexibleBody
    from flexmbs.model import Model

__all__ = ["plot_mode", "plot_path", "plot_shape"]

BOTH_SIGNS = 1e-3
"""Share of the largest value from which values of the other sign count."""
FLAT = 1e-4
"""Relative variation below which values count as constant: so much is noise of the discretisation."""
DEEP = 0.3
"""Least extent of a spatial drawing in each direction, as a share of the largest."""


def plot_shape(
    solution: Solution, resultant: str | None = None, step: int | Literal["all"] = -1, ax: Axes | None = None
) -> Axes:
    """Draw the deformed shape of all bodies, coloured by a stress resultant.

    The stress-free shape is grey. A resultant is drawn in straight lines through the points of each element where it
    is good (Gauss' two for moments); bodies that do not have it are drawn in one colour.

    Parameters
    ----------
    solution : Solution
    resultant : str, optional
        Symbol such as ``"N"`` or ``"M"``; ``"|M|"`` is the magnitude of the moment of a body in space. Left out: the
        moment, else the first that there is.
    step : int or "all"
        Which equilibrium; ``"all"`` draws every one with one scale of colours.
    ax : Axes, optional
        Where to draw; spatial models need axes made with ``projection="3d"``.

    Returns
    -------
    Axes

    Raises
    ------
    ModelError
        If no body has the resultant, the step does not exist, or the axes do not fit.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.PlanarCable(),
    ...                             section=fx.Rectangle(0.02, 0.002), material=fx.steel)
    >>> bent = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0))))
    >>> from matplotlib.figure import Figure
    >>> plot_shape(bent, "M", ax=Figure().subplots()).get_xlabel()
    'x [m]'
    """
    if not isinstance(solution, Solution):
        raise ModelError(f"plot_shape: expected a Solution, not {show(solution)}.")
    model: Model = solution.model
    symbol = _chosen(model, resultant)
    everything = isinstance(step, str) and step == "all"
    if not everything and (isinstance(step, bool) or not isinstance(step, int | np.integer)):
        raise ModelError(f"plot_shape: step must be a whole number or 'all', not {show(step)}.")
    last = solution.n_steps - 1 if everything else solution._step(int(step))
    curves, shapes, values = Curves(solution), [], []
    for i in range(last + 1) if everything else [last]:
        for body in model.flexible_bodies:
            shapes.append(curves.shape(body, solution.q[i]))
            has = symbol is not None and symbol in symbols(body)
            values.append(curves.resultant(body, str(symbol), solution.q[i]) if has else None)
    with _look(ax):
        axes = _axes("plot_shape", model, ax)
        bodies = model.flexible_bodies
        _thin(axes, [_drawn(body, curves.shape(body, curves.reference)) for body in bodies])
        draw_symbols(axes, model, lambda at: solution.position(at, last))
        flat = [bodies[i % len(bodies)].surface for i in range(len(shapes))]
        lines = [(s, v) for s, v, f in zip(shapes, values, flat, strict=True) if not f]
        faces = [(s, v) for s, v, f in zip(shapes, values, flat, strict=True) if f]
        scale = _scale_of(lines, faces)
        _draw_lines(axes, lines, scale, everything)
        _draw_faces(axes, faces, scale)
        if scale is not None and symbol is not None:
            _colour_bar(axes, scale, _typeset(label_of(model, symbol)))
        _finish(axes, model, [*shapes, *(body.mesh.points for body in model.flexible_bodies)])
        which = f"{solution.n_steps} equilibria up to " if everything else ""
        axes.set_title(f"{model.name}, {which}load parameter {solution.parameters[last]:.4g}")
    return cast("Axes", axes)


def plot_mode(modes: Modes, mode: int = 0, ax: Axes | None = None, share: float = 0.1) -> Axes:
    """Draw a mode at both signs over the state it belongs to, with its frequency in the title.

    Parameters
    ----------
    modes : Modes
    mode : int
        Counted from 0.
    ax : Axes, optional
        Where to draw; spatial models need axes made with ``projection="3d"``.
    share : float
        Largest displacement as a share of the size of the model, positive.

    Returns
    -------
    Axes

    Raises
    ------
    ModelError
        If there is no such mode or the axes do not fit.
    """
    if not isinstance(modes, Modes):
        raise ModelError(f"plot_mode: expected Modes, not {show(modes)}.")
    model = modes.model
    size = as_number("plot_mode", "share", share, above=0.0) * model_size(model)
    bodies = model.flexible_bodies
    state, moved = (
        [
            _drawn(body, modes.shape(body, mode, amplitude, FACETS + 1 if body.surface else PIECES + 1))
            for body in bodies
        ]
        for amplitude in (0.0, 1.0)
    )
    unit = [there - here for there, here in zip(moved, state, strict=True)]
    largest = max(float(np.linalg.norm(u, axis=-1).max()) for u in unit)
    scale = size / largest if largest > 0.0 else 0.0
    with _look(ax):
        axes = _axes("plot_mode", model, ax)
        _thin(axes, state)
        _draw_mode(axes, state, [scale * u for u in unit])
        draw_symbols(axes, model, lambda at: _state_points(modes, at))
        _finish(axes, model, [here + sign * scale * u for here, u in zip(state, unit, strict=True) for sign in (1, -1)])
        axes.set_title(f"{model.name}, mode {mode}: {_frequency(modes, mode)}")
    return cast("Axes", axes)


def plot_path(solution: Solution, at: Attachment, ax: Axes | None = None) -> Axes:
    """Draw the displacements of a node over the load parameter, and its rotation in a planar model.

    The rotation [rad] has the axis on the right.

    Parameters
    ----------
    solution : Solution
    at : Attachment
        One node.
    ax : Axes, optional

    Returns
    -------
    Axes
        Those of the displacements.

    Raises
    ------
    ModelError
        If ``at`` is not one node of the model.
    """
    if not isinstance(solution, Solution):
        raise ModelError(f"plot_path: expected a Solution, not {show(solution)}.")
    as_attachment("plot_path", at, single=True)
    model: Model = solution.model
    moved = solution.positions(at) - at.body.mesh.points[at.nodes[0]]
    turned = solution.rotations(at) if model.flexible_bodies[0].mesh.dim == 2 else None
    with _look(ax):
        axes = _new_figure((6.4, 4.0), None) if ax is None else _checked("plot_path", ax, spatial=False)
        lines = []
        for k in range(moved.shape[1]):
            colour, marker = (style.BLUE, style.ORANGE, style.GREEN)[k], "osD"[k]
            look = {"color": colour, "marker": marker, "ms": 4, "mfc": "white", "label": f"$u_{'xyz'[k]}$"}
            lines += axes.plot(solution.parameters, moved[:, k], **look)
        if turned is not None:
            lines += _draw_rotation(axes, solution.parameters, turned)
        axes.set_xlabel("load parameter")
        axes.set_ylabel(f"displacement [{model.units.of('length')}]")
        axes.legend(handles=lines)
        axes.set_title(f"{model.name}, {at}")
    return cast("Axes", axes)


def _draw_mode(axes: Any, state: list[FloatArray], moved: list[FloatArray]) -> None:
    """A mode at its positive (thick) and negative (dashed) sign."""
    for sign, width, dashes in ((-1.0, 1.2, (0, (4, 2))), (1.0, style.WIDTH, "solid")):
        lines = _polylines(here + sign * u for here, u in zip(state, moved, strict=True))
        axes.add_collection(_collection(axes, lines, colors=style.BLUE, linewidths=width, linestyles=dashes, zorder=4))


def _draw_rotation(axes: Any, parameters: FloatArray, angles: FloatArray) -> list[Any]:
    """The rotation, with its axis on the right."""
    right = axes.twinx()
    right.grid(False)
    right.spines["right"].set(visible=True, color=style.GREEN)
    right.tick_params(axis="y", colors=style.GREEN)
    right.set_ylabel("rotation [rad]", color=style.GREEN)
    look = {"color": style.GREEN, "ls": (0, (5, 2)), "marker": "^", "ms": 4, "mfc": "white"}
    lines: list[Any] = right.plot(parameters, angles, label=r"$\varphi$ (right)", **look)
    return lines


@contextmanager
def _look(ax: Axes | None) -> Iterator[None]:
    """The settings of our own figures; axes that are passed in keep theirs.

    The first figure makes pyplot load its backend, and a notebook's switches interactive drawing on; that must outlast
    the context.
    """
    if ax is not None:
        yield
        return
    with matplotlib.rc_context(style.RC):
        yield
        interactive = matplotlib.rcParams["interactive"]
    matplotlib.rcParams["interactive"] = interactive


def _chosen(model: Model, resultant: str | None) -> str | None:
    """The symbol to colour by."""
    known = list(dict.fromkeys(symbol for body in model.flexible_bodies for symbol in symbols(body)))
    if resultant is None:
        return next((symbol for symbol in ("M", MOMENT, "M_11", *known) if symbol in known), None)
    if resultant not in known:
        raise ModelError(f"plot_shape: {unknown_name('stress resultant', resultant, known)}")
    return resultant


def _axes(owner: str, model: Model, ax: Axes | None) -> Any:
    """The axes to draw a shape in."""
    spatial = model.flexible_bodies[0].mesh.dim == 3
    if ax is not None:
        return _checked(owner, ax, spatial)
    return _new_figure((6.8, 5.2) if spatial else (7.2, 4.6), {"projection": "3d"} if spatial else None)


def _new_figure(size: tuple[float, float], subplot: dict[str, Any] | None) -> Any:
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, subplot_kw=subplot, layout="constrained")[1]


def _checked(owner: str, ax: object, spatial: bool) -> Any:
    """Refuse what is not axes, or not of the right dimension."""
    if not isinstance(ax, Axes):
        raise ModelError(f"{owner}: ax must be matplotlib axes, not {show(ax)}.")
    if spatial != (ax.name == "3d"):
        wanted = "axes made with projection='3d'" if spatial else "plane axes"
        raise ModelError(f"{owner}: this drawing needs {wanted}, not {type(ax).__name__}.")
    return ax


def _collection(axes: Any, segments: Any, **look: Any) -> Any:
    """A collection of lines in the plane or in space."""
    look = {"capstyle": "round", "joinstyle": "round", **look}
    if axes.name != "3d":
        return LineCollection(segments, **look)
    from mpl_toolkits.mplot3d.art3d import Line3DCollection  # type: ignore[import-untyped]

    return Line3DCollection(segments, **look)


def _polylines(curves: Iterable[FloatArray]) -> list[FloatArray]:
    """One line per element."""
    return [line for curve in curves for line in curve]


def _thin(axes: Any, curves: list[FloatArray]) -> None:
    """The shape that others are compared with."""
    lines = _collection(axes, _polylines(curves), colors=style.GREY, linewidths=1.0, zorder=2)
    axes.add_collection(lines)


Values = list[tuple[FloatArray, FloatArray | None]]
"""Points and values of bodies: of lines, or of the grids of surfaces; None: drawn in one colour."""


def _scale_of(lines: Values, faces: Values) -> tuple[Normalize, Any] | None:
    """Limits and colours of the values of all pieces of lines and faces; None if there are none."""
    means = [_line_means(v) for _, v in lines if v is not None] + [_face_means(v) for _, v in faces if v is not None]
    return _scale(np.concatenate(means)) if means else None


def _line_means(values: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (values[:, :-1] + values[:, 1:]).ravel())


def _face_means(values: FloatArray) -> FloatArray:
    return np.asarray(values[:, facets()].mean(axis=2).ravel())


def _draw_lines(axes: Any, lines: Values, scale: tuple[Normalize, Any] | None, fine: bool) -> None:
    """Lines in pieces coloured by the mean of their ends."""
    width = 0.6 * style.WIDTH if fine else style.WIDTH
    plain = [curve for curve, value in lines if value is None]
    if plain:
        axes.add_collection(_collection(axes, _polylines(plain), colors=style.INK, linewidths=width, zorder=4))
    coloured = [(curve, value) for curve, value in lines if value is not None]
    if not coloured or scale is None:
        return
    pieces = [np.stack((c[:, :-1], c[:, 1:]), axis=2).reshape(-1, 2, c.shape[-1]) for c, _ in coloured]
    drawn = _collection(axes, np.concatenate(pieces), norm=scale[0], cmap=scale[1], linewidths=width, zorder=4)
    drawn.set_array(np.concatenate([_line_means(v) for _, v in coloured]))
    axes.add_collection(drawn)


def _draw_faces(axes: Any, faces: Values, scale: tuple[Normalize, Any] | None) -> None:
    """Surfaces in facets coloured by the mean of their corners, with the edges of the elements."""
    if not faces:
        return
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    quads = np.concatenate([points[:, facets()].reshape(-1, 4, 3) for points, _ in faces])
    grey = np.tile(matplotlib.colors.to_rgba(style.GREY, 0.6), (len(quads), 1))
    start = 0
    for points, values in faces:
        n = len(points) * len(facets())
        if values is not None and scale is not None:
            grey[start : start + n] = scale[1](scale[0](_face_means(values)))
        start += n
    axes.add_collection(Poly3DCollection(quads, facecolors=grey, edgecolors="none", linewidths=0.0, zorder=3))
    edges = [points[:, outline()] for points, _ in faces]
    axes.add_collection(_collection(axes, _polylines(edges), colors=style.INK, linewidths=0.3, zorder=4))


def _colour_bar(axes: Any, scale: tuple[Normalize, Any], label: str) -> None:
    spatial = axes.name == "3d"
    shrink, pad = (0.65, 0.12) if spatial else (0.9, 0.02)
    mappable = ScalarMappable(norm=scale[0], cmap=scale[1])
    axes.figure.colorbar(mappable, ax=axes, label=label, shrink=shrink, pad=pad, aspect=28)


def _drawn(body: FlexibleBody, points: FloatArray) -> FloatArray:
    """The lines of a body: its curves, or the edges of the elements of a surface."""
    return points[:, outline()] if body.surface else points


def _typeset(label: str) -> str:
    """A label whose symbol has an index, with the index set lower."""
    symbol, _, unit = label.partition(" ")
    letter, _, index = symbol.partition("_")
    if not index:
        return label
    return f"${letter}_{{{index}}}$ {unit}" if len(index) > 1 else f"${symbol}$ {unit}"


def _scale(values: FloatArray) -> tuple[Normalize, Any]:
    """Limits and colours: about zero where both signs matter."""
    low, high = float(values.min()), float(values.max())
    top = max(abs(low), abs(high))
    if top == 0.0:
        return Normalize(-1.0, 1.0), style.diverging()
    if min(-low, high) > BOTH_SIGNS * top:
        return Normalize(-top, top), style.diverging()
    if high - low <= FLAT * top:
        low, high = min(low, 0.0), max(high, 0.0)
    return Normalize(low, high), style.sequential()


def _finish(axes: Any, model: Model, shapes: list[FloatArray]) -> None:
    """Limits, equal scales and labels."""
    unit = model.units.of("length")
    points = np.concatenate([shape.reshape(-1, shape.shape[-1]) for shape in shapes])
    low, high = points.min(axis=0), points.max(axis=0)
    axes.set_xlabel(f"x [{unit}]")
    axes.set_ylabel(f"y [{unit}]")
    if axes.name != "3d":
        axes.set_aspect("equal", adjustable="datalim")
        axes.update_datalim(points)
        axes.margins(0.08)
        axes.autoscale_view()
        return
    half = 0.5 * np.maximum(high - low, DEEP * (high - low).max()) * 1.05
    middle = 0.5 * (low + high)
    axes.set_zlabel(f"z [{unit}]")
    axes.set(**{f"{name}lim": (middle[k] - half[k], middle[k] + half[k]) for k, name in enumerate("xyz")})
    axes.set_box_aspect(half, zoom=0.95)
    for name, share in zip("xyz", half / half.max(), strict=True):
        getattr(axes, f"{name}axis").set_major_locator(MaxNLocator(max(2, round(6 * share))))


def _state_points(modes: Modes, at: Attachment) -> FloatArray:
    """Where nodes are in the state that modes are about."""
    layout = at.body.element.layout
    points = modes.q[modes.system.coordinates.dofs(at)[:, list(layout.position)]]
    return points if layout.absolute else points + at.body.mesh.points[list(at.nodes)]


def _frequency(modes: Modes, mode: int) -> str:
    """The frequency of a mode in words."""
    value, units = modes.eigenvalues[mode], modes.model.units
    if abs(np.imag(value)) > 0.0:
        root = np.sqrt(complex(value))
        return f"flutter, ω = {root.real:.4g} ± {abs(root.imag):.2g} i {units.of('angular frequency')}"
    frequency = modes.frequencies[mode]
    if frequency < 0.0:
        return f"unstable, ω² = {np.real(value):.4g} ({units.of('angular frequency')})²"
    return f"f = {frequency:.4g} {units.of('frequency')}"
