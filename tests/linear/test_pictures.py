"""Pictures of structures, and files for ParaView that meshio reads back."""

from __future__ import annotations

import meshio
import numpy as np
import pytest
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import art3d

import flexmbs as fx
from flexmbs.elements import Hexahedron8, Hexahedron20
from flexmbs.linear.pictures import draw_surface, outer_faces


def axes():
    return Figure().add_subplot(projection="3d")


def test_polygons_lie_on_the_deformed_surface(block, monkeypatch) -> None:
    drawn = []

    class Recording(art3d.Poly3DCollection):
        def __init__(self, polygons, **look) -> None:
            drawn.append(np.asarray(polygons))
            super().__init__(polygons, **look)

    monkeypatch.setattr(art3d, "Poly3DCollection", Recording)
    part = block(Hexahedron20())
    bent = fx.linear.static_response(part, {"left": "all"}, fx.linear.NodalForce("right", (0, 0, 1e3)))
    ax = bent.plot(axes(), factor=2.0)
    corners = np.vstack(drawn).reshape(-1, 3)
    points = part.nodes.points + 2.0 * bent.displacements[:, :3]
    # extremes of the drawing are those of the deformed points
    used = part.nodes.n_dofs > 0
    assert corners.max(axis=0) == pytest.approx(points[used].max(axis=0), rel=1e-12)
    assert corners.min(axis=0) == pytest.approx(points[used].min(axis=0), abs=1e-12)
    assert "x 2" in ax.get_title()


def test_largest_displacement_is_drawn_as_a_tenth(block) -> None:
    part = block(Hexahedron8())
    modes = fx.linear.vibration_modes(part, 2, {"left": "all"})
    ax = modes.plot(1, axes())
    assert ax.get_title() == f"mode 1: {modes.frequencies[1]:.5g} 1/time"
    bent = fx.linear.static_response(part, {"left": "all"}, fx.linear.NodalForce("right", (0, 0, 1e3)))
    factor = float(bent.plot(axes()).get_title().split()[-1])
    size = np.linalg.norm([1.0, 0.1, 0.2])
    assert factor * np.linalg.norm(bent.displacements[:, :3], axis=1).max() == pytest.approx(0.1 * size, rel=1e-2)


def test_colour_bars_have_units(block) -> None:
    part = block(Hexahedron8())
    bent = fx.linear.static_response(part, {"left": "all"}, fx.linear.NodalForce("right", (0, 0, 1e3)))
    figure = bent.plot(axes()).figure
    assert figure.axes[-1].get_ylabel() == "von Mises stress [force/length²]"


def test_a_small_curve_is_drawn_without_the_point_of_stability() -> None:
    """Compliances of 1e-7: the picture is of their size, and says that -1 is not in it."""
    f = np.linspace(0.5, 1.5, 101)
    loop = 1.0 / (1.0 - f**2 + 0.1j * f)[:, None, None]
    for factor, inside in ((1e-7, False), (1.0, True)):
        drawn = fx.linear.FrequencyResponse(f, factor * loop, ("y",), ("u",)).nyquist(Figure().subplots())
        drawn.figure.canvas.draw()
        assert (drawn.get_title(loc="right") == "the point -1 is outside") != inside
        assert np.ptp(drawn.get_xlim()) < 5.0 * factor * np.ptp(loop.imag) * 2.0
        assert (drawn.get_xlim()[0] < -1.0) == inside


def test_colours_span_the_values(block) -> None:
    part = block(Hexahedron8())
    faces = outer_faces((p.region.element.cell_type, p.cells) for p in part.pieces)
    bar = draw_surface(axes(), part.nodes.points, faces, part.nodes.points[:, 0])
    assert bar.get_clim() == (0.0, 1.0)
    assert draw_surface(axes(), part.nodes.points, faces, part.nodes.points[:, 0], (2.0, 3.0)).get_clim() == (2.0, 3.0)
    draw_surface(axes(), part.nodes.points, faces)


def test_chain_without_elements_is_drawn_as_points(chain) -> None:
    pulled = fx.linear.static_response(chain(4), {"left": "ux"}, fx.linear.NodalForce("right", (1.0, 0, 0)))
    assert len(pulled.plot(axes()).collections) == 1


