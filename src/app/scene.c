// Scenes: the option table, and the structured keys (pins, forces, drags, camera).
#include "app/scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "sim/material.h"

enum { SCENE_BYTES_MAX = 1 << 20 };

// a JSON object's keys must be among `keys` (NULL-terminated)
static bool only_keys(const cJSON *object, const char *const *keys, const char *name, Error *error) {
  if (!cJSON_IsObject(object)) return error_set(error, "%s: expected an object { ... }", name);
  for (const cJSON *item = object->child; item; item = item->next) {
    char known[256] = "";
    bool found = false;
    for (int k = 0; keys[k]; k++) {
      const size_t length = strlen(known);
      snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", keys[k]);
      found = found || strcmp(keys[k], item->string) == 0;
    }
    if (!found) return error_set(error, "%s: unknown key \"%s\"; there are: %s", name, item->string, known);
  }
  return true;
}

static bool positive(const cJSON *value, double *number, const char *name, const char *key, Error *error) {
  if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble <= 0)
    return error_set(error, "%s: \"%s\" must be a number more than 0", name, key);
  *number = value->valuedouble;
  return true;
}

// "+z" -> 3, "-x" -> -1, anything else 0
static int extreme_of(const char *text) {
  if (strlen(text) != 2 || (text[0] != '+' && text[0] != '-') || text[1] < 'x' || text[1] > 'z') return 0;
  return (text[0] == '+' ? 1 : -1) * (text[1] - 'x' + 1);
}

// { "z": [null, 0.02], "center": [x, y, z] or "+z", "radius": r }, whose keys have been looked at
static bool parse_bounds(Region *region, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "x", "y", "z" };
  if (!value->child) return error_set(error, "%s: an empty region; give bounds such as \"z\": [null, 0.1]", name);
  for (int i = 0; i < 3; i++) {
    region->low[i] = -HUGE_VAL, region->high[i] = HUGE_VAL;
    const cJSON *bounds = cJSON_GetObjectItemCaseSensitive(value, keys[i]);
    if (!bounds) continue;
    for (int k = 0; k < 2; k++) {
      const cJSON *bound = cJSON_GetArrayItem(bounds, k);
      if (cJSON_GetArraySize(bounds) != 2 || (!cJSON_IsNull(bound) && !cJSON_IsNumber(bound)))
        return error_set(error, "%s: \"%s\" must be [low, high], null where it is open", name, keys[i]);
      if (cJSON_IsNumber(bound)) *(k ? &region->high[i] : &region->low[i]) = bound->valuedouble;
    }
  }
  const cJSON *centre = cJSON_GetObjectItemCaseSensitive(value, "center");
  const cJSON *radius = cJSON_GetObjectItemCaseSensitive(value, "radius");
  if (!centre != !radius) return error_set(error, "%s: \"center\" and \"radius\" go together", name);
  if (!centre) return true;
  region->has_ball = true;
  if (!positive(radius, &region->radius, name, "radius", error)) return false;
  if (cJSON_IsString(centre)) {
    region->centre_extreme = extreme_of(centre->valuestring);
    if (region->centre_extreme) return true;
    return error_set(error, "%s: \"center\" is \"%s\", expected [x, y, z] or one of +x -x +y -y +z -z", name,
                     centre->valuestring);
  }
  return json_vector(centre, region->centre, name, error);
}

#define REGION_KEYS "x", "y", "z", "center", "radius"

static bool parse_region(Region *region, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { REGION_KEYS, NULL };
  return only_keys(value, keys, name, error) && parse_bounds(region, value, name, error);
}

// calls `parse` for each item of an array of at most SCENE_PARTS_MAX
static bool parse_list(const cJSON *list, const char *name, int *count, void *items, size_t size,
                       bool (*parse)(void *item, const cJSON *value, const char *name, Error *error), Error *error) {
  if (!cJSON_IsArray(list)) return error_set(error, "%s: expected a list [ ... ]", name);
  if (cJSON_GetArraySize(list) > SCENE_PARTS_MAX)
    return error_set(error, "%s: more than %d entries", name, SCENE_PARTS_MAX);
  *count = 0;
  for (const cJSON *value = list->child; value; value = value->next) {
    char item[1280];
    snprintf(item, sizeof item, "%.1200s entry %d", name, *count + 1);
    void *place = (char *)items + size * (size_t)*count;
    memset(place, 0, size);
    if (!parse(place, value, item, error)) return false;
    ++*count;
  }
  return true;
}

