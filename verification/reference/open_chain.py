r"""Newton and Euler's equations of rigid links on hinges and slides, written out: what a table under them feels.

Outwards, with the axis e of joint k in inertial axes, from the link before (with :math:`\omega, \alpha, a` of its
origin p and the arm d to the joint):

.. math:: \omega_k = \omega + \dot q e, \quad \alpha_k = \alpha + \ddot q e + \dot q\,\omega\times e, \quad
   a_k = a + \alpha\times d + \omega\times(\omega\times d)

for a hinge; a slide adds :math:`\ddot q e + 2\dot q\,\omega\times e` to a. Then all links pull at the table with

.. math:: F = \sum m (a_c - g) - f, \qquad M = \sum \big(I\alpha + \omega\times I\omega + r_c\times m (a_c - g)\big)
   - r\times f ,

f forces on links at r. The force in a joint is the same sum over what lies beyond it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ChainLink", "chain_loads"]

FloatArray = NDArray[np.float64]


class ChainLink(NamedTuple):
    """A link: number of the one before (-1: the table), joint ("hinge", "slide", "fixed"), its axis and place there."""

    before: int
    joint: str
    axis: tuple[float, float, float]
    at: tuple[float, float, float]
    mass: float
    inertia: FloatArray
    centre: tuple[float, float, float]


class ChainLoads(NamedTuple):
    """Force and moment (3,) about the origin that hold the table, loads of the joints (n,), origins of links (n, 3)."""

    force: FloatArray
    moment: FloatArray
    joints: FloatArray
    origins: FloatArray


def chain_loads(
    links: Sequence[ChainLink], q: FloatArray, v: FloatArray, a: FloatArray, gravity: FloatArray,
    pushed: tuple[int, FloatArray, FloatArray] | None = None,
) -> ChainLoads:  # fmt: skip
    """By the equations above; ``pushed``: a link, a point in its axes, and a force there in inertial axes.

    Examples
    --------
    >>> arm = [ChainLink(-1, "hinge", (0, 1, 0), (0, 0, 0), 2.0, np.zeros((3, 3)), (0.5, 0, 0))]
    >>> found = chain_loads(arm, np.zeros(1), np.zeros(1), np.zeros(1), np.array([0, 0, -10.0]))
    >>> found.force.tolist(), found.joints.round(12).tolist()
    ([0.0, 0.0, 20.0], [-10.0])
    """
    n = len(links)
    R: list[FloatArray] = []
    p: list[FloatArray] = []
    w: list[FloatArray] = []
    al: list[FloatArray] = []
    acc: list[FloatArray] = []
    axes, need, arm = [], [], []
    for k, link in enumerate(links):
        top = link.before < 0
        R0 = np.eye(3) if top else R[link.before]
        w0, al0, a0, p0 = (np.zeros(3),) * 4 if top else (x[link.before] for x in (w, al, acc, p))
        e, d = R0 @ np.array(link.axis, dtype=float), R0 @ np.array(link.at, dtype=float)
        turn, rate, speeding = (float(x[k]) if link.joint == "hinge" else 0.0 for x in (q, v, a))
        slid, sliding, pushing = (float(x[k]) if link.joint == "slide" else 0.0 for x in (q, v, a))
        u = np.array(link.axis, dtype=float)
        K = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
        d = d + slid * e
        R.append(R0 @ (np.eye(3) + np.sin(turn) * K + (1.0 - np.cos(turn)) * K @ K))
        p.append(p0 + d)
        w.append(w0 + rate * e)
        al.append(al0 + speeding * e + rate * np.cross(w0, e))
        acc.append(
            a0 + np.cross(al0, d) + np.cross(w0, np.cross(w0, d)) + pushing * e + 2.0 * sliding * np.cross(w0, e)
        )
        c = R[k] @ np.array(link.centre, dtype=float)
        a_c = acc[k] + np.cross(al[k], c) + np.cross(w[k], np.cross(w[k], c))
        F = link.mass * (a_c - gravity)
        I = R[k] @ link.inertia @ R[k].T  # noqa: E741
        M = I @ al[k] + np.cross(w[k], I @ w[k]) + np.cross(p[k] + c, F)
        if pushed is not None and pushed[0] == k:
            M = M - np.cross(p[k] + R[k] @ pushed[1], pushed[2])
            F = F - pushed[2]
        axes.append(e)
        need.append(F)
        arm.append(M)
    joints = np.zeros(n)
    total, about = np.array(need), np.array(arm)
    for k in range(n - 1, -1, -1):
        before = links[k].before
        if links[k].joint == "hinge":
            joints[k] = axes[k] @ (about[k] - np.cross(p[k], total[k]))
        elif links[k].joint == "slide":
            joints[k] = axes[k] @ total[k]
        if before >= 0:
            total[before] += total[k]
            about[before] += about[k]
    on_table = [k for k in range(n) if links[k].before < 0]
    return ChainLoads(total[on_table].sum(axis=0), about[on_table].sum(axis=0), joints, np.array(p))
