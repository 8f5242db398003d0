// Probes on nodes and curves of observables: see view_tools.h. live/curves.h records the curves.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/curve_names.h"
#include "window/view_tools.h"

static_assert((int)CURVES_MAX <= (int)HUD_SERIES_MAX, "a plot has a colour for each probe");

void view_add_probe(View *view, const Pick *pick) {
  const TetMesh *mesh = &view->form->mesh;
  int nearest = 0;
  for (int a = 1; a < 3; a++)
    if (pick->barycentric[a] > pick->barycentric[nearest]) nearest = a;
  const int node = pick->nodes[nearest];
  const long long number = mesh_node_number(mesh, node);
  char name[OBSERVABLE_LABEL];
  if (!curves_add_probe(&view->sim->curves, number, mesh->X[node])) {
    view_warn(view,
              "node %lld has a probe already, or all %d curves are in use; delete curves in the panel's tab Plots",
              number, CURVES_MAX);
    return;
  }
  snprintf(name, sizeof name, "position:%lld", number);
  view_note_curve(view, name, true);
  view_say(view, "placed a probe on node %lld; the panel's tab Plots shows its displacement", number);
}

void view_open_curves(View *view) {
  const Scene *scene = &view->sim->live.session.scene;
  char name[SCENE_CURVES], left_out[SCENE_CURVES] = "";
  int count = 0, left = 0;
  view->sim->curves.opened = true;
  curves_list_names(&view->sim->curves, scene->curves);
  for (const char *rest = scene->curves; (rest = curve_names_next(rest, name)); count++) {
    Error error = { 0 };
    if (view_open_curve(view, name, &error)) continue;
    curve_names_add(left_out, name);
    left++;
  }
  if (left > 0)
    view_warn(view,
              "the window does not plot %d of the scene's %d curves, because it plots at most %d, and no sums over all "
              "steps: %.150s%s; a saved scene has their names",
              left, count, CURVES_MAX, left_out, strlen(left_out) > 150 ? "..." : "");
}

