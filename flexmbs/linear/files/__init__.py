"""Operators of linear structures from files, and back: one file for each format."""

from __future__ import annotations

from flexmbs.linear.files.matrix_market import write_operators_matrix_market
from flexmbs.linear.files.npz import write_operators_npz
from flexmbs.linear.files.read import read_operators

__all__ = ["read_operators", "write_operators_matrix_market", "write_operators_npz"]
