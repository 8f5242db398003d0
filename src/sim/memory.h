// What a simulation will take, before anything is allocated.
#pragma once
#include "sim/simulation.h"

typedef struct MemoryEstimate {
  double host, cuda;  // bytes
} MemoryEstimate;

/// For a mesh of this size with `pairs` pairs of neighbouring nodes, each counted once (edges), and stages by name.
/// Counted from the arrays that stages make; lists whose length depends on the mesh's shape by their average, so right to
/// a fifth or so.
MemoryEstimate memory_estimate(int64_t nodes, int64_t tets, int64_t pairs, const SimulationSettings *settings,
                               Device assembly_device, Device solver_device);

/// Fails where a mesh of so many nodes and tets cannot be simulated here by any stages: more matrix entries than can be
/// counted, or more host memory than is free. For a look before it is built.
bool memory_check_counts(double nodes, double tets, Error *error);

/// Fails, with figures, where that does not fit into what device_memory_free says.
bool memory_check(const MemoryEstimate *estimate, Error *error);
