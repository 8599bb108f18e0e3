"""What analyses found: static, modal and time solutions of any model, asked by the same methods in the same shapes.

`flexmbs.results.states` is what they have in common; the rule of shapes is in docs/theory/results.md.
"""
