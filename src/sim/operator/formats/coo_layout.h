// The formats COO and DCOO store row, column and value of each entry, sorted by row. DCOO stores the diagonal of the
// matrix first, in values[0] to values[n - 1], without row and column. All other entries follow.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CooLayout {
  int count;       // length of `row` and `col`: number of entries, in DCOO without the diagonal ones
  int *row, *col;  // [count], row and column of each entry, rows ascending; on the operator's device
  // Number of groups of consecutive entries. CPU: a group has the entries of PART_ROWS rows, for one task. GPU: a group
  // has TILE entries, for one thread block.
  int group_count;
  // CPU, [group_count + 1]: index of the first entry of each group of consecutive entries. GPU, [group_count]: for each
  // group, the row that began in an earlier group and continues into this one; -1 if the group begins with a new row.
  int *group;
  // [group_count] real, only on the GPU. Each product writes, for each group, the sum of value * x over those entries
  // that continue a row of an earlier group.
  void *carry;
} CooLayout;

/// Creates A->layout with the row and column of each entry, and sets A->slots, the position of each block in A->values.
/// The caller sets group_count, `group` and `carry`. *row_host gets a copy of `row` on the host, which the caller
/// frees.
bool coo_layout_create(Operator *A, int **row_host, Error *error);
void coo_layout_destroy(Operator *A);
StageBytes coo_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
