// Estimates of a simulation's memory, before anything is allocated.
#pragma once
#include "mesh/cell_shape.h"
#include "sim/element/stage.h"
#include "sim/simulation.h"

typedef struct MemoryEstimate {
  double host, cuda;  // bytes
} MemoryEstimate;

// Stages and data that the estimate includes.
typedef struct MemoryStages {
  const Stage *body, *assembly, *matrix, *solver;
  const Stage *alone;  // second solver, for systems without contact pairs; NULL: none
  bool sticks;         // friction_sticks is on
  int searched;        // doubles of S(e) in the search for torn tets; 0: no search
} MemoryStages;

/// Returns the memory for a mesh of this size: the sum of the stages' estimates, and of the copies between devices.
MemoryEstimate memory_estimate(const StageSize *size, const MemoryStages *stages);

/// Returns StageSize.surface, the number of triangles in self-contact: `triangles` of the body and those of obstacles,
/// which depend on the mean edge length `edge`, m. It is 0 without self-contact.
double memory_surface(const SimulationSettings *settings, int triangles, double edge);

/// Returns the estimate that was computed when the simulation was created.
MemoryEstimate memory_of_simulation(const Simulation *simulation);

/// Fails if a mesh with these counts cannot be simulated with the matrix of this name ("": the preferred one): indices
/// of unknowns or matrix entries would overflow, or free host memory is too small. Callers use it before they build the
/// mesh.
bool memory_check_counts(double nodes, double tets, CellShape shape, const char *matrix, Error *error);

/// Returns a lower bound of the number of nodes after a linear mesh is raised to a degree.
double memory_raised_nodes(double nodes, double tets, int degree);

/// Fails if an estimate exceeds 95 % of device_memory_free; the message has both figures.
bool memory_check(const MemoryEstimate *estimate, Error *error);
