// Shows the results of stationary problems as pictures and in a window: see show_stationary.h.
#include "lab/stationary/show_stationary.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/path.h"
#include "hud/hud.h"
#include "record/png_file.h"
#include "render/offscreen.h"
#include "render/render_target.h"

ShowOptions show_defaults(void) {
  return (ShowOptions){ .size = { 1280, 720 }, .window = window_defaults() };
}

bool show_check(const ShowOptions *options, Error *error) {
  const char *const files[] = { options->picture, options->window.screenshot };
  for (int k = 0; k < 2; k++) {
    if (files[k][0] && !path_ends_with(files[k], ".png"))
      return error_set(error, "%s: pictures are written as .png files only; give a name that ends in .png", files[k]);
    if (files[k][0] && !atomic_file_check(files[k], error)) return false;
  }
  return true;
}

// Sets the style of the picture from the options.
static void choose_style(const ShowOptions *options, const ShownResult *result, Style *style) {
  enum { AUTO, NONE, FIRST_AXIS };
  // A section cuts the body open and shows values inside. It is the default for a scalar solution (phi) in three
  // dimensions, because the values on the surface are often prescribed and then of no interest.
  const bool inside = options->section >= FIRST_AXIS || (options->section == AUTO && !result->values.move);
  style->color_map = (ColorMap)options->color_map;
  style->wireframe = options->edges;
  style->section = inside;
  style->section_axis = options->section >= FIRST_AXIS ? options->section - FIRST_AXIS : 1;
  style->section_at = 0.5;
  style->section_flip = style->section_axis != 0;  // so the half nearer to the camera is removed
}

// Name and unit of the shown value, as read from the option --quantity. Example: "temperature, K" has the name
// "temperature" and the unit "K".
typedef struct Quantity {
  char name[64];
  const char *unit;
} Quantity;

static CellValues named(const ShowOptions *options, const CellValues *values, Quantity *quantity) {
  CellValues named = *values;
  if (!options->quantity[0]) return named;
  memcpy(quantity->name, options->quantity, sizeof quantity->name);
  char *comma = strchr(quantity->name, ',');
  quantity->unit = "";
  if (comma) {
    *comma = '\0';
    quantity->unit = comma + 1 + strspn(comma + 1, " ");
  }
  named.title = quantity->name;
  named.unit = quantity->unit;
  return named;
}

static double factor_of(const ShowOptions *options, const ShownResult *result) {
  return options->has_factor ? options->factor : result->flat ? 0 : cell_view_factor(result->mesh, &result->values);
}

static bool draw(const ShowOptions *options, CellView *view, const CellValues *values, double factor,
                 RenderTarget *target, Error *error) {
  const int width = options->size[0], height = options->size[1];
  Camera camera;
  if (!cell_view_set(view, values, factor, error) || !cell_view_camera(view, (double)width / height, &camera, error) ||
      !render_target_resize(target, width, height, true, error))
    return false;
  const Picture picture = { .camera = &camera, .style = &view->style };
  HudOverlay overlay = { .label_count = 1 };
  if (!surface_renderer_draw(&view->renderer, target->framebuffer, width, height, &picture, error)) return false;
  cell_view_overlay(view, &picture, height, &overlay);
  cell_view_words(view, overlay.labels[0].text);
  overlay.labels[0].pixel[1] = 0.035 * height;
  hud_draw_overlay(&overlay, width, height);
  return true;
}

bool show_picture(const ShowOptions *options, const ShownResult *result, Error *error) {
  bool ok = false, has_hud = false;
  Offscreen offscreen = { 0 };
  Programs programs = { 0 };
  CellView view = { 0 };
  RenderTarget target = { 0 };
  Quantity quantity;
  if (!options->picture[0]) return true;
  const CellValues shown = named(options, &result->values, &quantity);
  uint8_t *rgba = array_new((int64_t)options->size[0] * options->size[1], 4, "the picture", error);
  if (!rgba) goto done;
  if (!offscreen_create(&offscreen, DEVICE_CPU, error)) goto done;
  if (!programs_create(&programs, error)) goto done;
  if (!(has_hud = hud_create(NULL, error))) goto done;
  if (!cell_view_create(&view, &programs, result->mesh, error)) goto done;
  choose_style(options, result, &view.style);
  ok = draw(options, &view, &shown, factor_of(options, result), &target, error) &&
       render_target_read(&target, rgba, error) &&
       png_write(options->picture, rgba, options->size[0], options->size[1], error);
done:
  render_target_destroy(&target);
  cell_view_destroy(&view);
  programs_destroy(&programs);
  if (has_hud) hud_destroy();
  offscreen_destroy(&offscreen);
  free(rgba);
  return ok;
}

bool show_window(const ShowOptions *options, const ShownResult *result, Error *error) {
  Quantity quantity;
  if (!options->in_window) return true;
  CellProblem problem = { .line = result->line,
                          .mesh = result->mesh,
                          .values = named(options, &result->values, &quantity),
                          .factor = factor_of(options, result),
                          .rows = result->rows,
                          .target = result->target,
                          .size = result->size,
                          .solve = result->solve,
                          .user = result->user };
  choose_style(options, result, &problem.style);
  return cell_window(&options->window, &problem, error);
}