def test_bad_arguments_of_drawing(block) -> None:
    points = np.eye(3)
    for make, words in (
        (lambda: draw_surface(Figure().subplots(), points, {}), "projection='3d'"),
        (lambda: draw_surface(axes(), points, {"hexagon": [[0, 1, 2]]}), "no faces of type 'hexagon'"),
        (
            lambda: draw_surface(axes(), points, {"triangle": np.array([[0, 1, 2]])}, np.ones(2)),
            "values must have shape",
        ),
    ):
        with pytest.raises(fx.ModelError, match=words):
            make()


def test_static_solution_in_a_file(block, tmp_path) -> None:
    part = block(Hexahedron8())
    held = {"left": "ux", "front": "uy", "bottom": "uz"}
    pulled = fx.linear.static_response(part, held, fx.linear.SurfaceLoad("right", traction=(1e6, 0, 0)))
    path = fx.visualization.write_vtu(pulled, tmp_path / "pulled.vtu")
    back = meshio.read(path)
    assert np.abs(back.points - part.nodes.points).max() == 0.0
    assert (back.cells[0].data == part.pieces[0].cells).all()
    assert (back.point_data["displacement"] == pulled.displacements[:, :3]).all()
    assert back.point_data["von Mises"] == pytest.approx(1e6, rel=1e-9)
    assert back.cell_data["xx"][0] == pytest.approx(1e6, rel=1e-9)
    assert (back.cell_data["region"][0] == 0).all()
    assert "rotation" not in back.point_data


def test_modes_in_a_file(block, tmp_path) -> None:
    part = block(Hexahedron20(), connections=[fx.linear.RigidCoupling("hub", "right")])
    modes = fx.linear.vibration_modes(part, 2, {"left": "all"})
    back = meshio.read(fx.visualization.write_vtu(modes, tmp_path / "modes.vtu"))
    names = [f"mode {i}: {f:.5g}" for i, f in enumerate(modes.frequencies)]
    assert list(back.point_data) == names
    assert (back.point_data[names[1]] == modes.shape(1)[:, :3]).all()
    buckled = fx.linear.buckling_loads(part, {"left": "all"}, fx.linear.NodalForce("hub", (-1.0, 0, 0)))
    back = meshio.read(fx.visualization.write_vtu(buckled, tmp_path / "buckled.vtu"))
    assert list(back.point_data) == [f"mode 0: load factor {buckled.factors[0]:.5g}"]


def test_structure_without_elements_in_a_file(chain, tmp_path) -> None:
    pulled = fx.linear.static_response(chain(4), {"left": "ux"}, fx.linear.NodalForce("right", (1.0, 0, 0)))
    back = meshio.read(fx.visualization.write_vtu(pulled, tmp_path / "chain.vtu"))
    assert back.point_data["displacement"][:, 0].tolist() == pulled.u.tolist()


def test_bad_files(chain, tmp_path) -> None:
    pulled = fx.linear.static_response(chain(4), {"left": "ux"}, fx.linear.NodalForce("right", (1.0, 0, 0)))
    with pytest.raises(fx.ModelError, match=r"must end in \.vtu"):
        fx.visualization.write_vtu(pulled, tmp_path / "chain.xyz")
    with pytest.raises(fx.ModelError, match="expected what static_response"):
        fx.visualization.write_vtu(3, tmp_path / "chain.vtu")
    with pytest.raises(fx.FlexmbsError, match="no folder"):
        fx.visualization.write_vtu(pulled, tmp_path / "absent" / "chain.vtu")


def test_a_buckled_column_is_drawn_as_it_buckles() -> None:
    section = fx.BeamStiffness(EA=1e6, EI_y=1.0, EI_z=2.0, GJ=1.0, mass_per_length=1.0)
    region = fx.linear.Region(None, fx.elements.Frame(section=section, shear=False))
    column = fx.linear.Part(fx.meshes.line((0, 0, 0), (1, 0, 0), 8), regions=[region])
    found = fx.linear.buckling_loads(column, {"start": "all"}, fx.linear.NodalForce("end", (-1.0, 0, 0)))
    ax = found.plot(0, axes(), factor=0.5)
    assert ax.get_title().startswith("shape 0: load factor 2.467")  # pi^2/4 is 2.4674
