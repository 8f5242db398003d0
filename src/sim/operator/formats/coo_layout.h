// The formats COO and DCOO on CPU and GPU: row, column and value of each entry, sorted by rows. DCOO stores the
// diagonal of the matrix first, in values[0] to values[n - 1], without row and column indices. Its other entries
// follow.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CooLayout {
  int count;       // number of entries; DCOO does not count its diagonal
  int *row, *col;  // [count], row and column of each entry, rows ascending; on the operator's device
  // Number of groups of consecutive entries. On the CPU, a thread processes a group, which has all entries of PART_ROWS
  // rows. On the GPU, a thread block processes a group, which has TILE entries.
  int group_count;
  // On the CPU [group_count + 1]: index of the first entry of each group of consecutive entries. On the GPU
  // [group_count]: number of the row that continues from the previous group into this one, or -1 if the group begins
  // with a new row.
  int *group;
  // [group_count] real, only on the GPU: the sum of each group's entries in a row that began in an earlier group.
  void *carry;
} CooLayout;

/// Creates A->layout, a CooLayout with the row and column of each entry, and fills its members row, col and count. The
/// caller, a format's `create`, fills the other members. Also sets A->slots, the position of each block in A->values.
/// *row_host gets a copy of `row` on the host, which the caller frees.
bool coo_layout_create(Operator *A, int **row_host, Error *error);
void coo_layout_destroy(Operator *A);
StageBytes coo_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
