// `pliant SCENE`: see run_window.h. The main thread draws and reads input; a second one simulates (live/sim_thread.c).
#include "window/run_window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/path_lock.h"
#include "base/timer.h"
#include "record/frame_writer.h"
#include "record/png_file.h"
#include "render/gl_picture.h"
#include "scene/scene_save.h"
#include "window/view_tools.h"

#define AT(field) OPTION_AT(WindowOptions, field)
const Option window_options[] = {
  { "window_size", OPTION_SIZE, AT(size), OPTION_FROM_TO(64, 16384), .unit = "WxH",
    .help = "size of the window in pixels at display scale 1; a high-density display uses more" },
  { "frames", OPTION_INTEGER, AT(frames), OPTION_FROM_TO(0, INT32_MAX),
    .help = "close the window after this number of drawn frames; 0: never" },
  { "max_fps", OPTION_NUMBER, AT(max_fps), OPTION_FROM_TO(1, 1000), .unit = "HZ",
    .help = "largest number of pictures drawn per second; 0, the default: the refresh rate of the screen" },
  { "antialias", OPTION_CHOICE, AT(antialias), .choices = "auto|on|off",
    .help = "smooth the edges in the picture; auto: without a GPU, only while nothing moves" },
  { "theme", OPTION_CHOICE, AT(theme), .choices = "last|dark|light",
    .help = "colours of texts and panels; last: as chosen in the window last" },
  { "text_size", OPTION_NUMBER, AT(text_size), OPTION_FROM_TO(TEXT_SIZE_MIN, TEXT_SIZE_MAX),
    .help = "factor on the size of texts and panels, in steps of 0.125; 0, the default: as chosen in the window last" },
  { "hints", OPTION_CHOICE, AT(hints), .choices = "auto|on|off",
    .help = "hints for new users until they were shown once; auto: not with --frames, --log or --trace" },
  { "start", OPTION_FLAG, AT(start),
    .help = "open the start page with the examples, recent files and a new scene, as `pliant` does without a file" },
  { "save", OPTION_TEXT, AT(save), .unit = "FILE",
    .help = "scene file (.json) that Ctrl+S writes [a new file in the working directory]" },
  { "picture_size", OPTION_SIZE, AT(picture_size), OPTION_FROM_TO(FRAME_SIZE_MIN, FRAME_SIZE_MAX), .unit = "WxH",
    .help = "size in pixels of the pictures that F12 writes [window size]" },
  { "log", OPTION_TEXT, AT(log), .unit = "FILE",
    .help = "write a log of all actions of the user, which `pliant replay` repeats" },
  { "record", OPTION_TEXT, AT(record), .unit = "DIR",
    .help = "folder for recordings, which the key V starts and ends [pliant-DATE-TIME]" },
  { "state", OPTION_TEXT, AT(state), .unit = "FILE",
    .help = "write final positions and momenta of all nodes, and their positions in the undeformed shape (.npz)" },
  { "trace", OPTION_TEXT, AT(trace), .unit = "FILE",
    .help = "write events and state of the window as lines of JSON, for tests" },
  { "screenshot", OPTION_TEXT, AT(screenshot), .unit = "FILE", .help = "write the last picture of the window as PNG" },
  { "verbose", OPTION_FLAG, AT(verbose), .help = "also report how long each cut and tear takes to compute" },
  { 0 },
};

static const double AWAKE = 0.5;  // s, time for which the window continues to draw after a change
static const double REST = 0.1;   // s, longest wait for input if nothing in the picture moves

WindowOptions window_defaults(void) {
  return (WindowOptions){ .size = { 1280, 800 } };
}

static bool view_create(View *view, const Scene *scene, const char *replay, Error *error) {
  const WindowOptions *options = view->options;
  view->started_at = timer_seconds();
  view_forget_edits(view);
  view->tool = view_tools;
  view->panel.png = view->panel.film = true;
  view->panel.record_size[0] = 1280;
  view->panel.record_size[1] = 720;
  view->panel.record_fps = 30;
  snprintf(view->panel.film_name, sizeof view->panel.film_name, "film.mp4");
  if (options->trace[0] && !trace_open(&view->trace, options->trace, error)) return false;

  // opens the window before the mesh is read, so that a missing display is reported at once
  Error cause = { 0 };
  if (!window_create(&view->window, "Pliant", options->size[0], options->size[1], &cause))
    return error_set(error, "%s; without a display, use `pliant record`", cause.message);
  view_divide_window(view);
  if (!view_begin(view, scene, false, replay, error)) return false;
  view->has_hud = hud_create(view->window, error);
  view_begin_look(view);
  view_begin_hints(view);

  // creates the shaders while the simulation's thread builds the scene
  if (!view->has_hud || !programs_create(&view->programs, error) || !picker_create(&view->picker, error)) return false;
  view->software = gl_is_software();
  view_list_scenes(view);
  recent_read(&view->recent);
  if (options->start) view_open_start(view);
  view->rate_begin = timer_seconds();
  return true;
}

