// Undo and redo: see view.h. Changes by a slider or the wheel that follow each other in less than MOMENT make one entry
// for undo.
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "window/view.h"
#include "window/view_tools.h"

static const double MOMENT = 0.7;  // s, largest time between two changes that share an entry

static Change *add_change(History *h) {
  if (h->now == HOLD_CHANGES_MAX) memmove(h->change, h->change + 1, sizeof *h->change * (size_t)--h->now);
  Change *made = &h->change[h->now++];
  h->count = h->now;
  *made = (Change){ 0 };
  return made;
}

static void restore_view(View *view, const Command *view_of) {
  view->camera = view->history.camera = view_of->camera;
  view->style = view->history.style = view_of->style;
}

void view_forget(View *view) {
  view->history.count = view->history.now = 0;
  view->history.changed_at = 0;
  view->history.camera = view->camera;
  view->history.style = view->style;
}

void view_note(View *view, bool goes_on) {
  History *h = &view->history;
  const double now = timer_seconds();
  const bool same_moment = goes_on && now - h->changed_at < MOMENT;
  if (goes_on) h->changed_at = now;
  if (same_moment || !view->sim || view->sim->replay.file) return;
  if (memcmp(&view->camera, &h->camera, sizeof h->camera) == 0 && memcmp(&view->style, &h->style, sizeof h->style) == 0)
    return;
  Change *change = add_change(h);
  change->kind = CHANGE_VIEW;
  change->before.camera = h->camera;
  change->before.style = h->style;
  change->after.camera = h->camera = view->camera;
  change->after.style = h->style = view->style;
}

void view_note_cut(View *view, int64_t at) {
  History *h = &view->history;
  int kept = 0;
  for (int k = 0; k < h->now; k++)
    if (h->change[k].kind != CHANGE_HOLD) h->change[kept++] = h->change[k];
  h->now = h->count = kept;
  if (view->sim->replay.file) return;
  Change *change = add_change(h);
  change->kind = CHANGE_CUT;
  change->before.to = at;
  h->changed_at = 0;
}

void view_note_curve(View *view, const char *name, bool placed) {
  view_note(view, false);
  Change *change = add_change(&view->history);
  change->kind = placed ? CHANGE_PROBE : CHANGE_NO_PROBE;
  snprintf(change->before.path, sizeof change->before.path, "%s", name);
  change->after = change->before;
  view->history.changed_at = 0;
}

// Adds a curve again, or removes it. A curve that is added again begins without values.
static void restore_curve(View *view, const char *name, bool placed) {
  Error error = { 0 };
  if (!placed)
    curves_remove(&view->sim->curves, name);
  else if (!view_open_curve(view, name, &error))
    view_warn(view, "%.390s", error.message);
}

void view_note_edits(View *view) {
  History *h = &view->history;
  const Editor *e = &view->editor;
  const int last = e->edits.wanted, step = e->edits.step;
  int kept = 0, now = 0;
  for (int k = 0; k < h->count; k++) {
    if (h->change[k].kind != CHANGE_VIEW && h->change[k].kind != CHANGE_SCENE) continue;
    h->change[kept++] = h->change[k];
    if (k < h->now) now = kept;
  }

  h->count = kept;
  h->now = now;
  h->changed_at = 0;

  // The shown version may differ from the end of the edit, because the user has changed settings after it.
  for (int k = now; step < 0 && h->now == now && k-- > 0;)
    if (h->change[k].kind == CHANGE_SCENE && h->change[k].before.to == last) h->now = k;
  for (int k = now; step > 0 && h->now == now && k < kept; k++)
    if (h->change[k].kind == CHANGE_SCENE && h->change[k].after.to == last) h->now = k + 1;
  for (int version = e->edits.first; step == 0 && version <= last; version++) {
    Change *change = add_change(h);
    change->kind = CHANGE_SCENE;
    change->before.to = version == e->edits.first ? e->edits.from : version - 1;
    change->after.to = version;
  }
}

// Returns true if a command continues the last entry for undo: the command changes the settings of this entry, less
// than MOMENT after the entry's last change.
static bool goes_on(const View *view, const Command *command) {
  const History *h = &view->history;
  if (command->kind != COMMAND_ADJUST || h->now == 0 || h->now < h->count) return false;
  const Change *last = &h->change[h->now - 1];
  return last->kind == CHANGE_SETTINGS && last->after.kind == COMMAND_ADJUST &&
         last->after.unchanged == command->unchanged &&
         (last->before.speed == last->after.speed) == (view->status.speed == command->speed) &&
         timer_seconds() - h->changed_at < MOMENT;
}

