// Faces of a mesh's boundary whose corners are all in a given set of nodes, and integrals over these faces at rest.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Faces of cells on the boundary of a mesh. The nodes of a face are listed corners first, as by cell_shape_facet. A
// zeroed BoundaryFaces is empty.
typedef struct BoundaryFaces {
  CellShape shape;   // shape of the cells
  int count, nodes;  // number of faces, and number of nodes of each face
  int *node;         // [count][nodes], nodes of the faces, with the mesh's numbers
  int *facet;        // [count], index of each face within its cell
} BoundaryFaces;

/// Lists, in the order of the cells, the faces of the boundary whose corners are all in a set of nodes. inside
/// [node_count] is nonzero for nodes in the set. Fails only if memory runs out. The caller destroys `faces`, also after
/// a failure.
bool boundary_faces_find(BoundaryFaces *faces, const TetMesh *mesh, const uint8_t *inside, Error *error);
void boundary_faces_destroy(BoundaryFaces *faces);

enum { FACE_POINTS_MAX = CELL_RULE_MAX * CELL_RULE_MAX };

// Integration points of one face of a cell, a triangle or quadrilateral. weight[q] belongs to point q; N[q][a] is the
// shape function of the face's node a at this point. On triangles the rule is exact for a shape function times two
// derivatives of shape functions.
typedef struct FaceRule {
  int points, nodes;
  double weight[FACE_POINTS_MAX];
  double N[FACE_POINTS_MAX][CELL_FACET_NODES_MAX];
  // d[k][q][a]: derivative of N[q][a] by coordinate k of the face, 0 or 1; (tangent along coordinate 0) x (tangent
  // along coordinate 1) points out of the cell
  double d[2][FACE_POINTS_MAX][CELL_FACET_NODES_MAX];
} FaceRule;

void face_rule(CellShape shape, int facet, FaceRule *rule);

/// Adds to share[a], for each node a, the integral of its shape function over the faces at rest, m^2. Fails only if
/// memory runs out.
bool boundary_faces_areas(const BoundaryFaces *faces, const TetMesh *mesh, double *share, Error *error);

/// Computes the position of integration point q of face k at rest, m. Returns the area of this point, m^2.
double boundary_face_point(const BoundaryFaces *faces, int k, const FaceRule *rule, int q, const double (*X)[3],
                           double point[3]);

/// Returns the number of nodes in the set `inside` that belong to a cell whose corners are all in the set. marked
/// [node_count] is work memory.
int mesh_nodes_of_whole_cells(const TetMesh *mesh, const uint8_t *inside, uint8_t *marked);

#ifdef __cplusplus
}
#endif
