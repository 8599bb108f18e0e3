"""The layout: mapped folders, guarded names, complete wheels, a command line that starts quickly."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAPPED = ("elements", "meshes", "reduction", "verification")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]

CACHES = ("__pycache__", "*.pyc", "*.nbi", "*.nbc")


def import_name(folder: Path) -> str:
    """The dotted name under which a folder of the repository is imported."""
    parts = folder.relative_to(ROOT).parts
    return ".".join(parts if parts[0] == "flexmbs" else ("flexmbs", *parts))


def package_folders() -> dict[str, Path]:
    """Every folder that holds an ``__init__.py``, by its import name, each folder once."""
    found = {}
    for room in ("flexmbs", *MAPPED):
        for folder, below, files in os.walk(ROOT / room):
            below[:] = [name for name in below if not (Path(folder) / name).is_symlink()]
            if "__init__.py" in files:
                found[import_name(Path(folder))] = Path(folder)
    return found


def run_python(*arguments: str, cwd: Path = ROOT, path: Path | None = ROOT) -> subprocess.CompletedProcess[str]:
    """Run this interpreter in a fresh process, with ``path`` as the only addition to ``sys.path``."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_package_list_names_every_package_folder() -> None:
    listed = SETUPTOOLS["packages"]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(package_folders()), "compare [tool.setuptools] packages in pyproject.toml"


def test_package_map_leads_to_the_mapped_folders() -> None:
    expected = {"flexmbs": "flexmbs"} | {f"flexmbs.{room}": room for room in MAPPED}
    assert SETUPTOOLS["package-dir"] == expected


def test_version_is_the_same_in_the_package_and_its_metadata(tmp_path: Path) -> None:
    run = run_python("-c", "import flexmbs; print(flexmbs.__version__)", cwd=tmp_path)
    assert run.stdout.strip() == PROJECT["project"]["version"]


@pytest.mark.parametrize("room", MAPPED)
def test_link_leads_to_the_mapped_folder(room: str) -> None:
    link = ROOT / "flexmbs" / room
    if not link.is_symlink():
        pytest.skip("this checkout has no symbolic links")
    assert link.readlink() == Path("..") / room


@pytest.mark.parametrize("room", MAPPED)
def test_bare_name_is_refused_and_the_right_one_named(room: str, tmp_path: Path) -> None:
    run = run_python("-c", f"import {room}", cwd=tmp_path)
    assert run.returncode == 1
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError:")
    assert f"flexmbs.{room}" in last


@pytest.mark.parametrize("room", MAPPED)
def test_namespaced_name_imports(room: str, tmp_path: Path) -> None:
    run = run_python("-c", f"import flexmbs.{room} as room; print(room.__name__)", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == f"flexmbs.{room}"


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import runpy, sys\n"
        "sys.argv = ['flexmbs', '--help']\n"
        "try:\n"
        "    runpy.run_module('flexmbs', run_name='__main__', alter_sys=False)\n"
        "except SystemExit as stop:\n"
        "    status = stop.code\n"
        "else:\n"
        "    status = 0\n"
        "loaded = {'numba', 'scipy', 'matplotlib', 'meshio'} & set(sys.modules)\n"
        "print('loaded:', *sorted(loaded), file=sys.stderr)\n"
        "sys.exit(status)\n"
    )
    run = run_python("-c", code, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "usage" in run.stdout.lower()
    assert run.stderr.strip().splitlines()[-1] == "loaded:"


def test_help_as_a_module_exits_with_success(tmp_path: Path) -> None:
    run = run_python("-m", "flexmbs", "--help", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "verify" in run.stdout


@pytest.mark.slow
def test_wheel_holds_every_module_and_data_file_once(tmp_path: Path) -> None:
    # Built from a copy: setuptools leaves build/lib behind, and what lies there gets into the next wheel.
    copy = tmp_path / "flexmbs"
    copy.mkdir()
    for item in ("pyproject.toml", "LICENSE", "README.md"):
        if (ROOT / item).exists():
            shutil.copy(ROOT / item, copy)
    for room in ("flexmbs", *MAPPED):
        shutil.copytree(ROOT / room, copy / room, symlinks=True, ignore=shutil.ignore_patterns(*CACHES))
    expected = set()
    for room in ("flexmbs", *MAPPED):
        prefix = Path("flexmbs") if room in MAPPED else Path()
        for folder, _, files in os.walk(copy / room):  # does not follow the links
            expected |= {(prefix / Path(folder, name).relative_to(copy)).as_posix() for name in files}

    build = run_python("-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(copy), path=None)
    assert build.returncode == 0, build.stderr

    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert len(names) == len(set(names))
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


CONDA = {"matplotlib": "matplotlib-base", "lazy_loader": "lazy-loader"}
"""Names on conda-forge that are other ones."""


def test_recipe_says_what_the_project_says() -> None:
    yaml = pytest.importorskip("yaml")
    project = PROJECT["project"]
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text("utf-8"))
    assert recipe["context"] == {
        "name": project["name"], "version": project["version"], "python_min": project["requires-python"].lstrip(">="),
    }  # fmt: skip
    wanted = [*project["dependencies"], *project["optional-dependencies"]["cholmod"]]
    pairs = [re.fullmatch(r"([\w-]+)(.*)", one).groups() for one in wanted]  # type: ignore[union-attr]
    named = sorted(f"{CONDA.get(name, name)} {bounds}" for name, bounds in pairs)
    assert sorted(recipe["requirements"]["run"][1:]) == named
    assert recipe["build"]["python"]["entry_points"] == [f"flexmbs = {project['scripts']['flexmbs']}"]
    assert (
        f"setuptools {PROJECT['build-system']['requires'][0].removeprefix('setuptools')}"
        in (recipe["requirements"]["host"])
    )
    assert recipe["about"]["license"] == project["license"]
    assert (ROOT / recipe["about"]["license_file"]).exists()
