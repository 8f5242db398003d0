// Evaluates the shape functions and lists the corners, facets and quadrature points of each shape: see cell_shape.h.
#include "mesh/cell_shape.h"

#include <math.h>
#include <string.h>

#include "mesh/tet_mesh.h"

static const CellShapeInfo kinds[CELL_SHAPES] = {
  [CELL_TET4] = { "tet4", 3, 1, 4, 4, 4, true, 4, 10 },
  [CELL_TET10] = { "tet10", 3, 2, 10, 4, 4, true, 11, 24 },
  [CELL_TET20] = { "tet20", 3, 3, 20, 4, 4, true, 29, 71 },
  [CELL_TRI3] = { "tri3", 2, 1, 3, 3, 3, true, 2, 5 },
  [CELL_QUAD4] = { "quad4", 2, 1, 4, 4, 4, false, 3, 9 },
  [CELL_QUAD9] = { "quad9", 2, 2, 9, 4, 4, false, 10, 70 },
  [CELL_QUAD16] = { "quad16", 2, 3, 16, 4, 4, false, 36, 70 },
  [CELL_QUAD25] = { "quad25", 2, 4, 25, 4, 4, false, 37, 70 },
  [CELL_HEX8] = { "hex8", 3, 1, 8, 8, 6, false, 5, 12 },
};

const CellShapeInfo *cell_shape_info(CellShape shape) {
  return &kinds[shape];
}

CellShape cell_shape_find(int dimension, bool simplex, int degree) {
  int shape = 0;
  while (shape < CELL_SHAPES &&
         (kinds[shape].dimension != dimension || kinds[shape].simplex != simplex || kinds[shape].degree != degree))
    shape++;
  return (CellShape)shape;
}

// Returns the index, among the nodes of a quad or hex, of the node (i, j, l): number i along x, j along y and l along
// z. For degree 2, node (1, 2, 0) has the index 1 + 3 (2 + 3 * 0) = 7.
static int grid_node(const CellShapeInfo *k, int i, int j, int l) {
  return i + (k->degree + 1) * (j + (k->degree + 1) * l);
}

void cell_shape_corners(CellShape shape, int corner[CELL_CORNERS_MAX]) {
  const CellShapeInfo *k = &kinds[shape];
  const int p = k->degree;
  for (int c = 0; c < k->corners; c++)
    corner[c] = k->simplex ? c : grid_node(k, p * (c & 1), p * (c >> 1 & 1), p * (c >> 2));
}

// Evaluates at x the Lagrange polynomials of the nodes 0, 1/degree, 2/degree, ..., 1. value[a] is the value of the
// polynomial that is 1 at node a and 0 at the other nodes, and slope[a] is its derivative.
static void lagrange(int degree, double x, double value[], double slope[]) {
  for (int a = 0; a <= degree; a++) {
    value[a] = 1;
    slope[a] = 0;
    for (int b = 0; b <= degree; b++) {
      if (b == a) continue;
      const double factor = (degree * x - b) / (a - b);
      slope[a] = slope[a] * factor + value[a] * degree / (a - b);
      value[a] *= factor;
    }
  }
}

