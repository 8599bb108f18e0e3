"""Rows: scalar functions of the poses of two markers, with their derivatives."""
