// A body's mesh as the user's file defines it: positions, cells, and the nodes' numbers in the file. Cells are
// tetrahedra with straight edges or trilinear hexahedra. Quadratic tetrahedra have nodes at the middles of edges, cubic
// ones on edges and faces. The comments on tets below also hold for hexes, unless they name hexes; mesh_shape returns
// the actual shape.
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "mesh/cell_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

// Limits of a mesh: the degrees of freedom, the faces of all tets and the nodes of all hexes are counted in an int.
enum { MESH_MAX_NODES = INT32_MAX / 3, MESH_MAX_TETS = INT32_MAX / 4, MESH_MAX_HEXES = INT32_MAX / 8 };

// A zeroed TetMesh is empty. Nodes a in [0, node_count), tets e in [0, tet_count).
typedef struct TetMesh {
  int node_count, tet_count;
  double (*X)[3];     // [node_count], reference positions, m
  int (*tet)[4];      // [tet_count], corners; (X1-X4).((X2-X4)x(X3-X4)) > 0; NULL: hexahedra
  int (*middle)[6];   // [tet_count], nodes at the middles of edges, as in tet_edge_corners; NULL: not quadratic
  int (*outer)[16];   // [tet_count], nodes of cubic tets without corners, as in CELL_TET20; NULL: not cubic
  int (*hex)[8];      // [tet_count], hexahedra instead of tets, nodes in the order of CELL_HEX8; NULL: tets
  int64_t *node_tag;  // [node_count], number of the node in the file, for messages
  double *stiffness;  // [tet_count], factors on the material's moduli; NULL: all 1
  // Properties that differ between the bodies of a mesh; NULL if they do not differ.
  double *ratio;    // [tet_count], lambda over mu; NAN: the material's
  double *density;  // [tet_count], kg/m^3; NAN: the caller's density
  double *damping;  // [node_count], 1/s; NAN: the setting
  int *body;        // [node_count], body of each node, from 0; NULL: there is one
} TetMesh;

/// Body of a node, from 0.
static inline int mesh_body(const TetMesh *mesh, int node) {
  return mesh->body ? mesh->body[node] : 0;
}

/// The shape of all cells.
static inline CellShape mesh_shape(const TetMesh *mesh) {
  return mesh->hex ? CELL_HEX8 : mesh->outer ? CELL_TET20 : mesh->middle ? CELL_TET10 : CELL_TET4;
}

/// Number of nodes of a cell, 4, 10, 20 or 8, and number of corners, which come first.
static inline int mesh_cell_nodes(const TetMesh *mesh) {
  return mesh->hex ? 8 : mesh->outer ? 20 : mesh->middle ? 10 : 4;
}
static inline int mesh_corners(const TetMesh *mesh) {
  return mesh->hex ? 8 : 4;
}

/// Degree of the elements.
static inline int mesh_degree(const TetMesh *mesh) {
  return mesh->outer ? 3 : mesh->middle ? 2 : 1;
}

/// Address of the number of node a of a cell, in the order of its shape: corners, then the others.
static inline int *mesh_cell_entry(const TetMesh *mesh, int e, int a) {
  if (mesh->hex) return &mesh->hex[e][a];
  return a < 4 ? &mesh->tet[e][a] : mesh->outer ? &mesh->outer[e][a - 4] : &mesh->middle[e][a - 4];
}
static inline int mesh_cell_node(const TetMesh *mesh, int e, int a) {
  return *mesh_cell_entry(mesh, e, a);
}

/// Word for the cells in messages: "tets", "hexes".
static inline const char *mesh_cell_word(const TetMesh *mesh) {
  return mesh->hex ? "hexes" : "tets";
}

// corners of a tet's edges, in the order of the nodes at their middles
extern const int tet_edge_corners[6][2];

/// Frees the arrays and leaves an empty mesh. Accepts a zeroed mesh.
void mesh_destroy(TetMesh *mesh);

/// Copies a mesh with all its arrays. `copy` is written only on success. Fails if memory runs out.
bool mesh_copy(const TetMesh *mesh, TetMesh *copy, Error *error);

