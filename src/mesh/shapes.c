// Simple shapes: see shapes.h. A ball is an icosahedron of 20 tets with a common corner at the centre. A lattice of
// points with n steps along each edge divides each tet into smaller tets and octahedra. Each octahedron is cut into
// four tets, which gives n^3 tets in total. Points that are k steps from the centre are then projected onto a sphere.
// A cylinder is a disc extruded along a line, and a torus is a disc extruded along a circle. The disc is a hexagon of
// six triangles, each cut into n^2 triangles. A triangle extruded by one layer is a prism, which is cut into three
// tets. The cut depends only on the order of the disc's points, so neighbouring prisms cut their common face along the
// same diagonal.
#include "mesh/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"

// Smallest and largest side of a shape, m. Within these limits, the product of three sides is in the range of double.
static const double SIDE_MIN = 1e-30, SIDE_MAX = 1e30;

static double pi(void) {
  return acos(-1);
}

static void turn_tets(const void *made, int first_tet, int last) {
  TetMesh *mesh = *(TetMesh *const *)made;
  for (int e = first_tet; e < last && !interrupt_requested(); e++) {
    int *t = mesh->tet[e];
    if (mesh_tet_volume(mesh, e) > 0) continue;
    const int first = t[0];
    t[0] = t[1];
    t[1] = first;
  }
}

static bool number_nodes(TetMesh *mesh, Error *error) {
  enum { CHUNK = 8192 };
  for (int a = 0; a < mesh->node_count; a++) mesh->node_tag[a] = a + 1;
  parallel_for(mesh->tet_count, CHUNK, turn_tets, &mesh);
  return interrupt_check(error);
}

// ---- mesh of a ball

// Returns the number of lattice points (i, j, k) with i, j, k >= 0 and i + j + k <= n.
static int lattice_points(int n) {
  return (int)((n + INT64_C(1)) * (n + 2) * (n + 3) / 6);
}

// Returns the index of lattice point (i, j, k), with i, j, k >= 0 and i + j + k <= n. Points are sorted by i, then j,
// then k.
static int lattice_index(int n, int i, int j, int k) {
  return lattice_points(n) - lattice_points(n - i) + j * (n - i + 1) - j * (j - 1) / 2 + k;
}

// A node, for sorting by position. X: its position times 1e9, rounded to integers. index: its index in the mesh.
typedef struct GridPoint {
  double X[3];
  int index;
} GridPoint;

static int compare_points(const void *left, const void *right) {
  const GridPoint *a = left, *b = right;
  for (int i = 0; i < 3; i++)
    if (a->X[i] != b->X[i]) return a->X[i] < b->X[i] ? -1 : 1;
  return 0;
}

// Merges nodes at equal positions, which neighbouring parts of the icosahedron have made separately. Positions count as
// equal if they are equal when rounded to multiples of 1e-9, so distinct nodes must be farther apart.
static bool join_nodes(TetMesh *mesh, Error *error) {
  const int count = mesh->node_count;
  GridPoint *point = array_new(count, sizeof *point, "nodes", error);
  int *number = array_new(count, sizeof *number, "nodes", error);
  bool ok = point && number;
  int kept = 0;
  for (int a = 0; ok && a < count; a++) {
    for (int i = 0; i < 3; i++) point[a].X[i] = nearbyint(mesh->X[a][i] * 1e9) + 0.0;  // adding 0.0 turns -0 into 0
    point[a].index = a;
  }
  ok = ok && sort_items(point, count, sizeof *point, compare_points, error);
  double(*X)[3] = ok ? array_new(count, sizeof *X, "nodes", error) : NULL;
  for (int a = 0; X && a < count; a++) {
    if (a == 0 || compare_points(&point[a - 1], &point[a]) != 0) memcpy(X[kept++], mesh->X[point[a].index], sizeof *X);
    number[point[a].index] = kept - 1;
  }
  if (X) {
    memcpy(mesh->X, X, sizeof *X * (size_t)kept);
    mesh->node_count = kept;
    for (int e = 0; e < mesh->tet_count; e++)
      for (int c = 0; c < 4; c++) mesh->tet[e][c] = number[mesh->tet[e][c]];
  }

  free(point);
  free(number);
  free(X);
  return X != NULL;
}

