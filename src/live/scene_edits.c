// Edits of the scene of a running simulation: see scene_edits.h.
#include "live/scene_edits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scene/given_mesh.h"
#include "scene/json.h"
#include "scene/obstacle_surface.h"
#include "scene/scene_bodies.h"
#include "scene/scene_save.h"

// ---- versions and documents

// Adds a document to the list of versions, which then owns the text and must have capacity. Returns its number.
static int add_version(SceneEdits *e, char *text) {
  e->version[e->version_count] = text;
  return (int)e->version_count++;
}

static bool reserve_versions(SceneEdits *e, int more, Error *error) {
  void *items = e->version;
  const bool ok =
      array_reserve(&items, &e->version_capacity, e->version_count + more, sizeof *e->version, "the scene", error);
  e->version = items;
  return ok;
}

void scene_edits_begin(SceneEdits *e, const SimThread *sim) {
  e->base = sim->live.session.scene;
  // takes self_contact from the scene that was opened: the session switches it off if bodies intersect at the start
  e->base.simulation.self_contact = sim->scene.simulation.self_contact;
}

void scene_edits_clear(SceneEdits *e) {
  for (int64_t k = 0; k < e->version_count; k++) cJSON_free(e->version[k]);
  e->version_count = 0;
  e->shown = e->wanted = -1;
  e->refused[0] = e->changed[0] = '\0';
  e->stale = true;
}

void scene_edits_destroy(SceneEdits *e) {
  scene_edits_clear(e);
  free(e->version);
  e->version = NULL;
  e->version_capacity = 0;
}

// Returns the JSON text of the shown scene, which the caller frees by cJSON_free. The text describes the scene with
// which the simulation began, with the settings that the user has changed since then. If the scene began from a saved
// state, the text leaves this state out, because the state belongs to the bodies of the unedited scene.
static char *present_text(const SceneEdits *e, const SimStatus *status, Error *error) {
  const SimulationSettings *s = &status->settings;
  BodyConstants made[SCENE_PARTS_MAX];
  Scene *now = array_new(1, sizeof *now, "the scene", error);
  if (!now) return NULL;
  *now = e->base;
  for (int k = 0; k < now->body_count; k++) made[k] = scene_body_constants(now, k);
  options_copy_rows(simulation_options, ~options_alike(simulation_options, &e->settings, s), &now->simulation, s);

  // Take self_contact from the scene. In the settings `s` it may be off, because the session switches it off while
  // bodies intersect at the start.
  now->simulation.self_contact = e->base.simulation.self_contact;
  if (s->device != scene_device(now)) snprintf(now->device, sizeof now->device, "%s", device_name(s->device));
  now->speed = status->speed;
  now->begin[0] = '\0';
  for (int k = 0; k < now->body_count; k++) scene_body_fix(now, k, &made[k]);
  cJSON *document = scene_document(now, now->path, error);
  char *text = document ? scene_edit_text(document, error) : NULL;
  cJSON_Delete(document);
  free(now);
  return text;
}

cJSON *scene_edits_document(const SceneEdits *e, const SimStatus *now, Error *error) {
  char *text = e->wanted < 0 ? present_text(e, now, error) : NULL;
  const char *read = e->wanted < 0 ? text : e->version[e->wanted];
  cJSON *document = read ? json_parse(read, strlen(read), e->base.path, error) : NULL;
  cJSON_free(text);
  return document;
}

static cJSON *parse(const SceneEdits *e, const char *text) {
  Error ignored = { 0 };
  return json_parse(text, strlen(text), e->base.path, &ignored);
}

// Returns true if two texts describe the same document. The order of keys does not matter: an edit appends a new key,
// while present_text sorts the keys.
static bool is_same(const SceneEdits *e, const char *text, const char *other) {
  cJSON *a = parse(e, text), *b = parse(e, other);
  const bool same = a && b && cJSON_Compare(a, b, true);
  cJSON_Delete(a);
  cJSON_Delete(b);
  return same;
}

// Returns true if the scene of a document can continue the motion of the shown scene. A motion that has not begun is
// not continued, so that the edited scene is exactly the scene that its saved file would give.
static bool continues(const SceneEdits *e, const SimStatus *now, const char *text) {
  Error ignored = { 0 };
  if (now->step == 0) return false;
  char *present = present_text(e, now, &ignored);
  cJSON *before = present ? parse(e, present) : NULL, *after = parse(e, text);
  const bool result = before && after && scene_edit_continues(before, after);
  cJSON_Delete(before);
  cJSON_Delete(after);
  cJSON_free(present);
  return result;
}

// ---- lists for the user

static void find_entry(SceneEdits *e, const char *list, int index) {
  for (int k = 0; k < e->entry_count; k++)
    if (strcmp(e->entry[k].list, list) == 0 && e->entry[k].index == index) e->selected = k;
}

