"""What makes a linear structure acceptable to `flexmbs.solve_static` and `flexmbs.solve_modal`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmbs.linear.linear_modes import LinearModes
    from flexmbs.linear.linear_solution import LinearSolution

__all__ = ["Solvable"]


class Solvable:
    """Parts and operators: the analyses of models that they have, too, with supports and loads as arguments."""

    def linear_statics(self, fixed: Mapping[Any, Any] | None, loads: Any) -> LinearSolution | dict[str, LinearSolution]:
        """As `flexmbs.linear.static_response`."""
        from flexmbs.linear.statics import static_response

        found: LinearSolution | dict[str, LinearSolution] = static_response(self, fixed, loads)  # type: ignore[call-overload]
        return found

    def linear_modes(
        self, count: int, fixed: Mapping[Any, Any] | None, prestress: LinearSolution | None
    ) -> LinearModes:
        """As `flexmbs.linear.vibration_modes`."""
        from flexmbs.linear.modes import vibration_modes

        return vibration_modes(self, count, fixed, prestress)  # type: ignore[arg-type]
