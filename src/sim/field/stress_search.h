// Search for cells whose Cauchy stress exceeds a bound, on the body's device. stress_search.c and stress_search.cu
// compute in double, also for bodies in float. They are built for each element that supports the removal of torn tets.
// S(e) are the element's stored data of cell e at rest. The GPU uses S(e) computed on the host, so that the results of
// both devices differ only by rounding.
#pragma once
#include "base/field_kind.h"
#include "sim/element/space.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed StressSearch is empty. Arrays are on the body's device.
typedef struct StressSearch {
  int node_capacity, cell_capacity;  // capacities in nodes and cells
  double (*u)[3];                    // [node_capacity] m, displacements
  double *S;                // [cell_capacity][supplemental], S(e) of all cells; NULL on the CPU, which computes them
                            // from the space
  double *spare;            // [cell_capacity][supplemental], second array into which a removal of cells copies the
                            // remaining data; NULL: not yet allocated
  int *list;                // [cell_capacity], list of the remaining cells during a removal
  uint8_t *beyond;          // [cell_capacity], 1: the stress exceeds the bound
  int *found, *found_host;  // number of cells found, on the device and in pinned host memory
} StressSearch;

// Implementation for one element (stage.element) on one device.
typedef struct StressSearchMethod {
  Stage stage;
  int supplemental;  // number of doubles in S(e)

  /// Sets search->beyond [cell_count] to 1 for cells whose mean stress has a measure (FIELD_VON_MISES or
  /// FIELD_PRINCIPAL) above `bound`, Pa. For all others, and for a stress of NaN, it is 0. *search->found gets their
  /// number. `cell` is the array of the cells' nodes on the device.
  bool (*find)(const StressSearch *search, const Space *space, const int *cell, FieldKind measure, double bound,
               const double *material, Stream stream, Error *error);
} StressSearchMethod;

#ifdef __cplusplus
}
#endif
