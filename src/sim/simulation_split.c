// Implements simulation_split (simulation.h): changes a simulation in place after a cut, which makes copies of nodes.
// The original of a node is the old node from which it comes. First all changes are computed and memory is reserved; a
// failure then leaves the simulation unchanged. Then assembly, operator, solver and body apply the changes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gather.h"
#include "base/marks.h"
#include "base/sort.h"
#include "base/index_check.h"
#include "sim/operator/partial/partial.h"
#include "sim/simulation_parts.h"
#include "sim/simulation_tear.h"

bool simulation_splits(const Simulation *w) {
  const SimulationSettings *s = &w->settings;
  const bool on_one = w->newton.assembly_stream.device == s->device && w->newton.solver_stream.device == s->device;
  return on_one && w->A.method->split && w->assembly.method->split && w->solver.method->reserve && !w->alone.method &&
         !w->contact && !w->halo && w->pressures == 0 && w->cell_index && s->mass == MASS_LUMPED && !w->space.part;
}

bool simulation_tears(const Simulation *w) {
  return simulation_splits(w) && partial_batches(&w->A);
}

// New values of the changed nodes: those that are new or get other neighbours ("rows", SpaceSplit.row). Arrays are
// [row_count] unless noted; `corner` is [changed_count * cell_nodes].
typedef struct RowValues {
  // [row_count], for each changed node: mass, kg; weight / g, kg; contact stiffness / (lambda + 2 mu), m
  double *mass, *weight, *contact;
  // node[k]: changed node k, and the old node from which it comes. corner[k]: an index into the array of the cells'
  // nodes at which the node changes, and the new node there.
  int (*node)[2], (*corner)[2];
  double (*value)[SPLIT_VALUES];  // [row_count], new values of each changed node, such as its mass (dynamics/motion.h)
  // [left_count], for each remaining node: its number in the user's mesh, and the key by which nodes are sorted
  // (Simulation.rank). NULL if no tets are removed
  int *user_node, *rank;
} RowValues;

static void row_values_destroy(RowValues *v) {
  free(v->mass);
  free(v->weight);
  free(v->contact);
  free(v->node);
  free(v->corner);
  free(v->value);
  free(v->user_node);
  free(v->rank);
}

// Computes contact [row_count], m: the contact stiffness of changed nodes against floor and obstacles, divided by
// lambda + 2 mu.
static void find_contact(const Simulation *w, const SpaceSplit *s, const double *mass, double *contact) {
  const Space *space = &w->space;
  const double density = w->settings.density, wave = w->settings.lambda / w->settings.mu + 2;
  if (space->density)
    space_split_mass(space, s, density, false, contact);
  else
    memcpy(contact, mass, sizeof *mass * (size_t)s->row_count);
  for (int r = 0; r < s->row_count; r++) {
    double factor = 0;
    contact[r] = FLOOR_STIFFNESS * cbrt(contact[r] / density);
    for (int64_t k = s->at[r]; (space->stiffness || space->ratio) && k < s->at[r + 1]; k++) {
      const int e = s->cell[s->around[k]];
      double stiff = space->stiffness ? space->stiffness[e] : 1;
      if (space->ratio && !isnan(space->ratio[e])) stiff *= (space->ratio[e] + 2) / wave;
      factor = fmax(factor, stiff);
    }
    if (space->stiffness || space->ratio) contact[r] *= factor;
  }
}

