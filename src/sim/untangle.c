// Moves bodies apart that overlap in the initial mesh (untangle.h).
#include "sim/untangle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "mesh/surface.h"
#include "sim/contact/contact.h"
#include "sim/contact/crossing.h"
#include "sim/contact/rigid_surface.h"
#include "sim/settings.h"

// A move pushes two bodies apart. MOVES_MAX: largest number of moves. PARTS: a move is at least 1/PARTS of the overlap.
enum { MOVES_MAX = 10000, PARTS = 32 };

// Largest number of passes in bodies_lift. Each pass moves bodies out of all planes in turn.
enum { LIFTS_MAX = 100 };

// Data of bodies_untangle and bodies_lift: the mesh, the obstacles, and the nodes' positions while bodies are moved.
typedef struct Untangling {
  const TetMesh *mesh;
  SimulationSettings settings;  // copy with self-contact on, without the ball of the mouse
  // true: bodies must keep a distance from planes, because self-contact needs this distance
  bool meets_planes;
  double time;            // s, determines the positions of moving planes
  double above;           // m, the distance that bodies must keep from planes; 0: they may touch
  const uint8_t *pinned;  // [node_count], fixed directions of each node as bits (pins.h), 0: none; NULL: no pins
  Space space;
  Surface surface;
  RigidObstacles obstacles;  // obstacles of `settings` except planes, which the function `lift` treats
  RigidSurface rigid;
  Contact *contact;
  double (*x)[3];  // [skin.node_count], positions of the mesh's nodes, then of the obstacles' nodes, m
  int body_count;
  bool *held;     // [body_count], true: a node of the body is pinned
  double *depth;  // [body_count] m, distance by which lift_out must move each body
} Untangling;

// Returns the number of a node's body, from 0, or of its obstacle: -1, -2, ...
static int body_of(const Untangling *u, int node) {
  const int nodes = u->mesh->node_count;
  for (int k = 0; k < u->settings.obstacle_count; k++)
    if (node >= nodes + u->rigid.first_node[k] && node < nodes + u->rigid.first_node[k + 1]) return -1 - k;
  return u->mesh->body ? u->mesh->body[node] : u->contact->skin.component[node];
}

// Prepares the search for contact pairs, and marks the bodies that must not move because a node is pinned. Forces of
// contact are not needed, so their stiffness, the contact modulus, is set to 1.
static bool create(Untangling *u, Error *error) {
  u->settings.pusher = 0;
  u->settings.self_contact = true;
  u->obstacles = settings_rigid(&u->settings);
  u->obstacles.no_planes = true;
  if (!space_create(&u->space, u->mesh, 3, error) || !surface_create(&u->surface, u->mesh, error) ||
      !rigid_surface_create(&u->rigid, &u->obstacles, surface_mean_edge(&u->surface, (const double(*)[3])u->mesh->X),
                            error))
    return false;
  u->x = array_new((int64_t)u->mesh->node_count + u->rigid.node_count, sizeof *u->x, "positions", error);
  if (!u->x || !contact_create(&u->contact, &u->space, (const int(*)[3])u->surface.triangle, u->surface.triangle_count,
                               u->rigid.node_count > 0 ? &u->rigid : NULL, error))
    return false;

  memcpy(u->x, u->mesh->X, sizeof *u->x * (size_t)u->mesh->node_count);
  contact_place_rigid(u->contact, NULL, u->x);
  u->contact->modulus = 1;
  if (u->meets_planes) u->above = fmax(u->settings.contact_distance, u->contact->nearby.reach);

  for (int a = 0; a < u->mesh->node_count; a++)
    if (body_of(u, a) >= u->body_count) u->body_count = body_of(u, a) + 1;
  u->held = array_new(u->body_count, sizeof *u->held, "bodies", error);
  u->depth = array_new(u->body_count, sizeof *u->depth, "bodies", error);
  if (!u->held || !u->depth) return false;
  for (int a = 0; u->pinned && a < u->mesh->node_count; a++)
    if (u->pinned[a]) u->held[body_of(u, a)] = true;
  return true;
}

static void destroy(Untangling *u) {
  contact_destroy(u->contact);
  rigid_surface_destroy(&u->rigid);
  surface_destroy(&u->surface);
  space_destroy(&u->space);
  free(u->x);
  free(u->held);
  free(u->depth);
}

