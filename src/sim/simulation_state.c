// Reads and writes a simulation's state, and its checkpoints (simulation.h). The user's order of nodes is the order in
// the caller's mesh; the internal order is the order in which the simulation stores nodes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gather.h"
#include "base/parallel.h"
#include "sim/contact/contact_cuda.h"
#include "sim/contact/crossing.h"
#include "sim/contact/rigid_surface.h"
#include "sim/contact_report.h"
#include "sim/operator/partial/partial.h"
#include "sim/operator/parts/part_layout.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"

// Returns the time, s, at the end of step number `step`. dt has been constant since step w->steps_then.
static double time_of(const Simulation *w, int64_t step) {
  return w->time_then + (double)(step - w->steps_then) * w->settings.dt;
}

double simulation_time(const Simulation *w) {
  return time_of(w, w->step_count);
}

double simulation_next_time(const Simulation *w) {
  return time_of(w, w->step_count + 1);
}

int64_t simulation_step_count(const Simulation *w) {
  return w->step_count;
}

void node_numbering_destroy(NodeNumbering *numbering) {
  free(numbering->order);
  free(numbering->part);
  free(numbering->rank);
  free(numbering->batch);
  *numbering = (NodeNumbering){ 0 };
}

int simulation_batch_slots(int tets) {
  return (tets + BATCH_CELLS - 1) / BATCH_CELLS * BATCH_CELLS;
}

// Arguments of find_batches, which computes batch [cell_count]: the batch and thread of each cell as one number, the
// cell's index in CellBatches.cell. A batch is the cells that one thread block of a GPU processes, one for each thread.
typedef struct Finding {
  const CellBatches *batches;
  int *batch;
} Finding;

static void find_batches(const void *finding, int first, int last) {
  const Finding *f = finding;
  for (int at = first; at < last; at++)
    if (f->batches->cell[at] >= 0) f->batch[f->batches->cell[at]] = at;
}

bool simulation_numbering(const Simulation *w, bool batches, NodeNumbering *numbering, Error *error) {
  const int nodes = w->space.node_count, cells = w->space.cell_count;
  const bool takes = (batches || w->keeps_batches) && simulation_tears(w);
  const PartLayout *layout = w->A.parts;
  int *inside = layout ? array_new(nodes, sizeof *inside, "parts", error) : NULL;
  int *batch = takes ? array_capacity(cells, sizeof *batch, "cells", error) : NULL;

  *numbering =
      (NodeNumbering){ .order = array_new(nodes, sizeof *numbering->order, "node order", error),
                       .part = layout ? array_new(nodes, sizeof *numbering->part, "parts", error) : NULL,
                       .part_count = layout ? layout->part_count : 0,
                       .rank = w->rank ? array_new(nodes, sizeof *numbering->rank, "node order", error) : NULL,
                       .batch = takes ? array_capacity(cells, sizeof *numbering->batch, "cells", error) : NULL };

  const bool ok = numbering->order && (numbering->rank || !w->rank) && (!takes || (batch && numbering->batch)) &&
                  (!layout || (inside && numbering->part && part_nodes_read(&w->A, inside, error)));
  if (ok) memcpy(numbering->order, w->user_node, sizeof *numbering->order * (size_t)nodes);
  if (ok && w->rank) memcpy(numbering->rank, w->rank, sizeof *numbering->rank * (size_t)nodes);
  for (int a = 0; ok && layout && a < nodes; a++) numbering->part[w->user_node[a]] = inside[a];

  if (ok && takes) {
    const CellBatches *b = partial_batches(&w->A);
    parallel_for(b->batch_count * BATCH_CELLS, 1 << 14, find_batches, &(Finding){ b, batch });
    gather_items(numbering->batch, batch, w->cell_index, cells, sizeof *batch);
  }

  free(inside);
  free(batch);
  if (!ok) node_numbering_destroy(numbering);
  return ok;
}

int64_t simulation_touched(const Simulation *w) {
  return w->touched;
}

const SimulationSettings *simulation_settings(const Simulation *w) {
  return &w->settings;
}

Stream simulation_stream(const Simulation *w) {
  return w->streams[w->settings.device];
}

// Writes momenta, kg m/s, or displacements, m, to out [node_count][3] in the user's order. If X is not NULL, adds these
// rest positions to the displacements, which gives positions.
static bool ordered_state(Simulation *w, bool momenta, const double (*X)[3], double (*out)[3], Error *error) {
  double(*inside)[3] = array_new(w->space.node_count, sizeof *inside, "state", error);
  const bool ok = inside && (momenta ? w->arrays->read(w->motion, MOTION_P, &inside[0][0], simulation_stream(w), error)
                                     : w->arrays->displacements(w->motion, inside, simulation_stream(w), error));
  for (int a = 0; ok && a < w->space.node_count; a++)
    for (int i = 0; i < 3; i++) out[w->user_node[a]][i] = inside[a][i] + (X ? X[a][i] : 0);
  free(inside);
  return ok && simulation_complete(w, &out[0][0], 3, error);
}