// Frees the view, and completes the files of recording and log. Ends the simulation's thread first, since it may still
// write positions.
static bool view_destroy(View *view, Error *error) {
  Error ignored = { 0 };
  view_unguard_exit();
  fill_thread_stop(&view->fill);
  if (view->next) sim_thread_stop(view->next, &ignored);
  const bool ok = !view->sim || view_stop_sim(view, error);
  view_destroy_start(view);
  picker_destroy(&view->picker);
  programs_destroy(&view->programs);
  render_target_destroy(&view->picture);
  folder_list_destroy(&view->files);
  view_destroy_editor(view);
  if (view->has_hud) hud_destroy();
  window_destroy(view->window);
  trace_close(&view->trace);
  return ok;
}

// ---- exchange with the simulation

// Reads positions and status from the simulation's thread, if there are newer ones.
static bool take_positions(View *view, Error *error) {
  TripleBuffer *positions = &view->sim->positions;
  const void *memory, *note;
  bool fresh;
  if (!triple_buffer_read_begin(positions, view->stream, &fresh, &memory, &note, error)) return false;
  if (!fresh) return true;
  memcpy(&view->status, note, sizeof view->status);
  if (!view->has_positions) view->editor.edits.settings = view->status.settings;
  view->has_positions = view->changed = true;

  // counts the frames from the one in which the mouse moved to the first one that shows the effect, including both
  if (view->awaited_drag && view->status.drag_frame >= view->awaited_drag) {
    const int64_t waited = view->frame - view->awaited_drag + 1;
    view->answers++;
    view->frames_waited += waited;
    if (waited > view->frames_waited_max) view->frames_waited_max = waited;
    view->awaited_drag = 0;
  }

  if (view->status.form != view->form && !view_show_form(view, view->status.form, error)) return false;
  Obstacle obstacles[OBSTACLES_MAX + 1];
  const SimulationSettings *s = &view->status.settings;
  const int count =
      obstacles_and_ball(s->obstacles, s->obstacle_count, view->status.ball_radius, view->status.ball, obstacles);
  if (!surface_renderer_update(&view->renderer, view->stream, memory, view->status.field, view->status.vectors,
                               error) ||
      !surface_renderer_move_obstacles(&view->renderer, obstacles, count, view->status.time, error) ||
      !triple_buffer_read_end(positions, view->stream, error))
    return false;
  if (view->status.resets != view->resets) surface_renderer_forget_range(&view->renderer);
  view->resets = view->status.resets;
  if (view->status.refusals != view->refusals) view_refuse_command(view, view->status.refused);
  view->refusals = view->status.refusals;
  if (view->status.saved != view->saved) view_saved(view);
  if (view->status.view_version > view->view_version && view->sim->replay.file) {
    view->camera = view->sent_camera = view->status.camera;
    view->style = view->sent_style = view->status.style;
  }
  view->view_version = view->status.view_version;
  if (view->status.cuts != view->cuts) view_note_cut(view, view->status.cut_at);
  view->cuts = view->status.cuts;
  if (view->status.pin_version == view->pin_version ||
      !sim_thread_pins(view->sim, view->pinned, view->form->mesh.node_count))
    return true;
  view->pin_version = view->status.pin_version;
  return surface_renderer_set_pins(&view->renderer, view->pinned, error);
}

// Sends camera and style to the simulation's thread if they have changed. The simulation's thread computes the field
// that the style shows as colours, and writes camera and style to the input log.
static void send_view(View *view) {
  if (memcmp(&view->camera, &view->sent_camera, sizeof view->camera) == 0 &&
      memcmp(&view->style, &view->sent_style, sizeof view->style) == 0)
    return;
  const Command command = { .kind = COMMAND_VIEW, .camera = view->camera, .style = view->style };
  if (!mailbox_send(&view->sim->commands, &command)) return;
  view->sent_camera = view->camera;
  view->sent_style = view->style;
}