/// Reads a mesh of a degree, 1 to 3; the ending of the file's name selects the format, see mesh/format/mesh_formats.c.
/// `mesh` is written only on success. If there are no tets, 8-node hexahedra are read, which have degree 1. Degree 1:
/// tets of higher order are reduced to their corners. Degree 2: a file of 10-node tets is used with its edges
/// straightened (mesh_straighten); any other is raised (mesh_raise). Degree 3: the corners of all tets, raised. Unused
/// nodes are dropped, inverted cells re-oriented, and other elements skipped, each with a notice. Fails with
/// "file:line: fault, expected value".
bool mesh_read(const char *path, int degree, TetMesh *mesh, Error *error);

/// Tests if mesh_read would find the file and know its format. It is quick, so that a wrong name is reported first.
bool mesh_check_file(const char *path, Error *error);

/// Tidies a mesh after reading: drops unreferenced nodes, re-orients inverted tets, and logs both in notices that begin
/// with `name`. Fails if the mesh has no tet, if a tet has no volume or repeats a corner, or if a hex is flat or
/// inverted at one of its corners.
bool mesh_tidy(TetMesh *mesh, const char *name, Error *error);

/// Fails if a cell repeats a corner or is flat, or if a hex is inverted at only some of its corners. The message begins
/// with `name` and gives the tags of the cell's nodes. Cells that are inverted as a whole pass.
bool mesh_check_cells(const TetMesh *mesh, const char *name, Error *error);

/// Re-orients each inverted cell: swaps corners 0 and 1 of a tet, with the nodes on its edges and faces. Returns the
/// number of these cells. The mesh must have passed mesh_check_cells.
int mesh_turn_inverted(TetMesh *mesh);

/// Multiplies all positions by `factor`.
void mesh_scale(TetMesh *mesh, double factor);

/// Allocates a new mesh: positions, tags and tets, all zero. Fails, before any allocation, if a mesh cannot have so
/// many, or if they do not fit into the free memory. The caller destroys the mesh also after a failure.
bool mesh_allocate(TetMesh *mesh, double nodes, double tets, Error *error);

/// Creates a mesh of an nx x ny x nz grid of boxes, six tets per box, from the origin to `size` [3] m.
bool mesh_make_box(int nx, int ny, int nz, const double size[3], TetMesh *mesh, Error *error);

/// Volume of one tet or hex, m^3; positive if its orientation is right.
double mesh_tet_volume(const TetMesh *mesh, int e);

/// det F of a linear tet at displacements u [node_count][3] m: its volume over its volume at rest.
double mesh_tet_J(const TetMesh *mesh, const double (*u)[3], int e);

/// Lumped mass of every node [node_count], kg; `density` is used for tets without a density. Linear tets: a quarter of
/// density * volume per corner (Lobatto quadrature). Quadratic tets: the diagonal of the consistent mass matrix, scaled
/// to the tet's mass (Hinton, Rock and Zienkiewicz, 1976), which is 1/36 per corner and 4/27 per edge, all positive.
/// Cubic tets by the same rule: 1/193 per corner, 27/772 per edge node, and 27/193 per face. Hexahedra: the integrals
/// of density times a node's shape function.
void mesh_lumped_mass(const TetMesh *mesh, double density, double *mass);

// Fractions of a quadratic tet's mass and weight at its nodes.
static const double MESH_LUMPED_CORNER = 1.0 / 36, MESH_LUMPED_MIDDLE = 4.0 / 27;
static const double MESH_WEIGHT_CORNER = -1.0 / 20, MESH_WEIGHT_MIDDLE = 1.0 / 5;
// Fractions for a cubic tet: corners, nodes on edges, on faces.
static const double MESH_LUMPED_CUBIC[3] = { 1.0 / 193, 27.0 / 772, 27.0 / 193 };
static const double MESH_WEIGHT_CUBIC[3] = { 1.0 / 40, 0, 9.0 / 40 };

/// Weight of each node [node_count], kg: the integral of density times its shape function, which makes loads that are
/// spread over the volume consistent. Linear tets: the lumped mass. Quadratic tets: -1/20 of a tet's mass per corner,
/// 1/5 per edge. Cubic tets: 1/40 per corner, 9/40 per face, 0 on edges. Hexahedra: the lumped mass.
void mesh_weight(const TetMesh *mesh, double density, double *weight);

/// The node nearest to a point, m.
int mesh_nearest_node(const TetMesh *mesh, const double point[3]);

/// Corners of the smallest axis-parallel box around all nodes, m.
void mesh_bounds(const TetMesh *mesh, double low[3], double high[3]);

#ifdef __cplusplus
}
#endif
