"""Linear structures: meshed parts, their sparse operators, and what can be solved with them."""

from __future__ import annotations
