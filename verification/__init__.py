"""Known answers: cases with independent references, the runner that measures them, and the report.

A `Case` is at once a test, an entry of ``flexmbs verify`` and a page of the report. This room stands above the engine
and below the command line; nothing in the engine imports it.
"""

from __future__ import annotations

if __name__ != "flexmbs.verification":
    raise ImportError(f"import flexmbs.verification, not {__name__}: a second copy of every class would be made.")

from flexmbs.core.facade import facade

__getattr__, __dir__, __all__ = facade(__name__, __file__)
