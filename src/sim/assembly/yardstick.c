// The yardstick: see yardstick.h.
#include "sim/assembly/yardstick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "mesh/adjacency.h"

static void deform(const TetMesh *mesh, double noise, double (*u)[3]) {
  double low[3], high[3], size = 0, volume = 0;
  uint64_t seed = 4;
  mesh_bounds(mesh, low, high);
  for (int i = 0; i < 3; i++) size = fmax(size, high[i] - low[i]);
  for (int e = 0; e < mesh->tet_count; e++) volume += mesh_tet_volume(mesh, e);
  const double edge = cbrt(8 * volume / mesh->tet_count);
  for (int a = 0; a < mesh->node_count; a++) {
    const double *X = mesh->X[a], t = (X[2] - low[2]) / size;
    u[a][0] = 0.3 * size * t * t + 0.05 * X[1];
    u[a][1] = 0.1 * size * sin(2 * t) - 0.1 * X[0];
    u[a][2] = 0.1 * X[2] + 0.05 * X[0];
    for (int i = 0; i < 3; i++) u[a][i] = (float)(u[a][i] + noise * edge * random_unit(&seed));
  }
}

// inverse of a 3 x 3 matrix; returns the determinant
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

// P = mu F + (lambda ln J - mu) F^-T, and paper 000's Eq. 7 with its last term's indices put right
static bool add_tet(Yardstick *y, int e, Error *error) {
  const TetMesh *mesh = y->mesh;
  const int *t = mesh->tet[e];
  const double mu = y->parameters.material[0], lambda = y->parameters.material[1];
  double Dm[3][3], Ds[3][3], inverse[3][3], F[3][3], F_inverse[3][3], B[4][3];
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) {
      Dm[i][a] = mesh->X[t[a]][i] - mesh->X[t[3]][i];
      Ds[i][a] = mesh->X[t[a]][i] + y->u[t[a]][i] - mesh->X[t[3]][i] - y->u[t[3]][i];
    }
  const double V = invert(Dm, inverse) / 6 * (mesh->stiffness ? mesh->stiffness[e] : 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      F[i][j] = Ds[i][0] * inverse[0][j] + Ds[i][1] * inverse[1][j] + Ds[i][2] * inverse[2][j];
  const double J = invert(F, F_inverse), log_J = log(J);
  if (!(J > 0)) return error_set(error, "the deformation inverts tet %d", e);
  for (int k = 0; k < 3; k++) {
    for (int a = 0; a < 3; a++) B[a][k] = inverse[a][k];
    B[3][k] = -B[0][k] - B[1][k] - B[2][k];
  }
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        y->F[3 * t[a] + i] +=
            y->parameters.vector_scale * V * (mu * F[i][j] + (lambda * log_J - mu) * F_inverse[j][i]) * B[a][j];
      for (int b = 0; b < 4; b++)
        for (int k = 0; k < 3; k++) {
          double sum = 0;
          for (int j = 0; j < 3; j++)
            for (int l = 0; l < 3; l++)
              sum += B[a][j] * B[b][l] *
                     (mu * (i == k) * (j == l) + lambda * F_inverse[j][i] * F_inverse[l][k] -
                      (lambda * log_J - mu) * F_inverse[l][i] * F_inverse[j][k]);
          y->K[pattern_find(&y->pattern, 3 * t[a] + i, 3 * t[b] + k)] += y->parameters.matrix_scale * V * sum;
        }
    }
  return true;
}

bool yardstick_create(Yardstick *yardstick, const TetMesh *mesh, double noise, Error *error) {
  Yardstick made = { .mesh = mesh, .parameters = { { 5, 2 }, 0.5, 0.25 } };
  Adjacency adjacency = { 0 };
  bool ok = adjacency_create(&adjacency, mesh, error) && pattern_create(&made.pattern, &adjacency, 3, error);
  adjacency_destroy(&adjacency);
  if (ok) {
    made.u = array_new(mesh->node_count, sizeof *made.u, "displacements", error);
    made.F = array_new(made.pattern.n, sizeof *made.F, "forces", error);
    made.K = array_new(made.pattern.row_start[made.pattern.n], sizeof *made.K, "matrix entries", error);
    ok = made.u && made.F && made.K;
  }
  if (ok) deform(mesh, noise, made.u);
  for (int e = 0; ok && e < mesh->tet_count; e++) ok = interrupt_check(error) && add_tet(&made, e, error);
  if (ok)
    *yardstick = made;
  else
    yardstick_destroy(&made);
  return ok;
}

