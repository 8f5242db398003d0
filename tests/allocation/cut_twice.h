// An operation for tests that make allocations fail: a session cuts its body twice, by a plane near x = `middle` and by
// a plane near z = 0.5. A cut in which an allocation fails must leave the state unchanged. Then a step and a second try
// of the cut must succeed. Include this file after cmocka.h.
#pragma once
#include <stdlib.h>

#include "scene/session_form.h"

#define MUST_LATER(call)                        \
  do {                                          \
    if (!(call)) fail_msg("%s", later.message); \
  } while (0)

static bool session_is_cut_twice(const Scene *scene, double middle, Error *error) {
  enum { NODES_MAX = 2000 };
  const Blade blades[2] = { { .point = { middle, 0.05, 0.5 }, .normal = { 1, 0.1, 0 }, .reach = 0.6 },
                            { .point = { middle, 0, 0.5 }, .normal = { 0, 0.1, 1 } } };
  static double x[NODES_MAX][3], y[NODES_MAX][3];
  Error later = { 0 };
  CutReport report;
  StepReport step;
  Session *session = malloc(sizeof *session);
  if (!session) return error_set(error, "no memory for a session");
  if (!session_create(session, scene, error)) {
    free(session);
    return false;
  }
  assert_true(simulation_splits(session->simulation));
  bool ok = session_step(session, &step, error);
  for (int k = 0; ok && k < 2; k++) {
    const int nodes = session->mesh.node_count;
    assert_true(nodes <= NODES_MAX);
    if (!(ok = simulation_state(session->simulation, y, NULL, error))) break;
    ok = session_cut(session, &blades[k], &report, error);
    if (ok) assert_true(report.copies > 0);
    if (ok) continue;

    // The cut failed. No later allocation fails, so a step, a second try of the cut, and another step must succeed.
    assert_int_equal(session->mesh.node_count, nodes);
    MUST_LATER(simulation_state(session->simulation, x, NULL, &later));
    assert_memory_equal(x, y, sizeof *x * (size_t)nodes);
    MUST_LATER(session_step(session, &step, &later));
    MUST_LATER(session_cut(session, &blades[k], &report, &later));
    MUST_LATER(session_step(session, &step, &later));
  }

  ok = ok && session_step(session, &step, error);
  session_destroy(session);
  free(session);
  return ok;
}
