"""Reading URDF: geometry and inertia by hand, against Pinocchio and MuJoCo, and files with mistakes or worse."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs import trees

INERTIAL = """<inertial><origin xyz="0.1 -0.05 0.2" rpy="0.3 -0.2 0.5"/><mass value="{mass}"/>
    <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.002" ixz="-0.003" iyz="0.001"/></inertial>"""


def link(name, mass=1.5):
    return f'<link name="{name}">{INERTIAL.format(mass=mass)}</link>'


def joint(name, kind, parent, child, axis="0 0 1", origin='<origin xyz="0.2 0.1 -0.3" rpy="0.4 -0.7 1.1"/>', more=""):
    tag = f'<axis xyz="{axis}"/>' if axis else ""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{origin}{ends}{tag}{more}</joint>'


LIMIT = '<limit lower="-1.5" upper="2" effort="30" velocity="4"/>'
ROBOT = f"""<?xml version="1.0"?>
<robot name="two-armed">
  <link name="base"/>
  {link("torso", 8.0)} {link("left upper")} {link("left lower", 0.7)} {link("left hand", 0.2)}
  {link("right upper")} {link("right slide", 0.9)} {link("head", 2.0)}
  <link name="camera"/>
  {joint("stand", "fixed", "base", "torso")}
  {joint("neck", "continuous", "torso", "head", "0 1 0")}
  {joint("lens", "fixed", "head", "camera", "")}
  {joint("left shoulder", "revolute", "torso", "left upper", "0.6 0 0.8", more=LIMIT)}
  {joint("left elbow", "revolute", "left upper", "left lower", "", more=LIMIT + '<dynamics damping="0.3"/>')}
  {joint("left wrist", "fixed", "left lower", "left hand")}
  {joint("right shoulder", "continuous", "torso", "right upper", "0 0.6 -0.8")}
  {joint("right extension", "prismatic", "right upper", "right slide", "0 -1 0", more=LIMIT)}
</robot>"""


def written(tmp_path, text, name="robot.urdf"):
    file = tmp_path / name
    file.write_text(text)
    return file


