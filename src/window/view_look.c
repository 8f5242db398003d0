// Lets the user change the look of the window by keys, the panel and the palette: see view.h.
#include <math.h>
#include <stdio.h>

#include "render/pixels.h"
#include "window/view.h"

void view_begin_look(View *view) {
  Error error = { 0 };
  if (!look_begin(&view->look, view->options, &error))
    view_fail(view, "the window has its default look: %.300s", error.message);
}

void view_choose_look(View *view, const Look *now) {
  const Look before = view->look;
  Error error = { 0 };
  view->look = *now;
  view->changed = true;
  look_show(now);
  if (look_store(&before, now, &error) || view->look_fails) return;
  view->look_fails = true;  // the message is shown only once
  view_fail(view, "cannot store the look of the window: %.300s", error.message);
}

static void set_text_size(View *view, double size) {
  const double step = TEXT_SIZE_STEP, scale = window_scale(view->window);
  Look now = view->look;
  now.text_size = fmin(fmax(step * round(size / step), TEXT_SIZE_MIN), TEXT_SIZE_MAX);
  const int height = view->height + view->dock.pixels;  // pixels, height of the window
  const double normal = text_height(scale, 1, view->width, height);
  const double shown = text_height(scale, now.text_size, view->width, height);
  const bool fits = shown > now.text_size * normal - 1;  // 1 pixel: rounding
  if (fits)
    view_say(view, "text size %g", now.text_size);
  else
    view_warn(view, "text size %g, but this window is too small for it", now.text_size);
  view_choose_look(view, &now);
}

void view_larger_text(View *view) {
  set_text_size(view, view->look.text_size + TEXT_SIZE_STEP);
}

void view_smaller_text(View *view) {
  set_text_size(view, view->look.text_size - TEXT_SIZE_STEP);
}

void view_normal_text(View *view) {
  set_text_size(view, 1);
}

void view_switch_theme(View *view) {
  Look now = view->look;
  char name[16];
  now.theme = (HudTheme)((now.theme + 1) % HUD_THEME_COUNT);
  choice_text(HUD_THEMES, (int)now.theme, name, sizeof name);
  view_say(view, "theme: %s", name);
  view_choose_look(view, &now);
}

void view_switch_side(View *view) {
  Look now = view->look;
  now.panel_side = (HudSide)((now.panel_side + 1) % HUD_SIDE_COUNT);
  view_say(view, "the panel is at the %s edge of the window", now.panel_side == HUD_LEFT ? "left" : "right");
  view_choose_look(view, &now);
}

// Returns the height in pixels that docked plots would have in a window of this height.
static int dock_pixels(const View *view, int height) {
  const double em = text_height(window_scale(view->window), view->look.text_size, view->width, height);
  return hud_dock_pixels(view->dock.height, em, height);
}

void view_divide_window(View *view) {
  HudDock *dock = &view->dock;
  int height;
  window_size(view->window, &view->width, &height);
  if (!dock->drags) dock->height = view->look.dock_height;
  dock->panel = &view->panel;
  dock->pixels = view->look.docked ? dock_pixels(view, height) : 0;
  if (dock->pixels == 0) dock->drags = false;
  view->panel.docked = dock->pixels > 0;
  view->height = height - dock->pixels;
}

void view_toggle_dock(View *view) {
  Look now = view->look;
  now.docked = view->dock.pixels == 0;
  if (now.docked && dock_pixels(view, view->height) == 0) {
    view_warn(view, "this window is too low for plots at its bottom");
    return;
  }
  view_choose_look(view, &now);
}

void view_apply_dock(View *view) {
  const HudDock *dock = &view->dock;
  Look now = view->look;
  now.dock_height = dock->height;
  if (!dock->drags && now.dock_height != view->look.dock_height) view_choose_look(view, &now);
  if (dock->close) view_toggle_dock(view);
}

void view_fill_look(View *view) {
  HudPanel *p = &view->panel;
  if (!p->drags_width) p->width = view->look.panel_width;
  p->advanced = view->look.advanced;
  HudChoice *sizes = &p->text_size, *themes = &p->theme, *sides = &p->side;
  *sizes = (HudChoice){ .chosen = (int)round((view->look.text_size - TEXT_SIZE_MIN) / TEXT_SIZE_STEP) };
  for (double size = TEXT_SIZE_MIN; size <= TEXT_SIZE_MAX; size += TEXT_SIZE_STEP)
    snprintf(sizes->names[sizes->count++], sizeof *sizes->names, "%g", size);
  *themes = (HudChoice){ .chosen = (int)view->look.theme, .count = HUD_THEME_COUNT };
  for (int k = 0; k < HUD_THEME_COUNT; k++) choice_text(HUD_THEMES, k, themes->names[k], sizeof *themes->names);
  *sides = (HudChoice){ .chosen = (int)view->look.panel_side, .count = HUD_SIDE_COUNT };
  for (int k = 0; k < HUD_SIDE_COUNT; k++) choice_text(HUD_SIDES, k, sides->names[k], sizeof *sides->names);
}

void view_apply_look(View *view) {
  const HudPanel *p = &view->panel;
  Look now = view->look;
  now.advanced = p->advanced;
  if (!p->drags_width) now.panel_width = p->width;
  if (now.panel_width != view->look.panel_width || now.advanced != view->look.advanced) view_choose_look(view, &now);
  if (p->dock) view_toggle_dock(view);
  if (!p->look_changed) return;
  const double size = TEXT_SIZE_MIN + TEXT_SIZE_STEP * p->text_size.chosen;
  if (p->theme.chosen != (int)view->look.theme) view_switch_theme(view);
  if (p->side.chosen != (int)view->look.panel_side) view_switch_side(view);
  if (size != view->look.text_size) set_text_size(view, size);
}
