// Divides a simulation among the processes of an MPI run (SimulationSettings.division). Each process gets a mesh with
// all nodes of the body, and with the cells near its own nodes or with all cells. It keeps the nodes that METIS assigns
// to it, the cells at these nodes, and ghosts: the cells' other nodes. All other code works on this local body as on a
// whole one, except that sums over the body, and arrays for the user, are completed over all processes.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "mesh/distribute.h"
#include "mesh/extract.h"
#include "sim/simulation_parts.h"

// Work arrays for the division of a body among processes. N: number of nodes of the user's mesh.
typedef struct Division {
  const TetMesh *mesh;
  const Ranks *ranks;
  const MeshDivision *division;
  const int *owner;  // [N], the process that owns each node
  int *local;        // [N], local number of each node; -1: the node is not in this process
  int *node;         // [node_count], the user's number of each local node: owned nodes, then ghosts
  int *cell;  // [cell_count], the user's number of each local cell: first the cells that this process counts in sums
  // numbers of local nodes, of owned nodes, of local cells, and of the cells that this process counts in sums
  int node_count, owned_count, cell_count, own_cells;
} Division;

static void destroy_division(Division *d) {
  free(d->local);
  free(d->node);
  free(d->cell);
}

bool simulation_check_ranks(const SimulationSettings *s, Error *error) {
  if (!s->ranks) return true;
  if (s->self_contact)
    return error_set(error, "engine \"petsc\" does not support self_contact yet; use engine \"own\"");
  if (s->device != DEVICE_CPU) return error_set(error, "engine \"petsc\" computes on the CPU; use device \"cpu\"");
  if (s->precision != PRECISION_F64)
    return error_set(error, "engine \"petsc\" computes in double; use precision \"double\"");
  return !(s->cuts || s->tears) ||
         error_set(error, "engine \"petsc\" does not support cuts and tears yet; use engine \"own\"");
}

// Lists the cells with at least one node that this process owns (d->cell), and all nodes of these cells (d->node). Both
// lists keep the order of the user's mesh.
static bool list_local(Division *d, Error *error) {
  const TetMesh *mesh = d->mesh;
  const int width = mesh_cell_nodes(mesh);
  d->local = array_new(mesh->node_count, sizeof *d->local, "the nodes of a process", error);
  d->cell = array_new(mesh->tet_count, sizeof *d->cell, "the cells of a process", error);
  if (!d->local || !d->cell) return false;
  for (int e = 0; e < mesh->tet_count; e++) {
    bool is_local = false;
    for (int a = 0; a < width; a++) is_local = is_local || d->owner[mesh_cell_node(mesh, e, a)] == d->ranks->rank;
    if (!is_local) continue;
    d->cell[d->cell_count++] = e;
    for (int a = 0; a < width; a++) d->local[mesh_cell_node(mesh, e, a)] = 1;
  }
  for (int a = 0; a < mesh->node_count; a++) d->node_count += d->local[a];
  d->node = array_new(d->node_count, sizeof *d->node, "the nodes of a process", error);
  for (int a = 0, at = 0; d->node && a < mesh->node_count; a++) {
    if (d->local[a]) d->node[at] = a;
    d->local[a] = d->local[a] ? at++ : -1;
  }
  return d->node;
}

// Creates the mesh of this process: its nodes and cells in the order of the lists d->node and d->cell.
static bool extract(const Division *d, TetMesh *made, Error *error) {
  const MeshPart part = { d->node, d->cell, d->node_count, d->cell_count };
  return mesh_extract(d->mesh, &part, d->local, made, error);
}

// Sorts the local nodes: first the nodes that this process owns, then ghosts. Each of these two groups is sorted by the
// method `kind`, which the setting `order` names.
static bool sort_nodes(Division *d, MeshOrder kind, Error *error) {
  TetMesh unsorted;
  if (!extract(d, &unsorted, error)) return false;
  int *order = array_new(d->node_count, sizeof *order, "node order", error);
  int *node = array_new(d->node_count, sizeof *node, "node order", error);
  const bool ok = order && node && mesh_order(&unsorted, kind, order, error);
  int at = 0;
  for (int ghosts = 0; ok && ghosts < 2; ghosts++) {
    for (int k = 0; k < d->node_count; k++)
      if ((d->owner[d->node[order[k]]] != d->ranks->rank) == ghosts) node[at++] = d->node[order[k]];
    if (!ghosts) d->owned_count = at;
  }
  for (int k = 0; ok && k < d->node_count; k++) d->local[node[k]] = k;
  if (ok) memcpy(d->node, node, sizeof *node * (size_t)d->node_count);
  mesh_destroy(&unsorted);
  free(order);
  free(node);
  return ok;
}

