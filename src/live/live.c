// Applies a user's commands to a running session: see live.h.
#include "live/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "live/live_save.h"
#include "scene/asset_path.h"
#include "scene/session_form.h"
#include "scene/session_state.h"

// Reads the light of the surroundings. If there is no such file, reads the shipped file of this name, and changes the
// path.
static bool read_environment(Live *live, Scene *scene, Error *error) {
  char shipped[SCENE_PATH_LENGTH];
  if (!scene_has_environment(scene)) return true;
  asset_path(scene->environment, shipped);
  if (access(scene->environment, F_OK) != 0 && access(shipped, F_OK) == 0)
    memcpy(scene->environment, shipped, sizeof shipped);
  live->environment = environment_light_read(scene->environment, error);
  return live->environment || error_prefix(error, "%s: environment", scene->path);
}

bool live_create(Live *live, const Scene *scene, Error *error) {
  live->speed = scene->speed;
  live->style = scene->style;
  Scene *shown = array_new(1, sizeof *shown, "the scene", error);
  if (shown) {
    *shown = *scene;
    shown->shows_crossings = true;
  }
  bool ok = shown && read_environment(live, shown, error) && session_create(&live->session, shown, error);
  free(shown);
  if (ok) live->session.mouse = &live->mouse;
  return ok;
}

bool live_create_logged(Live *live, const Scene *scene, const InputReader *reader, Error *error) {
  if (!reader->file) return live_create(live, scene, error);
  return (live_create(live, scene, error) || input_reader_prefix(reader, error)) &&
         input_reader_fits(reader, &live->session, error);
}

void live_destroy(Live *live) {
  Error ignored = { 0 };
  live_log_end(live, &ignored);
  hold_history_destroy(&live->holds);
  timeline_destroy(&live->timeline);
  free(live->environment);
  session_destroy(&live->session);
}

bool live_hand_over(Live *live, char **bytes, size_t *size, Error *error) {
  FILE *file = memory_stream(bytes, size);
  const bool ok = file && session_hand_over(&live->session, file, error);
  const bool closed = file && fclose(file) == 0;
  return ok && (closed || error_set(error, "out of memory: cannot store the motion; close other programs"));
}

bool live_take_over(Live *live, const char *bytes, size_t size, Error *error) {
  live->pin_version++;
  return session_take_over(&live->session, bytes, size, error);
}

// Limit, bytes, of the memory for the timeline's stored states, used if the amount of free memory is unknown.
static const size_t UNKNOWN_FRACTION = 256 << 20;

void live_keep_history(Live *live) {
  const size_t free = memory_bound(memory_of_host());
  timeline_begin(&live->timeline, TIMELINE_STEPS, free ? free / 8 : UNKNOWN_FRACTION);
}

bool live_log(Live *live, const char *path, Error *error) {
  return input_log_open(&live->log, path, &live->session, error);
}

bool live_log_end(Live *live, Error *error) {
  return input_log_close(&live->log, live->steps_taken, error);
}

static bool let_go(SessionPull *grab, Simulation *simulation, Error *error) {
  const int id = grab->id;
  if (grab->pushes > 0 && !simulation_push(simulation, NULL, NULL, error)) return false;
  grab->id = 0;
  grab->pushes = 0;
  return !id || simulation_release(simulation, id, error);
}

// Begins a push by the mouse: places the ball (a rigid sphere that follows the mouse) at its start position. For the
// first push, the simulation is created again, with the ball as an additional contact surface. The new simulation
// cannot repeat the earlier steps with equal bits. So their stored states are dropped, and the timeline begins here.
static bool take_ball(Live *live, const Command *c, Error *error) {
  Session *session = &live->session;
  Timeline *t = &live->timeline;
  bool made = false;
  if (!let_go(&live->mouse, session->simulation, error)) return false;
  if (!(c->radius > 0))
    return error_set(error, "the radius of the pushing ball is %g m; expected more than 0", c->radius);
  if (!session_make_pusher(session, c->radius, &made, error)) return false;
  if (made && t->steps_max > 0) {
    const int64_t steps_max = t->steps_max;
    const size_t bytes_max = t->bytes_max;
    timeline_destroy(t);
    timeline_begin(t, steps_max, bytes_max);
  }
  if (!simulation_push(session->simulation, c->point, c->point, error))
    return error_prefix(error, "the pushing ball does not fit here");
  live->mouse = (SessionPull){ .pushes = simulation_settings(session->simulation)->pusher };
  memcpy(live->mouse.nodes, c->nodes, sizeof live->mouse.nodes);
  memcpy(live->mouse.barycentric, c->barycentric, sizeof live->mouse.barycentric);
  memcpy(live->mouse.start, c->point, sizeof live->mouse.start);
  return true;
}

