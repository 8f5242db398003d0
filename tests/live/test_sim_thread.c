// Tests the simulation thread, while the test's thread reads positions and sends commands. The simulation thread must
// start, take steps, apply commands, publish pins, and end. In a recording it must publish each frame and wait until
// the frame is taken.
#include "../testing.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/timer.h"
#include "live/sim_thread.h"
#include "sim/simulation_parts.h"

enum { PATIENCE = 60 };
// With the sanitizer, steps are a hundred times slower than without it. The sanitizer detects races even if they rarely
// change a result, so fewer frames suffice.
#ifdef __SANITIZE_THREAD__
enum { FRAMES = 4, RECORDINGS = 2 };
#else
enum { FRAMES = 8, RECORDINGS = 5 };
#endif

// Data of the test's thread, which reads positions as a window does.
typedef struct Watcher {
  SimThread *sim;
  Stream stream;
  SimStatus status;  // newest status that this thread has read
} Watcher;

static bool poll(Watcher *w) {
  Error error = { 0 };
  const void *memory, *note;
  bool fresh;
  MUST(triple_buffer_read_begin(&w->sim->positions, w->stream, &fresh, &memory, &note, &error));
  if (fresh) {
    memcpy(&w->status, note, sizeof w->status);
    MUST(triple_buffer_read_end(&w->sim->positions, w->stream, &error));
  }
  return fresh;
}

static Watcher watch(const char *name, bool paused) {
  Error error = { 0 };
  char path[SCENE_PATH_LENGTH];
  Scene *scene = malloc(sizeof *scene);
  Watcher w = { 0 };
  asset_path(name, path);
  MUST(scene_read(scene, path, &error));
  snprintf(scene->device, sizeof scene->device, "cpu");
  w.sim = sim_thread_start(scene, paused, "", "", "", &error);
  MUST(w.sim);
  for (double begin = timer_seconds(); !atomic_load(&w.sim->ready); timer_sleep(0.001)) {
    assert_false(atomic_load(&w.sim->ended));
    assert_true(timer_seconds() - begin < PATIENCE);
  }
  MUST(stream_create(w.sim->display, &w.stream, &error));
  free(scene);
  return w;
}

static void part(Watcher *w) {
  Error error = { 0 };
  stream_destroy(&w->stream);
  MUST(sim_thread_stop(w->sim, &error));
}

#define WAIT_FOR(w, condition)                                                         \
  for (double begin_ = timer_seconds(); poll(w) || !(condition); timer_sleep(0.001)) { \
    if (condition) break;                                                              \
    assert_true(timer_seconds() - begin_ < PATIENCE);                                  \
  }

static void send(Watcher *w, const Command *command) {
  assert_true(mailbox_send(&w->sim->commands, command));
}

static void the_thread_simulates_and_takes_commands(void **state) {
  (void)state;
  Watcher w = watch("scenes/hang_coarse.json", false);
  WAIT_FOR(&w, w.status.step >= 3);
  send(&w, &(Command){ .kind = COMMAND_PAUSE });
  WAIT_FOR(&w, w.status.paused);
  const int64_t step = w.status.step;
  timer_sleep(0.1);
  poll(&w);
  assert_int_equal(w.status.step, step);
  send(&w, &(Command){ .kind = COMMAND_STEP });
  WAIT_FOR(&w, w.status.step == step + 1);
  send(&w, &(Command){ .kind = COMMAND_PIN, .X = { 0, 0, -0.5 }, .radius = 0.1 });
  WAIT_FOR(&w, w.status.pin_version == 1);
  const TetMesh *mesh = &w.sim->live.session.mesh;
  uint8_t *pinned = malloc((size_t)mesh->node_count);
  int below = 0;
  assert_true(sim_thread_pins(w.sim, pinned, mesh->node_count));
  for (int a = 0; a < mesh->node_count; a++) below += mesh->X[a][2] < -0.4 && pinned[a];
  assert_true(below > 0);
  free(pinned);
  Command other = { .kind = COMMAND_SWITCH, .settings = w.status.settings };
  other.settings.precision = PRECISION_F64;
  other.settings.assembly[0] = other.settings.matrix[0] = other.settings.solver[0] = '\0';
  send(&w, &other);
  WAIT_FOR(&w, w.status.settings.precision == PRECISION_F64);
  other.kind = COMMAND_ADJUST;
  other.settings = w.status.settings;
  other.settings.dt = -1;
  send(&w, &other);
  WAIT_FOR(&w, strstr(w.status.refused, "dt is -1 s"));
  send(&w, &(Command){ .kind = COMMAND_VIEW, .style = { .field = FIELD_VON_MISES } });
  WAIT_FOR(&w, w.status.field == FIELD_VON_MISES);
  part(&w);
}

