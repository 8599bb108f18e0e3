"""The list of all verification cases, in the order of the report; naming a case here does not import it."""

from __future__ import annotations

from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.verification.case import CaseEntry

__all__ = ["ALL", "select"]

_HERE = "flexmbs.verification.cases"

ALL: tuple[CaseEntry, ...] = (
    CaseEntry("s01-cantilever", "Cantilever under a dead tip force", "statics", f"{_HERE}.cantilever:CASE"),
    CaseEntry("s02-rollup", "Cantilever rolled up by a tip moment", "statics", f"{_HERE}.rollup:MOMENT"),
    CaseEntry("s02-follower", "Cantilever under a follower force", "statics", f"{_HERE}.rollup:FOLLOWER_CASE"),
    CaseEntry("s05-clamped", "Beam between two clamps under a central load", "statics", f"{_HERE}.frames:CLAMPED"),
    CaseEntry(
        "s04-diamond", "Diamond frame pulled and pushed at two hinged corners", "statics", f"{_HERE}.frames:DIAMOND"
    ),
    CaseEntry("s07-column", "Column far beyond its buckling load", "statics", f"{_HERE}.frames:COLUMN"),
    CaseEntry(
        "quarter-circle", "Stress-free quarter circle under a uniform load", "statics", f"{_HERE}.curved:QUARTER"
    ),
    CaseEntry("s09-plates", "Square plates under pressure and a central force", "statics", f"{_HERE}.plates:STATICS"),
    CaseEntry("s14-twist", "Square plate twisted by a force at its corner", "statics", f"{_HERE}.plates:TWIST"),
    CaseEntry(
        "shear-shell-plates",
        "Absolute-nodal shells: square plates and pure twist",
        "statics",
        f"{_HERE}.shear_shell:PLATES",
        slow=True,
    ),
    CaseEntry(
        "s11b-lee",
        "Lee's frame up to its first limit point",
        "statics",
        f"{_HERE}.slope_discontinuities:LEE",
        slow=True,
    ),
    CaseEntry(
        "folded-plates",
        "Folded and branching plates",
        "statics",
        f"{_HERE}.slope_discontinuities:FOLDS",
        slow=True,
    ),
    CaseEntry("s03-bend", "45-degree bend under a load out of its plane", "statics", f"{_HERE}.spatial_rods:BEND"),
    CaseEntry(
        "s12-princeton",
        "Princeton beam: bending, torsion and their coupling",
        "statics",
        f"{_HERE}.spatial_rods:PRINCETON",
    ),
    CaseEntry(
        "s06-lateral-buckling", "Lateral buckling of a deep cantilever", "statics", f"{_HERE}.spatial_rods:BUCKLING"
    ),
    CaseEntry(
        "helical-spring", "Helical spring pulled to four times its pitch", "statics", f"{_HERE}.spatial_rods:SPRING"
    ),
    CaseEntry(
        "s08-strip",
        "Strip of shells under an end moment and an end force",
        "statics",
        f"{_HERE}.absolute_nodal_shells:STRIP",
    ),
    CaseEntry(
        "s08c-slit-annulus",
        "Slit annular plate lifted at one lip",
        "statics",
        f"{_HERE}.absolute_nodal_shells:ANNULUS",
        slow=True,
    ),
    CaseEntry(
        "s08d-hemisphere",
        "Hemisphere with a hole, pulled and pushed",
        "statics",
        f"{_HERE}.absolute_nodal_shells:HEMISPHERE",
        slow=True,
    ),
    CaseEntry(
        "s08e-cylinder", "Open cylinder pulled apart", "statics", f"{_HERE}.absolute_nodal_shells:CYLINDER", slow=True
    ),
    CaseEntry("s13-catenary", "Elastic catenary", "statics", f"{_HERE}.curved:CATENARY"),
    CaseEntry("corner-strips", "Strips in frames that follow their corners", "statics", f"{_HERE}.corner_plates:STRIP"),
    CaseEntry(
        "corner-plates",
        "Square plates in frames that follow their corners",
        "modes",
        f"{_HERE}.corner_plates:PLATES",
        slow=True,
    ),
    CaseEntry(
        "corner-shells",
        "Slit annulus and hemisphere in frames that follow their corners",
        "statics",
        f"{_HERE}.corner_shells:CASE",
        slow=True,
    ),
    CaseEntry("segmented-beams", "Beams of finite rigid segments", "statics", f"{_HERE}.segmented_beams:BEAMS"),
    CaseEntry("segmented-cable", "Cable of finite rigid segments", "statics", f"{_HERE}.segmented_beams:CABLE"),
    CaseEntry(
        "segmented-plate-statics",
        "Square plates of finite rigid segments: deflections and twist",
        "statics",
        f"{_HERE}.segmented_plates:DEFLECTIONS",
        slow=True,
    ),
    CaseEntry(
        "segmented-plate-modes",
        "Square plates of finite rigid segments: frequencies",
        "modes",
        f"{_HERE}.segmented_plates:FREQUENCIES",
        slow=True,
    ),
    CaseEntry(
        "frame-statics", "Portal frames with hinges and a bent in space", "statics", f"{_HERE}.frame_statics:CASE"
    ),
    CaseEntry(
        "e01-beam-ends", "Bernoulli-Euler beams with all standard ends", "modes", f"{_HERE}.beam_modes:BEAM_ENDS"
    ),
    CaseEntry("e02-timoshenko", "Timoshenko beam, simply supported and clamped", "modes", f"{_HERE}.beam_modes:SHEAR"),
    CaseEntry(
        "frame-modes",
        "Frame element: beams with all standard ends, slender and with shear",
        "modes",
        f"{_HERE}.frame_modes:CASE",
    ),
    CaseEntry("frame-ring", "Free circular ring of frame elements", "modes", f"{_HERE}.frame_ring:CASE"),
    CaseEntry(
        "spatial-rod-modes",
        "Beam with shear and torsion: bending, torsion and axial modes",
        "modes",
        f"{_HERE}.spatial_rod_modes:ENDS",
    ),
    CaseEntry(
        "spatial-rod-ring", "Free circular ring of beams with directors", "modes", f"{_HERE}.spatial_rod_modes:RING"
    ),
    CaseEntry(
        "spatial-rod-blade", "Rotating blade of beams with directors", "modes", f"{_HERE}.spatial_rod_modes:BLADE"
    ),
    CaseEntry(
        "heated-plate",
        "A plate heated between edges that do not move",
        "modes",
        f"{_HERE}.heated_plate:HEATED",
        slow=True,
    ),
    CaseEntry(
        "d20-in-space",
        "Rotating tether with tip mass: cable and beam in space",
        "modes",
        f"{_HERE}.spatial_tether:MODES",
    ),
    CaseEntry("e05-chain", "Chains under gravity", "modes", f"{_HERE}.prestress:CHAIN"),
    CaseEntry(
        "stretched-beams",
        "String under tension, beam in tension and close to buckling",
        "modes",
        f"{_HERE}.prestress:STRETCHED",
    ),
    CaseEntry(
        "e09-plates", "Natural frequencies of thin square plates", "modes", f"{_HERE}.plates:VIBRATION", slow=True
    ),
    CaseEntry(
        "shear-shell-modes",
        "Absolute-nodal shells: frequencies of square plates",
        "modes",
        f"{_HERE}.shear_shell:VIBRATION",
        slow=True,
    ),
    CaseEntry("e06-strip", "Tensioned strip of a galvanizing line", "modes", f"{_HERE}.tensioned_strip:CASE"),
    CaseEntry(
        "continuum-plate-twist",
        "Fully parameterised plate: constant twist",
        "elements",
        f"{_HERE}.continuum_plates:TWIST",
        slow=True,
    ),
    CaseEntry(
        "continuum-plate-statics",
        "Fully parameterised plate: deflections",
        "elements",
        f"{_HERE}.continuum_plates:STATICS",
        slow=True,
    ),
    CaseEntry(
        "continuum-plate-strips",
        "Fully parameterised plate: strips that bend far",
        "elements",
        f"{_HERE}.continuum_plates:STRIPS",
        slow=True,
    ),
    CaseEntry(
        "continuum-plate-slenderness",
        "Fully parameterised plate: from thick to very thin",
        "elements",
        f"{_HERE}.continuum_plates:SLENDER",
        slow=True,
    ),
    CaseEntry(
        "continuum-plate-hemisphere",
        "Fully parameterised plate: hemisphere with a hole",
        "elements",
        f"{_HERE}.continuum_plates:HEMISPHERE",
        slow=True,
    ),
    CaseEntry("s10-cook", "Cook's tapered panel", "elements", f"{_HERE}.shells:COOK"),
    CaseEntry("shell-obstacles", "Shell obstacle course", "elements", f"{_HERE}.shells:OBSTACLES"),
    CaseEntry("shell-slenderness", "Plates from thick to very thin", "elements", f"{_HERE}.shells:SLENDER"),
    CaseEntry(
        "thin-plate-statics",
        "Square plates by absolute-nodal thin plates",
        "statics",
        f"{_HERE}.thin_plates:STATICS",
        slow=True,
    ),
    CaseEntry(
        "thin-plate-twist", "Constant twist of absolute-nodal thin plates", "statics", f"{_HERE}.thin_plates:TWIST"
    ),
    CaseEntry(
        "thin-plate-strips",
        "Strips rolled up, and bent by a shear force",
        "statics",
        f"{_HERE}.thin_plates_far:STRIPS",
        slow=True,
    ),
    CaseEntry(
        "thin-plate-shells",
        "Cylinder and hemisphere by absolute-nodal thin plates",
        "statics",
        f"{_HERE}.thin_plates_far:SHELLS",
        slow=True,
    ),
    CaseEntry("thin-plate-ring", "Slit ring lifted at one lip", "statics", f"{_HERE}.thin_plates_far:RING", slow=True),
    CaseEntry(
        "thin-plate-modes",
        "Natural frequencies of absolute-nodal thin plates",
        "modes",
        f"{_HERE}.thin_plates:VIBRATION",
        slow=True,
    ),
    CaseEntry("thin-plate-strip-modes", "Tensioned strip of plates", "modes", f"{_HERE}.thin_plates:TENSION"),
    CaseEntry(
        "thin-plate-slenderness",
        "Locking of absolute-nodal thin plates",
        "elements",
        f"{_HERE}.thin_plates_far:SLENDERNESS",
    ),
    CaseEntry(
        "thin-plate-pendulum",
        "Plate hung by a corner",
        "flexible motion",
        f"{_HERE}.thin_plates_far:PENDULUM",
        slow=True,
    ),
    CaseEntry("laminated-plate", "Cross-ply plates under pressure", "elements", f"{_HERE}.laminated_plate:CASE"),
    CaseEntry(
        "shear-shell-membranes",
        "Absolute-nodal shells: Cook's panel and layered plates",
        "elements",
        f"{_HERE}.shear_shell:MEMBRANES",
        slow=True,
    ),
    CaseEntry(
        "shear-shell-slenderness",
        "Absolute-nodal shells: strips from thick to very thin",
        "elements",
        f"{_HERE}.shear_shell_far:SLENDERNESS",
    ),
    CaseEntry(
        "shear-shell-folds",
        "Absolute-nodal shells: folded and branching panels",
        "elements",
        f"{_HERE}.shear_shell_far:FOLDS",
        slow=True,
    ),
    CaseEntry(
        "strain-measures", "Two strain measures, each against its own rod", "elements", f"{_HERE}.elements:STRAINS"
    ),
    CaseEntry("spatial-cable", "The spatial cable in an inclined plane", "elements", f"{_HERE}.elements:SPACE"),
    CaseEntry(
        "spatial-rod-slenderness",
        "Spatial rods from thick to very slender",
        "elements",
        f"{_HERE}.spatial_rod_slenderness:CASE",
        slow=True,
    ),
    CaseEntry(
        "cable-and-beams",
        "Slender members: cable, beam with directors and exact beam",
        "elements",
        f"{_HERE}.cable_and_beams:LIMIT",
        slow=True,
    ),
    CaseEntry(
        "exact-beam-paths",
        "Exact beam: any path of loading, any rotation of everything",
        "elements",
        f"{_HERE}.cable_and_beams:PATH",
    ),
    CaseEntry("linear-beams", "Linear beams: exact at the nodes", "elements", f"{_HERE}.elements:LINEAR"),
    CaseEntry(
        "solid-bar-analyses",
        "Bar of solid elements: weight, spin, vibration, forced motion",
        "linear parts",
        f"{_HERE}.solid_bars:CASE",
    ),
    CaseEntry(
        "moving-frame",
        "Structures in a turning frame: blade, rod, shaft",
        "linear parts",
        f"{_HERE}.moving_frame:CASE",
    ),
    CaseEntry("equilibria", "Mechanisms find their equilibrium", "equilibrium", f"{_HERE}.equilibrium:EQUILIBRIA"),
    CaseEntry(
        "vibrations",
        "Vibrations about equilibria and about a spin",
        "equilibrium",
        f"{_HERE}.equilibrium:VIBRATIONS",
    ),
    CaseEntry("d01-pendulum", "Simple pendulum", "mechanisms", f"{_HERE}.pendulums:SIMPLE"),
    CaseEntry("d02-spherical", "Spherical pendulum", "mechanisms", f"{_HERE}.pendulums:SPHERICAL"),
    CaseEntry("d03-double", "Double pendulum of point masses", "mechanisms", f"{_HERE}.pendulums:DOUBLE"),
    CaseEntry("d04-chain", "Chains of 2, 3, 5 and 10 bars", "mechanisms", f"{_HERE}.pendulums:CHAIN"),
    CaseEntry("d04-long-chain", "Chain of 40 bars", "mechanisms", f"{_HERE}.pendulums:LONG", slow=True),
    CaseEntry("d05-free-body", "Free body turning over", "mechanisms", f"{_HERE}.free_body:FREE"),
    CaseEntry(
        "d06-steady-top", "Heavy top in slow and fast steady precession", "mechanisms", f"{_HERE}.free_body:STEADY"
    ),
    CaseEntry("d06-fast-top", "Fast heavy top", "mechanisms", f"{_HERE}.free_body:FAST"),
    CaseEntry(
        "d07-parallelograms",
        "One and two parallelograms through their stretched positions",
        "mechanisms",
        f"{_HERE}.linkages:PARALLELOGRAMS",
    ),
    CaseEntry("d07-forty", "Forty parallelograms", "mechanisms", f"{_HERE}.linkages:FORTY", slow=True),
    CaseEntry("d08-rolling", "Disk rolling on a plane", "mechanisms", f"{_HERE}.rolling:CASE"),
    CaseEntry(
        "wheel-on-a-slope", "Wheel on a slope: a cycloid across, not down", "mechanisms", f"{_HERE}.wheel_on_slope:CASE"
    ),
    CaseEntry(
        "hinged-pair-in-orbit",
        "Hinged pair in orbit: a joint, velocity rows, minimal coordinates",
        "mechanisms",
        f"{_HERE}.orbit:CASE",
    ),
    CaseEntry(
        "three-formulations",
        "One mechanism as a chain of joints, as bodies and as particles",
        "mechanisms",
        f"{_HERE}.formulations:CASE",
    ),
    CaseEntry("d10-engine", "Four-cylinder engine, free running", "mechanisms", f"{_HERE}.engine:CASE"),
    CaseEntry("d11-rhombus", "Rhombus of four bars that folds flat", "mechanisms", f"{_HERE}.linkages:RHOMBUS"),
    CaseEntry("d12-squeezer", "Andrews' squeezing mechanism", "mechanisms", f"{_HERE}.linkages:SQUEEZER"),
    CaseEntry("d13-slider-crank", "Spatial slider-crank", "mechanisms", f"{_HERE}.spatial_mechanisms:SLIDER_CRANK"),
    CaseEntry(
        "d14-bricard",
        "Bricard loop: a mechanism that should not move",
        "mechanisms",
        f"{_HERE}.spatial_mechanisms:BRICARD",
    ),
    CaseEntry("d15-governor", "Stiff flyball governor", "mechanisms", f"{_HERE}.spatial_mechanisms:GOVERNOR"),
    CaseEntry(
        "closed-chain",
        "Closed chain of six links: thirty equations of rank 29",
        "mechanisms",
        f"{_HERE}.closed_chain:CASE",
    ),
    CaseEntry(
        "d16-spaghetti", "Flying spaghetti, rod without rotary inertia", "flexible motion", f"{_HERE}.spaghetti:BARE"
    ),
    CaseEntry(
        "d16-in-space",
        "Flying spaghetti in an oblique plane",
        "flexible motion",
        f"{_HERE}.spatial_rod_motion:SPAGHETTI",
        slow=True,
    ),
    CaseEntry(
        "right-angle-cantilever",
        "Right-angle cantilever in free vibration",
        "flexible motion",
        f"{_HERE}.spatial_rod_motion:RIGHT_ANGLE",
    ),
    CaseEntry(
        "rod-flight",
        "Free rod in space, pushed and turned at one end",
        "flexible motion",
        f"{_HERE}.spatial_rod_flight:CASE",
    ),
    CaseEntry(
        "rod-flight-drift",
        "Free rod in space: energy and momenta",
        "flexible motion",
        f"{_HERE}.spatial_rod_flight:DRIFT",
        slow=True,
    ),
    CaseEntry(
        "d17-in-space",
        "Very flexible falling pendulum in a tilted plane",
        "flexible motion",
        f"{_HERE}.spatial_rod_planes:PENDULUM",
    ),
    CaseEntry(
        "d18-in-space",
        "Spin-up of beams in a tilted plane",
        "flexible motion",
        f"{_HERE}.spatial_rod_planes:SPIN_UP",
    ),
    CaseEntry(
        "d20-whirl",
        "Rotating tether with tip mass: motion after a push",
        "flexible motion",
        f"{_HERE}.spatial_tether:WHIRL",
        slow=True,
    ),
    CaseEntry("d16-discs", "Flying spaghetti, rotary inertia in discs", "flexible motion", f"{_HERE}.spaghetti:DISCS"),
    CaseEntry(
        "folded-plate-flight",
        "Free flight of a folded plate",
        "flexible motion",
        f"{_HERE}.slope_discontinuities:FLIGHT",
        slow=True,
    ),
    CaseEntry("d17-pendulum", "Very flexible falling pendulum", "flexible motion", f"{_HERE}.flexible_pendulum:CASE"),
    CaseEntry(
        "shear-shell-flight",
        "Absolute-nodal shells: a panel in free flight",
        "flexible motion",
        f"{_HERE}.shear_shell_far:FREE",
        slow=True,
    ),
    CaseEntry("d18-spinup", "Spin-up of a flexible cantilever", "flexible motion", f"{_HERE}.spinup:CASE"),
    CaseEntry(
        "inertia-formulations",
        "Three formulations of the inertia of a flexible body",
        "flexible motion",
        f"{_HERE}.inertia_formulations:CASE",
    ),
    CaseEntry(
        "d18-floating",
        "Spin-up of a cantilever in a floating frame",
        "flexible motion",
        f"{_HERE}.spinning_beams:SPIN_UP",
    ),
    CaseEntry(
        "e03-rotating-blade",
        "Rotating cantilever in a floating frame",
        "flexible motion",
        f"{_HERE}.spinning_beams:BLADE",
    ),
    CaseEntry(
        "e04-rotating-string",
        "Rotating string and tether with a tip mass in a floating frame",
        "flexible motion",
        f"{_HERE}.spinning_beams:STRING",
    ),
    CaseEntry(
        "stiff-links",
        "D01 to D03 and D05 with stiff flexible links",
        "flexible motion",
        f"{_HERE}.stiff_links:CASE",
        slow=True,
    ),
    CaseEntry(
        "floating-slewing",
        "Slewing of a beam in floating frames",
        "flexible motion",
        f"{_HERE}.slewing:SLEWING",
        slow=True,
    ),
    CaseEntry(
        "plate-slewing",
        "Slewing of a plate: absolute-nodal shells and a floating frame",
        "flexible motion",
        f"{_HERE}.slewing_plate:PLATE",
        slow=True,
    ),
    CaseEntry(
        "stiffened-free-flight",
        "Free flight with geometric stiffening",
        "flexible motion",
        f"{_HERE}.slewing:FLIGHT",
        slow=True,
    ),
    CaseEntry(
        "floating-unreduced",
        "The full, unreduced floating frame",
        "flexible motion",
        f"{_HERE}.unreduced:CASE",
        slow=True,
    ),
    CaseEntry(
        "moving-frame-spinup",
        "Spin-up of a beam by linear equations in its frame",
        "flexible motion",
        f"{_HERE}.moving_frame:SPINUP",
    ),
    CaseEntry("d21-whirl", "Whirling chain", "flexible motion", f"{_HERE}.whirl:CASE"),
    CaseEntry(
        "floating-rigid-limit", "Bodies in floating frames become rigid", "flexible motion", f"{_HERE}.floating:RIGID"
    ),
    CaseEntry(
        "floating-free-flight", "Free flight of a soft body", "flexible motion", f"{_HERE}.floating:FLIGHT", slow=True
    ),
    CaseEntry(
        "floating-falling-pendulum",
        "Falling pendulum in a floating frame",
        "flexible motion",
        f"{_HERE}.floating:FALL_CASE",
        slow=True,
    ),
    CaseEntry(
        "flexible-slider-crank", "Flexible slider-crank", "flexible motion", f"{_HERE}.slider_crank:CASE", slow=True
    ),
    CaseEntry(
        "conveyor",
        "Conveyor with a hanging belt in two forms",
        "flexible motion",
        f"{_HERE}.conveyor:CASE",
        slow=True,
    ),
    CaseEntry(
        "conveyor-wide",
        "Conveyor with a belt as a surface in three forms",
        "flexible motion",
        f"{_HERE}.conveyor_wide:CASE",
        slow=True,
    ),
    CaseEntry(
        "corner-flight",
        "Free flight of a plate in frames that follow its corners",
        "flexible motion",
        f"{_HERE}.corner_plates:FLIGHT",
        slow=True,
    ),
    CaseEntry("ellipsograph", "Ellipsograph with a soft beam", "flexible motion", f"{_HERE}.ellipsograph:CASE"),
    CaseEntry("d09-bead", "Bead sliding on a taut cable without mass", "mechanisms", f"{_HERE}.sliding:ROPE"),
    CaseEntry("d19-moving-string", "String running through two eyelets", "mechanisms", f"{_HERE}.moving_string:CASE"),
    CaseEntry("bead-on-arc", "Bead sliding on a stiff arc", "flexible motion", f"{_HERE}.sliding:ARC"),
    CaseEntry(
        "folding-loop",
        "Loop of four bars through its folded positions, explicitly",
        "mechanisms",
        f"{_HERE}.folding_loop:CASE",
        slow=True,
    ),
    CaseEntry(
        "engine-projections",
        "Engine with redundant equations: two projections",
        "mechanisms",
        f"{_HERE}.engine_projections:CASE",
    ),
    CaseEntry(
        "explicit-orders",
        "Order of the explicit Runge-Kutta methods",
        "mechanisms",
        f"{_HERE}.explicit_orders:CASE",
        slow=True,
    ),
    CaseEntry(
        "energy-momentum", "Energy and momentum to round-off", "flexible motion", f"{_HERE}.energy_momentum:CASE"
    ),
    CaseEntry(
        "energy-momentum-order",
        "Order of the energy-momentum scheme",
        "flexible motion",
        f"{_HERE}.energy_momentum:ORDER",
    ),
    CaseEntry(
        "energy-momentum-long",
        "Energy of a flexible pendulum over a hundred thousand steps",
        "flexible motion",
        f"{_HERE}.energy_momentum:LONG",
        slow=True,
    ),
    CaseEntry("integrators", "Order of the time integration", "mechanisms", f"{_HERE}.integrators:CASE"),
    CaseEntry(
        "multistep", "Backward differentiation of order 1 to 5", "mechanisms", f"{_HERE}.multistep:CASE", slow=True
    ),
    CaseEntry("schemes-agree", "All schemes of time integration agree", "mechanisms", f"{_HERE}.schemes_agree:CASE"),
    CaseEntry(
        "schemes-agree-all",
        "All schemes of time integration agree, all motions",
        "mechanisms",
        f"{_HERE}.schemes_agree:ALL_MOTIONS",
        slow=True,
    ),
    CaseEntry("radau", "Radau IIA of order 5", "mechanisms", f"{_HERE}.radau:CASE", slow=True),
    CaseEntry(
        "augmented-lagrangian",
        "Augmented Lagrangian with projections",
        "mechanisms",
        f"{_HERE}.augmented_lagrangian:CASE",
        slow=True,
    ),
    CaseEntry(
        "craig-bampton-solid", "Craig-Bampton reduction of a solid part", "reduction", f"{_HERE}.craig_bampton:SOLID"
    ),
    CaseEntry(
        "half-the-cut-off",
        "Frequencies up to half the cut-off of a reduction",
        "reduction",
        f"{_HERE}.craig_bampton:CUT_OFF",
    ),
    CaseEntry("reduced-inertia", "Inertia invariants of a reduced box", "reduction", f"{_HERE}.craig_bampton:INERTIA"),
    CaseEntry(
        "all-modes", "A reduction with all modes is the full model", "reduction", f"{_HERE}.craig_bampton:ALL_MODES"
    ),
    CaseEntry(
        "craig-bampton-beam",
        "Craig-Bampton reduction of a uniform beam",
        "reduction",
        f"{_HERE}.craig_bampton_beam:CASE",
    ),
    CaseEntry(
        "reduction-methods",
        "All reduction methods on one free bar",
        "reduction",
        f"{_HERE}.reduction_methods:CASE",
        slow=True,
    ),
    CaseEntry(
        "free-interface", "Two free beams joined through reduced models", "reduction", f"{_HERE}.free_interface:CASE"
    ),
    CaseEntry("sampled-control", "Sampled feedback on a mass", "control", f"{_HERE}.sampled_control:CASE"),
    CaseEntry(
        "operators-from-calculix",
        "Stiffness and mass of CalculiX, read and solved",
        "linear parts",
        f"{_HERE}.calculix_operators:CASE",
    ),
    CaseEntry(
        "tet10-calculix",
        "Quadratic tetrahedra against CalculiX, entry by entry",
        "linear parts",
        f"{_HERE}.tetra_calculix:CASE",
    ),
    CaseEntry(
        "solids-bending",
        "Solids in bending: convergence to the exact solution",
        "linear parts",
        f"{_HERE}.solids:BENDING",
    ),
    CaseEntry(
        "solids-slender",
        "Slender beam of six solids, regular and distorted",
        "linear parts",
        f"{_HERE}.solids:SLENDER_CASE",
    ),
    CaseEntry(
        "galvanizing-strip",
        "Strip of a galvanizing line: prestress and reduction",
        "reduction",
        f"{_HERE}.galvanizing:STRIP",
    ),
    CaseEntry(
        "galvanizing-line", "Active control of a galvanizing line", "control", f"{_HERE}.galvanizing:LINE", slow=True
    ),
    CaseEntry(
        "substructures",
        "Substructures that share the frames of their ends",
        "flexible motion",
        f"{_HERE}.substructures:CASE",
    ),
    CaseEntry(
        "tether-boom", "Boom of a spinning tether: frequencies and whirl", "flexible motion", f"{_HERE}.tether:BOOM"
    ),
    CaseEntry("tether", "Short electrodynamic tether, 1500 s", "flexible motion", f"{_HERE}.tether:TETHER", slow=True),
    CaseEntry("s10-cook-solids", "Cook's membrane by solids", "linear parts", f"{_HERE}.solids:COOK"),
    CaseEntry("tree-pendulums", "Pendulums in joint coordinates", "trees", f"{_HERE}.trees_again:PENDULUMS"),
    CaseEntry("tree-loops", "Closed linkages as trees with cut joints", "trees", f"{_HERE}.trees_again:LOOPS"),
    CaseEntry("tree-closures", "Loops closed by joints and by points", "trees", f"{_HERE}.mixed_coordinates:CLOSURES"),
    CaseEntry(
        "mixed-slider-crank",
        "Spatial slider-crank in mixed coordinates",
        "trees",
        f"{_HERE}.mixed_coordinates:SLIDER_CRANK",
    ),
    CaseEntry(
        "mixed-slider-crank-20s",
        "Spatial slider-crank in mixed coordinates, 20 s",
        "trees",
        f"{_HERE}.mixed_coordinates:LONG_SLIDER_CRANK",
        slow=True,
    ),
    CaseEntry("mixed-ring", "Closed loop of twenty bars", "trees", f"{_HERE}.mixed_coordinates:RING"),
    CaseEntry("tree-rusr", "RUSR loop", "trees", f"{_HERE}.tree_robots:RUSR"),
    CaseEntry("tree-flexible-arms", "Arms of flexible links", "trees", f"{_HERE}.flexible_arms:CASE"),
    CaseEntry("tree-arm", "Inverse dynamics of an arm of six joints", "trees", f"{_HERE}.tree_robots:ARM"),
    CaseEntry("tree-stewart", "Stewart platform", "trees", f"{_HERE}.tree_robots:STEWART"),
    CaseEntry(
        "driven-mechanisms",
        "Driven mechanisms: positions, torques, lock-ups",
        "mechanisms",
        f"{_HERE}.driven_mechanisms:CASE",
    ),
    CaseEntry(
        "singular-positions",
        "Through lock-ups, dead centres and change points",
        "mechanisms",
        f"{_HERE}.singular_positions:CASE",
    ),
    CaseEntry(
        "bernier-loop",
        "A loop from a table: hinge, universal joint, ball, hinge",
        "mechanisms",
        f"{_HERE}.bernier_loop:CASE",
    ),
    CaseEntry(
        "inverse-kinematics",
        "Inverse kinematics: arms, limits, a platform on six legs",
        "mechanisms",
        f"{_HERE}.inverse_kinematics:CASE",
    ),
    CaseEntry(
        "constraint-forces",
        "Constraint forces by the topology of joints",
        "mechanisms",
        f"{_HERE}.constraint_forces:CASE",
    ),
)


def select(names: tuple[str, ...] = (), *, slow: bool = False, entries: tuple[CaseEntry, ...] = ALL) -> list[CaseEntry]:
    """The cases meant by ids and areas, upper and lower case alike, in the order of the list.

    No names mean all of them. Slow cases are left out unless ``slow`` is set or they are called by their id.

    Raises
    ------
    ModelError
        For a name that is neither an id nor an area; the message gives the nearest ones.

    Examples
    --------
    >>> entry = CaseEntry("s01", "Tip load", "statics", "somewhere:CASE", slow=True)
    >>> [len(select(names, entries=(entry,))) for names in ((), ("S01",), ("statics",))]
    [0, 1, 0]
    """
    wanted = {name.lower() for name in names}
    ids = {entry.id for entry in entries}
    areas = {entry.area.lower() for entry in entries}
    for name in names:
        if name.lower() not in ids | areas:
            raise ModelError(unknown_name("verification case or area", name.lower(), ids | areas))
    return [
        entry
        for entry in entries
        if entry.id in wanted or ((not names or entry.area.lower() in wanted) and (slow or not entry.slow))
    ]
