// Finds cells whose Cauchy stress exceeds a bound; the simulation then removes these cells (tearing). stress_search.c
// and stress_search.cu compute in double, also for bodies in float. They are compiled for each element that supports
// the removal of cells. S(e) are the constants that the element stores for cell e at rest. The GPU uses S(e) that the
// host has computed, so that the results of CPU and GPU differ only by rounding.
#pragma once
#include "base/field_kind.h"
#include "sim/element/space.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// Arrays for the search for cells whose stress exceeds a bound, on the body's device. A zeroed StressSearch is empty.
typedef struct StressSearch {
  int node_capacity, cell_capacity;  // numbers of nodes and of cells for which the arrays are large enough
  double (*u)[3];                    // [node_capacity] m, displacements of the nodes
  // [cell_capacity][StressSearchMethod.supplemental], S(e): the constants of the rest shape of each cell e. NULL on the
  // CPU, which computes these constants from the mesh.
  double *S;
  // Second array of the size of S. When cells are removed, the constants S(e) of the remaining cells are copied to this
  // array. Then the pointers S and spare are exchanged. NULL: not yet allocated.
  double *spare;
  int *list;                // [cell_capacity], list of the remaining cells during a removal
  uint8_t *beyond;          // [cell_capacity], 1: the stress of the cell exceeds the bound
  int *found, *found_host;  // number of cells found, on the device and in pinned host memory
} StressSearch;

// Search for cells whose stress exceeds a bound, compiled for one element (cell shape and material, in `stage`) on one
// device.
typedef struct StressSearchMethod {
  Stage stage;
  int supplemental;  // number of doubles in S(e), the constants that the element stores for cell e

  /// Sets search->beyond [cell_count] to 1 for cells whose mean stress exceeds `bound`, Pa, and to 0 for all other
  /// cells. *search->found becomes the number of cells with 1. `measure` is the compared quantity: von Mises stress
  /// (FIELD_VON_MISES) or largest principal stress (FIELD_PRINCIPAL). NaN does not exceed the bound. `cell` is the
  /// device array with the node numbers of each cell.
  bool (*find)(const StressSearch *search, const Space *space, const int *cell, FieldKind measure, double bound,
               const double *material, Stream stream, Error *error);
} StressSearchMethod;

#ifdef __cplusplus
}
#endif
