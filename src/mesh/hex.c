// Computes volumes, orientations and subdivisions of hexahedra: see hex.h.
#include "mesh/hex.h"

#include <math.h>
#include <string.h>

const int hex_face_corners[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                     { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };

static double determinant(const double a[3], const double b[3], const double c[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Divides the hex into six pyramids, one per face, with the apex at corner 0, and adds up their volumes. The base of a
// pyramid is a bilinear face, which can be cut into two triangles along either diagonal; the volume is the mean of both
// cuts. A triangle and corner 0 form a tet. Its volume is a sixth of the determinant of its three edges at corner 0.
double hex_volume(const double X[8][3]) {
  static const int cut[4][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 0, 1, 3 }, { 1, 2, 3 } };
  double d[8][3], sum = 0;
  for (int a = 0; a < 8; a++)
    for (int i = 0; i < 3; i++) d[a][i] = X[a][i] - X[0][i];
  for (int f = 1; f < 6; f += 2)  // the three faces without corner 0
    for (int t = 0; t < 4; t++)
      sum += determinant(d[hex_face_corners[f][cut[t][0]]], d[hex_face_corners[f][cut[t][1]]],
                         d[hex_face_corners[f][cut[t][2]]]);

  // The other three faces contain corner 0. Each diagonal of a face cuts it into two triangles. Three of these four
  // triangles contain corner 0, so their tets have no volume. The tet of the fourth triangle, which is added here, has
  // a volume if the face is not plane.
  for (int f = 0; f < 6; f += 2)
    sum += determinant(d[hex_face_corners[f][1]], d[hex_face_corners[f][2]], d[hex_face_corners[f][3]]);
  return sum / 12;
}

int hex_worst_corner(const double X[8][3], double *shape) {
  int worst = 0;
  *shape = INFINITY;
  for (int c = 0; c < 8; c++) {
    double edge[3][3], length = 1;
    for (int k = 0; k < 3; k++) {
      const int high = c | 1 << k, low = high - (1 << k);
      for (int i = 0; i < 3; i++) edge[k][i] = X[high][i] - X[low][i];
      length *= sqrt(edge[k][0] * edge[k][0] + edge[k][1] * edge[k][1] + edge[k][2] * edge[k][2]);
    }
    const double here = length > 0 ? determinant(edge[0], edge[1], edge[2]) / length : 0;
    if (!(here >= *shape)) {
      worst = c;
      *shape = here;
    }  // also true if `here` is NaN
  }
  return worst;
}

void hex_turn(int node[8]) {
  for (int a = 0; a < 8; a += 2) {
    const int own = node[a];
    node[a] = node[a + 1];
    node[a + 1] = own;
  }
}

// Evaluates the eight shape functions N of a hex with corners X, m, at Gauss point q, 0 to 7. Returns det J, m^3, where
// J is the derivative of the map from the unit cube to the hex.
static double at_point(const double X[8][3], int q, double N[8]) {
  const double near = (3 - sqrt(3)) / 6;
  double L[3][2], J[3][3] = { { 0 } };
  for (int i = 0; i < 3; i++) {
    L[i][1] = q >> i & 1 ? 1 - near : near;
    L[i][0] = 1 - L[i][1];
  }
  for (int a = 0; a < 8; a++) {
    const int x = a & 1, y = a >> 1 & 1, z = a >> 2;
    const double dN[3] = { (x ? 1 : -1) * L[1][y] * L[2][z], (y ? 1 : -1) * L[0][x] * L[2][z],
                           (z ? 1 : -1) * L[0][x] * L[1][y] };
    N[a] = L[0][x] * L[1][y] * L[2][z];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) J[i][k] += dN[i] * (X[a][k] - X[0][k]);
  }
  return determinant(J[0], J[1], J[2]);
}

bool hex_upright(const double X[8][3]) {
  double N[8];
  bool upright = true;
  for (int q = 0; q < 8; q++) upright = upright && at_point(X, q, N) > 0;
  return upright;
}

// Integrates det J times each shape function. Along each direction, det J has degree 2 and a shape function degree 1,
// so their product has degree 3. Two Gauss points per direction integrate degree 3 exactly.
void hex_shares(const double X[8][3], double share[8]) {
  memset(share, 0, 8 * sizeof *share);
  for (int q = 0; q < 8; q++) {
    double N[8];
    const double volume = at_point(X, q, N) / 8;
    for (int a = 0; a < 8; a++) share[a] += volume * N[a];
  }
}

int hex_parts(const int node[8], int part[6][4]) {
  // Each tet has the four corners on one of the six shortest paths (three edges) from corner 0 to corner 7.
  static const int cut[6][4] = { { 1, 0, 3, 7 }, { 0, 1, 5, 7 }, { 2, 0, 6, 7 },
                                 { 0, 2, 3, 7 }, { 4, 0, 5, 7 }, { 0, 4, 6, 7 } };
  for (int t = 0; t < 6; t++)
    for (int c = 0; c < 4; c++) part[t][c] = node[cut[t][c]];
  return 6;
}
