"""Exudyn's side of `bench_reduction.py`: Hurty-Craig-Bampton reduction of given matrices, and inertia integrals.

A problem names an npz file with the matrices; the answer is ``{"row": [CPU seconds of the modes, CPU seconds of the
inertia integrals, peak memory in MB, [eigenfrequencies in Hz]]}``.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read by the import

import exudyn  # noqa: E402
import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from exudyn.FEM import FEMinterface, HCBstaticModeSelection, ObjectFFRFreducedOrderInterface  # noqa: E402


def reduce(problem: dict[str, Any]) -> list[Any]:
    """Two rigid interfaces and the lowest modes with both held."""
    with np.load(problem["file"]) as data:
        fem = FEMinterface()
        fem.nodes = {"Position": data["points"]}
        fem.elements = [{"Name": "bar", "Hex8": data["cells"]}]
        n = 3 * len(data["points"])
        fem.massMatrix = sp.csr_matrix((data["M_data"], data["M_indices"], data["M_indptr"]), (n, n))
        fem.stiffnessMatrix = sp.csr_matrix((data["K_data"], data["K_indices"], data["K_indptr"]), (n, n))
        faces = [data["left"].tolist(), data["right"].tolist()]
    began = time.process_time()
    fem.ComputeHurtyCraigBamptonModes(
        faces, problem["modes"], useSparseSolver=True, timerTreshold=10**9, computationMode=HCBstaticModeSelection.RBE2
    )
    modes = time.process_time() - began
    began = time.process_time()
    ObjectFFRFreducedOrderInterface(fem)
    invariants = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [modes, invariants, peak, [float(f) for f in fem.GetEigenFrequenciesHz()[:4]]]


def main() -> None:
    """Answer line by line."""
    print(json.dumps({"version": exudyn.config.Version()}), flush=True)
    for line in sys.stdin:
        try:
            answer: dict[str, Any] = {"row": reduce(json.loads(line))}
        except Exception as error:  # noqa: BLE001  # the other side prints it
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
