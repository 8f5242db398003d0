// Writes keys of a scene whose values are objects or lists: see scene_parts.h. If memory is short, parts of the JSON
// are missing and json_is_whole fails.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/curve_names.h"
#include "scene/json_file.h"
#include "scene/scene_obstacles.h"
#include "scene/scene_parts.h"

static cJSON *bound(double value) {
  return isfinite(value) ? json_exact(value) : cJSON_CreateNull();
}

// Adds the keys of a region to a JSON object: its bounds along x, y and z, its body, its set of the mesh file, and its
// ball.
static void put_region(cJSON *object, const Region *region) {
  static const char *const keys[] = { "x", "y", "z" };
  for (int i = 0; i < 3; i++) {
    // a region without any key would be invalid, so the z bounds are written as [null, null]
    const bool all = i == 2 && !object->child && !region->of_body && !region->set[0];
    const bool says = isfinite(region->low[i]) || isfinite(region->high[i]) || all;
    if (!says) continue;
    cJSON *bounds = cJSON_CreateArray();
    json_append(bounds, bound(region->low[i]));
    json_append(bounds, bound(region->high[i]));
    json_put(object, keys[i], bounds);
  }
  if (region->of_body)
    json_put(object, "body",
             region->body_name[0] ? cJSON_CreateString(region->body_name) : cJSON_CreateNumber(region->body));
  if (region->set[0]) json_put(object, "set", cJSON_CreateString(region->set));
  if (!region->has_ball) return;
  const int extreme = region->centre_extreme, axis = extreme < 0 ? -extreme : extreme;
  const char name[3] = { extreme < 0 ? '-' : '+', (char)('x' + axis - 1), '\0' };
  json_put(object, "center", extreme ? cJSON_CreateString(name) : json_exact_vector(region->centre, 3));
  json_put(object, "radius", json_exact(region->radius));
}

static cJSON *print_region(const Region *region) {
  cJSON *object = cJSON_CreateObject();
  if (object) put_region(object, region);
  return object;
}

// Converts bits of held axes to their names as JSON text: PIN_X | PIN_Z to "xz".
static cJSON *print_axes(int held) {
  char axes[4];
  int count = 0;
  for (int i = 0; i < 3; i++)
    if (held & PIN_X << i) axes[count++] = (char)('x' + i);
  axes[count] = '\0';
  return cJSON_CreateString(axes);
}

static cJSON *print_path(const double (*path)[4], int count) {
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; i < count; i++) json_append(list, json_exact_vector(path[i], 4));
  return list;
}

static cJSON *print_spin(const Spin *spin) {
  cJSON *object = cJSON_CreateObject();
  json_put(object, "axis", json_exact_vector(spin->given, 3));
  json_put(object, "about", json_exact_vector(spin->about, 3));
  if (spin->angle_count == 0) {
    json_put(object, "speed", json_exact(spin->speed));
    return object;
  }
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; i < spin->angle_count; i++) json_append(list, json_exact_vector(spin->angles[i], 2));
  json_put(object, "angles", list);
  return object;
}

static void put_motion(cJSON *object, const RigidMotion *motion) {
  if (motion->point_count > 0) json_put(object, "path", print_path(motion->path, motion->point_count));
  if (motion_spins(motion)) json_put(object, "spin", print_spin(&motion->spin));
}

static void put_name(cJSON *object, const char *name) {
  if (name[0]) json_put(object, "name", cJSON_CreateString(name));
}

cJSON *print_pin(const ScenePin *pin) {
  cJSON *made = print_region(&pin->region);
  if (!made) return NULL;
  put_name(made, pin->name);
  if (pin->held != PIN_ALL) json_put(made, "axes", print_axes(pin->held));
  if (pin->moves) json_put(made, "move", json_exact_vector(pin->move, 3));
  put_motion(made, &pin->motion);
  return made;
}

cJSON *print_pins(const void *target) {
  const Scene *s = target;
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < s->pin_count; k++) json_append(list, print_pin(&s->pins[k]));
  return list;
}

