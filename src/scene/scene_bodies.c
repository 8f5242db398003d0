// Scenes with several bodies: reads the key "bodies" and joins the meshes of the bodies. See scene_bodies.h.
#include "scene/scene_bodies.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/meant.h"
#include "base/vectors.h"
#include "mesh/join.h"
#include "mesh/quadratic.h"
#include "mesh/shapes.h"
#include "scene/given_mesh.h"
#include "scene/json_file.h"
#include "scene/scene_geometry.h"
#include "scene/scene_parts.h"
#include "sim/element/moduli.h"

// Reads the shape of a body: { "kind": "sphere", "size": [x, y, z], "cells": 8 }.
static bool parse_shape_of(void *target, const cJSON *value, const char *name, Error *error) {
  SceneBody *body = target;
  body->has_shape = true;
  return parse_only_keys(value, body_shape_keys, name, error) && parse_shape_keys(&body->shape, value, name, error);
}

static cJSON *print_shape_of(const void *target) {
  const SceneBody *body = target;
  if (!body->has_shape) return NULL;
  cJSON *shape = cJSON_CreateObject();
  json_put(shape, "kind", cJSON_CreateString(body->shape.kind));
  json_put(shape, "size", json_exact_vector(body->shape.size, 3));
  json_put(shape, "cells", cJSON_CreateNumber(body->shape.cells));
  return shape;
}

// Reads the factors on the coordinates of a body: a number, or [x, y, z].
static bool parse_scale(void *target, const cJSON *value, const char *name, Error *error) {
  static const Option factor = { "scale", OPTION_NUMBER, 0, sizeof(double), OPTION_MORE_THAN(0) };
  double *scale = ((SceneBody *)target)->scale;
  if (!cJSON_IsArray(value)) {
    if (!option_set_json(&factor, scale, value, name, error)) return false;
    scale[1] = scale[2] = scale[0];
    return true;
  }
  if (cJSON_GetArraySize(value) != 3)
    return error_set(error, "%s: has %d numbers, expected one, or three: [x, y, z]", name, cJSON_GetArraySize(value));
  for (int i = 0; i < 3; i++)
    if (!option_set_json(&factor, &scale[i], cJSON_GetArrayItem(value, i), name, error)) return false;
  return true;
}

static cJSON *print_scale(const void *target) {
  const double *scale = ((const SceneBody *)target)->scale;
  const bool uniform = scale[0] == scale[1] && scale[0] == scale[2];
  return uniform ? json_exact(scale[0]) : json_exact_vector(scale, 3);
}

// Reads the rotation of a body: { "axis": [x, y, z] or "z", "degrees": 30 }.
static bool parse_turn(void *target, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "axis", "degrees", NULL };
  SceneBody *body = target;
  if (!parse_only_keys(value, keys, name, error)) return false;
  const cJSON *axis = cJSON_GetObjectItemCaseSensitive(value, "axis");
  const cJSON *degrees = cJSON_GetObjectItemCaseSensitive(value, "degrees");
  if (!cJSON_IsNumber(degrees) || !isfinite(degrees->valuedouble))
    return error_set(error, "%s: \"degrees\" must be a number", name);
  body->turn_degrees = degrees->valuedouble;
  if (cJSON_IsString(axis) && strlen(axis->valuestring) == 1 && strchr("xyz", axis->valuestring[0])) {
    for (int i = 0; i < 3; i++) body->turn_axis[i] = axis->valuestring[0] == 'x' + i;
    return true;
  }
  if (!cJSON_IsArray(axis))
    return error_set(error, "%s: \"axis\" must be \"x\", \"y\", \"z\" or a direction [x, y, z]", name);
  if (!json_vector(axis, body->turn_axis, name, error)) return false;
  const double length = vector_length(body->turn_axis);
  return (length > 0 && isfinite(length)) || error_set(error, "%s: \"axis\" must be a direction, not zero", name);
}

static cJSON *print_turn(const void *target) {
  const SceneBody *body = target;
  if (body->turn_degrees == 0) return NULL;
  cJSON *turn = cJSON_CreateObject();
  json_put(turn, "axis", json_exact_vector(body->turn_axis, 3));
  json_put(turn, "degrees", json_exact(body->turn_degrees));
  return turn;
}

