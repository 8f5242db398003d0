// Saves a session as a scene: see scene_save.h.
#include "scene/scene_save.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/log.h"
#include "base/number.h"
#include "scene/cut_body.h"
#include "scene/given_mesh.h"
#include "scene/json_file.h"
#include "scene/scene_fields.h"
#include "scene/session_state.h"
#include "sim/element/moduli.h"

// Sets `state` to the path of the file with the initial state: "a.state" for the scene file "a.json".
static bool state_path(const char *path, char state[SCENE_PATH_LENGTH], Error *error) {
  if (!path_ends_with(path, ".json")) return error_set(error, "%s: the name of a scene file must end in .json", path);
  if (strlen(path) + 2 > SCENE_PATH_LENGTH) return error_set(error, "%.100s...: the path is too long", path);
  snprintf(state, SCENE_PATH_LENGTH, "%.*s.state", (int)strlen(path) - 5, path);
  return true;
}

bool scene_save_check(const char *path, Error *error) {
  char state[SCENE_PATH_LENGTH];
  return state_path(path, state, error) && atomic_file_check(path, error) && atomic_file_check(state, error);
}

// Returns the part of `path` after `folder`, or NULL if it is not below the folder. Both are absolute.
static const char *below(const char *path, const char *folder) {
  const size_t length = strlen(folder);
  if (!length || strncmp(path, folder, length) != 0) return NULL;
  if (folder[length - 1] == '/') return path + length;
  return path[length] == '/' ? path + length + 1 : NULL;
}

// Replaces the path `mesh` of a mesh by the path that is written into a scene file saved at `path`. This is a relative
// path if the mesh is below the folder of the scene file or below the folder of the shipped files, otherwise an
// absolute one. A mesh in memory is written to a file first.
static bool name_mesh(const Scene *now, char mesh[SCENE_PATH_LENGTH], const char *path, Error *error) {
  if (!mesh[0]) return true;
  if (given_mesh_is_named(mesh) && !given_mesh_write(now, path, mesh, error)) return false;
  char folder[SCENE_PATH_LENGTH], shipped[SCENE_PATH_LENGTH];
  const char *slash = strrchr(path, '/'), *name = NULL;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
  asset_path("", shipped);
  char *whole = realpath(mesh, NULL), *beside = realpath(folder, NULL), *assets = realpath(shipped, NULL);
  if (whole && beside) name = below(whole, beside);
  if (whole && assets && !name) name = below(whole, assets);
  if (whole && !name) name = whole;
  bool ok = whole || error_set(error, "%s: %s", mesh, strerror(errno));
  if (ok && strlen(name) >= SCENE_PATH_LENGTH) ok = error_set(error, "%s: the mesh's path is too long", path);
  if (ok) memmove(mesh, name, strlen(name) + 1);
  free(whole);
  free(beside);
  free(assets);
  return ok;
}

// Replaces the paths of all files that a scene names by those to write into the scene file `path` (name_mesh).
static bool name_files(Scene *now, const char *path, Error *error) {
  const bool reads_fields = scene_has_initial_fields(now);
  bool ok = name_mesh(now, now->mesh, path, error) && name_mesh(now, now->stiffness_file, path, error) &&
            (!reads_fields || name_mesh(now, now->initial_file, path, error));
  if (ok && scene_has_environment(now)) ok = name_mesh(now, now->environment, path, error);
  for (int k = 0; ok && k < now->body_count; k++) ok = name_mesh(now, now->bodies[k].mesh, path, error);
  for (int k = 0; ok && k < now->simulation.obstacle_count; k++)
    ok = name_mesh(now, now->obstacle_mesh[k], path, error);
  return ok;
}

// Returns true if the user gave young and poisson, and mu and lambda are still exactly the values that follow from
// them.
static bool has_young(const Scene *scene) {
  const double mu = lame_mu(scene->young, scene->poisson), lambda = lame_lambda(scene->young, scene->poisson);
  return scene->by_young && mu == scene->simulation.mu && lambda == scene->simulation.lambda;
}

// Returns true if a saved scene must contain an option, because its value is not the default. The saved scene has young
// and poisson if the user gave these, otherwise mu and lambda.
static bool counts(const Scene *scene, const Option *o, const cJSON *value, const cJSON *by_default) {
  const bool as_young = has_young(scene), young = o->applies == APPLIES_AS_OTHERS;
  const bool modulus = strcmp(o->key, "mu") == 0 || strcmp(o->key, "lambda") == 0;
  if (!value || (young && !as_young) || (modulus && as_young)) return false;
  if (strcmp(o->key, "self_contact") == 0) return scene->contact_given;
  if (strcmp(o->key, "friction_sticks") == 0) return scene->sticks_given;
  return young || !cJSON_Compare(value, by_default, true);
}

