// Draws the window of natural vibrations, and handles its input: see modes_window.h.
#include "window/modes_window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/timer.h"
#include "hud/hud.h"
#include "hud/overlay.h"
#include "live/camera_input.h"
#include "live/scene_camera.h"
#include "record/png_file.h"
#include "render/gl_picture.h"
#include "render/render_target.h"
#include "window/look.h"
#include "window/trace.h"

static const double CYCLE = 2;    // s, duration of one oscillation in the window
static const double AWAKE = 0.5;  // s, time for which the window continues to draw after the last change
static const double REST = 0.1;   // s, longest wait for input while the picture does not change

static const char *const HELP =
    "N, P: next, previous mode    [ ]: amplitude    Space: pause    Drag: rotate    Wheel: zoom    Tab: panel"
    "    F1: all keys";
static const char *const KEYS =
    "Mouse\n  left, right      rotate the view; with shift pan it\n  middle           pan the view\n  wheel            "
    "zoom at the pointer\nKeys\n  N, P             next and previous mode; also Page Down and Page Up\n  [ and ]       "
    "   "
    "halve or double the amplitude\n  Space            stop or continue the motion\n  1, 3, 7          view from the "
    "front, side, top; with shift from the opposite side; or click an axis\n  arrows           rotate the view\n  C   "
    "             reset the camera\n  W                show or hide edges\n  Tab              panel: mode, amplitude, "
    "display\n  F1               show or hide this page\n  Esc              close the page or panel; otherwise quit, "
    "as "
    "Ctrl+Q";

// Values that the window's panel shows. `mode` is counted from 1, `amplitude` is the largest displacement, m.
typedef struct Controls {
  int mode;
  double amplitude;
  bool paused, edges, scale;
  int color_map;
} Controls;

#define AT(field) OPTION_AT(Controls, field)
static const Option control_rows[] = {
  { "mode", OPTION_INTEGER, AT(mode), OPTION_FROM_TO(1, 1000), .help = "number of the mode, by frequency" },
  { "amplitude", OPTION_NUMBER, AT(amplitude), OPTION_AT_LEAST(0), .unit = "m",
    .help = "largest displacement of a node in the animation" },
  { "pause", OPTION_FLAG, AT(paused), .help = "stop the motion" },
  { "color_map", OPTION_CHOICE, AT(color_map), .choices = COLOR_MAP_NAMES, .help = "colour map of the displacement" },
  { "wireframe", OPTION_FLAG, AT(edges), .help = "draw the edges of triangles" },
  { "scale_bar", OPTION_FLAG, AT(scale), .help = "show a scale bar" },
  { 0 },
};

typedef struct ModesWindow {
  const WindowOptions *options;
  const Session *session;
  const Modes *modes;
  Window *window;
  bool has_hud, software;
  Programs programs;
  RenderTarget picture;
  SurfaceRenderer renderer;
  Stream stream;  // a stream of the CPU
  float *memory;  // buffer for surface_renderer_update: positions and displacements
  Style style;
  Camera camera, first_camera;
  Controls controls;
  double natural_amplitude;  // m, amplitude with which the window opens
  HudRows rows;
  HudAxes axes;
  Trace trace;
  char words[160];  // description of the mode, in the first line of the window
  int width, height;
  int64_t frame;
  // s, clock times: opening of the window; last advance of `phase`; time until which pictures are drawn although
  // nothing changes
  double started_at, moved_at, draw_until;
  double phase;  // phase of the oscillation, 0 to 1
  bool changed, shows_panel, shows_keys, quit;
  int button;  // pressed mouse button, -1: none
  bool pans;
  double cursor[2];
} ModesWindow;

static const double (*shape_of(const ModesWindow *w))[3] {
  const Modes *modes = w->modes;
  return (const double(*)[3])modes->shape + (size_t)(w->controls.mode - 1) * (size_t)modes->nodes;
}

// Writes, for example, "mode 2 of 10: 31.4 Hz, period 0.0318 s".
static void describe(const ModesWindow *w, char words[160]) {
  const int k = w->controls.mode - 1;
  const double f = w->modes->frequency[k];
  if (k < w->modes->rigid)
    snprintf(words, 160, "mode %d of %d: rigid motion, 0 Hz", k + 1, w->modes->count);
  else if (f < 0)
    snprintf(words, 160, "mode %d of %d: unstable", k + 1, w->modes->count);
  else
    snprintf(words, 160, "mode %d of %d: %.6g Hz, period %.4g s", k + 1, w->modes->count, f, 1 / f);
}