bool simulation_state(Simulation *w, double (*positions)[3], double (*momenta)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  return (!positions || ordered_state(w, false, (const double(*)[3])w->space.X, positions, error)) &&
         (!momenta || ordered_state(w, true, NULL, momenta, error));
}

bool simulation_displacements(Simulation *w, double (*displacements)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  return ordered_state(w, false, NULL, displacements, error);
}

// Fails if a connected piece of the mesh is inside an obstacle. The caller has checked that no surfaces intersect, so
// testing one node of each piece is enough.
static bool check_outside(const Simulation *w, const double (*x)[3], Error *error) {
  const Skin *skin = &w->contact->skin;
  const RigidObstacles obstacles = settings_rigid(&w->settings);
  for (int part = 0; part < skin->component_count && skin->first_node[part] < skin->body_nodes; part++) {
    const int a = skin->first_node[part];
    const int k = rigid_surface_around(&w->rigid, &obstacles, x + skin->body_nodes, x[a]);
    if (k < 0) continue;
    error_set(
        error,
        "the connected piece that contains node %lld is inside obstacles entry %d; with self_contact, bodies must "
        "be outside obstacles",
        (long long)w->space.node_tag[a], k + 1);
    return w->space.body ? error_prefix(error, "body %d, counted from 0", w->space.body[a]) : false;
  }
  return true;
}

// Adds the names of a plane, and of the body that is partly below it, to the error message. Returns false.
static bool name_plane(const Simulation *w, const Crossings *crossings, Error *error) {
  const Skin *skin = &w->contact->skin;
  const int node = skin->plane[crossings->plane] - skin->body_nodes;
  int k = 0;
  while (k < w->settings.obstacle_count && node >= w->rigid.first_node[k + 1]) k++;
  if (k == w->settings.obstacle_count)
    error_prefix(error, "the floor");
  else
    error_prefix(error, "obstacles entry %d", k + 1);
  if (!w->space.body) return false;
  return error_prefix(error, "body %d, counted from 0", w->space.body[skin->vertex[crossings->vertex]]);
}

bool simulation_check_contact(Simulation *w, const double (*x)[3], Error *error) {
  Contact *c = w->contact;
  Crossings crossings;
  Error second = { 0 };
  memcpy(c->to, x, sizeof *x * (size_t)w->space.node_count);
  contact_place_rigid(c, NULL, c->to);
  const double(*all)[3] = (const double(*)[3])c->to;
  if (contact_check(c, all, w->space.node_tag, error)) {
    error->intersects = !check_outside(w, all, error);
    return !error->intersects;
  }

  // Put names of the things that intersect before the message: a plane and a body, or one or two bodies.
  if (!find_crossings(&c->skin, all, &crossings, &second) || crossings.count == 0) return false;
  error->intersects = true;
  if (crossings.vertex >= 0) return name_plane(w, &crossings, error);
  if (!w->space.body) return false;
  const int edge = c->skin.edge[crossings.edge][0], triangle = c->skin.triangle[crossings.triangle][0];
  const int bodies = c->skin.body_nodes;
  if (edge >= bodies || triangle >= bodies)
    return error_prefix(error, "body %d, counted from 0", w->space.body[edge < bodies ? edge : triangle]);
  return error_prefix(error, "bodies %d and %d, counted from 0", w->space.body[edge], w->space.body[triangle]);
}

// Fails if the surface at the displacements u + origin, m, intersects itself or an obstacle. u [node_count][3] is in
// the internal order. Without self-contact it checks nothing.
static bool check_contact(Simulation *w, const double (*u)[3], const double origin[3], Error *error) {
  if (!w->contact) return true;
  WORK_ARRAYS_HERE(&w->work);
  double(*x)[3] = work_array(&w->work, w->space.node_count, sizeof *x, "state", error);
  for (int a = 0; x && a < w->space.node_count; a++)
    for (int i = 0; i < 3; i++) x[a][i] = w->space.X[a][i] + (u[a][i] + origin[i]);
  return x && simulation_check_contact(w, (const double(*)[3])x, error);
}

bool simulation_check_state(Simulation *w, Error *error) {
  WORK_ARRAYS_HERE(&w->work);
  double(*u)[3] = work_array(&w->work, w->space.node_count, sizeof *u, "state", error);
  return u && w->arrays->displacements(w->motion, u, simulation_stream(w), error) &&
         check_contact(w, (const double(*)[3])u, (const double[3]){ 0 }, error);
}

