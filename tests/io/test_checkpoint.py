"""Checkpoints and named arrays: they come back to the last bit, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

import flexmbs as fx
from flexmbs.io.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from flexmbs.io.named_arrays import pack, unpack

dtypes = st.sampled_from([np.float64, np.float32, np.int64, np.uint64, np.int8, np.bool_, np.complex128])
arrays = dtypes.flatmap(lambda d: arrays_of.arrays(d, arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0)))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow])  # of drawing data, on a busy machine
@given(st.dictionaries(st.text(min_size=1), arrays, max_size=4), st.dictionaries(st.text(), plain, max_size=3))
def test_every_bit_comes_back(given_arrays: dict[str, Any], meta: dict[str, Any]) -> None:
    again = unpack("it", pack("it", given_arrays, meta))
    assert list(again.arrays) == list(given_arrays)
    for name, array in given_arrays.items():
        assert again.arrays[name].dtype == array.dtype
        assert again.arrays[name].shape == array.shape
        assert again.arrays[name].tobytes() == array.tobytes()
        assert again.arrays[name].flags.writeable
    assert again.meta == meta


def test_payloads_of_nan_and_signs_of_zero_come_back(tmp_path: Path) -> None:
    bits = np.array([0x7FF8000000000001, 0xFFF8DEADBEEF0001, 0x7FF0000000000001, 1 << 63, 1], dtype=np.uint64)
    odd = bits.view(np.float64)
    path = save_checkpoint(Checkpoint({"odd": odd, "turned": np.eye(3).T[::2]}), tmp_path / "a.checkpoint")
    again = load_checkpoint(path)
    assert again.arrays["odd"].view(np.uint64).tolist() == bits.tolist()
    assert again.arrays["turned"].tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def test_random_numbers_go_on_where_they_were(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    generator.normal(size=7)
    path = save_checkpoint(Checkpoint({}, {"random": generator.bit_generator.state}), tmp_path / "a.checkpoint")
    expected = generator.normal(size=5)
    other = np.random.default_rng(0)
    other.bit_generator.state = load_checkpoint(path).meta["random"]
    assert other.normal(size=5).tolist() == expected.tolist()


def test_checkpoints_do_not_share_memory_with_what_they_were_made_of() -> None:
    q = np.zeros(2)
    checkpoint = Checkpoint({"q": q})
    q[0] = 1.0
    assert checkpoint.arrays["q"].tolist() == [0.0, 0.0]


def test_interrupted_write_leaves_the_older_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save_checkpoint(Checkpoint({"q": [1.0]}), tmp_path / "a.checkpoint")

    def fail(draft: Path, content: bytes) -> int:
        draft.touch()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", fail)
        with pytest.raises(fx.FlexmbsError, match="No space left"):
            save_checkpoint(Checkpoint({"q": [2.0]}), path)
    assert load_checkpoint(path).arrays["q"].tolist() == [1.0]
    assert [p.name for p in tmp_path.iterdir()] == ["a.checkpoint"]


def test_another_model_is_refused(tmp_path: Path) -> None:
    path = save_checkpoint(Checkpoint({"q": [1.0]}, model="a" * 64), tmp_path / "a.checkpoint")
    assert load_checkpoint(path, model="a" * 64).model == "a" * 64
    with pytest.raises(fx.ReadError, match="belongs to another model"):
        load_checkpoint(path, model="b" * 64)


def test_every_truncation_is_told(tmp_path: Path) -> None:
    path = save_checkpoint(Checkpoint({"q": [1.0, 2.0]}), tmp_path / "a.checkpoint")
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(fx.ReadError, match=r"a\.checkpoint is (truncated|not a checkpoint)"):
            load_checkpoint(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_flipped_bits_are_told(data: st.DataObject, tmp_path: Path) -> None:
    path = save_checkpoint(Checkpoint({"q": [1.0, 2.0]}, {"n": 3}), tmp_path / "a.checkpoint")
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    with pytest.raises(fx.ReadError, match=r"a\.checkpoint"):
        load_checkpoint(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "arrays must be a mapping"),
        (({1: [0.0]},), "name of an array must be a string"),
        (({"q": "text"},), "q must be an array of numbers"),
        (({"q": [object()]},), "q must be an array of numbers"),
        (({"q": [[1.0], [1.0, 2.0]]},), "q must be an array of numbers"),
        (({}, 3), "meta must be a mapping"),
        (({}, {"f": len}), "only None, truth values"),
        (({}, {"x": float("nan")}), "Put other numbers into an array"),
        (({}, {}, ""), "model must be a non-empty string"),
    ],
)
def test_what_cannot_be_kept_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        Checkpoint(*arguments)


def test_odd_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(fx.ModelError, match=r"must end in \.checkpoint"):
        save_checkpoint(Checkpoint({}), tmp_path / "a.h5")
    with pytest.raises(fx.ModelError, match="expected a Checkpoint"):
        save_checkpoint({"q": [0.0]}, tmp_path / "a.checkpoint")  # type: ignore[arg-type]
    with pytest.raises(fx.ReadError, match="No such file"):
        load_checkpoint(tmp_path / "a.checkpoint")
    with pytest.raises(fx.ReadError, match="cannot be read"):
        load_checkpoint(3)  # type: ignore[arg-type]
    path = save_checkpoint(Checkpoint({}), tmp_path / "a.checkpoint")
    path.write_bytes(path.read_bytes().replace(b"version 1", b"version 7", 1))
    with pytest.raises(fx.ReadError, match="format version 7, but this flexmbs reads versions up to 1"):
        load_checkpoint(path)


@pytest.mark.parametrize("data", [b"", b"\x08" + bytes(20), pack("it", {"q": [0.0, 1.0]})[:-8], b"\xff" * 40])
def test_bytes_that_are_no_arrays_are_refused(data: bytes) -> None:
    with pytest.raises(fx.ReadError, match="it: the arrays cannot be read"):
        unpack("it", data)
