"""Constraint forces from the reduced system G M^-1 G^T, ordered by the topology of a model."""