// Fails if displacement u or velocity p / mass of a node is outside the range of the precision. `node` is its internal
// number.
static bool check_node(const Simulation *w, int node, const double u[3], const double p[3], Error *error) {
  const Precision precision = w->settings.precision;
  char moved[64], speed[64];
  snprintf(moved, sizeof moved, "the displacement of node %lld", (long long)w->space.node_tag[node]);
  snprintf(speed, sizeof speed, "the velocity of node %lld", (long long)w->space.node_tag[node]);
  for (int i = 0; i < 3; i++)
    if (!range_check_number(u[i], "m", precision, moved, error) ||
        !range_check_number(p[i] / w->mass[node], "m/s", precision, speed, error))
      return false;
  return true;
}

bool simulation_set_state(Simulation *w, const double (*positions)[3], const double (*momenta)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  WORK_ARRAYS_HERE(&w->work);
  double(*u)[3] = work_array(&w->work, w->space.node_count, sizeof *u, "state", error);
  double(*p)[3] = work_array(&w->work, w->space.node_count, sizeof *p, "state", error);
  bool ok = u && p;
  for (int a = 0; ok && a < w->space.node_count; a++) {
    for (int i = 0; positions && i < 3; i++) u[a][i] = positions[w->user_node[a]][i] - w->space.X[a][i];
    if (momenta) memcpy(p[a], momenta[w->user_node[a]], sizeof *p);
    ok = ok && check_node(w, a, u[a], p[a], error);
  }

  w->newton.has_before = w->newton.knows_start = false;
  w->touched++;
  if (w->contact) contact_forget_friction(w->contact);
  return ok && (!positions || check_contact(w, (const double(*)[3])u, (const double[3]){ 0 }, error)) &&
         (!positions || w->arrays->set_displacements(w->motion, (const double(*)[3])u, simulation_stream(w), error)) &&
         (!momenta || w->arrays->write(w->motion, MOTION_P, &p[0][0], simulation_stream(w), error));
}

bool simulation_inside_velocities(Simulation *w, double (*v)[3], Error *error) {
  return w->loops->find_velocity(w->motion, simulation_stream(w), error) &&
         w->arrays->velocities(w->motion, v, simulation_stream(w), error);
}

bool simulation_set_inside_velocities(Simulation *w, const double (*v)[3], Error *error) {
  const int nodes = w->space.node_count;
  WORK_ARRAYS_HERE(&w->work);
  double(*p)[3] = work_array(&w->work, nodes, sizeof *p, "momenta", error);
  uint8_t *held = work_array(&w->work, 3 * (int64_t)nodes, 1, "pins", error);
  bool ok = p && held && w->arrays->held(w->motion, held, simulation_stream(w), error);
  if (ok && w->masses.diagonal) mass_matrix_multiply(&w->masses, &w->space, v, p);
  ok = ok && halo_refresh(w->halo, &p[0][0], 3, error);
  for (int k = 0; ok && k < 3 * nodes; k++) {
    if (!w->masses.diagonal) p[k / 3][k % 3] = w->mass[k / 3] * v[k / 3][k % 3];
    if (held[k]) p[k / 3][k % 3] = 0;
  }
  ok = ok && w->arrays->write(w->motion, MOTION_P, &p[0][0], simulation_stream(w), error);
  w->newton.has_before = w->newton.knows_start = false;
  w->touched++;
  return ok;
}

bool simulation_velocities(Simulation *w, double (*velocities)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  double(*inside)[3] = array_new(w->space.node_count, sizeof *inside, "velocities", error);
  const bool ok = inside && simulation_inside_velocities(w, inside, error);
  for (int a = 0; ok && a < w->space.node_count; a++) memcpy(velocities[w->user_node[a]], inside[a], sizeof *inside);
  free(inside);
  return ok && simulation_complete(w, &velocities[0][0], 3, error);
}

bool simulation_set_velocities(Simulation *w, const double (*velocities)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  WORK_ARRAYS_HERE(&w->work);
  double(*inside)[3] = work_array(&w->work, w->space.node_count, sizeof *inside, "velocities", error);
  for (int a = 0; inside && a < w->space.node_count; a++)
    memcpy(inside[a], velocities[w->user_node[a]], sizeof *inside);
  return inside && simulation_set_inside_velocities(w, (const double(*)[3])inside, error);
}

