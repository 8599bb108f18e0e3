"""Kernels around compiled functions of users: the texts of `flexmbs.kernels.user_laws`, completed for each function."""

from __future__ import annotations

import inspect
from typing import Any

from numba import typeof
from numba.core.errors import NumbaError

from flexmbs.core.user_functions import can_be_compiled, frozen, name_of, warn_not_compiled
from flexmbs.core.written_modules import LAWS, Module

__all__ = ["compiled_law"]

HEAD = '''"""A kernel around functions of users: written by flexmbs.dynamics.written_laws, overwritten at will."""

from __future__ import annotations

import math

from flexmbs.core.jit import kernel
from flexmbs.core.values_of_functions import put, put_matrix
from flexmbs.kernels.row_forces import measure
from flexmbs.kernels.user_laws import (
    STATE_STEP, STEP, changed, differ, moved, pull_wrenches, take, take_poses, take_states, turn_pose
)
'''


def compiled_law(owner: str, template: Any, samples: tuple[Any, ...], **functions: Any) -> Any:
    """The kernel with the text of ``template`` around these functions; None if it cannot be compiled, with a warning.

    ``functions``: by their names in the text; ``samples``: arguments of the types that it gets. None, too, if one of
    the functions was not decorated by numba.
    """
    if not all(can_be_compiled(function) for function in functions.values()):
        return None
    text = HEAD
    for name, function in functions.items():
        text += f"from flexmbs.core.user_functions import {name_of(frozen(function))} as {name}\n"
    text += f"\n\n@kernel\n{inspect.getsource(template)}"
    made = Module(text, LAWS).member(template.__name__)
    types = tuple(typeof(sample) for sample in samples)
    try:
        if not made.ready(types):
            made.compile(types)
    except NumbaError as error:
        warn_not_compiled(owner, " and ".join(functions), error)
        return None
    return made
