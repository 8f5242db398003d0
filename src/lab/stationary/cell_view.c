// Draws nodal values on a mesh of cells: see cell_view.h.
#include "lab/stationary/cell_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/color_map.h"

// length of the largest scaled displacement in the picture, divided by the diagonal of the mesh's bounding box
static const double SHOWN_PART = 0.12;

bool cell_view_create(CellView *view, const Programs *programs, const CellMesh *mesh, Error *error) {
  *view = (CellView){ .style = { .field = FIELD_GIVEN } };
  if (cell_surface_create(&view->cells, mesh, error) && stream_create(DEVICE_CPU, &view->stream, error) &&
      (view->memory = device_alloc(DEVICE_CPU, surface_renderer_bytes(mesh->node_count), error)) &&
      surface_renderer_create(&view->renderer, programs, &view->cells.surface, &view->cells.mesh, DEVICE_CPU, error))
    return true;
  cell_view_destroy(view);
  return false;
}

void cell_view_destroy(CellView *view) {
  if (view->renderer.programs) surface_renderer_destroy(&view->renderer);
  device_free(DEVICE_CPU, view->memory);
  stream_destroy(&view->stream);
  cell_surface_destroy(&view->cells);
  *view = (CellView){ 0 };
}

double cell_view_factor(const CellMesh *mesh, const CellValues *values) {
  double low[3], high[3], farthest2 = 0, diagonal2 = 0;
  for (int i = 0; i < 3; i++) {
    low[i] = HUGE_VAL;
    high[i] = -HUGE_VAL;
  }
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) {
      low[i] = fmin(low[i], mesh->X[a][i]);
      high[i] = fmax(high[i], mesh->X[a][i]);
    }
  for (int i = 0; i < 3; i++) diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
  for (int a = 0; values->move && a < mesh->node_count; a++) {
    const double *u = values->move[a];
    farthest2 = fmax(farthest2, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
  return farthest2 > 0 ? 1 / field_round_up(sqrt(farthest2 / diagonal2) / SHOWN_PART) : 0;
}

bool cell_view_set(CellView *view, const CellValues *values, double factor, Error *error) {
  const TetMesh *mesh = &view->cells.mesh;
  float *value = view->memory + 3 * (size_t)mesh->node_count;
  double low = HUGE_VAL, high = -HUGE_VAL;
  view->factor = values->move ? factor : 0;
  for (int a = 0; a < mesh->node_count; a++) {
    for (int i = 0; i < 3; i++)
      view->memory[3 * (size_t)a + (size_t)i] =
          (float)(mesh->X[a][i] + (values->move ? factor * values->move[a][i] : 0));
    value[a] = (float)values->value[a];
    low = fmin(low, values->value[a]);
    high = fmax(high, values->value[a]);
  }

  view->smallest = low;
  view->largest = high;
  const double middle = (low + high) / 2;
  value[mesh->node_count + FIELD_SMALLEST] = (float)low;
  value[mesh->node_count + FIELD_LARGEST] = (float)high;
  value[mesh->node_count + FIELD_MEAN] = (float)middle;
  value[mesh->node_count + FIELD_SPREAD] = (float)(high - low);

  // If all values are equal, give the range of colours a small positive width.
  const double least = fmax(1e-6 * fmax(fabs(low), fabs(high)), 1e-30);
  view->style.low = fmin(low, middle - least);
  view->style.high = fmax(high, middle + least);
  view->style.title = values->title;
  view->style.unit = values->unit;
  return surface_renderer_update(&view->renderer, view->stream, view->memory, FIELD_GIVEN, VECTORS_NONE, error);
}

bool cell_view_camera(const CellView *view, double aspect, Camera *camera, Error *error) {
  static const double FOV = 35;  // FOV: angle of view, degrees
  double low[3], high[3], rest_low[3], rest_high[3];
  if (!surface_renderer_bounds(&view->renderer, low, high, error)) return false;
  mesh_bounds(&view->cells.mesh, rest_low, rest_high);
  for (int i = 0; i < 3; i++) {
    low[i] = fmin(low[i], rest_low[i]);
    high[i] = fmax(high[i], rest_high[i]);
  }
  *camera = camera_fit(low, high, FOV, aspect);
  if (low[2] == high[2])
    camera_look_along(camera, (double[3]){ 0, 0, 1 });
  else if (rest_low[2] == rest_high[2])
    camera_look_from(camera, 0.5, 0.7);  // horizontal and vertical angle, radians; higher than for bodies
  camera_show(camera, low, high, aspect);
  return true;
}

void cell_view_words(const CellView *view, char words[160]) {
  const char *unit = view->style.unit;
  const int length = snprintf(words, 160, "%.40s from %.6g%s%.20s to %.6g%s%.20s", view->style.title, view->smallest,
                              unit[0] ? " " : "", unit, view->largest, unit[0] ? " " : "", unit);
  if (view->factor != 0 && view->factor != 1)
    snprintf(words + length, 160 - (size_t)length, ", displacements scaled by %.4g", view->factor);
}

void cell_view_overlay(CellView *view, const Picture *picture, int height, HudOverlay *overlay) {
  overlay_legend(overlay, &view->renderer, &view->style);
  // The range of colours contains all values, so the legend needs no marks for values outside this range.
  overlay->below = overlay->above = false;
  overlay_scale(overlay, picture, height);
}

// Computes weight[4], the barycentric coordinates of `point` in a tet. The corners of the tet are at their drawn
// positions, which include the scaled displacements.
static void weights_in_tet(const CellView *view, const int tet[4], const double point[3], double weight[4]) {
  double to[4][3], whole = 0;
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) to[a][i] = view->memory[3 * (size_t)tet[a] + (size_t)i] - point[i];
  // weight[a] first becomes 6 times the volume of the tet in which the point replaces corner a. Divided by the sum of
  // the four numbers, it is the barycentric coordinate of corner a.
  for (int a = 0; a < 4; a++) {
    const double *u = to[(a + 1) % 4], *v = to[(a + 2) % 4], *w = to[(a + 3) % 4];
    weight[a] = fabs(u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
                     u[2] * (v[0] * w[1] - v[1] * w[0]));
    whole += weight[a];
  }
  for (int a = 0; a < 4; a++) weight[a] = whole > 0 ? weight[a] / whole : 0.25;
}

void cell_view_probe(const CellView *view, const Pick *pick, char *text, size_t size) {
  const TetMesh *mesh = &view->cells.mesh;
  const float *shown = view->memory + 3 * (size_t)mesh->node_count;
  double weight[4] = { pick->barycentric[0], pick->barycentric[1], pick->barycentric[2] }, X[3] = { 0 }, value = 0;
  const int *node = pick->nodes, count = pick->triangle >= 0 ? 3 : 4;
  text[0] = '\0';
  if (pick->triangle < 0 && pick->tet < 0) return;
  if (pick->triangle < 0) {
    node = mesh->tet[pick->tet];
    weights_in_tet(view, node, pick->point, weight);
  }
  for (int a = 0; a < count; a++) {
    for (int i = 0; i < 3; i++) X[i] += weight[a] * mesh->X[node[a]][i];
    value += weight[a] * (double)shown[node[a]];
  }
  snprintf(text, size, "at %.4g, %.4g, %.4g m\n%s %.5g%s%s", X[0], X[1], X[2], view->style.title, value,
           view->style.unit[0] ? " " : "", view->style.unit);
}
