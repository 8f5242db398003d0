// Writes the page of all keys (F1): see view.h.
#include <stdio.h>

#include "window/view_tools.h"

// Lines about the mouse on the page of keys (F1). The table of actions has no rows for them.
static const char *const MOUSE =
    "On the body\n"
    "  double click     with the tool grab: rotate the view about this point from now on\n"
    "  wheel            while pulling: move the pulled point nearer or away\n"
    "On the background\n"
    "  left drag        rotate the view; with shift: pan; double click: show the whole body\n"
    "Anywhere\n"
    "  right drag       rotate the view\n"
    "  middle drag      pan the view\n"
    "  wheel            zoom at the pointer\n"
    "  drop a file      open a scene or mesh\n"
    "  drag the legend  at its highest or lowest value: fix this end of the range of colours\n"
    "  drag a handle    in the panel's tab Scene: move, turn or scale the selected entry; with ctrl: in round steps\n"
    "Keys\n";

const char *view_keys(void) {
  static char page[16384];
  size_t length = (size_t)snprintf(page, sizeof page, "Tools of the left button (with self_contact, Ctrl pushes)\n");
  for (const Tool *t = view_tools; t->name; t++) {
    const char *gap = t->shortcut ? " / " : "", *shortcut = t->shortcut ? t->shortcut : "";
    length += (size_t)snprintf(page + length, sizeof page - length, "  %s%s%s  %s: %s\t%s\n", t->key_text, gap,
                               shortcut, t->name, t->help, t->icon);
  }

  length += (size_t)snprintf(page + length, sizeof page - length, "%s", MOUSE);
  for (const Action *a = view_actions; a->name; a++) {
    char keys[64] = "", help[256] = "";
    const char *icon = view_icon_of(a);
    size_t key_length = 0, help_length = 0;
    const Action *first = a;
    if (!a->key) continue;

    // joins the keys and the help texts of the actions on one line of the page
    do {
      const bool more = a > first;
      key_length += (size_t)snprintf(keys + key_length, sizeof keys - key_length, more ? " / %s" : "%s", a->key_text);
      help_length += (size_t)snprintf(help + help_length, sizeof help - help_length, more ? "; %s" : "%s", a->help);
    } while (a[1].joins && a++);
    length += (size_t)snprintf(page + length, sizeof page - length, "  %s  %s\t%s\n", keys, help, icon);
  }
  return page;
}