cJSON *print_obstacles(const void *target) {
  const Scene *scene = target;
  const SimulationSettings *s = &scene->simulation;
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < s->obstacle_count; k++) {
    const Obstacle *o = &s->obstacles[k];
    const double size[3] = { 2 * o->size[0], 2 * o->size[1], 2 * o->size[2] };
    cJSON *obstacle = cJSON_CreateObject();
    put_name(obstacle, scene->obstacle_name[k]);
    json_put(obstacle, "kind", cJSON_CreateString(obstacle_kinds[o->kind]));
    json_put(obstacle, "friction", json_exact(o->friction));
    if (o->kind == OBSTACLE_CAPSULE) {
      json_put(obstacle, "from", json_exact_vector(o->given[0], 3));
      json_put(obstacle, "to", json_exact_vector(o->given[1], 3));
    } else {
      json_put(obstacle, "at", json_exact_vector(o->centre, 3));
    }
    if (o->kind == OBSTACLE_PLANE) json_put(obstacle, "normal", json_exact_vector(o->given[0], 3));
    if (o->kind == OBSTACLE_BOX) json_put(obstacle, "size", json_exact_vector(size, 3));
    if (o->kind == OBSTACLE_MESH) {
      json_put(obstacle, "mesh", cJSON_CreateString(scene->obstacle_mesh[k]));
      json_put(obstacle, "scale", json_exact(o->size[0]));
    }
    if (o->kind == OBSTACLE_BOX || o->kind == OBSTACLE_MESH)
      json_put(obstacle, "turn", json_exact_vector(o->given[0], 3));
    if (o->kind == OBSTACLE_SPHERE || o->kind == OBSTACLE_CAPSULE) json_put(obstacle, "radius", json_exact(o->size[0]));
    put_motion(obstacle, &o->motion);
    json_append(list, obstacle);
  }
  return list;
}

static cJSON *print_component(const SceneForce *force, int i) {
  return force->formula[i][0] ? cJSON_CreateString(force->formula[i]) : json_exact(force->value[i]);
}

static cJSON *print_components(const SceneForce *force) {
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; i < 3; i++) json_append(list, print_component(force, i));
  return list;
}

static cJSON *print_factors(const SceneForce *force) {
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < force->point_count; k++) json_append(list, json_exact_vector(force->over_time[k], 2));
  return list;
}

cJSON *print_forces(const void *target) {
  const Scene *s = target;
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < s->force_count; k++) {
    const SceneForce *f = &s->forces[k];
    const int steps[2] = { f->first_step, f->last_step };
    cJSON *force = cJSON_CreateObject();
    json_put(force, "region", print_region(&f->region));
    put_name(force, f->name);
    if (f->kind == FORCE_PRESSURE)
      json_put(force, "pressure", print_component(f, 0));
    else
      json_put(force, f->kind == FORCE_TOTAL ? "total" : "traction", print_components(f));
    if (f->share != SHARE_FITTING)
      json_put(force, "share", cJSON_CreateString(f->share == SHARE_AREA ? "area" : "volume"));
    if (f->point_count > 0) json_put(force, "over_time", print_factors(f));
    if (f->first_step > 1 || f->last_step < INT32_MAX) json_put(force, "steps", cJSON_CreateIntArray(steps, 2));
    json_append(list, force);
  }
  return list;
}

cJSON *print_drags(const void *target) {
  const Scene *s = target;
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < s->drag_count; k++) {
    const SceneDrag *d = &s->drags[k];
    cJSON *drag = cJSON_CreateObject();
    json_put(drag, "grab", print_region(&d->region));
    put_name(drag, d->name);
    if (d->stiffness > 0) json_put(drag, "stiffness", json_exact(d->stiffness));
    json_put(drag, "path", print_path(d->path, d->point_count));
    json_append(list, drag);
  }
  return list;
}

