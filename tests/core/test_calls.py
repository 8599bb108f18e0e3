"""Wrong arguments and unknown names: our words, with the names that exist and those that are meant."""

from __future__ import annotations

import doctest
import inspect
import pickle
import timeit
import types
import warnings
from dataclasses import dataclass, fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.core.calls import TERMS, explained
from flexmbs.core.errors import ArgumentError
from flexmbs.core.field_terms import NAMES, field_term

ROOMS = tuple(
    item for name in fx.__all__ if isinstance(item := getattr(fx, name), types.ModuleType) and name != "extend"
)
PUBLIC = {name: getattr(fx, name) for name in fx.__all__ if not name.startswith("__")}
PUBLIC |= {f"{room.__name__}.{name}": getattr(room, name) for room in ROOMS for name in room.__all__}
CALLED = {
    name: item
    for name, item in PUBLIC.items()
    if isinstance(item, types.FunctionType)
    or ((isinstance(item, type) and isinstance(vars(item).get("__init__"), types.FunctionType))
    and not issubclass(item, BaseException)
    and not getattr(item, "_is_protocol", False))
}  # fmt: skip


def forwards(item) -> bool:
    """Whether a function hands on what it does not know."""
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(item).parameters.values())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fx.SpringDamper(stifness=1.0), r"SpringDamper: there is no argument named 'stifness'; 'stifness' may "
         r"mean 'stiffness'\. It takes a, b, stiffness, damping"),
        (lambda: fx.simulate(None, untill=1.0), r"simulate: .*'untill' may mean 'until'\. It takes model, until, step"),
        (lambda: fx.simulate(None, t_end=1.0, dt=0.1), r"'t_end' may mean 'until'\. 'dt' may mean 'step'"),
        (lambda: fx.Elastic(E=2e11, nu=0.3, rho=7850.0), r"'E' may mean 'youngs_modulus'\. 'nu' may mean 'poissons_r"),
        (lambda: fx.FlexibleBody.line((0, 0), (1, 0), n=3), r"FlexibleBody\.line: .*'n' may mean 'elements'"),
        (lambda: fx.RigidBody.box(size=(1, 1, 1), mass=1.0, pos=(0, 0, 0)), r"RigidBody: .*'pos' may mean 'position'"),
        (fx.Gravity, r"Gravity: missing a required argument: 'acceleration'\. It takes acceleration, history"),
        (lambda: fx.elements.Gauss(1, 2, 3), r"Gauss: too many positional arguments\. It takes n\."),
        (lambda: fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1), celltype="tetra"), r"box: .*'celltype' may mean 'cell"),
        (lambda: fx.motions.Sine(frequenzy=1.0), r"Sine: there is no argument named 'frequenzy'"),
        (lambda: fx.trees.Revolute(axes=(0, 0, 1)), r"Revolute: .*'axes' may mean 'axis'"),
        (lambda: replace(fx.steel, youngs_modulos=1.0), r"Elastic: there is no argument named 'youngs_modulos'"),
    ],
)  # fmt: skip
def test_wrong_arguments(call, words):
    with pytest.raises(fx.ModelError, match=words) as caught:
        call()
    assert isinstance(caught.value, TypeError)  # as Python's own
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("name", sorted(name for name, item in CALLED.items() if not forwards(item)))
def test_every_public_function_and_class(name):
    with pytest.raises(ArgumentError, match="there is no argument named 'nowhere_to_be_found'"):
        CALLED[name](nowhere_to_be_found=1)


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(sorted(CALLED)), wrong=st.from_regex(r"[a-z_]{1,12}", fullmatch=True), data=st.data())
def test_names_with_slips_are_found_again(name, wrong, data):
    """A word of ours or one letter away: whatever is said, it has all names that there are."""
    item = CALLED[name]
    parameters = [
        p for p in inspect.signature(item).parameters.values()
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]  # fmt: skip
    known = [p.name for p in parameters]
    if wrong in known or forwards(item):
        return
    with pytest.raises(ArgumentError) as caught:
        item(**{wrong: 1})
    assert all(word in str(caught.value) for word in known)


def test_an_error_inside_is_as_it_was():
    def inside(x):
        return x + "1"

    with pytest.raises(TypeError, match="unsupported operand") as caught:
        explained(inside)(1)
    assert not isinstance(caught.value, fx.ModelError)


