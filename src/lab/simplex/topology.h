// Vertices, edges and faces of a tet mesh on a device, and the tets at each of them (paper 004, sections 3 and 4.1).
// From these numbers simplex_nodes.h derives the nodes of degrees 1 to 3. topology.c computes the numbers on the CPU,
// topology.cu on the GPU, with equal results: edges and faces are sorted by their vertices, and lists of tets ascend.
#pragma once
#include "device/device.h"
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SIMPLEX_DEGREE_MAX = 3, SIMPLEX_CELL_NODES_MAX = 20 };

// Kinds of simplices of a tet. The kind is the dimension.
enum { VERTEX, EDGE, FACE, SIMPLEX_KINDS };

// The tets at each simplex of one kind.
typedef struct SimplexCells {
  int *start;  // [count + 1], offsets into `item`
  // For each simplex, its tets, ascending. An item is one number: (simplices of a tet) * tet + the simplex's number in
  // the tet. For edges, of which a tet has 6, item 20 is edge 2 of tet 3.
  int *item;
} SimplexCells;

// Stream on which arrays are allocated, and method of allocation.
typedef struct SimplexMemory {
  Stream stream;
  bool pooled;  // true: freed memory is used again; false: each request allocates
} SimplexMemory;

// A zeroed SimplexTopology is empty. Arrays are on memory.stream's device; kernels take it by value.
typedef struct SimplexTopology {
  SimplexMemory memory;
  int degree;                // degree of the nodes; edges exist always, faces from degree 2 on
  int count[SIMPLEX_KINDS];  // vertices, edges, faces
  int tet_count;
  double (*X)[3];  // [vertices], m
  int *tet;        // [tet_count][4], vertices of each tet
  // tet_edge [tet_count][6]: edges of each tet, in the order of tet_edge_corners; tet_face [tet_count][4]: the face
  // opposite to each corner
  int *tet_edge, *tet_face;
  int *edge, *face;  // [edges][2], [faces][3]: their vertices, ascending
  SimplexCells cells[SIMPLEX_KINDS];
  // Numbers of edges and of faces at each vertex, and of faces at each edge, which Eq. 6 of paper 004 needs.
  int *vertex_edges, *vertex_faces, *edge_faces;
} SimplexTopology;

/// Uploads the vertices and tets of a mesh, which is not needed afterwards. Fails if memory runs out.
bool simplex_topology_open(SimplexTopology *t, const TetMesh *mesh, int degree, SimplexMemory memory, Error *error);

/// Finds the edges and faces, and the tets at each. The time is linear in the number of tets. Fails if memory runs out,
/// or if numbers do not fit an int.
bool simplex_topology_find(SimplexTopology *t, Error *error);

/// simplex_topology_forget frees the result of simplex_topology_find, which can then run again. simplex_topology_close
/// frees everything.
void simplex_topology_forget(SimplexTopology *t);
void simplex_topology_close(SimplexTopology *t);

/// Number of blocks of the matrix: the sum of Eq. 6 of paper 004 over all nodes. For degrees 1, 2 and 3 it is V + 2 E,
/// V + 7 E + 12 F + 6 T, and V + 14 E + 55 F + 92 T, with V vertices, E edges, F faces and T tets.
int64_t simplex_block_count(const SimplexTopology *t);

// Implemented in topology.cu, if CUDA is built in.
bool simplex_topology_find_cuda(SimplexTopology *t, Error *error);

#ifdef __cplusplus
}
#endif
