// Writes notices about a scene that does not have the expected effect: see session_notices.h.
#include "scene/session_notices.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "mesh/tet_mesh.h"
#include "scene/scene_bodies.h"
#include "scene/scene_fields.h"
#include "sim/force/obstacle.h"

// Warns if dt is so small that the displacements of a time step are lost by rounding.
static void warn_of_short_steps(const Session *session) {
  const SimulationSettings *s = &session->scene.simulation;
  double low[3], high[3];
  mesh_bounds(&session->mesh, low, high);
  const double length = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);

  // s, time that an elastic wave needs to cross the body
  const double crossing = length / sqrt((s->lambda + 2 * s->mu) / s->density);
  const double epsilon = s->precision == PRECISION_F32 ? FLT_EPSILON : DBL_EPSILON;
  if (s->dt < 4 * epsilon * crossing)
    log_notice(
        "%s: dt %g s is too small: an elastic wave needs %.3g s to cross the body, and precision %s loses the motion "
        "in one time step by rounding; use a larger dt%s",
        session->scene.path, s->dt, crossing, precision_name(s->precision),
        s->precision == PRECISION_F32 ? " or precision double" : "");
}

// Warns about tolerances below the rounding errors of the precision. Newton's method cannot reach them.
static void warn_of_small_tolerances(const Session *session) {
  const SimulationSettings *s = &session->scene.simulation;
  const double epsilon = s->precision == PRECISION_F32 ? FLT_EPSILON : DBL_EPSILON;
  const struct {
    const char *key;
    double value;
  } rows[] = { { "newton_relative", s->newton_relative }, { "cg_relative", s->cg_relative } };
  for (int k = 0; k < 2; k++)
    if (rows[k].value > 0 && rows[k].value < epsilon)
      log_notice(
          "%s: %s %g is below the rounding error of precision %s (%.2g) and cannot be reached; use a larger "
          "tolerance%s",
          session->scene.path, rows[k].key, rows[k].value, precision_name(s->precision), epsilon,
          s->precision == PRECISION_F32 ? " or precision double" : "");
}

// Warns if the scene has keys of self-contact, or shows fields of contact, although self_contact is off.
static void warn_of_idle_contact_keys(const Session *session) {
  const SimulationSettings *s = &session->scene.simulation;
  const Style *style = &session->scene.style;
  const char *key = s->contact_distance > 0  ? "contact_distance"
                    : s->contact_modulus > 0 ? "contact_modulus"
                    : s->friction_speed > 0  ? "friction_speed"
                    : s->friction_sticks     ? "friction_sticks"
                                             : NULL;
  const char *shown = style->field == FIELD_PRESSURE            ? "field \"pressure\""
                      : style->vectors == VECTORS_CONTACT       ? "vectors \"contact\""
                      : style->vectors == VECTORS_CONTACT_LINES ? "vectors \"contact_lines\""
                                                                : NULL;
  if (key && !s->self_contact)
    log_notice("%s: %s has no effect without \"self_contact\"; set \"self_contact\": true to keep surfaces apart",
               session->scene.path, key);
  if (shown && !s->self_contact)
    log_notice("%s: %s shows nothing without \"self_contact\"; set \"self_contact\": true to keep surfaces apart",
               session->scene.path, shown);
}

// Returns the mean distance of neighbouring nodes, m; for several bodies, the largest of their means.
static double between_nodes(const TetMesh *mesh) {
  double volume[SCENE_PARTS_MAX] = { 0 }, cells[SCENE_PARTS_MAX] = { 0 }, largest = 0;
  for (int e = 0; e < mesh->tet_count; e++) {
    const int body = mesh->body ? mesh->body[mesh->hex ? mesh->hex[e][0] : mesh->tet[e][0]] : 0;
    volume[body] += mesh_tet_volume(mesh, e);
    cells[body]++;
  }
  // edge of a regular tet, or of a cube, with the mean volume of the body's cells
  for (int k = 0; k < SCENE_PARTS_MAX; k++)
    if (cells[k] > 0) largest = fmax(largest, cbrt((mesh->hex ? 1 : 6 * sqrt(2.0)) * volume[k] / cells[k]));
  return largest / (mesh->outer ? 3 : mesh->middle ? 2 : 1);
}

// Warns about obstacles narrower than the distance between nodes. Without self-contact, spheres, boxes and capsules
// push only nodes. So a narrow one may pass between nodes through a body, and a node may leave a thin plate on its
// other side.
static void warn_of_narrow_obstacles(const Session *session) {
  const SimulationSettings *s = &session->scene.simulation;
  double gap = -1;
  for (int k = 0; k < s->obstacle_count; k++) {
    const Obstacle *o = &s->obstacles[k];
    if (o->kind == OBSTACLE_PLANE || obstacle_is_surface(o, s->self_contact)) continue;
    if (gap < 0) gap = between_nodes(&session->mesh);
    double across = 2 * o->size[0];
    if (o->kind == OBSTACLE_BOX) {
      // Width of a box: its second longest side. But if the shortest side is less than half of `gap`, the distance
      // between nodes, a node may pass through the box, and this side counts.
      const double *d = o->size, least = fmin(fmin(d[0], d[1]), d[2]), maximum = fmax(fmax(d[0], d[1]), d[2]);
      across = 4 * least < gap ? 2 * least : 2 * (d[0] + d[1] + d[2] - least - maximum);
    }
    if (across < gap)
      log_notice(
          "%s: obstacles entry %d is %.3g m wide, but the nodes of the body are %.3g m apart. Only nodes touch an "
          "obstacle, so it may pass between nodes; use a finer mesh, or \"self_contact\": true, with which the whole "
          "surface touches obstacles",
          session->scene.path, k + 1, across, gap);
  }
}