// A thread hands its motion over to another one, which continues it. The first thread is then paused, and continues if
// the window keeps it. A thread with another mesh refuses the motion.
static void a_thread_continues_the_motion_of_another_one(void **state) {
  (void)state;
  Error error = { 0 };
  bool given;
  Watcher from = watch("scenes/hang_coarse.json", false), to = watch("scenes/hang_coarse.json", true);
  WAIT_FOR(&from, from.status.step >= 3);
  HandOverStage stage;
  while ((stage = sim_thread_hand_over(from.sim, to.sim, false, &given, &error)) == HAND_OVER_NONE) timer_sleep(0.001);
  assert_int_equal(stage, HAND_OVER_DONE);
  WAIT_FOR(&from, from.status.paused);
  const int64_t step = from.status.step;
  WAIT_FOR(&to, to.status.step > step && !to.status.paused);
  sim_thread_keep(from.sim, false);
  WAIT_FOR(&from, from.status.step > step && !from.status.paused);
  part(&to);

  to = watch("scenes/drop_coarse.json", true);
  while ((stage = sim_thread_hand_over(from.sim, to.sim, false, &given, &error)) == HAND_OVER_NONE) timer_sleep(0.001);
  assert_true(stage == HAND_OVER_REFUSED && given && strstr(error.message, "another mesh"));
  WAIT_FOR(&from, from.status.paused);
  sim_thread_keep(from.sim, true);
  timer_sleep(0.1);
  poll(&from);
  assert_true(from.status.paused);
  part(&to);
  part(&from);
}

// The simulation must keep each frame of a recording until it is taken, and skip no frame. The number of steps between
// two frames must follow from the frame rate.
static void recorded_frames_wait_and_none_is_lost(void **state) {
  (void)state;
  Watcher w = watch("scenes/twist_coarse.json", false);
  WAIT_FOR(&w, w.status.step >= 2);
  sim_thread_record(w.sim, &(SimRecording){ .fps = 20 });
  int64_t last = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    WAIT_FOR(&w, w.status.frame >= 0);
    assert_int_equal(w.status.frame, frame);
    const int64_t step = w.status.step;
    if (frame % 3 == 1) timer_sleep(0.05);  // a slow reader, for which the simulation must wait
    poll(&w);
    assert_int_equal(w.status.step, step);
    if (frame > 0) assert_int_equal(step - last, 3);
    last = step;
    w.status.frame = -1;
    sim_thread_frame_taken(w.sim, frame);
  }
  sim_thread_record(w.sim, NULL);
  WAIT_FOR(&w, w.status.step > last + 3);
  part(&w);
}

// A recording is stopped before its first frame is taken. This frame must not appear in the next recording.
static void a_stopped_recording_leaves_nothing_to_the_next(void **state) {
  (void)state;
  Watcher w = watch("scenes/twist_coarse.json", false);
  WAIT_FOR(&w, w.status.step >= 2);
  for (int round = 0; round < RECORDINGS; round++) {
    const int stopped = sim_thread_record(w.sim, &(SimRecording){ .fps = 20 });
    WAIT_FOR(&w, w.status.recording == stopped && w.status.frame == 0);
    sim_thread_record(w.sim, NULL);
    const int number = sim_thread_record(w.sim, &(SimRecording){ .fps = 20 });
    assert_int_not_equal(number, stopped);
    assert_int_equal(w.status.recording, stopped);  // w.status is still that of the stopped recording
    for (int frame = 0; frame < 3; frame++) {
      WAIT_FOR(&w, w.status.recording == number && w.status.frame >= frame);
      assert_int_equal(w.status.frame, frame);
      sim_thread_frame_taken(w.sim, frame);
    }
    sim_thread_record(w.sim, NULL);
  }
  part(&w);
}

