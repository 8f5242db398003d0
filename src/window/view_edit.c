// The scene editor (tab Scene of the panel): see view.h. An edit changes the JSON document of the scene, and opens the
// scene of the changed document in place of the shown one, paused in its initial state. So an edited scene is exactly
// the scene that its saved file would give. If the body has moved, and the edit changes neither meshes nor the initial
// state, the edited scene continues the motion instead. Undo opens the document that was open before the edit.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/fill_surface.h"
#include "scene/entry_box.h"
#include "scene/given_mesh.h"
#include "scene/json.h"
#include "scene/obstacle_surface.h"
#include "scene/scene_bodies.h"
#include "scene/scene_save.h"
#include "sim/contact/contact.h"
#include "window/view.h"

static_assert((int)HUD_ENTRIES_MAX >= (int)SCENE_ENTRIES_MAX && (int)HUD_FIELDS_MAX >= (int)SCENE_FIELDS_MAX &&
                  sizeof((HudField *)0)->text == sizeof((SceneField *)0)->text &&
                  sizeof((HudField *)0)->key == sizeof((SceneField *)0)->key &&
                  sizeof *((HudEditor *)0)->entry == sizeof((SceneEntry *)0)->label &&
                  sizeof *((HudEditor *)0)->name == sizeof((SceneEntry *)0)->name &&
                  (int)HUD_HANDLES == (int)TRANSFORM_KINDS,
              "the panel's lists must have the sizes of the lists of scene_edit.h");

// Adds a document to the list of versions, which then owns the text and must have capacity. Returns its number.
static int add_version(Editor *e, char *text) {
  e->version[e->version_count] = text;
  return (int)e->version_count++;
}

static bool reserve_versions(Editor *e, int more, Error *error) {
  void *items = e->version;
  const bool ok =
      array_reserve(&items, &e->version_capacity, e->version_count + more, sizeof *e->version, "the scene", error);
  e->version = items;
  return ok;
}

// Returns the JSON text of the shown scene, which the caller frees by cJSON_free. The text describes the scene with
// which the simulation began, with the settings that the user has changed since then. If the scene began from a saved
// state, the text leaves this state out, because the state belongs to the bodies of the unedited scene.
static char *present_text(View *view, Error *error) {
  const Editor *e = &view->editor;
  const SimulationSettings *s = &view->status.settings;
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
  now->speed = view->status.speed;
  now->begin[0] = '\0';
  for (int k = 0; k < now->body_count; k++) scene_body_fix(now, k, &made[k]);
  cJSON *document = scene_document(now, now->path, error);
  char *text = document ? scene_edit_text(document, error) : NULL;
  cJSON_Delete(document);
  free(now);
  return text;
}

// Returns the JSON document that the tab Scene lists and that the next edit changes. It describes the scene that is
// being built, if there is one; otherwise the shown scene. The caller deletes it.
static cJSON *document_of(View *view, Error *error) {
  const Editor *e = &view->editor;
  char *text = e->wanted < 0 ? present_text(view, error) : NULL;
  const char *read = e->wanted < 0 ? text : e->version[e->wanted];
  cJSON *document = read ? json_parse(read, strlen(read), e->base.path, error) : NULL;
  cJSON_free(text);
  return document;
}

static cJSON *parse(const View *view, const char *text) {
  Error ignored = { 0 };
  return json_parse(text, strlen(text), view->editor.base.path, &ignored);
}

// Returns true if two texts describe the same document. The order of keys does not matter: an edit appends a new key,
// while present_text sorts the keys.
static bool is_same(const View *view, const char *text, const char *other) {
  cJSON *a = parse(view, text), *b = parse(view, other);
  const bool same = a && b && cJSON_Compare(a, b, true);
  cJSON_Delete(a);
  cJSON_Delete(b);
  return same;
}

