// The discretisation: cells of one shape, their nodes, and the number of unknowns per node, all known at run time. A
// simulation creates it once, from a body's mesh of tets of any degree or hexes, or from cells of any shape in the
// plane or in space. All of src/sim uses the space, and not the mesh.
//
// Node numbers and the number of unknowns fit an int. Counts of pairs of nodes, of cells times nodes and of matrix
// entries have 64 bits.
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
  int cell_nodes;   // nodes per cell
  int node_dof;     // unknowns per node
  int node_count;   // ghosts included
  int owned_count;  // nodes [0, owned_count) belong to this process; the rest are ghosts, copies of another's
  int cell_count;
  double (*X)[3];     // [node_count], reference positions, m; in the plane z is 0
  int *cell;          // [cell_count][cell_nodes], in the order of mesh/cell_shape.h; a tet's corners come first
  int64_t *node_tag;  // [node_count], number of the node in the user's file, for messages; 0 if it has none
  double *stiffness;  // [cell_count], factors on the material's moduli; NULL: all 1
  // Properties that differ between bodies, as in TetMesh; NULL if they do not differ.
  double *ratio, *density;  // [cell_count] lambda over mu, and kg/m^3; NAN: use the setting
  double *damping;          // [node_count] 1/s; NAN: use the setting
  int *body;                // [node_count], body of each node
  // [node_count], part of each node in a matrix of `part_count` parts, none of which is empty; NULL: free choice. A
  // body keeps its parts when it is cut, since dividing it anew takes longer than everything else.
  int *part, part_count;
  Adjacency graph;  // nodes with a common cell; an index into graph.neighbour identifies a pair and its block
  // [cell_count], batch and thread of each cell, as CellBatches.at (cell_batches.h); NULL: free choice. A body keeps
  // its batches when tets are torn from it.
  int *batch;
} Space;

/// Creates a space from a copy of the mesh's nodes and cells, with equal numbers and shape. Fails if memory runs out or
/// if there are more than INT32_MAX unknowns.
bool space_create(Space *space, const TetMesh *mesh, int node_dof, Error *error);

/// As space_create, but takes over the mesh's arrays. The mesh is empty afterwards, even after a failure.
bool space_take(Space *space, TetMesh *mesh, int node_dof, Error *error);

/// As space_create, from cells of any shape; CellMesh.factor becomes their stiffness.
bool space_create_cells(Space *space, const CellMesh *mesh, int node_dof, Error *error);

void space_destroy(Space *space);

/// Dimension of the cells, 2 or 3.
static inline int space_dimension(const Space *space) {
  return cell_shape_info(space->shape)->dimension;
}

/// Number of unknowns: node_dof per node, node by node.
static inline int space_dof(const Space *space) {
  return space->node_dof * space->node_count;
}

/// The nodes [cell_nodes] of a cell.
static inline const int *space_cell(const Space *space, int e) {
  return space->cell + (int64_t)e * space->cell_nodes;
}

// The cells at each node. A zeroed NodeCells is empty.
typedef struct NodeCells {
  int64_t *start;  // [node_count + 1], offsets into cell
  int *cell;       // [cell_nodes * cell_count], ascending for each node
} NodeCells;

/// Fails only if memory runs out.
bool node_cells_create(NodeCells *cells, const Space *space, Error *error);
void node_cells_destroy(NodeCells *cells);

/// Number of pairs of nodes with a common cell, each node with itself included: the blocks of a matrix.
static inline int64_t space_pairs(const Space *space) {
  return space->graph.start[space->node_count];
}

/// Density of a cell, kg/m^3; `density` if the cell has none.
double space_cell_density(const Space *space, double density, int e);

/// Volume of a tet with straight edges or of a hex, m^3, from its corners.
double space_cell_volume(const Space *space, int e);

/// det F of a tet, from its corners, at displacements u [node_count][3] m.
double space_cell_J(const Space *space, const double (*u)[3], int e);

/// Lumped mass of every node [node_count], kg, and its part of the weight: see mesh_lumped_mass and mesh_weight. For
/// cells in the plane both are the integrals of the shape functions, which are positive, for a thickness of 1 m.
void space_lumped_mass(const Space *space, double density, double *mass);
void space_weight(const Space *space, double density, double *weight);

/// The node nearest to a point, m.
int space_nearest_node(const Space *space, const double point[3]);

/// Corners of the smallest axis-parallel box around all nodes, m.
void space_bounds(const Space *space, double low[3], double high[3]);

#ifdef __cplusplus
}
#endif