static bool parse_color(void *target, const cJSON *value, const char *name, Error *error) {
  SceneBody *body = target;
  if (!json_vector(value, body->color, name, error)) return false;
  for (int i = 0; i < 3; i++)
    if (!(body->color[i] >= 0 && body->color[i] <= 1))
      return error_set(error, "%s: is [%g, %g, %g], expected red, green and blue from 0 to 1", name, body->color[0],
                       body->color[1], body->color[2]);
  return body->has_color = true;
}

static cJSON *print_color(const void *target) {
  const SceneBody *body = target;
  return body->has_color ? json_exact_vector(body->color, 3) : NULL;
}

static bool parse_body_pins(void *target, const cJSON *value, const char *name, Error *error) {
  SceneBody *body = target;
  if (!parse_list(value, name, SCENE_BODY_PINS, &body->pin_count, body->pins, sizeof *body->pins, parse_pin, error))
    return false;
  for (int k = 0; k < body->pin_count; k++)
    if (body->pins[k].region.of_body)
      return error_set(error, "%s entry %d: remove \"body\": pins in an entry of \"bodies\" hold only that body", name,
                       k + 1);
  return true;
}

static cJSON *print_body_pins(const void *target) {
  const SceneBody *body = target;
  cJSON *list = body->pin_count ? cJSON_CreateArray() : NULL;
  for (int k = 0; k < body->pin_count; k++) json_append(list, print_pin(&body->pins[k]));
  return list;
}

#define AT(field) OPTION_AT(SceneBody, field)
const Option body_options[] = {
  { "name", OPTION_TEXT, AT(name), .applies = APPLIES_TO_VIEW,
    .help = "Name of the body, for messages and for the key \"body\" of regions." },
  { "mesh", OPTION_TEXT, AT(mesh), .applies = APPLIES_TO_BODY, .help = "Mesh file, in place of a shape." },
  { "shape", OPTION_CUSTOM, .parse = parse_shape_of, .print = print_shape_of, .applies = APPLIES_TO_BODY },
  { "scale", OPTION_CUSTOM, .parse = parse_scale, .print = print_scale, .applies = APPLIES_TO_BODY,
    .help = "Factor on all lengths; or three factors, on the x, y and z coordinates before it is turned." },
  { "turn", OPTION_CUSTOM, .parse = parse_turn, .print = print_turn, .applies = APPLIES_TO_BODY,
    .help = "Rotation about the origin, before the body is moved to its place: {\"axis\": \"z\", \"degrees\": 30}." },
  { "place", OPTION_VECTOR, AT(translation), .applies = APPLIES_TO_BODY,
    .help = "Position of the body's origin, m. The origin of a shape is the middle of the lower face of its bounding "
            "box." },
  { "material", OPTION_TEXT, AT(material), .applies = APPLIES_ON_REBUILD,
    .help = "Material law. It must be that of the scene." },
  { "stiffness", OPTION_NUMBER, AT(stiffness), OPTION_MORE_THAN(0), .applies = APPLIES_ON_REBUILD,
    .help = "Shear modulus of the body divided by that of the scene. This key replaces young." },
  { "young", OPTION_NUMBER, AT(young), OPTION_MORE_THAN(0), .applies = APPLIES_ON_REBUILD,
    .help = "Young's modulus of the body, Pa. If empty, the scene's value is used." },
  { "poisson", OPTION_NUMBER, AT(poisson), OPTION_BETWEEN(-1, 0.5), .applies = APPLIES_ON_REBUILD,
    .help = "Poisson's ratio of the body. If empty, the scene's value is used." },
  { "density", OPTION_NUMBER, AT(density), OPTION_MORE_THAN(0), .applies = APPLIES_ON_REBUILD,
    .help = "Density of the body, kg/m^3. If empty, the scene's value is used." },
  { "damping", OPTION_NUMBER, AT(damping), OPTION_AT_LEAST(0), .applies = APPLIES_ON_REBUILD,
    .help = "Coefficient of damping of the body, 1/s. If empty, the scene's value is used." },
  { "color", OPTION_CUSTOM, .parse = parse_color, .print = print_color, .applies = APPLIES_TO_VIEW, .color = true,
    .help = "Red, green and blue, each 0 to 1." },
  { "roughness", OPTION_NUMBER, AT(roughness), OPTION_FROM_TO(0, 1), .applies = APPLIES_TO_VIEW,
    .help = "0.2: polished, with a small bright highlight; 1: matt. If empty, 0.5." },
  { "transparency", OPTION_NUMBER, AT(transparency), OPTION_FROM_TO(0, 1), .applies = APPLIES_TO_VIEW,
    .help = "0: opaque; 0.8: like glass; 1: only the outline is visible." },
  { "velocity", OPTION_VECTOR, AT(velocity), .applies = APPLIES_TO_SCRIPT, .help = "Initial velocity, m/s." },
  { "spin", OPTION_VECTOR, AT(spin), .applies = APPLIES_TO_SCRIPT,
    .help = "Initial angular velocity about the centre of mass, rad/s." },
  { "pins", OPTION_CUSTOM, .parse = parse_body_pins, .print = print_body_pins, .applies = APPLIES_TO_SCRIPT,
    .help = "Pins of this body: [{\"z\": [null, 0.1]}]." },
  { 0 },
};