// Returns true if the scene of a document can continue the motion of the shown scene. A motion that has not begun is
// not continued, so that the edited scene is exactly the scene that its saved file would give.
static bool continues(View *view, const char *text) {
  Error ignored = { 0 };
  if (view->status.step == 0) return false;
  char *present = present_text(view, &ignored);
  cJSON *before = present ? parse(view, present) : NULL, *after = parse(view, text);
  const bool result = before && after && scene_edit_continues(before, after);
  cJSON_Delete(before);
  cJSON_Delete(after);
  cJSON_free(present);
  return result;
}

// Begins to build the scene of a document in place of the shown one.
static bool build(View *view, const char *text, Error *error) {
  Scene *scene = array_new(1, sizeof *scene, "the scene", error);
  bool ok = scene && scene_edit_read(scene, text, view->editor.base.path, error);
  if (ok && view->next)
    view_drop_next(view);  // the scene of the previous edit, which is still being built
  else if (ok)
    view->editor.paused = view->status.paused;
  if (ok) view->editor.continues = continues(view, text);
  ok = ok && view_begin(view, scene, true, "", error);
  free(scene);
  return ok;
}

// Returns the reason why the scene cannot be edited now; NULL: it can be.
static const char *obstruction(const View *view) {
  if (!view->has_positions) return "the scene is still being built; try again";
  if (view->sim->replay.file) return "a replay cannot be edited";
  if (view->options->log[0])
    return "a log (--log) cannot contain edits of the scene; edit and save without --log, then log the saved scene";
  if (view->next && view->editor.wanted < 0) return "the previous file is still being opened; try again";
  if (view->next && view->editor.step != 0) return "the scene is still being built; try again";
  return NULL;
}

// Opens the scene of an edited document. On an error shows a message, and the present scene stays open.
static void open_edited(View *view, const cJSON *document) {
  Editor *e = &view->editor;
  Error error = { 0 };
  const bool again = e->wanted >= 0;  // the scene of the previous edit is still being built
  char *before = again ? NULL : present_text(view, &error), *text = scene_edit_text(document, &error);
  const bool ok = text && (before || again) && reserve_versions(e, 2, &error) && build(view, text, &error);
  if (ok && !again) {
    const bool known = e->shown >= 0 && is_same(view, e->version[e->shown], before);
    e->from = known ? e->shown : add_version(e, before);
    e->first = (int)e->version_count;
    if (!known) before = NULL;
  }
  if (ok) {
    e->wanted = add_version(e, text);
    e->step = 0;
    e->refused[0] = '\0';
    text = NULL;
  } else {
    if (!view->next) e->wanted = -1;
    view_refuse_edit(view, error.message);
  }
  e->stale = true;
  cJSON_free(before);
  cJSON_free(text);
}

void view_open_asked(View *view) {
  Editor *e = &view->editor;
  const int version = e->asked;
  Error error = { 0 };
  e->asked = -1;
  if (version < 0) return;
  e->changed[0] = e->deleted[0] = '\0';
  const char *why = obstruction(view);
  if (why || !build(view, e->version[version], &error)) {
    view_refuse_edit(view, why ? why : error.message);
    return;
  }
  e->wanted = version;
  e->step = e->asked_step;
  e->stale = true;
}

// ---- actions in the tab

// Returns the index of the selected body; 0 if no body is selected.
static int selected_body(const Editor *e) {
  const SceneEntry *entry = &e->entry[e->selected];
  return strcmp(entry->list, "bodies") == 0 ? entry->index : 0;
}

static void space_of(const View *view, SceneSpace *space) {
  const Session *session = &view->sim->live.session;
  scene_space(&view->editor.base, &session->scene_form->mesh, space);
}

static void select_entry(Editor *e, const SceneEntry *entry) {
  for (int k = 0; k < e->entry_count; k++)
    if (strcmp(e->entry[k].list, entry->list) == 0 && e->entry[k].index == entry->index) e->selected = k;
}

void view_select_entry(View *view, const char *list, int index) {
  Editor *e = &view->editor;
  const int before = e->selected;
  select_entry(e, &(SceneEntry){ .list = list, .index = index });
  if (e->selected == before) return;
  e->refused[0] = '\0';
  view->panel.editor.moved = e->stale = true;
}

