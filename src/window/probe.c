// Writes the text about one point of the body: see probe.h.
#include "window/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/quadratic.h"
#include "sim/report/tet_stress.h"

// Returns six times the signed volume of a tet with corners a, b, c, d, m^3.
static double volume6(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double u[3], v[3], w[3];
  for (int i = 0; i < 3; i++) {
    u[i] = a[i] - d[i];
    v[i] = b[i] - d[i];
    w[i] = c[i] - d[i];
  }
  return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// Computes the barycentric coordinates of a point in a tet with corners at x. If the volume of the tet is 0, all four
// coordinates are 0.25.
static void parts_of(const double (*x)[3], const double point[3], double part[4]) {
  const double all = volume6(x[0], x[1], x[2], x[3]);
  for (int a = 0; a < 4; a++) {
    const double *corner[4] = { x[0], x[1], x[2], x[3] };
    corner[a] = point;
    part[a] = all != 0 ? volume6(corner[0], corner[1], corner[2], corner[3]) / all : 0.25;
  }
}

// Computes the reference coordinates (0 to 1 inside) of a point in a hex with nodes at x, by Newton's method that
// starts at the centre. If the result has a coordinate outside -0.5 to 1.5, returns the centre.
static void hex_parts_of(const double (*x)[3], const double point[3], double part[4]) {
  enum { TURNS = 20 };
  for (int i = 0; i < 3; i++) part[i] = 0.5;
  for (int turn = 0; turn < TURNS; turn++) {
    double at[3], J[3][3], left[3], column[3][3], origin[3] = { 0, 0, 0 };
    const double det = cell_shape_map(CELL_HEX8, x, part, at, J);
    for (int i = 0; i < 3; i++) {
      left[i] = point[i] - at[i];
      for (int k = 0; k < 3; k++) column[k][i] = J[i][k];
    }
    const double step[3] = { volume6(left, column[1], column[2], origin) / det,
                             volume6(column[0], left, column[2], origin) / det,
                             volume6(column[0], column[1], left, origin) / det };
    for (int i = 0; i < 3; i++) part[i] += step[i];
  }
  for (int i = 0; i < 3; i++)
    if (!(fabs(part[i] - 0.5) < 1)) part[0] = part[1] = part[2] = 0.5;
}

// Evaluates the shape functions of a quadratic tet at barycentric coordinates: four corners, then six edge midpoints.
static void quadratic_values(const double part[4], double value[10]) {
  for (int c = 0; c < 4; c++) value[c] = part[c] * (2 * part[c] - 1);
  for (int m = 0; m < 6; m++) value[4 + m] = 4 * part[tet_edge_corners[m][0]] * part[tet_edge_corners[m][1]];
}

// Computes the barycentric coordinates `part` of a point in a quadratic tet with nodes at x, by Newton's method. `part`
// must contain the coordinates in the tet with straight edges. If Newton's method diverges, as in an inverted tet,
// `part` does not change.
static void refine_parts(const double (*x)[3], const double point[3], double part[4]) {
  enum { TURNS = 10 };
  const double before[4] = { part[0], part[1], part[2], part[3] };
  for (int turn = 0; turn < TURNS; turn++) {
    double value[10], left[3], slope[4][3], origin[3] = { 0, 0, 0 };
    quadratic_values(part, value);
    for (int i = 0; i < 3; i++) {
      left[i] = point[i];
      for (int a = 0; a < 10; a++) left[i] -= value[a] * x[a][i];
      for (int c = 0; c < 4; c++) slope[c][i] = (4 * part[c] - 1) * x[c][i];
      for (int m = 0; m < 6; m++) {
        const int p = tet_edge_corners[m][0], q = tet_edge_corners[m][1];
        slope[p][i] += 4 * part[q] * x[4 + m][i];
        slope[q][i] += 4 * part[p] * x[4 + m][i];
      }
    }
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) slope[c][i] -= slope[3][i];
    const double det = volume6(slope[0], slope[1], slope[2], origin);
    const double step[3] = { volume6(left, slope[1], slope[2], origin) / det,
                             volume6(slope[0], left, slope[2], origin) / det,
                             volume6(slope[0], slope[1], left, origin) / det };
    for (int c = 0; c < 3; c++) {
      part[c] += step[c];
      part[3] -= step[c];
    }
  }

  double size = 0;
  for (int c = 0; c < 4; c++) size += fabs(part[c]);
  if (!(size < 2)) memcpy(part, before, sizeof before);
}

