// Creates the mesh of a rectangle or a box: see grid.h.
#include "mesh/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/random.h"
#include "mesh/tet_mesh.h"

// Number of nodes of a grid along each direction i: count[i] = cells[i] * degree + 1. A rectangle has count[2] = 1.
typedef struct Nodes {
  int count[3], degree;
} Nodes;

static Nodes nodes_of(const Grid *g) {
  const CellShapeInfo *kind = cell_shape_info(g->shape);
  Nodes n = { .degree = kind->degree };
  for (int i = 0; i < 3; i++) n.count[i] = i < kind->dimension ? g->cells[i] * n.degree + 1 : 1;
  return n;
}

static int node_at(const Nodes *n, int i, int j, int k) {
  return i + n->count[0] * (j + n->count[1] * k);
}

static bool check(const Grid *g, Error *error) {
  const CellShapeInfo *kind = cell_shape_info(g->shape);
  if (g->shape == CELL_TET10 || g->shape == CELL_TET20) return error_set(error, "grids of tets have degree 1 only");
  for (int i = 0; i < kind->dimension; i++) {
    if (g->cells[i] < 1)
      return error_set(error, "the grid has %d cells along %c, expected at least 1", g->cells[i], 'x' + i);
    if (!(g->size[i] > 0) || !isfinite(g->size[i]) || !isfinite(g->low[i]))
      return error_set(error,
                       "along %c, the grid begins at %g m and is %g m long; expected finite numbers and a length "
                       "above 0",
                       'x' + i, g->low[i], g->size[i]);
  }
  return (g->distort >= 0 && g->distort < 0.5) ||
         error_set(error, "distort is %g, expected 0 to less than 0.5", g->distort);
}

// Moves the corners of cells by random distances, except corners on the boundary of the grid. Along each direction, a
// distance is at most g->distort times the side of a cell.
static void distort(const Grid *g, const Nodes *n, CellMesh *mesh) {
  const int dimension = cell_shape_info(g->shape)->dimension, p = n->degree;
  uint64_t seed = g->seed;
  for (int k = 0; k < n->count[2]; k += p)
    for (int j = 0; j < n->count[1]; j += p)
      for (int i = 0; i < n->count[0]; i += p) {
        const int index[3] = { i, j, k };
        bool inside = true;
        for (int d = 0; d < dimension; d++) inside = inside && index[d] > 0 && index[d] < n->count[d] - 1;
        for (int d = 0; inside && d < dimension; d++)
          mesh->X[node_at(n, i, j, k)][d] += g->distort * g->size[d] / g->cells[d] * random_unit(&seed);
      }
}

// Must be called after the corners of quad e were moved. Moves its other nodes to the positions that follow from the
// corners by the bilinear map of the reference cell (cell_shape_map). The other cells of a grid have only corners, so
// they do not need this.
static void move_between(CellMesh *mesh, int e) {
  const CellShapeInfo *kind = cell_shape_info(mesh->shape);
  const int *node = mesh->cell + (int64_t)e * kind->nodes, p = kind->degree;
  double X[CELL_NODES_MAX][3];
  for (int a = 0; a < kind->nodes; a++) memcpy(X[a], mesh->X[node[a]], sizeof X[a]);
  for (int a = 0; a < kind->nodes; a++) {
    const int i = a % (p + 1), j = a / (p + 1);
    const double xi[3] = { (double)i / p, (double)j / p, 0 };
    if (i % p != 0 || j % p != 0) cell_shape_map(mesh->shape, (const double(*)[3])X, xi, mesh->X[node[a]], NULL);
  }
}

static void connect_quads(const Grid *g, const Nodes *n, CellMesh *mesh) {
  const int p = n->degree;
  int *to = mesh->cell;
  for (int y = 0; y < g->cells[1]; y++)
    for (int x = 0; x < g->cells[0]; x++)
      for (int j = 0; j <= p; j++)
        for (int i = 0; i <= p; i++) *to++ = node_at(n, p * x + i, p * y + j, 0);
}