// Divides one tet of the icosahedron into n^3 tets, stored as mesh->tet[e], mesh->tet[e + 1], ... The tet's lattice
// points are the nodes `first`, first + 1, ...
static void cut_tet(TetMesh *mesh, int n, int first, int e) {
  for (int i = 0; i < n; i++)
    for (int j = 0; i + j < n && !interrupt_requested(); j++)
      for (int k = 0; i + j + k < n; k++) {
        // at[b]: node at corner b of a cube of the lattice. Bit 0 of b is a step along i, bit 1 along j, bit 2 along k;
        // -1: outside the tet
        int at[8];
        for (int b = 0; b < 8; b++) {
          const int p = i + (b & 1), q = j + (b >> 1 & 1), r = k + (b >> 2);
          at[b] = p + q + r <= n ? first + lattice_index(n, p, q, r) : -1;
        }

        // Each row is a tet. Row 0 is at corner 0 of the cube. Rows 1 to 4 are an octahedron, cut around its diagonal
        // from corner 1 to corner 6. Row 5 is at corner 7.
        static const int tets[6][4] = { { 0, 1, 2, 4 }, { 1, 2, 4, 6 }, { 1, 2, 3, 6 },
                                        { 1, 4, 5, 6 }, { 1, 3, 5, 6 }, { 3, 5, 6, 7 } };
        const int count = i + j + k + 3 <= n ? 6 : i + j + k + 2 <= n ? 5 : 1;
        for (int t = 0; t < count; t++, e++)
          for (int c = 0; c < 4; c++) mesh->tet[e][c] = at[tets[t][c]];
      }
}

// Arguments of the loop that cuts each of the 20 tets of an icosahedron into n^3 tets. corner: positions of the
// icosahedron's corners.
typedef struct Ball {
  TetMesh *mesh;
  int n;
  double corner[12][3];
} Ball;

static void cut_faces(const void *ball, int begin, int end) {
  static const int faces[20][3] = { { 0, 1, 2 },  { 0, 2, 3 },  { 0, 3, 4 },  { 0, 4, 5 },   { 0, 5, 1 },
                                    { 1, 6, 2 },  { 2, 7, 3 },  { 3, 8, 4 },  { 4, 9, 5 },   { 5, 10, 1 },
                                    { 6, 7, 2 },  { 7, 8, 3 },  { 8, 9, 4 },  { 9, 10, 5 },  { 10, 6, 1 },
                                    { 11, 7, 6 }, { 11, 8, 7 }, { 11, 9, 8 }, { 11, 10, 9 }, { 11, 6, 10 } };
  const Ball *b = ball;
  const int n = b->n;
  for (int f = begin; f < end; f++) {
    int a = f * lattice_points(n);
    cut_tet(b->mesh, n, a, f * n * n * n);
    for (int i = 0; i <= n; i++)
      for (int j = 0; i + j <= n && !interrupt_requested(); j++)
        for (int k = 0; i + j + k <= n; k++, a++) {
          double X[3], length = 0;
          for (int d = 0; d < 3; d++) {
            X[d] = (i * b->corner[faces[f][0]][d] + j * b->corner[faces[f][1]][d] + k * b->corner[faces[f][2]][d]) / n;
            length += X[d] * X[d];
          }
          const double shell = (double)(i + j + k) / n;
          for (int d = 0; d < 3; d++) b->mesh->X[a][d] = length > 0 ? X[d] / sqrt(length) * shell : 0;
        }
  }
}

