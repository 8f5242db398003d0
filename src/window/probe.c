// What is at a point, in numbers: see probe.h.
#include "window/probe.h"

#include <math.h>
#include <stdio.h>

#include "sim/field/tet_stress.h"

// six times the volume of a tet, m^3
static double volume6(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double u[3], v[3], w[3];
  for (int i = 0; i < 3; i++) u[i] = a[i] - d[i], v[i] = b[i] - d[i], w[i] = c[i] - d[i];
  return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// what part each corner has in a point of the tet; 0.25 each where it has no volume
static void parts_of(const double x[4][3], const double point[3], double part[4]) {
  const double all = volume6(x[0], x[1], x[2], x[3]);
  for (int a = 0; a < 4; a++) {
    const double *corner[4] = { x[0], x[1], x[2], x[3] };
    corner[a] = point;
    part[a] = all != 0 ? volume6(corner[0], corner[1], corner[2], corner[3]) / all : 0.25;
  }
}

void probe_text(const TetMesh *mesh, int e, const double x[4][3], const double point[3],
                const SimulationSettings *settings, const char *body, char *text, size_t size) {
  // the tet by itself, a mesh of one; of a quadratic one its corners, and so what it is on average
  double X[4][3], u[4][3], part[4], moved[3], sigma[6];
  int nodes[1][4] = { { 0, 1, 2, 3 } }, nearest = 0;
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) X[a][i] = mesh->X[mesh->tet[e][a]][i], u[a][i] = x[a][i] - X[a][i];
  parts_of(x, point, part);
  for (int i = 0; i < 3; i++) moved[i] = part[0] * u[0][i] + part[1] * u[1][i] + part[2] * u[2][i] + part[3] * u[3][i];
  for (int a = 1; a < 4; a++)
    if (part[a] > part[nearest]) nearest = a;
  const TetMesh one = { .node_count = 4,
                        .tet_count = 1,
                        .X = X,
                        .tet = nodes,
                        .stiffness = mesh->stiffness ? &mesh->stiffness[e] : NULL,
                        .ratio = mesh->ratio ? &mesh->ratio[e] : NULL };
  const double J = tet_cauchy_stress(&one, (const double(*)[3])u, 0, settings, sigma);
  const int node = mesh->tet[e][nearest];
  const long long tag = mesh->node_tag ? (long long)mesh->node_tag[node] : node + 1;
  const double length = sqrt(moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2]);
  int end = snprintf(text, size, "%s%snode %lld, tet %d\ndisplacement %.3g m\n  %.3g, %.3g, %.3g\ndet F %.4g\n", body,
                     body[0] ? "\n" : "", tag, e + 1, length, moved[0], moved[1], moved[2], J);
  if (J > 0 && end < (int)size)
    snprintf(text + end, size - (size_t)end,
             "von Mises %.4g Pa\nprincipal %.4g Pa\nxx, yy, zz %.3g, %.3g, %.3g\nxy, yz, xz %.3g, %.3g, %.3g",
             von_mises(sigma), largest_principal(sigma), sigma[0], sigma[1], sigma[2], sigma[3], sigma[4], sigma[5]);
  else if (end < (int)size)
    snprintf(text + end, size - (size_t)end, "inverted: no stress");
}