// Computes the nodes' positions at the present phase of the oscillation, and one value per node, shown as a colour: the
// amplitude of the node's displacement, m.
static bool place(ModesWindow *w, Error *error) {
  const TetMesh *mesh = &w->session->mesh;
  const double(*shape)[3] = shape_of(w), factor = w->controls.amplitude * sin(2 * acos(-1.0) * w->phase);
  float *value = w->memory + 3 * (size_t)mesh->node_count;
  double mean = 0;
  for (int a = 0; a < mesh->node_count; a++) {
    double length2 = 0;
    for (int i = 0; i < 3; i++) {
      w->memory[3 * (size_t)a + (size_t)i] = (float)(mesh->X[a][i] + factor * shape[a][i]);
      length2 += shape[a][i] * shape[a][i];
    }
    value[a] = (float)(w->controls.amplitude * sqrt(length2));
    mean += (double)value[a] / mesh->node_count;
  }

  float *extra = value + mesh->node_count;
  extra[FIELD_SMALLEST] = 0;
  extra[FIELD_LARGEST] = extra[FIELD_SPREAD] = (float)w->controls.amplitude;
  extra[FIELD_MEAN] = (float)mean;
  w->style.low = 0;
  w->style.high = fmax(w->controls.amplitude, 1e-30);
  char words[sizeof w->words];
  describe(w, words);
  if (strcmp(words, w->words) != 0) trace_message(&w->trace, w->frame, words);
  memcpy(w->words, words, sizeof words);
  return surface_renderer_update(&w->renderer, w->stream, w->memory, FIELD_GIVEN, VECTORS_NONE, error);
}

static void apply_controls(ModesWindow *w) {
  Controls *c = &w->controls;
  c->mode = c->mode < 1 ? 1 : c->mode > w->modes->count ? w->modes->count : c->mode;
  w->style.color_map = (ColorMap)c->color_map;
  w->style.wireframe = c->edges;
  w->style.scale = c->scale;
  w->changed = true;
}

static bool create(ModesWindow *w, Error *error) {
  const WindowOptions *o = w->options;
  Look look;
  const Session *session = w->session;
  Error cause = { 0 };
  w->started_at = w->moved_at = timer_seconds();
  w->button = -1;
  if (o->trace[0] && !trace_open(&w->trace, o->trace, error)) return false;
  if (!window_create(&w->window, "Pliant: modes", o->size[0], o->size[1], &cause))
    return error_set(error, "%s; without a display, use --vtu and ParaView", cause.message);
  window_size(w->window, &w->width, &w->height);
  w->has_hud = hud_create(w->window, error);
  look_begin(&look, o, &(Error){ 0 });  // a damaged file is no problem: this window does not store a look
  if (!w->has_hud || !programs_create(&w->programs, error) || !stream_create(DEVICE_CPU, &w->stream, error))
    return false;
  w->memory = device_alloc(DEVICE_CPU, surface_renderer_bytes(session->mesh.node_count), error);
  if (!w->memory ||
      !surface_renderer_create(&w->renderer, &w->programs, &session->surface, &session->mesh, DEVICE_CPU, error) ||
      !surface_renderer_set_pins(&w->renderer, session->pinned, error))
    return false;
  w->software = gl_is_software();
  w->style = session->scene.style;
  w->style.field = FIELD_GIVEN;
  w->style.title = "displacement";
  w->style.unit = "m";
  w->controls = (Controls){ .mode = w->modes->rigid < w->modes->count ? w->modes->rigid + 1 : 1,
                            .amplitude = w->natural_amplitude,
                            .edges = w->style.wireframe,
                            .scale = w->style.scale,
                            .color_map = (int)w->style.color_map };
  apply_controls(w);
  if (!scene_camera(session, (double)w->width / fmax(1, w->height), &w->camera, error)) return false;
  w->first_camera = w->camera;
  return place(w, error);
}

