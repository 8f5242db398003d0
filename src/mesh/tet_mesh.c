// Functions on meshes of tets or hexes: checks, reorientation, volumes, masses, and the mesh of a box.
#include "mesh/tet_mesh.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/hex.h"
#include "mesh/mesh_sets.h"

// A tet counts as flat if 6 volume / (longest edge)^3 is below FLAT, which is near rounding errors. The ratio is 0.7
// for a regular tet, and 2e-3 for a very flat one with dihedral angles of 0.1 degrees.
static const double FLAT = 1e-12;

const int tet_edge_corners[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };

void mesh_destroy(TetMesh *mesh) {
  free(mesh->X);
  free(mesh->tet);
  free(mesh->middle);
  free(mesh->outer);
  free(mesh->hex);
  free(mesh->node_tag);
  free(mesh->stiffness);
  free(mesh->ratio);
  free(mesh->density);
  free(mesh->damping);
  free(mesh->body);
  mesh_sets_release(mesh->sets);
  *mesh = (TetMesh){ 0 };
}

// Stores in *to the address of a copy of the array `from`, which has `count` items of `size` bytes; NULL if `from` is
// NULL.
static bool copy_array(void *to, const void *from, int count, size_t size, Error *error) {
  void *made = from ? array_copy(from, count, size, "items of a mesh", error) : NULL;
  memcpy(to, &made, sizeof made);
  return made || !from;
}

bool mesh_copy(const TetMesh *mesh, TetMesh *copy, Error *error) {
  const int nodes = mesh->node_count, tets = mesh->tet_count;
  TetMesh made = { .node_count = nodes, .tet_count = tets };
  bool ok = copy_array(&made.X, mesh->X, nodes, sizeof *mesh->X, error);
  ok = ok && copy_array(&made.tet, mesh->tet, tets, sizeof *mesh->tet, error);
  ok = ok && copy_array(&made.middle, mesh->middle, tets, sizeof *mesh->middle, error);
  ok = ok && copy_array(&made.outer, mesh->outer, tets, sizeof *mesh->outer, error);
  ok = ok && copy_array(&made.hex, mesh->hex, tets, sizeof *mesh->hex, error);
  ok = ok && copy_array(&made.node_tag, mesh->node_tag, nodes, sizeof *mesh->node_tag, error);
  ok = ok && copy_array(&made.stiffness, mesh->stiffness, tets, sizeof *mesh->stiffness, error);
  ok = ok && copy_array(&made.ratio, mesh->ratio, tets, sizeof *mesh->ratio, error);
  ok = ok && copy_array(&made.density, mesh->density, tets, sizeof *mesh->density, error);
  ok = ok && copy_array(&made.damping, mesh->damping, nodes, sizeof *mesh->damping, error);
  ok = ok && copy_array(&made.body, mesh->body, nodes, sizeof *mesh->body, error);
  made.sets = mesh_sets_hold(mesh->sets);
  if (ok)
    *copy = made;
  else
    mesh_destroy(&made);
  return ok;
}

// Returns six times the signed volume of tet e, (x1-x4).((x2-x4)x(x3-x4)), where x1 to x4 are the positions of its
// corners. u [node_count] are displacements of the nodes, m; NULL: the nodes are at rest.
static double moved_determinant(const TetMesh *mesh, const double (*u)[3], int e) {
  const int *corner = mesh->tet[e];
  double d[3][3];
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 3; i++) {
      d[c][i] = mesh->X[corner[c]][i] - mesh->X[corner[3]][i];
      if (u) d[c][i] += u[corner[c]][i] - u[corner[3]][i];
    }
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

static double tet_determinant(const TetMesh *mesh, int e) {
  return moved_determinant(mesh, NULL, e);
}

double mesh_tet_J(const TetMesh *mesh, const double (*u)[3], int e) {
  return moved_determinant(mesh, u, e) / tet_determinant(mesh, e);
}

