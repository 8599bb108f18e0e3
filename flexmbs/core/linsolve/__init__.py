"""Direct solvers for the sparse linear systems of the package, behind one contract.

A solver is made from a pattern once; it owns ``data``, the storage that an assembly fills through ``slots``, with one
spare place at its end for entries that do not count. Then ``refactor()`` factorises what ``data`` holds and
``solve(b)`` solves, checks the residual and refines. `choose` picks one (measured choices in the documentation,
"Linear solvers").
"""

from __future__ import annotations

from flexmbs.core.linsolve.available import cholmod_available
from flexmbs.core.linsolve.choose import LinearSolver, choose

__all__ = ["LinearSolver", "cholmod_available", "choose"]
