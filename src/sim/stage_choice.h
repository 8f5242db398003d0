// Chooses the stages of a simulation, its interchangeable methods: element, assembly, matrix and solver. The settings
// may name some of these stages; the program chooses the stages that they do not name.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/element/element_row.h"
#include "sim/element/space.h"
#include "sim/simulation.h"
#include "sim/solver/solver.h"

// The chosen stages and their devices.
typedef struct Choice {
  Device assembly_device, solver_device;  // device of the assembly, and device of matrix and solver
  const ElementRow *element;              // element with which the body computes energy, det F and fields
  // element of the assembly: the row for the CPU in the table of elements. It has the material of `element`, but may
  // store the rest shapes of cells differently than `element` ("tet4_qr")
  const ElementRow *assembled;
  const AssemblyMethod *assembly;  // method that computes the force vector and the matrix
  const OperatorMethod *matrix;    // format of the matrix, or an operator without matrix
  const SolverMethod *solver;      // method that solves linear systems
  // With self_contact: a second solver, which solves while no surfaces are near each other. It is faster than `solver`,
  // but does not support contact. NULL: none
  const SolverMethod *alone;
  bool by_default;         // true: the user named no assembly, so the program chooses it
  bool auxetic;            // true: bodies differ in Poisson's ratio, and one ratio is negative
  bool solver_by_default;  // true: the user named neither solver nor matrix, so the program chooses them
  bool for_cuts;           // true: assembly, matrix and solver were chosen because they support simulation_split
} Choice;

/// Returns true if cells have different ratios lambda / mu of Lame's constants and one of these ratios is negative. A
/// cell without a ratio has the ratio of the settings.
bool stages_auxetic(const Space *space, const SimulationSettings *settings);

/// Returns the name of the cell shape, which for linear tets depends on the material: "tet4", "tet4_graded" (each tet
/// has a factor on the moduli) or "tet4_mixed" (each tet also has a Poisson's ratio).
const char *stages_shape(const Space *space);

/// Finds the stages (methods such as assembly and solver) that the settings name for this mesh. Chooses the stages that
/// the settings do not name, and writes their names to `settings`. Fails if a named stage does not exist, with a list
/// of the existing ones, or if two stages do not work together.
bool stages_choose(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);

/// Replaces a special solver, which supports only some bodies and not this one, by the general solver (Stage.preferred
/// is true). Also takes the matrix format of the general solver. If the user named no assembly, chooses an assembly
/// that works with this format.
bool stages_choose_preferred_solver(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);
