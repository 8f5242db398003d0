// Opens a shipped scene on a device, together with a Watch, which counts intersections of the body's surface.
#pragma once
#include "contact_watch.h"
#include "scene/asset_path.h"
#include "scene/session.h"

typedef struct SceneWalk {
  Scene *scene;
  Session *session;
  Watch watch;
} SceneWalk;

static inline SceneWalk scene_walk_start(const char *name, Device device) {
  Error error = { 0 };
  SceneWalk w = { .scene = calloc(1, sizeof *w.scene), .session = calloc(1, sizeof *w.session) };
  char path[PATH_LENGTH], within[80];
  snprintf(within, sizeof within, "scenes/%s.json", name);
  asset_path(within, path);
  scene_defaults(w.scene);
  MUST(scene_read(w.scene, path, &error));
  snprintf(w.scene->device, sizeof w.scene->device, "%s", device_name(device));
  MUST(session_create(w.session, w.scene, &error));
  watch_start(&w.watch, &w.session->mesh, &w.session->scene.simulation);
  return w;
}

static inline void scene_walk_end(SceneWalk *w) {
  watch_end(&w->watch);
  session_destroy(w->session);
  free(w->session);
  free(w->scene);
}
