// Finds cavities of a body: see cavities.h. Winding numbers decide which shells are inside others: the solid angle of a
// shell, seen from a point, divided by 4 pi. It is 1 or -1 if the point is inside the shell, and 0 outside.
#include "mesh/cavities.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/sort.h"
#include "base/union_find.h"
#include "base/vectors.h"

// A connected part of the surface: polygons that are connected by edges.
typedef struct Shell {
  int64_t first, end;      // its triangles are first to end - 1
  double low[3], high[3];  // bounds of its vertices, m
  double volume;           // m^3; negative if its triangles are oriented inward
  bool mixed;              // its triangles have both orientations
  bool solid;              // the space just inside it belongs to the body
  int parent;              // the smallest shell around it; -1: none
} Shell;

// The surface as triangles, sorted by shells.
typedef struct Shells {
  const double (*X)[3];  // positions of the vertices, borrowed
  int64_t (*triangle)[3];
  Shell *shell;
  int count;  // number of shells
} Shells;

// An edge of a polygon. `up` is 1 if the polygon's boundary goes from the vertex `low` to `high`, otherwise -1.
typedef struct Side {
  int64_t low, high;  // vertices; low <= high
  int polygon, up;
} Side;

static int compare_sides(const void *a, const void *b) {
  const Side *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->high > y->high) - (x->high < y->high);
}

// Joins the sets of polygons that have a common edge; set [polygon_count] is a forest of union_find.h. Sets uneven
// [polygon_count] to 1 for a polygon at an edge that its polygons do not traverse equally often in both directions.
static bool join_polygons(const Polygons *p, int *set, uint8_t *uneven, Error *error) {
  Side *side = array_new(p->corner_count, sizeof *side, "edges of faces", error);
  if (!side) return false;
  int64_t count = 0;
  for (int f = 0; f < p->polygon_count; f++)
    for (int k = 0; k < p->polygon[f].count; k++) {
      const int64_t *corner = p->corner + p->polygon[f].first;
      const int64_t a = corner[k], b = corner[(k + 1) % p->polygon[f].count];
      if (a != b) side[count++] = (Side){ a < b ? a : b, a < b ? b : a, f, a < b ? 1 : -1 };
    }
  const bool ok = sort_items(side, count, sizeof *side, compare_sides, error);
  for (int64_t k = 0, end; ok && k < count; k = end) {
    int balance = 0;
    for (end = k; end < count && compare_sides(&side[k], &side[end]) == 0; end++) {
      union_join(set, side[k].polygon, side[end].polygon);
      balance += side[end].up;
    }
    if (balance != 0) uneven[side[k].polygon] = 1;
  }
  free(side);
  return ok;
}

// Computes volume and bounds of a shell from its triangles.
static void measure(const Shells *s, Shell *shell) {
  const double *o = s->X[s->triangle[shell->first][0]];  // a distant reference point would lose digits
  for (int i = 0; i < 3; i++) shell->low[i] = shell->high[i] = o[i];
  for (int64_t t = shell->first; t < shell->end; t++) {
    double d[3][3], c[3];
    for (int k = 0; k < 3; k++) {
      const double *x = s->X[s->triangle[t][k]];
      vector_minus(x, o, d[k]);
      for (int i = 0; i < 3; i++) {
        shell->low[i] = fmin(shell->low[i], x[i]);
        shell->high[i] = fmax(shell->high[i], x[i]);
      }
    }
    vector_cross(d[1], d[2], c);
    shell->volume += vector_dot(d[0], c) / 6;
  }
}

