"""Outputs of linear models: what their numbers are called, and the sensors that read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flexmbs.core.distinct_names import distinct_names

__all__ = ["output_names", "output_sensors"]


def output_names(sensors: Sequence[Any]) -> tuple[str, ...]:
    """A name per number, ``name`` or ``name[k]``; equal ones are numbered (`flexmbs.core.distinct_names`)."""
    return distinct_names(s.name if s.size == 1 else f"{s.name}[{k}]" for s in sensors for k in range(s.size))


def output_sensors(sensors: Sequence[Any]) -> tuple[Any, ...]:
    """The sensor of each number."""
    return tuple(s for s in sensors for _ in range(s.size))
