// Scalar fields for display, such as stress. The value at a node is the mean of the values in the cells at the node,
// weighted by the cells' volumes. nodal_field.c and nodal_field.cu compute fields on the device where the body is
// stored. Sums are computed in a fixed order.
#pragma once
#include "base/field_kind.h"
#include "sim/dynamics/motion.h"
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// Arrays from which nodal fields for display are computed, stored on the body's device. A zeroed NodalField is empty.
typedef struct NodalField {
  Device device;   // device on which the arrays are stored
  int64_t *start;  // [node_count + 1], index in `around` of the first cell at each node
  int *around;     // [cell nodes * cell_count], the cells around each node
  // [cell_count][2], elements of type real (float or double). For each cell: mean of the field times the cell's
  // volume, then this volume, m^3.
  void *cell;
} NodalField;

/// Allocates memory and lists the cells around each node of a body, whose mesh is in `space`. Fails if memory runs out.
bool nodal_field_create(NodalField *field, Device device, Precision precision, const Space *space, Error *error);
void nodal_field_destroy(NodalField *field);

// Functions that compute fields for display, such as stress, for one device in one precision.
typedef struct FieldOperations {
  Stage stage;

  /// Computes a field, such as stress, in the present state of the body. The first node_count elements of `out` get the
  /// nodal values in the user's order of nodes. A node whose cells have no finite value gets 0. Then FIELD_EXTRA
  /// statistics of the field follow, such as the mean value (field_extra.h).
  bool (*run)(const NodalField *field, const Motion *motion, FieldKind kind, const double *material, float *out,
              Stream stream, Error *error);

  /// Computes u [node_count][3], m, on the device: the present displacements of the nodes, as doubles. *cell becomes
  /// the device address of the array with the node numbers of each cell.
  bool (*state)(const Motion *motion, double (*u)[3], const int **cell, Stream stream, Error *error);
} FieldOperations;

#ifdef __cplusplus
}
#endif
