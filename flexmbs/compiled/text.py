"""The text of a step driver: a module with only the groups that a system has.

Its functions call the same kernels in the same order as `Dynamics.residual` and `Dynamics.tangent`. Kernels, those of
users too, are imported by name.
"""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.compiled import newton_step
from flexmbs.compiled.addresses import Addresses
from flexmbs.forces.wrench import wrench_force
from flexmbs.mechanics.inertia import add_rows_product, gyroscopic_force, gyroscopic_tangent, inertia_force
from flexmbs.mechanics.pairs import joint_coupling, joint_force, joint_rates, joint_tangent, pull_down, update_angles
from flexmbs.mechanics.row_forces import row_force, row_force_energy, row_force_tangent
from flexmbs.mechanics.wrenches import wrench_tangent

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics import Dynamics

__all__ = ["HEAD", "Prevented", "Text"]

HEAD = '''"""Steps of {title}: written by flexmbs.compiled, overwritten at will."""

from __future__ import annotations

from numba import carray
from numpy import bool_ as bool, float64, int32, int64

from flexmbs.compiled.addresses import pointer
from flexmbs.compiled.newton_step import {names}
from flexmbs.core.contracts import Env, MarkerWork, State, Work
from flexmbs.core.jit import inlined, kernel
'''

TYPES = ("Env", "State")
FUNCTIONS = ("attempt", "advance")
"""What is taken over from `newton_step` word for word."""


WRITTEN = ("residual", "tangent", "rates", "rate_coupling", "account")
"""What is written for each set of types."""


def _names_used() -> list[str]:
    """Names that the functions taken over find in `newton_step`."""
    used = {name for function in FUNCTIONS for name in getattr(newton_step, function).__code__.co_names}
    used |= {"Numbers", "Sizes", "StepArrays"}
    return sorted(name for name in used if hasattr(newton_step, name) and name not in (*FUNCTIONS, *WRITTEN, *TYPES))


class Prevented(ValueError):  # noqa: N818  # nothing went wrong
    """A system cannot have a step driver; the message says what of it is in the way."""


