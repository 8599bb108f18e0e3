"""Linear elements: small displacements of solids, beams and shells. One file, one element."""

from __future__ import annotations