void view_keep_probes(View *view, KeptProbes *kept) {
  kept->node_count = view->form->mesh.node_count;
  memcpy(kept->listed, view->sim->curves.listed, sizeof kept->listed);
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

// Stores the names that a saved scene keeps, except those of nodes that probes of the window replace. Nodes without a
// probe have kept their numbers only if the number of nodes is the same. Returns the number of other nodes.
static int keep_names(View *view, const KeptProbes *kept) {
  const bool same_nodes = view->form->mesh.node_count == kept->node_count;
  char names[SCENE_CURVES] = "", name[SCENE_CURVES];
  int removed = 0;
  for (const char *rest = kept->listed; (rest = curve_names_next(rest, name));) {
    bool placed = false;
    for (int k = 0; k < kept->count; k++)
      placed = placed || (kept->curve[k].is_probe && strcmp(kept->curve[k].probe.text, name) == 0);
    if (placed) continue;
    if (same_nodes || strncmp(name, "position:", 9) != 0)
      curve_names_add(names, name);
    else
      removed++;
  }
  curves_list_names(&view->sim->curves, names);
  return removed;
}

void view_place_probes(View *view, const KeptProbes *kept) {
  const TetMesh *mesh = &view->form->mesh;
  int removed = keep_names(view, kept);
  view->sim->curves.opened = true;
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

// Returns true if a curve belongs to a patch of the surface that is a ball around a point.
static bool has_ball(const Curve *curve) {
  const Region *region = &curve->probe.subject.region;
  return curve->found && strncmp(curve->probe.text, "patch_", 6) == 0 && region->has_ball && !region->centre_extreme;
}

// Returns the number of the patch of curve k, counted from 1 in the order of the curves. Curves of one patch have the
// same number.
static int patch_number(const Curve *curve, int k) {
  int number = 1;
  for (int j = 0; j <= k; j++) {
    bool first = has_ball(&curve[j]);
    if (!first) continue;
    const char *subject = strchr(curve[j].probe.text, ':');
    for (int i = 0; i < j; i++)
      first = first && !(has_ball(&curve[i]) && strcmp(strchr(curve[i].probe.text, ':'), subject) == 0);
    if (strcmp(subject, strchr(curve[k].probe.text, ':')) == 0) return number;
    number += first;
  }
  return number;
}

// Lists the other observables that the user can plot for the subject of a curve, such as a pair of bodies.
static void list_more(const Probe *probe, HudCurves *h, int k) {
  h->more_count[k] = 0;
  for (const Observable *row = observables; row->name && probe->row->subject; row++)
    if (row != probe->row && row->subject && strcmp(row->subject, probe->row->subject) == 0 && !row->is_sum &&
        h->more_count[k] < HUD_MORE_MAX)
      h->more[k][h->more_count[k]++] = row->name;
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
    list_more(probe, h, k);
    if (plot.curve[k].is_probe) {
      const int series = h->series[k] = h->plot.series_count++;
      snprintf(h->name[k], sizeof *h->name, "node %lld", h->tag[k]);
      memcpy(h->label[k], h->name[k], sizeof *h->label);
      h->plot.name[series] = h->name[k] + strlen("node ");
      memcpy(h->plot.values[series], own->values[0], sizeof *own->values);
    } else {
      snprintf(h->name[k], sizeof *h->name, "%.150s", probe->text);
      snprintf(h->label[k], sizeof *h->label, "%.60s", probe->text);
      if (has_ball(&plot.curve[k]))
        snprintf(h->label[k], sizeof *h->label, "patch %d: %.40s", patch_number(plot.curve, k),
                 probe->row->name + strlen("patch_"));
      own->unit = probe->row->unit;
      own->series_count = probe->row->size;
      for (int i = 0; i < own->series_count; i++) own->name[i] = (const char *const[]){ "x", "y", "z" }[i];
    }
  }
  while (curves_take_refusal(&view->sim->curves, refused)) view_fail(view, "%.390s", refused);
}

// Adds curves of the observables `names`, separated by commas, and stores this for undo.
static bool add(View *view, const char *names) {
  Error error = { 0 };
  if (!curves_add(&view->sim->curves, names, &error)) {
    view_refuse(view, "curve name", error.message);
    return false;
  }
  char name[SCENE_CURVES];
  for (const char *rest = names; (rest = curve_names_next(rest, name));) view_note_curve(view, name, true);
  return true;
}

// Adds the curve that the user has chosen in the list of other observables of curve k.
static void add_more(View *view, const HudCurves *h, int k) {
  Curve curve[CURVES_MAX];
  char name[OBSERVABLE_LABEL];
  if (k >= curves_list(&view->sim->curves, curve)) return;
  snprintf(name, sizeof name, "%.40s%.110s", h->chosen, strchr(curve[k].probe.text, ':'));
  add(view, name);
}

// Removes the curve that the user has deleted, and stores this for undo.
static void remove_curve(View *view, const HudCurves *h) {
  char name[OBSERVABLE_LABEL];
  const bool of_node = h->series[h->removed] >= 0;
  snprintf(name, sizeof name, "%.150s", h->name[h->removed]);
  if (of_node) snprintf(name, sizeof name, "position:%lld", h->tag[h->removed]);
  curves_remove(&view->sim->curves, name);
  view_note_curve(view, name, false);
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
  if (h->removed >= 0) remove_curve(view, h);
  if (h->chosen) add_more(view, h, h->chosen_for);
  if (h->add && add(view, h->wanted)) h->wanted[0] = '\0';
  if (h->save) save(view);
}

// Returns the node nearest to the centre of the ball of curve k, among the nodes of the patch's body; -1: none. The
// search is repeated only for another curve or mesh.
static int patch_node(View *view, const Curve *curve, int k) {
  const TetMesh *mesh = &view->form->mesh;
  const Region *region = &curve->probe.subject.region;
  double least = INFINITY;
  if (view->patch_node[k].id == curve->id + 1 && view->patch_node[k].form == view->form)
    return view->patch_node[k].node;
  view->patch_node[k].id = curve->id + 1;
  view->patch_node[k].form = view->form;
  view->patch_node[k].node = -1;
  for (int a = 0; a < mesh->node_count; a++) {
    double square = 0;
    for (int i = 0; i < 3; i++) square += pow(mesh->X[a][i] - region->centre[i], 2);
    if (square >= least || (region->of_body && mesh_body(mesh, a) != region->body)) continue;
    least = square;
    view->patch_node[k].node = a;
  }
  return view->patch_node[k].node;
}

// Adds a mark and a label at a node of the body.
static bool mark_node(View *view, HudOverlay *overlay, int node, const float color[3], const char *text, Error *error) {
  double point[3], pixel[2];
  if (!surface_renderer_node(&view->renderer, node, point, error)) return false;
  if (!camera_project(&view->camera, point, view->width, view->height, pixel)) return true;
  overlay_mark(overlay, pixel, color);
  if (overlay->label_count == HUD_LABELS_MAX) return true;
  const int label = overlay->label_count++;
  memcpy(overlay->labels[label].pixel, pixel, sizeof pixel);
  snprintf(overlay->labels[label].text, sizeof overlay->labels[label].text, "%s", text);
  return true;
}

bool view_draw_probes(View *view, HudOverlay *overlay, Error *error) {
  static const float PATCH_COLOR[3] = { 1, 0.62f, 0.3f };
  const TetMesh *mesh = &view->form->mesh;
  const HudCurves *h = &view->panel.curves;
  Curve curve[CURVES_MAX];
  view_fill_curves(view);
  for (int k = 0; k < h->count; k++) {
    const int node = h->series[k] < 0 ? -1 : mesh_find_node(mesh, h->tag[k]);
    float color[3];
    if (node < 0) continue;  // not a probe, or the node was torn out of the body
    hud_plot_color(h->series[k], color);
    if (!mark_node(view, overlay, node, color, h->name[k], error)) return false;
  }
  const int count = curves_list(&view->sim->curves, curve);
  for (int k = 0; k < count; k++) {
    char text[32];
    const int number = has_ball(&curve[k]) ? patch_number(curve, k) : 0;
    if (number == 0 || (k > 0 && number <= (has_ball(&curve[k - 1]) ? patch_number(curve, k - 1) : 0))) continue;
    const int node = patch_node(view, &curve[k], k);
    snprintf(text, sizeof text, "patch %d", number);
    if (node >= 0 && !mark_node(view, overlay, node, PATCH_COLOR, text, error)) return false;
  }
  return true;
}
