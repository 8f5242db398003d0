// Computes the contact forces of the present state (contact_report.h). A contact pair is two parts of surfaces that are
// near each other: a point and a triangle, two edges, or a point and a plane.
#include "sim/contact_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/contact/contact_cuda.h"
#include "sim/force/obstacle.h"
#include "sim/simulation_parts.h"

// Evaluates self-contact in the present state. Afterwards w->contact->now has the contact pairs that push each other,
// with their forces, and w->contact->sliding the pairs that slid in the last step.
static bool find_contacts(Simulation *w, Error *error) {
  const int nodes = w->space.node_count, all = w->contact->skin.node_count;
  double(*x)[3] = array_new(all, sizeof *x, "positions", error);
  bool ok = x && w->arrays->displacements(w->motion, x, simulation_stream(w), error);
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) x[a][i] += w->space.X[a][i];
  if (ok) contact_place_rigid(w->contact, NULL, x);
#ifdef PLIANT_CUDA
  ok = ok &&
       (!w->contact->cuda || contact_cuda_report_sliding(w->contact->cuda, w->contact, simulation_stream(w), error));
#endif

  ok = ok && contact_settle(w->contact, (const double(*)[3])x, error) &&
       contact_forces(w->contact, (const double(*)[3])x, error);
  if (ok) memcpy(w->contact->to, x, sizeof *x * (size_t)all);
  free(x);
  return ok;
}

void contact_name_obstacle(int number, char name[CONTACT_NAME]) {
  if (number == CONTACT_FLOOR || number == CONTACT_BALL)
    snprintf(name, CONTACT_NAME, "%s", number == CONTACT_FLOOR ? "the floor" : "the pushing ball");
  else
    snprintf(name, CONTACT_NAME, "obstacle %d", -number);
}

// Returns the number of columns of the table of contacts. The table has a row for each body. Its columns are the
// bodies, the obstacles of the settings, the ball of simulation_push, and the floor.
static int64_t columns(const Simulation *w) {
  return w->body_count + w->settings.obstacle_count + 2;
}

// Returns the column of the floor in the table of contacts between bodies and obstacles.
static int floor_column(const Simulation *w) {
  return w->body_count + w->settings.obstacle_count + 1;
}

// Returns the number of the body or obstacle that belongs to a column of the table of contacts, as in BodyContact.body.
static int number_of(const Simulation *w, int column) {
  const int obstacle = column - w->body_count;
  return obstacle < 0                            ? column
         : obstacle < w->settings.obstacle_count ? -1 - obstacle
         : column == floor_column(w)             ? CONTACT_FLOOR
                                                 : CONTACT_BALL;
}

// Returns the column of a node in the table of contacts: the number of its body, or the column of its obstacle. The
// number of a body is also the row of this body in the table.
static int body_of(const Simulation *w, int node) {
  if (node < w->space.node_count) return w->space.body ? w->space.body[node] : 0;
  const int rigid = node - w->space.node_count, floor = w->rigid.floor_node;
  if (floor >= 0 && rigid >= floor && rigid < floor + PLANE_NODES) return floor_column(w);
  int k = 0;
  while (k < w->settings.obstacle_count && rigid >= w->rigid.first_node[k + 1]) k++;
  return w->body_count + k;
}

// Returns the entry of the table of contacts for a contact pair. `first` is a node of the pair's first part (point or
// edge), `second` a node of its second part (edge, triangle or plane). *sign is 1 if `first` belongs to the entry's
// first body, -1 if `second` does, and 0 if both belong to one body.
static BodyContact *entry(const Simulation *w, BodyContact *all, int first, int second, double *sign) {
  const int a = body_of(w, first), b = body_of(w, second);
  *sign = a < b ? 1 : a > b ? -1 : 0;
  return &all[(a < b ? a : b) * columns(w) + (a < b ? b : a)];
}

