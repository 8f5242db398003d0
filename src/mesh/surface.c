// The surface of a mesh: see surface.h. Each face of each cell is listed at its node with the smallest number, its
// lowest node. The list of each node is sorted by the other nodes of the faces, so equal faces are adjacent. A face
// that occurs once is on the surface. An inner face occurs twice, once for each of its cells.
#include "mesh/surface.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gather.h"
#include "base/interrupt.h"
#include "base/marks.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "mesh/face_pairs.h"
#include "mesh/hex.h"

// Face f of a tet has the corners face_corner[f] and is opposite to corner f. Seen from outside the tet, these corners
// are in counter-clockwise order, because the corners X1 to X4 of a tet have (X1-X4).((X2-X4)x(X3-X4)) > 0.
static const int face_corner[4][3] = { { 1, 3, 2 }, { 0, 2, 3 }, { 0, 3, 1 }, { 0, 1, 2 } };

// faces_of: returns the number of faces of a cell. face_size: returns the number of corners of a face.
static int faces_of(const TetMesh *mesh) {
  return mesh->hex ? 6 : 4;
}
static int face_size(const TetMesh *mesh) {
  return mesh->hex ? 4 : 3;
}

// Returns the corners of face f of a cell, as indices within the cell.
static const int *corners_of(const TetMesh *mesh, int f) {
  return mesh->hex ? hex_face_corners[f] : face_corner[f];
}

static const int *cell_corners(const TetMesh *mesh, int e) {
  return mesh->hex ? mesh->hex[e] : mesh->tet[e];
}

static void face_nodes(const TetMesh *mesh, int number, int node[4]) {
  const int faces = faces_of(mesh), *corner = corners_of(mesh, number % faces);
  for (int c = 0; c < face_size(mesh); c++) node[c] = cell_corners(mesh, number / faces)[corner[c]];
}

// A face of a cell. It is an entry in the list of its lowest node, which is its node with the smallest number.
typedef struct Face {
  int first, second;  // neighbours of the lowest node around the face, ascending
  int opposite;       // the fourth node of a quadrilateral; -1 for triangles
  // The face is face k = (faces per cell) * cell + index of the face in the cell. If the order of the corners, seen
  // counter-clockwise from outside the cell, goes from the lowest node to `second`, `number` is ~k, which is negative.
  // Otherwise `number` is k. Of the two cells of an inner face, one stores a negative number and the other does not.
  int number;
} Face;

// Returns the Face with index `number` = (faces per cell) * cell + index of the face in the cell. `node`: its corners
// in their order around the face; node[at] is the one with the smallest number.
static Face face_at(const TetMesh *mesh, int number, const int node[4], int at) {
  const int size = face_size(mesh), next = node[(at + 1) % size], last = node[(at + size - 1) % size];
  const int opposite = size == 4 ? node[(at + 2) % size] : -1;
  return next < last ? (Face){ next, last, opposite, number } : (Face){ last, next, opposite, ~number };
}

static int number_of(const Face *face) {
  return face->number >= 0 ? face->number : ~face->number;
}

static int compare_faces(const void *left, const void *right) {
  const Face *a = left, *b = right;
  if (a->first != b->first) return a->first < b->first ? -1 : 1;
  if (a->second != b->second) return a->second < b->second ? -1 : 1;
  if (a->opposite != b->opposite) return a->opposite < b->opposite ? -1 : 1;
  return number_of(a) < number_of(b) ? -1 : 1;
}

// Sorts `count` faces. Up to FEW are sorted by insertion, which is faster than qsort for so few.
static void sort_faces(Face *face, int count) {
  enum { FEW = 64 };
  if (count > FEW) {
    qsort(face, (size_t)count, sizeof *face, compare_faces);
    return;
  }
  for (int k = 1; k < count; k++) {
    const Face moved = face[k];
    int at = k;
    for (; at > 0 && compare_faces(&face[at - 1], &moved) > 0; at--) face[at] = face[at - 1];
    face[at] = moved;
  }
}

// Arguments of the parallel loops over nodes. The iteration of node a processes the faces of which a is the lowest node
// (the corner with the smallest number).
typedef struct Task {
  const TetMesh *mesh;
  const int64_t *start;  // [node_count + 1]: the entries of node a are corner[start[a]] to corner[start[a + 1] - 1]
  const int *corner;     // all corners of cells, sorted by node; an entry is (corners per cell) * cell + corner
  bool *on_surface;      // [faces of all cells], true for faces on the surface
  atomic_int first_bad;  // lowest node of a face at which cells overlap; node_count: none
  atomic_bool failed;    // memory ran out
} Task;