class Text:
    """The text for one system, and its arrays in the order in which the text reads them.

    ``groups``: names of what it holds, for messages; ``power (steps, n)`` and ``wrench_power (steps, n_m, 6)``: where
    the powers of forces between markers, and of wrenches, are written.
    """

    def __init__(self, dynamics: Dynamics, power: FloatArray, wrench_power: FloatArray) -> None:
        self.dynamics, self.addresses = dynamics, Addresses()
        self._power, self._wrench_power = power, wrench_power
        self._imports: dict[str, str] = {}
        self.modules: list[str] = []
        self.groups: list[str] = []
        self._tables: list[tuple[str, str]] = []
        self._force: list[str] = []
        self._tangent: list[str] = []
        self._rates: list[str] = ["pass"]
        self._coupling: list[str] = ["pass"]
        self._account: list[str] = ["pass"]

    def write(self, numbers: list[str], sizes: list[str], arrays: list[str], width: int) -> str:
        """The module; the lists are the expressions of `Numbers`, `Sizes` and `StepArrays`."""
        self._collect()
        names = ", ".join(name for name, _ in self._tables)
        parts = [HEAD.format(title=", ".join(self.groups), names=", ".join(_names_used()))]
        parts.append("\n".join(f"from {module} import {name}" for name, module in sorted(self._imports.items())))
        given = f"    ({names},) = tables"
        for head, body in (
            ("residual(tables, state, env, given)", [*self._force, "return True"]),
            ("tangent(tables, state, env, given, weights, on_rates)", [*self._tangent, "return True"]),
            ("rates(tables, rate)", self._rates),
            ("rate_coupling(tables, y, out)", self._coupling),
            ("account(tables, i, state, env, powers)", self._account),
        ):
            lines = "\n".join(f"    {line}" for line in body)
            parts.append(f"@inlined\ndef {head}:\n{given}\n{lines}")
        for function in FUNCTIONS:
            parts.append("@inlined\n" + inspect.getsource(getattr(newton_step, function)))
        lines = [f"    {name} = {value}" for name, value in self._tables]
        lines += [
            f"    s = Numbers({', '.join(numbers)})",
            f"    c = Sizes({', '.join(sizes)})",
            f"    x = StepArrays({', '.join(arrays)})",
            f"    return advance(s, c, x, ({names},), ({'0.0, ' * width}))",
        ]
        parts.append("@kernel\ndef drive(at, whole, real):\n" + "\n".join(lines))
        return "\n\n\n".join(parts) + "\n"

    def _collect(self) -> None:
        """Tables and calls, in the order of `Dynamics.residual`."""
        dyn, m = self.dynamics, self.dynamics.mechanics
        take = self.addresses
        work = self._table("work", take.group(dyn._work))
        markers = work if m is None else self._table("markers", take.group(dyn.markers))
        if m is not None:
            self._import(type(dyn.markers))
        mass = [self._table(f"mass_{i}", take.array(part)) for i, part in enumerate(dyn._M)]
        self._both(f"{self._import(inertia_force)}({', '.join(mass)}, state.a, given, {work}.r)")
        damped = len(dyn._damped_mass) > 0
        if damped:
            rows = [self._table(f"damping_{i}", take.array(part)) for i, part in enumerate(dyn._C)]
            self._both(f"{self._import(add_rows_product)}({', '.join(rows)}, state.v, {work}.r)")
        for i, term in enumerate(dyn._terms):
            self.groups.append(term.name.split(" of ")[0])
            g = self._group(f"term_{i}", term.group, term.name)
            self._check(term.force, term.name, f"({g}, state, env, {work})", self._force)
            if term.tangent is None:
                self._check(term.force, term.name, f"({g}, state, env, {work})", self._tangent)
            else:
                self._check(term.tangent, term.name, f"({g}, state, env, {work}, weights)", self._tangent)
        if damped:
            blocks = self._table("damped", take.array(dyn._damped_mass))
            self._tangent += [f"for i in range({blocks}.shape[0]):", f"    {work}.B[i] += weights[1] * {blocks}[i]"]
        if m is not None:
            self._mechanics(m, work, markers)

    def _mechanics(self, m: Any, work: str, markers: str) -> None:
        """What acts on markers."""
        dyn, take = self.dynamics, self.addresses
        if len(m.rigid.dofs):
            self.groups.append("rigid bodies")
            g = self._group("rigid", m.rigid, "rigid bodies")
            own = markers if dyn._rigid_alone is not None else work  # whichever is compiled for the loop in Python
            self._force.append(f"{self._import(gyroscopic_force)}({g}, state, env, {own})")
            self._tangent.append(f"{self._import(gyroscopic_tangent)}({g}, state, env, {own}, weights)")
        self._both(f"{markers}.W[:] = 0.0")
        pulls = []
        for i, (kind, group) in enumerate(m.markers.groups):
            self.groups.append(f"markers on {kind.name}")
            g = self._group(f"markers_{i}", group, kind.name)
            self._check(kind.place, kind.name, f"({g}, state, env, {markers})", self._force)
            self._check(kind.place_tangent, kind.name, f"({g}, state, env, {markers})", self._tangent)
            pulls.append(f"{self._import(kind.pull, kind.name)}({g}, state, env, {markers}, weights)")
        if len(m.joints.mA):
            self._joints(m, markers)
        if len(m.forces.mA):
            self.groups.append("forces between markers")
            g = self._group("forces", m.forces, "forces between markers")
            self._check(row_force, "", f"({g}, state, env, {markers})", self._force)
            self._check(row_force_tangent, "", f"({g}, state, env, {markers}, weights)", self._tangent)
            power, energy = self._table("power", take.array(self._power)), self._table("energy", take.array(np.zeros(len(m.forces.mA))))
            self._account += [
                "if powers == 1:",
                f"    {self._import(row_force_energy)}({g}, state.v, env, {markers}, {energy}, {power}[i])",
            ]
        if len(m.wrenches.mk):
            self.groups.append("forces on markers")
            g = self._group("wrenches", m.wrenches, "forces on markers")
            rows = self._table("wrench_rows", take.array(m.wrench_offsets))
            force = f"{self._import(wrench_force)}({g}, {markers}.R, env.scale, "
            self._force.append(f"{force}{markers}.W)")
            ptr = self._table("wrench_ptr", take.array(m.markers.ptr))
            self._tangent.append(f"{self._import(wrench_tangent)}({g}, {rows}, {ptr}, env.scale, {markers}, weights[0])")
            power = self._table("wrench_power", take.array(self._wrench_power))
            self._account += [
                "if powers == 1:",
                f"    {power}[i] = 0.0",
                f"    {force}{power}[i])",
                f"    {power}[i] *= {markers}.twist",
            ]
        self._tangent += pulls
        ptr, dof = self._table("ptr", take.array(m.markers.ptr)), self._table("dof", take.array(m.markers.dof))
        self._both(f"{self._import(pull_down)}({ptr}, {dof}, {markers}.JT, {markers}.W, {markers}.r)")
        if len(m.joints.mA):
            self._coupling = [f"{self._import(joint_coupling)}(joints, {dof}, {markers}.B, y, out)"]
        for name, group in (("joints", m.joints), ("forces", m.forces)):
            if any(group is table for table in dyn.turns._angular):
                columns = ", ".join(f"{name}.{c}" for c in ("mA", "mB", "ptr", "kind", "c", "near"))
                self._account.append(f"{self._import(update_angles)}({columns}, {markers}.p, {markers}.R)")

    def _joints(self, m: Any, markers: str) -> None:
        self.groups.append("joints")
        g = self._group("joints", m.joints, "joints")
        self._force.append(f"{self._import(joint_force)}({g}, state, env, {markers})")
        self._tangent.append(f"{self._import(joint_tangent)}({g}, state, env, {markers}, weights, on_rates)")
        self._rates = [f"{self._import(joint_rates)}({g}, {markers}, rate)"]

    def _both(self, line: str) -> None:
        self._force.append(line)
        self._tangent.append(line)

    def _check(self, function: Any, owner: str, arguments: str, lines: list[str]) -> None:
        """A call that may refuse an item."""
        lines += [f"if {self._import(function, owner)}{arguments} >= 0:", "    return False"]

    def _table(self, name: str, value: str) -> str:
        self._tables.append((name, value))
        return name

    def _group(self, name: str, group: Any, owner: str) -> str:
        self._import(type(group), owner)
        try:
            return self._table(name, self.addresses.group(group))
        except ValueError as error:
            raise Prevented(f"{owner}: {error}") from None

    def _import(self, item: Any, owner: str = "") -> str:
        """Import a kernel or a group by its name; the name."""
        function = item if isinstance(item, type) else getattr(item, "py_func", None)
        if function is None:
            raise Prevented(f"{owner}: {getattr(item, '__qualname__', item)} is not compiled (flexmbs.extend.kernel)")
        name, module = function.__qualname__, function.__module__
        if module == "__main__" or getattr(sys.modules.get(module), name, None) is not item:
            raise Prevented(f"{owner}: {name} cannot be imported by name from a module; move it into one")
        if self._imports.setdefault(name, module) != module:
            raise Prevented(f"{owner}: two kernels or tables are named {name}")
        if module not in self.modules:
            self.modules.append(module)
        return name