// Fills the triangles and shells from the sets of polygons. The shells are numbered by their first polygons. After the
// call, set[f] is the shell of polygon f.
static bool fill_shells(const Polygons *p, int *set, const uint8_t *uneven, Shells *s, Error *error) {
  for (int f = 0; f < p->polygon_count; f++) set[f] = union_root(set, f);
  for (int f = 0; f < p->polygon_count; f++)  // the root is at most f, so its shell is known
    set[f] = set[f] == f ? s->count++ : set[set[f]];
  s->shell = array_new(s->count, sizeof *s->shell, "closed surfaces", error);
  s->triangle = array_new(p->corner_count, sizeof *s->triangle, "triangles", error);
  if (!s->shell || !s->triangle) return false;
  for (int f = 0; f < p->polygon_count; f++) {
    s->shell[set[f]].end += p->polygon[f].count - 2;
    s->shell[set[f]].mixed = s->shell[set[f]].mixed || uneven[f];
  }
  int64_t first = 0;
  for (int k = 0; k < s->count; k++) {
    const int64_t size = s->shell[k].end;
    s->shell[k].first = s->shell[k].end = first;
    first += size;
  }

  for (int f = 0; f < p->polygon_count; f++) {
    const int64_t *corner = p->corner + p->polygon[f].first;
    for (int k = 2; k < p->polygon[f].count; k++) {
      const int64_t triangle[3] = { corner[0], corner[k - 1], corner[k] };
      memcpy(s->triangle[s->shell[set[f]].end++], triangle, sizeof triangle);
    }
  }

  for (int k = 0; k < s->count; k++) measure(s, &s->shell[k]);
  return true;
}

static bool shells_create(const Polygons *p, const char *path, Shells *s, Error *error) {
  *s = (Shells){ .X = (const double(*)[3])p->X };
  if (p->polygon_count > INT_MAX)
    return error_set(error, "%s: %lld faces are too many", path, (long long)p->polygon_count);
  int *set = array_new(p->polygon_count, sizeof *set, "faces", error);
  uint8_t *uneven = array_new(p->polygon_count, sizeof *uneven, "faces", error);
  for (int f = 0; set && f < p->polygon_count; f++) set[f] = f;
  const bool ok = set && uneven && join_polygons(p, set, uneven, error) && fill_shells(p, set, uneven, s, error);
  free(set);
  free(uneven);
  return ok;
}

static void shells_destroy(Shells *s) {
  free(s->triangle);
  free(s->shell);
}

// Computes the centroid of a triangle.
static void centroid_of(const Shells *s, int64_t t, double x[3]) {
  const int64_t *corner = s->triangle[t];
  for (int i = 0; i < 3; i++) x[i] = (s->X[corner[0]][i] + s->X[corner[1]][i] + s->X[corner[2]][i]) / 3;
}

// Returns the magnitude of a shell's winding number about the point x. The solid angle of each triangle is computed as
// by van Oosterom and Strackee (1983).
static double winding(const Shells *s, const Shell *shell, const double x[3]) {
  for (int i = 0; i < 3; i++)
    if (x[i] < shell->low[i] || x[i] > shell->high[i]) return 0;
  double sum = 0;
  for (int64_t t = shell->first; t < shell->end; t++) {
    double d[3][3], c[3], length[3];
    for (int k = 0; k < 3; k++) {
      vector_minus(s->X[s->triangle[t][k]], x, d[k]);
      length[k] = sqrt(vector_dot(d[k], d[k]));
    }
    vector_cross(d[1], d[2], c);
    sum += 2 * atan2(vector_dot(d[0], c), length[0] * length[1] * length[2] + vector_dot(d[0], d[1]) * length[2] +
                                              vector_dot(d[1], d[2]) * length[0] + vector_dot(d[2], d[0]) * length[1]);
  }
  return fabs(sum) / (4 * M_PI);
}

enum { TRIES = 16 };               // largest number of triangles that are tested to find a point
static const double UNSURE = 0.1;  // largest difference of a winding number from a whole number; 0.5 on a surface

// Returns triangle number k of TRIES triangles that are distributed over a shell.
static int64_t sample_of(const Shell *shell, int k) {
  return shell->first + (shell->end - shell->first) * k / TRIES;
}

