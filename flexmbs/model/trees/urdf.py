r"""Robots from files in the Unified Robot Description Format: `read_urdf`, `urdf_joints`.

A joint has its frame at ``origin`` in the frame of its parent link, turned by roll, pitch and yaw about fixed axes,
:math:`R_z(y) R_y(p) R_x(r)`; the frame of the child link is where the joint takes it. Units of URDF are SI.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from flexmbs.core.checks import as_flag, as_name, as_path, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, ReadError, unknown_name
from flexmbs.core.rotations import RotationLike
from flexmbs.model.trees.joints import Fixed, Free, Planar, Prismatic, Revolute, TreeJoint
from flexmbs.model.trees.link import Link
from flexmbs.model.trees.tree import Tree
from flexmbs.model.trees.urdf_attributes import JOINT_NUMBERS, foreign, refuse_unclear
from flexmbs.model.trees.urdf_values import attribute, inertia_of, number, origin_of, vector
from flexmbs.model.trees.xml_elements import Element, read_elements

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

__all__ = ["UrdfJoint", "read_urdf", "urdf_joints"]

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
MIMIC = {"multiplier": 1.0, "offset": 0.0}
"""Numbers of a joint that follows another one, where the file does not say."""

ROUNDED = 1e-3
"""By how much the length of an axis may differ from one without a word: 0.707 0.707 0 is meant to be of unit length."""


class UrdfJoint(NamedTuple):
    """A joint as the file describes it, with what a tree has no place for; nan where the file does not say.

    ``name``, ``type``, ``parent``, ``child`` (whose name the joint has in the tree), ``place (3,)`` and ``axes (3, 3)``
    of its frame in that of the parent, ``axis (3,)`` of unit length; ``lower``, ``upper``: limits of the coordinate;
    ``effort``, ``velocity``: what its drive can do; ``damping``, ``friction``; ``mimics``: joint it
    follows, ``multiplier`` times whose coordinate plus ``offset`` is its own.
    """

    name: str
    type: str
    parent: str
    child: str
    place: FloatArray
    axes: FloatArray
    axis: FloatArray
    lower: float = math.nan
    upper: float = math.nan
    effort: float = math.nan
    velocity: float = math.nan
    damping: float = math.nan
    friction: float = math.nan
    mimics: str | None = None
    multiplier: float = math.nan
    offset: float = math.nan


def urdf_joints(path: str | os.PathLike[str]) -> dict[str, UrdfJoint]:
    """The joints of a file by name, with limits, drives, damping and friction, to make stops and springs of.

    Parameters
    ----------
    path : path

    Raises
    ------
    ReadError, ModelError
        As by `read_urdf`.
    """
    file = as_path("read_urdf", "path", path)
    return {joint.name: joint for joint in _joints(file, _robot(file), [])}


def read_urdf(
    path: str | os.PathLike[str],
    *,
    floating: bool = False,
    massless: bool = False,
    mimic: Literal["refuse", "free"] = "refuse",
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: RotationLike = None,
    name: str | None = None,
) -> Tree:
    """The tree of a robot in a URDF file.

    Coordinates are named by the child links; they come in the order of the joints in the file, parents first. Revolute,
    continuous, prismatic, planar and fixed joints may be anywhere, a floating one where nothing moves before it.
    Meshes, colours and collision shapes are left out, limits are with `urdf_joints`. One warning names everything else
    that is left out, such as transmissions, the tags of simulators and attributes that URDF does not have, and axes
    that were not of unit length.

    Parameters
    ----------
    path : path
    floating : bool
        Whether the root link is free to move; otherwise it is fixed to the base.
    massless : bool
        Whether joints may move links without mass, as long as what lies beyond has some.
    mimic : "refuse" or "free"
        What to do with a joint that mimics another one: refuse the file, or let it be a joint by itself, which a model
        can couple: ``fx.Gear(tree.joint(child of the one), tree.joint(child of the other), ratio=multiplier)``, with
        starts that fit (``tree.started``); numbers are with `urdf_joints`.
    position, rotation
        Of the base.
    name : str, optional
        Of the tree; by default that of the robot.

    Raises
    ------
    ReadError
        If the file is no well-formed XML, declares a document type, or is not of URDF (a xacro file, for example); if
        a tag that is read is there twice, such as a second ``<axis>`` of a joint, or ``origin``, ``axis``, ``mass``,
        ``inertia`` or ``limit`` has an attribute that is none, such as ``rpj`` or ``quat_xyzw``.
    ModelError
        For links and joints that make no tree: names used twice, unknown parents, several roots, circles; for missing
        or impossible inertia, limits with lower > upper, an axis of length zero, a joint of unknown type; each names
        its link or joint, and the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> text = '''<robot name="arm">
    ...   <link name="base"/>
    ...   <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    ...     <inertia ixx="0.1" iyy="0.1" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
    ... </robot>'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "arm.urdf"
    ...     _ = file.write_text(text)
    ...     arm = read_urdf(file)
    >>> arm.n_v, arm.mass
    (1, 2.0)
    """
    file = as_path("read_urdf", "path", path)
    floating, massless = as_flag("read_urdf", "floating", floating), as_flag("read_urdf", "massless", massless)
    if mimic not in ("refuse", "free"):
        raise ModelError(f"read_urdf: mimic must be 'refuse' or 'free', not {show(mimic)}.")
    robot = _robot(file)
    remarks: list[str] = []
    joints = _joints(file, robot, remarks)
    elements = _links(file, robot)
    root = _root(file, elements, joints)
    known = {**_fixed_to(root, joints)} if not floating else {}
    first = Free() if floating else Fixed()
    links = [Link(root, *inertia_of(file, elements[root]), joint=first)]
    for joint in joints:
        if joint.mimics is not None and mimic == "refuse":
            raise ModelError(
                f"{file}: joint {joint.name!r} mimics {joint.mimics!r}. Trees have no coupled joints; mimic='free' "
                f"lets it move by itself, to be coupled in the model, as by a Gear."
            )
        inertia = inertia_of(file, elements[joint.child])
        kind = _kind(file, joint)
        if kind.n_v and not inertia[0] and not massless and not _carries(joint.child, joints, file, elements):
            raise ModelError(
                f"{file}: link {joint.child!r} has no mass, but joint {joint.name!r} moves it. Give it an <inertial> "
                f"with <mass> and <inertia>, or allow it with massless=True."
            )
        parent: str | None = joint.parent
        place, axes = joint.place, joint.axes
        if isinstance(kind, Free):
            if parent not in known:
                raise ModelError(
                    f"{file}: joint {joint.name!r} is floating, but its parent {joint.parent!r} moves. Only a link "
                    f"whose parents are all fixed can float."
                )
            R, p = known[joint.parent]
            parent, place, axes = None, p + R @ place, R @ axes
        links.append(Link(joint.child, *inertia, parent=parent, joint=kind, at=place, rotation=axes))
    remarks = foreign(robot) + remarks
    if remarks:
        warnings.warn(f"{file}: left out or changed: {'; '.join(remarks)}.", UserWarning, stacklevel=2)
    return Tree(*links, position=position, rotation=rotation, name=name or robot.attributes.get("name") or file.stem)


def _robot(file: Path) -> Element:
    root = read_elements(file)
    if root.tag != "robot":
        raise ReadError(f"{file}: a URDF file begins with <robot>, not <{root.tag}>.")
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            raise ReadError(
                f"{file}, line {element.line}: <{element.tag}> is of xacro; expand the file first, as by "
                f"xacro robot.xacro > robot.urdf."
            )
    refuse_unclear(file, root)
    return root


def _named(file: Path, robot: Element, tag: str) -> dict[str, Element]:
    """The links or joints by name."""
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = as_name(f"{file}, line {element.line}: {tag}", "name", element.attributes.get("name"))
        if name in found:
            raise ModelError(f"{file}, line {element.line}: there are two {tag}s {name!r}; names must differ.")
        found[name] = element
    return found


def _links(file: Path, robot: Element) -> dict[str, Element]:
    links = _named(file, robot, "link")
    if not links:
        raise ModelError(f"{file}: there is no link.")
    return links


def _joints(file: Path, robot: Element, remarks: list[str]) -> list[UrdfJoint]:
    """All joints, in the order of the file."""
    links = _links(file, robot)
    joints = []
    for name, element in _named(file, robot, "joint").items():
        where = f"{file}, line {element.line}: joint {name!r}"
        kind = element.attributes.get("type", "")
        if kind not in TYPES:
            raise ModelError(f"{where}: {unknown_name('type of joint', kind, TYPES)}")
        ends = []
        for end in ("parent", "child"):
            link = attribute(where, element, end, "link")
            if link not in links:
                raise ModelError(f"{where}: its {end}: {unknown_name('link', link, links)}")
            ends.append(link)
        if ends[0] == ends[1]:
            raise ModelError(f"{where}: its parent and its child are both {ends[0]!r}.")
        place, axes = origin_of(where, element)
        axis = _axis(where, element, kind, remarks)
        limits: dict[str, Any] = {
            key: number(where, element, tag, key, math.nan) for tag, keys in JOINT_NUMBERS.items() for key in keys
        }
        if limits["lower"] > limits["upper"]:
            raise ModelError(
                f"{where}, that moves link {ends[1]!r}: its lower limit {limits['lower']:g} is above the upper "
                f"{limits['upper']:g}."
            )
        follows: dict[str, Any] = {}
        if element.first("mimic") is not None:
            follows = {key: number(where, element, "mimic", key, value) for key, value in MIMIC.items()}
            follows["mimics"] = attribute(where, element, "mimic", "joint")
        joints.append(UrdfJoint(name, kind, ends[0], ends[1], place, axes, axis, **limits, **follows))
    twice = [link for link, n in Counter(joint.child for joint in joints).items() if n > 1]
    if twice:
        names = [joint.name for joint in joints if joint.child == twice[0]]
        raise ModelError(
            f"{file}: link {twice[0]!r} is the child of the joints {', '.join(map(repr, names))}; in a tree it has "
            f"one. Leave one out, and close the loop with a joint in the model."
        )
    return joints


def _root(file: Path, links: dict[str, Element], joints: list[UrdfJoint]) -> str:
    """The link that is nobody's child."""
    parent = {joint.child: joint.parent for joint in joints}
    roots = [name for name in links if name not in parent]
    if len(roots) > 1:
        raise ModelError(
            f"{file}: the links {', '.join(map(repr, roots[:5]))} have no parent, but a robot has one root. Join them "
            f"by joints, fixed ones if need be."
        )
    for name in links:
        seen = [name]
        while seen[-1] in parent:
            seen.append(parent[seen[-1]])
            if seen[-1] in seen[:-1]:
                circle = " -> ".join(map(repr, seen[seen.index(seen[-1]) :]))
                raise ModelError(f"{file}: links go round in a circle: {circle}. Leave a joint of it out.")
            if seen[-1] in roots:
                break
    return roots[0]


def _carries(link: str, joints: list[UrdfJoint], file: Path, links: dict[str, Element]) -> bool:
    """Whether a link with mass is fixed to this one."""
    waiting = [link]
    while waiting:
        name = waiting.pop()
        if inertia_of(file, links[name])[0]:
            return True
        waiting += [joint.child for joint in joints if joint.parent == name and joint.type == "fixed"]
    return False


def _fixed_to(root: str, joints: list[UrdfJoint]) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Axes and places, in the root, of all links that are fixed to it."""
    found = {root: (np.eye(3), np.zeros(3))}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        R, p = found[name]
        for joint in joints:
            if joint.parent == name and joint.type == "fixed":
                found[joint.child] = R @ joint.axes, p + R @ joint.place
                waiting.append(joint.child)
    return found


def _kind(file: Path, joint: UrdfJoint) -> TreeJoint:
    match joint.type:
        case "fixed":
            return Fixed()
        case "floating":
            return Free()
        case "prismatic":
            return Prismatic(joint.axis)
        case "planar":
            return Planar(joint.axis)
        case _:
            return Revolute(joint.axis)


def _axis(where: str, element: Element, kind: str, remarks: list[str]) -> FloatArray:
    axis = vector(where, element.first("axis"), "axis", "xyz", (1.0, 0.0, 0.0))
    length = float(np.linalg.norm(axis))
    if kind in ("fixed", "floating"):
        return np.array([1.0, 0.0, 0.0])
    if length == 0.0:
        raise ModelError(f'{where}: its axis has no length; give a direction such as xyz="0 0 1".')
    if abs(length - 1.0) > ROUNDED:
        child = attribute(where, element, "child", "link")
        remarks.append(f"the axis of joint {element.attributes['name']!r} of link {child!r} had length {length:.6g}")
    return axis / length