// Computes masses, weights and contact stiffnesses of the rows (new or changed nodes), and the nodes of changed cells.
static bool find_values(const Simulation *w, const SpaceSplit *s, RowValues *v, Error *error) {
  const SimulationSettings *settings = &w->settings;
  const int nodes = w->space.cell_nodes;
  v->mass = array_new(s->row_count, sizeof *v->mass, "nodal masses", error);
  v->weight = array_new(s->row_count, sizeof *v->weight, "nodal masses", error);
  v->contact = array_new(s->row_count, sizeof *v->contact, "nodes", error);
  v->node = array_new(s->row_count, sizeof *v->node, "nodes", error);
  v->value = array_new(s->row_count, sizeof *v->value, "nodes", error);
  v->corner = array_new((int64_t)s->changed_count * nodes, sizeof *v->corner, "cells", error);
  if (!v->mass || !v->weight || !v->contact || !v->node || !v->value || !v->corner) return false;

  space_split_mass(&w->space, s, settings->density, true, v->mass);
  if (w->space.cell_nodes == 4)
    memcpy(v->weight, v->mass, sizeof *v->mass * (size_t)s->row_count);
  else
    space_split_weight(&w->space, s, settings->density, v->weight);
  find_contact(w, s, v->mass, v->contact);

  for (int r = 0; r < s->row_count; r++) {
    const int a = s->row[r];
    double *value = v->value[r];
    v->node[r][0] = a;
    v->node[r][1] = s->from[a];
    value[SPLIT_MASS] = v->mass[r];
    value[SPLIT_FRACTION] = v->mass[r] / w->mass[s->from[a]];
    value[SPLIT_CONTACT] = v->contact[r];
    for (int i = 0; i < 3; i++)
      value[SPLIT_LOAD + i] = settings->gravity[i] * v->weight[r] + (a < s->old_count ? w->loads.force[a][i] : 0);
  }

  for (int k = 0; k < s->changed_count * nodes; k++) {
    v->corner[k][0] = s->changed[k / nodes] * nodes + k % nodes;
    v->corner[k][1] = s->nodes[k];
  }
  return true;
}

// Fails if a new mass is too small for the precision. A cut increases no mass, so masses cannot become too large.
static bool check_masses(const Simulation *w, const SpaceSplit *s, const RowValues *v, BodyRange *range, Error *error) {
  *range = w->range;
  for (int r = 0; r < s->row_count; r++)
    if (s->at[r] < s->at[r + 1])
      range->node_volume.low = fmin(range->node_volume.low, v->mass[r] / w->settings.density);
  return range_check(range, &w->settings, error);
}

// Arguments of simulation_split. A cut duplicates nodes; `copies` is the number of duplicates. from [nodes of `mesh`]:
// former number of each node. tet_from [tets of `mesh`]: former index of each tet; NULL: no tet was removed. changed
// [changed_count]: tets that have a duplicate among their nodes.
typedef struct Parting {
  const TetMesh *mesh;
  const int *from, *tet_from, *changed;
  int copies, changed_count;
} Parting;

// Fails unless the arrays describe this simulation's mesh after a cut. Checks only the tets listed in `changed`.
static bool check_parting(const Simulation *w, const Parting *p, Error *error) {
  const TetMesh *mesh = p->mesh;
  const int nodes = w->space.node_count, cells = w->space.cell_count, kept = mesh->node_count - p->copies;
  const bool removes = p->tet_from;
  if (!(removes ? simulation_tears : simulation_splits)(w))
    return error_set(
        error,
        "the methods or settings of this simulation do not support a cut in place; create another simulation and call "
        "simulation_carry");
  if (mesh_cell_nodes(mesh) != w->space.cell_nodes)
    return error_set(error, "the cut mesh has cells of %d nodes, expected %d as before the cut", mesh_cell_nodes(mesh),
                     w->space.cell_nodes);
  const bool fits = removes ? kept <= nodes && mesh->tet_count <= cells : kept == nodes && mesh->tet_count == cells;
  if (p->copies < 0 || kept < 0 || mesh->tet_count < 1 || !fits)
    return error_set(
        error, "the cut mesh has %d tets, %d copies of nodes and %d other nodes; expected %s%d tets and %d other nodes",
        mesh->tet_count, p->copies, kept, removes ? "at most " : "", cells, nodes);

  if (!index_check(p->from, mesh->node_count, nodes, "from (former nodes)", error)) return false;
  if (removes && !index_check_once(p->from, kept, nodes, "from (former nodes)", error)) return false;
  if (removes && !index_check_ascending(p->tet_from, mesh->tet_count, cells, "tet_from (former tets)", error))
    return false;
  for (int a = 0; !removes && a < kept; a++)
    if (p->from[a] != a)
      return error_set(error, "from (former nodes): entry %d is %d, expected %d, since node %d is no copy", a,
                       p->from[a], a, a);

  if (!index_check_ascending(p->changed, p->changed_count, mesh->tet_count, "changed (tets with new nodes)", error))
    return false;
  for (int k = 0; k < p->changed_count; k++)
    for (int c = 0; c < w->space.cell_nodes; c++) {
      const int node = mesh_cell_node(mesh, p->changed[k], c);
      if (node < 0 || node >= mesh->node_count)
        return error_set(error, "the cut mesh: node %d of tet %d has the index %d, expected 0 to %d", c, p->changed[k],
                         node, mesh->node_count - 1);
    }
  return true;
}

