"""Pictures, tables and files of stored states, made by the rooms above when they are asked for."""

from __future__ import annotations

from typing import Any

from flexmbs.core.attributes import Hinted
from flexmbs.core.calls import with_methods

__all__ = ["ShownStates"]


@with_methods
class ShownStates(Hinted):
    """What stored states can be looked at as; `flexmbs.results.states.States` has what is shown."""

    def plot_histories(
        self: Any,
        *what: Any,
        against: Any = None,
        component: str | None = None,
        ax: Any = None,
        path: Any = None,
        title: str | None = None,
    ) -> Any:
        """Draw quantities by name over the states, or against one another; see `TimeSolution.plot`."""
        from flexmbs.visualization.quantity_plots import plot_quantities

        return plot_quantities(self, what, against, component, ax, path, title)

    def plot_shape(self: Any, resultant: str | None = None, step: Any = -1, ax: Any = None) -> Any:
        """Draw the shape of all bodies in a state, or with ``"all"`` in all of them, coloured by a stress resultant."""
        from flexmbs.visualization.plots import plot_shape

        return plot_shape(self, resultant, step, ax)

    def animate(
        self: Any,
        path: Any,
        *,
        colour: str = "displacement",
        resultant: str | None = "bending",
        speed: float | None = None,
        fps: float = 25.0,
        trail: float | None = None,
        dpi: float = 100.0,
        progress: bool = True,
    ) -> Any:
        """Write an animation; each frame shows the stored state that is nearest in time.

        Parameters
        ----------
        path : path-like
            ``.mp4`` needs the program ffmpeg, ``.gif`` nothing.
        colour : str, default "displacement"
            By what surfaces of reduced models are coloured; or "stress".
        resultant : str, default "bending"
            Stress resultant such as "N" by which lines are coloured; None for one colour.
        speed : float, optional
            Time of the model per time of the film: 0.1 is ten times slower than real. Left out, real time where that
            takes 2 s to 30 s, and otherwise so that the film takes 10 to 25 s.
        fps : float, default 25
            Frames per second; at most 50 in a gif.
        trail : float, optional
            Duration of traces [time]; left out, from the start.
        dpi : float, default 100
            Dots per inch; figures are about 7 in wide.
        progress : bool, default True

        Returns
        -------
        Path
        """
        from flexmbs.visualization.time_views import animate

        return animate(
            self, path, colour=colour, resultant=resultant, speed=speed, fps=fps, trail=trail, dpi=dpi,
            progress=progress,
        )  # fmt: skip

    def table(self: Any, *what: Any) -> Any:
        """Columns of quantities by name, with units: a mapping, for CSV files and pandas.

        Takes what `TimeSolution.plot` takes; of things without a quantity positions and velocities of places,
        coordinates and reactions of joints, forces with their coordinates. Without any: all bodies and joints.
        """
        from flexmbs.io.quantity_tables import table

        return table(self, *what)

    def to_dataframe(self: Any, *what: Any) -> Any:
        """A pandas DataFrame of quantities (all that `table` lists, without any), with time as its index.

        Raises
        ------
        FlexmbsError
            If pandas is not installed: ``pip install flexmbs[tables]``.
        """
        return self.table(*what).to_dataframe()

    def to_xarray(self: Any, *what: Any) -> Any:
        """An xarray Dataset: a variable for each quantity, over time and, of vectors, the axes x, y, z; with units.

        Raises
        ------
        FlexmbsError
            If xarray is not installed: ``pip install flexmbs[tables]``.
        """
        from flexmbs.io.quantity_tables import dataset

        return dataset(self, *what)

    def view(self: Any, path: Any = None, *, show: bool | None = None, **options: Any) -> Any:
        """Write the page of `flexmbs.view` that plays the states, and show it in the browser.

        Parameters
        ----------
        path : path-like, optional
            Where to write the page (``.html``); left out, in the folder for temporary files.
        show : bool, optional
            Whether to open it in the browser; by default where no path is given.
        **options
            As for `flexmbs.view`, such as ``factor=10``.
        """
        from flexmbs.visualization.viewing import view_of

        return view_of(self, path, show, **options)

    def _repr_html_(self: Any) -> str:
        """A small picture and a table, for notebooks."""
        from flexmbs.visualization.notebook import html_of_states

        return html_of_states(self)

    def to_gltf(self: Any, path: Any, **options: Any) -> Any:
        """Write a glTF file (.glb) of the states one after another; see `flexmbs.write_gltf`."""
        from flexmbs.visualization.motion_files import write_motion

        return write_motion("write_gltf", self, path, **options)
