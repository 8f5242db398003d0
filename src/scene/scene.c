// Contains the table scene_options, whose rows are the keys of a scene file, and reads scene files. Keys whose values
// are objects or lists, such as "pins", are read by functions of scene_parts.c.
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/input_file.h"
#include "base/log.h"
#include "scene/given_mesh.h"
#include "scene/scene_bodies.h"
#include "scene/scene_fields.h"
#include "scene/scene_parts.h"
#include "sim/element/moduli.h"

enum { SCENE_BYTES_MAX = 1 << 20 };

#define AT(field) OPTION_AT(Scene, field)

// The user gives material constants as mu and lambda or as young and poisson. These functions record in material_keys
// which pair was set: note_lame for mu or lambda, note_young for young or poisson. A scene file must not set constants
// of both pairs, and neither must a command line.
static void note_lame(void *scene) {
  ((Scene *)scene)->material_keys |= 1;
  ((Scene *)scene)->by_young = false;
}
static void note_young(void *scene) {
  ((Scene *)scene)->material_keys |= 2;
  ((Scene *)scene)->by_young = true;
}

static void note_self_contact(void *scene) {
  ((Scene *)scene)->contact_given = true;
}

static void note_friction_sticks(void *scene) {
  ((Scene *)scene)->sticks_given = true;
}

