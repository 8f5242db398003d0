// Tests calls of pliant.h in which an allocation fails. The call must return a status and a message about missing
// memory, and nothing may leak (checked by the address sanitizer). The repeated call must give the bits of a run
// without failures. argv[1]: "all" makes every allocation fail in one of the runs, otherwise only a sample.
#include "../testing.h"

#include "failing.h"
#include "pliant.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define LEAKS() __lsan_do_recoverable_leak_check()
static int stride = 19;  // only every nineteenth allocation fails, since runs with the sanitizer take ten times as long
#else
#define LEAKS() 0
static int stride = 7;
#endif

enum { FAILURES_MAX = 100000, BOX_NODES = 27, STEPS = 3 };

static int failures;             // calls that failed in this run
static const char *failed_call;  // source text of the last call that failed

// Makes a call, and repeats it once if an allocation failed in it. The test fails if the call fails for another reason.
#define TRY(call)                                                                                    \
  do {                                                                                               \
    int status = (call);                                                                             \
    if (status) {                                                                                    \
      failures++, failed_call = #call;                                                               \
      if (status != PLIANT_NO_MEMORY && !strstr(pliant_error(), "memory"))                           \
        fail_msg("%s: status %s, \"%s\"", #call, pliant_status_name(status), pliant_error());        \
      status = (call);                                                                               \
    }                                                                                                \
    if (status) fail_msg("%s, repeated: %s: %s", #call, pliant_status_name(status), pliant_error()); \
  } while (0)

static pliant_scene *make_scene(bool contact) {
  pliant_scene *scene;
  TRY(pliant_scene_create(&scene));
  TRY(pliant_scene_set(scene, "shapes", "[{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2}]"));
  TRY(pliant_scene_set(scene, "young", "1e5"));
  TRY(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  TRY(pliant_scene_set(scene, "device", "\"cpu\""));
  TRY(pliant_scene_set(scene, "precision", "\"double\""));
  if (contact) {
    TRY(pliant_scene_set(scene, "floor", "-0.51"));
    TRY(pliant_scene_set(scene, "self_contact", "true"));
  } else {
    TRY(pliant_scene_add(scene, "pins", "{\"x\": [null, -0.49]}"));
  }
  return scene;
}

// Takes STEPS steps by one call each. One call for all steps could not be repeated after a failure, since it would keep
// the steps before the failure.
static void take_steps(pliant_sim *sim) {
  for (int k = 0; k < STEPS; k++) TRY(pliant_step(sim, 1));
}

// Sets a force of 1 N along y on each node. `force` is an array for the values.
static void push(pliant_sim *sim, double *force) {
  for (int a = 0; a < BOX_NODES; a++) force[3 * a + 1] = 1;
  pliant_view view = {
    .size = sizeof view, .data = force, .device = PLIANT_HOST, .type = PLIANT_F64, .shape = { BOX_NODES, 3 }
  };
  TRY(pliant_put(sim, "forces", &view));
}

// Saves the state, takes a step, loads the state, and deletes a copy of the sim.
static void go_back(pliant_sim *sim) {
  pliant_sim *copy;
  size_t size;
  TRY(pliant_save(sim, NULL, 0, &size));
  void *bytes = (malloc)(size);
  if (!bytes) bytes = (malloc)(size);
  TRY(pliant_save(sim, bytes, size, NULL));
  TRY(pliant_sim_clone(&copy, 1, sim));
  TRY(pliant_step(sim, 1));
  TRY(pliant_load(sim, bytes, size));
  pliant_sim_destroy(copy);
  free(bytes);
}

// Creates a sim and calls many functions of pliant.h with it. `last` receives the final positions.
static void run(bool contact, double last[3 * BOX_NODES]) {
  const double corner[3] = { 0.5, 0.5, 0.5 }, up[3] = { 0, 0, 0.1 };
  const char *names[] = { "energy", "momentum" };
  double force[3 * BOX_NODES] = { 0 }, values[4];
  pliant_sim *sim;
  int grab;

  pliant_scene *scene = make_scene(contact);
  TRY(pliant_sim_create(&sim, scene));
  pliant_scene_destroy(scene);
  take_steps(sim);
  TRY(pliant_grab(sim, corner, 0.2, 0, &grab));
  TRY(pliant_grab_to(sim, grab, up));
  push(sim, force);
  TRY(pliant_set(sim, "damping", "0.5"));
  take_steps(sim);
  go_back(sim);
  TRY(pliant_observe(sim, names, 2, values, 4));
  TRY(pliant_set(sim, "solver", "\"dcg\""));
  take_steps(sim);
  TRY(pliant_release(sim, grab));

  pliant_view view = { .size = sizeof view };
  TRY(pliant_field(sim, "positions", PLIANT_HOST, &view));
  assert_int_equal(view.shape[0], BOX_NODES);
  memcpy(last, view.data, sizeof(double) * 3 * BOX_NODES);
  pliant_sim_destroy(sim);
}

static void check(bool contact) {
  static double expected[3 * BOX_NODES], last[3 * BOX_NODES];
  long at = 0, count = 1, failed = 0;
  run(contact, expected);
  while (count > at && at < FAILURES_MAX) {
    failures = 0;
    failing_begin(at += stride);
    run(contact, last);
    count = failing_end();
    failed += failures;
    if (memcmp(last, expected, sizeof last))
      fail_msg("allocation %ld: the run ends with other bits after a failure of %s", at,
               failures ? failed_call : "none");
    assert_true(failures <= 1);
  }
  printf("  %ld allocations, %ld calls failed because of them\n", count, failed);
  assert_true(count > 100 && at < FAILURES_MAX && failed > count / stride / 2);
  if (LEAKS()) fail_msg("memory leaks");
}

static void without_contact(void **state) {
  (void)state;
  check(false);
}

static void with_contact(void **state) {
  (void)state;
  check(true);
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "all") == 0) stride = 1;
  const struct CMUnitTest tests[] = { cmocka_unit_test(without_contact), cmocka_unit_test(with_contact) };
  pliant_set_log(NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
