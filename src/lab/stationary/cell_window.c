// The window that shows a stationary problem: see cell_window.h. The main thread draws and handles input, and another
// thread solves.
#include "lab/stationary/cell_window.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/timer.h"
#include "hud/hud.h"
#include "live/camera_input.h"
#include "record/png_file.h"
#include "render/gl_picture.h"
#include "render/render_target.h"
#include "window/look.h"
#include "window/trace.h"

static const double AWAKE = 0.5;  // s: time after a change for which pictures are drawn; then drawing rests
static const double REST = 0.1;   // s: maximum time to wait for input while drawing rests

static const char *const HELP =
    "Drag: rotate    Middle drag: pan    Wheel: zoom    [ ]: scale displacements    Tab: panel    F1: all keys";
static const char *const KEYS =
    "Mouse\n  left, right      rotate the view; with shift pan it\n  middle           pan the view\n  wheel            "
    "zoom at the pointer\nKeys\n  [ and ]          halve or double the displayed displacements\n  1, 3, 7          "
    "view from the front, side, top; with shift from the opposite side; or click an axis\n  arrows           rotate "
    "the view\n  C                reset the camera; A: frame the whole mesh\n  W, X             show or hide edges; "
    "show or hide a section\n  I                show position and value under the pointer\n  Tab              panel: "
    "problem and display settings\n  F1               show or hide this page\n  Esc              close the open list, "
    "page or panel; otherwise quit, as Ctrl+Q";

// Values of the display options in the window's panel, such as the color map. control_rows describes them.
typedef struct Controls {
  double factor;
  int color_map, section;
  double section_at;
  bool other_side, edges, scale;
} Controls;

#define AT(field) OPTION_AT(Controls, field)
static const Option control_rows[] = {
  { "warp", OPTION_NUMBER, AT(factor), OPTION_ANY,
    .help = "factor by which displacements are multiplied in the picture" },
  { "color_map", OPTION_CHOICE, AT(color_map), .choices = COLOR_MAP_NAMES, .help = "color map of the values" },
  { "wireframe", OPTION_FLAG, AT(edges), .help = "draw the edges of triangles" },
  { "scale_bar", OPTION_FLAG, AT(scale), .help = "show a scale bar" },
  { "section", OPTION_CHOICE, AT(section), .choices = "none|x|y|z", .help = "axis normal to the cutting plane" },
  { "section_at", OPTION_NUMBER, AT(section_at), OPTION_FROM_TO(0, 1), .slider = { 0, 1 },
    .help = "position of the cutting plane along its normal: 0 and 1 are the two ends of the mesh" },
  { "other_side", OPTION_FLAG, AT(other_side), .help = "show the half that the cut hides, and hide the other one" },
  { 0 },
};

typedef enum SolverState { SOLVER_RESTS, SOLVER_ASKED, SOLVER_DONE } SolverState;

// The thread that solves the problem, with the options that the main thread has requested last. While `state` is
// SOLVER_ASKED, this thread changes the values to show (CellProblem.values), and no other thread may access them.
typedef struct SolverThread {
  const CellProblem *problem;
  pthread_t thread;
  bool started;
  pthread_mutex_t lock;  // must be held to read or write `state`
  pthread_cond_t wake;
  SolverState state;
  atomic_bool ending;
  void *target;  // copy of the user's options, with which the thread solves
  bool ok;
  Error error;
} SolverThread;

typedef struct CellWindow {
  const WindowOptions *options;
  const CellProblem *problem;
  Window *window;
  bool has_hud, software;
  Programs programs;
  RenderTarget picture;
  Picker picker;
  CellView view;
  Camera camera, first_camera;
  Controls controls;
  double natural_factor;  // factor that scales the largest displacement to about a tenth of the mesh's size
  HudRows rows;
  HudAxes axes;
  SolverThread solver;
  Trace trace;
  bool wanted;  // the options have changed since the last request to the solver thread
  char warning[300], words[160];
  char probed[320];  // text about the point under the mouse in the last picture
  int width, height;
  int64_t frame;
  double started_at, draw_until;
  bool changed, shows_panel, shows_keys, probes, quit;
  int button;  // pressed mouse button, -1: none
  bool pans;
  double cursor[2];
} CellWindow;

static bool stop_early(void *solver) {
  return atomic_load_explicit(&((SolverThread *)solver)->ending, memory_order_acquire);
}