bool scene_edits_select(SceneEdits *e, const char *list, int index) {
  const int before = e->selected;
  find_entry(e, list, index);
  if (e->selected != before) {
    e->refused[0] = '\0';
    e->stale = true;
  }
  const SceneEntry *entry = &e->entry[e->selected];
  return e->entry_count > 0 && strcmp(entry->list, list) == 0 && entry->index == index;
}

void scene_edits_list(SceneEdits *e, const cJSON *document) {
  const SceneEntry before = e->entry[e->selected];
  e->entry_count = scene_edit_list(document, e->entry);
  if (e->selected >= e->entry_count) e->selected = e->entry_count - 1;
  if (before.list) find_entry(e, before.list, before.index);
  e->field_count = scene_edit_fields(document, &e->entry[e->selected], e->field);
}

void scene_edits_refuse(SceneEdits *e, const char *reason) {
  memcpy(e->refused, e->changed, sizeof e->refused);
  snprintf(e->reason, sizeof e->reason, "%.390s", reason);
  e->stale = true;
}

// ---- building an edited scene

void scene_edits_drop(const SceneEdits *e, const EditedSim *shown) {
  Error ignored = { 0 };
  if (*shown->next) sim_thread_stop(*shown->next, &ignored);
  *shown->next = NULL;
  if (shown->sim) sim_thread_keep(shown->sim, e->paused);
}

// Begins to build the scene of a document in place of the shown one. Fails if this is no valid scene.
static bool build(SceneEdits *e, const EditedSim *shown, const char *text, Error *error) {
  Scene *scene = array_new(1, sizeof *scene, "the scene", error);
  bool ok = scene && scene_edit_read(scene, text, e->base.path, error);
  if (ok && *shown->next)
    scene_edits_drop(e, shown);  // the scene of the previous edit, which is still being built
  else if (ok)
    e->paused = shown->now->paused;
  if (ok) e->continues = continues(e, shown->now, text);
  // an edited scene has no log (scene_edits_obstruction)
  if (ok) *shown->next = sim_thread_start(scene, true, "", "", shown->sim->state, error);
  free(scene);
  return ok && *shown->next;
}

const char *scene_edits_obstruction(const SceneEdits *e, const EditedSim *shown, bool built) {
  if (shown->sim->replay.file) return "a replay cannot be edited";
  if (shown->sim->log[0])
    return "a log (--log) cannot contain edits of the scene; edit and save without --log, then log the saved scene";
  if (*shown->next && e->wanted < 0) return "the previous file is still being opened; try again";
  if (*shown->next && (e->step != 0 || built)) return "the scene is still being built; try again";
  return NULL;
}

// Begins to build the scene of an edited document.
static bool open_edited(SceneEdits *e, const EditedSim *shown, const cJSON *document, Error *error) {
  const bool again = e->wanted >= 0;  // the scene of the previous edit is still being built
  char *before = again ? NULL : present_text(e, shown->now, error), *text = scene_edit_text(document, error);
  const bool ok = text && (before || again) && reserve_versions(e, 2, error) && build(e, shown, text, error);
  if (ok && !again) {
    const bool known = e->shown >= 0 && is_same(e, e->version[e->shown], before);
    e->from = known ? e->shown : add_version(e, before);
    e->first = (int)e->version_count;
    if (!known) before = NULL;
  }
  if (ok) {
    e->wanted = add_version(e, text);
    e->step = 0;
    e->refused[0] = '\0';
    text = NULL;
  } else if (!*shown->next) {
    e->wanted = -1;
  }
  cJSON_free(before);
  cJSON_free(text);
  return ok;
}

bool scene_edits_return(SceneEdits *e, const EditedSim *shown, int version, int step, Error *error) {
  e->changed[0] = e->deleted[0] = '\0';
  e->stale = true;
  const char *why = scene_edits_obstruction(e, shown, false);
  if (why) error_set(error, "%s", why);
  if (why || !build(e, shown, e->version[version], error)) {
    scene_edits_refuse(e, error->message);
    return false;
  }
  e->wanted = version;
  e->step = step;
  e->refused[0] = '\0';
  return true;
}

// ---- edits

void scene_edits_space(const SceneEdits *e, const SimThread *sim, SceneSpace *space) {
  scene_space(&e->base, &sim->live.session.scene_form->mesh, space);
}

// Returns the index of the selected body; 0 if no body is selected.
static int selected_body(const SceneEdits *e) {
  const SceneEntry *entry = &e->entry[e->selected];
  return strcmp(entry->list, "bodies") == 0 ? entry->index : 0;
}

// Adds a body with the mesh of a file to a document. The mesh is read for its bounding box.
static bool add_mesh(const Scene *scene, cJSON *document, const char *path, const SceneSpace *space, SceneEntry *added,
                     Error *error) {
  TetMesh mesh = { 0 };
  double low[3], high[3];
  const bool ok = scene_mesh_read(scene, path, scene->simulation.degree, &mesh, error);
  if (ok) mesh_bounds(&mesh, low, high);
  mesh_destroy(&mesh);
  return ok && scene_edit_add_mesh(document, path, low, high, space, added, error);
}

