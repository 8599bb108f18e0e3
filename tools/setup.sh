#!/usr/bin/env bash
# Make the virtual environment .venv and install flexmbs into it, editable, with the extras named on the command line.
#
#   tools/setup.sh dev,cholmod            (make setup calls this)
#   PYTHON=python3.12 tools/setup.sh dev,cholmod
#
# What the system lacks (headers of SuiteSparse and Python, a fast BLAS, a C compiler, the venv module) is installed by
# apt where apt is; elsewhere the packages are named. Without a working scikit-sparse the rest is still installed:
# flexmbs then solves with SuperLU.
set -euo pipefail
cd "$(dirname "$0")/.."
extras=${1:-dev,cholmod}
export PIP_DISABLE_PIP_VERSION_CHECK=1
if [ "$(id -u)" = 0 ]; then as_root=(); elif [ -t 0 ]; then as_root=(sudo); else as_root=(sudo -n); fi

say() { printf 'setup: %s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }

# --- the interpreter ---------------------------------------------------------------------------------------------------

recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
  local name
  if [ -n "${PYTHON:-}" ]; then
    recent "$PYTHON" || stop "PYTHON=$PYTHON is not a Python of version 3.11 or later."
    echo "$PYTHON"
    return
  fi
  for name in python3.11 python3 python3.12 python3.13 python3.14; do
    if recent "$name"; then echo "$name"; return; fi
  done
  stop "no Python of version 3.11 or later was found; install one, or name it: make setup PYTHON=/path/to/python3"
}

# --- what the system must have -----------------------------------------------------------------------------------------

has_suitesparse() {
  local folder
  for folder in "${SUITESPARSE_INCLUDE_DIR:-/usr/include/suitesparse}" /usr/include/suitesparse /usr/include \
    /usr/local/include/suitesparse /usr/local/include; do
    if [ -e "$folder/cholmod.h" ]; then return 0; fi
  done
  return 1
}

# CHOLMOD lives on BLAS: with the reference one of Debian large factorisations take three times as long
has_fast_blas() {
  local library
  library=$(ldconfig -p 2>/dev/null | awk '/libblas\.so\.3 / { print $NF; exit }')
  case $(readlink -f "${library:-/nowhere}") in
    *openblas* | *atlas* | *mkl* | *blis* | *flexiblas*) return 0 ;;
  esac
  ! command -v apt-get >/dev/null # elsewhere the system knows better
}

has_python_headers() {
  "$1" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
}

has_venv() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

has_compiler() { command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null; }

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q -y "$@" </dev/null >&2; }

python=$(find_python)
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
missing=()
has_suitesparse || missing+=(libsuitesparse-dev)
has_fast_blas || missing+=(libopenblas0-pthread)
has_compiler || missing+=(gcc libc6-dev)
has_python_headers "$python" || missing+=("python$version-dev")
has_venv "$python" || missing+=("python$version-venv")

if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    say "missing on this system, by the names of Debian: ${missing[*]}."
    say "Elsewhere: suitesparse-devel gcc python3-devel (Fedora), suitesparse gcc (Arch), suite-sparse (Homebrew; then"
    say "set SUITESPARSE_INCLUDE_DIR and SUITESPARSE_LIBRARY_DIR). Going on without."
  else
    say "installing by apt: ${missing[*]}"
    { apt update && apt install "${missing[@]}"; } \
      || say "apt could not install them. As an administrator: apt-get install ${missing[*]}. Going on without."
  fi
fi
has_venv "$python" || stop "$python has no venv module; install it (Debian, Ubuntu: python$version-venv)."

# --- the environment ---------------------------------------------------------------------------------------------------

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
  "$python" -m venv --clear .venv
fi
pip=(.venv/bin/python -m pip install --quiet)
mkdir -p build
say "installing flexmbs and its dependencies into .venv (a few minutes the first time) ..."

if "${pip[@]}" --editable ".[$extras]" 2>build/setup.log; then
  say "done, with $(.venv/bin/python --version)."
else
  # Was it scikit-sparse? Then everything else installs.
  mapfile -t others < <(.venv/bin/python - "$extras" <<'PYTHON'
import sys
import tomllib

with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
wanted = list(project["dependencies"])
for extra in sys.argv[1].split(","):
    wanted += project["optional-dependencies"][extra]
print("\n".join(name for name in wanted if not name.startswith("scikit-sparse")))
PYTHON
  )
  { "${pip[@]}" "${others[@]}" && "${pip[@]}" --no-deps --editable .; } 2>build/setup-rest.log || {
    cat build/setup.log build/setup-rest.log >&2
    stop "the installation failed, also without scikit-sparse; the messages of pip are above."
  }
  say "############################################################################################################"
  say "WARNING: scikit-sparse could not be installed, so flexmbs will use SuperLU (slower on large models). The reason"
  say "is in build/setup.log. It needs a C compiler and the headers of SuiteSparse 5 to 7 (Debian: libsuitesparse-dev);"
  say "once they are there:  .venv/bin/pip install 'scikit-sparse>=0.4.16,<0.5'"
  say "############################################################################################################"
fi

# Tools that read what flexmbs exports, for its tests: one by one, for not every system has all of them; what is installed
# already keeps its version.
case ",$extras," in *,dev,*)
  .venv/bin/python -m pip freeze --quiet --exclude-editable 2>/dev/null | grep == >build/installed.txt
  mapfile -t readers < <(.venv/bin/python -c 'import tomllib
with open("pyproject.toml", "rb") as file:
    print("\n".join(tomllib.load(file)["project"]["optional-dependencies"]["interop"]))')
  for name in "${readers[@]}"; do
    "${pip[@]}" --only-binary :all: --constraint build/installed.txt "$name" 2>>build/setup-readers.log \
      || say "no $name here; the tests that need it are left out (build/setup-readers.log says why)."
  done
  ;;
esac
say "installed in $SECONDS s"
