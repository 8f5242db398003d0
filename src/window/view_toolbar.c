// The toolbar of the window: see view_tools.h. It has buttons for actions, which are rows of view_actions. Below them
// it has buttons for tools.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "window/view_tools.h"

static const char *const PLAY = "M4 2.5 L13 8 L4 13.5 Z";

// Actions with a button, by their names in view_actions.
static const struct {
  const char *action, *icon;
} BUTTONS[] = {
  { "pause or play", "M5 3 L5 13 M11 3 L11 13" },
  { "step", "M3 3 L10 8 L3 13 Z M13 3 L13 13" },
  { "reset", "M3 3 L3 13 M13 3 L6 8 L13 13 Z" },
  { "undo", "M6 2 L2 6 L6 10 M2 6 L10 6 L13 8 L13 11 L10 13.5 L6 13.5" },
  { "redo", "M10 2 L14 6 L10 10 M14 6 L6 6 L3 8 L3 11 L6 13.5 L10 13.5" },
};
enum { BUTTON_COUNT = sizeof BUTTONS / sizeof *BUTTONS };

static const Action *action_named(const char *name) {
  const Action *a = view_actions;
  while (a->name && strcmp(a->name, name) != 0) a++;
  return a;
}

const char *view_icon_of(const Action *action) {
  for (int k = 0; k < BUTTON_COUNT; k++)
    if (strcmp(BUTTONS[k].action, action->name) == 0) return BUTTONS[k].icon;
  return "";
}

// Adds a button. help: a sentence without capital letter and full stop; key: key or mouse action; why: reason why the
// button has no effect now, NULL if it has an effect.
static HudButton *add(HudToolbar *t, const char *name, const char *icon, const char *help, const char *key,
                      const char *why) {
  static char names[HUD_BUTTONS_MAX][32], texts[HUD_BUTTONS_MAX][256];
  const int k = t->count++;
  snprintf(names[k], sizeof *names, "button:%s", name);
  snprintf(texts[k], sizeof *texts, "%c%s (%s)%s%s.", toupper(help[0]), help + 1, key, why ? "; " : "", why ? why : "");
  t->button[k] = (HudButton){ .name = names[k], .icon = icon, .help = texts[k], .dimmed = why != NULL };
  return &t->button[k];
}

void view_fill_toolbar(View *view) {
  HudToolbar *t = &view->toolbar;
  t->count = 0;
  for (int k = 0; k < BUTTON_COUNT; k++) {
    const Action *a = action_named(BUTTONS[k].action);
    add(t, a->name, k == 0 && view->status.paused ? PLAY : BUTTONS[k].icon, a->help, a->key_text, NULL);
  }
  for (const Tool *tool = view_tools; tool->name; tool++) {
    const char *why = tool->obstacle ? tool->obstacle(view) : NULL;
    char keys[64];
    snprintf(keys, sizeof keys, "%s%s%s", tool->key_text, tool->shortcut ? "; " : "",
             tool->shortcut ? tool->shortcut : "");
    HudButton *button = add(t, tool->name, tool->icon, tool->help, keys, why);
    button->active = tool == view->tool;
    button->spaced = tool == view_tools;
  }
}

void view_apply_toolbar(View *view) {
  const int clicked = view->toolbar.clicked;
  view->toolbar.clicked = -1;
  if (clicked < 0) return;
  if (clicked < BUTTON_COUNT)
    view_act(view, action_named(BUTTONS[clicked].action));
  else
    view_choose_tool(view, &view_tools[clicked - BUTTON_COUNT]);
  view->changed = true;
}

void view_describe_tool(const View *view, char line[512]) {
  snprintf(line, 512,
           "%s%s    Drag background: rotate    Middle drag: pan    Wheel: zoom    Space: pause    R: reset    "
           "Tab: panel    Ctrl+P: all commands    F1: all keys",
           view->tool->hint, view->tool == view_tools ? "" : "    Esc: grab");
}
