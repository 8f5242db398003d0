// Grabs, patches of nodes that a user pulls by springs or holds exactly (grabs.h).
#include "sim/force/grabs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/element/halo.h"

bool grabs_create(Grabs *grabs, Device device, int node_count, Error *error) {
  *grabs = (Grabs){ .device = device, .node_count = node_count };
  node_list_create(&grabs->list, device, SPRING_VALUES);
  grabs->value = array_new(node_count, sizeof *grabs->value, "grabbed nodes", error);
  grabs->node = array_new(node_count, sizeof *grabs->node, "grabbed nodes", error);
  grabs->is_listed = array_new(node_count, sizeof *grabs->is_listed, "grabbed nodes", error);
  if (grabs->value && grabs->node && grabs->is_listed) return true;
  grabs_destroy(grabs);
  return false;
}

static void grab_destroy(Grab *grab) {
  free(grab->node);
  free(grab->weight);
  free(grab->start);
  *grab = (Grab){ 0 };
}

// Ends a grab. Its arrays are kept for the next grab in this element of Grabs.grab.
static void grab_end(Grab *grab) {
  *grab = (Grab){ .capacity = grab->capacity, .node = grab->node, .weight = grab->weight, .start = grab->start };
}

// Enlarges the arrays of a grab that has ended, so that they have elements for `count` nodes.
static bool grab_reserve(Grab *grab, int count, Error *error) {
  if (grab->node && count <= grab->capacity) return true;
  grab_destroy(grab);
  grab->node = array_new(count, sizeof *grab->node, "grabbed nodes", error);
  grab->weight = array_new(count, sizeof *grab->weight, "grabbed nodes", error);
  grab->start = array_new(count, sizeof *grab->start, "grabbed nodes", error);
  grab->capacity = count;
  if (grab->node && grab->weight && grab->start) return true;
  grab_destroy(grab);
  return false;
}

void grabs_destroy(Grabs *grabs) {
  for (int g = 0; g < GRABS_MAX; g++) grab_destroy(&grabs->grab[g]);
  free(grabs->value);
  free(grabs->node);
  free(grabs->is_listed);
  free(grabs->damper);
  node_list_destroy(&grabs->list);
  *grabs = (Grabs){ 0 };
}

static double distance2(const double a[3], const double b[3]) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

// Returns an array [node_count] that is 1 for the nodes of a patch, and otherwise 0. A patch contains `seed`, and the
// nodes closer than `radius` to X that a path of mesh edges connects to `seed`. All nodes of this path must be closer
// than `radius` to X, too. The caller frees the array.
static uint8_t *reach(const Space *space, const double X[3], double radius, int seed, Error *error) {
  uint8_t *reached = array_new(space->node_count, 1, "grabbed nodes", error);
  int *waiting = array_new(space->node_count, sizeof *waiting, "grabbed nodes", error), count = 0;
  const bool ok = reached && waiting;
  if (ok) {
    reached[seed] = 1;
    waiting[count++] = seed;
  }
  while (ok && count > 0) {
    const int a = waiting[--count];
    for (int64_t s = space->graph.start[a]; s < space->graph.start[a + 1]; s++) {
      const int b = space->graph.neighbour[s];
      if (reached[b] || !(distance2(space->X[b], X) < radius * radius)) continue;
      reached[b] = 1;
      waiting[count++] = b;
    }
  }
  free(waiting);
  if (ok) return reached;
  free(reached);
  return NULL;
}

// Sets *nearest to the node nearest to X, and *body to the number of this node's body. If the mesh is divided among
// several processes, *nearest is -1 in the processes that do not have this node.
static bool find_nearest(const Space *space, const double X[3], int *nearest, int *body, Error *error) {
  const int a = space_nearest_node(space, X);
  const double d2 = distance2(space->X[a], X);
  double least = d2, first, number;
  *nearest = a;
  *body = space->body ? space->body[a] : 0;
  if (!space->halo) return true;
  if (!halo_smallest(space->halo, &least, error)) return false;

  // If nodes of several processes are equally near, choose the node with the smallest tag (its number in the mesh
  // file).
  first = d2 == least ? (double)space->node_tag[a] : HUGE_VAL;
  if (!halo_smallest(space->halo, &first, error)) return false;
  if (d2 != least || (double)space->node_tag[a] != first) *nearest = -1;
  number = *nearest < 0 ? HUGE_VAL : *body;
  if (!halo_smallest(space->halo, &number, error)) return false;
  *body = (int)number;
  return true;
}