// Lists in s->removed the internal indices of the removed tets, ascending. These are all tets that tet_from, the former
// indices of the remaining tets, does not contain.
static bool list_removed(const Simulation *w, const Parting *p, SpaceSplit *s, Error *error) {
  const int before = w->space.cell_count, left = p->mesh->tet_count;
  if (!p->tet_from) return true;
  s->removed_count = before - left;
  s->removed = array_new(s->removed_count, sizeof *s->removed, "cells", error);
  uint8_t *gone = array_new(before, 1, "cells", error);
  const bool ok = s->removed && gone;

  int found = 0;
  for (int now = 0; ok && now < left; now++)
    for (; now + found < p->tet_from[now]; found++) gone[w->cell_index[now + found]] = 1;
  for (; ok && found < s->removed_count; found++) gone[w->cell_index[left + found]] = 1;

  for (int e = -1, k = 0; ok && (e = marks_next(gone, before, e + 1, 1)) < before;) s->removed[k++] = e;
  free(gone);
  return ok;
}

// Converts the arguments of simulation_split, which describe a cut, to the internal order. Old nodes keep their
// internal numbers, and copies get the numbers after them. Nodes without tets are removed later. The caller's mesh does
// not contain these nodes any more, so its node numbers differ from the old ones.
static bool begin_split(const Simulation *w, const Parting *p, SpaceSplit *s, Error *error) {
  const int nodes = w->space.cell_nodes, count = p->changed_count, *node_index = w->loads.node_index;
  const int kept = p->mesh->node_count - p->copies;

  // for each changed cell: its internal index in the upper 32 bits, and the user's index in the lower 32 bits
  uint64_t *list = array_new(count, sizeof *list, "cells", error);

  s->old_count = w->space.node_count;
  s->node_count = s->old_count + p->copies;
  s->changed_count = count;
  s->from = array_new(s->node_count, sizeof *s->from, "nodes", error);
  s->changed = array_new(count, sizeof *s->changed, "cells", error);
  s->nodes = array_new((int64_t)count * nodes, sizeof *s->nodes, "cells", error);
  bool ok = list && s->from && s->changed && s->nodes;

  // Find the former internal number of each node.
  for (int a = 0; ok && a < s->old_count; a++) s->from[a] = a;
  for (int k = 0; ok && k < p->copies; k++) s->from[s->old_count + k] = node_index[p->from[kept + k]];

  // List the changed cells, sorted by internal index, with their new nodes.
  for (int k = 0; ok && k < count; k++) {
    const int e = p->changed[k];
    list[k] = (uint64_t)w->cell_index[p->tet_from ? p->tet_from[e] : e] << 32 | (uint64_t)e;
  }
  ok = ok && sort_words(list, count, error);
  for (int k = 0; ok && k < count; k++) {
    s->changed[k] = (int)(list[k] >> 32);
    for (int c = 0; c < nodes; c++) {
      const int node = mesh_cell_node(p->mesh, (int)(list[k] & UINT32_MAX), c);
      s->nodes[(int64_t)k * nodes + c] = node < kept ? node_index[p->from[node]] : s->old_count + node - kept;
    }
  }

  free(list);
  if (!ok || !list_removed(w, p, s, error) || !space_split_find(s, &w->space, error)) return false;
  space_split_plan(s, w->node_capacity ? w->node_capacity : s->old_count,
                   w->node_capacity ? w->pair_capacity : space_pairs(&w->space));
  return true;
}