const Option scene_options[] = {
  { "mesh", OPTION_TEXT, AT(mesh), .unit = "FILE", .applies = APPLIES_TO_BODY,
    .help = "mesh of tets or hexes: .msh .mesh .meshb .node .vtk .vtu .veg .inp, each also with .gz" },
  { "shapes", OPTION_CUSTOM, .unit = "JSON", .parse = parse_shapes, .print = print_shapes, .applies = APPLIES_TO_BODY,
    .help =
        "shapes in place of a mesh, such as [{\"kind\": \"box\", \"size\": [x,y,z], \"cells\": 4, \"at\": [x,y,z]}]" },
  { "bodies", OPTION_CUSTOM, .unit = "JSON", .parse = parse_bodies, .print = print_bodies, .applies = APPLIES_TO_BODY,
    .help = "several bodies, such as [{\"mesh\": FILE, \"place\": [x,y,z], \"young\": 1e5}]" },
  { "scale", OPTION_NUMBER, AT(scale), OPTION_MORE_THAN(0), .applies = APPLIES_TO_BODY,
    .help = "factor on the positions of the mesh, such as 0.001 for a mesh in mm" },
  { "untangle", OPTION_FLAG, AT(untangle), .applies = APPLIES_TO_SCRIPT,
    .help = "at the start, move overlapping bodies away from each other" },
  { "young", OPTION_NUMBER, AT(young), OPTION_MORE_THAN(0), .unit = "Pa", .noted = note_young,
    .applies = APPLIES_AS_OTHERS, .tab = "Body", .slider = { 1e-3, 1e12 },
    .help = "Young's modulus of the material, in place of mu and lambda" },
  { "poisson", OPTION_NUMBER, AT(poisson), OPTION_BETWEEN(-1, 0.5), .noted = note_young, .applies = APPLIES_AS_OTHERS,
    .tab = "Body", .slider = { -0.9, 0.499 }, .help = "Poisson's ratio of the material, in place of mu and lambda" },
  { "materials", OPTION_CUSTOM, .unit = "JSON", .parse = parse_materials, .print = print_materials,
    .applies = APPLIES_TO_BODY, .edit = EDIT_CONTINUES,
    .help = "regions with a factor on their stiffness, such as [{\"region\": {...}, \"stiffness\": 10}]" },
  { "stiffness_field", OPTION_CUSTOM, .unit = "JSON", .parse = parse_stiffness_field, .print = print_stiffness_field,
    .applies = APPLIES_TO_BODY,
    .help = "factor on the stiffness of each cell, from a field in a file, such as {\"name\": FIELD, \"file\": FILE}" },
#define SETTING_OF Scene
#define SETTING(field) simulation.field
#define SETTING_NOTED note_lame
#define SETTING_CHOSEN(key) note_##key
#define SETTING_DEVICE                                                                                             \
  OPTION_TEXT, AT(device), .choices = "auto|cpu|cuda", .counted = "cuda", .applies = APPLIES_TO_STAGE,             \
                           .help =                                                                                 \
                               "processor (cpu) or GPU (cuda) for the simulation; auto: the GPU if there is one; " \
                               "cuda:1: the second GPU; cuda is cuda:0"
#include "sim/settings_rows.h"
  { "pins", OPTION_CUSTOM, .unit = "JSON", .parse = parse_pins, .print = print_pins, .applies = APPLIES_TO_SCRIPT,
    .help = "regions held in place or moved, such as [{\"z\": [null, 0.1], \"axes\": \"xyz\"}]" },
  { "obstacles", OPTION_CUSTOM, .unit = "JSON", .parse = parse_obstacles, .print = print_obstacles,
    .applies = APPLIES_TO_SCRIPT, .edit = EDIT_CONTINUES,
    .help = "rigid obstacles that bodies touch, such as [{\"kind\": \"sphere\", \"at\": [x,y,z], \"radius\": 1}]" },
  { "twist", OPTION_CUSTOM, .unit = "JSON", .parse = parse_twist, .print = print_twist, .applies = APPLIES_TO_SCRIPT,
    .help = "initial twist of the body about an axis, such as {\"axis\": \"z\", \"degrees\": 180}" },
  { "begin", OPTION_TEXT, AT(begin), .unit = "FILE", .applies = APPLIES_TO_BODY,
    .help = "file (.state) with the initial state of a saved scene" },
  { "initial_fields", OPTION_CUSTOM, .unit = "JSON", .parse = parse_initial_fields, .print = print_initial_fields,
    .applies = APPLIES_TO_SCRIPT,
    .help =
        "initial state from fields in a file, such as {\"displacement\": FIELD, \"velocity\": FIELD, \"file\": FILE}" },
  { "forces", OPTION_CUSTOM, .unit = "JSON", .parse = parse_forces, .print = print_forces, .applies = APPLIES_TO_SCRIPT,
    .edit = EDIT_CONTINUES,
    .help = "forces on regions, such as [{\"region\": {...}, \"total\": [x,y,z], \"steps\": [1,10]}]" },
  { "drags", OPTION_CUSTOM, .unit = "JSON", .parse = parse_drags, .print = print_drags, .applies = APPLIES_TO_SCRIPT,
    .help = "regions moved along paths, such as [{\"grab\": {...}, \"path\": [[t,x,y,z], ...]}]" },
  { "cuts", OPTION_CUSTOM, .unit = "JSON", .parse = parse_cuts, .print = print_cuts, .applies = APPLIES_TO_SCRIPT,
    .help = "planes that cut a body at given times, within the distance reach (m) of a point, such as [{\"time\": 0.5, "
            "\"point\": [x,y,z], \"normal\": [x,y,z], \"reach\": 0.1}]" },
  { "tear_stress", OPTION_NUMBER, AT(tear_stress), OPTION_AT_LEAST(0), .unit = "Pa", .applies = APPLIES_TO_SCRIPT,
    .help = "remove each tet whose stress exceeds this value; 0: no tearing" },
  { "tear_by", OPTION_CHOICE, AT(tear_by), .choices = TEAR_MEASURES, .applies = APPLIES_TO_SCRIPT, .advanced = true,
    .help = "stress that tear_stress limits: the largest principal or the von Mises stress" },
  { "steps", OPTION_INTEGER, AT(steps), OPTION_FROM_TO(1, 1e9), .applies = APPLIES_TO_VIEW,
    .help = "number of time steps of `pliant bench`" },
  { "speed", OPTION_NUMBER, AT(speed), OPTION_FROM_TO(0, 1e6), .applies = APPLIES_TO_VIEW,
    .help = "largest ratio of simulated to real time in the window; 1: as fast as in reality, 0: no limit" },
  { "mouse_stiffness", OPTION_NUMBER, AT(mouse_stiffness), OPTION_AT_LEAST(0), .unit = "N/m",
    .applies = APPLIES_TO_VIEW,
    .help = "stiffness of the spring by which the mouse pulls; 0: chosen from the material's stiffness" },
  { "mouse_radius", OPTION_NUMBER, AT(mouse_radius), OPTION_AT_LEAST(0), .unit = "m", .applies = APPLIES_TO_VIEW,
    .advanced = true, .help = "radius of the patch of nodes that the mouse pulls; 0: chosen from the body's size" },
  { "field", OPTION_CHOICE, AT(style.field), .choices = FIELD_NAMES, .applies = APPLIES_TO_VIEW, .tab = "View",
    .help = "quantity shown as colours; principal: largest principal stress, j: ratio of deformed to rest volume" },
  { "color_range", OPTION_CUSTOM, .unit = "[LOW,HIGH]", .parse = parse_color_range, .print = print_color_range,
    .applies = APPLIES_TO_VIEW, .help = "field values at the two ends of the colours; null: field_range selects them" },
  { "field_range", OPTION_CHOICE, AT(style.range), .choices = FIELD_RANGE_NAMES, .applies = APPLIES_TO_VIEW,
    .tab = "View",
    .help = "field values that the colours cover; seen: all values so far, follow: those of the present picture, "
            "percentiles: those of the present picture without the lowest and the highest" },
  { "range_percentile", OPTION_NUMBER, AT(style.percentile), OPTION_FROM_TO(0, 49), .unit = "percent",
    .applies = APPLIES_TO_VIEW, .tab = "View", .advanced = true, .slider = { 0, 25 },
    .help = "percent of nodes below the colour range, and above it, with field_range percentiles" },
  { "color_map", OPTION_CHOICE, AT(style.color_map), .choices = COLOR_MAP_NAMES, .applies = APPLIES_TO_VIEW,
    .tab = "View", .help = "colour map; auto: coolwarm for the fields principal and j, viridis for all other fields" },
  { "color_scale", OPTION_CHOICE, AT(style.color_scale), .choices = COLOR_SCALE_NAMES, .applies = APPLIES_TO_VIEW,
    .tab = "View", .advanced = true,
    .help = "linear or logarithmic scale of the colours; log: for fields with positive values" },
  { "vectors", OPTION_CHOICE, AT(style.vectors), .choices = VECTOR_NAMES, .applies = APPLIES_TO_VIEW, .tab = "View",
    .help = "arrows at nodes: velocity, external force, or contact force; contact_lines: lines around the parts of the "
            "surface with contact forces" },
  { "wireframe", OPTION_FLAG, AT(style.wireframe), .applies = APPLIES_TO_VIEW, .tab = "View",
    .help = "draw the edges of surface triangles" },
  { "show_pins", OPTION_FLAG, AT(style.pins), .applies = APPLIES_TO_VIEW, .tab = "View",
    .help = "mark pinned nodes by dots" },
  { "orthographic", OPTION_FLAG, AT(style.orthographic), .applies = APPLIES_TO_VIEW, .tab = "View",
    .help = "draw without perspective (parallel projection)" },
  { "xray", OPTION_FLAG, AT(style.xray), .applies = APPLIES_TO_VIEW, .tab = "View",
    .help =
        "draw the surface transparent: pins, obstacles and sections behind it are visible; ignored if a section shows "
        "whole tets (section_cut tets)" },
  { "occlusion", OPTION_CHOICE, AT(style.occlusion), .choices = OCCLUSION_NAMES, .applies = APPLIES_TO_VIEW,
    .tab = "View", .advanced = true, .help = "draw folds and creases darker (ambient occlusion)" },
  { "reflections", OPTION_FLAG, AT(style.reflections), .applies = APPLIES_TO_VIEW, .tab = "View",
    .help = "draw reflections of bodies and obstacles in the floor" },
  { "environment", OPTION_TEXT, AT(environment), .unit = "FILE", .applies = APPLIES_TO_VIEW,
    .help = "picture of the surroundings (.hdr), whose light falls on bodies without a field, such as "
            "environments/studio.hdr; off: a simple sky" },
  { "scale_bar", OPTION_FLAG, AT(style.scale), .applies = APPLIES_TO_VIEW, .tab = "View",
    .help = "draw a scale bar with its length" },
  { "section", OPTION_CUSTOM, .unit = "JSON", .parse = parse_section, .print = print_section,
    .applies = APPLIES_TO_VIEW,
    .help = "show the inside of the body at a plane, such as {\"axis\": \"x\", \"at\": 0.5, \"flip\": false}" },
  { "section_cut", OPTION_CHOICE, AT(style.cut), .choices = SECTION_CUT_NAMES, .applies = APPLIES_TO_VIEW,
    .tab = "View", .advanced = true,
    .help = "surface of the section; smooth: tets are cut at the plane, tets: whole tets are shown" },
  { "curves", OPTION_CUSTOM, .unit = "JSON", .parse = parse_curves, .print = print_curves, .applies = APPLIES_TO_VIEW,
    .help = "observables that the window plots and --probe-file writes, such as [\"kinetic\", \"position:17\"]" },
  { "camera", OPTION_CUSTOM, .unit = "JSON", .parse = parse_camera, .print = print_camera, .applies = APPLIES_TO_VIEW,
    .help = "position and direction of the view, such as {\"eye\": [x,y,z], \"target\": [x,y,z], \"up\": ..., \"fov\": "
            "...}" },
  { "views", OPTION_CUSTOM, .unit = "JSON", .parse = parse_views, .print = print_views, .applies = APPLIES_TO_VIEW,
    .help = "up to 12 stored views, each as camera, or null; the keys F5 to F8 of the window show the first four" },
  { 0 },
};