static bool make_ball(int n, TetMesh *mesh, Error *error) {
  Ball ball = { mesh, n, { { 0, 0, 1 }, [11] = { 0, 0, -1 } } };
  const double z = 1 / sqrt(5), r = 2 / sqrt(5), per = (n + 1.0) * (n + 2.0) * (n + 3.0) / 6;
  // Five of the icosahedron's 12 corners form an upper ring and five a lower ring. The lower ring is rotated by half a
  // step, pi / 5, against the upper ring.
  for (int k = 0; k < 5; k++) {
    const double low = 2 * pi() * k / 5, high = low + pi() / 5;
    memcpy(ball.corner[1 + k], (double[3]){ r * cos(low), r * sin(low), z }, sizeof *ball.corner);
    memcpy(ball.corner[6 + k], (double[3]){ r * cos(high), r * sin(high), -z }, sizeof *ball.corner);
  }
  if (!mesh_allocate(mesh, 20 * per, 20.0 * n * n * n, error)) return false;
  parallel_for_parts(20, cut_faces, &ball);
  return interrupt_check(error) && join_nodes(mesh, error);
}

// ---- meshes of discs extruded along a path

// A disc of triangles. corner [triangles]: indices of the points of each triangle, counter-clockwise.
typedef struct Disc {
  int points, triangles;
  double (*x)[2];  // [points], positions; the disc has radius 1 and its centre at the origin
  int (*corner)[3];
} Disc;

// The points of a disc form rings: ring 0 is the disc's centre, and ring k has 6 k points. Returns the index, in the
// disc, of point number `along` on ring number `ring`. `along` is taken modulo 6 * ring, so it may run past the end.
static int ring_point(int ring, int along) {
  return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + along % (6 * ring);
}

static bool make_disc(int n, Disc *disc, Error *error) {
  *disc = (Disc){ .points = 1 + 3 * n * (n + 1), .triangles = 6 * n * n };
  disc->x = array_new(disc->points, sizeof *disc->x, "points", error);
  disc->corner = array_new(disc->triangles, sizeof *disc->corner, "triangles", error);
  if (!disc->x || !disc->corner) return false;
  int t = 0;
  for (int ring = 1; ring <= n; ring++)
    for (int k = 0; k < 6 * ring; k++) {
      const double angle = 2 * pi() * k / (6 * ring), radius = (double)ring / n;
      double *x = disc->x[ring_point(ring, k)];
      x[0] = radius * cos(angle);
      x[1] = radius * sin(angle);

      // Between this ring of points and the next ring inside, each edge of either ring is the side of one triangle.
      // `out` is the triangle at an edge of this ring, `in` the triangle at an edge of the inner ring.
      const int sector = k / ring, within = k % ring, inner = sector * (ring - 1) + within;
      const int out[3] = { ring_point(ring, k), ring_point(ring, k + 1), ring_point(ring - 1, inner) };
      memcpy(disc->corner[t++], out, sizeof out);
      if (within == ring - 1) continue;
      const int in[3] = { ring_point(ring - 1, inner), ring_point(ring, k + 1), ring_point(ring - 1, inner + 1) };
      memcpy(disc->corner[t++], in, sizeof in);
    }
  return true;
}

// Creates a disc, extrudes it by `layers` layers of prisms, and stores the tets of these prisms in `mesh`. The caller
// then sets the positions of the nodes. If `closed`, the last layer ends at the nodes at which the first layer begins,
// as in a torus.
static bool draw_disc(int n, int layers, bool closed, TetMesh *mesh, Disc *disc, Error *error) {
  if (3.0 * n * n * layers * 6 > MESH_MAX_TETS)
    return error_set(error, "the shape needs %.0f tets, but a mesh has at most %d; use fewer cells",
                     18.0 * n * n * layers, MESH_MAX_TETS);
  if (!make_disc(n, disc, error)) return false;
  const int sheets = closed ? layers : layers + 1;
  if (!mesh_allocate(mesh, (double)disc->points * sheets, 3.0 * disc->triangles * layers, error)) return false;
  int e = 0;
  for (int layer = 0; layer < layers; layer++)
    for (int t = 0; t < disc->triangles && !interrupt_requested(); t++) {
      int p[3];
      memcpy(p, disc->corner[t], sizeof p);
      for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 - i; k++)
          if (p[k] > p[k + 1]) {
            const int swap = p[k];
            p[k] = p[k + 1];
            p[k + 1] = swap;
          }
      const int low = layer * disc->points, high = (layer + 1) % sheets * disc->points;
      const int tets[3][4] = { { low + p[0], low + p[1], low + p[2], high + p[2] },
                               { low + p[0], low + p[1], high + p[1], high + p[2] },
                               { low + p[0], high + p[0], high + p[1], high + p[2] } };
      memcpy(mesh->tet[e], tets, sizeof tets);
      e += 3;
    }
  return interrupt_check(error);
}