static bool take_hold(Live *live, const Command *c, Error *error) {
  Session *session = &live->session;
  Simulation *simulation = session->simulation;

  // The picked triangle may no longer exist: tearing, which removes cells with too much stress, may have removed its
  // nodes since the command was sent.
  for (int a = 0; a < 3; a++)
    if (c->nodes[a] >= session->mesh.node_count) return true;
  const int body = mesh_body(&session->mesh, c->nodes[0]);
  const double stiffness = c->stiffness > 0 ? c->stiffness : simulation_mouse_stiffness(simulation, body);
  SessionPull *grab = &live->mouse;
  if (!let_go(&live->mouse, simulation, error)) return false;
  *grab = (SessionPull){ 0 };
  memcpy(grab->nodes, c->nodes, sizeof grab->nodes);
  memcpy(grab->barycentric, c->barycentric, sizeof grab->barycentric);
  memcpy(grab->start, c->point, sizeof grab->start);
  return session->form == session->scene_form
             ? simulation_grab(simulation, c->X, c->radius, stiffness, &grab->id, error)
             : simulation_grab_part(simulation, c->nodes[0], c->X, c->radius, stiffness, &grab->id, error);
}

// Returns true if the pull of the mouse can be kept. Refuses the command if too many pulls are kept already.
static bool can_keep(Live *live) {
  if (!live->mouse.id) return false;
  if (live->session.pull_count < SESSION_PULLS_MAX) return true;
  snprintf(live->refused, sizeof live->refused, "%d pulls are kept, which is the maximum; release them first (key L)",
           SESSION_PULLS_MAX);
  return false;
}

static void keep(Live *live) {
  memcpy(live->mouse.goal, live->mouse.offset, sizeof live->mouse.goal);
  live->session.pulls[live->session.pull_count++] = live->mouse;
  live->mouse.id = 0;
}

static bool let_all_go(Live *live, Error *error) {
  Session *session = &live->session;
  bool ok = let_go(&live->mouse, session->simulation, error);
  while (session->pull_count > 0) ok = let_go(&session->pulls[--session->pull_count], session->simulation, error) && ok;
  return ok;
}

// Releases the nodes that the user has pinned. If `again` is true, also pins those nodes of the scene's pins that the
// user has released.
static bool unpin(Live *live, bool again, Error *error) {
  bool changed;
  if (!session_unpin(&live->session, again, &changed, error)) return false;
  live->pin_version += changed;
  return true;
}

// Stores in live->refused the reason why a command was not applied or not logged. The session continues.
static void refuse(Live *live, const Error *why) {
  snprintf(live->refused, sizeof live->refused, "%.255s", why->message);
}

// Stores in live->refused why settings were not applied. The text begins with the label of the number that the user has
// changed in the panel.
static void refuse_settings(Live *live, const Command *c, Error *why) {
  if (c->field[0]) error_prefix(why, "%s", c->field);
  refuse(live, why);
}

static void cut(Live *live, const Blade *blade) {
  CutReport report;
  Error why = { 0 };
  if (!session_cut(&live->session, blade, &report, &why))
    refuse(live, &why);
  else if (report.copies == 0)
    snprintf(live->refused, sizeof live->refused, "the cut line did not cross the body; draw it across the body");
  else {
    live->cuts++;
    live->cut_at = live->timeline.now;
  }
}

// After a cut or tear, drops the undo history, because its pins (held nodes) and pulls (springs by which the user pulls
// nodes) refer to node numbers before the cut or tear.
static void see_form(Live *live) {
  if (live->form_changes == live->session.form_changes) return;
  live->form_changes = live->session.form_changes;
  hold_history_destroy(&live->holds);
  live->pin_version++;
}

