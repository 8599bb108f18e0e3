"""The mass matrix of a solid as one for a scalar field, where it is one."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from flexmbs.core.checks import as_number, show
from flexmbs.core.errors import ModelError
from flexmbs.linear.operators import Operators

__all__ = ["scalar_mass"]


def scalar_mass(operators: Operators, tolerance: float = 1e-9) -> Any:
    r"""The matrix M_s of :math:`M = M_s \otimes I_3`, if the mass matrix has this form.

    It has where every displacement component is interpolated alike and nothing else has mass: consistent or lumped
    matrices of solid elements, and point masses. Then :math:`(M_s)_{ab} = \int \rho N_a N_b\, dV`, from which all
    integrals over the mass of products of places and shapes follow without a mesh, exactly where places are
    interpolated by the same functions.

    Parameters
    ----------
    operators : Operators
        Without links, with all three displacements of every node that has mass (a free part).
    tolerance : float, default 1e-9
        How much of the largest entry of M the three components may differ, or couple.

    Returns
    -------
    sparse matrix (n_nodes, n_nodes)
        M_s [mass], compressed columns, for all rows of ``points``; zero at nodes without unknowns.

    Raises
    ------
    ModelError
        If the components differ or are coupled, rotations or scalar unknowns have mass, or a node with mass lacks a
        displacement; the message names the entry.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from flexmbs.linear.operators import DofMap
    >>> ball = Operators(sp.eye(3), 2.0 * sp.eye(3), DofMap([0, 0, 0], [0, 1, 2]), [[0, 0, 0]])
    >>> scalar_mass(ball).toarray()
    array([[2.]])
    """
    if not isinstance(operators, Operators):
        raise ModelError(f"scalar_mass: expected Operators, not {show(operators)}.")
    owner = f"scalar_mass of operators ({operators.origin})"
    bound = as_number(owner, "tolerance", tolerance, minimum=0.0)
    if operators.expansion is not None:
        raise ModelError(f"{owner}: links have made unknowns dependent; read or assemble them without links.")
    dofs, n = operators.dofs, len(operators.points)
    M = operators.M.tocoo()
    bound *= float(np.abs(M.data).max(initial=0.0))
    a, b = dofs.component[M.row], dofs.component[M.col]
    place = (dofs.node[M.row] >= 0) & (dofs.node[M.col] >= 0) & (a < 3) & (b < 3)
    coupled = (np.abs(M.data) > bound) & ~(place & (a == b))
    if coupled.any():
        k = int(np.argmax(np.where(coupled, np.abs(M.data), 0.0)))
        raise ModelError(
            f"{owner}: M is not one matrix for each of three displacements: its entry of {dofs.name(int(M.row[k]))} "
            f"and {dofs.name(int(M.col[k]))} is {M.data[k]:.6g}. Its inertia needs the part it was assembled from."
        )
    parts = []
    for axis in range(3):
        mine = place & (a == axis) & (b == axis)
        rows, cols = dofs.node[M.row[mine]], dofs.node[M.col[mine]]
        parts.append(sparse.csc_matrix((M.data[mine], (rows, cols)), shape=(n, n)))
    for axis in (1, 2):
        difference = abs(parts[axis] - parts[0]).tocoo()
        if difference.nnz and difference.data.max() > bound:
            k = int(np.argmax(difference.data))
            i, j = int(difference.row[k]), int(difference.col[k])
            raise ModelError(
                f"{owner}: M differs between u{'xyz'[axis]} and ux: {parts[axis][i, j]:.9g} and {parts[0][i, j]:.9g} "
                f"at nodes {i} and {j}. A node with mass needs all three displacements (none of them fixed)."
            )
    return (parts[0] + parts[1] + parts[2]) / 3.0