// Lists the faces whose lowest node is `node`, sorted, and returns how many these are. The array `face` must have space
// for three faces per cell at the node.
static int faces_at(const Task *t, int node, Face *face) {
  const int faces = faces_of(t->mesh), size = face_size(t->mesh), corners = mesh_corners(t->mesh);
  int count = 0;
  for (int64_t s = t->start[node]; s < t->start[node + 1]; s++)
    for (int f = 0; f < faces; f++) {
      const int number = t->corner[s] / corners * faces + f;
      int around[4], at = -1;
      face_nodes(t->mesh, number, around);
      bool smallest = true;
      for (int c = 0; c < size; c++) {
        if (around[c] == node) at = c;
        smallest = smallest && around[c] >= node;
      }
      if (smallest && at >= 0) face[count++] = face_at(t->mesh, number, around, at);
    }
  sort_faces(face, count);
  return count;
}

// Returns how many faces at the beginning of the sorted list `face` are equal to the first one, which counts too. Each
// comes from another cell. The sign of Face.number shows on which side this cell is. *sides becomes the number of cells
// on one side minus the number on the other. For a valid inner face the result is 2, and *sides is 0.
static int run_of(const Face *face, int count, int *sides) {
  int run = 0;
  for (*sides = 0; run < count && face[run].first == face->first && face[run].second == face->second &&
                   face[run].opposite == face->opposite;
       run++)
    *sides += face[run].number >= 0 ? 1 : -1;
  return run;
}

static void search_node(Task *t, int node, Face *face) {
  const int count = faces_at(t, node, face);
  for (int k = 0, run; k < count; k += run) {
    int sides, least = atomic_load(&t->first_bad);
    run = run_of(face + k, count - k, &sides);
    if (run == 1) t->on_surface[number_of(&face[k])] = true;
    if (run > 2 || (run == 2 && sides != 0))
      while (node < least && !atomic_compare_exchange_weak(&t->first_bad, &least, node)) continue;
  }
}

static void search_nodes(const void *task, int first, int last) {
  enum { ROOM = 384 };
  Task *t = *(Task *const *)task;
  Face some[ROOM];
  for (int node = first; node < last && !interrupt_requested(); node++) {
    const int64_t maximum = 3 * (t->start[node + 1] - t->start[node]);
    Face *many = maximum > ROOM ? malloc((size_t)maximum * sizeof *many) : NULL;
    if (maximum > ROOM && !many)
      atomic_store(&t->failed, true);
    else
      search_node(t, node, many ? many : some);
    free(many);
  }
}

// Sets `triangle` to the nodes of the triangles that represent face f of the surface. f is (faces per cell) * cell +
// index of the face in the cell. Returns the number of triangles: 4 for a quadratic tet, 2 for a hex, otherwise 1.
static int triangles_of(const TetMesh *mesh, int f, int triangle[4][3]) {
  int corner[4], middle[3];  // middle[c]: node at the middle of the edge from corner c to the next corner
  face_nodes(mesh, f, corner);
  memcpy(triangle[0], corner, sizeof *triangle);
  if (mesh->hex) {  // divide the face along the diagonal that hex_parts uses
    triangle[1][0] = corner[0];
    triangle[1][1] = corner[2];
    triangle[1][2] = corner[3];
    return 2;
  }

  if (!mesh->middle) return 1;
  for (int c = 0; c < 3; c++) {
    const int p = face_corner[f % 4][c], q = face_corner[f % 4][(c + 1) % 3];
    for (int k = 0; k < 6; k++)
      if (tet_edge_corners[k][0] + tet_edge_corners[k][1] == p + q &&
          (tet_edge_corners[k][0] == p || tet_edge_corners[k][0] == q))
        middle[c] = mesh->middle[f / 4][k];
  }

  for (int c = 0; c < 3; c++) {
    triangle[c][0] = corner[c];
    triangle[c][1] = middle[c];
    triangle[c][2] = middle[(c + 2) % 3];
    triangle[3][c] = middle[c];
  }
  return 4;
}

