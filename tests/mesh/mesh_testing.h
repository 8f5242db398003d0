// Helpers of the mesh tests: temporary files, captured notices, and invariants of meshes.
#pragma once
#include "../testing.h"

#include <unistd.h>

#include "mesh/adjacency.h"
#include "mesh/surface.h"
#include "mesh/tet_mesh.h"

enum { PATH_LENGTH = 512, NOTICE_LENGTH = 4096 };

// Parts of MSH files with two tets: a unit tet with nodes 1 to 4, and a tet with nodes 2 to 5, which has the slanted
// face of the unit tet in common with it. Node 5 is at (1, 1, 1). Corners are in Gmsh's order.
#define NODES_41 "$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
#define ELEMENTS_41 "$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n$EndElements\n"
#define FORMAT_41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define FORMAT_22 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES_22 "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
#define ELEMENTS_22 "$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 2 3 4 5\n$EndElements\n"

// Writes `size` bytes into a new file in the temporary folder and returns its path; the caller removes the file.
static inline void write_temporary(const char *content, size_t size, const char *ending, char path[PATH_LENGTH]) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, PATH_LENGTH, "%s/pliant_mesh_XXXXXX%s", folder ? folder : "/tmp", ending);
  int descriptor = mkstemps(path, (int)strlen(ending));
  if (descriptor < 0) fail_msg("cannot write %s", path);
  FILE *file = fdopen(descriptor, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(content, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

// Data of a redirection: from catch_notices to take_notices, messages to standard error go to `file`.
typedef struct Notices {
  FILE *file;
  int kept;  // descriptor of the original standard error
} Notices;

static inline Notices catch_notices(void) {
  Notices caught = { tmpfile(), dup(STDERR_FILENO) };
  assert_non_null(caught.file);
  fflush(stderr);
  dup2(fileno(caught.file), STDERR_FILENO);
  return caught;
}

static inline void take_notices(Notices *caught, char text[NOTICE_LENGTH]) {
  fflush(stderr);
  dup2(caught->kept, STDERR_FILENO);
  close(caught->kept);
  rewind(caught->file);
  text[fread(text, 1, NOTICE_LENGTH - 1, caught->file)] = 0;
  fclose(caught->file);
}

// Reads an MSH file with this content. notices [NOTICE_LENGTH] receives messages to standard error, or is NULL.
static inline bool read_content(const char *content, size_t size, TetMesh *mesh, char *notices, Error *error) {
  char path[PATH_LENGTH], ignored[NOTICE_LENGTH];
  write_temporary(content, size, ".msh", path);
  Notices caught = catch_notices();
  bool ok = mesh_read(path, 1, mesh, error);
  take_notices(&caught, notices ? notices : ignored);
  remove(path);
  return ok;
}

static inline TetMesh mesh_from(const char *content, char *notices) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  if (!read_content(content, strlen(content), &mesh, notices, &error)) fail_msg("%s", error.message);
  return mesh;
}

static inline void assert_contains(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("\"%s\" is not in \"%s\"", part, text);
}

// Asserts |value - expected| <= tolerance * |expected|; fails for NaN too.
static inline void assert_near(const char *what, double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance * fabs(expected)))
    fail_msg("%s is %.17g, expected %.17g", what, value, expected);
}

static inline double total_volume(const TetMesh *mesh) {
  double total = 0;
  for (int e = 0; e < mesh->tet_count; e++) {
    double volume = mesh_tet_volume(mesh, e);
    if (!(volume > 0)) fail_msg("tet %d has the volume %g", e, volume);
    total += volume;
  }
  return total;
}

// Computes the volume inside a surface by the divergence theorem. Positions are taken relative to the first node, which
// reduces rounding errors.
static inline double enclosed_volume(const TetMesh *mesh, const Surface *surface) {
  double total = 0;
  for (int t = 0; t < surface->triangle_count; t++) {
    double d[3][3];
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) d[c][i] = mesh->X[surface->triangle[t][c]][i] - mesh->X[0][i];
    total += (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
              d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
             6;
  }
  return total;
}

