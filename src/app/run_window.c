// `pliant SCENE`: see run_window.h. This thread draws and listens to the user; sim_thread.c moves the body.
#include "app/run_window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/scene_camera.h"
#include "app/sim_thread.h"
#include "app/trace.h"
#include "base/array.h"
#include "base/log.h"
#include "base/timer.h"
#include "record/png_file.h"
#include "render/gl_picture.h"
#include "render/hud.h"
#include "render/picker.h"
#include "render/render_target.h"
#include "render/window.h"
#include "sim/material.h"

#define AT(field) offsetof(WindowOptions, field), sizeof(((WindowOptions *)0)->field)
const Option window_options[] = {
  { "window_size", OPTION_SIZE, AT(size), 64, 16384, "WxH", NULL, NULL, "of the window" },
  { "frames", OPTION_INTEGER, AT(frames), 0, INT32_MAX, NULL, NULL, NULL,
    "close after so many drawn frames; 0: never" },
  { "trace", OPTION_TEXT, AT(trace), 0, 0, "FILE", NULL, NULL, "write what the mouse does as JSON lines" },
  { "screenshot", OPTION_TEXT, AT(screenshot), 0, 0, "FILE", NULL, NULL, "write the last frame as PNG" },
  { NULL, OPTION_NUMBER, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};

static const char *const HELP =
    "left: pull the body    beside it, or right: turn    middle, or shift: move    wheel: zoom"
    "    space: pause    S: one step    R: reset    Tab: panel    F1: all keys    Esc: quit";

static const char *const KEYS =
    "On the body\n"
    "  left button     pull it: a spring holds the patch under the mouse\n"
    "Beside it\n"
    "  left button     turn the view\n"
    "Anywhere\n"
    "  right button    turn the view\n"
    "  middle button   move the view; so does shift with the left one\n"
    "  wheel           nearer, farther\n"
    "Keys\n"
    "  space           pause, go on\n"
    "  S               one step, then pause\n"
    "  [ and ]         half or double speed, down to 1/64\n"
    "  R               back to rest\n"
    "  C               the view as at the start\n"
    "  Tab             panel: material, gravity, time step, plots\n"
    "  F1              this page\n"
    "  Esc             quit";

WindowOptions window_defaults(void) {
  return (WindowOptions){ .size = { 1280, 800 } };
}

typedef enum MouseMode { MOUSE_FREE, MOUSE_ORBIT, MOUSE_PAN, MOUSE_PULL } MouseMode;

// Everything the window's thread has. Pixels are those of the picture, from its upper left corner.
typedef struct View {
  SimThread *sim;
  Window *window;
  bool has_hud;
  RenderTarget picture;
  SurfaceRenderer renderer;
  Picker picker;
  Camera camera;
  Stream stream;  // the reader's, on the simulation's device
  SimNote note;   // of the positions that are drawn
  Trace trace;
  int width, height;  // of the picture
  int64_t frame;      // drawn so far
  bool seen;          // positions have come
  double frames_per_s, rate_begin;
  int64_t rate_frame;
  // the mouse
  MouseMode mode;
  int button;  // that began the mode
  double cursor[2];
  double radius, stiffness;  // of its grab, m and N/m (0: the simulation chooses)
  Pick pick;                 // what is held while pulling
  double target[3];          // m, where that is pulled to
  const char *happened;      // "pick" or "release", to be traced when the frame is drawn
  bool quit;
  bool shows_panel, shows_keys;
  HudPanel panel;
  Camera first_camera;
} View;

static bool view_create(View *view, const Scene *scene, const WindowOptions *options, Error *error) {
  if (options->trace[0] && !trace_open(&view->trace, options->trace, error)) return false;
  // the window first: without a display there is no need to read the mesh
  Error cause = { 0 };
  if (!window_create(&view->window, "Pliant", options->size[0], options->size[1], &cause))
    return error_set(error, "%s; without a display, use pliant record", cause.message);
  view->sim = sim_thread_start(scene, error);
  if (!view->sim) return false;
  const Session *session = &view->sim->session;
  const Device device = session->scene.simulation.device;
  window_size(view->window, &view->width, &view->height);
  view->has_hud = hud_create(view->window, error);
  if (!view->has_hud || !stream_create(device, &view->stream, error) ||
      !scene_camera(session, (double)view->width / fmax(1, view->height), &view->camera, error) ||
      !surface_renderer_create(&view->renderer, &session->surface, session->mesh.node_count, device, error) ||
      !picker_create(&view->picker, error))
    return false;
  view->radius = session->scene.mouse_radius > 0 ? session->scene.mouse_radius : view->camera.radius / 10;
  view->stiffness = session->scene.mouse_stiffness;
  view->rate_begin = timer_seconds();
  view->first_camera = view->camera;
  return true;
}

// the simulation's thread ends first: it may still be writing
static bool view_destroy(View *view, Error *error) {
  stream_sync(view->stream, error);
  const bool ok = sim_thread_stop(view->sim, error);
  picker_destroy(&view->picker);
  surface_renderer_destroy(&view->renderer);
  render_target_destroy(&view->picture);
  stream_destroy(&view->stream);
  if (view->has_hud) hud_destroy();
  window_destroy(view->window);
  trace_close(&view->trace);
  return ok;
}

static void post(View *view, const Command *command) {
  if (!mailbox_send(&view->sim->commands, command) && command->kind != COMMAND_DRAG)
    log_notice("the simulation is too busy to listen");
}

static bool grab(View *view, const double pixel[2], Error *error) {
  const Session *session = &view->sim->session;
  Pick *pick = &view->pick;
  if (!picker_pick(&view->picker, &view->renderer, &session->surface, &view->camera, pixel, view->width, view->height,
                   pick, error))
    return false;
  if (pick->triangle < 0) return true;
  // the same point of the undeformed body
  Command command = { .kind = COMMAND_GRAB, .radius = view->radius, .stiffness = view->stiffness };
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 3; a++) command.X[i] += pick->barycentric[a] * session->mesh.X[pick->nodes[a]][i];
  post(view, &command);
  memcpy(view->target, pick->point, sizeof view->target);
  view->mode = MOUSE_PULL;
  view->happened = "pick";
  return true;
}