static bool report_overlap(const Task *t, int node, Error *error) {
  Face *face = array_new(3 * (t->start[node + 1] - t->start[node]), sizeof *face, "faces", error);
  if (!face) return false;
  const int count = faces_at(t, node, face);
  int run, sides;
  for (int k = 0; k < count; k += run) {
    run = run_of(face + k, count - k, &sides);
    if (run == 1 || (run == 2 && sides == 0)) continue;
    const int key[3] = { node, face[k].first, face[k].second };
    const char *cells = mesh_cell_word(t->mesh);
    long long tag[3];
    for (int c = 0; c < 3; c++) tag[c] = mesh_node_number(t->mesh, key[c]);
    error_set(error, "%d %s %s the face with nodes %lld, %lld, %lld; %s overlap, or the mesh contains a cell twice",
              run, cells, run > 2 ? "share" : "lie on the same side of", tag[0], tag[1], tag[2], cells);
    break;
  }
  free(face);
  return false;
}

// Sets on_surface[f] to true for each face f that belongs to only one cell. f is (faces per cell) * cell + index of the
// face in the cell. Fails if cells overlap.
static bool mark_surface(const TetMesh *mesh, bool *on_surface, Error *error) {
  enum { CHUNK = 256 };
  const int64_t corners = mesh_corners(mesh) * (int64_t)mesh->tet_count;
  int64_t *start = array_new((int64_t)mesh->node_count + 1, sizeof *start, "tets of nodes", error);
  int *corner = array_new(corners, sizeof *corner, "tets of nodes", error);
  Task task = {
    .mesh = mesh, .start = start, .corner = corner, .on_surface = on_surface, .first_bad = mesh->node_count
  };
  bool ok = start && corner && sort_by_key(cell_corners(mesh, 0), corners, mesh->node_count, 1, start, corner, error);
  if (ok) {
    parallel_for(mesh->node_count, CHUNK, search_nodes, &(Task *){ &task });
    ok = interrupt_check(error) &&
         (!task.failed || error_set(error, "out of memory: cannot store the faces of a node; close other programs"));
  }
  if (ok && task.first_bad < mesh->node_count) ok = report_overlap(&task, task.first_bad, error);
  free(start);
  free(corner);
  return ok;
}

bool surface_find_fans(Surface *s, int node_count, Error *error) {
  s->fan_start = array_new((int64_t)node_count + 1, sizeof *s->fan_start, "surface nodes", error);
  s->fan = array_new(3 * (int64_t)s->triangle_count, sizeof *s->fan, "triangles around nodes", error);
  int *fill = array_new((int64_t)node_count + 1, sizeof *fill, "surface nodes", error);
  const bool ok = s->fan_start && s->fan && fill;

  // Count the triangles of each node, add up the counts to find where each node's list begins, and fill the lists.
  for (int t = 0; ok && t < s->triangle_count; t++)
    for (int c = 0; c < 3; c++) s->fan_start[s->triangle[t][c] + 1]++;
  for (int a = 0; ok && a < node_count; a++) s->fan_start[a + 1] += s->fan_start[a];
  if (ok) memcpy(fill, s->fan_start, ((size_t)node_count + 1) * sizeof *fill);
  for (int t = 0; ok && t < s->triangle_count; t++)
    for (int c = 0; c < 3; c++) s->fan[fill[s->triangle[t][c]]++] = t;
  free(fill);
  return ok;
}

// Creates the surface from the faces f with on_surface[f] = true. f is (faces per cell) * cell + index of the face in
// the cell.
static bool take_faces(Surface *surface, const TetMesh *mesh, const bool *on_surface, Error *error) {
  bool ok = false;
  Surface made = { 0 };
  const int face_count = faces_of(mesh) * mesh->tet_count;
  int found = 0;

  // List the triangles of the faces on the surface, in the order of the cells.
  for (int f = 0; f < face_count; f++) found += on_surface[f];
  const int each = mesh->middle ? 4 : mesh->hex ? 2 : 1;
  if (each > 1 && found > INT32_MAX / 3 / each) {
    error_set(error, "%d faces on the surface are too many to be drawn as %s triangles each; use a coarser mesh", found,
              mesh->middle ? "four" : "two");
    goto done;
  }

  found *= each;
  made.triangle = array_new(found, sizeof *made.triangle, "surface triangles", error);
  made.owner = array_new(found, sizeof *made.owner, "surface triangles", error);
  if (!made.triangle || !made.owner) goto done;
  for (int f = 0; f < face_count; f++)
    if (on_surface[f]) {
      int triangle[4][3];
      const int count = triangles_of(mesh, f, triangle);
      for (int k = 0; k < count; k++) {
        made.owner[made.triangle_count] = f / faces_of(mesh);
        memcpy(made.triangle[made.triangle_count++], triangle[k], sizeof *made.triangle);
      }
    }
  if (!surface_find_fans(&made, mesh->node_count, error)) goto done;
  *surface = made;
  made = (Surface){ 0 };  // ownership passes to the caller
  ok = true;
done:
  surface_destroy(&made);
  return ok;
}

