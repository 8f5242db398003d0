// Versions of the edited scene, each stored as the text of a JSON document: see view.h. view_edit.c creates them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window/view.h"

void view_refuse_edit(View *view, const char *reason) {
  Editor *e = &view->editor;
  memcpy(e->refused, e->changed, sizeof e->refused);
  snprintf(e->reason, sizeof e->reason, "%.390s", reason);
  e->stale = true;
  view_fail(view, "%.390s", reason);
}

void view_forget_edits(View *view) {
  Editor *e = &view->editor;
  for (int64_t k = 0; k < e->version_count; k++) cJSON_free(e->version[k]);
  e->version_count = 0;
  e->shown = e->wanted = e->asked = -1;
  e->refused[0] = e->changed[0] = '\0';
  view->panel.refusals.count = 0;
  e->hidden = e->hidden_obstacles = 0;
  e->stale = true;
}

void view_destroy_editor(View *view) {
  view_forget_edits(view);
  free(view->editor.version);
}

void view_drop_next(View *view) {
  Error ignored = { 0 };
  if (view->next) sim_thread_stop(view->next, &ignored);
  view->next = NULL;
  if (view->sim) sim_thread_keep(view->sim, view->editor.paused);
}

bool view_hand_over(View *view) {
  Editor *e = &view->editor;
  Error error = { 0 };
  bool given;
  if (e->wanted < 0 || !e->continues) return true;
  const HandOverStage stage = sim_thread_hand_over(view->sim, view->next, e->paused, &given, &error);
  if (stage != HAND_OVER_REFUSED) return stage == HAND_OVER_DONE;
  if (given) {  // the new simulation has refused the motion, so the shown one goes on
    char reason[400];
    snprintf(reason, sizeof reason, "%.320s; to edit the scene at its start, press R first", error.message);
    view_drop_next(view);
    view_edit_failed(view, reason);
    return false;
  }
  e->continues = false;  // for example because the body was cut: the edited scene begins at its start
  return true;
}

bool view_cancel_edit(View *view) {
  if (view->editor.wanted < 0) return false;
  view_drop_next(view);
  view->editor.wanted = -1;
  view->editor.stale = true;
  view_say(view, "the edit was cancelled");
  return true;
}

bool view_edit_failed(View *view, const char *message) {
  if (view->editor.wanted < 0) return false;
  view->editor.wanted = -1;
  view_refuse_edit(view, message);
  return true;
}

void view_edit_shown(View *view) {
  Editor *e = &view->editor;
  e->shown = e->wanted;
  e->wanted = -1;
  e->stale = true;
  if (e->continues)
    view_say(view, "scene edited; the motion continues%s", e->paused ? " when you press the space bar" : "");
  else
    view_say(view, "scene edited and paused at its start; press the space bar to run it%s", e->deleted);
  e->deleted[0] = '\0';
}
