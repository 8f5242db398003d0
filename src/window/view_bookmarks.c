// Views that the user has stored: see view.h. A saved scene keeps them.
#include <assert.h>
#include <string.h>

#include "live/scene_camera.h"
#include "window/view.h"

enum { FIRST_KEY = 5, KEYS = 4 };  // the keys of the first four views are F5 to F8

static_assert((int)HUD_VIEWS_MAX >= (int)SCENE_VIEWS_MAX && (int)HUD_VIEW_NAME == (int)SCENE_BODY_NAME,
              "the list in the panel must have the sizes of the stored views");

void view_store(View *view, int index) {
  SceneViews *views = &view->views;
  SceneCamera *stored = &views->camera[index];
  char name[SCENE_BODY_NAME];
  memcpy(name, stored->name, sizeof name);
  *stored = scene_camera_of(&view->camera);
  if (index < views->count) memcpy(stored->name, name, sizeof name);
  stored->orthographic = view->style.orthographic;
  if (views->count <= index) views->count = index + 1;
  if (index < KEYS)
    view_say(view, "view %d is stored; F%d shows it again", index + 1, FIRST_KEY + index);
  else
    view_say(view, "view %d is stored; the panel's tab View lists all views", index + 1);
}

void view_recall(View *view, int index) {
  const SceneCamera *stored = &view->views.camera[index];
  Error error = { 0 };
  if (index >= view->views.count || !stored->given)
    view_warn(view, "view %d is empty; Shift+F%d stores the present view", index + 1, FIRST_KEY + index);
  else if (!scene_camera_use(stored, &view->camera, &error))
    view_fail(view, "view %d cannot be shown: %.300s", index + 1, error.message);
  else
    view->style.orthographic = stored->orthographic;
}

// Stores the present camera as the first view that is not in use.
static void store_new(View *view) {
  const SceneViews *views = &view->views;
  int index = 0;
  while (index < views->count && views->camera[index].given) index++;
  if (index == SCENE_VIEWS_MAX)
    view_warn(view, "all %d views are stored; delete one first", SCENE_VIEWS_MAX);
  else
    view_store(view, index);
}

void view_fill_views(View *view) {
  HudViews *h = &view->panel.views;
  h->count = view->views.count;
  for (int k = 0; k < h->count; k++) {
    h->given[k] = view->views.camera[k].given;
    memcpy(h->name[k], view->views.camera[k].name, sizeof *h->name);
  }
}

void view_apply_views(View *view) {
  const HudViews *h = &view->panel.views;
  SceneViews *views = &view->views;
  if (h->renamed >= 0) memcpy(views->camera[h->renamed].name, h->name[h->renamed], sizeof *h->name);
  if (h->removed >= 0) views->camera[h->removed] = (SceneCamera){ 0 };
  while (views->count > 0 && !views->camera[views->count - 1].given) views->count--;
  if (h->add) store_new(view);
  if (h->shown < 0) return;
  view_note(view, false);
  view_recall(view, h->shown);
}