static void *run_solver(void *context) {
  SolverThread *s = context;
  interrupt_listen(stop_early, s);
  pthread_mutex_lock(&s->lock);
  while (!stop_early(s)) {
    if (s->state != SOLVER_ASKED) {
      pthread_cond_wait(&s->wake, &s->lock);
      continue;
    }
    pthread_mutex_unlock(&s->lock);
    s->error = (Error){ 0 };
    s->ok = s->problem->solve(s->problem->user, s->target, &s->error);
    pthread_mutex_lock(&s->lock);
    s->state = SOLVER_DONE;
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

static bool solver_start(SolverThread *s, const CellProblem *problem, Error *error) {
  s->problem = problem;
  s->target = array_new((int64_t)problem->size, 1, "problem of the solver", error);
  if (!s->target) return false;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->wake, NULL);
  s->started = pthread_create(&s->thread, NULL, run_solver, s) == 0;
  return s->started || error_set(error, "cannot start the solver thread");
}

static void solver_stop(SolverThread *s) {
  atomic_store_explicit(&s->ending, true, memory_order_release);
  if (s->started) {
    pthread_mutex_lock(&s->lock);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
  }
  free(s->target);
}

static bool show_values(CellWindow *w, Error *error) {
  char words[sizeof w->words];
  if (!cell_view_set(&w->view, &w->problem->values, w->controls.factor, error)) return false;
  cell_view_words(&w->view, words);
  if (strcmp(words, w->words) != 0) trace_message(&w->trace, w->frame, words);
  memcpy(w->words, words, sizeof words);
  w->changed = true;
  return true;
}

// Shows the result if the solver thread has finished. If the thread is idle and the options have changed, requests a
// solve with the new options. Sets *solving to true if the thread is computing a solution, else to false.
static bool exchange(CellWindow *w, bool *solving, Error *error) {
  SolverThread *s = &w->solver;
  pthread_mutex_lock(&s->lock);
  bool ok = true;
  if (s->state == SOLVER_DONE) {
    s->state = SOLVER_RESTS;
    snprintf(w->warning, sizeof w->warning, "%.290s", s->ok ? "" : s->error.message);
    ok = !s->ok || show_values(w, error);
    if (!s->ok) trace_message(&w->trace, w->frame, w->warning);
    w->changed = true;
  }
  if (ok && w->wanted && s->state == SOLVER_RESTS) {
    memcpy(s->target, w->problem->target, w->problem->size);
    s->state = SOLVER_ASKED;
    w->wanted = false;
    pthread_cond_signal(&s->wake);
  }
  *solving = s->state == SOLVER_ASKED;
  pthread_mutex_unlock(&s->lock);
  return ok;
}

// Draws the nodes again after the user has changed the factor on displacements. Does nothing while the solver thread
// works; when it has finished, its result is drawn with the new factor.
static bool set_factor(CellWindow *w, Error *error) {
  pthread_mutex_lock(&w->solver.lock);
  const bool free_now = w->solver.state != SOLVER_ASKED;
  const bool ok = !free_now || show_values(w, error);
  pthread_mutex_unlock(&w->solver.lock);
  return ok;
}

static void apply_controls(CellWindow *w) {
  const Controls *c = &w->controls;
  Style *style = &w->view.style;
  style->color_map = (ColorMap)c->color_map;
  style->wireframe = c->edges;
  style->scale = c->scale;
  style->section = c->section > 0;
  if (c->section > 0) style->section_axis = c->section - 1;
  style->section_at = c->section_at;
  style->section_flip = c->other_side;
}

static bool create(CellWindow *w, Error *error) {
  const WindowOptions *o = w->options;
  Look look;
  const CellProblem *p = w->problem;
  Error cause = { 0 };
  w->started_at = timer_seconds();
  w->button = -1;
  if (o->trace[0] && !trace_open(&w->trace, o->trace, error)) return false;
  if (!window_create(&w->window, "Pliant", o->size[0], o->size[1], &cause))
    return error_set(error, "%s; without a display, use --picture", cause.message);
  window_size(w->window, &w->width, &w->height);
  w->has_hud = hud_create(w->window, error);
  look_begin(&look, o, &(Error){ 0 });  // a damaged file is no problem: this window does not store a look
  if (!w->has_hud || !programs_create(&w->programs, error) || !picker_create(&w->picker, error) ||
      !cell_view_create(&w->view, &w->programs, p->mesh, error))
    return false;
  w->software = gl_is_software();
  w->controls = (Controls){ .factor = p->factor,
                            .color_map = (int)p->style.color_map,
                            .section = p->style.section ? p->style.section_axis + 1 : 0,
                            .section_at = p->style.section_at,
                            .other_side = p->style.section_flip,
                            .edges = p->style.wireframe,
                            .scale = p->style.scale };
  w->natural_factor = cell_view_factor(p->mesh, &p->values);
  apply_controls(w);
  if (!show_values(w, error) || !cell_view_camera(&w->view, (double)w->width / fmax(1, w->height), &w->camera, error))
    return false;
  w->first_camera = w->camera;
  return solver_start(&w->solver, p, error);
}

static void destroy(CellWindow *w) {
  solver_stop(&w->solver);
  cell_view_destroy(&w->view);
  picker_destroy(&w->picker);
  programs_destroy(&w->programs);
  render_target_destroy(&w->picture);
  if (w->has_hud) hud_destroy();
  window_destroy(w->window);
  trace_close(&w->trace);
}

// ---- input by keys and mouse

// Handles the key Esc: closes the open list, page or panel, or quits if none is open.
static void escape(CellWindow *w) {
  if (w->shows_panel && hud_close_list()) return;
  if (w->shows_keys)
    w->shows_keys = false;
  else if (w->shows_panel)
    w->shows_panel = false;
  else
    w->quit = true;
}

static bool key(CellWindow *w, const WindowEvent *event, Error *error) {
  Controls *c = &w->controls;
  if (event->control) {
    w->quit = w->quit || event->letter == 'Q';
    return true;
  }
  if (camera_take_key(&w->camera, event)) return true;
  if (event->letter == 'A') return cell_view_camera(&w->view, (double)w->width / fmax(1, w->height), &w->camera, error);
  switch (event->code) {
    case KEY_LOWER:
    case KEY_RAISE:
      c->factor = c->factor == 0 ? w->natural_factor : c->factor * (event->code == KEY_LOWER ? 0.5 : 2);
      return set_factor(w, error);
    case KEY_C:
      w->camera = w->first_camera;
      break;
    case KEY_W:
      c->edges = !c->edges;
      break;
    case KEY_X:
      c->section = c->section > 0 ? 0 : w->view.style.section_axis + 1;
      break;
    case KEY_I:
      w->probes = !w->probes;
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
  return true;
}

static void move(CellWindow *w, const double pixel[2]) {
  const double dx = pixel[0] - w->cursor[0], dy = pixel[1] - w->cursor[1];
  if (w->button < 0) return;
  if (w->pans)
    camera_pan(&w->camera, dx, dy, w->height);
  else
    camera_take_turn(&w->camera, dx, dy, w->height);
}

static bool handle_events(CellWindow *w, Error *error) {
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
    if (event->kind == WINDOW_KEY && !hud_wants_keys() && !key(w, event, error)) return false;
  }
  w->quit = w->quit || window_closed(w->window);
  return true;
}

// ---- the panel

static void add_rows(HudRows *rows, const Option *table, const void *target) {
  for (const Option *o = table; o->key && rows->count < HUD_SETTINGS_MAX; o++)
    rows->row[rows->count++] =
        (HudSetting){ .option = o, .value = option_value(o, target), .low = o->slider[0], .high = o->slider[1] };
}

static void fill_panel(CellWindow *w) {
  // Leave out the first row, the factor on displacements, if the problem has no displacements.
  const Option *controls = control_rows + !w->problem->values.move;
  w->rows.count = 0;
  add_rows(&w->rows, w->problem->rows, w->problem->target);
  const int first = w->rows.count;
  add_rows(&w->rows, controls, &w->controls);
  if (controls == control_rows) w->rows.row[first].high = w->natural_factor > 0 ? 5 * w->natural_factor : 1;
}

static bool apply_panel(CellWindow *w, Error *error) {
  const double factor = w->controls.factor;
  for (const HudSetting *s = w->rows.row; s < w->rows.row + w->rows.count; s++) {
    const bool control = option_find(control_rows, s->option->key) == s->option;
    void *target = control ? (void *)&w->controls : w->problem->target;
    const OptionValue before = option_value(s->option, target);
    if (!s->changed) continue;
    option_put(s->option, target, &s->value);

    // If the new value is outside the permitted range, restore the previous value.
    if (!option_check(s->option, target, &(Error){ 0 }))
      option_put(s->option, target, &before);
    else
      w->wanted = w->wanted || !control;
    w->changed = true;
  }
  apply_controls(w);
  return w->controls.factor == factor || set_factor(w, error);
}

// ---- drawing

// If the pointer is on the mesh, adds a label next to it to `overlay`, with the position and the value of the point.
static bool probe(CellWindow *w, const Picture *picture, HudOverlay *overlay, Error *error) {
  Pick pick;
  if (!w->probes || w->button >= 0 || hud_wants_mouse()) return true;
  if (!picker_pick(&w->picker, &w->view.renderer, &w->view.cells.surface, picture, w->cursor, w->width, w->height,
                   &pick, error))
    return false;
  char *text = overlay->labels[0].text;
  cell_view_probe(&w->view, &pick, text, sizeof overlay->labels[0].text);
  if (!text[0]) return true;
  overlay->label_count = 1;
  for (int i = 0; i < 2; i++) overlay->labels[0].pixel[i] = w->cursor[i];
  if (strcmp(text, w->probed) != 0) trace_message(&w->trace, w->frame, text);
  memcpy(w->probed, text, sizeof w->probed);
  return true;
}

static bool draw(CellWindow *w, bool last, bool solving, Error *error) {
  const Picture rough = { .camera = &w->camera, .style = &w->view.style, .hasty = true };
  Picture picture = rough;
  HudOverlay overlay = { 0 };
  char line[400];

  // In the mode "auto", use antialiasing if a GPU draws the picture. If the CPU draws it, use antialiasing only if the
  // picture does not change.
  const Antialias wish = w->options->antialias;
  const bool rests = last || timer_seconds() > w->draw_until - AWAKE / 2;
  const bool smooth = wish == ANTIALIAS_ON || (wish == ANTIALIAS_AUTO && (!w->software || rests));
  picture.hasty = !smooth;
  if (!render_target_resize(&w->picture, w->width, w->height, smooth, error)) return false;
  if (!surface_renderer_draw(&w->view.renderer, w->picture.framebuffer, w->width, w->height, &picture, error))
    return false;
  if (!probe(w, &picture, &overlay, error)) return false;
  if (!render_target_show(&w->picture, 0, error)) return false;
  cell_view_overlay(&w->view, &picture, w->height, &overlay);
  snprintf(line, sizeof line, "%.180s    %s%s", w->problem->line, w->words, solving ? "    solving" : "");
  if (w->shows_panel) fill_panel(w);
  overlay_axes(&w->axes, &w->camera);
  const HudTools tools = { .rows = w->shows_panel ? &w->rows : NULL, .axes = &w->axes };
  HudNotices notices = { 0 };
  if (w->warning[0]) hud_notices_add(&notices, HUD_ERROR, w->warning);
  hud_draw(&overlay, line, &notices, HELP, &tools, w->shows_keys ? KEYS : NULL);
  if (w->shows_panel && !apply_panel(w, error)) return false;
  if (overlay_turn_camera(&w->axes, &w->camera)) w->changed = true;
  return true;
}

static bool show(CellWindow *w, bool last, bool solving, Error *error) {
  w->changed = false;
  if (last && !w->options->screenshot[0]) return true;
  if (!draw(w, last, solving, error)) return false;
  if (last) return png_write_window(w->options->screenshot, w->width, w->height, error);
  if (w->trace.file && w->frame == 0 &&
      !trace_start(&w->trace, &w->view.cells.surface, &w->view.renderer, &w->camera, w->width, w->height,
                   window_scale(w->window), timer_seconds() - w->started_at, error))
    return false;
  trace_items(&w->trace, w->frame);
  trace_view(&w->trace, w->frame, &w->camera);
  w->frame++;
  window_swap(w->window);
  return true;
}

static bool run(CellWindow *w, Error *error) {
  const double shortest = 0.9 / window_refresh_rate(w->window);
  while (true) {
    const double start = timer_seconds();
    bool solving = false;
    window_size(w->window, &w->width, &w->height);
    if (!handle_events(w, error) || !exchange(w, &solving, error)) return false;
    if (interrupt_signal() || (w->options->frames > 0 && w->frame >= w->options->frames)) w->quit = true;
    const bool last = w->quit;
    if (w->changed || w->button >= 0 || solving || w->options->frames > 0) w->draw_until = start + AWAKE;
    if (!last && (start >= w->draw_until || window_hidden(w->window))) {
      window_wait(w->window, REST);
      continue;
    }
    if (w->width > 0 && w->height > 0 && !show(w, last, solving, error)) return false;
    if (last) return true;
    timer_sleep(shortest - (timer_seconds() - start));
  }
}

bool cell_window(const WindowOptions *options, const CellProblem *problem, Error *error) {
  CellWindow *w = array_new(1, sizeof *w, "the window", error);
  if (!w) return false;
  w->options = options;
  w->problem = problem;
  const bool ok = create(w, error) && run(w, error);
  if (ok) trace_exit(&w->trace, w->frame, 0, timer_seconds() - w->started_at, 0, 0, 0);
  destroy(w);
  free(w);
  return ok;
}
