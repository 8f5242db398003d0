// What is discretised: cells of one shape, the nodes they share, and how many unknowns a node has, all known at run
// time. Made once at the simulation's door, from a body's mesh, of tets of either degree or of hexes, or of cells of
// any shape, in the plane or in space; all of src/sim works on it, none on the mesh.
//
// Node numbers and the number of unknowns fit an int; whatever counts pairs of nodes, cells times nodes or matrix
// entries is 64 bits wide.
#pragma once
#include <stddef.h>

#include "mesh/adjacency.h"
#include "mesh/cell_mesh.h"
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Space is empty. Nodes a in [0, node_count), cells e in [0, cell_count).
typedef struct Space {
  CellShape shape;
  int cell_nodes;   // of one cell
  int node_dof;     // unknowns of a node
  int node_count;   // ghosts included
  int owned_count;  // nodes [0, owned_count) are this process's own; those behind are ghosts, copies of another's
  int cell_count;
  double (*X)[3];     // [node_count], reference positions, m; in the plane z is 0
  int *cell;          // [cell_count][cell_nodes], in the order of mesh/cell_shape.h: of tets the corners come first
  int64_t *node_tag;  // [node_count], the node's number in the user's file: messages use it; 0 for a node of no file
  double *stiffness;  // [cell_count], factors on the material's moduli; NULL: all 1
  // what bodies have of their own, as in TetMesh; NULL: they are alike
  double *ratio, *density;  // [cell_count] lambda over mu, and kg/m^3; NAN: as the settings have it
  double *damping;          // [node_count] 1/s, likewise
  int *body;                // [node_count], the body that a node belongs to
  // [node_count] the part that each node goes to where a matrix is laid out in `part_count` of them, none of them
  // empty; NULL: any. What a body that was cut keeps, since to divide one anew takes longer than all else
  int *part, part_count;
  Adjacency graph;  // nodes that share a cell; a position in graph.neighbour stands for a pair, and for its block
  // [cell_count], which thread of which batch takes a cell, as of CellBatches.at (cell_batches.h); NULL: any. What a
  // body from which tets were torn keeps
  int *batch;
} Space;

/// Cells with a mesh's nodes and cells, numbered alike, of its shape. `mesh` may
/// be destroyed afterwards. Fails for lack of memory or where there are more than INT32_MAX unknowns.
bool space_create(Space *space, const TetMesh *mesh, int node_dof, Error *error);

/// The same from the mesh's own arrays: afterwards it is empty, even on failure.
bool space_take(Space *space, TetMesh *mesh, int node_dof, Error *error);

/// The same with cells of any shape, CellMesh.factor being their stiffness.
bool space_create_cells(Space *space, const CellMesh *mesh, int node_dof, Error *error);

void space_destroy(Space *space);

/// 2 or 3.
static inline int space_dimension(const Space *space) {
  return cell_shape_info(space->shape)->dimension;
}

/// The unknowns: node_dof of each node, node by node.
static inline int space_dof(const Space *space) {
  return space->node_dof * space->node_count;
}

/// The nodes [cell_nodes] of a cell.
static inline const int *space_cell(const Space *space, int e) {
  return space->cell + (int64_t)e * space->cell_nodes;
}

// The cells at each node. A zeroed NodeCells is empty.
typedef struct NodeCells {
  int64_t *start;  // [node_count + 1], into cell
  int *cell;       // [cell_nodes * cell_count], ascending for each node
} NodeCells;

/// Fails only for lack of memory.
bool node_cells_create(NodeCells *cells, const Space *space, Error *error);
void node_cells_destroy(NodeCells *cells);

/// Pairs of nodes that share a cell, each node with itself included: the blocks of a matrix.
static inline int64_t space_pairs(const Space *space) {
  return space->graph.start[space->node_count];
}

/// Density of a cell, kg/m^3: its own, or `density` where it has none.
double space_cell_density(const Space *space, double density, int e);

/// Volume of a tet with straight edges or of a hex, m^3, from its corners.
double space_cell_volume(const Space *space, int e);

/// det F of a tet, from its corners, where nodes have moved by u [node_count][3] m.
double space_cell_J(const Space *space, const double (*u)[3], int e);

/// Lumped mass of every node [node_count], kg, and its share of the weight: see mesh_lumped_mass and mesh_weight. Of
/// cells in the plane both are the integrals of the shape functions, which are positive, of a
/// thickness of 1 m.
void space_lumped_mass(const Space *space, double density, double *mass);
void space_weight(const Space *space, double density, double *weight);

/// The node nearest to a point, m.
int space_nearest_node(const Space *space, const double point[3]);

/// Corners of the smallest axis-parallel box around all nodes, m.
void space_bounds(const Space *space, double low[3], double high[3]);

#ifdef __cplusplus
}
#endif
