"""A heavy strip on a floor, lifted at one end: as a cable in the plane, a plate and a shell."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure
from flexmbs.verification.cases.contact.beside import G, beside, peak
from flexmbs.verification.reference.data import load_reference

LENGTH, WIDTH, HEIGHT, LIFT = 2.0, 0.02, 0.002, 0.005
STEEL = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.0, density=7800.0, name="steel without lateral contraction")
STIFFNESS = 1e9
"""Of the floor [force/length^2]: the force where the strip leaves is spread over (4 EI/k)^(1/4) = 10 mm."""


def _floor(height: float, axis: tuple[float, ...]) -> fx.contact.Plane:
    place = (0.0, height) if len(axis) == 2 else (0.0, 0.0, height)
    return fx.contact.Plane(fx.ground.marker(place, axis=axis))


def _law(per: float) -> fx.contact.HuntCrossleyLaw:
    return fx.contact.HuntCrossleyLaw(stiffness=STIFFNESS / per, exponent=1.0)


def line() -> tuple[fx.StaticSolution, Any, Any]:
    """The strip as a planar cable: its equilibria, body and contact."""
    strip = fx.FlexibleBody.line(
        (0, 0), (LENGTH, 0), elements=100, element=fx.elements.ANCFCable2D(),
        section=fx.Rectangle(width=WIDTH, height=HEIGHT), material=STEEL, name="strip",
    )  # fmt: skip
    tube = fx.contact.Tube(strip, radius=0.5 * HEIGHT)
    touch = fx.Contact((_floor(-0.5 * HEIGHT, (0, 1)), tube), _law(1.0), name="floor")
    weight = fx.Gravity((0, -G), history=fx.Constant())
    return fx.solve_static(fx.Model(strip, touch, weight, fx.Prescribe(strip.start, (0, LIFT)))), strip, touch


def sheet(element: Any) -> tuple[fx.StaticSolution, Any, Any]:
    """The strip as a plate or shell of the same width."""
    strip = fx.FlexibleBody.plate(
        (LENGTH, WIDTH), elements=(100, 1), element=element, section=fx.ShellSection(HEIGHT), material=STEEL,
        name="strip",
    )  # fmt: skip
    skin = fx.contact.Skin(strip, thickness=HEIGHT)
    touch = fx.Contact((_floor(-0.5 * HEIGHT, (0, 0, 1)), skin), _law(WIDTH), name="floor")
    weight = fx.Gravity((0, 0, -G), history=fx.Constant())
    lift = fx.Prescribe(strip.set("left"), (0, 0, LIFT))
    return fx.solve_static(fx.Model(strip, touch, weight, lift)), strip, touch


def run(progress: Progress) -> Outcome:
    """Three models of one strip."""
    figures = load_reference("strip-lifted-from-floor")
    progress("as a cable in the plane")
    up, strip, touch = line()
    history = up.contact(touch)
    along = history.along[0]
    x, force, size = along.point[-1, :, 0], along.force[-1, :, 1], along.size
    q = STEEL.density * WIDTH * HEIGHT * G
    leaves = x[np.flatnonzero(force > 0.0)[0]]
    near = np.abs(x - leaves) <= 0.04
    gauss = np.polynomial.legendre.leggauss(2)[0]
    moments = np.abs(up.resultant(strip, "M", xi=gauss, step=-1))
    places = (np.arange(100)[:, None] + 0.5 * (1.0 + gauss)) * LENGTH / 100
    at, largest = peak(places.ravel(), moments.ravel())
    slope = -up.slope(strip.start, step=-1)
    quantities = [
        *beside(figures, "lifted length", leaves, atol=0.02),
        *beside(figures, "lifting force", up.reaction(strip.start, step=-1)[1], rtol=0.01),
        *beside(figures, "force on the floor within 40 mm of the place where it leaves, less the weight there",
                float(force[near] @ size[near]) - q * 0.04, rtol=0.03),
        *beside(figures, "slope of the lifted end", slope[1], rtol=0.01),
        *beside(figures, "largest bending moment, and its distance from the lifted end",
                [largest, at], rtol=0.01),
        *beside(figures, "sum of all forces on the floor", history.force[-1, 0, 1], rtol=0.002),
    ]  # fmt: skip
    for name, element in {"plate": fx.elements.ANCFThinPlate(), "shell": fx.elements.ANCFShell()}.items():
        progress(f"as a {name}")
        found, body, touch = sheet(element)
        lifting = float(found.reaction(body.set("left"), step=-1)[2])
        quantities += [
            *beside(figures, "lifting force", lifting, label=f"lifting force, {name}", rtol=0.01),
            *beside(figures, "sum of all forces on the floor", found.contact(touch).force[-1, 0, 2],
                    label=f"sum of all forces on the floor, {name}", rtol=0.002),
        ]  # fmt: skip
    drawing, axes = figure(6.4, 2.6)
    near = x < 1.0
    axes.plot(x[near], 1e3 * along.point[-1, near, 1], color=COLOURS[0], lw=1.4)
    axes.set_xlabel("distance from the lifted end in m")
    axes.set_ylabel("height in mm")
    return Outcome(quantities, [], [], [("The strip near its lifted end.", drawing)])


CASE = Case(
    id="strip-lifted-from-floor",
    title="Heavy strip on a floor, lifted at one end",
    area="contact",
    summary=(
        "A long elastic strip lies under its weight on a floor and is lifted by 5 mm at one end. It touches along its "
        "length by forces per length, as a cable with a tube, and per area, as a plate and as a shell with a skin; the "
        "place where it leaves the floor is found by statics."
    ),
    run=run,
    source="Closed form.",
    equations=(r"l = (24\,EI\,w_0/q)^{1/4}, \quad F = q\,l/2",),
)
