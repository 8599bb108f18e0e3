"""Arguments of kernels that differ from evaluation to evaluation, by the names that they have in compiled steps."""

from __future__ import annotations

__all__ = [
    "ACCELERATION", "BLOCKS", "COORDINATES", "ENV", "LOADS", "MASS", "ON_RATES", "OPERATORS", "RESIDUAL", "SCALE",
    "STATE", "STIFFNESS_WEIGHT", "VELOCITY", "WEIGHTS", "WORK", "Given",
]  # fmt: skip


class Given(str):
    """An argument that differs from evaluation to evaluation; the text is its name in a compiled step."""

    __slots__ = ()


STATE, ENV = Given("state"), Given("env")
WEIGHTS, ON_RATES = Given("weights"), Given("on_rates")
LOADS = Given("given")
"""Minus the dead loads and the prescribed values behind them, `flexmbs.dynamics.prescribed.Prescribed.given`."""
COORDINATES, VELOCITY, ACCELERATION = Given("state.q"), Given("state.v"), Given("state.a")
SCALE, STIFFNESS_WEIGHT = Given("env.scale"), Given("weights[0]")

WORK, RESIDUAL, BLOCKS, OPERATORS = Given("markers"), Given("markers.r"), Given("markers.B"), Given("markers.T")
MASS = Given("mass")
"""The work of the markers, its residual, blocks and tangent operators, the mass blocks: of one workspace, which groups
do not know."""