def test_what_tools_see_is_what_was_there():
    from flexmbs.analysis import simulate as home

    assert fx.simulate is home.simulate
    assert list(inspect.signature(fx.simulate).parameters)[:3] == ["model", "until", "step"]
    assert list(inspect.signature(fx.SpringDamper).parameters)[:3] == ["a", "b", "stiffness"]
    assert inspect.getsource(fx.simulate).startswith("def simulate(")
    assert inspect.getdoc(fx.simulate).startswith("Motion of a model")
    assert pickle.loads(pickle.dumps(fx.simulate)) is fx.simulate
    assert next(f.name for f in fields(fx.steel)) == "youngs_modulus"
    assert pickle.loads(pickle.dumps(fx.steel)) == fx.steel
    found = doctest.DocTestFinder().find(home)
    assert any(test.name.endswith("simulate.simulate") and test.examples for test in found)


def test_it_is_done_once():
    @dataclass
    class Thing:
        x: int = 0

    explained(Thing)
    made = Thing.__init__
    explained(Thing)
    assert Thing.__init__ is made
    assert Thing(3) == Thing(x=3)


def test_warnings_name_the_line_of_the_user():
    mesh = fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fx.linear.Part(
            mesh, material=fx.Elastic(youngs_modulus=2.1e5, poissons_ratio=0.3, density=7850.0, name="steel")
        )
    assert caught
    assert {w.filename for w in caught} == {__file__}


def test_what_it_costs():
    """Far below what any of these functions does: a microsecond."""

    def nothing(x):
        return x

    wrapped = explained(nothing)
    n = 20_000
    more = min(timeit.repeat(lambda: wrapped(1), number=n, repeat=5))
    less = min(timeit.repeat(lambda: nothing(1), number=n, repeat=5))
    assert (more - less) / n < 5e-6


@pytest.mark.parametrize(
    ("term", "here"),
    [
        ("Spring", "SpringDamper"), ("read_urdf", "trees.read_urdf"), ("BUSHING", "Bushing"),
        ("RBE2", "linear.RigidCoupling"),
        ("RBE3", "linear.DistributingCoupling"), ("BallJoint", "SphericalJoint"), ("HingeJoint", "RevoluteJoint"),
        ("Slider", "PrismaticJoint"),
        ("linearize", "linearise"), ("Motor", "RotationDriver"), ("Torque", "Moment"), ("Weld", "FixedJoint"),
        ("HydraulicCylinder", "control.LineActuator"), ("Rope", "FlexibleBody"), ("step5", "motions.Ramp"),
        ("LQR", "control.StateFeedback"), ("DCMotor", "control.FirstOrder"), ("Kalman", "control.Controller"),
        ("LowPass", "control.filters"), ("PI", "control.PID"), ("ForceSensor", "control.MultiplierSensor"),
        ("Tire", "SpringDamper"), ("Clearance", "JointStop"),
        ("Revolut", "RevoluteJoint"), ("rectangle", "meshes.rectangle"),
    ],
)  # fmt: skip
def test_terms_of_the_field(term, here):
    with pytest.raises(AttributeError, match=rf"no attribute '{term}'; did you mean {here}\b"):
        getattr(fx, term)


def test_linear_models_of_other_programs():
    cart = fx.PointMass(2.0, position=(0.0, 0.0), name="cart")
    linear = fx.linearise(fx.Model(cart, fx.Bushing(fx.ground.marker((0, 0, 0)), cart, (8.0, 8.0))))
    for term, here in (("dcgain", "transfer"), ("c2d", "to_control"), ("margin", "to_control"), ("feedback", "closed")):
        with pytest.raises(AttributeError, match=rf"did you mean '{here}'"):
            getattr(linear, term)


def test_motions_of_other_programs():
    for term, here in (("Chirp", "Function"), ("TrapezoidalProfile", "Trapezoid"), ("SmoothStep", "Ramp")):
        with pytest.raises(AttributeError, match=rf"did you mean {here}\b"):
            getattr(fx.motions, term)


def test_every_hint_is_a_name():
    for here in NAMES:
        found = fx
        for part in here.split("."):
            found = getattr(found, part)
    for terms in NAMES.values():
        assert all(field_term(term) for term in terms.split())
    taken = {p for item in CALLED.values() for p in inspect.signature(item).parameters}
    assert set(TERMS) <= taken
