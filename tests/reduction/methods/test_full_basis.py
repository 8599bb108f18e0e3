"""The basis of all unknowns: operators as they are, interfaces first, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.elements.linear.frame import Frame
from flexmbs.reduction.interfaces import attach
from flexmbs.reduction.methods import full_basis as room

RUBBER = fx.Elastic(youngs_modulus=2e6, poissons_ratio=0.3, density=1000.0)


def bar() -> fx.linear.Part:
    mesh = fx.meshes.box((0, 0, 0), (1, 0.1, 0.2), (3, 1, 1))
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), RUBBER)], name="bar")


def test_matrices_are_those_of_the_part() -> None:
    whole = fx.reduction.reduce(bar(), ["left", "right"], method=fx.reduction.full_basis)
    attached = attach(bar().assemble(), ["left", "right"])
    order = np.concatenate([attached.boundary, np.setdiff1d(np.arange(attached.operators.n), attached.boundary)])
    for found, wanted in ((whole.K, attached.operators.K), (whole.M, attached.operators.M)):
        wanted = wanted.toarray()[np.ix_(order, order)]
        assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()
    assert whole.n_interface == 12
    assert whole.labels[0] == "left ux"
    everything = fx.linear.vibration_modes(bar(), 12).angular_frequencies[6:]
    rigid = fx.reduction.reduce(
        bar(), [fx.reduction.Interface("corner", [0], kind="nodes")], method=fx.reduction.full_basis
    ).modes()[0]
    np.testing.assert_allclose(np.sqrt(rigid[6:12]), everything, rtol=1e-7)


def test_a_body_of_it_has_all_motions() -> None:
    whole = fx.reduction.reduce(bar(), ["left", "right"], method=fx.reduction.full_basis)
    for reference in ("mean", "left", ("left", "right")):
        assert fx.FloatingBody(whole, reference=reference).modes == whole.size - 6


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST", 10)
    with pytest.raises(ModelError, match="unknowns, more than 10"):
        fx.reduction.reduce(bar(), ["left", "right"], method=fx.reduction.full_basis)
    monkeypatch.undo()
    section = fx.BeamStiffness(EA=1e3, EI_z=1.0, EI_y=1.0, GJ=1.0, mass_per_length=1.0)
    line = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (1, 0, 0), 3), regions=[fx.linear.Region(None, Frame(section=section))]
    )
    with pytest.raises(ModelError, match="unknowns have no mass"):
        fx.reduction.reduce(line, [fx.reduction.Interface("root", [0])], method=fx.reduction.full_basis)
