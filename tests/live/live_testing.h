// Helpers for tests of live sessions, in which a user sends commands while the body moves.
#pragma once
#include "../testing.h"

#include <unistd.h>

#include "live/live.h"

// Reads a scene into allocated memory, because a Scene is too large for a small stack. free() releases it.
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

static inline void do_it(Live *live, const Command *command) {
  Error error = { 0 };
  MUST(live_apply(live, command, &error));
  assert_string_equal(live->refused, "");
}

static inline void take_steps(Live *live, int count) {
  Error error = { 0 };
  StepReport report;
  while (count-- > 0) MUST(live_step(live, &report, &error));
}

// Returns the state as one array: positions, then momenta [2][nodes][3]. free() releases it.
static inline double *state_of(const Live *live) {
  Error error = { 0 };
  const size_t nodes = (size_t)live->session.mesh.node_count;
  double *x = malloc(6 * nodes * sizeof *x);
  assert_non_null(x);
  MUST(simulation_state(live->session.simulation, (double(*)[3])x, (double(*)[3])(x + 3 * nodes), &error));
  return x;
}
