"""Edges of plates and shells, and other sets of nodes, fastened to a body node by node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_name
from flexmbs.core.errors import ModelError
from flexmbs.core.nodes import axis_held
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.joints.lower_pairs import RevoluteJoint, SphericalJoint

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.model.joints.sides import Side

__all__ = ["edge_nodes", "edge_normal", "fasten_edge", "hinge_edge"]


def fasten_edge(edge: Attachment, body: Side, name: str = "") -> tuple[RevoluteJoint, ...]:
    """Joints that hold position and normal of every node of an edge on a body, as a clamp does.

    At each node p_A = p_B and n_A = n_B (5 equations), with n along the vector across the thickness, or normal to the
    slopes; rotation about it and stretches stay free there, and follow from its neighbours. Give them all to the model:
    ``fx.Model(..., *fx.fasten_edge(strip.set("left"), drum))``.

    Parameters
    ----------
    edge : Attachment
        Nodes of a plate or shell, two or more.
    body : body, Marker or Attachment of one node
        What holds them; most often a rigid body.
    name : str, optional
        Of the joints, which get the numbers of their nodes, as in "weld 12".

    Returns
    -------
    tuple of RevoluteJoint
        One for each node; their sides b are the nodes, so that the sum of their reactions is the force on the edge.

    Raises
    ------
    ModelError
        If the nodes are not those of a surface, or fewer than two.

    Examples
    --------
    >>> import flexmbs as fx
    >>> strip = fx.FlexibleBody.plate((1, 0.1), elements=(8, 1), element=fx.elements.ANCFShell(),
    ...                               section=fx.ShellSection(0.001), material=fx.steel, name="strip")
    >>> drum = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=1.0, name="drum")
    >>> [joint.name for joint in fasten_edge(strip.set("left"), drum, "weld")]
    ['weld 0', 'weld 9']
    """
    owner = "fasten_edge"
    nodes = edge_nodes(owner, edge)
    if len(nodes) < 2:
        raise ModelError(f"{owner}: {edge} has one node; take FixedJoint or RevoluteJoint for it.")
    word = _word(owner, name, edge)
    return tuple(RevoluteJoint(body, edge.body.node(n), axis=edge_normal(edge, n), name=f"{word} {n}") for n in nodes)


def hinge_edge(edge: Attachment, body: Side, name: str = "") -> tuple[SphericalJoint, ...]:
    """Joints that hold the position of every node of an edge on a body, so that it may turn about the edge.

    Parameters
    ----------
    edge : Attachment
        Nodes of a plate or shell, on a straight line where it is to turn.
    body : body, Marker or Attachment of one node
    name : str, optional
        Of the joints, which get the numbers of their nodes.

    Returns
    -------
    tuple of SphericalJoint
        One for each node; their sides b are the nodes, so that the sum of their reactions is the force on the edge.

    Raises
    ------
    ModelError
        If the nodes are not those of a surface.

    Examples
    --------
    >>> import flexmbs as fx
    >>> flap = fx.FlexibleBody.plate((1, 0.5), elements=(4, 2), element=fx.elements.ANCFShell(),
    ...                              section=fx.ShellSection(0.001), material=fx.steel, name="flap")
    >>> len(hinge_edge(flap.set("left"), fx.ground))
    3
    """
    word = _word("hinge_edge", name, edge)
    return tuple(SphericalJoint(body, edge.body.node(n), name=f"{word} {n}") for n in edge_nodes("hinge_edge", edge))


def edge_nodes(owner: str, edge: Attachment) -> tuple[int, ...]:
    """The nodes; refuses those of lines."""
    as_attachment(owner, edge)
    if not edge.body.surface:
        raise ModelError(f"{owner}: body {edge.body.name!r} is no surface, but made of {edge.body.element.name}.")
    return edge.nodes


def _word(owner: str, name: str, edge: Attachment) -> str:
    return as_name(owner, "name", name) if name else f"{edge.label} of {edge.body.name}"


def edge_normal(edge: Attachment, node: int) -> FloatArray:
    """The axis of a node that its joint holds: the vector across the thickness, or the normal of the tangent plane."""
    n = axis_held(edge.body.element.layout, edge.body.reference[node])
    if n is None:
        assert edge.body.shape is not None  # noqa: S101  # surfaces have it
        n = edge.body.shape.frames[node, :, 2]
    return np.asarray(n / np.linalg.norm(n))