// Sorts the local cells: first the cells that this process counts in sums, then the rest. Each of these two groups is
// sorted by the smallest local node of each cell.
static bool sort_cells(Division *d, Error *error) {
  const int cells = d->cell_count, keys = 2 * d->node_count;
  int *key = array_new(cells, sizeof *key, "cells", error), *item = array_new(cells, sizeof *item, "cells", error);
  int64_t *start = array_new((int64_t)keys + 1, sizeof *start, "cells", error);
  bool ok = key && item && start;
  for (int k = 0; ok && k < cells; k++) {
    int smallest = d->node_count;
    for (int a = 0; a < mesh_cell_nodes(d->mesh); a++) {
      const int node = d->local[mesh_cell_node(d->mesh, d->cell[k], a)];
      smallest = node < smallest ? node : smallest;
    }
    const bool own = mesh_division_is_own(d->division, d->mesh, d->cell[k]);
    d->own_cells += own;
    key[k] = own ? smallest : d->node_count + smallest;
  }
  ok = ok && sort_by_key(key, cells, keys, 1, start, item, error);
  for (int k = 0; ok && k < cells; k++) key[k] = d->cell[item[k]];
  if (ok) memcpy(d->cell, key, sizeof *key * (size_t)cells);
  free(key);
  free(item);
  free(start);
  return ok;
}

// Creates the halo, which connects the local nodes with other processes: global numbers of the local nodes, and the
// exchange of values.
static Halo *create_halo(const Division *d, Error *error) {
  const int nodes = d->mesh->node_count;
  Halo *halo = array_new(1, sizeof *halo, "the halo", error);
  double *number = array_new(nodes, sizeof *number, "node numbers", error);
  bool ok = halo && number && (halo->number = array_new(d->node_count, sizeof *halo->number, "node numbers", error));
  ok = ok && (halo->own_cell = array_copy(d->cell, d->own_cells, sizeof *d->cell, "cells", error));
  if (ok) {
    halo->ranks = d->ranks;
    halo->owned_count = d->owned_count;
    halo->own_cells = d->own_cells;
    for (int a = 0; a < nodes; a++) halo->first += d->owner[a] < d->ranks->rank;
    for (int k = 0; k < d->owned_count; k++) number[d->node[k]] = halo->first + k;
    ok = d->ranks->gather(d->ranks, number, nodes, error);
    for (int k = 0; k < d->node_count; k++) halo->number[k] = (int)number[d->node[k]];
    halo->exchange = ok ? d->ranks->create_halo(d->ranks, d->owned_count, halo->number + d->owned_count,
                                                d->node_count - d->owned_count, error)
                        : NULL;
    halo->piece = array_new(d->owned_count, sizeof *halo->piece, "pieces", error);
    ok = halo->exchange && halo->piece;
    for (int k = 0; ok && k < d->owned_count; k++) halo->piece[k] = d->division->piece[d->node[k]];
    halo->piece_count = d->division->piece_count;
  }

  free(number);
  if (ok) return halo;
  if (halo && halo->exchange) d->ranks->destroy_halo(halo->exchange);
  if (halo) {
    free(halo->number);
    free(halo->piece);
    free(halo->own_cell);
  }

  free(halo);
  return NULL;
}

bool simulation_create_local_space(Simulation *w, const TetMesh *mesh, Error *error) {
  const MeshDivision *division = w->settings.division;
  Division d = { .mesh = mesh, .ranks = division->ranks, .division = division, .owner = division->owner };
  TetMesh local = { 0 };
  bool ok = list_local(&d, error);
  ok = ok && sort_nodes(&d, w->settings.order, error);
  ok = ok && sort_cells(&d, error);
  ok = ok && extract(&d, &local, error);
  ok = ok && space_take(&w->space, &local, 3, error);
  ok = ok && (w->halo = create_halo(&d, error));
  double pairs = ok ? (double)w->space.graph.start[d.owned_count] : 0;
  if (ok && halo_sum(w->halo, &pairs, 1, error)) {
    w->halo->pairs = (int64_t)pairs;
    w->user_node = d.node;
    d.node = NULL;
    w->space.owned_count = d.owned_count;
    w->space.halo = w->halo;
  }
  destroy_division(&d);
  return ok && w->user_node;
}

