// The initial camera of a scene: see scene_camera.h.
#include "live/scene_camera.h"

#include <math.h>
#include <string.h>

bool scene_camera(const Session *session, double aspect, Camera *camera, Error *error) {
  const Scene *scene = &session->scene;
  double low[3], high[3];
  mesh_bounds(&session->scene_form->mesh, low, high);
  *camera = camera_fit(low, high, scene->camera.fov, aspect);
  camera->orthographic = scene->style.orthographic;
  if (!scene->camera.given) return true;
  return scene_camera_use(&scene->camera, camera, error) || error_prefix(error, "%s", scene->path);
}

bool scene_camera_use(const SceneCamera *stored, Camera *camera, Error *error) {
  if (!camera_look(camera, stored->eye, stored->target, stored->up, error)) return false;
  camera->fov = stored->fov * M_PI / 180;
  return true;
}

SceneCamera scene_camera_of(const Camera *camera) {
  SceneCamera stored = { .given = true, .fov = camera->fov * 180 / M_PI };
  camera_eye(camera, stored.eye);
  memcpy(stored.target, camera->target, sizeof stored.target);
  memcpy(stored.up, camera->up, sizeof stored.up);
  return stored;
}
