// Reads keys of a scene whose values are objects or lists, such as "pins": see scene_parts.h.
#include "scene/scene_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/meant.h"
#include "base/vectors.h"
#include "scene/observable.h"
#include "scene/scene_obstacles.h"

bool parse_only_keys(const cJSON *object, const char *const *keys, const char *name, Error *error) {
  if (!cJSON_IsObject(object))
    return error_set(error, "%s: is %s, expected an object { ... }", name, json_kind(object));
  for (const cJSON *item = object->child; item; item = item->next) {
    char known[256] = "", text[96];
    bool found = false;
    Meant meant = meant_by(item->string);
    for (int k = 0; keys[k]; k++) {
      const size_t length = strlen(known);
      snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", keys[k]);
      found = found || strcmp(keys[k], item->string) == 0;
      meant_offer(&meant, keys[k]);
    }
    if (!found)
      return error_set(error, "%s: unknown key \"%s\"%s; there are: %s", name, item->string, meant_text(&meant, text),
                       known);
  }
  return true;
}

bool parse_positive(const cJSON *value, double *number, const char *name, const char *key, Error *error) {
  if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble <= 0)
    return json_wrong(value, key, "a number more than 0", name, error);
  *number = value->valuedouble;
  return true;
}

// Returns Region.centre_extreme for a direction: 1, 2 or 3 for "+x", "+y" or "+z"; -1, -2 or -3 for "-x", "-y" or "-z";
// 0 for other texts.
static int extreme_of(const char *text) {
  if (strlen(text) != 2 || (text[0] != '+' && text[0] != '-') || text[1] < 'x' || text[1] > 'z') return 0;
  return (text[0] == '+' ? 1 : -1) * (text[1] - 'x' + 1);
}

static bool is_whole(const cJSON *value) {
  return cJSON_IsNumber(value) && value->valuedouble == value->valueint;
}

// Reads the key "body" of a region: a name such as "ball", or an index such as 2 for bodies[2].
static bool parse_body_of(Region *region, const cJSON *value, const char *name, Error *error) {
  if (!value) return true;
  const bool text = cJSON_IsString(value) && value->valuestring[0];
  if (!text && (!is_whole(value) || value->valueint < 0))
    return error_set(error, "%s: \"body\" must be the name or the number of a body, counted from 0", name);
  if (text && strlen(value->valuestring) >= SCENE_BODY_NAME)
    return error_set(error, "%s: \"body\": a name has at most %d characters", name, SCENE_BODY_NAME - 1);
  if (text)
    memcpy(region->body_name, value->valuestring, strlen(value->valuestring) + 1);
  else
    region->body = value->valueint;
  return region->of_body = true;
}

// Reads the key "set" of a region, the name of a set of the mesh file.
static bool parse_set(Region *region, const cJSON *value, const char *name, Error *error) {
  if (!value) return true;
  const char *text = cJSON_IsString(value) ? value->valuestring : "";
  if (!text[0] || strlen(text) >= sizeof region->set)
    return error_set(error, "%s: \"set\" must be the name of a set of the mesh file, of at most %d characters", name,
                     MESH_SET_NAME - 1);
  memcpy(region->set, text, strlen(text) + 1);
  return true;
}

