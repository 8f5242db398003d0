// What a simulation will take, before anything is allocated.
#pragma once
#include "mesh/cell_shape.h"
#include "sim/element/stage.h"
#include "sim/simulation.h"

typedef struct MemoryEstimate {
  double host, cuda;  // bytes
} MemoryEstimate;

// The stages of a simulation whose needs count.
typedef struct MemoryStages {
  const Stage *body, *assembly, *matrix, *solver;
  const Stage *alone;  // the second solver, for systems in which nothing touches; NULL: there is none
  bool sticks;         // pairs that touch are held by springs
  int searched;        // numbers of S(e) by which torn tets are looked for; 0: nobody does
} MemoryStages;

/// For a mesh of this size: what the stages say they need, and what is between them.
MemoryEstimate memory_estimate(const StageSize *size, const MemoryStages *stages);

/// StageSize.surface of a body whose surface has so many triangles, with edges of `edge` m on average: those of
/// obstacles besides, where there is self-contact; else 0.
double memory_surface(const SimulationSettings *settings, int triangles, double edge);

/// What was said before a simulation was made.
MemoryEstimate memory_of_simulation(const Simulation *simulation);

/// Fails where a mesh of cells of a shape, with so many nodes and tets cannot be simulated here with the matrix of this
/// name (empty: the preferred one): more unknowns or matrix entries than can be counted, or more host memory than is
/// free. For a look before it is built.
bool memory_check_counts(double nodes, double tets, CellShape shape, const char *matrix, Error *error);

/// The nodes, at least, of a linear mesh of so many nodes and tets once it is raised to a degree.
double memory_raised_nodes(double nodes, double tets, int degree);

/// Fails, with figures, where that does not fit into what device_memory_free says.
bool memory_check(const MemoryEstimate *estimate, Error *error);