// Applies the edit that the user has made in the tab to a document. Returns false with an error if the edit is not
// possible. *added receives the entry that the tab must select, if the edit adds one.
static bool edit(View *view, cJSON *document, const SceneSpace *space, SceneEntry *added, Error *error) {
  Editor *e = &view->editor;
  const HudEditor *h = &view->panel.editor;
  const SceneEntry *entry = &e->entry[e->selected];
  int more = 0;
  if (h->add >= 0) return scene_edit_add(document, h->add, selected_body(e), space, added, error);
  if (h->duplicate) return scene_edit_copy(document, entry, space, added, error);
  if (h->renamed >= 0) return scene_edit_set(document, entry, "name", h->new_name, error);
  if (h->changed >= 0) {
    const HudField *f = &h->field[h->changed];
    return scene_edit_set(document, entry, f->key, f->text, error);
  }
  if (!scene_edit_remove(document, entry, &more, error)) return false;
  if (more > 0)
    snprintf(e->deleted, sizeof e->deleted, ". %d entr%s to this body, so %s deleted too", more,
             more == 1 ? "y refers" : "ies refer", more == 1 ? "it was" : "they were");
  return true;
}

// Adds a body with the mesh of a file to a document. The mesh is read for its bounding box.
static bool add_mesh(View *view, cJSON *document, const char *path, const SceneSpace *space, SceneEntry *added,
                     Error *error) {
  const Scene *scene = &view->editor.base;
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
    for (int i = 0; i < 3; i++) low[i] = fmin(low[i], surface->X[a][i]), high[i] = fmax(high[i], surface->X[a][i]);
  obstacle_surface_destroy(surface);
  return ok && scene_edit_add_obstacle(document, path, low, high, space, added, error);
}

// Finds the kinds of handles by which the selected entry can be changed, and the position of the handles. If the entry
// is the scene's mesh, its handles are those of the body that a change makes of it.
static void locate_selected(View *view, const cJSON *document) {
  Editor *e = &view->editor;
  Handles *h = &e->handles;
  const SceneEntry *entry = &e->entry[e->selected];
  SceneSpace space;
  space_of(view, &space);
  cJSON *copy = cJSON_Duplicate(document, true);
  const SceneEntry body = scene_edit_body_of_mesh(copy, entry);
  const bool placed = scene_edit_position(copy, &body, h->position) &&
                      entry_box(document, entry, &space, &view->status.settings, h->corner);
  for (int k = 0; k < TRANSFORM_KINDS; k++)
    h->usable[k] = view->panel.editor.usable[k] = placed && scene_edit_can(copy, &body, (TransformKind)k);
  h->stretches = scene_edit_axes(copy, &body, h->local);
  cJSON_Delete(copy);
  // opposite corners of the box have the numbers 0 and 7
  for (int i = 0; i < 3; i++) h->centre[i] = (h->corner[0][i] + h->corner[7][i]) / 2;
}

// Lists entries and keys of the document in the panel.
static void list_document(View *view, const cJSON *document) {
  Editor *e = &view->editor;
  HudEditor *h = &view->panel.editor;
  SceneField *field = e->field;
  const SceneEntry before = e->entry[e->selected];
  e->entry_count = scene_edit_list(document, e->entry);
  if (e->selected >= e->entry_count) e->selected = e->entry_count - 1;
  if (before.list) select_entry(e, &before);
  h->entry_count = e->entry_count;
  for (int k = 0; k < e->entry_count; k++) {
    memcpy(h->entry[k], e->entry[k].label, sizeof *h->entry);
    memcpy(h->name[k], e->entry[k].name, sizeof *h->name);
    h->nameable[k] = e->entry[k].list[0] && strcmp(e->entry[k].list, "mesh") != 0;
  }
  h->selected = e->selected;
  locate_selected(view, document);
  h->field_count = scene_edit_fields(document, &e->entry[e->selected], field);
  for (int k = 0; k < h->field_count; k++) {
    HudField *shown = &h->field[k];
    memcpy(shown->key, field[k].key, sizeof shown->key);
    memcpy(shown->text, field[k].text, sizeof shown->text);
    shown->option = field[k].row;
  }
}