// Moves bodies without pinned nodes to the side of a plane to which the normal n points, until none of their nodes is
// closer to the plane than u->above, m. `at` is a point of the plane. Returns true if a body was moved by more than
// rounding errors.
static bool lift_out(Untangling *u, const double at[3], const double n[3]) {
  bool moved = false;
  for (int b = 0; b < u->body_count; b++) u->depth[b] = 0;
  for (int a = 0; a < u->mesh->node_count; a++) {
    double *depth = &u->depth[body_of(u, a)], from[3];
    subtract3(at, u->x[a], from);
    *depth = fmax(*depth, dot3(from, n) + u->above);
  }
  for (int a = 0; a < u->mesh->node_count; a++)
    for (int i = 0; i < 3 && !u->held[body_of(u, a)]; i++) u->x[a][i] += u->depth[body_of(u, a)] * n[i];
  for (int b = 0; b < u->body_count; b++) moved = moved || (!u->held[b] && u->depth[b] > 1e-3 * u->above);
  return moved;
}

// Moves free bodies, those without pinned nodes, out of all planes and the floor. Returns true if a body moved.
static bool lift(Untangling *u) {
  const SimulationSettings *s = &u->settings;
  bool moved = false;
  for (int k = 0; k < s->obstacle_count; k++) {
    if (s->obstacles[k].kind != OBSTACLE_PLANE) continue;
    Obstacle plane = s->obstacles[k];
    obstacle_place(&plane, u->time);
    moved = lift_out(u, plane.centre, plane.axis[2]) || moved;
  }
  if (s->has_floor) moved = lift_out(u, (double[3]){ 0, 0, s->floor_height }, (double[3]){ 0, 0, 1 }) || moved;
  return moved;
}

// Finds two bodies, or a body and an obstacle, that intersect or are too close. body[2] gets their numbers: 0, 1, ...
// for bodies, and -1, -2, ... for obstacles. *found is false if there is no such pair.
static bool find(Untangling *u, bool *found, int body[2], Error *error) {
  Crossings crossings;
  *found = false;
  if (!find_crossings(&u->contact->skin, (const double(*)[3])u->x, &crossings, error)) return false;

  // Test for two bodies, or a body and an obstacle, whose surfaces intersect.
  if (crossings.count > 0) {
    body[0] = body_of(u, u->contact->skin.edge[crossings.edge][0]);
    body[1] = body_of(u, u->contact->skin.triangle[crossings.triangle][0]);
    if (body[0] == body[1])
      return error_set(error,
                       "body %d, counted from 0, intersects itself. \"untangle\" moves only whole bodies; correct the "
                       "mesh of this body",
                       body[0]);
    return *found = true;
  }

  // Test for bodies that are closer than the distance at which self-contact begins.
  if (!contact_settle(u->contact, (const double(*)[3])u->x, error) ||
      !contact_forces(u->contact, (const double(*)[3])u->x, error))
    return false;
  for (int64_t k = 0; k < u->contact->now.count && !*found; k++) {
    body[0] = body_of(u, u->contact->now.touch[k].node[0]);
    body[1] = body_of(u, u->contact->now.touch[k].node[3]);
    *found = body[0] != body[1];
  }

  // Test for connected pieces inside an obstacle. No surfaces intersect here, so one node of each piece is enough.
  const Skin *skin = &u->contact->skin;
  const double(*rigid)[3] = (const double(*)[3])(u->x + skin->body_nodes);
  for (int k = 0; !*found && k < skin->component_count && skin->first_node[k] < skin->body_nodes; k++) {
    const int a = skin->first_node[k], obstacle = rigid_surface_around(&u->rigid, &u->obstacles, rigid, u->x[a]);
    body[0] = body_of(u, a);
    body[1] = -1 - obstacle;
    *found = obstacle >= 0;
  }
  return true;
}

// Computes the bounding box of a body or obstacle, m. *held is true for obstacles and for bodies with a pinned node.
static void bounds_of(const Untangling *u, int body, double low[3], double high[3], bool *held) {
  for (int i = 0; i < 3; i++) {
    low[i] = HUGE_VAL;
    high[i] = -HUGE_VAL;
  }
  *held = body < 0 || u->held[body];
  for (int a = 0; a < u->contact->skin.node_count; a++) {
    if (body_of(u, a) != body) continue;
    for (int i = 0; i < 3; i++) {
      low[i] = fmin(low[i], u->x[a][i]);
      high[i] = fmax(high[i], u->x[a][i]);
    }
  }
}

