// The arrays of Pressures (force_arrays.h) on the host: the faces around each node, and the integrals over faces.
#pragma once
#include "mesh/boundary_faces.h"

// Pressures on faces of a body's cells.
typedef struct PressureLoad {
  const BoundaryFaces *faces;
  const double *value;   // [count] Pa; positive ones push inward
  const double *points;  // [count][points] factors of the values at the points of face_rule; NULL: all 1
} PressureLoad;

// A zeroed PressureLists is empty.
typedef struct PressureLists {
  int row_count, table_count;
  int *row;        // [row_count], nodes of the faces, ascending
  int *start;      // [node_count + 1], offsets into entry
  int *entry;      // [count * nodes], ascending for each node: nodes * face + index of the node within the face
  int *table;      // [count], table of each face
  double *weight;  // [table_count][nodes][pairs]
} PressureLists;

/// Lists faces whose nodes are `node` [count][nodes], in the order of load->faces. Fails if memory runs out or if an
/// int does not suffice. The caller destroys the lists, also after a failure.
bool pressure_lists_create(PressureLists *lists, const PressureLoad *load, const int *node, int node_count,
                           Error *error);
void pressure_lists_destroy(PressureLists *lists);
