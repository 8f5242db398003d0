// Functions of pliant.h that create, copy and reset sims, change settings, find equilibria, and save and load states.
#include "api/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/memory_stream.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "scene/scene_range.h"
#include "scene/session_script.h"
#include "scene/session_state.h"

static const double POLL_SECONDS = 1e-3;  // s, minimum time between two calls of the interrupt callback

// Returns true if the interrupt callback has asked to end the present call. Calls the callback at most once in
// POLL_SECONDS.
static bool poll_stop(void *context) {
  pliant_sim *sim = context;
  if (sim->stopping || !sim->stop) return sim->stopping;
  const double now = timer_seconds_coarse();
  if (now - sim->stop_polled < POLL_SECONDS) return false;
  sim->stop_polled = now;
  return sim->stopping = sim->stop(sim->stop_user) != 0;
}

void api_use_gpu(const pliant_sim *sim) {
  Error ignored;  // the GPU was usable when the simulation was created
  ignored.message[0] = '\0';
  if (sim->session.simulation) scene_use_gpu(simulation_settings(sim->session.simulation), &ignored);
}

SimCall api_sim_begin(pliant_sim *sim) {
  if (!sim) return (SimCall){ 0 };
  api_use_gpu(sim);
  if (sim->calls++ == 0) {
    sim->stopping = false;
    sim->stop_polled = 0;
  }
  return (SimCall){ sim, interrupt_listen(poll_stop, sim) };
}

void api_sim_cleanup(const SimCall *call) {
  if (!call->sim) return;
  call->sim->calls--;
  interrupt_listen(call->former.requested, call->former.context);
}

pliant_sim *api_part_begin(pliant_sim *sim) {
  api_use_gpu(sim);
  sim->calls++;
  return sim;
}

void api_part_end(pliant_sim *const *sim) {
  (*sim)->calls--;
}

int api_refuse_within(const pliant_sim *sim, int calls) {
  if (!sim || sim->calls <= calls) return PLIANT_OK;
  return api_fail(PLIANT_NOT_NOW,
                  "a callback of this sim runs, within another call for the sim; it can read fields, observables and "
                  "the report, but it cannot change the sim");
}