static bool go_to(Live *live, int64_t to, Error *error);

static bool apply(Live *live, const Command *c, Error *error) {
  Session *session = &live->session;
  Error why = { 0 };
  bool done;
  switch (c->kind) {
    case COMMAND_GRAB:
      if (!c->pushes) return take_hold(live, c, error);
      if (!take_ball(live, c, &why)) refuse(live, &why);
      return true;
    case COMMAND_DRAG:
      memcpy(live->mouse.goal, c->offset, sizeof live->mouse.goal);
      live->drag_frame = c->frame;
      return true;
    case COMMAND_RELEASE:
      return let_go(&live->mouse, session->simulation, error);
    case COMMAND_KEEP:
      if (!can_keep(live)) return true;
      if (!hold_history_note(&live->holds, session, error)) return false;
      keep(live);
      return true;
    case COMMAND_RELEASE_ALL:
      return hold_history_note(&live->holds, session, error) && let_all_go(live, error) && unpin(live, false, error);
    case COMMAND_PIN:
      live->pin_version++;
      return hold_history_note(&live->holds, session, error) && session_pin(session, c->X, c->radius, error);
    case COMMAND_UNDO:
    case COMMAND_REDO:
      live->pin_version++;
      return hold_history_go(&live->holds, session, c->kind == COMMAND_REDO, &done, error);
    case COMMAND_PAUSE:
      live->paused = !live->paused;
      return true;
    case COMMAND_STEP:
      live->paused = live->single_step = true;
      return true;
    case COMMAND_RESET:
      live->resets++;
      if (!hold_history_note(&live->holds, session, error)) return false;
      if (!let_all_go(live, error)) return false;
      if (!session_reset(session, error)) return false;
      return unpin(live, true, error);
    case COMMAND_ADJUST:
      if (session_adjust(session, &c->settings, &why))
        live->speed = c->speed;
      else
        refuse_settings(live, c, &why);
      return true;
    case COMMAND_SWITCH:
      if (!session_switch(session, &c->settings, &why)) refuse_settings(live, c, &why);
      return true;
    case COMMAND_VIEW:
      live->camera = c->camera;
      live->style = c->style;
      live->view_version++;
      return true;
    case COMMAND_GO:
      return go_to(live, c->to, error);
    case COMMAND_CUT:
      cut(live, &c->blade);
      return true;
    case COMMAND_SAVE:
      if (live_save(live, &c->camera, &c->views, &c->style, c->stiffness, c->radius, c->path, &why))
        live->saved++;
      else
        refuse(live, &why);
      return true;
    case COMMAND_QUIT:
      return true;
  }
  return true;
}

// Returns true if a command of this kind can change the motion of the body.
static bool moves_on(CommandKind kind) {
  return kind != COMMAND_PAUSE && kind != COMMAND_STEP && kind != COMMAND_VIEW && kind != COMMAND_GO &&
         kind != COMMAND_SAVE && kind != COMMAND_QUIT;
}

// Must be called before the session continues. If the user has moved it to another step, releases the nodes or the ball
// of the mouse. Also drops the stored steps after this step, because the new motion will differ from the stored motion.
static bool go_on(Live *live, Error *error) {
  Timeline *t = &live->timeline;
  if (!t->visited) return true;
  t->visited = false;
  if (t->now < t->newest) timeline_drop_rest(t);
  if (!live->mouse.id && !(live->mouse.pushes > 0)) return true;
  t->due = true;
  return let_go(&live->mouse, live->session.simulation, error);
}

bool live_apply(Live *live, const Command *sent, Error *error) {
  Error stopped = { 0 };
  Command now = *sent;
  const Command *command = &now;
  options_copy_rows(simulation_options, sent->unchanged, &now.settings, simulation_settings(live->session.simulation));
  live->refused[0] = '\0';

  // Log the command before it is applied, because the log compares its settings with the present ones and stores only
  // those that differ.
  if (!input_log_add(&live->log, live->steps_taken, command, &live->session, &stopped))
    log_notice("%s", stopped.message);
  if (moves_on(command->kind) && (!go_on(live, error) || !timeline_note(&live->timeline, command, error))) return false;
  const bool ok = apply(live, command, error);
  see_form(live);

  // If the log could not be written, report this once, in `refused` of the first command after the failure that is not
  // refused for another reason.
  if (live->log.fault.message[0] && !live->refused[0] && !live->log_refused) {
    refuse(live, &live->log.fault);
    live->log_refused = true;
  }
  live->refusals += live->refused[0] != 0;
  return ok;
}