// Sets X to the undeformed positions of the corners of hex e.
static void hex_corners(const TetMesh *mesh, int e, double X[8][3]) {
  for (int a = 0; a < 8; a++) memcpy(X[a], mesh->X[mesh->hex[e][a]], sizeof X[a]);
}

double mesh_tet_volume(const TetMesh *mesh, int e) {
  if (!mesh->hex) return tet_determinant(mesh, e) / 6;
  double X[8][3];
  hex_corners(mesh, e, X);
  return hex_volume((const double(*)[3])X);
}

static double longest_edge(const TetMesh *mesh, int e) {
  double longest = 0;
  for (int c = 0; c < 4; c++)
    for (int d = c + 1; d < 4; d++) {
      const double *p = mesh->X[mesh->tet[e][c]], *q = mesh->X[mesh->tet[e][d]];
      longest = fmax(longest, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
    }
  return longest;
}

// Fails if tet e has the same node at two corners, is flat, or has a size that is not finite. Otherwise sets
// *determinant to six times the tet's signed volume. The message begins with `name`.
static bool check_tet(const TetMesh *mesh, const char *name, int e, double *determinant, Error *error) {
  const int *corner = mesh->tet[e];
  const char *fault = NULL;
  for (int c = 0; c < 4; c++)
    for (int d = c + 1; d < 4; d++)
      if (corner[c] == corner[d]) fault = "has the same node at two corners";
  if (!fault) {
    double longest = longest_edge(mesh, e);
    *determinant = tet_determinant(mesh, e);
    if (!isfinite(*determinant))
      fault = "is too large: its volume overflows";
    else if (!(fabs(*determinant) > FLAT * longest * longest * longest))
      fault = "is flat: it has no volume";
  }
  if (!fault) return true;
  const int64_t *tag = mesh->node_tag;
  return error_set(error, "%s: the tet with nodes %lld, %lld, %lld, %lld %s", name, (long long)tag[corner[0]],
                   (long long)tag[corner[1]], (long long)tag[corner[2]], (long long)tag[corner[3]], fault);
}

// Fails if hex e has the same node at two corners, is flat, or is inverted at some but not all of its corners and Gauss
// points. A hex that is inverted everywhere passes, because mesh_turn_inverted can turn it.
static bool check_hex(const TetMesh *mesh, const char *name, int e, Error *error) {
  const int *node = mesh->hex[e];
  const int64_t *tag = mesh->node_tag;
  double X[8][3], shape;
  char fault[160] = "";
  hex_corners(mesh, e, X);
  const double volume = hex_volume((const double(*)[3])X);
  if (volume < 0)  // the hex is inverted: mirror it along x, so that the tests below are the same for all hexes
    for (int a = 0; a < 8; a++) memcpy(X[a], mesh->X[node[a ^ 1]], sizeof X[a]);
  const int worst = hex_worst_corner((const double(*)[3])X, &shape) ^ (volume < 0);
  for (int a = 0; a < 8; a++)
    for (int b = a + 1; b < 8; b++)
      if (node[a] == node[b]) snprintf(fault, sizeof fault, "has the same node at two corners");
  if (!fault[0] && !isfinite(volume))
    snprintf(fault, sizeof fault, "is too large: its volume overflows");
  else if (!fault[0] && !(shape > FLAT))
    snprintf(fault, sizeof fault, "is %s at node %lld: its edges there must span a volume, as at its other corners",
             shape < -FLAT ? "inverted" : "flat", (long long)tag[node[worst]]);
  else if (!fault[0] && !hex_upright((const double(*)[3])X))
    snprintf(fault, sizeof fault, "is inverted inside, though not at its corners");
  if (!fault[0]) return true;
  return error_set(error, "%s: the hex with nodes %lld, %lld, %lld, %lld, %lld, %lld, %lld, %lld %s", name,
                   (long long)tag[node[0]], (long long)tag[node[1]], (long long)tag[node[2]], (long long)tag[node[3]],
                   (long long)tag[node[4]], (long long)tag[node[5]], (long long)tag[node[6]], (long long)tag[node[7]],
                   fault);
}

static bool check_cell(const TetMesh *mesh, const char *name, int e, Error *error) {
  double determinant;
  return mesh->hex ? check_hex(mesh, name, e, error) : check_tet(mesh, name, e, &determinant, error);
}

// A fast test that makes check_tet unnecessary for most tets. If it returns true, tet e passes check_tet, whatever the
// rounding errors. It returns false for tets near a limit, also if their squared edge lengths are near the range of
// double; only these need check_tet.
static bool surely_sound(const TetMesh *mesh, int e) {
  const int *corner = mesh->tet[e];
  double longest2 = 0;
  bool differ = true;
  for (int c = 0; c < 4; c++)
    for (int d = c + 1; d < 4; d++) {
      const double *p = mesh->X[corner[c]], *q = mesh->X[corner[d]];
      double length2 = 0;
      for (int i = 0; i < 3; i++) length2 += (p[i] - q[i]) * (p[i] - q[i]);
      if (length2 > longest2) longest2 = length2;
      differ = differ && corner[c] != corner[d];
    }
  const double determinant = fabs(tet_determinant(mesh, e));
  return differ && longest2 > 1e-150 && longest2 < 1e150 && determinant > 2 * FLAT * longest2 * sqrt(longest2) &&
         isfinite(determinant);
}

enum { CHUNK = 4096 };  // cells per task of the parallel loops below

// Arguments of the parallel loop that checks all cells. first_bad becomes the smallest number of an invalid cell.
// Messages begin with `name`.
typedef struct Checking {
  const TetMesh *mesh;
  const char *name;
  atomic_int first_bad;
} Checking;

static void check_tets(const void *checking, int first, int last) {
  Checking *t = *(Checking *const *)checking;
  for (int e = first; e < last && !interrupt_requested(); e++) {
    Error ignored = { 0 };
    int least = atomic_load(&t->first_bad);
    if ((!t->mesh->hex && surely_sound(t->mesh, e)) || check_cell(t->mesh, t->name, e, &ignored)) continue;
    while (e < least && !atomic_compare_exchange_weak(&t->first_bad, &least, e)) continue;
    return;
  }
}

bool mesh_check_cells(const TetMesh *mesh, const char *name, Error *error) {
  Checking checking = { .mesh = mesh, .name = name, .first_bad = mesh->tet_count };
  parallel_for(mesh->tet_count, CHUNK, check_tets, &(Checking *){ &checking });
  if (!interrupt_check(error)) return false;
  return checking.first_bad == mesh->tet_count || check_cell(mesh, name, checking.first_bad, error);
}

static void swap_nodes(int *node, int one, int other) {
  const int swapped = node[one];
  node[one] = node[other];
  node[other] = swapped;
}

// Reverses the orientation of tet e by swapping corners 0 and 1. Nodes on edges and faces are exchanged accordingly:
// those on edges 12 and 02, on edges 03 and 13, and on the faces opposite to corners 0 and 1. In a cubic tet the two
// nodes on edge 01 are also exchanged.
static void turn_tet(TetMesh *mesh, int e) {
  swap_nodes(mesh->tet[e], 0, 1);
  if (mesh->middle) {
    swap_nodes(mesh->middle[e], 1, 2);
    swap_nodes(mesh->middle[e], 3, 4);
  }
  if (mesh->outer) {
    static const int pairs[6][2] = { { 0, 1 }, { 2, 4 }, { 3, 5 }, { 6, 8 }, { 7, 9 }, { 12, 13 } };
    for (int k = 0; k < 6; k++) swap_nodes(mesh->outer[e], pairs[k][0], pairs[k][1]);
  }
}

// Arguments of the loop that reorients inverted cells. `turned` counts these cells.
typedef struct Turning {
  TetMesh *mesh;
  atomic_int turned;
} Turning;

static void turn_cells(const void *turning, int first, int last) {
  Turning *t = *(Turning *const *)turning;
  for (int e = first; e < last; e++) {
    if (mesh_tet_volume(t->mesh, e) > 0) continue;
    atomic_fetch_add(&t->turned, 1);
    if (t->mesh->hex)
      hex_turn(t->mesh->hex[e]);
    else
      turn_tet(t->mesh, e);
  }
}

int mesh_turn_inverted(TetMesh *mesh) {
  Turning turning = { .mesh = mesh };
  parallel_for(mesh->tet_count, CHUNK, turn_cells, &(Turning *){ &turning });
  return turning.turned;
}

// Removes nodes that no cell uses, and renumbers the remaining nodes in their old order. *dropped becomes the number of
// removed nodes. new_number [node_count] is work memory, 0 on entry. If the user interrupts this function, the mesh is
// left incomplete and can only be destroyed.
static bool drop_unused_nodes(TetMesh *mesh, int *new_number, int *dropped, Error *error) {
  const int nodes = mesh_cell_nodes(mesh);
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++)
    for (int a = 0; a < nodes; a++) new_number[mesh_cell_node(mesh, e, a)] = 1;
  if (!interrupt_check(error)) return false;
  int kept = 0;
  for (int a = 0; a < mesh->node_count; a++) {
    if (!new_number[a]) continue;
    memmove(mesh->X[kept], mesh->X[a], sizeof mesh->X[a]);
    mesh->node_tag[kept] = mesh->node_tag[a];
    new_number[a] = kept++;
  }
  *dropped = mesh->node_count - kept;
  for (int e = 0; *dropped && e < mesh->tet_count && !interrupt_requested(); e++)
    for (int a = 0; a < nodes; a++) *mesh_cell_entry(mesh, e, a) = new_number[mesh_cell_node(mesh, e, a)];
  mesh->node_count = kept;
  return interrupt_check(error);
}

