// Stores the last steps of a session: see timeline.h.
#include "live/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory_stream.h"
#include "scene/session_form.h"
#include "scene/session_state.h"

void timeline_begin(Timeline *t, int64_t steps, size_t bytes) {
  *t = (Timeline){ .steps_max = steps, .bytes_max = bytes, .due = true };
}

static void moment_destroy(Moment *moment) {
  form_release(moment->form);
  free(moment->bytes);
  *moment = (Moment){ 0 };
}

void timeline_drop_between(Timeline *t) {
  while (t->between_count > 0) moment_destroy(&t->between[--t->between_count]);
}

void timeline_destroy(Timeline *t) {
  timeline_drop_between(t);
  moment_destroy(&t->home);
  for (int64_t k = 0; k < t->moment_count; k++) moment_destroy(&t->moment[k]);
  free(t->moment);
  free(t->command);
  *t = (Timeline){ 0 };
}

int64_t timeline_first(const Timeline *t) {
  return t->moment_count ? t->moment[0].at : t->now;
}

static bool moment_take(Moment *moment, int64_t at, Session *session, const SessionPull *mouse, Error *error) {
  *moment = (Moment){ .at = at, .settings = *simulation_settings(session->simulation), .mouse = *mouse };
  moment->form = form_hold(session->form);
  moment->cut_until = session->cut_until;
  FILE *file = memory_stream(&moment->bytes, &moment->size);
  bool ok = file != NULL;
  if (ok) fwrite(session->pinned, 1, (size_t)session->mesh.node_count, file);
  ok = ok && session_motion_write(session, file, error);
  if (file && fclose(file) != 0) ok = false;
  if (ok) return true;
  moment_destroy(moment);
  return error_set(error, "out of memory: cannot store the timeline; close other programs");
}

bool moment_restore(const Moment *moment, Session *session, SessionPull *mouse, Error *error) {
  if (!session_take_form(session, moment->form, error)) return false;
  session->cut_until = moment->cut_until;
  const size_t nodes = (size_t)session->mesh.node_count;
  const SimulationSettings *now = simulation_settings(session->simulation);
  bool rebuilds = false, adjusts = false;
  const uint64_t alike = options_alike(simulation_options, now, &moment->settings);
  for (int k = 0; simulation_options[k].key; k++) {
    if (alike >> k & 1) continue;
    adjusts = adjusts || simulation_options[k].applies == APPLIES_LIVE;
    rebuilds = rebuilds || simulation_options[k].applies != APPLIES_LIVE;
  }
  if (rebuilds && !session_switch(session, &moment->settings, error)) return false;
  if (adjusts && !session_adjust(session, &moment->settings, error)) return false;
  if (memcmp(session->pinned, moment->bytes, nodes) != 0) {
    memcpy(session->pinned, moment->bytes, nodes);
    if (!simulation_set_pins(session->simulation, session->pinned, error)) return false;
  }
  Bytes bytes = { .at = (unsigned char *)moment->bytes + nodes, .end = (unsigned char *)moment->bytes + moment->size };
  *mouse = moment->mouse;
  return session_motion_restore(session, &bytes, error);
}

// Drops the oldest stored state of the session. Also drops the mouse commands before the oldest remaining state,
// because steps are repeated only from there on.
static void drop_oldest(Timeline *t) {
  int64_t before = 0;
  t->bytes -= t->moment[0].size;

  // Successive states may share one form (mesh). Its bytes are counted only in the first of these states. If the next
  // state has the same form, it becomes the state that counts them.
  if (t->moment_count > 1 && t->moment[1].form == t->moment[0].form)
    t->moment[1].form_bytes = t->moment[0].form_bytes;
  else
    t->bytes -= t->moment[0].form_bytes;
  moment_destroy(&t->moment[0]);
  memmove(t->moment, t->moment + 1, sizeof *t->moment * (size_t)--t->moment_count);
  while (before < t->command_count && t->command[before].at < timeline_first(t)) before++;
  if (!before) return;
  t->command_count -= before;
  memmove(t->command, t->command + before, sizeof *t->command * (size_t)t->command_count);
}