bool style_option(const Option *option, Option *row) {
  const size_t from = offsetof(Scene, style);
  *row = *option;
  row->offset -= from;
  return option->type != OPTION_CUSTOM && option->offset >= from && option->offset < from + sizeof(Style);
}

void scene_defaults(Scene *scene) {
  *scene = (Scene){
    .scale = 1, .device = "auto", .steps = 100, .speed = 1, .camera = scene_camera_defaults(), .environment = "off"
  };
  scene->style.percentile = 2;
  scene->simulation = simulation_defaults();
  scene_material_begin(scene);
}

_Static_assert(sizeof scene_options / sizeof *scene_options <= SCENE_OPTIONS_MAX,
               "the table has more than SCENE_OPTIONS_MAX rows; increase this constant");

void scene_note_option(Scene *scene, const Option *option, const char *value) {
  scene->given[option_find(scene_options, option->key) - scene_options] = value;
}

void scene_material_begin(Scene *s) {
  const double mu = s->simulation.mu, lambda = s->simulation.lambda;
  s->material_keys = 0;
  s->young = young_modulus(mu, lambda);
  s->poisson = poisson_ratio(mu, lambda);
}

void scene_take_settings(Scene *scene, const SimulationSettings *settings, const Style *style) {
  scene->simulation = *settings;
  scene->style = *style;
  scene_material_begin(scene);
}

