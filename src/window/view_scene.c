// Selects the simulation that is shown: see view.h. The next one is built while another is shown, and replaces it when
// it is ready.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/progress.h"
#include "base/timer.h"
#include "live/scene_camera.h"
#include "mesh/fill_surface.h"
#include "window/view.h"
#include "window/view_tools.h"

bool view_begin(View *view, const Scene *scene, bool paused, const char *replay, Error *error) {
  char log[SCENE_PATH_LENGTH + 16] = "";
  // each opened scene has its own log: LOG, LOG.2, LOG.3 and so on
  if (view->options->log[0])
    snprintf(log, sizeof log, view->opened ? "%.990s.%d" : "%.990s", view->options->log, view->opened + 1);
  view->next = sim_thread_start(scene, paused, log, replay, view->options->state, error);
  view->next_since = timer_seconds();
  return view->next != NULL;
}

static void open_file(View *view, const char *path, bool paused) {
  Error error = { 0 };
  if (fill_surface_reads(path)) {
    view_fill_surface(view, path, view_open);
    return;
  }
  Scene *scene = array_new(1, sizeof *scene, "the scene", &error);
  bool ok = scene && !view->next && scene_read(scene, path, &error);

  // the new scene runs on the device that the user has chosen for the present one
  if (ok && view->sim) memcpy(scene->device, view->sim->scene.device, sizeof scene->device);
  ok = ok && view_begin(view, scene, paused, "", &error);
  if (ok) view->start.shown = false;  // the page would cover the new scene
  if (!ok) view_fail(view, "%.390s", view->next ? "the previous file is still being opened; try again" : error.message);
  free(scene);
}

void view_open(View *view, const char *path) {
  open_file(view, path, false);
}

void view_open_paused(View *view, const char *path) {
  open_file(view, path, true);
}

bool view_stop_sim(View *view, Error *error) {
  view_end_recording(view);
  const bool drained = stream_sync(view->stream, error);
  const bool ok = sim_thread_stop(view->sim, error) && drained;
  view->sim = NULL;
  surface_renderer_destroy(&view->renderer);
  form_release(view->form);
  view->form = NULL;
  stream_destroy(&view->stream);
  free(view->pinned);
  view->pinned = NULL;
  return ok;
}

bool view_show_form(View *view, Form *form, Error *error) {
  const Scene *scene = &view->sim->live.session.scene;
  BodyLook look[LOOKS_MAX];
  surface_renderer_destroy(&view->renderer);
  form_hold(form);
  form_release(view->form);
  view->form = form;
  free(view->pinned);
  view->pinned = array_new(form->mesh.node_count, 1, "pins", error);
  view->pin_version = -1;
  view->hover.radius = 0;
  view->under.tet = view->under.triangle = -1;
  view->editor.lit = -1;
  view->editor.marked.list = NULL;
  scene_body_looks(scene, look);
  if (!view->pinned) return false;
  if (!surface_renderer_create(&view->renderer, &view->programs, &form->surface, &form->mesh, view->sim->display,
                               error))
    return false;
  if (!surface_renderer_set_looks(&view->renderer, look, error)) return false;
  if (!surface_renderer_set_environment(&view->renderer, view->sim->live.environment, error)) return false;
  return surface_renderer_set_obstacles(&view->renderer, scene->simulation.obstacles, scene->simulation.obstacle_count,
                                        0, error);
}

// Fills the panel's list of bodies.
static bool list_bodies(HudPanel *p, const Session *session, Error *error) {
  const Scene *scene = &session->scene;
  const TetMesh *mesh = &session->scene_form->mesh;
  double mass[SCENE_PARTS_MAX] = { 0 };
  double *nodal = array_new(mesh->node_count, sizeof *nodal, "nodal masses", error);
  if (!nodal) return false;
  mesh_lumped_mass(mesh, scene->simulation.density, nodal);
  int nodes[SCENE_PARTS_MAX] = { 0 }, tets[SCENE_PARTS_MAX] = { 0 };
  static_assert((int)SCENE_PARTS_MAX <= (int)HUD_BODIES_MAX, "the panel's list is too short for all bodies of a scene");
  p->body_count = scene->body_count;
  for (int a = 0; mesh->body && a < mesh->node_count; a++) {
    nodes[mesh->body[a]]++;
    mass[mesh->body[a]] += nodal[a];
  }
  free(nodal);
  for (int e = 0; mesh->body && e < mesh->tet_count; e++) tets[mesh->body[mesh_cell_node(mesh, e, 0)]]++;
  for (int k = 0; k < scene->body_count; k++) {
    HudBody *b = &p->bodies[k];
    const SceneBody *body = &scene->bodies[k];
    char name[SCENE_BODY_NAME + 16];
    scene_body_name(scene, k, name);
    snprintf(b->name, sizeof b->name, "%.39s", name);
    snprintf(b->words, sizeof b->words, "%d nodes, %d %s, %.4g kg", nodes[k], tets[k], mesh_cell_word(mesh), mass[k]);
    b->has_color = body->has_color;
    for (int i = 0; i < 3; i++) b->color[i] = (float)body->color[i];
  }
  return true;
}

