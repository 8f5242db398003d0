// Creates the arrays of Pressures (force_arrays.h) in the host's memory: the faces around each node, and integrals of
// shape functions over faces.
#pragma once
#include "mesh/boundary_faces.h"

// The pressures on some faces of a body's surface.
typedef struct PressureLoad {
  const BoundaryFaces *faces;  // the faces under pressure, with their nodes; borrowed
  const double *value;         // [faces->count] Pa; positive values push inward
  const double *points;  // [faces->count][points], factors of `value` at the integration points of a face (face_rule);
                         // NULL: all 1
} PressureLoad;

// A zeroed PressureLists is empty.
typedef struct PressureLists {
  int row_count, table_count;  // number of nodes that belong to faces, and number of tables in `weight`
  int *row;                    // [row_count], all nodes of the faces, ascending
  int *start;                  // [node_count + 1], offsets into entry
  int *entry;      // [count * nodes], for each node its faces, and its index within each face, as nodes * face + index;
                   // ascending for each node. With 3 nodes per face, 7 means node 1 of face 2
  int *table;      // [count], index of each face's table in `weight`
  double *weight;  // [table_count][nodes][pairs], see rows/pressure.h; pairs = nodes (nodes - 1)/2
} PressureLists;

/// Creates the lists for load->faces. node [count][nodes] are the nodes of these faces; the lists contain the node
/// numbers of this array. Fails if memory runs out or indices overflow an int. The caller destroys the lists, also
/// after a failure.
bool pressure_lists_create(PressureLists *lists, const PressureLoad *load, const int *node, int node_count,
                           Error *error);
void pressure_lists_destroy(PressureLists *lists);
