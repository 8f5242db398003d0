// The shapes of cells: nodes, reference coordinates, shape functions, integration rules and facets. These functions
// take the shape as an argument and compute in double. They are used to create, check and write meshes, and to compute
// masses and error norms. The assembly does not use them: it has the headers in sim/element/shape, each of which is
// compiled for one shape. Tests compare the two implementations.
//
// Reference coordinates and the order of nodes:
//   simplices     (triangles and tets) xi are the barycentric coordinates of all corners except the last. Corners come
//                 first. A quadratic simplex then has the middles of its edges, in the order of tet_edge_corners. A
//                 cubic simplex has two nodes on each edge, at a third and two thirds from the edge's first corner to
//                 its second, and then the middle of each face, numbered by the opposite corner. Corners 1 to 4 of a
//                 tet have (X1-X4).((X2-X4)x(X3-X4)) > 0; corners of triangles are counter-clockwise.
//   quads, hexes  xi in [0, 1] along each direction. Nodes form a grid of degree + 1 in each direction and are numbered
//                 along x first, then y, then z, corners included: node i + (degree + 1) (j + (degree + 1) k). The map
//                 from the reference cell uses only the corners, so edges are straight.
// Files list nodes in other orders: see cell_shape_file_order.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CellShape {
  CELL_TET4,   // 4-node tetrahedra
  CELL_TET10,  // 10 nodes: the 4 corners, then the middles of the 6 edges, in the order of tet_edge_corners
  CELL_TET20,  // 20 nodes: 4 corners, two on each of the 6 edges, one on each of the 4 faces
  CELL_TRI3,
  CELL_QUAD4,
  CELL_QUAD9,
  CELL_QUAD16,
  CELL_QUAD25,
  CELL_HEX8,
  CELL_SHAPES
} CellShape;

enum { CELL_NODES_MAX = 25, CELL_CORNERS_MAX = 8, CELL_FACETS_MAX = 6, CELL_FACET_NODES_MAX = 10 };
enum { CELL_RULE_MAX = 10, CELL_POINTS_MAX = CELL_RULE_MAX * CELL_RULE_MAX * CELL_RULE_MAX };

// Constants of one shape. degree: polynomial degree of the shape functions. nodes, corners, facets: number of each that
// a cell has. simplex: true for triangles and tets, false for quads and hexes.
typedef struct CellShapeInfo {
  const char *name;  // name of the shape, such as "quad9"
  int dimension;     // 2 or 3; in the plane z is 0
  int degree;
  int nodes, corners, facets;
  bool simplex;
  int gmsh, vtk;  // numbers by which files of Gmsh and VTK denote this shape
} CellShapeInfo;

/// Returns the constants of a shape.
const CellShapeInfo *cell_shape_info(CellShape shape);

/// Returns the shape of this dimension and degree: triangles and tets if `simplex` is true, else quads and hexes.
/// Returns CELL_SHAPES if there is none.
CellShape cell_shape_find(int dimension, bool simplex, int degree);

/// Sets corner[c], for each corner c of a cell, to its index among the nodes of the cell.
void cell_shape_corners(CellShape shape, int corner[CELL_CORNERS_MAX]);

/// Computes the shape functions N [nodes] and their derivatives by xi, dN [nodes][3], at the reference coordinates xi
/// [dimension]. N or dN may be NULL. dN[a][2] of a plane shape is 0.
void cell_shape_at(CellShape shape, const double *xi, double *N, double (*dN)[3]);

/// Computes x [3], m, the position of the point with reference coordinates xi in a cell whose nodes are at X
/// [nodes][3]. Unless J is NULL, also computes the Jacobian J[i][j] = dx_i / dxi_j, with J[2][2] = 1 in the plane.
/// Returns det J.
double cell_shape_map(CellShape shape, const double (*X)[3], const double *xi, double x[3], double J[3][3]);

/// Computes the points xi [points][3] and their weights of an integration rule on the reference cell. n, 1 to
/// CELL_RULE_MAX, is the number of points per direction. Returns the total number of points. On quads and hexes the
/// rule is a product of Gauss rules, exact for degree 2n - 1 along each direction. On triangles and tets, the points of
/// a square or cube are mapped to the simplex by Duffy's map, which collapses one of its sides. This rule is exact for
/// degree 2n - 2 (triangle) or 2n - 3 (tet).
int cell_shape_rule(CellShape shape, int n, double (*xi)[3], double *weight);

/// Computes part [4], the barycentric coordinates of a tet's node, whose index within the cell is `a`. Example: the
/// node in the middle of an edge has 1/2 for the two corners of the edge and 0 for the other two corners.
void cell_shape_part(CellShape shape, int a, double part[4]);

/// Computes M [nodes][nodes], the mass matrix of one triangle or tet with straight edges and mass 1: M_ab is the mean
/// of N_a N_b over the cell, where N_a is the shape function of the cell's node a.
void cell_shape_mass(CellShape shape, double *M);

/// Lists the nodes of facet f, as indices within the cell, corners first. Returns the number of these nodes. A facet is
/// an edge of a cell in the plane, or a face of a cell in space. *corners, unless `corners` is NULL, becomes the number
/// of the facet's corners.
int cell_shape_facet(CellShape shape, int f, int node[CELL_FACET_NODES_MAX], int *corners);

/// Computes the integration points xi [points][3] of facet f, their weights, and two directions [2][3] along the facet
/// in reference coordinates. n is the number of points per direction. Returns the number of points. With the Jacobian J
/// of cell_shape_map, the area that belongs to a point of a cell in space is weight |J direction_0 x J direction_1|. In
/// the plane, the length that belongs to a point is weight |J direction_0|, and direction_1 is not used.
int cell_shape_facet_rule(CellShape shape, int f, int n, double (*xi)[3], double *weight, double direction[2][3]);

typedef enum CellFile { CELL_FILE_GMSH, CELL_FILE_VTK } CellFile;

/// Computes the order in which a file lists the nodes of a cell: node k in the file is node order[k] in Pliant's order
/// (see the top of this header).
void cell_shape_file_order(CellShape shape, CellFile file, int order[CELL_NODES_MAX]);

#ifdef __cplusplus
}
#endif
