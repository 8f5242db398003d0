// Assembles the reference system of a deformed neo-Hookean body in double, and compares assemblies with it: see
// reference_assembly.h.
#include "sim/assembly/reference_assembly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REAL double
#define REAL_SUFFIX f64
#include "base/array.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "sim/element/device_reals.h"
#include "sim/element/element_row.h"
#include "sim/element/shape/tet_rule14.h"

// Sets u [node_count], displacements in m: bending, stretch, and random noise of `noise` times the average edge length.
static void deform(const Space *space, double noise, double (*u)[3]) {
  double low[3], high[3], size = 0, volume = 0;
  uint64_t seed = 4;
  space_bounds(space, low, high);
  for (int i = 0; i < 3; i++) size = fmax(size, high[i] - low[i]);
  for (int e = 0; e < space->cell_count; e++) volume += space_cell_volume(space, e);

  // Edge length of a cell, by which the noise is scaled. Cells of 10 and 20 nodes invert under smaller noise than cells
  // of 4 nodes, because their nodes are closer together. So their length is multiplied by 0.25 or 0.08.
  const double edge = space->shape == CELL_HEX8
                          ? cbrt(volume / space->cell_count)
                          : cbrt(8 * volume / space->cell_count) * (space->shape == CELL_TET10   ? 0.25
                                                                    : space->shape == CELL_TET20 ? 0.08
                                                                                                 : 1);
  for (int a = 0; a < space->node_count; a++) {
    const double *X = space->X[a], t = (X[2] - low[2]) / size;
    u[a][0] = 0.3 * size * t * t + 0.05 * X[1];
    u[a][1] = 0.1 * size * sin(2 * t) - 0.1 * X[0];
    u[a][2] = 0.1 * X[2] + 0.05 * X[0];
    for (int i = 0; i < 3; i++) u[a][i] = (float)(u[a][i] + noise * edge * random_unit(&seed));
  }
}

// Inverts a 3 x 3 matrix; returns the determinant.
static double invert(const double A[3][3], double inverse[3][3]) {
  double det = 0;
  for (int i = 0; i < 3; i++)
    det += A[0][i] * (A[1][(i + 1) % 3] * A[2][(i + 2) % 3] - A[1][(i + 2) % 3] * A[2][(i + 1) % 3]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inverse[j][i] = (A[(i + 1) % 3][(j + 1) % 3] * A[(i + 2) % 3][(j + 2) % 3] -
                       A[(i + 1) % 3][(j + 2) % 3] * A[(i + 2) % 3][(j + 1) % 3]) /
                      det;
  return det;
}

enum { NODES_MAX = CELL_NODES_MAX };

// Computes B [node][x, y, z], the gradients of a tet's shape functions, 1/m, at the point with barycentric coordinates
// l. b [corner][x, y, z]: the gradients of the barycentric coordinates, 1/m.
static void gradients(const Space *space, const double l[4], const double b[4][3], double B[NODES_MAX][3]) {
  const bool quadratic = space->shape == CELL_TET10;
  if (space->shape == CELL_TET20) {
    double dN[NODES_MAX][3];
    cell_shape_at(CELL_TET20, l, NULL, dN);
    for (int a = 0; a < space->cell_nodes; a++)
      for (int k = 0; k < 3; k++) B[a][k] = dN[a][0] * b[0][k] + dN[a][1] * b[1][k] + dN[a][2] * b[2][k];
    return;
  }
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 4; c++) B[c][k] = (quadratic ? 4 * l[c] - 1 : 1) * b[c][k];
    for (int m = 0; quadratic && m < 6; m++) {
      const int p = tet_edge_corners[m][0], q = tet_edge_corners[m][1];
      B[4 + m][k] = 4 * (l[p] * b[q][k] + l[q] * b[p][k]);
    }
  }
}