bool surface_create(Surface *surface, const TetMesh *mesh, Error *error) {
  assert(mesh->tet_count <= (mesh->hex ? MESH_MAX_HEXES : MESH_MAX_TETS));
  bool *on_surface = array_new(faces_of(mesh) * (int64_t)mesh->tet_count, sizeof *on_surface, "faces", error);
  const bool ok = on_surface && mark_surface(mesh, on_surface, error) && take_faces(surface, mesh, on_surface, error);
  free(on_surface);
  return ok;
}

// ---- surface of a body of tets after a cut

// Lists the faces that a cut has added to the surface, ascending. A face has the number 4 * tet + f; bit f of
// opened[tet] is set if the cut has opened it. If a cut ends inside the body, both tets of an opened face may still
// share all three nodes of this face. It is then still an inner face and is left out. *alone becomes the number of
// listed faces. The caller frees the list.
static int *list_opened(const TetMesh *mesh, const uint8_t *opened, int *alone, Error *error) {
  const int tets = mesh->tet_count;
  int count = 0;
  for (int e = -1; (e = marks_next(opened, tets, e + 1, UINT8_MAX)) < tets;)
    for (int f = 0; f < 4; f++) count += opened[e] >> f & 1;
  int *number = array_new(count, sizeof *number, "opened faces", error);
  int *pair = array_new(count, sizeof *pair, "opened faces", error);
  int(*node)[3] = array_new(count, sizeof *node, "opened faces", error);
  bool ok = number && pair && node;
  count = *alone = 0;
  for (int e = -1; ok && (e = marks_next(opened, tets, e + 1, UINT8_MAX)) < tets;)
    for (int f = 0; f < 4; f++) {
      int corner[4];
      if (!(opened[e] >> f & 1)) continue;
      face_nodes(mesh, 4 * e + f, corner);
      face_sort(corner);
      memcpy(node[count], corner, sizeof node[count]);
      number[count++] = 4 * e + f;
    }
  ok = ok && face_pairs((const int(*)[3])node, count, pair, error);
  for (int k = 0; ok && k < count; k++)
    if (pair[k] < 0) number[(*alone)++] = number[k];
  free(pair);
  free(node);
  if (ok) return number;
  free(number);
  return NULL;
}

// Surface triangles t to t + step - 1 together represent one face of a tet. Returns the number of this face, 4 * tet +
// index of the face in the tet. The face is opposite to the corner of the tet that none of these triangles has.
static int face_of_triangle(const Surface *surface, const TetMesh *mesh, int t, int step) {
  const int *corner = mesh->tet[surface->owner[t]];
  int f = 0;
  for (; f < 3; f++) {
    bool has = false;
    for (int c = 0; c < 3; c++)
      has = has || corner[f] == (step == 1 ? surface->triangle[t][c] : surface->triangle[t + c][0]);
    if (!has) break;
  }
  return 4 * surface->owner[t] + f;
}

// Function that returns the new index of a face of the old mesh, or -1 if the face was removed.
typedef int NumberNow(const void *context, int face);

// Data for the surface of a mesh after a change (cut or tear). The surface is merged from those faces of the old
// surface `before` that remain, and from new faces. A face has the index 4 tet + index of the face in the tet.
// mesh_before is the mesh before the change, `mesh` the mesh after it.
typedef struct Merging {
  const Surface *before;
  const TetMesh *mesh_before, *mesh;
  // number of triangles of a face: 1; in a quadratic mesh 4, one at each corner of the face, then one in the middle
  int step;
  // Function that returns the new index of a face of the old mesh; NULL: faces keep their indices.
  NumberNow *number_now;
  const void *context;  // first argument of number_now
  int *old;             // for each face of the surface `before`, its index 4 tet + f in the new mesh; -1: removed
  const int *face;      // faces of the new surface: their indices 4 tet + f in the new mesh, ascending
  Surface *made;
} Merging;

