// Finds the extent of an entry of a scene: see entry_box.h.
#include "scene/entry_box.h"

#include <math.h>
#include <string.h>

#include "base/obstacle.h"
#include "mesh/shapes.h"
#include "scene/edit_values.h"
#include "scene/scene_geometry.h"

// Writes corner k of a box between the corners `low` and `high`.
static void corner_of(const double low[3], const double high[3], int k, double corner[3]) {
  for (int i = 0; i < 3; i++) corner[i] = k >> i & 1 ? high[i] : low[i];
}

// Computes the bounding box of an obstacle in its local frame, m. The box of a plane, which is infinite, is a square
// with edges of 2 * unit m.
static void obstacle_bounds(const Obstacle *o, double unit, double low[3], double high[3]) {
  const ObstacleSurface *s = o->surface;
  for (int i = 0; i < 3; i++) {
    high[i] = o->kind == OBSTACLE_BOX ? o->size[i] : o->kind == OBSTACLE_PLANE ? unit * (i < 2) : o->size[0];
    if (o->kind == OBSTACLE_CAPSULE && i == 2) high[i] += o->size[2];
    low[i] = -high[i];
    if (o->kind != OBSTACLE_MESH || !s) continue;
    low[i] = HUGE_VAL;
    high[i] = -HUGE_VAL;
    for (int v = 0; v < s->vertex_count; v++) {
      low[i] = fmin(low[i], o->size[0] * s->X[v][i]);
      high[i] = fmax(high[i], o->size[0] * s->X[v][i]);
    }
  }
}

// Placement of an entry of "shapes": the keys "turn" and "at" of the entry, and the key "scale" of the scene.
typedef struct Placement {
  double turn[3], at[3], scale;
} Placement;

static Placement placement_of(const cJSON *document, const cJSON *shape) {
  Placement p = { .scale = edit_number(document, "scale", 1) };
  edit_read_vector(shape, "turn", p.turn);
  edit_read_vector(shape, "at", p.at);
  return p;
}

// Moves a point from the local frame of a shape to its position in the scene, m.
static void place_point(const Placement *p, double point[3]) {
  scene_turn(point, p->turn);
  for (int i = 0; i < 3; i++) point[i] = p->scale * (point[i] + p->at[i]);
}

// Computes the corners of the box of an entry of "shapes". In the local frame of a shape, the origin is the middle of
// the lower face of its box.
static void shape_box(const cJSON *document, const cJSON *shape, double corner[8][3]) {
  const Placement placement = placement_of(document, shape);
  double size[3], low[3] = { 0 }, high[3];
  edit_read_vector(shape, "size", size);
  memcpy(high, size, sizeof high);
  for (int i = 0; i < 2; i++) {
    low[i] = -size[i] / 2;
    high[i] = size[i] / 2;
  }
  for (int k = 0; k < 8; k++) {
    corner_of(low, high, k, corner[k]);
    place_point(&placement, corner[k]);
  }
}

bool entry_box(const cJSON *document, const SceneEntry *entry, const SceneSpace *space,
               const SimulationSettings *settings, double corner[8][3]) {
  const int index = entry->index;
  const cJSON *item = edit_element(document, entry->list, index);
  if (item && strcmp(entry->list, "bodies") == 0 && index < space->body_count) {
    for (int k = 0; k < 8; k++) corner_of(space->body_low[index], space->body_high[index], k, corner[k]);
    return true;
  }
  if (strcmp(entry->list, "mesh") == 0) {
    for (int k = 0; k < 8; k++) corner_of(space->low, space->high, k, corner[k]);
    return true;
  }
  if (item && strcmp(entry->list, "shapes") == 0) {
    shape_box(document, item, corner);
    return true;
  }
  if (!item || strcmp(entry->list, "obstacles") != 0 || index >= settings->obstacle_count) return false;
  const Obstacle *o = &settings->obstacles[index];
  double low[3], high[3], own[3], unit = 0;
  for (int i = 0; i < 3; i++) unit = fmax(unit, (space->high[i] - space->low[i]) / 2);
  obstacle_bounds(o, unit, low, high);
  for (int k = 0; k < 8; k++) {
    corner_of(low, high, k, own);
    obstacle_point(o, own, corner[k]);
  }
  return true;
}

// Computes the smallest z coordinate of an entry of "shapes" from the mesh of the shape.
static bool shape_lowest(const cJSON *document, const cJSON *shape, double *z, Error *error) {
  const cJSON *kind = edit_key(shape, "kind");
  const Placement placement = placement_of(document, shape);
  double size[3];
  TetMesh mesh = { 0 };
  edit_read_vector(shape, "size", size);
  if (!mesh_make_shape(cJSON_IsString(kind) ? kind->valuestring : "", size, (int)edit_number(shape, "cells", 0), &mesh,
                       error))
    return false;
  *z = HUGE_VAL;
  for (int a = 0; a < mesh.node_count; a++) {
    place_point(&placement, mesh.X[a]);
    *z = fmin(*z, mesh.X[a][2]);
  }
  mesh_destroy(&mesh);
  return true;
}

bool entry_lowest(const cJSON *document, const SceneEntry *entry, const SceneSpace *space,
                  const SimulationSettings *settings, double *z, Error *error) {
  const bool obstacle = strcmp(entry->list, "obstacles") == 0;
  double corner[8][3];
  if (!entry_box(document, entry, space, settings, corner) ||
      (obstacle && settings->obstacles[entry->index].kind == OBSTACLE_PLANE))
    return error_set(error, "choose a body, or an obstacle that is no plane, to place it on the floor");
  if (strcmp(entry->list, "shapes") == 0)
    return shape_lowest(document, edit_element(document, entry->list, entry->index), z, error);

  *z = HUGE_VAL;
  for (int k = 0; k < 8; k++) *z = fmin(*z, corner[k][2]);
  if (!obstacle) return true;

  // a round obstacle or a mesh may end above the lowest corner of its box, so z is computed from its shape
  const Obstacle *o = &settings->obstacles[entry->index];
  if (o->kind == OBSTACLE_SPHERE) *z = o->centre[2] - o->size[0];
  if (o->kind == OBSTACLE_CAPSULE) *z = o->centre[2] - fabs(o->axis[2][2]) * o->size[2] - o->size[0];
  if (o->kind != OBSTACLE_MESH || !o->surface) return true;
  *z = HUGE_VAL;
  for (int v = 0; v < o->surface->vertex_count; v++) {
    double own[3], x[3];
    for (int i = 0; i < 3; i++) own[i] = o->size[0] * o->surface->X[v][i];
    obstacle_point(o, own, x);
    *z = fmin(*z, x[2]);
  }
  return true;
}
