// Finds and numbers the edges and faces of a tet mesh, and lists the tets at each of them, on the CPU: see topology.h.
#include "lab/simplex/topology.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "lab/simplex/simplex_nodes.h"
#include "mesh/simplices.h"

bool simplex_topology_open(SimplexTopology *t, const TetMesh *mesh, int degree, SimplexMemory memory, Error *error) {
  const Device device = memory.stream.device;
  *t = (SimplexTopology){ .memory = memory, .degree = degree, .tet_count = mesh->tet_count };
  t->count[VERTEX] = mesh->node_count;
  t->X = device_clone(device, mesh->X, sizeof *mesh->X * (size_t)mesh->node_count, error);
  t->tet = device_clone(device, mesh->tet, sizeof *mesh->tet * (size_t)mesh->tet_count, error);
  if (t->X && t->tet) return true;
  simplex_topology_close(t);
  return false;
}

void simplex_topology_clear(SimplexTopology *t) {
  const Device device = t->memory.stream.device;
  for (int kind = 0; kind < SIMPLEX_KINDS; kind++) {
    device_free(device, t->cells[kind].start);
    device_free(device, t->cells[kind].item);
    t->cells[kind] = (SimplexCells){ 0 };
  }
  int **arrays[] = {
    &t->tet_edge, &t->tet_face, &t->edge, &t->face, &t->vertex_edges, &t->vertex_faces, &t->edge_faces
  };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    device_free(device, *arrays[k]);
    *arrays[k] = NULL;
  }
  t->count[EDGE] = t->count[FACE] = 0;
}

void simplex_topology_close(SimplexTopology *t) {
  const Device device = t->memory.stream.device;
  simplex_topology_clear(t);
  device_free(device, t->X);
  device_free(device, t->tet);
  *t = (SimplexTopology){ 0 };
}

int64_t simplex_block_count(const SimplexTopology *t) {
  static const int weight[SIMPLEX_DEGREE_MAX][4] = { { 1, 2, 0, 0 }, { 1, 7, 12, 6 }, { 1, 14, 55, 92 } };
  const int *w = weight[t->degree - 1];
  return w[0] * (int64_t)t->count[VERTEX] + w[1] * (int64_t)t->count[EDGE] + w[2] * (int64_t)t->count[FACE] +
         w[3] * (int64_t)t->tet_count;
}

// Lists the tets at each of `count` simplices of one kind: all vertices, all edges or all faces of the mesh. The array
// `of` [tets][of_tet] holds the simplices of each tet; of_tet is 6 for edges and 4 for vertices and faces.
static bool find_cells(SimplexCells *cells, const int *of, int of_tet, int tets, int count, Error *error) {
  const int64_t items = (int64_t)of_tet * tets;
  cells->start = array_new((int64_t)count + 1, sizeof *cells->start, "simplices", error);
  cells->item = array_new(items, sizeof *cells->item, "tets of simplices", error);
  int64_t *start = array_new((int64_t)count + 1, sizeof *start, "simplices", error);
  const bool ok = cells->start && cells->item && start && sort_by_key(of, items, count, 1, start, cells->item, error);
  for (int s = 0; ok && s <= count; s++) cells->start[s] = (int)start[s];
  free(start);
  return ok;
}

static bool count_neighbours(SimplexTopology *t, Error *error) {
  t->vertex_edges = array_new(t->count[VERTEX], sizeof(int), "edges of vertices", error);
  if (!t->vertex_edges) return false;
  for (int64_t k = 0; k < 2 * (int64_t)t->count[EDGE]; k++) t->vertex_edges[t->edge[k]]++;
  if (t->degree == 1) return true;
  t->vertex_faces = array_new(t->count[VERTEX], sizeof(int), "faces of vertices", error);
  t->edge_faces = array_new(t->count[EDGE], sizeof(int), "faces of edges", error);
  if (!t->vertex_faces || !t->edge_faces) return false;
  for (int64_t f = 0; f < t->count[FACE]; f++) {
    const int item = t->cells[FACE].item[t->cells[FACE].start[f]];
    for (int k = 0; k < 3; k++) {
      t->vertex_faces[t->face[3 * f + k]]++;
      const int edge = edge_between(face_corner(item % 4, k), face_corner(item % 4, (k + 1) % 3));
      t->edge_faces[t->tet_edge[6 * (int64_t)(item / 4) + edge]]++;
    }
  }
  return true;
}

static bool find_on_cpu(SimplexTopology *t, Error *error) {
  const TetMesh mesh = {
    .node_count = t->count[VERTEX], .tet_count = t->tet_count, .X = t->X, .tet = (int(*)[4])t->tet
  };
  Simplices found = { 0 };
  if (!simplices_create(&found, &mesh, SIMPLEX_EDGES | (t->degree > 1 ? SIMPLEX_FACES : 0), error)) return false;
  t->count[EDGE] = found.edge_count;
  t->count[FACE] = found.face_count;
  t->edge = (int *)found.edge;
  t->face = (int *)found.face;  // from here on, t owns these arrays
  t->tet_edge = (int *)found.tet_edge;
  t->tet_face = (int *)found.tet_face;
  if (!find_cells(&t->cells[VERTEX], t->tet, 4, t->tet_count, t->count[VERTEX], error)) return false;
  if (!find_cells(&t->cells[EDGE], t->tet_edge, 6, t->tet_count, t->count[EDGE], error)) return false;
  if (t->degree != 1 && !find_cells(&t->cells[FACE], t->tet_face, 4, t->tet_count, t->count[FACE], error)) return false;
  return count_neighbours(t, error);
}

bool simplex_topology_find(SimplexTopology *t, Error *error) {
  bool ok = t->tet_count <= INT32_MAX / 6 ||
            error_set(error, "%d tets have too many edges: the limit is %d tets; use a coarser mesh", t->tet_count,
                      INT32_MAX / 6);
#ifdef PLIANT_CUDA
  if (t->memory.stream.device == DEVICE_CUDA)
    ok = ok && simplex_topology_find_cuda(t, error);
  else
#endif
    ok = ok && find_on_cpu(t, error);
  if (!ok) simplex_topology_clear(t);
  return ok;
}
