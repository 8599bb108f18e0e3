"""Attributes that do not exist: an `AttributeError` with the name that is meant.

Classes of descriptions and results derive from `Hinted`, whose ``__getattr__`` Python asks only where nothing was
found. The text is made when it is read, since most of these errors are caught unread (`hasattr`, `getattr` with a
default). What is read in every step has no such base: with it a look-up costs some 30 nanoseconds more.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

__all__ = ["ATTRIBUTES", "Hinted", "MissingAttributeError"]

ATTRIBUTES = {
    "t": "time times tvec timestamps time_steps",
    "a": "acceleration accelerations",
    "lam": "lambda_ multipliers lagrange_multipliers",
    "frequencies": "freqs freq eigenfrequencies hz f natural_frequency",
    "roots": "eigvals poles lambdas eigenvalue",
    "damping_ratios": "zeta damping damping_ratio modal_damping",
    "vectors": "eigenvectors mode_shapes modes shapes phi",
    "K": "stiffness stiffness_matrix",
    "M": "mass_matrix",
    "D": "C damping_matrix",
    "shapes": "T basis transformation",
    "size": "n n_coordinates dimension",
    "frames": "interfaces ports boundary",
    "strain_energy": "energy elastic_energy",
    "n_rigid": "rigid_body_modes n_rigid_modes",
    "position": "pos positions get_position xyz location",
    "displacement": "disp displacements u",
    "rotation": "orientation rot R attitude euler_angles",
    "quaternion": "quat euler_parameters",
    "velocity": "vel velocities",
    "angular_velocity": "omega angular_velocities",
    "reaction": "reactions reaction_force reaction_forces constraint_force joint_force",
    "reaction_moment": "reaction_moments constraint_torque",
    "multipliers": "lagrange_multipliers",
    "energy": "energies total_energy kinetic_energy potential_energy",
    "stresses": "stress sigma von_mises",
    "resultant": "section_force bending_moment M N section_forces",
    "plot": "show draw visualize visualise figure",
    "save": "write to_hdf5 to_file dump store",
    "to_paraview": "to_vtk to_vtu write_vtk",
    "animate": "animation movie gif video play",
    "table": "to_csv csv data",
    "status": "success converged ok",
    "load_factors": "load_factor step_factors",
    "youngs_modulus": "E modulus young elastic_modulus",
    "poissons_ratio": "nu poisson",
    "density": "rho",
    "shear_modulus": "G mu",
    "area": "A cross_section",
    "I_z": "I Iz Izz",
    "I_y": "Iy Iyy",
    "J": "It torsion_constant Ip",
    "centre": "center com cog centre_of_mass center_of_mass centroid",
    "marker_at": "add_marker frame_at point_at",
    "with_": "add append add_item add_body add_joint AddObject AddBody insert",
    "bodies": "objects parts nodes",
    "joints": "constraints connectors",
    "points": "nodes vertices coords xyz",
    "cells": "elements connectivity",
    "node_sets": "nsets sets groups point_sets physical_groups",
    "start": "left first_node begin",
    "end": "right last_node tip",
    "gap": "depth penetration indentation gaps distance",
    "normal": "normal_force normal_forces N fn Fn",
    "force": "forces friction friction_force tangential tangential_force",
    "slip": "slip_velocity sliding_velocity velocity",
    "loss": "dissipated dissipation losses work",
    "twist": "velocity angular_velocity speed",
    "transfer": "tf frequency_response freqresp transfer_function bode dcgain dc_gain steady_state_gain",
    "closed": "feedback closed_loop close_loop",
    "poles": "pole eigenvalues eigs eig damp damping",
    "to_control": "margin margins stability_margins c2d discretise discretize sample step step_response impulse lsim "
    "forced_response gain_margin phase_margin",
    "inverse": "rnea RNEA inverse_dynamics id torques",
    "forward": "aba ABA forward_dynamics fd accelerations",
    "bias": "h nle coriolis C gravity_torque gravity_torques gravity_forces nonlinear_effects",
    "mass": "M mass_matrix crba CRBA inertia_matrix massmatrix",
    "poses": "fk fkine forward_kinematics pose transforms",
    "jacobian": "J jac jacob jacob0 Jacobian geometric_jacobian get_jacobian",
    "centroidal": "com ccrba cmm center_of_mass centre_of_mass centroidal_momentum",
    "to_scipy": "to_ss statespace state_space",
}  # fmt: skip
"""Names of attributes, and what the field and other programs call them."""


class MissingAttributeError(AttributeError):
    """No such attribute; says which one may be meant."""

    def __init__(self, owner: type, asked: str) -> None:
        super().__init__(owner, asked)

    def __str__(self) -> str:
        owner, asked = self.args
        fields = getattr(owner, "__dataclass_fields__", {})
        known = {name for name in (*dir(owner), *fields) if not name.startswith("_")}
        meant = [name for name, others in ATTRIBUTES.items() if name in known and asked in others.split()]
        meant = meant or get_close_matches(asked, sorted(known), n=2, cutoff=0.7)
        hint = f"; did you mean {' or '.join(repr(name) for name in meant)}?" if meant else ""
        return f"{owner.__name__!r} object has no attribute {asked!r}{hint}"


class Hinted:
    """Objects that say which attribute may be meant where one does not exist.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.steel.E
    Traceback (most recent call last):
    flexmbs.core.attributes.MissingAttributeError: 'Elastic' object has no attribute 'E'; did you mean 'youngs_modulus'?
    """

    if not TYPE_CHECKING:  # type checkers go on to find wrong attributes

        def __getattr__(self, name: str) -> Any:
            kind = type(self)
            if name[0] != "_" and hasattr(kind, name):  # a property that failed: its own error, once more
                return object.__getattribute__(self, name)
            raise MissingAttributeError(kind, name)
