// Cells whose Cauchy stress is more than a bound, found where the body is. Twins stress_search.c and stress_search.cu
// are built in double alone, for each element of which tets can be torn out, and work on a state of either precision.
// On a GPU S(e) is what the host has made, so that both look at the same numbers: they differ by roundings alone.
#pragma once
#include "base/field_kind.h"
#include "sim/element/space.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed StressSearch is empty. Arrays are on the body's device.
typedef struct StressSearch {
  int node_room, cell_room;  // for how many there is room
  double (*u)[3];            // [node_room] m
  double *S;                 // [cell_room][supplemental]; on the CPU NULL: it is made of the space
  double *spare;             // the same, for the cells that are left where some are taken out; NULL: there is none yet
  int *list;                 // [cell_room], likewise
  uint8_t *beyond;           // [cell_room]
  int *found, *found_host;   // how many are; the latter is pinned
} StressSearch;

// One twin; its element is as assemblies name it.
typedef struct StressSearchMethod {
  Stage stage;
  int supplemental;  // doubles of S(e)

  /// beyond [cell_count] = whether a cell's measure, FIELD_VON_MISES or FIELD_PRINCIPAL, of its mean stress is more
  /// than `bound` Pa, and *found how many are; what is no number is not. `cell` are the cells' nodes, on the device.
  bool (*find)(const StressSearch *search, const Space *space, const int *cell, FieldKind measure, double bound,
               const double *material, Stream stream, Error *error);
} StressSearchMethod;

#ifdef __cplusplus
}
#endif
