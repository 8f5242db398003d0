// COO and DCOO on either device: row, column and value of each entry, sorted by rows; the D form has the diagonal in
// slots [0, n), before the others, and gives it no row and column.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CooLayout {
  int count;        // entries behind a diagonal in front
  int *row, *col;   // [count], rows ascending; on the operator's device
  int group_count;  // groups of entries that work is dealt by; see coo.c and coo.cu
  int *group;       // [group_count + 1] or [group_count]; on the operator's device
  void *carry;      // [group_count] real: what a group adds to a row that began before it; GPU only
} CooLayout;

/// Fills row, col and count; the format's own create fills the rest. `row_host` [count], if not NULL, gets a copy of
/// the rows that free() releases.
bool coo_layout_create(Operator *A, int **row_host, Error *error);
void coo_layout_destroy(Operator *A);
StageBytes coo_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