bool scene_material_end(Scene *s, const char *source, Error *error) {
  if (s->material_keys == 3) return error_set(error, "%s: give mu and lambda, or young and poisson, not both", source);
  if (s->material_keys == 2) {
    s->simulation.mu = lame_mu(s->young, s->poisson);
    s->simulation.lambda = lame_lambda(s->young, s->poisson);
  }
  return true;
}

static bool has_several_bodies(const Scene *scene) {
  return scene->body_count > 1 || scene->shape_count > 1;
}

// Returns true if an obstacle's surface is a mesh. Such an obstacle has no effect without self_contact.
static bool has_mesh_obstacle(const Scene *scene) {
  const SimulationSettings *s = &scene->simulation;
  for (int k = 0; k < s->obstacle_count; k++)
    if (s->obstacles[k].kind == OBSTACLE_MESH) return true;
  return false;
}

bool scene_surfaces_can_meet(const Scene *scene) {
  const SimulationSettings *s = &scene->simulation;
  return has_several_bodies(scene) || s->obstacle_count > 0 || s->has_floor;
}

const char *scene_without_contact(const Scene *scene) {
  return has_several_bodies(scene) ? "bodies pass through each other" : "the floor and obstacles push only nodes";
}

// Returns the first feature of the scene that does not support self_contact, for messages; NULL if all support it.
static const char *feature_without_contact(const Scene *scene) {
  const SimulationSettings *s = &scene->simulation;
  if (scene->cut_count > 0 || scene->tear_stress > 0) return "cuts and tears";
  if (s->ranks) return "engine \"petsc\"";
  if (s->degree > 2) return "degree 3";
  if (s->mass != MASS_LUMPED) return "mass \"consistent\"";
  if (s->solver_device != SOLVER_DEVICE_SAME) return "a solver on another device";
  return simulation_solver_takes_contact(s->solver) ? NULL : "the chosen solver";
}

