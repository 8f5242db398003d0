// Saved scenes: see live_save.h.
#include "live/live_save.h"

#include <stdlib.h>

#include "base/array.h"
#include "live/scene_camera.h"
#include "scene/scene_save.h"

bool live_save(Live *live, const Camera *camera, const Style *style, double mouse_stiffness, const char *path,
               Error *error) {
  Scene *look = array_new(1, sizeof *look, "the scene", error);
  if (!look) return false;
  *look = live->session.scene;
  look->style = *style;
  look->speed = live->speed;
  look->mouse_stiffness = mouse_stiffness;
  scene_set_camera(look, camera);
  const bool ok = scene_save_check(path, error) && scene_save(&live->session, look, path, error);
  free(look);
  return ok;
}
