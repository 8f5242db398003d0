// Pins, supports and grabs of a simulation: the nodes that are held or pulled (simulation.h).
#include "sim/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/index_check.h"
#include "sim/element/number_range.h"
#include "sim/simulation_parts.h"

// Converts pins, one byte for each node in the user's order, to marks of unknowns in the internal order. `unknown` and
// `follows`, both [3 node_count], mark the pinned unknowns by 1: `unknown` those at rest, `follows` those that follow a
// motion.
static void sort_pins(const Simulation *w, const uint8_t *pinned, uint8_t *unknown, uint8_t *follows) {
  const int n = 3 * w->space.node_count;
  for (int i = 0; pinned && i < n; i++) {
    const uint8_t pin = pinned[w->user_node[i / 3]];
    const bool has_motion = w->supports.count > 0 && w->supports.of[i / 3][i % 3] > 0;
    follows[i] = pin_holds(pin, i % 3) && pin & PIN_FOLLOWS && has_motion;
    unknown[i] = pin_holds(pin, i % 3) && !follows[i];
  }
}

// Returns the data that determine the constrained nodes and their positions at `time`, s. Constraints are pins, grabs
// with stiffness 0 and supports.
static ConstraintSource constraint_source(const Simulation *w, const uint8_t *pinned, double time) {
  return (ConstraintSource){ .node_count = w->space.node_count,
                             .pinned = pinned,
                             .grabs = &w->grabs,
                             .supports = &w->supports,
                             .X = (const double(*)[3])w->space.X,
                             .time = time };
}

// Marks the unknowns that pins, grabs and supports hold, and copies the marks to the body's state. pinned [3
// node_count] has new pins in the internal order; NULL: the present pins remain.
static bool set_held(Simulation *w, const uint8_t *pinned, Error *error) {
  const int n = 3 * w->space.node_count;
  WORK_ARRAYS_HERE(&w->work);
  uint8_t *held = work_array(&w->work, n, 1, "pins", error);
  uint8_t *now = pinned ? NULL : work_array(&w->work, n, 1, "pins", error);
  bool ok = held && (pinned || now);
  if (ok && now) {
    ok = w->arrays->held(w->motion, now, simulation_stream(w), error);
    for (int i = 0; i < n; i++) now[i] &= HELD_PINNED;
  }
  if (ok) {
    const ConstraintSource source = constraint_source(w, pinned ? pinned : now, 0);
    constraints_mark(&source, held);
    w->grabs.holds_changed = false;
    ok = w->newton_functions->set_held(&w->newton, held, error);
  }
  return ok;
}

bool simulation_set_pins(Simulation *w, const uint8_t *pinned, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  const int n = 3 * w->space.node_count;
  WORK_ARRAYS_HERE(&w->work);
  uint8_t *unknown = work_array(&w->work, n, 1, "pins", error), *follows = work_array(&w->work, n, 1, "pins", error);
  if (!unknown || !follows) return false;
  sort_pins(w, pinned, unknown, follows);
  supports_follow(&w->supports, follows);

  // all processes must agree if supports move the body, so that energy_change does not depend on the owner of a node
  double any = w->supports.any_followers;
  if (!halo_sum(w->halo, &any, 1, error)) return false;
  w->supports.any_followers = any > 0;
  return set_held(w, unknown, error);
}

bool simulation_set_supports(Simulation *w, const RigidMotion *motions, int count, const uint16_t (*support)[3],
                             const uint8_t *pinned, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int nodes = w->space.node_count;
  for (int k = 0; k < count; k++) {
    char name[40];
    snprintf(name, sizeof name, "motion %d of pins", k + 1);
    if (!range_check_motion(&motions[k], name, w->settings.precision, error)) return false;
  }

  uint16_t(*of)[3] = array_new(nodes, sizeof *of, "motions of pins", error);
  Supports made = { 0 };
  bool ok = of;
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) {
      of[a][i] = count > 0 ? support[w->user_node[a]][i] : 0;
      if (of[a][i] > count)
        ok = error_set(error, "node %d follows motion %d of pins, expected 0 to %d", w->user_node[a], of[a][i], count);
    }
  ok = ok && (count == 0 || supports_create(&made, motions, count, (const uint16_t(*)[3])of, nodes, error));
  free(of);
  if (!ok) return false;
  supports_destroy(&w->supports);
  w->supports = made;
  return simulation_set_pins(w, pinned, error);
}

// Adds a grab: springs that pull nodes which are closer to the point X than `radius`, m. If `seed` is a node, the grab
// has this node and those nodes that paths of edges within the radius connect with it. If `seed` is -1, the grab has
// the node nearest to X and all other nodes of its body within the radius.
static bool grab(Simulation *w, int seed, const double X[3], double radius, double stiffness, int *id, Error *error) {
  if (!(radius >= 0) || !(stiffness > 0) || !isfinite(stiffness))
    return error_set(error,
                     "the springs that pull the nodes within %g m of a point have a stiffness of %g N/m; expected a "
                     "distance of 0 or more and a stiffness above 0",
                     radius, stiffness);
  if (!range_check_values(&stiffness, 1, w->settings.precision, "a grab's stiffness", "N/m", error)) return false;
  double(*u)[3] = array_new(w->space.node_count, sizeof *u, "displacements", error);
  if (!u) return false;
  const bool ok =
      w->arrays->displacements(w->motion, u, simulation_stream(w), error) &&
      grabs_add(&w->grabs, &w->space, w->mass, (const double(*)[3])u, X, radius, seed, stiffness, id, error);
  free(u);
  return ok;
}