static bool has_friction(const Scene *scene) {
  const SimulationSettings *s = &scene->simulation;
  for (int k = 0; k < s->obstacle_count; k++)
    if (s->obstacles[k].friction > 0) return true;
  return s->friction > 0;
}

const char *scene_choose_contact(Scene *scene) {
  SimulationSettings *s = &scene->simulation;
  // Statics of a single body have contact only if the user asks for it, since contact excludes the full Newton steps
  // with a direct solver that slender bodies need.
  const bool meets =
      scene->quasi_static ? has_several_bodies(scene) || has_mesh_obstacle(scene) : scene_surfaces_can_meet(scene);
  const char *feature = meets && !scene->contact_given ? feature_without_contact(scene) : NULL;
  if (!scene->contact_given) s->self_contact = meets && !feature;
  if (!scene->sticks_given) s->friction_sticks = s->self_contact && has_friction(scene) && s->friction_speed == 0;
  return feature;
}

void scene_expect_cuts(const Scene *scene, SimulationSettings *s) {
  s->tears = scene->tear_stress > 0;
  s->cuts = s->tears || scene->cut_count > 0;
  s->presses = false;
  for (int k = 0; k < scene->force_count; k++) s->presses = s->presses || scene->forces[k].kind == FORCE_PRESSURE;
}

Device scene_device(const Scene *scene) {
  if (strcmp(scene->device, "auto") == 0) return device_gpu_absence(0)[0] ? DEVICE_CPU : DEVICE_CUDA;
  return strcmp(scene->device, "cpu") == 0 ? DEVICE_CPU : DEVICE_CUDA;
}

int scene_gpu(const Scene *scene) {
  const char *number = strchr(scene->device, ':');
  return number ? atoi(number + 1) : 0;
}

bool scene_choose_device(Scene *scene, Error *error) {
  SimulationSettings *s = &scene->simulation;
  s->device = scene_device(scene);
  s->gpu = scene_gpu(scene);
  const char *absence = s->device == DEVICE_CUDA ? device_gpu_absence(s->gpu) : "";
  if (absence[0]) return error_set(error, "device %s cannot be used: %s; use --device cpu", scene->device, absence);
  if (strcmp(scene->device, "auto") == 0 && s->device == DEVICE_CPU)
    log_notice("the simulation runs on the CPU: %s", device_gpu_absence(s->gpu));
  return scene_use_gpu(s, error);
}

bool scene_use_gpu(const SimulationSettings *settings, Error *error) {
  const bool uses = settings->device == DEVICE_CUDA || settings->solver_device == SOLVER_DEVICE_CUDA;
  return !uses || device_gpu_absence(settings->gpu)[0] || device_use(settings->gpu, error);
}

char *scene_read_text(const char *path, size_t *length, Error *error) {
  FILE *file = input_file_open(path, INPUT_FILE_OR_PIPE, error);
  if (!file) return NULL;
  char *text = malloc(SCENE_BYTES_MAX + 1);
  *length = text ? fread(text, 1, SCENE_BYTES_MAX + 1, file) : 0;
  const bool bad = !text || ferror(file), large = *length > SCENE_BYTES_MAX;
  fclose(file);
  if (bad || large) {
    error_set(error, "%s: %s", path,
              large  ? "is larger than 1 MiB, the limit of scene files"
              : text ? "cannot be read"
                     : "not enough memory to read it");
    free(text);
    return NULL;
  }
  text[*length] = '\0';
  return text;
}

bool scene_has_environment(const Scene *scene) {
  return scene->environment[0] && strcmp(scene->environment, "off") != 0;
}

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

// Replaces a path relative to the scene's folder by a path relative to the working directory. what: word for the kind
// of file in messages, such as "mesh".
static bool resolve(const Scene *scene, char path[SCENE_PATH_LENGTH], const char *what, Error *error) {
  const char *slash = strrchr(scene->path, '/');
  if (path[0] == '/' || !slash) return true;
  char joined[2 * SCENE_PATH_LENGTH];
  snprintf(joined, sizeof joined, "%.*s/%s", (int)(slash - scene->path), scene->path, path);
  if (strlen(joined) >= SCENE_PATH_LENGTH) return error_set(error, "%s: the %s's path is too long", scene->path, what);
  memcpy(path, joined, strlen(joined) + 1);
  return true;
}

