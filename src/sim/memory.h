// Estimates of a simulation's memory, made before anything is allocated.
#pragma once
#include "mesh/cell_shape.h"
#include "sim/element/stage.h"
#include "sim/simulation.h"

// Estimated memory of a simulation.
typedef struct MemoryEstimate {
  double host, cuda;  // bytes of host memory, and bytes of GPU memory
} MemoryEstimate;

// The stages that were chosen for a simulation, and its options that need memory. A stage is an interchangeable method,
// such as an assembly or a solver (element/stage.h).
typedef struct MemoryStages {
  // methods for the loops over nodes (body), for the assembly, for the matrix and for linear systems (solver)
  const Stage *body, *assembly, *matrix, *solver;
  // with self-contact: a second solver, which is used while no surfaces are near each other; NULL: none
  const Stage *alone;
  bool sticks;  // true: static friction by springs (settings.friction_sticks), which needs memory for anchors
  // number of doubles that the search for torn tets stores on a GPU for each tet (ElementRow.supplemental); 0: no tears
  int searched;
} MemoryStages;

/// Returns the memory of a simulation of this size: the sum of the stages' estimates, and buffers for copies between
/// devices.
MemoryEstimate memory_estimate(const StageSize *size, const MemoryStages *stages);

/// Returns the number of triangles in self-contact, including the triangles of obstacles; 0 without self-contact.
/// `triangles` is the number of triangles on the body's surface. Obstacles are meshed as finely as the body; `edge`, m,
/// is the body's mean edge length.
double memory_surface(const SimulationSettings *settings, int triangles, double edge);

/// Returns the memory that was estimated when the simulation was created.
MemoryEstimate memory_of_simulation(const Simulation *simulation);

/// Fails if a mesh with these numbers of nodes and cells cannot be simulated: indices of unknowns or matrix entries
/// would overflow, or free memory of the host is too small. `matrix` is the name of the matrix format; "": the user has
/// named none. The check needs no mesh, so it can be made before a large mesh is created.
bool memory_check_counts(double nodes, double tets, CellShape shape, const char *matrix, Error *error);

/// Returns a lower bound of the number of nodes after a mesh of linear tets is converted to tets of `degree` 2 or 3.
double memory_raised_nodes(double nodes, double tets, int degree);

/// Fails if an estimate exceeds 95 % of the free memory of the host or of the GPU; the message has both figures.
bool memory_check(const MemoryEstimate *estimate, Error *error);