static void destroy_disc(Disc *disc) {
  free(disc->x);
  free(disc->corner);
}

static int at_least(double value, int low) {
  return value < low ? low : value > 1e8 ? 100000000 : (int)lround(value);
}

static int cylinder_layers(const double size[3], int cells) {
  return at_least(size[2] / fmin(size[0], size[1]) * cells, 1);
}

static bool cylinder(const double size[3], int cells, TetMesh *mesh, Error *error) {
  Disc disc = { 0 };
  const int n = (cells + 1) / 2, layers = cylinder_layers(size, cells);
  const bool ok = draw_disc(n, layers, false, mesh, &disc, error);
  for (int a = 0; ok && a < mesh->node_count; a++) {
    const double *x = disc.x[a % disc.points];
    mesh->X[a][0] = 0.5 * size[0] * x[0];
    mesh->X[a][1] = 0.5 * size[1] * x[1];
    mesh->X[a][2] = size[2] * (a / disc.points) / layers;
  }
  destroy_disc(&disc);
  return ok;
}

static int torus_layers(const double size[3], int cells) {
  return at_least(pi() * (size[0] - size[2]) / size[2] * cells, 3);
}

static bool torus(const double size[3], int cells, TetMesh *mesh, Error *error) {
  Disc disc = { 0 };
  const double tube = 0.5 * size[2], ring = 0.5 * size[0] - tube, stretch = size[1] / size[0];
  if (!(ring > tube))
    return error_set(error, "a torus of size %g x %g x %g m has no hole: x must be more than twice z", size[0], size[1],
                     size[2]);
  const int n = (cells + 1) / 2, layers = torus_layers(size, cells);
  const bool ok = draw_disc(n, layers, true, mesh, &disc, error);
  for (int a = 0; ok && a < mesh->node_count; a++) {
    const double *x = disc.x[a % disc.points], angle = 2 * pi() * (a / disc.points) / layers;

    // The disc has points at its sides, but none at its lower and upper end if n is odd. It is then rotated by 90
    // degrees, so that the torus has its lowest points at z = 0.
    const double across = n % 2 ? -x[1] : x[0], up = n % 2 ? x[0] : x[1];
    const double radius = ring + tube * across;
    mesh->X[a][0] = radius * cos(angle);
    mesh->X[a][1] = stretch * radius * sin(angle);
    mesh->X[a][2] = tube * (1 + up);
  }
  destroy_disc(&disc);
  return ok;
}

static bool ball(const double size[3], int cells, TetMesh *mesh, Error *error) {
  if (!make_ball((cells + 1) / 2, mesh, error)) return false;
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) mesh->X[a][i] = 0.5 * size[i] * (mesh->X[a][i] + (i == 2));
  return true;
}

static void box_cells(const double size[3], int cells, int n[3]) {
  const double thinnest = fmin(fmin(size[0], size[1]), size[2]);
  for (int i = 0; i < 3; i++) n[i] = at_least(size[i] / thinnest * cells, 1);
}

static bool box(const double size[3], int cells, TetMesh *mesh, Error *error) {
  int n[3];
  box_cells(size, cells, n);
  if (!mesh_make_box(n[0], n[1], n[2], size, mesh, error)) return false;
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 2; i++) mesh->X[a][i] -= 0.5 * size[i];
  return true;
}

