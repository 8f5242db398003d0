// Chooses the stages of a simulation, its interchangeable methods: element, assembly, matrix and solver. The settings
// may name some of them; the program chooses the others.
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
  // element of the assembly: the row for the CPU. It has the same material as `element`, but may store other constants
  // ("tet4_qr").
  const ElementRow *assembled;
  const AssemblyMethod *assembly;  // method that computes the force vector and the matrix
  const OperatorMethod *matrix;    // format of the matrix, or an operator without matrix
  const SolverMethod *solver;      // method that solves linear systems
  // with self_contact: a second solver, for linear systems in which no surfaces are near each other. It is faster than
  // `solver`, but does not support contact. NULL: there is none
  const SolverMethod *alone;
  bool by_default;         // true: the program chose the assembly, since the user named none
  bool auxetic;            // true: bodies differ in Poisson's ratio, and one ratio is negative
  bool solver_by_default;  // true: the program chose solver and matrix, since the user named neither
  bool for_cuts;           // true: assembly, matrix and solver were chosen because they support simulation_split
} Choice;

/// Returns true if cells have different ratios lambda / mu of Lame's constants, and one of the ratios is negative with
/// these settings.
bool stages_auxetic(const Space *space, const SimulationSettings *settings);

/// Returns the name of the cell shape with its variant for several materials. For linear tets this is "tet4",
/// "tet4_graded" (each tet has a factor on the moduli), or "tet4_mixed" (each tet also has a Poisson's ratio).
const char *stages_shape(const Space *space);

/// Finds the stages that the settings name for this mesh, and chooses the others. Writes the chosen names into
/// `settings`. Fails if a stage does not exist, with a list of those that do, or if two do not work together.
bool stages_choose(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);

/// Called after a special solver has refused the body. A special solver is faster than the general one, but supports
/// only some bodies (simulation_is_default). It was tried first, since the user named no solver. Replaces it by the
/// general solver, whose Stage.preferred is true, and takes the matrix format of that solver. If the user named no
/// assembly, also chooses an assembly that works with this matrix format.
bool stages_choose_preferred_solver(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);