bool live_next_logged(const Live *live, InputReader *reader, Command *command, Error *error) {
  while (input_reader_next(reader, live->steps_taken, &live->session, &live->camera, &live->style, command, error))
    if (command->kind != COMMAND_PAUSE && command->kind != COMMAND_STEP) return true;
  return false;
}

// Moves the target of the pulled nodes, or the pushing ball, towards the position of the mouse. In one step the target
// or the ball moves by at most `reach` m, so that the body can follow.
static bool follow_mouse(Live *live, Error *error) {
  Simulation *simulation = live->session.simulation;
  SessionPull *grab = &live->mouse;
  double from[3], to[3];
  if (!grab->id && !(grab->pushes > 0)) return true;
  const int body = mesh_body(&live->session.mesh, grab->nodes[0]);
  const double reach = simulation_mouse_speed(simulation, body) * simulation_settings(simulation)->dt;
  double left[3], length2 = 0;
  for (int i = 0; i < 3; i++) {
    left[i] = grab->goal[i] - grab->offset[i];
    length2 += left[i] * left[i];
  }
  const double part = length2 > reach * reach ? reach / sqrt(length2) : 1;
  for (int i = 0; i < 3; i++) {
    from[i] = grab->start[i] + grab->offset[i];
    grab->offset[i] += part * left[i];
    to[i] = grab->start[i] + grab->offset[i];
  }
  if (grab->pushes > 0) return simulation_push(simulation, from, to, error);
  return simulation_drag(simulation, grab->id, grab->offset, error);
}

// Takes a step. While the user pushes the body with a ball (a rigid sphere that follows the mouse), a step may fail.
// Then the ball is put back to `offset`, its displacement before the step, and the step is taken again with the ball at
// rest.
static bool step_session(Live *live, const double offset[3], StepReport *report, Error *error) {
  Session *session = &live->session;
  Error why = { 0 };
  if (session_step(session, report, &why)) return true;
  if (!(live->mouse.pushes > 0) || report->cause == NEWTON_STOPPED) return error_set(error, "%s", why.message);
  double at[3];
  for (int i = 0; i < 3; i++) {
    live->mouse.offset[i] = offset[i];
    at[i] = live->mouse.start[i] + offset[i];
  }
  return simulation_push(session->simulation, at, at, error) && session_step(session, report, error);
}

// Applies the mouse commands that the timeline stores for position `at`, when the steps from there are repeated.
static bool repeat_commands(Live *live, int64_t at, Error *error) {
  const Timeline *t = &live->timeline;
  bool ok = true;
  for (int64_t k = 0; ok && k < t->command_count; k++)
    if (t->command[k].at == at) ok = apply(live, &t->command[k].command, error);
  return ok;
}

// Repeats the steps from position *at to position `to` of the timeline. On entry, the session must have the state at
// *at. The state after each repeated step is stored. *at becomes the position that was reached; after an interrupt it
// is below `to`.
static bool repeat_steps(Live *live, int64_t *at, int64_t to, Error *error) {
  Timeline *t = &live->timeline;
  const int64_t from = *at;
  StepReport report = { 0 };
  if (from < to) timeline_drop_between(t);
  for (; *at < to; ++*at) {
    // The stored state at the first position already includes the effect of the commands at this position.
    if (*at > from && !repeat_commands(live, *at, error)) return false;
    double offset[3];
    memcpy(offset, live->mouse.offset, sizeof offset);
    if (!follow_mouse(live, error)) return false;
    Error why = { 0 };
    if (!step_session(live, offset, &report, &why))
      return report.cause == NEWTON_STOPPED || error_set(error, "%s", why.message);
    if (!timeline_keep_between(t, *at + 1, &live->session, &live->mouse, error)) return false;
  }
  return true;
}

