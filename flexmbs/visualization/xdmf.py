"""XDMF series of points and cells with data over time, made by meshio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import SubElement

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.hdf5 import new_hdf5
from flexmbs.io.sealed import as_target, replaced

__all__ = ["write_xdmf"]


def _mixed(writer: Any, cells: list[tuple[str, IntArray]], grid: Any) -> None:
    """Cells of several types with lines among them, which meshio cannot write: type, 2 before lines, and nodes."""
    from meshio.xdmf.common import meshio_type_to_xdmf_index

    parts = []
    for kind, nodes in cells:
        heads = [meshio_type_to_xdmf_index[kind]] + ([2] if kind == "line" else [])
        parts.append(np.hstack((np.tile(heads, (len(nodes), 1)), nodes)).ravel())
    data = np.concatenate(parts).astype(np.int64)
    count = str(sum(len(nodes) for _, nodes in cells))
    topology = SubElement(grid, "Topology", TopologyType="Mixed", NumberOfElements=count)
    item = SubElement(
        topology, "DataItem", DataType="Int", Dimensions=str(len(data)), Format=writer.data_format, Precision="8"
    )
    item.text = writer.numpy_to_xml_string(data)


def write_xdmf(
    owner: str,
    path: str | PathLike[str],
    points: FloatArray,
    cells: list[tuple[str, IntArray]],
    steps: Iterator[tuple[float, Mapping[str, FloatArray], Mapping[str, list[Any]]]],
) -> Path:
    """A series of times with data of points and cells through meshio, both files as a whole or not at all."""
    from meshio.xdmf import TimeSeriesWriter

    target = as_target(owner, path, (".xdmf",))
    if ":" in target.name:
        raise ModelError(f"{owner}: the name {target.name!r} must not hold a colon, which XDMF puts between names.")
    data = target.with_name(target.name + ".h5")
    with replaced(owner, data, target) as (data_draft, draft):
        writer = TimeSeriesWriter(draft)
        if len(cells) > 1 and any(kind == "line" for kind, _ in cells):
            writer.cells = lambda blocks, grid: _mixed(writer, blocks, grid)
        # meshio would put this file into the working folder, under a name that results may have
        writer.h5_filename = data.name
        with new_hdf5(data_draft) as writer.h5_file:
            writer.write_points_cells(points, cells)
            for time, fields, numbers in steps:
                writer.write_data(time, point_data=dict(fields), cell_data=dict(numbers))
            writer.__exit__()
    return target