bool mesh_tidy(TetMesh *mesh, const char *name, Error *error) {
  bool ok = false;
  int *new_number = NULL;
  if (mesh->tet_count == 0) {
    error_set(error, "%s: the mesh has no tetrahedra", name);
    goto done;
  }

  // All cells are checked before the mesh is changed.
  if (!mesh_check_cells(mesh, name, error)) goto done;
  new_number = array_new(mesh->node_count, sizeof *new_number, "node numbers", error);
  if (!new_number) goto done;

  const int inverted = mesh_turn_inverted(mesh);
  if (inverted)
    log_notice("%s: re-oriented %d inverted %s%s", name, inverted, mesh->hex ? "hex" : "tet",
               inverted == 1 ? ""
               : mesh->hex   ? "es"
                             : "s");

  int dropped;
  if (!drop_unused_nodes(mesh, new_number, &dropped, error)) goto done;
  if (dropped)
    log_notice("%s: dropped %d node%s that no %s uses", name, dropped, dropped == 1 ? "" : "s",
               mesh->hex ? "hex" : "tet");
  ok = true;
done:
  free(new_number);
  return ok;
}

void mesh_scale(TetMesh *mesh, double factor) {
  mesh_stretch(mesh, (double[]){ factor, factor, factor });
}

void mesh_stretch(TetMesh *mesh, const double factor[3]) {
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) mesh->X[a][i] *= factor[i];
}

