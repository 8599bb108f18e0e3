"""What the neutral files say in words: names, interfaces, units, provenance, and how to read the rest."""

from __future__ import annotations

import math
from typing import Any

from flexmbs.core.info import version
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.reduction.export.exposed import Exposed
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMAT", "VERSION", "description"]

FORMAT = "flexmbs neutral reduced model"
VERSION = 1

EQUATIONS = "M q'' + D q' + K q = f, u = T q; D is left out where there is no damping"


def description(model: ReducedModel, places: Exposed, losses: tuple[str, ...]) -> dict[str, Any]:
    """Everything but the arrays, of types that JSON knows."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": model.name,
        "equations": EQUATIONS,
        "coordinates": [
            {
                "label": label,
                "place": int(p) + 1 if p >= 0 else None,
                "component": COMPONENTS[c] if p >= 0 else None,
                "angular frequency": None if math.isnan(w) else w,
            }
            for label, p, c, w in zip(
                model.labels, places.place, places.component, model.frequencies.tolist(), strict=True
            )
        ],
        "interfaces": [
            {
                "name": frame.name,
                "kind": frame.kind,
                "origin": [float(x) for x in frame.origin],
                "coordinates": [int(c) + 1 for c in frame.coordinates],
                "components": [COMPONENTS[c] for c in frame.component],
            }
            for frame in model.frames
        ],
        "places": list(places.names),
        "units": dict(model.units),
        "inertia": None
        if model.inertia is None
        else {
            "mass": model.inertia.mass,
            "centre": model.inertia.centre.tolist(),
            "tensor about the origin": model.inertia.tensor.tolist(),
        },
        "provenance": dict(model.provenance),
        "written by": f"flexmbs {version()}",
        "losses": list(losses),
    }