static const SceneBody BY_DEFAULT = { .scale = { 1, 1, 1 },
                                      .stiffness = NAN,
                                      .young = NAN,
                                      .poisson = NAN,
                                      .density = NAN,
                                      .damping = NAN,
                                      .roughness = ROUGHNESS_DEFAULT };

static bool parse_body(SceneBody *body, const cJSON *value, const char *name, Error *error) {
  const char *keys[sizeof body_options / sizeof *body_options];
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) keys[k] = body_options[k].key;
  if (!parse_only_keys(value, keys, name, error)) return false;
  for (const cJSON *item = value->child; item; item = item->next) {
    char location[1300];
    snprintf(location, sizeof location, "%.1200s.%s", name, item->string);
    if (!option_set_json(option_find(body_options, item->string), body, item, location, error)) return false;
  }
  return true;
}

// Shortens a name that begins messages: 'scene.json: key "bodies"' becomes "scene.json: bodies". Other names are
// copied.
static void list_name(const char *name, char list[1200]) {
  const char *key = strstr(name, "key \"bodies\"");
  snprintf(list, 1200, "%.*s%s", key ? (int)(key - name) : 1180, name, key ? "bodies" : "");
}

bool parse_bodies(void *target, const cJSON *value, const char *name, Error *error) {
  Scene *scene = target;
  char list[1200];
  list_name(name, list);
  if (!cJSON_IsArray(value)) return error_set(error, "%s: is %s, expected a list [ ... ]", list, json_kind(value));
  const int count = cJSON_GetArraySize(value);
  if (count < 1 || count > SCENE_PARTS_MAX)
    return error_set(error, "%s: has %d entries, expected 1 to %d", list, count, SCENE_PARTS_MAX);
  int k = 0;
  for (const cJSON *item = value->child; item; item = item->next, k++) {
    char location[1240];
    snprintf(location, sizeof location, "%s[%d]", list, k);
    scene->bodies[k] = BY_DEFAULT;
    if (!parse_body(&scene->bodies[k], item, location, error)) return false;
  }
  scene->body_count = count;
  return true;
}

cJSON *print_bodies(const void *target) {
  const Scene *scene = target;
  cJSON *list = scene->body_count ? cJSON_CreateArray() : NULL;
  for (int k = 0; k < scene->body_count; k++) {
    cJSON *body = cJSON_CreateObject();
    for (const Option *o = body_options; o->key; o++) {
      cJSON *own = option_json(o, &scene->bodies[k]), *usual = option_json(o, &BY_DEFAULT);
      if (own && !cJSON_Compare(own, usual, true))
        json_put(body, o->key, own);
      else
        cJSON_Delete(own);
      cJSON_Delete(usual);
    }
    json_append(list, body);
  }
  return list;
}