// If tets are removed, fills v->user_node and v->rank: the user's number and the sorting key (Simulation.rank) of each
// remaining node.
static bool find_names(const Simulation *w, const Parting *p, const SpaceSplit *s, RowValues *v, Error *error) {
  const int kept = p->mesh->node_count - p->copies, *rank = w->rank ? w->rank : w->loads.node_index;
  if (s->removed_count == 0) return true;
  if (s->left_count != p->mesh->node_count)
    return error_set(error, "the torn mesh: its tets have %d nodes, but its list of nodes has %d", s->left_count,
                     p->mesh->node_count);
  int *named = array_new(s->old_count, sizeof *named, "nodes", error);
  v->user_node = array_capacity(s->left_count, sizeof *v->user_node, "nodes", error);
  v->rank = array_capacity(s->left_count, sizeof *v->rank, "nodes", error);
  const bool ok = named && v->user_node && v->rank;
  for (int a = 0; ok && a < kept; a++) named[p->from[a]] = a;
  for (int a = 0; ok && a < s->left_count; a++) {
    const int was = s->left[a];
    v->user_node[a] = was < s->old_count ? named[w->user_node[was]] : kept + was - s->old_count;
  }
  if (ok) gather_items(v->rank, rank, p->from, s->left_count, sizeof *rank);
  free(named);
  return ok;
}

// Returns an array [nodes after the split] of damping coefficients, kg/s: mass of the node * (damping of its body -
// settings.damping). Returns NULL if memory runs out. The caller frees the array.
static double *find_dampers(const Simulation *w, const SpaceSplit *s, const RowValues *v, Error *error) {
  const double *own = w->space.damping;
  double *damper = array_new(s->node_count, sizeof *damper, "nodes", error);
  for (int a = 0, r = 0; damper && a < s->node_count; a++) {
    const double mass = s->is_row[a] ? v->mass[r++] : w->mass[a], its = own[s->from[a]];
    const int to = s->renamed ? s->renamed[a] : a;
    if (to >= 0) damper[to] = isnan(its) ? 0 : mass * (its - w->settings.damping);
  }
  return damper;
}

// Creates grabs, dampers and supports for the nodes after the split. A grab's spring at a node is divided among the
// node's copies.
static bool carry_holds(const Simulation *w, const SpaceSplit *s, const RowValues *v, Grabs *made, Supports *supports,
                        Error *error) {
  double *fraction = array_new(s->node_count, sizeof *fraction, "nodes", error);
  int *from = array_new(s->left_count, sizeof *from, "nodes", error);
  bool ok = fraction && from && grabs_create(made, w->settings.device, s->left_count, error);

  // Set `fraction`: the mass of each node divided by the mass that its original had before the cut.
  for (int a = 0; ok && a < s->node_count; a++) fraction[a] = 1;
  for (int r = 0; ok && r < s->row_count; r++) fraction[s->row[r]] = v->value[r][SPLIT_FRACTION];
  for (int a = 0; ok && a < s->left_count; a++) {
    const int was = s->left ? s->left[a] : a;
    from[a] = s->from[was];
    fraction[a] = fraction[was];
  }

  ok = ok && grabs_carry(made, &w->grabs, from, fraction, error) &&
       supports_carry(supports, &w->supports, from, s->left_count, error);
  double *damper = ok && w->space.damping ? find_dampers(w, s, v, error) : NULL;
  ok = ok && (!w->space.damping || (damper && grabs_set_dampers(made, damper, error)));

  free(fraction);
  free(from);
  free(damper);
  return ok;
}

