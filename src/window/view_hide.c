// Hides bodies and obstacles in the picture: see view.h. Which of them are hidden is a state of the view. It is no part
// of the scene, and does not change the simulation.
#include <string.h>

#include "window/view.h"

// Returns the number of the body or obstacle that an entry describes. -1: it describes none, or several bodies.
static int number_of(const SceneEntry *entry) {
  if (strcmp(entry->list, "mesh") == 0) return 0;  // the scene has one body
  const bool one = strcmp(entry->list, "bodies") == 0 || strcmp(entry->list, "obstacles") == 0;
  return one ? entry->index : -1;
}

static bool is_obstacle(const SceneEntry *entry) {
  return strcmp(entry->list, "obstacles") == 0;
}

bool view_hides_entry(const View *view, int entry, bool *hidden) {
  const Editor *e = &view->editor;
  const SceneEntry *chosen = &e->edits.entry[entry];
  const int number = number_of(chosen);
  *hidden = number >= 0 && (is_obstacle(chosen) ? e->hidden_obstacles : e->hidden) >> number & 1;
  return number >= 0;
}

void view_toggle_hidden(View *view, int entry) {
  Editor *e = &view->editor;
  const SceneEntry *chosen = &e->edits.entry[entry];
  const int number = number_of(chosen);
  if (number < 0) {
    view_warn(view, "choose a body or an obstacle to hide it, or to show it again");
    return;
  }
  *(is_obstacle(chosen) ? &e->hidden_obstacles : &e->hidden) ^= (uint32_t)1 << number;
  view->hover.radius = 0;
  view->under.triangle = view->under.tet = -1;
  view->changed = true;
}

void view_hide_selected(View *view) {
  if (view_edits(view)) view_toggle_hidden(view, view->editor.edits.selected);
}

void view_show_hidden(View *view) {
  view->editor.hidden = view->editor.hidden_obstacles = 0;
  view->changed = true;
}

// Returns true if an edit has kept the numbers of entries of a list: none was added or deleted, or some were appended.
static bool keeps_numbers(const Editor *e, int before, int now) {
  return now == before || (e->edits.step == 0 && now > before);
}

void view_keep_hidden(View *view, int body_count, int obstacle_count) {
  Editor *e = &view->editor;
  if (!keeps_numbers(e, body_count, e->edits.base.body_count)) e->hidden = 0;
  if (!keeps_numbers(e, obstacle_count, e->edits.base.simulation.obstacle_count)) e->hidden_obstacles = 0;
}