int pliant_set_interrupt(pliant_sim *sim, int (*stop)(void *user), void *user) {
  if (api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  sim->stop = stop;
  sim->stop_user = user;
  return PLIANT_OK;
}

int pliant_listen(pliant_sim *sim, pliant_progress_function progress, pliant_log_function log, void *user) {
  if (api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  if (api_refuse_within(sim, 0)) return PLIANT_NOT_NOW;
  sim->listener = (Listener){ progress, log, user };
  return PLIANT_OK;
}

void api_sim_changed(pliant_sim *sim) {
  sim->generation++;
}

uint64_t pliant_generation(const pliant_sim *sim) {
  return sim ? sim->generation : 0;
}

int api_sim_result(const pliant_sim *sim, const Error *error, pliant_status status) {
  return api_result(error, sim && sim->stopping ? PLIANT_STOPPED : status);
}

bool api_reserve(pliant_sim *sim, Buffer **buffer, Device device, size_t bytes, Error *error) {
  if (*buffer && bytes <= (*buffer)->capacity) return true;
  Buffer *made = array_new(1, sizeof *made, "a view", error);
  if (made) made->data = device_alloc(device, bytes, error);
  if (!made || !made->data) {
    free(made);
    return false;
  }
  made->capacity = bytes;
  made->device = device;
  made->next = sim->buffers;
  sim->buffers = made;
  *buffer = made;
  return true;
}

static void free_buffers(pliant_sim *sim) {
  while (sim->buffers) {
    Buffer *buffer = sim->buffers;
    sim->buffers = buffer->next;
    device_free(buffer->device, buffer->data);
    free(buffer);
  }
}

// Frees the memory of write_state.
static void free_state(pliant_sim *sim) {
  if (sim->state_stream) fclose(sim->state_stream);
  free(sim->state);
  sim->state_stream = NULL;
  sim->state = NULL;
  sim->state_size = 0;
}

void pliant_sim_destroy(pliant_sim *sim) {
  if (!sim) return;
  DEVICE_FLUSH_DENORMALS_HERE;
  DEVICE_RESTORE_HERE;
  api_use_gpu(sim);
  api_delete_recorded_force(sim);
  free_buffers(sim);
  event_destroy(&sim->given);
  session_destroy(&sim->session);
  pliant_scene_destroy(sim->scene);
  free_state(sim);
  free(sim->asked);
  free(sim->grab);
  work_arrays_destroy(&sim->work);
  sparse_free(sim, sizeof *sim);
}

// Fails with PLIANT_NO_DEVICE if the scene requires a GPU that this machine does not have.
static int check_device(const Scene *scene) {
  const char *absence = scene_device(scene) == DEVICE_CUDA ? device_gpu_absence(scene_gpu(scene)) : "";
  if (!absence[0]) return PLIANT_OK;
  return api_fail(PLIANT_NO_DEVICE, "device \"%s\" cannot be used: %s; use device \"cpu\"", scene->device, absence);
}

int pliant_sim_create(pliant_sim **sim, const pliant_scene *scene) {
  API_CALL;
  if (api_need(sim, "sim") || api_need(scene, "scene")) return PLIANT_BAD_ARGUMENT;
  API_HEAR(&scene->listener);
  GivenMeshes meshes;
  Scene *read = api_scene_read(scene, &meshes, &error);
  if (!read) return api_result(&error, PLIANT_BAD_ARGUMENT);
  int status = check_device(read);
  pliant_sim *made = status ? NULL : sparse_new(sizeof *made, "the sim", &error);
  if (made) {
    status = pliant_scene_copy(&made->scene, scene);
    if (!status) session_create(&made->session, read, &error);
  }
  free(read);
  if (!status) status = api_result(&error, PLIANT_BAD_ARGUMENT);
  if (status) {
    pliant_sim_destroy(made);
    return status;
  }
  made->listener = scene->listener;
  progress_set("ready", 1);
  *sim = made;
  return PLIANT_OK;
}

// Sets one key of the scene `next` to the value in a JSON text. `row` is the key's row in the table of scene keys.
static bool read_setting(Scene *next, const Option *row, const char *json, Error *error) {
  char name[80];
  snprintf(name, sizeof name, "key \"%.60s\"", row->key);
  cJSON *value = json_parse(json, strlen(json), name, error);
  if (!value) return false;
  scene_material_begin(next);
  const bool ok = option_set_json(row, next, value, name, error) && scene_material_end(next, name, error);
  cJSON_Delete(value);
  return ok;
}

// Returns a copy of the sim's scene with its present settings. The caller frees it.
static Scene *present_scene(const pliant_sim *sim, Error *error) {
  Scene *now = array_copy(&sim->session.scene, 1, sizeof *now, "the scene", error);
  if (now) now->simulation = *simulation_settings(sim->session.simulation);
  return now;
}

// Sets device and GPU of the settings `next` from next->device. Returns the status.
static int change_device(Scene *next) {
  const int status = check_device(next);
  next->simulation.device = scene_device(next);
  next->simulation.gpu = scene_gpu(next);
  return status;
}

// Removes the event and the pointers to the buffers on the GPU that the sim used before. The buffers are freed together
// with the sim, because views still point to them.
static void leave_gpu(pliant_sim *sim) {
  memset(sim->device, 0, sizeof sim->device);
  event_destroy(&sim->given);
}

// Returns the row of a key in the table of scene keys. If there is no such key, stores a message for pliant_error and
// returns NULL.
static const Option *find_key(const char *key) {
  const Option *found = option_find(scene_options, key);
  if (found) return found;
  char suggestion[96];
  api_fail(PLIANT_BAD_ARGUMENT, "there is no key \"%.60s\"%s; pliant_option lists all", key,
           option_meant(scene_options, key, suggestion));
  return NULL;
}

int pliant_set(pliant_sim *sim, const char *key, const char *json) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim") || api_need(key, "key") || api_need(json, "json")) return PLIANT_BAD_ARGUMENT;
  const Option *row = find_key(key);
  if (!row) return PLIANT_BAD_ARGUMENT;
  const bool rebuilds = row->applies == APPLIES_ON_REBUILD || row->applies == APPLIES_TO_STAGE;
  if (!rebuilds && row->applies != APPLIES_LIVE && row->applies != APPLIES_AS_OTHERS)
    return api_fail(PLIANT_NOT_NOW,
                    "key \"%s\" cannot be changed in an existing sim; set it in the scene and create another sim", key);
  Scene *next = present_scene(sim, &error);
  bool ok = next && read_setting(next, row, json, &error);
  const int status = ok && strcmp(key, "device") == 0 ? change_device(next) : PLIANT_OK;
  if (status) {
    free(next);
    return status;
  }
  const int gpu = simulation_settings(sim->session.simulation)->gpu;
  ok = ok && scene_check_range(next, &error);
  ok = ok && (rebuilds ? session_switch(&sim->session, &next->simulation, &error)
                       : session_adjust(&sim->session, &next->simulation, &error));
  if (ok && rebuilds) memcpy(sim->session.scene.device, next->device, sizeof next->device);
  if (ok && simulation_settings(sim->session.simulation)->gpu != gpu) leave_gpu(sim);
  if (ok && rebuilds) progress_set("ready", 1);
  if (ok) api_sim_changed(sim);
  free(next);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

int pliant_get(const pliant_sim *sim, const char *key, char *json, size_t capacity, size_t *needed) {
  API_CALL;
  if (api_need(sim, "sim") || api_need(key, "key")) return PLIANT_BAD_ARGUMENT;
  const Option *row = find_key(key);
  if (!row) return PLIANT_BAD_ARGUMENT;
  Scene *now = present_scene(sim, &error);
  if (now) scene_material_begin(now);
  cJSON *value = now ? option_json(row, now) : NULL;
  char *text = value ? cJSON_PrintUnformatted(value) : NULL;
  int status = api_result(&error, PLIANT_NO_MEMORY);
  if (!status && value && !text)
    status =
        api_fail(PLIANT_NO_MEMORY, "out of memory: cannot store the value of key \"%s\"; close other programs", key);
  const char *given = text ? text : "null";
  if (!status) status = api_give(given, strlen(given) + 1, json, capacity, needed, "the value");
  cJSON_free(text);
  cJSON_Delete(value);
  free(now);
  return status;
}

static const char STATE_MARK[8] = "PLIANT2";

// Writes the state of a sim to sim->state: STATE_MARK, the motions of obstacles, the numbers of the caller's grabs, and
// the state of the session. Frees sim->state after a failure.
static bool write_state(pliant_sim *sim, Error *error) {
  const SimulationSettings *s = simulation_settings(sim->session.simulation);
  if (sim->state_stream)
    rewind(sim->state_stream);
  else
    sim->state_stream = memory_stream(&sim->state, &sim->state_size);
  FILE *file = sim->state_stream;
  if (!file) return error_set(error, "out of memory: cannot store the state of the simulation; close other programs");
  fwrite(STATE_MARK, sizeof STATE_MARK, 1, file);
  fwrite(&s->obstacle_count, sizeof s->obstacle_count, 1, file);
  for (int k = 0; k < s->obstacle_count; k++) {
    const Obstacle *o = &s->obstacles[k];
    fwrite(o->centre, sizeof o->centre, 1, file);
    fwrite(o->axis, sizeof o->axis, 1, file);
    fwrite(&o->motion, sizeof o->motion, 1, file);
  }
  fwrite(&sim->grab_count, sizeof sim->grab_count, 1, file);
  if (sim->grab_count > 0) fwrite(sim->grab, sizeof *sim->grab, (size_t)sim->grab_count, file);
  bool ok = session_state_write(&sim->session, NULL, file, error);
  if (fflush(file) != 0 || ferror(file))
    ok = error_set(error, "out of memory: cannot store the state of the simulation; close other programs");
  if (!ok) free_state(sim);
  return ok;
}

// Restores the state of a sim from bytes [size], the output of write_state. is_whole has tested bytes of the caller.
static bool read_state(pliant_sim *sim, const void *bytes, size_t size, Error *error) {
  Bytes in = { .at = (const unsigned char *)bytes + sizeof STATE_MARK, .end = (const unsigned char *)bytes + size };
  int count;
  int64_t grabs;
  Obstacle list[OBSTACLES_MAX] = { 0 };
  bytes_take(&in, &count, sizeof count);
  const int expected = simulation_settings(sim->session.simulation)->obstacle_count;
  if (count != expected)
    return error_set(error,
                     "the state belongs to another scene: the number of obstacles is %d in the state, and %d in "
                     "the sim",
                     count, expected);
  for (int k = 0; k < count; k++) {
    bytes_take(&in, list[k].centre, sizeof list[k].centre);
    bytes_take(&in, list[k].axis, sizeof list[k].axis);
    bytes_take(&in, &list[k].motion, sizeof list[k].motion);
  }

  bytes_take(&in, &grabs, sizeof grabs);
  if (in.exhausted || grabs < 0 || grabs > (in.end - in.at) / (ptrdiff_t)sizeof *sim->grab)
    return error_set(error, "the state is incomplete; pass all bytes that pliant_save wrote");
  if (!array_reserve((void **)&sim->grab, &sim->grab_capacity, grabs, sizeof *sim->grab, "grabs", error)) return false;
  if (grabs > 0) bytes_take(&in, sim->grab, sizeof *sim->grab * (size_t)grabs);
  sim->grab_count = grabs;
  return simulation_set_obstacles(sim->session.simulation, list, error) &&
         session_state_restore(&sim->session, in.at, (size_t)(in.end - in.at), error);
}

static int check_uncut(const pliant_sim *sim, const char *what) {
  return sim->session.form == sim->session.scene_form
             ? PLIANT_OK
             : api_fail(PLIANT_NOT_NOW, "the body was cut, so %s; call pliant_reset first", what);
}

// For an equilibrium, the maximum number of Newton iterations is at least this number. Without inertia a soft body
// needs more iterations than in a time step.
enum { STATIC_ITERATIONS = 100 };

// Finds the equilibrium under factor * gravity, starting from the present state.
static bool balance(pliant_sim *sim, const double gravity[3], double factor, StepReport *report, Error *error) {
  Simulation *simulation = sim->session.simulation;
  SimulationSettings scaled = *simulation_settings(simulation);
  for (int i = 0; i < 3; i++) scaled.gravity[i] = factor * gravity[i];
  if (scaled.newton_max < STATIC_ITERATIONS) scaled.newton_max = STATIC_ITERATIONS;
  return simulation_adjust(simulation, &scaled, error) && simulation_equilibrium(simulation, report, error);
}

// Finds the equilibrium under full gravity. If Newton's method does not converge, increases a factor on gravity from 0
// to 1 in increments, and finds the equilibrium after each. Convergence doubles the increment; otherwise it is halved,
// down to 1/64.
static bool find_equilibrium(pliant_sim *sim, StepReport *report, Error *error) {
  const SimulationSettings settings = *simulation_settings(sim->session.simulation);
  const double *g = settings.gravity;
  bool ok = balance(sim, g, 1, report, error);
  const bool weightless = g[0] == 0 && g[1] == 0 && g[2] == 0;
  double factor = ok && (report->converged || weightless) ? 1 : 0, increment = 0.25;
  while (ok && factor < 1 && increment >= 1.0 / 64) {
    progress_set("finding the equilibrium", factor);
    const double next = fmin(factor + increment, 1);
    ok = balance(sim, g, next, report, error);
    if (report->converged) {
      factor = next;
      increment *= 2;
    } else
      increment /= 2;
  }
  Error second = { 0 };
  return simulation_adjust(sim->session.simulation, &settings, ok ? error : &second) && ok;
}

// Returns true if pins, grabs, the floor, obstacles or other bodies may hold the body.
static bool is_held(const pliant_sim *sim) {
  const Session *session = &sim->session;
  const SimulationSettings *s = simulation_settings(session->simulation);
  bool held = sim->grab_count > 0 || s->has_floor || s->obstacle_count > 0 || s->self_contact;
  for (int a = 0; !held && a < session->mesh.node_count; a++) held = session->pinned[a] != 0;
  return held;
}

int pliant_equilibrium(pliant_sim *sim) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  if (check_uncut(sim, "its equilibrium cannot be computed")) return PLIANT_NOT_NOW;
  Session *session = &sim->session;
  StepReport report = { 0 };
  const bool saved = session_script_apply_now(session, &error) && write_state(sim, &error);
  const bool ok = saved && find_equilibrium(sim, &report, &error);
  api_sim_changed(sim);
  Error second = { 0 };
  if (saved && (!ok || !report.converged)) read_state(sim, sim->state, sim->state_size, &second);
  if (!ok) return api_sim_result(sim, &error, PLIANT_STEP_FAILED);
  if (report.converged) {
    progress_set("finding the equilibrium", 1);
    return PLIANT_OK;
  }
  if (!sim->stopping && !is_held(sim))
    return api_fail(PLIANT_STEP_FAILED,
                    "no equilibrium was found: nothing holds the body; pin or grab some of its nodes");
  char why[400];
  newton_trouble_text(&report, why, sizeof why);
  return api_fail(sim->stopping ? PLIANT_STOPPED : PLIANT_STEP_FAILED, "no equilibrium was found: %s", why);
}

int pliant_get_report(const pliant_sim *sim, pliant_report *report) {
  if (api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  const Simulation *simulation = sim->session.simulation;
  const StepReport *r = &sim->report;
  const pliant_report made = { .step = simulation_step_count(simulation),
                               .time = simulation_time(simulation),
                               .converged = sim->stepped && r->converged,
                               .newton_iterations = r->newton_iterations,
                               .cg_iterations = r->cg_iterations,
                               .substeps = r->substeps,
                               .residual = r->residual,
                               .tolerance = r->tolerance,
                               .min_J = r->min_J,
                               .cause = sim->cause };
  return api_give_struct(report, &made, sizeof made);
}

// Clears the report of the last step.
static void clear_report(pliant_sim *sim) {
  sim->report = (StepReport){ 0 };
  sim->stepped = false;
  sim->cause[0] = '\0';
}

bool api_begin_reset(pliant_sim *sim, Error *error) {
  Session *session = &sim->session;
  clear_report(sim);
  sim->grab_count = 0;
  api_sim_changed(sim);
  if (!simulation_set_obstacles(session->simulation, session->scene.simulation.obstacles, error)) return false;
  if (!simulation_release(session->simulation, 0, error)) return false;
  if (!session_give_forces(session, NULL, error)) return false;
  return session_begin_reset(session, error);
}

bool api_end_reset(pliant_sim *sim, Error *error) {
  bool changed;
  return session_end_reset(&sim->session, error) && session_unpin(&sim->session, true, &changed, error);
}

static bool reset(pliant_sim *sim, Error *error) {
  return api_begin_reset(sim, error) && simulation_end_reset(sim->session.simulation, error) &&
         api_end_reset(sim, error);
}

int pliant_reset(pliant_sim *sim) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  reset(sim, &error);
  return api_sim_result(sim, &error, PLIANT_NO_MEMORY);
}

// Appends the checksum of the state to sim->state.
static bool append_checksum(pliant_sim *sim, Error *error) {
  const uint32_t sum = (uint32_t)crc32_z(0, (const unsigned char *)sim->state, sim->state_size);
  fwrite(&sum, sizeof sum, 1, sim->state_stream);
  if (fflush(sim->state_stream) == 0 && !ferror(sim->state_stream)) return true;
  free_state(sim);
  return error_set(error, "out of memory: cannot store the state of the simulation; close other programs");
}

// Tests the mark at the start of `bytes` [size], and the checksum at their end.
static bool is_whole(const unsigned char *bytes, size_t size, Error *error) {
  uint32_t sum;
  if (size < sizeof STATE_MARK || memcmp(bytes, STATE_MARK, sizeof STATE_MARK) != 0)
    return error_set(error, "the bytes are not a state that was written by pliant_save of this version");
  if (size >= sizeof STATE_MARK + sizeof sum) {
    memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
    if (sum == (uint32_t)crc32_z(0, bytes, size - sizeof sum)) return true;
  }
  return error_set(error, "the state is damaged or incomplete; pass all bytes that pliant_save wrote");
}

int pliant_save(pliant_sim *sim, void *bytes, size_t capacity, size_t *needed) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  const int status = check_uncut(sim, "its state cannot be saved");
  if (status) return status;
  if (!write_state(sim, &error) || !append_checksum(sim, &error)) return api_sim_result(sim, &error, PLIANT_NO_MEMORY);
  return api_give(sim->state, sim->state_size, bytes, capacity, needed, "the state");
}