// Adds nodes to a grab (group of nodes that the user moves): node `nearest`, and all nodes of its body that are closer
// than `radius` to X and marked in reached [node_count] (NULL: all are marked). The grab's arrays must be large enough.
static bool fill_patch(Grab *grab, const Space *space, const double *mass, const double (*u)[3], const double X[3],
                       double radius, int nearest, int body, const uint8_t *reached, Error *error) {
  const int owned = halo_nodes(space->halo, space->node_count);
  double sums[2] = { 0 };  // sum of the weights, and sum of the masses
  for (int a = 0; a < space->node_count; a++) {
    const double d2 = distance2(space->X[a], X), r2 = radius * radius;
    if (a != nearest && !(d2 < r2)) continue;
    if ((space->body && space->body[a] != body) || (reached && !reached[a])) continue;
    const double fall = d2 < r2 ? 1 - d2 / r2 : 0;

    // The weight of node `nearest` is above 0 even if the node is not within the radius.
    const double weight = mass[a] * (a == nearest ? fmax(fall * fall, 1e-3) : fall * fall);
    grab->node[grab->count] = a;
    grab->weight[grab->count] = weight;
    memcpy(grab->start[grab->count++], u[a], sizeof *u);
    if (a < owned) {
      sums[0] += weight;
      sums[1] += mass[a];
    }
  }

  if (!halo_sum(space->halo, sums, 2, error)) return false;
  for (int k = 0; k < grab->count; k++) grab->weight[k] /= sums[0];
  grab->damping = 2 * sqrt(grab->stiffness * sums[1]);  // critical damping of the grabbed nodes, of mass sums[1]
  return true;
}

// Enlarges Grabs.slots, so that loops over grabs include the element `slot` of Grabs.grab.
static void use_slot(Grabs *grabs, int slot) {
  if (grabs->slots <= slot) grabs->slots = slot + 1;
}

// Creates a grab (group of nodes that the user moves) with arrays for `count` nodes in a free element of grabs->grab.
// Returns NULL with an error if no element is free or memory runs out.
static Grab *take_slot(Grabs *grabs, int count, double stiffness, Error *error) {
  int slot = 0;
  while (slot < GRABS_MAX && grabs->grab[slot].id) slot++;
  if (slot == GRABS_MAX) {
    error_set(error, "%d groups of nodes are pulled or held, which is the maximum; release one first", GRABS_MAX);
    return NULL;
  }
  Grab *grab = &grabs->grab[slot];
  if (!grab_reserve(grab, count, error)) return NULL;
  use_slot(grabs, slot);
  grab->id = ++grabs->next_id;
  grab->stiffness = stiffness;
  grabs->changed = true;
  grabs->holds_changed = grabs->holds_changed || stiffness == 0;
  return grab;
}

bool grabs_add_nodes(Grabs *grabs, const Space *space, const double *mass, const double (*u)[3], const int *nodes,
                     int count, double stiffness, int *id, Error *error) {
  const int owned = halo_nodes(space->halo, space->node_count);
  Grab *grab = take_slot(grabs, count, stiffness, error);
  double patch_mass = 0;
  if (!grab) return false;
  for (int k = 0; k < count; k++) patch_mass += nodes[k] < owned ? mass[nodes[k]] : 0;
  if (!halo_sum(space->halo, &patch_mass, 1, error)) {
    grabs_release(grabs, grab->id);
    return false;
  }
  for (int k = 0; k < count; k++) {
    grab->node[k] = nodes[k];
    grab->weight[k] = mass[nodes[k]] / patch_mass;
    memcpy(grab->start[k], u[nodes[k]], sizeof *u);
  }
  grab->count = count;
  grab->damping = 2 * sqrt(stiffness * patch_mass);  // critical damping
  *id = grab->id;
  return true;
}