static void name_faces(const void *merging, int first, int last) {
  const Merging *m = merging;
  for (int k = first; k < last; k++) {
    const int face = face_of_triangle(m->before, m->mesh_before, m->step * k, m->step);
    m->old[k] = m->number_now ? m->number_now(m->context, face) : face;
  }
}

static void show_faces(const void *merging, int first, int last) {
  const Merging *m = merging;
  for (int k = first; k < last; k++) {
    triangles_of(m->mesh, m->face[k], m->made->triangle + (int64_t)m->step * k);
    for (int j = 0; j < m->step; j++) m->made->owner[(int64_t)m->step * k + j] = m->face[k] / 4;
  }
}

// Creates the surface of a mesh that was changed by a cut or by removing tets. The surface consists of old and added
// faces. The old faces are those of the surface `before` for which number_now returns an index in the new mesh. The
// array `added` [added_count] contains the added faces of `mesh`. The new indices of the old faces and the elements of
// `added` must ascend. A face has the index 4 tet + index of the face in the tet.
static bool merge_faces(Surface *surface, const TetMesh *mesh, const int *added, int added_count, NumberNow *number_now,
                        const void *context, const Surface *before, const TetMesh *mesh_before, Error *error) {
  enum { CHUNK = 1024 };
  const int step = mesh->middle ? 4 : 1, old_count = before->triangle_count / step;
  const int64_t maximum = before->triangle_count + (int64_t)step * added_count;
  if (maximum > INT32_MAX / 3)
    return error_set(error, "%lld triangles on the surface are too many; use a coarser mesh", (long long)maximum);
  Surface made = { 0 };
  int *old = array_new(old_count, sizeof *old, "faces", error), count = 0;
  int *face = array_new((int64_t)old_count + added_count, sizeof *face, "faces", error);
  const Merging merging = { before, mesh_before, mesh, step, number_now, context, old, face, &made };
  bool ok = old && face;
  if (ok) parallel_for(old_count, CHUNK, name_faces, &merging);
  for (int t = 0, k = 0; ok && (t < old_count || k < added_count);) {
    if (t < old_count && old[t] < 0)
      t++;
    else
      face[count++] = t < old_count && (k == added_count || old[t] < added[k]) ? old[t++] : added[k++];
  }

  if (ok) made.triangle = array_new((int64_t)step * count, sizeof *made.triangle, "surface triangles", error);
  if (ok) made.owner = array_new((int64_t)step * count, sizeof *made.owner, "surface triangles", error);
  made.triangle_count = step * count;
  ok = ok && made.triangle && made.owner;
  if (ok) parallel_for(count, CHUNK, show_faces, &merging);
  ok = ok && surface_find_fans(&made, mesh->node_count, error);
  free(old);
  free(face);
  if (ok)
    *surface = made;
  else
    surface_destroy(&made);
  return ok;
}

bool surface_open(Surface *surface, const TetMesh *mesh, const uint8_t *opened, const Surface *before,
                  const TetMesh *mesh_before, Error *error) {
  int alone = 0, *number = list_opened(mesh, opened, &alone, error);
  const bool ok = number && merge_faces(surface, mesh, number, alone, NULL, NULL, before, mesh_before, error);
  free(number);
  return ok;
}

// ---- surface of a body after tets were removed

// Data on tets that are removed from a mesh. removed[e] is 1 if tet e is removed.
typedef struct Tearing {
  const TetMesh *mesh;  // mesh before the tets were removed
  const uint8_t *removed;
  const int *gone;  // [gone_count], the removed tets, ascending
  int gone_count;
  uint8_t *at;      // [node_count], 1 if a removed tet contains the node
  uint8_t *beside;  // [tet_count], 1 if the tet is removed, or may share a face with a removed tet
} Tearing;

static void find_beside(const void *tearing, int first, int last) {
  const Tearing *t = tearing;
  for (int e = first; e < last; e++) {
    const int *node = t->mesh->tet[e];
    t->beside[e] = t->at[node[0]] + t->at[node[1]] + t->at[node[2]] + t->at[node[3]] >= 3;
  }
}

// Returns the new index of a face after tets were removed; -1 if the face's tet was removed. `face` is the old index of
// the face, 4 tet + index of the face in the tet.
static int face_now(const void *tearing, int face) {
  const Tearing *t = tearing;
  return t->removed[face / 4] ? -1 : 4 * renumbered(t->gone, t->gone_count, face / 4) + face % 4;
}