void scene_body_name(const Scene *scene, int k, char name[SCENE_BODY_NAME + 16]) {
  if (scene->bodies[k].name[0])
    snprintf(name, SCENE_BODY_NAME + 16, "%s", scene->bodies[k].name);
  else
    snprintf(name, SCENE_BODY_NAME + 16, "body %d", k);
}

bool scene_pin(const Scene *scene, int k, ListedPin *listed) {
  if (k < scene->pin_count) {
    *listed = (ListedPin){ .pin = scene->pins[k], .list = "pins", .entry = k };
    return true;
  }
  k -= scene->pin_count;
  for (int b = 0; b < scene->body_count; k -= scene->bodies[b++].pin_count) {
    if (k >= scene->bodies[b].pin_count) continue;
    *listed = (ListedPin){ .pin = scene->bodies[b].pins[k], .entry = k };
    listed->pin.region.of_body = true;
    listed->pin.region.body = b;
    snprintf(listed->list, sizeof listed->list, "bodies[%d].pins", b);
    return true;
  }
  return false;
}

void scene_body_looks(const Scene *scene, BodyLook *look) {
  static_assert((int)LOOKS_MAX == (int)SCENE_PARTS_MAX, "each body of a scene must have a look");
  for (int k = 0; k < LOOKS_MAX; k++) look[k] = (BodyLook){ .roughness = ROUGHNESS_DEFAULT };
  for (int k = 0; k < scene->body_count; k++) {
    const SceneBody *body = &scene->bodies[k];
    look[k] =
        (BodyLook){ .has_color = body->has_color, .roughness = body->roughness, .transparency = body->transparency };
    memcpy(look[k].color, body->color, sizeof body->color);
  }
}

static bool region_check(const Scene *scene, const Region *region, const char *list, int entry, Error *error) {
  char known[200] = "", text[96];
  if (region_body(scene, region) < scene->body_count) return true;
  if (!region->body_name[0])
    return error_set(error, "%s: %s entry %d: \"body\" is %d, but there %s %d %s, counted from 0", scene->path, list,
                     entry + 1, region->body, scene->body_count == 1 ? "is" : "are", scene->body_count,
                     scene->body_count == 1 ? "body" : "bodies");
  Meant meant = meant_by(region->body_name);
  for (int k = 0; k < scene->body_count; k++) {
    const size_t length = strlen(known);
    if (!scene->bodies[k].name[0]) continue;
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", scene->bodies[k].name);
    meant_offer(&meant, scene->bodies[k].name);
  }
  return error_set(error, "%s: %s entry %d: no body has the name \"%s\"%s; there are: %s", scene->path, list, entry + 1,
                   region->body_name, meant_text(&meant, text), known[0] ? known : "no bodies with names");
}

static bool regions_check(const Scene *s, Error *error) {
  bool ok = true;
  for (int k = 0; ok && k < s->pin_count; k++) ok = region_check(s, &s->pins[k].region, "pins", k, error);
  for (int k = 0; ok && k < s->force_count; k++) ok = region_check(s, &s->forces[k].region, "forces", k, error);
  for (int k = 0; ok && k < s->drag_count; k++) ok = region_check(s, &s->drags[k].region, "drags", k, error);
  for (int k = 0; ok && k < s->material_count; k++)
    ok = region_check(s, &s->materials[k].region, "materials", k, error);
  return ok;
}

// Returns true if a text names the floor, an obstacle or a body without a name, as in "contact_force:0/floor".
static bool is_taken(const char *text) {
  const size_t length = strncmp(text, "obstacle ", 9) == 0 ? 9 : strncmp(text, "body ", 5) == 0 ? 5 : 0;
  return strcmp(text, "floor") == 0 || (length > 0 && text[length] >= '0' && text[length] <= '9');
}