// the target follows the mouse in the plane through the picked point that is parallel to the picture
static void pull(View *view) {
  Command command = { .kind = COMMAND_DRAG };
  double target[3];
  camera_on_plane(&view->camera, view->cursor, view->width, view->height, view->pick.point, target);
  if (memcmp(target, view->target, sizeof target) == 0) return;
  for (int i = 0; i < 3; i++) command.offset[i] = target[i] - view->pick.point[i];
  if (mailbox_send(&view->sim->commands, &command)) memcpy(view->target, target, sizeof target);
}

static bool press(View *view, const WindowEvent *event, Error *error) {
  if (view->mode != MOUSE_FREE || hud_wants_mouse()) return true;
  view->button = event->code;
  if (event->code == BUTTON_LEFT && !event->shift && !grab(view, event->pixel, error)) return false;
  if (view->mode == MOUSE_FREE) view->mode = event->code == BUTTON_MIDDLE || event->shift ? MOUSE_PAN : MOUSE_ORBIT;
  return true;
}

static void release(View *view) {
  if (view->mode == MOUSE_PULL) {
    post(view, &(Command){ .kind = COMMAND_RELEASE });
    view->happened = "release";
  }
  view->mode = MOUSE_FREE;
}

static void move(View *view, const double pixel[2]) {
  const double dx = pixel[0] - view->cursor[0], dy = pixel[1] - view->cursor[1];
  const double turn = 3.14159265358979 / fmax(1, view->height);  // half a turn over the picture's height
  if (view->mode == MOUSE_ORBIT) camera_orbit(&view->camera, -turn * dx, turn * dy);
  if (view->mode == MOUSE_PAN) camera_pan(&view->camera, dx, dy, view->height);
}

static void adjust(View *view, const SimulationSettings *settings, double speed) {
  post(view, &(Command){ .kind = COMMAND_ADJUST, .settings = *settings, .speed = speed });
}

static void key(View *view, int code) {
  const double speed = view->note.speed > 0 ? view->note.speed : 1;
  switch (code) {
    case KEY_LOWER:
      if (view->seen) adjust(view, &view->note.settings, fmax(speed / 2, 1.0 / 64));
      break;
    case KEY_RAISE:
      if (view->seen) adjust(view, &view->note.settings, fmin(speed * 2, 64));
      break;
    case KEY_C:
      view->camera = view->first_camera;
      break;
    case KEY_TAB:
      view->shows_panel = !view->shows_panel;
      break;
    case KEY_F1:
      view->shows_keys = !view->shows_keys;
      break;
    case KEY_SPACE:
      post(view, &(Command){ .kind = COMMAND_PAUSE });
      break;
    case KEY_S:
      post(view, &(Command){ .kind = COMMAND_STEP });
      break;
    case KEY_R:
      release(view);
      post(view, &(Command){ .kind = COMMAND_RESET });
      break;
    case KEY_ESCAPE:
      view->quit = true;
      break;
    default:
      break;
  }
}