// Adds one integration point of cell e to the force vector and to the matrix. V is the point's part of the cell's
// volume, m^3, times the cell's stiffness factor. B are the gradients of the shape functions, 1/m. With the deformation
// gradient F, the stress is P = mu F + (lambda ln J - mu) F^-T. The tangent is Eq. 7 of paper 000, with corrected
// indices in the last term.
static bool add_point(ReferenceAssembly *r, int e, const double B[NODES_MAX][3], double V, Error *error) {
  const Space *space = r->space;
  const int *t = space_cell(space, e), nodes = space->cell_nodes;
  const double own = space->ratio ? space->ratio[e] : NAN;
  const double mu = r->parameters.material[0], lambda = isnan(own) ? r->parameters.material[1] : own * mu;
  double F[3][3], F_inverse[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      F[i][j] = i == j;
      for (int a = 0; a < nodes; a++) F[i][j] += (r->u[t[a]][i] - r->u[t[3]][i]) * B[a][j];
    }
  const double J = invert(F, F_inverse), log_J = log(J);
  if (!(J > 0))
    return error_set(
        error,
        "the deformation at which assemblies are compared inverts cell %d; use a mesh without very flat or small cells",
        e);
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        r->F[3 * t[a] + i] +=
            r->parameters.vector_scale * V * (mu * F[i][j] + (lambda * log_J - mu) * F_inverse[j][i]) * B[a][j];
      for (int b = 0; b < nodes; b++) {
        double *block = r->K + 9 * adjacency_find(&space->graph, t[a], t[b]);
        for (int k = 0; k < 3; k++) {
          double sum = 0;
          for (int j = 0; j < 3; j++)
            for (int l = 0; l < 3; l++)
              sum += B[a][j] * B[b][l] *
                     (mu * (i == k) * (j == l) + lambda * F_inverse[j][i] * F_inverse[l][k] -
                      (lambda * log_J - mu) * F_inverse[l][i] * F_inverse[j][k]);
          block[3 * i + k] += r->parameters.matrix_scale * V * sum;
        }
      }
    }
  return true;
}

// Adds a hexahedron to F and K, by 2 x 2 x 2 Gauss points. The gradients of the shape functions are B = J^-1 dN/dxi,
// with J = dX/dxi; X is the position at rest and xi the cell's coordinates.
static bool add_hex(ReferenceAssembly *r, int e, Error *error) {
  const Space *space = r->space;
  double X[8][3], xi[8][3], weight[8];
  const int points = cell_shape_rule(CELL_HEX8, 2, xi, weight);
  for (int a = 0; a < 8; a++) memcpy(X[a], space->X[space_cell(space, e)[a]], sizeof X[a]);
  for (int q = 0; q < points; q++) {
    double x[3], dN[8][3], J[3][3], inverse[3][3], B[NODES_MAX][3];
    cell_shape_map(CELL_HEX8, (const double(*)[3])X, xi[q], x, J);
    cell_shape_at(CELL_HEX8, xi[q], NULL, dN);
    const double V = weight[q] * invert((const double(*)[3])J, inverse) * (space->stiffness ? space->stiffness[e] : 1);
    for (int a = 0; a < 8; a++)
      for (int k = 0; k < 3; k++)
        B[a][k] = dN[a][0] * inverse[0][k] + dN[a][1] * inverse[1][k] + dN[a][2] * inverse[2][k];
    if (!add_point(r, e, (const double(*)[3])B, V, error)) return false;
  }
  return true;
}

// Adds the forces and the matrix of a tet of 4, 10 or 20 nodes to F and K.
static bool add_tet(ReferenceAssembly *r, int e, Error *error) {
  const Space *space = r->space;
  const int *t = space_cell(space, e), points = space->shape == CELL_TET20   ? TET_RULE14_POINTS
                                                : space->shape == CELL_TET10 ? 4
                                                                             : 1;
  double Dm[3][3], inverse[3][3], b[4][3], B[NODES_MAX][3];
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) Dm[i][a] = space->X[t[a]][i] - space->X[t[3]][i];
  const double V = invert(Dm, inverse) / 6 * (space->stiffness ? space->stiffness[e] : 1);
  for (int k = 0; k < 3; k++) {
    for (int a = 0; a < 3; a++) b[a][k] = inverse[a][k];
    b[3][k] = -b[0][k] - b[1][k] - b[2][k];
  }
  for (int q = 0; q < points; q++) {
    double l[4], share = 1.0 / points;
    if (points == TET_RULE14_POINTS) share = tet_rule14(q, l);
    for (int c = 0; c < 4 && points < TET_RULE14_POINTS; c++)
      l[c] = points == 1 ? 0.25 : c == q ? (5 + 3 * sqrt(5)) / 20 : (5 - sqrt(5)) / 20;
    gradients(space, l, (const double(*)[3])b, B);
    if (!add_point(r, e, (const double(*)[3])B, share * V, error)) return false;
  }
  return true;
}