// Adds an obstacle with the surface of a file to a document. The surface is read for its bounding box.
static bool add_obstacle(cJSON *document, const char *path, const SceneSpace *space, SceneEntry *added, Error *error) {
  ObstacleSurface *surface = NULL;
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  const bool ok = obstacle_surface_read(path, &surface, error);
  for (int a = 0; ok && a < surface->vertex_count; a++)
    for (int i = 0; i < 3; i++) {
      low[i] = fmin(low[i], surface->X[a][i]);
      high[i] = fmax(high[i], surface->X[a][i]);
    }
  obstacle_surface_destroy(surface);
  return ok && scene_edit_add_obstacle(document, path, low, high, space, added, error);
}

static bool remove_selected(SceneEdits *e, cJSON *document, Error *error) {
  int more = 0;
  if (!scene_edit_remove(document, &e->entry[e->selected], &more, error)) return false;
  if (more > 0)
    snprintf(e->deleted, sizeof e->deleted, ". %d entr%s to this body, so %s deleted too", more,
             more == 1 ? "y refers" : "ies refer", more == 1 ? "it was" : "they were");
  return true;
}

// Transforms the selected entry. If it is the scene's mesh, this mesh becomes a body, which *added then receives.
static bool transform_selected(const SceneEdits *e, cJSON *document, const Transform *transform, SceneEntry *added,
                               Error *error) {
  const SceneEntry *before = &e->entry[e->selected];
  const SceneEntry entry = scene_edit_body_of_mesh(document, before);
  if (entry.list != before->list) *added = entry;
  return scene_edit_transform(document, &entry, transform, error);
}

// Applies an edit to a document. *added receives the entry that must be selected, if the edit makes one.
static bool apply(SceneEdits *e, const SimThread *sim, cJSON *document, const SceneEdit *edit, SceneEntry *added,
                  Error *error) {
  const SceneEntry *entry = &e->entry[e->selected];
  SceneSpace space;
  scene_edits_space(e, sim, &space);
  switch (edit->kind) {
    case EDIT_ADD:
      return scene_edit_add(document, edit->added, selected_body(e), &space, added, error);
    case EDIT_ADD_MESH:
      return add_mesh(&e->base, document, edit->text, &space, added, error);
    case EDIT_ADD_OBSTACLE:
      return add_obstacle(document, edit->text, &space, added, error);
    case EDIT_COPY:
      return scene_edit_copy(document, entry, &space, added, error);
    case EDIT_REMOVE:
      return remove_selected(e, document, error);
    case EDIT_SET:
      return scene_edit_set(document, entry, edit->key, edit->text, error);
    case EDIT_TRANSFORM:
      return transform_selected(e, document, &edit->transform, added, error);
  }
  return true;
}

bool scene_edits_make(SceneEdits *e, const EditedSim *shown, const SceneEdit *edit, Error *error) {
  SceneEntry added = { 0 };

  // new bodies are placed next to the bodies of the shown scene, so this scene must have all earlier edits
  const bool grows = edit->kind <= EDIT_COPY;
  const char *why = scene_edits_obstruction(e, shown, grows);
  snprintf(e->changed, sizeof e->changed, "%s", edit->kind == EDIT_SET ? edit->key : "");
  e->deleted[0] = '\0';
  e->stale = true;
  if (why) error_set(error, "%s", why);
  cJSON *document = why ? NULL : scene_edits_document(e, shown->now, error);
  const bool ok =
      document && apply(e, shown->sim, document, edit, &added, error) && open_edited(e, shown, document, error);
  if (!ok) scene_edits_refuse(e, error->message);
  if (ok && added.list) {
    scene_edits_list(e, document);
    find_entry(e, added.list, added.index);
  }
  cJSON_Delete(document);
  return ok;
}

// ---- the exchange of simulations

HandOverStage scene_edits_hand_over(SceneEdits *e, const EditedSim *shown, Error *error) {
  Error why = { 0 };
  bool given;
  if (e->wanted < 0 || !e->continues) return HAND_OVER_DONE;
  const HandOverStage stage = sim_thread_hand_over(shown->sim, *shown->next, e->paused, &given, &why);
  if (stage != HAND_OVER_REFUSED) return stage;
  if (!given) {  // for example because the body was cut: the edited scene begins at its start
    e->continues = false;
    return HAND_OVER_DONE;
  }

  // the new simulation has refused the motion, so the shown one goes on
  scene_edits_drop(e, shown);
  error_set(error, "%.320s; to edit the scene at its start, press R first", why.message);
  return HAND_OVER_REFUSED;
}

void scene_edits_shown(SceneEdits *e, char *text, size_t size) {
  e->shown = e->wanted;
  e->wanted = -1;
  e->stale = true;
  if (e->continues)
    snprintf(text, size, "scene edited; the motion continues%s", e->paused ? " when you press the space bar" : "");
  else
    snprintf(text, size, "scene edited and paused at its start; press the space bar to run it%s", e->deleted);
  e->deleted[0] = '\0';
}