// Returns six times the signed volume of the tet with the corners a, b, c and d.
static double determinant(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double u[3], v[3], w[3];
  for (int i = 0; i < 3; i++) {
    u[i] = a[i] - d[i];
    v[i] = b[i] - d[i];
    w[i] = c[i] - d[i];
  }
  return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static bool tet_holds(const TetMesh *mesh, int e, const double p[3]) {
  const int *n = mesh->tet[e];
  const double *a = mesh->X[n[0]], *b = mesh->X[n[1]], *c = mesh->X[n[2]], *d = mesh->X[n[3]];
  if (!(determinant(p, b, c, d) >= 0)) return false;
  if (!(determinant(a, p, c, d) >= 0)) return false;
  if (!(determinant(a, b, p, d) >= 0)) return false;
  return determinant(a, b, c, p) >= 0;
}

// Warns about a body completely inside another one, because contact keeps it there. Bodies whose surfaces intersect
// need no warning here, since session.c reports them. So a body is inside another one if one of its nodes is.
static void warn_of_bodies_within_others(const Session *session) {
  const TetMesh *mesh = &session->mesh;
  const Scene *scene = &session->scene;
  if (!scene->simulation.self_contact || !mesh->body || mesh->hex || scene->begin[0] || scene->twist != 0 ||
      scene_has_initial_fields(scene))
    return;
  double low[SCENE_PARTS_MAX][3], high[SCENE_PARTS_MAX][3];
  int first[SCENE_PARTS_MAX];
  for (int k = 0; k < scene->body_count; k++)
    for (int i = 0; i < 3; i++) {
      low[k][i] = HUGE_VAL;
      high[k][i] = -HUGE_VAL;
    }
  for (int a = mesh->node_count - 1; a >= 0; a--) {
    const int k = mesh->body[a];
    for (int i = 0; i < 3; i++) {
      low[k][i] = fmin(low[k][i], mesh->X[a][i]);
      high[k][i] = fmax(high[k][i], mesh->X[a][i]);
    }
    first[k] = a;
  }

  for (int k = 0; k < scene->body_count; k++)
    for (int other = 0; other < scene->body_count; other++) {
      bool within = other != k;
      for (int i = 0; i < 3; i++) within = within && low[k][i] > low[other][i] && high[k][i] < high[other][i];
      for (int e = 0; within && e < mesh->tet_count; e++) {
        if (mesh->body[mesh->tet[e][0]] != other || !tet_holds(mesh, e, mesh->X[first[k]])) continue;
        char name[2][SCENE_BODY_NAME + 16];
        scene_body_name(scene, k, name[0]);
        scene_body_name(scene, other, name[1]);
        log_notice("%s: %s begins inside %s, and neither self_contact nor untangle moves it out; change its \"place\"",
                   scene->path, name[0], name[1]);
        break;
      }
    }
}

// Returns the largest initial depth, m, of a node without pins inside `obstacle`. If `obstacle` is NULL, returns the
// largest depth below the floor.
static double depth_within(const Session *session, const Obstacle *obstacle) {
  const TetMesh *mesh = &session->mesh;
  Obstacle now;
  double deepest = 0, offset[3], n[3];
  if (obstacle) {
    now = *obstacle;
    motion_offset(&now.motion, 0, offset);
    for (int i = 0; i < 3; i++) now.centre[i] += offset[i];
  }
  for (int a = 0; a < mesh->node_count; a++)
    if (!session->pinned[a])
      deepest = fmax(deepest, obstacle ? -obstacle_distance(&now, mesh->X[a], n)
                                       : session->scene.simulation.floor_height - mesh->X[a][2]);
  return deepest;
}

void session_notice_depths(const Session *session) {
  const SimulationSettings *s = &session->scene.simulation;

  // Smallest reported depth, in mesh diagonals. A body that rests on an obstacle also sinks in, but less deep.
  static const double REPORTED = 0.02;
  if (session->scene.begin[0] || session->scene.twist != 0 || scene_has_initial_fields(&session->scene)) return;
  double low[3], high[3];
  mesh_bounds(&session->mesh, low, high);
  const double reported = REPORTED * hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
  for (int k = -1; k < s->obstacle_count; k++) {
    if (k < 0 ? !s->has_floor
              : obstacle_is_surface(&s->obstacles[k], s->self_contact) || s->obstacles[k].motion.spin.angle_count > 0)
      continue;
    const double depth = depth_within(session, k < 0 ? NULL : &s->obstacles[k]);
    char where[40] = "under the floor";
    if (k >= 0) snprintf(where, sizeof where, "within obstacles entry %d", k + 1);
    if (depth > reported)
      log_notice(
          "%s: the body begins up to %.3g m deep %s. Contact would push it out at high speed; move the body, or set "
          "\"untangle\": true, which moves it out at the start",
          session->scene.path, depth, where);
  }
}

void session_notices(const Session *session) {
  if (!session->scene.quasi_static) warn_of_short_steps(session);
  warn_of_small_tolerances(session);
  warn_of_idle_contact_keys(session);
  warn_of_narrow_obstacles(session);
  warn_of_bodies_within_others(session);
}
