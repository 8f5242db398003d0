// Merges points at equal positions: see merge_positions.h.
#include "mesh/merge_positions.h"

#include <string.h>

#include "base/sort.h"

static int compare(const void *a, const void *b) {
  const double *x = ((const NumberedPoint *)a)->X, *y = ((const NumberedPoint *)b)->X;
  for (int i = 0; i < 3; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

bool merge_positions(NumberedPoint *point, int64_t count, double (*X)[3], int64_t *vertex, int64_t *vertex_count,
                     Error *error) {
  *vertex_count = 0;
  if (!sort_items(point, count, sizeof *point, compare, error)) return false;
  for (int64_t k = 0; k < count; k++) {
    if (k == 0 || compare(&point[k - 1], &point[k]) != 0) memcpy(X[(*vertex_count)++], point[k].X, sizeof *X);
    vertex[point[k].number] = *vertex_count - 1;
  }
  return true;
}