bool grabs_add(Grabs *grabs, const Space *space, const double *mass, const double (*u)[3], const double X[3],
               double radius, int seed, double stiffness, int *id, Error *error) {
  int nearest = seed, body = seed >= 0 && space->body ? space->body[seed] : 0, count = 1;
  uint8_t *reached = seed < 0 ? NULL : reach(space, X, radius, seed, error);
  if (seed >= 0 ? !reached : !find_nearest(space, X, &nearest, &body, error)) return false;
  for (int a = 0; a < space->node_count; a++) count += distance2(space->X[a], X) < radius * radius;
  Grab *grab = take_slot(grabs, count, stiffness, error);
  const bool ok = grab && fill_patch(grab, space, mass, u, X, radius, nearest, body, reached, error);
  if (ok) *id = grab->id;
  if (!ok && grab) grabs_release(grabs, grab->id);
  free(reached);
  return ok;
}

void grabs_move(Grabs *grabs, int id, const double offset[3]) {
  for (int g = 0; g < grabs->slots; g++) {
    if (!id || grabs->grab[g].id != id) continue;
    memcpy(grabs->grab[g].offset, offset, sizeof grabs->grab[g].offset);
    grabs->changed = true;
  }
}

// Sets entry[k] to the index of node nodes[k] in grab->node, the nodes of a grab (group of nodes that the user moves).
// If the grab does not contain this node, fails and sets *missing to k. slot [node_count] is work memory, 0 on entry.
static bool find_entries(const Grab *grab, const int *nodes, int count, int *slot, int *entry, int *missing,
                         Error *error) {
  for (int k = 0; k < grab->count; k++) slot[grab->node[k]] = k + 1;
  for (int k = 0; k < count; k++) {
    entry[k] = slot[nodes[k]] - 1;
    *missing = k;
    if (entry[k] < 0)
      return error_set(error, "this node does not belong to the grabbed group of nodes; give only nodes of the group");
  }
  return true;
}

bool grabs_put(Grabs *grabs, int id, const int *nodes, int count, const double (*u)[3], int *missing, Error *error) {
  *missing = -1;
  const Grab *found = grabs_find(grabs, id);
  if (!found) return error_set(error, "no group of nodes (a grab) has the number %d; it may have been released", id);
  if (!grab_holds(found))
    return error_set(error,
                     "springs pull this group of nodes (a grab), so the positions of its nodes cannot be set; grab the "
                     "nodes with stiffness 0");
  Grab *grab = &grabs->grab[found - grabs->grab];
  int *slot = array_new(grabs->node_count, sizeof *slot, "grabbed nodes", error);
  int *entry = array_new(count, sizeof *entry, "grabbed nodes", error);
  const bool ok = slot && entry && find_entries(grab, nodes, count, slot, entry, missing, error);
  for (int k = 0; ok && k < count; k++)
    for (int i = 0; i < 3; i++) grab->start[entry[k]][i] = u[k][i] - grab->offset[i];
  grabs->changed = grabs->changed || ok;
  free(slot);
  free(entry);
  return ok;
}

void grabs_release(Grabs *grabs, int id) {
  for (int g = 0; g < grabs->slots; g++) {
    if (!grabs->grab[g].id || (id && grabs->grab[g].id != id)) continue;
    grabs->holds_changed = grabs->holds_changed || grab_holds(&grabs->grab[g]);
    grab_end(&grabs->grab[g]);
    grabs->changed = true;
  }
  if (id == 0) grabs->slots = 0;
}

void grabs_keep(Grabs *grabs, int *ids, int count) {
  for (int g = 0; g < grabs->slots; g++) {
    bool kept = false;
    for (int k = 0; k < count; k++) kept = kept || ids[k] == grabs->grab[g].id;
    if (!kept && grabs->grab[g].id) grabs_release(grabs, grabs->grab[g].id);
  }
  for (int k = 0; k < count; k++) {
    bool exists = false;
    for (int g = 0; g < grabs->slots; g++) exists = exists || grabs->grab[g].id == ids[k];
    if (!exists) ids[k] = 0;
  }
}