// Reads the keys of a region, such as its bounds along z and a ball: { "z": [null, 0.02], "center": [x, y, z] or "+z",
// "radius": r }.
static bool parse_bounds(Region *region, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "x", "y", "z" };
  if (!value->child) return error_set(error, "%s: the region is empty; give bounds such as \"z\": [null, 0.1]", name);
  for (int i = 0; i < 3; i++) {
    region->low[i] = -HUGE_VAL;
    region->high[i] = HUGE_VAL;
    const cJSON *bounds = cJSON_GetObjectItemCaseSensitive(value, keys[i]);
    if (!bounds) continue;
    static const char expected[] = "[low, high], with null for no bound";
    if (!cJSON_IsArray(bounds)) return json_wrong(bounds, keys[i], expected, name, error);
    if (!json_is_list(bounds, 2))
      return error_set(error, "%s: \"%s\" has %d entr%s, expected %s", name, keys[i], cJSON_GetArraySize(bounds),
                       cJSON_GetArraySize(bounds) == 1 ? "y" : "ies", expected);
    for (int k = 0; k < 2; k++) {
      const cJSON *bound = cJSON_GetArrayItem(bounds, k);
      if (!cJSON_IsNull(bound) && !cJSON_IsNumber(bound))
        return error_set(error, "%s: entry %d of \"%s\" is %s, expected a number, or null for no bound", name, k + 1,
                         keys[i], json_kind(bound));
      if (cJSON_IsNumber(bound)) *(k ? &region->high[i] : &region->low[i]) = bound->valuedouble;
    }
  }

  if (!parse_body_of(region, cJSON_GetObjectItemCaseSensitive(value, "body"), name, error) ||
      !parse_set(region, cJSON_GetObjectItemCaseSensitive(value, "set"), name, error))
    return false;
  const cJSON *centre = cJSON_GetObjectItemCaseSensitive(value, "center");
  const cJSON *radius = cJSON_GetObjectItemCaseSensitive(value, "radius");
  if (!centre != !radius)
    return error_set(error, "%s: \"center\" needs \"radius\", and \"radius\" needs \"center\"", name);
  if (!centre) return true;
  region->has_ball = true;
  if (!parse_positive(radius, &region->radius, name, "radius", error)) return false;
  if (cJSON_IsString(centre)) {
    region->centre_extreme = extreme_of(centre->valuestring);
    if (region->centre_extreme) return true;
    return error_set(error, "%s: \"center\" is \"%s\", expected [x, y, z] or one of +x -x +y -y +z -z", name,
                     centre->valuestring);
  }
  return json_vector_of(value, "center", region->centre, name, error);
}

// Keys that an entry of a scene's list may have, one array for each list, such as pin_keys for "pins".
#define REGION_KEYS "x", "y", "z", "center", "radius", "body", "set"
const char *const region_keys[] = { REGION_KEYS, NULL };
const char *const body_shape_keys[] = { "kind", "size", "cells", NULL };
static const char *const pin_keys[] = { REGION_KEYS, "axes", "name", "move", "path", "spin", NULL };
static const char *const force_keys[] = { "region", "name",      "total", "traction", "pressure",
                                          "share",  "over_time", "steps", NULL };
static const char *const drag_keys[] = { "grab", "name", "stiffness", "path", NULL };
static const char *const cut_keys[] = { "name", "time", "point", "normal", "reach", "edges", NULL };
static const char *const material_keys[] = { "region", "name", "stiffness", NULL };
static const char *const shape_keys[] = { "name", "kind", "size", "cells", "at", "turn", NULL };

bool parse_region(Region *region, const cJSON *value, const char *name, Error *error) {
  return parse_only_keys(value, region_keys, name, error) && parse_bounds(region, value, name, error);
}

// As parse_region, for a region that is the value of `key` in an object, such as "region" in an entry of "forces".
// Messages begin with `name`, the location of the object, and the key.
static bool parse_region_at(Region *region, const cJSON *value, const char *key, const char *name, Error *error) {
  char location[1280];
  snprintf(location, sizeof location, "%.1200s: \"%s\"", name, key);
  return parse_region(region, value, location, error);
}

bool parse_list(const cJSON *list, const char *name, int maximum, int *count, void *items, size_t size,
                bool (*parse)(void *item, const cJSON *value, const char *name, Error *error), Error *error) {
  const bool one = cJSON_IsObject(list);
  if (!one && !cJSON_IsArray(list))
    return error_set(error, "%s: is %s, expected a list [ ... ] or one entry { ... }", name, json_kind(list));
  if (!one && cJSON_GetArraySize(list) > maximum)
    return error_set(error, "%s: has %d entries, but at most %d are allowed; remove some", name,
                     cJSON_GetArraySize(list), maximum);
  *count = 0;
  for (const cJSON *value = one ? list : list->child; value; value = one ? NULL : value->next) {
    char item[1280];
    snprintf(item, sizeof item, "%.1200s entry %d", name, *count + 1);
    void *added = (char *)items + size * (size_t)*count;
    memset(added, 0, size);
    if (!parse(added, value, item, error)) return false;
    ++*count;
  }
  return true;
}

// Converts the names of held axes to bits: "xz" to PIN_X | PIN_Z, and an invalid value to 0.
static int axes_of(const cJSON *value) {
  int held = 0;
  if (!cJSON_IsString(value)) return 0;
  for (const char *c = value->valuestring; *c; c++) {
    if (*c < 'x' || *c > 'z' || held & PIN_X << (*c - 'x')) return 0;
    held |= PIN_X << (*c - 'x');
  }
  return held;
}