// Writes the friction anchors of nodes on obstacles. An anchor is the displacement at which a node sticks to an
// obstacle. Obstacles that are surfaces of self-contact have no anchors. Writes the number of all obstacles, then for
// each obstacle 1 if it has anchors, else 0, then the anchors [user's node][3] of each obstacle that has anchors.
static bool save_obstacle_anchors(Simulation *w, FILE *file, Error *error) {
  const int nodes = w->space.node_count;
  const int32_t count = w->settings.obstacle_count;
  Obstacle solid[OBSTACLES_MAX];
  const int64_t all = (int64_t)simulation_solid_obstacles(&w->settings, solid) * nodes;

  fwrite(&count, sizeof count, 1, file);
  uint8_t has[OBSTACLES_MAX];
  for (int k = 0; k < count; k++) has[k] = !obstacle_is_surface(&w->settings.obstacles[k], w->settings.self_contact);
  fwrite(has, 1, (size_t)count, file);
  if (all == 0) return true;

  WORK_ARRAYS_HERE(&w->work);
  double(*inside)[3] = work_array(&w->work, all, sizeof *inside, "state", error);
  double(*ordered)[3] = work_array(&w->work, w->user_count, sizeof *ordered, "state", error);
  bool ok = inside && ordered &&
            w->arrays->read(w->motion, MOTION_OBSTACLE_ANCHOR, &inside[0][0], simulation_stream(w), error);
  for (int64_t first = 0; ok && first < all; first += nodes) {
    for (int a = 0; a < nodes; a++) memcpy(ordered[w->user_node[a]], inside[first + a], sizeof *ordered);
    ok = simulation_complete(w, &ordered[0][0], 3, error);
    if (ok) fwrite(ordered, sizeof *ordered, (size_t)w->user_count, file);
  }
  return ok;
}

// Writes the number of pairs of self-contact that stick by static friction, then these pairs. A pair has four nodes,
// such as a point and a triangle. Nodes of the mesh have the user's numbers; nodes of obstacles are numbered after
// them.
static bool save_pair_anchors(const Simulation *w, FILE *file, Error *error) {
  const Contact *c = w->contact;
  Anchor *list = NULL;
  int64_t count = 0;
  if (c && c->sticks && !anchors_list(&c->anchors, simulation_stream(w), &list, &count, error)) return false;
  fwrite(&count, sizeof count, 1, file);
  for (int64_t k = 0; k < count; k++) {
    Anchor *anchor = &list[k];
    for (int j = 0; j < 4; j++)
      if (anchor->node[j] < w->space.node_count) anchor->node[j] = w->user_node[anchor->node[j]];
    fwrite(anchor->node, sizeof anchor->node, 1, file);
    fwrite(&anchor->kind, sizeof anchor->kind, 1, file);
    fwrite(&anchor->side, sizeof anchor->side, 1, file);
    fwrite(anchor->stretch, sizeof anchor->stretch, 1, file);
  }
  free(list);
  return true;
}

// Writes the pairs of self-contact that slid in the last step, with the positions of their nodes at the start of that
// step. Friction forces depend on these data until the next step.
static bool save_sliding(Simulation *w, FILE *file, Error *error) {
  Contact *c = w->contact;
#ifdef PLIANT_CUDA
  if (c && c->cuda && !contact_cuda_report_sliding(c->cuda, c, simulation_stream(w), error)) return false;
#endif
  const int64_t count = c ? c->sliding_count : 0;

  // the distance below which friction is smoothed, from which restore_sliding also computes Contact.last_duration
  const double still = c && contact_rubs(c) ? c->still_speed * c->last_duration : 0;
  (void)error;
  fwrite(&count, sizeof count, 1, file);
  fwrite(&still, sizeof still, 1, file);
  for (int64_t k = 0; k < count; k++) {
    const Sliding *s = &c->sliding[k];
    const uint8_t kind = (uint8_t)s->kind;
    int node[4];
    for (int j = 0; j < 4; j++) node[j] = s->node[j] < w->space.node_count ? w->user_node[s->node[j]] : s->node[j];
    fwrite(node, sizeof node, 1, file);
    fwrite(&kind, sizeof kind, 1, file);
    fwrite(s->weight, sizeof s->weight, 1, file);
    fwrite(s->n, sizeof s->n, 1, file);
    fwrite(&s->limit, sizeof s->limit, 1, file);
    fwrite(&s->tie, sizeof s->tie, 1, file);
    fwrite(s->stretch, sizeof s->stretch, 1, file);
    for (int j = 0; j < 4; j++) fwrite(c->start[s->node[j]], sizeof *c->start, 1, file);
  }
  return true;
}

