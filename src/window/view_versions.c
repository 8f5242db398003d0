// Builds and cancels edited scenes: see view.h. live/scene_edits.c has their versions.
#include <string.h>

#include "window/view.h"

EditedSim view_edited_sim(View *view) {
  return (EditedSim){ .sim = view->sim, .now = &view->status, .next = &view->next };
}

void view_refuse_edit(View *view, const char *reason) {
  scene_edits_refuse(&view->editor.edits, reason);
  view_fail(view, "%.390s", reason);
}

void view_forget_edits(View *view) {
  Editor *e = &view->editor;
  scene_edits_clear(&e->edits);
  e->asked = -1;
  view->panel.refusals.count = 0;
  e->hidden = e->hidden_obstacles = 0;
}

void view_destroy_editor(View *view) {
  scene_edits_destroy(&view->editor.edits);
}

void view_drop_next(View *view) {
  const EditedSim shown = view_edited_sim(view);
  scene_edits_drop(&view->editor.edits, &shown);
}

bool view_hand_over(View *view) {
  const EditedSim shown = view_edited_sim(view);
  Error error = { 0 };
  const HandOverStage stage = scene_edits_hand_over(&view->editor.edits, &shown, &error);
  if (stage == HAND_OVER_REFUSED) view_edit_failed(view, error.message);
  return stage == HAND_OVER_DONE;
}

bool view_cancel_edit(View *view) {
  if (view->editor.edits.wanted < 0) return false;
  view_drop_next(view);
  view->editor.edits.wanted = -1;
  view->editor.edits.stale = true;
  view_say(view, "the edit was cancelled");
  return true;
}

bool view_edit_failed(View *view, const char *message) {
  if (view->editor.edits.wanted < 0) return false;
  view->editor.edits.wanted = -1;
  view_refuse_edit(view, message);
  return true;
}

void view_edit_shown(View *view) {
  char words[200];
  scene_edits_shown(&view->editor.edits, words, sizeof words);
  view_say(view, "%s", words);
}