// ---- drawing

// Fixes the range of the colours as the mouse has dragged the legend.
static void fix_range(View *view) {
  view_note(view, true);
  view->style.low = view->legend.range[0];
  view->style.high = view->legend.range[1];
  view->changed = true;
}

static bool draw_hud(View *view, Error *error) {
  char line[512], why[256], help[512];
  HudOverlay overlay = { 0 };
  HudNotices notices;
  view_describe(view, line);
  view_list_notices(view, &notices);
  view_describe_tool(view, help);
  const bool slow = view_describe_slowness(view, why, sizeof why);
  if (slow && !view->slow) trace_message(&view->trace, view->frame, why);
  view->slow = slow;
  const Picture picture = view_picture(view);
  overlay_legend(&overlay, &view->renderer, &view->style);
  overlay_floor(&overlay, &picture);
  overlay_vectors(&overlay, &view->renderer, &view->style);
  overlay_scale(&overlay, &picture, view->height);
  if (!view_probe(view, &overlay, error)) return false;
  if (view->mode == MOUSE_PULL && view->status.mouse_holds)
    overlay_force(&overlay, &view->camera, view->target, view->status.mouse_force, view->width, view->height);
  if (!view_draw_probes(view, &overlay, error) || !view_draw_measure(view, &overlay, error)) return false;
  view_draw_handles(view, &overlay);
  overlay.cuts = view->mode == MOUSE_CUT;
  memcpy(overlay.cut[0], view->cut_from, sizeof overlay.cut[0]);
  memcpy(overlay.cut[1], view->cursor, sizeof overlay.cut[1]);
  if (view->shows_panel || view->dock.pixels > 0) view_fill_plots(view);
  if (view->shows_panel) view_fill_panel(view);
  if (view->shows_palette) view_fill_palette(view);
  if (view->shows_messages) view_fill_messages(view);
  if (view->start.shown) view_fill_start(view);
  overlay_axes(&view->axes, &view->camera);
  view_fill_toolbar(view);
  const bool hinted = view_fill_hint(view);
  const HudTools tools = { .panel = view->shows_panel ? &view->panel : NULL,
                           .dock = view->dock.pixels > 0 ? &view->dock : NULL,
                           .browser = view->browses ? &view->browser : NULL,
                           .axes = &view->axes,
                           .legend = &view->legend,
                           .toolbar = &view->toolbar,
                           .start = view->start.shown ? &view->start.page : NULL,
                           .hint = hinted ? &view->hint : NULL,
                           .messages = view->shows_messages ? &view->message_list : NULL,
                           .palette = view->shows_palette ? &view->palette.hud : NULL };
  hud_draw(&overlay, line, &notices, help, &tools, view->shows_keys ? view_keys() : NULL);
  if (view->shows_panel) view_apply_panel(view);
  if (tools.dock) view_apply_dock(view);
  if (view->legend.changed) fix_range(view);
  if (!view_light_selection(view, error)) return false;
  view_apply_toolbar(view);
  if (tools.browser) view_apply_browser(view);
  if (tools.start) view_apply_start(view);
  if (tools.hint) view_apply_hint(view);
  if (tools.messages) view_apply_messages(view);
  if (tools.palette) view_apply_palette(view);
  if (view->axes.clicked >= 0) view_note(view, false);
  if (overlay_turn_camera(&view->axes, &view->camera)) view->changed = true;
  return true;
}

// Returns true if the next picture is to have smooth edges. If OpenGL draws on the CPU, smoothing takes half of the
// time for a picture, so with --antialias auto it is left out while anything moves.
static bool has_smooth_edges(const View *view, bool last) {
  const Antialias wish = view->options->antialias;
  const bool rests = last || timer_seconds() > view->draw_until - AWAKE / 2;
  return wish == ANTIALIAS_ON || (wish == ANTIALIAS_AUTO && (!view->software || rests));
}

