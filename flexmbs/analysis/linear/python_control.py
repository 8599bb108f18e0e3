"""Linear models to and from python-control, which is optional."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from flexmbs.analysis.linear_model import LinearModel
from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError

__all__ = ["from_control", "to_control"]

DOT = "\N{ONE DOT LEADER}"
"""For dots in names, which python-control keeps for itself; it looks alike, and as no name has it, it can be undone."""


def _package(owner: str) -> Any:
    try:
        return importlib.import_module("control")
    except ImportError:
        raise ModelError(
            f"{owner}: python-control is not installed, and flexmbs does not need it otherwise; install it (pip "
            f"install control), or take A, B, C and D, or to_scipy()."
        ) from None


def to_control(linear: LinearModel) -> Any:
    """As `control.StateSpace`; see `LinearModel.to_control`."""
    control = _package("to_control")
    states, inputs, outputs = (
        [name.replace(".", DOT) for name in names] for names in (linear.states, linear.inputs, linear.outputs)
    )
    return control.StateSpace(linear.A, linear.B, linear.C, linear.D, states=states, inputs=inputs, outputs=outputs)


def from_control(system: Any) -> LinearModel:
    """From a state space or a transfer function in continuous time; see `LinearModel.from_control`."""
    control = _package("from_control")
    if not isinstance(system, control.StateSpace | control.TransferFunction):
        raise ModelError(f"from_control: expected a StateSpace or TransferFunction, not {show(system)}.")
    if system.dt not in (0, None):
        raise ModelError(f"from_control: the system is sampled with dt = {system.dt}; take one in continuous time.")
    found = control.ss(system) if isinstance(system, control.TransferFunction) else system
    A, B, C, D = (np.array(x, dtype=np.float64) for x in (found.A, found.B, found.C, found.D))
    labels = (found.state_labels, found.input_labels, found.output_labels)
    states, inputs, outputs = (tuple(name.replace(DOT, ".") for name in names) for names in labels)
    return LinearModel(A, B, C, D, states, inputs, outputs, np.zeros(found.noutputs))