// Selects the new entry of a document in the panel, although the changed scene is still being built.
static void show_added(View *view, const cJSON *document, const SceneEntry *added) {
  list_document(view, document);
  select_entry(&view->editor, added);
  view->panel.editor.moved = true;
}

// Applies the user's edit in the tab Scene to the document, and opens the edited scene. If `file` is not NULL, instead
// adds an obstacle with the surface of this file, or a body with its mesh.
static void edit_document(View *view, const char *file, bool obstacle) {
  Editor *e = &view->editor;
  Error error = { 0 };
  SceneEntry added = { 0 };
  SceneSpace space;
  const HudEditor *h = &view->panel.editor;
  const bool grows = h->add >= 0 || h->duplicate || file;
  const char *why = obstruction(view);
  const char *changed = h->renamed >= 0 ? "name" : h->changed >= 0 ? h->field[h->changed].key : "";
  snprintf(e->changed, sizeof e->changed, "%s", changed);
  e->deleted[0] = '\0';
  // new bodies are placed next to the bodies of the shown scene, so this scene must have all earlier edits
  if (!why && grows && e->wanted >= 0) why = "the scene is still being built; try again";
  if (why) {
    view_refuse_edit(view, why);
    return;
  }
  cJSON *document = document_of(view, &error);
  bool ok = document != NULL;
  if (ok && grows) space_of(view, &space);
  if (ok && file)
    ok = obstacle ? add_obstacle(document, file, &space, &added, &error)
                  : add_mesh(view, document, file, &space, &added, &error);
  else
    ok = ok && edit(view, document, &space, &added, &error);
  if (ok)
    open_edited(view, document);
  else
    view_refuse_edit(view, error.message);
  if (ok && e->wanted >= 0 && added.list) show_added(view, document, &added);
  cJSON_Delete(document);
}

void view_transform_selected(View *view, const Transform *transform) {
  Editor *e = &view->editor;
  Error error = { 0 };
  const char *why = obstruction(view);
  cJSON *document = why ? NULL : document_of(view, &error);
  e->changed[0] = e->deleted[0] = '\0';
  const SceneEntry before = e->entry[e->selected];
  const SceneEntry entry = document ? scene_edit_body_of_mesh(document, &before) : before;
  if (document && scene_edit_transform(document, &entry, transform, &error))
    open_edited(view, document);
  else
    view_refuse_edit(view, why ? why : error.message);
  if (e->wanted >= 0 && entry.list != before.list) show_added(view, document, &entry);
  cJSON_Delete(document);
}

// Returns the distance from the floor, m, at which bodies are placed on it. With self-contact, a body must not touch
// the floor at the start; at this distance it is not pushed yet.
static double gap_above_floor(const View *view, const SceneSpace *space) {
  const SimulationSettings *s = &view->status.settings;
  const Form *form = view->sim->live.session.scene_form;
  double square = 0;
  if (!s->self_contact) return 0;
  if (s->contact_distance > 0) return s->contact_distance;
  for (int i = 0; i < 3; i++) square += (space->high[i] - space->low[i]) * (space->high[i] - space->low[i]);
  return contact_default_reach(surface_mean_edge(&form->surface, (const double(*)[3])form->mesh.X), sqrt(square));
}

