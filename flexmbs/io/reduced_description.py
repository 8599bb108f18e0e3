"""Reduced models in the description of a model: names and sizes as plain data, matrices and shapes as arrays beside it.

Shapes of equal frequency may come out mixed in another way on another machine, so those that a floating body moves in
are kept, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.describe import Plain
from flexmbs.linear.operators import DofMap
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.interfaces import Frame
from flexmbs.reduction.line_moments import LineMoments
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.stiffening import Stiffening

__all__ = ["digest_of", "reduced_from_plain", "reduced_to_plain"]

MATRICES = ("K", "M", "D", "frequencies", "shapes", "points", "stress_nodes", "stress_shapes")
OF_FRAMES = ("nodes", "origin", "coordinates", "node", "component")

Arrays = dict[str, NDArray[Any]]


def reduced_to_plain(model: ReducedModel, number: int) -> tuple[Plain, Arrays]:
    """A reduced model as plain data, and its arrays by name; without its report and the operators it came from."""
    at = f"reduced/{number}"
    arrays = {f"{at}/{n}": np.asarray(v) for n in MATRICES if (v := getattr(model, n)) is not None}
    arrays |= {f"{at}/dofs/node": model.dofs.node, f"{at}/dofs/component": model.dofs.component}
    for i, frame in enumerate(model.frames):
        arrays |= {f"{at}/frames/{i}/{n}": np.asarray(getattr(frame, n)) for n in OF_FRAMES}
    if model.inertia is not None:
        arrays |= {f"{at}/inertia/{n}": np.asarray(v) for n, v in model.inertia.arrays().items()}
    if model.stiffening is not None:
        arrays |= {f"{at}/stiffening/{n}": getattr(model.stiffening, n) for n in ("moments", "interfaces")}
    if model.line is not None:
        arrays |= {f"{at}/line/{n}": np.asarray(v) for n, v in model.line.arrays().items()}
    for kind in ("cells", "node_sets"):
        arrays |= {f"{at}/{kind}/{i}": np.asarray(v) for i, v in enumerate(getattr(model, kind).values())}
    plain = {
        "class": "reduced model",
        "number": number,
        "name": model.name,
        "labels": list(model.labels),
        "n_interface": int(model.n_interface),
        "frames": [[f.name, f.kind] for f in model.frames],
        "cells": list(model.cells),
        "node_sets": list(model.node_sets),
        "units": [[key, str(value)] for key, value in model.units.items()],
        "stress_names": list(model.stress_names),
        "stiffened": [] if model.stiffening is None else list(model.stiffening.frames),
        "stiffened_only": "" if model.stiffening is None else model.stiffening.only or "",
        "digest": digest_of(arrays),
    }
    return plain, arrays


def reduced_from_plain(plain: Mapping[str, Plain], arrays: Mapping[str, NDArray[Any]]) -> ReducedModel:
    """The reduced model that `reduced_to_plain` described."""
    at = f"reduced/{plain['number']}"
    given = {n: arrays.get(f"{at}/{n}") for n in MATRICES}
    frames = [
        Frame(name, kind, *[arrays[f"{at}/frames/{i}/{n}"] for n in OF_FRAMES])
        for i, (name, kind) in enumerate(plain["frames"])
    ]
    inertia = None
    if f"{at}/inertia/mass" in arrays:
        values: dict[str, Any] = {n: arrays[f"{at}/inertia/{n}"] for n in ("first", "second", "P", "Q", "R")}
        mass, exact = float(arrays[f"{at}/inertia/mass"]), bool(arrays[f"{at}/inertia/exact"])
        inertia = InertiaInvariants(mass=mass, exact=exact, **values)
    stiffening = None
    if f"{at}/stiffening/moments" in arrays:
        moments, interfaces = (arrays[f"{at}/stiffening/{n}"] for n in ("moments", "interfaces"))
        stiffening = Stiffening(moments, tuple(plain["stiffened"]), interfaces, plain.get("stiffened_only") or None)
    line = None
    if f"{at}/line/length" in arrays:
        length, first, P = (arrays[f"{at}/line/{n}"] for n in ("length", "first", "P"))
        line = LineMoments(float(length), first, P)
    kept = {
        kind: {name: arrays[f"{at}/{kind}/{i}"] for i, name in enumerate(plain[kind])}
        for kind in ("cells", "node_sets")
    }
    return ReducedModel(
        name=plain["name"],
        labels=tuple(plain["labels"]),
        n_interface=plain["n_interface"],
        frames=tuple(frames),
        dofs=DofMap(arrays[f"{at}/dofs/node"], arrays[f"{at}/dofs/component"]),
        inertia=inertia,
        units=dict(plain["units"]),
        stress_names=tuple(plain["stress_names"]),
        stiffening=stiffening,
        line=line,
        **given,  # type: ignore[arg-type]
        **kept,  # type: ignore[arg-type]
    )


def digest_of(arrays: Mapping[str, NDArray[Any]]) -> str:
    """A name (64 hexadecimal digits) for arrays; their numbers count, not where they are kept."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        bare = name.split("/", 2)[2]
        digest.update(f"{bare} {array.dtype.str} {array.shape};".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