static void destroy(ModesWindow *w) {
  if (w->renderer.programs) surface_renderer_destroy(&w->renderer);
  device_free(DEVICE_CPU, w->memory);
  stream_destroy(&w->stream);
  programs_destroy(&w->programs);
  render_target_destroy(&w->picture);
  if (w->has_hud) hud_destroy();
  window_destroy(w->window);
  trace_close(&w->trace);
}

// ---- input by keys and mouse

// Closes the topmost open list, page or panel; if none is open, quits.
static void escape(ModesWindow *w) {
  if (w->shows_panel && hud_close_list()) return;
  if (w->shows_keys)
    w->shows_keys = false;
  else if (w->shows_panel)
    w->shows_panel = false;
  else
    w->quit = true;
}

static void key(ModesWindow *w, const WindowEvent *event) {
  Controls *c = &w->controls;
  if (event->control) {
    w->quit = w->quit || event->letter == 'Q';
    return;
  }
  if (camera_take_key(&w->camera, event)) return;
  if (event->letter == 'N' || event->code == KEY_PAGE_DOWN) c->mode++;
  if (event->letter == 'P' || event->code == KEY_PAGE_UP) c->mode--;
  switch (event->code) {
    case KEY_LOWER:
    case KEY_RAISE:
      c->amplitude = c->amplitude == 0 ? w->natural_amplitude : c->amplitude * (event->code == KEY_LOWER ? 0.5 : 2);
      break;
    case KEY_SPACE:
      c->paused = !c->paused;
      break;
    case KEY_C:
      w->camera = w->first_camera;
      break;
    case KEY_W:
      c->edges = !c->edges;
      break;
    case KEY_TAB:
      w->shows_panel = !w->shows_panel;
      break;
    case KEY_F1:
      w->shows_keys = !w->shows_keys;
      break;
    case KEY_ESCAPE:
      escape(w);
      break;
    default:
      break;
  }
  apply_controls(w);
}

static void move(ModesWindow *w, const double pixel[2]) {
  const double dx = pixel[0] - w->cursor[0], dy = pixel[1] - w->cursor[1];
  if (w->button < 0) return;
  if (w->pans)
    camera_pan(&w->camera, dx, dy, w->height);
  else
    camera_take_turn(&w->camera, dx, dy, w->height);
}

static void handle_events(ModesWindow *w) {
  WindowEvent events[WINDOW_EVENTS_MAX];
  int count = 0;
  if (window_poll(w->window)) w->changed = true;
  while (count < WINDOW_EVENTS_MAX && window_next_event(w->window, &events[count])) count++;
  if (count > 0) hud_begin(events, count);
  for (const WindowEvent *event = events; event < events + count; event++) {
    if (event->kind == WINDOW_MOVE) move(w, event->pixel);
    memcpy(w->cursor, event->pixel, sizeof w->cursor);
    if (event->kind == WINDOW_PRESS && w->button < 0 && !hud_wants_mouse()) {
      w->button = event->code;
      w->pans = event->code == BUTTON_MIDDLE || event->shift;
    }
    if (event->kind == WINDOW_RELEASE && event->code == w->button) w->button = -1;
    if (event->kind == WINDOW_SCROLL && !hud_wants_mouse())
      camera_zoom_at(&w->camera, pow(0.9, event->scroll[1]), event->pixel, w->width, w->height);
    if (event->kind == WINDOW_KEY && !hud_wants_keys()) key(w, event);
  }
  w->quit = w->quit || window_closed(w->window);
}

// ---- the panel

static void fill_panel(ModesWindow *w) {
  w->rows.count = 0;
  for (const Option *o = control_rows; o->key; o++)
    w->rows.row[w->rows.count++] = (HudSetting){ .option = o, .value = option_value(o, &w->controls), .high = 1 };
  w->rows.row[0].low = 1;
  w->rows.row[0].high = w->modes->count;
  w->rows.row[1].high = 5 * w->natural_amplitude;
}

static void apply_panel(ModesWindow *w) {
  for (const HudSetting *s = w->rows.row; s < w->rows.row + w->rows.count; s++) {
    const OptionValue before = option_value(s->option, &w->controls);
    if (!s->changed) continue;
    option_put(s->option, &w->controls, &s->value);
    // A typed value may be outside the range of its option. In this case the previous value is restored.
    if (!option_check(s->option, &w->controls, &(Error){ 0 })) option_put(s->option, &w->controls, &before);
    apply_controls(w);
  }
}