bool grabs_has(const Grabs *grabs, int id) {
  return grabs_find(grabs, id) != NULL;
}

// Copies a grab (group of nodes that the user moves) to a body that was cut. from[a] is the number of node a before the
// cut. slot [number of nodes before the cut] is work memory, 0 on entry and on return.
static bool carry_grab(Grab *made, const Grab *grab, int node_count, const int *from, const double *fraction, int *slot,
                       Error *error) {
  int count = 0;
  for (int k = 0; k < grab->count; k++) slot[grab->node[k]] = k + 1;
  for (int a = 0; a < node_count; a++) count += slot[from[a]] != 0;
  *made = *grab;
  made->count = 0;
  made->capacity = count;
  made->node = array_new(count, sizeof *made->node, "grabbed nodes", error);
  made->weight = array_new(count, sizeof *made->weight, "grabbed nodes", error);
  made->start = array_new(count, sizeof *made->start, "grabbed nodes", error);
  const bool ok = made->node && made->weight && made->start;
  for (int a = 0; ok && a < node_count; a++) {
    const int k = slot[from[a]] - 1;
    if (k < 0) continue;
    made->node[made->count] = a;
    made->weight[made->count] = grab->weight[k] * fraction[a];
    memcpy(made->start[made->count++], grab->start[k], sizeof *made->start);
  }
  for (int k = 0; k < grab->count; k++) slot[grab->node[k]] = 0;
  if (!ok || made->count == 0) grab_destroy(made);
  return ok;
}

bool grabs_carry(Grabs *grabs, const Grabs *old, const int *from, const double *fraction, Error *error) {
  int *slot = array_new(old->node_count, sizeof *slot, "grabbed nodes", error);
  bool ok = slot;
  grabs->slots = old->slots;
  for (int g = 0; ok && g < old->slots; g++) {
    if (!old->grab[g].id) continue;
    grabs->holds_changed = grabs->holds_changed || grab_holds(&old->grab[g]);
    ok = carry_grab(&grabs->grab[g], &old->grab[g], grabs->node_count, from, fraction, slot, error);
  }
  grabs->next_id = old->next_id;
  grabs->changed = true;
  free(slot);
  return ok;
}

void grabs_take_list(Grabs *grabs, Grabs *old) {
  node_list_destroy(&grabs->list);
  grabs->list = old->list;
  old->list = (NodeList){ 0 };
}

void grabs_start(const Grabs *grabs, int id, int node, double start[3]) {
  start[0] = start[1] = start[2] = 0;
  for (const Grab *grab = grabs->grab; grab < grabs->grab + grabs->slots; grab++)
    for (int k = 0; id && grab->id == id && k < grab->count; k++)
      if (grab->node[k] == node) memcpy(start, grab->start[k], sizeof *grab->start);
}

const Grab *grabs_find(const Grabs *grabs, int id) {
  for (const Grab *grab = grabs->grab; id && grab < grabs->grab + grabs->slots; grab++)
    if (grab->id == id) return grab;
  return NULL;
}

void grab_target(const Grab *grab, int k, double theta, double target[3]) {
  const double *before = grab->offset_before;
  for (int i = 0; i < 3; i++) target[i] = grab->start[k][i] + (before[i] + theta * (grab->offset[i] - before[i]));
}

void grab_spring_force(const Grab *grab, int k, const double u[3], double force[3]) {
  double target[3];
  grab_target(grab, k, 1, target);
  for (int i = 0; i < 3; i++) force[i] = grab->stiffness * grab->weight[k] * (target[i] - u[i]);
}

static void list_node(Grabs *grabs, int node) {
  if (grabs->is_listed[node]) return;
  grabs->is_listed[node] = 1;
  grabs->node[grabs->listed++] = node;
  if (grabs->damper) grabs->value[node][1] = grabs->damper[node];
}

bool grabs_set_dampers(Grabs *grabs, const double *damper, Error *error) {
  if (!grabs->damper && !(grabs->damper = array_new(grabs->node_count, sizeof *grabs->damper, "nodes", error)))
    return false;
  memcpy(grabs->damper, damper, sizeof *damper * (size_t)grabs->node_count);
  for (int a = 0; a < grabs->node_count; a++) list_node(grabs, a);
  return grabs->changed = true;
}

