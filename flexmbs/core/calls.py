"""Calls with arguments that do not fit: our error, with the names that exist, in place of Python's TypeError.

The public functions, classes and their constructors are wrapped where users take them from: the facade `flexmbs` and
the rooms below it. A wrapper costs 0.2 microseconds a call, has the signature, the documentation and the module of what
is in it, and does not count as a place for `warnings`: a warning names the line of the user. Methods of objects are as
they are, since kernels and steps call them, too; but those of results, whose classes say so (`with_methods`).
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from enum import Enum
from typing import Any, NoReturn, TypeGuard, TypeVar

from flexmbs.core.errors import ArgumentError
from flexmbs.core.readings import by_other_measure, readings
from flexmbs.core.renamed import ARGUMENTS, present_arguments, warn_of_arguments

__all__ = ["explain", "explained", "with_methods", "wrapped"]

C = TypeVar("C", bound=type)

TERMS = {
    "youngs_modulus": "E e_modulus young youngs elastic_modulus modulus",
    "poissons_ratio": "nu poisson poissons poisson_ratio",
    "density": "rho",
    "stiffness": "k K c_spring spring spring_constant rate spring_rate",
    "damping": "c d damper viscous damping_constant C D",
    "free_length": "rest_length length0 L0 l0 natural_length unstretched_length reference_length length",
    "free_angle": "rest_angle angle0 phi0 reference_angle",
    "position": "pos origin x0 r0 location ref_pos referencePosition",
    "rotation": "rot orientation R quaternion quat attitude referenceRotation",
    "velocity": "vel v0 initialVelocity",
    "angular_velocity": "omega ang_vel w0 initialAngularVelocity",
    "inertia": "I J inertia_tensor moment_of_inertia",
    "mass": "m",
    "a": "parent body1 body0 bodyA body_a first i_marker",
    "b": "child body2 bodyB body_b second j_marker",
    "at": "point location position anchor node place",
    "on": "joint at",
    "axis": "direction axes",
    "elements": "n n_elements num_elements divisions n_el",
    "until": "t t_end tend t_final end_time duration stop T tmax",
    "step": "dt h timestep time_step step_size t time index",
    "integrator": "method solver scheme stepper",
    "output": "save_every output_every sampling every",
    "start": "x0 initial initial_state q0 from_state value0",
    "end": "x1 final target",
    "begin": "t0 start_time delay",
    "duration": "t1 time rise_time",
    "reference": "setpoint set_point target desired",
    "progress": "verbose silent log quiet",
    "modes": "n_modes num_modes n k number nmodes n_eig",
    "count": "n_modes num_modes modes n number nmodes",
    "file": "path filename output_file",
    "path": "file filename save savefig",
    "motion": "driver prescribed angle displacement law",
    "rate": "speed omega velocity angular_speed w",
    "history": "amplitude function time_function",
    "force": "load F f value forceVector loadVector",
    "moment": "torque M T couple loadVector",
    "acceleration": "g gravity vector",
    "width": "b breadth",
    "height": "h depth",
    "thickness": "wall wall_thickness t",
    "lower": "min minimum low lb",
    "upper": "max maximum high ub",
    "coefficient": "mu friction_coefficient mu_k",
    "law": "restitution coefficient_of_restitution normal_law contact_law material stiffness damping",
    "friction": "mu friction_coefficient friction_law coefficient",
    "proportional": "kp Kp P Pcontrol",
    "integral": "ki Ki",
    "derivative": "kd Kd Dcontrol",
    "rho_inf": "spectral_radius spectralRadius rho_infinity",
    "joint": "type joint_type",
    "kind": "type",
    "interfaces": "boundary master masters interface boundaries",
    "units": "unit unit_system",
}
"""Names of arguments, and what the field and other programs call them."""


def explain(names: Mapping[str, Any], public: Iterable[str]) -> None:
    """Explain wrong arguments of the public names of a module; ``names`` are its globals."""
    for name in public:
        found = names.get(name)
        if found is not None:
            names[name] = explained(found)  # type: ignore[index]  # globals can be written to


def explained(item: Any) -> Any:
    """A function or class whose wrong arguments are explained; anything else comes back as it is.

    Classes are changed in place: their ``__init__`` and the class and static methods of their own. Functions of flexmbs
    are replaced in their module, too, so that they are one object everywhere.
    """
    if isinstance(item, type):
        if not issubclass(item, tuple | BaseException | Enum) and not getattr(item, "_is_protocol", False):
            _explain_class(item)
        return item
    if not isinstance(item, types.FunctionType) or not _is_plain(item):
        return item
    name, home = item.__name__, item.__globals__
    made = wrapped(item, name)
    if home.get(name) is item:
        home[name] = made
    return made


def _explain_class(item: type) -> None:
    for name, member in _members(item).items():
        made: Any = None
        if name == "__init__" and _is_plain(member):
            made = wrapped(member, item.__name__)
        elif isinstance(member, classmethod | staticmethod) and name[0] != "_" and _is_plain(member.__func__):
            made = type(member)(wrapped(member.__func__, f"{item.__name__}.{name}"))
        if made is not None:
            setattr(item, name, made)


def with_methods(item: C) -> C:
    """Decorator of a class of results: wrong arguments of its own public methods are explained, too.

    Examples
    --------
    >>> @with_methods
    ... class Run:
    ...     def position(self, at): ...
    >>> Run().position(when=0.5)
    Traceback (most recent call last):
    flexmbs.core.errors.ArgumentError: position: there is no argument named 'when'. It takes at.
    """
    for name, member in list(vars(item).items()):
        if name[0] != "_" and _is_plain(member):
            setattr(item, name, wrapped(member, name))
    return item


def _members(item: type) -> dict[str, Any]:
    """What a class has of its own, and the class and static methods that it inherits within flexmbs."""
    inherited = {
        name: member
        for base in reversed(item.__mro__[1:])
        if base.__module__.partition(".")[0] == "flexmbs"
        for name, member in vars(base).items()
        if isinstance(member, classmethod | staticmethod)
    }
    return inherited | dict(vars(item))


def _is_plain(function: object) -> TypeGuard[types.FunctionType]:
    """Whether it is a function that is not wrapped yet."""
    return isinstance(function, types.FunctionType) and function.__code__ is not _CODE


def _template(function: Any, explain_call: Any) -> Any:
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except TypeError as error:
            again = explain_call(args, options, error)
            if again is None:
                raise
        return function(*args, **again)

    return call


_CODE = _template(None, None).__code__.replace(co_filename="<arguments checked; importlib._bootstrap>")
"""Frames of files with these two words in their names are passed over by `warnings`, as those of imports are."""


def wrapped(function: types.FunctionType, title: str) -> Any:
    """A function that calls another one, with its globals, so that tools find it where the other one was."""
    told = functools.partial(_complain, function, title)
    cells = {"function": types.CellType(function), "explain_call": types.CellType(told)}
    closure = tuple(cells[name] for name in _CODE.co_freevars)
    made = types.FunctionType(_CODE, function.__globals__, function.__name__, None, closure)
    return functools.update_wrapper(made, function)


def _complain(
    function: Callable[..., Any], title: str, args: tuple[Any, ...], options: dict[str, Any], said: TypeError
) -> dict[str, Any] | None:
    """Raise our error if it was the call that did not fit, and not something in the function.

    Returned are the arguments by their present names where some were older ones, and None otherwise.
    """
    if not re.search(r"\(\) (got|missing|takes) ", str(said)):
        return None
    if any(name in ARGUMENTS.get(title, ()) for name in options):
        warn_of_arguments(title, options)
        return present_arguments(title, options)
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **options)
    except TypeError as error:
        _refuse(signature, title, args, options, error)
    return None


def _refuse(
    signature: inspect.Signature, title: str, args: tuple[Any, ...], options: dict[str, Any], error: TypeError
) -> NoReturn:
    own = {"self", "cls"}
    parameters = {name: p for name, p in signature.parameters.items() if name not in own}
    named = [name for name, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    takes = f"It takes {', '.join(named) or 'nothing'}."
    foreign = [name for name in options if name not in named]
    free = [name for name in named if name not in options]
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):  # what it hands on may well be known there
        foreign = [name for name in foreign if by_other_measure(title, name, options[name], free)]
    if foreign:
        hints = [by_other_measure(title, name, options[name], free) or _hint(name, free) for name in foreign]
        said = "; " + " ".join(dict.fromkeys(hint for hint in hints if hint)) + " " if any(hints) else ". "
        raise ArgumentError(
            f"{title}: there is no argument named {' or '.join(repr(name) for name in foreign)}{said}{takes}"
        ) from None
    if not any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        by_place = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in signature.parameters.values())
        by_name = [name for name in free if parameters[name].kind is inspect.Parameter.KEYWORD_ONLY]
        both = readings(zip(by_name, args[by_place:], strict=False))
        if both:
            raise ArgumentError(f"{title}: {both} {takes}") from None
    raise ArgumentError(f"{title}: {error}. {takes}") from None


def _hint(name: str, free: list[str]) -> str:
    """What may be meant by a name."""
    meant = [known for known, others in TERMS.items() if known in free and name in others.split()]
    meant = meant or get_close_matches(name, free, n=2, cutoff=0.6)
    return f"{name!r} may mean {' or '.join(repr(m) for m in meant)}." if meant else ""
