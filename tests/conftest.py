"""What tests of several folders share."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

import flexmbs as fx


@pytest.fixture
def interrupt_at() -> Callable[[int], fx.control.Event]:
    """Ctrl-C during the step of a number: an event that never happens and sends the signal when it is looked at."""

    def make(step: int) -> fx.control.Event:
        seen = [0, -1.0]

        def condition(view) -> float:
            if view.t > seen[1]:
                seen[0], seen[1] = seen[0] + 1, view.t
            if seen[0] == step:
                seen[0] += 1
                os.kill(os.getpid(), signal.SIGINT)
            return 1.0

        return fx.control.Event(condition, name="ctrl-c")

    return make
