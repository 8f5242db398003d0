// Search for cells with a Cauchy stress above a bound, on the body's device. stress_search.c and stress_search.cu are
// built in double only, for each element that allows tets to be torn out, and work on states of either precision. The
// GPU uses the host's S(e), so that the results of both differ only by rounding.
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
  double (*u)[3];                    // [node_capacity] m
  double *S;                // [cell_capacity][supplemental]; NULL on the CPU, which computes S(e) from the space
  double *spare;            // [cell_capacity][supplemental], for the cells that remain after a removal; NULL: not
                            // allocated yet
  int *list;                // [cell_capacity], for the remaining cells
  uint8_t *beyond;          // [cell_capacity], 1: the stress exceeds the bound
  int *found, *found_host;  // number of cells found; found_host is pinned
} StressSearch;

// Implementation for one element on one device; its element is named as in assemblies.
typedef struct StressSearchMethod {
  Stage stage;
  int supplemental;  // doubles of S(e)

  /// Sets beyond [cell_count] to 1 for cells whose mean stress has a measure (FIELD_VON_MISES or FIELD_PRINCIPAL) above
  /// `bound` Pa, else to 0, also for NaN; *found is their number. `cell` holds the cells' nodes, on the device.
  bool (*find)(const StressSearch *search, const Space *space, const int *cell, FieldKind measure, double bound,
               const double *material, Stream stream, Error *error);
} StressSearchMethod;

#ifdef __cplusplus
}
#endif