int pliant_load(pliant_sim *sim, const void *bytes, size_t size) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim") || api_need(bytes, "bytes")) return PLIANT_BAD_ARGUMENT;
  if (!is_whole(bytes, size, &error)) return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
  if (sim->session.form != sim->session.scene_form && !reset(sim, &error))
    return api_sim_result(sim, &error, PLIANT_NO_MEMORY);
  if (!write_state(sim, &error)) return api_sim_result(sim, &error, PLIANT_NO_MEMORY);
  api_sim_changed(sim);
  Error second = { 0 };
  if (read_state(sim, bytes, size - sizeof(uint32_t), &error)) {
    clear_report(sim);
    energy_budget_begin(&sim->session.budget);
  } else if (!read_state(sim, sim->state, sim->state_size, &second)) {
    reset(sim, &second);
  }
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}

// Arguments of the threads that create copies of a sim.
typedef struct Cloning {
  pliant_sim **copies;
  const pliant_sim *sim;  // the sim that is copied; sim->state contains its present state as bytes
  const Scene *now;       // scene of the copied sim, with its present settings
  Error *errors;          // [number of copies]
} Cloning;

static void clone_one(const Cloning *c, int k) {
  Error *error = &c->errors[k];
  pliant_sim *made = sparse_new(sizeof *made, "the sim", error);
  if (!made) return;
  if (pliant_scene_copy(&made->scene, c->sim->scene)) error_set(error, "%s", pliant_error());
  if (!error->message[0] && session_create(&made->session, c->now, error) &&
      read_state(made, c->sim->state, c->sim->state_size, error)) {
    made->report = c->sim->report;
    made->stepped = c->sim->stepped;
    memcpy(made->cause, c->sim->cause, sizeof made->cause);
    c->copies[k] = made;
    return;
  }
  pliant_sim_destroy(made);
}

