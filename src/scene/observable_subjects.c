// Finds the parts of the scene to which observables refer: see observable_subjects.h.
#include "scene/observable_subjects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "scene/patch.h"
#include "scene/scene_bodies.h"
#include "scene/session_script.h"

// Returns the value of a text that is a whole number of at least `low`, otherwise -1.
static int64_t whole_number(const char *text, int64_t low) {
  char *after;
  const long long number = strtoll(text, &after, 10);
  return after == text || *after || number < low ? -1 : number;
}

// Fails with a message that a mesh has no node with the number in `text`, and which numbers its nodes have.
static bool no_such_node(const TetMesh *mesh, const char *path, const char *text, Error *error) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int a = 0; a < mesh->node_count; a++) {
    const int64_t number = mesh_node_number(mesh, a);
    if (number < low) low = number;
    if (number > high) high = number;
  }
  return error_set(error, "%s: the mesh has no node %s; the numbers of its nodes are from %lld to %lld", path, text,
                   (long long)low, (long long)high);
}

bool subject_find_node(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  subject->tag = whole_number(text, 0);
  subject->is_gone = mesh_find_node(&session->mesh, subject->tag) < 0;
  if (subject->tag >= 0 && !subject->is_gone) return true;
  if (subject->tag >= 0 && mesh_find_node(&session->scene_form->mesh, subject->tag) >= 0) return true;
  return no_such_node(&session->scene_form->mesh, session->scene.path, text, error);
}

bool subject_find_pin(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  ListedPin listed;
  snprintf(subject->list, sizeof subject->list, "pins");
  for (int k = 0; scene_pin(&session->scene, k, &listed); k++) {
    subject->entry = k;
    subject->is_named = strcmp(text, listed.pin.name) == 0;
    if (subject->is_named) return true;
  }
  subject->entry = (int)fmin((double)whole_number(text, 1), INT32_MAX) - 1;
  if (subject->entry >= 0 && scene_pin(&session->scene, subject->entry, &listed)) return true;
  return error_set(error,
                   "%s: the list pins has no entry %s; give the \"name\" of an entry or its number, counted from 1",
                   session->scene.path, text);
}

bool subject_find_drag(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  const int64_t number = whole_number(text, 1);
  snprintf(subject->list, sizeof subject->list, "drags");
  for (int k = 0; k < session->scene.drag_count; k++) {
    subject->entry = k;
    subject->is_named = strcmp(text, session->scene.drags[k].name) == 0;
    if (subject->is_named) return true;
  }
  if (number < 1 || number > session->scene.drag_count)
    return error_set(
        error,
        "%s: the list drags has no entry %s; give the \"name\" of an entry or its number, counted from 1 (number of "
        "entries: %d)",
        session->scene.path, text, session->scene.drag_count);
  subject->entry = (int)number - 1;
  return true;
}

// Finds an entry of the scene's list of forces by its number, counted from 1, or by its name.
static bool find_force(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  const Scene *scene = &session->scene;
  const int64_t number = whole_number(text, 1);
  int found = number >= 1 && number <= scene->force_count ? (int)number - 1 : -1;
  snprintf(subject->list, sizeof subject->list, "forces");
  for (int k = 0; k < scene->force_count && number < 0; k++) {
    if (strcmp(text, scene->forces[k].name) != 0) continue;
    if (found >= 0)
      return error_set(error, "%s: forces entry %d and entry %d both have the name \"%s\"; give the number of an entry",
                       scene->path, found + 1, k + 1, text);
    found = k;
  }
  subject->entry = found;
  subject->is_named = number < 0;
  return found >= 0 ||
         error_set(error,
                   "%s: the list forces has no entry %s; give the \"name\" of an entry or its number, counted from 1 "
                   "(number of entries: %d)",
                   scene->path, text, scene->force_count);
}

bool subject_find_region(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  const Scene *scene = &session->scene;
  const char *slash = strchr(text, '/'), *entry = slash ? slash + 1 : "";
  ListedPin listed;
  if (strncmp(text, "pins/", 5) == 0) {
    if (!subject_find_pin(session, entry, subject, error) || !scene_pin(scene, subject->entry, &listed)) return false;
    subject->region = listed.pin.region;
  } else if (strncmp(text, "drags/", 6) == 0) {
    if (!subject_find_drag(session, entry, subject, error)) return false;
    subject->region = scene->drags[subject->entry].region;
  } else if (strncmp(text, "forces/", 7) == 0) {
    if (!find_force(session, entry, subject, error)) return false;
    subject->region = scene->forces[subject->entry].region;
  } else {
    return error_set(
        error,
        "%s: there is no region %s; expected pins/1, forces/1 or drags/1, with the number or the name of an "
        "entry",
        scene->path, text);
  }

  subject->is_gone = session_region(session, &subject->region, session->inside) == 0;
  if (!subject->is_gone) return true;
  uint8_t *before = array_new(session->scene_form->mesh.node_count, 1, "nodes", error);
  const bool had_nodes = before && scene_region(scene, &session->scene_form->mesh, &subject->region, before) > 0;
  free(before);
  return had_nodes || error_set(error, "%s: the region %s contains no node of the mesh", scene->path, text);
}