bool mesh_allocate(TetMesh *mesh, double nodes, double tets, Error *error) {
  if (nodes > MESH_MAX_NODES || tets > MESH_MAX_TETS)
    return error_set(error,
                     "the mesh needs %.6g nodes and %.6g tets, but a mesh has at most %d nodes and %d tets; use fewer "
                     "cells",
                     nodes, tets, MESH_MAX_NODES, MESH_MAX_TETS);
  char what[80];
  snprintf(what, sizeof what, "a mesh of %.0f nodes and %.0f tets", nodes, tets);
  if (!memory_holds(nodes * (sizeof *mesh->X + sizeof *mesh->node_tag) + tets * sizeof *mesh->tet, what, error))
    return false;
  mesh->node_count = (int)nodes;
  mesh->tet_count = (int)tets;
  mesh->X = array_new(mesh->node_count, sizeof *mesh->X, "nodes", error);
  mesh->node_tag = array_new(mesh->node_count, sizeof *mesh->node_tag, "node tags", error);
  mesh->tet = array_new(mesh->tet_count, sizeof *mesh->tet, "tets", error);
  return mesh->X && mesh->node_tag && mesh->tet;
}

bool mesh_make_box(int nx, int ny, int nz, const double size[3], TetMesh *mesh, Error *error) {
  // Kuhn's subdivision: a box is cut into six tets. Each tet has the four corners on a path of three edges from the low
  // to the high corner; there is a path for each order of x, y and z. So neighbouring boxes cut their common face along
  // the same diagonal. Bit i of a corner's number is set at the high end of axis i: corner 5 (bits 101) is at the high
  // ends of x and z.
  static const int cut[6][4] = { { 1, 0, 3, 7 }, { 0, 1, 5, 7 }, { 2, 0, 6, 7 },
                                 { 0, 2, 3, 7 }, { 4, 0, 5, 7 }, { 0, 4, 6, 7 } };
  bool ok = false;
  TetMesh made = { 0 };
  if (nx < 1 || ny < 1 || nz < 1) {
    error_set(error, "the grid has %d x %d x %d boxes, expected at least 1 x 1 x 1", nx, ny, nz);
    goto done;
  }
  for (int i = 0; i < 3; i++)
    if (!(size[i] > 0 && isfinite(size[i]))) {
      error_set(error, "the box is %g x %g x %g m, expected finite sides above 0", size[0], size[1], size[2]);
      goto done;
    }

  // As doubles, these products do not overflow. They are exact up to the largest numbers of nodes and tets of a mesh.
  double nodes = (nx + 1.0) * (ny + 1.0) * (nz + 1.0), tets = 6.0 * nx * ny * nz;
  if (!mesh_allocate(&made, nodes, tets, error)) goto done;

  int a = 0, e = 0;
  for (int k = 0; k <= nz; k++)
    for (int j = 0; j <= ny && !interrupt_requested(); j++)
      for (int i = 0; i <= nx; i++, a++) {
        made.X[a][0] = size[0] * i / nx;
        made.X[a][1] = size[1] * j / ny;
        made.X[a][2] = size[2] * k / nz;
        made.node_tag[a] = a + 1;
      }
  int row = nx + 1, layer = row * (ny + 1);
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny && !interrupt_requested(); j++)
      for (int i = 0; i < nx; i++)
        for (int t = 0; t < 6; t++, e++)
          for (int c = 0; c < 4; c++) {
            int at = cut[t][c];
            made.tet[e][c] = (i + (at & 1)) + (j + (at >> 1 & 1)) * row + (k + (at >> 2)) * layer;
          }
  if (!interrupt_check(error)) goto done;
  *mesh = made;
  made = (TetMesh){ 0 };  // ownership passes to the caller
  ok = true;
