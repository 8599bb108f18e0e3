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
from matplotlib.ticker import MaxNLocator

from flexmbs.body import as_attachment
from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.output import style
from flexmbs.output.coloured import collection, colour_bar, draw_faces, draw_lines, polylines, scale_of
from flexmbs.output.sampling import FACETS, MOMENT, PIECES, Curves, label_of, model_size, outline, symbols
from flexmbs.output.symbols import draw_symbols
from flexmbs.results.modal import ModalSolution
from flexmbs.results.static import StaticSolution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flexmbs.body import Attachment, FlexibleBody
    from flexmbs.model import Model

__all__ = ["plot_mode", "plot_path", "plot_shape"]

DEEP = 0.3
"""Least extent of a spatial drawing in each direction, as a share of the largest."""


def plot_shape(
    solution: StaticSolution, resultant: str | None = None, step: int | Literal["all"] = -1, ax: Axes | None = None
) -> Axes:
    """Draw the deformed shape of all bodies, coloured by a stress resultant.

    The stress-free shape is grey. A resultant is drawn in straight lines through the points of each element where it
    is good (Gauss' two for moments); bodies that do not have it are drawn in one colour.

    Parameters
    ----------
    solution : StaticSolution
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
    if not isinstance(solution, StaticSolution):
        raise ModelError(f"plot_shape: expected a StaticSolution, not {show(solution)}.")
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
        dim = model.flexible_bodies[0].mesh.dim
        draw_symbols(axes, model, lambda at: solution.position(at, last)[..., :dim])
        flat = [bodies[i % len(bodies)].surface for i in range(len(shapes))]
        lines = [(s, v) for s, v, f in zip(shapes, values, flat, strict=True) if not f]
        faces = [(s, v) for s, v, f in zip(shapes, values, flat, strict=True) if f]
        scale = scale_of(lines, faces)
        draw_lines(axes, lines, scale, everything)
        draw_faces(axes, faces, scale)
        if scale is not None and symbol is not None:
            colour_bar(axes, scale, _typeset(label_of(model, symbol)))
        _finish(axes, model, [*shapes, *(body.mesh.points for body in model.flexible_bodies)])
        which = f"{solution.n_steps} equilibria up to " if everything else ""
        axes.set_title(f"{model.name}, {which}load parameter {solution.load_factors[last]:.4g}")
    return cast("Axes", axes)


def plot_mode(modes: ModalSolution, mode: int = 0, ax: Axes | None = None, share: float = 0.1) -> Axes:
    """Draw a mode at both signs over the state it belongs to, with its frequency in the title.

    Parameters
    ----------
    modes : ModalSolution
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
    if not isinstance(modes, ModalSolution):
        raise ModelError(f"plot_mode: expected a ModalSolution, not {show(modes)}.")
    model = modes.model
    size = as_number("plot_mode", "share", share, above=0.0) * model_size(model)
    bodies = model.flexible_bodies
    dim = bodies[0].mesh.dim
    state, moved = (
        [
            _drawn(body, modes.shape(body, mode, amplitude, FACETS + 1 if body.surface else PIECES + 1)[..., :dim])
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


def plot_path(solution: StaticSolution, at: Attachment, ax: Axes | None = None) -> Axes:
    """Draw the displacements of a node over the load parameter, and its rotation in a planar model.

    The rotation [rad] has the axis on the right.

    Parameters
    ----------
    solution : StaticSolution
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
    if not isinstance(solution, StaticSolution):
        raise ModelError(f"plot_path: expected a StaticSolution, not {show(solution)}.")
    as_attachment("plot_path", at, single=True)
    model: Model = solution.model
    dim = model.flexible_bodies[0].mesh.dim
    moved = solution.displacement(at)[:, :dim]
    turned = solution.angle(at) if dim == 2 else None
    with _look(ax):
        axes = _new_figure((6.4, 4.0), None) if ax is None else _checked("plot_path", ax, spatial=False)
        lines = []
        for k in range(moved.shape[1]):
            colour, marker = (style.BLUE, style.ORANGE, style.GREEN)[k], "osD"[k]
            look = {"color": colour, "marker": marker, "ms": 4, "mfc": "white", "label": f"$u_{'xyz'[k]}$"}
            lines += axes.plot(solution.load_factors, moved[:, k], **look)
        if turned is not None:
            lines += _draw_rotation(axes, solution.load_factors, turned)
        axes.set_xlabel("load parameter")
        axes.set_ylabel(f"displacement [{model.units.of('length')}]")
        axes.legend(handles=lines)
        axes.set_title(f"{model.name}, {at}")
    return cast("Axes", axes)


def _draw_mode(axes: Any, state: list[FloatArray], moved: list[FloatArray]) -> None:
    """A mode at its positive (thick) and negative (dashed) sign."""
    for sign, width, dashes in ((-1.0, 1.2, (0, (4, 2))), (1.0, style.WIDTH, "solid")):
        lines = polylines(here + sign * u for here, u in zip(state, moved, strict=True))
        axes.add_collection(collection(axes, lines, colors=style.BLUE, linewidths=width, linestyles=dashes, zorder=4))


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


def _thin(axes: Any, curves: list[FloatArray]) -> None:
    """The shape that others are compared with."""
    lines = collection(axes, polylines(curves), colors=style.GREY, linewidths=1.0, zorder=2)
    axes.add_collection(lines)


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


def _state_points(modes: ModalSolution, at: Attachment) -> FloatArray:
    """Where nodes are in the state that modes are about."""
    layout = at.body.element.layout
    points = modes.q[modes.system.coordinates.dofs(at)[:, list(layout.position)]]
    return points if layout.absolute else points + at.body.mesh.points[list(at.nodes)]


def _frequency(modes: ModalSolution, mode: int) -> str:
    """The frequency of a mode in words."""
    s, units = complex(modes.roots[mode]), modes.model.units
    unit = units.of("angular frequency")
    if modes.growing[mode]:
        if s.imag == 0.0:
            return f"unstable, ω² = {-s.real * s.real:.4g} ({unit})²"
        return f"flutter, ω = {s.imag:.4g} ± {s.real:.2g} i {unit}"
    damping = float(modes.damping_ratios[mode])
    damped = f", damping ratio {damping:.2g}" if abs(damping) > 1e-8 and s.imag else ""
    return f"f = {modes.frequencies[mode]:.4g} {units.of('frequency')}{damped}"
