// A body's mesh as the user's file gives it: positions, cells, and the nodes' numbers in the file. Cells are tetrahedra
// with straight edges, of quadratic ones with nodes in the middle of these, of cubic ones on edges and faces, or
// trilinear hexahedra. What is said of tets below holds for hexes alike, unless they are named; who must know what a
// cell is asks mesh_shape.
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
  int (*middle)[6];   // [tet_count], nodes in the middle of edges, as in tet_edge_corners; NULL: none are quadratic
  int (*outer)[16];   // [tet_count], nodes of cubic tets, as of CELL_TET20, but for corners; NULL: none are
  int (*hex)[8];      // [tet_count], hexahedra in place of tets, nodes in the order of CELL_HEX8; NULL: tets
  int64_t *node_tag;  // [node_count], the node's number in the file: messages use it
  double *stiffness;  // [tet_count], factors on the material's moduli; NULL: all 1
  // what bodies of one mesh have of their own; NULL: they are alike
  double *ratio;    // [tet_count], lambda over mu; NAN: the material's
  double *density;  // [tet_count], kg/m^3; NAN: as asked for
  double *damping;  // [node_count], 1/s; NAN: that of the settings
  int *body;        // [node_count], the body that a node belongs to, from 0; NULL: there is one
} TetMesh;

/// The body that a node belongs to, from 0.
static inline int mesh_body(const TetMesh *mesh, int node) {
  return mesh->body ? mesh->body[node] : 0;
}

/// The shape of all cells.
static inline CellShape mesh_shape(const TetMesh *mesh) {
  return mesh->hex ? CELL_HEX8 : mesh->outer ? CELL_TET20 : mesh->middle ? CELL_TET10 : CELL_TET4;
}

/// The nodes of a cell, 4, 10, 20 or 8, and how many of them, the first, are corners.
static inline int mesh_cell_nodes(const TetMesh *mesh) {
  return mesh->hex ? 8 : mesh->outer ? 20 : mesh->middle ? 10 : 4;
}
static inline int mesh_corners(const TetMesh *mesh) {
  return mesh->hex ? 8 : 4;
}

/// The degree of its elements.
static inline int mesh_degree(const TetMesh *mesh) {
  return mesh->outer ? 3 : mesh->middle ? 2 : 1;
}

/// Where the number of node a of a cell stands, in the order of its shape: corners, then the others.
static inline int *mesh_cell_place(const TetMesh *mesh, int e, int a) {
  if (mesh->hex) return &mesh->hex[e][a];
  return a < 4 ? &mesh->tet[e][a] : mesh->outer ? &mesh->outer[e][a - 4] : &mesh->middle[e][a - 4];
}
static inline int mesh_cell_node(const TetMesh *mesh, int e, int a) {
  return *mesh_cell_place(mesh, e, a);
}

/// What people call the cells: "tets", "hexes".
static inline const char *mesh_cell_word(const TetMesh *mesh) {
  return mesh->hex ? "hexes" : "tets";
}

// corners of a tet's edges, in the order of its nodes in their middle
extern const int tet_edge_corners[6][2];

/// Frees the arrays and leaves an empty mesh. Takes a zeroed mesh too.
void mesh_destroy(TetMesh *mesh);

/// Reads a mesh of a degree, 1 to 3, by the file's name ending; see mesh/format/mesh_formats.c. `mesh` is written only
/// when all went well. Where there are no tets, 8-node hexahedra are taken, which are of degree 1. Degree 1: of tets of
/// higher order their corners. Degree 2: a file of 10-node tets as it is, its edges straightened (mesh_straighten),
/// another one raised (mesh_raise). Degree 3: of all tets the corners, raised. Nodes no cell uses are dropped, inverted
/// ones re-oriented, other elements skipped, each with a notice.
/// Fails with "file:line: what is wrong, what would be right".
bool mesh_read(const char *path, int degree, TetMesh *mesh, Error *error);

