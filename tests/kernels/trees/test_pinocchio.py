"""The algorithms against Pinocchio, where it is installed (``pip install pin``)."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs import trees
from tests.models.random_trees import GRAVITY, random_tree

pin = pytest.importorskip("pinocchio")

TOLERANCE = 1e-12
TURNED = (trees.Universal, trees.Planar, trees.PrismaticSpherical, trees.Free)


def column(s):
    """A joint of Pinocchio for a screw through the origin, or None."""
    v, w = s[:3], s[3:]
    if not w.any():
        return pin.JointModelPrismaticUnaligned(v / np.linalg.norm(v)) if np.isclose(np.linalg.norm(v), 1.0) else None
    if not v.any():
        return pin.JointModelRevoluteUnaligned(w)
    if np.linalg.norm(np.cross(v, w)) < 1e-14:
        return pin.JointModelHelicalUnaligned(w, float(v @ w))
    return None


def depth_first(tree: trees.Tree) -> list[int]:
    """Links branch by branch, the order that Pinocchio needs."""
    order, waiting = [], [i for i, parent in enumerate(tree.parents) if parent < 0]
    while waiting:
        order.append(waiting.pop())
        waiting += [i for i, parent in enumerate(tree.parents) if parent == order[-1]]
    return order


def as_pinocchio(tree: trees.Tree):
    """The model, and the order of our velocities in it; None where it has no such joints."""
    model = pin.Model()
    model.gravity.linear = np.array(GRAVITY)
    numbers, frames, first = {}, {}, {}
    for i in depth_first(tree):
        link, parent = tree.links[i], tree.parents[i]
        at = pin.SE3(tree.rotation, tree.position) if parent < 0 else frames[parent]
        above = 0 if parent < 0 else numbers[parent]
        at = at * pin.SE3(link.rotation, link.at)
        body = pin.Inertia(link.mass, link.centre, link.inertia)
        joints = [column(s) for s in link.joint.screws]
        if any(joint is None for joint in joints):
            return None
        if isinstance(link.joint, trees.Free):
            joints = [pin.JointModelTranslation()]
        if link.joint.ball:
            joints.append(pin.JointModelSpherical())
        if not joints:
            numbers[i], frames[i], first[i] = above, at, 0
        else:
            joint = joints[0]
            if len(joints) > 1:
                joint = pin.JointModelComposite(len(joints))
                for one in joints:
                    joint.addJoint(one)
            numbers[i], frames[i] = model.addJoint(above, joint, at, link.name), pin.SE3.Identity()
            first[i] = model.joints[numbers[i]].idx_v
        model.appendBodyToJoint(numbers[i], body, frames[i])
    order = np.concatenate([np.arange(link.joint.n_v) + first[i] for i, link in enumerate(tree.links)])
    return model, order.astype(int)


def coordinates(model, tree):
    q = pin.neutral(model)
    for link in tree.links:
        if link.joint.n_v:
            joint = model.joints[model.getJointId(link.name)]
            k = len(link.joint.screws)
            q[joint.idx_q : joint.idx_q + k] = link.start[:k]
            if link.joint.ball:
                q[joint.idx_q + k : joint.idx_q + k + 4] = np.roll(link.start[k:], -1)
    return q


@pytest.mark.parametrize("number", range(220))
def test_same_as_pinocchio(number):
    tree = random_tree(number)
    made = as_pinocchio(tree)
    if made is None:
        pytest.skip("Pinocchio has no joint of such screws")
    model, order = made
    data, q = model.createData(), coordinates(model, tree)
    d = trees.TreeDynamics(tree, GRAVITY)
    ours, v = d.start
    rng = np.random.default_rng(number)
    a, tau = rng.normal(size=(2, d.n_v))

    def theirs(x):
        out = np.zeros(d.n_v)
        out[order] = x
        return out

    def close(found, wanted, tolerance=TOLERANCE):
        assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())

    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    close(d.mass(ours), M[np.ix_(order, order)])
    close(d.inverse(ours, v, a), pin.rnea(model, data, q, theirs(v), theirs(a))[order])
    condition = max(1.0, 1e-2 * np.linalg.cond(M))
    close(d.forward(ours, v, tau), pin.aba(model, data, q, theirs(v), theirs(tau))[order], TOLERANCE * condition)
    # its derivatives of composite joints whose axes turn do not agree with differences of its own rnea
    if not any(isinstance(link.joint, TURNED) for link in tree.links):
        by_q, by_v, _ = pin.computeRNEADerivatives(model, data, q, theirs(v), theirs(a))
        found = d.inverse_derivatives(ours, v, a)
        close(found.q, by_q[np.ix_(order, order)])
        close(found.v, by_v[np.ix_(order, order)])