// If files of a recording cannot be written, the recording must end with a message, and the simulation must go on.
static void a_series_without_disk_space_is_reported(void **state) {
  (void)state;
  Watcher w = watch("scenes/twist_coarse.json", false);
  WAIT_FOR(&w, w.status.step >= 2);
  const int number = sim_thread_record(w.sim, &(SimRecording){ .fps = 20, .vtu = "/nowhere/at/all" });
  WAIT_FOR(&w, w.status.recording == number && w.status.recording_trouble[0]);
  assert_non_null(strstr(w.status.recording_trouble, "/nowhere/at/all/frame_00000.vtu: cannot be written"));
  assert_int_equal(w.status.frame, -1);
  const int64_t step = w.status.step;
  sim_thread_record(w.sim, NULL);
  WAIT_FOR(&w, w.status.step > step + 3 && !w.status.recording_trouble[0]);
  part(&w);
}

// Commands must interrupt a step that would take minutes. The interrupted step must leave the state unchanged.
static void commands_interrupt_a_long_step(void **state) {
  (void)state;
  enum { HEARD_IN = 1 };  // longest accepted time until a command takes effect, s; it is 0.1 s on an idle machine
  Watcher w = watch("scenes/hang_coarse.json", false);
  WAIT_FOR(&w, w.status.step >= 2);
  Command heavy = { .kind = COMMAND_ADJUST, .settings = w.status.settings };
  heavy.settings.mu = 1e9;
  heavy.settings.lambda = 1e14;
  heavy.settings.newton_relative = 1e-12;
  const Command commands[] = { heavy,
                               { .kind = COMMAND_GRAB, .X = { 0, 0, -0.5 }, .radius = 0.1, .stiffness = 1e3 },
                               { .kind = COMMAND_DRAG, .offset = { 0.1 } },
                               { .kind = COMMAND_PAUSE } };
  send(&w, &commands[0]);
  WAIT_FOR(&w, w.status.settings.mu == heavy.settings.mu);
  const int64_t step = w.status.step;
  for (int k = 1; k < 4; k++) {
    double since = 0;
    WAIT_FOR(&w, (since = atomic_load(&w.sim->step_since)) > 0 && timer_seconds() - since > 0.2);
    const double sent = timer_seconds();
    send(&w, &commands[k]);

    // drags do not interrupt a step, because the mouse sends them all the time
    if (commands[k].kind == COMMAND_DRAG) continue;
    WAIT_FOR(&w, k == 1 ? w.status.mouse_holds : w.status.paused);
    printf("  the command took effect after %.3f s\n", timer_seconds() - sent);
    assert_true(timer_seconds() - sent < HEARD_IN);
  }

  assert_int_equal(w.status.step, step);
  assert_int_equal(w.status.drag_frame, 0);
  assert_string_equal(w.status.trouble, "");

  // a request to end the thread must interrupt a step, too
  send(&w, &(Command){ .kind = COMMAND_PAUSE });
  WAIT_FOR(&w, atomic_load(&w.sim->step_since) > 0);
  const double sent = timer_seconds();
  part(&w);
  assert_true(timer_seconds() - sent < HEARD_IN);
}

static bool be_lost(Solver *solver, Stream stream, Error *error) {
  (void)stream, (void)error;
  solver->report->end = SOLVER_LOST;
  return true;
}

// A failed step must pause the simulation in its present state, with the reason. After a reset the body must move
// again.
static void a_step_that_fails_stops_and_says_why(void **state) {
  (void)state;
  Watcher w = watch("scenes/hang_coarse.json", false);
  WAIT_FOR(&w, w.status.step >= 2);
  send(&w, &(Command){ .kind = COMMAND_PAUSE });
  WAIT_FOR(&w, w.status.paused);

  // The simulation thread is paused, so this thread can replace its solver by one that fails.
  Solver *solver = &w.sim->live.session.simulation->solver;
  const SolverMethod *sound = solver->method;
  SolverMethod lost = *sound;
  lost.solve = be_lost;
  solver->method = &lost;
  const int64_t step = w.status.step;
  send(&w, &(Command){ .kind = COMMAND_PAUSE });
  WAIT_FOR(&w, w.status.trouble[0] && w.status.paused);
  printf("  %s\n", w.status.trouble);
  assert_non_null(strstr(w.status.trouble, "did not receive each other's data"));
  assert_int_equal(w.status.step, step);
  solver->method = sound;
  send(&w, &(Command){ .kind = COMMAND_RESET });
  WAIT_FOR(&w, w.status.step >= 2 && !w.status.trouble[0] && !w.status.paused);
  part(&w);
}

