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
from matplotlib.colors import to_rgba
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.linear.pictures import shaded
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.results.given_states import GivenStates
from flexmbs.results.kinematics import in_space
from flexmbs.results.modal import ModalSolution
from flexmbs.results.states import States
from flexmbs.results.static import StaticSolution
from flexmbs.visualization import style
from flexmbs.visualization.body_parts import Parts, is_planar, mode_parts, parts_at
from flexmbs.visualization.coloured import collection, colour_bar, draw_faces, draw_lines, polylines, scale_of, typeset
from flexmbs.visualization.contact_arrows import draw_contacts
from flexmbs.visualization.contact_floors import draw_floors
from flexmbs.visualization.figures import move_labels_away, room_below
from flexmbs.visualization.load_symbols import draw_loads
from flexmbs.visualization.sampling import MOMENT, Curves, label_of, outline, symbols
from flexmbs.visualization.symbols import draw_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.model import Model

__all__ = ["plot_mode", "plot_path", "plot_shape", "state_in_words"]

DEPTH = 0.6
"""Share of its colour that a solid has in full light, which leaves room for shade."""
DEEP = 0.3
"""Least extent of a spatial drawing in each direction, as a share of the largest."""


def plot_shape(
    solution: States, resultant: str | None = None, step: int | Literal["all"] = -1, ax: Axes | None = None
) -> Axes:
    """Draw the deformed shape of all bodies, coloured by a stress resultant.

    The stress-free shape is grey. A resultant is drawn in straight lines through the points of each element where it
    is good (Gauss' two for moments); bodies that do not have it are drawn in one colour.

    Parameters
    ----------
    solution : StaticSolution or TimeSolution
    resultant : str, optional
        Symbol such as ``"N"`` or ``"M"``; ``"|M|"`` is the magnitude of the moment of a body in space. Left out: the
        moment, else the first that there is.
    step : int or "all"
        Which stored state; ``"all"`` draws every one with one scale of colours.
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
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Rectangle(width=0.02, height=0.002), material=fx.steel)
    >>> bent = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0))))
    >>> from matplotlib.figure import Figure
    >>> plot_shape(bent, "M", ax=Figure().subplots()).get_xlabel()
    'x [m]'
    """
    if not isinstance(solution, States):
        raise ModelError(f"plot_shape: expected a StaticSolution or TimeSolution, not {show(solution)}.")
    model: Model = solution.model
    symbol = _chosen(model, resultant)
    everything = isinstance(step, str) and step == "all"
    if not everything and (isinstance(step, bool) or not isinstance(step, int | np.integer)):
        raise ModelError(f"plot_shape: step must be a whole number or 'all', not {show(step)}.")
    last = len(solution) - 1 if everything else solution.number(int(step))
    curves, shapes, values = Curves(solution), [], []
    rest = parts_at(solution.system, curves.reference)
    drawn = [parts_at(solution.system, solution.q[i]) for i in (range(last + 1) if everything else [last])]
    for i, parts in enumerate(drawn):
        for body, shape in zip(model.flexible_bodies, parts.shapes, strict=True):
            shapes.append(shape)
            has = symbol is not None and symbol in symbols(body)
            at = i if everything else last
            q, v = np.array(solution.q[at]), np.array(solution.v[at])
            values.append(curves.resultant(body, str(symbol), q, v) if has else None)
    with _look(ax):
        axes = _axes("plot_shape", model, ax)
        dim = 3 if axes.name == "3d" else 2
        bodies = model.flexible_bodies
        _thin(axes, [_drawn(body, points[..., :dim]) for body, points in zip(bodies, rest.shapes, strict=True)])
        draw_symbols(axes, model, lambda at: solution.position(at, last)[..., :dim])
        flat = [bodies[i % len(bodies)].surface for i in range(len(shapes))]
        lines = [(s[..., :dim], v) for s, v, f in zip(shapes, values, flat, strict=True) if not f]
        faces = [(s, v) for s, v, f in zip(shapes, values, flat, strict=True) if f]
        scale = scale_of(lines, faces)
        draw_lines(axes, lines, scale, everything)
        draw_faces(axes, faces, scale)
        _draw_others(axes, rest, style.GREY)
        for parts in drawn:
            _draw_others(axes, parts)
        if scale is not None and symbol is not None:
            colour_bar(axes, scale, typeset(label_of(model, symbol)))
        draw_loads(axes, solution, last, Parts(shapes, [], []).extent() if shapes else drawn[-1].extent())
        corners = np.concatenate([parts.corners() for parts in (rest, *drawn)])
        floors = draw_floors(axes, model, corners)
        draw_contacts(axes, solution, last, corners)
        _finish(axes, model, [rest, *drawn], floors)
        which = f"{len(solution)} {'states' if solution.over_time else 'equilibria'} up to " if everything else ""
        axes.set_title(as_drawn(f"{model.name}, {which}{state_in_words(solution, last)}"))
    return cast("Axes", axes)


