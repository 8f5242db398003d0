// Functions for tetrahedra with straight edges, of any degree. The constants S of a cell begin with the nine numbers of
// Dm^-1, by rows. Dm is the 3 x 3 matrix of edges: its columns are X1 - X4, X2 - X4 and X3 - X4, with X1 to X4 the
// positions of the corners at rest.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/shape/unroll.h"
#include "sim/element/space.h"

// Computes b [corner][x, y, z], the gradients of the four barycentric coordinates, 1/m: the rows of Dm^-1, and minus
// their sum. They are also the gradients of the linear tet's shape functions.
HOST_DEVICE void shape_corner_gradients(const real *S, real b[4][3]) {
  for (int k = 0; k < 3; k++) {
    b[0][k] = S[k];
    b[1][k] = S[3 + k];
    b[2][k] = S[6 + k];
    b[3][k] = -(S[k] + S[3 + k] + S[6 + k]);
  }
}

// Returns the volume V of the cell, m^3. S begins with Dm^-1, the inverse of the matrix of edges, and det Dm = 6 V.
HOST_DEVICE real corners_volume(const real *S) {
  const real det =
      S[0] * (S[4] * S[8] - S[5] * S[7]) - S[1] * (S[3] * S[8] - S[5] * S[6]) + S[2] * (S[3] * S[7] - S[4] * S[6]);
  return 1 / (6 * det);
}

/// Computes S [9] = Dm^-1, the inverse of the matrix of edges of cell e, from its corners at rest. The inverse is
/// computed in double and rounded once.
static inline void corners_inverse(const Space *space, int e, real *S) {
  const int *node = space_cell(space, e);
  double D[3][3];  // the matrix Dm; column a is the edge X_a - X_4, nodes counted from 1
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) D[i][a] = space->X[node[a]][i] - space->X[node[3]][i];
  const double det = 6 * space_cell_volume(space, e);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) {
      // entry (a, i) of the inverse: the cofactor of D[i][a] divided by det
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
      S[3 * a + i] = (real)((D[i1][a1] * D[i2][a2] - D[i1][a2] * D[i2][a1]) / det);
    }
}