bool reference_assembly_create(ReferenceAssembly *reference, const Space *space, double noise, Error *error) {
  ReferenceAssembly made = { .space = space, .parameters = { { 5, 2 }, 0.5, 0.25 } };
  made.u = array_new(space->node_count, sizeof *made.u, "displacements", error);
  made.F = array_new(space_dof(space), sizeof *made.F, "forces", error);
  made.K = array_new(9 * space_pairs(space), sizeof *made.K, "matrix entries", error);
  bool ok = made.u && made.F && made.K;
  if (ok) deform(space, noise, made.u);
  for (int e = 0; ok && e < space->cell_count; e++)
    ok = interrupt_check(error) && (space->shape == CELL_HEX8 ? add_hex : add_tet)(&made, e, error);
  if (ok)
    *reference = made;
  else
    reference_assembly_destroy(&made);
  return ok;
}

void reference_assembly_destroy(ReferenceAssembly *r) {
  free(r->u);
  free(r->F);
  free(r->K);
  *r = (ReferenceAssembly){ 0 };
}

static double relative_l2(const double *a, const double *b, int64_t count) {
  double difference = 0, norm = 0;
  for (int64_t k = 0; k < count; k++) {
    difference += (a[k] - b[k]) * (a[k] - b[k]);
    norm += b[k] * b[k];
  }
  return sqrt(difference / norm);
}

bool reference_assembly_compare(const ReferenceAssembly *r, const AssemblyMethod *method, const OperatorMethod *format,
                                ReferenceErrors *errors, Error *error) {
  const Device device = method->stage.device;
  const Precision precision = method->stage.precision;
  const Space *space = r->space;
  const int n = space_dof(space);
  const int64_t entries = 9 * space_pairs(space);
  const bool positions = element_named(method->stage.element)->positions;
  Operator layout = { 0 };
  Assembly assembly = { 0 };
  Stream stream = { 0 };
  double *values = NULL, *F = array_new(n, sizeof *F, "forces", error),
         *K = array_new(entries, sizeof *K, "entries", error);
  double *nodal = array_new(n, sizeof *nodal, "nodal data", error);
  void *nodal_dev = NULL, *F_dev = NULL, *values_dev = NULL;
  bool ok = F && K && nodal && stream_create(device, &stream, error) &&
            operator_create(&layout, format, space, error) &&
            assembly_create(&assembly, method, space, &layout, PARTITION_GREEDY, 0, error);
  if (ok) {
    for (int i = 0; i < n; i++) nodal[i] = r->u[i / 3][i % 3] + (positions ? space->X[i / 3][i % 3] : 0);
    values = array_new(layout.value_count, sizeof *values, "matrix values", error);
    nodal_dev = device_reals(device, precision, nodal, n, error);
    F_dev = device_alloc(device, precision_size(precision) * (size_t)n, error);
    values_dev = device_alloc(device, precision_size(precision) * (size_t)layout.value_count, error);
    ok = values && nodal_dev && F_dev && values_dev &&
         assembly_run(&assembly, &r->parameters, nodal_dev, F_dev, values_dev, stream, error) &&
         device_get_reals(stream, precision, values_dev, values, layout.value_count, error) &&
         device_get_reals(stream, precision, F_dev, F, n, error);
  }
  if (ok) {
    for (int a = 0; a < space->node_count; a++)
      for (int64_t pair = space->graph.start[a]; pair < space->graph.start[a + 1]; pair++)
        for (int v = 0; v < 9; v++) K[9 * pair + v] = values[operator_slot(&layout, a, pair, v / 3, v % 3)];
    *errors = (ReferenceErrors){ relative_l2(K, r->K, entries), relative_l2(F, r->F, n) };
  }

  device_free(device, nodal_dev);
  device_free(device, F_dev);
  device_free(device, values_dev);
  free(values);
  free(F);
  free(K);
  free(nodal);
  assembly_destroy(&assembly);
  operator_destroy(&layout);
  stream_destroy(&stream);
  return ok;
}
