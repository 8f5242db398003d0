// Draws the picture of a running simulation without a window: see shown.h.
#include "serve/shown.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hud/hud.h"
#include "live/scene_camera.h"
#include "render/gl_picture.h"

// Changes the mesh and surface that the renderer draws, for example after a cut.
static bool show_form(Shown *w, Form *form, Error *error) {
  const Scene *scene = &w->sim->live.session.scene;
  const SimulationSettings *s = &scene->simulation;
  BodyLook look[LOOKS_MAX];
  surface_renderer_destroy(&w->renderer);
  form_hold(form);
  form_release(w->form);
  w->form = form;
  free(w->pinned);
  w->pinned = array_new(form->mesh.node_count, 1, "pins", error);
  w->pin_version = -1;
  w->hover.radius = 0;
  scene_body_looks(scene, look);
  if (!w->pinned) return false;
  if (!surface_renderer_create(&w->renderer, &w->programs, &form->surface, &form->mesh, w->sim->display, error))
    return false;
  if (!surface_renderer_set_looks(&w->renderer, look, error)) return false;
  if (!surface_renderer_set_environment(&w->renderer, w->sim->live.environment, error)) return false;
  return surface_renderer_set_obstacles(&w->renderer, s->obstacles, s->obstacle_count, 0, error);
}

// Creates the objects that depend on the simulation.
static bool attach(Shown *w, SimThread *sim, Error *error) {
  const Session *session = &sim->live.session;
  w->sim = sim;
  w->has_stream = scene_use_gpu(&session->scene.simulation, error) && stream_create(sim->display, &w->stream, error);
  return w->has_stream && scene_camera(session, (double)w->size[0] / w->size[1], &w->first_camera, error) &&
         show_form(w, session->scene_form, error);
}

bool shown_open(Shown *w, SimThread *sim, const int size[2], Error *error) {
  memcpy(w->size, size, sizeof w->size);
  if (!offscreen_create(&w->offscreen, sim->display, error)) return false;
  w->software = gl_is_software();
  if (!programs_create(&w->programs, error) || !picker_create(&w->picker, error)) return false;
  if (!frame_writer_open(&w->writer, "", "", size, 1, error)) return false;
  w->has_hud = hud_create(NULL, error);
  if (!w->has_hud || !attach(w, sim, error)) return false;
  w->camera = w->sent_camera = w->first_camera;
  w->style = w->sent_style = sim->live.session.scene.style;
  return true;
}

bool shown_detach(Shown *w, Error *error) {
  const bool ok = !w->has_stream || stream_sync(w->stream, error);
  if (w->has_stream) stream_destroy(&w->stream);
  w->has_stream = false;
  surface_renderer_destroy(&w->renderer);
  form_release(w->form);
  w->form = NULL;
  free(w->pinned);
  w->pinned = NULL;
  return ok;
}

bool shown_attach(Shown *w, SimThread *sim, Error *error) {
  w->status = (SimStatus){ .frame = -1 };
  w->has_positions = false;
  w->resets = 0;
  if (!attach(w, sim, error)) return false;
  memcpy(w->camera.centre, w->first_camera.centre, sizeof w->camera.centre);
  memcpy(w->camera.half, w->first_camera.half, sizeof w->camera.half);
  w->camera.radius = w->first_camera.radius;
  // the new thread has the camera and the style of its scene, so shown_send_view must send the present ones
  w->sent_camera = (Camera){ 0 };
  return true;
}

bool shown_resize(Shown *w, const int size[2], Error *error) {
  if (memcmp(w->size, size, sizeof w->size) == 0) return true;
  if (!frame_writer_resize(&w->writer, size, error)) return false;
  memcpy(w->size, size, sizeof w->size);
  return w->changed = true;
}

void shown_close(Shown *w) {
  Error ignored = { 0 };
  shown_detach(w, &ignored);
  frame_writer_close(&w->writer);
  picker_destroy(&w->picker);
  programs_destroy(&w->programs);
  if (w->has_hud) hud_destroy();
  offscreen_destroy(&w->offscreen);
  *w = (Shown){ 0 };
}

static bool update_pins(Shown *w, Error *error) {
  if (w->status.pin_version == w->pin_version || !sim_thread_pins(w->sim, w->pinned, w->form->mesh.node_count))
    return true;
  w->pin_version = w->status.pin_version;
  return surface_renderer_set_pins(&w->renderer, w->pinned, error);
}

