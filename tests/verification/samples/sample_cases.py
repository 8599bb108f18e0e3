"""Small artificial cases for the tests of the framework, importable by name in worker processes."""

from __future__ import annotations

import os
import time
import warnings

import numpy as np
from matplotlib.figure import Figure

from flexmbs.verification import (
    Case,
    CaseEntry,
    CaseResult,
    ConvergenceStudy,
    Listener,
    Measured,
    Outcome,
    Progress,
    Reference,
    Table,
    Tolerance,
)

COUNTS = (4, 8, 16, 32, 64)


def trapezoidal_rule(progress: Progress) -> Outcome:
    """The integral of the exponential function by the trapezoidal rule: order 2."""
    exact = np.e - 1.0
    errors = []
    value = np.nan
    for count in COUNTS:
        progress(f"{count} intervals")
        x = np.linspace(0.0, 1.0, count + 1)
        y = np.exp(x)
        value = float(np.sum((y[1:] + y[:-1]) * np.diff(x)) / 2)
        errors.append(abs(value - exact))
    figure = Figure(figsize=(5.6, 3.2), layout="constrained")
    axes = figure.add_subplot()
    x = np.linspace(0.0, 1.0, 200)
    axes.plot(x, np.exp(x), color="#1f5fa8", label="integrand")
    axes.plot(np.linspace(0, 1, 5), np.exp(np.linspace(0, 1, 5)), "o-", color="#c4671b", label="4 intervals")
    axes.set(xlabel="x [m]", ylabel="y [-]")
    axes.legend(frameon=False)
    reference = Reference(exact, "antiderivative", 1e-15)
    return Outcome(
        quantities=[Measured("integral", "m", value, reference, Tolerance(rtol=1e-4))],
        convergence=[ConvergenceStudy("integral", COUNTS, errors, 2, 1.9, counts=True, label="number of intervals")],
        tables=[
            Table(
                "Errors by refinement",
                ("intervals", "error", "note"),
                [(n, e, "-") for n, e in zip(COUNTS, errors, strict=True)],
            )
        ],
        figures=[("The integrand and its polygon with four intervals.", figure)],
        remarks=["The error falls by a factor of four when the intervals are halved."],
    )


def wrong_value(progress: Progress) -> Outcome:
    """A number that is off, another that is fine."""
    warnings.warn("this one is known to be off", UserWarning, stacklevel=2)
    known = Reference(2.0, "counting fingers")
    return Outcome([
        Measured("sum", "-", 2.1, known, Tolerance(rtol=1e-3)),
        Measured("product", "N m", 2.0, known, Tolerance(atol=1e-6)),
        Measured("quotient", "N m", float("nan"), known, Tolerance(atol=1e-6)),
    ])  # fmt: skip


def raises(progress: Progress) -> Outcome:
    """A case that raises."""
    raise ZeroDivisionError("nothing to divide by")


def leaves(progress: Progress) -> Outcome:
    """A case that wants to end the program."""
    raise SystemExit(0)


def dies(progress: Progress) -> Outcome:
    """A case that takes its process down."""
    os._exit(7)


def uncertain(progress: Progress) -> Outcome:
    """A reference that is not good enough for its tolerance."""
    return Outcome([Measured("x", "m", 1.0, Reference(1.0, "a rough table", 1e-3), Tolerance(atol=2e-3))])


def nothing(progress: Progress) -> Outcome:
    """A case that measures nothing."""
    return Outcome()


def interrupted(progress: Progress) -> Outcome:
    """The user presses Ctrl-C."""
    raise KeyboardInterrupt


def sleeps(progress: Progress) -> Outcome:
    """A case that takes long."""
    progress("sleeping")
    time.sleep(60)
    return Outcome()


EQUATIONS = (r"I = \int_0^1 e^x\,\mathrm{d}x = e - 1", r"T_n = \sum_{i=1}^{n} \dfrac{h}{2}\left(y_{i-1} + y_i\right)")
PASSES = Case(
    "passes", "Trapezoidal rule for a smooth function", "numerics", "The integral of exp over [0, 1].\n\nIt is known.",
    trapezoidal_rule, "Any first course of numerical analysis.", EQUATIONS, ["Smooth integrands only."],
)  # fmt: skip
FAILS = Case("fails", "A sum that is off", "numerics", "One and one.", wrong_value, "Arithmetic.")
RAISES = Case("raises", "A case <that> raises & stops", "trouble", "It raises.", raises, "None.")
LEAVES = Case("leaves", "A case that leaves", "trouble", "It leaves.", leaves, "None.")
DIES = Case("dies", "A case that dies", "trouble", "It dies.", dies, "None.", slow=True)
UNCERTAIN = Case("uncertain", "A rough reference", "trouble", "Rough.", uncertain, "None.")
NOTHING = Case("nothing", "Nothing measured", "trouble", "Nothing.", nothing, "None.")
INTERRUPTED = Case("interrupted", "Interrupted", "trouble", "Interrupted.", interrupted, "None.")
SLEEPS = Case("sleeps", "A long sleep", "trouble", "Sleeps.", sleeps, "None.")


def entry(case: Case) -> CaseEntry:
    """The list entry of one of these cases."""
    return CaseEntry(case.id, case.title, case.area, f"sample_cases:{case.id.upper()}", case.slow)


class Announcer(Listener):
    """Prints what happens, for a test that reads it through a pipe."""

    def progress(self, entry: CaseEntry, message: str) -> None:
        print(entry.id, message, flush=True)

    def end(self, result: CaseResult) -> None:
        print(result.entry.id, "done", flush=True)