// Evaluates the shape functions N of a cubic tet and their derivatives dN by the reference coordinates; each may be
// NULL. l[c] is the barycentric coordinate of corner c, and b[c] its derivatives. With barycentric coordinates p, q and
// r of three corners, the shape function is
//   for the node of corner p                        p (3p - 1)(3p - 2) / 2
//   for the node on edge pq that is nearer to p    9/2 p q (3p - 1)
//   for the node in the middle of face pqr         27 p q r
static void cubic_at(const double l[4], const double b[4][3], double *N, double (*dN)[3]) {
  for (int c = 0; c < 4; c++) {
    if (N) N[c] = l[c] * (3 * l[c] - 1) * (3 * l[c] - 2) / 2;
    for (int i = 0; dN && i < 3; i++) dN[c][i] = (27 * l[c] * l[c] - 18 * l[c] + 2) / 2 * b[c][i];
  }
  for (int m = 0; m < 12; m++) {
    const int p = tet_edge_corners[m / 2][m % 2], q = tet_edge_corners[m / 2][1 - m % 2];
    if (N) N[4 + m] = 4.5 * l[p] * l[q] * (3 * l[p] - 1);
    for (int i = 0; dN && i < 3; i++)
      dN[4 + m][i] = 4.5 * (l[q] * (6 * l[p] - 1) * b[p][i] + l[p] * (3 * l[p] - 1) * b[q][i]);
  }
  for (int f = 0; f < 4; f++) {
    const int p = (f + 1) % 4, q = (f + 2) % 4, r = (f + 3) % 4;
    if (N) N[16 + f] = 27 * l[p] * l[q] * l[r];
    for (int i = 0; dN && i < 3; i++)
      dN[16 + f][i] = 27 * (l[q] * l[r] * b[p][i] + l[p] * l[r] * b[q][i] + l[p] * l[q] * b[r][i]);
  }
}

static void simplex_at(const CellShapeInfo *k, const double *xi, double *N, double (*dN)[3]) {
  const int d = k->dimension;
  double l[4], b[4][3] = { { 0 } };  // barycentric coordinates and their derivatives
  l[d] = 1;
  for (int c = 0; c < d; c++) {
    l[c] = xi[c];
    l[d] -= xi[c];
    b[c][c] = 1;
    b[d][c] = -1;
  }
  if (k->degree == 3) {
    cubic_at(l, (const double(*)[3])b, N, dN);
    return;
  }
  for (int c = 0; c <= d; c++) {
    if (N) N[c] = k->degree == 1 ? l[c] : l[c] * (2 * l[c] - 1);
    for (int i = 0; dN && i < 3; i++) dN[c][i] = k->degree == 1 ? b[c][i] : (4 * l[c] - 1) * b[c][i];
  }
  for (int m = 0; k->degree == 2 && m < 6; m++) {
    const int p = tet_edge_corners[m][0], q = tet_edge_corners[m][1];
    if (N) N[4 + m] = 4 * l[p] * l[q];
    for (int i = 0; dN && i < 3; i++) dN[4 + m][i] = 4 * (l[p] * b[q][i] + l[q] * b[p][i]);
  }
}

void cell_shape_at(CellShape shape, const double *xi, double *N, double (*dN)[3]) {
  const CellShapeInfo *k = &kinds[shape];
  if (k->simplex) {
    simplex_at(k, xi, N, dN);
    return;
  }
  const int p = k->degree, layers = k->dimension == 3 ? p : 0;

  // In the plane, shape functions do not depend on z, so the factor along z is 1 and its derivative is 0.
  double value[3][5] = { { 0 }, { 0 }, { 1 } }, slope[3][5] = { { 0 } };
  for (int i = 0; i < k->dimension; i++) lagrange(p, xi[i], value[i], slope[i]);
  for (int l = 0; l <= layers; l++)
    for (int j = 0; j <= p; j++)
      for (int i = 0; i <= p; i++) {
        const int a = grid_node(k, i, j, l);
        if (N) N[a] = value[0][i] * value[1][j] * value[2][l];
        if (!dN) continue;
        dN[a][0] = slope[0][i] * value[1][j] * value[2][l];
        dN[a][1] = value[0][i] * slope[1][j] * value[2][l];
        dN[a][2] = value[0][i] * value[1][j] * slope[2][l];
      }
}

// Returns the shape of degree 1 with the same corners. Example: CELL_TET4 for CELL_TET10.
static CellShape linear_shape(CellShape shape) {
  return cell_shape_find(kinds[shape].dimension, kinds[shape].simplex, 1);
}

