"""What files of URDF say that is not read: refused where it would change numbers, otherwise named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from flexmbs.core.errors import ReadError, unknown_name
from flexmbs.model.trees.xml_elements import Element

__all__ = ["JOINT_NUMBERS", "foreign", "refuse_unclear"]

JOINT_NUMBERS = {"limit": ("lower", "upper", "effort", "velocity"), "dynamics": ("damping", "friction")}
"""Tags in joints with their attributes."""
USED = {"link", "joint", "material"}
"""Below ``robot``; materials are colours."""
INSIDE = {
    "link": {"inertial", "visual", "collision"},
    "joint": {
        "origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller",
    },
    "inertial": {"origin", "mass", "inertia"},
}  # fmt: skip
"""Tags that are known within others."""
ONCE = {
    "link": {"inertial"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
    "inertial": {"origin", "mass", "inertia"},
}
"""Tags that are read, of which a second one would be passed over."""
ATTRIBUTES = {
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "mass": ("value",),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "link": ("name",),
    "joint": ("name", "type"),
    "inertial": (),
    "parent": ("link",),
    "child": ("link",),
    "mimic": ("joint", "multiplier", "offset"),
    **JOINT_NUMBERS,
}
DECISIVE = {"origin", "axis", "mass", "inertia", "limit"}
"""Tags whose numbers have defaults, or none: a misspelt attribute leaves another number in force."""
FURTHER = {"acceleration", "deceleration", "jerk"}
"""Attributes of limits in newer files, for planners of paths."""


def refuse_unclear(file: Path, robot: Element) -> None:
    """Refuse tags that are there twice, and attributes of numbers that nobody reads.

    Raises
    ------
    ReadError
        Names the link or joint, the tag and the line.
    """
    for name, element in _read(robot):
        for tag in sorted(ONCE.get(element.tag, ())):
            if len(found := element.all(tag)) > 1:
                raise ReadError(
                    f"{file}, line {found[1].line}: {name} has two <{tag}>, of which one can be meant; the other is on "
                    f"line {found[0].line}. Leave one out."
                )
        unread = [key for key in _unread(element) if ":" not in key]  # with a colon they are of another program
        unread = [key for key in unread if element.tag != "limit" or key not in FURTHER]
        if element.tag in DECISIVE and unread:
            said = unknown_name(f"attribute of <{element.tag}>", unread[0], ATTRIBUTES[element.tag])
            raise ReadError(f"{file}, line {element.line}: {name}: {said}")


def foreign(robot: Element) -> list[str]:
    """Tags and attributes that are not of the geometry and inertia of links and joints, with how often they occur."""
    tags = Counter(element.tag for element in robot.children if element.tag not in USED)
    keys: Counter[tuple[str, str]] = Counter()
    for _, element in _read(robot):
        if element.tag in INSIDE:
            tags.update(inner.tag for inner in element.children if inner.tag not in INSIDE[element.tag])
        keys.update((element.tag, key) for key in _unread(element))
    said = [(f"<{tag}>", n) for tag, n in sorted(tags.items())]
    said += [(f"the attribute {key!r} of <{tag}>", n) for (tag, key), n in sorted(keys.items())]
    return [text + (f" ({n} times)" if n > 1 else "") for text, n in said]


def _read(robot: Element) -> Iterator[tuple[str, Element]]:
    """Links and joints and the tags in them that are read, with the name of the link or joint in words."""
    for element in robot.children:
        if element.tag not in ("link", "joint"):
            continue
        name = f"{element.tag} {element.attributes.get('name', '')!r}"
        yield name, element
        for inner in element.children:
            if inner.tag not in ONCE[element.tag]:
                continue
            yield name, inner
            if inner.tag == "inertial":
                yield from ((name, each) for each in inner.children if each.tag in ONCE["inertial"])


def _unread(element: Element) -> list[str]:
    """Attributes that are not read; those that declare names of other programs (xmlns) say nothing."""
    known = ATTRIBUTES[element.tag]
    return [key for key in element.attributes if key not in known and key.partition(":")[0] != "xmlns"]
