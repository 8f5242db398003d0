// The mesh of a body: positions, cells, and the nodes' numbers in the user's file. Cells are either tetrahedra with
// straight edges (tets) or trilinear hexahedra (hexes). Quadratic tets also have nodes at the middles of edges, and
// cubic tets have nodes on edges and faces. Names such as tet_count, and comments that mention no hexes, use "tet" for
// a cell of either kind. mesh_shape returns the shape of the cells.
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "mesh/cell_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

// Limits of a mesh. They keep the numbers of unknowns (3 per node), of faces of tets (4 per tet) and of nodes of hexes
// (8 per hex) in the range of an int.
enum { MESH_MAX_NODES = INT32_MAX / 3, MESH_MAX_TETS = INT32_MAX / 4, MESH_MAX_HEXES = INT32_MAX / 8 };

// A mesh of tets or hexes, and properties of its cells and nodes. Nodes are numbered from 0 to node_count - 1, and
// cells from 0 to tet_count - 1. A zeroed TetMesh is empty.
typedef struct TetMesh {
  int node_count, tet_count;
  double (*X)[3];     // [node_count], positions at rest, m
  int (*tet)[4];      // [tet_count], corners of each tet, (X1-X4).((X2-X4)x(X3-X4)) > 0; NULL: cells are hexes
  int (*middle)[6];   // [tet_count], nodes at the middles of edges (tet_edge_corners); NULL: not quadratic
  int (*outer)[16];   // [tet_count], the nodes of a cubic tet except corners, as in CELL_TET20; NULL: not cubic
  int (*hex)[8];      // [tet_count], nodes of each hexahedron, in the order of CELL_HEX8; NULL: the cells are tets
  int64_t *node_tag;  // [node_count], number of the node in the file, for messages
  double *stiffness;  // [tet_count], factor of each cell on the material's moduli; NULL: all 1
  // The arrays ratio, density and damping are properties that may differ between the bodies of a mesh. Where an array
  // has the value NAN, the value in the settings is used. NULL: all values are NAN.
  double *ratio;          // [tet_count], lambda / mu; NAN: the ratio of the material in the settings
  double *density;        // [tet_count], kg/m^3; NAN: the density in the settings
  double *damping;        // [node_count], damping coefficient, 1/s; NAN: the damping in the settings
  int *body;              // [node_count], number of each node's body, from 0; NULL: there is one body
  struct MeshSets *sets;  // named sets of the file (mesh_sets.h), which several meshes share; NULL: none
} TetMesh;

/// Returns the number of a node's body, from 0.
static inline int mesh_body(const TetMesh *mesh, int node) {
  return mesh->body ? mesh->body[node] : 0;
}

/// Returns the number of a node in the mesh file; without a file, its index plus 1.
static inline int64_t mesh_node_number(const TetMesh *mesh, int node) {
  return mesh->node_tag ? mesh->node_tag[node] : node + 1;
}

/// Returns the index of the first node that has the number `number` in the mesh file, or -1. Searches all nodes.
static inline int mesh_find_node(const TetMesh *mesh, int64_t number) {
  for (int a = 0; a < mesh->node_count; a++)
    if (mesh_node_number(mesh, a) == number) return a;
  return -1;
}

/// Returns the shape of the cells.
static inline CellShape mesh_shape(const TetMesh *mesh) {
  return mesh->hex ? CELL_HEX8 : mesh->outer ? CELL_TET20 : mesh->middle ? CELL_TET10 : CELL_TET4;
}

/// mesh_cell_nodes: returns the number of nodes of a cell: 4, 10 or 20 for a tet, 8 for a hex. mesh_corners: returns
/// the number of corners of a cell; they are its first nodes.
static inline int mesh_cell_nodes(const TetMesh *mesh) {
  return mesh->hex ? 8 : mesh->outer ? 20 : mesh->middle ? 10 : 4;
}
static inline int mesh_corners(const TetMesh *mesh) {
  return mesh->hex ? 8 : 4;
}

/// Returns the degree of the elements, 1 to 3.
static inline int mesh_degree(const TetMesh *mesh) {
  return mesh->outer ? 3 : mesh->middle ? 2 : 1;
}

/// mesh_cell_entry: returns the address at which node a of cell e is stored, where a is an index within the cell.
/// mesh_cell_node: returns this node. The nodes of a cell are in the order of cell_shape.h.
static inline int *mesh_cell_entry(const TetMesh *mesh, int e, int a) {
  if (mesh->hex) return &mesh->hex[e][a];
  return a < 4 ? &mesh->tet[e][a] : mesh->outer ? &mesh->outer[e][a - 4] : &mesh->middle[e][a - 4];
}
static inline int mesh_cell_node(const TetMesh *mesh, int e, int a) {
  return *mesh_cell_entry(mesh, e, a);
}

/// Returns the word for the cells in messages: "tets" or "hexes".
static inline const char *mesh_cell_word(const TetMesh *mesh) {
  return mesh->hex ? "hexes" : "tets";
}

// The two corners of each edge of a tet, in the order of TetMesh.middle.
extern const int tet_edge_corners[6][2];

/// Frees the arrays and leaves an empty mesh. Accepts a zeroed mesh.
void mesh_destroy(TetMesh *mesh);

/// Copies a mesh with all its arrays. `copy` is written only on success. Fails if memory runs out.
bool mesh_copy(const TetMesh *mesh, TetMesh *copy, Error *error);