// Converts a text to a number as in BodyContact. If the text is the name or the index of a body, returns the index. If
// it is "floor", a text such as "obstacle 1", or the name of one obstacle, returns the negative number that stands for
// it. Returns INT32_MIN for other texts.
static int body_of(const Session *session, const char *text) {
  const Scene *scene = &session->scene;
  char name[SCENE_BODY_NAME + 16];
  const int64_t number = whole_number(text, 0);
  for (int k = 0; k < scene->body_count; k++) {
    scene_body_name(scene, k, name);
    if (strcmp(text, name) == 0) return k;
  }
  if (number >= 0 && number < simulation_body_count(session->simulation)) return (int)number;
  if (strcmp(text, "floor") == 0 && scene->simulation.has_floor) return CONTACT_FLOOR;
  for (int k = 1; k <= scene->simulation.obstacle_count; k++) {
    snprintf(name, sizeof name, "obstacle %d", k);
    if (strcmp(text, name) == 0) return -k;
  }
  int found = INT32_MIN;
  for (int k = 0; k < scene->simulation.obstacle_count && text[0]; k++) {
    if (strcmp(text, scene->obstacle_name[k]) != 0) continue;
    if (found != INT32_MIN) return INT32_MIN;  // two obstacles have this name
    found = -1 - k;
  }
  return found;
}

bool subject_find_pair(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  char first[OBSERVABLE_LABEL];
  const char *slash = strchr(text, '/');
  snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - text) : 0, text);
  subject->body[0] = body_of(session, first);
  subject->body[1] = slash ? body_of(session, slash + 1) : INT32_MIN;
  if (subject->body[0] != INT32_MIN && subject->body[1] != INT32_MIN) return true;
  return error_set(
      error,
      "%s: %s is not a pair of bodies or obstacles of the scene; expected A/B, each the name or number of a body, "
      "floor, \"obstacle 1\", or a name that only one obstacle has",
      session->scene.path, text);
}

bool subject_find_distance_pair(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  if (!subject_find_pair(session, text, subject, error)) return false;
  const int a = subject->body[0], b = subject->body[1], solid = a < b ? a : b;
  if (a == b || (a < 0 && b < 0))
    return error_set(error, "%s: %s has no distance; give two bodies, or a body and an obstacle", session->scene.path,
                     text);
  return solid >= 0 || solid == CONTACT_FLOOR ||
         session->scene.simulation.obstacles[-1 - solid].kind != OBSTACLE_MESH ||
         error_set(error, "%s: %s: the distance from an obstacle of the kind mesh is not computed", session->scene.path,
                   text);
}

// Reads a ball "X/Y/Z/RADIUS", or "X/Y/Z/RADIUS/BODY" with the name or the number of the body to which the patch
// belongs.
static bool read_ball(const Session *session, const char *text, Region *region, Error *error) {
  double number[4];
  char *after = NULL;
  const char *from = text;
  *region = (Region){ .has_ball = true };
  for (int i = 0; i < 3; i++) {
    region->low[i] = -HUGE_VAL;
    region->high[i] = HUGE_VAL;
  }
  for (int k = 0; k < 4; k++, from = after + 1) {
    number[k] = number_read(from, &after);
    if (after == from || !isfinite(number[k]) || (k < 3 ? *after != '/' : *after && *after != '/'))
      return error_set(error, "%s is not a patch; expected X/Y/Z/RADIUS or X/Y/Z/RADIUS/BODY, with lengths in m", text);
  }
  memcpy(region->centre, number, sizeof region->centre);
  region->radius = number[3];
  if (!(region->radius > 0)) return error_set(error, "%s: the radius of a patch must be more than 0", text);
  if (!*after) return true;
  region->of_body = true;
  region->body = body_of(session, after + 1);
  return region->body >= 0 || error_set(error, "%s: %s is no body of the scene; give the name or number of a body",
                                        session->scene.path, after + 1);
}

bool subject_find_patch(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  Patch patch;
  if (*text && strchr("+-.0123456789", *text)) {
    if (!read_ball(session, text, &subject->region, error)) return false;
  } else if (!subject_find_region(session, text, subject, error)) {
    return false;
  }
  bool ok = patch_find(&patch, &session->scene, &session->mesh, &subject->region, error);
  subject->is_gone = patch.faces.count == 0;
  if (ok && subject->is_gone) {
    patch_destroy(&patch);
    ok = patch_find(&patch, &session->scene, &session->scene_form->mesh, &subject->region, error);
  }
  if (ok && patch.faces.count == 0)
    ok = error_set(error, "%s: the patch %s contains no whole face of the surface; use a larger radius",
                   session->scene.path, text);
  patch_destroy(&patch);
  return ok;
}
