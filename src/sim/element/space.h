// The discretisation of a body: cells of one shape, their nodes, and the number of unknowns of a node. A simulation
// creates a Space from a mesh of tets (of any degree) or hexes. The program pliant-lab creates Spaces also from other
// cells, in the plane or in three dimensions. After its creation, the code of src/sim uses the Space, not the mesh.
//
// The numbers of nodes, cells and unknowns fit into an int. Other numbers may be larger, so they are int64_t: node
// pairs, the nodes of all cells (a node counts for each of its cells), and matrix entries.
#pragma once
#include <stddef.h>

#include "mesh/adjacency.h"
#include "mesh/cell_mesh.h"
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// The discretisation of a body. Nodes are called a, from 0 to node_count - 1, and cells e, from 0 to cell_count - 1. A
// zeroed Space is empty.
typedef struct Space {
  CellShape shape;  // shape of all cells, such as tets with 4 nodes
  int cell_nodes;   // nodes per cell
  int node_dof;     // unknowns per node
  int node_count;   // number of nodes, ghosts included
  // Number of nodes that belong to this process; they come first. Then follow ghosts, copies of nodes that other
  // processes own.
  int owned_count;
  int cell_count;  // number of cells
  double (*X)[3];  // [node_count], reference positions, m; in the plane z is 0
  // [cell_count][cell_nodes], the nodes of each cell in the order of mesh/cell_shape.h; a tet's corners come first
  int *cell;
  int64_t *node_tag;  // [node_count], number of each node in the user's mesh file, for messages; 0: none
  double *stiffness;  // [cell_count], the factor by which each cell multiplies the material's moduli; NULL: all are 1
  // `ratio`, `density` and `damping` are used if they differ between bodies. If a pointer is NULL, the value of the
  // simulation's settings is used for all cells or nodes. If an entry is NAN, it is used for the cell or node of this
  // entry.
  double *ratio, *density;  // [cell_count]: the ratio of Lame's constants lambda / mu, and the density, kg/m^3
  double *damping;          // [node_count], damping coefficient, 1/s
  int *body;                // [node_count], the body to which each node belongs, from 0; NULL: the mesh names no bodies
  // part [node_count]: the part of each node; part_count: number of parts. A part is a group of neighbouring nodes.
  // Some matrix formats need one part for each multiprocessor of the GPU (part_layout.h). No part is empty. If `part`
  // is NULL, the format chooses the parts. A cut keeps the parts, because a new division would take longer than all
  // other work of the cut.
  int *part, part_count;
  // Neighbours of each node: the nodes with a common cell, and the node itself. An index into graph.neighbour
  // identifies a pair of nodes, and the block of this pair in the matrix.
  Adjacency graph;
  // [cell_count]. Some GPU code divides the cells into batches, one for each thread block, with one cell for each
  // thread (cell_batches.h). batch[e] = (batch of cell e) * (cells of a batch) + (thread of cell e). NULL: the GPU
  // code chooses the batches. Cells keep their batches when other cells are removed.
  int *batch;
  // division of the nodes among processes (halo.h), borrowed; NULL: this process owns all nodes
  const struct Halo *halo;
} Space;

/// Creates a space from a mesh, whose arrays are copied. Nodes and cells keep their numbers. Fails if memory runs out
/// or if there are more than INT32_MAX unknowns.
bool space_create(Space *space, const TetMesh *mesh, int node_dof, Error *error);

/// Creates a space from a mesh, and moves the mesh's arrays into it instead of copying them. The mesh is empty
/// afterwards, even after a failure.
bool space_take(Space *space, TetMesh *mesh, int node_dof, Error *error);

/// Creates a space from a CellMesh, which may have cells of any shape, in the plane or in space. The mesh's arrays are
/// copied. CellMesh.factor, by which each cell multiplies the material's moduli, becomes Space.stiffness.
bool space_create_cells(Space *space, const CellMesh *mesh, int node_dof, Error *error);

void space_destroy(Space *space);

/// Returns the dimension of the cells, 2 or 3.
static inline int space_dimension(const Space *space) {
  return cell_shape_info(space->shape)->dimension;
}

/// Returns the number of unknowns: node_dof for each node. Unknown i of node a has the index node_dof * a + i.
static inline int space_dof(const Space *space) {
  return space->node_dof * space->node_count;
}

/// Returns the nodes [cell_nodes] of cell e.
static inline const int *space_cell(const Space *space, int e) {
  return space->cell + (int64_t)e * space->cell_nodes;
}

// The cells at each node: node a belongs to the cells cell[start[a]] to cell[start[a + 1] - 1]. A zeroed NodeCells is
// empty.
typedef struct NodeCells {
  int64_t *start;  // [node_count + 1], index in `cell` of each node's first cell
  int *cell;       // [cell_nodes * cell_count], cell numbers, ascending for each node
} NodeCells;

/// Lists the cells of each node. Fails only if memory runs out.
bool node_cells_create(NodeCells *cells, const Space *space, Error *error);
void node_cells_destroy(NodeCells *cells);

/// Returns the number of blocks of a matrix: one for each ordered pair of nodes with a common cell, including each node
/// with itself.
static inline int64_t space_pairs(const Space *space) {
  return space->graph.start[space->node_count];
}

/// Returns the density of cell e, kg/m^3: the entry of Space.density for the cell or, if there is none, `density`.
double space_cell_density(const Space *space, double density, int e);

/// Returns the volume of cell e, m^3, computed from its corners at rest. The cell must be a hex or a tet with straight
/// edges.
double space_cell_volume(const Space *space, int e);

/// Returns det F of the linear tet with the corners of cell e. F is the deformation gradient at displacements
/// u [node_count][3], m.
double space_cell_J(const Space *space, const double (*u)[3], int e);

/// space_lumped_mass computes mass [node_count], the lumped mass of each node, kg. space_weight computes weight
/// [node_count], kg: for each node, the integral of density times its shape function. Gravity on a node is proportional
/// to this integral. For cells in the plane, whose thickness is 1 m, the lumped mass is also this integral.
void space_lumped_mass(const Space *space, double density, double *mass);
void space_weight(const Space *space, double density, double *weight);

/// Returns the node that is nearest to a point, m, in the undeformed body.
int space_nearest_node(const Space *space, const double point[3]);

/// Computes the bounding box of all nodes, m: `low` has the smallest coordinates, `high` the largest.
void space_bounds(const Space *space, double low[3], double high[3]);

#ifdef __cplusplus
}
#endif
