// Turns the obstacles of self-contact into triangles and half spaces: see rigid_surface.h.
#include "sim/contact/rigid_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/contact/crossing.h"
#include "sim/contact/round.h"

enum { BOX_NODES = 8, BOX_TRIANGLES = 12 };

// Distance of a plane's three nodes from their centre, in mean edge lengths of the body. Contact represents the plane's
// nearest point as a weighted sum of these nodes (nearest.h). With a smaller distance, weights would be large for
// points of the body far from the centre. With a larger one, the nodes would move far when the plane turns.
static const double PLANE_SIZE = 20;

// Largest deviation of triangles from the sphere or capsule that they replace, in mean edge lengths of the body. It is
// small compared with the reach of self-contact, which is usually a tenth of an edge length.
static const double ROUND_OFF = 0.02;

static Round round_of(const Obstacle *o, double edge) {
  return round_choose(o->size[0], o->kind == OBSTACLE_CAPSULE ? o->size[2] : 0, ROUND_OFF * edge);
}

static void count(const RigidObstacles *s, int k, double edge, int *nodes, int *triangles) {
  const Obstacle *o = &s->list[k];
  *nodes = *triangles = 0;
  if (!obstacle_is_surface(o, s->self_contact)) return;
  if (o->kind == OBSTACLE_MESH) {
    if (o->surface) {
      *nodes = o->surface->vertex_count;
      *triangles = o->surface->triangle_count;
    }
  } else if (o->kind == OBSTACLE_BOX) {
    *nodes = BOX_NODES;
    *triangles = BOX_TRIANGLES;
  } else if (o->kind == OBSTACLE_PLANE) {
    *nodes = s->no_planes ? 0 : PLANE_NODES;
  } else {
    const Round round = round_of(o, edge);
    *nodes = round_nodes(round);
    *triangles = round_triangles(round);
  }
}

int64_t rigid_surface_triangles(const RigidObstacles *s, double edge) {
  int64_t sum = s->pusher > 0 ? round_triangles(PUSHER_ROUND) : 0;
  for (int k = 0; k < s->count; k++) {
    int nodes, triangles;
    count(s, k, edge, &nodes, &triangles);
    sum += triangles;
  }
  return sum;
}

// Creates the 8 corners X of a box, m, and two triangles on each face with outward normals. Bit i of v is 1 if
// coordinate i of X[v] is positive: corner 5 = 1 + 4 has positive x and z, and negative y.
static void make_box(const double half[3], double (*X)[3], int (*triangle)[3]) {
  for (int v = 0; v < BOX_NODES; v++)
    for (int i = 0; i < 3; i++) X[v][i] = v >> i & 1 ? half[i] : -half[i];
  for (int side = 0; side < 6; side++) {
    const int axis = side / 2, out = side % 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, at = out << axis;
    const int corner[4] = { at, at + (out ? u : v), at + u + v, at + (out ? v : u) };
    for (int t = 0; t < 2; t++, triangle++)
      for (int j = 0; j < 3; j++) (*triangle)[j] = corner[j == 0 ? 0 : j + t];
  }
}

// Creates the three nodes of a plane through the origin with normal z, counterclockwise.
static void make_plane(double edge, double (*X)[3]) {
  for (int v = 0; v < PLANE_NODES; v++) {
    const double angle = 2 * acos(-1.0) / PLANE_NODES * v;
    X[v][0] = PLANE_SIZE * edge * cos(angle);
    X[v][1] = PLANE_SIZE * edge * sin(angle);
    X[v][2] = 0;
  }
}

static void make_shape(const Obstacle *o, double edge, double (*X)[3], int (*triangle)[3]) {
  if (o->kind == OBSTACLE_BOX) {
    make_box(o->size, X, triangle);
  } else if (o->kind == OBSTACLE_PLANE) {
    make_plane(edge, X);
  } else if (o->kind == OBSTACLE_MESH) {
    memcpy(triangle, o->surface->triangle, sizeof *triangle * (size_t)o->surface->triangle_count);
    for (int v = 0; v < o->surface->vertex_count; v++)
      for (int i = 0; i < 3; i++) X[v][i] = o->size[0] * o->surface->X[v][i];
  } else {
    round_make(round_of(o, edge), o->size[0], o->kind == OBSTACLE_CAPSULE ? o->size[2] : 0, X, triangle);
  }
}

// Completes an obstacle whose nodes and triangles have just been written to the ends of the arrays. The node numbers of
// its triangles begin with 0; the function adds the number of earlier nodes to them. Then it adds the obstacle's
// numbers of nodes and triangles (`nodes`, `triangles`) to the total numbers.
static void shift_triangles(RigidSurface *rigid, int nodes, int triangles) {
  for (int t = 0; t < triangles; t++, rigid->triangle_count++)
    for (int j = 0; j < 3; j++) rigid->triangle[rigid->triangle_count][j] += rigid->node_count;
  rigid->node_count += nodes;
}

static void add_plane(RigidSurface *rigid) {
  rigid->plane[rigid->plane_count++] = rigid->node_count;
}