// "xz" -> PIN_X | PIN_Z; 0 where it is not axes
static int axes_of(const cJSON *value) {
  int held = 0;
  if (!cJSON_IsString(value)) return 0;
  for (const char *c = value->valuestring; *c; c++) {
    if (*c < 'x' || *c > 'z' || held & PIN_X << (*c - 'x')) return 0;
    held |= PIN_X << (*c - 'x');
  }
  return held;
}

static bool parse_pin(void *item, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { REGION_KEYS, "axes", "move", NULL };
  ScenePin *pin = item;
  if (!only_keys(value, keys, name, error) || !parse_bounds(&pin->region, value, name, error)) return false;
  const cJSON *axes = cJSON_GetObjectItemCaseSensitive(value, "axes");
  const cJSON *move = cJSON_GetObjectItemCaseSensitive(value, "move");
  pin->held = PIN_ALL;
  if (axes && !(pin->held = (uint8_t)axes_of(axes)))
    return error_set(error, "%s: \"axes\" must name what is held, such as \"z\" or \"xy\"", name);
  pin->moves = move != NULL;
  return !move || json_vector(move, pin->move, name, error);
}

static bool parse_force(void *item, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "region", "total", "steps", NULL };
  SceneForce *force = item;
  if (!only_keys(value, keys, name, error)) return false;
  const cJSON *region = cJSON_GetObjectItemCaseSensitive(value, "region");
  const cJSON *total = cJSON_GetObjectItemCaseSensitive(value, "total");
  const cJSON *steps = cJSON_GetObjectItemCaseSensitive(value, "steps");
  if (!region || !total) return error_set(error, "%s: needs \"region\" and \"total\"", name);
  force->first_step = 1, force->last_step = INT32_MAX;
  if (steps) {
    const cJSON *first = cJSON_GetArrayItem(steps, 0), *last = cJSON_GetArrayItem(steps, 1);
    if (cJSON_GetArraySize(steps) != 2 || !cJSON_IsNumber(first) || !cJSON_IsNumber(last) || first->valueint < 1 ||
        last->valueint < first->valueint)
      return error_set(error, "%s: \"steps\" must be [first, last], counted from 1", name);
    force->first_step = first->valueint, force->last_step = last->valueint;
  }
  return parse_region(&force->region, region, name, error) && json_vector(total, force->total, name, error);
}

static bool parse_drag(void *item, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "grab", "stiffness", "path", NULL };
  SceneDrag *drag = item;
  if (!only_keys(value, keys, name, error)) return false;
  const cJSON *grab = cJSON_GetObjectItemCaseSensitive(value, "grab");
  const cJSON *stiffness = cJSON_GetObjectItemCaseSensitive(value, "stiffness");
  const cJSON *path = cJSON_GetObjectItemCaseSensitive(value, "path");
  if (!grab || !path) return error_set(error, "%s: needs \"grab\" and \"path\"", name);
  if (stiffness && !positive(stiffness, &drag->stiffness, name, "stiffness", error)) return false;
  if (!parse_region(&drag->region, grab, name, error)) return false;
  if (!drag->region.has_ball) return error_set(error, "%s: \"grab\" needs \"center\" and \"radius\"", name);
  const int count = cJSON_GetArraySize(path);
  if (!cJSON_IsArray(path) || count < 2 || count > SCENE_PATH_POINTS_MAX)
    return error_set(error, "%s: \"path\" must be a list of 2 to %d points [time, dx, dy, dz]", name,
                     SCENE_PATH_POINTS_MAX);
  for (const cJSON *point = path->child; point; point = point->next) {
    double *p = drag->path[drag->point_count];
    for (int k = 0; k < 4; k++) {
      const cJSON *number = cJSON_GetArrayItem(point, k);
      if (!cJSON_IsArray(point) || cJSON_GetArraySize(point) != 4 || !cJSON_IsNumber(number) ||
          !isfinite(number->valuedouble))
        return error_set(error, "%s: point %d of \"path\" must be four numbers [time, dx, dy, dz]", name,
                         drag->point_count + 1);
      p[k] = number->valuedouble;
    }
    if (drag->point_count > 0 && p[0] <= drag->path[drag->point_count - 1][0])
      return error_set(error, "%s: the times of \"path\" must increase", name);
    drag->point_count++;
  }
  return true;
}

static bool parse_pins(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  return parse_list(value, name, &s->pin_count, s->pins, sizeof *s->pins, parse_pin, error);
}

static bool parse_forces(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  return parse_list(value, name, &s->force_count, s->forces, sizeof *s->forces, parse_force, error);
}