static bool go_to(Live *live, int64_t to, Error *error) {
  Timeline *t = &live->timeline;
  Session *session = &live->session;
  const Moment *moment = timeline_before(t, to);
  if (to == t->now) return true;
  if (!moment || to < timeline_first(t) || to > t->newest) {
    snprintf(live->refused, sizeof live->refused, "step %lld is not in the timeline, which contains steps %lld to %lld",
             (long long)to, (long long)timeline_first(t), (long long)t->newest);
    return true;
  }

  int64_t at = moment->at;
  const int64_t drag_frame = live->drag_frame, stepped = session->stepped, idle = session->idle,
                unconverged = session->unconverged;
  live->pin_version++;
  const bool ok = timeline_leave(t, session, &live->mouse, error) &&
                  moment_restore(moment, session, &live->mouse, error) && repeat_steps(live, &at, to, error);
  live->drag_frame = drag_frame;
  session->stepped = stepped;
  session->idle = idle;
  session->unconverged = unconverged;
  energy_budget_begin(&session->budget);  // its sums include steps that may now be undone
  t->now = at;
  t->visited = true;
  return ok;
}

bool live_step(Live *live, StepReport *report, Error *error) {
  const bool single_step = live->single_step;
  const double elapsed = live->elapsed;
  double offset[3];
  memcpy(offset, live->mouse.offset, sizeof offset);
  *report = (StepReport){ 0 };
  if (!go_on(live, error) || !timeline_step_begins(&live->timeline, &live->session, &live->mouse, error)) return false;
  live->single_step = false;
  live->steps_taken++;
  live->elapsed += simulation_settings(live->session.simulation)->dt;
  const bool taken = follow_mouse(live, error) && step_session(live, offset, report, error);
  timeline_step_ends(&live->timeline, taken);
  see_form(live);
  live->pin_version += live->session.crossings > 0 || live->crossed;
  live->crossed = live->session.crossings > 0;
  if (taken) return true;
  if (report->cause == NEWTON_STOPPED) {
    live->single_step = single_step;
    live->steps_taken--;
    live->elapsed = elapsed;
    memcpy(live->mouse.offset, offset, sizeof offset);
    if (live->mouse.id) simulation_drag(live->session.simulation, live->mouse.id, offset, error);
  }
  return false;
}

bool live_write_picture(Live *live, float *memory, Error *error) {
  Simulation *simulation = live->session.simulation;
  const size_t nodes = (size_t)live->session.mesh.node_count;
  float *values = memory + 3 * nodes, *vectors = values + nodes + FIELD_EXTRA;
  const Style *style = &live->style;
  return simulation_write_positions(simulation, memory, error) &&
         (style->field == FIELD_NONE || simulation_write_field(simulation, style->field, values, error)) &&
         (style->vectors == VECTORS_NONE || simulation_write_vectors(simulation, style->vectors, vectors, error));
}

static Spring spring_of(const SessionPull *grab) {
  Spring spring;
  memcpy(spring.nodes, grab->nodes, sizeof spring.nodes);
  memcpy(spring.barycentric, grab->barycentric, sizeof spring.barycentric);
  for (int i = 0; i < 3; i++) spring.target[i] = grab->start[i] + grab->goal[i];
  return spring;
}

bool live_ball(const Live *live, double *radius, double middle[3]) {
  const SessionPull *ball = &live->mouse;
  *radius = ball->pushes;
  for (int i = 0; i < 3; i++) middle[i] = ball->start[i] + ball->offset[i];
  return ball->pushes > 0;
}

void live_marks(const Live *live, uint8_t *marks) {
  const Session *session = &live->session;
  for (int a = 0; a < session->mesh.node_count; a++)
    marks[a] = (uint8_t)(session->pinned[a] | (session->crossing && session->crossing[a] ? MARK_CROSSES : 0));
}

void live_springs(Live *live, Spring springs[LIVE_SPRINGS_MAX], int *count) {
  drag_springs_update(&live->drags, &live->session);
  *count = live->drags.count;
  memcpy(springs, live->drags.springs, sizeof *springs * (size_t)*count);
  for (int k = 0; k < live->session.pull_count; k++) springs[(*count)++] = spring_of(&live->session.pulls[k]);
  if (live->mouse.id) springs[(*count)++] = spring_of(&live->mouse);
}