double cell_shape_map(CellShape shape, const double (*X)[3], const double *xi, double x[3], double J[3][3]) {
  double N[CELL_CORNERS_MAX], dN[CELL_CORNERS_MAX][3], D[3][3] = { { 0 } };
  int corner[CELL_CORNERS_MAX];
  cell_shape_corners(shape, corner);
  cell_shape_at(linear_shape(shape), xi, N, dN);
  for (int i = 0; i < 3; i++) {
    x[i] = 0;
    for (int c = 0; c < kinds[shape].corners; c++) {
      x[i] += N[c] * X[corner[c]][i];
      for (int j = 0; j < 3; j++) D[i][j] += X[corner[c]][i] * dN[c][j];
    }
  }
  if (kinds[shape].dimension == 2) D[2][2] = 1;
  if (J) memcpy(J, D, sizeof D);
  return D[0][0] * (D[1][1] * D[2][2] - D[1][2] * D[2][1]) - D[0][1] * (D[1][0] * D[2][2] - D[1][2] * D[2][0]) +
         D[0][2] * (D[1][0] * D[2][1] - D[1][1] * D[2][0]);
}

// Computes the n Gauss points x and their weights w on [0, 1]. The points are the roots, found by Newton's method, of
// the Legendre polynomial of degree n, mapped from [-1, 1].
static void gauss(int n, double x[CELL_RULE_MAX], double w[CELL_RULE_MAX]) {
  for (int k = 0; k < n; k++) {
    double t = cos(acos(-1) * (k + 0.75) / (n + 0.5)), slope = 1;
    for (int turn = 0; turn < 100; turn++) {
      double last = 1, P = t;  // values at t of the Legendre polynomials of degrees m - 2 and m - 1
      for (int m = 2; m <= n; m++) {
        const double next = ((2 * m - 1) * t * P - (m - 1) * last) / m;
        last = P;
        P = next;
      }
      slope = n * (t * P - last) / (t * t - 1);
      const double step = P / slope;
      t -= step;
      if (fabs(step) < 1e-16) break;
    }
    x[n - 1 - k] = (1 + t) / 2;
    w[n - 1 - k] = 1 / ((1 - t * t) * slope * slope);
  }
}

int cell_shape_rule(CellShape shape, int n, double (*xi)[3], double *weight) {
  const CellShapeInfo *k = &kinds[shape];
  double x[CELL_RULE_MAX], w[CELL_RULE_MAX];
  const int layers = k->dimension == 3 ? n : 1;
  int count = 0;
  gauss(n, x, w);
  for (int c = 0; c < layers; c++)
    for (int b = 0; b < n; b++)
      for (int a = 0; a < n; a++, count++) {
        const double u = x[a], v = x[b], t = k->dimension == 3 ? x[c] : 0;
        weight[count] = w[a] * w[b] * (k->dimension == 3 ? w[c] : 1);

        // For a simplex, the point (u, v, t) of the unit square or cube is mapped to (u, v (1 - u), t (1 - u)(1 - v))
        // in the reference triangle or tet.
        const double p[3] = { u, k->simplex ? v * (1 - u) : v, k->simplex ? t * (1 - u) * (1 - v) : t };
        memcpy(xi[count], p, sizeof p);
        if (k->simplex) weight[count] *= k->dimension == 3 ? (1 - u) * (1 - u) * (1 - v) : 1 - u;
      }
  return count;
}

void cell_shape_part(CellShape shape, int a, double part[4]) {
  const int degree = kinds[shape].degree, on_edge = degree - 1, edges = 4 + 6 * on_edge;
  for (int c = 0; c < 4; c++) part[c] = a < 4 ? c == a : a < edges || c == a - edges ? 0 : 1.0 / 3;
  if (a < 4 || a >= edges) return;
  const int *end = tet_edge_corners[(a - 4) / on_edge], along = 1 + (a - 4) % on_edge;
  part[end[0]] = (double)(degree - along) / degree;
  part[end[1]] = (double)along / degree;
}