// Sets camera, stored views, style and the stiffness of the mouse's springs to those of a newly opened file, and clears
// the list for undo.
static void begin_file(View *view, const Scene *scene, const Camera *camera) {
  view->camera = *camera;
  view->views = scene->views;
  view->style = scene->style;
  view->stiffness = scene->mouse_stiffness;
  view->save_path[0] = '\0';
  view_forget(view);
  view_forget_edits(view);
  view->editor.of_saved = scene->begin[0];
  view_remember(view, scene->path);
}

// Keeps camera, style and file when an edited scene replaces the previous one. camera: default camera of the edited
// scene, of which only the bounding box of the bodies is used. body_count, obstacle_count: numbers of bodies and of
// obstacles in the previous scene.
static void follow_edit(View *view, const Camera *camera, int body_count, int obstacle_count) {
  memcpy(view->camera.centre, camera->centre, sizeof camera->centre);
  memcpy(view->camera.half, camera->half, sizeof camera->half);
  view->camera.radius = camera->radius;
  view->history.camera = view->camera;
  view_keep_hidden(view, body_count, obstacle_count);
  view_note_edits(view);
  view_edit_shown(view);
}

// Shows view->next, which is ready, in place of the present simulation.
static bool show_next(View *view, Error *error) {
  Error ignored = { 0 };
  KeptProbes probes = { 0 };
  const bool edited = view->editor.edits.wanted >= 0;
  if (view->sim && edited) view_keep_probes(view, &probes);

  // The end may interrupt a command of the previous simulation, such as a reset. This has no consequences for a scene
  // that replaces it after an edit; otherwise the error may concern the log.
  if (view->sim && !view_stop_sim(view, edited ? &ignored : error) && !edited) return false;
  view->sim = view->next;
  view->next = NULL;
  view->opened++;
  view_guard_exit(view);
  const Session *session = &view->sim->live.session;
  const Scene *scene = &session->scene;
  const int body_count = view->editor.edits.base.body_count;
  const int obstacle_count = view->editor.edits.base.simulation.obstacle_count;
  Camera camera;
  if (!scene_use_gpu(&scene->simulation, error)) return false;
  if (!stream_create(view->sim->display, &view->stream, error)) return false;
  if (!scene_camera(session, (double)view->width / fmax(1, view->height), &camera, error)) return false;
  if (!view_show_form(view, session->scene_form, error)) return false;
  if (!list_bodies(&view->panel, session, error)) return false;
  view->first_camera = camera;
  scene_edits_begin(&view->editor.edits, view->sim);
  if (edited) {
    follow_edit(view, &camera, body_count, obstacle_count);
    view_place_probes(view, &probes);
  } else {
    begin_file(view, scene, &camera);
    view_open_curves(view);
  }
  view->has_first = false;
  if (!edited) view->chosen_radius = 0;
  view->radius = view->chosen_radius > 0   ? view->chosen_radius
                 : scene->mouse_radius > 0 ? scene->mouse_radius
                                           : camera.radius / 10;
  view->sent_camera = view->camera;
  view->sent_style = scene->style;  // after an edit, the thread must receive the style that the user has chosen
  view->status = (SimStatus){ .frame = -1 };
  view->backwards = false;
  view->measure.count = 0;
  view->first_settings = scene->simulation;
  view->saved = view->refusals = view->resets = 0;
  view_show_name(view);
  view->view_version = view->cuts = 0;
  view->mode = MOUSE_FREE;
  view->has_positions = false;
  return true;
}

// Writes the progress of building view->next to the trace, a file of events for tests, if the progress text has
// changed.
static void trace_building(View *view) {
  double part;
  const char *what = progress_now(&part);
  if (what == view->building) return;
  view->building = what;
  trace_progress(&view->trace, what, timer_seconds() - view->started_at);
}

bool view_update_next(View *view, bool *failed, Error *error) {
  if (!view->next) return true;
  trace_building(view);
  if (atomic_load_explicit(&view->next->ended, memory_order_acquire)) {
    Error why = { 0 };
    sim_thread_stop(view->next, &why);
    view->next = NULL;
    view_drop_next(view);
    *failed = !view->sim;
    if (*failed) return error_set(error, "%s", why.message);
    if (!view_edit_failed(view, why.message)) view_fail(view, "%.390s", why.message);
    return true;
  }
  if (!atomic_load_explicit(&view->next->ready, memory_order_acquire) || !view_hand_over(view)) return true;
  return show_next(view, error);
}
