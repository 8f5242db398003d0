// Probes on nodes and curves of observables: see view_tools.h. live/curves.h records the curves.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "window/view_tools.h"

static_assert((int)CURVES_MAX <= (int)HUD_SERIES_MAX, "a plot has a colour for each probe");

void view_add_probe(View *view, const Pick *pick) {
  const TetMesh *mesh = &view->form->mesh;
  int nearest = 0;
  for (int a = 1; a < 3; a++)
    if (pick->barycentric[a] > pick->barycentric[nearest]) nearest = a;
  const int node = pick->nodes[nearest];
  const long long number = mesh_node_number(mesh, node);
  if (!curves_add_probe(&view->sim->curves, number, mesh->X[node])) {
    view_warn(view,
              "node %lld has a probe already, or all %d curves are in use; delete curves in the panel's tab Plots",
              number, CURVES_MAX);
    return;
  }
  view_note_probe(view, number, true);
  view_say(view, "placed a probe on node %lld; the panel's tab Plots shows its displacement", number);
}

void view_keep_probes(View *view, KeptProbes *kept) {
  kept->node_count = view->form->mesh.node_count;
  kept->count = curves_list(&view->sim->curves, kept->curve);
}

// Returns the node of the edited scene's mesh on which probe k of `kept` is placed (view_place_probes); -1: none.
// tolerance: max distance, m, at which undeformed positions count as equal.
static int node_of_probe(const TetMesh *mesh, const KeptProbes *kept, int k, double tolerance) {
  const double *X = kept->curve[k].X;
  const int nearest = mesh_nearest_node(mesh, X);
  const double *found = mesh->X[nearest];
  if (hypot(hypot(found[0] - X[0], found[1] - X[1]), found[2] - X[2]) <= tolerance) return nearest;
  return mesh->node_count == kept->node_count ? mesh_find_node(mesh, kept->curve[k].probe.subject.tag) : -1;
}

void view_place_probes(View *view, const KeptProbes *kept) {
  const TetMesh *mesh = &view->form->mesh;
  int removed = 0;
  for (int k = 0; k < kept->count; k++) {
    Error error = { 0 };
    if (!kept->curve[k].is_probe) {
      curves_add(&view->sim->curves, kept->curve[k].probe.text, &error);
      continue;
    }
    const int node = node_of_probe(mesh, kept, k, 1e-6 * view->first_camera.radius);
    if (node < 0 || !curves_add_probe(&view->sim->curves, mesh_node_number(mesh, node), mesh->X[node])) removed++;
  }
  if (removed)
    view_warn(view, "%d probe%s removed, because the edited scene has no node there", removed,
              removed == 1 ? " was" : "s were");
}

void view_fill_curves(View *view) {
  HudCurves *h = &view->panel.curves;
  CurvePlot plot = { .time = h->time, .capacity = HUD_SAMPLES };
  char refused[ERROR_LENGTH];
  for (int k = 0; k < CURVES_MAX; k++)
    for (int i = 0; i < OBSERVABLE_SIZE_MAX; i++) plot.value[k][i] = h->curve[k].values[i];
  curves_plot(&view->sim->curves, view->status.step, &plot);
  h->plot.title = "displacement of nodes";
  h->plot.unit = "m";
  h->plot.series_count = 0;
  h->count = plot.count;
  h->samples = plot.samples;
  for (int k = 0; k < plot.count; k++) {
    const Probe *probe = &plot.curve[k].probe;
    HudPlot *own = &h->curve[k];
    h->series[k] = -1;
    h->tag[k] = (long long)probe->subject.tag;
    if (plot.curve[k].is_probe) {
      const int series = h->series[k] = h->plot.series_count++;
      snprintf(h->name[k], sizeof *h->name, "node %lld", h->tag[k]);
      h->plot.name[series] = h->name[k] + strlen("node ");
      memcpy(h->plot.values[series], own->values[0], sizeof *own->values);
    } else {
      snprintf(h->name[k], sizeof *h->name, "%.150s", probe->text);
      own->unit = probe->row->unit;
      own->series_count = probe->row->size;
      for (int i = 0; i < own->series_count; i++) own->name[i] = (const char *const[]){ "x", "y", "z" }[i];
    }
  }
  if (curves_take_refusal(&view->sim->curves, refused)) view_fail(view, "%.390s", refused);
}

static void add(View *view, HudCurves *h) {
  Error error = { 0 };
  if (curves_add(&view->sim->curves, h->wanted, &error))
    h->wanted[0] = '\0';
  else
    view_refuse(view, "curve name", error.message);
}

static void save(View *view) {
  char path[SCENE_PATH_LENGTH];
  Error error = { 0 };
  if (!view_free_name(view, ".csv", path)) return;
  if (!curves_save(&view->sim->curves, path, &error)) {
    view_fail(view, "%.390s", error.message);
    return;
  }
  printf("curves: %s\n", path);
  view_say(view, "curves: %.300s", path);
}

void view_apply_curves(View *view) {
  HudCurves *h = &view->panel.curves;
  const int removed = h->removed;
  if (removed >= 0 && h->series[removed] >= 0) {
    curves_remove_probe(&view->sim->curves, h->tag[removed]);
    view_note_probe(view, h->tag[removed], false);
  } else if (removed >= 0) {
    curves_remove(&view->sim->curves, h->name[removed]);
  }
  if (h->add) add(view, h);
  if (h->save) save(view);
}

bool view_draw_probes(View *view, HudOverlay *overlay, Error *error) {
  const TetMesh *mesh = &view->form->mesh;
  view_fill_curves(view);
  for (int k = 0; k < view->panel.curves.count; k++) {
    const char *name = view->panel.curves.name[k];
    const int series = view->panel.curves.series[k];
    const int node = series < 0 ? -1 : mesh_find_node(mesh, view->panel.curves.tag[k]);
    double point[3], pixel[2];
    float color[3];
    if (node < 0) continue;  // not a probe, or the node was torn out of the body
    if (!surface_renderer_node(&view->renderer, node, point, error)) return false;
    if (!camera_project(&view->camera, point, view->width, view->height, pixel)) continue;
    hud_plot_color(series, color);
    overlay_mark(overlay, pixel, color);
    if (overlay->label_count == HUD_LABELS_MAX) continue;
    const int label = overlay->label_count++;
    memcpy(overlay->labels[label].pixel, pixel, sizeof pixel);
    snprintf(overlay->labels[label].text, sizeof overlay->labels[label].text, "%s", name);
  }
  return true;
}