void cell_shape_mass(CellShape shape, double *M) {
  double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX], N[CELL_NODES_MAX], volume = 0;
  const int nodes = kinds[shape].nodes;
  // This number of points makes the rule exact for the product of two shape functions.
  const int points = cell_shape_rule(shape, kinds[shape].degree + 2, xi, weight);
  for (int q = 0; q < points; q++) volume += weight[q];
  memset(M, 0, sizeof *M * (size_t)(nodes * nodes));
  for (int q = 0; q < points; q++) {
    cell_shape_at(shape, xi[q], N, NULL);
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < nodes; b++) M[a * nodes + b] += weight[q] / volume * N[a] * N[b];
  }
}

int cell_shape_facet(CellShape shape, int f, int node[CELL_FACET_NODES_MAX], int *corners) {
  const CellShapeInfo *k = &kinds[shape];
  const int p = k->degree;
  int count = 0;
  if (k->simplex) {  // facet f is opposite to corner f
    for (int c = 0; c <= k->dimension; c++)
      if (c != f) node[count++] = c;
    if (corners) *corners = count;
    for (int m = 0; k->nodes > k->corners && m < 6; m++)
      for (int on = 0; on < k->degree - 1; on++)
        if (tet_edge_corners[m][0] != f && tet_edge_corners[m][1] != f)
          node[count++] = k->corners + (k->degree - 1) * m + on;
    if (k->degree == 3 && k->dimension == 3) node[count++] = 16 + f;
    return count;
  }

  const int along = f / 2, at = p * (f % 2);
  for (int inner = 0; inner < 2; inner++) {
    if (inner && corners) *corners = count;
    for (int l = 0; l <= (k->dimension == 3 ? p : 0); l++)
      for (int j = 0; j <= p; j++)
        for (int i = 0; i <= p; i++) {
          const int index[3] = { i, j, l };
          const bool is_corner = i % p == 0 && j % p == 0 && l % p == 0;
          if (index[along] == at && is_corner != inner) node[count++] = grid_node(k, i, j, l);
        }
  }
  return count;
}

int cell_shape_facet_rule(CellShape shape, int f, int n, double (*xi)[3], double *weight, double direction[2][3]) {
  const CellShapeInfo *k = &kinds[shape];
  const int d = k->dimension, layers = d == 3 ? n : 1;
  double x[CELL_RULE_MAX], w[CELL_RULE_MAX];
  int count = 0, corner[4] = { 0 };  // corner: corners of the facet; for quads and hexes not used
  for (int c = 0, at = 0; k->simplex && c <= d; c++)
    if (c != f) corner[at++] = c;
  gauss(n, x, w);
  memset(direction, 0, 2 * sizeof *direction);
  for (int t = 0; t < d - 1; t++) {
    if (k->simplex) {
      if (corner[t] < d) direction[t][corner[t]] = 1;
      if (corner[d - 1] < d) direction[t][corner[d - 1]] = -1;
    } else {
      direction[t][t < f / 2 ? t : t + 1] = 1;
    }
  }

  for (int b = 0; b < layers; b++)
    for (int a = 0; a < n; a++, count++) {
      const double u = x[a], v = d == 3 ? x[b] * (k->simplex ? 1 - u : 1) : 0;
      weight[count] = w[a] * (d == 3 ? w[b] * (k->simplex ? 1 - u : 1) : 1);
      double *p = xi[count];
      p[0] = p[1] = p[2] = 0;
      if (!k->simplex) {
        p[f / 2] = f % 2;
        for (int t = 0; t < d - 1; t++) p[t < f / 2 ? t : t + 1] = t == 0 ? u : v;
        continue;
      }
      const double l[3] = { u, d == 3 ? v : 1 - u, 1 - u - v };
      for (int c = 0; c < d; c++)
        if (corner[c] < d) p[corner[c]] = l[c];
    }
  return count;
}