def state_in_words(solution: States, step: int) -> str:
    """``t = 0.5 s`` or ``load factor 1``."""
    at = float(solution.t[step])
    if solution.unit_of_t in ("", "-"):
        return f"{solution.name_of_t} {at:.4g}"
    return f"{solution.name_of_t} = {at:.4g} {solution.unit_of_t}"


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
        Largest displacement of flexible bodies, or of all where these do not move, as a share of the size of the model.

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
    found = mode_parts(modes, modes.number(mode), share=as_number("plot_mode", "share", share, above=0.0))
    state = found.state  # both sides as the model would be there: rigid bodies turn and do not grow
    sides = {s: parts_at(modes.system, modes.moved(s * found.amplitude * found.vector)) for s in (-1.0, 1.0)}
    with _look(ax):
        axes = _axes("plot_mode", model, ax)
        dim = 3 if axes.name == "3d" else 2
        bodies = model.flexible_bodies
        _thin(axes, [_drawn(body, points[..., :dim]) for body, points in zip(bodies, state.shapes, strict=True)])
        for sign, width, dashes in ((-1.0, 1.2, (0, (4, 2))), (1.0, style.WIDTH, "solid")):
            shapes = zip(bodies, sides[sign].shapes, strict=True)
            lines = polylines(_drawn(body, points[..., :dim]) for body, points in shapes)
            look = {"colors": style.BLUE, "linewidths": width, "linestyles": dashes, "zorder": 4}
            axes.add_collection(collection(axes, lines, **look))
        draw_symbols(axes, model, lambda at: GivenStates(modes.system, modes.q[None, :]).position(at, 0)[..., :dim])
        _draw_others(axes, state, style.GREY)
        _draw_others(axes, sides[-1.0], style.BLUE, dashed=True)
        _draw_others(axes, sides[1.0], style.BLUE)
        _finish(axes, model, [state, *sides.values()])
        axes.set_title(as_drawn(f"{model.name}, mode {mode}: {_frequency(modes, mode)}"))
    return cast("Axes", axes)


def plot_path(solution: StaticSolution, at: Any, ax: Axes | None = None) -> Axes:
    """Draw the displacements of a place over the load factor, and its rotation where it turns in the plane.

    The rotation [rad] has the axis on the right.

    Parameters
    ----------
    solution : StaticSolution
    at : Attachment, Marker, body or str
        One node, a marker, or a body or its name.
    ax : Axes, optional

    Returns
    -------
    Axes
        Those of the displacements.

    Raises
    ------
    ModelError
        If ``at`` is not one place of the model.
    """
    if not isinstance(solution, StaticSolution):
        raise ModelError(f"plot_path: expected a StaticSolution, not {show(solution)}.")
    if isinstance(at, Attachment):
        as_attachment("plot_path", at, single=True)
    elif not isinstance(at, str | Marker | Body):
        raise ModelError(f"plot_path: expected a place on a body such as beam.end, a marker or a body, not {show(at)}.")
    model: Model = solution.model
    moved = solution.displacement(at)[:, : 2 if is_planar(model) else 3]
    try:
        turned = solution.angle(at) if is_planar(model) else None
    except ModelError:  # a point, which does not turn
        turned = None
    with _look(ax):
        axes = _new_figure((6.4, 4.0), None) if ax is None else _checked("plot_path", ax, spatial=False)
        lines = []
        for k in range(moved.shape[1]):
            colour, marker = (style.BLUE, style.ORANGE, style.GREEN)[k], "osD"[k]
            look = {"color": colour, "marker": marker, "ms": 4, "mfc": "white", "label": f"$u_{'xyz'[k]}$"}
            lines += axes.plot(solution.load_factors, moved[:, k], **look)
        if turned is not None:
            lines += _draw_rotation(axes, solution.load_factors, turned)
        axes.set_xlabel("load factor")
        axes.set_ylabel(f"displacement [{model.units.of('length')}]")
        axes.legend(handles=lines)
        axes.set_title(as_drawn(f"{model.name}, {at if isinstance(at, str | Attachment | Marker) else at.name}"))
    return cast("Axes", axes)


