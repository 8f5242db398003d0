// The scene editor (tab Scene of the panel): see view.h. live/scene_edits.c makes the edits. This file lists the
// entries of the scene in the panel, and applies the user's actions there.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/timer.h"
#include "mesh/fill_surface.h"
#include "scene/entry_box.h"
#include "sim/contact/contact.h"
#include "window/view.h"

static_assert((int)HUD_ENTRIES_MAX >= (int)SCENE_ENTRIES_MAX && (int)HUD_FIELDS_MAX >= (int)SCENE_FIELDS_MAX &&
                  sizeof((HudField *)0)->text == sizeof((SceneField *)0)->text &&
                  sizeof((HudField *)0)->key == sizeof((SceneField *)0)->key &&
                  sizeof *((HudEditor *)0)->entry == sizeof((SceneEntry *)0)->label &&
                  sizeof *((HudEditor *)0)->name == sizeof((SceneEntry *)0)->name &&
                  (int)HUD_HANDLES == (int)TRANSFORM_KINDS,
              "the panel's lists must have the sizes of the lists of scene_edit.h");

// Shows the reason why an edit is not possible.
static void fail(View *view, const Error *error) {
  view_fail(view, "%.390s", error->message);
}

// Returns the reason why the scene cannot be edited now; NULL: it can be. If `built` is true, the shown scene must have
// all earlier edits.
static const char *obstruction(View *view, bool built) {
  const EditedSim shown = view_edited_sim(view);
  if (!view->has_positions) return "the scene is still being built; try again";
  return scene_edits_obstruction(&view->editor.edits, &shown, built);
}

// Applies an edit by the user, and begins to build the edited scene. On an error shows a message, and the present scene
// stays open.
static void make(View *view, const SceneEdit *edit) {
  SceneEdits *e = &view->editor.edits;
  const EditedSim shown = view_edited_sim(view);
  const int before = e->selected;
  Error error = { 0 };
  if (!view->has_positions) {
    view_refuse_edit(view, "the scene is still being built; try again");
    return;
  }
  if (!scene_edits_make(e, &shown, edit, &error)) fail(view, &error);
  view->next_since = timer_seconds();
  if (e->selected != before) view->panel.editor.moved = true;
}

void view_open_asked(View *view) {
  Editor *e = &view->editor;
  const EditedSim shown = view_edited_sim(view);
  const int version = e->asked;
  Error error = { 0 };
  e->asked = -1;
  if (version < 0) return;
  if (!scene_edits_return(&e->edits, &shown, version, e->asked_step, &error)) fail(view, &error);
  view->next_since = timer_seconds();
}

// ---- actions in the tab

void view_select_entry(View *view, const char *list, int index) {
  SceneEdits *e = &view->editor.edits;
  const int before = e->selected;
  scene_edits_select(e, list, index);
  if (e->selected != before) view->panel.editor.moved = true;
}

// Finds the kinds of handles by which the selected entry can be changed, and the position of the handles. If the entry
// is the scene's mesh, its handles are those of the body that a change makes of it.
static void locate_selected(View *view, const cJSON *document) {
  Editor *e = &view->editor;
  Handles *h = &e->handles;
  const SceneEntry *entry = &e->edits.entry[e->edits.selected];
  SceneSpace space;
  scene_edits_space(&e->edits, view->sim, &space);
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
  SceneEdits *e = &view->editor.edits;
  HudEditor *h = &view->panel.editor;
  scene_edits_list(e, document);
  h->entry_count = e->entry_count;
  for (int k = 0; k < e->entry_count; k++) {
    memcpy(h->entry[k], e->entry[k].label, sizeof *h->entry);
    memcpy(h->name[k], e->entry[k].name, sizeof *h->name);
    h->nameable[k] = e->entry[k].list[0] && strcmp(e->entry[k].list, "mesh") != 0;
  }
  h->selected = e->selected;
  locate_selected(view, document);
  h->field_count = e->field_count;
  for (int k = 0; k < h->field_count; k++) {
    HudField *shown = &h->field[k];
    memcpy(shown->key, e->field[k].key, sizeof shown->key);
    memcpy(shown->text, e->field[k].text, sizeof shown->text);
    shown->option = e->field[k].row;
  }
}

