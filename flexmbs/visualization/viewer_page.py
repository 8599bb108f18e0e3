"""A page that plays a motion: one HTML file that holds a glTF file and what draws it, and needs nothing else."""

from __future__ import annotations

import base64
from html import escape
from importlib.resources import files

__all__ = ["viewer_page"]


def viewer_page(title: str, glb: bytes, factor: float = 1.0) -> str:
    """The page.

    Parameters
    ----------
    title : str
    glb : bytes
        A glTF file by `flexmbs.visualization.gltf_motion`, whose extras say units, times and what is to be coloured.
    factor : float
        By which deformations of reduced bodies are enlarged at the start.
    """
    folder = files("flexmbs.visualization") / "viewer"
    text = {name: (folder / name).read_text("utf-8") for name in ("page.html", "style.css", "viewer.js")}
    pieces = {
        "TITLE": escape(title), "STYLE": text["style.css"], "SCRIPT": text["viewer.js"],
        "FACTOR": repr(factor), "DATA": base64.b64encode(glb).decode("ascii"),
    }  # fmt: skip
    page, *rest = text["page.html"].split("%")
    # alternately text and the name of what stands there
    return page + "".join(pieces[part] if i % 2 == 0 else part for i, part in enumerate(rest))
