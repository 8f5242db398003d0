// Views that the user has stored: see view.h. A saved scene keeps them.
#include "live/scene_camera.h"
#include "window/view.h"

enum { FIRST_KEY = 5 };  // the keys of the stored views begin with F5

void view_store(View *view, int index) {
  SceneViews *views = &view->views;
  views->camera[index] = scene_camera_of(&view->camera);
  views->camera[index].orthographic = view->style.orthographic;
  if (views->count <= index) views->count = index + 1;
  view_say(view, "view %d is stored; F%d shows it again", index + 1, FIRST_KEY + index);
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
