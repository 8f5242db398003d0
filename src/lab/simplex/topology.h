// Vertices, edges and faces of a tet mesh on a device, with the tets at each. simplex_nodes.h derives the nodes of
// degrees 1 to 3 from their numbers (paper 004, sections 3 and 4.1). topology.c builds it on the CPU, topology.cu on
// the GPU, with equal numbers: edges and faces are sorted by their vertices, and the tets at each ascend.
#pragma once
#include "device/device.h"
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SIMPLEX_DEGREE_MAX = 3, SIMPLEX_CELL_NODES_MAX = 20 };

// A simplex of a tet: its kind is its dimension.
enum { VERTEX, EDGE, FACE, SIMPLEX_KINDS };

// The tets at the simplices of a kind.
typedef struct SimplexCells {
  int *start;  // [count + 1], into item
  int *item;   // [simplices of a tet * tet_count]: simplices of a tet * tet + number in the tet, ascending for each
               // simplex
} SimplexCells;

// Stream and method of all allocations.
typedef struct SimplexMemory {
  Stream stream;
  bool pooled;  // reuses freed memory; false: each request allocates
} SimplexMemory;

// A zeroed SimplexTopology is empty. Arrays are on memory.stream's device; kernels take it by value.
typedef struct SimplexTopology {
  SimplexMemory memory;
  int degree;                // degree of the nodes; faces exist from 2 on
  int count[SIMPLEX_KINDS];  // vertices, edges, faces
  int tet_count;
  double (*X)[3];            // [vertices], m
  int *tet;                  // [tet_count][4]
  int *tet_edge, *tet_face;  // [tet_count][6], in the order of tet_edge_corners; [tet_count][4], opposite to corners
  int *edge, *face;          // [edges][2], [faces][3]: vertices, ascending
  SimplexCells cells[SIMPLEX_KINDS];
  // numbers of edges and faces at a vertex, and of faces at an edge: input of Eq. 6
  int *vertex_edges, *vertex_faces, *edge_faces;
} SimplexTopology;

/// Uploads a mesh's vertices and tets; the mesh is not kept. Fails if memory runs out.
bool simplex_topology_open(SimplexTopology *t, const TetMesh *mesh, int degree, SimplexMemory memory, Error *error);

/// Finds edges, faces and the tets at each, in time linear in the tets. Fails if memory runs out, or if numbers do not
/// fit an int.
bool simplex_topology_find(SimplexTopology *t, Error *error);

/// The first frees the result of simplex_topology_find, so that it can run again; the second frees all.
void simplex_topology_forget(SimplexTopology *t);
void simplex_topology_close(SimplexTopology *t);

/// Number of blocks of the matrix: the sum of Eq. 6 over the nodes, in closed form: V + 2 E, V + 7 E + 12 F + 6 T, V +
/// 14 E + 55 F + 92 T.
int64_t simplex_block_count(const SimplexTopology *t);

// Implemented in topology.cu, if CUDA is built in.
bool simplex_topology_find_cuda(SimplexTopology *t, Error *error);

#ifdef __cplusplus
}
#endif