static bool parse_drags(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *s = target;
  return parse_list(value, name, &s->drag_count, s->drags, sizeof *s->drags, parse_drag, error);
}

static bool parse_camera(void *target, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "eye", "target", "up", "fov", NULL };
  Scene *s = target;
  if (!only_keys(value, keys, name, error)) return false;
  const cJSON *eye = cJSON_GetObjectItemCaseSensitive(value, "eye"),
              *at = cJSON_GetObjectItemCaseSensitive(value, "target");
  const cJSON *up = cJSON_GetObjectItemCaseSensitive(value, "up"),
              *fov = cJSON_GetObjectItemCaseSensitive(value, "fov");
  if (!eye || !at) return error_set(error, "%s: needs \"eye\" and \"target\"", name);
  if (!json_vector(eye, s->camera_eye, name, error) || !json_vector(at, s->camera_target, name, error)) return false;
  if (up && !json_vector(up, s->camera_up, name, error)) return false;
  const double length =
      sqrt(s->camera_up[0] * s->camera_up[0] + s->camera_up[1] * s->camera_up[1] + s->camera_up[2] * s->camera_up[2]);
  if (!(length > 0)) return error_set(error, "%s: \"up\" must not be zero", name);
  for (int i = 0; i < 3; i++) s->camera_up[i] /= length;
  if (fov && (!cJSON_IsNumber(fov) || !(fov->valuedouble >= 1 && fov->valuedouble <= 150)))
    return error_set(error, "%s: \"fov\" must be 1 to 150 degrees", name);
  if (fov) s->camera_fov = fov->valuedouble;
  return s->has_camera = true;
}

// the four moduli: numbers that also say which way the material is given
static bool parse_modulus(void *target, const cJSON *value, const char *name, double *place, int key_bit, double low,
                          double high, const char *range, Error *error) {
  Scene *s = target;
  if (!cJSON_IsNumber(value) || !(value->valuedouble > low && value->valuedouble < high))
    return error_set(error, "%s: is %g, expected %s", name, value->valuedouble, range);
  *place = value->valuedouble;
  s->material_keys |= key_bit;
  return true;
}
static bool parse_mu(void *target, const cJSON *value, const char *name, Error *error) {
  return parse_modulus(target, value, name, &((Scene *)target)->simulation.mu, 1, 0, HUGE_VAL,
                       "a number more than 0 Pa", error);
}
static bool parse_lambda(void *target, const cJSON *value, const char *name, Error *error) {
  return parse_modulus(target, value, name, &((Scene *)target)->simulation.lambda, 1, -HUGE_VAL, HUGE_VAL,
                       "a finite number, Pa", error);
}
static bool parse_young(void *target, const cJSON *value, const char *name, Error *error) {
  return parse_modulus(target, value, name, &((Scene *)target)->young, 2, 0, HUGE_VAL, "a number more than 0 Pa",
                       error);
}
static bool parse_poisson(void *target, const cJSON *value, const char *name, Error *error) {
  return parse_modulus(target, value, name, &((Scene *)target)->poisson, 2, -1, 0.5, "more than -1 and less than 0.5",
                       error);
}

#define AT(field) offsetof(Scene, field), sizeof(((Scene *)0)->field)
#define ANY -HUGE_VAL, HUGE_VAL
#define SMALLEST 1e-300  // more than zero