void yardstick_destroy(Yardstick *y) {
  pattern_destroy(&y->pattern);
  free(y->u), free(y->F), free(y->K);
  *y = (Yardstick){ 0 };
}

// doubles as reals on a device, and back; [count]
static void *put(Device device, Precision precision, const double *values, int64_t count, Error *error) {
  if (precision == PRECISION_F64) return device_clone(device, values, sizeof *values * (size_t)count, error);
  float *rounded = array_new(count, sizeof *rounded, "values", error);
  for (int64_t k = 0; rounded && k < count; k++) rounded[k] = (float)values[k];
  void *memory = rounded ? device_clone(device, rounded, sizeof *rounded * (size_t)count, error) : NULL;
  free(rounded);
  return memory;
}

static bool get(Stream stream, Precision precision, const void *memory, double *values, int64_t count, Error *error) {
  const size_t size = precision_size(precision);
  if (!device_download(stream, values, memory, size * (size_t)count, error) || !stream_sync(stream, error))
    return false;
  // in place, from the end: floats take half the room
  if (precision == PRECISION_F32)
    for (int64_t k = count - 1; k >= 0; k--) {
      float value;
      memcpy(&value, (char *)values + size * (size_t)k, sizeof value);
      values[k] = value;
    }
  return true;
}

static double relative_l2(const double *a, const double *b, int64_t count) {
  double difference = 0, norm = 0;
  for (int64_t k = 0; k < count; k++) difference += (a[k] - b[k]) * (a[k] - b[k]), norm += b[k] * b[k];
  return sqrt(difference / norm);
}

bool yardstick_compare(const Yardstick *y, const AssemblyMethod *method, const MatrixFormat *format,
                       YardstickErrors *errors, Error *error) {
  const Device device = method->device;
  const Precision precision = method->precision;
  const int n = y->pattern.n, nnz = y->pattern.row_start[n];
  const bool positions = strcmp(method->element, "neo_hookean_tet_qr") == 0;
  Matrix layout = { 0 };
  Assembly assembly = { 0 };
  Stream stream = { 0 };
  double *values = NULL, *F = array_new(n, sizeof *F, "forces", error),
         *K = array_new(nnz, sizeof *K, "entries", error);
  double *nodal = array_new(n, sizeof *nodal, "nodal data", error);
  void *nodal_dev = NULL, *F_dev = NULL, *values_dev = NULL;
  bool ok = F && K && nodal && stream_create(device, &stream, error) &&
            matrix_create(&layout, format, &y->pattern, error) &&
            assembly_create(&assembly, method, y->mesh, &layout, PARTITION_GREEDY, error);
  if (ok) {
    for (int i = 0; i < n; i++) nodal[i] = y->u[i / 3][i % 3] + (positions ? y->mesh->X[i / 3][i % 3] : 0);
    values = array_new(layout.slot_count, sizeof *values, "matrix values", error);
    nodal_dev = put(device, precision, nodal, n, error);
    F_dev = device_alloc(device, precision_size(precision) * (size_t)n, error);
    values_dev = device_alloc(device, precision_size(precision) * (size_t)layout.slot_count, error);
    ok = values && nodal_dev && F_dev && values_dev &&
         assembly_run(&assembly, &y->parameters, nodal_dev, F_dev, values_dev, stream, error) &&
         get(stream, precision, values_dev, values, layout.slot_count, error) &&
         get(stream, precision, F_dev, F, n, error);
  }
  if (ok) {
    for (int k = 0; k < nnz; k++) K[k] = values[layout.slot[k]];
    *errors = (YardstickErrors){ relative_l2(K, y->K, nnz), relative_l2(F, y->F, n) };
  }
  device_free(device, nodal_dev), device_free(device, F_dev), device_free(device, values_dev);
  free(values), free(F), free(K), free(nodal);
  assembly_destroy(&assembly);
  matrix_destroy(&layout);
  stream_destroy(&stream);
  return ok;
}