bool simulation_save(Simulation *w, FILE *file, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int nodes = w->space.node_count, users = w->user_count;
  WORK_ARRAYS_HERE(&w->work);
  double(*inside)[3] = work_array(&w->work, nodes, sizeof *inside, "state", error);
  double(*ordered)[3] = work_array(&w->work, users, sizeof *ordered, "state", error);
  double origin[3];
  bool ok = inside && ordered;

  // Write the step count and the time.
  if (ok) {
    fwrite(&w->step_count, sizeof w->step_count, 1, file);
    fwrite(&w->steps_then, sizeof w->steps_then, 1, file);
    fwrite(&w->time_then, sizeof w->time_then, 1, file);
  }

  // Write displacements, momenta, and the origin: a displacement that is added to the displacements of all nodes.
  for (int momenta = 0; ok && momenta < 2; momenta++) {
    ok = w->arrays->read(w->motion, momenta ? MOTION_P : MOTION_U, &inside[0][0], simulation_stream(w), error);
    for (int a = 0; ok && a < nodes; a++) memcpy(ordered[w->user_node[a]], inside[a], sizeof *inside);
    ok = ok && simulation_complete(w, &ordered[0][0], 3, error);
    if (ok) fwrite(ordered, sizeof *ordered, (size_t)users, file);
  }

  ok = ok && w->arrays->read(w->motion, MOTION_ORIGIN, origin, simulation_stream(w), error);
  if (ok) fwrite(origin, sizeof origin, 1, file);

  // Write the data of friction. These are the anchors, points on the floor and on obstacles at which springs of static
  // friction hold nodes, and the pairs of self-contact that stick or slide.
  double(*anchor)[2] = work_array(&w->work, nodes, sizeof *anchor, "state", error);
  ok = ok && anchor && w->arrays->read(w->motion, MOTION_ANCHOR, &anchor[0][0], simulation_stream(w), error);
  for (int a = 0; ok && a < nodes; a++) memcpy(ordered[w->user_node[a]], anchor[a], sizeof *anchor);
  ok = ok && simulation_complete(w, &ordered[0][0], 3, error);
  for (int a = 0; ok && a < users; a++) fwrite(ordered[a], sizeof *anchor, 1, file);
  ok = ok && save_obstacle_anchors(w, file, error) && save_pair_anchors(w, file, error) && save_sliding(w, file, error);

  // Write the state before the last step, which the integrator BDF2 and the extrapolated first guess need.
  const uint8_t has_before = w->newton.has_before;
  if (ok) fwrite(&has_before, 1, 1, file);
  for (int momenta = 0; ok && has_before && momenta < 2; momenta++) {
    const MotionVector vector = momenta ? MOTION_P_BEFORE : MOTION_U_BEFORE;
    ok = w->arrays->read(w->motion, vector, &inside[0][0], simulation_stream(w), error);
    for (int a = 0; ok && a < nodes; a++) memcpy(ordered[w->user_node[a]], inside[a], sizeof *inside);
    ok = ok && simulation_complete(w, &ordered[0][0], 3, error);
    if (ok) fwrite(ordered, sizeof *ordered, (size_t)users, file);
  }

  return ok && simulation_save_grabs(w, file, error);
}

// Reads `width` numbers for each node a of the user's mesh, and stores them in row node_index[a] of the array `to`.
// node_index[a] is the internal number of node a; -1: the node is not in this process, and its numbers are skipped.
// Fails if a number is missing, or outside the precision's range for its unit.
static bool take_nodal(const Simulation *w, Bytes *bytes, const int *node_index, int nodes, int width, const char *unit,
                       double *to, Error *error) {
  enum { TAKEN_MAX = 12 };  // largest width
  for (int a = 0; a < nodes; a++) {
    double skipped[TAKEN_MAX], *value = node_index[a] < 0 ? skipped : to + (size_t)width * (size_t)node_index[a];
    bytes_take(bytes, value, sizeof *value * (size_t)width);
    if (bytes->exhausted) return error_set(error, "the state is damaged: it ends too early or has invalid numbers");
    for (int i = 0; i < width; i++)
      if (!range_check_number(value[i], unit, w->settings.precision, "a number of the saved state", error))
        return false;
  }
  return true;
}

