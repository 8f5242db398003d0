// Tests sims on two GPUs in one process: both give the same bits, also in two threads and after a move from one GPU to
// the other; and calls of the library do not change the current CUDA device of their caller. Skipped on machines with
// fewer than two GPUs.
#include "../testing.h"

#include <pthread.h>

#include "pliant.h"

#ifdef PLIANT_CUDA
#include <cuda_runtime_api.h>

// Fails the test with the library's error message unless the call succeeds, and does not change the caller's device.
#define OK(call)                                                                                 \
  do {                                                                                           \
    const int before = current_device();                                                         \
    const int status = (call);                                                                   \
    if (status) fail_msg("%s: %s", pliant_status_name(status), pliant_error());                  \
    if (current_device() != before)                                                              \
      fail_msg("%s: the current device was %d, and is now %d", #call, before, current_device()); \
  } while (0)

#define CUDA_OK(call) assert_int_equal(call, cudaSuccess)

static int current_device(void) {
  int device = -1;
  CUDA_OK(cudaGetDevice(&device));
  return device;
}

// Returns the GPU on which memory is allocated.
static int device_of(const void *memory) {
  struct cudaPointerAttributes attributes;
  CUDA_OK(cudaPointerGetAttributes(&attributes, memory));
  assert_int_equal(attributes.type, cudaMemoryTypeDevice);
  return attributes.device;
}

// Checks that the caller's next allocation is on the caller's device. cudaGetDevice alone might return a number that
// the runtime has stored, although another context is current.
static void check_allocation(void) {
  void *memory;
  CUDA_OK(cudaMalloc(&memory, 4));
  assert_int_equal(device_of(memory), current_device());
  CUDA_OK(cudaFree(memory));
}

// Scenes that use different kernels: single and double precision, several solvers and assembly methods, and contact.
static const char *const scenes[] = {
  "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 0.4, 0.4], \"cells\": 6}], \"young\": 1e5, \"pins\": [{\"x\": "
  "[null, -0.49]}], \"gravity\": [0, 0, -9.81]}",
  "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 0.4, 0.4], \"cells\": 4}], \"young\": 1e5, \"pins\": [{\"x\": "
  "[null, -0.49]}], \"gravity\": [0, 0, -9.81], \"precision\": \"double\", \"matrix\": \"csr\", \"solver\": \"cg\"}",
  "{\"shapes\": [{\"kind\": \"sphere\", \"size\": [0.4, 0.4, 0.4], \"cells\": 4}], \"young\": 1e5, \"floor\": -0.25, "
  "\"friction\": 0.3, \"self_contact\": true, \"gravity\": [0, 0, -9.81]}",
  "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 0.4, 0.4], \"cells\": 2}], \"young\": 1e5, \"gravity\": [0, 0, "
  "-9.81], \"solver\": \"block\", \"assembly\": \"globalnz\", \"floor\": -0.21}",
  "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 0.4, 0.4], \"cells\": 4}], \"young\": 1e5, \"pins\": [{\"x\": "
  "[null, -0.49]}], \"gravity\": [0, 0, -9.81], \"assembly\": \"sharednz\"}",
};
enum { SCENES = sizeof scenes / sizeof *scenes, STEPS = 20, SOLVED_TOGETHER = 3 };

static pliant_scene *scene_on(int gpu, int scene) {
  pliant_scene *made;
  char device[16];
  snprintf(device, sizeof device, "\"cuda:%d\"", gpu);
  OK(pliant_scene_parse(&made, scenes[scene], NULL));
  OK(pliant_scene_set(made, "device", device));
  return made;
}

static pliant_sim *sim_on(int gpu, int scene) {
  pliant_scene *given = scene_on(gpu, scene);
  pliant_sim *sim;
  OK(pliant_sim_create(&sim, given));
  pliant_scene_destroy(given);
  assert_int_equal(pliant_sim_device(sim), gpu);
  return sim;
}

static const double *positions(pliant_sim *sim, int64_t *rows) {
  pliant_view view = { .size = sizeof view };
  OK(pliant_field(sim, "positions", PLIANT_HOST, &view));
  *rows = view.shape[0];
  return view.data;
}

static void check_bits(pliant_sim *a, pliant_sim *b) {
  int64_t rows, others;
  const double *x = positions(a, &rows), *y = positions(b, &others);
  assert_int_equal(rows, others);
  assert_memory_equal(x, y, sizeof *x * 3 * (size_t)rows);
}

// Checks that the sim's device has the positions in its own memory. They are single-precision copies of those on the
// host, of the order of 1 m.
static void check_view(pliant_sim *sim) {
  pliant_view view = { .size = sizeof view };
  OK(pliant_field(sim, "positions", pliant_sim_device(sim), &view));
  assert_int_equal(view.device, pliant_sim_device(sim));
  assert_int_equal(device_of(view.data), view.device);
  const size_t count = 3 * (size_t)view.shape[0];
  float *copy = malloc(sizeof *copy * count);
  CUDA_OK(cudaMemcpy(copy, view.data, sizeof *copy * count, cudaMemcpyDeviceToHost));
  int64_t rows;
  const double *x = positions(sim, &rows);
  for (size_t k = 0; k < count; k++) assert_true(fabs(copy[k] - x[k]) < 1e-6);
  free(copy);
}

static void both_gpus_have_the_same_bits(void **state) {
  (void)state;
  for (int k = 0; k < SCENES; k++) {
    pliant_sim *first = sim_on(0, k), *second = sim_on(1, k);
    for (int step = 0; step < STEPS; step++) {  // the steps alternate
      OK(pliant_step(first, 1));
      OK(pliant_step(second, 1));
    }
    check_bits(first, second);
    check_view(second);
    check_view(first);
    pliant_sim_destroy(first);
    pliant_sim_destroy(second);
  }
}

// Arguments and result of a thread that creates and steps a sim.
typedef struct Run {
  int gpu, scene;
  pliant_sim *sim;
  char error[500];
} Run;

static void *run(void *argument) {
  Run *r = argument;
  char device[16];
  pliant_scene *scene = NULL;
  snprintf(device, sizeof device, "\"cuda:%d\"", r->gpu);
  const int status = pliant_scene_parse(&scene, scenes[r->scene], NULL) || pliant_scene_set(scene, "device", device) ||
                     pliant_sim_create(&r->sim, scene) || pliant_step(r->sim, STEPS);
  if (status) snprintf(r->error, sizeof r->error, "%.499s", pliant_error());
  pliant_scene_destroy(scene);
  return NULL;
}

static void threads_use_their_own_gpus(void **state) {
  (void)state;
  enum { THREADS = 4 };
  for (int k = 0; k < SCENES; k++) {
    Run runs[THREADS] = { 0 };
    pthread_t thread[THREADS];
    for (int j = 0; j < THREADS; j++) {
      runs[j] = (Run){ .gpu = j % 2, .scene = k };
      assert_int_equal(pthread_create(&thread[j], NULL, run, &runs[j]), 0);
    }
    for (int j = 0; j < THREADS; j++) pthread_join(thread[j], NULL);
    for (int j = 0; j < THREADS; j++) {
      if (runs[j].error[0]) fail_msg("scene %d, thread %d: %s", k, j, runs[j].error);
      assert_int_equal(pliant_sim_device(runs[j].sim), j % 2);
      check_bits(runs[j].sim, runs[0].sim);
      check_view(runs[j].sim);
    }
    for (int j = 0; j < THREADS; j++) pliant_sim_destroy(runs[j].sim);
  }
}

// Calls all functions that work on a GPU. OK checks the caller's device after each.
static void call_all(int gpu) {
  pliant_sim *sim = sim_on(gpu, SOLVED_TOGETHER), *copies[2];
  pliant_view view = { .size = sizeof view };
  const double far[3] = { 0.6, 0, 0 }, centre[3] = { 0 }, normal[3] = { 1, 0, 0 };
  const int32_t node = 0;
  const char *const name = "elastic";
  size_t needed;
  int grab, opened;
  double value;
  check_allocation();

  // steps, fields and settings
  OK(pliant_step(sim, 2));
  check_allocation();
  OK(pliant_field(sim, "von_mises", gpu, &view));
  OK(pliant_field(sim, "von_mises", PLIANT_HOST, &view));
  OK(pliant_field_on(sim, "velocities", NULL, &view));
  OK(pliant_field(sim, "internal_forces", PLIANT_HOST, &view));
  OK(pliant_put(sim, "forces", &view));
  OK(pliant_step(sim, 1));
  OK(pliant_field(sim, "positions", gpu, &view));
  view.stream = NULL;
  OK(pliant_put(sim, "forces", &view));
  OK(pliant_step(sim, 1));
  OK(pliant_observe(sim, &name, 1, &value, 1));
  OK(pliant_set(sim, "young", "2e5"));

  // states, grabs and holds
  OK(pliant_save(sim, NULL, 0, &needed));
  void *bytes = malloc(needed);
  OK(pliant_save(sim, bytes, needed, NULL));
  OK(pliant_load(sim, bytes, needed));
  free(bytes);
  OK(pliant_grab(sim, far, 0.2, 0, &grab));
  OK(pliant_grab_to(sim, grab, far));
  OK(pliant_hold(sim, &node, 1, 7));
  OK(pliant_step(sim, 1));
  OK(pliant_release(sim, -1));

  // several sims
  OK(pliant_reset(sim));
  OK(pliant_sim_clone(copies, 2, sim));
  OK(pliant_step_many(copies, 2, 2, NULL));
  OK(pliant_reset_many(copies, 2, NULL, NULL));
  int64_t rows;
  positions(sim, &rows);
  double *values = malloc(sizeof *values * 6 * (size_t)rows);
  OK(pliant_field_many(copies, 2, "positions", values, sizeof *values * 6 * (size_t)rows));
  free(values);
  pliant_sim_destroy(copies[0]);
  pliant_sim_destroy(copies[1]);
  check_allocation();

  // a rebuild, a failure and a cut
  OK(pliant_set(sim, "precision", "\"double\""));
  assert_int_equal(pliant_step(sim, -1), PLIANT_BAD_ARGUMENT);
  check_allocation();
  pliant_sim_destroy(sim);
  check_allocation();
  sim = sim_on(gpu, 0);
  OK(pliant_cut(sim, centre, normal, 0, &opened));
  OK(pliant_step(sim, 1));
  pliant_sim_destroy(sim);
  check_allocation();
}

static void the_device_of_the_caller_is_kept(void **state) {
  (void)state;
  for (int caller = 0; caller < 2; caller++)
    for (int gpu = 0; gpu < 2; gpu++) {
      CUDA_OK(cudaSetDevice(caller));
      call_all(gpu);
      assert_int_equal(current_device(), caller);
    }
  CUDA_OK(cudaSetDevice(0));
}

// The current device of a thread before and after a call that destroys its sim, and the device of an allocation before
// this call.
typedef struct Found {
  Run run;
  int before, allocated, after;
} Found;

// Creates and steps a sim on GPU 1 in a thread that has never called CUDA.
static void *call_in_new_thread(void *argument) {
  Found *f = argument;
  struct cudaPointerAttributes attributes = { .device = -1 };
  void *memory = NULL;
  f->before = f->allocated = f->after = -1;
  run(&f->run);
  cudaGetDevice(&f->before);
  if (cudaMalloc(&memory, 4) == cudaSuccess && cudaPointerGetAttributes(&attributes, memory) == cudaSuccess)
    f->allocated = attributes.device;
  cudaFree(memory);
  pliant_sim_destroy(f->run.sim);
  cudaGetDevice(&f->after);
  return NULL;
}

static void a_new_thread_keeps_its_device(void **state) {
  (void)state;
  pthread_t thread;
  Found found = { .run.gpu = 1 };
  assert_int_equal(pthread_create(&thread, NULL, call_in_new_thread, &found), 0);
  pthread_join(thread, NULL);
  if (found.run.error[0]) fail_msg("%s", found.run.error);
  assert_int_equal(found.before, 0);
  assert_int_equal(found.allocated, 0);
  assert_int_equal(found.after, 0);
}

static void sims_move_between_gpus(void **state) {
  (void)state;
  for (int k = 0; k < SCENES; k++) {
    pliant_sim *moved = sim_on(0, k), *stays = sim_on(0, k);
    check_view(moved);
    for (int gpu = 1; gpu >= 0; gpu--) {
      char device[16];
      snprintf(device, sizeof device, "\"cuda:%d\"", gpu);
      OK(pliant_step(moved, 5));
      OK(pliant_step(stays, 5));
      OK(pliant_set(moved, "device", device));
      OK(pliant_set(stays, "device", "\"cuda\""));  // rebuilds this sim too
      assert_int_equal(pliant_sim_device(moved), gpu);
      OK(pliant_step(moved, 5));
      OK(pliant_step(stays, 5));
      check_bits(moved, stays);
      check_view(moved);
    }
    pliant_sim_destroy(moved);
    pliant_sim_destroy(stays);
  }
}

static void calls_for_many_sims_accept_sims_of_both_gpus(void **state) {
  (void)state;
  enum { MANY = 12 };
  pliant_sim *sims[MANY], *alone;
  for (int j = 0; j < MANY; j++) sims[j] = sim_on(j % 3 == 1, SOLVED_TOGETHER);
  alone = sim_on(0, SOLVED_TOGETHER);
  OK(pliant_step_many(sims, MANY, STEPS, NULL));
  OK(pliant_step(alone, STEPS));
  for (int j = 0; j < MANY; j++) check_bits(sims[j], alone);

  int64_t rows;
  const double *x = positions(alone, &rows);
  const size_t bytes = sizeof *x * 3 * (size_t)rows;
  char *values = malloc(MANY * bytes);
  OK(pliant_field_many(sims, MANY, "positions", values, MANY * bytes));
  for (int j = 0; j < MANY; j++) assert_memory_equal(values + j * bytes, x, bytes);
  free(values);

  OK(pliant_reset_many(sims, MANY, NULL, NULL));
  OK(pliant_reset(alone));
  for (int j = 0; j < MANY; j++) check_bits(sims[j], alone);
  OK(pliant_step_many(sims, MANY, STEPS, NULL));
  OK(pliant_step(alone, STEPS));
  for (int j = 0; j < MANY; j++) check_bits(sims[j], alone);
  for (int j = 0; j < MANY; j++) pliant_sim_destroy(sims[j]);
  pliant_sim_destroy(alone);
}

static void arrays_on_another_gpu_are_refused(void **state) {
  (void)state;
  pliant_sim *first = sim_on(0, 0), *second = sim_on(1, 0);
  pliant_view view = { .size = sizeof view };
  OK(pliant_field(first, "positions", 0, &view));
  assert_int_equal(pliant_put(second, "positions", &view), PLIANT_BAD_ARGUMENT);
  assert_non_null(
      strstr(pliant_error(), "the array is on device 0, expected PLIANT_HOST (-1) or the sim's device (1)"));
  assert_int_equal(pliant_field(second, "positions", 0, &view), PLIANT_BAD_ARGUMENT);
  pliant_sim_destroy(first);
  pliant_sim_destroy(second);
}

static void the_number_of_gpus_is_in_the_message(void **state) {
  (void)state;
  char device[16], count[40];
  pliant_scene *scene = scene_on(0, 0);
  pliant_sim *sim = NULL;
  snprintf(device, sizeof device, "\"cuda:%d\"", pliant_device_count());
  snprintf(count, sizeof count, "this machine has only %d GPUs", pliant_device_count());
  OK(pliant_scene_set(scene, "device", device));
  assert_int_equal(pliant_sim_create(&sim, scene), PLIANT_NO_DEVICE);
  assert_non_null(strstr(pliant_error(), count));
  pliant_scene_destroy(scene);
}

int main(void) {
  if (pliant_device_count() < 2) {
    printf("the number of GPUs is %d; the tests need 2\n", pliant_device_count());
    return EXIT_SKIPPED;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_new_thread_keeps_its_device),
    cmocka_unit_test(both_gpus_have_the_same_bits),
    cmocka_unit_test(threads_use_their_own_gpus),
    cmocka_unit_test(the_device_of_the_caller_is_kept),
    cmocka_unit_test(sims_move_between_gpus),
    cmocka_unit_test(calls_for_many_sims_accept_sims_of_both_gpus),
    cmocka_unit_test(arrays_on_another_gpu_are_refused),
    cmocka_unit_test(the_number_of_gpus_is_in_the_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  printf("this build has no CUDA\n");
  return EXIT_SKIPPED;
}
#endif
