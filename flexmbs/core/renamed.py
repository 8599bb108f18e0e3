"""Names that changed: the older ones go on for one release, with a warning.

Paths are those below ``flexmbs``: ``"Modes"`` was ``flexmbs.Modes``, ``"elements.Cable"`` would be
``flexmbs.elements.Cable``. A name that only moved to another namespace stands here as well.
"""

from __future__ import annotations

__all__ = ["RENAMED"]

RENAMED = {
    "ConstrainedModes": "ModalSolution",
    "Equilibria": "StaticSolution",
    "Modes": "ModalSolution",
    "Solution": "StaticSolution",
    "TimeStatus": "Status",
}
"""Old path below ``flexmbs``: new path."""
