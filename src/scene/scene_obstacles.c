// Reads the key "obstacles" of a scene: see scene_obstacles.h.
#include "scene/scene_obstacles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vectors.h"
#include "scene/scene_geometry.h"
#include "scene/scene_parts.h"

// Computes three orthonormal axes, the last one along `direction`, which is not zero.
static void frame_along(const double direction[3], double axis[3][3]) {
  const double length = vector_length(direction);
  double side[3] = { 0, 0, 0 }, off = 0;
  for (int i = 0; i < 3; i++) axis[2][i] = direction[i] / length;
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(axis[2][i]) < fabs(axis[2][least])) least = i;
  side[least] = 1;
  off = axis[2][least];
  for (int i = 0; i < 3; i++) side[i] -= off * axis[2][i];
  for (int i = 0; i < 3; i++) axis[0][i] = side[i] / vector_length(side);
  for (int i = 0; i < 3; i++)
    axis[1][i] = axis[2][(i + 1) % 3] * axis[0][(i + 2) % 3] - axis[2][(i + 2) % 3] * axis[0][(i + 1) % 3];
}

// Reads an obstacle that is a plane: { "at": [x, y, z], "normal": [x, y, z] }.
static bool parse_plane(Obstacle *o, const cJSON *value, const char *name, Error *error) {
  double normal[3];
  if (!json_vector_of(value, "at", o->centre, name, error) || !json_vector_of(value, "normal", normal, name, error))
    return false;
  if (!(vector_length(normal) > 0 && isfinite(vector_length(normal))))
    return error_set(error, "%s: \"normal\" must be a direction, not zero", name);
  frame_along(normal, o->axis);
  memcpy(o->given[0], normal, sizeof normal);
  return true;
}

// Reads an obstacle that is a sphere: { "at": [x, y, z], "radius": r }.
static bool parse_ball(Obstacle *o, const cJSON *value, const char *name, Error *error) {
  return json_vector_of(value, "at", o->centre, name, error) &&
         parse_positive(cJSON_GetObjectItemCaseSensitive(value, "radius"), &o->size[0], name, "radius", error);
}

// Reads an obstacle that is a box: { "at": [x, y, z], "size": [x, y, z], "turn": [x, y, z] }.
static bool parse_box(Obstacle *o, const cJSON *value, const char *name, Error *error) {
  const cJSON *angles = cJSON_GetObjectItemCaseSensitive(value, "turn");
  double size[3], turn[3] = { 0, 0, 0 };
  if (!json_vector_of(value, "at", o->centre, name, error) || !json_vector_of(value, "size", size, name, error) ||
      (angles && !json_vector_of(value, "turn", turn, name, error)))
    return false;
  for (int i = 0; i < 3; i++) {
    if (!(size[i] > 0)) return error_set(error, "%s: \"size\" must be three numbers more than 0", name);
    o->size[i] = size[i] / 2;
    scene_turn(o->axis[i], turn);
  }
  memcpy(o->given[0], turn, sizeof turn);
  return true;
}

// Reads an obstacle that is a capsule: { "from": [x, y, z], "to": [x, y, z], "radius": r }.
static bool parse_capsule(Obstacle *o, const cJSON *value, const char *name, Error *error) {
  double from[3], to[3], segment[3];
  if (!json_vector_of(value, "from", from, name, error) || !json_vector_of(value, "to", to, name, error) ||
      !parse_positive(cJSON_GetObjectItemCaseSensitive(value, "radius"), &o->size[0], name, "radius", error))
    return false;
  for (int i = 0; i < 3; i++) {
    segment[i] = to[i] - from[i];
    o->centre[i] = from[i] + segment[i] / 2;
  }
  o->size[2] = vector_length(segment) / 2;
  if (!(o->size[2] > 0 && isfinite(o->size[2])))
    return error_set(
        error, "%s: \"from\" and \"to\" must be two different points; if they are one point, use a \"sphere\"", name);
  frame_along(segment, o->axis);
  memcpy(o->given[0], from, sizeof from);
  memcpy(o->given[1], to, sizeof to);
  return true;
}

// Reads an obstacle that is a mesh: { "mesh": FILE, "scale": 1, "turn": [x, y, z], "at": [x, y, z] }.
static bool parse_surface(Obstacle *o, const cJSON *value, const char *name, Error *error) {
  const cJSON *file = cJSON_GetObjectItemCaseSensitive(value, "mesh");
  const cJSON *scale = cJSON_GetObjectItemCaseSensitive(value, "scale");
  const cJSON *at = cJSON_GetObjectItemCaseSensitive(value, "at");
  const cJSON *angles = cJSON_GetObjectItemCaseSensitive(value, "turn");
  if (!cJSON_IsString(file) || !file->valuestring[0] || strlen(file->valuestring) >= SCENE_PATH_LENGTH)
    return error_set(error, "%s: \"mesh\" must be the path of a file, shorter than %d characters", name,
                     SCENE_PATH_LENGTH);
  o->size[0] = 1;
  if ((scale && !parse_positive(scale, &o->size[0], name, "scale", error)) ||
      (at && !json_vector_of(value, "at", o->centre, name, error)) ||
      (angles && !json_vector_of(value, "turn", o->given[0], name, error)))
    return false;
  for (int i = 0; i < 3; i++) scene_turn(o->axis[i], o->given[0]);
  return true;
}

