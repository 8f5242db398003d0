// Scenes: the option table, and reading a file. The structured keys are in scene_parts.c.
#include "scene/scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/log.h"
#include "scene/scene_parts.h"
#include "sim/material.h"

enum { SCENE_BYTES_MAX = 1 << 20 };

#define AT(field) offsetof(Scene, field), sizeof(((Scene *)0)->field)
#define ANY -HUGE_VAL, HUGE_VAL
#define SMALLEST 1e-300  // more than zero

const Option scene_options[] = {
  { "mesh", OPTION_TEXT, AT(mesh), 0, 0, "FILE", NULL, NULL,
    "tetrahedral mesh: .msh .mesh .meshb .node .vtk .vtu .veg, or one with .gz" },
  { "shapes", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_shapes,
    "in place of a mesh: [{\"kind\": \"box\", \"size\": [x,y,z], \"cells\": 4, \"at\": [x,y,z]}]" },
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
  { "materials", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_materials,
    "stiffer and softer parts: [{\"region\": {...}, \"stiffness\": 10}]" },
  { "density", OPTION_NUMBER, AT(simulation.density), SMALLEST, HUGE_VAL, "kg/m^3", NULL, NULL,
    "mass per reference volume" },
  { "damping", OPTION_NUMBER, AT(simulation.damping), 0, HUGE_VAL, "1/s", NULL, NULL,
    "force -damping * mass * velocity" },
  { "gravity", OPTION_VECTOR, AT(simulation.gravity), ANY, "X,Y,Z", NULL, NULL, "acceleration, m/s^2" },
  { "floor", OPTION_CUSTOM, 0, 0, 0, 0, "m", NULL, parse_floor, "height along z of a floor; null: none" },
  { "friction", OPTION_NUMBER, AT(simulation.friction), 0, HUGE_VAL, NULL, NULL, NULL, "coefficient of the floor" },
  { "dt", OPTION_NUMBER, AT(simulation.dt), SMALLEST, HUGE_VAL, "s", NULL, NULL, "time step" },
  { "integrator", OPTION_CHOICE, AT(simulation.integrator), 0, 0, NULL, INTEGRATOR_NAMES, NULL,
    "how steps go through time; auto: midpoint, or euler where there is a floor" },
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
  { "twist", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_twist,
    "how the body begins: {\"axis\": \"z\", \"degrees\": 180}" },
  { "forces", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_forces,
    "[{\"region\": {...}, \"total\": [x,y,z], \"steps\": [1,10]}]" },
  { "drags", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_drags, "[{\"grab\": {...}, \"path\": [[t,x,y,z], ...]}]" },
  { "speed", OPTION_NUMBER, AT(speed), 0, 1e6, NULL, NULL, NULL,
    "window: simulated over real time at most; 0: no limit" },
  { "mouse_stiffness", OPTION_NUMBER, AT(mouse_stiffness), 0, HUGE_VAL, "N/m", NULL, NULL,
    "the mouse's spring; 0: from the material" },
  { "mouse_radius", OPTION_NUMBER, AT(mouse_radius), 0, HUGE_VAL, "m", NULL, NULL,
    "of the grabbed patch; 0: from the size" },
  { "field", OPTION_CHOICE, AT(style.field), 0, 0, NULL, FIELD_NAMES, NULL, "that colours the body" },
  { "color_range", OPTION_CUSTOM, 0, 0, 0, 0, "[LOW,HIGH]", NULL, parse_color_range,
    "of the field's colours; null: what has been seen so far" },
  { "wireframe", OPTION_FLAG, AT(style.wireframe), 0, 0, NULL, NULL, NULL, "edges of the surface's triangles" },
  { "show_pins", OPTION_FLAG, AT(style.pins), 0, 0, NULL, NULL, NULL, "dots on pinned nodes" },
  { "section", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_section,
    "shows the inside: {\"axis\": \"x\", \"at\": 0.5, \"flip\": false}" },
  { "camera", OPTION_CUSTOM, 0, 0, 0, 0, "JSON", NULL, parse_camera,
    "{\"eye\": [x,y,z], \"target\": [x,y,z], \"up\": ..., \"fov\": ...}" },
  { NULL, OPTION_NUMBER, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};

void scene_defaults(Scene *scene) {
  *scene =
      (Scene){ .scale = 1, .device = "auto", .steps = 100, .speed = 1, .camera_up = { 0, 0, 1 }, .camera_fov = 35 };
  scene->simulation = simulation_defaults();
}

_Static_assert(sizeof scene_options / sizeof *scene_options <= SCENE_OPTIONS_MAX, "a place for each option");

void scene_note_option(Scene *scene, const Option *option, const char *value) {
  scene->given[option_find(scene_options, option->key) - scene_options] = value;
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
static char *read_file(const char *path, size_t *length, Error *error) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    error_set(error, "%s: %s", path, strerror(errno));
    return NULL;
  }
  char *text = malloc(SCENE_BYTES_MAX + 1);
  *length = text ? fread(text, 1, SCENE_BYTES_MAX + 1, file) : 0;
  const bool bad = !text || ferror(file), large = *length > SCENE_BYTES_MAX;
  fclose(file);
  if (bad || large) {
    error_set(error, "%s: %s", path,
              large  ? "larger than 1 MiB: not a scene"
              : text ? "cannot be read"
                     : "not enough memory to read it");
    free(text);
    return NULL;
  }
  text[*length] = '\0';
  return text;
}

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

// makes scene->mesh, relative to the scene's folder, a path from here
static bool resolve_mesh(Scene *scene, Error *error) {
  if (scene->mesh[0] && scene->shape_count)
    return error_set(error, "%s: give \"mesh\" or \"shapes\", not both", scene->path);
  if (scene->shape_count) return true;
  if (!scene->mesh[0]) return error_set(error, "%s: key \"mesh\" is missing", scene->path);
  const char *slash = strrchr(scene->path, '/');
  if (scene->mesh[0] == '/' || !slash) return true;
  char joined[2 * SCENE_PATH_LENGTH];
  snprintf(joined, sizeof joined, "%.*s/%s", (int)(slash - scene->path), scene->path, scene->mesh);
  if (strlen(joined) >= sizeof scene->mesh) return error_set(error, "%s: the mesh's path is too long", scene->path);
  memcpy(scene->mesh, joined, strlen(joined) + 1);
  return true;
}

bool scene_check_mesh(const Scene *scene, Error *error) {
  return scene->shape_count > 0 || mesh_check_file(scene->mesh, error);
}

static bool read_scene(Scene *made, const char *path, Error *error) {
  scene_defaults(made);
  if (strlen(path) >= sizeof made->path) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(made->path, path, strlen(path) + 1);
  if (!ends_with(path, ".json")) {
    memcpy(made->mesh, path, strlen(path) + 1);
    made->bare = true;
    return scene_check_mesh(made, error);
  }
  size_t length;
  char *text = read_file(path, &length, error);
  if (!text) return false;
  made->text_sum = (uint32_t)crc32_z(0, (const Bytef *)text, length);
  cJSON *object = json_parse(text, length, path, error);
  bool ok = object != NULL;
  scene_material_begin(made);
  ok = ok && options_set_object(scene_options, made, object, path, error) && scene_material_end(made, path, error) &&
       resolve_mesh(made, error);
  cJSON_Delete(object);
  free(text);
  return ok;
}

bool scene_read(Scene *scene, const char *path, Error *error) {
  Scene *made = array_new(1, sizeof *made, "the scene", error);
  const bool ok = made && read_scene(made, path, error);
  if (ok) *scene = *made;
  free(made);
  return ok;
}
