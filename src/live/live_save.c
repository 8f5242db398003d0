// Writes a running session as a scene file: see live_save.h.
#include "live/live_save.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/file_name.h"
#include "live/scene_camera.h"
#include "scene/scene_save.h"

bool live_save_path(const char *named, const char *scene, bool overwrites, char path[PATH_LENGTH], Error *error) {
  if (!named[0] && !overwrites) return file_name_free(scene, ".json", path, error);
  snprintf(path, PATH_LENGTH, "%s", named[0] ? named : scene);
  return true;
}

bool live_save(Live *live, const Camera *camera, const SceneViews *views, const Style *style, double mouse_stiffness,
               double mouse_radius, const char *path, Error *error) {
  Scene *appearance = array_new(1, sizeof *appearance, "the scene", error);
  if (!appearance) return false;
  *appearance = live->session.scene;
  appearance->style = *style;
  appearance->speed = live->speed;
  appearance->mouse_stiffness = mouse_stiffness;
  if (mouse_radius > 0) appearance->mouse_radius = mouse_radius;
  appearance->camera = scene_camera_of(camera);
  appearance->views = *views;
  const bool ok = scene_save_check(path, error) && scene_save(&live->session, appearance, path, error);
  free(appearance);
  return ok;
}
