// Fields to be coloured: what each tet has, averaged at the nodes by the volume of the tets around them. Twins
// nodal_field.c and nodal_field.cu work on the body's state where it lies; sums are taken in a fixed order.
#pragma once
#include "mesh/tet_mesh.h"
#include "sim/field/field_kind.h"
#include "sim/newton/midpoint.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed NodalField is empty. Arrays are on the body's device.
typedef struct NodalField {
  Device device;
  int *start;   // [node_count + 1], into around
  int *around;  // [4 * tet_count], the tets around each node
  void *tet;    // [tet_count][2] real: value times volume, and volume (both 0 where there is no value)
} NodalField;

/// Prepares fields for a body on this mesh, in the order inside.
bool nodal_field_create(NodalField *field, const Midpoint *m, const TetMesh *mesh, Error *error);
void nodal_field_destroy(NodalField *field);

// One twin.
typedef struct FieldOperations {
  Device device;
  Precision precision;

  /// out [node_count + FIELD_EXTRA] = the field of displacements u0, in the user's order of nodes, and its FieldExtra.
  /// A node all of whose tets are inverted has no stress and gets 0.
  bool (*run)(const NodalField *field, const Midpoint *m, FieldKind kind, double mu, double lambda, float *out,
              Stream stream, Error *error);
} FieldOperations;

extern const FieldOperations *const field_operations[];  // NULL-terminated, one for each device and precision

/// FieldOperations.run of the twin that this body has.
bool nodal_field_run(const NodalField *field, const Midpoint *m, FieldKind kind, double mu, double lambda, float *out,
                     Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
