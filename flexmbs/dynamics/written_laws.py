"""Kernels around compiled functions of users: the texts of `flexmbs.kernels.user_laws`, completed for each function."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numba import typeof

from flexmbs.core.user_functions import can_be_compiled, frozen, name_of, warn_not_compiled
from flexmbs.core.written_modules import LAWS, Module
from flexmbs.kernels import control_laws, user_laws

__all__ = ["called_controller", "compiled_law", "samples_with"]

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


def compiled_law(
    owner: str, template: Any, samples: tuple[Any, ...], given: tuple[Any, ...], functions: dict[str, Any]
) -> Any:
    """The kernel with the text of ``template`` around these functions; None if it cannot be compiled, with a warning.

    ``functions``: by their names in the text; ``samples``: arguments of the types that it gets, ``given``: of those
    that the functions get. None, too, if one of the functions was not decorated by numba.
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
    except Exception as error:  # noqa: BLE001  # numba raises much more than its own errors
        warn_not_compiled(owner, functions, given, error)
        return None
    return made


OF_CONTROLLERS = np.zeros(1), np.zeros(1), 0.0


def called_controller(owner: str, output: Any, update: Any) -> Any:
    """The kernel around the functions of a controller, ``update`` None where its state stays, as `compiled_law`."""
    x, u, t = OF_CONTROLLERS
    functions = {"function": output} if update is None else {"function": output, "update": update}
    template = user_laws.control_output if update is None else user_laws.control_function
    return compiled_law(owner, template, (x, u, t, x, u, x, x), OF_CONTROLLERS, functions)


CALLS = '''"""Samples of controllers: written by flexmbs.dynamics.written_laws, overwritten at will."""

from __future__ import annotations

import math

from flexmbs.core.jit import kernel
from flexmbs.kernels.control_laws import CALLED, ENTERED
from flexmbs.kernels.control_laws import control_law as other_law
from flexmbs.kernels.python_calls import call_python
{imports}

@kernel
def control_law(law, j, data, x, u, t, signals, f, following, seen):
    if law == CALLED:
        n = int(data[j + 1])
        x_own, u_own = seen[n : n + x.shape[0]], seen[:n]
{calls}
    return other_law(law, j, data, x, u, t, signals, f, following, seen)


@kernel
'''


def samples_with(called: list[Any]) -> Any:
    """`control_laws.control_samples` for models with these kernels of `called_controller`, by their numbers."""
    imports = "".join(
        f"from {k.py_func.__module__} import {k.py_func.__name__} as called_{i}\n" for i, k in enumerate(called)
    )
    call = "        if int(data[j]) == {0}:\n            return called_{0}(x, u[:n], t, x_own, u_own, f, following)"
    calls = "\n".join(call.format(i) for i in range(len(called)))
    own: Any = control_laws.control_samples
    text = CALLS.format(imports=imports, calls=calls) + inspect.getsource(own.py_func).removeprefix("@kernel\n")
    return Module(text, LAWS).member("control_samples")