// Returns true if a shell is inside another one. Tests centroids of the inner shell's triangles, until one of them is
// not on the outer shell.
static bool is_inside(const Shells *s, const Shell *inner, const Shell *outer) {
  for (int i = 0; i < 3; i++)
    if (inner->low[i] < outer->low[i] || inner->high[i] > outer->high[i]) return false;
  for (int k = 0; k < TRIES; k++) {
    double x[3];
    centroid_of(s, sample_of(inner, k), x);
    const double times = winding(s, outer, x);
    if (times < UNSURE) return false;
    if (fabs(times - 1) < UNSURE) return true;
  }
  return false;
}

// A shell and its size, for sorting.
typedef struct Sized {
  double size;  // magnitude of the volume, m^3
  int shell;
} Sized;

static int compare_sizes(const void *a, const void *b) {
  const Sized *x = a, *y = b;
  return (x->size < y->size) - (x->size > y->size);
}

// Finds the smallest shell around each shell, and decides which shells bound cavities. The enclosing shell is larger,
// so shells are visited from the largest to the smallest.
static bool nest_shells(Shells *s, Cavities *cavities, Error *error) {
  Sized *order = array_new(s->count, sizeof *order, "closed surfaces", error);
  if (!order) return false;
  for (int k = 0; k < s->count; k++) order[k] = (Sized){ fabs(s->shell[k].volume), k };
  bool ok = sort_items(order, s->count, sizeof *order, compare_sizes, error);
  for (int k = 0; ok && k < s->count; k++) {
    Shell *shell = &s->shell[order[k].shell];
    shell->parent = -1;
    shell->solid = true;
    cavities->mixed += shell->mixed;
    for (int j = k - 1; ok && j >= 0 && shell->parent < 0 && !shell->mixed; j--) {
      const Shell *outer = &s->shell[order[j].shell];
      if (!outer->mixed && is_inside(s, shell, outer)) shell->parent = order[j].shell;
      ok = interrupt_check(error);
    }
    if (shell->parent < 0) continue;
    const Shell *parent = &s->shell[shell->parent];
    const bool opposite = (shell->volume < 0) != (parent->volume < 0);
    shell->solid = opposite != parent->solid;
    cavities->same += !opposite && parent->solid;
    cavities->count += !shell->solid;
  }

  free(order);
  return ok;
}

// Returns true if the ray from the point x in the direction d passes through the bounds of a shell nearer than `near`
// times d.
static bool ray_meets_box(const Shell *shell, const double x[3], const double d[3], double near) {
  double from = 0, to = near;
  for (int i = 0; i < 3; i++) {
    if (d[i] == 0 && (x[i] < shell->low[i] || x[i] > shell->high[i])) return false;
    if (d[i] == 0) continue;
    const double a = (shell->low[i] - x[i]) / d[i], b = (shell->high[i] - x[i]) / d[i];
    from = fmax(from, fmin(a, b));
    to = fmin(to, fmax(a, b));
  }
  return from <= to * (1 + 1e-9);
}

// Returns the distance, in units of d, at which the ray from the point x in the direction d meets a triangle, by the
// method of Moeller and Trumbore (1997); HUGE_VAL if it does not.
static double hit_triangle(const Shells *s, int64_t t, const double x[3], const double d[3]) {
  static const double EDGE = 1e-9;  // the triangle is enlarged by this fraction, so that no ray passes between two
  const int64_t *corner = s->triangle[t];
  double u[3], v[3], p[3], q[3], r[3];
  vector_minus(s->X[corner[1]], s->X[corner[0]], u);
  vector_minus(s->X[corner[2]], s->X[corner[0]], v);
  vector_minus(x, s->X[corner[0]], r);
  vector_cross(d, v, p);
  vector_cross(r, u, q);
  const double det = vector_dot(u, p);
  if (det == 0) return HUGE_VAL;
  const double a = vector_dot(r, p) / det, b = vector_dot(d, q) / det, distance = vector_dot(v, q) / det;
  return a >= -EDGE && b >= -EDGE && a + b <= 1 + EDGE && distance >= 0 ? distance : HUGE_VAL;
}