@pytest.fixture
def robot(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return trees.read_urdf(written(tmp_path, ROBOT))


def test_joints_and_masses(robot):
    assert robot.name == "two-armed"
    assert robot.mass == pytest.approx(8.0 + 1.5 + 0.7 + 0.2 + 1.5 + 0.9 + 2.0)
    d = trees.TreeDynamics(robot)
    assert d.names == (
        "head: angle", "left upper: angle", "left lower: angle", "right upper: angle", "right slide: displacement",
    )  # fmt: skip


def test_frames_and_axes(robot):
    """The chain to the left lower arm by scipy, whose lower-case xyz are rotations about fixed axes."""
    step = Rotation.from_euler("xyz", (0.4, -0.7, 1.1)).as_matrix()
    at = np.array([0.2, 0.1, -0.3])
    p, R = at, step
    for angle, axis in ((0.5, (0.6, 0, 0.8)), (-0.8, (1, 0, 0))):  # without <axis> it is x
        p, R = p + R @ at, R @ step @ Rotation.from_rotvec(angle * np.array(axis)).as_matrix()
    places, axes = trees.TreeDynamics(robot).poses([0.0, 0.5, -0.8, 0.0, 0.0])
    i = robot.index("left lower")
    assert places[i] == pytest.approx(p, abs=1e-14)
    assert axes[i] == pytest.approx(R, abs=1e-14)
    turned = Rotation.from_euler("xyz", (0.3, -0.2, 0.5)).as_matrix()
    J = np.array([[0.03, 0.002, -0.003], [0.002, 0.04, 0.001], [-0.003, 0.001, 0.05]])
    assert robot.links[i].inertia == pytest.approx(turned @ J @ turned.T, abs=1e-15)
    assert robot.links[i].centre.tolist() == [0.1, -0.05, 0.2]


def test_what_a_tree_has_no_place_for(tmp_path):
    joints = trees.urdf_joints(written(tmp_path, ROBOT))
    elbow = joints["left elbow"]
    assert (elbow.child, elbow.lower, elbow.upper, elbow.effort, elbow.velocity) == ("left lower", -1.5, 2, 30, 4)
    assert elbow.damping == 0.3
    assert np.isnan(elbow.friction)
    assert np.isnan(joints["neck"].upper)


def test_floating_base(tmp_path):
    file = written(tmp_path, ROBOT)
    free = trees.read_urdf(file, floating=True, massless=True)
    assert free.n_v == 6 + 5
    assert free.links[0].name == "base"
    world = ROBOT.replace('"stand" type="fixed"', '"stand" type="floating"')
    other = trees.read_urdf(written(tmp_path, world, "world.urdf"))
    assert other.n_v == 6 + 5
    p, R = trees.TreeDynamics(other).poses(trees.TreeDynamics(other).start[0])
    i = other.index("torso")
    assert p[i] == pytest.approx([0.2, 0.1, -0.3])
    assert R[i] == pytest.approx(Rotation.from_euler("xyz", (0.4, -0.7, 1.1)).as_matrix(), abs=1e-15)


def test_planar(tmp_path):
    text = f'<robot name="cart"><link name="floor"/>{link("cart")}{joint("roll", "planar", "floor", "cart")}</robot>'
    tree = trees.read_urdf(written(tmp_path, text))
    assert trees.TreeDynamics(tree).names == ("cart: x", "cart: y", "cart: angle")


def test_what_is_left_out_is_named(tmp_path):
    text = ROBOT.replace("</robot>", "<gazebo/><gazebo/><transmission name='t'/></robot>")
    text = text.replace('axis xyz="0 1 0"', 'axis xyz="0 3 0"')
    text = text.replace('<link name="camera"/>', '<link name="camera"><visual><geometry/></visual><sensor/></link>')
    text = text.replace('xyz="0.6 0 0.8"', 'xyz="0.6001 0 0.8"')  # rounded: no remark
    with pytest.warns(UserWarning, match="left out or changed") as caught:
        tree = trees.read_urdf(written(tmp_path, text))
    words = str(caught[0].message)
    assert (
        "<gazebo> (2 times); <sensor>; <transmission>; the axis of joint 'neck' of link 'head' had length 3." in words
    )
    assert "visual" not in words
    assert "shoulder" not in words
    assert tree.links[tree.index("head")].joint.screws.tolist() == [[0, 0, 0, 0, 1, 0]]


TWO = link("a") + link("b")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TWO, "the links 'a', 'b' have no parent, but a robot has one root"),
        (TWO + joint("j", "fixed", "a", "c"), "joint 'j': its child: there is no link named 'c'"),
        (TWO + joint("j", "fixed", "c", "b"), "joint 'j': its parent: there is no link named 'c'"),
        (TWO + joint("j", "fixed", "a", "a"), "its parent and its child are both 'a'"),
        (
            TWO + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a"),
            "links go round in a circle: 'a' -> 'b' -> 'a'",
        ),
        (
            TWO + link("c") + link("d") + joint("j", "fixed", "a", "b") + joint("k", "fixed", "c", "d")
            + joint("l", "fixed", "d", "c"),
            "links go round in a circle: 'c' -> 'd' -> 'c'",
        ),
        (
            TWO + link("c") + joint("j", "fixed", "a", "c") + joint("k", "fixed", "b", "c"),
            "link 'c' is the child of the joints 'j', 'k'; in a tree it has one",
        ),
        (link("a") + link("a"), "there are two links 'a'"),
        (TWO + link("c") + joint("j", "fixed", "a", "b") + joint("j", "fixed", "a", "c"), "there are two joints 'j'"),
        (TWO + joint("j", "ball", "a", "b"), "there is no type of joint named 'ball'"),
        (TWO + joint("j", "revolute", "a", "b", "0 0 0"), "joint 'j': its axis has no length"),
        (TWO + joint("j", "revolute", "a", "b", "0 1"), "xyz of <axis> must be three numbers, not '0 1'"),
        (TWO + joint("j", "revolute", "a", "b", "0 one 0"), "xyz of <axis> must be a finite number, not 'one'"),
        (
            link("a", "2_0") + link("b") + joint("j", "fixed", "a", "b"),
            "link 'a': value of <mass> must be a finite number, not '2_0'",
        ),
        (TWO + joint("j", "revolute", "a", "b", "0 nan 0"), "xyz of <axis> must be a finite number, not 'nan'"),
        (
            TWO + joint("j", "revolute", "a", "b", more='<limit lower="1" upper="-1"/>'),
            "joint 'j', that moves link 'b': its lower limit 1 is above the upper -1",
        ),
        (TWO + joint("j", "revolute", "a", "b", more='<mimic joint="k"/>'), "joint 'j' mimics 'k'"),
        (TWO + '<joint name="j" type="fixed"><parent link="a"/></joint>', "joint 'j': it needs <child link=...>"),
        (TWO + '<joint type="fixed"/>', "joint: name must"),
        (link("a") + '<link name="b"/>' + joint("j", "revolute", "a", "b"), "link 'b' has no mass, but joint 'j'"),
        (link("a") + link("b", 0) + joint("j", "revolute", "a", "b"), "link 'b' has no mass, but joint 'j' moves it"),
        (link("a") + link("b", 0) + joint("j", "fixed", "a", "b"), "Link 'b': it has an inertia but no mass"),
        (link("a") + link("b", -1) + joint("j", "revolute", "a", "b"), "Link 'b': mass must be at least 0"),
        (link("a").replace('<mass value="1.5"/>', ""), "link 'a': its <inertial> has no <mass>"),
        (link("a").replace('ixz="-0.003"', ""), "link 'a': it needs <inertia ixz=...>"),
        (link("a").replace('ixx="0.03"', 'ixx="3"') + link("b") + joint("j", "fixed", "a", "b"), "Link 'a'"),
        (TWO + link("c") + joint("j", "revolute", "a", "b") + joint("k", "floating", "b", "c"), "joint 'k' is float"),
        ("", "there is no link"),
    ],
)  # fmt: skip
def test_mistakes(tmp_path, text, words):
    with pytest.raises(fx.ModelError) as caught:
        trees.read_urdf(written(tmp_path, f'<robot name="r">{text}</robot>'))
    assert words in str(caught.value)


