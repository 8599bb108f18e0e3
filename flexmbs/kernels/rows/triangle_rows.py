"""Rows of contact between a triangle, which both sides touch, and a ball: those of `contact_rows` with its distance."""

from __future__ import annotations

from flexmbs.kernels.distances import triangle_distance
from flexmbs.kernels.rows.contact_rows import kinds_of_distance

__all__ = ["KINDS", "TRIANGLE_GAP", "TRIANGLE_SLIP"]

TRIANGLE_GAP, TRIANGLE_SLIP = 24, 25

KINDS = kinds_of_distance(TRIANGLE_GAP, "TRIANGLE", triangle_distance)
