"""Studies: families of models, what is drawn from many runs."""

from __future__ import annotations