// Reads the friction anchors that save_obstacle_anchors wrote. A node's anchor on an obstacle is the displacement at
// which a spring of static friction holds the node.
static bool restore_obstacle_anchors(Simulation *w, const int *node_index, Bytes *bytes, Error *error) {
  Obstacle solid[OBSTACLES_MAX];
  const int64_t nodes = w->space.node_count, own = simulation_solid_obstacles(&w->settings, solid);
  int32_t count = 0;
  uint8_t has[OBSTACLES_MAX] = { 0 };

  bytes_take(bytes, &count, sizeof count);
  if (bytes->exhausted || count < 0 || count > OBSTACLES_MAX)
    return error_set(error, "the state is damaged: it ends too early or has invalid numbers");
  bytes_take(bytes, has, (size_t)count);

  // An obstacle without friction anchors in the file was part of self-contact when the state was saved. The present
  // displacements become its anchors, so that its friction springs have no force at first.
  WORK_ARRAYS_HERE(&w->work);
  double(*anchor)[3] = work_array(&w->work, (own + 1) * nodes, sizeof *anchor, "state", error);
  bool ok = anchor;
  if (ok && own > 0) ok = w->arrays->read(w->motion, MOTION_U, &anchor[0][0], simulation_stream(w), error);
  for (int64_t k = 1; ok && k < own; k++) memcpy(anchor[k * nodes], anchor[0], sizeof *anchor * (size_t)nodes);

  // The file may have friction anchors for an obstacle that is now part of self-contact, which needs no such anchors.
  // They are read into an extra block at the end of the array, and ignored.
  int64_t at = 0;
  for (int k = 0; ok && k < count; k++) {
    const bool mine =
        k < w->settings.obstacle_count && !obstacle_is_surface(&w->settings.obstacles[k], w->settings.self_contact);
    if (has[k])
      ok = take_nodal(w, bytes, node_index, w->user_count, 3, "m", &anchor[mine ? at * nodes : own * nodes][0], error);
    at += mine;
  }

  return ok &&
         (own == 0 || w->arrays->write(w->motion, MOTION_OBSTACLE_ANCHOR, &anchor[0][0], simulation_stream(w), error));
}

// Reads one pair of self-contact that sticks by static friction, as save_pair_anchors wrote it. Converts its nodes to
// the internal order.
static bool take_anchor(const Simulation *w, const int *node_index, Bytes *bytes, Anchor *anchor, Error *error) {
  bytes_take(bytes, anchor->node, sizeof anchor->node);
  bytes_take(bytes, &anchor->kind, sizeof anchor->kind);
  bytes_take(bytes, &anchor->side, sizeof anchor->side);
  if (!take_nodal(w, bytes, (const int[]){ 0 }, 1, 2, "m", anchor->stretch, error)) return false;
  bool good = anchor->kind >= 0 && anchor->kind < PAIR_KINDS && (anchor->side | 1) == 1;
  for (int j = 0; j < 4; j++) {
    good = good && anchor->node[j] >= 0 && (!w->contact || anchor->node[j] < w->contact->skin.node_count);
    if (good && anchor->node[j] < w->space.node_count) anchor->node[j] = node_index[anchor->node[j]];
  }
  return good || error_set(error, "the state is damaged: it ends too early or has invalid numbers");
}

// Reads the pairs of self-contact that stick, as save_pair_anchors wrote them. Ignores them if self-contact is off.
static bool restore_pair_anchors(Simulation *w, const int *node_index, Bytes *bytes, Error *error) {
  Contact *c = w->contact;
  Anchor *list = NULL, anchor = { 0 };
  int64_t count = 0, capacity = 0;
  bytes_take(bytes, &count, sizeof count);
  if (bytes->exhausted || count < 0 || count > INT32_MAX)
    return error_set(error, "the state is damaged: it ends too early or has invalid numbers");
  bool ok = true;
  for (int64_t k = 0; ok && k < count; k++) {
    ok = take_anchor(w, node_index, bytes, &anchor, error) &&
         array_reserve((void **)&list, &capacity, k + 1, sizeof *list, "contact", error);
    if (ok) list[k] = anchor;
  }
  ok = ok && (!c || anchors_take(&c->anchors, list, count, simulation_stream(w), error));
  free(list);
  return ok;
}

// Fails if a number of the restored grabs is outside the range of the precision.
static bool check_grabs(const Simulation *w, Error *error) {
  const Precision precision = w->settings.precision;
  const char *name = "a spring that pulls nodes in the saved state";
  for (int k = 0; k < GRABS_MAX; k++) {
    const Grab *g = &w->grabs.grab[k];
    if (!g->id) continue;
    bool ok = range_check_number(g->stiffness, "N/m", precision, name, error) &&
              range_check_number(g->damping, "N s/m", precision, name, error);
    for (int i = 0; ok && i < 3; i++)
      ok = range_check_number(g->offset[i], "m", precision, name, error) &&
           range_check_number(g->offset_before[i], "m", precision, name, error);
    for (int a = 0; ok && a < 3 * g->count; a++)
      ok = range_check_number(g->start[a / 3][a % 3], "m", precision, name, error);
    if (!ok) return false;
  }
  return true;
}