// Adds a force on the first body, times `sign`, which acts at x [3], m, to the force and the moment of a pair.
static void add_force(BodyContact *pair, double sign, const double x[3], const double force[3]) {
  double moment[3];
  cross3(x, force, moment);
  for (int i = 0; i < 3; i++) {
    pair->force[i] += sign * force[i];
    pair->moment[i] += sign * moment[i];
  }
}

// Adds the forces of all pairs of self-contact to the table of contacts.
static bool add_surfaces(Simulation *w, BodyContact *all, Error *error) {
  if (!w->contact) return true;
  if (!find_contacts(w, error)) return false;
  const Contact *c = w->contact;
  double sign;

  // Add the normal forces of all pairs that push each other.
  for (int64_t k = 0; k < c->now.count; k++) {
    const Touch *t = &c->now.touch[k];
    BodyContact *pair = entry(w, all, t->node[0], t->node[3], &sign);
    pair->touching++;
    pair->push += t->push;

    // The force on the body of the first part (point or edge) is the sum of the forces on this part's nodes.
    for (int j = 0; j < pair_own(t->kind); j++) add_force(pair, sign, c->to[t->node[j]], t->force[j]);
  }

  // Add the friction forces of the pairs that slid in the last step.
  for (int64_t k = 0; k < c->sliding_count; k++) {
    const Sliding *s = &c->sliding[k];
    BodyContact *pair = entry(w, all, s->node[0], s->node[3], &sign);
    double friction[3], at[3] = { 0 };
    contact_friction(c, s, (const double(*)[3])c->to, friction);
    for (int j = 0; j < pair_own(s->kind); j++)
      for (int i = 0; i < 3; i++) at[i] += s->weight[j] * c->to[s->node[j]][i];
    add_force(pair, sign, at, friction);
  }
  return true;
}

// Data of the nodes for contact with obstacles and the floor if self_contact is off. Obstacles and floor then push
// single nodes by springs. Static friction is a spring that pulls a touching node to its anchor, which is stored as a
// displacement of the node.
typedef struct Touches {
  // u [node_count]: displacements of the nodes, m. anchor [obstacles * node_count]: element k * node_count + a is the
  // displacement of the anchor of node a on obstacle k, m.
  double (*u)[3], (*anchor)[3];
  double (*floor_anchor)[2];  // [node_count], displacements of the anchors on the floor in x and y, m
  double *contact;  // [node_count], contact stiffness of each node divided by lambda + 2 mu, m (MOTION_CONTACT)
  uint8_t *held;    // [3 node_count], 1: the unknown is held
} Touches;

// Reads displacements of nodes and anchors from the device. `count` is the number of obstacles that push single nodes.
// The device stores the displacements of anchors relative to an origin; the function adds the origin's displacement.
static bool read_touches(Simulation *w, int count, Touches *m, Error *error) {
  const int nodes = w->space.node_count;
  const MotionArrays *arrays = w->arrays;
  const Stream stream = simulation_stream(w);
  double origin[3];
  *m = (Touches){ .u = array_new(nodes, sizeof *m->u, "positions", error),
                  .anchor = array_new((int64_t)count * nodes, sizeof *m->anchor, "positions", error),
                  .floor_anchor = array_new(nodes, sizeof *m->floor_anchor, "positions", error),
                  .contact = array_new(nodes, sizeof *m->contact, "positions", error),
                  .held = array_new(3 * (int64_t)nodes, 1, "positions", error) };
  if (!m->u) return false;
  if (!m->anchor) return false;
  if (!m->floor_anchor) return false;
  if (!m->contact) return false;
  if (!m->held) return false;
  if (!arrays->displacements(w->motion, m->u, stream, error)) return false;
  if (!arrays->read(w->motion, MOTION_ORIGIN, origin, stream, error)) return false;
  if (count > 0 && !arrays->read(w->motion, MOTION_OBSTACLE_ANCHOR, &m->anchor[0][0], stream, error)) return false;
  if (w->settings.has_floor && !arrays->read(w->motion, MOTION_ANCHOR, &m->floor_anchor[0][0], stream, error))
    return false;
  if (!arrays->read(w->motion, MOTION_CONTACT, m->contact, stream, error)) return false;
  if (!arrays->held(w->motion, m->held, stream, error)) return false;
  for (int64_t a = 0; a < (int64_t)count * nodes; a++)
    for (int i = 0; i < 3; i++) m->anchor[a][i] += origin[i];
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < 2; i++) m->floor_anchor[a][i] += origin[i];
  return true;
}