void probe_text(const TetMesh *mesh, int e, const double (*x)[3], const double point[3],
                const SimulationSettings *settings, const char *body, char *text, size_t size) {
  // copies positions and displacements of the cell's nodes, for a mesh that contains only this cell
  const int nodes = mesh_cell_nodes(mesh);
  double X[10][3], u[10][3], part[4], value[10], moved[3] = { 0, 0, 0 }, sigma[6], least = INFINITY;
  int own[1][4] = { { 0, 1, 2, 3 } }, middle[1][6] = { { 4, 5, 6, 7, 8, 9 } }, number[10], node = 0;
  int hex[1][8] = { { 0, 1, 2, 3, 4, 5, 6, 7 } };
  for (int a = 0; a < nodes; a++) {
    number[a] = mesh_cell_node(mesh, e, a);
    for (int i = 0; i < 3; i++) {
      X[a][i] = mesh->X[number[a]][i];
      u[a][i] = x[a][i] - X[a][i];
    }
  }

  if (mesh->hex) {
    hex_parts_of(x, point, part);
    cell_shape_at(CELL_HEX8, part, value, NULL);
  } else {
    parts_of(x, point, part);
  }
  if (nodes == 10) {
    refine_parts(x, point, part);
    quadratic_values(part, value);
  } else if (nodes == 4) {
    memcpy(value, part, sizeof part);
  }

  // interpolates the displacement, and finds the node nearest to the point in the undeformed cell
  for (int a = 0; a < nodes; a++) {
    double apart = 0;
    for (int i = 0; mesh->hex && i < 3; i++) apart += (part[i] - (a >> i & 1)) * (part[i] - (a >> i & 1));
    for (int c = 0; !mesh->hex && c < 4; c++) {
      const double at = a < 4 ? a == c : (tet_edge_corners[a - 4][0] == c || tet_edge_corners[a - 4][1] == c) * 0.5;
      apart += (part[c] - at) * (part[c] - at);
    }
    if (apart < least) {
      least = apart;
      node = number[a];
    }
    for (int i = 0; i < 3; i++) moved[i] += value[a] * u[a][i];
  }

  const TetMesh one = { .node_count = nodes,
                        .tet_count = 1,
                        .X = X,
                        .tet = mesh->hex ? NULL : own,
                        .middle = mesh->middle ? middle : NULL,
                        .hex = mesh->hex ? hex : NULL,
                        .stiffness = mesh->stiffness ? &mesh->stiffness[e] : NULL,
                        .ratio = mesh->ratio ? &mesh->ratio[e] : NULL };
  const double J = tet_cauchy_stress_at(&one, (const double(*)[3])u, 0, part, settings, sigma);
  const long long tag = mesh_node_number(mesh, node);
  const double length = sqrt(moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2]);
  int end =
      snprintf(text, size, "%s%snode %lld, %s %d\ndisplacement %.3g m\n  %.3g, %.3g, %.3g\ndet F %.4g\n", body,
               body[0] ? "\n" : "", tag, mesh->hex ? "hex" : "tet", e + 1, length, moved[0], moved[1], moved[2], J);
  if (J > 0 && end < (int)size)
    snprintf(text + end, size - (size_t)end,
             "von Mises %.4g Pa\nlargest principal %.4g Pa\nxx, yy, zz %.3g, %.3g, %.3g\nxy, yz, xz %.3g, %.3g, %.3g",
             von_mises(sigma), largest_principal(sigma), sigma[0], sigma[1], sigma[2], sigma[3], sigma[4], sigma[5]);
  else if (end < (int)size)
    snprintf(text + end, size - (size_t)end, "inverted: no stress");
}
