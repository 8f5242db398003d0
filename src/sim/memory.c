// Memory estimates: see memory.h. Whoever changes what a stage allocates changes its line here; test_memory.c holds them
// against what was taken.
#include "sim/memory.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "sim/sparse/matrix.h"

static bool is(const char *name, const char *what) {
  return strcmp(name, what) == 0;
}

MemoryEstimate memory_estimate(int64_t nodes, int64_t tets, int64_t pairs, const SimulationSettings *s,
                               Device assembly_device, Device solver_device) {
  const double V = (double)nodes, T = (double)tets, E = (double)pairs, r = (double)precision_size(s->precision);
  const double blocks = V + 2 * E, nnz = 9 * blocks, S = s->supplemental == SUPPLEMENTAL_QR ? 6 : 9;
  double on[2] = { 0, 0 };

  // the mesh as the session and as the simulation have it, adjacency, and the pattern with its map to slots
  on[DEVICE_CPU] += 2 * (32 * V + 16 * T) + 4 * blocks + 8 * nnz + 124 * V;
  // body: vectors of three a node, and S(e) with the corners for energy and J
  const double vectors = s->supplemental == SUPPLEMENTAL_QR ? 16 : 15;
  on[s->device] += r * 3 * V * vectors + 7 * r * V + 7 * V + T * (S * r + 16);
  // matrix: values and columns; padding is little
  const bool by_node = strstr(s->matrix, "hyb") != NULL, by_entry = strstr(s->matrix, "coo") != NULL;
  on[solver_device] += nnz * r * (by_node ? 1.03 : 1) + (by_node ? 4 * blocks : by_entry ? 8 * nnz : 4 * nnz) + 24 * V;
  if (by_node || by_entry || solver_device == DEVICE_CUDA)
    on[DEVICE_CPU] += by_node ? 4 * blocks : 8 * nnz;  // the host's, while made
  // solver
  on[solver_device] += r * 3 * V * 5;
  // assembly
  if (is(s->assembly, "cpu")) on[DEVICE_CPU] += T * (1.2 * 4 + 16 + S * r + 32);
  if (is(s->assembly, "cpu_opt")) on[DEVICE_CPU] += T * (16 + S * r + 12 * r + 78 * r + 4 * 10) + 72 * E + 36 * V;
  if (is(s->assembly, "globalnz")) {
    on[DEVICE_CUDA] += T * (16 + S * r + 12 * r + 96 * r + 4 * 14) + 72 * E + 36 * V;
    on[DEVICE_CPU] += T * 32 + T * 80 + 144 * E;  // lists while they are made
  }
  if (is(s->assembly, "sharednz")) {
    // how often parts evaluate a tet: in double they are smaller
    const double often = s->precision == PRECISION_F64 ? 3 : 2;
    on[DEVICE_CUDA] += often * T * (S * r + 16 + 84) + 72 * E + 40 * V;
    on[DEVICE_CPU] += T * 32 + 2 * T * 160 + 144 * E;
  }
  // copies between stages on different devices
  if (assembly_device != s->device) on[DEVICE_CPU] += 9 * r * V, on[DEVICE_CUDA] += 9 * r * V;
  if (assembly_device != solver_device) on[assembly_device] += nnz * r;
  if (solver_device != s->device) on[DEVICE_CPU] += 15 * r * V, on[DEVICE_CUDA] += 15 * r * V;
  const MemoryEstimate estimate = { on[DEVICE_CPU], on[DEVICE_CUDA] };
  return estimate;
}

bool memory_check_counts(double nodes, double tets, Error *error) {
  // edges of a mesh of tets, by Euler's formula: at least
  const double pairs = nodes + tets, entries = 9 * (nodes + 2 * pairs);
  if (entries > INT32_MAX)
    return error_set(error,
                     "%.0f nodes and %.0f tets are too many: their matrix has about %.0f entries, at most %d fit",
                     nodes, tets, entries, INT32_MAX);
  // what the host has for stages that are all on a GPU, it has for others too
  SimulationSettings least = simulation_defaults();
  least.device = DEVICE_CUDA;
  const MemoryEstimate need =
      memory_estimate((int64_t)nodes, (int64_t)tets, (int64_t)pairs, &least, DEVICE_CUDA, DEVICE_CUDA);
  char what[100];
  snprintf(what, sizeof what, "a body of %.0f nodes and %.0f tets", nodes, tets);
  return memory_holds(need.host, what, error);
}

bool memory_check(const MemoryEstimate *e, Error *error) {
  const double wanted[2] = { [DEVICE_CPU] = e->host, [DEVICE_CUDA] = e->cuda };
  for (int device = DEVICE_CPU; device <= DEVICE_CUDA; device++) {
    const double available = wanted[device] > 0 ? (double)device_memory_free((Device)device) : 0;
    if (available > 0 && wanted[device] > 0.95 * available)
      return error_set(
          error,
          "not enough memory on %s: these stages need about %.1f MiB for this mesh, %.1f are free; take "
          "precision float, another assembly or matrix (`pliant info` lists their needs), or a coarser mesh",
          device == DEVICE_CPU ? "the host" : "the GPU", wanted[device] / 1048576, available / 1048576);
  }
  return true;
}