static bool draw(View *view, bool last, Error *error) {
  Picture picture = view_picture(view);
  const bool smooth = has_smooth_edges(view, last);
  picture.hasty = !smooth;

  // the mouse's spring is drawn to the newest position of the mouse; the simulation may still use an older one
  Spring springs[LIVE_SPRINGS_MAX + 1];
  memcpy(springs, view->status.springs, sizeof *springs * (size_t)view->status.spring_count);
  picture.springs = springs;
  picture.spring_count -= view->status.mouse_holds;
  if (view->mode == MOUSE_PULL && !view->pushes) {
    // a cut may have renumbered the nodes; if the simulation has the mouse's spring, this spring is the last one in the
    // status, and has the present node numbers
    Spring *spring = &springs[picture.spring_count++];
    if (view->status.mouse_holds) memcpy(view->pick.nodes, spring->nodes, sizeof spring->nodes);
    memcpy(spring->nodes, view->pick.nodes, sizeof spring->nodes);
    memcpy(spring->barycentric, view->pick.barycentric, sizeof spring->barycentric);
    memcpy(spring->target, view->target, sizeof spring->target);
  }
  return render_target_resize(&view->picture, view->width, view->height, smooth, error) &&
         surface_renderer_draw(&view->renderer, view->picture.framebuffer, view->width, view->height, &picture,
                               error) &&
         render_target_show(&view->picture, view->dock.pixels, error);
}

static bool write_trace(View *view, Error *error) {
  const char *event = view->trace_event;
  view->trace_event = NULL;
  if (!view->trace.file) return true;
  if (view->trace.opened != view->opened &&
      !trace_start(&view->trace, &view->sim->live.session.surface, &view->renderer, &view->camera, view->width,
                   view->height, window_scale(view->window), timer_seconds() - view->started_at, error))
    return false;
  view->trace.opened = view->opened;
  trace_settings(&view->trace, view->frame, &view->status);
  trace_items(&view->trace, view->frame);
  trace_tool(&view->trace, view->frame, view->tool->name, view->shown_cursor, view->tool->hint);
  trace_view(&view->trace, view->frame, &view->camera);
  trace_measure(&view->trace, view->frame, &view->measure);
  if (!event && view->mode == MOUSE_PULL && view->frame % TRACE_PERIOD == 0) event = "drag";
  const TraceHold hold = { &view->pick, view->cursor, view->target };
  return !event || trace_hold(&view->trace, event, view->frame, view->status.step, &hold, &view->renderer,
                              &view->camera, view->width, view->height, error);
}

static void count_frame(View *view) {
  const double span = timer_seconds() - view->rate_begin;
  view->frame++;
  if (span < 0.5) return;
  view->frames_per_s = (double)(view->frame - view->rate_frame) / span;
  view->rate_begin += span;
  view->rate_frame = view->frame;
}

// Draws a progress bar, while the first scene is being built.
static bool draw_progress(View *view, Error *error) {
  char line[512], help[512];
  const HudOverlay none = { 0 };
  HudNotices notices;
  const HudTools tools = { .start = view->start.shown ? &view->start.page : NULL };
  view_describe_progress(view, line, sizeof line);
  view_list_notices(view, &notices);
  view_describe_tool(view, help);
  if (!surface_renderer_clear(error)) return false;
  if (tools.start) view_fill_start(view);
  hud_draw(&none, line, &notices, help, &tools, NULL);
  if (tools.start) view_apply_start(view);
  return true;
}

// Draws and shows one picture. last: the program ends after this picture, which only --screenshot needs.
static bool show(View *view, bool last, Error *error) {
  view->changed = false;
  view->shown_at = timer_seconds();
  if (!view->has_positions) {
    if (last) return true;
    if (!draw_progress(view, error)) return false;
    window_swap(view->window);
    return true;
  }
  if (last && !view->options->screenshot[0]) return true;
  if (!draw(view, last, error)) return false;
  if (!last) count_frame(view);
  if (!draw_hud(view, error)) return false;
  if (view->picture_asked && !view_take_picture(view, error)) return false;
  view->picture_asked = false;
  if (!view_record(view, error) || !write_trace(view, error)) return false;
  const char *shot = view->options->screenshot;
  if (last) return png_write_window(shot, view->width, view->height + view->dock.pixels, error);
  window_swap(view->window);
  return true;
}

// Returns true if the next picture may differ from the last one. Pictures are drawn for AWAKE seconds after each
// change, since the panels need some frames to compute their layout.
static bool must_draw(View *view) {
  const double now = timer_seconds();
  const bool message_ends = message_list_changes(&view->messages, view->shown_at, now);
  if (view->changed || message_ends || view->next || view->recording || view->backwards || view->fill.started ||
      view->mode != MOUSE_FREE || view->options->frames > 0)
    view->draw_until = now + AWAKE;
  return now < view->draw_until;
}

