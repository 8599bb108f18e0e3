"""Equilibria of mechanisms, and vibrations about them and about a spin."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.special import roots_laguerre

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured

G = 9.81
CLOSED = "closed form"
ROOT = "scalar equation, by bracketing"
OFF = 1e-9
"""Relative tolerance of what is exact but for round-off and the iteration."""


# --- equilibria -------------------------------------------------------------------------------------------------------


def run_equilibria(progress: Progress) -> Outcome:
    """Released pendulums, a four-bar linkage with a spring, a hanging chain."""
    quantities = []
    progress("pendulums")
    for label, angle in (("horizontal", 0.0), ("two degrees from upright", math.radians(88.0))):
        bar = fx.RigidBody(2.0, (0.3, 0.1, 0.2), position=(0.5 * math.cos(angle), 0, 0.5 * math.sin(angle)), name="bar")
        hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
        found = fx.solve_static(fx.Model(bar, hinge, fx.Gravity((0, 0, -G))))
        where, force = found.position(bar)[-1], found.reaction(hinge)[-1]
        quantities += [
            measured(f"pendulum from {label}: height", "m", where[2], -0.5, CLOSED, rtol=OFF),
            measured(f"pendulum from {label}: distance from the plumb line", "m", where[0], 0.0, CLOSED, atol=OFF),
            measured(f"pendulum from {label}: reaction", "N", force[2], 2.0 * G, CLOSED, rtol=OFF),
        ]
    angles: list[float] = []
    stiffnesses = (2.0, 5.0, 20.0, 100.0)
    for stiffness in stiffnesses:
        progress(f"four-bar linkage, spring {stiffness:g}")
        found, exact = _linkage(stiffness)
        angles.append(float(found.angle("a")[-1]))
        quantities += [
            measured(f"linkage with {stiffness:g} N m/rad: angle", "rad", angles[-1], exact, ROOT, rtol=OFF),
            measured(
                f"linkage with {stiffness:g} N m/rad: redundant constraints",
                "-",
                len(found.redundant),
                3.0,
                CLOSED,
                atol=0.1,
            ),
        ]
    progress("chain")
    bars = [fx.RigidBody(1.0, (0.01, 0.1, 0.1), position=(i + 0.5, 0, 0), name=f"bar {i}") for i in range(40)]
    sides: list[Any] = [fx.ground, *bars]
    hinges = [
        fx.RevoluteJoint(a, b, at=(i, 0, 0), axis=(0, 1, 0), name=f"hinge {i}")
        for i, (a, b) in enumerate(pairwise(sides))
    ]
    found = fx.solve_static(fx.Model(*bars, *hinges, fx.Gravity((0, 0, -G))))
    quantities.append(
        measured(
            "chain of 40 bars from horizontal: last bar", "m", found.position(bars[-1])[-1, 2], -39.5, CLOSED, rtol=OFF
        )
    )
    drawing, axes = figure()
    fine = np.geomspace(1.0, 200.0, 200)
    axes.semilogx(fine, [_sag(k) for k in fine], color="black", linewidth=0.9, linestyle=(0, (4, 3)), label=ROOT)
    axes.semilogx(stiffnesses, angles, "o", color=COLOURS[0], label="linkage")
    axes.set_xlabel("spring [N m/rad]")
    axes.set_ylabel("turn of the crank [rad]")
    axes.legend(frameon=False)
    return Outcome(quantities, (), (), [("A softer spring lets the linkage sink to its hanging position.", drawing)])


def _sag(stiffness: float, angle: float = 0.6) -> float:
    """Turn of the crank of the linkage: k (x - x0) + g (2 (l / 2) m + l M) cos x = 0 with l = 0.5, m = 1, M = 2."""
    root = brentq(lambda x: stiffness * (x - angle) + 1.5 * G * math.cos(x), -math.pi / 2, angle, xtol=1e-15)
    return float(root) - angle


def _linkage(stiffness: float) -> tuple[Any, float]:
    """A parallelogram of spatial hinges under gravity, held by a torsion spring; its equilibrium and the exact turn."""
    c, s = math.cos(0.6), math.sin(0.6)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    inertia, z = (0.01, 0.02, 0.02), (0, 0, 1)
    left, right = (
        fx.RigidBody(1.0, inertia, position=(x + 0.25 * c, 0.25 * s, 0), rotation=turn, name=f"crank at {x:g}")
        for x in (0.0, 1.0)
    )
    coupler = fx.RigidBody(2.0, (0.01, 0.2, 0.2), position=(0.5 + 0.5 * c, 0.5 * s, 0), name="coupler")
    joints = [
        fx.RevoluteJoint(fx.ground, left, at=(0, 0, 0), axis=z, name="a"),
        fx.RevoluteJoint(fx.ground, right, at=(1, 0, 0), axis=z, name="b"),
        fx.RevoluteJoint(left, coupler, at=(0.5 * c, 0.5 * s, 0), axis=z, name="c"),
        fx.RevoluteJoint(right, coupler, at=(1 + 0.5 * c, 0.5 * s, 0), axis=z, name="d"),
    ]
    spring = fx.TorsionSpring(joints[0], stiffness=stiffness, name="spring")
    model = fx.Model(left, right, coupler, *joints, spring, fx.Gravity((0, -G, 0)))
    return fx.solve_static(model), _sag(stiffness)


# --- vibrations -------------------------------------------------------------------------------------------------------


def run_vibrations(progress: Progress) -> Outcome:
    """Pendulums, a string of beads, a rotor that whirls, a pole on a cart."""
    progress("pendulums")
    bar = fx.RigidBody(2.0, (0.3, 0.1, 0.2), position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    hanging = fx.solve_static(fx.Model(bar, hinge, fx.Gravity((0, 0, -G))))
    value = fx.solve_modal(hanging).eigenvalues[0]
    quantities = [measured("compound pendulum: omega^2", "1/s^2", value, G / 0.6, CLOSED, rtol=OFF)]
    damper = fx.TorsionSpring(hinge, damping=0.8, name="damper")
    damped = fx.solve_modal(fx.solve_static(fx.Model(bar, hinge, damper, fx.Gravity((0, 0, -G)))))
    quantities.append(
        measured(
            "damped pendulum: damping ratio", "-", damped.damping_ratios[0], 0.4 / math.sqrt(0.6 * G), CLOSED, rtol=OFF
        )
    )
    quantities += _double() + _beads(progress)
    progress("rotor")
    spins = np.array([0.0, 5.0, 10.0, 20.0, 30.0])
    found = np.array([_whirl(w) for w in spins])
    exact = np.array([_whirl_exact(w) for w in spins])
    for i, spin in enumerate(spins):
        for k, name in enumerate(("backward", "forward")):
            label = f"rotor at {spin:g} rad/s: {name} whirl"
            quantities.append(measured(label, "rad/s", found[i, k], exact[i, k], CLOSED, rtol=1e-8))
    quantities += _cart()
    drawing, axes = figure()
    fine = np.linspace(0.0, 32.0, 200)
    axes.plot(fine, [_whirl_exact(w) for w in fine], color="black", linewidth=0.9, linestyle=(0, (4, 3)))
    axes.plot(spins, found, "o", color=COLOURS[0])
    axes.set_xlabel("spin [rad/s]")
    axes.set_ylabel("whirl in inertial axes [rad/s]")
    return Outcome(
        quantities, (), (), [("Backward and forward whirl of a rotor on springs; lines: closed form.", drawing)]
    )


def _double() -> list[Any]:
    """Two hinged bars of length 1 and mass 1, found hanging from an odd position."""
    a = fx.PlanarRigidBody(1.0, 1 / 12, position=(0.5, 0.0), angle=math.pi / 2, name="a")
    b = fx.PlanarRigidBody(1.0, 1 / 12, position=(1.0, 0.5), name="b")
    joints = fx.RevoluteJoint(fx.ground, a, at=(0, 0), name="h"), fx.RevoluteJoint(a, b, at=(1, 0), name="k")
    values = fx.solve_modal(fx.solve_static(fx.Model(a, b, *joints, fx.Gravity((0, -G))))).eigenvalues
    exact = eigh(G * np.diag([1.5, 0.5]), [[4 / 3, 0.5], [0.5, 1 / 3]], eigvals_only=True)
    return [
        measured(f"double pendulum: omega^2 of mode {i + 1}", "1/s^2", values[i], exact[i], CLOSED, rtol=OFF)
        for i in range(2)
    ]


def _beads(progress: Progress) -> list[Any]:
    """Strings of beads: zeros of Laguerre polynomials."""
    found = []
    for n in (5, 50):
        progress(f"string of {n} beads")
        beads = [fx.PointMass(0.1, position=(0.0, -0.2 * (i + 1)), name=f"bead {i}") for i in range(n)]
        sides: list[Any] = [fx.ground.marker((0, 0, 0)), *beads]
        strings = [fx.DistanceConstraint(*pair, name=f"string {i}") for i, pair in enumerate(pairwise(sides))]
        values = fx.solve_modal(fx.Model(*beads, *strings, fx.Gravity((0, -G))), modes=5).eigenvalues
        exact = np.sort(roots_laguerre(n)[0]) * G / 0.2
        found += [
            measured(f"{n} beads: omega^2 of mode {i + 1}", "1/s^2", values[i], exact[i], CLOSED, rtol=1e-8)
            for i in range(5)
        ]
    return found


JT, JP, SPRING = 0.3, 0.5, 60.0


def _whirl(spin: float) -> FloatArray:
    """Backward and forward whirl in inertial axes of a rotor whose axis is held by springs."""
    rotor = fx.RigidBody(1.0, (JT, JT, JP), position=(0, 0, 0), angular_velocity=(0, 0, spin), name="rotor")
    held = fx.Bushing(fx.ground.marker((0, 0, 0)), rotor.centre, (0, 0, 0, SPRING, SPRING, 0), name="held")
    modes = fx.solve_modal(fx.Model(rotor, fx.SphericalJoint(fx.ground, rotor, at=(0, 0, 0), name="centre"), held))
    found = modes.roots.imag  # negative backward, zero of the turn
    return np.asarray(np.abs(np.sort(found[np.abs(found) > 1e-3])))


def _whirl_exact(spin: float) -> FloatArray:
    """JT w^2 - JP spin w - k = 0: sizes of its negative and positive root."""
    return np.abs(np.sort(np.roots([JT, -JP * spin, -SPRING])))


def _cart() -> list[Any]:
    """Poles of an upright pole on a cart, linearised."""
    M, m, J, arm = 1.5, 0.4, 0.02, 0.3
    cart = fx.PlanarRigidBody(M, 1.0, position=(0, 0), name="cart")
    pole = fx.PlanarRigidBody(m, J, position=(0, arm), name="pole")
    rail = fx.PrismaticJoint(fx.ground, cart, at=(0, 0), axis=(1, 0), name="rail")
    force = fx.PointForce(cart.centre, (1.0, 0.0))
    model = fx.Model(
        cart, pole, rail, fx.RevoluteJoint(cart, pole, at=(0, 0), name="pivot"), fx.Gravity((0, -G)), force
    )
    linear = fx.linearise(model, [force], [fx.control.PositionSensor(pole.centre, (1, 0))])
    determinant = (M + m) * (J + m * arm**2) - (m * arm) ** 2
    return [
        measured("cart and pole: unstable pole", "1/s", float(linear.poles.real.max()),
                 math.sqrt((M + m) * m * G * arm / determinant), CLOSED, rtol=OFF),
        measured("cart and pole: acceleration of the cart per force", "1/kg", linear.B[2, 0],
                 (J + m * arm**2) / determinant, CLOSED, rtol=OFF),
    ]  # fmt: skip


EQUILIBRIA = Case(
    id="equilibria",
    title="Mechanisms find their equilibrium",
    area="equilibrium",
    summary=(
        "Pendulums and a chain, released far from where they come to rest, and a four-bar linkage with redundant "
        "constraints that a torsion spring holds up."
    ),
    run=run_equilibria,
    source="Elementary statics.",
    equations=(r"k\,(\varphi - \varphi_0) + g\,\left(m\,\ell + M\,\ell\right)\cos\varphi = 0",),
    basic=True,
)

VIBRATIONS = Case(
    id="vibrations",
    title="Vibrations about equilibria and about a spin",
    area="equilibrium",
    summary=(
        "Hanging pendulums, plain and damped, strings of beads, a rotor on springs that whirls, and an upright pole on "
        "a cart. All stiffness of the hanging ones comes from the multipliers of their joints."
    ),
    run=run_vibrations,
    source="Elementary dynamics; strings of beads: zeros of Laguerre polynomials.",
    equations=(
        r"\omega^2 = \dfrac{m\,g\,\ell}{J}, \qquad L_n(\omega^2 \ell / g) = 0, \qquad "
        r"J_t\,\omega^2 - J_p\,\Omega\,\omega - k = 0",
    ),
)
