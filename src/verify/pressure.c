// Verification of bodies under pressure: a block with pressure on all faces, and an inflated thick cylinder.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/quadratic.h"
#include "verify/closed_forms.h"
#include "verify/specimen.h"
#include "verify/verify.h"

static const double YOUNG = 1e5, POISSON = 0.3;

// Computes the equilibrium under a pressure, Pa, on all boundary faces whose nodes are all marked in the array `inside`
// [node_count]. The load is applied in `increments` increments.
static bool press(Specimen *s, const uint8_t *inside, double pressure, int increments, Error *error) {
  BoundaryFaces faces;
  bool ok = boundary_faces_find(&faces, &s->mesh, inside, error);
  double *value = ok ? array_new(faces.count, sizeof *value, "pressures", error) : NULL;
  for (int k = 0; value && k < faces.count; k++) value[k] = pressure;
  const PressureLoad load = { &faces, value, NULL };
  s->pressure = &load;
  ok = value && specimen_load(s, increments, error);
  s->pressure = NULL;
  boundary_faces_destroy(&faces);
  free(value);
  return ok;
}

// Compresses a cube on rollers by a pressure on all faces, then stretches it by a negative one. Compares the positions
// of all nodes with the closed form, an equal stretch along all axes.
static bool block(const SimulationSettings *stages, CaseReport *report, Error *error) {
  static const double pressures[] = { 0.3, -0.1 };  // in units of Young's modulus; a negative pressure pulls
  Specimen s = { 0 };
  bool ok = specimen_box(&s, stages, (int[3]){ 3, 3, 3 }, (double[3]){ 1, 1, 1 }, YOUNG, POISSON, 1000, error);
  s.settings.presses = true;
  uint8_t *outside = ok ? array_new(s.mesh.node_count, 1, "nodes", error) : NULL;
  ok = ok && outside;
  for (int a = 0; ok && a < s.mesh.node_count; a++)
    for (int axis = 0; axis < 3; axis++) {
      s.pinned[a] |= specimen_on_face(&s, a, axis, 0) ? (uint8_t)(PIN_X << axis) : 0;
      outside[a] |= specimen_on_face(&s, a, axis, 0) || specimen_on_face(&s, a, axis, 1);
    }
  for (int k = 0; ok && k < 2; k++) {
    memcpy(s.x, s.mesh.X, sizeof *s.x * (size_t)s.mesh.node_count);
    ok = specimen_start(&s, error) && press(&s, outside, pressures[k] * YOUNG, 2, error);
    const double stretch = pressed_stretch(pressures[k], POISSON);
    double off = 0;
    for (int a = 0; ok && a < s.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) off = fmax(off, fabs(s.x[a][i] - stretch * s.mesh.X[a][i]));
    char what[80];
    snprintf(what, sizeof what, "%slargest position error, p/E %g, stretch %.4f", stages->hexes ? "hexes, " : "",
             pressures[k], stretch);
    report_check(report, what, "m", 0, ok ? off : NAN, 1, stages->precision == PRECISION_F64 ? 1e-9 : 2e-5);
  }

  specimen_destroy(&s);
  free(outside);
  return ok;
}

enum { OUTER = 2 };  // m; the inner radius is 1 m

// Computes *inner, m, the mean radial displacement of the inner side of a cylinder in plane strain. The mesh is a
// quarter of the cylinder: a box bent around the axis, with radii in geometric progression.
static bool cylinder_at(const SimulationSettings *stages, int cells, double pressure, double *inner, Error *error) {
  Specimen s = { 0 };
  int inside = 0;
  bool ok =
      specimen_box(&s, stages, (int[3]){ cells, cells, 1 }, (double[3]){ 1, 1, 0.2 }, YOUNG, POISSON, 1000, error);
  s.settings.presses = true;
  uint8_t *wall = ok ? array_new(s.mesh.node_count, 1, "nodes", error) : NULL;
  ok = ok && wall;
  for (int a = 0; ok && a < s.mesh.node_count; a++) {
    wall[a] = specimen_on_face(&s, a, 1, 0);
    s.pinned[a] = PIN_Z;
    if (specimen_on_face(&s, a, 0, 0)) s.pinned[a] |= PIN_X;
    if (specimen_on_face(&s, a, 0, 1)) s.pinned[a] |= PIN_Y;
  }

  for (int a = 0; ok && a < s.mesh.node_count; a++) {
    double *X = s.mesh.X[a];
    const double angle = acos(0) * (1 - X[0]), radius = pow(OUTER, X[1]);
    X[0] = radius * cos(angle);
    X[1] = radius * sin(angle);
  }

  if (ok) mesh_place_middles(&s.mesh);
  if (ok) memcpy(s.x, s.mesh.X, sizeof *s.x * (size_t)s.mesh.node_count);
  ok = ok && specimen_start(&s, error) && press(&s, wall, pressure * YOUNG, 1, error);
  *inner = 0;
  for (int a = 0; ok && a < s.mesh.node_count; a++) {
    const double R = hypot(s.mesh.X[a][0], s.mesh.X[a][1]);

    // the mean leaves out the middle nodes of edges: edges are straight, so these nodes are not on the round wall
    if (!wall[a] || R < 1 - 1e-6) continue;
    *inner += hypot(s.x[a][0], s.x[a][1]) - R;
    inside++;
  }

  *inner /= inside;
  specimen_destroy(&s);
  free(wall);
  return ok;
}

static bool cylinder(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const double pressure = 0.1, exact = cylinder_inflation(pressure, POISSON, OUTER);
  const char *cells = stages->hexes ? "hexes, " : "";
  double u[3];
  char what[80];
  for (int m = 0; m < 3; m++) {
    if (!cylinder_at(stages, 4 << m, pressure, &u[m], error)) return false;
    report_point(report, stages->hexes ? "inner side, hexes" : "inner side", 4 << m, u[m] / exact);
  }

  // flat faces approximate the round wall, so the error falls with the square of the cell size at any degree
  snprintf(what, sizeof what, "%sthick cylinder: inner displacement at cell size 0", cells);
  report_relative(report, what, "m", exact, (4 * u[2] - u[1]) / 3, 3e-4);
  snprintf(what, sizeof what, "%sthick cylinder: order of the displacement's error", cells);
  report_check(report, what, "", 2, log2((u[0] - exact) / (u[1] - exact)), 1, 0.3);
  return true;
}

bool verify_pressure(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const SimulationSettings of_hexes = stages_of_hexes(stages);
  return block(stages, report, error) && cylinder(stages, report, error) &&
         (!hexes_are_built() || (block(&of_hexes, report, error) && cylinder(&of_hexes, report, error)));
}
