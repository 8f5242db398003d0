// Probes that the user places on nodes: see view_tools.h. live/node_curves.h records their curves.
#include <assert.h>
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
  if (!node_curves_add(&view->sim->curves, number, mesh->X[node])) {
    view_say(view, "node %lld has a probe already, or all %d probes are in use; delete probes in the panel's tab Plots",
             number, CURVES_MAX);
    return;
  }
  view_note_probe(view, number, true);
  view_say(view, "placed a probe on node %lld; the panel's tab Plots shows its displacement", number);
}

void view_keep_probes(View *view, KeptProbes *kept) {
  kept->node_count = view->form->mesh.node_count;
  kept->count = node_curves_list(&view->sim->curves, kept->tag, kept->X);
}

// Returns the node of a mesh for a kept probe; -1: there is none.
static int node_of_probe(const TetMesh *mesh, const KeptProbes *kept, int k, double tolerance) {
  int nearest = -1;
  double least = tolerance * tolerance;
  for (int a = 0; a < mesh->node_count; a++) {
    double distance2 = 0;
    for (int i = 0; i < 3; i++) distance2 += (mesh->X[a][i] - kept->X[k][i]) * (mesh->X[a][i] - kept->X[k][i]);
    if (distance2 <= least) nearest = a, least = distance2;
  }
  if (nearest >= 0 || mesh->node_count != kept->node_count) return nearest;
  return mesh_find_node(mesh, kept->tag[k]);
}

void view_place_probes(View *view, const KeptProbes *kept) {
  const TetMesh *mesh = &view->form->mesh;
  int removed = 0;
  for (int k = 0; k < kept->count; k++) {
    const int node = node_of_probe(mesh, kept, k, 1e-6 * view->first_camera.radius);
    if (node < 0 || !node_curves_add(&view->sim->curves, mesh_node_number(mesh, node), mesh->X[node])) removed++;
  }
  if (removed)
    view_say(view, "%d probe%s removed, because the edited scene has no node there", removed,
             removed == 1 ? " was" : "s were");
}

void view_fill_curves(View *view) {
  HudCurves *h = &view->panel.curves;
  CurvePlot plot = { .time = h->time, .capacity = HUD_SAMPLES };
  for (int k = 0; k < CURVES_MAX; k++) plot.length[k] = h->plot.values[k];
  node_curves_plot(&view->sim->curves, view->status.step, &plot);
  h->plot.title = "displacement of nodes";
  h->plot.unit = "m";
  h->count = h->plot.series_count = plot.count;
  h->samples = plot.samples;
  for (int k = 0; k < plot.count; k++) {
    h->tag[k] = (long long)plot.tag[k];
    snprintf(h->name[k], sizeof *h->name, "node %lld", h->tag[k]);
    h->plot.name[k] = h->name[k] + strlen("node ");
  }
}

static void save(View *view) {
  char path[SCENE_PATH_LENGTH];
  Error error = { 0 };
  if (!view_free_name(view, ".csv", path)) return;
  if (!node_curves_save(&view->sim->curves, path, &error)) {
    view_say(view, "%.390s", error.message);
    return;
  }
  printf("curves: %s\n", path);
  view_say(view, "curves: %.300s", path);
}

void view_apply_curves(View *view) {
  const HudCurves *h = &view->panel.curves;
  if (h->removed >= 0) {
    const int64_t number = h->tag[h->removed];
    node_curves_remove(&view->sim->curves, number);
    view_note_probe(view, number, false);
  }
  if (h->save) save(view);
}

bool view_draw_probes(View *view, HudOverlay *overlay, Error *error) {
  const TetMesh *mesh = &view->form->mesh;
  view_fill_curves(view);
  for (int k = 0; k < view->panel.curves.count; k++) {
    const char *name = view->panel.curves.name[k];
    const int node = mesh_find_node(mesh, view->panel.curves.tag[k]);
    double point[3], pixel[2];
    float color[3];
    if (node < 0) continue;  // the node was torn out of the body
    if (!surface_renderer_node(&view->renderer, node, point, error)) return false;
    if (!camera_project(&view->camera, point, view->width, view->height, pixel)) continue;
    hud_plot_color(k, color);
    overlay_mark(overlay, pixel, color);
    if (overlay->label_count == HUD_LABELS_MAX) continue;
    const int label = overlay->label_count++;
    memcpy(overlay->labels[label].pixel, pixel, sizeof pixel);
    snprintf(overlay->labels[label].text, sizeof overlay->labels[label].text, "%s", name);
  }
  return true;
}
