// Writes the texts of the window: see view.h.
#include <math.h>
#include <stdio.h>

#include "base/progress.h"
#include "base/timer.h"
#include "sim/element/moduli.h"
#include "window/view.h"

static const double STEP_BUDGET = 0.25;  // s; a time step that takes this time or longer causes a warning with advice

// Writes a number with commas: "125,159".
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

// Writes a bar, the activity and its time: "[######----] reading the mesh, 3 s".
void view_describe_progress(const View *view, char *text, size_t size) {
  enum { WIDTH = 24 };
  double part;
  const char *what = progress_now(&part);
  const int full = (int)(WIDTH * part);
  snprintf(text, size, "[%.*s%.*s] %s, %.0f s", full, "########################", WIDTH - full,
           "------------------------", what, timer_seconds() - view->next_since);
}

void view_describe(const View *view, char line[512]) {
  const TetMesh *mesh = &view->form->mesh;
  const SimStatus *n = &view->status;
  char nodes[16], tets[16];
  int length = snprintf(line, 512, "Real time ×%.2f · %.0f fps · %s nodes, %s %s · %s%s", n->paused ? 0 : n->real_time,
                        view->frames_per_s, grouped(mesh->node_count, nodes), grouped(mesh->tet_count, tets),
                        mesh_cell_word(mesh), device_model(n->settings.device), n->paused ? "   PAUSED" : "");
  const int torn = view->sim->live.session.scene_form->mesh.tet_count - mesh->tet_count;
  if (torn) length += snprintf(line + length, 512 - (size_t)length, "   cells torn out: %d", torn);
  if (n->kept)
    length += snprintf(line + length, 512 - (size_t)length, "   %d pull%s kept", n->kept, n->kept == 1 ? "" : "s");
  if (n->now < n->newest)
    length += snprintf(line + length, 512 - (size_t)length, "   %lld step%s before the latest",
                       (long long)(n->newest - n->now), n->newest - n->now == 1 ? "" : "s");
  if (view->recording) length += snprintf(line + length, 512 - (size_t)length, "   REC %d", view->frames_recorded);
  if (view->sim->replay.file)
    snprintf(line + length, 512 - (size_t)length, n->replay_ended ? "   replay finished" : "   REPLAY");
}

// Writes a list of changes that make the time steps of this body faster, such as "a softer material, a coarser mesh".
static void advise(const SimulationSettings *s, const StepReport *report, char *text, size_t size) {
  const bool hard = report->newton_iterations == 0 || report->cg_iterations > 150 * report->newton_iterations;
  snprintf(text, size, "%s%s%sa coarser mesh",
           poisson_ratio(s->mu, s->lambda) > 0.45 ? "Poisson's ratio below 0.45, " : "",
           hard ? "a softer material, a smaller dt, " : "",
           s->device == DEVICE_CPU && device_present(DEVICE_CUDA) ? "the GPU, " : "");
}

bool view_describe_slowness(const View *view, char *text, size_t size) {
  const SimStatus *n = &view->status;
  const double since = atomic_load(&view->sim->step_since), so_far = since > 0 ? timer_seconds() - since : 0;
  char help[128];
  text[0] = '\0';
  if (fmax(so_far, n->paused ? 0 : n->step_seconds) < STEP_BUDGET) return false;
  advise(&n->settings, &n->report, help, sizeof help);
  if (so_far > n->step_seconds)
    snprintf(text, size, "this time step has taken %.1f s so far. For faster steps, try: %s", so_far, help);
  else
    snprintf(text, size, "a time step takes %.1f s. For faster steps, try: %s", n->step_seconds, help);
  return true;
}

// Adds a warning "COUNT step(s) EFFECT" if the count is not 0. one, more: texts for one step, and for more.
static void add_count(HudNotices *notices, int count, const char *one, const char *more) {
  char text[HUD_MESSAGE_TEXT];
  snprintf(text, sizeof text, "%d %s", count, count == 1 ? one : more);
  if (count) hud_notices_add(notices, HUD_WARNING, text);
}

// Adds warnings about the time steps so far.
static void add_step_warnings(const View *view, HudNotices *notices) {
  const SimStatus *n = &view->status;
  char slow[256];
  add_count(notices, n->halved, "step was split into shorter ones to stay stable",
            "steps were split into shorter ones to stay stable");
  add_count(notices, n->damped, "step used backward Euler, which damps", "steps used backward Euler, which damps");
  add_count(notices, n->unfinished, "step did not converge", "steps did not converge");
  if (n->energy[0]) hud_notices_add(notices, HUD_WARNING, n->energy);
  if (view_describe_slowness(view, slow, sizeof slow)) hud_notices_add(notices, HUD_WARNING, slow);
}

void view_list_notices(const View *view, HudNotices *notices) {
  const SimStatus *n = &view->status;
  char text[HUD_MESSAGE_TEXT];
  notices->count = 0;
  snprintf(text, sizeof text, "stopped: %.350s   (R: reset)", n->trouble);
  if (n->trouble[0]) hud_notices_add(notices, HUD_ERROR, text);
  snprintf(text, sizeof text,
           "surfaces intersect at %lld point%s, drawn red; self_contact acts once the surfaces are apart",
           (long long)n->crossings, n->crossings == 1 ? "" : "s");
  if (n->crossings) hud_notices_add(notices, HUD_WARNING, text);
  if (view->has_positions && !n->trouble[0]) add_step_warnings(view, notices);
  if (view->next && view->has_positions) {
    view_describe_progress(view, text, sizeof text);
    hud_notices_add(notices, HUD_INFORMATION, text);
  }
  if (view->fill.started) {
    view_describe_fill(view, text, sizeof text);
    hud_notices_add(notices, HUD_INFORMATION, text);
  }
  notices->lasting = notices->count;
  message_list_show(&view->messages, timer_seconds(), notices);
}