// Reads a list of points over time, such as [[time, dx, dy, dz], ...], into the array points [maximum][numbers]. Each
// point has `numbers` numbers, the first of which is its time. Times must increase.
static bool parse_points(const cJSON *list, const char *key, int numbers, const char *numbers_named, double *points,
                         int least, int maximum, int *point_count, const char *name, Error *error) {
  const int count = cJSON_GetArraySize(list);
  if (!cJSON_IsArray(list) || count < least || count > maximum)
    return error_set(error, "%s: \"%s\" must be a list of %d to %d points %s", name, key, least, maximum,
                     numbers_named);
  *point_count = 0;
  for (const cJSON *point = list->child; point; point = point->next) {
    double *p = points + numbers * *point_count;
    for (int k = 0; k < numbers; k++) {
      const cJSON *number = cJSON_GetArrayItem(point, k);
      if (!json_is_list(point, numbers) || !cJSON_IsNumber(number) || !isfinite(number->valuedouble))
        return error_set(error, "%s: point %d of \"%s\" must be %s numbers %s", name, *point_count + 1, key,
                         numbers == 4 ? "four" : "two", numbers_named);
      p[k] = number->valuedouble;
    }
    if (*point_count > 0 && p[0] <= p[-numbers])
      return error_set(error, "%s: the times of \"%s\" must increase", name, key);
    ++*point_count;
  }
  return true;
}

static bool parse_path(const cJSON *path, double (*points)[4], int least, int maximum, int *point_count,
                       const char *name, Error *error) {
  return parse_points(path, "path", 4, "[time, dx, dy, dz]", points[0], least, maximum, point_count, name, error);
}

// Reads a rotation over time: { "axis": [x, y, z], "about": [x, y, z], "speed": 90 }, with the speed in degrees per
// second. "angles": [[time, degrees], ...] may replace "speed". centre: the point used if "about" is missing; NULL:
// "about" is required.
static bool parse_spin(Spin *spin, const double *centre, const cJSON *value, const char *entry, Error *error) {
  static const char *const keys[] = { "axis", "about", "speed", "angles", NULL };
  char name[1300];
  snprintf(name, sizeof name, "%.1280s, \"spin\"", entry);
  if (!parse_only_keys(value, keys, name, error)) return false;
  const cJSON *about = cJSON_GetObjectItemCaseSensitive(value, "about");
  const cJSON *speed = cJSON_GetObjectItemCaseSensitive(value, "speed");
  const cJSON *angles = cJSON_GetObjectItemCaseSensitive(value, "angles");
  if (!cJSON_GetObjectItemCaseSensitive(value, "axis")) return error_set(error, "%s: needs \"axis\"", name);
  if (!about && !centre) return error_set(error, "%s: needs \"about\", a point of the axis", name);
  if (!speed == !angles) return error_set(error, "%s: needs either \"speed\" or \"angles\"", name);
  if (!json_vector_of(value, "axis", spin->given, name, error)) return false;
  const double length = vector_length(spin->given);
  if (!(length > 0 && isfinite(length))) return error_set(error, "%s: \"axis\" must be a direction, not zero", name);
  for (int i = 0; i < 3; i++) {
    spin->axis[i] = spin->given[i] / length;
    spin->about[i] = centre ? centre[i] : 0;
  }
  if (about && !json_vector_of(value, "about", spin->about, name, error)) return false;
  if (speed && (!cJSON_IsNumber(speed) || !isfinite(speed->valuedouble)))
    return json_wrong(speed, "speed", "a number of degrees per second", name, error);
  if (speed) spin->speed = speed->valuedouble;
  return !angles || parse_points(angles, "angles", 2, "[time, degrees]", spin->angles[0], 1, MOTION_POINTS_MAX,
                                 &spin->angle_count, name, error);
}

bool parse_motion(RigidMotion *motion, const double *centre, const cJSON *value, const char *name, Error *error) {
  const cJSON *path = cJSON_GetObjectItemCaseSensitive(value, "path");
  const cJSON *spin = cJSON_GetObjectItemCaseSensitive(value, "spin");
  return (!path || parse_path(path, motion->path, 1, MOTION_POINTS_MAX, &motion->point_count, name, error)) &&
         (!spin || parse_spin(&motion->spin, centre, spin, name, error));
}

