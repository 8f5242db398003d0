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

void view_describe_trouble(const View *view, char warning[512]) {
  const SimStatus *n = &view->status;
  int length = 0;
  warning[0] = '\0';
  if (n->trouble[0]) length = snprintf(warning, 512, "stopped: %s   (R: reset)   ", n->trouble);
  if (n->crossings)
    length +=
        snprintf(warning + length, 512 - (size_t)length,
                 "surfaces intersect at %lld point%s, drawn red; self_contact acts once the surfaces are apart   ",
                 (long long)n->crossings, n->crossings == 1 ? "" : "s");
  if (!n->trouble[0] && n->halved)
    length += snprintf(warning + length, 512 - (size_t)length, "%d step%s split into shorter ones to stay stable   ",
                       n->halved, n->halved == 1 ? " was" : "s were");
  if (!n->trouble[0] && n->damped)
    length += snprintf(warning + length, 512 - (size_t)length, "%d step%s used backward Euler, which damps   ",
                       n->damped, n->damped == 1 ? "" : "s");
  if (!n->trouble[0] && n->unfinished)
    length += snprintf(warning + length, 512 - (size_t)length, "%d step%s did not converge   ", n->unfinished,
                       n->unfinished == 1 ? "" : "s");
  if (!n->trouble[0] && n->energy[0]) length += snprintf(warning + length, 512 - (size_t)length, "%s   ", n->energy);
  char slow[256];
  if (!n->trouble[0] && view_describe_slowness(view, slow, sizeof slow))
    length += snprintf(warning + length, 512 - (size_t)length, "%s   ", slow);
  if (view->next)
    view_describe_progress(view, warning + length, 512 - (size_t)length);
  else if (timer_seconds() < view->message_until)
    snprintf(warning + length, 512 - (size_t)length, "%s", view->message);
}
