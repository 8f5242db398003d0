// The initial camera of a scene: see scene_camera.h.
#include "live/scene_camera.h"

#include <math.h>
#include <string.h>

bool scene_camera(const Session *session, double aspect, Camera *camera, Error *error) {
  const Scene *scene = &session->scene;
  double low[3], high[3];
  mesh_bounds(&session->scene_form->mesh, low, high);
  *camera = camera_fit(low, high, scene->camera_fov, aspect);
  camera->orthographic = scene->style.orthographic;
  if (!scene->has_camera) return true;
  return camera_look(camera, scene->camera_eye, scene->camera_target, scene->camera_up, error) ||
         error_prefix(error, "%s", scene->path);
}

void scene_set_camera(Scene *scene, const Camera *camera) {
  scene->has_camera = true;
  camera_eye(camera, scene->camera_eye);
  memcpy(scene->camera_target, camera->target, sizeof scene->camera_target);
  memcpy(scene->camera_up, camera->up, sizeof scene->camera_up);
  scene->camera_fov = camera->fov * 180 / M_PI;
}