static void count_box(const double size[3], int cells, double *nodes, double *tets) {
  int n[3];
  box_cells(size, cells, n);
  *nodes = (n[0] + 1.0) * (n[1] + 1.0) * (n[2] + 1.0);
  *tets = 6.0 * n[0] * n[1] * n[2];
}

static void count_ball(const double size[3], int cells, double *nodes, double *tets) {
  (void)size;
  const double n = (cells + 1) / 2;
  *nodes = 1 + 2 * n + 10 * n * (n + 1) * (2 * n + 1) / 6;
  *tets = 20 * n * n * n;
}

static void count_cylinder(const double size[3], int cells, double *nodes, double *tets) {
  const double n = (cells + 1) / 2, layers = cylinder_layers(size, cells);
  *nodes = (1 + 3 * n * (n + 1)) * (layers + 1);
  *tets = 18 * n * n * layers;
}

static void count_torus(const double size[3], int cells, double *nodes, double *tets) {
  const double n = (cells + 1) / 2, layers = torus_layers(size, cells);
  *nodes = (1 + 3 * n * (n + 1)) * layers;
  *tets = 18 * n * n * layers;
}

static const struct {
  const char *name;
  double size[3];  // default size, m
  bool (*make)(const double size[3], int cells, TetMesh *mesh, Error *error);
  void (*count)(const double size[3], int cells, double *nodes, double *tets);
} shapes[] = {
  { "box", { 1, 1, 1 }, box, count_box },                 // a grid of boxes, six tets each
  { "beam", { 4, 1, 1 }, box, count_box },                // a box that is long along x
  { "sphere", { 1, 1, 1 }, ball, count_ball },            // a sphere or an ellipsoid, made from an icosahedron
  { "cylinder", { 1, 1, 1 }, cylinder, count_cylinder },  // upright; its section is a circle or an ellipse
  { "torus", { 1, 1, 0.25 }, torus, count_torus },        // horizontal; its size along z is the thickness of the tube
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

const char *mesh_shape_name(int index) {
  return index < SHAPES ? shapes[index].name : NULL;
}

const double *mesh_shape_size(const char *name) {
  for (int k = 0; k < SHAPES; k++)
    if (strcmp(shapes[k].name, name) == 0) return shapes[k].size;
  return shapes[0].size;
}

void mesh_shape_counts(const char *name, const double size[3], int cells, double *nodes, double *tets) {
  *nodes = *tets = 0;
  for (int i = 0; i < 3; i++)
    if (!(size[i] > 0) || !isfinite(size[i])) return;
  if (cells < 1 || cells > SHAPE_CELLS_MAX) return;
  for (int k = 0; k < SHAPES; k++)
    if (strcmp(shapes[k].name, name) == 0) shapes[k].count(size, cells, nodes, tets);
}

bool mesh_make_shape(const char *name, const double size[3], int cells, TetMesh *mesh, Error *error) {
  TetMesh made = { 0 };
  for (int i = 0; i < 3; i++)
    if (!(size[i] >= SIDE_MIN && size[i] <= SIDE_MAX))
      return error_set(error, "size is %g, %g, %g m, expected three numbers more than 0, from %g to %g m", size[0],
                       size[1], size[2], SIDE_MIN, SIDE_MAX);
  if (cells < 1 || cells > SHAPE_CELLS_MAX)
    return error_set(error, "cells is %d, expected 1 to %d", cells, SHAPE_CELLS_MAX);
  for (int k = 0; k < SHAPES; k++) {
    if (strcmp(shapes[k].name, name) != 0) continue;
    if (shapes[k].make(size, cells, &made, error) && number_nodes(&made, error)) {
      *mesh = made;
      return true;
    }
    mesh_destroy(&made);
    return false;
  }
  return error_set(error, "unknown shape \"%s\", expected box, beam, sphere, cylinder or torus", name);
}