static void a_paused_thread_takes_no_step(void **state) {
  (void)state;
  for (int k = 0; k < 5; k++) {
    Watcher w = watch("scenes/hang_coarse.json", true);
    WAIT_FOR(&w, w.status.paused);
    assert_int_equal(w.status.step, 0);
    send(&w, &(Command){ .kind = COMMAND_PAUSE });
    WAIT_FOR(&w, w.status.step > 0 && !w.status.paused);
    part(&w);
  }
}

static void failed_builds_give_a_reason(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = malloc(sizeof *scene);
  scene_defaults(scene);
  snprintf(scene->mesh, sizeof scene->mesh, "/nowhere/at all.msh");
  snprintf(scene->device, sizeof scene->device, "cpu");
  SimThread *sim = sim_thread_start(scene, false, "", "", "", &error);
  assert_non_null(sim);
  while (!atomic_load(&sim->ended)) timer_sleep(0.001);
  assert_false(sim_thread_stop(sim, &error));
  assert_non_null(strstr(error.message, "/nowhere/at all.msh"));
  free(scene);
}

// A limit of the file size stops the log, as on a full disk. The simulation must continue, the final state must be
// written, and sim_thread_stop must report the fault.
static void a_full_disk_does_not_stop_the_simulation(void **state) {
  (void)state;
  Error error = { 0 };
  char scene_file[SCENE_PATH_LENGTH], log[64], npz[64];
  snprintf(log, sizeof log, "/tmp/pliant-sim-%d.jsonl", (int)getpid());
  snprintf(npz, sizeof npz, "/tmp/pliant-sim-%d.npz", (int)getpid());
  Scene *scene = malloc(sizeof *scene);
  asset_path("scenes/hang_coarse.json", scene_file);
  MUST(scene_read(scene, scene_file, &error));
  snprintf(scene->device, sizeof scene->device, "cpu");
  Watcher w = { .sim = sim_thread_start(scene, false, log, "", npz, &error) };
  MUST(w.sim);
  while (!atomic_load(&w.sim->ready)) timer_sleep(0.001);
  MUST(stream_create(w.sim->display, &w.stream, &error));
  struct rlimit before, little = { .rlim_cur = 1200 };
  getrlimit(RLIMIT_FSIZE, &before);
  little.rlim_max = before.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &little);
  for (int k = 0; k < 20; k++) send(&w, &(Command){ .kind = COMMAND_DRAG, .offset = { 0.1 / 3, 0, k } });
  WAIT_FOR(&w, strstr(w.status.refused, "the input log stops after"));
  setrlimit(RLIMIT_FSIZE, &before);
  const int64_t step = w.status.step;
  WAIT_FOR(&w, w.status.step > step + 2);
  stream_destroy(&w.stream);
  assert_false(sim_thread_stop(w.sim, &error));
  assert_non_null(strstr(error.message, log));
  assert_int_equal(access(npz, F_OK), 0);

  // the log must end with a complete line: the thread removes an incomplete one
  FILE *file = fopen(log, "r");
  assert_non_null(file);
  assert_int_equal(fseek(file, -1, SEEK_END), 0);
  assert_int_equal(fgetc(file), '\n');
  fclose(file);
  unlink(log);
  unlink(npz);
  free(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_thread_simulates_and_takes_commands),
    cmocka_unit_test(a_thread_continues_the_motion_of_another_one),
    cmocka_unit_test(recorded_frames_wait_and_none_is_lost),
    cmocka_unit_test(a_stopped_recording_leaves_nothing_to_the_next),
    cmocka_unit_test(a_series_without_disk_space_is_reported),
    cmocka_unit_test(commands_interrupt_a_long_step),
    cmocka_unit_test(a_step_that_fails_stops_and_says_why),
    cmocka_unit_test(a_paused_thread_takes_no_step),
    cmocka_unit_test(failed_builds_give_a_reason),
    cmocka_unit_test(a_full_disk_does_not_stop_the_simulation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