static void drop_newest(Timeline *t) {
  Moment *last = &t->moment[--t->moment_count];
  t->bytes -= last->size + last->form_bytes;
  moment_destroy(last);
}

bool timeline_leave(Timeline *t, Session *session, const SessionPull *mouse, Error *error) {
  if (t->visited) return true;
  moment_destroy(&t->home);
  return moment_take(&t->home, t->now, session, mouse, error);
}

void timeline_drop_rest(Timeline *t) {
  timeline_drop_between(t);
  moment_destroy(&t->home);
  while (t->moment_count > 0 && t->moment[t->moment_count - 1].at >= t->now) drop_newest(t);
  while (t->command_count > 0 && t->command[t->command_count - 1].at >= t->now) t->command_count--;
  t->newest = t->now;
  t->due = true;
}

static bool is_of_mouse(CommandKind kind) {
  return kind == COMMAND_GRAB || kind == COMMAND_DRAG || kind == COMMAND_RELEASE;
}

bool timeline_note(Timeline *t, const Command *command, Error *error) {
  if (!t->steps_max) return true;
  if (!is_of_mouse(command->kind)) {
    t->due = true;
    return true;
  }
  if (!array_reserve((void **)&t->command, &t->command_capacity, t->command_count + 1, sizeof *t->command,
                     "the timeline", error))
    return false;
  t->command[t->command_count++] = (TimedCommand){ t->now, *command };
  return true;
}

bool timeline_step_begins(Timeline *t, Session *session, const SessionPull *mouse, Error *error) {
  if (!t->steps_max) return true;
  const int64_t last = t->moment_count ? t->moment[t->moment_count - 1].at : 0;
  if (t->moment_count && !t->due && t->now - last < TIMELINE_GAP) return true;
  Error full = { 0 };
  if (!array_reserve((void **)&t->moment, &t->moment_capacity, t->moment_count + 1, sizeof *t->moment, "the timeline",
                     error))
    return false;

  // If memory is short, drop all stored states, and try to store the state before the next step.
  if (!moment_take(&t->moment[t->moment_count], t->now, session, mouse, &full)) {
    while (t->moment_count > 0) drop_oldest(t);
    return t->due = true;
  }

  // The bytes of a form (mesh) are counted only in the first state with this form. The scene's initial form is not
  // counted, since the session keeps this form anyway.
  Moment *made = &t->moment[t->moment_count++];
  if (made->form != session->scene_form && (t->moment_count == 1 || made[-1].form != made->form))
    made->form_bytes = made->form->bytes;
  t->bytes += made->size + made->form_bytes;
  t->due = false;
  while (t->moment_count > 1 && (t->moment[1].at <= t->newest - t->steps_max || t->bytes > t->bytes_max))
    drop_oldest(t);
  return true;
}

void timeline_step_ends(Timeline *t, bool taken) {
  if (!t->steps_max) return;
  if (taken) {
    t->newest = ++t->now;
    return;
  }
  // Drop the state that was stored before the failed step. Before the step is tried again, the user may give commands
  // that change this state; it is then stored again.
  if (t->moment_count && t->moment[t->moment_count - 1].at == t->now) {
    drop_newest(t);
    t->due = true;
  }
}

const Moment *timeline_before(const Timeline *t, int64_t position) {
  if (t->home.bytes && t->home.at == position) return &t->home;
  for (int k = t->between_count - 1; k >= 0; k--)
    if (t->between[k].at == position) return &t->between[k];
  for (int64_t k = t->moment_count - 1; k >= 0; k--)
    if (t->moment[k].at < position || k == 0) return &t->moment[k];
  return NULL;
}

bool timeline_keep_between(Timeline *t, int64_t position, Session *session, const SessionPull *mouse, Error *error) {
  return t->between_count == TIMELINE_GAP ||
         (moment_take(&t->between[t->between_count], position, session, mouse, error) && ++t->between_count > 0);
}