// Checks the name of body k. Reports of contacts and probes must be able to refer to it.
static bool name_of_body_check(const Scene *scene, int k, const char *location, Error *error) {
  const char *text = scene->bodies[k].name;
  char key[SCENE_PATH_LENGTH + 40];
  snprintf(key, sizeof key, "%s.name", location);
  if (!text[0]) return true;
  if (!name_check(text, key, error)) return false;
  if (is_taken(text)) return error_set(error, "%s: \"%s\" is reserved; choose another name", key, text);
  for (int j = 0; j < k; j++)
    if (strcmp(text, scene->bodies[j].name) == 0)
      return error_set(error, "%s: bodies[%d] also has the name \"%s\"", key, j, text);
  return true;
}

bool scene_bodies_check(const Scene *scene, Error *error) {
  for (int k = 0; k < scene->body_count; k++) {
    const SceneBody *body = &scene->bodies[k];
    char location[SCENE_PATH_LENGTH + 32];
    snprintf(location, sizeof location, "%.*s: bodies[%d]", SCENE_PATH_LENGTH - 1, scene->path, k);
    if (body->has_shape == (body->mesh[0] != 0))
      return error_set(error, "%s: give \"mesh\" or \"shape\"%s", location, body->has_shape ? ", not both" : "");
    if (!isnan(body->stiffness) && !isnan(body->young))
      return error_set(error, "%s: give \"stiffness\" or \"young\", not both", location);
    if (body->material[0] && strcmp(body->material, scene->simulation.material) != 0)
      return error_set(
          error, "%s.material: is \"%s\", but the scene has \"%s\"; all bodies must have the material of the scene",
          location, body->material, scene->simulation.material);
    if (!name_of_body_check(scene, k, location, error)) return false;
  }
  return regions_check(scene, error);
}

BodyConstants scene_body_constants(const Scene *scene, int k) {
  const SceneBody *body = &scene->bodies[k];
  const double mu = scene->simulation.mu, lambda = scene->simulation.lambda;
  BodyConstants made = { 1, NAN, body->density, body->damping };
  const double poisson = isnan(body->poisson) ? poisson_ratio(mu, lambda) : body->poisson;
  const double young = isnan(body->young) ? young_modulus(mu, lambda) : body->young;
  const double rounding = 1e-12;

  // If the elements have degree 2 or 3, all bodies must have the scene's Poisson's ratio. So a key "poisson" of the
  // body that equals the scene's value, up to rounding, does not count as a different ratio.
  const bool scenes = scene->simulation.degree > 1 && fabs(poisson - poisson_ratio(mu, lambda)) <= rounding;
  if (!isnan(body->poisson) && !scenes) made.ratio = 2 * poisson / (1 - 2 * poisson);
  if (!isnan(body->stiffness))
    made.stiffness = body->stiffness;
  else if (fabs(lame_mu(young, poisson) / mu - 1) > rounding)
    made.stiffness = lame_mu(young, poisson) / mu;
  return made;
}

