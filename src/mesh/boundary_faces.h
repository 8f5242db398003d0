// The faces of a mesh's boundary that belong to a given set of nodes: all their corners are in the set. Also integrals
// over these faces in the undeformed mesh.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Faces on the boundary of a mesh. The nodes of a face are listed corners first, in the order of cell_shape_facet. A
// zeroed BoundaryFaces is empty.
typedef struct BoundaryFaces {
  CellShape shape;   // shape of the cells
  int count, nodes;  // number of faces, and number of nodes of each face
  int *node;         // [count][nodes], nodes of the faces, with the mesh's numbers
  int *facet;        // [count], index of each face within its cell
  int *cell;         // [count], cell of each face; NULL: unknown
} BoundaryFaces;

/// Lists, in the order of the cells, the faces of the boundary whose corners are all in a set of nodes. inside
/// [node_count] is nonzero for nodes in the set. Fails only if memory runs out. The caller destroys `faces`, also after
/// a failure.
bool boundary_faces_find(BoundaryFaces *faces, const TetMesh *mesh, const uint8_t *inside, Error *error);
void boundary_faces_destroy(BoundaryFaces *faces);

enum { FACE_POINTS_MAX = CELL_RULE_MAX * CELL_RULE_MAX };

// Integration rule on one face, a triangle or quadrilateral. weight[q] is the weight of integration point q; N[q][a] is
// the shape function of the face's node a at this point. The rule is exact for a shape function times the normal, which
// is a product of derivatives of shape functions.
typedef struct FaceRule {
  int points, nodes;
  double weight[FACE_POINTS_MAX];
  double N[FACE_POINTS_MAX][CELL_FACET_NODES_MAX];
  // d[k][q][a]: derivative of N[q][a] by the face's coordinate k, 0 or 1. The coordinates are ordered such that the
  // cross product of the tangents along coordinates 0 and 1 points out of the cell.
  double d[2][FACE_POINTS_MAX][CELL_FACET_NODES_MAX];
} FaceRule;

void face_rule(CellShape shape, int facet, FaceRule *rule);

/// Returns an array with the rule on each face of a cell. Index: `facet`. The caller frees it. Returns NULL if memory
/// runs out.
FaceRule *face_rules(CellShape shape, Error *error);

/// Adds to share [node_count], m^2, for each node the integral of its shape function over the faces in the undeformed
/// mesh. This is the part of the area that belongs to the node. Fails only if memory runs out.
bool boundary_faces_areas(const BoundaryFaces *faces, const TetMesh *mesh, double *share, Error *error);

/// Sets *closed to true if the faces with the factors value [faces->count] have no rim: each edge belongs to two faces
/// with the same factor. Then a constant pressure in proportion to these factors has a potential energy. node_count:
/// number of nodes of the mesh. Fails only if memory runs out.
bool boundary_faces_closed(const BoundaryFaces *faces, const double *value, int node_count, bool *closed, Error *error);

/// Computes point [3], m, the position of integration point q of face k if the nodes have the positions X
/// [node_count][3]. Returns the area that belongs to this point, m^2; over all q, these areas add up to the face's
/// area.
double boundary_face_point(const BoundaryFaces *faces, int k, const FaceRule *rule, int q, const double (*X)[3],
                           double point[3]);

/// Considers the cells of which all corners are in a set of nodes. Returns the number of different nodes of these
/// cells, which need not all be in the set. inside [node_count] is nonzero for nodes in the set. marked [node_count] is
/// memory for intermediate results.
int mesh_nodes_of_whole_cells(const TetMesh *mesh, const uint8_t *inside, uint8_t *marked);

#ifdef __cplusplus
}
#endif
