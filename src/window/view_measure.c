// The tool that measures a distance: see view_tools.h. The first click sets one end of a line, the second the other
// end, and the third begins another line.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "window/view_tools.h"

static const float COLOR[3] = { 1, 0.93f, 0.45f };

void view_measure(View *view, const Pick *pick) {
  Measure *m = &view->measure;
  if (m->count == MEASURE_POINTS) m->count = 0;
  const int k = m->count++;
  for (int a = 0; a < 3; a++) m->tag[k][a] = mesh_node_number(&view->form->mesh, pick->nodes[a]);
  memcpy(m->barycentric[k], pick->barycentric, sizeof m->barycentric[k]);
}

void view_remove_measure(View *view) {
  view->measure.count = 0;
}

// Computes the present position of end k of the line, m. Returns false if a node of its triangle was torn out of the
// body. On an error, returns false and sets *failed to true.
static bool locate(View *view, int k, bool *failed, Error *error) {
  Measure *m = &view->measure;
  double corner[3], *point = m->point[k];
  memset(point, 0, sizeof m->point[k]);
  for (int a = 0; a < 3; a++) {
    const int node = mesh_find_node(&view->form->mesh, m->tag[k][a]);
    if (node < 0) return false;
    if (!surface_renderer_node(&view->renderer, node, corner, error)) {
      *failed = true;
      return false;
    }
    for (int i = 0; i < 3; i++) point[i] += m->barycentric[k][a] * corner[i];
  }
  return true;
}

bool view_draw_measure(View *view, HudOverlay *overlay, Error *error) {
  Measure *m = &view->measure;
  double end[MEASURE_POINTS][2];
  bool failed = false;
  for (int k = 0; k < m->count; k++) {
    if (!locate(view, k, &failed, error)) {
      m->count = 0;  // a cell at one end was torn out of the body, so the line is removed
      return !failed;
    }
  }

  m->length = 0;
  for (int i = 0; m->count == MEASURE_POINTS && i < 3; i++)
    m->length = hypot(m->length, m->point[0][i] - m->point[1][i]);

  // The line is not drawn if an end is behind the eye.
  for (int k = 0; k < m->count; k++)
    if (!camera_project(&view->camera, m->point[k], view->width, view->height, end[k])) return true;
  for (int k = 0; k < m->count; k++) overlay_mark(overlay, end[k], COLOR);
  if (m->count < MEASURE_POINTS || overlay->line_count == HUD_LINES_MAX || overlay->label_count == HUD_LABELS_MAX)
    return true;
  HudLine *line = &overlay->line[overlay->line_count++];
  *line = (HudLine){ .color = { COLOR[0], COLOR[1], COLOR[2] } };
  memcpy(line->from, end[0], sizeof line->from);
  memcpy(line->to, end[1], sizeof line->to);
  const int k = overlay->label_count++;
  for (int i = 0; i < 2; i++) overlay->labels[k].pixel[i] = (end[0][i] + end[1][i]) / 2;
  snprintf(overlay->labels[k].text, sizeof overlay->labels[k].text, "%.4g m", m->length);
  return true;
}
