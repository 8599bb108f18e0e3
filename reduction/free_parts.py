r"""Whether a part is free, as one in a moving frame has to be: its stiffness resists no rigid motion.

With R the rigid motions of the unknowns, K R is zero for a free part but for round-off. In each row that is a part of
the sizes that cancel each other there, :math:`(|K|\,|R|)_i`, whatever the units are, how fine the mesh is and how
slender the part: a spring to the ground is of the size of the elements at its node. Where nothing is stiff, as across a
truss, the terms are round-off of the largest row of forces, or of moments. The reduced matrices cannot tell, since a
slender part is softer than the round-off of its elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.operators import Operators
from flexmbs.reduction.model import ReducedModel

__all__ = ["HELD", "check_free", "rigid_motions", "what_holds"]

HELD = "held"
"""Entry of the provenance of a reduced model that says what holds it; a free one has none."""
ASSEMBLED = 1e-10
"""Largest part of the terms of a row that round-off leaves where a part was assembled here.

Sums of the 1e4 terms that a row may have, where links join many nodes, leave 1e-12; tables of elements have their own.
"""
GIVEN = 1e-6
"""The same of matrices that were given or read: files in single precision have 6e-8."""
NOTHING = 1e-13
"""Part of the largest row of forces, or of moments, that round-off leaves in rows that would be zero."""
MOTIONS = tuple(f"{what} {axis}" for what in ("translation along", "rotation about") for axis in "xyz")


def what_holds(operators: Operators) -> str:
    """What resists the rigid motions of a part, in words: the motion, its stiffness, and where; empty if it is free."""
    placed = operators.dofs.node >= 0
    if not placed.any():
        return ""
    centre = operators.points[operators.dofs.node[placed]].mean(axis=0)
    R = rigid_motions(operators, centre)
    forces = np.abs(operators.K @ R)
    terms = abs(operators.K) @ np.abs(R)
    bound = (GIVEN if operators.part is None else ASSEMBLED) * terms
    for rows in (placed & (operators.dofs.component < 3), placed & (operators.dofs.component >= 3)):
        bound[rows] += NOTHING * terms[rows].max(axis=0, initial=0.0)
    bad = (forces > bound) & placed[:, None]
    if not bad.any():
        return ""
    share = np.divide(forces, terms, out=np.zeros_like(forces), where=bad)
    worst = int(np.argmax(share.max(axis=0)))
    stiffness = float(R[:, worst] @ (operators.K @ R[:, worst]))
    inertia = float(R[:, worst] @ (operators.M @ R[:, worst]))
    speed = ""
    if stiffness > 0.0 and inertia > 0.0:
        speed = f", on which it would swing at {np.sqrt(stiffness / inertia):.3g} rad/time"
    nodes = np.unique(operators.dofs.node[bad.any(axis=1) & placed])
    more = f" and {len(nodes) - 4} more" if len(nodes) > 4 else ""
    where = f"at node{'s' if len(nodes) > 1 else ''} {', '.join(map(str, nodes[:4]))}{more}"
    unit = "force/length" if worst < 3 else "force length"
    return f"a {MOTIONS[worst]} is resisted with {stiffness:.3g} [{unit}] {where}{speed}"


def rigid_motions(operators: Operators, about: Any = (0.0, 0.0, 0.0)) -> FloatArray:
    """Rigid motions (n, 6) with what scalar unknowns do in them: nothing strains, so no force acts on these."""
    out = operators.rigid_motions(about)
    loose = np.flatnonzero(operators.dofs.node < 0)
    if len(loose):
        forces = np.asarray(operators.K @ out)[loose]
        own = operators.K[loose][:, loose].toarray()
        out[loose] = -np.linalg.lstsq(own, forces, rcond=None)[0]
    return out


def check_free(owner: str, reduced: ReducedModel) -> None:
    """Refuse a reduced part that is held by its own stiffness where it has to be free.

    Raises
    ------
    ModelError
        With the motion that is resisted, by how much and where, and what to take instead.
    """
    held = reduced.provenance.get(HELD)
    if held is not None:
        raise ModelError(
            f"{owner}: a part in a moving frame must be free, but the stiffness of this one resists rigid motions: "
            f"{held}. Springs to the ground do that, springs between nodes that do not coincide, and supports in given "
            f"matrices. In a frame that moves they would move with it and hold nothing. Take LinearBody, whose frame "
            f"stays in place; or reduce the part without them, and put a Bushing or SpringDamper between its interface "
            f"and the ground in the model."
        )