// Reads one sliding pair, a contact pair with friction, that save_sliding wrote. Converts its nodes to the internal
// order. `start` gets the positions, m, of its four nodes at the start of the step.
static bool take_sliding(const Simulation *w, const int *node_index, Bytes *bytes, Sliding *s, double start[4][3],
                         Error *error) {
  const int one[] = { 0 };
  uint8_t kind = 0;
  bytes_take(bytes, s->node, sizeof s->node);
  bytes_take(bytes, &kind, sizeof kind);
  bool good = kind < PAIR_KINDS;
  good = good && take_nodal(w, bytes, one, 1, 4, "", s->weight, error);
  good = good && take_nodal(w, bytes, one, 1, 3, "", s->n, error);
  good = good && take_nodal(w, bytes, one, 1, 1, "", &s->limit, error);
  good = good && take_nodal(w, bytes, one, 1, 1, "", &s->tie, error);
  good = good && take_nodal(w, bytes, one, 1, 3, "", s->stretch, error);
  good = good && take_nodal(w, bytes, one, 1, 12, "", start[0], error);
  s->kind = (PairKind)kind;
  for (int j = 0; j < 4; j++) {
    good = good && s->node[j] >= 0 && (!w->contact || s->node[j] < w->contact->skin.node_count);
    if (good && s->node[j] < w->space.node_count) s->node[j] = node_index[s->node[j]];
  }
  return good || error_set(error, "the state is damaged: it ends too early or has invalid numbers");
}

// Reads the pairs of self-contact that slid in the last step, as save_sliding wrote them. Ignores them if self-contact
// is off.
static bool restore_sliding(Simulation *w, const int *node_index, Bytes *bytes, Error *error) {
  Contact *c = w->contact;
  int64_t count = 0;
  double still = 0;
  bytes_take(bytes, &count, sizeof count);
  bytes_take(bytes, &still, sizeof still);
  if (bytes->exhausted || count < 0 || count > INT32_MAX || !isfinite(still))
    return error_set(error, "the state is damaged: it ends too early or has invalid numbers");
  for (int64_t k = 0; k < count; k++) {
    Sliding s;
    double start[4][3];
    if (!take_sliding(w, node_index, bytes, &s, start, error)) return false;
    if (!c) continue;
    if (!array_reserve((void **)&c->sliding, &c->sliding_capacity, k + 1, sizeof *c->sliding, "contact", error))
      return false;
    c->sliding[k] = s;
    for (int j = 0; j < 4; j++) memcpy(c->start[s.node[j]], start[j], sizeof start[j]);
    c->sliding_count = k + 1;
  }

  if (c) {
    c->still = still;
    c->last_duration = still / c->still_speed;
  }
  if (c && c->cuda) c->cuda->host_slides = true;
  return true;
}

bool simulation_save_numbered(Simulation *w, const int *number, FILE *file, Error *error) {
  const int nodes = w->space.node_count;
  int *user_node = w->user_node, *renamed = array_new(nodes, sizeof *renamed, "node order", error);
  if (!renamed) return false;
  for (int a = 0; a < nodes; a++) renamed[a] = number[user_node[a]];
  // simulation_save converts node numbers by w->user_node, so this array is replaced during the call.
  w->user_node = renamed;
  const bool ok = simulation_save(w, file, error);
  w->user_node = user_node;
  free(renamed);
  return ok;
}