const Option scene_options[] = {
  { "mesh", OPTION_TEXT, AT(mesh), 0, 0, "FILE", NULL, NULL,
    "tetrahedral mesh: .msh .mesh .meshb .node .vtk .vtu .veg, or one with .gz" },
  { "scale", OPTION_NUMBER, AT(scale), SMALLEST, HUGE_VAL, NULL, NULL, NULL, "factor on the mesh's positions" },
  { "device", OPTION_TEXT, AT(device), 0, 0, NULL, "auto|cpu|cuda", NULL,
    "where to compute; auto takes a GPU if there is one" },
  { "precision", OPTION_CHOICE, AT(simulation.precision), 0, 0, NULL, "float|double", NULL, "of all stages" },
  { "assembly", OPTION_TEXT, AT(simulation.assembly), 0, 0, "NAME", NULL, NULL, "assembly method; see `pliant info`" },
  { "matrix", OPTION_TEXT, AT(simulation.matrix), 0, 0, "NAME", NULL, NULL, "matrix format; see `pliant info`" },
  { "solver", OPTION_TEXT, AT(simulation.solver), 0, 0, "NAME", NULL, NULL, "linear solver; see `pliant info`" },
  { "solver_device", OPTION_CHOICE, AT(simulation.solver_device), 0, 0, NULL, "same|cpu|cuda", NULL,
    "where matrix and solver are, if not on the device" },
  { "supplemental", OPTION_CHOICE, AT(simulation.supplemental), 0, 0, NULL, "full|qr", NULL,
    "what is kept of a tet at rest: nine numbers, or six by QR" },
  { "partitioner", OPTION_CHOICE, AT(simulation.partitioner), 0, 0, NULL, "greedy|metis", NULL,
    "how assembly sharednz divides the mesh" },
  { "order", OPTION_CHOICE, AT(simulation.order), 0, 0, NULL, "metis|file|rcm|morton", NULL,
    "of the nodes in memory; numbers in files stay" },
  { "mu", OPTION_CUSTOM, 0, 0, 0, 0, "Pa", NULL, parse_mu, "Lame mu (shear modulus)" },
  { "lambda", OPTION_CUSTOM, 0, 0, 0, 0, "Pa", NULL, parse_lambda, "Lame lambda" },
  { "young", OPTION_CUSTOM, 0, 0, 0, 0, "Pa", NULL, parse_young, "Young's modulus, in place of mu and lambda" },
  { "poisson", OPTION_CUSTOM, 0, 0, 0, 0, "N", NULL, parse_poisson, "Poisson's ratio, in place of mu and lambda" },
  { "density", OPTION_NUMBER, AT(simulation.density), SMALLEST, HUGE_VAL, "kg/m^3", NULL, NULL,
    "mass per reference volume" },
  { "damping", OPTION_NUMBER, AT(simulation.damping), 0, HUGE_VAL, "1/s", NULL, NULL,
    "force -damping * mass * velocity" },
  { "gravity", OPTION_VECTOR, AT(simulation.gravity), ANY, "X,Y,Z", NULL, NULL, "acceleration, m/s^2" },
  { "dt", OPTION_NUMBER, AT(simulation.dt), SMALLEST, HUGE_VAL, "s", NULL, NULL, "time step" },
  { "steps", OPTION_INTEGER, AT(steps), 1, 1e9, NULL, NULL, NULL, "length of the benchmark" },
  { "newton", OPTION_CHOICE, AT(simulation.newton), 0, 0, NULL, "robust|plain", NULL,
    "safeguarded, or full steps only" },
  { "newton_absolute", OPTION_NUMBER, AT(simulation.newton_absolute), 0, HUGE_VAL, "kg m/s", NULL, NULL,
    "bound on ||p - h||; 0: the relative one alone" },
  { "newton_relative", OPTION_NUMBER, AT(simulation.newton_relative), 0, 1, NULL, NULL, NULL,
    "bound on ||p - h|| over its terms' norms" },
  { "newton_max", OPTION_INTEGER, AT(simulation.newton_max), 1, 1000, NULL, NULL, NULL, "Newton iterations in a step" },
  { "cg_relative", OPTION_NUMBER, AT(simulation.cg_relative), 1e-15, 0.999, NULL, NULL, NULL,
    "bound on ||r|| / ||r0||" },
  { "cg_max", OPTION_INTEGER, AT(simulation.cg_max), 1, 1e9, NULL, NULL, NULL, "CG iterations in a solve" },
  { "halvings_max", OPTION_INTEGER, AT(simulation.halvings_max), 0, 20, NULL, NULL, NULL,
    "how often a failing step is halved" },
  { "pins", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_pins,
    "regions that are held: [{\"z\": [null, 0.1], \"axes\": \"xyz\"}]" },
  { "forces", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_forces,
    "[{\"region\": {...}, \"total\": [x,y,z], \"steps\": [1,10]}]" },
  { "drags", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_drags, "[{\"grab\": {...}, \"path\": [[t,x,y,z], ...]}]" },
  { "speed", OPTION_NUMBER, AT(speed), 0, 1e6, NULL, NULL, NULL,
    "window: simulated over real time at most; 0: no limit" },
  { "mouse_stiffness", OPTION_NUMBER, AT(mouse_stiffness), 0, HUGE_VAL, "N/m", NULL, NULL,
    "the mouse's spring; 0: from the material" },
  { "mouse_radius", OPTION_NUMBER, AT(mouse_radius), 0, HUGE_VAL, "m", NULL, NULL,
    "of the grabbed patch; 0: from the size" },
  { "camera", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_camera,
    "{\"eye\": [x,y,z], \"target\": [x,y,z], \"up\": ..., \"fov\": ...}" },
  { NULL, OPTION_NUMBER, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};

void scene_defaults(Scene *scene) {
  *scene =
      (Scene){ .scale = 1, .device = "auto", .steps = 100, .speed = 1, .camera_up = { 0, 0, 1 }, .camera_fov = 35 };
  scene->simulation = simulation_defaults();
}

void scene_material_begin(Scene *s) {
  const double mu = s->simulation.mu, lambda = s->simulation.lambda;
  s->material_keys = 0;
  s->young = young_modulus(mu, lambda);
  s->poisson = poisson_ratio(mu, lambda);
}

bool scene_material_end(Scene *s, const char *source, Error *error) {
  if (s->material_keys == 3) return error_set(error, "%s: give mu and lambda, or young and poisson, not both", source);
  if (s->material_keys == 2) {
    s->simulation.mu = lame_mu(s->young, s->poisson);
    s->simulation.lambda = lame_lambda(s->young, s->poisson);
  }
  return true;
}

void asset_path(const char *name, char path[SCENE_PATH_LENGTH]) {
  const char *folder = getenv("PLIANT_ASSETS");
  snprintf(path, SCENE_PATH_LENGTH, "%.700s/%.300s", folder && folder[0] ? folder : PLIANT_ASSET_DIR, name);
}

bool scene_choose_device(Scene *scene, Error *error) {
  if (strcmp(scene->device, "cpu") == 0) {
    scene->simulation.device = DEVICE_CPU;
  } else if (device_present(DEVICE_CUDA)) {
    scene->simulation.device = DEVICE_CUDA;
  } else if (strcmp(scene->device, "cuda") == 0) {
    return error_set(error, "device cuda: %s; --device cpu works everywhere", device_absence());
  } else {
    scene->simulation.device = DEVICE_CPU;
    log_notice("on the CPU: %s", device_absence());
  }
  return true;
}

// the whole file as text; free() releases it
static char *read_file(const char *path, Error *error) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    error_set(error, "%s: %s", path, strerror(errno));
    return NULL;
  }
  char *text = malloc(SCENE_BYTES_MAX + 1);
  const size_t length = text ? fread(text, 1, SCENE_BYTES_MAX + 1, file) : 0;
  const bool bad = !text || ferror(file), large = length > SCENE_BYTES_MAX;
  fclose(file);
  if (bad || large) {
    error_set(error, "%s: %s", path, large ? "larger than 1 MiB: not a scene" : "cannot be read");
    free(text);
    return NULL;
  }
  text[length] = '\0';
  return text;
}

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

