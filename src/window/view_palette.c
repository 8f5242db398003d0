// The command palette (Ctrl+P): see view.h. It lists the actions of view_actions and the settings of the panel that
// match the typed words. This file edits the typed text itself, so that no key is lost before the HUD draws a field.
#include <stdio.h>
#include <string.h>

#include "base/word_search.h"
#include "window/view_tools.h"

int view_palette_rank(const char *typed, const char *name, const char *help) {
  typed += strspn(typed, " ");
  if (!words_are_in(typed, name, help)) return -1;
  const char *place = word_find(name, typed, strlen(typed));
  if (typed[0] && place == name) return name[strlen(typed)] ? 1 : 0;
  return words_are_in(typed, name, "") ? 2 : 3;
}

// Writes the present value of an option, such as "0.45" or "on".
static void write_value(const Option *o, const Scene *scene, char *text, size_t size) {
  const OptionValue value = option_value(o, scene);
  const double *v = value.number;
  const char *unit = o->unit ? o->unit : "";
  const char *gap = unit[0] ? " " : "";
  switch (o->type) {
    case OPTION_NUMBER:
    case OPTION_INTEGER:
    case OPTION_OPTIONAL:
      if (o->type == OPTION_OPTIONAL && !value.present)
        snprintf(text, size, "%s", o->absent ? o->absent : "off");
      else
        snprintf(text, size, "%.4g%s%s", v[0], gap, unit);
      break;
    case OPTION_VECTOR:
      snprintf(text, size, "%.3g, %.3g, %.3g%s%s", v[0], v[1], v[2], gap, unit);
      break;
    case OPTION_CHOICE:
      choice_text(o->choices, (int)v[0], text, size);
      break;
    case OPTION_FLAG:
      snprintf(text, size, "%s", v[0] != 0 ? "on" : "off");
      break;
    case OPTION_TEXT:
    case OPTION_SIZE:
    case OPTION_CUSTOM:
      text[0] = '\0';
      break;
  }
}

// Adds a row to the list if each word that the user has typed is in its name or in its description `words`.
static void add_row(Palette *p, const HudPaletteRow *row, const char *words, PaletteTarget target) {
  const int rank = view_palette_rank(p->typed, row->name, words);
  if (rank < 0 || p->count == PALETTE_ROWS_MAX) return;
  int at = p->count++;
  target.rank = rank;
  // keeps the rows in the order of their ranks; rows of one rank stay in the order of the tables
  for (; at > 0 && p->target[at - 1].rank > rank; at--) {
    p->row[at] = p->row[at - 1];
    p->target[at] = p->target[at - 1];
  }
  p->row[at] = *row;
  p->target[at] = target;
}

static void add_actions(Palette *p) {
  for (const Action *a = view_actions; a->name; a++) {
    HudPaletteRow row = { .name = a->name, .help = a->help };
    if (a->key_text) snprintf(row.note, sizeof row.note, "%s", a->key_text);
    add_row(p, &row, a->help, (PaletteTarget){ .action = a });
  }
}

static void add_tools(Palette *p) {
  for (const Tool *t = view_tools; t->name; t++) {
    HudPaletteRow row = { .name = t->name, .help = t->help };
    char words[256];
    snprintf(row.note, sizeof row.note, "%s", t->key_text);
    snprintf(words, sizeof words, "%s tool", t->help);
    add_row(p, &row, words, (PaletteTarget){ .tool = t });
  }
}

static void add_presets(View *view) {
  const char *const *tips;
  const char *const *names = view_presets(view, &tips);
  for (int k = 0; names[k]; k++) {
    const HudPaletteRow row = { .name = names[k], .help = tips[k], .note = "material" };
    char words[512];
    snprintf(words, sizeof words, "material %.400s", tips[k]);
    add_row(&view->palette, &row, words, (PaletteTarget){ .preset = k + 1 });
  }
}

// Returns the present value of a setting in hud_other_rows as text. It is valid until the next call.
static const char *value_of_other(const View *view, const char *name) {
  static char stiffness[32], radius[32], text_size[16], theme[16], side[16];
  const SimulationSettings *s = &view->status.settings;
  const char *const values[][2] = {
    { "material", s->material },
    { "mouse", stiffness },
    { "mouse radius", radius },
    { "device", device_name(s->device) },
    { "precision", precision_name(s->precision) },
    { "assembly", s->assembly },
    { "matrix", s->matrix },
    { "solver", s->solver },
    { "probe", view->probes ? "on" : "off" },
    { "section", view->style.section ? "on" : "off" },
    { "film name", view->panel.film_name },
    { "text size", text_size },
    { "theme", theme },
    { "panel side", side },
  };
  choice_text(HUD_THEMES, (int)view->look.theme, theme, sizeof theme);
  choice_text(HUD_SIDES, (int)view->look.panel_side, side, sizeof side);
  snprintf(text_size, sizeof text_size, "%g", view->look.text_size);
  snprintf(stiffness, sizeof stiffness, "%.3g N/m",
           view->stiffness > 0 ? view->stiffness : view->status.mouse_stiffness);
  snprintf(radius, sizeof radius, "%.3g m", view->radius);
  for (size_t k = 0; k < sizeof values / sizeof *values; k++)
    if (strcmp(values[k][0], name) == 0) return values[k][1];
  return "";
}