static bool both_held(const int body[2], Error *error) {
  if (body[0] >= 0 && body[1] >= 0)
    return error_set(error,
                     "bodies %d and %d, counted from 0, intersect, and pins hold both; move one of them in the scene",
                     body[0], body[1]);
  const int held = body[0] < 0 ? body[1] : body[0], obstacle = body[0] < 0 ? body[0] : body[1];
  return error_set(error,
                   "body %d intersects obstacles entry %d, and pins hold the body; move one of them in the scene", held,
                   -obstacle);
}

// Moves two bodies apart along the axis on which their bounding boxes overlap least: by 1/PARTS of this overlap, or by
// the distance at which contact begins if that is larger.
static bool move_apart(Untangling *u, const int body[2], Error *error) {
  double low[2][3], high[2][3], least = HUGE_VAL, sign = 1;
  bool held[2];
  int axis = 0;
  for (int k = 0; k < 2; k++) bounds_of(u, body[k], low[k], high[k], &held[k]);
  if (held[0] && held[1]) return both_held(body, error);

  // Find the axis and direction of the smallest overlap.
  for (int i = 0; i < 3; i++) {
    // distances by which the first body would have to move along axis i: `up` in the positive direction, `down` in the
    // negative direction
    const double up = high[1][i] - low[0][i], down = high[0][i] - low[1][i];
    if (fmin(up, down) >= least) continue;
    least = fmin(up, down);
    axis = i;
    sign = up < down ? 1 : -1;
  }

  const double displacement = fmax(u->contact->nearby.reach, least / PARTS);
  const double fraction[2] = { held[0] ? 0 : held[1] ? 1 : 0.5, held[1] ? 0 : held[0] ? 1 : 0.5 };
  for (int a = 0; a < u->mesh->node_count; a++)
    for (int k = 0; k < 2; k++)
      if (body_of(u, a) == body[k]) u->x[a][axis] += (k ? -sign : sign) * fraction[k] * displacement;
  return true;
}

// Moves pairs of bodies apart until none intersects or is too close. Fails after MOVES_MAX moves.
static bool untangle(Untangling *u, Error *error) {
  int body[2];
  for (int k = 0; k < MOVES_MAX; k++) {
    bool found;
    lift(u);
    if (!interrupt_check(error) || !find(u, &found, body, error)) return false;
    if (!found) return true;
    if (!move_apart(u, body, error)) return false;
  }
  char last[2][48];
  for (int k = 0; k < 2; k++)
    snprintf(last[k], sizeof last[k], body[k] < 0 ? "obstacles entry %d" : "body %d (counted from 0)", abs(body[k]));
  return error_set(error,
                   "untangle: bodies still touch or overlap after %d moves, the last of %s and %s; place them farther "
                   "apart in the scene: change \"place\" of a body or \"at\" of an obstacle",
                   MOVES_MAX, last[0], last[1]);
}

bool bodies_untangle(TetMesh *mesh, const SimulationSettings *settings, const uint8_t *pinned, double *farthest,
                     Error *error) {
  Untangling u = { .mesh = mesh, .settings = *settings, .pinned = pinned, .meets_planes = settings->self_contact };
  const bool ok = create(&u, error) && untangle(&u, error);

  *farthest = 0;
  for (int a = 0; ok && a < mesh->node_count; a++) {
    double displacement[3];
    subtract3(u.x[a], mesh->X[a], displacement);
    *farthest = fmax(*farthest, sqrt(dot3(displacement, displacement)));
  }
  if (ok) memcpy(mesh->X, u.x, sizeof *u.x * (size_t)mesh->node_count);
  destroy(&u);
  return ok;
}

bool bodies_lift(const TetMesh *mesh, const SimulationSettings *settings, const uint8_t *pinned, double time,
                 double (*x)[3], Error *error) {
  Untangling u = { .mesh = mesh, .settings = *settings, .pinned = pinned, .time = time, .meets_planes = true };
  const bool ok = create(&u, error);
  if (ok) {
    memcpy(u.x, x, sizeof *x * (size_t)mesh->node_count);
    for (int k = 0; k < LIFTS_MAX && lift(&u);) k++;
    memcpy(x, u.x, sizeof *x * (size_t)mesh->node_count);
  }
  destroy(&u);
  return ok;
}
