"""Rows of contact between a triangle mesh and a ball: those of `contact_rows` with its distance."""

from __future__ import annotations

from flexmbs.kernels.rows.contact_rows import kinds_of_distance
from flexmbs.kernels.triangle_meshes import mesh_distance

__all__ = ["KINDS", "MESH_GAP", "MESH_SLIP"]

MESH_GAP, MESH_SLIP = 28, 29

KINDS = kinds_of_distance(MESH_GAP, "MESH", mesh_distance)