bool name_check(const char *text, const char *key, Error *error) {
  if (text[0] && strlen(text) < SCENE_BODY_NAME && !(text[0] >= '0' && text[0] <= '9') && !strpbrk(text, ",:/"))
    return true;
  return error_set(
      error,
      "%s must be a text of at most %d characters that does not begin with a digit and has no comma, colon "
      "or slash",
      key, SCENE_BODY_NAME - 1);
}

bool parse_entry_name(char entry[SCENE_BODY_NAME], const cJSON *value, const char *name, Error *error) {
  const cJSON *given = cJSON_GetObjectItemCaseSensitive(value, "name");
  if (!given) return true;
  const char *text = cJSON_IsString(given) ? given->valuestring : "";
  char key[SCENE_PATH_LENGTH + 64];
  snprintf(key, sizeof key, "%.*s: \"name\"", SCENE_PATH_LENGTH, name);
  if (!name_check(text, key, error)) return false;
  memcpy(entry, text, strlen(text) + 1);
  return true;
}

// Fails if a pin's displacement, m, has a component along an axis along which the pin does not hold its nodes.
static bool held_check(const ScenePin *pin, const double displacement[3], const char *key, const char *name,
                       Error *error) {
  for (int i = 0; i < 3; i++)
    if (displacement[i] != 0 && !pin_holds(pin->held, i))
      return error_set(error, "%s: \"%s\" has a displacement along %c, but \"axes\" does not hold this axis", name, key,
                       'x' + i);
  return true;
}

bool parse_pin(void *item, const cJSON *value, const char *name, Error *error) {
  ScenePin *pin = item;
  if (!parse_only_keys(value, pin_keys, name, error) || !parse_bounds(&pin->region, value, name, error)) return false;
  const cJSON *axes = cJSON_GetObjectItemCaseSensitive(value, "axes");
  const cJSON *move = cJSON_GetObjectItemCaseSensitive(value, "move");
  pin->held = PIN_ALL;
  if (axes && !(pin->held = (uint8_t)axes_of(axes)))
    return error_set(error, "%s: \"axes\" must name the held axes, such as \"z\" or \"xy\"", name);
  if (!parse_entry_name(pin->name, value, name, error) || !parse_motion(&pin->motion, NULL, value, name, error))
    return false;
  pin->moves = move != NULL;
  if (pin->moves && motion_moves(&pin->motion))
    return error_set(error, "%s: \"move\" cannot be combined with \"path\" or \"spin\"; remove one", name);
  for (int k = 0; k < pin->motion.point_count; k++)
    if (!held_check(pin, pin->motion.path[k] + 1, "path", name, error)) return false;
  return !move ||
         (json_vector_of(value, "move", pin->move, name, error) && held_check(pin, pin->move, "move", name, error));
}

// Reads component i of a force, which may be a number or a formula.
static bool parse_component(SceneForce *force, int i, const cJSON *value, const char *key, const char *name,
                            Error *error) {
  force->value[i] = cJSON_IsNumber(value) ? value->valuedouble : 0;
  if (cJSON_IsNumber(value) && isfinite(value->valuedouble)) return true;
  if (!cJSON_IsString(value)) {
    const char *scalar = "a number, Pa, or a formula", *vector = "three numbers or formulas [x, y, z]";
    return json_wrong(value, key, force->kind == FORCE_PRESSURE ? scalar : vector, name, error);
  }
  const size_t length = strlen(value->valuestring);
  if (length == 0 || length >= sizeof force->formula[i])
    return error_set(error, "%s: \"%s\" has a formula of %zu characters, expected 1 to %zu", name, key, length,
                     sizeof force->formula[i] - 1);
  memcpy(force->formula[i], value->valuestring, length + 1);
  return true;
}

