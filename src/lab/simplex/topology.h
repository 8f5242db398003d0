// Vertices, edges and faces of a tet mesh, and the tets at each of them (paper 004, sections 3 and 4.1). Vertices,
// edges and faces are called simplices. The numbers of the nodes of a mesh of degree 1 to 3 follow from the numbers of
// the simplices on which they lie (simplex_nodes.h). topology.c finds edges and faces on the CPU, topology.cu on the
// GPU, with equal results: edges and faces are numbered in the order of their vertices, and lists of tets ascend.
#pragma once
#include "device/device.h"
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SIMPLEX_DEGREE_MAX = 3, SIMPLEX_CELL_NODES_MAX = 20 };

// Kinds of simplices. The number is the dimension: 0 for a vertex, 1 for an edge, 2 for a face.
enum { VERTEX, EDGE, FACE, SIMPLEX_KINDS };

// Lists of tets: for each vertex, for each edge, or for each face of the mesh, the tets that contain it.
typedef struct SimplexCells {
  int *start;  // [count + 1], index in `item` of each simplex's first entry
  // for each simplex, its tets, ascending. An entry gives a tet and the simplex's number in this tet: tet * m + i, if
  // the tet has m simplices of this kind and the simplex is number i of them. A tet has m = 6 edges, so for edges the
  // entry 20 is edge 2 of tet 3.
  int *item;
} SimplexCells;

// Allocation of the arrays of a topology: the stream, whose device stores them, and the method.
typedef struct SimplexMemory {
  Stream stream;
  bool pooled;  // true: freed memory is kept for later requests; false: each request goes to the driver
} SimplexMemory;

// The simplices (vertices, edges and faces) of a mesh. Arrays are on the device of memory.stream. A zeroed
// SimplexTopology is empty. Kernels take it by value.
typedef struct SimplexTopology {
  SimplexMemory memory;
  int degree;                // degree of the nodes; faces are found only for degrees 2 and 3
  int count[SIMPLEX_KINDS];  // number of vertices, of edges and of faces
  int tet_count;
  double (*X)[3];  // [vertices], positions, m
  int *tet;        // [tet_count][4], vertices of each tet
  // tet_edge [tet_count][6]: edges of each tet, in the order of tet_edge_corners; tet_face [tet_count][4]: faces of
  // each tet, face k opposite to corner k
  int *tet_edge, *tet_face;
  int *edge, *face;  // [edges][2] and [faces][3]: vertices of each edge and of each face, ascending
  SimplexCells cells[SIMPLEX_KINDS];
  // vertex_edges and vertex_faces [vertices]: number of edges, and of faces, at each vertex. edge_faces [edges]: number
  // of faces at each edge. These counts give the number of blocks in a matrix row (Eq. 6 of paper 004).
  int *vertex_edges, *vertex_faces, *edge_faces;
} SimplexTopology;

/// Copies the vertices and tets of a mesh to the device; the mesh is not needed afterwards. Fails if memory runs out.
bool simplex_topology_open(SimplexTopology *t, const TetMesh *mesh, int degree, SimplexMemory memory, Error *error);

/// Finds the edges and faces of the mesh, and the tets at each vertex, edge and face. The time is linear in the number
/// of tets. Fails if memory runs out, or if an index does not fit an int.
bool simplex_topology_find(SimplexTopology *t, Error *error);

/// simplex_topology_clear frees the edges and faces, so that simplex_topology_find can run again.
/// simplex_topology_close frees everything.
void simplex_topology_clear(SimplexTopology *t);
void simplex_topology_close(SimplexTopology *t);

/// Returns the number of blocks of the matrix: the sum over all nodes of the number of blocks in a row (Eq. 6 of paper
/// 004). For degrees 1, 2 and 3 it is V + 2 E, V + 7 E + 12 F + 6 T, and V + 14 E + 55 F + 92 T, with V vertices, E
/// edges, F faces and T tets.
int64_t simplex_block_count(const SimplexTopology *t);

// Finds edges and faces, and the tets at each vertex, edge and face, on a GPU, for simplex_topology_find. Implemented
// in topology.cu, in builds with CUDA.
bool simplex_topology_find_cuda(SimplexTopology *t, Error *error);

#ifdef __cplusplus
}
#endif