bool simulation_restore(Simulation *w, Bytes *bytes, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int nodes = w->space.node_count, users = w->user_count;
  int64_t step_count, steps_then;
  double time_then;
  uint8_t has_before = 0;
  double origin[3];
  WORK_ARRAYS_HERE(&w->work);
  double(*u)[3] = work_array(&w->work, nodes, sizeof *u, "state", error);
  double(*p)[3] = work_array(&w->work, nodes, sizeof *p, "state", error);
  double(*anchor)[2] = work_array(&w->work, nodes, sizeof *anchor, "state", error);
  int *node_index = work_array(&w->work, users, sizeof *node_index, "node order", error);
  bool ok = u && p && anchor && node_index;

  // Read the step count and the time.
  bytes_take(bytes, &step_count, sizeof step_count);
  bytes_take(bytes, &steps_then, sizeof steps_then);
  bytes_take(bytes, &time_then, sizeof time_then);
  if (ok && (bytes->exhausted || step_count < 0 || steps_then < 0 || !isfinite(time_then)))
    ok = error_set(error, "the state is damaged: it ends too early or has invalid numbers");

  // Read displacements, momenta, the origin, which is added to the displacements of all nodes, and the friction anchors
  // of nodes on the floor. Convert them to the internal order.
  for (int a = 0; ok && a < users; a++) node_index[a] = -1;
  for (int a = 0; ok && a < nodes; a++) node_index[w->user_node[a]] = a;
  ok = ok && take_nodal(w, bytes, node_index, users, 3, "m", &u[0][0], error);
  ok = ok && take_nodal(w, bytes, node_index, users, 3, "kg m/s", &p[0][0], error);
  ok = ok && take_nodal(w, bytes, (const int[]){ 0 }, 1, 3, "m", origin, error);
  ok = ok && take_nodal(w, bytes, node_index, users, 2, "m", &anchor[0][0], error);

  w->pushes = false;
  if (w->contact) contact_forget_friction(w->contact);
  const double then = time_then + ((double)step_count - (double)steps_then) * w->settings.dt;

  // Check the numbers and contact, then write the new state of the body.
  for (int a = 0; ok && a < nodes; a++) ok = check_node(w, a, u[a], p[a], error);
  ok = ok && range_check_number(then, "s", w->settings.precision, "the time of the state", error);
  ok = ok && simulation_place_obstacles(w, then, then, error);
  ok = ok && check_contact(w, (const double(*)[3])u, origin, error);
  ok = ok && w->arrays->write(w->motion, MOTION_U, &u[0][0], simulation_stream(w), error);
  ok = ok && w->arrays->write(w->motion, MOTION_P, &p[0][0], simulation_stream(w), error);
  ok = ok && w->arrays->write(w->motion, MOTION_ANCHOR, &anchor[0][0], simulation_stream(w), error);
  ok = ok && w->arrays->write(w->motion, MOTION_ORIGIN, origin, simulation_stream(w), error);
  ok = ok && restore_obstacle_anchors(w, node_index, bytes, error);
  ok = ok && restore_pair_anchors(w, node_index, bytes, error);
  ok = ok && restore_sliding(w, node_index, bytes, error);

  // Read the state before the last step, and the grabs.
  bytes_take(bytes, &has_before, sizeof has_before);
  if (ok && has_before) {
    ok = take_nodal(w, bytes, node_index, users, 3, "m", &u[0][0], error);
    ok = ok && take_nodal(w, bytes, node_index, users, 3, "kg m/s", &p[0][0], error);
    ok = ok && w->arrays->write(w->motion, MOTION_U_BEFORE, &u[0][0], simulation_stream(w), error);
    ok = ok && w->arrays->write(w->motion, MOTION_P_BEFORE, &p[0][0], simulation_stream(w), error);
  }

  w->newton.has_before = ok && has_before;
  w->newton.knows_start = false;
  ok = ok && grabs_restore(&w->grabs, node_index, bytes, error) && check_grabs(w, error);
  if (ok) {
    w->step_count = step_count;
    w->steps_then = steps_then;
    w->time_then = time_then;
  }
  return ok && simulation_place_obstacles(w, simulation_time(w), simulation_time(w), error);
}

bool simulation_write_positions(Simulation *w, float *positions, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  return w->loops->positions(w->motion, positions, simulation_stream(w), error) &&
         simulation_complete_floats(w, positions, 3, error);
}

bool simulation_write_vectors(Simulation *w, VectorKind kind, float *vectors, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  if (kind == VECTORS_CONTACT || kind == VECTORS_CONTACT_LINES) return contact_write_vectors(w, vectors, error);
  return w->loops->vectors(w->motion, kind, vectors, simulation_stream(w), error) &&
         simulation_complete_floats(w, vectors, 3, error);
}

bool simulation_write_field(Simulation *w, FieldKind kind, float *values, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  if (kind == FIELD_PRESSURE) return contact_write_pressure(w, values, error);
  const SimulationSettings *s = &w->settings;
  double material[MATERIAL_PARAMETERS];
  settings_material(s, material);
  const Stage *stage = stage_find(STAGE_FIELD, NULL, s->device, s->precision, NULL);
  if (!w->field.cell && !nodal_field_create(&w->field, s->device, s->precision, &w->space, error)) return false;
  return ((const FieldOperations *)stage)
      ->run(&w->field, w->motion, kind, material, values, simulation_stream(w), error);
}

// Copies the targets of springs at the end of the last step to the device. Without this copy, the device has the
// targets at which the integrator evaluated forces, or those before a state was loaded. The next step copies its own.
static bool update_targets(Simulation *w, Error *error) {
  if (!w->grabs.changed) return true;
  const bool ok = simulation_copy_springs(w, 0, error);
  w->grabs.changed = true;
  return ok;
}

bool simulation_energy(Simulation *w, Energy *energy, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  double material[MATERIAL_PARAMETERS];
  if (!update_targets(w, error)) return false;
  settings_material(&w->settings, material);
  return w->loops->energy(w->motion, material, energy, simulation_stream(w), error);
}