// Reads the value of a force. The force has exactly one of the keys "total", "traction" and "pressure".
static bool parse_force_value(SceneForce *force, const cJSON *object, const char *name, Error *error) {
  static const char *const kinds[] = {
    [FORCE_TOTAL] = "total", [FORCE_TRACTION] = "traction", [FORCE_PRESSURE] = "pressure"
  };
  const cJSON *value = NULL;
  int found = 0;
  for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, kinds[k]);
    if (!item) continue;
    value = item;
    force->kind = (ForceKind)k;
    found++;
  }
  if (found != 1)
    return error_set(error, "%s: has %d of the keys \"total\", \"traction\" and \"pressure\", expected one of them",
                     name, found);
  const int numbers = force->kind == FORCE_PRESSURE ? 1 : 3;
  const cJSON *component = numbers == 1 ? value : cJSON_GetArrayItem(value, 0);
  if (numbers == 3 && !json_is_list(value, 3))
    return json_vector_of(object, kinds[force->kind], force->value, name, error);
  for (int i = 0; i < numbers; i++, component = component->next)
    if (!parse_component(force, i, component, kinds[force->kind], name, error)) return false;
  return true;
}

static bool parse_share(SceneForce *force, const cJSON *value, const char *name, Error *error) {
  const char *text = cJSON_IsString(value) ? value->valuestring : "";
  if (!value) return true;
  if (force->kind != FORCE_TOTAL) return error_set(error, "%s: \"share\" applies only to \"total\"", name);
  force->share = strcmp(text, "area") == 0 ? SHARE_AREA : SHARE_VOLUME;
  return force->share == SHARE_AREA || strcmp(text, "volume") == 0 ||
         json_wrong(value, "share", "\"area\" or \"volume\"", name, error);
}

static bool parse_over_time(SceneForce *force, const cJSON *list, const char *name, Error *error) {
  return parse_points(list, "over_time", 2, "[time, factor]", force->over_time[0], 1, FORCE_POINTS_MAX,
                      &force->point_count, name, error);
}

static bool parse_force(void *item, const cJSON *value, const char *name, Error *error) {
  SceneForce *force = item;
  if (!parse_only_keys(value, force_keys, name, error)) return false;
  const cJSON *region = cJSON_GetObjectItemCaseSensitive(value, "region");
  const cJSON *steps = cJSON_GetObjectItemCaseSensitive(value, "steps");
  const cJSON *over_time = cJSON_GetObjectItemCaseSensitive(value, "over_time");
  force->first_step = 1;
  force->last_step = INT32_MAX;
  if (steps) {
    const cJSON *first = cJSON_GetArrayItem(steps, 0), *last = cJSON_GetArrayItem(steps, 1);
    if (!json_is_list(steps, 2) || !is_whole(first) || !is_whole(last) || first->valueint < 1 ||
        last->valueint < first->valueint)
      return error_set(error, "%s: \"steps\" must be [first, last], whole numbers counted from 1", name);
    force->first_step = first->valueint;
    force->last_step = last->valueint;
  }

  if (!region)
    return error_set(error,
                     "%s: key \"region\" is missing; give the nodes on which the load acts, such as "
                     "\"region\": {\"z\": [0.9, null]}",
                     name);
  if (!parse_entry_name(force->name, value, name, error)) return false;
  if (!parse_region_at(&force->region, region, "region", name, error)) return false;
  if (!parse_force_value(force, value, name, error)) return false;
  if (!parse_share(force, cJSON_GetObjectItemCaseSensitive(value, "share"), name, error)) return false;
  return !over_time || parse_over_time(force, over_time, name, error);
}

static bool parse_drag(void *item, const cJSON *value, const char *name, Error *error) {
  SceneDrag *drag = item;
  if (!parse_only_keys(value, drag_keys, name, error)) return false;
  const cJSON *grab = cJSON_GetObjectItemCaseSensitive(value, "grab");
  const cJSON *stiffness = cJSON_GetObjectItemCaseSensitive(value, "stiffness");
  const cJSON *path = cJSON_GetObjectItemCaseSensitive(value, "path");
  if (!grab || !path) return error_set(error, "%s: needs \"grab\" and \"path\"", name);
  if (stiffness && !parse_positive(stiffness, &drag->stiffness, name, "stiffness", error)) return false;
  if (!parse_entry_name(drag->name, value, name, error) || !parse_region_at(&drag->region, grab, "grab", name, error))
    return false;
  return parse_path(path, drag->path, 2, SCENE_PATH_POINTS_MAX, &drag->point_count, name, error);
}

bool parse_pins(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  s->pins_given = true;
  return parse_list(value, name, SCENE_PARTS_MAX, &s->pin_count, s->pins, sizeof *s->pins, parse_pin, error);
}