// Removes the nodes that no spring pulls any more from the list of nodes whose springs are copied to the device. The
// last copy has set the stiffness of their springs on the device to 0.
static void forget_free_nodes(Grabs *grabs) {
  int kept = 0;
  for (int k = 0; k < grabs->listed; k++) {
    const int node = grabs->node[k];
    if (grabs->value[node][0] > 0)
      grabs->node[kept++] = node;
    else
      grabs->is_listed[node] = 0;
  }
  grabs->listed = kept;
}

void grabs_step_done(Grabs *grabs) {
  for (Grab *grab = grabs->grab; grab < grabs->grab + grabs->slots; grab++) {
    if (!grab->id || memcmp(grab->offset_before, grab->offset, sizeof grab->offset) == 0) continue;
    memcpy(grab->offset_before, grab->offset, sizeof grab->offset);
    grabs->changed = true;  // offset_before has changed, so the targets within the next time step change too
  }
}

bool grabs_list(Grabs *grabs, double theta, Stream stream, int *count, Error *error) {
  *count = 0;
  if (!grabs->changed) return true;
  for (int k = 0; k < grabs->listed; k++) {
    double *value = grabs->value[grabs->node[k]];
    memset(value, 0, sizeof *grabs->value);
    if (grabs->damper) value[1] = grabs->damper[grabs->node[k]];
  }

  for (int g = 0; g < grabs->slots; g++) {
    const Grab *grab = &grabs->grab[g];
    for (int k = 0; !grab_holds(grab) && k < grab->count; k++) {
      double *value = grabs->value[grab->node[k]];
      const double spring = grab->stiffness * grab->weight[k];
      double target[3];
      grab_target(grab, k, theta, target);
      list_node(grabs, grab->node[k]);
      value[0] += spring;
      value[1] += grab->damping * grab->weight[k];
      for (int i = 0; i < 3; i++) value[2 + i] += spring * target[i];
    }
  }

  if (!node_list_upload(&grabs->list, grabs->node, &grabs->value[0][0], grabs->listed, stream, error)) return false;
  *count = grabs->listed;
  forget_free_nodes(grabs);
  grabs->changed = false;
  return true;
}

static void save_slot(const Grabs *grabs, int slot, const int *user_node, FILE *file) {
  const Grab *grab = &grabs->grab[slot];
  const int head[3] = { slot, grab->id, grab->count };
  fwrite(head, sizeof head, 1, file);
  fwrite(&grab->stiffness, sizeof grab->stiffness, 1, file);
  fwrite(&grab->damping, sizeof grab->damping, 1, file);
  fwrite(grab->offset, sizeof grab->offset, 1, file);
  fwrite(grab->offset_before, sizeof grab->offset_before, 1, file);
  for (int k = 0; k < grab->count; k++) {
    fwrite(&user_node[grab->node[k]], sizeof(int), 1, file);
    fwrite(&grab->weight[k], sizeof(double), 1, file);
    fwrite(grab->start[k], sizeof *grab->start, 1, file);
  }
}

void grabs_save(const Grabs *grabs, const int *user_node, FILE *file) {
  int used = 0;
  for (int g = 0; g < grabs->slots; g++) used += grabs->grab[g].id != 0;
  fwrite(&grabs->next_id, sizeof grabs->next_id, 1, file);
  fwrite(&used, sizeof used, 1, file);
  for (int g = 0; g < grabs->slots; g++)
    if (grabs->grab[g].id) save_slot(grabs, g, user_node, file);
}

void grabs_save_one(const Grabs *grabs, int id, const int *user_node, FILE *file) {
  for (int g = 0; g < grabs->slots; g++)
    if (id && grabs->grab[g].id == id) save_slot(grabs, g, user_node, file);
}

// Returns true if a grab (group of nodes that the user moves) had this id before and none has it now.
static bool new_id(const Grabs *grabs, int id) {
  for (int g = 0; g < grabs->slots; g++)
    if (grabs->grab[g].id == id) return false;
  return id >= 1 && id <= grabs->next_id;
}