// makes scene->mesh, relative to the scene's folder, a path from here
static bool resolve_mesh(Scene *scene, Error *error) {
  if (!scene->mesh[0]) return error_set(error, "%s: key \"mesh\" is missing", scene->path);
  const char *slash = strrchr(scene->path, '/');
  if (scene->mesh[0] == '/' || !slash) return true;
  char joined[2 * SCENE_PATH_LENGTH];
  snprintf(joined, sizeof joined, "%.*s/%s", (int)(slash - scene->path), scene->path, scene->mesh);
  if (strlen(joined) >= sizeof scene->mesh) return error_set(error, "%s: the mesh's path is too long", scene->path);
  memcpy(scene->mesh, joined, strlen(joined) + 1);
  return true;
}

bool scene_read(Scene *scene, const char *path, Error *error) {
  Scene made;
  scene_defaults(&made);
  if (strlen(path) >= sizeof made.path) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(made.path, path, strlen(path) + 1);
  if (!ends_with(path, ".json")) {
    memcpy(made.mesh, path, strlen(path) + 1);
    made.bare = true;
    // told here already, so that a mistyped command does not first open a window
    if (access(path, R_OK) != 0) return error_set(error, "%s: %s", path, strerror(errno));
    *scene = made;
    return true;
  }
  char *text = read_file(path, error);
  if (!text) return false;
  const char *stop = NULL;
  cJSON *object = cJSON_ParseWithOpts(text, &stop, true);
  bool ok = object != NULL;
  if (!ok) {
    int line = 1;
    for (const char *c = text; c < stop; c++) line += *c == '\n';
    const char *here = stop && *stop ? stop : "end of file";
    const int length = (int)strcspn(here, "\n");
    error_set(error, "%s:%d: not JSON here: \"%.*s\"", path, line, length < 30 ? length : 30, here);
  }
  scene_material_begin(&made);
  ok = ok && options_set_object(scene_options, &made, object, path, error) && scene_material_end(&made, path, error) &&
       resolve_mesh(&made, error);
  cJSON_Delete(object);
  free(text);
  if (ok) *scene = made;
  return ok;
}
