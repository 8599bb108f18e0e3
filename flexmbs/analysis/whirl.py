r"""Sense of whirl of modes about a spin: with it (forward) or against it (backward).

The vectors u of a mode :math:`u e^{i\omega t}` (displacements of points, rotations) go round an ellipse; with the
masses, :math:`-\mathrm{Im}\sum m\,e\cdot(\bar u\times u) / \sum m |u_\perp|^2` is 1 for circles in the sense of the
axis e, -1 against it, 0 along a line. Where roots coincide, those combinations of their modes are taken that whirl
most. In axes that turn along, blades and arms go round narrow ellipses, which are no whirl: there a sense is told of
modes that are rounder than about 1 : 4 alone, and of none in the plane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

from flexmbs.analysis.steady_motion import spinning_vectors

if TYPE_CHECKING:
    from flexmbs.analysis.operating_point import OperatingPoint
    from flexmbs.analysis.small_motions import Roots

__all__ = ["with_sense"]

SAME = 1e-7
"""Relative difference up to which roots count as equal."""
ROUND, ROUNDER = 1e-3, 0.5
"""Measure of whirl, from -1 to 1, below which a mode goes along a line; in axes that turn, below which it is none."""
ACROSS = 1e-9
"""Share of the squared motion across the axis below which a mode is torsion or tension, which do not whirl."""


def with_sense(point: OperatingPoint, found: Roots) -> tuple[Roots, Any]:
    """Roots with the sign of their sense (negative imaginary part: backward), and "forward", "backward" or "" (m,).

    A root and its conjugate, with its conjugate mode, are the same motion.
    """
    sense = np.full(len(found.s), "", dtype="<U8")
    if point.seen_by is None:
        return found, sense
    s, y, dy = (np.array(x, dtype=complex) for x in (found.s, found.y, found.dy))
    triples, axes, masses = spinning_vectors(point.dyn, point.state, point.seen_by)
    if np.any(point.seen_by.rate) and np.all(triples[:, 2] < 0):  # a plane that turns
        return found, sense
    least = ROUNDER if np.any(point.seen_by.rate) else ROUND
    E = point.lin.directions

    def measures(modes: Any) -> tuple[Any, Any, float]:
        """Hermitian forms (k, k): of the sense of going round, and of the size across the axis; the size in all."""
        moved = E @ modes
        u = np.where(triples[:, :, None] >= 0, moved[np.maximum(triples, 0)], 0.0) * masses[:, :, None]
        whole_size = float(np.sum(np.abs(u) ** 2))
        u = u - axes[:, :, None] * np.einsum("ni,nik->nk", axes, u)[:, None, :]
        turned = np.cross(axes[:, :, None], u, axis=1)  # e x u; e . (conj(a) x b) = conj(a) . (b x e)
        return 1j * np.einsum("nik,nil->kl", u.conj(), -turned), np.einsum("nik,nil->kl", u.conj(), u), whole_size

    k = 0
    while k < len(s):
        group = [k]
        while group[-1] + 1 < len(s) and abs(s[group[-1] + 1] - s[k]) <= SAME * abs(s[k]):
            group.append(group[-1] + 1)
        if s[k].imag > 0.0:
            form, _, _ = measures(y[:, group])
            if len(group) > 1:
                mass = y[:, group].conj().T @ (point.lin.M @ y[:, group])
                try:
                    _, mix = eigh(0.5 * (form + form.conj().T), 0.5 * (mass + mass.conj().T))
                    mix = mix[:, ::-1]
                    y[:, group], dy[:, group] = y[:, group] @ mix, dy[:, group] @ mix
                except np.linalg.LinAlgError:
                    pass
            for j in group:
                form, size, whole = measures(y[:, [j]])
                across = float(np.real(size[0, 0]))
                ratio = float(np.real(form[0, 0])) / max(across, 1e-300)
                if abs(ratio) > least and across > ACROSS * whole:
                    sense[j] = "forward" if ratio > 0.0 else "backward"
                    if ratio < 0.0:
                        s[j], y[:, j], dy[:, j] = s[j].conjugate(), y[:, j].conj(), dy[:, j].conj()
        k = group[-1] + 1
    return found._replace(s=s, y=y, dy=dy), sense