/// Reads a mesh file in the format that the ending of its name selects (mesh/format/mesh_formats.c), and converts the
/// mesh to a degree, 1 to 3. If the file has no tets, its 8-node hexahedra are read, and `degree` must be 1. `mesh` is
/// written only on success.
///
/// Degree 1 keeps only the corners of tets. Degree 2 keeps 10-node tets of the file, with straightened edges
/// (mesh_straighten), and adds nodes to the edges of other tets (mesh_raise). Degree 3 keeps only the corners of tets
/// and adds nodes to edges and faces.
///
/// Unused nodes are removed, inverted cells reoriented, and other elements skipped, each with a notice. Messages of
/// failures begin with "file:line:".
bool mesh_read(const char *path, int degree, TetMesh *mesh, Error *error);

/// Fails if the file does not exist, or if the ending of its name belongs to no format. Does not read the file.
bool mesh_check_file(const char *path, Error *error);

/// Prepares a mesh after it was read: removes unused nodes and reorients inverted cells, with notices that begin with
/// `name`. Fails if the mesh has no cell, if a tet has no volume or the same node at two corners, if a hex is flat at a
/// corner, or if it is inverted at some but not all of its corners and Gauss points.
bool mesh_tidy(TetMesh *mesh, const char *name, Error *error);

/// Fails if a cell has the same node at two corners or is flat, or if a hex is inverted at some but not all of its
/// corners and Gauss points. The message begins with `name` and gives the tags (numbers in the file) of the cell's
/// nodes. Cells that are inverted everywhere are accepted.
bool mesh_check_cells(const TetMesh *mesh, const char *name, Error *error);

/// Reorients all inverted cells, and returns how many these are. In a tet, corners 0 and 1 are swapped, and the nodes
/// on edges and faces accordingly. mesh_check_cells must have succeeded before.
int mesh_turn_inverted(TetMesh *mesh);

/// Multiplies all positions by `factor`.
void mesh_scale(TetMesh *mesh, double factor);

/// As mesh_scale, with a factor for each of the x, y and z coordinates.
void mesh_stretch(TetMesh *mesh, const double factor[3]);

/// Allocates a mesh. Its positions, tags (node numbers of a file) and tets are all 0. Fails, without an allocation, if
/// the counts exceed the limits of a mesh or the free memory. The caller destroys the mesh, also after a failure.
bool mesh_allocate(TetMesh *mesh, double nodes, double tets, Error *error);

/// Creates a mesh of a box from the origin to size [3], m: a grid of nx x ny x nz boxes with six tets each.
bool mesh_make_box(int nx, int ny, int nz, const double size[3], TetMesh *mesh, Error *error);

/// Returns the volume of tet or hex e, m^3; negative if it is inverted.
double mesh_tet_volume(const TetMesh *mesh, int e);

/// Returns det F of the linear tet between the corners of cell e at displacements u [node_count][3], m: its present
/// volume over its volume at rest.
double mesh_tet_J(const TetMesh *mesh, const double (*u)[3], int e);

/// Computes the lumped mass of each node, mass [node_count], kg. `density`, kg/m^3, applies to tets that have none in
/// mesh->density. A cell's mass is distributed to its nodes as follows:
///   linear tets     1/4 per corner (Lobatto quadrature)
///   quadratic tets  1/36 per corner, 4/27 per edge: the diagonal of the consistent mass matrix, scaled to the
///                   tet's mass (Hinton, Rock and Zienkiewicz, 1976)
///   cubic tets      1/193 per corner, 27/772 per node on an edge, 27/193 per face, by the same rule
///   hexahedra       the integrals of density times the nodes' shape functions
void mesh_lumped_mass(const TetMesh *mesh, double density, double *mass);

// Fractions of a quadratic tet's mass that the node at each corner and the node on each edge get. mesh_lumped_mass uses
// MESH_LUMPED_CORNER and MESH_LUMPED_MIDDLE; mesh_weight uses MESH_WEIGHT_CORNER and MESH_WEIGHT_MIDDLE.
static const double MESH_LUMPED_CORNER = 1.0 / 36, MESH_LUMPED_MIDDLE = 4.0 / 27;
static const double MESH_WEIGHT_CORNER = -1.0 / 20, MESH_WEIGHT_MIDDLE = 1.0 / 5;
// Fractions of a cubic tet's mass that each corner, each node on an edge, and the node on each face get:
// MESH_LUMPED_CUBIC in mesh_lumped_mass, MESH_WEIGHT_CUBIC in mesh_weight.
static const double MESH_LUMPED_CUBIC[3] = { 1.0 / 193, 27.0 / 772, 27.0 / 193 };
static const double MESH_WEIGHT_CUBIC[3] = { 1.0 / 40, 0, 9.0 / 40 };

/// Computes weight [node_count], kg: the integral of density times each node's shape function. weight times the
/// gravitational acceleration is the consistent nodal load of gravity. For linear tets and hexahedra, weight is equal
/// to the lumped mass. A quadratic tet has -1/20 of its mass at each corner and 1/5 at each edge. A cubic tet has 1/40
/// at each corner, 9/40 at each face and 0 at nodes on edges.
void mesh_weight(const TetMesh *mesh, double density, double *weight);

/// Returns the node whose undeformed position is nearest to `point`, m.
int mesh_nearest_node(const TetMesh *mesh, const double point[3]);

/// Computes the corners `low` and `high`, m, of the bounding box of all nodes at rest.
void mesh_bounds(const TetMesh *mesh, double low[3], double high[3]);

#ifdef __cplusplus
}
#endif