bool simulation_grab(Simulation *w, const double X[3], double radius, double stiffness, int *id, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  return grab(w, -1, X, radius, stiffness, id, error);
}

// Fails if one of the user's nodes does not exist, or if processes divide the body, so that each has only some nodes.
static bool check_nodes(const Simulation *w, const int *nodes, int count, Error *error) {
  if (w->halo) return error_set(error, "single nodes cannot be grabbed if several processes divide the body");
  return index_check(nodes, count, w->space.node_count, "the node of a grab", error);
}

bool simulation_grab_part(Simulation *w, int node, const double X[3], double radius, double stiffness, int *id,
                          Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  if (!check_nodes(w, &node, 1, error)) return false;
  return grab(w, w->loads.node_index[node], X, radius, stiffness, id, error);
}

bool simulation_grab_nodes(Simulation *w, const uint8_t *inside, double stiffness, int *id, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int nodes = w->space.node_count;
  double(*u)[3] = array_new(nodes, sizeof *u, "displacements", error);
  int *list = array_new(nodes, sizeof *list, "grabbed nodes", error), count = 0;
  bool ok = u && list;
  for (int a = 0; ok && a < nodes; a++)
    if (inside[w->user_node[a]]) list[count++] = a;
  double all = count;
  ok = ok && halo_sum(w->halo, &all, 1, error);
  if (ok && all == 0) ok = error_set(error, "there is no node to be grabbed (pulled or held); give at least one node");
  ok = ok && range_check_values(&stiffness, 1, w->settings.precision, "a grab's stiffness", "N/m", error) &&
       w->arrays->displacements(w->motion, u, simulation_stream(w), error) &&
       grabs_add_nodes(&w->grabs, &w->space, w->mass, (const double(*)[3])u, list, count, stiffness, id, error);
  free(u);
  free(list);
  return ok;
}

bool simulation_drag(Simulation *w, int id, const double offset[3], Error *error) {
  for (int i = 0; i < 3; i++)
    if (!range_check_number(offset[i], "m", w->settings.precision, "the offset of a drag", error)) return false;
  grabs_move(&w->grabs, id, offset);
  return true;
}

bool simulation_drag_nodes(Simulation *w, int id, const int *nodes, int count, const double (*x)[3], Error *error) {
  if (!check_nodes(w, nodes, count, error)) return false;
  int *inside = array_new(count, sizeof *inside, "grabbed nodes", error), missing;
  double(*u)[3] = array_new(count, sizeof *u, "grabbed nodes", error);
  bool ok = inside && u;
  for (int k = 0; ok && k < count; k++) {
    inside[k] = w->loads.node_index[nodes[k]];
    for (int i = 0; ok && i < 3; i++) {
      ok = range_check_number(x[k][i], "m", w->settings.precision, "the target of a node", error);
      u[k][i] = x[k][i] - w->space.X[inside[k]][i];
    }
  }
  ok = ok && (grabs_put(&w->grabs, id, inside, count, (const double(*)[3])u, &missing, error) ||
              (missing >= 0 && error_prefix(error, "node %d", nodes[missing])));
  free(inside);
  free(u);
  return ok;
}

bool simulation_release(Simulation *w, int id, Error *error) {
  (void)error;
  grabs_release(&w->grabs, id);
  return true;
}

bool simulation_grabs(const Simulation *w, int id) {
  return grabs_has(&w->grabs, id);
}

void simulation_keep_grabs(Simulation *w, int *ids, int count) {
  grabs_keep(&w->grabs, ids, count);
}

void simulation_grab_save(const Simulation *w, int id, FILE *file) {
  grabs_save_one(&w->grabs, id, w->user_node, file);
}

bool simulation_grab_again(Simulation *w, Bytes *bytes, int *id, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  return grabs_restore_one(&w->grabs, w->loads.node_index, bytes, id, error);
}

bool simulation_grab_start(const Simulation *w, int id, int node, double x[3], Error *error) {
  if (!check_nodes(w, &node, 1, error)) return false;
  const int inside = w->loads.node_index[node];
  grabs_start(&w->grabs, id, inside, x);
  for (int i = 0; i < 3; i++) x[i] += w->space.X[inside][i];
  return true;
}

bool simulation_update_constraints(Simulation *w, double time, Error *error) {
  const ConstraintSource source = constraint_source(w, NULL, time);
  Constraints *c = &w->constraints;
  if (!w->grabs.changed && w->supports.followers == 0) return true;
  int count;
  return (!w->grabs.holds_changed || set_held(w, NULL, error)) &&
         constraints_list(c, &source, simulation_stream(w), &count, error) &&
         w->loops->set_targets(w->motion, c->list.node_dev, c->list.value_dev, count, simulation_stream(w), error);
}

bool simulation_copy_springs(Simulation *w, double theta, Error *error) {
  int count;
  return grabs_list(&w->grabs, theta, simulation_stream(w), &count, error) &&
         w->loops->set_springs(w->motion, w->grabs.list.node_dev, w->grabs.list.value_dev, count, simulation_stream(w),
                               error);
}