// Adds the force of an obstacle on node a in the present state to `pair`: a spring along the obstacle's normal, and a
// friction spring along its surface (force/obstacle.h, force/floor.h). anchor [3] is the displacement at which the
// friction spring has no force.
static void add_touch(const Simulation *w, const Touches *m, const Obstacle *o, const double *anchor, int a,
                      BodyContact *pair) {
  const double stiffness = (w->settings.lambda + 2 * w->settings.mu) * m->contact[a];
  const uint8_t *held = m->held + 3 * (size_t)a;
  double x[3], n[3], e[3];
  for (int i = 0; i < 3; i++) x[i] = w->space.X[a][i] + m->u[a][i];
  const double push = -stiffness * obstacle_distance(o, x, n);
  if (!(push > 0) || (held[0] && held[1] && held[2])) return;
  subtract3(m->u[a], anchor, e);
  const double off = dot3(e, n);
  for (int i = 0; i < 3; i++) e[i] -= off * n[i];

  // The force of the friction spring is at most friction * push. Beyond this limit the node slips.
  const double limit = o->friction * push, displacement = sqrt(dot3(e, e));
  const double rub = stiffness * displacement > limit ? limit / displacement : stiffness;
  pair->touching++;
  pair->push += push;
  for (int i = 0; i < 3; i++) e[i] = held[i] ? 0 : push * n[i] - rub * e[i];
  add_force(pair, 1, x, e);
}

// Without self-contact: adds the contacts of nodes with the floor and obstacles, which push nodes by springs, to the
// table of contacts; or, if `by_node`, the contacts of node a to element a of the array `all`.
static bool add_solids(Simulation *w, BodyContact *all, bool by_node, Error *error) {
  const SimulationSettings *s = &w->settings;
  const int nodes = w->space.node_count;
  const Obstacle floor = { .kind = OBSTACLE_PLANE,
                           .centre = { 0, 0, s->floor_height },
                           .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                           .friction = s->friction };
  Obstacle solid[OBSTACLES_MAX];
  const int count = simulation_solid_obstacles(s, solid);
  if (s->self_contact || (count == 0 && !s->has_floor)) return true;

  Touches m;
  const bool ok = read_touches(w, count, &m, error);
  for (int k = 0, obstacle = 0; ok && k < count; k++, obstacle++) {
    // Skip obstacles that are surfaces in contact: settings.obstacles has them, `solid` does not.
    while (obstacle_is_surface(&s->obstacles[obstacle], s->self_contact)) obstacle++;
    obstacle_place(&solid[k], simulation_time(w));
    for (int a = 0; a < halo_nodes(w->halo, nodes); a++)
      add_touch(w, &m, &solid[k], m.anchor[(size_t)k * (size_t)nodes + (size_t)a], a,
                &all[by_node ? a : body_of(w, a) * columns(w) + w->body_count + obstacle]);
  }

  for (int a = 0; ok && s->has_floor && a < halo_nodes(w->halo, nodes); a++) {
    const double anchor[3] = { m.floor_anchor[a][0], m.floor_anchor[a][1], m.u[a][2] };
    add_touch(w, &m, &floor, anchor, a, &all[by_node ? a : body_of(w, a) * columns(w) + floor_column(w)]);
  }

  free(m.u);
  free(m.anchor);
  free(m.floor_anchor);
  free(m.contact);
  free(m.held);
  return ok;
}