void print_blade(cJSON *object, const Blade *blade) {
  json_put(object, "point", json_exact_vector(blade->point, 3));
  json_put(object, "normal", json_exact_vector(blade->normal, 3));
  if (blade->reach > 0) json_put(object, "reach", json_exact(blade->reach));
  bool bounded = false;
  for (int i = 0; i < 6; i++) bounded = bounded || blade->edge[i / 3][i % 3] != 0;
  if (!bounded) return;
  cJSON *edges = cJSON_CreateArray();
  for (int k = 0; k < 2; k++) json_append(edges, json_exact_vector(blade->edge[k], 3));
  json_put(object, "edges", edges);
}

cJSON *print_cuts(const void *target) {
  const Scene *s = target;
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < s->cut_count; k++) {
    cJSON *cut = cJSON_CreateObject();
    put_name(cut, s->cuts[k].name);
    json_put(cut, "time", json_exact(s->cuts[k].time));
    print_blade(cut, &s->cuts[k].blade);
    json_append(list, cut);
  }
  return list;
}

static cJSON *camera_json(const SceneCamera *c) {
  cJSON *camera = cJSON_CreateObject();
  json_put(camera, "eye", json_exact_vector(c->eye, 3));
  json_put(camera, "target", json_exact_vector(c->target, 3));
  json_put(camera, "up", json_exact_vector(c->up, 3));
  json_put(camera, "fov", json_exact(c->fov));
  if (c->orthographic) json_put(camera, "orthographic", cJSON_CreateTrue());
  put_name(camera, c->name);
  return camera;
}

cJSON *print_camera(const void *target) {
  const Scene *s = target;
  return s->camera.given ? camera_json(&s->camera) : NULL;
}

cJSON *print_curves(const void *target) {
  cJSON *list = cJSON_CreateArray();
  char name[SCENE_CURVES];
  for (const char *rest = ((const Scene *)target)->curves; (rest = curve_names_next(rest, name));)
    json_append(list, cJSON_CreateString(name));
  return list;
}

cJSON *print_views(const void *target) {
  const Scene *s = target;
  cJSON *list = cJSON_CreateArray();
  for (const SceneCamera *c = s->views.camera; c < s->views.camera + s->views.count; c++)
    json_append(list, c->given ? camera_json(c) : cJSON_CreateNull());
  return list;
}

cJSON *print_materials(const void *target) {
  const Scene *s = target;
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < s->material_count; k++) {
    cJSON *material = cJSON_CreateObject();
    put_name(material, s->materials[k].name);
    json_put(material, "region", print_region(&s->materials[k].region));
    json_put(material, "stiffness", json_exact(s->materials[k].stiffness));
    json_append(list, material);
  }
  return list;
}

cJSON *print_shapes(const void *target) {
  const Scene *s = target;
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; k < s->shape_count; k++) {
    const SceneShape *made = &s->shapes[k];
    cJSON *shape = cJSON_CreateObject();
    put_name(shape, made->name);
    json_put(shape, "kind", cJSON_CreateString(made->kind));
    json_put(shape, "size", json_exact_vector(made->size, 3));
    json_put(shape, "cells", cJSON_CreateNumber(made->cells));
    json_put(shape, "at", json_exact_vector(made->at, 3));
    json_put(shape, "turn", json_exact_vector(made->turn, 3));
    json_append(list, shape);
  }
  return list;
}

cJSON *print_color_range(const void *target) {
  const Style *style = &((const Scene *)target)->style;
  const double range[2] = { style->low, style->high };
  return style->high > style->low ? json_exact_vector(range, 2) : cJSON_CreateNull();
}

cJSON *print_section(const void *target) {
  const Style *style = &((const Scene *)target)->style;
  if (!style->section) return cJSON_CreateNull();
  cJSON *section = cJSON_CreateObject();
  json_put(section, "axis", print_axes(PIN_X << style->section_axis));
  json_put(section, "at", json_exact(style->section_at));
  json_put(section, "flip", cJSON_CreateBool(style->section_flip));
  return section;
}

cJSON *print_twist(const void *target) {
  const Scene *s = target;
  if (s->twist == 0) return NULL;
  cJSON *twist = cJSON_CreateObject();
  json_put(twist, "axis", print_axes(PIN_X << s->twist_axis));
  json_put(twist, "degrees", json_exact(s->twist * 180 / acos(-1.0)));
  return twist;
}
