"""Paths of equilibria: followed through limit points, with their bifurcations, branches and stability."""
