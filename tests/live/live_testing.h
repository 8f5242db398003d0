// What the tests of a session share: cmocka, a scene as it is read, and a session of it.
#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/live.h"

#define MUST(call)                              \
  do {                                          \
    if (!(call)) fail_msg("%s", error.message); \
  } while (0)

// too large for a short stack; free() releases it
static inline Scene *read_scene(const char *path) {
  Error error = { 0 };
  Scene *scene = malloc(sizeof *scene);
  assert_non_null(scene);
  MUST(scene_read(scene, path, &error));
  return scene;
}

static inline Live *live_new(const Scene *scene) {
  Error error = { 0 };
  Live *live = calloc(1, sizeof *live);
  assert_non_null(live);
  MUST(live_create(live, scene, &error));
  return live;
}

static inline void live_delete(Live *live) {
  live_destroy(live);
  free(live);
}
