// Vertices, edges and faces of a tet mesh on a device, with the tets at each; simplex_nodes.h has the nodes of degrees
// 1 to 3 that their numbers imply (paper 004, sections 3 and 4.1). topology.c makes it on the CPU, topology.cu on the
// GPU, with the same numbers: edges and faces ascend by their vertices, and the tets at each ascend.
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
  int *item;   // [of a tet * tet_count]: of a tet * tet + which of the tet's, ascending for each simplex
} SimplexCells;

// Where memory is taken, and in which queue.
typedef struct SimplexMemory {
  Stream stream;
  bool pooled;  // from what was freed before; else by an allocation of its own each time
} SimplexMemory;

// A zeroed SimplexTopology is empty. Arrays lie on memory.stream's device; kernels take it by value.
typedef struct SimplexTopology {
  SimplexMemory memory;
  int degree;                // of the nodes; faces are there from 2 on
  int count[SIMPLEX_KINDS];  // vertices, edges, faces
  int tet_count;
  double (*X)[3];            // [vertices], m
  int *tet;                  // [tet_count][4]
  int *tet_edge, *tet_face;  // [tet_count][6], in the order of tet_edge_corners; [tet_count][4], over against corners
  int *edge, *face;          // [edges][2], [faces][3]: vertices, ascending
  SimplexCells cells[SIMPLEX_KINDS];
  // how many edges and faces are at a vertex, and faces at an edge: all that Eq. 6 needs besides the tets
  int *vertex_edges, *vertex_faces, *edge_faces;
} SimplexTopology;

/// Puts a mesh's vertices and tets there; its own are not kept. Fails for lack of memory.
bool simplex_topology_open(SimplexTopology *t, const TetMesh *mesh, int degree, SimplexMemory memory, Error *error);

/// Finds edges, faces and the tets at each. Linear in the tets. Fails for lack of memory, or where numbers do not fit
/// an int.
bool simplex_topology_find(SimplexTopology *t, Error *error);

/// Frees what simplex_topology_find made, so that it may be made again; and all.
void simplex_topology_forget(SimplexTopology *t);
void simplex_topology_close(SimplexTopology *t);

/// All blocks of the matrix: sum of Eq. 6 over the nodes, in closed form: V + 2 E, V + 7 E + 12 F + 6 T,
/// V + 14 E + 55 F + 92 T.
int64_t simplex_block_count(const SimplexTopology *t);

// topology.cu's, where CUDA was built in.
bool simplex_topology_find_cuda(SimplexTopology *t, Error *error);

#ifdef __cplusplus
}
#endif