bool parse_forces(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  return parse_list(value, name, SCENE_PARTS_MAX, &s->force_count, s->forces, sizeof *s->forces, parse_force, error);
}

bool parse_drags(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  return parse_list(value, name, SCENE_PARTS_MAX, &s->drag_count, s->drags, sizeof *s->drags, parse_drag, error);
}

bool parse_blade(Blade *blade, const cJSON *value, const char *name, Error *error) {
  const cJSON *reach = cJSON_GetObjectItemCaseSensitive(value, "reach");
  const cJSON *edges = cJSON_GetObjectItemCaseSensitive(value, "edges");
  if (!cJSON_GetObjectItemCaseSensitive(value, "point") || !cJSON_GetObjectItemCaseSensitive(value, "normal"))
    return error_set(error, "%s: needs \"point\" and \"normal\"", name);
  if (!json_vector_of(value, "point", blade->point, name, error) ||
      !json_vector_of(value, "normal", blade->normal, name, error) ||
      (reach && !parse_positive(reach, &blade->reach, name, "reach", error)))
    return false;
  if (edges && !json_is_list(edges, 2)) return json_wrong(edges, "edges", "two directions [x, y, z]", name, error);
  for (int k = 0; edges && k < 2; k++)
    if (!json_vector(cJSON_GetArrayItem(edges, k), blade->edge[k], name, error)) return false;
  return blade_check(blade, name, error);
}

// Reads an entry of "cuts": { "time": 0.5, "point": [x, y, z], "normal": [x, y, z], "reach": 0.1 }.
static bool parse_cut(void *item, const cJSON *value, const char *name, Error *error) {
  SceneCut *cut = item;
  if (!parse_only_keys(value, cut_keys, name, error)) return false;
  const cJSON *time = cJSON_GetObjectItemCaseSensitive(value, "time");
  if (!cJSON_IsNumber(time) || !isfinite(time->valuedouble) || time->valuedouble < 0)
    return json_wrong(time, "time", "a number of seconds, 0 or more", name, error);
  cut->time = time->valuedouble;
  return parse_entry_name(cut->name, value, name, error) && parse_blade(&cut->blade, value, name, error);
}

bool parse_cuts(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  return parse_list(value, name, SCENE_CUTS_MAX, &s->cut_count, s->cuts, sizeof *s->cuts, parse_cut, error);
}

SceneCamera scene_camera_defaults(void) {
  return (SceneCamera){ .up = { 0, 0, 1 }, .fov = 35 };
}

// Reads a camera: { "eye": [x, y, z], "target": [x, y, z], "up": [x, y, z], "fov": degrees }, or a stored view, which
// may also have "orthographic": true and a "name". A missing key leaves its member of *camera unchanged.
static bool read_camera(SceneCamera *camera, bool is_view, const cJSON *value, const char *name, Error *error) {
  const char *const keys[] = { "eye", "target", "up", "fov", is_view ? "orthographic" : NULL, "name", NULL };
  if (!parse_only_keys(value, keys, name, error)) return false;
  const cJSON *eye = cJSON_GetObjectItemCaseSensitive(value, "eye"),
              *at = cJSON_GetObjectItemCaseSensitive(value, "target");
  const cJSON *up = cJSON_GetObjectItemCaseSensitive(value, "up"),
              *fov = cJSON_GetObjectItemCaseSensitive(value, "fov");
  if (!eye || !at) return error_set(error, "%s: needs \"eye\" and \"target\"", name);
  if (!json_vector_of(value, "eye", camera->eye, name, error) ||
      !json_vector_of(value, "target", camera->target, name, error))
    return false;
  if (up && !json_vector_of(value, "up", camera->up, name, error)) return false;
  const double length = vector_length(camera->up);
  if (!(length > 0 && isfinite(length))) return error_set(error, "%s: \"up\" must be a direction, not zero", name);
  for (int i = 0; i < 3; i++) camera->up[i] /= length;
  if (fov && (!cJSON_IsNumber(fov) || !(fov->valuedouble >= 1 && fov->valuedouble <= 150)))
    return json_wrong(fov, "fov", "a number, 1 to 150 degrees", name, error);
  if (fov) camera->fov = fov->valuedouble;
  const cJSON *orthographic = cJSON_GetObjectItemCaseSensitive(value, "orthographic");
  if (orthographic && !cJSON_IsBool(orthographic))
    return json_wrong(orthographic, "orthographic", "true or false", name, error);
  camera->orthographic = cJSON_IsTrue(orthographic);
  const cJSON *given = cJSON_GetObjectItemCaseSensitive(value, "name");
  const char *text = cJSON_IsString(given) ? given->valuestring : "";
  if (given && (!text[0] || strlen(text) >= sizeof camera->name))
    return error_set(error, "%s: \"name\" must be a text of 1 to %d characters", name, SCENE_BODY_NAME - 1);
  snprintf(camera->name, sizeof camera->name, "%s", text);
  return camera->given = true;
}