void view_transform_selected(View *view, const Transform *transform) {
  make(view, &(SceneEdit){ .kind = EDIT_TRANSFORM, .transform = *transform });
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
  SceneEdits *e = &view->editor.edits;
  const SceneEntry *entry = &e->entry[e->selected];
  const SimulationSettings *s = &view->status.settings;
  Error error = { 0 };
  SceneSpace space;
  double lowest;
  if (!view_edits(view)) return;
  e->changed[0] = e->deleted[0] = '\0';

  // the entry's lowest point is found in the shown scene, so this scene must have all earlier edits
  const char *why = obstruction(view, true);
  cJSON *document = why ? NULL : scene_edits_document(e, &view->status, &error);
  if (document) scene_edits_space(e, view->sim, &space);
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

void view_duplicate_entry(View *view) {
  if (view_edits(view)) make(view, &(SceneEdit){ .kind = EDIT_COPY });
}

void view_delete_entry(View *view) {
  if (view_edits(view)) make(view, &(SceneEdit){ .kind = EDIT_REMOVE });
}

void view_rename_entry(View *view) {
  if (view_edits(view)) view->panel.editor.renames = true;
}

void view_add_mesh(View *view, const char *path) {
  if (fill_surface_reads(path))
    view_fill_surface(view, path, view_add_mesh);
  else
    make(view, &(SceneEdit){ .kind = EDIT_ADD_MESH, .text = path });
}

void view_add_obstacle(View *view, const char *path) {
  make(view, &(SceneEdit){ .kind = EDIT_ADD_OBSTACLE, .text = path });
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
  SceneEdits *e = &view->editor.edits;
  HudEditor *h = &view->panel.editor;
  Error error = { 0 };
  h->kinds = scene_edit_kinds();
  h->handles = (int)view->editor.handles.kind;
  for (int k = 0; k < e->entry_count; k++) h->hideable[k] = view_hides_entry(view, k, &h->hidden[k]);
  h->refused = e->refused;
  h->reason = e->reason;
  if (!e->stale || !view->has_positions) return;
  e->stale = false;
  view->changed = true;  // this picture shows the handles at their old position, so another one must be drawn
  cJSON *document = scene_edits_document(e, &view->status, &error);
  if (document)
    list_document(view, document);
  else
    fail(view, &error);
  cJSON_Delete(document);
}

// Applies the edit that the user has made in the tab, if any.
static void apply_edit(View *view) {
  const HudEditor *h = &view->panel.editor;
  if (h->renamed >= 0) view->editor.edits.selected = h->renamed;
  if (h->add >= 0)
    make(view, &(SceneEdit){ .kind = EDIT_ADD, .added = h->add });
  else if (h->duplicate || h->remove)
    make(view, &(SceneEdit){ .kind = h->duplicate ? EDIT_COPY : EDIT_REMOVE });
  else if (h->renamed >= 0)
    make(view, &(SceneEdit){ .kind = EDIT_SET, .key = "name", .text = h->new_name });
  else if (h->changed >= 0)
    make(view, &(SceneEdit){ .kind = EDIT_SET, .key = h->field[h->changed].key, .text = h->field[h->changed].text });
}

void view_apply_editor(View *view) {
  SceneEdits *e = &view->editor.edits;
  const HudEditor *h = &view->panel.editor;
  if (h->chosen >= 0) {
    e->selected = h->chosen;
    e->refused[0] = '\0';
    e->stale = true;
  }
  if (h->pressed >= 0) view->editor.handles.kind = (TransformKind)h->pressed;
  if (h->chosen >= 0 || h->pressed >= 0) view->changed = true;
  apply_edit(view);
  if (h->toggled >= 0) view_toggle_hidden(view, h->toggled);
  if (h->lands) view_place_on_floor(view);
  if (h->fresh) view_new_scene(view);
  if (h->add_mesh || h->add_obstacle) {
    view_browse(view);
    view->opens = h->add_mesh ? view_add_mesh : view_add_obstacle;
  }
}