// Waits for input if the window is hidden or nothing moves. Returns true if no picture is needed. During a long time
// step it returns false every REST seconds, so that the pictures show how long the time step has taken so far.
static bool wait_if_idle(View *view, bool hidden) {
  if (view->sim) atomic_store(&view->sim->hidden, hidden);
  // with a limit of frames, a hidden window draws too, so that it reaches the limit
  if (view->options->frames > 0) hidden = false;
  if (view->quit || !view->has_positions || (hidden ? view->recording || view->next : must_draw(view))) return false;
  window_wait(view->window, REST);
  return hidden || view->status.paused;
}

static bool run(View *view, Error *error) {
  // Without vertical sync, as with software rendering or a hidden window, the loop sleeps so that it does not draw
  // faster than the screen shows pictures.
  const double limit = view->options->max_fps;
  const double shortest = fmax(0.9 / window_refresh_rate(view->window), limit > 0 ? 1 / limit : 0);  // s
  while (true) {
    const double start = timer_seconds();
    bool failed = false;
    view_divide_window(view);
    if (!view_update_next(view, &failed, error) || failed) return false;
    if (!view_handle_events(view, error)) return false;
    view_show_cursor(view);
    view->camera.orthographic = view->style.orthographic;
    if (view->sim) {
      if (!take_positions(view, error)) return false;
      send_view(view);
      view_go_back(view);
      view_turn(view);
      view_open_asked(view);
      view_open_chosen(view);
      view_update_fill(view);

      // the simulation's thread has ended; view_destroy returns its error, if any
      if (atomic_load_explicit(&view->sim->ended, memory_order_acquire)) return true;
    }

    // Ctrl-C and SIGTERM close the window as Esc does, so that recording and log are completed
    if (interrupt_signal()) view->quit = true;
    if (view->options->frames > 0 && view->frame >= view->options->frames) view->quit = true;
    const bool last = view->quit;
    const bool resting = wait_if_idle(view, window_hidden(view->window));
    if (!resting && view->width > 0 && view->height > 0 && !show(view, last, error)) return false;
    if (last) return true;
    if (resting) continue;
    timer_sleep(shortest - (timer_seconds() - start));
  }
}

static bool show_view(View *view, const Scene *scene, const char *replay, const WindowOptions *options, Error *error) {
  view->options = options;
  const bool ok = view_create(view, scene, replay, error) && run(view, error);
  if (ok)
    trace_exit(&view->trace, view->frame, view->status.step, timer_seconds() - view->started_at, view->answers,
               view->frames_waited, view->frames_waited_max);
  return view_destroy(view, error) && ok;
}

static bool run_view(const Scene *scene, const char *replay, const WindowOptions *options, Error *error) {
  log_set_details(options->verbose);
  if (scene->simulation.degree == 3)
    return error_set(error,
                     "%s: the window shows bodies of degree 1 and 2 only; for degree 3 use `pliant record` or "
                     "`pliant bench`",
                     scene->path);
  const char *const files[] = { options->log, options->state, options->screenshot };
  if (options->save[0] && !scene_save_check(options->save, error)) return false;
  for (int k = 0; k < 3; k++)
    if (files[k][0] && !atomic_file_check(files[k], error)) return false;
  PathLock locks[2] = { 0 };  // locks of the log file and the state file
  bool locked = true;
  for (int k = 0; k < 2 && locked; k++) locked = !files[k][0] || path_lock_file(&locks[k], files[k], error);
  View *view = locked ? array_new(1, sizeof *view, "the view", error) : NULL;
  const bool ok = view && show_view(view, scene, replay, options, error);
  free(view);
  for (int k = 0; k < 2; k++) path_lock_release(&locks[k]);
  return ok;
}

bool run_window(const Scene *scene, const WindowOptions *options, Error *error) {
  return run_view(scene, "", options, error);
}

bool window_replay(const char *log, const WindowOptions *options, Error *error) {
  Scene *scene = array_new(1, sizeof *scene, "the scene", error);
  // the log is checked first, so that its errors are reported even without a display
  InputReader reader = { 0 };
  const bool readable = scene && input_reader_open(&reader, log, scene, error) && scene_check_mesh(scene, error);
  input_reader_close(&reader);
  const bool ok = readable && run_view(scene, log, options, error);
  free(scene);
  return ok;
}
