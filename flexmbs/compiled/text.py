"""The text of a step driver: a module with only the groups that a system has.

Its functions call the same kernels in the same order as `Dynamics.residual` and `Dynamics.tangent`. Kernels, those of
users too, are imported by name.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.compiled import newton_step
from flexmbs.compiled.addresses import Addresses
from flexmbs.forces.wrench import wrench_force
from flexmbs.mechanics.inertia import add_rows_product, inertia_force
from flexmbs.mechanics.moving_mass import renew_step_mass
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
from flexmbs.core.contracts import Env, State
from flexmbs.core.jit import kernel
'''

WRITTEN = ("residual", "tangent", "rates", "rate_coupling", "account")
"""What is written for each set of types, in place of calls in `newton_step.advance`."""


class Prevented(ValueError):  # noqa: N818  # nothing went wrong
    """A system cannot have a step driver; the message says what of it is in the way."""


class _Flat(ast.NodeTransformer):
    """Fields of some arguments become variables, and calls of what is to be written become its statements."""

    def __init__(self, owners: set[str], bodies: dict[str, list[str]]) -> None:
        self.owners, self.bodies = owners, bodies

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:  # the names of ast
        if isinstance(node.value, ast.Name) and node.value.id in self.owners:
            return ast.Name(f"{node.value.id}_{node.attr}", node.ctx)
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self._written(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        return self._written(node)

    def _written(self, node: ast.Assign | ast.Expr) -> Any:
        call = node.value
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in self.bodies):
            return self.generic_visit(node)
        names = inspect.signature(getattr(newton_step, call.func.id)).parameters
        given = {name: ast.unparse(self.visit(a)) for name, a in zip(names, call.args, strict=True)}
        text = "\n".join(self.bodies[call.func.id])
        for name, value in given.items():
            text = re.sub(rf"(?<![\w.]){name}\b", value, text)
        return ast.parse(text).body


class Text:
    """The text for one system, and its arrays in the order in which the text reads them.

    ``groups``: names of what it holds, for messages; ``power (steps, n)`` and ``wrench_power (steps, n_m, 6)``: where
    the powers of forces between markers, and of wrenches, are written.
    """

    def __init__(self, dynamics: Dynamics, power: FloatArray, wrench_power: FloatArray) -> None:
        self.dynamics, self.addresses = dynamics, Addresses()
        self._power, self._wrench_power = power, wrench_power
        self._imports: dict[tuple[str, str], str] = {}
        self.modules: list[str] = []
        self.groups: list[str] = []
        self._tables: list[tuple[str, str]] = []
        self._force: list[str] = ["refused = False"]
        self._tangent: list[str] = ["refused = False"]
        self._rates: list[str] = ["pass"]
        self._coupling: list[str] = ["pass"]
        self._account: list[str] = ["pass"]

    def write(self, values: dict[str, dict[str, str]], width: int) -> str:
        """The module; ``values``: by argument of `newton_step.advance` (s, c, x) the expressions of its fields."""
        self._collect()
        calls = (self._force, self._tangent, self._rates, self._coupling, self._account)
        lines = [f"{name} = {value}" for name, value in self._tables]
        lines += [f"{owner}_{name} = {value}" for owner, fields in values.items() for name, value in fields.items()]
        lines.append(f"width = ({'0.0, ' * width})")
        imports = tuple((*place, alias) for place, alias in self._imports.items())
        return _written(
            ", ".join(self.groups), imports, tuple(lines), tuple(values), tuple(tuple(call) for call in calls)
        )  # fmt: skip

    def _collect(self) -> None:
        """Tables and calls, in the order of `Dynamics.residual`."""
        dyn, m = self.dynamics, self.dynamics.mechanics
        take = self.addresses
        work = self._table("work", take.group(dyn._work, self._import(type(dyn._work))))
        markers = work
        if m is not None:
            markers = self._table("markers", take.group(dyn.markers, self._import(type(dyn.markers))))
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
            self._tangent += [f"for k in range({blocks}.shape[0]):", f"    {work}.B[k] += weights[1] * {blocks}[k]"]
        if m is not None:
            self._mechanics(m, work, markers)

    def _mechanics(self, m: Any, work: str, markers: str) -> None:
        """What acts on markers."""
        dyn, take = self.dynamics, self.addresses
        stages = [(bodies, stage) for bodies in m.groups for stage in bodies.stages]
        for i, (bodies, stage) in enumerate(stages):
            self.groups.append(stage.name)
            g = self._group(f"inertia_{i}", stage.group, stage.name)
            # whichever is compiled for the loop in Python
            own = markers if stage.on_markers or dyn._rigid_alone is not None else work
            self._force.append(f"{self._import(stage.force, stage.name)}({g}, state, env, {own})")
            self._tangent.append(f"{self._import(stage.tangent, stage.name)}({g}, state, env, {own}, weights)")
            if bodies.moving is not None:
                self._renew_mass(g)
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
            power = self._table("power", take.array(self._power))
            energy = self._table("energy", take.array(np.zeros(len(m.forces.mA))))
            self._account += [
                "if c_powers == 1:",
                f"    {self._import(row_force_energy)}({g}, state.v, env, {markers}, {energy}, {power}[i])",
            ]
        if len(m.wrenches.mk):
            self.groups.append("forces on markers")
            g = self._group("wrenches", m.wrenches, "forces on markers")
            rows = self._table("wrench_rows", take.array(m.wrench_offsets))
            force = f"{self._import(wrench_force)}({g}, {markers}.R, env.scale, "
            self._force.append(f"{force}{markers}.W)")
            ptr = self._table("wrench_ptr", take.array(m.markers.ptr))
            self._tangent.append(
                f"{self._import(wrench_tangent)}({g}, {rows}, {ptr}, env.scale, {markers}, weights[0])"
            )
            power = self._table("wrench_power", take.array(self._wrench_power))
            self._account += [
                "if c_powers == 1:",
                f"    {power}[i] = 0.0",
                f"    {force}{power}[i])",
                f"    for n in range({power}.shape[1]):",
                "        for m in range(6):",
                f"            {power}[i, n, m] *= {markers}.twist[n, m]",
            ]
        self._tangent += pulls
        ptr, dof = self._table("ptr", take.array(m.markers.ptr)), self._table("dof", take.array(m.markers.dof))
        self._both(f"{self._import(pull_down)}({ptr}, {dof}, {markers}.JT, {markers}.W, {markers}.r)")
        if len(m.joints.mA):
            self._coupling = [f"{self._import(joint_coupling)}(joints, {dof}, {markers}.B, y, out)"]
        for name, group in (("joints", m.joints), ("forces", m.forces)):
            if any(group is table for table in dyn.turns.angular):
                columns = ", ".join(f"{name}.{c}" for c in ("mA", "mB", "ptr", "kind", "c", "near"))
                self._account.append(f"{self._import(update_angles)}({columns}, {markers}.p, {markers}.R)")

    def _renew_mass(self, g: str) -> None:
        """Mass of trees in the matrix of a step."""
        arrays = self.dynamics._moving_mass.step_arrays
        names = [self._table(f"tree_{name}", self.addresses.array(array)) for name, array in arrays.items()]
        self._tangent.append(f"{self._import(renew_step_mass)}({g}, state.q, {', '.join(names)})")

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
        lines += [f"if {self._import(function, owner)}{arguments} >= 0:", "    refused = True"]

    def _table(self, name: str, value: str) -> str:
        self._tables.append((name, value))
        return name

    def _group(self, name: str, group: Any, owner: str) -> str:
        try:
            return self._table(name, self.addresses.group(group, self._import(type(group), owner)))
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
        # Names of others could be those of variables here.
        alias = self._imports.setdefault((module, name), f"own_{len(self._imports)}_{name}")
        if module not in self.modules:
            self.modules.append(module)
        return alias


@cache
def _written(
    title: str, imports: tuple[tuple[str, str, str], ...], lines: tuple[str, ...], owners: tuple[str, ...],
    calls: tuple[tuple[str, ...], ...],
) -> str:  # fmt: skip
    """The module with the statements ``lines`` first, and ``calls`` in place of what is `WRITTEN`."""
    steps: Any = ast.parse(inspect.getsource(newton_step.advance)).body[0]
    steps = _Flat(set(owners), {name: list(call) for name, call in zip(WRITTEN, calls, strict=True)}).visit(steps)
    steps.body[:1] = ast.parse("\n".join(lines)).body  # in place of the docstring
    found = {node.id for part in steps.body for node in ast.walk(part) if isinstance(node, ast.Name)}
    names = sorted(n for n in found if hasattr(newton_step, n) and n not in ("Env", "State"))
    body = ast.unparse(ast.fix_missing_locations(ast.Module(steps.body, [])))
    parts = [HEAD.format(title=title, names=", ".join(names))]
    parts += [f"from {module} import {name} as {alias}\n" for module, name, alias in imports]
    parts += ["\n\n@kernel\ndef drive(at, whole, real):\n", textwrap.indent(body, "    "), "\n"]
    return "".join(parts)