// Reads a saved grab (group of nodes that the user moves) and stores it in grabs->grab at its former index, with its
// former id. If another grab has this index or id, takes the first free index or a new id, but only if `anywhere` is
// true; otherwise fails. Fails without a message if the data are invalid.
static bool restore_grab(Grabs *grabs, bool anywhere, const int *inside, Bytes *bytes, int *id, Error *error) {
  int head[3];
  Grab made = { 0 };
  bytes_take(bytes, head, sizeof head);
  bytes_take(bytes, &made.stiffness, sizeof made.stiffness);
  bytes_take(bytes, &made.damping, sizeof made.damping);
  bytes_take(bytes, made.offset, sizeof made.offset);
  bytes_take(bytes, made.offset_before, sizeof made.offset_before);
  int slot = head[0];
  const int count = head[2], users = grabs->user_count ? grabs->user_count : grabs->node_count;
  if (anywhere && head[1] > grabs->next_id) grabs->next_id = head[1];
  if (anywhere && !new_id(grabs, head[1])) head[1] = ++grabs->next_id;
  if (anywhere && slot >= 0 && slot < GRABS_MAX && grabs->grab[slot].id)
    for (slot = 0; slot < GRABS_MAX && grabs->grab[slot].id;) slot++;
  if (bytes->exhausted || slot < 0 || slot >= GRABS_MAX || grabs->grab[slot].id || !new_id(grabs, head[1]) ||
      count < 1 || count > users || !(made.stiffness >= 0 && made.damping >= 0) || !isfinite(made.stiffness) ||
      !isfinite(made.damping))
    return false;
  for (int i = 0; i < 3; i++)
    if (!isfinite(made.offset[i]) || !isfinite(made.offset_before[i])) return false;
  *id = made.id = head[1];
  Grab *grab = &grabs->grab[slot];
  bool ok = grab_reserve(grab, count, error);
  made.capacity = grab->capacity;
  made.node = grab->node;
  made.weight = grab->weight;
  made.start = grab->start;
  for (int k = 0; ok && k < count; k++) {
    int node;
    bytes_take(bytes, &node, sizeof node);
    bytes_take(bytes, &made.weight[made.count], sizeof(double));
    bytes_take(bytes, made.start[made.count], sizeof *made.start);
    const double weight = made.weight[made.count], *start = made.start[made.count];
    ok = !bytes->exhausted && node >= 0 && node < users && weight >= 0 && weight <= 1 &&
         isfinite(start[0] + start[1] + start[2]);
    if (ok && inside[node] >= 0) made.node[made.count++] = inside[node];
  }

  if (ok) use_slot(grabs, slot);
  if (ok) *grab = made;
  if (ok) grabs->holds_changed = grabs->holds_changed || grab_holds(&made);
  return ok;
}

bool grabs_restore(Grabs *grabs, const int *inside, Bytes *bytes, Error *error) {
  int next_id, used, ignored;
  grabs_release(grabs, 0);
  bytes_take(bytes, &next_id, sizeof next_id);
  bytes_take(bytes, &used, sizeof used);
  // without grabs before and after, the next step is no change by the user, so its change of energy is counted
  grabs->changed = grabs->changed || used != 0;
  bool ok = !bytes->exhausted && used >= 0 && used <= GRABS_MAX && next_id >= used;
  if (ok) grabs->next_id = next_id;  // later grabs get the ids that they would get in the saved run
  for (int k = 0; ok && k < used; k++) ok = restore_grab(grabs, false, inside, bytes, &ignored, error);
  return ok || error_set(error,
                         "nodes that are pulled or held in the saved state do not exist in this body; load a state of "
                         "the same body");
}

bool grabs_restore_one(Grabs *grabs, const int *inside, Bytes *bytes, int *id, Error *error) {
  grabs->changed = true;
  return restore_grab(grabs, true, inside, bytes, id, error) ||
         error_set(
             error,
             "pulled nodes cannot be restored: they belong to another body, or %d groups of nodes are already pulled; "
             "release a group of nodes first",
             GRABS_MAX);
}