// Lists those nodes of a quad that are on the rim of a square: at the grid positions (i, j) with i and j from `low` to
// `high`. The corners come first, then the inner nodes of each edge. The lower and the right edge ascend. If `round` is
// true, the upper and the left edge descend, so that all edges follow a walk around the square. Otherwise they ascend
// too. Returns the number of listed nodes.
static int quad_ring(const CellShapeInfo *k, int low, int high, bool round, int *order) {
  int count = 0;
  if (low == high) {
    order[count++] = grid_node(k, low, low, 0);
    return count;
  }
  const int corner[4][2] = { { low, low }, { high, low }, { high, high }, { low, high } };
  for (int c = 0; c < 4; c++) order[count++] = grid_node(k, corner[c][0], corner[c][1], 0);
  for (int edge = 0; edge < 4; edge++)
    for (int s = low + 1; s < high; s++) {
      const int back = round ? high + low - s : s;
      order[count++] = edge == 0   ? grid_node(k, s, low, 0)
                       : edge == 1 ? grid_node(k, high, s, 0)
                       : edge == 2 ? grid_node(k, back, high, 0)
                                   : grid_node(k, low, back, 0);
    }
  return count;
}

// Computes the order in which files list the nodes of a cubic tet, as in cell_shape_file_order. In files, corners 0 and
// 1 are swapped. In each table, row 0 is for Gmsh and row 1 for VTK. `edges` has the two corners of each edge, and
// `faces` the corner opposite to each face, both in the file's order.
static void cubic_order(CellFile file, int order[CELL_NODES_MAX]) {
  static const int turned[4] = { 1, 0, 2, 3 };
  static const int edges[2][6][2] = { { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 3, 0 }, { 3, 2 }, { 3, 1 } },
                                      { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 0, 3 }, { 1, 3 }, { 2, 3 } } };
  static const int faces[2][4] = { { 3, 2, 1, 0 }, { 2, 0, 1, 3 } };
  const int of = file == CELL_FILE_VTK;
  for (int c = 0; c < 4; c++) {
    order[c] = turned[c];
    order[16 + c] = 16 + turned[faces[of][c]];
  }
  for (int k = 0; k < 6; k++) {
    const int from = turned[edges[of][k][0]], to = turned[edges[of][k][1]];
    for (int m = 0; m < 6; m++)
      for (int back = 0; back < 2; back++)
        if (tet_edge_corners[m][back] == from && tet_edge_corners[m][1 - back] == to) {
          order[4 + 2 * k] = 4 + 2 * m + back;
          order[5 + 2 * k] = 5 + 2 * m - back;
        }
  }
}

void cell_shape_file_order(CellShape shape, CellFile file, int order[CELL_NODES_MAX]) {
  static const int tet4[4] = { 1, 0, 2, 3 }, hex8[8] = { 0, 1, 3, 2, 4, 5, 7, 6 };

  // Both file formats swap corners 0 and 1 of Pliant's order. The edges are then in VTK's order 01, 12, 02, 03, 13, 23.
  // Gmsh's order has the last two edges swapped.
  static const int tet10[10] = { 1, 0, 2, 3, 4, 6, 5, 8, 7, 9 };
  const CellShapeInfo *k = &kinds[shape];
  for (int a = 0; a < k->nodes; a++) order[a] = a;
  if (shape == CELL_TET4) memcpy(order, tet4, sizeof tet4);
  if (shape == CELL_TET10) memcpy(order, tet10, sizeof tet10);
  if (shape == CELL_TET10 && file == CELL_FILE_GMSH) {
    order[8] = 9;
    order[9] = 7;
  }
  if (shape == CELL_TET20) cubic_order(file, order);
  if (shape == CELL_HEX8) memcpy(order, hex8, sizeof hex8);
  if (k->simplex || k->dimension != 2) return;
  int count = quad_ring(k, 0, k->degree, file == CELL_FILE_GMSH, order);
  if (file == CELL_FILE_GMSH) {  // Gmsh lists rings of nodes, from the outside to the inside
    for (int low = 1; low <= k->degree - low; low++) count += quad_ring(k, low, k->degree - low, true, order + count);
    return;
  }

  for (int j = 1; j < k->degree; j++)
    for (int i = 1; i < k->degree; i++) order[count++] = grid_node(k, i, j, 0);
}
