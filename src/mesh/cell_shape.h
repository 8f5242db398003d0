// The shapes that cells have, and what is known of each by itself: nodes, reference coordinates, shape functions,
// quadrature, facets. Evaluated at run time and in double: for making, checking and writing meshes, for masses and for
// errors. What assemblies evaluate is built for one shape each: the headers of sim/element/shape, which tests hold
// against this.
//
// Reference coordinates and the order of nodes:
//   simplices     xi are the barycentric coordinates of all corners but the last. Corners, then of quadratic ones the
//                 middles of edges as in tet_edge_corners; of cubic ones two nodes on each of these, a third and two
//                 thirds of the way from its first corner to its second, then the middle of each face, by the corner
//                 over against it. (X1-X4).((X2-X4)x(X3-X4)) > 0; triangles go round to the
//                 left
//   quads, hexes  xi in [0, 1] along each direction. Nodes stand on a grid of degree + 1 along each and are numbered
//                 along x first, then y, then z, corners among them: node i + (degree + 1) (j + (degree + 1) k). The
//                 map from the reference cell is that of the corners alone, so edges are straight
// Files have orders of their own: cell_shape_file_order.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CellShape {
  CELL_TET4,   // 4-node tetrahedra
  CELL_TET10,  // 10 nodes: the corners, then the middles of edges, as in tet_edge_corners
  CELL_TET20,  // 20 nodes: the corners, two on each edge, one on each face
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

typedef struct CellShapeInfo {
  const char *name;  // "quad9"
  int dimension;     // 2 or 3; in the plane z is 0
  int degree;
  int nodes, corners, facets;
  bool simplex;
  int gmsh, vtk;  // the numbers by which files name it
} CellShapeInfo;

/// What there is to know of a shape at once.
const CellShapeInfo *cell_shape_info(CellShape shape);

/// Of a dimension, simplices or not, of a degree: the shape, or CELL_SHAPES where there is none.
CellShape cell_shape_find(int dimension, bool simplex, int degree);

/// The corners [corners] among a cell's nodes.
void cell_shape_corners(CellShape shape, int corner[CELL_CORNERS_MAX]);

/// Shape functions N [nodes] and their derivatives by xi dN [nodes][3] at xi [dimension], either of them NULL. Of a
/// plane shape dN[a][2] is 0.
void cell_shape_at(CellShape shape, const double *xi, double *N, double (*dN)[3]);

/// Where a point of the reference cell lies, x [3] m, and unless NULL the Jacobian J[i][j] = dx_i / dxi_j, of which the
/// plane has J[2][2] = 1; X [nodes][3] are the cell's nodes. Returns det J.
double cell_shape_map(CellShape shape, const double (*X)[3], const double *xi, double x[3], double J[3][3]);

/// Points xi [][3] and weights of a product rule with n points a direction, 1 to CELL_RULE_MAX, on simplices on a
/// collapsed square or cube: exact for polynomials of degree 2n - 1 (quads, hexes), 2n - 3 in space and 2n - 2 in the
/// plane (simplices). Returns how many there are.
int cell_shape_rule(CellShape shape, int n, double (*xi)[3], double *weight);

/// Barycentric coordinates of node a of a tet.
void cell_shape_part(CellShape shape, int a, double part[4]);

/// Mass matrix M [nodes][nodes] of a simplex with straight edges: the means of N_a N_b over it, which add up to 1.
void cell_shape_mass(CellShape shape, double *M);

/// Nodes of facet f, an edge in the plane, a face in space; its corners first. Returns how many; `corners`, unless
/// NULL, becomes how many of them are corners.
int cell_shape_facet(CellShape shape, int f, int node[CELL_FACET_NODES_MAX], int *corners);

/// Points xi [][3] of facet f, their weights, and two directions dxi [2][3] along it, of which the plane has the first:
/// the facet's measure at a point is weight |J dxi_0|, in space weight |J dxi_0 x J dxi_1|. Returns how many there are.
int cell_shape_facet_rule(CellShape shape, int f, int n, double (*xi)[3], double *weight, double direction[2][3]);

typedef enum CellFile { CELL_FILE_GMSH, CELL_FILE_VTK } CellFile;

/// order[k]: which of our nodes is the file's node k of a cell.
void cell_shape_file_order(CellShape shape, CellFile file, int order[CELL_NODES_MAX]);

#ifdef __cplusplus
}
#endif