const char *const obstacle_kinds[OBSTACLE_KINDS] = { [OBSTACLE_PLANE] = "plane",
                                                     [OBSTACLE_SPHERE] = "sphere",
                                                     [OBSTACLE_BOX] = "box",
                                                     [OBSTACLE_CAPSULE] = "capsule",
                                                     [OBSTACLE_MESH] = "mesh" };

// For each kind of obstacle: its possible keys, and the function that reads their values.
static const struct {
  const char *keys[10];
  bool (*parse)(Obstacle *o, const cJSON *value, const char *name, Error *error);
  int needed;  // number of required keys, which follow "kind" and "friction" in `keys`; keys after them are optional
} kinds[] = {
  [OBSTACLE_PLANE] = { { "kind", "friction", "at", "normal", "path", "spin", "name", NULL }, parse_plane, 2 },
  [OBSTACLE_SPHERE] = { { "kind", "friction", "at", "radius", "path", "spin", "name", NULL }, parse_ball, 2 },
  [OBSTACLE_BOX] = { { "kind", "friction", "at", "size", "turn", "path", "spin", "name", NULL }, parse_box, 2 },
  [OBSTACLE_CAPSULE] = { { "kind", "friction", "from", "to", "radius", "path", "spin", "name", NULL },
                         parse_capsule,
                         3 },
  [OBSTACLE_MESH] = { { "kind", "friction", "mesh", "scale", "turn", "at", "path", "spin", "name", NULL },
                      parse_surface,
                      1 },
};

// Returns the kind of an obstacle. Returns OBSTACLE_KINDS if its key "kind" is missing or wrong.
static int obstacle_kind(const cJSON *value) {
  const cJSON *kind = cJSON_GetObjectItemCaseSensitive(value, "kind");
  int k = 0;
  while (k < OBSTACLE_KINDS && !(cJSON_IsString(kind) && strcmp(kind->valuestring, obstacle_kinds[k]) == 0)) k++;
  return k;
}

const char *const *obstacle_keys(const cJSON *entry) {
  static const char *const none[] = { NULL };
  const int kind = obstacle_kind(entry);
  return kind < OBSTACLE_KINDS ? kinds[kind].keys : none;
}

static bool parse_obstacle(void *item, const cJSON *value, const char *name, Error *error) {
  Obstacle *o = item;
  const cJSON *friction = cJSON_GetObjectItemCaseSensitive(value, "friction");
  const int k = obstacle_kind(value);
  if (k == OBSTACLE_KINDS)
    return error_set(error, "%s: \"kind\" must be \"plane\", \"sphere\", \"box\", \"capsule\" or \"mesh\"", name);
  if (!parse_only_keys(value, kinds[k].keys, name, error)) return false;
  for (int i = 2; i < 2 + kinds[k].needed; i++)
    if (!cJSON_GetObjectItemCaseSensitive(value, kinds[k].keys[i]))
      return error_set(error, "%s: a %s needs \"%s\"", name, obstacle_kinds[k], kinds[k].keys[i]);
  if (friction && (!cJSON_IsNumber(friction) || !isfinite(friction->valuedouble) || friction->valuedouble < 0))
    return json_wrong(friction, "friction", "a number, 0 or more", name, error);
  o->kind = (ObstacleKind)k;
  o->friction = friction ? friction->valuedouble : 0;
  for (int i = 0; i < 3; i++) o->axis[i][i] = 1;
  return kinds[k].parse(o, value, name, error) && parse_motion(&o->motion, o->centre, value, name, error);
}

bool parse_obstacles(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *scene = target;
  SimulationSettings *s = &scene->simulation;
  if (!parse_list(value, name, OBSTACLES_MAX, &s->obstacle_count, s->obstacles, sizeof *s->obstacles, parse_obstacle,
                  error))
    return false;

  // an Obstacle has no members for its name and for the path of its mesh, so the Scene stores them
  const cJSON *entry = cJSON_IsObject(value) ? value : value->child;
  for (int k = 0; k < s->obstacle_count; k++, entry = entry->next) {
    const cJSON *file = cJSON_GetObjectItemCaseSensitive(entry, "mesh");
    snprintf(scene->obstacle_mesh[k], SCENE_PATH_LENGTH, "%s", file ? file->valuestring : "");
    scene->obstacle_name[k][0] = '\0';
    if (!parse_entry_name(scene->obstacle_name[k], entry, name, error)) return false;
  }
  return true;
}
