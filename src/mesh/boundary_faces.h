// Faces of a mesh's boundary within a set of nodes, and integrals over them at rest.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed BoundaryFaces is empty. Node k of a face is node cell_shape_facet(shape, facet)[k] of its cell.
typedef struct BoundaryFaces {
  CellShape shape;   // shape of the cells
  int count, nodes;  // number of faces, and of nodes of each
  int *node;         // [count][nodes], the mesh's numbers
  int *facet;        // [count], number of the face within its cell
} BoundaryFaces;

/// Lists the faces of the boundary with all corners in the set, `inside` [node_count] nonzero, in the order of the
/// cells. Fails only if memory runs out. The caller destroys `faces` also after a failure.
bool boundary_faces_find(BoundaryFaces *faces, const TetMesh *mesh, const uint8_t *inside, Error *error);
void boundary_faces_destroy(BoundaryFaces *faces);

enum { FACE_POINTS_MAX = CELL_RULE_MAX * CELL_RULE_MAX };

// Shape functions at the integration points of one face of a cell. They are exact for a triangle's products of a shape
// function with two of their derivatives.
typedef struct FaceRule {
  int points, nodes;
  double weight[FACE_POINTS_MAX];
  double N[FACE_POINTS_MAX][CELL_FACET_NODES_MAX];
  // derivatives along the face; the cross product of the two tangents points outward
  double d[2][FACE_POINTS_MAX][CELL_FACET_NODES_MAX];
} FaceRule;

void face_rule(CellShape shape, int facet, FaceRule *rule);

/// Adds to share [node_count] the integrals of the shape functions over the faces at rest, m^2. Fails only if memory
/// runs out.
bool boundary_faces_areas(const BoundaryFaces *faces, const TetMesh *mesh, double *share, Error *error);

/// Computes point q of face k at rest, m, and returns the area that the point stands for, m^2.
double boundary_face_point(const BoundaryFaces *faces, int k, const FaceRule *rule, int q, const double (*X)[3],
                           double point[3]);

/// Counts the nodes in the set that belong to a cell with all corners in it. `marked` [node_count] is scratch.
int mesh_nodes_of_whole_cells(const TetMesh *mesh, const uint8_t *inside, uint8_t *marked);

#ifdef __cplusplus
}
#endif