static bool listen(View *view, Error *error) {
  WindowEvent event;
  window_poll(view->window);
  while (window_next_event(view->window, &event)) {
    if (event.kind == WINDOW_MOVE) move(view, event.pixel);
    memcpy(view->cursor, event.pixel, sizeof view->cursor);
    if (event.kind == WINDOW_PRESS && !press(view, &event, error)) return false;
    if (event.kind == WINDOW_RELEASE && event.code == view->button) release(view);
    if (event.kind == WINDOW_SCROLL && !hud_wants_mouse()) camera_zoom(&view->camera, pow(0.9, event.scroll));
    if (event.kind == WINDOW_KEY && !hud_wants_keys()) key(view, event.code);
  }
  if (view->mode == MOUSE_PULL) pull(view);
  view->quit = view->quit || window_closed(view->window);
  return true;
}

// takes the newest positions, where there are newer ones than those drawn last
static bool take_positions(View *view, Error *error) {
  TripleBuffer *positions = &view->sim->positions;
  const void *memory, *note;
  bool fresh;
  if (!triple_buffer_read_begin(positions, view->stream, &fresh, &memory, &note, error)) return false;
  if (!fresh) return true;
  memcpy(&view->note, note, sizeof view->note);
  view->seen = true;
  return surface_renderer_update(&view->renderer, view->stream, memory, error) &&
         triple_buffer_read_end(positions, view->stream, error);
}

// "125,159"
static const char *grouped(int number, char text[16]) {
  char plain[16];
  const int length = snprintf(plain, sizeof plain, "%d", number);
  int k = 0;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) text[k++] = ',';
    text[k++] = plain[i];
  }
  text[k] = '\0';
  return text;
}

static void fill_panel(HudPanel *p, const SimNote *n) {
  const SimulationSettings *s = &n->settings;
  *p = (HudPanel){ .young = young_modulus(s->mu, s->lambda),
                   .poisson = poisson_ratio(s->mu, s->lambda),
                   .damping = s->damping,
                   .gravity = { s->gravity[0], s->gravity[1], s->gravity[2] },
                   .dt = s->dt,
                   .speed = n->speed,
                   .newton_max = s->newton_max,
                   .newton_relative = s->newton_relative,
                   .paused = n->paused };
  const int first = n->sample_count > SIM_SAMPLES ? n->sample_count - SIM_SAMPLES : 0;
  for (int k = first; k < n->sample_count; k++, p->samples++) {
    const SimSample *sample = &n->sample[k % SIM_SAMPLES];
    p->kinetic[p->samples] = sample->kinetic, p->elastic[p->samples] = sample->elastic;
    p->newton[p->samples] = sample->newton, p->cg[p->samples] = sample->cg;
  }
}

// what the user did in the panel goes to the simulation
static void obey_panel(View *view) {
  const HudPanel *p = &view->panel;
  if (p->pause) post(view, &(Command){ .kind = COMMAND_PAUSE });
  if (p->step) post(view, &(Command){ .kind = COMMAND_STEP });
  if (p->reset) post(view, &(Command){ .kind = COMMAND_RESET });
  if (p->release) post(view, &(Command){ .kind = COMMAND_RELEASE });
  if (!p->changed) return;
  SimulationSettings s = view->note.settings;
  s.mu = lame_mu(p->young, p->poisson);
  s.lambda = lame_lambda(p->young, p->poisson);
  s.damping = p->damping, s.dt = p->dt, s.newton_max = p->newton_max, s.newton_relative = p->newton_relative;
  memcpy(s.gravity, p->gravity, sizeof s.gravity);
  adjust(view, &s, p->speed);
}