bool parse_camera(void *target, const cJSON *value, const char *name, Error *error) {
  return read_camera(&((Scene *)target)->camera, false, value, name, error);
}

// Reads an entry of "views": a stored view, which is a camera, or null for an empty entry.
static bool parse_view(void *item, const cJSON *value, const char *name, Error *error) {
  SceneCamera *camera = item;
  *camera = scene_camera_defaults();
  return cJSON_IsNull(value) || read_camera(camera, true, value, name, error);
}

bool parse_views(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  SceneViews *views = &s->views;
  return parse_list(value, name, SCENE_VIEWS_MAX, &views->count, views->camera, sizeof *views->camera, parse_view,
                    error);
}

bool parse_curves(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  size_t length = 0;
  s->curves[0] = '\0';
  if (!cJSON_IsArray(value)) return json_wrong(value, "curves", "a list of names of observables", name, error);
  for (const cJSON *item = value->child; item; item = item->next) {
    const char *text = cJSON_IsString(item) ? item->valuestring : "", *subject;
    if (!text[0] || strchr(text, ',') || length + strlen(text) + 2 > sizeof s->curves)
      return json_wrong(item, "curves", "a list of names of observables, of at most 2,000 characters in all", name,
                        error);
    if (!observable_find(text, &subject, error)) return error_prefix(error, "%s", name);
    length += (size_t)snprintf(s->curves + length, sizeof s->curves - length, "%s%s", length ? "," : "", text);
  }
  return true;
}

// Reads an entry of "materials", a factor on the moduli of the cells in a region: { "region": {...}, "stiffness": 10 }.
static bool parse_material(void *item, const cJSON *value, const char *name, Error *error) {
  SceneMaterial *material = item;
  if (!parse_only_keys(value, material_keys, name, error)) return false;
  const cJSON *region = cJSON_GetObjectItemCaseSensitive(value, "region");
  if (!region) return error_set(error, "%s: needs \"region\" and \"stiffness\"", name);
  return parse_entry_name(material->name, value, name, error) &&
         parse_region_at(&material->region, region, "region", name, error) &&
         parse_positive(cJSON_GetObjectItemCaseSensitive(value, "stiffness"), &material->stiffness, name, "stiffness",
                        error);
}

bool parse_materials(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  return parse_list(value, name, SCENE_PARTS_MAX, &s->material_count, s->materials, sizeof *s->materials,
                    parse_material, error);
}

bool parse_shape_keys(SceneShape *shape, const cJSON *value, const char *name, Error *error) {
  const cJSON *kind = cJSON_GetObjectItemCaseSensitive(value, "kind");
  const cJSON *size = cJSON_GetObjectItemCaseSensitive(value, "size");
  const cJSON *cells = cJSON_GetObjectItemCaseSensitive(value, "cells");
  if (!cJSON_IsString(kind) || strlen(kind->valuestring) >= sizeof shape->kind)
    return error_set(error, "%s: \"kind\" must name a shape, such as \"box\"", name);
  snprintf(shape->kind, sizeof shape->kind, "%s", kind->valuestring);
  if (!size) return error_set(error, "%s: needs \"kind\", \"size\" and \"cells\"", name);
  if (!is_whole(cells) || cells->valueint < 1 || cells->valueint > 1000)
    return json_wrong(cells, "cells", "a whole number, 1 to 1000", name, error);
  shape->cells = cells->valueint;
  return json_vector_of(value, "size", shape->size, name, error);
}