// Returns true if a equals b, or if both are NAN.
static bool alike(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

void scene_body_fix(Scene *scene, int k, const BodyConstants *made) {
  const BodyConstants now = scene_body_constants(scene, k);
  SceneBody *body = &scene->bodies[k];
  if (alike(now.stiffness, made->stiffness) && alike(now.ratio, made->ratio)) return;
  body->young = NAN;
  body->stiffness = made->stiffness;
  if (isnan(made->ratio)) body->poisson = NAN;
}

// Rotates a point about an axis through the origin, by Rodrigues' formula.
static void turn_point(double p[3], const double axis[3], double degrees) {
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const double angle = degrees * acos(-1.0) / 180;
  const double c = cos(angle), s = sin(angle);
  double n[3], from[3], along = 0;
  for (int i = 0; i < 3; i++) {
    n[i] = axis[i] / length;
    from[i] = p[i];
    along += n[i] * p[i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    p[i] = c * from[i] + s * (n[j] * from[k] - n[k] * from[j]) + (1 - c) * along * n[i];
  }
}

// Returns the factor on all lengths of a body; if there are three factors, returns their geometric mean.
static double mean_scale(const SceneBody *body) {
  const double *s = body->scale;
  return s[0] == s[1] && s[0] == s[2] ? s[0] : cbrt(s[0]) * cbrt(s[1]) * cbrt(s[2]);
}

static bool make_body(const Scene *scene, int k, TetMesh *mesh, Error *error) {
  const SceneBody *body = &scene->bodies[k];
  const int degree = scene->simulation.degree;
  const bool made = body->has_shape
                        ? mesh_make_shape(body->shape.kind, body->shape.size, body->shape.cells, mesh, error) &&
                              mesh_raise(mesh, degree, error)
                        : scene_mesh_read(scene, body->mesh, degree, mesh, error);
  if (!made) return body->has_shape ? error_prefix(error, "%s: bodies[%d].shape", scene->path, k) : false;
  mesh_stretch(mesh, body->scale);
  char location[SCENE_PATH_LENGTH + 32];
  snprintf(location, sizeof location, "%.*s: bodies[%d]", SCENE_PATH_LENGTH - 1, scene->path, k);
  if (!scene_check_volumes(location, mean_scale(body), mesh, error)) return false;
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++) {
    if (body->turn_degrees != 0) turn_point(mesh->X[a], body->turn_axis, body->turn_degrees);
    for (int i = 0; i < 3; i++) mesh->X[a][i] += body->translation[i];
  }
  return interrupt_check(error);
}

// Fills the mesh's arrays of material constants per tet and per node. An array exists only if a body has a constant
// that differs from the scene's.
static bool fill(const Scene *scene, TetMesh *mesh, const int nodes[], const int tets[], Error *error) {
  BodyConstants made[SCENE_PARTS_MAX];
  bool stiffness = false, ratio = false, density = false, damping = false, ok = true;
  for (int k = 0; k < scene->body_count; k++) {
    made[k] = scene_body_constants(scene, k);

    // If the cells are hexes, all bodies must have the scene's Poisson's ratio. So a key "poisson" of the body that
    // equals the scene's value, up to rounding, does not count as a different ratio.
    const double poisson = poisson_ratio(scene->simulation.mu, scene->simulation.lambda);
    if (mesh->hex && fabs(scene->bodies[k].poisson - poisson) <= 1e-12) made[k].ratio = NAN;
    stiffness |= made[k].stiffness != 1;
    ratio |= !isnan(made[k].ratio);
    density |= !isnan(made[k].density);
    damping |= !isnan(made[k].damping);
  }

  const int tet_count = mesh->tet_count, node_count = mesh->node_count;
  if (stiffness) ok = ok && (mesh->stiffness = array_new(tet_count, sizeof(double), "tets", error));
  if (ratio) ok = ok && (mesh->ratio = array_new(tet_count, sizeof(double), "tets", error));
  if (density) ok = ok && (mesh->density = array_new(tet_count, sizeof(double), "tets", error));
  if (damping) ok = ok && (mesh->damping = array_new(node_count, sizeof(double), "nodes", error));
  ok = ok && (mesh->body = array_new(node_count, sizeof *mesh->body, "nodes", error));
  for (int k = 0; ok && k < scene->body_count; k++) {
    for (int e = tets[k]; e < tets[k + 1]; e++) {
      if (stiffness) mesh->stiffness[e] = made[k].stiffness;
      if (ratio) mesh->ratio[e] = made[k].ratio;
      if (density) mesh->density[e] = made[k].density;
    }
    for (int a = nodes[k]; a < nodes[k + 1]; a++) {
      mesh->body[a] = k;
      if (damping) mesh->damping[a] = made[k].damping;
    }
  }
  return ok;
}

bool scene_bodies_make(const Scene *scene, TetMesh *mesh, Error *error) {
  int nodes[SCENE_PARTS_MAX + 1] = { 0 }, tets[SCENE_PARTS_MAX + 1] = { 0 };
  for (int k = 0; k < scene->body_count; k++) {
    TetMesh one = { 0 };
    const bool ok = make_body(scene, k, &one, error) &&
                    (mesh_join(mesh, &one, error) || error_prefix(error, "%s: bodies[%d]", scene->path, k));
    mesh_destroy(&one);
    if (!ok) return false;
    nodes[k + 1] = mesh->node_count;
    tets[k + 1] = mesh->tet_count;
  }
  return fill(scene, mesh, nodes, tets, error);
}