/// Whether mesh_read would find a file there and know its format: quick, so that a wrong name is reported before all
/// else.
bool mesh_check_file(const char *path, Error *error);

/// Puts a mesh in order after reading: drops unreferenced nodes, re-orients inverted tets, and reports both as notices
/// that begin with `name`. Fails where the mesh has no tet, or one has no volume, or repeats a corner; or where a hex
/// is flat or inverted at one of its corners.
bool mesh_tidy(TetMesh *mesh, const char *name, Error *error);

/// Fails where a cell repeats a corner, is flat, or a hex is inverted at one of its corners only. The message begins
/// with `name`, and gives the tags of the cell's nodes. Cells that are inverted as a whole pass.
bool mesh_check_cells(const TetMesh *mesh, const char *name, Error *error);

/// Turns each inverted cell round: of tets corners 0 and 1 change places, with the nodes on their edges and faces.
/// Returns the number of these cells. For a mesh that mesh_check_cells has passed.
int mesh_turn_inverted(TetMesh *mesh);

/// Multiplies all positions by `factor`.
void mesh_scale(TetMesh *mesh, double factor);

/// Room for a mesh that is about to be made: positions, tags and tets, all zero. Fails where these are more than a mesh
/// may have, or than fit into the memory that is free, before anything is taken. The caller destroys it either way.
bool mesh_allocate(TetMesh *mesh, double nodes, double tets, Error *error);

/// A mesh of an nx x ny x nz grid of boxes, six tets a box, from the origin to `size` [3] m.
bool mesh_make_box(int nx, int ny, int nz, const double size[3], TetMesh *mesh, Error *error);

/// Volume of one tet or hex, m^3; positive for a well-oriented one.
double mesh_tet_volume(const TetMesh *mesh, int e);

/// det F of a linear tet where nodes have moved by u [node_count][3] m: its volume then over its volume at rest.
double mesh_tet_J(const TetMesh *mesh, const double (*u)[3], int e);

/// Lumped mass of every node [node_count], kg; `density` is that of tets that have none of their own. Linear tets: a
/// quarter of density * volume of each (Lobatto quadrature). Quadratic ones: by the diagonal of the consistent mass
/// matrix, scaled to the tet's mass (Hinton, Rock and Zienkiewicz, 1976): 1/36 of it a corner, 4/27 an edge, all
/// positive. Cubic ones likewise: 1/193, 27/772, and 27/193 a face. Hexahedra: the integrals of density times a node's
/// shape function.
void mesh_lumped_mass(const TetMesh *mesh, double density, double *mass);

// What a quadratic tet's nodes have of its mass and of its weight.
static const double MESH_LUMPED_CORNER = 1.0 / 36, MESH_LUMPED_MIDDLE = 4.0 / 27;
static const double MESH_WEIGHT_CORNER = -1.0 / 20, MESH_WEIGHT_MIDDLE = 1.0 / 5;
// And a cubic one's: corners, nodes on edges, on faces.
static const double MESH_LUMPED_CUBIC[3] = { 1.0 / 193, 27.0 / 772, 27.0 / 193 };
static const double MESH_WEIGHT_CUBIC[3] = { 1.0 / 40, 0, 9.0 / 40 };

/// Each node's share of the weight [node_count], kg: the integral of density times its shape function, by which loads
/// that spread over the volume are consistent. Linear tets: the lumped mass. Quadratic ones: -1/20 of a tet's mass a
/// corner, 1/5 an edge. Cubic ones: 1/40 a corner, 9/40 a face, an edge nothing. Hexahedra: the lumped mass.
void mesh_weight(const TetMesh *mesh, double density, double *weight);

/// The node nearest to a point, m.
int mesh_nearest_node(const TetMesh *mesh, const double point[3]);

/// Corners of the smallest axis-parallel box around all nodes, m.
void mesh_bounds(const TetMesh *mesh, double low[3], double high[3]);

#ifdef __cplusplus
}
#endif
