// Choice of a simulation's stages: by name, or the default of a device.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/element/element_row.h"
#include "sim/element/space.h"
#include "sim/simulation.h"
#include "sim/solver/solver.h"

// The chosen stages and their devices.
typedef struct Choice {
  Device assembly_device, solver_device;
  const ElementRow *element;    // element of the body's functions: energy, det F, fields
  const ElementRow *assembled;  // element that is assembled, with the same material; the CPU's row
  const AssemblyMethod *assembly;
  const OperatorMethod *matrix;
  const SolverMethod *solver;
  const SolverMethod *alone;  // with self_contact: a faster default solver for systems without contact pairs; or NULL
  bool by_default;            // the user named no assembly
  bool auxetic;               // bodies differ in Poisson's ratio, and one is negative
  bool solver_by_default;     // the user named neither solver nor matrix
  bool for_cuts;              // assembly, matrix and solver were chosen for splits in place
} Choice;

/// Returns true if cells have different ratios lambda / mu and one of them is negative with these settings.
bool stages_auxetic(const Space *space, const SimulationSettings *settings);

/// Returns the name of the cell shape with its variant for several materials: "tet4", "tet4_graded" (a factor on the
/// moduli per tet), "tet4_mixed" (also a Poisson's ratio per tet).
const char *stages_shape(const Space *space);

/// Finds the stages that the settings name for this mesh, and chooses the others. Writes the chosen names into
/// `settings`. Fails if a stage does not exist, with a list of those that do, or if two do not work together.
bool stages_choose(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);

/// Replaces a priority solver that does not support the body: chooses the preferred solver and its matrix, and a
/// matching assembly if the user named none.
bool stages_choose_preferred_solver(const Space *space, SimulationSettings *settings, Choice *choice, Error *error);