// Resolves the path of a mesh. If no such file exists in the scene's folder, uses the shipped file of this name, such
// as "meshes/hand.msh", so that a saved scene finds shipped meshes on another machine.
static bool resolve_mesh(const Scene *scene, char mesh[SCENE_PATH_LENGTH], Error *error) {
  if (given_mesh_is_named(mesh)) return true;
  char shipped[SCENE_PATH_LENGTH];
  asset_path(mesh, shipped);
  if (!resolve(scene, mesh, "mesh", error)) return false;
  if (access(mesh, F_OK) != 0 && access(shipped, F_OK) == 0) memcpy(mesh, shipped, sizeof shipped);
  return true;
}

static bool resolve_files(Scene *scene, Error *error) {
  const int sources = (scene->mesh[0] != 0) + (scene->shape_count > 0) + (scene->body_count > 0);
  if (sources > 1)
    return error_set(error, "%s: give \"%s\" or \"%s\", not both", scene->path, scene->mesh[0] ? "mesh" : "shapes",
                     scene->body_count > 0 ? "bodies" : "shapes");
  if (scene->begin[0] && scene->twist != 0)
    return error_set(error, "%s: give \"begin\" or \"twist\", not both", scene->path);
  if (scene_has_initial_fields(scene) && (scene->begin[0] || scene->twist != 0))
    return error_set(error, "%s: \"initial_fields\" cannot be combined with \"%s\"; remove one", scene->path,
                     scene->begin[0] ? "begin" : "twist");
  if (scene->begin[0] && !resolve(scene, scene->begin, "state", error)) return false;
  if (scene_has_environment(scene) && !resolve_mesh(scene, scene->environment, error)) return false;
  if (scene->stiffness_file[0] && !resolve_mesh(scene, scene->stiffness_file, error)) return false;
  if (scene->initial_file[0] && !resolve_mesh(scene, scene->initial_file, error)) return false;
  if (!sources)
    return error_set(error, "%s: key \"mesh\" is missing; give \"mesh\", \"shapes\" or \"bodies\"", scene->path);
  for (int k = 0; k < scene->body_count; k++)
    if (scene->bodies[k].mesh[0] && !resolve_mesh(scene, scene->bodies[k].mesh, error)) return false;
  for (int k = 0; k < scene->simulation.obstacle_count; k++)
    if (scene->obstacle_mesh[k][0] && !resolve_mesh(scene, scene->obstacle_mesh[k], error)) return false;
  return !scene->mesh[0] || resolve_mesh(scene, scene->mesh, error);
}

bool scene_check_mesh(const Scene *scene, Error *error) {
  if (!scene_bodies_check(scene, error)) return false;
  for (int k = 0; k < scene->body_count; k++)
    if (scene->bodies[k].mesh[0] && !scene_mesh_check(scene, scene->bodies[k].mesh, error))
      return error_prefix(error, "%s: bodies[%d].mesh", scene->path, k);
  for (int k = 0; k < scene->simulation.obstacle_count; k++)
    if (scene->obstacle_mesh[k][0] && !scene_surface_check(scene, scene->obstacle_mesh[k], error))
      return error_prefix(error, "%s: obstacles entry %d", scene->path, k + 1);
  if (scene->shape_count > 0 || scene->body_count > 0 || scene_mesh_check(scene, scene->mesh, error)) return true;
  return scene->mesh_only ? false : error_prefix(error, "%s: mesh", scene->path);
}

bool scene_read_object(Scene *scene, const cJSON *object, Error *error) {
  scene_material_begin(scene);
  return options_set_object(scene_options, scene, object, scene->path, error) &&
         scene_material_end(scene, scene->path, error) && resolve_files(scene, error);
}

static bool read_scene(Scene *made, const char *path, Error *error) {
  scene_defaults(made);
  if (strlen(path) >= sizeof made->path) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(made->path, path, strlen(path) + 1);
  if (!ends_with(path, ".json")) {
    memcpy(made->mesh, path, strlen(path) + 1);
    made->mesh_only = true;
    return scene_check_mesh(made, error);
  }
  size_t length;
  char *text = scene_read_text(path, &length, error);
  if (!text) return false;
  made->text_sum = (uint32_t)crc32_z(0, (const Bytef *)text, length);
  cJSON *object = json_parse(text, length, path, error);
  const bool ok = object && scene_read_object(made, object, error);
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
