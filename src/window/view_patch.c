// Tools that plot quantities of a patch of the surface, and of a pair of bodies: see view_tools.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "live/mouse_pull.h"
#include "scene/scene_bodies.h"
#include "sim/contact_report.h"
#include "sim/force/obstacle.h"
#include "window/view_tools.h"

// Adds a curve, and stores this for undo. Returns false, and shows the reason, if it cannot be added.
static bool add_curve(View *view, const char *name) {
  Error error = { 0 };
  if (!view_open_curve(view, name, &error)) {
    view_warn(view, "%.390s", error.message);
    return false;
  }
  view_note_curve(view, name, true);
  return true;
}

// Writes the text by which observables name a body, the floor or an obstacle: a body's name, or its number if it has no
// name that can be part of a list of observables.
static void name_part(const View *view, int number, char text[SCENE_BODY_NAME + 16]) {
  const Scene *scene = &view->sim->live.session.scene;
  const char *name = number >= 0 && number < scene->body_count ? scene->bodies[number].name : "";
  const bool plain = name[0] && !strpbrk(name, ",:/") && (name[0] < '0' || name[0] > '9');
  if (number == CONTACT_FLOOR)
    snprintf(text, SCENE_BODY_NAME + 16, "floor");
  else if (number < 0)
    contact_name_obstacle(number, text);
  else if (plain)
    snprintf(text, SCENE_BODY_NAME + 16, "%s", name);
  else
    snprintf(text, SCENE_BODY_NAME + 16, "%d", number);
}

void view_add_patch(View *view, const Pick *pick) {
  NUMBERS_WITH_POINT_HERE;
  const TetMesh *mesh = &view->form->mesh;
  char name[OBSERVABLE_LABEL], body[SCENE_BODY_NAME + 16];
  double X[3];
  mouse_point_at_rest(mesh, pick, X);
  int end = snprintf(name, sizeof name, "patch_displacement:%.5g/%.5g/%.5g/%.4g", X[0], X[1], X[2], view->radius);
  name_part(view, mesh_body(mesh, pick->nodes[0]), body);
  if (mesh->body) snprintf(name + end, sizeof name - (size_t)end, "/%s", body);
  if (!add_curve(view, name)) return;
  view_say(view,
           "placed a patch of radius %.3g m; the panel's tab Plots shows its displacement, and more by the button +",
           view->radius);
}

// Returns the distance, m, at which a ray enters an obstacle; INFINITY if it does not, or begins inside. reach: largest
// distance that is of interest, m. Each step goes as far as no point of the obstacle can be.
static double ray_to(const Obstacle *obstacle, const double origin[3], const double direction[3], double reach) {
  enum { STEPS = 400 };
  double at = 0, x[3], normal[3];
  for (int step = 0; step < STEPS && at < reach; step++) {
    for (int i = 0; i < 3; i++) x[i] = origin[i] + at * direction[i];
    const double distance = obstacle_distance(obstacle, x, normal);
    if (distance < 1e-5 * reach) return step == 0 ? INFINITY : at;
    at += distance;
  }
  return INFINITY;
}

// Returns the number of the body, floor or obstacle under the mouse, as BodyContact.body; INT32_MIN: there is none.
// Obstacles with the surface of a mesh are not found.
static int part_under(const View *view, const Pick *pick) {
  const SimulationSettings *s = &view->status.settings;
  const Obstacle floor = { .kind = OBSTACLE_PLANE,
                           .centre = { 0, 0, s->floor_height },
                           .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  double origin[3], direction[3], nearest = INFINITY;
  int found = INT32_MIN;
  camera_ray(&view->camera, view->cursor, view->width, view->height, origin, direction);
  if (pick->triangle >= 0) {
    found = mesh_body(&view->form->mesh, pick->nodes[0]);
    nearest = 0;
    for (int i = 0; i < 3; i++) nearest += (pick->point[i] - origin[i]) * direction[i];
  }
  for (int k = -1; k < s->obstacle_count; k++) {
    Obstacle obstacle = k < 0 ? floor : s->obstacles[k];
    if (k < 0 ? !s->has_floor : obstacle.kind == OBSTACLE_MESH) continue;
    obstacle_place(&obstacle, view->status.time);
    const double distance = ray_to(&obstacle, origin, direction, 100 * view->first_camera.radius);
    if (distance >= nearest) continue;
    nearest = distance;
    found = k < 0 ? CONTACT_FLOOR : -1 - k;
  }
  return found;
}

void view_add_pair(View *view, const Pick *pick) {
  char first[SCENE_BODY_NAME + 16], second[SCENE_BODY_NAME + 16], name[OBSERVABLE_LABEL];
  const int part = part_under(view, pick);
  if (part == INT32_MIN) {
    view_warn(view, "click a body, an obstacle or the floor");
    return;
  }
  name_part(view, part, second);
  if (!view->has_first) {
    view->has_first = true;
    view->first_part = part;
    view_say(view, "pair: %s; click the second body, or the obstacle or floor that it touches", second);
    return;
  }
  view->has_first = false;
  if (part == view->first_part || (part < 0 && view->first_part < 0)) {
    view_warn(view, "a pair is two bodies, or a body and an obstacle or the floor; click the first one again");
    return;
  }
  name_part(view, view->first_part, first);
  snprintf(name, sizeof name, "contact_force:%s/%s", first, second);
  if (!add_curve(view, name)) return;
  view_say(view, "the panel's tab Plots shows the contact force of %s on %s, and more by the button +", second, first);
}