static void drop_notice(const char *line, void *user) {
  (void)line, (void)user;
}

// Creates copies first + 1 to last, counted from 0. Drops their progress and notices, which repeat those of copy 0.
static void clone_some(const void *cloning, int first, int last) {
  NUMBERS_WITH_POINT_HERE;
  DEVICE_RESTORE_HERE;
  API_HEAR(&(const Listener){ .log = drop_notice });
  for (int k = first + 1; k <= last; k++) clone_one(cloning, k);
}

// Creates all copies, one or more. If one fails, destroys all of them and returns the error of the first that failed.
static bool clone_all(const Cloning *c, int count, Error *error) {
  clone_one(c, 0);
  if (count > 1 && c->copies[0]) parallel_for_parts(count - 1, clone_some, c);
  int made = 0;
  while (made < count && c->copies[made]) made++;
  if (made == count) return true;
  *error = c->errors[made];
  for (int k = 0; k < count; k++) {
    pliant_sim_destroy(c->copies[k]);
    c->copies[k] = NULL;
  }
  return false;
}

int pliant_sim_clone(pliant_sim **copies, int count, pliant_sim *sim) {
  API_SIM_CHANGE(sim);
  if (api_need(copies, "copies") || api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  if (count < 0) return api_fail(PLIANT_BAD_ARGUMENT, "count is %d, expected 0 or more", count);
  const int status = check_uncut(sim, "the sim cannot be cloned");
  if (status) return status;
  GivenMeshes meshes;
  Scene *now = api_scene_read(sim->scene, &meshes, &error);
  const bool ok = now && write_state(sim, &error);
  if (ok) {
    const SimulationSettings *s = simulation_settings(sim->session.simulation);
    options_copy(simulation_options, APPLIES_LIVE, &now->simulation, s);
    options_copy(simulation_options, APPLIES_ON_REBUILD, &now->simulation, s);
    options_copy(simulation_options, APPLIES_TO_STAGE, &now->simulation, s);
    memcpy(now->device, sim->session.scene.device, sizeof now->device);
  }

  Error *errors = ok && count > 0 ? array_new(count, sizeof *errors, "the copies", &error) : NULL;
  if (errors) {
    for (int k = 0; k < count; k++) copies[k] = NULL;
    clone_all(&(Cloning){ copies, sim, now, errors }, count, &error);
  }
  free(errors);
  free(now);
  return api_sim_result(sim, &error, PLIANT_NO_MEMORY);
}