bool shown_update(Shown *w, Error *error) {
  TripleBuffer *positions = &w->sim->positions;
  const void *memory, *note;
  bool fresh;
  if (!triple_buffer_read_begin(positions, w->stream, &fresh, &memory, &note, error)) return false;
  if (!fresh) return true;
  const SimStatus *status = memcpy(&w->status, note, sizeof w->status);
  w->has_positions = w->changed = true;
  if (status->form != w->form && !show_form(w, status->form, error)) return false;

  Obstacle obstacles[OBSTACLES_MAX + 1];
  const SimulationSettings *s = &status->settings;
  const int count = obstacles_and_ball(s->obstacles, s->obstacle_count, status->ball_radius, status->ball, obstacles);
  if (!surface_renderer_update(&w->renderer, w->stream, memory, status->field, status->vectors, error)) return false;
  if (!surface_renderer_move_obstacles(&w->renderer, obstacles, count, status->time, error)) return false;
  if (!triple_buffer_read_end(positions, w->stream, error)) return false;
  if (status->resets != w->resets) surface_renderer_forget_range(&w->renderer);
  w->resets = status->resets;
  return update_pins(w, error);
}

void shown_send_view(Shown *w) {
  if (memcmp(&w->camera, &w->sent_camera, sizeof w->camera) == 0 &&
      memcmp(&w->style, &w->sent_style, sizeof w->style) == 0)
    return;
  const Command command = { .kind = COMMAND_VIEW, .camera = w->camera, .style = w->style };
  w->changed = true;
  if (!mailbox_send(&w->sim->commands, &command)) return;
  w->sent_camera = w->camera;
  w->sent_style = w->style;
}

static Picture picture_of(const Shown *w) {
  const SimulationSettings *s = &w->status.settings;
  return (Picture){ .camera = &w->camera,
                    .style = &w->style,
                    .springs = w->status.springs,
                    .spring_count = w->status.spring_count,
                    .hover = &w->hover,
                    .floor = s->has_floor ? &s->floor_height : NULL };
}

bool shown_pick(Shown *w, const double pixel[2], Pick *pick, Error *error) {
  const Picture picture = picture_of(w);
  return picker_pick(&w->picker, &w->renderer, &w->form->surface, &picture, pixel, w->size[0], w->size[1], pick, error);
}

// Returns the present indices of the nodes of the triangle that the user has picked. They differ from pick->nodes if a
// cut has renumbered the nodes. While the mouse pulls, the last entry of status->springs is the mouse's spring, with
// present indices.
static const int *held_nodes(const Shown *w, const Pick *pick) {
  const SimStatus *status = &w->status;
  return status->mouse_holds && status->spring_count > 0 ? status->springs[status->spring_count - 1].nodes
                                                         : pick->nodes;
}

bool shown_point(const Shown *w, const Pick *pick, double point[3], Error *error) {
  const int *nodes = held_nodes(w, pick);
  for (int i = 0; i < 3; i++) point[i] = 0;
  for (int a = 0; a < 3; a++) {
    double x[3];
    if (nodes[a] >= w->form->mesh.node_count)
      return true;  // a cut has changed the node numbers; the next status will have the new numbers
    if (!surface_renderer_node(&w->renderer, nodes[a], x, error)) return false;
    for (int i = 0; i < 3; i++) point[i] += pick->barycentric[a] * x[i];
  }
  return true;
}

bool shown_show_all(Shown *w, Error *error) {
  double low[3], high[3];
  if (!surface_renderer_bounds(&w->renderer, low, high, error)) return false;
  camera_show(&w->camera, low, high, (double)w->size[0] / w->size[1]);
  return true;
}

bool shown_draw(Shown *w, const Pick *pick, const double *target, bool smooth, Error *error) {
  Picture picture = picture_of(w);
  Spring springs[LIVE_SPRINGS_MAX + 1];
  memcpy(springs, w->status.springs, sizeof *springs * (size_t)w->status.spring_count);
  picture.springs = springs;
  picture.hasty = !smooth;
  if (target) {
    // the mouse's spring is drawn to the newest position of the mouse; the simulation may still use an older one
    const int *nodes = held_nodes(w, pick);
    picture.spring_count -= w->status.mouse_holds;
    Spring *spring = &springs[picture.spring_count++];
    memcpy(spring->nodes, nodes, sizeof spring->nodes);
    memcpy(spring->barycentric, pick->barycentric, sizeof spring->barycentric);
    memcpy(spring->target, target, sizeof spring->target);
  }
  w->changed = false;
  return render_target_resize(&w->writer.target, w->size[0], w->size[1], smooth, error) &&
         frame_writer_draw(&w->writer, &w->renderer, &picture, error) && frame_writer_add(&w->writer, 0, error);
}
