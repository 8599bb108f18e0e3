"""The neutral npz file of `flexmbs.reduction.export.neutral` becomes a reduced model that knows its places only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.core.errors import FlexmbsError, ReadError
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.linear.operators import DofMap
from flexmbs.reduction.export.document import FORMAT, VERSION
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.interfaces import Frame
from flexmbs.reduction.model import ReducedModel

__all__ = ["is_neutral", "read_neutral"]

INVARIANTS = ("mass", "first", "second", "P", "Q", "R")


def is_neutral(found: dict[str, Any]) -> bool:
    """Whether arrays of an npz file are those of a neutral file."""
    return {"description", "basis", "held", "place"} <= set(found)


def read_neutral(path: Path, found: dict[str, Any]) -> ReducedModel:
    """A reduced model from the arrays of a neutral file; its nodes are the places, in their order.

    Stresses are left out, whose nodes are those of the mesh.

    Raises
    ------
    ReadError
        If something is missing, of another size, or of a newer version.
    """
    try:
        return _model(path, found)
    except FlexmbsError as error:
        raise ReadError(f"{path}: {error}") from None
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise ReadError(f"{path} is damaged, or no neutral file of flexmbs ({str(error)[:80]}).") from None


def _model(path: Path, found: dict[str, Any]) -> ReducedModel:
    text = json.loads(str(found["description"]))
    if text["format"] != FORMAT or text["version"] != VERSION:
        raise ReadError(f"its format is {text['format']!r}, version {text['version']}, not {FORMAT!r}, {VERSION}.")
    points, basis = (np.asarray(found[name], dtype=float) for name in ("points", "basis"))
    m = len(text["coordinates"])
    held = np.asarray(found["held"], dtype=bool)
    if points.shape != (len(points), 3) or basis.shape != (len(points), 6, m) or held.shape != basis.shape[:2]:
        raise ReadError(f"points {points.shape}, basis {basis.shape} and held {held.shape} do not fit {m} coordinates.")
    if not (np.isfinite(points).all() and np.isfinite(basis).all()):
        raise ReadError("a place or a shape is not finite.")
    place, component = np.nonzero(held)
    node = np.asarray(found["place"], dtype=np.int64)
    if node.shape != (m,) or (node >= len(points)).any():
        raise ReadError("coordinates belong to places that are not there.")
    frames = []
    for said in text["interfaces"]:
        own = np.array(said["coordinates"], dtype=np.int64) - 1
        if len(own) and not (own.min() >= 0 and own.max() < m and (node[own] >= 0).all()):
            raise ReadError(f"interface {said['name']!r} has coordinates that are none of a place.")
        names = np.array([COMPONENTS.index(c) for c in said["components"]], dtype=np.int64)
        origin = np.array([float(x) for x in said["origin"]])
        if len(names) != len(own) or origin.shape != (3,):
            raise ReadError(f"interface {said['name']!r} contradicts itself.")
        frames.append(Frame(str(said["name"]), str(said["kind"]), np.unique(node[own]), origin, own, node[own], names))
    inertia = None
    if all(name in found for name in INVARIANTS):
        arrays = {name: np.asarray(found[name], dtype=float) for name in INVARIANTS[1:]}
        inertia = InertiaInvariants(float(found["mass"]), **arrays, exact=bool(found.get("exact", True)))
        if inertia.P.shape[1] != m:
            raise ReadError(f"its inertia is of {inertia.P.shape[1]} coordinates, not {m}.")
    frequencies = [c["angular frequency"] for c in text["coordinates"]]
    return ReducedModel(
        name=str(text["name"]), K=found["K"], M=found["M"], D=found.get("D"),
        labels=tuple(str(c["label"]) for c in text["coordinates"]),
        n_interface=max((int(f.coordinates.max()) + 1 for f in frames if len(f.coordinates)), default=0),
        frames=tuple(frames), frequencies=np.array([np.nan if w is None else float(w) for w in frequencies]),
        shapes=basis[held], dofs=DofMap(place, component), points=points, inertia=inertia,
        units={str(k): str(v) for k, v in text["units"].items()},
        provenance={str(k): str(v) for k, v in text["provenance"].items()},
    )  # fmt: skip
