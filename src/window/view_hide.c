// Hides bodies in the picture: see view.h. Which bodies are hidden is a state of the view. It is no part of the scene,
// and does not change the simulation.
#include <string.h>

#include "window/view.h"

int view_body_of_entry(const SceneEntry *entry) {
  if (strcmp(entry->list, "mesh") == 0) return 0;  // the scene has one body
  return strcmp(entry->list, "bodies") == 0 ? entry->index : -1;
}

void view_toggle_hidden(View *view, int entry) {
  Editor *e = &view->editor;
  const int body = view_body_of_entry(&e->entry[entry]);
  if (body < 0) {
    view_say(view, "choose a body to hide it, or to show it again");
    return;
  }
  e->hidden ^= (uint32_t)1 << body;
  view->hover.radius = 0;
  view->under.triangle = view->under.tet = -1;
  view->changed = true;
}

void view_hide_selected(View *view) {
  if (view_edits(view)) view_toggle_hidden(view, view->editor.selected);
}

void view_show_bodies(View *view) {
  view->editor.hidden = 0;
  view->changed = true;
}

void view_keep_hidden(View *view, int body_count) {
  Editor *e = &view->editor;
  const bool appended = e->step == 0 && e->base.body_count > body_count;
  if (e->base.body_count != body_count && !appended) e->hidden = 0;
}