// Replaces forces and counts by their sums over the processes of an MPI run. all [count]: the table of contacts.
static bool add_ranks(const Simulation *w, BodyContact *all, int64_t count, Error *error) {
  for (int64_t k = 0; w->halo && k < count; k++) {
    BodyContact *pair = &all[k];
    double touching = (double)pair->touching;
    if (!halo_sum(w->halo, &touching, 1, error)) return false;
    if (!halo_sum(w->halo, &pair->push, 1, error)) return false;
    if (!halo_sum(w->halo, pair->force, 3, error)) return false;
    if (!halo_sum(w->halo, pair->moment, 3, error)) return false;
    pair->touching = (int64_t)touching;
  }
  return true;
}

bool contact_of_bodies(Simulation *w, BodyContact **list, int *count, Error *error) {
  const int64_t pair_count = w->body_count * columns(w);
  *list = NULL;
  *count = 0;
  if (!w->contact && w->settings.obstacle_count == 0 && !w->settings.has_floor) return true;
  BodyContact *all = array_new(pair_count, sizeof *all, "pairs of bodies", error);
  if (!all || !add_surfaces(w, all, error) || !add_solids(w, all, false, error) ||
      !add_ranks(w, all, pair_count, error)) {
    free(all);
    return false;
  }

  // Move the entries of pairs with a force to the front of the table. These entries are the list that is returned.
  for (int64_t k = 0; k < pair_count; k++) {
    const double *force = all[k].force;
    if (all[k].touching == 0 && force[0] == 0 && force[1] == 0 && force[2] == 0) continue;
    all[k].body[0] = (int)(k / columns(w));
    all[k].body[1] = number_of(w, (int)(k % columns(w)));
    all[(*count)++] = all[k];
  }

  *list = all;
  if (*count == 0) {
    free(all);
    *list = NULL;
  }
  return true;
}

bool contact_friction_total(Simulation *w, double *friction, double *limit, Error *error) {
  *friction = *limit = 0;
  if (!w->contact) return true;
  if (!find_contacts(w, error)) return false;
  const Contact *c = w->contact;
  for (int64_t k = 0; k < c->sliding_count; k++) {
    double force[3];
    contact_friction(c, &c->sliding[k], (const double(*)[3])c->to, force);
    *friction += sqrt(dot3(force, force));
    *limit += c->sliding[k].limit;
  }
  return true;
}

bool contact_forces_on_nodes(Simulation *w, double (*force)[3], Error *error) {
  memset(force, 0, sizeof *force * (size_t)w->user_count);
  if (!w->contact) return true;
  if (!find_contacts(w, error)) return false;
  const Contact *c = w->contact;
  for (int k = 0; k < c->skin.vertex_count && c->skin.vertex[k] < c->skin.body_nodes; k++)
    memcpy(force[w->user_node[c->skin.vertex[k]]], c->force[c->skin.vertex[k]], sizeof *force);
  return true;
}

bool contact_pressure(Simulation *w, double *pressure, Error *error) {
  memset(pressure, 0, sizeof *pressure * (size_t)w->user_count);
  if (!w->contact) return true;
  double(*push)[3] = array_new(w->contact->skin.node_count, sizeof *push, "pressures", error);
  const bool ok = push && find_contacts(w, error);
  const Contact *c = w->contact;
  for (int64_t k = 0; ok && k < c->now.count; k++) {
    const Touch *t = &c->now.touch[k];
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) push[t->node[j]][i] += t->force[j][i];
  }

  for (int k = 0; ok && k < c->skin.vertex_count && c->skin.vertex[k] < c->skin.body_nodes; k++) {
    const int a = c->skin.vertex[k];
    pressure[w->user_node[a]] = sqrt(dot3(push[a], push[a])) / c->skin.vertex_area[k];
  }
  free(push);
  return ok;
}

