// The surface of a tet mesh: see surface.h. All faces are sorted by their three nodes, in linear time; a face that
// stands alone is on the surface, and two equal ones are an inner face, seen from its two sides.
#include "mesh/surface.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"

// Face f is the one opposite corner f % 4 of tet f / 4. Corners in this order are counter-clockwise seen from outside,
// for a tet with (X1-X4).((X2-X4)x(X3-X4)) > 0.
static const int face_corner[4][3] = { { 1, 3, 2 }, { 0, 2, 3 }, { 0, 3, 1 }, { 0, 1, 2 } };

static void face_nodes(const TetMesh *mesh, int f, int node[3]) {
  for (int c = 0; c < 3; c++) node[c] = mesh->tet[f / 4][face_corner[f % 4][c]];
}

// The nodes of a face in ascending order. Returns +1 or -1: the side the face is seen from.
static int face_key(const TetMesh *mesh, int f, int key[3]) {
  int side = 1;
  face_nodes(mesh, f, key);
  for (int pass = 0; pass < 3; pass++) {
    int *pair = key + pass % 2, lower = pair[1];
    if (pair[0] <= lower) continue;
    pair[1] = pair[0], pair[0] = lower;
    side = -side;
  }
  return side;
}

// Radix sort with a digit per node: three stable counting sorts, from the largest node of a face to its smallest.
// order and spare are [face_count], start is [node_count + 1]. The result is in `order`.
static void sort_faces(const TetMesh *mesh, int **order, int **spare, int *start) {
  int face_count = 4 * mesh->tet_count, key[3];
  for (int f = 0; f < face_count; f++) (*order)[f] = f;
  for (int digit = 2; digit >= 0; digit--) {
    memset(start, 0, ((size_t)mesh->node_count + 1) * sizeof *start);
    for (int f = 0; f < face_count && !interrupt_signal(); f++) {
      face_key(mesh, f, key);
      start[key[digit] + 1]++;
    }
    for (int a = 0; a < mesh->node_count; a++) start[a + 1] += start[a];
    for (int s = 0; s < face_count && !interrupt_signal(); s++) {
      face_key(mesh, (*order)[s], key);
      (*spare)[start[key[digit]]++] = (*order)[s];
    }
    int *swapped = *order;
    *order = *spare, *spare = swapped;
  }
}

// Sets on_surface [face_count] for the faces that stand alone. Returns how many there are, or -1 on error.
static int mark_surface(const TetMesh *mesh, const int *order, bool *on_surface, Error *error) {
  int face_count = 4 * mesh->tet_count, found = 0, key[3], next[3];
  for (int s = 0, run; s < face_count; s += run) {
    if (!interrupt_check(error)) return -1;
    int side = face_key(mesh, order[s], key), sides = side;
    for (run = 1; s + run < face_count; run++, sides += side) {
      side = face_key(mesh, order[s + run], next);
      if (memcmp(key, next, sizeof key) != 0) break;
    }
    if (run == 1) {
      on_surface[order[s]] = true;
      found++;
    } else if (run > 2 || sides != 0) {
      long long tag[3];
      for (int c = 0; c < 3; c++) tag[c] = mesh->node_tag ? mesh->node_tag[key[c]] : key[c] + 1;
      error_set(error, "the face with nodes %lld, %lld, %lld has %d tets%s: tets overlap, or one is there twice",
                tag[0], tag[1], tag[2], run, run > 2 ? "" : " on the same side");
      return -1;
    }
  }
  return found;
}

bool surface_create(Surface *surface, const TetMesh *mesh, Error *error) {
  bool ok = false;
  Surface made = { 0 };
  assert(mesh->tet_count <= MESH_MAX_TETS);
  int face_count = 4 * mesh->tet_count;
  int *order = array_new(face_count, sizeof *order, "faces", error);
  int *spare = array_new(face_count, sizeof *spare, "faces", error);
  int *start = array_new((int64_t)mesh->node_count + 1, sizeof *start, "faces of nodes", error);
  bool *on_surface = array_new(face_count, sizeof *on_surface, "faces", error);
  if (!order || !spare || !start || !on_surface) goto done;

  // the triangles, in the order of the tets
  sort_faces(mesh, &order, &spare, start);
  if (!interrupt_check(error)) goto done;
  int found = mark_surface(mesh, order, on_surface, error);
  if (found < 0) goto done;
  made.triangle = array_new(found, sizeof *made.triangle, "surface triangles", error);
  made.owner = array_new(found, sizeof *made.owner, "surface triangles", error);
  made.fan_start = array_new((int64_t)mesh->node_count + 1, sizeof *made.fan_start, "surface nodes", error);
  made.fan = array_new(3 * (int64_t)found, sizeof *made.fan, "triangles around nodes", error);
  if (!made.triangle || !made.owner || !made.fan_start || !made.fan) goto done;
  for (int f = 0; f < face_count; f++)
    if (on_surface[f]) {
      made.owner[made.triangle_count] = f / 4;
      face_nodes(mesh, f, made.triangle[made.triangle_count++]);
    }

  // the triangles around each node: count, add up, fill
  for (int t = 0; t < found; t++)
    for (int c = 0; c < 3; c++) made.fan_start[made.triangle[t][c] + 1]++;
  for (int a = 0; a < mesh->node_count; a++) made.fan_start[a + 1] += made.fan_start[a];
  memcpy(start, made.fan_start, ((size_t)mesh->node_count + 1) * sizeof *start);
  for (int t = 0; t < found; t++)
    for (int c = 0; c < 3; c++) made.fan[start[made.triangle[t][c]]++] = t;
  *surface = made, made = (Surface){ 0 };  // handed over
  ok = true;
done:
  surface_destroy(&made);
  free(order);
  free(spare);
  free(start);
  free(on_surface);
  return ok;
}

void surface_destroy(Surface *surface) {
  free(surface->triangle);
  free(surface->owner);
  free(surface->fan_start);
  free(surface->fan);
  *surface = (Surface){ 0 };
}
