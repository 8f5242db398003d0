// COO and DCOO on either device: row, column and value of each entry, sorted by rows. DCOO stores the diagonal in slots
// [0, n), before the other entries, without row and column indices.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CooLayout {
  int count;        // entries, without a diagonal that is stored first
  int *row, *col;   // [count], rows ascending; on the operator's device
  int group_count;  // groups of entries, the units of work; see coo.c and coo.cu
  int *group;       // [group_count + 1] or [group_count]; on the operator's device
  void *carry;      // [group_count] real: sum that a group adds to a row that began before it; GPU only
} CooLayout;

/// Fills row, col and count; the format's `create` fills the rest. *row_host gets a copy of the rows, [count], which
/// the caller releases with free().
bool coo_layout_create(Operator *A, int **row_host, Error *error);
void coo_layout_destroy(Operator *A);
StageBytes coo_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
