"""The graph of a model: bodies as boxes above the ground, joints as lines between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.visualization import style
from flexmbs.visualization.figures import checked_axes, look, new_axes

if TYPE_CHECKING:
    from flexmbs.analysis.topology import JointLine, Topology

__all__ = ["draw_topology"]

GROUND = "ground"
MOST = 150
"""Bodies that a picture can show."""
NARROW = 6.0
"""Width [in] that title and legend need."""
WORDS = 40
"""Bodies up to which joints are labelled."""
LOOKS: dict[str, tuple[str, Any, float]] = {
    "in a tree": (style.BLUE, "-", 2.2),
    "joint": (style.INK, "-", 1.6),
    "support": (style.GREEN, "-", 1.6),
    "closes a loop": (style.ORANGE, (0, (4, 2)), 1.8),
    "driver": (style.GREY, ":", 1.3),
    "coupling": (style.GREY, "-.", 1.3),
}


def draw_topology(found: Topology, ax: Any = None) -> Any:
    """Draw it; bodies stand as many joints above the ground as they are away from it."""
    if len(found.bodies) > MOST:
        raise ModelError(
            f"topology: a picture of {len(found.bodies)} bodies cannot be read; it shows up to {MOST}. Print the "
            f"table instead, {show(found.model.name)} as text."
        )
    places = _places(found)
    width, height = (max(p[k] for p in places.values()) for k in (0, 1))
    with look(ax):
        ax = new_axes((min(max(3.0 + 1.7 * width, NARROW), 16.0), min(2.0 + 1.1 * height, 14.0))) if ax is None else ax
        ax = checked_axes("topology", ax)
        ax.grid(visible=False)
        ax.set_axis_off()
        drawn: dict[frozenset[str], int] = {}
        for joint in found.joints:
            _line(ax, joint, places, drawn, len(found.bodies) <= WORDS)
        ax.axhline(0.0, color=style.INK, linewidth=1.0, zorder=1)
        for name, (x, y) in places.items():
            _box(ax, as_drawn(name.rpartition("/")[2]), x, y, name == GROUND)
        _legend(ax, found)
        beside = max(0.8, 0.5 * ((NARROW - 3.0) / 1.7 + 1.6 - width))  # a box per 1.7 in, also in narrow ones
        ax.set_xlim(-beside, width + beside)
        ax.set_ylim(-0.6, height + 0.6)
        size = f"{found.degrees_of_freedom} degrees of freedom, {len(found.loops)} loops"
        ax.set_title(as_drawn(f"{found.model.name}: {size}"))
    return ax


def _box(ax: Any, name: str, x: float, y: float, ground: bool) -> None:
    ax.text(
        x, y, name, ha="center", va="center", fontsize=9.0, color="white" if ground else style.INK, zorder=4,
        bbox={"boxstyle": "round,pad=0.35", "facecolor": style.INK if ground else "white", "edgecolor": style.INK},
    )  # fmt: skip


def _line(
    ax: Any, joint: JointLine, places: dict[str, tuple[float, float]], drawn: dict[frozenset[str], int], words: bool
) -> None:
    """A joint as a line, bent where others run the same way; of more than two bodies from the first to each other."""
    colour, dashes, width = LOOKS[joint.role]
    among = sorted(joint.among, key=lambda name: name != GROUND)
    if joint.role == "in a tree" and joint.free == 6:
        return
    for other in among[1:]:
        key = frozenset((among[0], other))
        before = drawn.get(key, 0)
        drawn[key] = before + 1
        a, b = places[among[0]], places[other]
        if among[0] == GROUND:
            a = (b[0] + (0.3 if before else 0.0) + (0.4 if joint.role == "closes a loop" else 0.0), 0.0)
        bend = 0.0 if before == 0 else 0.18 * (-1) ** before * ((before + 1) // 2)
        if joint.role == "closes a loop" and among[0] != GROUND and before == 0:
            bend = -0.2 if b[0] > a[0] else 0.2  # upwards
        ax.annotate(
            "", b, a, zorder=2,
            arrowprops={"arrowstyle": "-", "color": colour, "linestyle": dashes, "linewidth": width, "shrinkA": 0,
                        "shrinkB": 0, "connectionstyle": f"arc3,rad={bend:.3g}"},
        )  # fmt: skip
        if not words:
            continue
        # the middle of the bent line
        dx, dy = b[0] - a[0], b[1] - a[1]
        x, y = 0.5 * (a[0] + b[0]) + 0.5 * bend * dy + (0.45 if before else 0.0), 0.5 * (a[1] + b[1]) - 0.5 * bend * dx
        ax.text(
            x, y, as_drawn(_label(joint)), fontsize=7.0, ha="center", va="center", color=colour, zorder=3,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
        )  # fmt: skip


def _label(joint: JointLine) -> str:
    """What a joint is, and how much it holds or leaves free."""
    if joint.role == "in a tree":
        return f"{joint.kind} ({joint.free})"
    return f"{joint.name}" + (f" [{joint.equations}]" if joint.equations else "")


def _legend(ax: Any, found: Topology) -> None:
    from matplotlib.lines import Line2D

    words = {
        "in a tree": "joint of a tree (its coordinates)", "joint": "joint [its equations]", "support": "support",
        "closes a loop": "joint that closes a loop [its equations]", "driver": "driver", "coupling": "coupling",
    }  # fmt: skip
    used = [role for role in LOOKS if any(j.role == role for j in found.joints)]
    handles: Any = [
        Line2D([], [], color=LOOKS[role][0], linestyle=LOOKS[role][1], linewidth=LOOKS[role][2], label=words[role])
        for role in used
    ]  # fmt: skip
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, fontsize=8.0)


def _places(found: Topology) -> dict[str, tuple[float, float]]:
    """Where bodies stand: height is the number of joints to the ground, those beyond a body are centred above it."""
    order = {"in a tree": 0, "joint": 1, "support": 1, "closes a loop": 2, "driver": 3, "coupling": 3}
    ways = sorted(found.joints, key=lambda joint: order[joint.role])
    beyond: dict[str, list[str]] = {name: [] for name in (GROUND, *(body.name for body in found.bodies))}
    height = {GROUND: 0}
    relative = bool(found.trees)
    front = [GROUND]
    while len(height) <= len(found.bodies):
        if not front:  # a part without way to the ground
            name = next(body.name for body in found.bodies if body.name not in height)
            height[name] = 1
            beyond[GROUND].append(name)
            front = [name]
        after = []
        for name in front:
            for joint in ways:
                if name not in joint.among or (relative and joint.role == "closes a loop"):
                    continue
                for other in joint.among:
                    if other not in height:
                        height[other] = height[name] + 1
                        beyond[name].append(other)
                        after.append(other)
        front = after
    across: dict[str, float] = {}
    _spread(GROUND, beyond, across)
    return {name: (across[name], float(height[name])) for name in height}


def _spread(root: str, beyond: dict[str, list[str]], across: dict[str, float]) -> None:
    """Places across: each last body takes the next one, every other the mean of those beyond it."""
    free = 0.0
    waiting = [(root, False)]
    while waiting:
        name, done = waiting.pop()
        if not beyond[name]:
            across[name] = free
            free += 1.0
        elif done:
            across[name] = sum(across[other] for other in beyond[name]) / len(beyond[name])
        else:
            waiting.append((name, True))
            waiting += [(other, False) for other in reversed(beyond[name])]