// Reads an entry of "shapes": { "kind": "box", "size": [x, y, z], "cells": 8, "at": [x, y, z], "turn": [x, y, z] }.
static bool parse_shape(void *item, const cJSON *value, const char *name, Error *error) {
  SceneShape *shape = item;
  if (!parse_only_keys(value, shape_keys, name, error) || !parse_shape_keys(shape, value, name, error)) return false;
  const cJSON *at = cJSON_GetObjectItemCaseSensitive(value, "at"),
              *turn = cJSON_GetObjectItemCaseSensitive(value, "turn");
  return parse_entry_name(shape->name, value, name, error) &&
         (!at || json_vector_of(value, "at", shape->at, name, error)) &&
         (!turn || json_vector_of(value, "turn", shape->turn, name, error));
}

bool parse_shapes(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  return parse_list(value, name, SCENE_PARTS_MAX, &s->shape_count, s->shapes, sizeof *s->shapes, parse_shape, error);
}

const char *const *entry_keys(const char *list, const cJSON *entry) {
  static const struct {
    const char *list;
    const char *const *keys;
  } rows[] = { { "shapes", shape_keys }, { "pins", pin_keys }, { "forces", force_keys },
               { "drags", drag_keys },   { "cuts", cut_keys }, { "materials", material_keys } };
  static const char *const none[] = { NULL };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (strcmp(rows[k].list, list) == 0) return rows[k].keys;
  return strcmp(list, "obstacles") == 0 ? obstacle_keys(entry) : none;
}

// Returns 0, 1 or 2 for "x", "y" or "z", and -1 for other values.
static int axis_of(const cJSON *value) {
  const int held = axes_of(value);
  return held == PIN_X ? 0 : held == PIN_Y ? 1 : held == PIN_Z ? 2 : -1;
}

bool parse_color_range(void *target, const cJSON *value, const char *name, Error *error) {
  Style *style = &((Scene *)target)->style;
  const cJSON *low = cJSON_GetArrayItem(value, 0), *high = cJSON_GetArrayItem(value, 1);
  style->low = style->high = 0;
  if (cJSON_IsNull(value)) return true;
  if (!json_is_list(value, 2) || !cJSON_IsNumber(low) || !cJSON_IsNumber(high) ||
      !(low->valuedouble < high->valuedouble))
    return error_set(error, "%s: expected [low, high] with low < high, or null", name);
  style->low = low->valuedouble;
  style->high = high->valuedouble;
  return true;
}

// Reads the key "section", a plane that cuts away a part of the body in pictures, such as { "axis": "x", "at": 0.5,
// "flip": false }.
bool parse_section(void *target, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "axis", "at", "flip", NULL };
  Style *style = &((Scene *)target)->style;
  style->section = false;
  if (cJSON_IsNull(value)) return true;
  if (!parse_only_keys(value, keys, name, error)) return false;
  const cJSON *at = cJSON_GetObjectItemCaseSensitive(value, "at");
  const cJSON *flip = cJSON_GetObjectItemCaseSensitive(value, "flip");
  const int axis = axis_of(cJSON_GetObjectItemCaseSensitive(value, "axis"));
  if (axis < 0) return error_set(error, "%s: \"axis\" must be \"x\", \"y\" or \"z\"", name);
  if (at && (!cJSON_IsNumber(at) || !(at->valuedouble >= 0 && at->valuedouble <= 1)))
    return json_wrong(at, "at", "a number, 0 to 1, from one end of the body to the other", name, error);
  if (flip && !cJSON_IsBool(flip)) return json_wrong(flip, "flip", "true or false", name, error);
  style->section = true;
  style->section_axis = axis;
  style->section_at = at ? at->valuedouble : 0.5;
  style->section_flip = cJSON_IsTrue(flip);
  return true;
}

// Reads the key "twist", the initial torsion of the body about an axis: { "axis": "z", "degrees": 180 }.
bool parse_twist(void *target, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "axis", "degrees", NULL };
  Scene *s = target;
  if (!parse_only_keys(value, keys, name, error)) return false;
  const cJSON *degrees = cJSON_GetObjectItemCaseSensitive(value, "degrees");
  const int axis = axis_of(cJSON_GetObjectItemCaseSensitive(value, "axis"));
  if (axis < 0) return error_set(error, "%s: \"axis\" must be \"x\", \"y\" or \"z\"", name);
  if (!cJSON_IsNumber(degrees) || !isfinite(degrees->valuedouble))
    return json_wrong(degrees, "degrees", "a number", name, error);
  s->twist_axis = axis;
  s->twist = degrees->valuedouble * acos(-1.0) / 180;
  return true;
}
