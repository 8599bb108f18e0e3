r"""Stresses from displacements: at the points of the elements, averaged at nodes, and as an operator.

Elements tell stresses where they are most accurate and carry them over to their nodes. At a node the values of those
elements are averaged, with equal weights, that `flexmbs.linear.averaging` puts together: regions, the sheets of a fold
or junction of shells, and the ends of frames and trusses are kept apart. The operator is the same map as a matrix.

A free thermal strain eps is left out by subtracting from the displacements of each element the dilation
eps (x - x_mean) that it would have if nothing held it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from flexmbs.core.checks import as_array, as_counts
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.elements.linear.contract import STRESS_NAMES
from flexmbs.linear.averaging import averages, other_faces, rows_of, tensors

if TYPE_CHECKING:
    from flexmbs.linear.body_loads import ThermalLoad
    from flexmbs.linear.part import Part, Piece
    from flexmbs.linear.region import Region

__all__ = [
    "STRESS_NAMES",
    "ElementStresses",
    "NodalStresses",
    "element_displacements",
    "element_stresses",
    "largest_at_nodes",
    "nodal_stresses",
    "nodal_von_mises",
    "stress_operator",
    "stress_rows",
    "von_mises",
]


class ElementStresses(NamedTuple):
    """Stresses at the points of the cells (n_e, n_a) of one piece of a part.

    ``names (n_c,)``, ``positions (n_e, n_s, 3)`` in the undeformed shape, ``values (n_e, n_s, n_c)``.
    """

    region: Region
    cells: IntArray
    names: tuple[str, ...]
    positions: FloatArray
    values: FloatArray


class NodalStresses(NamedTuple):
    """Stresses at the ``nodes (n,)`` of one region, averaged: ``names (n_c,)`` and ``values (n, n_c)``.

    For a matrix of m displacements ``values`` is (n, n_c, m). Nodes ascend. One stands there several times where
    elements of the region are kept apart (`flexmbs.linear.averaging`): shells that meet in a fold or a junction, and
    all elements with stress resultants, which are in the local axes of their element. ``cells (n,)`` tells them apart:
    the number, in its block of the mesh, of the first element that the row is the average of.
    """

    region: Region
    nodes: IntArray
    names: tuple[str, ...]
    values: FloatArray
    cells: IntArray


def element_displacements(
    part: Part, piece: Piece, cells: IntArray, u: FloatArray, thermal: Sequence[ThermalLoad] = ()
) -> FloatArray:
    """Coordinates (n_e, k) of elements that cause stress, from all physical displacements (N,)."""
    own = u[part.element_dofs(piece, cells)]
    for load in thermal:
        points = part.nodes.points[cells]
        free = load.strains(piece, cells)[:, None, None] * (points - points.mean(axis=1, keepdims=True))
        by_node = own.reshape(*cells.shape, -1).copy()
        by_node[:, :, :3] -= free
        own = by_node.reshape(len(cells), -1)
    return np.ascontiguousarray(own)


def element_stresses(part: Part, u: Any, thermal: Sequence[ThermalLoad] = ()) -> list[ElementStresses]:
    """Stresses at the elements' own points, one entry per piece of the part.

    Parameters
    ----------
    part : Part
    u : (N,) array
        All physical displacements: ``operators.expand(unknowns)``.
    thermal : sequence of ThermalLoad
        Free strains to leave out.
    """
    u = _physical(part, u, 1)
    found: list[ElementStresses] = []
    before: Piece | None = None
    for piece, cells, group in part.groups():
        element = piece.region.element
        values = element.stresses(group, element_displacements(part, piece, cells, u, thermal))
        new = ElementStresses(piece.region, cells, element.stress_names, element.stress_positions(group), values)
        if piece is before:
            last = found.pop()
            new = ElementStresses(
                last.region,
                np.vstack([last.cells, cells]),
                last.names,
                np.concatenate([last.positions, new.positions]),
                np.concatenate([last.values, values]),
            )
        found.append(new)
        before = piece
    return found


def nodal_stresses(part: Part, u: Any, thermal: Sequence[ThermalLoad] = ()) -> list[NodalStresses]:
    """Stresses averaged at the nodes, one entry per region of the part.

    Parameters
    ----------
    part : Part
    u : (N,) or (N, m) array
        All physical displacements, one or many columns; each element is set up once for all of them.
    thermal : sequence of ThermalLoad
        Free strains to leave out.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel)
    >>> stretched = nodal_stresses(lug, (lug.nodes.points * [1e-3, 0, 0]).ravel())[0]
    >>> stretched.names[0], round(float(stretched.values[:, 0].max()) / 1e6, 3)
    ('xx', 282.692)
    """
    given = np.asarray(u)
    columns = _physical(part, given if given.ndim == 2 else given[:, None], 2)
    m = columns.shape[1]
    means = averages(part)
    sums = [np.zeros((len(mean.nodes), len(mean.region.element.stress_names), m)) for mean in means]
    places = {id(placed.piece): (i, placed) for i, mean in enumerate(means) for placed in mean.pieces}
    before, start = None, 0
    for piece, cells, group in part.groups():
        start = start if piece is before else 0
        before, chunk = piece, slice(start, start + len(cells))
        start += len(cells)
        at, placed = places[id(piece)]
        rows, turned = placed.rows[chunk].ravel(), placed.turned[chunk]
        element = piece.region.element
        for i in range(m):
            values = element.nodal_stresses(group, element_displacements(part, piece, cells, columns[:, i], thermal))
            if turned.any():
                values[turned] = values[turned][:, :, other_faces(element.stress_names)]
            for c in range(values.shape[2]):
                sums[at][:, c, i] += np.bincount(rows, values[:, :, c].ravel(), minlength=len(sums[at]))
    found = []
    for mean, total in zip(means, sums, strict=True):
        values = total / mean.counts[:, None, None]
        names = mean.region.element.stress_names
        found.append(
            NodalStresses(mean.region, mean.nodes, names, values if given.ndim == 2 else values[:, :, 0], mean.cells)
        )
    return found


def von_mises(values: Any, names: Sequence[str] = STRESS_NAMES) -> FloatArray:
    r"""Von Mises stress (...) of stresses (..., n_c).

    .. math:: \sqrt{\tfrac12[(s_{xx}-s_{yy})^2 + (s_{yy}-s_{zz})^2 + (s_{zz}-s_{xx})^2] + 3(s_{xy}^2+s_{yz}^2+s_{xz}^2)}

    Parameters
    ----------
    values : (..., n_c) array
    names : sequence of str
        What the components are; for shells, which have both faces, the larger value is taken.

    Raises
    ------
    ModelError
        If the components are stress resultants, which have none.

    Examples
    --------
    >>> von_mises([100.0, 0, 0, 0, 0, 0]).item(), round(von_mises([0, 0, 0, 100.0, 0, 0]).item(), 3)
    (100.0, 173.205)
    """
    values = np.asarray(values, dtype=float)
    starts = tensors(names)
    if not starts or values.shape[-1] != len(names):
        raise ModelError(f"von_mises: needs the components {', '.join(STRESS_NAMES)}, not {', '.join(names)}.")
    found = []
    for i in starts:
        xx, yy, zz, xy, yz, xz = np.moveaxis(values[..., i : i + 6], -1, 0)
        square = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3.0 * (xy**2 + yz**2 + xz**2)
        found.append(np.sqrt(square))
    return np.asarray(np.max(found, axis=0))


def nodal_von_mises(part: Part, u: Any, thermal: Sequence[ThermalLoad] = ()) -> FloatArray:
    """Von Mises stress (n_nodes,) of the averaged stresses; nan where there is none.

    The largest at the node, where regions or elements are kept apart.
    """
    out = np.full(len(part.nodes.points), np.nan)
    for region in nodal_stresses(part, u, thermal):
        if tensors(region.names):
            found = largest_at_nodes(region.nodes, von_mises(region.values, region.names), len(out))
            out = np.fmax(out, found)
    return out


def largest_at_nodes(nodes: Any, values: Any, n_nodes: int) -> FloatArray:
    """The largest of the values (..., s) at each of all nodes (..., n_nodes), nan where there are none.

    Parameters
    ----------
    nodes : (s,) array of int
        Where the values are; a node may stand there several times.
    values : (..., s) array
        Such as von Mises stresses.
    n_nodes : int

    Examples
    --------
    >>> largest_at_nodes([0, 2, 2], [1.0, 5.0, 3.0], 3)
    array([ 1., nan,  5.])
    """
    values = np.asarray(values, dtype=float)
    out = np.full((*values.shape[:-1], n_nodes), np.nan)
    np.fmax.at(out.T, np.asarray(nodes, dtype=np.int64), values.T)
    return out


def stress_rows(part: Part, nodes: Any) -> IntArray:
    """The node (s,) of each row of `stress_operator`: a node several times where elements there are kept apart.

    Parameters
    ----------
    part : Part
    nodes : (n,) array of int
        As for `stress_operator`.

    Examples
    --------
    Frames are not averaged, so that a node between two of them has two rows:

    >>> import flexmbs as fx
    >>> frame = fx.elements.Frame(section=fx.Rectangle(width=0.02, height=0.02))
    >>> beam = fx.linear.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 2),
    ...     regions=[fx.linear.Region(None, frame, fx.steel)])
    >>> stress_rows(beam, [0, 1, 2]).tolist()
    [0, 1, 1, 2]
    """
    nodes = _checked_nodes("stress_rows", part, nodes)
    return np.asarray(nodes[rows_of(np.concatenate([mean.nodes for mean in averages(part)]), nodes)[0]])


def stress_operator(part: Part, nodes: Any) -> tuple[Any, tuple[str, ...]]:
    """The linear map from all physical displacements to the stresses of `nodal_stresses` at nodes.

    Parameters
    ----------
    part : Part
    nodes : (n,) array of int
        Nodes that belong to elements with the same ``stress_names``.

    Returns
    -------
    sparse matrix (s * n_c, N)
        Rows node by node in the order given, components running fastest. A node has one row of components, or as many
        as `nodal_stresses` tells there, region by region; `stress_rows` has the node of each.
    tuple of str
        The names (n_c,) of the components.

    Raises
    ------
    ModelError
        If a node belongs to no element, or the elements do not tell the same components.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel)
    >>> operator, names = stress_operator(lug, lug.nodes.sets["BORE"][:2])
    >>> operator.shape, names[3]
    ((12, 1851), 'xy')
    """
    nodes = _checked_nodes("stress_operator", part, nodes)
    wanted = np.zeros(len(part.nodes.points), dtype=bool)
    wanted[nodes] = True
    means = averages(part)
    starts = np.cumsum([0, *(len(mean.nodes) for mean in means)])
    names: tuple[str, ...] = ()
    rows, cols, values = [], [], []
    for placed, start in (
        (placed, start) for mean, start in zip(means, starts, strict=False) for placed in mean.pieces
    ):
        piece = placed.piece
        some = np.flatnonzero(wanted[piece.cells].any(axis=1))
        if not len(some):
            continue
        element, cells = piece.region.element, piece.cells[some]
        if names and element.stress_names != names:
            raise ModelError(
                f"stress_operator: elements at these nodes tell different components, {', '.join(names)} and "
                f"{', '.join(element.stress_names)}; ask for the nodes of one kind of element at a time."
            )
        names = element.stress_names
        group = element.tabulate(
            f"part {part.name!r}", part.nodes.points[cells], piece.region.material, piece.numbers[some]
        )
        dofs = part.element_dofs(piece, cells)
        e, a = np.nonzero(wanted[cells])
        row = start + placed.rows[some][e, a]
        component = np.tile(np.arange(len(names)), (len(e), 1))
        turned = placed.turned[some][e]
        if turned.any():
            component[turned] = other_faces(names)
        for j in range(dofs.shape[1]):
            unit = np.zeros(dofs.shape)
            unit[:, j] = 1.0
            answer = element.nodal_stresses(group, unit)[e, a]
            rows.append((row[:, None] * len(names) + component).ravel())
            cols.append(np.repeat(dofs[e, j], len(names)))
            values.append(answer.ravel())
    asked, chosen = rows_of(np.concatenate([mean.nodes for mean in means]), nodes)
    lonely = np.setdiff1d(np.arange(len(nodes)), asked)
    if len(lonely):
        raise ModelError(f"stress_operator: node {int(nodes[lonely[0]])} belongs to no element.")
    size = (int(starts[-1]) * len(names), int(part.nodes.n_dofs.sum()))
    summed = sparse.coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), size).tocsr()
    counts = np.concatenate([mean.counts for mean in means])[chosen]
    mean = sparse.diags(np.repeat(1.0 / counts, len(names)))
    return (mean @ summed[(chosen[:, None] * len(names) + np.arange(len(names))).ravel()]).tocsr(), names


def _checked_nodes(owner: str, part: Part, nodes: Any) -> IntArray:
    nodes = as_counts(owner, "each of nodes", nodes)
    if not len(nodes) or not 0 <= nodes.min() <= nodes.max() < len(part.nodes.points):
        raise ModelError(f"{owner}: nodes must be numbers from 0 to {len(part.nodes.points) - 1}.")
    return np.asarray(nodes)


def _physical(part: Part, u: Any, ndim: int) -> FloatArray:
    """All physical displacements, checked."""
    size = int(part.nodes.n_dofs.sum())
    return as_array("stresses", "u", u, (size, None)[:ndim])