done:
  mesh_destroy(&made);
  return ok;
}

// Arguments of a parallel loop over cells. volume[k] becomes the volume, m^3, of cell first + k.
typedef struct Volumes {
  const TetMesh *mesh;
  int first;
  double *volume;
} Volumes;

static void find_volumes(const void *volumes, int first, int last) {
  const Volumes *v = volumes;
  for (int k = first; k < last; k++) v->volume[k] = mesh_tet_volume(v->mesh, v->first + k);
}

// Arguments of a parallel loop over hexes. share[k] becomes the integrals, m^3, of the eight shape functions of hex
// first + k.
typedef struct Shares {
  const TetMesh *mesh;
  int first;
  double (*share)[8];
} Shares;

static void find_shares(const void *shares, int first, int last) {
  const Shares *s = shares;
  for (int k = first; k < last; k++) {
    double X[8][3];
    hex_corners(s->mesh, s->first + k, X);
    hex_shares((const double(*)[3])X, s->share[k]);
  }
}

// Computes sum [node_count], kg, in a mesh of hexes: the integral of density times each node's shape function.
// `density`, kg/m^3, applies to hexes without a density of their own. Terms are added in the order of the hexes, so the
// number of threads does not change the result.
static void share_hexes(const TetMesh *mesh, double density, double *sum) {
  enum { SOME = 1024, CHUNK = 64 };
  double share[SOME][8];
  memset(sum, 0, (size_t)mesh->node_count * sizeof *sum);
  for (int first = 0; first < mesh->tet_count; first += SOME) {
    const int count = mesh->tet_count - first < SOME ? mesh->tet_count - first : SOME;
    parallel_for(count, CHUNK, find_shares, &(Shares){ mesh, first, share });
    for (int k = 0; k < count; k++) {
      const double own = mesh->density ? mesh->density[first + k] : NAN;
      for (int a = 0; a < 8; a++) sum[mesh->hex[first + k][a]] += (isnan(own) ? density : own) * share[k][a];
    }
  }
}

