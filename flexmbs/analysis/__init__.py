"""Analyses: functions of a model (or a compiled system) and options, which return results (`flexmbs.results`)."""