// ---- drawing

// Advances the oscillation by the time since the last picture.
static void advance(ModesWindow *w) {
  const double now = timer_seconds(), passed = w->options->frames > 0 ? 1.0 / 60 : now - w->moved_at;
  w->moved_at = now;
  if (!w->controls.paused) w->phase = fmod(w->phase + passed / CYCLE, 1);
}

static bool draw(ModesWindow *w, bool last, Error *error) {
  Picture picture = { .camera = &w->camera, .style = &w->style };
  HudOverlay overlay = { 0 };
  char line[400];

  // With --antialias auto, edges are smoothed only if a GPU draws the picture or the picture does not change.
  const Antialias wish = w->options->antialias;
  const bool smooth = wish == ANTIALIAS_ON || (wish == ANTIALIAS_AUTO && (!w->software || last || w->controls.paused));
  picture.hasty = !smooth;
  if (!place(w, error)) return false;
  if (!render_target_resize(&w->picture, w->width, w->height, smooth, error)) return false;
  if (!surface_renderer_draw(&w->renderer, w->picture.framebuffer, w->width, w->height, &picture, error)) return false;
  if (!render_target_show(&w->picture, 0, error)) return false;
  overlay_legend(&overlay, &w->renderer, &w->style);
  overlay_scale(&overlay, &picture, w->height);
  snprintf(line, sizeof line, "%.200s · %s · amplitude %.3g m%s", w->session->scene.path, w->words,
           w->controls.amplitude, w->controls.paused ? "   PAUSED" : "");
  if (w->shows_panel) fill_panel(w);
  overlay_axes(&w->axes, &w->camera);
  const HudTools tools = { .rows = w->shows_panel ? &w->rows : NULL, .axes = &w->axes };
  hud_draw(&overlay, line, NULL, HELP, &tools, w->shows_keys ? KEYS : NULL);
  if (w->shows_panel) apply_panel(w);
  if (overlay_turn_camera(&w->axes, &w->camera)) w->changed = true;
  return true;
}

static bool show(ModesWindow *w, bool last, Error *error) {
  w->changed = false;
  if (last && !w->options->screenshot[0]) return true;
  if (!last) advance(w);
  if (!draw(w, last, error)) return false;
  if (last) return png_write_window(w->options->screenshot, w->width, w->height, error);
  if (w->frame == 0 && !trace_start(&w->trace, &w->session->surface, &w->renderer, &w->camera, w->width, w->height,
                                    window_scale(w->window), timer_seconds() - w->started_at, error))
    return false;
  trace_items(&w->trace, w->frame);
  trace_view(&w->trace, w->frame, &w->camera);
  w->frame++;
  window_swap(w->window);
  return true;
}

static bool run(ModesWindow *w, Error *error) {
  const double shortest = 0.9 / window_refresh_rate(w->window);
  while (true) {
    const double start = timer_seconds();
    window_size(w->window, &w->width, &w->height);
    handle_events(w);
    if (interrupt_signal() || (w->options->frames > 0 && w->frame >= w->options->frames)) w->quit = true;
    const bool last = w->quit, limited = w->options->frames > 0;
    if (w->changed || w->button >= 0 || !w->controls.paused || limited) w->draw_until = start + AWAKE;
    if (!last && (start >= w->draw_until || (window_hidden(w->window) && !limited))) {
      window_wait(w->window, REST);
      w->moved_at = timer_seconds();
      continue;
    }
    if (w->width > 0 && w->height > 0 && !show(w, last, error)) return false;
    if (last) return true;
    timer_sleep(shortest - (timer_seconds() - start));
  }
}

bool modes_window(const WindowOptions *options, const Session *session, const Modes *modes, double amplitude,
                  Error *error) {
  ModesWindow *w = array_new(1, sizeof *w, "the window", error);
  if (!w) return false;
  w->options = options;
  w->session = session;
  w->modes = modes;
  w->natural_amplitude = amplitude;
  const bool ok = create(w, error) && run(w, error);
  if (ok) trace_exit(&w->trace, w->frame, 0, timer_seconds() - w->started_at, 0, 0, 0);
  destroy(w);
  free(w);
  return ok;
}