// Adds Touch.push, the normal force of a contact pair, to push [user_count], N. Each of the pair's two parts has this
// force, which is divided among the nodes of the part in proportion to their forces along the whole force.
static void add_push(const Simulation *w, const Touch *t, double *push) {
  double normal[3] = { 0 };
  const int own = pair_own(t->kind);
  for (int j = 0; j < own; j++)
    for (int i = 0; i < 3; i++) normal[i] += t->force[j][i];
  const double square = dot3(normal, normal);
  for (int j = 0; j < 4 && square > 0; j++)
    if (t->node[j] < w->space.node_count)
      push[w->user_node[t->node[j]]] += (j < own ? 1 : -1) * t->push * dot3(t->force[j], normal) / square;
}

// Computes push [user_count], N: for each node, its part of the normal forces of self-contact.
static bool sum_pushes(Simulation *w, double *push, Error *error) {
  memset(push, 0, sizeof *push * (size_t)w->user_count);
  if (!w->contact) return true;
  if (!find_contacts(w, error)) return false;
  const Contact *c = w->contact;
  for (int64_t k = 0; k < c->now.count; k++) add_push(w, &c->now.touch[k], push);
  return true;
}

bool contact_loads_on_nodes(Simulation *w, double (*force)[3], double *push, Error *error) {
  if (!contact_forces_on_nodes(w, force, error) || !sum_pushes(w, push, error)) return false;
  if (w->contact) return true;
  BodyContact *each = array_new(w->space.node_count, sizeof *each, "contact forces", error);
  const bool ok = each && add_solids(w, each, true, error);
  for (int a = 0; ok && a < halo_nodes(w->halo, w->space.node_count); a++) {
    memcpy(force[w->user_node[a]], each[a].force, sizeof *force);
    push[w->user_node[a]] = each[a].push;
  }
  free(each);
  return ok && simulation_complete(w, force[0], 3, error) && simulation_complete(w, push, 1, error);
}

bool contact_write_vectors(Simulation *w, float *vectors, Error *error) {
  const int nodes = w->space.node_count;
  double(*force)[3] = array_new(nodes, sizeof *force, "forces", error);
  float(*rounded)[3] = array_new(nodes, sizeof *rounded, "forces", error);
  bool ok = force && rounded && contact_forces_on_nodes(w, force, error);
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) rounded[a][i] = (float)force[a][i];
  ok = ok && device_upload(simulation_stream(w), vectors, rounded, sizeof *rounded * (size_t)nodes, error) &&
       stream_sync(simulation_stream(w), error);
  free(force);
  free(rounded);
  return ok;
}

bool contact_write_pressure(Simulation *w, float *values, Error *error) {
  const int nodes = w->space.node_count;
  double *pressure = array_new(nodes, sizeof *pressure, "pressures", error), sum = 0, sum2 = 0;
  float *all = array_new((int64_t)nodes + FIELD_EXTRA, sizeof *all, "pressures", error);
  float *extra = all ? all + nodes : NULL;
  bool ok = pressure && all && contact_pressure(w, pressure, error);
  if (ok) extra[FIELD_SMALLEST] = extra[FIELD_LARGEST] = (float)pressure[0];

  for (int a = 0; ok && a < nodes; a++) {
    all[a] = (float)pressure[a];
    extra[FIELD_SMALLEST] = fminf(extra[FIELD_SMALLEST], all[a]);
    extra[FIELD_LARGEST] = fmaxf(extra[FIELD_LARGEST], all[a]);
    sum += pressure[a];
    sum2 += pressure[a] * pressure[a];
  }

  // Store the mean and the standard deviation after the nodal values (FieldExtra in base/field_kind.h).
  if (ok) {
    extra[FIELD_MEAN] = (float)(sum / nodes);
    extra[FIELD_SPREAD] = (float)sqrt(fmax(0, sum2 / nodes - sum / nodes * (sum / nodes)));
  }

  ok = ok && device_upload(simulation_stream(w), values, all, sizeof *all * ((size_t)nodes + FIELD_EXTRA), error) &&
       stream_sync(simulation_stream(w), error);
  free(pressure);
  free(all);
  return ok;
}
