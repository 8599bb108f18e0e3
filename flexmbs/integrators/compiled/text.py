"""The text of a step driver: a module with only the groups that a system has.

Its calls are the stages of `flexmbs.dynamics.stages`, which the loop in Python runs too. Kernels, those of users
too, are imported by name.
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

from flexmbs.dynamics.constraint_product import constraint_product
from flexmbs.dynamics.stages import Given, Stage
from flexmbs.dynamics.turns import REBASE
from flexmbs.integrators.compiled import inline, loop, written
from flexmbs.integrators.compiled.addresses import REBUILDING, Addresses
from flexmbs.kernels.conditions import passing
from flexmbs.kernels.contacts import contact_energy, contact_gaps
from flexmbs.kernels.distributed_contacts import distributed_energy, distributed_gaps
from flexmbs.kernels.early_slip import contact_bristles, distributed_bristles, force_bristles
from flexmbs.kernels.pairs import joint_coupling, joint_gamma, joint_rates, update_angles
from flexmbs.kernels.python_calls import call_python
from flexmbs.kernels.row_forces import row_force_energy
from flexmbs.kernels.sensing import follow_turns, read_sensors
from flexmbs.kernels.wrenches import wrench_force

if TYPE_CHECKING:
    from types import ModuleType

    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.bristles import BristleRows
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.dynamics.gaps import GapRows
    from flexmbs.integrators.compiled.control import ControlMemory
    from flexmbs.integrators.compiled.form import Form

__all__ = ["HEAD", "Prevented", "Text"]

HEAD = '''"""Steps of {title}: written by flexmbs.integrators.compiled, overwritten at will."""

from __future__ import annotations

from flexmbs.integrators.compiled.addresses import {arrays}
{loop}from {module} import {names}
from flexmbs.core.contracts import Env, State
from flexmbs.core.jit import driver
'''


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
        names = inspect.signature(getattr(written, call.func.id)).parameters
        given = {name: ast.unparse(self.visit(a)) for name, a in zip(names, call.args, strict=True)}
        text = "\n".join(self.bodies[call.func.id])
        for name, value in given.items():
            text = re.sub(rf"(?<![\w.]){name}\b", value, text)
        return ast.parse(text).body


class Text:
    """The text for one system, and its arrays in the order in which the text reads them.

    ``groups``: names of what it holds, for messages; ``power (steps, n)``, ``contact_power (steps, n)``,
    ``along_power (steps, n)``, ``wrench_power (steps, n_m, 6)`` and ``user_power``: where the powers of forces between
    markers, of contacts, of those along bodies, of wrenches, and of those by functions of users, are written; ``gaps``:
    where the gaps after each step are; ``bristles``: where it is told what bristles carry; ``turns``: by table of
    `Turns.angular` where the values of counted angles are.
    """

    def __init__(
        self, dynamics: Dynamics, power: FloatArray, contact_power: FloatArray, along_power: FloatArray,
        wrench_power: FloatArray, user_power: FloatArray, gaps: GapRows, bristles: BristleRows, turns: list[FloatArray],
        form: Form, control: ControlMemory | None = None,
    ) -> None:  # fmt: skip
        self.form = form
        self._gaps, self._bristles, self._turns = gaps, bristles, turns
        self.dynamics, self.addresses, self.control = dynamics, Addresses(), control
        self._power, self._contact_power, self._wrench_power = power, contact_power, wrench_power
        self._along_power, self._user_power = along_power, user_power
        self._imports: dict[tuple[str, str], str] = {}
        self.groups: list[str] = []
        self._tables: list[tuple[str, str]] = []
        self._names: dict[int, str] = {}  # of what lives as long as the dynamics does
        self._watch: list[str] = ["happens = False"]
        self._account: list[str] = ["pass"]
        self._sample: list[str] = ["refused, anew = False, 0"]
        self._calls = {"watch": self._watch, "account": self._account, "sample": self._sample}

    def write(self, values: dict[str, dict[str, str]], width: int) -> str:
        """The module; ``values``: by argument of `loop.advance` (s, c, x, y, z) the expressions of its fields."""
        self._collect()
        lines = [("", *table) for table in self._tables]
        lines += [(f"{owner}_", *field) for owner, fields in values.items() for field in fields.items()]
        lines.append(("", "width", f"({'0.0, ' * width})"))
        imports = tuple((*place, alias) for place, alias in self._imports.items())
        dyn = self.dynamics
        has = {
            "samples": self.control is not None, "constrained": dyn.n_c > 0, "moves": dyn.mass_changes,
            "factors": dyn.n_c > 0 or dyn.mass_changes,
        }  # fmt: skip
        calls = tuple((name, *text) for name, text in self._calls.items())
        kept = frozenset((*(name for name, holds in has.items() if holds), *self.form.kept))
        return _written(", ".join(self.groups), imports, tuple(lines), tuple(values), calls, self.form.module, kept)

    def _collect(self) -> None:
        """Tables and calls of all stages, in their order, and what is told of a step when it is made."""
        dyn, m, take = self.dynamics, self.dynamics.mechanics, self.addresses
        for name, work in (("work", dyn.workspace.work), ("markers", dyn.markers)):
            self._names[id(work)] = self._table(name, take.group(work, self._import(type(work))))
            for field, array in work._asdict().items():
                self._names.setdefault(id(array), f"{name}.{field}")
        self.groups = list(dict.fromkeys(stage.owner.split(" of ")[0] for stage in dyn.stages.force))
        for name in self.form.written:
            self._calls[name] = self._equations(name)
        self._conditions()
        self._powers(m)
        self._opened_or_closed(m)
        self._bent(m)
        if self.control is not None:
            self._samples(self.control)
        for kind, frames in dyn.turns.based:
            name = self._name(frames, "", kind.name)
            self._account.append(f"{self._import(kind.rebase, kind.name)}({name}, state.q, {REBASE})")
        for readings in dyn.turns.readings:
            read, kinematics = (self._name(part, "", "states") for part in (readings.group, readings.work))
            self._account.append(f"{self._import(follow_turns)}({read}, {kinematics})")
        turns = dyn.turns
        for owner, group, places, told in zip(turns.owners, turns.angular, turns.places, self._turns, strict=True):
            name, rows = self._name(group, owner, owner), self._table(f"turns_of_{owner}", take.array(told))
            angles = self._table(f"angles_of_{owner}", take.array(places))
            columns = ", ".join(f"{name}.{c}" for c in ("mA", "mB", "ptr", "kind", "c", "near"))
            self._account += [
                f"{self._import(update_angles)}({columns}, markers.p, markers.R)",
                f"for k in range({rows}.shape[1]):",
                f"    {rows}[i, k] = {name}.near[{angles}[k]]",
            ]

    def _equations(self, name: str) -> list[str]:
        """What a scheme calls of `flexmbs.integrators.compiled.written`: stages, or kernels over all joints."""
        dyn, m = self.dynamics, self.dynamics.mechanics
        stages = dyn.stages
        bent = self.control is not None or "projected" in self.form.kept
        listed = {
            "residual": stages.force, "tangent": stages.tangent, "masses": stages.masses,
            "constraint_rows": (*stages.place_tangent, *stages.rows),
            "curvature": stages.place_tangent if bent else (),
        }  # fmt: skip
        found = ["refused = False"] if name in ("residual", "tangent", "constraint_rows") else ["pass"]
        for stage in listed.get(name, ()):
            found += self._written_call(stage, "(0.0, 0.0)" if name == "residual" else "weights")
        if not len(m.joints.mA) or (name == "curvature" and not bent):
            return found
        joints = self._name(m.joints, "joints", "joints")
        if name == "rates":
            found.append(f"{self._import(joint_rates)}({joints}, markers, rate)")
        elif name == "rate_coupling":
            dof = self._name(m.markers.dof, "dof", "markers")
            found.append(f"{self._import(joint_coupling)}({joints}, {dof}, markers.B, y, out)")
        elif name == "constraint_product":
            ptr, dof = (self._name(getattr(m.markers, field), field, "markers") for field in ("ptr", "dof"))
            found.append(f"{self._import(constraint_product)}({joints}, {ptr}, {dof}, markers, y, twist, out)")
        elif name in ("gamma", "curvature"):
            dof = self._name(m.markers.dof, "dof", "markers")
            found.append(f"{self._import(joint_gamma)}({joints}, state.v, {dof}, markers, out)")
        return found

    def _samples(self, control: ControlMemory) -> None:
        """What sensors count after every step, and what controllers do at their samples."""
        table, readings, lines = control.table, control.table.readings, self._sample
        work = self._table("sensed", self.addresses.group(readings.work, self._import(type(readings.work))))
        sensors = self._name(readings.group, "sensors", "sensors")
        for kind, group in readings.markers.groups:
            place, owner = kind.place_tangent if readings.tangent else kind.place, f"sensors on {kind.name}"
            markers = self._name(group, f"table_{len(self._names)}", owner)
            lines.append(f"{self._import(place, owner)}({markers}, state, env, {work})")
        if readings.turns:
            lines.append(f"{self._import(follow_turns)}({sensors}, {work})")
        names = ("due", "count", "signals", "x", "pending")
        due, count, signals, x, pending = (
            self._table(f"control_{n}", self.addresses.array(getattr(control, n))) for n in names
        )
        u, held = self._name(readings.u, "readings", "sensors"), self._name(table.held, "held", "actuators")
        row = "0" if table.steady else "i"
        read, group = self._import(read_sensors), self._name(table.group, "controls", "controllers")
        lines += [
            "if y_sampled[i] == 1:",
            f"    refused = {read}({sensors}, state, {held}, {signals}[{row}], {work}, {u}) >= 0",
            "    if not refused:",
            f"        bad, anew = {self._import(table.samples, 'controllers')}(",
            f"            {group}, {due}[i], {count}, {u}, {signals}[{row}], {x}, {held}, {pending},",
            f"            {self._name(table.python, 'python', 'controllers')}, state, Env(x_ends[i], env.scale)",
            "        )",
            "        refused = bad >= 0",
            "        for k in range(y_held.shape[1]):",
            f"            y_held[i, k] = {held}[k]",
        ]

    def _conditions(self) -> None:
        """Whether events may happen, by the places of their markers at the end of a step."""
        watched = self.dynamics.watched
        if watched is None:
            return
        for stage in watched.place:
            self._watch += self._written_call(stage)
        owner, readings = watched.read.owner, watched.readings
        table, u = self._name(watched.table, "conditions", owner), self._name(readings.u, "looked_at", owner)
        call, _ = self._written_call(watched.read)
        self._watch += [
            call,
            "    happens = True",
            f"happens = {self._import(passing)}({table}, {u}, first) or happens",
        ]
        if readings.turns:
            group, work = self._name(readings.group, "", owner), self._name(readings.work, "", owner)
            self._account.append(f"{self._import(follow_turns)}({group}, {work})")

    def _powers(self, m: Any) -> None:
        """Powers of forces between markers and of wrenches, after a step."""
        take = self.addresses
        if len(m.forces.mA):
            power = self._table("power", take.array(self._power))
            energy = self._table("energy", take.array(np.zeros(len(m.forces.mA))))
            forces = self._name(m.forces, "forces", "forces between markers")
            self._account += [
                "if c_powers == 1:",
                f"    {self._import(row_force_energy)}({forces}, state.v, env, markers, {energy}, {power}[i])",
            ]
        if len(m.contacts.mA):
            power = self._table("contact_power", take.array(self._contact_power))
            energy = self._table("contact_energy", take.array(np.zeros(len(m.contacts.mA))))
            contacts = self._name(m.contacts, "contacts", "contacts")
            self._account += [
                "if c_powers == 1:",
                f"    {self._import(contact_energy)}({contacts}, state.v, markers, {energy}, {power}[i])",
            ]
        if len(m.distributed_owners):
            power = self._table("along_power", take.array(self._along_power))
            energy = self._table("along_energy", take.array(np.zeros(len(m.distributed_owners))))
            along = self._name(m.distributed, "distributed", "contacts along bodies")
            self._account += [
                "if c_powers == 1:",
                f"    {self._import(distributed_energy)}({along}, state, markers, {energy}, {power}[i])",
            ]
        if len(m.wrenches.mk):
            power = self._table("wrench_power", take.array(self._wrench_power))
            wrenches = self._name(m.wrenches, "wrenches", "forces on markers")
            self._account += [
                "if c_powers == 1:",
                f"    {power}[i] = 0.0",
                f"    {self._import(wrench_force)}({wrenches}, markers.R, env.scale, {power}[i])",
                f"    for n in range({power}.shape[1]):",
                "        for m in range(6):",
                f"            {power}[i, n, m] *= markers.twist[n, m]",
            ]
        if self.dynamics.python.users:
            power = self._table("user_power", take.array(self._user_power))
            applied = self._name(self.dynamics.python.applied, "applied", "forces of users")
            self._account += [
                "if c_powers == 1:",
                f"    for n in range({power}.shape[1]):",
                "        for m in range(6):",
                f"            {power}[i, n, m] = {applied}[n, m] * markers.twist[n, m]",
            ]

    def _opened_or_closed(self, m: Any) -> None:
        """Gaps after a step."""
        single, along, crossing = (
            self._table(f"gaps_{n}", self.addresses.array(rows)) if rows.size else ""
            for n, rows in enumerate(self._gaps)
        )
        if single:
            group = self._name(m.contacts, "contacts", "contacts")
            self._account.append(f"{self._import(contact_gaps)}({group}, markers, {single}[i, 0], {single}[i, 1])")
        if along:
            group = self._name(m.distributed, "distributed", "contacts along bodies")
            self._account.append(
                f"{self._import(distributed_gaps)}({group}, state, markers, {along}[i, 0], {along}[i, 1])"
            )
        if crossing:
            self._account.append(f"{crossing}[i, 0] = ENDLESS")
        for term in self.dynamics.system.terms:
            if term.gaps is not None and crossing:
                name = self._name(term.group, "", "contacts of tubes")
                self._account.append(f"{self._import(term.gaps)}({name}, state, {crossing}[i, 0], {crossing}[i, 1])")

    def _bent(self, m: Any) -> None:
        """What bristles with a static limit carry after a step."""
        forces, contacts, along = (
            self._table(f"bristles_{n}", self.addresses.array(rows)) if rows.size else ""
            for n, rows in enumerate(self._bristles)
        )
        if forces:
            group = self._name(m.forces, "forces", "forces between markers")
            self._account.append(f"{self._import(force_bristles)}({group}, state.v, markers, {forces}[i])")
        if contacts:
            group = self._name(m.contacts, "contacts", "contacts")
            self._account.append(f"{self._import(contact_bristles)}({group}, state.v, markers, {contacts}[i])")
        if along:
            group = self._name(m.distributed, "distributed", "contacts along bodies")
            self._account.append(f"{self._import(distributed_bristles)}({group}, state, markers, {along}[i])")

    def _written_call(self, stage: Stage, weights: str = "weights") -> list[str]:
        """A stage as statements."""
        if stage.python:
            python = self.dynamics.python_stages
            table, number = self._name(python.calls, "python", stage.owner), python.number(stage.kernel)
            call = f"{self._import(call_python)}({table}, {number}, state, env, {weights})"
            return [f"if {call} >= 0:", "    refused = True"]
        named = self._names
        arguments = ", ".join(
            [
                str(a) if isinstance(a, Given) else named.get(id(a)) or self._argument(a, stage.owner)
                for a in stage.arguments
            ]
        )
        call = f"{self._import(stage.kernel, stage.owner)}({arguments})"
        return [call] if stage.refuse is None else [f"if {call} >= 0:", "    refused = True"]

    def _argument(self, item: Any, owner: str) -> str:
        """A constant, written out, or the name of a table or an array."""
        if isinstance(item, bool | int | float) or type(item) is tuple:
            return repr(item)
        return self._name(item, f"table_{len(self._names)}", owner)

    def _name(self, item: Any, name: str, owner: str) -> str:
        """The name of a table or an array, which is handed over when it is first met."""
        if id(item) not in self._names:
            try:
                value = (
                    self.addresses.array(item)
                    if isinstance(item, np.ndarray)
                    else self.addresses.group(item, self._import(type(item), owner))
                )
            except ValueError as error:
                raise Prevented(f"{owner}: {error}") from None
            self._names[id(item)] = self._table(name, value)
        return self._names[id(item)]

    def _table(self, name: str, value: str) -> str:
        self._tables.append((name, value))
        return name

    def _import(self, item: Any, owner: str = "") -> str:
        """Import a kernel or a group by its name; the name."""
        function = item if isinstance(item, type) else getattr(item, "py_func", None)
        if function is None:
            raise Prevented(f"{owner}: {getattr(item, '__qualname__', item)} is not compiled (flexmbs.extend.kernel)")
        name, module = function.__qualname__, function.__module__
        if module == "__main__" or getattr(sys.modules.get(module), name, None) is not item:
            raise Prevented(f"{owner}: {name} cannot be imported by name from a module; move it into one")
        # Names of others could be those of variables here.
        return self._imports.setdefault((module, name), f"own_{len(self._imports)}_{name}")


@cache
def _written(
    title: str, imports: tuple[tuple[str, str, str], ...], lines: tuple[tuple[str, ...], ...], owners: tuple[str, ...],
    calls: tuple[tuple[str, ...], ...], module: ModuleType, kept: frozenset[str],
) -> str:  # fmt: skip
    """The module with ``lines`` first (owner, name and value), and ``calls`` (name, statements) in place of calls."""
    steps: Any = inline.steps(module, kept)
    steps = _Flat(set(owners), {name: list(call) for name, *call in calls}).visit(steps)
    first = "\n".join(f"{owner}{name} = {value}" for owner, name, value in lines)
    steps.body[:1] = ast.parse(first).body  # in place of the docstring
    found = {node.id for part in steps.body for node in ast.walk(part) if isinstance(node, ast.Name)}
    own, shared, arrays = [], [], []
    for name in sorted(found - {"Env", "State"}):
        if hasattr(module, name):
            own.append(name)
        elif hasattr(loop, name):
            shared.append(name)
        elif name in REBUILDING:
            arrays.append(name)
    body = ast.unparse(ast.fix_missing_locations(ast.Module(steps.body, [])))
    of_loop = f"from {loop.__name__} import {', '.join(shared)}\n"
    named = {"module": module.__name__, "names": ", ".join(own), "arrays": ", ".join(arrays)}
    parts = [HEAD.format(title=title, loop=of_loop, **named)]
    parts += [f"from {place} import {name} as {alias}\n" for place, name, alias in imports]
    parts += ["\n\n@driver\ndef drive(at, whole, real):\n", textwrap.indent(body, "    "), "\n"]
    return "".join(parts)
