r"""Random rigid rotors on two isotropic springs: modes, and small motions in time, against the closed form.

With the deflection w = y + iz of the centre and the slope psi of the axis, complex numbers of the inertial frame,

.. math:: \begin{pmatrix} m & 0 \\ 0 & J_d \end{pmatrix}\begin{pmatrix} \ddot w \\ \ddot\psi \end{pmatrix}
   - i\Omega \begin{pmatrix} 0 & 0 \\ 0 & J_p \end{pmatrix}\begin{pmatrix} \dot w \\ \dot\psi \end{pmatrix}
   + \begin{pmatrix} k_1 + k_2 & k_2 b - k_1 a \\ k_2 b - k_1 a & k_1 a^2 + k_2 b^2 \end{pmatrix}
   \begin{pmatrix} w \\ \psi \end{pmatrix} = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import expm

import flexmbs as fx
from flexmbs.core.rotations import from_vector

SIZE = 1e-5
"""Of the disturbance [m, rad]: what is not linear is of this size relative to it."""


def rotor(seed: int) -> tuple[dict[str, float], NDArray[Any]]:
    """Numbers, and A of d/dt (w, psi, dw/dt, dpsi/dt)."""
    r = np.random.default_rng(seed)
    diametral = r.uniform(0.01, 0.03)
    x = {
        "m": r.uniform(1.0, 5.0), "Jp": r.uniform(0.3, 1.9) * diametral, "Jd": diametral,
        "spin": r.uniform(-800.0, 800.0), "a": r.uniform(0.1, 0.4), "b": r.uniform(0.1, 0.4),
        "k1": r.uniform(2e4, 1e5), "k2": r.uniform(2e4, 1e5),
    }  # fmt: skip
    a, b, k1, k2 = x["a"], x["b"], x["k1"], x["k2"]
    M = np.diag([x["m"], x["Jd"]]).astype(complex)
    K = np.array([[k1 + k2, k2 * b - k1 * a], [k2 * b - k1 * a, k1 * a**2 + k2 * b**2]])
    C = np.diag([0.0, -1j * x["spin"] * x["Jp"]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    return x, A


def model(x: dict[str, float], w: complex = 0.0, psi: complex = 0.0) -> tuple[fx.Model, fx.RigidBody]:
    """Spinning about x, displaced by w and inclined by psi."""
    tilt = from_vector((0.0, -psi.imag, psi.real)) if psi else None
    body = fx.RigidBody(
        x["m"], (x["Jp"], x["Jd"], x["Jd"]), position=(0.0, w.real, w.imag), rotation=tilt,
        angular_velocity=(x["spin"], 0.0, 0.0), name="rotor",
    )  # fmt: skip
    springs = [
        fx.Bushing(
            fx.ground.marker((at, 0, 0)),
            body.marker((at, 0, 0)),
            (1e5, k, k),
            free_coordinates=(0.0,) * 3,
            name=f"at {at}",
        )
        for at, k in ((-x["a"], x["k1"]), (x["b"], x["k2"]))
    ]
    return fx.Model(body, *springs), body


@pytest.mark.parametrize("seed", range(20))
def test_modes_in_the_inertial_frame(seed: int) -> None:
    """The four whirling roots with their signs: what turns against the spin has a negative imaginary part."""
    x, A = rotor(seed)
    described, _ = model(x)
    modes = fx.solve_modal(described)
    exact = np.linalg.eigvals(A).imag * np.sign(x["spin"])
    assert modes.frame == "inertial"
    for s in exact:
        assert np.abs(modes.roots - 1j * s).min() < 1e-6 * np.abs(exact).max()


@pytest.mark.parametrize("seed", range(20))
def test_small_motions_in_time(seed: int) -> None:
    """The same equations by `simulate`: positions of the centre after about a whirl."""
    x, A = rotor(seed)
    w, psi = SIZE * (1.0 + 0.3j), SIZE * (0.5 - 1.0j)
    described, body = model(x, w, psi)
    until = 2.0 * np.pi / float(np.abs(np.linalg.eigvals(A)).min())
    found = fx.simulate(
        described, until=until, step=until / 400, integrator=fx.RungeKutta(order=5), progress=False
    ).position(body)[-1]
    exact = (expm(A * until) @ np.array([w, psi, 0.0, 0.0]))[0]
    assert abs(complex(found[1], found[2]) - exact) < 1e-3 * SIZE
