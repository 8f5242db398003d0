// Chooses the stages of a simulation (element, assembly, matrix, solver): those that the settings name, and defaults
// for the others.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/element/element_row.h"
#include "sim/element/space.h"
#include "sim/simulation.h"
#include "sim/solver/solver.h"

// The chosen stages and their devices.
typedef struct Choice {
  Device assembly_device, solver_device;
  const ElementRow *element;    // element with which the body computes energy, det F and fields
  const ElementRow *assembled;  // element of the assembly, with the same material but possibly other stored data
                                // ("tet4_qr"); its row for the CPU
  const AssemblyMethod *assembly;
  const OperatorMethod *matrix;
  const SolverMethod *solver;
  const SolverMethod *alone;  // with self_contact: a second, faster solver, used in systems without contact pairs;
                              // NULL: none
  bool by_default;            // true: the user named no assembly
  bool auxetic;               // bodies differ in Poisson's ratio, and one ratio is negative
  bool solver_by_default;     // true: the user named neither solver nor matrix
  bool for_cuts;              // assembly, matrix and solver were chosen because they support simulation_split
} Choice;

/// Returns true if cells have different ratios lambda / mu and one of them is negative with these settings.
bool stages_auxetic(const Space *space, const SimulationSettings *settings);

/// Returns the name of the cell shape with its variant for several materials: "tet4", "tet4_graded" (a factor on the
/// moduli per tet), "tet4_mixed" (also a Poisson's ratio per tet).
const char *stages_shape(const Space *space);

/// Finds the stages that the settings name for this mesh, and chooses the others. Writes the chosen names into
/// `settings`. Fails if a stage does not exist, with a list of those that do, or if two do not work together.
bool stages_choose(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);

/// Called when the fast solver that was tried first (simulation_is_default) does not support the body. Chooses the
/// preferred solver and its matrix instead, and a matching assembly if the user named none.
bool stages_choose_preferred_solver(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);