void view_place_on_floor(View *view) {
  Editor *e = &view->editor;
  const SceneEntry *entry = &e->entry[e->selected];
  const SimulationSettings *s = &view->status.settings;
  Error error = { 0 };
  SceneSpace space;
  double lowest;
  if (!view_edits(view)) return;
  e->changed[0] = e->deleted[0] = '\0';
  const char *why = obstruction(view);
  // the entry's lowest point is found in the shown scene, so this scene must have all earlier edits
  if (!why && e->wanted >= 0) why = "the scene is still being built; try again";
  cJSON *document = why ? NULL : document_of(view, &error);
  if (document) space_of(view, &space);
  const bool found = document && entry_lowest(document, entry, &space, s, &lowest, &error);
  cJSON_Delete(document);
  if (!found) {
    view_refuse_edit(view, why ? why : error.message);
    return;
  }

  const double floor = s->has_floor ? s->floor_height : 0;
  const double above = strcmp(entry->list, "obstacles") == 0 ? 0 : gap_above_floor(view, &space);
  const Transform lift = { TRANSFORM_MOVE, .axis = 2, .amount = floor + above - lowest };
  // positions have nine digits, so a smaller distance cannot be corrected
  const double size = fmax(fabs(space.high[2]), fabs(space.low[2]));
  if (fabs(lift.amount) > 1e-8 * size)
    view_transform_selected(view, &lift);
  else
    view_say(view, "the selected entry is on the floor already");
}

// Copies or deletes the selected entry, by a command of the palette or a key.
static void act_on_selected(View *view, bool duplicate) {
  HudEditor *h = &view->panel.editor;
  if (!view_edits(view)) return;
  hud_editor_forget(h);
  h->duplicate = duplicate;
  h->remove = !duplicate;
  edit_document(view, NULL, false);
}

void view_duplicate_entry(View *view) {
  act_on_selected(view, true);
}

void view_delete_entry(View *view) {
  act_on_selected(view, false);
}

void view_rename_entry(View *view) {
  if (view_edits(view)) view->panel.editor.renames = true;
}

void view_add_mesh(View *view, const char *path) {
  if (fill_surface_reads(path)) {
    view_fill_surface(view, path, view_add_mesh);
    return;
  }
  hud_editor_forget(&view->panel.editor);
  edit_document(view, path, false);
}

void view_add_obstacle(View *view, const char *path) {
  hud_editor_forget(&view->panel.editor);
  edit_document(view, path, true);
}

void view_new_scene(View *view) {
  char path[SCENE_PATH_LENGTH];
  if (view->next) {
    view_warn(view, "the previous file is still being opened; try again");
    return;
  }
  asset_path("scenes/new.json", path);
  view_open_paused(view, path);
}

void view_fill_editor(View *view) {
  Editor *e = &view->editor;
  HudEditor *h = &view->panel.editor;
  Error error = { 0 };
  h->kinds = scene_edit_kinds();
  h->handles = (int)e->handles.kind;
  for (int k = 0; k < e->entry_count; k++) h->hideable[k] = view_hides_entry(view, k, &h->hidden[k]);
  h->refused = e->refused;
  h->reason = e->reason;
  if (!e->stale || !view->has_positions) return;
  e->stale = false;
  view->changed = true;  // this picture shows the handles at their old position, so another one must be drawn
  cJSON *document = document_of(view, &error);
  if (document)
    list_document(view, document);
  else
    view_fail(view, "%.390s", error.message);
  cJSON_Delete(document);
}

void view_apply_editor(View *view) {
  Editor *e = &view->editor;
  const HudEditor *h = &view->panel.editor;
  if (h->chosen >= 0) {
    e->selected = h->chosen;
    e->refused[0] = '\0';
    e->stale = true;
  }
  if (h->renamed >= 0) e->selected = h->renamed;
  if (h->pressed >= 0) e->handles.kind = (TransformKind)h->pressed;
  if (h->chosen >= 0 || h->pressed >= 0) view->changed = true;
  if (h->add >= 0 || h->duplicate || h->remove || h->changed >= 0 || h->renamed >= 0) edit_document(view, NULL, false);
  if (h->toggled >= 0) view_toggle_hidden(view, h->toggled);
  if (h->lands) view_place_on_floor(view);
  if (h->fresh) view_new_scene(view);
  if (h->add_mesh || h->add_obstacle) {
    view_browse(view);
    view->opens = h->add_mesh ? view_add_mesh : view_add_obstacle;
  }
}
