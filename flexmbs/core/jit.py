"""How flexmbs compiles its kernels, and how long that took.

`kernel` is numba's ``njit`` with the settings every kernel of the package shares: cached on disk, no fast-math (NaN
tests and reproducibility), division by zero as in numpy (a kernel never raises). It compiles less than numba does
(`Kernel`, `flexmbs.core.kernel_library`), and keeps what it has compiled as long as its sources are the same
(`flexmbs.core.kernel_cache`). `compile_seconds` tells how much of this process went into compiling; what is being
compiled is said on standard error (`flexmbs.core.progress`).
"""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numba.core import config, event, sigutils, types
from numba.core.compiler import Compiler, Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.datamodel import register_default
from numba.core.datamodel.models import OpaqueModel
from numba.core.errors import NumbaError
from numba.core.imputils import lower_constant
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral
from numba.core.typing.templates import make_concrete_template

from flexmbs.core.borrowing import borrows
from flexmbs.core.kernel_cache import KernelCache, Unkept
from flexmbs.core.kernel_compiler import KernelCompiler, ordinary
from flexmbs.core.kernel_entry import add_entry, is_number
from flexmbs.core.kernel_library import CalledLibrary, LinkedLibrary
from flexmbs.core.progress import Compiling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flexmbs.core.contracts import IntArray

__all__ = ["Choice", "compile_seconds", "driver", "inlined", "kernel", "numbers_of_kinds", "only_beyond"]

F = TypeVar("F", bound="Callable[..., Any]")


def kernel(function: F) -> F:
    """Compile a module-level function on its first call with each signature, and keep the machine code on disk."""
    return cast("F", _compiled(function))


def inlined(function: F) -> F:
    """A kernel that is always compiled into its callers.

    For functions of numbers and tuples between the reading and the writing of arrays: only then numba sees that the
    arrays live on, and leaves out counting their references, which can cost more than the function.
    """
    return cast("F", _compiled(function, forceinline=True))


def driver(function: F) -> F:
    """A kernel that calls others, and that no kernel calls; what is only for callers is left out."""
    found = _compiled(function)
    found.is_last = True
    return cast("F", found)


def _compiled(function: Any, **options: bool) -> Any:
    """numba's function with the settings that all share."""
    if config.DISABLE_JIT:
        return function
    settings = {"nopython": True, "boundscheck": None, "fastmath": False, "error_model": "numpy"}
    return Kernel(function, targetoptions={**settings, **options})


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """While numba compiles, Python does not look for cycles.

    What numba and llvmlite build is one large web of objects, all of them in use until the function is done: looking
    through it again and again takes a sixth of the time of compiling.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class _Flags(Flags):  # type: ignore[misc]
    """numba's settings of a compilation, compared by what has been set; numba compares them at every operation."""

    def __hash__(self) -> int:
        return hash(frozenset(self._values))

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, _Flags) else NotImplemented


class KernelType(types.Dispatcher):
    """What a name of a kernel is in compiled code: nothing but what is called.

    numba puts the address of the Python object there, though nobody reads it, and what holds addresses is not kept.
    """


register_default(KernelType)(OpaqueModel)