// Appends the floor. The value -1 of its friction stands for the coefficient of the settings.
static void add_floor(RigidSurface *rigid, double edge) {
  rigid->floor_node = rigid->node_count;
  add_plane(rigid);
  make_plane(edge, rigid->X + rigid->node_count);
  for (int v = 0; v < PLANE_NODES; v++) rigid->friction[rigid->node_count + v] = -1;
  rigid->node_count += PLANE_NODES;
}

// Appends the ball with which a user can push. The value -1 of its friction stands for the coefficient of the settings.
static void add_pusher(RigidSurface *rigid, double radius) {
  round_make(PUSHER_ROUND, radius, 0, rigid->X + rigid->node_count, rigid->triangle + rigid->triangle_count);
  for (int v = 0; v < PUSHER_NODES; v++) rigid->friction[rigid->node_count + v] = -1;
  shift_triangles(rigid, PUSHER_NODES, round_triangles(PUSHER_ROUND));
}

bool rigid_surface_create(RigidSurface *rigid, const RigidObstacles *s, double edge, Error *error) {
  const bool has_floor = s->floor && s->self_contact && !s->no_planes;
  int64_t nodes = (s->pusher > 0 ? PUSHER_NODES : 0) + (has_floor ? PLANE_NODES : 0);
  const int64_t triangles = rigid_surface_triangles(s, edge);
  int made_nodes, made_triangles;
  for (int k = 0; k < s->count; k++) {
    count(s, k, edge, &made_nodes, &made_triangles);
    nodes += made_nodes;
  }
  *rigid = (RigidSurface){ .floor_node = -1 };
  if (nodes > INT32_MAX / 4 || triangles > INT32_MAX / 4)
    return error_set(
        error,
        "the surfaces of the obstacles have %lld triangles and %lld nodes in total, but at most %d of each "
        "are allowed; use coarser meshes for the obstacles",
        (long long)triangles, (long long)nodes, INT32_MAX / 4);
  rigid->X = array_new(nodes, sizeof *rigid->X, "obstacles", error);
  rigid->own = array_new(nodes, sizeof *rigid->own, "obstacles", error);
  rigid->triangle = array_new(triangles, sizeof *rigid->triangle, "obstacles", error);
  rigid->friction = array_new(nodes, sizeof *rigid->friction, "obstacles", error);
  if (!rigid->X || !rigid->own || !rigid->triangle || !rigid->friction) return false;
  for (int k = 0; k < s->count; k++) {
    count(s, k, edge, &made_nodes, &made_triangles);
    rigid->first_node[k] = rigid->node_count;
    rigid->first_triangle[k] = rigid->triangle_count;
    if (s->list[k].kind == OBSTACLE_PLANE && made_nodes > 0) add_plane(rigid);
    if (made_nodes > 0)
      make_shape(&s->list[k], edge, rigid->own + rigid->node_count, rigid->triangle + rigid->triangle_count);
    for (int v = 0; v < made_nodes; v++) rigid->friction[rigid->node_count + v] = s->list[k].friction;
    shift_triangles(rigid, made_nodes, made_triangles);
  }

  rigid->first_node[s->count] = rigid->node_count;
  rigid->first_triangle[s->count] = rigid->triangle_count;
  if (has_floor) add_floor(rigid, edge);
  rigid_surface_place(rigid, s, 0, rigid->X);

  // the ball with which a user can push bodies comes last, so that Skin.active_nodes can exclude it while it is absent
  if (s->pusher > 0) add_pusher(rigid, s->pusher);
  return true;
}

void rigid_surface_destroy(RigidSurface *rigid) {
  free(rigid->X);
  free(rigid->own);
  free(rigid->triangle);
  free(rigid->friction);
  *rigid = (RigidSurface){ 0 };
}

void rigid_surface_place(const RigidSurface *rigid, const RigidObstacles *s, double time, double (*x)[3]) {
  for (int k = 0; k < s->count; k++) {
    Obstacle o = s->list[k];
    obstacle_place(&o, time);
    for (int v = rigid->first_node[k]; v < rigid->first_node[k + 1]; v++) obstacle_point(&o, rigid->own[v], x[v]);
  }
  if (rigid->floor_node < 0) return;
  memcpy(x[rigid->floor_node], rigid->X[rigid->floor_node], PLANE_NODES * sizeof *x);
  for (int v = 0; v < PLANE_NODES; v++) x[rigid->floor_node + v][2] = *s->floor;
}

int rigid_surface_around(const RigidSurface *rigid, const RigidObstacles *s, const double (*x)[3],
                         const double point[3]) {
  for (int k = 0; k < s->count; k++) {
    // Boxes, spheres and capsules are convex: a point is inside if it is on the inner side of all triangles. Meshes may
    // not be convex and are left out.
    bool inside = s->list[k].kind != OBSTACLE_MESH && rigid->first_triangle[k] < rigid->first_triangle[k + 1];
    for (int t = rigid->first_triangle[k]; inside && t < rigid->first_triangle[k + 1]; t++) {
      const int *n = rigid->triangle[t];
      inside = tet_orientation(x[n[0]], x[n[1]], x[n[2]], point) < 0;
    }
    if (inside) return k;
  }
  return -1;
}