static void connect_triangles(const Grid *g, const Nodes *n, CellMesh *mesh) {
  int *to = mesh->cell;
  for (int y = 0; y < g->cells[1]; y++)
    for (int x = 0; x < g->cells[0]; x++, to += 6) {
      const int low = node_at(n, x, y, 0), right = node_at(n, x + 1, y, 0), up = node_at(n, x, y + 1, 0),
                high = node_at(n, x + 1, y + 1, 0);
      memcpy(to, (int[6]){ low, right, high, low, high, up }, sizeof(int[6]));
    }
}

static void connect_hexes(const Grid *g, const Nodes *n, CellMesh *mesh) {
  int *to = mesh->cell;
  for (int z = 0; z < g->cells[2]; z++)
    for (int y = 0; y < g->cells[1]; y++)
      for (int x = 0; x < g->cells[0]; x++)
        for (int c = 0; c < 8; c++) *to++ = node_at(n, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
}

static bool make_tets(const Grid *g, CellMesh *mesh, Error *error) {
  TetMesh tets;
  if (!mesh_make_box(g->cells[0], g->cells[1], g->cells[2], g->size, &tets, error)) return false;
  *mesh = (CellMesh){ .shape = CELL_TET4,
                      .node_count = tets.node_count,
                      .cell_count = tets.tet_count,
                      .X = tets.X,
                      .cell = (int *)tets.tet,
                      .node_tag = tets.node_tag };
  tets.X = NULL;
  tets.tet = NULL;
  tets.node_tag = NULL;
  mesh_destroy(&tets);
  return true;
}

bool grid_make(const Grid *g, CellMesh *mesh, Error *error) {
  const CellShapeInfo *kind = cell_shape_info(g->shape);
  if (!check(g, error)) return false;
  const Nodes n = nodes_of(g);
  CellMesh made = { 0 };
  double cells = kind->simplex ? 2 : 1;
  for (int i = 0; i < kind->dimension; i++) cells *= g->cells[i];
  bool ok = g->shape == CELL_TET4
                ? make_tets(g, &made, error)
                : cell_mesh_allocate(&made, g->shape, (double)n.count[0] * n.count[1] * n.count[2], cells, error);
  if (ok) {
    if (g->shape == CELL_TRI3) connect_triangles(g, &n, &made);
    if (g->shape == CELL_HEX8) connect_hexes(g, &n, &made);
    if (kind->dimension == 2 && !kind->simplex) connect_quads(g, &n, &made);
    for (int k = 0; k < n.count[2]; k++)
      for (int j = 0; j < n.count[1]; j++)
        for (int i = 0; i < n.count[0]; i++) {
          const int a = node_at(&n, i, j, k), index[3] = { i, j, k };
          for (int d = 0; d < kind->dimension; d++)
            made.X[a][d] = g->low[d] + g->size[d] * index[d] / (g->cells[d] * n.degree);
          made.node_tag[a] = a + 1;
        }
    if (g->distort > 0) distort(g, &n, &made);
    for (int e = 0; g->distort > 0 && n.degree > 1 && e < made.cell_count; e++) move_between(&made, e);
    ok = interrupt_check(error) && (g->distort == 0 || cell_mesh_check(&made, "a distorted grid", error));
  }
  if (ok)
    *mesh = made;
  else
    cell_mesh_destroy(&made);
  return ok;
}

void grid_boundary(const Grid *g, const CellMesh *mesh, uint8_t *on_boundary) {
  const Nodes n = nodes_of(g);
  for (int a = 0; a < mesh->node_count; a++) {
    const int index[3] = { a % n.count[0], a / n.count[0] % n.count[1], a / n.count[0] / n.count[1] };
    on_boundary[a] = 0;
    for (int d = 0; d < cell_shape_info(g->shape)->dimension; d++)
      if (index[d] == 0 || index[d] == n.count[d] - 1) on_boundary[a] = 1;
  }
}