@lower_constant(KernelType)  # type: ignore[untyped-decorator]
def _no_address(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


class Kernel(CPUDispatcher):  # type: ignore[misc]  # numba has no type information
    """A compiled function: numba's, but it gets an entry for Python, and machine code, only if Python calls it.

    What is compiled for a call from compiled code does not depend on which of the arguments are constants there.
    """

    tells_what_it_returns = True  # to the kernels that call it, when they are compiled
    is_last = False  # whether there are none

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:  # noqa: A002
        self._kept: Any = None
        super().__init__(py_func, locals, targetoptions)
        self._entries: dict[Any, Any] = {}

    @property
    def _numba_type_(self) -> Any:
        return KernelType(self)

    @property
    def _cache(self) -> Any:
        """Made when it is first asked for: numba looks at the disk for each, and most kernels are never called."""
        if self._kept is None:
            try:
                self._kept = KernelCache(self)
            except RuntimeError:  # typed at the keyboard, or no folder can be written to
                self._kept = Unkept(self)
        return self._kept

    @_cache.setter
    def _cache(self, value: object) -> None:
        """What numba begins with, a cache that keeps nothing."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """numba asks this when it finds a call in what it compiles."""
        pysig, args = self._compiler.fold_argument_types(args, kws)
        args = tuple(unliteral(a) for a in args)
        found = self._linked(args)
        if _RETURNED:
            _RETURNED[-1].append(found.signature.return_type)
        name = self.py_func.__name__
        template = make_concrete_template(f"CallTemplate({name})", name, self.nopython_signatures)
        return template, pysig, args, {}

    def compile(self, sig: Any) -> Any:
        """Compile for these types of arguments, to be called from Python."""
        args, _ = sigutils.normalize_signature(sig)
        return self._called(tuple(args)).entry_point

    @property
    def entries(self) -> dict[Any, Any]:
        """What Python has called, by the types of arguments: ``entry_point`` is machine code."""
        return self._entries

    def ready(self, sig: tuple[Any, ...]) -> bool:
        """Whether this process has machine code for these types of arguments."""
        return sig in self._entries

    def kept(self, sig: tuple[Any, ...]) -> bool:
        """Whether machine code for these types of arguments is at hand, in this process or on disk."""
        return self.ready(sig) or self._cache.holds((sig, "called"), self.targetctx.codegen())

    def _linked(self, args: tuple[Any, ...]) -> Any:
        """The function for these types, to be compiled into others: from memory, from disk, or made now."""
        with global_compiler_lock, self._compiling_counter:
            found = self.overloads.get(args) or self._loaded(args, "linked")
            if found is None:
                with self._cache.alone():
                    found = self._loaded(args, "linked")
                    if found is None:
                        found = self._translated(args)
                        self._cache.save_overload((args, "linked"), found)
                found = found._replace(entry_point=object())
            if args not in self.overloads:
                self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
                self.overloads[args] = found
            return found

    def _called(self, args: tuple[Any, ...]) -> Any:
        """The function for these types as machine code with an entry for Python."""
        with global_compiler_lock, self._compiling_counter:
            found = self._entries.get(args) or self._loaded(args, "called")
            if found is None:
                with self._cache.alone():  # both forms at one go: who waits needs but this one
                    found = self._loaded(args, "called")
                    if found is None:
                        found = self._with_entry(self._linked(args))
                        self._cache.save_overload((args, "called"), found)
            if args not in self._entries:
                self._entries[args] = found
                self._insert([a._code for a in args], found.entry_point, False)
            return found

    def _loaded(self, args: tuple[Any, ...], form: str) -> Any:
        """From disk; None if it is not there."""
        found = self._cache.load_overload((args, form), self.targetctx)
        if found is not None:
            self._cache_hits[args] += 1
        return found

    def _translated(self, args: tuple[Any, ...]) -> Any:
        """Compiled now, as far as it must be for those that call it."""
        self._cache_misses[args] += 1
        told = {"dispatcher": self, "args": args, "return_type": None}
        with _without_collection(), event.trigger_event("numba:compile", data=told), _calls() as returned:
            if borrows(self.py_func):
                with contextlib.suppress(NumbaError):  # it makes arrays after all
                    found = self._typed(args, counting=False)
                    if all(map(is_number, (*returned, found.signature.return_type))):
                        return found
            return self._typed(args, counting=True)

    def _typed(self, args: tuple[Any, ...], counting: bool) -> Any:
        """Compiled with or without counting the references to arrays."""
        flags = _Flags()
        self.targetdescr.options.parse_as_flags(flags, {**self.targetoptions, "_nrt": counting})
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        library = LinkedLibrary(self.targetctx.codegen(), self.py_func.__qualname__)
        library.is_last = self.is_last
        compiler = KernelCompiler if ordinary(self.py_func) else Compiler
        found = compile_extra(
            self.typingctx, self.targetctx, self.py_func, args, None, flags, self.locals, library, compiler
        )
        return found._replace(type_annotation="", metadata=None, call_helper=None)

    def _with_entry(self, linked: Any) -> Any:
        """Machine code, made now."""
        told = {"dispatcher": self, "args": linked.signature.args}
        with _without_collection(), event.trigger_event("numba:compile", data=told):
            context = self.targetctx.subtarget(enable_nrt=True)  # else an array that is returned is its base
            library = CalledLibrary(context.codegen(), self.py_func.__qualname__)
            library.enable_object_caching()
            library.add_linking_library(linked.library)
            add_entry(context, library, linked.fndesc, linked.environment)
            found = linked._replace(
                library=library, entry_point=context.get_executable(library, linked.fndesc, linked.environment)
            )
            for environment in found._find_referenced_environments():
                library.codegen.set_env(environment.env_name, environment)
            return found


_RETURNED: list[list[Any]] = []
"""For each kernel that is being compiled, from the outermost on, the types of what the kernels it calls return."""


@contextlib.contextmanager
def _calls() -> Iterator[list[Any]]:
    """What the kernels return that are called by the one that is compiled meanwhile."""
    _RETURNED.append([])
    try:
        yield _RETURNED[-1]
    finally:
        _RETURNED.pop()


class Choice:
    """One name for two kernels, of which models of the usual kind compile only the first.

    Both take the kind of an item as their first argument, or the column of the kinds of all items. ``few`` knows the
    kinds up to ``last``, ``all_kinds`` all of them. In compiled code the type of the kind tells which of them it is: of
    32 bits where it comes from a table (`numbers_of_kinds`) that has no others. Called from Python, its value tells.
    """

    def __init__(self, few: Any, all_kinds: Any, last: int) -> None:
        self.alternatives, self.last = (few, all_kinds), last

    def __call__(self, kind: int, *arguments: Any) -> Any:
        few, every = self.alternatives
        return few(np.int32(kind), *arguments) if kind <= self.last else every(kind, *arguments)

    @property
    def _numba_type_(self) -> Any:
        return KernelType(cast("Any", self))

    is_compiling = False

    def _of(self, args: Any) -> Any:
        kind = unliteral(args[0])
        return self.alternatives[int(getattr(kind, "dtype", kind) != types.int32)]

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What numba asks of a compiled function."""
        return self._of(args).get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """What numba asks of a compiled function."""
        return self._of(sigutils.normalize_signature(sig)[0]).get_overload(sig)


@kernel
def _nothing(kind: Any, *arguments: Any) -> None:
    """In place of a kernel for items of a kind that the model does not have."""


def only_beyond(last: int, function: Any) -> Any:
    """A kernel that models without kinds beyond ``last`` do not compile; of the others it is called for those alone."""
    return function if config.DISABLE_JIT else Choice(_nothing, function, last)


def numbers_of_kinds(kinds: list[int], last: int) -> IntArray:
    """A column of kinds for a `Choice` with this ``last``."""
    return np.array(kinds, dtype=np.int32 if max(kinds, default=last) <= last else np.int64)


class _Listener(event.Listener):  # type: ignore[misc]
    """Tells of compilations from their outermost start to its end; a hit in the cache compiles nothing."""

    def __init__(self) -> None:
        self.depth, self.told = 0, Compiling()

    def on_start(self, event: Any) -> None:
        title = event.data["dispatcher"].py_func.__name__
        self.depth += 1
        if self.depth == 1:
            self.told.start(title)
        else:
            self.told.name(title)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.told.stop()


event.register("numba:compile", _Listener())

# What has been imported by now, numba above all, lives as long as the process: Python neither looks through it for
# cycles, again and again, nor takes it apart at the end, which is a tenth of a short run.
gc.freeze()


def compile_seconds() -> float:
    """Seconds this process has spent compiling kernels so far."""
    return Compiling.seconds