// Computes a point on the inner side of triangle t of a shell: the middle between its centroid and the next triangle in
// the direction of the inward normal. Returns their distance, m, or 0 if there is no such point.
static double step_inside(const Shells *s, const Shell *shell, int64_t t, double point[3]) {
  const int64_t *corner = s->triangle[t];
  double x[3], u[3], v[3], d[3], near = HUGE_VAL;
  centroid_of(s, t, x);
  vector_minus(s->X[corner[1]], s->X[corner[0]], u);
  vector_minus(s->X[corner[2]], s->X[corner[0]], v);
  vector_cross(u, v, d);
  const double length = sqrt(vector_dot(d, d));
  if (!(length > 0)) return 0;
  for (int i = 0; i < 3; i++) d[i] *= (shell->volume > 0 ? -1 : 1) / length;
  for (int64_t k = shell->first; k < shell->end; k++)
    if (k != t) near = fmin(near, hit_triangle(s, k, x, d));
  for (int j = 0; j < s->count; j++) {
    const Shell *other = &s->shell[j];
    if (other == shell || !ray_meets_box(other, x, d, near)) continue;
    for (int64_t k = other->first; k < other->end; k++) near = fmin(near, hit_triangle(s, k, x, d));
  }
  for (int i = 0; i < 3; i++) point[i] = x[i] + near / 2 * d[i];
  return near < HUGE_VAL ? near : 0;
}

// Returns true if a point is inside a shell and all shells around it, and outside all others.
static bool is_just_inside(const Shells *s, int shell, const double point[3]) {
  for (int k = 0; k < s->count; k++) {
    int around = shell;
    while (around >= 0 && around != k) around = s->shell[around].parent;
    if (!s->shell[k].mixed && !(fabs(winding(s, &s->shell[k], point) - (around == k)) < UNSURE)) return false;
  }
  return true;
}

// Finds a point between a shell and the shells inside it, far from all of them. Tests some triangles, and stops early
// at a point with a sufficient distance.
static bool find_point(const Shells *s, int shell, const char *path, double point[3], Error *error) {
  static const double FAR = 0.01;  // sufficient distance, as a fraction of the shell's diagonal
  const Shell *of = &s->shell[shell];
  double best = 0, diagonal[3];
  vector_minus(of->high, of->low, diagonal);
  const double enough = FAR * sqrt(vector_dot(diagonal, diagonal));
  for (int k = 0; k < TRIES && best < enough; k++) {
    double x[3];
    const double distance = step_inside(s, of, sample_of(of, k), x);
    if (!interrupt_check(error)) return false;
    if (!(distance > best) || !is_just_inside(s, shell, x)) continue;
    best = distance;
    memcpy(point, x, sizeof x);
  }
  return best > 0 || error_set(error,
                               "%s: no point was found inside the cavity from (%.5g, %.5g, %.5g) to (%.5g, %.5g, %.5g) "
                               "m; its surface may intersect itself or another surface",
                               path, of->low[0], of->low[1], of->low[2], of->high[0], of->high[1], of->high[2]);
}

bool cavities_find(const Polygons *polygons, const char *path, Cavities *cavities, Error *error) {
  Shells s;
  Cavities found = { 0 };
  bool ok = shells_create(polygons, path, &s, error);
  if (ok && s.count > 1) {
    ok = nest_shells(&s, &found, error) &&
         (found.point = array_new(found.count, sizeof *found.point, "points in cavities", error));
    for (int k = 0, next = 0; ok && k < s.count; k++)
      if (!s.shell[k].solid) ok = find_point(&s, k, path, found.point[next++], error);
  }
  shells_destroy(&s);
  if (ok)
    *cavities = found;
  else
    cavities_destroy(&found);
  return ok;
}

void cavities_destroy(Cavities *cavities) {
  free(cavities->point);
  *cavities = (Cavities){ 0 };
}
