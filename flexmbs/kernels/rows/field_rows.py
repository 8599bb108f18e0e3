"""Rows of contact between a height field and a ball: those of `contact_rows` with its distance."""

from __future__ import annotations

from flexmbs.kernels.height_fields import height_field_distance
from flexmbs.kernels.rows.contact_rows import kinds_of_distance

__all__ = ["FIELD_GAP", "FIELD_SLIP", "KINDS"]

FIELD_GAP, FIELD_SLIP = 26, 27

KINDS = kinds_of_distance(FIELD_GAP, "FIELD", height_field_distance)
