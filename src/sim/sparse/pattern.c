// The pattern of a sparse matrix: see pattern.h.
#include "sim/sparse/pattern.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

bool pattern_create(Pattern *pattern, const Adjacency *adjacency, int node_dof, Error *error) {
  Pattern made = { 0 };
  const int64_t nnz = (int64_t)node_dof * node_dof * adjacency->start[adjacency->node_count];
  const int64_t n = (int64_t)node_dof * adjacency->node_count;
  if (nnz > INT32_MAX || n > INT32_MAX - 1)
    return error_set(error, "the mesh is too large: %lld matrix entries, at most %d fit", (long long)nnz, INT32_MAX);
  made.n = (int)n;
  made.node_dof = node_dof;
  made.row_start = array_new(n + 1, sizeof *made.row_start, "matrix rows", error);
  made.col = array_new(nnz, sizeof *made.col, "matrix columns", error);
  if (!made.row_start || !made.col) {
    pattern_destroy(&made);
    return false;
  }
  int at = 0;
  for (int a = 0; a < adjacency->node_count && !interrupt_signal(); a++)
    for (int i = 0; i < node_dof; i++) {
      for (int s = adjacency->start[a]; s < adjacency->start[a + 1]; s++)
        for (int k = 0; k < node_dof; k++) made.col[at++] = node_dof * adjacency->neighbour[s] + k;
      made.row_start[node_dof * a + i + 1] = at;
    }
  if (!interrupt_check(error)) {
    pattern_destroy(&made);
    return false;
  }
  *pattern = made;
  return true;
}

void pattern_destroy(Pattern *pattern) {
  free(pattern->row_start);
  free(pattern->col);
  *pattern = (Pattern){ 0 };
}

int pattern_find(const Pattern *pattern, int row, int col) {
  int low = pattern->row_start[row], high = pattern->row_start[row + 1] - 1;
  while (low <= high) {
    const int middle = low + (high - low) / 2;
    if (pattern->col[middle] == col) return middle;
    if (pattern->col[middle] < col)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}