const int *simulation_own_cells(const Simulation *w, int *count) {
  *count = w->halo ? w->halo->own_cells : 0;
  return w->halo ? w->halo->own_cell : NULL;
}

bool simulation_complete(const Simulation *w, double *values, int width, Error *error) {
  const Halo *halo = w->halo;
  const size_t item = sizeof *values * (size_t)width;
  if (!halo) return true;
  char *own = array_capacity(halo->owned_count, item, "values of nodes", error);
  if (!own) return false;
  for (int k = 0; k < halo->owned_count; k++)
    memcpy(own + item * (size_t)k, values + (size_t)width * (size_t)w->user_node[k], item);
  memset(values, 0, item * (size_t)w->user_count);
  for (int k = 0; k < halo->owned_count; k++)
    memcpy(values + (size_t)width * (size_t)w->user_node[k], own + item * (size_t)k, item);
  free(own);
  return halo_gather(halo, values, (int64_t)width * w->user_count, error);
}

bool simulation_complete_floats(const Simulation *w, float *values, int width, Error *error) {
  const int64_t n = (int64_t)width * w->user_count;
  if (!w->halo) return true;
  double *wide = array_capacity(n, sizeof *wide, "values of nodes", error);
  for (int64_t k = 0; wide && k < n; k++) wide[k] = values[k];
  const bool ok = wide && simulation_complete(w, wide, width, error);
  for (int64_t k = 0; ok && k < n; k++) values[k] = (float)wide[k];
  free(wide);
  return ok;
}

// Makes *whole a copy of a grab that has the grabbed nodes of all processes, not only those of this process. Nodes have
// the user's numbers, ascending. The caller frees the arrays of *whole.
static bool complete_grab(const Simulation *w, const Grab *grab, Grab *whole, Error *error) {
  enum { VALUES = 5 };  // values of a node: 1 if it is grabbed, its weight, and its start [3]
  double(*value)[VALUES] = array_new(w->user_count, sizeof *value, "grabs", error);
  bool ok = value;
  for (int k = 0; ok && k < grab->count; k++) {
    double *v = value[w->user_node[grab->node[k]]];
    v[0] = 1;
    v[1] = grab->weight[k];
    memcpy(v + 2, grab->start[k], sizeof *grab->start);
  }

  ok = ok && simulation_complete(w, &value[0][0], VALUES, error);
  *whole = *grab;
  whole->count = 0;
  for (int a = 0; ok && a < w->user_count; a++) whole->count += value[a][0] != 0;
  whole->node = array_new(whole->count, sizeof *whole->node, "grabs", error);
  whole->weight = array_new(whole->count, sizeof *whole->weight, "grabs", error);
  whole->start = array_new(whole->count, sizeof *whole->start, "grabs", error);
  ok = ok && whole->node && whole->weight && whole->start;
  for (int a = 0, at = 0; ok && a < w->user_count; a++) {
    if (value[a][0] == 0) continue;
    whole->node[at] = a;
    whole->weight[at] = value[a][1];
    memcpy(whole->start[at++], value[a] + 2, sizeof *whole->start);
  }

  free(value);
  return ok;
}

bool simulation_save_grabs(const Simulation *w, FILE *file, Error *error) {
  if (!w->halo) {
    grabs_save(&w->grabs, w->user_node, file);
    return true;
  }
  Grabs *whole = array_copy(&w->grabs, 1, sizeof *whole, "grabs", error);
  int *same = array_new(w->user_count, sizeof *same, "grabs", error);  // identity map: nodes have the user's numbers
  bool ok = whole && same;
  int completed = 0;
  for (int a = 0; ok && a < w->user_count; a++) same[a] = a;
  for (; ok && completed < GRABS_MAX; completed++)
    if (w->grabs.grab[completed].id) ok = complete_grab(w, &w->grabs.grab[completed], &whole->grab[completed], error);
  if (ok) grabs_save(whole, same, file);
  for (int g = 0; whole && g < completed; g++)
    if (w->grabs.grab[g].id) {
      free(whole->grab[g].node);
      free(whole->grab[g].weight);
      free(whole->grab[g].start);
    }
  free(whole);
  free(same);
  return ok;
}
