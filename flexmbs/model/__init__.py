"""Descriptions: what a user says of a model, in words."""