def _draw_others(axes: Any, parts: Parts, colour: str | None = None, dashed: bool = False) -> None:
    """Everything but flexible bodies on meshes; in one thin colour, or in the strokes of animations."""
    dim = 3 if axes.name == "3d" else 2
    for _, stroke, points in parts.lines:
        width = stroke.width if colour is None or not stroke.width else 1.0
        marker = stroke.marker or ("o" if len(points) == 1 else "")
        look = {"color": colour or stroke.colour, "lw": width, "marker": marker, "ms": 0.8 * stroke.size}
        look |= {"mfc": "none", "ms": stroke.size} if isinstance(marker, Path) else {}
        look |= {"ls": ("--" if dashed else "-") if width else "", "zorder": 2.0 if colour == style.GREY else 3.5}
        axes.plot(*points[:, :dim].T, **look)
    for _, points, triangles in parts.faces:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

        corners = points[triangles]
        if colour == style.GREY or dashed:
            faces = Poly3DCollection(corners, facecolors=colour, alpha=0.12, linewidths=0.0)
        else:  # edges in the colour of the face close the cracks between neighbours
            light = 1.0 - DEPTH * (1.0 - np.array(to_rgba(colour or style.BLUE)))
            lit = shaded(corners, np.tile(light, (len(corners), 1)))
            faces = Poly3DCollection(corners, facecolors=lit, edgecolors=lit, linewidths=0.3)
        axes.add_collection3d(faces)


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
    spatial = not is_planar(model)
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


def _finish(axes: Any, model: Model, drawn: list[Parts], beside: FloatArray | None = None) -> None:
    """Limits, equal scales and labels; ``beside (n, 3)``: other points to be within."""
    unit = model.units.of("length")
    meshes = [in_space(body.mesh.points) for body in model.flexible_bodies]
    others = [] if beside is None else [beside]
    points = np.concatenate([*meshes, *(parts.corners() for parts in drawn), *others])[
        :, : 3 if axes.name == "3d" else 2
    ]
    low, high = points.min(axis=0), points.max(axis=0)
    axes.set_xlabel(f"x [{unit}]")
    axes.set_ylabel(f"y [{unit}]")
    if axes.name != "3d":
        axes.set_aspect("equal", adjustable="datalim")
        axes.update_datalim(points)
        axes.margins(0.08)
        axes.autoscale_view()
        return
    half = 0.5 * np.maximum(high - low, DEEP * ((high - low).max() or 1.0)) * 1.05
    middle = 0.5 * (low + high)
    axes.set_zlabel(f"z [{unit}]")
    axes.set(**{f"{name}lim": (middle[k] - half[k], middle[k] + half[k]) for k, name in enumerate("xyz")})
    axes.set_box_aspect(half.copy(), zoom=0.95 * room_below(half))  # which scales the array that it gets
    for name, share in zip("xyz", half / half.max(), strict=True):
        getattr(axes, f"{name}axis").set_major_locator(MaxNLocator(max(2, round(6 * share))))
    move_labels_away(axes, half, matplotlib.rcParams["axes.labelpad"], [matplotlib.rcParams["xtick.major.pad"]] * 3)


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