// Enlarges all arrays to the capacities in `s`, and updates pointers to reallocated arrays.
static bool reserve(Simulation *w, const SpaceSplit *s, Error *error) {
  const int64_t before = s->node_before, now = s->node_capacity;
  if (!w->rank) {  // present node numbers become sorting keys, so that tets keep their order
    w->rank = array_new(before, sizeof *w->rank, "node order", error);
    if (w->rank) memcpy(w->rank, w->loads.node_index, sizeof *w->rank * (size_t)s->old_count);
  }

  const bool ok = w->rank && array_grow(&w->rank, before, now, sizeof *w->rank, "node order", error) &&
                  array_grow(&w->user_node, before, now, sizeof *w->user_node, "node order", error) &&
                  array_grow(&w->mass, before, now, sizeof *w->mass, "nodal masses", error) &&
                  array_grow(&w->weight, before, now, sizeof *w->weight, "nodal masses", error) &&
                  array_grow(&w->loads.force, before, now, sizeof *w->loads.force, "forces", error) &&
                  array_grow(&w->loads.node_index, before, now, sizeof *w->loads.node_index, "forces", error) &&
                  constraints_grow(&w->constraints, before, now, error) &&
                  // The solver must reserve first: it records the old addresses of arrays that the calls below
                  // reallocate.
                  w->solver.method->reserve(&w->solver, w->space.node_dof * s->node_before,
                                            w->space.node_dof * s->node_capacity, error) &&
                  operator_split_reserve(&w->A, s, error) &&
                  w->assembly.method->reserve(&w->assembly, &w->space, s, error) &&
                  w->arrays->reserve(w->motion, s, error) && space_split_reserve(&w->space, s, error) &&
                  simulation_reserve_search(w, s, error);
  w->newton_functions->reconnect(&w->newton);
  if (ok) {
    w->node_capacity = s->node_capacity;
    w->pair_capacity = s->pair_capacity;
  }
  return ok;
}

// Returns a split that changes no node and no cell. simulation_reserve passes it to `reserve`, so that arrays get
// memory for an eighth more elements.
static SpaceSplit split_of_nothing(const Simulation *w) {
  const int nodes = w->space.node_count;
  const int64_t pairs = space_pairs(&w->space);
  return (SpaceSplit){ .old_count = nodes,
                       .node_count = nodes,
                       .node_before = w->node_capacity ? w->node_capacity : nodes,
                       .node_capacity = w->node_capacity ? w->node_capacity : (int)space_split_more(nodes),
                       .left_count = nodes,
                       .cells_left = w->space.cell_count,
                       .pairs = pairs,
                       .pair_before = w->node_capacity ? w->pair_capacity : pairs,
                       .pair_capacity = w->node_capacity ? w->pair_capacity : space_split_more(pairs) };
}

bool simulation_reserve(Simulation *w, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const SpaceSplit none = split_of_nothing(w);
  return !simulation_splits(w) || w->node_capacity || reserve(w, &none, error);
}

bool simulation_reserve_for_tears(Simulation *w, Error *error) {
  enum { SHARE = 8 };
  SpaceSplit some = split_of_nothing(w);
  // The list of removed cells is also used as work memory for lists of nodes, which need `names` elements.
  const int names = some.node_count / w->space.cell_nodes + 1;
  // A tear changes some nodes and cells. The lists of these get memory for an eighth of all nodes and cells.
  some.row_count = some.node_count / SHARE;
  some.removed_count = w->space.cell_count / SHARE > names ? w->space.cell_count / SHARE : names;
  return !simulation_tears(w) || (simulation_expect_searches(w, error) && reserve(w, &some, error));
}

// Renumbers the arrays on the host after the removal of tets and of nodes without tets.
static void keep_left(Simulation *w, const Parting *p, const SpaceSplit *s, const RowValues *v) {
  const int count = s->left_count, cells = s->cells_left;
  void *scratch = s->room + cells + s->removed_count;
  for (int a = s->old_count; a < s->node_count; a++) memset(w->loads.force[a], 0, sizeof *w->loads.force);

  keep_items(w->mass, s->left, count, sizeof *w->mass, scratch);
  keep_items(w->weight, s->left, count, sizeof *w->weight, scratch);
  keep_items(w->loads.force, s->left, count, sizeof *w->loads.force, scratch);

  copy_bytes(w->user_node, v->user_node, sizeof *w->user_node * (size_t)count);
  copy_bytes(w->rank, v->rank, sizeof *w->rank * (size_t)count);
  for (int a = 0; a < count; a++) w->loads.node_index[v->user_node[a]] = a;

  keep_items(w->cell_index, p->tet_from, cells, sizeof *w->cell_index, scratch);
  replace_numbers(w->cell_index, cells, s->cell_now);
  w->keeps_batches = true;
}

