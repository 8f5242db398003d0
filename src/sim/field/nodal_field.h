// Scalar fields for display, such as stress. The value of a node is the mean of the values of its cells, weighted by
// their volumes. nodal_field.c and nodal_field.cu compute fields on the body's device, with sums in a fixed order.
#pragma once
#include "base/field_kind.h"
#include "sim/dynamics/motion.h"
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed NodalField is empty. Arrays are on the body's device.
typedef struct NodalField {
  Device device;   // device on which the arrays are stored
  int64_t *start;  // [node_count + 1], index in `around` of the first cell at each node
  int *around;     // [cell nodes * cell_count], the cells around each node
  // [cell_count][2] real (float or double): the field in each cell times the cell's volume, m^3, and this volume
  void *cell;
} NodalField;

/// Allocates memory and lists the cells around each node of `space`. Fails if memory runs out.
bool nodal_field_create(NodalField *field, Device device, Precision precision, const Space *space, Error *error);
void nodal_field_destroy(NodalField *field);

// The functions that compute displayed fields, for one device in one precision.
typedef struct FieldOperations {
  Stage stage;

  /// Computes out [node_count + FIELD_EXTRA]: the field in the present state of the body, in the user's order of nodes,
  /// then its statistics (field_extra.h). A node whose cells have no value gets 0.
  bool (*run)(const NodalField *field, const Motion *motion, FieldKind kind, const double *material, float *out,
              Stream stream, Error *error);

  /// Computes u [node_count][3], m, the displacements in the present state of the body, as doubles on the device. *cell
  /// gets the address of the cells' nodes on the device.
  bool (*state)(const Motion *motion, double (*u)[3], const int **cell, Stream stream, Error *error);
} FieldOperations;

#ifdef __cplusplus
}
#endif
