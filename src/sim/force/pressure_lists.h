// Creates arrays for pressure forces on the host: the faces at each node, and integrals of shape functions over faces.
// The struct Pressures (force_arrays.h) has copies of these arrays on the body's device.
#pragma once
#include "mesh/boundary_faces.h"

// The pressures on some faces of a body's surface.
typedef struct PressureLoad {
  const BoundaryFaces *faces;  // the faces under pressure, with their nodes; borrowed
  const double *value;         // [faces->count] Pa; positive values push inward
  // [faces->count][points of a face], factors by which `value` is multiplied at the integration points of a face
  // (face_rule); NULL: all are 1
  const double *points;
} PressureLoad;

// Arrays for pressure forces, in the host's memory; struct Pressures (force_arrays.h) has copies on the body's device.
// A zeroed PressureLists is empty.
typedef struct PressureLists {
  int row_count, table_count;  // number of nodes that belong to faces, and number of tables in `weight`
  int *row;                    // [row_count], all nodes of the faces, ascending
  int *start;                  // [node_count + 1], index in `entry` of each node's first face
  // [count * nodes], for `count` faces with `nodes` nodes each: lists of the faces of each node, ascending. A face is
  // stored as nodes * face + (index of the node in the face). Example with 3 nodes per face: 7 is node 1 of face 2.
  int *entry;
  int *table;  // [count], index of each face's table in `weight`
  // [table_count][nodes][nodes (nodes - 1)/2], tables of the weights w_abc for nodes a, b, c of a face with b < c.
  // w_abc is an integral over the face (rows/pressure.h).
  double *weight;
} PressureLists;

/// Creates the arrays from the faces and factors in `load`. node [count][nodes] are the nodes of these faces; the
/// arrays use these node numbers. Fails if memory runs out or indices overflow an int. The caller must destroy the
/// lists even after a failure.
bool pressure_lists_create(PressureLists *lists, const PressureLoad *load, const int *node, int node_count,
                           Error *error);
void pressure_lists_destroy(PressureLists *lists);
