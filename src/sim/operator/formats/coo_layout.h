// The formats COO and DCOO on either device: row, column and value of each entry, sorted by rows. DCOO stores the
// diagonal of the matrix in slots [0, n), without row and column indices. Its other entries follow.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CooLayout {
  int count;       // number of entries; DCOO does not count its diagonal
  int *row, *col;  // [count], rows ascending; on the operator's device
  // Entries are processed in groups: all entries of a fixed number of rows on the CPU (coo.c), a fixed number of
  // entries on the GPU (coo.cu).
  int group_count;
  // On the CPU [group_count + 1], first entry of each group. On the GPU [group_count], the row that continues from the
  // previous group, or -1.
  int *group;
  // [group_count] real, only on the GPU: the sum that a group contributes to a row that began in an earlier group.
  void *carry;
} CooLayout;

/// Fills row, col and count of A->layout; the format's `create` fills the other members. *row_host gets a copy of `row`
/// on the host, which the caller releases with free().
bool coo_layout_create(Operator *A, int **row_host, Error *error);
void coo_layout_destroy(Operator *A);
StageBytes coo_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