static void add_settings(View *view) {
  Palette *p = &view->palette;
  const Scene *scene = view_settings_in_force(view);
  char words[512];
  for (const Option *o = scene_options; o->key; o++) {
    if (!o->tab) continue;
    if (p->label_count == PALETTE_ROWS_MAX) break;
    char *label = p->label[p->label_count++];
    snprintf(label, sizeof *p->label, "%s", hud_label(o));  // the next call overwrites the text of hud_label
    HudPaletteRow row = { .name = label, .help = o->help, .setting = true };
    write_value(o, scene, row.note, sizeof row.note);
    snprintf(words, sizeof words, "%s %s %s setting", o->key, o->help, o->tab);
    add_row(p, &row, words, (PaletteTarget){ .key = o->key, .tab = o->tab });
  }
  for (const HudOtherRow *other = hud_other_rows; other->name; other++) {
    HudPaletteRow row = { .name = hud_label_of(other->name), .help = other->help, .setting = true };
    snprintf(row.note, sizeof row.note, "%s", value_of_other(view, other->name));
    snprintf(words, sizeof words, "%s %s %s setting", other->name, other->help, other->tab);
    add_row(p, &row, words, (PaletteTarget){ .key = other->name, .tab = other->tab });
  }
}

void view_fill_palette(View *view) {
  Palette *p = &view->palette;
  if (p->listed) return;
  p->listed = true;
  p->count = p->label_count = 0;
  add_actions(p);
  add_tools(p);
  add_presets(view);
  add_settings(view);
  p->hud = (HudPalette){ .typed = p->typed, .row = p->row, .count = p->count, .moved = true, .entered = -1 };
}

// Executes line number `line` of the palette: runs its action, applies its material, or opens the panel at its setting.
static void enter(View *view, int line) {
  const Palette *p = &view->palette;
  if (line < 0 || line >= p->count) return;
  const PaletteTarget target = p->target[line];
  view->shows_palette = false;
  if (target.action) {
    view_act(view, target.action);
    return;
  }
  if (target.tool) {
    view_choose_tool(view, target.tool);
    return;
  }
  if (target.preset) {
    view_apply_preset(view, target.preset - 1);
    return;
  }
  view->shows_panel = true;
  hud_panel_show(&view->panel, target.key, target.tab);
}

// Adds a Unicode character to the typed text, in UTF-8.
static void type(Palette *p, unsigned c) {
  const size_t length = strlen(p->typed);
  char *end = p->typed + length;
  if (c < ' ' || c > 0xffff || length + 4 > sizeof p->typed) return;
  if (c >= 0x800) *end++ = (char)(0xe0 | c >> 12);
  if (c >= 0x80) *end++ = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6);
  *end++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
  *end = '\0';
}

// Removes the last character of the typed text or, if `all`, the whole text.
static void erase(Palette *p, bool all) {
  size_t length = all ? 0 : strlen(p->typed);
  while (length > 0 && (p->typed[--length] & 0xc0) == 0x80) continue;
  p->typed[length] = '\0';
}

static void move_to(Palette *p, int line) {
  HudPalette *hud = &p->hud;
  hud->chosen = line >= hud->count ? hud->count - 1 : line;
  if (hud->chosen < 0) hud->chosen = 0;
  hud->moved = true;
}

void view_palette_key(View *view, const WindowEvent *event) {
  enum { PAGE = 10 };
  Palette *p = &view->palette;
  view_fill_palette(view);
  const int line = p->hud.chosen;
  if (event->kind == WINDOW_TEXT) {
    type(p, (unsigned)event->code);
    p->listed = false;
    return;
  }

  switch (event->code) {
    case KEY_UP:
      move_to(p, line - 1);
      break;
    case KEY_DOWN:
      move_to(p, line + 1);
      break;
    case KEY_PAGE_UP:
      move_to(p, line - PAGE);
      break;
    case KEY_PAGE_DOWN:
      move_to(p, line + PAGE);
      break;
    case KEY_HOME:
      move_to(p, 0);
      break;
    case KEY_END:
      move_to(p, p->count - 1);
      break;
    case KEY_BACKSPACE:
      erase(p, event->control);
      p->listed = false;
      break;
    case KEY_ENTER:
    case KEY_KEYPAD_ENTER:
      enter(view, line);
      break;
    case KEY_ESCAPE:
      view->shows_palette = false;
      break;
    default:
      if (event->control && event->letter == 'P') view->shows_palette = false;
      if (event->control && event->letter == 'Q') view_leave(view);
      break;
  }
}

void view_apply_palette(View *view) {
  const int entered = view->palette.hud.entered;
  view->palette.hud.entered = -1;
  view->palette.hud.moved = false;
  enter(view, entered);
}