void view_change(View *view, const Command *command) {
  const bool settings = command->kind == COMMAND_ADJUST || command->kind == COMMAND_SWITCH;
  History *h = &view->history;
  if (!view_post(view, command) || view->sim->replay.file) return;
  if (goes_on(view, command)) {
    h->change[h->now - 1].after = *command;
  } else {
    view_note(view, false);
    Change *change = add_change(h);
    change->kind = settings ? CHANGE_SETTINGS : CHANGE_HOLD;
    change->after = change->before = *command;
    change->before.settings = view->status.settings;
    change->before.speed = view->status.speed;

    // COMMAND_SWITCH creates the simulation again, which may change methods that the command does not name, so undo
    // restores all settings
    if (command->kind == COMMAND_SWITCH) change->before.unchanged = 0;
  }
  h->changed_at = timer_seconds();
}

void view_adjust(View *view, const SimulationSettings *settings, double speed, const char *field) {
  const Command command = command_adjust(settings, &view->status.settings, speed, field);
  view_change(view, &command);
}

enum { WHAT = 128 };

// Writes the names of the settings of a change, such as "mu, lambda, density".
static void name_settings(const Change *change, char text[WHAT]) {
  size_t length = 0;
  text[0] = '\0';
  for (int k = 0; simulation_options[k].key && length < 100; k++)
    if (!(change->after.unchanged >> k & 1))
      length += (size_t)snprintf(text + length, WHAT - length, "%s%s", length ? ", " : "", simulation_options[k].key);
  if (!length) snprintf(text, WHAT, "speed");
}

// Undoes a change, or redoes it if `again`. `what` gets its description.
static void go(View *view, const Change *change, bool again, char what[WHAT]) {
  const Command *command = again ? &change->after : &change->before;
  if (change->kind == CHANGE_HOLD) {
    snprintf(what, WHAT, "pins and pulls");
    view_post(view, &(Command){ .kind = again ? COMMAND_REDO : COMMAND_UNDO });
  } else if (change->kind == CHANGE_CUT) {
    const SimStatus *n = &view->status;
    const int64_t at = change->before.to;
    snprintf(what, WHAT, "a cut and all later steps");

    // Undo goes to position `at` of the timeline, the state before the cut. If no step followed the cut, the state at
    // this position has the cut already, so undo goes to the previous position.
    view_go(view, again ? n->newest : at < n->now ? at : at - 1);
  } else if (change->kind == CHANGE_PROBE || change->kind == CHANGE_NO_PROBE) {
    snprintf(what, WHAT, "%s", strchr(command->path, ':') ? "a probe" : "a curve");
    restore_curve(view, command->path, (change->kind == CHANGE_PROBE) == again);
  } else if (change->kind == CHANGE_SETTINGS) {
    name_settings(change, what);
    view_post(view, command);
  } else {
    snprintf(what, WHAT, "the view");
    restore_view(view, command);
  }
  view->history.changed_at = 0;
}

// Drops the newest changes while they are cuts before the first stored step of the timeline: undo could no longer move
// back to the state before them. Returns true if it has dropped any.
static bool forget_old_cuts(View *view) {
  History *h = &view->history;
  bool any = false;
  while (h->now > 0) {
    Change *newest = &h->change[h->now - 1];
    if (newest->kind != CHANGE_CUT || newest->before.to > view->status.first) break;
    memmove(newest, newest + 1, sizeof *newest * (size_t)(h->count - h->now));
    h->now--;
    h->count--;
    any = true;
  }
  return any;
}

// Returns true while undo is not possible: before the simulation has sent its first positions, while the mouse holds
// something, and in a replay.
static bool is_busy(const View *view) {
  return !view->has_positions || view->mode != MOUSE_FREE || view->sim->replay.file;
}

void view_undo(View *view) {
  History *h = &view->history;
  if (is_busy(view) || view_cancel_edit(view)) return;
  view_note(view, false);
  char what[WHAT];
  const char *old_cut = forget_old_cuts(view) ? "; the cut stays, because it is older than the stored steps" : "";
  const Change *last = h->now > 0 ? &h->change[h->now - 1] : NULL;
  if (last && last->kind == CHANGE_SCENE) {
    view->editor.asked = (int)last->before.to;
    view->editor.asked_step = -1;
  } else if (last) {
    go(view, &h->change[--h->now], false, what);
    view_say(view, "undone: %s%s", what, old_cut);
  } else {
    view_say(view, "nothing to undo%s", old_cut);
  }
}

void view_redo(View *view) {
  History *h = &view->history;
  if (is_busy(view) || view->editor.edits.wanted >= 0) return;
  view_note(view, false);
  char what[WHAT];
  if (h->now < h->count && h->change[h->now].kind == CHANGE_SCENE) {
    view->editor.asked = (int)h->change[h->now].after.to;
    view->editor.asked_step = 1;
  } else if (h->now < h->count) {
    go(view, &h->change[h->now++], true, what);
    view_say(view, "redone: %s", what);
  } else {
    view_say(view, "nothing to redo");
  }
}
