// Which parts a simulation is made of: by name, or the best for a device.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/element/element_row.h"
#include "sim/element/space.h"
#include "sim/simulation.h"
#include "sim/solver/solver.h"

// which parts, on which devices
typedef struct Choice {
  Device assembly_device, solver_device;
  const ElementRow *element;    // of the body: energy, J, fields
  const ElementRow *assembled;  // the same material in the shape that is assembled; the CPU's row
  const AssemblyMethod *assembly;
  const OperatorMethod *matrix;
  const SolverMethod *solver;
  const SolverMethod *alone;  // the one that leads, with self_contact: for systems in which nothing touches; or NULL
  bool by_default;            // the assembly, not by name
  bool auxetic;               // bodies differ in Poisson's ratio, and one is below 0
  bool solver_by_default;     // solver and matrix
  bool for_cuts;              // all three, since the body is cut
} Choice;

/// Whether cells differ in lambda over mu, and that of one is below 0 with these settings.
bool stages_auxetic(const Space *space, const SimulationSettings *settings);

/// The shape of a space's cells, with what they have of their own: "tet4", "tet4_mixed".
const char *stages_shape(const Space *space);

/// Finds the parts that settings name for this mesh, and fills in the names of those that they do not. Fails with what
/// there is.
bool stages_choose(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);

/// The solver that is taken, by itself, where the one that leads does not suit, its matrix, and where no assembly is
/// named the one that goes with it.
bool stages_choose_preferred_solver(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);
