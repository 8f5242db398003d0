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
  view_say(view, "%.390s", reason);
}

void view_forget_edits(View *view) {
  Editor *e = &view->editor;
  for (int64_t k = 0; k < e->version_count; k++) cJSON_free(e->version[k]);
  e->version_count = 0;
  e->shown = e->wanted = e->asked = -1;
  e->refused[0] = e->changed[0] = '\0';
  e->hidden = e->hidden_obstacles = 0;
  e->stale = true;
}

void view_destroy_editor(View *view) {
  view_forget_edits(view);
  free(view->editor.version);
}

bool view_cancel_edit(View *view) {
  Error ignored = { 0 };
  if (view->editor.wanted < 0) return false;
  sim_thread_stop(view->next, &ignored);
  view->next = NULL;
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
  view_say(view, "scene edited and paused at its start; press the space bar to run it%s", e->deleted);
  e->deleted[0] = '\0';
}