def test_allowed_by_options(tmp_path):
    text = f'<robot name="r">{link("a")}<link name="b"/>{link("c")}'
    text += joint("j", "revolute", "a", "b") + joint("k", "revolute", "b", "c", "0 1 0") + "</robot>"
    assert trees.read_urdf(written(tmp_path, text), massless=True).n_v == 2
    text = text.replace("</robot>", "").replace('<link name="b"/>', link("b"))
    text = text.replace('"0 1 0"/></joint>', '"0 1 0"/><mimic joint="j"/></joint>') + "</robot>"
    file = written(tmp_path, text)
    assert trees.read_urdf(file, mimic="free").n_v == 2
    assert trees.urdf_joints(file)["k"][-3:] == ("j", 1.0, 0.0)
    more = written(tmp_path, text.replace('joint="j"/>', 'joint="j" multiplier="-2" offset="0.1"/>'))
    assert trees.urdf_joints(more)["k"][-3:] == ("j", -2.0, 0.1)
    with pytest.raises(fx.ModelError, match="'refuse' or 'free', not 'follow'"):
        trees.read_urdf(file, mimic="follow")


def test_frame_with_a_mass_fixed_to_it(tmp_path):
    """A link without inertia may be moved where a link with mass is fixed to it: they are one body."""
    text = f'<robot name="r">{link("a")}<link name="b"/>{link("c")}'
    text += joint("j", "revolute", "a", "b") + joint("k", "fixed", "b", "c") + "</robot>"
    assert trees.read_urdf(written(tmp_path, text)).n_v == 1