// Applies a split, the changes that a cut makes, to the data of all methods. Work on the device is queued first and
// runs while the host changes its arrays. Waits for the device at the end.
static bool apply(Simulation *w, const Parting *p, const SpaceSplit *s, const RowValues *v, Error *error) {
  const MotionRows rows = { s, (const int(*)[2])v->node, (const double(*)[SPLIT_VALUES])v->value,
                            (const int(*)[2])v->corner, v->user_node };
  const Stream stream = w->newton.stream;

  // Queue the changes of arrays on the device.
  space_split_apply(&w->space, s);
  const bool ok = operator_split_apply(&w->A, s, stream, error) && w->arrays->split(w->motion, &rows, stream, error) &&
                  simulation_split_search(w, s, error);
  w->assembly.method->split(&w->assembly, &w->space, s);
  w->newton_functions->reconnect(&w->newton);

  // Change the arrays on the host: masses, weights divided by g, node numbers and sizes.
  for (int r = 0; r < s->row_count; r++) {
    w->mass[s->row[r]] = v->mass[r];
    w->weight[s->row[r]] = v->weight[r];
  }
  if (s->removed_count > 0) {
    keep_left(w, p, s, v);
  } else {
    for (int a = s->old_count; a < s->node_count; a++) w->user_node[a] = w->loads.node_index[a] = a;
    for (int a = s->old_count; a < s->node_count; a++) w->rank[a] = w->rank[w->user_node[s->from[a]]];
  }

  w->user_count = w->space.node_count;
  w->size.nodes = w->space.node_count;
  w->size.cells = w->space.cell_count;
  w->size.pairs = (double)(space_pairs(&w->space) - w->space.node_count) / 2;
  nodal_field_destroy(&w->field);
  return stream_sync(stream, error) && ok;
}

bool simulation_split(Simulation *w, const TetMesh *mesh, const int *from, const int *tet_from, int copies,
                      const int *changed, int count, Phases *phases, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const Parting parting = { mesh, from, tet_from, changed, copies, count };
  SpaceSplit s = { 0 };
  RowValues v = { 0 };
  BodyRange range;
  Grabs grabs = { 0 };
  Supports supports = { 0 };
  if (!check_parting(w, &parting, error)) return false;

  // Compute all changes and reserve memory. If this fails, the simulation is unchanged.
  bool ok = stream_sync(w->newton.stream, error);
  ok = ok && begin_split(w, &parting, &s, error);
  ok = ok && find_values(w, &s, &v, error);
  ok = ok && find_names(w, &parting, &s, &v, error);
  ok = ok && check_masses(w, &s, &v, &range, error);
  ok = ok && carry_holds(w, &s, &v, &grabs, &supports, error);
  phases_end(phases, "changes");
  ok = ok && reserve(w, &s, error);
  phases_end(phases, "memory");

  if (ok) {
    ok = apply(w, &parting, &s, &v, error);
    w->range = range;
    w->touched++;
    grabs_take_list(&grabs, &w->grabs);
    grabs_destroy(&w->grabs);
    w->grabs = grabs;
    grabs = (Grabs){ 0 };
    supports_destroy(&w->supports);
    w->supports = supports;
    supports = (Supports){ 0 };
    w->newton.knows_start = false;  // the split has overwritten the copy of the state at the start of the last step
  }

  phases_end(phases, "stages");

  grabs_destroy(&grabs);
  supports_destroy(&supports);
  row_values_destroy(&v);
  space_split_destroy(&s);
  return ok;
}

void simulation_masses(const Simulation *w, double *mass) {
  for (int a = 0; a < w->space.node_count; a++) mass[w->user_node[a]] = w->mass[a];
}
