// Lets the user change the look of the window by keys, the panel and the palette: see view.h.
#include <math.h>
#include <stdio.h>

#include "render/pixels.h"
#include "window/view.h"

// Makes the HUD show the look.
static void show(View *view) {
  hud_set_text_size(view->look.text_size);
  hud_set_theme(view->look.theme);
  view->changed = true;
}

static void set_text_size(View *view, double size) {
  const double step = TEXT_SIZE_STEP, scale = window_scale(view->window);
  size = step * round(size / step);
  view->look.text_size = fmin(fmax(size, TEXT_SIZE_MIN), TEXT_SIZE_MAX);
  size = view->look.text_size;
  show(view);
  const double normal = text_height(scale, 1, view->width, view->height);
  const bool fits = text_height(scale, size, view->width, view->height) > size * normal - 1;  // 1 pixel: rounding
  view_say(view, fits ? "text size %g" : "text size %g, but this window is too small for it", size);
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
  char name[16];
  view->look.theme = (HudTheme)((view->look.theme + 1) % HUD_THEME_COUNT);
  show(view);
  choice_text(HUD_THEMES, (int)view->look.theme, name, sizeof name);
  view_say(view, "theme: %s", name);
}

void view_fill_look(View *view) {
  view->panel.width = view->look.panel_width;
  HudChoice *sizes = &view->panel.text_size, *themes = &view->panel.theme;
  *sizes = (HudChoice){ .chosen = (int)round((view->look.text_size - TEXT_SIZE_MIN) / TEXT_SIZE_STEP) };
  for (double size = TEXT_SIZE_MIN; size <= TEXT_SIZE_MAX; size += TEXT_SIZE_STEP)
    snprintf(sizes->names[sizes->count++], sizeof *sizes->names, "%g", size);
  *themes = (HudChoice){ .chosen = (int)view->look.theme, .count = HUD_THEME_COUNT };
  for (int k = 0; k < HUD_THEME_COUNT; k++) choice_text(HUD_THEMES, k, themes->names[k], sizeof *themes->names);
}

void view_apply_look(View *view) {
  const HudPanel *p = &view->panel;
  view->look.panel_width = p->width;
  if (!p->look_changed) return;
  const double size = TEXT_SIZE_MIN + TEXT_SIZE_STEP * p->text_size.chosen;
  if (p->theme.chosen != (int)view->look.theme) view_switch_theme(view);
  if (size != view->look.text_size) set_text_size(view, size);
}