static cJSON *print_scene(const Scene *scene, Error *error) {
  cJSON *object = cJSON_CreateObject();
  Scene *defaults = array_new(1, sizeof *defaults, "the scene", error);
  if (defaults) scene_defaults(defaults);
  for (const Option *o = scene_options; defaults && object && o->key; o++) {
    cJSON *value = option_json(o, scene), *by_default = option_json(o, defaults);
    if (counts(scene, o, value, by_default))
      json_put(object, o->key, value);
    else
      cJSON_Delete(value);
    cJSON_Delete(by_default);
  }
  free(defaults);
  if (json_is_whole(error) && object && !error->message[0]) return object;
  error_set(error, "out of memory: cannot store the scene; close other programs");
  cJSON_Delete(object);
  return NULL;
}

cJSON *scene_document(Scene *scene, const char *path, Error *error) {
  cJSON *object = name_files(scene, path, error) ? print_scene(scene, error) : NULL;
  if (object) json_shorten(object);
  return object;
}

// Removes the cuts up to time `until`, s. They need not be repeated: the faces that they have opened are already part
// of the mesh.
static void drop_past_cuts(Scene *now, double until) {
  int kept = 0;
  for (int k = 0; k < now->cut_count; k++)
    if (now->cuts[k].time > until) now->cuts[kept++] = now->cuts[k];
  now->cut_count = kept;
}

// Returns a scene that begins in the session's present state. The caller frees the scene. If the body was cut, writes
// its mesh files and describes them in *cut.
static Scene *scene_now(Session *session, const Scene *appearance, const char *path, const char *state, CutBody *cut,
                        Error *error) {
  const SimulationSettings *s = simulation_settings(session->simulation);
  Scene *now = array_new(1, sizeof *now, "the scene", error);
  if (!now) return NULL;
  *now = session->scene;
  options_copy(simulation_options, APPLIES_LIVE, &now->simulation, s);

  // Self-contact is off after a cut. With intersecting initial surfaces, it is off only until the intersections have
  // ended, and the saved scene shall have it.
  now->simulation.self_contact = s->self_contact;
  if (session->crossing_marks) now->simulation.self_contact = true;
  now->contact_given = now->simulation.self_contact || scene_surfaces_can_meet(now);
  now->sticks_given = now->simulation.self_contact;
  now->simulation.cg_relative = s->cg_relative;

  // saves the name of the device, unless the setting "auto" would choose this device
  if (s->device != scene_device(now)) snprintf(now->device, sizeof now->device, "%s", device_name(s->device));

  // takes style, speed, mouse stiffness and camera from `appearance`
  now->style = appearance->style;
  now->speed = appearance->speed;
  now->mouse_stiffness = appearance->mouse_stiffness;
  now->mouse_radius = appearance->mouse_radius;
  now->camera = appearance->camera;
  now->views = appearance->views;

  // stores the names of the initial state and of the mesh files, and keeps only cuts that are still to come
  const char *slash = strrchr(state, '/');
  snprintf(now->begin, sizeof now->begin, "%s", slash ? slash + 1 : state);
  now->displacement_field[0] = now->velocity_field[0] = 0;  // twist and initial fields are part of the saved state
  now->twist = 0;
  drop_past_cuts(now, session->cut_until);
  for (int k = 0; k < now->body_count; k++) scene_body_fix(now, k, &session->body_constants[k]);
  if (session->form == session->scene_form || cut_body_write(cut, session, now, path, error)) return now;
  free(now);
  return NULL;
}

bool scene_save(Session *session, const Scene *appearance, const char *path, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  char state[SCENE_PATH_LENGTH];
  AtomicFile files[2] = { 0 };
  CutBody cut = { 0 };
  const SavedBody *saved = session->form == session->scene_form ? NULL : &cut.body;
  cJSON *object = NULL;
  char *text = NULL;

  // converts the scene to text
  bool ok = state_path(path, state, error);
  Scene *now = ok ? scene_now(session, appearance, path, state, &cut, error) : NULL;
  ok = now && (object = scene_document(now, path, error)) != NULL;
  text = ok ? cJSON_Print(object) : NULL;
  if (ok && !text) ok = error_set(error, "out of memory: cannot store the scene; close other programs");

  // writes the files of the scene and the state; either both appear or none
  ok = ok && atomic_file_open(&files[0], path, error) && atomic_file_open(&files[1], state, error);
  if (ok) fprintf(files[0].stream, "%s\n", text);  // atomic_file_commit_pair reports a failed write
  ok = ok && session_state_seal(session, saved, files[1].stream, error) &&
       atomic_file_commit_pair(&files[0], &files[1], error);
  if (ok && cut.left_out[0])
    log_notice("%s: key \"curves\" leaves out %.600s: the cut body has no such node, entry or patch", path,
               cut.left_out);

  atomic_file_close(&files[0]);
  atomic_file_close(&files[1]);
  cut_body_close(&cut, ok || files[0].named);
  cJSON_free(text);
  cJSON_Delete(object);
  free(now);
  return ok || error_about(error, path);
}