static inline int compare_edges(const void *left, const void *right) {
  return memcmp(left, right, 2 * sizeof(int));
}

// Asserts that the surface is closed and consistently oriented: each directed edge occurs once, and so does its
// reverse.
static inline void assert_closed(const Surface *surface) {
  int count = 3 * surface->triangle_count;
  int(*edge)[2] = malloc((size_t)count * sizeof *edge), (*reverse)[2] = malloc((size_t)count * sizeof *reverse);
  assert_true(count > 0 && edge && reverse);
  for (int s = 0; s < count; s++) {
    int from = surface->triangle[s / 3][s % 3], to = surface->triangle[s / 3][(s + 1) % 3];
    edge[s][0] = from;
    edge[s][1] = to;
    reverse[s][0] = to;
    reverse[s][1] = from;
  }
  qsort(edge, (size_t)count, sizeof *edge, compare_edges);
  qsort(reverse, (size_t)count, sizeof *reverse, compare_edges);
  assert_memory_equal(edge, reverse, (size_t)count * sizeof *edge);
  for (int s = 1; s < count; s++) assert_true(compare_edges(&edge[s - 1], &edge[s]) != 0);
  free(edge);
  free(reverse);
}

// Checks the surface of any mesh: it is closed, its triangles are oriented outward, and the list of triangles of each
// node is ascending. Returns the number of triangles.
static inline int check_surface(const TetMesh *mesh) {
  Surface surface = { 0 };
  Error error = { 0 };
  if (!surface_create(&surface, mesh, &error)) fail_msg("%s", error.message);
  assert_closed(&surface);

  // the volume is a sum of up to 1e5 terms, each with a relative rounding error of 1e-16
  assert_near("enclosed volume", enclosed_volume(mesh, &surface), total_volume(mesh), 1e-11);
  assert_int_equal(surface.fan_start[0], 0);
  assert_int_equal(surface.fan_start[mesh->node_count], 3 * surface.triangle_count);
  for (int a = 0; a < mesh->node_count; a++)
    for (int s = surface.fan_start[a]; s < surface.fan_start[a + 1]; s++) {
      const int *corner = surface.triangle[surface.fan[s]];
      assert_true(corner[0] == a || corner[1] == a || corner[2] == a);
      if (s > surface.fan_start[a]) assert_true(surface.fan[s - 1] < surface.fan[s]);
    }
  int count = surface.triangle_count;
  surface_destroy(&surface);
  assert_null(surface.triangle);
  return count;
}

// Checks the adjacency of nodes of any mesh: each node's list is ascending, contains the node, is symmetric and
// complete. Returns the total length of the lists.
static inline int check_adjacency(const TetMesh *mesh) {
  Adjacency adjacency = { 0 };
  Error error = { 0 };
  if (!adjacency_create(&adjacency, mesh, &error)) fail_msg("%s", error.message);
  assert_int_equal(adjacency.node_count, mesh->node_count);
  for (int a = 0; a < mesh->node_count; a++) {
    assert_true(adjacency_find(&adjacency, a, a) >= 0);
    for (int64_t s = adjacency.start[a]; s < adjacency.start[a + 1]; s++) {
      if (s > adjacency.start[a]) assert_true(adjacency.neighbour[s - 1] < adjacency.neighbour[s]);
      assert_true(adjacency_find(&adjacency, adjacency.neighbour[s], a) >= 0);
    }
  }
  for (int e = 0; e < mesh->tet_count; e++)
    for (int c = 0; c < 4; c++)
      for (int d = 0; d < 4; d++) assert_true(adjacency_find(&adjacency, mesh->tet[e][c], mesh->tet[e][d]) >= 0);
  const int count = (int)adjacency.start[mesh->node_count];
  adjacency_destroy(&adjacency);
  assert_null(adjacency.neighbour);
  return count;
}
