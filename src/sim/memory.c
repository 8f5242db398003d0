// Estimates the memory of a simulation before anything is allocated (memory.h). Each stage (assembly, matrix, solver,
// body) estimates its memory by Stage.bytes. test_memory.c compares the sum with the allocated bytes.
#include "sim/memory.h"

#include <stdio.h>

#include "base/memory.h"
#include "sim/contact/contact_bytes.h"
#include "sim/contact/rigid_surface.h"
#include "sim/operator/operator.h"
#include "sim/settings.h"

// Returns the bytes of the mesh and of the graph of neighbouring nodes on the host. The mesh is stored twice: by the
// program and by the simulation.
static double host_bytes(const StageSize *size) {
  const double V = size->nodes, T = size->cells;
  return 2 * (32 * V + 4 * size->cell_nodes * T) + 4 * stage_blocks(size) + 132 * V;
}

// Adds the bytes of the search for torn tets (simulation_tear.c): displacements of the nodes in double, and for each
// tet a byte that is 1 if its stress exceeds the bound. A GPU also stores constants for all tets at rest, S bytes. If a
// cut can change matrices of the chosen format (OperatorMethod.split), the GPU has memory for two copies of these
// constants.
static void search_bytes(const StageSize *size, const MemoryStages *stages, double on[2]) {
  const Device device = stages->body->device;
  const double S = 8 * stages->searched * size->cells;
  on[device] += 24 * size->nodes + size->cells;
  if (device != DEVICE_CUDA) return;
  // The host computes the constants of the tets, copies them to the GPU and frees them.
  on[DEVICE_CPU] += S;
  on[DEVICE_CUDA] += S;
  if (((const OperatorMethod *)stages->matrix)->split) on[DEVICE_CUDA] += S + 4 * size->cells;
}

MemoryEstimate memory_estimate(const StageSize *size, const MemoryStages *stages) {
  const Stage *const all[] = { stages->body, stages->assembly, stages->matrix, stages->solver, stages->alone };
  const Device body = stages->body->device, assembly = stages->assembly->device, solver = stages->solver->device;
  const double real = (double)precision_size(stages->body->precision), V = size->nodes;
  double on[2] = { host_bytes(size), 0 };

  if (size->surface > 0) contact_bytes(size, stages->sticks, body, on);
  for (int k = 0; k < 5 && all[k]; k++) {
    const StageBytes bytes = all[k]->bytes(all[k], size);
    for (int d = 0; d < 2; d++) on[d] += bytes.on[d];
  }
  if (stages->searched > 0) search_bytes(size, stages, on);

  // Add the buffers for copies between stages (assembly, solver, body) on different devices.
  if (assembly != body) {
    on[DEVICE_CPU] += 9 * real * V;
    on[DEVICE_CUDA] += 9 * real * V;
  }
  if (assembly != solver) on[assembly] += stage_entries(size) * real;
  if (solver != body) {
    on[DEVICE_CPU] += 15 * real * V;
    on[DEVICE_CUDA] += 15 * real * V;
  }

  const MemoryEstimate estimate = { on[DEVICE_CPU], on[DEVICE_CUDA] };
  return estimate;
}

double memory_surface(const SimulationSettings *s, int triangles, double edge) {
  const RigidObstacles obstacles = settings_rigid(s);
  return s->self_contact ? triangles + (double)rigid_surface_triangles(&obstacles, edge) : 0;
}

// Returns a lower bound of the number of edges of a mesh of linear tets (Euler's formula).
static double edges_of(double nodes, double tets) {
  return nodes + tets;
}

double memory_raised_nodes(double nodes, double tets, int degree) {
  return nodes + (degree - 1) * edges_of(nodes, tets) + (degree == 3 ? 2 * tets : 0);
}

// Returns a lower bound of the number of pairs of nodes with a common cell. A large grid of hexes has 13 pairs for each
// cell. For tets of degree 2 and 3, the number of pairs is (B - nodes) / 2, with the number B of blocks of the matrix.
// Paper 004, Eq. 6 gives B = V + 7 E + 30 T for degree 2 and B = V + 14 E + 202 T for degree 3. V, E and T are the
// numbers of corners, edges and tets.
static double pairs_of(double nodes, double tets, CellShape shape) {
  if (shape == CELL_TET4) return edges_of(nodes, tets);
  if (shape == CELL_HEX8) return 13 * tets;
  if (shape == CELL_TET20) {
    const double corners = (nodes - 4 * tets) / 3;
    return (corners + 14 * edges_of(corners, tets) + 202 * tets - nodes) / 2;
  }
  const double corners = (nodes - tets) / 2, edges = nodes - corners;
  return (corners + 7 * edges + 30 * tets - nodes) / 2;
}

bool memory_check_counts(double nodes, double tets, CellShape shape, const char *matrix, Error *error) {
  const char *cells = shape == CELL_HEX8 ? "hexes" : "tets";
  const double pairs = pairs_of(nodes, tets, shape), entries = 9 * (nodes + 2 * pairs);
  const Stage *stage = stage_find(STAGE_OPERATOR, matrix, DEVICE_CPU, PRECISION_F32, NULL);

  if ((!stage || simulation_stores(stage)) && entries > INT32_MAX)
    return error_set(error,
                     "%.0f nodes and %.0f %s are too many: the matrix would have about %.0f entries, the limit is %d; "
                     "choose a matrix format that stores no entries (--matrix; `pliant info --all` lists all formats)",
                     nodes, tets, cells, entries, INT32_MAX);
  if (3 * nodes > INT32_MAX)
    return error_set(error, "%.0f nodes are too many: they have %.0f unknowns, the limit is %d; use a coarser mesh",
                     nodes, 3 * nodes, INT32_MAX);

  // The host stores the mesh even if all stages are on the GPU.
  const StageSize size = {
    .nodes = nodes, .cells = tets, .node_dof = 3, .cell_nodes = cell_shape_info(shape)->nodes, .pairs = pairs
  };
  char what[100];
  snprintf(what, sizeof what, "a body of %.0f nodes and %.0f %s", nodes, tets, cells);
  return memory_holds(host_bytes(&size), what, error);
}

bool memory_check(const MemoryEstimate *e, Error *error) {
  const double needed[2] = { [DEVICE_CPU] = e->host, [DEVICE_CUDA] = e->cuda };
  for (int device = DEVICE_CPU; device <= DEVICE_CUDA; device++) {
    const double available = needed[device] > 0 ? (double)device_memory_free((Device)device) : 0;
    if (available > 0 && needed[device] > 0.95 * available)
      return error_set(error,
                       "not enough memory on %s: this mesh needs about %.1f MiB with the chosen methods, but only %.1f "
                       "MiB are free; use a coarser mesh, precision float, or another assembly or matrix (`pliant info "
                       "--all` lists their memory)%s",
                       device == DEVICE_CPU ? "the host" : "the GPU", needed[device] / 1048576, available / 1048576,
                       device == DEVICE_CPU ? "" : "; memory_budget limits the memory of assembly globalnz");
  }
  return true;
}