LAUGHS = """<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"><link name="a"/></robot>"""
FETCH = """<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/hostname">]>
<robot name="r"><link name="&x;"/></robot>"""
REMOTE = '<!DOCTYPE robot SYSTEM "robot.dtd"><robot name="r"><link name="a"/></robot>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LAUGHS, "a document type (<!DOCTYPE ...>) is declared"),
        (FETCH, "a document type (<!DOCTYPE ...>) is declared"),
        (REMOTE, "a document type (<!DOCTYPE ...>) is declared"),
        ("<robot name='&unknown;'><link name='a'/></robot>", "no well-formed XML: undefined entity"),
        ("<robot name='r'><link name='a'></robot>", "no well-formed XML: mismatched tag"),
        ("", "no well-formed XML: no element found"),
        ("<mujoco/>", "a URDF file begins with <robot>, not <mujoco>"),
        ("<robot xmlns:xacro='x'><xacro:macro/></robot>", "<xacro:macro> is of xacro"),
        ("<?xml version='1.0' encoding='klingon'?><robot/>", "encoding"),
    ],
)
def test_files_that_are_none(tmp_path, text, words):
    with pytest.raises(fx.FlexmbsError) as caught:
        trees.read_urdf(written(tmp_path, text))
    assert isinstance(caught.value, OSError)
    assert words in str(caught.value)


HINGE = f'<robot name="r">{TWO}{joint("j", "revolute", "a", "b", more=LIMIT)}</robot>'


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('rpy="0.3', 'rpj="0.3', "link 'a': there is no attribute of <origin> named 'rpj'; did you mean 'rpy'"),
        ('xyz="0.1', 'xzy="0.1', "link 'a': there is no attribute of <origin> named 'xzy'"),
        ('rpy="0.4 -0.7 1.1"', 'quat_xyzw="0 0 0 1"', "joint 'j': there is no attribute of <origin> named 'quat_xyzw'"),
        ('axis xyz="0 0 1"', 'axis xyz="0 0 1" rpy="1 0 0"', "no attribute of <axis> named 'rpy'"),
        ('mass value="1.5"', 'mass value="1.5" unit="g"', "no attribute of <mass> named 'unit'"),
        ('ixx="0.03"', 'ixx="0.03" iyx="0.1"', "no attribute of <inertia> named 'iyx'"),
        ('limit lower="-1.5"', 'limit lowr="-1.5"', "no attribute of <limit> named 'lowr'; did you mean 'lower'"),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>\n<axis xyz="0 0 1"/>', "line 4: joint 'j' has two <axis>"),
        ("<inertial>", "<inertial/><inertial>", "link 'a' has two <inertial>"),
        ('<mass value="1.5"/>', '<mass value="1"/><mass value="1.5"/>', "link 'a' has two <mass>"),
        ("<inertia ", "<inertia/><inertia ", "link 'a' has two <inertia>"),
        ("<inertial><origin", "<inertial><origin/><origin", "link 'a' has two <origin>"),
        ('<parent link="a"/>', '<parent link="a"/><parent link="b"/>', "joint 'j' has two <parent>"),
        ('<child link="b"/>', '<child link="b"/><child link="a"/>', "joint 'j' has two <child>"),
        (LIMIT, LIMIT + LIMIT, "joint 'j' has two <limit>"),
    ],
)
def test_what_would_change_numbers_in_silence_is_refused(tmp_path, old, new, words):
    assert old in HINGE
    for read in (trees.read_urdf, trees.urdf_joints):
        with pytest.raises(fx.ReadError) as caught:
            read(written(tmp_path, HINGE.replace(old, new, 1)))
        assert words in str(caught.value)


def test_attributes_that_change_no_numbers_are_named(tmp_path):
    text = HINGE.replace('<robot name="r">', '<robot name="r" version="1.0" xmlns:drake="http://drake.mit.edu">')
    text = text.replace('<link name="a">', '<link name="a" xmlns="x" kind="arm"><visual><origin quat="1"/></visual>')
    text = text.replace('velocity="4"', 'velocity="4" acceleration="3" drake:stiffness="2"')
    text = text.replace("</inertial>", "<density/></inertial>")
    with pytest.warns(UserWarning, match="left out or changed") as caught:
        tree = trees.read_urdf(written(tmp_path, text))
    assert str(caught[0].message).endswith(
        "<density> (2 times); the attribute 'acceleration' of <limit>; the attribute 'drake:stiffness' of <limit>; "
        "the attribute 'kind' of <link>."
    )
    assert tree.n_v == 1


