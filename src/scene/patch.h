// A patch of a body's surface: the faces whose corners are all in a region. Means over the patch are weighted by the
// area of the undeformed faces.
#pragma once
#include "base/field_kind.h"
#include "mesh/boundary_faces.h"
#include "scene/session.h"

typedef struct Patch {
  BoundaryFaces faces;
  double area;    // m^2, area of the undeformed faces
  double *share;  // [node_count] m^2, integral of each node's shape function over the faces
  uint8_t *on;    // [node_count] 1: the node belongs to a face of the patch
} Patch;

/// Finds the faces of a region in `mesh`, a mesh of the scene's body. The patch has no faces if the region contains no
/// whole face, for example because all of them were torn out. Fails only if memory runs out. The caller destroys the
/// patch, also after a failure.
bool patch_find(Patch *patch, const Scene *scene, const TetMesh *mesh, const Region *region, Error *error);
void patch_destroy(Patch *patch);

/// Computes the mean of a quantity over the patch from its values at nodes, value [node_count][3].
void patch_mean(const Patch *patch, const TetMesh *mesh, const double (*value)[3], double mean[3]);

/// Computes the mean over the patch of the von Mises stress, Pa (FIELD_VON_MISES), of the largest principal Cauchy
/// stress, Pa (FIELD_PRINCIPAL), or of det F (FIELD_J), evaluated in the cells at the faces. x [node_count][3]:
/// positions of all nodes, m. Fails only if memory runs out.
bool patch_mean_field(const Patch *patch, const TetMesh *mesh, const double (*x)[3], const SimulationSettings *settings,
                      FieldKind field, double *mean, Error *error);
