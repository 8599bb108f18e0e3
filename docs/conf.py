"""Sphinx settings: Markdown by myst-nb, whose code cells are run at every build, and numpydoc docstrings."""

from __future__ import annotations

import re
from typing import Any

import flexmbs

project = "flexmbs"
author = "flexmbs developers"
project_copyright = "flexmbs developers"
version = release = flexmbs.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # formulas are set without network: its files, 24 MB, are copied beside the pages
    "sphinx.ext.viewcode",
]
exclude_patterns = ["figures", "studies/*.py", "listings"]
suppress_warnings = ["config.cache", "autosummary.import_cycle"]  # the latter: a page may list names of two modules

# --- pages ----------------------------------------------------------------------------------------------------------

myst_enable_extensions = ["amsmath", "dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_output_stderr = "remove"  # "compiling kernels" appears on some machines only
nb_merge_streams = True
nb_render_markdown_format = "gfm"
math_number_all = False
math_eqref_format = "({number})"

# --- docstrings -----------------------------------------------------------------------------------------------------

autodoc_typehints = "none"  # numpydoc's sections say it in words
autodoc_member_order = "bysource"
autoclass_content = "class"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# --- looks ----------------------------------------------------------------------------------------------------------

html_theme = "furo"
html_title = f"flexmbs {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
html_show_sourcelink = False
pygments_style = "friendly"


def escape_bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """In docstrings |r'| is the length of r', not a substitution of reStructuredText."""
    block = None
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if block is not None and line.strip() and indent <= block:
            block = None
        if re.match(r"\s*(\.\. math::|>>> |\.\.\. )", line) or line.rstrip().endswith("::"):
            block = indent if block is None else block
        if block is None:
            parts = re.split(r"(``.*?``|:math:`.*?`)", line)
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[i] = "".join(parts)


DIRECTIVE = re.compile(
    r"^\.\. (currentmodule|autoclass|autofunction|autodata|autoexception):: (\S+)$", flags=re.MULTILINE
)


def list_names(app: Any, page: str, source: list[str]) -> None:
    """``.. names-below::`` is a table of all names that follow on the page, so that a name stands there once."""
    text, module, names = source[0], "", []
    here = [
        name
        for directive, name in DIRECTIVE.findall(text.partition(".. names-below::")[0])
        if directive == "currentmodule"
    ]
    for directive, name in DIRECTIVE.findall(text):
        if directive == "currentmodule":
            module = name
        elif "." not in name:
            names.append(f"   {name}" if here[-1:] == [module] else f"   ~{module}.{name}")
    table = ".. autosummary::\n   :nosignatures:\n\n" + "\n".join(names)
    source[0] = text.replace(".. names-below::", table)


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", escape_bars, priority=900)
    app.connect("source-read", list_names)