// Distributes the mass of each cell to its nodes: share [node_count], kg. `corner`, `middle` and `inner` are the
// fractions of a tet's mass that each corner, each node on an edge and each node on a face gets. Masses are added in
// the order of the tets.
static void share_mass(const TetMesh *mesh, double density, double corner, double middle, double inner, double *share) {
  enum { SOME = 8192, CHUNK = 512 };
  double volume[SOME];
  if (mesh->hex) {
    share_hexes(mesh, density, share);
    return;
  }
  memset(share, 0, (size_t)mesh->node_count * sizeof *share);
  for (int first = 0; first < mesh->tet_count; first += SOME) {
    const int count = mesh->tet_count - first < SOME ? mesh->tet_count - first : SOME;
    parallel_for(count, CHUNK, find_volumes, &(Volumes){ mesh, first, volume });
    for (int k = 0; k < count; k++) {
      const double own = mesh->density ? mesh->density[first + k] : NAN;
      const double whole = (isnan(own) ? density : own) * volume[k];
      for (int c = 0; c < 4; c++) share[mesh->tet[first + k][c]] += whole * corner;
      for (int m = 0; mesh->middle && m < 6; m++) share[mesh->middle[first + k][m]] += whole * middle;
      for (int m = 0; mesh->outer && m < 16; m++) share[mesh->outer[first + k][m]] += whole * (m < 12 ? middle : inner);
    }
  }
}

void mesh_lumped_mass(const TetMesh *mesh, double density, double *mass) {
  const double *cubic = MESH_LUMPED_CUBIC;
  if (mesh->outer)
    share_mass(mesh, density, cubic[0], cubic[1], cubic[2], mass);
  else
    share_mass(mesh, density, mesh->middle ? MESH_LUMPED_CORNER : 0.25, MESH_LUMPED_MIDDLE, 0, mass);
}

void mesh_weight(const TetMesh *mesh, double density, double *weight) {
  const double *cubic = MESH_WEIGHT_CUBIC;
  if (mesh->outer)
    share_mass(mesh, density, cubic[0], cubic[1], cubic[2], weight);
  else
    share_mass(mesh, density, mesh->middle ? MESH_WEIGHT_CORNER : 0.25, MESH_WEIGHT_MIDDLE, 0, weight);
}

void mesh_bounds(const TetMesh *mesh, double low[3], double high[3]) {
  for (int i = 0; i < 3; i++) {
    low[i] = high[i] = mesh->node_count ? mesh->X[0][i] : 0;
    for (int a = 1; a < mesh->node_count; a++) {
      low[i] = fmin(low[i], mesh->X[a][i]);
      high[i] = fmax(high[i], mesh->X[a][i]);
    }
  }
}

int mesh_nearest_node(const TetMesh *mesh, const double point[3]) {
  double least = HUGE_VAL;
  int nearest = 0;
  for (int a = 0; a < mesh->node_count; a++) {
    double distance2 = 0;
    for (int i = 0; i < 3; i++) distance2 += (mesh->X[a][i] - point[i]) * (mesh->X[a][i] - point[i]);
    if (distance2 < least) {
      nearest = a;
      least = distance2;
    }
  }
  return nearest;
}