// Arguments of the loop that collects the faces of remaining tets whose nodes all belong to removed tets. Such a face
// may be on the new surface.
typedef struct Trying {
  const Tearing *tearing;
  const int *tet;  // list of tets, ascending
  int *number;     // four entries per tet of the list, one per face f: 4 tet + f if all nodes of the face belong to
                   // removed tets, otherwise -1
  int (*node)[3];  // for each entry of `number`: the nodes of the face, ascending
} Trying;

static void try_faces(const void *trying, int first, int last) {
  const Trying *t = trying;
  const uint8_t *at = t->tearing->at;
  for (int k = first; k < last; k++)
    for (int f = 0; f < 4; f++) {
      int corner[4], *node = t->node[4 * k + f];
      face_nodes(t->tearing->mesh, 4 * t->tet[k] + f, corner);
      const bool is = at[corner[0]] && at[corner[1]] && at[corner[2]];
      t->number[4 * k + f] = is ? 4 * t->tet[k] + f : -1;
      if (!is) continue;
      face_sort(corner);
      memcpy(node, corner, sizeof *t->node);
    }
}

// Lists the faces between a remaining and a removed tet, ascending. Each face is listed by its index in the new mesh, 4
// * tet + index of the face in the tet. The caller frees the list.
static int *list_torn(const Tearing *t, int *count, Error *error) {
  enum { CHUNK = 1 << 13 };
  const int tets = t->mesh->tet_count;
  int tried = 0, beside = 0;
  for (int e = -1; (e = marks_next(t->removed, tets, e + 1, UINT8_MAX)) < tets;)
    for (int c = 0; c < 4; c++) t->at[t->mesh->tet[e][c]] = 1;
  parallel_for(tets, CHUNK, find_beside, t);
  for (int e = 0; e < tets; e++) beside += t->beside[e];
  const int64_t capacity = 4 * (int64_t)beside;
  int *tet = array_new(beside, sizeof *tet, "torn tets", error);
  int *number = array_new(capacity, sizeof *number, "torn faces", error);
  int *pair = array_new(capacity, sizeof *pair, "torn faces", error);
  int *torn = array_new(capacity, sizeof *torn, "torn faces", error);
  int(*node)[3] = array_new(capacity, sizeof *node, "torn faces", error);
  bool ok = tet && number && pair && torn && node;
  for (int e = -1, k = 0; ok && (e = marks_next(t->beside, tets, e + 1, 1)) < tets;) tet[k++] = e;
  if (ok) parallel_for(beside, 512, try_faces, &(Trying){ t, tet, number, node });
  for (int k = 0; ok && k < capacity; k++) {
    if (number[k] < 0) continue;
    if (tried < k) memcpy(node[tried], node[k], sizeof *node);
    number[tried++] = number[k];
  }

  ok = ok && face_pairs((const int(*)[3])node, tried, pair, error);
  *count = 0;
  for (int k = 0; ok && k < tried; k++)
    if (!t->removed[number[k] / 4] && pair[k] >= 0 && t->removed[number[pair[k]] / 4])
      torn[(*count)++] = face_now(t, number[k]);
  free(tet);
  free(number);
  free(pair);
  free(node);
  if (ok) return torn;
  free(torn);
  return NULL;
}

bool surface_tear(Surface *surface, const TetMesh *mesh, const int *gone, int gone_count, const uint8_t *removed,
                  const Surface *before, const TetMesh *mesh_before, Error *error) {
  Tearing t = { .mesh = mesh_before, .removed = removed, .gone = gone, .gone_count = gone_count };
  int count = 0, *number = NULL;
  t.at = array_new(mesh_before->node_count, 1, "torn nodes", error);
  t.beside = array_new(mesh_before->tet_count, 1, "torn tets", error);
  const bool ok = t.at && t.beside && (number = list_torn(&t, &count, error)) &&
                  merge_faces(surface, mesh, number, count, face_now, &t, before, mesh_before, error);
  free(t.at);
  free(t.beside);
  free(number);
  return ok;
}

double surface_mean_edge(const Surface *surface, const double (*X)[3]) {
  double sum = 0;
  for (int t = 0; t < surface->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      const double *a = X[surface->triangle[t][k]], *b = X[surface->triangle[t][(k + 1) % 3]];
      sum += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    }
  return surface->triangle_count > 0 ? sum / (3.0 * surface->triangle_count) : 0;
}

void surface_destroy(Surface *surface) {
  free(surface->triangle);
  free(surface->owner);
  free(surface->fan_start);
  free(surface->fan);
  *surface = (Surface){ 0 };
}