static void draw_hud(View *view) {
  const Session *session = &view->sim->session;
  const SimNote *n = &view->note;
  char line[512], warning[512] = "", nodes[16], tets[16];
  snprintf(line, sizeof line,
           "%.0f steps/s   %.0f frames/s   Newton %.1f, CG %.0f per step   %.2f x real time   %s nodes, %s tets   %s%s",
           n->paused ? 0 : n->steps_per_s, view->frames_per_s, n->newton_per_step, n->cg_per_step,
           n->paused ? 0 : n->real_time, grouped(session->mesh.node_count, nodes),
           grouped(session->mesh.tet_count, tets), device_model(session->scene.simulation.device),
           n->paused ? "   PAUSED" : "");
  int length = 0;
  if (n->trouble[0]) length = snprintf(warning, sizeof warning, "stopped: %s   (R: back to rest)", n->trouble);
  if (!length && n->halved) length = snprintf(warning, sizeof warning, "%d steps taken in parts   ", n->halved);
  if (!n->trouble[0] && n->damped)
    length += snprintf(warning + length, sizeof warning - (size_t)length, "%d steps damped   ", n->damped);
  if (!n->trouble[0] && n->unfinished)
    snprintf(warning + length, sizeof warning - (size_t)length, "%d steps did not converge", n->unfinished);
  // a value that is being changed is the user's, until the simulation answers
  if (!view->panel.changed) fill_panel(&view->panel, n);
  hud_draw(line, warning, HELP, view->shows_panel ? &view->panel : NULL, view->shows_keys ? KEYS : NULL);
  if (view->shows_panel) obey_panel(view);
}

static bool draw(View *view, Error *error) {
  Spring springs[SCENE_PARTS_MAX + 1];
  int count = view->note.drags.count;
  memcpy(springs, view->note.drags.springs, sizeof *springs * (size_t)count);
  if (view->mode == MOUSE_PULL) {
    Spring *spring = &springs[count++];
    memcpy(spring->nodes, view->pick.nodes, sizeof spring->nodes);
    memcpy(spring->barycentric, view->pick.barycentric, sizeof spring->barycentric);
    memcpy(spring->target, view->target, sizeof spring->target);
  }
  return render_target_resize(&view->picture, view->width, view->height, error) &&
         surface_renderer_draw(&view->renderer, view->picture.framebuffer, view->width, view->height, &view->camera,
                               springs, count, error) &&
         render_target_show(&view->picture, error);
}

static bool write_trace(View *view, Error *error) {
  const char *event = view->happened;
  view->happened = NULL;
  if (!view->trace.file) return true;
  if (view->frame == 1 &&
      !trace_start(&view->trace, &view->sim->session, &view->renderer, &view->camera, view->width, view->height, error))
    return false;
  trace_settings(&view->trace, view->frame, view->note.step, &view->note.settings, view->note.speed, view->note.paused);
  if (!event && view->mode == MOUSE_PULL && view->frame % TRACE_PERIOD == 0) event = "drag";
  const TraceHold hold = { &view->pick, view->cursor, view->target };
  return !event || trace_hold(&view->trace, event, view->frame, view->note.step, &hold, &view->renderer, &view->camera,
                              view->width, view->height, error);
}

static bool write_screenshot(const View *view, const char *path, Error *error) {
  uint8_t *rgba = array_new((int64_t)view->width * view->height, 4, "the picture", error);
  const bool ok = rgba && gl_read_picture(0, view->width, view->height, rgba, error) &&
                  png_write(path, rgba, view->width, view->height, error);
  free(rgba);
  return ok;
}

static void count_frame(View *view) {
  const double span = timer_seconds() - view->rate_begin;
  view->frame++;
  if (span < 0.5) return;
  view->frames_per_s = (double)(view->frame - view->rate_frame) / span;
  view->rate_begin += span;
  view->rate_frame = view->frame;
}

static bool run(View *view, const WindowOptions *options, Error *error) {
  // where vertical sync does nothing (software, a hidden window), more frames than the screen shows are a waste
  const double shortest = 0.9 / window_refresh_rate(view->window);
  while (true) {
    const double begin = timer_seconds();
    window_size(view->window, &view->width, &view->height);
    if (!listen(view, error) || !take_positions(view, error)) return false;
    if (atomic_load_explicit(&view->sim->ended, memory_order_acquire)) return true;  // view_destroy says why
    if (options->frames > 0 && view->frame >= options->frames) view->quit = true;
    const bool last = view->quit;
    if (view->seen && view->width > 0 && view->height > 0 && (!last || options->screenshot[0])) {
      if (!draw(view, error)) return false;
      if (!last) count_frame(view);
      draw_hud(view);
      if (!write_trace(view, error)) return false;
      if (last) return write_screenshot(view, options->screenshot, error);
      window_swap(view->window);
    }
    if (last) return true;
    timer_sleep(shortest - (timer_seconds() - begin));
  }
}

bool run_window(const Scene *scene, const WindowOptions *options, Error *error) {
  View *view = array_new(1, sizeof *view, "the view", error);
  if (!view) return false;
  bool ok = view_create(view, scene, options, error) && run(view, options, error);
  if (ok) trace_exit(&view->trace, view->frame, view->note.step);
  ok = view_destroy(view, error) && ok;
  free(view);
  return ok;
}