def test_missing_folder_and_large_file(tmp_path, monkeypatch):
    with pytest.raises(OSError, match=re.escape("cannot be read: No such file")):
        trees.read_urdf(tmp_path / "none.urdf")
    with pytest.raises(OSError, match="cannot be read"):
        trees.read_urdf(tmp_path)
    monkeypatch.setattr("flexmbs.model.trees.xml_elements.LARGEST", 100)
    with pytest.raises(OSError, match="no description of a robot"):
        trees.read_urdf(written(tmp_path, ROBOT))


def test_deep_nesting_needs_no_stack(tmp_path):
    deep = "<x>" * 20_000 + "</x>" * 20_000
    with pytest.warns(UserWarning, match="<x>"):
        trees.read_urdf(written(tmp_path, f'<robot name="r">{TWO}{joint("j", "revolute", "a", "b")}{deep}</robot>'))


# --- other programs --------------------------------------------------------------------------------------------------

GRAVITY = (0.0, 0.0, -9.81)


def moving(robot):
    d = trees.TreeDynamics(robot, GRAVITY)
    q, v, a = np.random.default_rng(3).normal(size=(3, d.n_v))
    return d, q, v, a


def test_against_pinocchio(robot, tmp_path):
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(str(written(tmp_path, ROBOT)))
    data = model.createData()
    d, q, v, a = moving(robot)
    theirs_q, theirs_v, theirs_a, order = pin.neutral(model), np.zeros(5), np.zeros(5), []
    by_child = {joint.child: joint.name for joint in trees.urdf_joints(written(tmp_path, ROBOT)).values()}
    for k, name in enumerate(d.names):
        joint = model.joints[model.getJointId(by_child[name.split(":")[0]])]
        if joint.nq == 2:
            theirs_q[joint.idx_q : joint.idx_q + 2] = np.cos(q[k]), np.sin(q[k])
        else:
            theirs_q[joint.idx_q] = q[k]
        theirs_v[joint.idx_v], theirs_a[joint.idx_v] = v[k], a[k]
        order.append(joint.idx_v)
    tau = pin.rnea(model, data, theirs_q, theirs_v, theirs_a)[order]
    assert np.abs(d.inverse(q, v, a) - tau).max() < 1e-12 * np.abs(tau).max()
    back = pin.aba(model, data, theirs_q, theirs_v, np.zeros(5))[order]
    assert np.abs(d.forward(q, v) - back).max() < 1e-12 * np.abs(back).max()


def test_against_mujoco(robot):
    """MuJoCo takes its compiler's settings from a tag of its own, and adds nothing of armature or damping by itself."""
    mujoco = pytest.importorskip("mujoco")
    settings = '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco></robot>'
    text = ROBOT.replace('<dynamics damping="0.3"/>', "").replace("</robot>", settings)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    d, q, v, _ = moving(robot)
    by_child = {"head": "neck", "left upper": "left shoulder", "left lower": "left elbow",
                "right upper": "right shoulder", "right slide": "right extension"}  # fmt: skip
    order = []
    for k, name in enumerate(d.names):
        joint = model.joint(by_child[name.split(":")[0]])
        data.qpos[joint.qposadr[0]], data.qvel[joint.dofadr[0]] = q[k], v[k]
        order.append(joint.dofadr[0])
    mujoco.mj_forward(model, data)
    bias = data.qfrc_bias[order]
    assert np.abs(d.bias(q, v) - bias).max() < 1e-12 * np.abs(bias).max()


def test_damaged_files(tmp_path):
    """Pieces left out, doubled or exchanged: a tree or one of our errors, nothing else."""
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(300):
        words = re.split(r'(["<>/ ])', ROBOT)
        i, j = rng.integers(len(words), size=2)
        match rng.integers(3):
            case 0:
                del words[i]
            case 1:
                words[i], words[j] = words[j], words[i]
            case _:
                words[i] = str(rng.choice(["nan", "1e999", "<", '"', "&x;", "-1", "", "base"]))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                trees.read_urdf(written(tmp_path, "".join(words)))
            seen.add("tree")
        except fx.FlexmbsError as error:
            seen.add(type(error).__name__)
    assert seen == {"tree", "ReadError", "ModelError"}
